"""The mesh of `MeshTwist`: a hexagonal grid over a cloud of directions, and where directions lie in it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from hitogata.rom.fit_twist import steps_along
from hitogata.rom.frames import Array
from hitogata.rom.meshtwist import barycentric_rows, disc_of_directions

NEAR = 12
"""Triangles that are compared where none holds a direction."""


class Mesh(NamedTuple):
    """Triangles in the disc of a bone.

    Attributes:
        bone: at rest, shape (3,).
        vertices: shape (n, 2).
        triangles: shape (m, 3), int.
    """

    bone: Array
    vertices: Array
    triangles: Any

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
        centres = cKDTree(self.vertices[self.triangles].mean(1))
        which = centres.query(a)[1]  # triangles of a hexagonal grid are the Voronoi cells of their centres
        shares = np.einsum("kc,kcj->kj", affine, rows[which])
        off = np.flatnonzero(shares.min(1) < -1e-9)
        near = centres.query(a[off], np.arange(1, min(NEAR, len(rows)) + 1))[1]
        among = np.einsum("kc,kmcj->kmj", affine[off], rows[near])
        best = among.min(2).argmax(1)
        rest = np.arange(len(off))
        which[off], shares[off] = near[rest, best], among[rest, best]
        corners = self.triangles[which]
        return sparse.csr_matrix(
            (shares.ravel(), corners.ravel(), np.arange(len(a) + 1) * 3), (len(a), len(self.vertices))
        )


def hexagonal_mesh(p: Array, bone: Array, spacing: float) -> Mesh:
    """The triangles of a hexagonal grid that hold any of the directions p (k, 3).

    Args:
        p: directions that must be covered, dense beside the spacing.
        bone: at rest, shape (3,).
        spacing: side of the triangles in the disc (a direction at the angle γ from the bone lies at sin(γ/2)).
    """
    a = disc_of_directions(p, bone) / spacing
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
    return Mesh(np.asarray(bone, np.float64), vertices, flat.reshape(-1, 3))
