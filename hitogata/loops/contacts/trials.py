"""Many short runs of one figure on a stage, led by springs towards targets, from Python."""

from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.calling import Array
from hitogata.dynamics.layout import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.lanes import cores, share
from hitogata.loops.contacts import layout
from hitogata.loops.contacts.rollouts import TOLD, rollout_sizes, run_targets
from hitogata.loops.contacts.stage import ContactStage
from hitogata.loops.tracking import Servo


class Ends(NamedTuple):
    """Where runs came to.

    Attributes:
        rows: coordinates, velocities and what contacts remember, shape (n, ...): starts of further runs.
        q: coordinates, shape (n, nq).
        v: velocities, shape (n, nv).
        effort: mean over time of Σ (torque/limit)², shape (n,).
        peak: largest share of a torque of its limit, shape (n,).
        unresolved: steps whose contact forces did not settle, shape (n,).
        aloft: share of the steps in which nothing pressed on the world, shape (n,).
        finite: whether all numbers are; rows that are not hold their start, shape (n,).
    """

    rows: Array
    q: Array
    v: Array
    effort: Array
    peak: Array
    unresolved: Array
    aloft: Array
    finite: Array


class Trials:
    """Runs of a stage's figure beside its own state.

    Args:
        stage: the figure and its floor; its virtual links hold, and do not break.
        springs: that lead it.
        limit: largest torque of each motion [N m], shape (nv,).
        threads: that share the runs; results do not depend on it.  None: one per core.
    """

    def __init__(self, stage: ContactStage, springs: Servo, limit: Any, *, threads: int | None = None) -> None:
        if springs.figure is not stage.figure:
            raise ArgumentError("springs: they are of another figure than the stage")
        self.stage, self.springs, self.figure = stage, springs, stage.figure
        added = springs.h * springs.damping + springs.h**2 * springs.stiffness
        self.limit = np.broadcast_to(np.asarray(limit, np.float64), added.shape)
        self._gains = np.stack([springs.stiffness, springs.damping, self.limit, added])
        self._model = model_of(springs.body)
        self._kept, self._size, spare = rollout_sizes(self.figure.nq, self.figure.nv)
        parts = cores() if threads is None else threads
        self._rooms = [(*stage.room(springs.h), np.zeros(spare)) for _ in range(parts)]

    def start(self, state: State) -> Array:
        """A start: a state without memory of contacts, shape (1, ...)."""
        return np.concatenate([state.q, state.v, np.zeros(layout.MEMORY)])[None]

    def run(self, goals: Array, starts: Array, offsets: Array) -> Ends:
        """Runs from given starts, with targets goal ⊞ offset.

        Args:
            goals: coordinates and velocities at the end of each step, shape (steps, nq + nv).
            starts: rows of `Ends`, or of `start`, shape (n, ...).
            offsets: of the target where runs begin and end, `rollouts.eased` in between [rad], shape (n, 2, nv).
        """
        count, nq, nv = len(offsets), self.figure.nq, self.figure.nv
        out = np.zeros((count, self._size))
        starts, goals = np.ascontiguousarray(starts), np.ascontiguousarray(goals)
        given = np.ascontiguousarray(offsets, np.float64).reshape(count, 2 * nv)
        edges = [count * k // len(self._rooms) for k in range(len(self._rooms) + 1)]

        def part(first: int, end: int) -> None:
            for k in range(first, end):
                run_targets(*self._fixed(), goals, starts, given, *self._rooms[k], len(goals), out,
                            edges[k], edges[k + 1])  # fmt: skip

        share(len(self._rooms), len(self._rooms), part)
        told, finite = out[:, -TOLD:], out[:, -1] > 0.0
        rows = np.where(finite[:, None], out[:, : self._kept], starts)
        return Ends(rows, rows[:, :nq], rows[:, nq : nq + nv], told[:, 0], told[:, 1], told[:, 2], told[:, 3], finite)

    def _fixed(self) -> tuple[Array, ...]:
        m, links, table = self._model, self.stage.links, self.stage.table
        return m.ints, m.floats, links.ints, links.floats, table.ints, table.floats, table.pairs, self._gains
