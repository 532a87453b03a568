"""Human figures of Nakamura & Yamane (2000): 28 joint degrees of freedom, and 34 with hands.

x forward, y left, z up; at rest the figure stands with straight legs, arms hanging, soles on z = 0, and all link
frames are parallel to the world's.  Masses and principal moments are those of their Table 3; of the three moments
the smallest belongs to the link's long axis (the paper's frames have other names for it).  Lengths are not in the
paper; they are those of a person of about 1.75 m.
"""

import math
from dataclasses import replace
from typing import NamedTuple

from hitogata.figure import Box, Capsule, Figure, FigureBuilder, Frame, MassProperties, Pose, Shape, Sphere, joint
from hitogata.figure.joint import Joint
from hitogata.figure.values import Vector
from hitogata.rom.human import human_ranges


class _Row(NamedTuple):
    """One row of the table: a link, its joint's place in the parent, and its mass."""

    link: str
    parent: str | None
    joint: Joint
    at: Vector  # of the joint, in the parent's frame [m]
    mass: float  # [kg]
    moments: Vector  # Ixx, Iyy, Izz in the axes of this page [kg m²]
    centre: Vector  # of mass, in the link's frame [m]
    shapes: tuple[Shape, ...]
    frames: tuple[Frame, ...] = ()


def _box(centre: Vector, half_sizes: Vector) -> Box:
    return Box(half_sizes, pose=Pose(centre))


def _across(y: float, z: float, radius: float) -> Capsule:
    """A capsule from side to side."""
    return Capsule.between((0, -y, z), (0, y, z), radius)


def _hinge(name: str, low_deg: float, high_deg: float) -> Joint:
    """A hinge about the figure's left axis."""
    return joint.hinge(axis=(0, 1, 0), range=(math.radians(low_deg), math.radians(high_deg)), name=name)


_TRUNK = [
    _Row("pelvis", None, joint.free(rest=(0, 0, 1.0, 1, 0, 0, 0), name="base"), (0, 0, 0), 15, (0.4, 0.4, 0.2),
         (0, 0, 0), (_across(0.06, 0.0, 0.105),)),
    _Row("chest", "pelvis", joint.ball(name="waist"), (0, 0, 0.15), 16, (0.8, 0.8, 0.4), (0, 0, 0.2),
         (_across(0.065, 0.06, 0.105), _across(0.12, 0.24, 0.10))),
    _Row("head", "chest", joint.ball(name="neck"), (0, 0, 0.40), 4, (0.1, 0.1, 0.1), (0, 0, 0.12),
         (Capsule.between((0, 0, -0.05), (0, 0, 0.04), 0.05), Sphere(0.11, pose=Pose((0, 0, 0.14)))),
         (Frame("eyes", Pose((0.10, 0, 0.16))),)),
]  # fmt: skip


def _side(side: str, y: float) -> list[_Row]:
    """Leg and arm of one side; y is +1 on the left, -1 on the right."""
    return [
        _Row(f"thigh_{side}", "pelvis", joint.ball(name=f"hip_{side}"), (0, 0.1 * y, -0.08), 5, (0.2, 0.2, 0.1),
             (0, 0, -0.21), (Capsule.between((0, 0, -0.02), (0, 0, -0.40), 0.07),)),
        _Row(f"shin_{side}", f"thigh_{side}", _hinge(f"knee_{side}", 0, 140), (0, 0, -0.42), 4, (0.2, 0.2, 0.1),
             (0, 0, -0.20), (Capsule.between((0, 0, -0.02), (0, 0, -0.40), 0.05),)),
        _Row(f"foot_{side}", f"shin_{side}", joint.ball(name=f"ankle_{side}"), (0, 0, -0.42), 2, (0.02, 0.02, 0.02),
             (0.04, 0, -0.05), (_box((0.04, 0, -0.05), (0.095, 0.06, 0.03)),),
             (Frame(f"sole_{side}", Pose((0.04, 0, -0.08))),)),
        _Row(f"upper_arm_{side}", "chest", joint.ball(name=f"shoulder_{side}"), (0, 0.24 * y, 0.32), 4,
             (0.2, 0.2, 0.1), (0, 0, -0.14), (Capsule.between((0, 0, 0), (0, 0, -0.26), 0.045),)),
        _Row(f"forearm_{side}", f"upper_arm_{side}", _hinge(f"elbow_{side}", -145, 0), (0, 0, -0.28), 2,
             (0.2, 0.2, 0.1), (0, 0, -0.13), (Capsule.between((0, 0, -0.01), (0, 0, -0.24), 0.038),),
             (Frame(f"grip_{side}", Pose((0, 0, -0.27))),)),
    ]  # fmt: skip


def _hand(side: str) -> _Row:
    """A hand: 0.5 kg, a box of 18 x 4 x 9 cm; the paper gives no numbers for it."""
    box = _box((0, 0, -0.09), (0.045, 0.02, 0.09))
    mass = box.mass_properties().scaled(0.5)
    moments = mass.inertia[:3]
    return _Row(f"hand_{side}", f"forearm_{side}", joint.ball(name=f"wrist_{side}"), (0, 0, -0.27), 0.5, moments,
                mass.centre, (box,), (Frame(f"palm_{side}", Pose((0, 0, -0.09))),))  # fmt: skip


def _build(name: str, rows: list[_Row], ranges: bool) -> Figure:
    builder, limits = FigureBuilder(name), human_ranges() if ranges else {}
    for row in rows:
        mass = MassProperties.principal(row.mass, row.centre, row.moments)
        ranged = row.joint.is_ball and row.joint.name in limits
        range_ = limits[row.joint.name].range if ranged else row.joint.range
        placed = replace(row.joint, parent_frame=Pose(row.at), range=range_)
        builder.add(row.link, row.parent, placed, mass, shapes=row.shapes, frames=row.frames)
    return builder.build()


def human28(*, ranges: bool = False) -> Figure:
    """The 28-DOF walking figure (34 velocities with the base), 69 kg, 13 links.

    Ball joints at waist, neck, shoulders, hips and ankles, hinges at elbows and knees; soles 19 x 12 cm.
    Source: Nakamura & Yamane 2000, Fig. 5 and Table 3.

    Args:
        ranges: clinical ranges of motion on the ball joints (`hitogata.rom.human`), which the paper does not have.
    """
    return _build("human28", _TRUNK + _side("left", 1) + _side("right", -1), ranges)


def human40(*, ranges: bool = False) -> Figure:
    """`human28` with hands on ball wrists: 34 joint degrees of freedom and 6 of the base, 70 kg, 15 links.

    Source: the 40-DOF figure of the Nakamura group's parallel-dynamics experiments; hands of 0.5 kg each are ours.

    Args:
        ranges: clinical ranges of motion on the ball joints (`hitogata.rom.human`), which the report does not have.
    """
    sides = [row for side, y in (("left", 1), ("right", -1)) for row in [*_side(side, y), _hand(side)]]
    return _build("human40", _TRUNK + sides, ranges)
