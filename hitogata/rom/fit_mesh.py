"""The mesh of `MeshTwist`: a hexagonal grid over a cloud of directions, and where directions lie in it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from hitogata.rom.fit_twist import steps_along
from hitogata.rom.frames import Array
from hitogata.rom.meshtwist import barycentric_rows, disc_of_directions

FAR = 1.35
"""Half angle from the bone [rad] beyond which `spread` goes on straight: sin has no slope at π/2."""

NEAR = 12
"""Triangles that are compared where none holds a direction."""


class Mesh(NamedTuple):
    """Triangles in the disc of a bone.

    Attributes:
        bone: at rest, shape (3,).
        vertices: shape (n, 2).
        triangles: shape (m, 3), int.
        even: whether the triangles are even in angle (see `spread`), not in the disc.
    """

    bone: Array
    vertices: Array
    triangles: Any
    even: bool = False

    @property
    def edges(self) -> Any:
        """Pairs of neighbours, shape (e, 2), int."""
        t = np.sort(self.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), 1)
        return np.unique(t, axis=0)

    @property
    def steps(self) -> sparse.csr_matrix:
        """Sparse (e, n): differences of values along the edges."""
        return steps_along(self.edges, len(self.vertices))

    @property
    def hinges(self) -> sparse.csr_matrix:
        """Sparse (e, n): how far values bend over each edge between two triangles.

        The sum at the far corners less that at the edge's ends: 0 where a hexagonal grid's values are linear.
        """
        t = self.triangles
        edges = np.sort(t[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), 1)
        far = t[:, [2, 0, 1]].reshape(-1)
        order = np.lexsort(edges.T)
        edges, far = edges[order], far[order]
        first = np.flatnonzero((edges[1:] == edges[:-1]).all(1))
        corners = np.concatenate([edges[first], far[first, None], far[first + 1, None]], 1)
        signs = np.tile([-1.0, -1.0, 1.0, 1.0], len(first))
        rows = np.repeat(np.arange(len(first)), 4)
        return sparse.csr_matrix((signs, (rows, corners.ravel())), (len(first), len(self.vertices)))

    def weights(self, p: Array) -> sparse.csr_matrix:
        """Sparse (k, n) weights that interpolate vertex values to directions p (k, 3).

        As the kernel does; but where no triangle holds a direction, it is only the `NEAR` nearest ones of which the
        one that misses it least is taken.
        """
        a = disc_of_directions(p, self.bone)
        affine = np.concatenate([np.ones((len(a), 1)), a], 1)
        rows = barycentric_rows(self.vertices, self.triangles)
        flat, corners = (spread(a), spread(self.vertices)) if self.even else (a, self.vertices)
        centres = cKDTree(corners[self.triangles].mean(1))
        which = centres.query(flat)[1]  # triangles of a hexagonal grid are the Voronoi cells of their centres
        shares = np.einsum("kc,kcj->kj", affine, rows[which])
        off = np.flatnonzero(shares.min(1) < -1e-9)
        near = centres.query(flat[off], np.arange(1, min(NEAR, len(rows)) + 1))[1]
        among = np.einsum("kc,kmcj->kmj", affine[off], rows[near])
        best = among.min(2).argmax(1)
        rest = np.arange(len(off))
        which[off], shares[off] = near[rest, best], among[rest, best]
        return sparse.csr_matrix(
            (shares.ravel(), self.triangles[which].ravel(), np.arange(len(a) + 1) * 3), (len(a), len(self.vertices))
        )


def spread(a: Array) -> Array:
    """Points of the disc (n, 2) moved from sin(γ/2) to γ/2 away from its middle, γ the angle from the bone.

    The disc squeezes what lies behind: its outer tenth holds the last 52° of 180°.
    """
    r = np.linalg.norm(a, axis=1, keepdims=True)
    far = FAR + (r - np.sin(FAR)) / np.cos(FAR)
    return a * np.where(r <= np.sin(FAR), np.arcsin(np.minimum(r, np.sin(FAR))), far) / np.maximum(r, 1e-12)


def squeezed(a: Array) -> Array:
    """The inverse of `spread`."""
    r = np.linalg.norm(a, axis=1, keepdims=True)
    far = np.sin(FAR) + np.cos(FAR) * (r - FAR)
    return a * np.where(r <= FAR, np.sin(np.minimum(r, FAR)), far) / np.maximum(r, 1e-12)


def hexagonal_mesh(p: Array, bone: Array, spacing: float, *, even: bool = False) -> Mesh:
    """The triangles of a hexagonal grid that hold any of the directions p (k, 3).

    Args:
        p: directions that must be covered, dense beside the spacing.
        bone: at rest, shape (3,).
        spacing: side of the triangles in the disc (a direction at the angle γ from the bone lies at sin(γ/2)).
        even: the grid is hexagonal in γ/2 instead.
    """
    a = disc_of_directions(p, bone)
    a = (spread(a) if even else a) / spacing
    v = a[:, 1] / (np.sqrt(3.0) / 2.0)
    u = a[:, 0] - v / 2.0
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    upper = (u - i) + (v - j) > 1.0
    cells = np.unique(np.stack([i, j, upper], 1), axis=0)
    corners = (
        np.where(cells[:, 2:, None] == 1, [[[1, 0], [1, 1], [0, 1]]], [[[0, 0], [1, 0], [0, 1]]]) + cells[:, None, :2]
    )
    nodes, flat = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    vertices = np.stack([nodes[:, 0] + nodes[:, 1] / 2.0, nodes[:, 1] * (np.sqrt(3.0) / 2.0)], 1) * spacing
    return Mesh(np.asarray(bone, np.float64), squeezed(vertices) if even else vertices, flat.reshape(-1, 3), even)
