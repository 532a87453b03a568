"""Targets and feedback refined by differential dynamic programming on sampled runs.

About a run that exists, deviations s of the state and u of the offsets are drawn at random, and what comes of them is
fitted by straight lines, which smooths the jumps that contacts make:

    s⁺ = A s + B u          ρ = ρ₀ + C s + D u          cost Σ |ρ|²

Backwards from the end, the best u = k + K s of every window (Mayne 1966, with Gauss & Newton's Hessian); then runs with
α k + K s for some α, of which the best becomes the next to start from.  K is the feedback that later holds the figure on
its way: it acts once in every window.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import difference
from hitogata.dynamics.calling import Array
from hitogata.loops.adapting.plan import Task, costs

PACES = (1.0, 0.7, 0.5, 0.35, 0.2, 0.1, 0.05, 0.0)
"""Shares of k that are tried."""

RIDGE = 1e-3
"""Of the fits, in standard deviations."""


@dataclass(frozen=True, eq=False)
class Path:
    """A run along all windows.

    Attributes:
        offsets: of the led motions at the ends of windows [rad], shape (nwindows, nled).
        rows: where windows begin, and the end: rows of `Ends`, shape (nwindows + 1, ...).
        cost: Σ |ρ|².
        parts: cost of each window, shape (nwindows,).
        gains: K of each window, shape (nwindows, nled, 2 nv + nled); of none, zeros.
    """

    offsets: Array
    rows: Array
    cost: float
    parts: Array
    gains: Array


def deviation(task: Task, rows: Array, last: Array, centre: Array, centre_last: Array) -> Array:
    """s: coordinates, velocities and last offsets against those of a state, shape (n, 2 nv + nled)."""
    nq, nv = task.trials.figure.nq, task.trials.figure.nv
    way = difference(task.trials.figure, np.broadcast_to(centre[:nq], (len(rows), nq)), rows[:, :nq])
    return np.concatenate([way, rows[:, nq : nq + nv] - centre[nq : nq + nv], last - centre_last], axis=1)


def follow(task: Task, path: Path, feed: Array, paces: Array, most: float) -> list[Path]:
    """Runs with α k + K s, one for each pace α, along all windows.

    Args:
        task: the motion and the figure.
        path: the run from which deviations are measured, with gains.
        feed: k of each window, shape (nwindows, nled).
        paces: α, shape (n,).
        most: of k and K s together [rad].
    """
    n, windows = len(paces), len(path.offsets)
    rows, last = np.repeat(path.rows[:1], n, axis=0), np.zeros((n, path.offsets.shape[1]))
    ways, steps, parts = [rows], [], []
    for w in range(windows):
        before = path.offsets[w - 1] if w else np.zeros(path.offsets.shape[1])
        s = deviation(task, rows, last, path.rows[w], before)
        change = np.clip(paces[:, None] * feed[w] + s @ path.gains[w].T, -most, most)
        offsets = path.offsets[w] + change
        ends, residuals = task.run(w, rows, np.arange(n), last, offsets)
        rows, last = ends.rows, offsets
        ways.append(rows)
        steps.append(offsets)
        parts.append(costs(ends, residuals))
    found = []
    for k in range(n):
        cost = np.array([p[k] for p in parts])
        own = np.array([o[k] for o in steps])
        found.append(Path(own, np.array([r[k] for r in ways]), float(cost.sum()), cost, path.gains))
    return found


def first_path(task: Task, offsets: Array) -> Path:
    """The run with given offsets, without feedback."""
    nled, nv = offsets.shape[1], task.trials.figure.nv
    empty = Path(offsets, task.trials.start(task.start), 0.0, np.zeros(0), np.zeros((len(offsets), nled, 2 * nv + nled)))
    rows, last, ways, parts = empty.rows, np.zeros((1, nled)), [empty.rows[0]], []
    for w in range(len(offsets)):
        ends, residuals = task.run(w, rows, np.zeros(1), last, offsets[w : w + 1])
        rows, last = ends.rows, offsets[w : w + 1]
        ways.append(rows[0])
        parts.append(float(costs(ends, residuals)[0]))
    return Path(offsets, np.array(ways), sum(parts), np.array(parts), empty.gains)


def linearise(
    task: Task, path: Path, samples: int, spread: Array, kick: float, rng: np.random.Generator
) -> list[tuple[Array, Array, Array]]:
    """(A B), ρ₀ and (C D) of every window, fitted to runs near the path.

    Where runs of a window begin, some of those of the last one ended: states as contacts leave them.

    Args:
        task: the motion and the figure.
        path: the run.
        samples: runs of each window.
        spread: standard deviation of the offsets [rad], shape (nled,).
        kick: standard deviation of the root's speeds, added where runs begin [m/s, rad/s].
        rng: of the samples.
    """
    nq, nled = task.trials.figure.nq, path.offsets.shape[1]
    near, near_last, models = path.rows[:1], np.zeros((1, nled)), []
    for w in range(len(path.offsets)):
        before = path.offsets[w - 1] if w else np.zeros(nled)
        parents = np.arange(samples) % len(near)
        starts, last = near[parents].copy(), near_last[parents].copy()
        starts[:, nq : nq + 6] += kick * rng.standard_normal((samples, 6)) * (rng.random((samples, 1)) < 0.5)
        s = deviation(task, starts, last, path.rows[w], before)
        u = spread * rng.standard_normal((samples, nled))
        starts[0], last[0], s[0], u[0] = path.rows[w], before, 0.0, 0.0
        offsets = path.offsets[w] + u + s @ path.gains[w].T
        ends, residuals = task.run(w, starts, np.arange(samples), last, offsets)
        after = deviation(task, ends.rows, offsets, path.rows[w + 1], path.offsets[w])
        far = np.linalg.norm(residuals - residuals[0], axis=1) + 1e9 * ~ends.finite
        good = np.argsort(far, kind="stable")[: (3 * samples) // 4]  # falls and stumbles say nothing about small changes
        given = np.concatenate([s, offsets - path.offsets[w]], axis=1)[good]
        models.append((fit(given, after[good, :-nled]), residuals[0], fit(given, residuals[good] - residuals[0])))
        close = good[: samples // 2]
        near, near_last = ends.rows[close], offsets[close]
    return models


def fit(given: Array, found: Array) -> Array:
    """Matrix with found = matrix given, by least squares with a ridge, shape (nfound, ngiven)."""
    size = np.sqrt((given**2).mean(axis=0)) + 1e-9
    z = given / size
    matrix = z.T @ z + RIDGE * len(z) * np.eye(z.shape[1])
    result: Array = np.linalg.solve(matrix, z.T @ found).T / size
    return result


def backward(models: list[tuple[Array, Array, Array]], nled: int, caution: float) -> tuple[Array, Array]:
    """k and K of every window.

    Args:
        models: from `linearise`.
        nled: number of led motions.
        caution: added to the Hessian of the offsets.
    """
    ns = models[0][0].shape[1] - nled
    value, slope = np.zeros((ns, ns)), np.zeros(ns)
    feeds, gains = [], []
    for step, rest, cost in reversed(models):
        move = np.zeros((ns, ns + nled))  # of s⁺: state, then the offsets themselves
        move[: ns - nled] = step
        move[ns - nled :, ns:] = np.eye(nled)
        hessian = cost.T @ cost + move.T @ value @ move
        gradient = cost.T @ rest + move.T @ slope
        h_uu = hessian[ns:, ns:] + caution * np.eye(nled)
        solved = -np.linalg.solve(h_uu, np.concatenate([gradient[ns:, None], hessian[ns:, :ns]], axis=1))
        k, gain = solved[:, 0], solved[:, 1:]
        value = hessian[:ns, :ns] + gain.T @ hessian[ns:, :ns]
        value = 0.5 * (value + value.T)
        slope = gradient[:ns] + gain.T @ gradient[ns:]
        feeds.append(k)
        gains.append(gain)
    return np.array(feeds[::-1]), np.array(gains[::-1])
