"""Targets refined, and feedback found, by differential dynamic programming on sampled runs.

About a run that exists, deviations s of its balance and u of its offsets are drawn at random, and what comes of them is
fitted by straight lines, which smooths the jumps that contacts make:

    s⁺ = A s + B u          ρ = ρ₀ + C s + D u          cost Σ |ρ|²

Backwards from the end, the best u = k + K s of every window (Mayne 1966, with Gauss & Newton's Hessian).  Then runs
with α k + K s for some α, undisturbed and with pushes; the law with the least mean cost is kept.  K acts once in every
window.
(Feedback by regression on sampled runs, of few deviations that balance hangs on: Liu, van de Panne & Yin 2016.)
"""

from typing import NamedTuple

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.loops.adapting.plan import Path, Task

PACES = (0.5, 0.25, 0.1, 0.0)
"""Shares α of k that are tried."""

CAUTIONS = (4.0, 16.0)
"""What is added to the Hessian of the offsets, so that they stay where straight lines hold."""

DISCOUNT = 0.9
"""What the next window counts: straight lines do not hold for long."""

RIDGE = 1e-3
"""Of the fits, in standard deviations."""

SLIGHT = 1e-4
"""Size of every other push, as a share of the others'."""

CLOSE = 0.75
"""Share of the runs that are fitted, the nearest: falls and stumbles say nothing about small changes."""


class Law(NamedTuple):
    """Of the offsets: α k, shape (nwindows, nled), and K, shape (nwindows, nled, ndeviations + nled)."""

    feed: Array
    gains: Array


class Pushes(NamedTuple):
    """Speeds added to the root [rad/s, m/s], shape (n, 6), each at the beginning of a window, shape (n,)."""

    kicks: Array
    windows: Array


def draw_pushes(count: int, windows: int, kick: float, rng: np.random.Generator) -> Pushes:
    """Pushes at random, the first of them none; `kick`: standard deviation [m/s, rad/s].

    Every other push is slight, and at the beginning.  Contacts make much of little, rounding included: what another
    machine, which rounds otherwise, makes of the same walk is seen in these runs, and not in one without a push.
    """
    kicks = kick * rng.standard_normal((count, 6)) * [1, 1, 1, 1, 1, 0.25]
    when = rng.integers(0, windows, count)
    kicks[::2] *= SLIGHT
    when[::2] = 0
    kicks[0] = 0.0
    return Pushes(kicks, when)


def refine(
    task: Task, path: Path, samples: int, spread: float, kick: float, pushes: Pushes, most: float,
    rng: np.random.Generator,
) -> tuple[Path, Array]:  # fmt: skip
    """A better law about a run, and the run with it.

    Args:
        task: the motion and the figure.
        path: the run.
        samples: runs of each window for the fits.
        spread: standard deviation of their offsets [rad].
        kick: and of the root's speeds that are added where half of them begin [m/s, rad/s].
        pushes: under which laws are compared.
        most: change of an offset by the law [rad].
        rng: of the samples.

    Returns:
        The run without pushes, and mean cost of a window under each push, shape (npushes,).
    """
    models, laws = linearise(task, path, samples, spread, kick, rng), []
    for caution in CAUTIONS:
        feed, gains = backward(models, path.offsets.shape[1], caution)
        laws += [Law(pace * feed, gains) for pace in PACES]
    paths, found = follow(task, path, laws, pushes, most)
    best = int(np.argmin(found.mean(axis=1)))
    return paths[best], found[best]


def by_steadiness(task: Task, paths: list[Path], pushes: Pushes, most: float) -> list[tuple[Path, Array]]:
    """Runs with feedback, those that come through pushes best first.

    These should be others than those by which each was found: of many laws under a few pushes, the best is in part
    the luckiest.

    Returns:
        The runs, and mean cost of a window under each push, shape (npushes,).
    """
    found = []
    for path in paths:
        own = Law(np.zeros(path.offsets.shape), path.gains)
        found.append((path, follow(task, path, [own], pushes, most)[1][0]))
    return sorted(found, key=lambda pair: float(pair[1].mean()))


