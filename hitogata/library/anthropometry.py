"""Segments of an average young man, for figures with human proportions.

Masses, centres and radii of gyration: de Leva 1996, J. Biomechanics 29:1223, Table 4 (men: 1.741 m, 73.0 kg).  His
lengths, measured along segments, add up to more than the stature; here they are scaled so that a standing figure is
as tall as his men.  The ankle's height is 0.039 of the stature (Drillis and Contini 1966, in Winter 2009, Fig. 4.1).
"""

from typing import NamedTuple

import numpy as np

from hitogata.figure import MassProperties
from hitogata.figure.values import Vector

STATURE = 1.741
"""Height [m]."""
MASS = 73.0
"""Whole body [kg]."""
ANKLE = 0.039 * STATURE
"""Height of the ankles above the soles [m]."""


class Segment(NamedTuple):
    """A row of the table."""

    length: float  # [m], as in the table
    mass: float  # share of the body's mass
    centre: float  # of mass, from the first end, share of the length
    radii: Vector  # of gyration about the forward, sideways and long axis, share of the length


TABLE = {
    "head and neck": Segment(0.2429, 0.0694, 0.5002, (0.303, 0.315, 0.261)),  # vertex to 7th neck vertebra
    "upper trunk": Segment(0.2421, 0.1596, 0.5066, (0.505, 0.320, 0.465)),  # that vertebra to the breastbone's end
    "middle trunk": Segment(0.2155, 0.1633, 0.4502, (0.482, 0.383, 0.468)),  # to the navel
    "lower trunk": Segment(0.1457, 0.1117, 0.6115, (0.615, 0.551, 0.587)),  # to the middle of the hip joints
    "upper arm": Segment(0.2817, 0.0271, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": Segment(0.2689, 0.0162, 0.4574, (0.276, 0.265, 0.121)),
    "hand": Segment(0.0862, 0.0061, 0.7900, (0.628, 0.513, 0.401)),  # wrist to knuckle of the middle finger
    "thigh": Segment(0.4222, 0.1416, 0.4095, (0.329, 0.329, 0.149)),
    "shin": Segment(0.4340, 0.0433, 0.4459, (0.255, 0.249, 0.103)),  # knee to outer ankle
    "foot": Segment(0.2581, 0.0137, 0.4415, (0.257, 0.245, 0.124)),  # heel to tip of the toes
}

_STACK = ("shin", "thigh", "lower trunk", "middle trunk", "upper trunk", "head and neck")
SCALE = (STATURE - ANKLE) / sum(TABLE[name].length for name in _STACK)
"""Lengths here are those of the table times this, 0.983."""


def length(name: str) -> float:
    """Length of a segment [m], scaled to the stature."""
    return SCALE * TABLE[name].length


def body(name: str, start: Vector, direction: Vector) -> MassProperties:
    """Mass properties of a segment whose first end is at `start` [m] and which runs along `direction`, a unit vector.

    Link frames have x forward, y left, z up; the long axis is z, but x for a segment that runs along x (a foot): its
    radii are then about x (long), y (sideways) and z.
    """
    row, size = TABLE[name], length(name)
    centre = np.array(start) + row.centre * size * np.array(direction)
    first, second, long = row.radii
    radii = (long, second, first) if abs(direction[0]) > 0.5 else (first, second, long)
    mass = row.mass * MASS
    return MassProperties.principal(mass, centre, [mass * (r * size) ** 2 for r in radii])


def without(whole: MassProperties, part: MassProperties) -> MassProperties:
    """What is left of a body when a part is cut off, both in the same frame."""
    mass = whole.mass - part.mass
    centre = (whole.mass * np.array(whole.centre) - part.mass * np.array(part.centre)) / mass
    inertia = np.zeros((3, 3))
    for sign, m in ((1, whole), (-1, part)):
        d = np.array(m.centre) - centre
        inertia += sign * (m.matrix + m.mass * (d @ d * np.eye(3) - np.outer(d, d)))
    return MassProperties.from_matrix(mass, centre, inertia)
