"""The tables of the body as rows of text, and their words: sides, places on bones.

Bone frames have their origin in the bone's joint; in the neutral pose their axes are the world's: x forward, y left,
z up.  Tables give millimetres of the right side; the left is its mirror image in the plane y = 0.
"""

import csv
from enum import Enum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hitogata.figure.values import Vector

_FOLDER = Path(__file__).parent


class Side(Enum):
    """Where a row of a table stands."""

    RIGHT = "_r"
    LEFT = "_l"
    MIDDLE = ""

    @property
    def sign(self) -> float:
        """What the mirror does to y."""
        return -1.0 if self is Side.LEFT else 1.0


class Place(NamedTuple):
    """A point on a bone [m]."""

    bone: str
    at: Vector


@cache
def rows_of(table: str) -> tuple[dict[str, str], ...]:
    """Rows of a table by the names of its columns: bones, knee, muscles, surfaces, tendons, ligaments."""
    with (_FOLDER / f"{table}.csv").open(newline="") as file:
        return tuple(csv.DictReader(file))


def sides_of(row: dict[str, str]) -> tuple[Side, ...]:
    """The sides on which a row stands."""
    return (Side.RIGHT, Side.LEFT) if row.get("paired", "yes") else (Side.MIDDLE,)


@cache
def paired_bones() -> frozenset[str]:
    """Bones that there are twice."""
    return frozenset(row["bone"] for row in rows_of("bones") if row["paired"])


def bone_name(bone: str, side: Side) -> str:
    """Name of a bone's link."""
    return bone + side.value if bone in paired_bones() else bone


def numbers(text: str, scale: float = 1.0) -> tuple[float, ...]:
    """Numbers between blanks."""
    return tuple(float(x) * scale for x in text.split())


def vector(text: str, side: Side, scale: float = 1.0) -> Vector:
    """A point or direction, mirrored to its side."""
    x, y, z = numbers(text, scale)
    return x, side.sign * y, z


def axis(text: str, side: Side) -> Vector:
    """The axis of a turn, mirrored so that the same angle means the same on both sides."""
    x, y, z = numbers(text)
    return side.sign * x, y, side.sign * z


def places_of(path: str, side: Side) -> tuple[Place, ...]:
    """Points of a path `bone x y z | bone x y z ...`, in metres, on one side."""
    places = []
    for part in path.split(" | "):
        bone, _, numbers_ = part.partition(" ")
        places.append(Place(bone_name(bone, side), vector(numbers_, side, 1e-3)))
    return tuple(places)


def mirrored_name(name: str) -> str:
    """Name of the same on the other side."""
    other = {"_r": "_l", "_l": "_r"}.get(name[-2:])
    return name[:-2] + other if other else name
