"""The mesh of `MeshTwist`: a hexagonal grid over a cloud of directions, and where directions lie in it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hitogata.rom.frames import Array
from hitogata.rom.meshtwist import barycentric_rows, disc_of_directions


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

    def weights(self, p: Array) -> sparse.csr_matrix:
        """Sparse (k, n) weights that interpolate vertex values to directions p (k, 3), as the kernel does."""
        a = disc_of_directions(p, self.bone)
        affine = np.concatenate([np.ones((len(a), 1)), a], 1)
        rows = barycentric_rows(self.vertices, self.triangles)
        best = np.full(len(a), -np.inf)
        which = np.zeros(len(a), int)
        for m, inverse in enumerate(rows):
            least = (affine @ inverse).min(1)
            more = least > best
            best[more], which[more] = least[more], m
        shares = np.einsum("kc,kcj->kj", affine, rows[which])
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
