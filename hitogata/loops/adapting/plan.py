"""What a search works on: windows of time, targets that differ from a motion by offsets, and runs along them."""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics.calling import Array
from hitogata.figure import State
from hitogata.loops.adapting.likeness import Likeness
from hitogata.loops.contacts.trials import Ends, Trials
from hitogata.loops.reference import Reference

LOST = 1e6
"""Cost of a run that ended in numbers that are not finite."""


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

    def run(self, window: int, starts: Array, parents: Array, before: Array, after: Array) -> tuple[Ends, Array]:
        """Runs through one window, and their residuals.

        Args:
            window: which.
            starts: rows where runs begin.
            parents: of each run, shape (n,).
            before: offsets of the led motions where runs begin, shape (n, nled).
            after: and where they end.
        """
        ref, first = self.reference, window * self.steps + 1
        offsets = np.zeros((len(after), 2, self.trials.figure.nv))
        offsets[:, 0, self.led], offsets[:, 1, self.led] = before, after
        goals = np.concatenate([ref.q, ref.v], axis=1)[first : first + self.steps]
        ends = self.trials.run(goals, starts, parents, offsets)
        w = self.likeness.weights
        residuals = np.concatenate(
            [
                self.likeness.residuals(window, ends.q, ends.v),
                np.sqrt(w.offsets) * after,
                np.sqrt(w.changes) * (after - before),
            ],
            axis=1,
        )
        return ends, residuals


def costs(ends: Ends, residuals: Array) -> Array:
    """Sum of squares of each run, shape (n,)."""
    result: Array = np.where(ends.finite, (residuals**2).sum(axis=1), LOST)
    return result
