"""How near two poses are, wherever on the ground they stand.

The distance of two poses is that of all their mass, and of its velocities over a short time τ:

    D² = 1/m ∫ |x_a - G x_b|² + τ² |x'_a - G x'_b|² dm,

with the turn about the vertical and the shift G that make it least (Kovar, Gleicher & Pighin 2002, eq. 1-4, for points
of a mesh; here it is the mass, so that no choice of points or weights is left).  A rigid link is four points with the
same mass, centre and inertia.  With horizontal places as complex numbers z about their mean, the best angle is that of
C = Σ w (z_a z̄_b + τ² z'_a z̄'_b), and D² = Σ_a + Σ_b - 2|C|, plus the heights' part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics, link_velocities
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.motion.inputs import has_free_root
from hitogata.motion.root_placement import GroundMove
from hitogata.motion.sampling import sample

TAU = 0.1
"""Time over which velocities count [s]."""

_CORNERS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])  # of a tetrahedron: mean 0, mean square 1


@dataclass(frozen=True, eq=False)
class Cloud:
    """A figure's mass over time, as points.

    Attributes:
        places: [m], shape (nt, n, 3).
        rates: velocities times τ [m], shape (nt, n, 3).
        weights: shares of the mass, shape (n,), their sum is 1.
        free: whether the figure may be moved on the ground.
    """

    places: FloatArray
    rates: FloatArray
    weights: FloatArray
    free: bool


def cloud_of(figure: Figure, trajectory: Trajectory) -> Cloud:
    """The mass of a figure over a motion of two samples or more; velocities follow from the coordinates."""
    return _cloud(figure, trajectory.q, velocities_of(figure, trajectory.time, trajectory.q))


def cloud_at(figure: Figure, trajectory: Trajectory, times: ArrayLike) -> Cloud:
    """The mass of a figure at some moments of a motion, as `sample` has it."""
    found = sample(figure, trajectory, times)
    return _cloud(figure, found.q, found.v)


def _cloud(figure: Figure, q: FloatArray, v: FloatArray) -> Cloud:
    points, weights = [], []
    for link in figure.links:
        spread, axes = np.linalg.eigh(np.trace(link.mass.matrix) / 2 * np.eye(3) - link.mass.matrix)
        root = axes * np.sqrt(np.maximum(spread, 0.0) / link.mass.mass)
        points.append(np.array(link.mass.centre) + _CORNERS @ root.T)
        weights += [link.mass.mass / figure.mass / 4] * 4
    poses, speeds = forward_kinematics(figure, q), link_velocities(figure, q, v)
    arms = np.einsum("tlij,lkj->tlki", poses.rotation, np.array(points))
    places = poses.position[:, :, None] + arms
    rates = TAU * (speeds[:, :, None, 3:] + np.cross(speeds[:, :, None, :3], arms))
    flat = (len(q), -1, 3)
    return Cloud(places.reshape(flat), rates.reshape(flat), np.array(weights), has_free_root(figure))


def distances(a: Cloud, b: Cloud, rows_a: Any = slice(None), rows_b: Any = slice(None)) -> FloatArray:
    """Distance of some poses of a (all, or those at some indices) to some of b [m], shape (na, nb)."""
    turning, upright = [], []
    for cloud, rows in ((a, rows_a), (b, rows_b)):
        places, rates = cloud.places[rows], cloud.rates[rows]
        if cloud.free:
            mean = np.einsum("k,tki->ti", cloud.weights, places)
            places = places - mean[:, None] * [1.0, 1.0, 0.0]
        both = np.concatenate([places, rates], axis=1) * np.sqrt(np.tile(cloud.weights, 2))[:, None]
        turning.append(both[..., 0] + 1j * both[..., 1])
        upright.append(both[..., 2])
    together = turning[0] @ turning[1].conj().T
    same = (np.abs(together) if a.free else together.real) + upright[0] @ upright[1].T
    own = [(np.abs(z) ** 2).sum(axis=1) + (h**2).sum(axis=1) for z, h in zip(turning, upright, strict=True)]
    squares: FloatArray = own[0][:, None] + own[1] - 2 * same
    return np.sqrt(np.maximum(squares, 0.0))


def ground_between(a: Cloud, b: Cloud, pairs: Sequence[tuple[int, int]]) -> GroundMove:
    """What moves b on the ground so that its poses are nearest to those of a; `pairs` are samples (of a, of b)."""
    if not a.free:
        return GroundMove()
    rows = np.array(pairs)
    places, rates = [], []
    for cloud, row in ((a, rows[:, 0]), (b, rows[:, 1])):
        places.append(cloud.places[row][..., 0] + 1j * cloud.places[row][..., 1])
        rates.append(cloud.rates[row][..., 0] + 1j * cloud.rates[row][..., 1])
    means = [complex((z @ a.weights).mean()) for z in places]
    centred = [z - mean for z, mean in zip(places, means, strict=True)]
    together = sum(complex(((x[0] * x[1].conj()) @ a.weights).sum()) for x in (centred, rates))
    turn = together / abs(together) if abs(together) > 1e-12 else 1.0 + 0.0j
    shift = means[0] - turn * means[1]
    return GroundMove(float(np.angle(turn)), (shift.real, shift.imag, 0.0))
