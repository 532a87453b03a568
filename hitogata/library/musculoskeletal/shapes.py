"""Shapes of the skeleton's bones: what touches the ground, and what is drawn.

One for each group of bones that is large enough; vertebrae between those that have one have none.  In the neutral pose
no two bones that are not neighbours touch.  Points are in the bone's frame, in millimetres, of the right side.
"""

from hitogata.figure import Box, Capsule, Pose, Shape, Sphere
from hitogata.figure.values import Vector
from hitogata.library.musculoskeletal.tables import Side

_CAPSULES: dict[str, tuple[tuple[Vector, Vector, float], ...]] = {
    "pelvis": (((-50.0, -80.0, 5.0), (-50.0, 80.0, 5.0), 60.0),),
    "L3": (((20.0, -64.0, 10.0), (20.0, 64.0, 10.0), 55.0),),
    "T10": (((70.0, -48.0, 14.0), (70.0, 48.0, 14.0), 74.0),),
    "T5": (((60.0, -70.0, 20.0), (60.0, 70.0, 20.0), 48.0),),
    "C4": (((0.0, 0.0, -8.0), (0.0, 0.0, 4.0), 38.0),),
    "humerus": (((0.0, 0.0, -10.0), (25.0, 10.0, -280.0), 38.0),),
    "ulna": (((0.0, -5.0, -5.0), (25.0, -30.0, -225.0), 26.0),),
    "radius": (((10.0, -8.0, -60.0), (38.0, -22.0, -235.0), 26.0),),
    "hand": (((2.0, 0.0, -35.0), (15.0, -5.0, -140.0), 22.0),),
    "femur": (((0.0, 0.0, -40.0), (-4.0, 2.0, -390.0), 60.0),),
    "tibia": (((0.0, 0.0, -30.0), (-2.0, -1.0, -345.0), 45.0),),
}
SOLE = 23.0
"""Of the sole below the subtalar joint [mm]."""
_BOXES: dict[str, tuple[Vector, Vector]] = {
    "foot": ((72.0, 0.0, -6.0), (105.0, 36.0, SOLE - 6.0)),
    "toes": ((28.0, 0.0, -9.0), (30.0, 38.0, 12.0)),
}
_BALLS: dict[str, tuple[Vector, float]] = {"skull": ((20.0, 0.0, 65.0), 92.0)}


def shapes_of(bone: str, side: Side, scale: float) -> tuple[Shape, ...]:
    """Shapes of a bone on its side.

    Args:
        bone: name without side.
        side: mirrors them.
        scale: size of the bone over that in the tables.
    """
    k = 1e-3 * scale

    def at(point: Vector) -> Vector:
        return point[0] * k, side.sign * point[1] * k, point[2] * k

    found: list[Shape] = [Capsule.between(at(a), at(b), r * k) for a, b, r in _CAPSULES.get(bone, ())]
    if bone in _BOXES:
        centre, half = _BOXES[bone]
        found.append(Box((half[0] * k, half[1] * k, half[2] * k), pose=Pose(at(centre))))
    if bone in _BALLS:
        centre, radius = _BALLS[bone]
        found.append(Sphere(radius * k, pose=Pose(at(centre))))
    return tuple(found)
