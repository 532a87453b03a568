"""What a search works on: windows of time, targets that differ from a motion by offsets, and runs along them."""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.figure import State
from hitogata.loops.adapting.cost import Likeness
from hitogata.loops.contacts.trials import Ends, Trials
from hitogata.loops.reference import Reference

LOST = 10.0
"""Most that a window costs: a figure that lies on the ground is not better for lying nearer."""


@dataclass(frozen=True, eq=False)
class Path:
    """A run along all windows.

    Attributes:
        offsets: of the led motions' targets at the ends of windows [rad], shape (nwindows, nled).
        rows: where windows begin, and the end: rows of `Ends`, shape (nwindows + 1, ...).
        costs: of each window, shape (nwindows,).
        gains: feedback of each window, shape (nwindows, nled, ndeviations + nled).
    """

    offsets: Array
    rows: Array
    costs: Array
    gains: Array


@dataclass(frozen=True, eq=False)
class Task:
    """A motion to be followed, cut into windows.

    Attributes:
        trials: runs of the figure.
        reference: the motion.
        likeness: cost of states at the ends of windows.
        steps: of a window.
        led: motions whose targets may differ from the reference, shape (nled,).
        start: where the figure begins.
    """

    trials: Trials
    reference: Reference
    likeness: Likeness
    steps: int
    led: Array
    start: State

    @property
    def windows(self) -> int:
        """Number of windows."""
        return (len(self.reference) - 1) // self.steps

    def run(self, window: int, starts: Array, before: Array, after: Array) -> tuple[Ends, Array]:
        """Runs through one window, and their residuals.

        Args:
            window: which.
            starts: rows where runs begin, shape (n, ...).
            before: offsets of the led motions where runs begin, shape (n, nled).
            after: and where they end.
        """
        ref, first = self.reference, window * self.steps + 1
        part = slice(first, first + self.steps)
        offsets = np.zeros((len(after), 2, self.trials.figure.nv))
        offsets[:, 0, self.led], offsets[:, 1, self.led] = before, after
        ends = self.trials.run(np.concatenate([ref.q[part], ref.v[part]], axis=1), starts, offsets)
        w = self.likeness.weights
        parts = (
            self.likeness.residuals(window, ends.q, ends.v),
            np.sqrt(w.offsets) * after,
            np.sqrt(w.changes) * (after - before),
        )
        return ends, np.concatenate(parts, axis=1)

    def deviation(self, rows: Array, last: Array, centre: Array, centre_last: Array) -> Array:
        """Of states and last offsets from those of a path, shape (n, ndeviations + nled)."""
        nq, end = self.trials.figure.nq, self.trials.figure.nq + self.trials.figure.nv
        s = self.likeness.balance.deviation(rows[:, :nq], rows[:, nq:end], centre[:nq], centre[nq:end])
        return np.concatenate([s, last - centre_last], axis=1)

    def costs(self, ends: Ends, residuals: Array) -> Array:
        """Of each run: sum of squares, time in the air, and torques beyond limits; `LOST` at most, shape (n,).

        A reference is moved so that its lowest foot is on the floor: it is never in the air.
        """
        w = self.likeness.weights
        total = (residuals**2).sum(axis=1) + w.aloft * ends.aloft + w.strain * np.maximum(ends.peak - 1.0, 0.0)
        result: Array = np.where(ends.finite, np.minimum(total, LOST), LOST)
        return result


def first_path(task: Task, offsets: Array) -> Path:
    """The run with given offsets, without feedback."""
    rows, last, ways, parts = task.trials.start(task.start), np.zeros((1, offsets.shape[1])), [], []
    size = task.deviation(rows, last, rows[0], last[0]).shape[1]
    for w in range(len(offsets)):
        ways.append(rows[0])
        ends, residuals = task.run(w, rows, last, offsets[w : w + 1])
        rows, last = ends.rows, offsets[w : w + 1]
        parts.append(task.costs(ends, residuals)[0])
    gains = np.zeros((*offsets.shape, size))
    return Path(offsets, np.array([*ways, rows[0]]), np.array(parts), gains)
