"""Twist limits at the vertices of a mesh that lies over any region.

For ranges whose twist bends inside, as measured ones do.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, numbers
from hitogata.rom.region import Region
from hitogata.rom.twist import Kind, _Listed


def disc_axes(bone: Any) -> Array:
    """Two unit vectors across the bone.

    Shape (2, 3): the axes of its sin(γ/2) disc.  The bone's own plane, x → y → z → x.
    """
    e = np.asarray(bone, np.float64)
    first = np.eye(3)[(int(np.argmax(np.abs(e))) + 1) % 3]
    first = first - e * (e @ first)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(e, first)])


def disc_of_directions(p: Array, bone: Any) -> Array:
    """Points (n, 2) of the sin(γ/2) disc about the bone, of directions (n, 3); γ is the angle from the bone."""
    e = np.asarray(bone, np.float64)
    size = np.sqrt(np.maximum(2.0 * (1.0 + p @ e), 1e-20))
    return (p @ disc_axes(e).T) / size[:, None]


def directions_of_disc(a: Array, bone: Any) -> Array:
    """Directions (n, 3) of points (n, 2) of the disc."""
    k = np.minimum((a * a).sum(-1, keepdims=True), 1.0)
    return np.asarray(bone, np.float64) * (1.0 - 2.0 * k) + (a @ disc_axes(bone)) * (2.0 * np.sqrt(1.0 - k))


@dataclass(frozen=True)
class MeshTwist(_Listed):
    """Limits at the vertices of triangles in the sin(γ/2) disc of the bone, linear over each triangle (after Yamane and
    Nakamura, in Hanaoka 2010, 1.4).

    The region may be of any kind; the triangles should cover it.  A direction that none holds takes the triangle that
    misses it least.  The disc's axes are
    those of `disc_axes`: for a bone along z they are x and y.  Made by `fit_range`: limits on the boundary alone cannot
    bend inside.

    Attributes:
        low, high: at each vertex [rad], shape (n,).
        vertices: points of the disc, shape (n, 2); the disc has radius 1, vertices may lie outside it.
        triangles: numbers of corners, shape (m, 3), either way round.
        gap_middle, gap_half: middle and half width of a gap between the limits, where the twist may not be, at each
            vertex [rad], shape (n,); negative half widths: no gap there.  Empty: none at all.  See `gaps`.
    """

    vertices: Any = ()
    triangles: Any = ()
    gap_middle: Any = ()
    gap_half: Any = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            vertices = tuple(numbers(v, f"MeshTwist vertex {k}") for k, v in enumerate(self.vertices))
            triangles = tuple(tuple(int(i) for i in t) for t in self.triangles)
        except TypeError:
            raise RangeError("MeshTwist: vertices (n, 2) and triangles (m, 3) expected") from None
        if len(vertices) != len(self.low) or any(len(v) != 2 for v in vertices):
            raise RangeError(f"MeshTwist: {len(self.low)} limits need as many vertices (a, b), got {len(vertices)}")
        if not triangles:
            raise RangeError("MeshTwist: no triangles")
        for k, t in enumerate(triangles):
            if len(t) != 3 or min(t) < 0 or max(t) >= len(vertices):
                raise RangeError(f"MeshTwist: triangle {k} is {t}; three vertices 0 to {len(vertices) - 1} expected")
            (a, b), (c, d), (e, f) = (vertices[i] for i in t)
            if abs((c - a) * (f - b) - (d - b) * (e - a)) < 1e-12:
                raise RangeError(f"MeshTwist: triangle {k} with vertices {t} has no area")
        for name in ("gap_middle", "gap_half"):
            object.__setattr__(self, name, numbers(getattr(self, name), f"MeshTwist {name}"))
        if (counts := (len(self.gap_middle), len(self.gap_half))) not in ((0, 0), (len(vertices),) * 2):
            raise RangeError(f"MeshTwist: {len(vertices)} vertices need as many gap_middle and gap_half, or none of "
                             f"both; got {counts[0]} and {counts[1]}")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)

    def table(self, region: Region, bone: Array) -> tuple[int, dict[str, Any], Array]:
        """See `Twist`."""
        inverse = barycentric_rows(np.array(self.vertices), np.array(self.triangles))
        values = [self.low, self.high] + ([self.gap_middle, self.gap_half] if self.gap_half else [])
        slopes = [np.einsum("mck,mk->mc", inverse, np.array(x)[np.array(self.triangles)]) for x in values]
        rows = np.concatenate([inverse.transpose(0, 2, 1).reshape(-1, 9), *slopes], 1)
        return Kind.GAPS if self.gap_half else Kind.PRISMS, {"across": disc_axes(bone)}, rows


def barycentric_rows(vertices: Array, triangles: Array) -> Array:
    """(m, 3, 3): coordinate k of (a, b) in triangle m is (1, a, b) · [m, :, k]."""
    corners = vertices[triangles]
    return np.linalg.inv(np.concatenate([np.ones((len(triangles), 3, 1)), corners], 2))
