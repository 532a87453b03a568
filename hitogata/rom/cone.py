"""The circular cone (Tokizaki, in Hanaoka 2010, 1.4)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, numbers, unit_rows
from hitogata.rom.outline import Arc, Outline
from hitogata.rom.region import Region
from hitogata.spatial import quat_rotate


@dataclass(frozen=True)
class ConeRegion(Region):
    """All directions within `half_angle` of an axis; beyond 90 degrees all but a cone about the opposite axis.

    Knots: four points a quarter turn apart, counter-clockwise, the first towards the coordinate axis farthest from
    the cone's.

    Attributes:
        axis: unit vector in the region's frame, shape (3,); also the bone at rest.
        half_angle: 1e-6 to π − 1e-6 [rad].
    """

    axis: Any
    half_angle: float

    def __post_init__(self) -> None:
        super().__post_init__()
        axis, _ = unit_rows(self.axis, 3, "ConeRegion axis")
        half, = numbers((self.half_angle,), "ConeRegion half_angle")
        if not 1e-6 <= half <= np.pi - 1e-6:
            raise RangeError(f"ConeRegion half_angle = {half}: 1e-6 to π − 1e-6 expected")
        object.__setattr__(self, "axis", tuple(axis[0].tolist()))
        object.__setattr__(self, "half_angle", half)

    def _outline(self) -> Outline:
        axis = np.array(self.axis)
        x = np.eye(3)[np.argmin(np.abs(axis))]
        x = x - axis * (axis @ x)
        x /= np.linalg.norm(x)
        y = np.cross(axis, x)
        c, s = np.cos(self.half_angle), np.sin(self.half_angle)
        return Outline(4, tuple(Arc(axis, axis * c + v * s, np.pi / 2.0) for v in (x, y, -x, -y)))

    @property
    def bone(self) -> Array:
        """The cone's axis, parent frame, shape (3,)."""
        return quat_rotate(np.array(self.quat_PR), np.array(self.axis))