def follow(task: Task, path: Path, laws: list[Law], pushes: Pushes, most: float) -> tuple[list[Path], Array]:
    """Runs along all windows with each law and each push.

    Returns:
        The run of each law under the first push, and mean costs of a window, shape (nlaws, npushes).
    """
    count, nled, nq = len(pushes.windows), path.offsets.shape[1], task.trials.figure.nq
    rows = np.repeat(path.rows[:1], len(laws) * count, axis=0)
    last, before = np.zeros((len(rows), nled)), np.zeros(nled)
    ways, steps, parts = [rows[::count]], [], []
    for w in range(len(path.offsets)):
        hit = np.tile(pushes.windows == w, len(laws))
        rows = rows.copy()
        rows[hit, nq : nq + 6] += np.tile(pushes.kicks, (len(laws), 1))[hit]
        s = task.deviation(rows, last, path.rows[w], before).reshape(len(laws), count, -1)
        change = np.concatenate([law.feed[w] + s[i] @ law.gains[w].T for i, law in enumerate(laws)])
        offsets = path.offsets[w] + np.clip(change, -most, most)
        ends, residuals = task.run(w, rows, last, offsets)
        rows, last, before = ends.rows, offsets, path.offsets[w]
        ways.append(rows[::count])
        steps.append(offsets[::count])
        parts.append(task.costs(ends, residuals).reshape(len(laws), count))
    way, step, part = np.array(ways), np.array(steps), np.array(parts)
    paths = [Path(step[:, i], way[:, i], part[:, i, 0], law.gains) for i, law in enumerate(laws)]
    return paths, part.mean(axis=0)


def linearise(
    task: Task, path: Path, samples: int, spread: float, kick: float, rng: np.random.Generator
) -> list[tuple[Array, Array, Array]]:
    """(A B), ρ₀ and (C D) of every window, fitted to runs near the path.

    Where runs of a window begin, the nearest of the last one ended: states as contacts leave them.
    """
    nq, nled = task.trials.figure.nq, path.offsets.shape[1]
    near, near_last, before, models = path.rows[:1], np.zeros((1, nled)), np.zeros(nled), []
    for w in range(len(path.offsets)):
        parents = np.arange(samples) % len(near)
        starts, last = near[parents], near_last[parents]
        starts[:, nq : nq + 6] += kick * rng.standard_normal((samples, 6)) * (rng.random((samples, 1)) < 0.5)
        starts[0], last[0] = path.rows[w], before
        s = task.deviation(starts, last, path.rows[w], before)
        u = spread * rng.standard_normal((samples, nled)) + s @ path.gains[w].T
        u[0] = 0.0
        ends, residuals = task.run(w, starts, last, path.offsets[w] + u)
        after = task.deviation(ends.rows, path.offsets[w] + u, path.rows[w + 1], path.offsets[w])[:, :-nled]
        far = np.where(ends.finite, np.linalg.norm(residuals - residuals[0], axis=1), np.inf)
        close = np.argsort(far, kind="stable")[: int(CLOSE * samples)]
        given = np.concatenate([s, u], axis=1)[close]
        models.append((fit(given, after[close]), residuals[0], fit(given, residuals[close] - residuals[0])))
        nearest = close[: samples // 2]
        near, near_last, before = ends.rows[nearest], path.offsets[w] + u[nearest], path.offsets[w]
    return models


def fit(given: Array, found: Array) -> Array:
    """Matrix with found = matrix given, by least squares with a ridge, shape (nfound, ngiven)."""
    size = np.sqrt((given**2).mean(axis=0)) + 1e-9
    z = given / size
    matrix = z.T @ z + RIDGE * len(z) * np.eye(z.shape[1])
    result: Array = np.linalg.solve(matrix, z.T @ found).T / size
    return result


def backward(models: list[tuple[Array, Array, Array]], nled: int, caution: float) -> tuple[Array, Array]:
    """k and K of every window; `caution` is added to the Hessian of the offsets."""
    ns = models[0][0].shape[1] - nled
    value, slope = np.zeros((ns, ns)), np.zeros(ns)
    feeds, gains = [], []
    for step, rest, cost in reversed(models):
        move = np.zeros((ns, ns + nled))  # of s⁺: the deviations, then the offsets themselves
        move[: ns - nled] = step
        move[ns - nled :, ns:] = np.eye(nled)
        hessian = cost.T @ cost + DISCOUNT * move.T @ value @ move
        gradient = cost.T @ rest + DISCOUNT * move.T @ slope
        h_uu, h_us = hessian[ns:, ns:] + caution * np.eye(nled), hessian[ns:, :ns]
        solved = -np.linalg.solve(h_uu, np.concatenate([gradient[ns:, None], h_us], axis=1))
        feed, gain = solved[:, 0], solved[:, 1:]
        value = hessian[:ns, :ns] + gain.T @ h_us
        value = 0.5 * (value + value.T)
        slope = gradient[:ns] + gain.T @ gradient[ns:]
        feeds.append(feed)
        gains.append(gain)
    return np.array(feeds[::-1]), np.array(gains[::-1])
