"""What tasks of figures have in common: targets turned by actions, and what a body knows of itself."""

from typing import Any

import numpy as np

from hitogata.dynamics import difference, integrate
from hitogata.figure import Figure, Trajectory
from hitogata.learn.task import Array

FREE = 6
"""Velocities of the root."""


def turned_targets(figure: Figure, pose: Array, actions: Array, turn: float, threads: int | None) -> Array:
    """A pose, (nq,) or (n, nq), with all joints turned away by `turn` times the actions, (n, nv - 6)."""
    change = np.zeros((len(actions), figure.nv))
    change[:, FREE:] = turn * actions
    return integrate(figure, pose, change, threads=threads)


def own_state(figure: Figure, body: Any, pose: Array, threads: int | None) -> tuple[Array, ...]:
    """Joints away from a pose, velocities, height of the root, the world's up and forward in its axes."""
    q, v = np.array(body.q, np.float64), np.array(body.v, np.float64)
    place = figure.normalised(q)  # float32 is not exact enough to pass for unit
    joints = difference(figure, pose, place, threads=threads)[:, FREE:]
    w, x, y, z = place[:, 3:7].T
    up = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    forward = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1)
    return joints, v, place[:, 2:3], up, forward


def sampled(figure: Figure, motion: Trajectory, times: Array) -> tuple[Array, Array]:
    """Coordinates and velocities of a motion at some times, between its samples along the shortest way."""
    k = np.clip(np.searchsorted(motion.time, times, side="right") - 1, 0, max(len(motion.time) - 2, 0))
    after = np.minimum(k + 1, len(motion.time) - 1)
    span = np.maximum(motion.time[after] - motion.time[k], 1e-12)
    share = np.clip((times - motion.time[k]) / span, 0.0, 1.0)[:, None]
    q, v = np.ascontiguousarray(motion.q), motion.v
    way = difference(figure, q[k], q[after])
    return integrate(figure, q[k], share * way), v[k] + share * (v[after] - v[k])
