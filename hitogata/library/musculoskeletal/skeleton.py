"""The skeleton as a figure: 51 links of given stature, mass and lengths, from the tables of bones and knees.

Tibia and patella follow the knee's flexion by function joints (walker knee: Rajagopal et al. 2016, Lai et al. 2017).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Figure, FigureBuilder, MassProperties, Pose, joint
from hitogata.figure.joint import Joint, Screw
from hitogata.figure.mechanism import CubicSpline, JointStep, Polynomial
from hitogata.figure.values import positive
from hitogata.library.musculoskeletal.shapes import shapes_of
from hitogata.library.musculoskeletal.tables import Side, axis, bone_name, numbers, rows_of, sides_of, vector

STATURE, MASS = 1.741, 73.0
"""Of the body in the tables: an average young man [m, kg] (de Leva 1996)."""
JAW_OPEN, JAW_SLIDE = 0.6, 0.015
"""Farthest that the jaw opens [rad] and slides forward [m]."""
RANGES = {
    "ulna": (0.0, 2.53), "radius": (-0.1, 2.7), "hand": ((-1.22, 1.22), (-0.44, 0.61)), "talus": (-0.87, 0.52),
    "foot": (-0.52, 0.52), "toes": ((-1.2, 0.7), (-0.2, 0.2)),
}  # fmt: skip
"""Of hinges and universal joints, from the anatomical position [rad]: AAOS 1965, rounded; toes: estimates."""
KNEE_RANGE = (-0.09, 2.36)


@dataclass(frozen=True)
class BodySize:
    """How big a body is.

    Attributes:
        stature: [m].
        mass: of the whole body [kg].
        lengths: factors on the size of single bones beside that of the stature, by their names without side
            ("femur", "T5") or by their links' ("femur_r").
    """

    stature: float = STATURE
    mass: float = MASS
    lengths: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        positive(self.stature, "stature")
        positive(self.mass, "mass")
        known = {row["bone"] for row in rows_of("bones")}
        known |= {bone_name(bone, side) for bone in known for side in Side}
        for bone, factor in self.lengths.items():
            if bone not in known:
                raise FigureError(f"lengths: no bone {bone!r}; there are: {', '.join(sorted(known))}")
            positive(factor, f"length of {bone!r}")
        object.__setattr__(self, "lengths", MappingProxyType(dict(self.lengths)))

    def scale(self, link: str) -> float:
        """Size of a link's bone over that in the tables."""
        bone = link[:-2] if link[-2:] in ("_r", "_l") else link
        return self.stature / STATURE * self.lengths.get(link, self.lengths.get(bone, 1.0))


def skeleton(
    size: BodySize | None = None, *, held: bool = True, plain_knees: bool = False, bones: frozenset[str] | None = None
) -> Figure:
    """51 links: pelvis, 24 vertebrae (ribs with theirs), skull, jaw, and six links of each arm and leg.

    Args:
        size: None: 1.741 m, 73 kg.
        held: ankle and subtalar joint are hinges, as bone and ligaments hold them; False: balls.
        plain_knees: knees are hinges, and kneecaps fixed to the shins: no joint follows functions.
        bones: names in the table to take; None: all.

    Returns:
        A figure that stands, soles near z = 0, arms hanging, palms forward.
    """
    size = size or BodySize()
    rows = [row for row in rows_of("bones") if bones is None or row["bone"] in bones]
    whole = sum(float(row["mass_kg"]) * len(sides_of(row)) for row in rows_of("bones"))
    builder = FigureBuilder("musculoskeletal")
    for row in rows:
        for side in sides_of(row):
            link = bone_name(row["bone"], side)
            parent = bone_name(row["parent"], side) if row["parent"] else None
            if plain_knees and row["bone"] == "patella":
                parent = bone_name("tibia", side)
            shapes = shapes_of(row["bone"], side, size.scale(link))
            hung = _joint(row, side, size, held, plain_knees)
            builder.add(link, parent, hung, _mass(row, side, size, whole), shapes=shapes)
    return builder.build()


