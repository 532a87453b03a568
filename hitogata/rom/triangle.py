"""Triangle sets in the disc of sin(γ/2) (Yamane and Nakamura, in Hanaoka 2010, 1.4).

The disc holds all directions: γ is the angle from the bone at rest, and a point of the disc lies at sin(γ/2) from its
middle, in the direction of the swing.  Triangles of the disc have edges that are no circles on the sphere.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.frames import Array, numbers
from hitogata.rom.outline import Outline
from hitogata.rom.region import Region
from hitogata.rom.simple import check_simple
from hitogata.spatial import quat_rotate


def from_disc(a: Array) -> Array:
    """Directions of points (..., 2) of the disc about +x; its axes point along +y and +z."""
    k = (a * a).sum(-1)
    f = 2.0 * np.sqrt(1.0 - k)
    return np.stack([1.0 - 2.0 * k, a[..., 0] * f, a[..., 1] * f], -1)


@dataclass(frozen=True)
class TriangleRegion(Region):
    """The union of triangles in the sin(γ/2) disc of a bone along +x.

    The triangles must share whole edges and have one closed outline.  Knots: the corners of the outline, from the one
    of least number.

    Attributes:
        vertices: points (a, b) of the disc, towards +y and +z, shape (n, 2), within the unit circle.
        triangles: numbers of corners, shape (m, 3), either way round.
    """

    vertices: Any
    triangles: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            vertices = tuple(numbers(v, f"TriangleRegion vertex {k}") for k, v in enumerate(self.vertices))
            triangles = tuple(tuple(int(i) for i in t) for t in self.triangles)
        except TypeError:
            raise RangeError("TriangleRegion: vertices (n, 2) and triangles (m, 3) expected") from None
        for k, v in enumerate(vertices):
            if len(v) != 2 or v[0] ** 2 + v[1] ** 2 >= 1.0:
                raise RangeError(f"TriangleRegion: vertex {k} is {v}; two numbers within the unit circle expected")
        turned = []
        for k, t in enumerate(triangles):
            if len(t) != 3 or min(t) < 0 or max(t) >= len(vertices):
                raise RangeError(f"TriangleRegion: triangle {k} is {t}; "
                                 f"three vertices 0 to {len(vertices) - 1} expected")
            (a, b), (c, d), (e, f) = (vertices[i] for i in t)
            area = (c - a) * (f - b) - (d - b) * (e - a)
            if abs(area) < 1e-12:
                raise RangeError(f"TriangleRegion: triangle {k} with vertices {t} has no area")
            turned.append(t if area > 0.0 else (t[0], t[2], t[1]))
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", tuple(turned))
        _ = self.loop
        check_simple(self.pieces)

    @cached_property
    def loop(self) -> tuple[int, ...]:
        """The outline's vertices in order."""
        edges: dict[tuple[int, int], int] = {}
        for k, t in enumerate(self.triangles):
            for i in range(3):
                edge = t[i], t[(i + 1) % 3]
                if edge in edges:
                    raise RangeError(f"TriangleRegion: triangles {edges[edge]} and {k} "
                                     f"lie on the same side of edge {edge}")
                edges[edge] = k
        rim = [e for e in edges if e[::-1] not in edges]
        after: dict[int, int] = {}
        for i, j in rim:
            if i in after:
                raise RangeError(f"TriangleRegion: the outline passes vertex {i} twice")
            after[i] = j
        if not after:
            raise RangeError("TriangleRegion: no triangles")
        first = min(after)
        loop = [first]
        while after[loop[-1]] != first:
            loop.append(after[loop[-1]])
        if len(loop) != len(rim):
            left = min(set(after) - set(loop))
            raise RangeError(f"TriangleRegion: more than one outline "
                             f"(one through vertex {first}, another through vertex {left})")
        return tuple(loop)

    @property
    def across(self) -> Array:
        """The disc's two axes, parent frame, shape (2, 3)."""
        return quat_rotate(np.array(self.quat_PR), np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))

    def _outline(self) -> Outline:
        corners = np.array([self.vertices[i] for i in self.loop])
        following = np.roll(corners, -1, 0)

        def curve(u: Array, k: Array) -> Array:
            f = (u - k[:, None])[..., None]
            return from_disc(corners[k][:, None] * (1.0 - f) + following[k][:, None] * f)
        return Outline(len(corners), curve=curve)
