"""What ranges were before: intervals of Euler angles, and of the components of the bend's quaternion.

Both are compared with regions of the stereographic plane in Yamaguchi 2009 (figs. 3–7, 31, 32).  The bone at rest is x.

**Euler angles** are longitude and latitude: R = R_a(λ) R_b(φ) R_x(twist), with the axes a, b = y, z (`YZX`) or z, y
(`ZYX`).  Sides of the box are meridians and parallels, circles all of them, so the region is an exact chain of arcs;
but the poles φ = ±90° are singular, and a latitude beyond them means a place on the other side (`Beyond`).

**Components** are q_y and q_z of the bend, that is sin(γ/2) times the direction across (eq. 38): a disc of radius 1
whose rim is the direction opposite to the bone.  Its grid does not cross at right angles, the less the nearer the rim.

Beyond rest, the third Euler angle is not the twist about the bone: R_a(λ) R_b(φ) = swing · R_x(δ), with
tan(δ/2) = ± tan(λ/2) tan(φ/2); `EulerTwist` limits the third angle.
"""

import enum
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, interval
from hitogata.rom.outline import Arc, Outline
from hitogata.rom.region import Region
from hitogata.rom.twist import Kind, Twist
from hitogata.spatial import quat_rotate

QUARTER = np.pi / 2.0

SMALLEST = 1e-6
"""Sides of a box are at least so long [rad], [1]."""

POLE = 1e-9
"""A latitude that is so near to a pole is at the pole [rad]."""


class EulerOrder(enum.Enum):
    """Order of the rotations: of longitude, of latitude, about the bone."""

    YZX = "yzx"
    """R = Ry Rz Rx (Yamaguchi 2009, 1.2): y is longitude, z latitude."""
    ZYX = "zyx"
    """R = Rz Ry Rx: z is longitude, y latitude."""

    @property
    def axes(self) -> tuple[Array, Array]:
        """Axes a, b of longitude and latitude."""
        y, z = np.eye(3)[1:]
        return (y, z) if self is EulerOrder.YZX else (z, y)


class Beyond(enum.Enum):
    """What becomes of latitudes beyond a pole (Yamaguchi 2009, 1.3, says that all are awkward)."""

    STOP = "stop"
    """The region ends at the pole."""
    THROUGH = "through"
    """It goes on at the other side, as the angles do: two wedges that touch at the pole."""
    CAP = "cap"
    """It takes in the pole and all that is no farther beyond it."""


