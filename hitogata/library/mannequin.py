"""Shapes of a wooden mannequin, for figures with the sizes of `anthropometry`.

Each function gives the shapes of one link in its frame: x forward, y left, z up, origin at the joint to the parent.
Links of a standing figure that no joint connects are more than 2 cm apart, so that nothing touches at rest.
"""

from hitogata.figure import Box, Capsule, Pose, Shape, Sphere
from hitogata.library.anthropometry import ANKLE, length

Shapes = tuple[Shape, ...]

HEEL = -0.06
"""Of a foot, before the ankle [m]."""
NECK, NECK_RADIUS = 0.095, 0.055
"""Length of the neck up to the skull's joint, and its radius [m]."""

_between = Capsule.between


def _across(y: float, z: float, radius: float, x: float = 0.0) -> Capsule:
    """A capsule from side to side."""
    return _between((x, -y, z), (x, y, z), radius)


def pelvis() -> Shapes:
    """Origin between the hip joints."""
    return _across(0.072, 0.02, 0.092), _across(0.065, 0.085, 0.086)


def abdomen() -> Shapes:
    """Origin at the navel's height."""
    return _across(0.055, 0.05, 0.086), _across(0.058, 0.135, 0.088)


def chest() -> Shapes:
    """Ribs, breast, and slopes from neck to shoulders; origin at the height of the breastbone's lower end."""
    slopes = [_between((-0.01, y * 0.03, 0.18), (-0.01, y * 0.15, 0.145), 0.042) for y in (1, -1)]
    return _across(0.068, 0.03, 0.098), _across(0.095, 0.105, 0.088, 0.01), *slopes


def neck() -> Shapes:
    """Origin at the 7th neck vertebra."""
    return (_between((0, 0, -0.01), (0.008, 0, 0.05), NECK_RADIUS),)


def head(vertex: float) -> Shapes:
    """Skull, face and nose; `vertex` is the height of the top in the link's frame [m]."""
    return (
        _between((-0.025, 0, vertex - 0.088), (0.012, 0, vertex - 0.088), 0.088),
        _between((0.022, 0, vertex - 0.11), (0.03, 0, vertex - 0.16), 0.062),
        Sphere(0.016, pose=Pose((0.1, 0, vertex - 0.128)), name="nose"),
    )


def upper_arm() -> Shapes:
    """Origin at the shoulder."""
    return Sphere(0.056), _between((0, 0, -0.02), (0, 0, 0.01 - length("upper arm")), 0.046)


def forearm() -> Shapes:
    """Origin at the elbow."""
    return (
        _between((0, 0, -0.01), (0, 0, -0.12), 0.04),
        _between((0, 0, -0.12), (0, 0, 0.01 - length("forearm")), 0.031),
    )


def hand(y: float, z: float = 0.0) -> Shapes:
    """Palm, fingers, and a thumb that points forward, below a wrist at height z; y is +1 on the left, -1 right."""
    return (
        Box((0.038, 0.014, 0.05), pose=Pose((0, 0, z - 0.05))),
        Box((0.034, 0.011, 0.042), pose=Pose((0, 0, z - 0.14))),
        _between((0.035, -0.012 * y, z - 0.03), (0.058, -0.016 * y, z - 0.085), 0.012),
    )


def thigh() -> Shapes:
    """Origin at the hip."""
    return (
        _between((0, 0, -0.02), (0, 0, -0.2), 0.073),
        _between((0, 0, -0.18), (0, 0, -length("thigh")), 0.059),
    )


def shin() -> Shapes:
    """Calf and shin; origin at the knee."""
    return (
        _between((-0.01, 0, -0.03), (-0.008, 0, -0.19), 0.049),
        _between((0, 0, -0.1), (0, 0, 0.01 - length("shin")), 0.039),
    )


def foot() -> Shapes:
    """Sole and instep; origin at the ankle."""
    half = length("foot") / 2
    return (
        Box((half, 0.045, 0.018), pose=Pose((HEEL + half, 0, 0.018 - ANKLE))),
        _between((-0.01, 0, -0.005), (0.085, 0, 0.053 - ANKLE), 0.03),
    )