def _mass(row: dict[str, str], side: Side, size: BodySize, whole: float) -> MassProperties:
    scale = size.scale(bone_name(row["bone"], side))
    mass = float(row["mass_kg"]) * size.mass / whole
    radii = np.array(numbers(row["radii_mm"], 1e-3 * scale))
    return MassProperties.principal(mass, vector(row["centre_mm"], side, 1e-3 * scale), (mass * radii**2).tolist())


def _joint(row: dict[str, str], side: Side, size: BodySize, held: bool, plain: bool) -> Joint:
    bone, kind = row["bone"], row["joint"]
    link = bone_name(bone, side)
    if kind == "free":
        rest = (0.0, 0.0, vector(row["at_mm"], side, 1e-3 * size.scale(link))[2], 1.0, 0.0, 0.0, 0.0)
        return joint.free(rest=rest, name="base")
    scale = size.scale(bone_name(row["parent"], side))
    at = Pose(vector(row["at_mm"], side, 1e-3 * scale))
    axes = [axis(row[key], side) for key in ("axis", "axis2") if row[key]]
    if kind == "jaw":
        slide = Screw(vector(row["axis2"], side), 0.0, 1.0)
        return joint.compound((slide, Screw(axes[0], 1.0, 0.0)), parent_frame=at, name="jaw",
                              range=((0.0, JAW_SLIDE), (0.0, JAW_OPEN)))  # fmt: skip
    if plain and kind == "knee":
        bend = next(row for row in rows_of("knee") if row["bone"] == "tibia" and row["step"] == "turn")
        turn = axis(bend["axis_or_place_mm"], side)
        return joint.hinge(turn, parent_frame=at, range=KNEE_RANGE, name=f"knee{side.value}")
    if plain and kind == "patella":
        shin = next(row for row in rows_of("bones") if row["bone"] == "tibia")
        away = np.array(vector(row["at_mm"], side)) - vector(shin["at_mm"], side)
        x, y, z = (1e-3 * scale * away).tolist()
        return joint.fixed(parent_frame=Pose((x, y, z)), name=f"patella_joint{side.value}")
    if kind in ("knee", "patella"):
        own = (f"knee{side.value}",) if kind == "knee" else ()
        limits = {"range": KNEE_RANGE} if own else {}
        return joint.function(
            own, _steps(bone, side, scale), parent_frame=at, name=f"{kind}_joint{side.value}", **limits
        )
    if kind == "ball" or (bone in ("talus", "foot") and not held):
        return joint.ball(parent_frame=at, name=f"{link}_joint")
    name = f"{JOINT_NAMES[bone]}{side.value}"
    if kind == "hinge":
        return joint.hinge(axes[0], parent_frame=at, range=RANGES[bone], name=name)
    return joint.universal(axes[0], axes[1], parent_frame=at, range=RANGES[bone], name=name)


JOINT_NAMES = {
    "ulna": "elbow",
    "radius": "forearm",
    "hand": "wrist",
    "talus": "ankle",
    "foot": "subtalar",
    "toes": "toes",
}


def _steps(bone: str, side: Side, scale: float) -> tuple[JointStep, ...]:
    """Turns and shifts of tibia or patella by the knee's flexion; shifts grow with the femur."""
    steps = []
    for row in rows_of("knee"):
        if row["bone"] != bone or row["step"] == "at":
            continue
        turn, text = row["step"] == "turn", row["axis_or_place_mm"]
        values = numbers(row["function"])
        function: Polynomial | CubicSpline
        if bone == "tibia":
            function = Polynomial((*(v * (1.0 if turn else scale) for v in values), 0.0))
        else:
            angles = tuple(np.radians(10.0 * k) for k in range(len(values)))
            function = CubicSpline(angles, tuple(v * (1.0 if turn else 1e-3 * scale) for v in values))
        direction = axis(text, side) if turn else vector(text, side)
        steps.append(JointStep(turn, direction, function, (f"knee{side.value}",)))
    return tuple(steps)