@dataclass(frozen=True)
class EulerRegion(Region):
    """A box of Euler angles.  Knots: the corners of the outline, counter-clockwise.

    Attributes:
        y, z: (min, max) of the rotations about y and z [rad]; longitudes span less than a turn.
        order: which of them is longitude.
        beyond: what latitudes beyond ±90° mean; only one of the two poles may be passed.
    """

    y: Any
    z: Any
    order: Any = EulerOrder.YZX
    beyond: Any = Beyond.STOP

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("y", "z"):
            low, high = interval(getattr(self, name), f"EulerRegion {name}")
            if high - low < SMALLEST:
                raise RangeError(f"EulerRegion {name} = ({low}, {high}): at least {SMALLEST} wide expected")
            object.__setattr__(self, name, (low, high))
        for name, kind in (("order", EulerOrder), ("beyond", Beyond)):
            object.__setattr__(self, name, chosen(kind, getattr(self, name), f"EulerRegion {name}"))
        (l0, l1), (f0, f1) = self.longitude, self.latitude
        if l1 - l0 > 2.0 * np.pi - SMALLEST:
            raise RangeError(f"EulerRegion: longitudes from {l0} to {l1} [rad] go round: less than a turn expected")
        if f0 < -QUARTER - POLE and f1 > QUARTER + POLE:
            raise RangeError(f"EulerRegion: latitudes from {f0} to {f1} [rad] pass both poles")
        farthest = max(f1, -f0)
        twice = l1 - l0 > np.pi - SMALLEST or farthest > 3.0 * QUARTER
        if self.beyond is Beyond.THROUGH and farthest > QUARTER + POLE and twice:
            raise RangeError(f"EulerRegion: beyond the pole, longitudes from {l0} to {l1} and latitudes from {f0} "
                             f"to {f1} [rad] cover directions twice")
        if self.beyond is Beyond.CAP and farthest > QUARTER + POLE and np.pi - farthest <= max(f0, -f1) + SMALLEST:
            raise RangeError(f"EulerRegion: latitudes from {f0} to {f1} [rad]: the cap beyond the pole is all there is")
        if min(f1, QUARTER) - max(f0, -QUARTER) < SMALLEST:
            raise RangeError(f"EulerRegion: latitudes from {f0} to {f1} [rad] lie beyond the pole")

    @property
    def longitude(self) -> tuple[float, float]:
        """(min, max) [rad]."""
        return self.y if self.order is EulerOrder.YZX else self.z

    @property
    def latitude(self) -> tuple[float, float]:
        """(min, max) [rad]."""
        return self.z if self.order is EulerOrder.YZX else self.y

    def direction(self, longitude: Any, latitude: Any) -> Array:
        """Where the bone points at these angles, in the region's own frame, shape (..., 3)."""
        return euler_direction(self.order, longitude, latitude)

    @property
    def passed(self) -> int:
        """1 or −1: the pole beyond which latitudes lie; 0: none."""
        return int(self.latitude[1] > QUARTER + POLE) - int(self.latitude[0] < -QUARTER - POLE)

    def _outline(self) -> Outline:
        sign, (l0, l1) = self.passed or 1, self.longitude
        f0, f1 = self.latitude if sign > 0 else (-self.latitude[1], -self.latitude[0])  # f1 is at the pole's side
        way = [(l0, f0), (l1, f0)] if f0 > -QUARTER + POLE else [(l0, -QUARTER)]
        if f1 < QUARTER - POLE:
            way += [(l1, f1), (l0, f1)]
        elif f1 <= QUARTER + POLE or self.beyond is Beyond.STOP:
            way += [(l1, QUARTER), (l0, QUARTER)]
        elif self.beyond is Beyond.CAP:
            way += [(l1, np.pi - f1), (l0 + 2.0 * np.pi, np.pi - f1)]
        else:
            far = np.pi - f1
            way += [(l1, QUARTER), (l0 + np.pi, QUARTER), (l0 + np.pi, far), (l1 + np.pi, far), (l1 + np.pi, QUARTER),
                    (l0 + 2.0 * np.pi, QUARTER)]
        way.append((l0 + 2.0 * np.pi * (way[-1][0] > l1 + np.pi), way[0][1]))
        a, b = self.order.axes
        # around the north pole counter-clockwise is eastwards if the axis of longitude points there
        if sign * (a @ np.cross(b, [1.0, 0.0, 0.0])) < 0.0:
            way.reverse()
        arcs = [self._arc(p, q, sign) for p, q in pairwise(way)]
        kept = tuple(arc for arc in arcs if arc is not None)
        return Outline(len(kept), kept)

    def _arc(self, p: tuple[float, float], q: tuple[float, float], sign: int) -> Arc | None:
        """The side of the box from p to q (longitude, latitude), if it is not at the pole."""
        a, b = self.order.axes
        start = self.direction(p[0], sign * p[1])
        east, north = q[0] - p[0], sign * (q[1] - p[1])
        if abs(east) > abs(north):
            return None if QUARTER - abs(p[1]) <= POLE else Arc(np.copysign(1.0, east) * a, start, abs(east))
        return Arc(np.copysign(1.0, north) * turned_about(a, p[0], b), start, abs(north))


@dataclass(frozen=True)
class QuaternionRegion(Region):
    """A box of the components q_y and q_z of the bend's quaternion (Yamaguchi 2009, 6.3).  Knots: the corners.

    A limit of the sum of their squares is a `ConeRegion`.

    Attributes:
        y, z: (min, max) of q_y and q_z; the corners must lie within the disc q_y² + q_z² < 1.
    """

    y: Any
    z: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("y", "z"):
            low, high = interval(getattr(self, name), f"QuaternionRegion {name}")
            if high - low < SMALLEST:
                raise RangeError(f"QuaternionRegion {name} = ({low}, {high}): at least {SMALLEST} wide expected")
            object.__setattr__(self, name, (low, high))
        y, z = max(map(abs, self.y)), max(map(abs, self.z))
        if y * y + z * z > 1.0 - SMALLEST:
            raise RangeError(f"QuaternionRegion: the corner |q_y| = {y}, |q_z| = {z} is no bend: y² + z² < 1 expected")

    def _outline(self) -> Outline:
        corners = np.array([(self.y[0], self.z[0]), (self.y[1], self.z[0]), (self.y[1], self.z[1]),
                            (self.y[0], self.z[1])])  # fmt: skip

        def curve(u: Array, k: Array) -> Array:
            k = np.mod(k, 4)[:, None]
            part = (u - np.floor(u.mean(1, keepdims=True)))[..., None]
            return bend_direction(corners[k] * (1.0 - part) + corners[(k + 1) % 4] * part)

        return Outline(4, curve=curve)


