"""Targets found by sampling (Liu, Yin, van de Panne, Shao & Xu 2010).

Window by window: from the best states of the last window many runs with random offsets, of which the best are kept.
What seemed best at first may end in a fall; others that were kept then go on.
"""

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.loops.adapting.plan import Task

MEMORY = 0.7
"""What the cost of a window counts in the choice at the end of the next."""


def search(
    task: Task, middle: Array, spread: float, samples: int, keep: int, rng: np.random.Generator
) -> tuple[Array, float]:
    """One search from the beginning to the end.

    Args:
        task: the motion and the figure.
        middle: offsets about which samples are drawn, at the ends of windows, shape (nwindows, nled) [rad].
        spread: their standard deviation [rad].
        samples: runs of each window.
        keep: of these, how many go on.
        rng: of the samples.

    Returns:
        Offsets at the ends of windows, shape (nwindows, nled), and their cost.
    """
    starts, last = task.trials.start(task.start), np.zeros((1, middle.shape[1]))
    recent, total = np.zeros(1), np.zeros(1)
    history: list[tuple[Array, Array]] = []
    for w in range(len(middle)):
        parents = np.arange(samples) % len(starts)
        offsets = middle[w] + spread * rng.standard_normal((samples, middle.shape[1]))
        offsets[: len(starts)] = middle[w]  # each state goes on without a change, too
        ends, residuals = task.run(w, starts[parents], last[parents], offsets)
        cost = task.costs(ends, residuals)
        score, total = MEMORY * recent[parents] + cost, total[parents] + cost
        best = np.argsort(score, kind="stable")[:keep]
        history.append((parents[best], offsets[best]))
        recent, total, starts, last = score[best], total[best], ends.rows[best], offsets[best]
    k = int(np.argmin(total))
    found, path = float(total[k]), []
    for parents, offsets in reversed(history):
        path.append(offsets[k])
        k = int(parents[k])
    return np.array(path[::-1]), found
