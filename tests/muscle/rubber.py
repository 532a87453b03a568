"""An oracle for taut strings: a rubber band of many beads that relaxes outside a surface; no geodesics, no tangents."""

import numpy as np


def ellipsoid_outside(axes):
    """Push beads that are inside an ellipsoid to its nearest surface (Newton along the gradient)."""
    square = 1.0 / np.asarray(axes) ** 2

    def push(x):
        f = 0.5 * ((x * x * square).sum(-1) - 1.0)
        inside = f < 0
        for _ in range(4):
            f = 0.5 * ((x * x * square).sum(-1) - 1.0)
            g = x * square
            x = np.where(inside[..., None], x - g * (f / (g * g).sum(-1))[..., None], x)
        return x

    return push


def torus_outside(tube, ring):
    """Push beads that are inside a torus about z to its surface."""

    def push(x):
        rho = np.hypot(x[..., 0], x[..., 1])
        off, z = rho - ring, x[..., 2]
        far = np.hypot(off, z)
        scale = np.where(far < tube, tube / far, 1.0)
        new = ring + off * scale
        return np.stack([x[..., 0] * new / rho, x[..., 1] * new / rho, z * scale], -1)

    return push


def relaxed_length(a, b, push, starts, beads=(16, 32, 64, 128, 256)):
    """Length of the shortest of several bands from a to b, relaxed and extrapolated to endlessly many beads.

    Args:
        a, b: the ends.
        push: moves beads out of the surface.
        starts: (k, m, 3) places that each band begins with between its ends.
        beads: on each level; the last two are extrapolated (errors of chords fall with the square).
    """
    ends = lambda x: np.concatenate([np.broadcast_to(a, (len(x), 1, 3)), x, np.broadcast_to(b, (len(x), 1, 3))], 1)
    band, lengths = ends(np.asarray(starts, float)), []
    for n in beads:
        far = np.concatenate([np.zeros((len(band), 1)), np.linalg.norm(np.diff(band, axis=1), axis=2).cumsum(1)], 1)
        even = np.linspace(0, 1, n + 1)
        band = np.stack([
            np.stack([np.interp(even * row[-1], row, x[:, i]) for i in range(3)], 1)
            for row, x in zip(far, band, strict=True)
        ])  # fmt: skip
        omega = 2.0 / (1.0 + np.sin(np.pi / n))
        for _ in range(12 * n):
            for first in (1, 2):
                odd = band[:, first:-1:2]
                middle = 0.5 * (
                    band[:, first - 1 : -2 : 2][:, : odd.shape[1]] + band[:, first + 1 :: 2][:, : odd.shape[1]]
                )
                band[:, first:-1:2] = push(odd + omega * (middle - odd)) if n < 32 else push(odd + 1.5 * (middle - odd))
        lengths.append(np.linalg.norm(np.diff(band, axis=1), axis=2).sum(1).min())
    return (4 * lengths[-1] - lengths[-2]) / 3