@dataclass(frozen=True)
class EulerTwist(Twist):
    """Limits of the third Euler angle, the turn about the bone before the other two.

    Limits of twist that this means go beyond all bounds at the poles of longitude and latitude: there the third angle
    and the longitude are one.

    Attributes:
        low, high: [rad].
        order: of the rotations.
    """

    low: float
    high: float
    order: Any = EulerOrder.YZX

    def __post_init__(self) -> None:
        low, high = interval((self.low, self.high), "EulerTwist (low, high)", may_be_empty=True)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "order", chosen(EulerOrder, self.order, "EulerTwist order"))

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """See `Twist`."""
        turn, (a, b), side = np.array(region.quat_PR), self.order.axes, np.zeros(3)
        if np.linalg.norm(quat_rotate(turn, np.array([1.0, 0.0, 0.0])) - bone) > 1e-9:
            raise RangeError(f"EulerTwist: the bone {bone.tolist()} must be the region's x axis")
        if isinstance(region, EulerRegion) and region.passed and region.beyond is Beyond.THROUGH:
            if region.order is not self.order:
                raise RangeError(f"EulerTwist of order {self.order.value}, but the region's is {region.order.value}")
            side = euler_direction(self.order, sum(region.longitude) / 2.0, 0.0)
        row = np.concatenate([quat_rotate(turn, v) for v in (a, np.cross(b, [1.0, 0.0, 0.0]), side)])
        return Kind.EULER, {"low": self.low, "high": self.high}, row[None]


def euler_direction(order: EulerOrder, longitude: Any, latitude: Any) -> Array:
    """R_a(longitude) R_b(latitude) x, shape (..., 3)."""
    longitude, latitude = np.broadcast_arrays(np.asarray(longitude, np.float64), np.asarray(latitude, np.float64))
    a, b = order.axes
    x = np.array([1.0, 0.0, 0.0])
    near = x * np.cos(longitude)[..., None] + np.cross(a, x) * np.sin(longitude)[..., None]
    direction: Array = near * np.cos(latitude)[..., None] + np.cross(b, x) * np.sin(latitude)[..., None]
    return direction


def euler_angles(order: EulerOrder, p: Array) -> tuple[Array, Array]:
    """Longitude (within ±π) and latitude (within ±π/2) of directions (..., 3); longitude 0 at the poles."""
    a, b = order.axes
    x = np.array([1.0, 0.0, 0.0])
    return np.arctan2(p @ np.cross(a, x), p @ x), np.arcsin(np.clip(p @ np.cross(b, x), -1.0, 1.0))


def bend_direction(components: Array) -> Array:
    """Where the bone points at (q_y, q_z) of the bend, shape (..., 3) (Yamaguchi 2009, eq. 40 with q_x = 0)."""
    y, z = components[..., 0], components[..., 1]
    w = np.sqrt(np.maximum(1.0 - y * y - z * z, 0.0))
    return np.stack([1.0 - 2.0 * (y * y + z * z), 2.0 * z * w, -2.0 * y * w], -1)


def bend_components(p: Array) -> Array:
    """(q_y, q_z) of the bend to directions p (..., 3) (eq. 41), shape (..., 2)."""
    w = np.sqrt(np.maximum(2.0 * (1.0 + p[..., 0]), 1e-300))
    return np.stack([-p[..., 2] / w, p[..., 1] / w], -1)


def turned_about(axis: Array, angle: float, v: Array) -> Array:
    """v turned about a unit axis at right angles to it."""
    turned: Array = v * np.cos(angle) + np.cross(axis, v) * np.sin(angle)
    return turned


def chosen(kind: type[enum.Enum], value: Any, what: str) -> Any:
    """A member of an enum, or its value as it stands in files."""
    try:
        return kind(value)
    except ValueError:
        raise RangeError(f"{what}: one of {', '.join(str(k.value) for k in kind)} expected, got {value!r}") from None


def clamp_angles(region: EulerRegion, p: Any) -> Array:
    """Longitude and latitude each brought to its limit: the correction that goes with Euler limits.

    Near the equator about the nearest point; near a pole a long way round.  `Region.nearest` is exact.

    Args:
        region: a box of Euler angles that passes no pole.
        p: unit vectors in the region's own frame, shape (3,) or (n, 3).

    Returns:
        Allowed directions, same shape.
    """
    if region.passed:
        raise RangeError("clamp_angles: latitudes beyond a pole have no such correction")
    longitude, latitude = euler_angles(region.order, np.asarray(p, np.float64))
    low, high = region.longitude
    turn = 2.0 * np.pi
    longitude = longitude - turn * np.round((longitude - (low + high) / 2.0) / turn)
    return euler_direction(region.order, np.clip(longitude, low, high), np.clip(latitude, *region.latitude))


def clamp_components(region: QuaternionRegion, p: Any) -> Array:
    """q_y and q_z each brought to its limit: the correction that goes with limits of components.

    Args:
        region: a box of components.
        p: unit vectors in the region's own frame, shape (3,) or (n, 3).

    Returns:
        Allowed directions, same shape.
    """
    components = bend_components(np.asarray(p, np.float64))
    return bend_direction(np.clip(components, (region.y[0], region.z[0]), (region.y[1], region.z[1])))


__all__ = ["Beyond", "EulerOrder", "EulerRegion", "EulerTwist", "QuaternionRegion", "clamp_angles", "clamp_components"]
