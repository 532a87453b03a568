"""Many short runs of one figure on a stage, led by springs towards targets, from Python."""

from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.dynamics.model import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.lanes import cores, share
from hitogata.loops.contacts.rollouts import Gains, RunResult, RunRoom, RunStart, run_targets
from hitogata.loops.contacts.stage import ContactStage
from hitogata.loops.servo import Servo


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
        layout = Gains.layout(nv=self.figure.nv)
        self._gains = layout.new_floats()
        gains = layout.open(self._gains)
        gains.stiffness[:], gains.damping[:] = springs.stiffness, springs.damping
        gains.limit[:], gains.added[:] = self.limit, added
        self._model = model_of(springs.body)
        sizes = {"nq": self.figure.nq, "nv": self.figure.nv}
        self._start, self._result = RunStart.layout(**sizes), RunResult.layout(**sizes)
        parts = cores() if threads is None else threads
        self._tables = [stage.table_for(self._model, springs.h) for _ in range(parts)]
        self._spares = [RunRoom.layout(**sizes).new_floats() for _ in range(parts)]

    def start(self, state: State) -> Array:
        """A start: a state without memory of contacts, shape (1, ...)."""
        row = self._start.new_floats()
        fields = self._start.open(row)
        fields.q[:], fields.v[:] = state.q, state.v
        return row[None]

    def run(self, goals: Array, starts: Array, offsets: Array) -> Ends:
        """Runs from given starts, with targets goal ⊞ offset.

        Args:
            goals: coordinates and velocities at the end of each step, shape (steps, nq + nv).
            starts: rows of `Ends`, or of `start`, shape (n, ...).
            offsets: of the target where runs begin and end, `rollouts.eased` in between [rad], shape (n, 2, nv).
        """
        count, nv = len(offsets), self.figure.nv
        out = np.zeros((count, self._result.floats))
        starts, goals = np.ascontiguousarray(starts), np.ascontiguousarray(goals)
        given = np.ascontiguousarray(offsets, np.float64).reshape(count, 2 * nv)
        parts = len(self._tables)
        edges = [count * k // parts for k in range(parts + 1)]

        def part(first: int, end: int) -> None:
            for k in range(first, end):
                run_targets(self._tables[k][0], self._gains, goals, starts, given, self._spares[k], len(goals),
                            out, edges[k], edges[k + 1])  # fmt: skip

        share(parts, parts, part)
        told = self._result.open(out, axis=1)
        finite = told.fine > 0.0
        rows = np.where(finite[:, None], out[:, : self._start.floats], starts)
        ends = self._start.open(rows, axis=1)
        return Ends(rows, ends.q, ends.v, told.effort, told.peak, told.unresolved, told.aloft, finite)
