"""A figure led along an adapted motion, step by step, in contact."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.dynamics import integrate
from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.loops.adapting.cost import Balance
from hitogata.loops.arguments import positive
from hitogata.loops.contacts import ContactStage, ContactStep
from hitogata.loops.contacts.rollouts import eased
from hitogata.loops.reference import Reference, resampled
from hitogata.loops.servo import servo

if TYPE_CHECKING:
    from hitogata.loops.adapting.adaptation import Adapted


class Guide:
    """Follows an adapted motion by springs, whose targets give way by feedback at the beginning of every window.

    Args:
        adapted: the motion.
        stage: a figure and its floor.
        h: time step [s]; None: that of the search.
        feedback: whether targets give way.

    Attributes:
        reference: the motion that was asked for, at the steps' times.
        state: where the figure is.
        count: steps taken.
        torque: what the springs gave in the last step [N m], shape (nv,).  Limits are those of the law at the beginning
            of a step; in knocks, what the implicit law adds within the step (its armature times v̇) may go beyond: at
            1/240 s in some percent of the steps, by up to a third; at 1/480 s hardly ever.
    """

    def __init__(
        self, adapted: "Adapted", stage: ContactStage, *, h: float | None = None, feedback: bool = True
    ) -> None:
        h = adapted.reference.h if h is None else positive("h", h)
        self._steps = round(adapted.window / h) if h else 0
        if self._steps < 1 or abs(self._steps * h - adapted.window) > 1e-6 * adapted.window:
            raise ArgumentError(f"h: a window of {adapted.window:g} s must be a whole number of steps, got {h!r}")
        if stage.figure.joint_names != adapted.springs.figure.joint_names or stage.figure.nv != len(adapted.limit):
            raise ArgumentError(f"stage: figure {stage.figure.name!r} has other joints than the one adapted to")
        self.stage, self.figure, self.reference = stage, stage.figure, resampled(stage.figure, adapted.reference, h)
        counts = [link.joint.nv for link in self.figure.links]
        first = np.cumsum([0, *counts])[:-1]
        stiff, damp = ({name: float(x[k]) for name, k in zip(self.figure.joint_names, first, strict=True) if k >= 6}
                       for x in (adapted.springs.stiffness, adapted.springs.damping))  # fmt: skip
        self._springs, self._limit, self._adapted = servo(self.figure, stiff, damp, h), adapted.limit, adapted
        self._added = h * self._springs.damping + h * h * self._springs.stiffness
        self._balance, self._feedback = Balance(self.figure, adapted.feet), feedback
        nled = adapted.path.offsets.shape[1]
        self._before, self._after = np.zeros(nled), np.zeros(nled)
        self.state = State(self.reference.q[0].copy(), self.reference.v[0].copy())
        self.count, self.torque = 0, np.zeros(self.figure.nv)
        stage.forget()

    @property
    def done(self) -> bool:
        """Whether the motion is over."""
        return self.count >= self._steps * len(self._adapted.path.offsets)

    def step(self, *, wrenches: Any = None) -> ContactStep:
        """One step along the motion.

        Args:
            wrenches: external [torque; force] on each link, of which nothing is known but what they do.
        """
        if self.done:
            raise ArgumentError(f"the motion is over after {self.count} steps")
        window, k = divmod(self.count, self._steps)
        if k == 0:
            self._begin(window)
        h, ref, (part, pace) = self._springs.h, self.reference, eased((k + 1) / self._steps)
        move, rate = np.zeros(self.figure.nv), np.zeros(self.figure.nv)
        move[self._adapted.led] = self._before + part * (self._after - self._before)
        rate[self._adapted.led] = pace * (self._after - self._before) / self._adapted.window
        target = integrate(self.figure, ref.q[self.count + 1], move)
        given = self._springs.torques(self.state, target, ref.v[self.count + 1] + rate)
        tau = np.clip(given, -self._limit, self._limit)
        step = self.stage.step(self.state, h, tau, wrenches=wrenches, figure=self._springs.body)
        self.torque = tau - self._added * step.vdot
        self.state, self.count = step.state, self.count + 1
        return step

    def _begin(self, window: int) -> None:
        """Offsets of the targets at the end of a window, by feedback on where the figure is."""
        path, nq, last = self._adapted.path, self.figure.nq, np.zeros(len(self._after))
        offsets = path.offsets[window]
        if self._feedback:
            before = path.offsets[window - 1] if window else last
            centre = path.rows[window]
            s = self._balance.deviation(
                self.state.q[None], self.state.v[None], centre[:nq], centre[nq : nq + self.figure.nv]
            )[0]
            change = path.gains[window] @ np.concatenate([s, self._after - before])
            offsets = offsets + np.clip(change, -self._adapted.most, self._adapted.most)
        self._before, self._after = self._after, offsets

    @staticmethod
    def targets_of(figure: Figure, reference: Reference, offsets: Array, led: Array, steps: int) -> tuple[Array, Array]:
        """Coordinates and velocities of the targets without feedback, from the beginning to the last window's end."""
        count = steps * len(offsets)
        knots = np.concatenate([np.zeros((1, len(led))), offsets])
        window, k = np.divmod(np.arange(count + 1), steps)
        part, pace = eased(k / steps)
        change = np.concatenate([np.diff(knots, axis=0), np.zeros((1, len(led)))])[window]
        move, rate = np.zeros((count + 1, figure.nv)), np.zeros((count + 1, figure.nv))
        move[:, led] = knots[window] + part[:, None] * change
        rate[:, led] = pace[:, None] * change / (steps * reference.h)
        q = integrate(figure, reference.q[: count + 1], move)
        v = reference.v[: count + 1] + rate
        return q, v
