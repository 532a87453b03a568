"""The 155 coordinates of the skeleton, and what moves each: muscles, the knee, or bone and ligaments."""

from dataclasses import dataclass
from enum import Enum

from hitogata.library.musculoskeletal.tables import bone_name, rows_of, sides_of


class Held(Enum):
    """What moves or holds a coordinate."""

    BASE = "nothing: the body's place in the world"
    MUSCLE = "muscles"
    COUPLED = "follows the knee's flexion"
    STRUCTURE = "held by bone contact and ligaments"


@dataclass(frozen=True)
class Coordinate:
    """One of the skeleton's coordinates.

    Attributes:
        bone: link that it moves against its parent.
        name: of the coordinate, behind the bone's.
        held: what moves or holds it.
    """

    bone: str
    name: str
    held: Held


_BALL = ("x", "y", "z")
_FREE = (*_BALL, "shift x", "shift y", "shift z")
_NAMES = {
    "free": _FREE, "ball": _BALL, "jaw": ("slide", "open"), "universal": ("flexion", "deviation"),
    "knee": ("flexion", *_FREE[1:]),
    "patella": _FREE,
}  # fmt: skip


def coordinates() -> tuple[Coordinate, ...]:
    """All of them, bone by bone; a bone's pose against its parent has up to six."""
    found = []
    for row in rows_of("bones"):
        kind = row["joint"]
        passive = row["bone"] in ("talus", "foot")
        names = ("flexion", "second axis", "third axis") if passive else _NAMES.get(kind, ("flexion",))
        for side in sides_of(row):
            for k, name in enumerate(names):
                held = Held.MUSCLE
                if kind == "free":
                    held = Held.BASE
                elif kind == "patella" or (kind == "knee" and k):
                    held = Held.COUPLED
                elif passive and k:
                    held = Held.STRUCTURE
                found.append(Coordinate(bone_name(row["bone"], side), name, held))
    return tuple(found)
