"""Muscle forces live: one frame after the other, each from the last one's solution.

    live = LiveForces(body)
    frame = live(q, v, moments)          # frame.activation, frame.force, frame.reserves

What `muscle_forces` does for recordings (the same programs, the same answers), on a figure whose paths `MuscleArms`
takes, without arrays that are mostly zeros: the Jacobian stays sparse from the paths to the solver.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.fibres import fibres_of, ligament_forces, rigid_tendon_forces, tendon_tensions
from hitogata.muscle.forces import Cost, ForceOptions
from hitogata.muscle.frame import MuscleArms
from hitogata.muscle.wires import MuscleSet
from hitogata.solve import Pattern, sparse_separable_programs


@dataclass(frozen=True, eq=False)
class LiveFrames:
    """Muscles in one frame, or in n of them: with a leading axis.

    Attributes:
        activation: shape (nm,).
        force: along the tendon, passive part included [N], shape (nm,).
        reserves: what muscles leave of the moments, shape (nv + 3 nodes,); 0 where no muscle pulls.
        ligament: pull of tendons and ligaments [N], shape (nl,).
        optimality: violation of the optimality conditions, shape ().
        steps: Newton steps of the solver, shape ().
    """

    activation: FloatArray
    force: FloatArray
    reserves: FloatArray
    ligament: FloatArray
    optimality: FloatArray
    steps: FloatArray


class LiveForces:
    """Static optimisation of a figure's muscles, frame by frame."""

    def __init__(self, muscles: MuscleSet, options: ForceOptions | None = None) -> None:
        """Of a set, with a separable cost: squares, cubes or volume, without smoothness; EMG comes with the frames.

        Args:
            muscles: on a figure (see `MuscleArms`); nodes are balanced by muscles alone.
            options: None: `ForceOptions()`.
        """
        self.options = options or ForceOptions()
        if self.options.elastic_tendons:
            raise ArgumentError("live forces take tendons that do not give: take muscle_forces")
        if self.options.cost not in (Cost.SQUARES, Cost.CUBES, Cost.VOLUME) or self.options.emg or self.options.smooth:
            raise ArgumentError("live forces take squares, cubes or volume, no smoothness, and EMG frame by frame")
        self.muscles, self.arms = muscles, MuscleArms(muscles)
        self._nm = len(muscles.muscles)
        self._push = np.array([-wire.most * self.options.with_supports for wire in muscles.supports])
        pullers = self._nm + len(self._push)  # muscles and supports: the first of the wires
        end = self.arms.starts[pullers]
        self._cells = slice(0, end)
        self._wires = np.repeat(np.arange(len(muscles.wires)), np.diff(self.arms.starts))
        crossed = np.unique(self.arms.columns[:end])
        rows = np.searchsorted(crossed, self.arms.columns[:end]).astype(np.int64)
        self._crossed = crossed
        self._pattern = Pattern(len(crossed), pullers, self.arms.starts[: pullers + 1].copy(), rows)
        weights = np.ones(pullers)
        if self.options.cost is Cost.VOLUME:
            fibres = fibres_of(muscles)
            weights[: self._nm] = fibres.max_force * fibres.optimal / (fibres.max_force * fibres.optimal).mean()
        self._weights, self._low = weights, np.where(np.arange(pullers) < self._nm, self.options.least, 0.0)
        self._softness = np.full(len(crossed), self.options.reserve)
        self._start: FloatArray | None = None

    def __call__(self, q: ArrayLike, v: ArrayLike, moments: ArrayLike, emg: ArrayLike | None = None) -> LiveFrames:
        """Muscles of the next frame.

        Args:
            q, v: coordinates and velocities of the figure, shape (nq,), (nv,).
            moments: forces on its velocities that muscles shall make, shape (nv,).
            emg: activations that were measured, 0 to 1, shape (nm,), NaN where none was; they are followed with the
                options' `emg_weight`, as in `muscle_forces`.
        """
        lengths, values = self.arms(q)
        found = self._solve(lengths[None], values[None], v, moments, 1, self._measured(emg))
        return LiveFrames(*(getattr(found, name)[0] for name in LiveFrames.__dataclass_fields__))

    def forget(self) -> None:
        """Let the next frame begin from nothing: its answer then depends on no frame before it, to the last bit."""
        self._start = None

    def rows(self, q: ArrayLike, v: ArrayLike, moments: ArrayLike, *, threads: int | None = 1) -> LiveFrames:
        """Many frames at once, several in a register: q (n, nq), v (n, nv), moments (n, nv)."""
        lengths, values = self.arms.rows(q)
        return self._solve(lengths, values, v, moments, threads, (self._weights, None))

    def _measured(self, emg: ArrayLike | None) -> tuple[FloatArray, FloatArray | None]:
        """Weights and targets of activations."""
        if emg is None:
            return self._weights, None
        given = np.asarray(emg, np.float64)
        if given.shape != (self._nm,) or ((given < 0) | (given > 1)).any():
            raise ArgumentError(f"emg: {self._nm} activations from 0 to 1 are expected, NaN where none was measured")
        given = np.concatenate([given, np.full(len(self._push), np.nan)])
        there = np.isfinite(given)
        if there.any() and self.options.cost is Cost.CUBES:
            raise ArgumentError(f"{self.options.cost.value}: EMG goes with squares or volumes only")
        return np.where(there, self.options.emg_weight, self._weights), np.where(there, given, 0.0)

    def _solve(
        self, lengths: FloatArray, values: FloatArray, v: ArrayLike, moments: ArrayLike, threads: int | None,
        followed: tuple[FloatArray, FloatArray | None],
    ) -> LiveFrames:  # fmt: skip
        n, body, arms = len(lengths), self.muscles.body, self.arms
        assert isinstance(body, Figure)
        rates, asked = (np.asarray(a, np.float64).reshape(n, -1) for a in (v, moments))
        if rates.shape[1] != body.nv or asked.shape[1] != body.nv:
            raise ArgumentError(f"v, moments: {body.nv} numbers a frame are expected")
        if not (np.isfinite(rates).all() and np.isfinite(asked).all()):
            raise ArgumentError("v, moments: they must be finite")
        count, of = arms.count, arms.columns
        wide = np.zeros((n, count))
        wide[:, : body.nv] = rates
        speeds = np.add.reduceat(np.pad(values * wide[:, of], ((0, 0), (0, 1))), arms.starts[:-1], axis=1)
        speeds[:, np.diff(arms.starts) == 0] = 0.0
        able = rigid_tendon_forces(self.muscles, lengths, speeds if self.options.with_speeds else None)
        passive = able.passive if self.options.with_passive else np.zeros_like(able.passive)
        bands = ligament_forces(self.muscles, lengths, speeds)
        pull = np.concatenate([passive, bands], axis=1)
        left = np.zeros((n, count))
        left[:, : body.nv] = asked
        cells = values * pull[:, self._wires]
        for k in range(n):
            left[k] += np.bincount(of, cells[k], count)
        strength = np.concatenate([able.capacity, np.broadcast_to(self._push, (n, len(self._push)))], axis=1)
        A = values[:, self._cells] * -strength[:, self._wires[self._cells]]
        found = sparse_separable_programs(
            self._pattern, A, left[:, self._crossed], weights=followed[0], low=self._low, softness=self._softness,
            power=3.0 if self.options.cost is Cost.CUBES else 2.0, start=self._start, threads=threads,
            targets=followed[1], successive=True,
        )  # fmt: skip
        self._start = found.multipliers[-1]
        activation = found.x[:, : self._nm]
        force = activation * able.capacity + passive
        bands[:, : len(self._push)] = found.x[:, self._nm :] * self._push
        reserves = np.zeros((n, count))
        reserves[:, self._crossed] = found.slack
        tensions = bands + tendon_tensions(self.muscles, force)
        return LiveFrames(activation, force, reserves, tensions, found.residual, found.steps)
