"""Steps in time of figures whose joints follow functions, with virtual links: as `simulation.march`, in numpy.

The same methods: semi-implicit Euler, and Runge-Kutta of order 4 without commutators; links that are too stiff for the
step are implicit (`compliance`), and what drifts is put right after every step.  Poses in which rows become dependent
are gone through with the least forces there, not by the poses on both sides (`singular`).
"""

from dataclasses import dataclass, replace

import numpy as np

from hitogata.dynamics import integrate
from hitogata.dynamics.dispatch import Array
from hitogata.errors import HitogataError
from hitogata.loops.compliance import RESOLVED
from hitogata.loops.followed import Closed, Rows, close_rows_of, correction, report_of, rows_at, softness_of
from hitogata.loops.link_set import Links
from hitogata.loops.singular import SMALL

CORRECTIONS = 4
"""Steps of Newton's method on what has drifted, at the most."""


@dataclass
class Course:
    """What steps have in common; see `integration.Course`."""

    links: Links
    tau: Array
    wrenches: Array
    steps: int
    h: float
    stabilise: float
    tolerance: float
    correct: bool
    gravity: tuple[float, float, float]

    def at_stage(self, rows: Array, step: int, half: int) -> Array:
        """Forces at the start (0), middle (1) or end (2) of a step."""
        if not len(rows):
            return np.zeros(0)
        if len(rows) == 2 * self.steps + 1:
            return np.asarray(rows[2 * step + half])
        return np.asarray(rows[step if len(rows) > 1 else 0])


def march_followed(course: Course, fourth: bool, done: int, every: int, out: Array, path: Array) -> int:
    """Steps until a link breaks, all are done, or the motion is not finite; arguments and result as of `march`."""
    figure, broken = course.links.figure, -1
    q, v = out[: figure.nq].copy(), out[figure.nq : figure.nq + figure.nv].copy()
    status = 0
    with np.errstate(all="ignore"):
        while done < course.steps and broken < 0:
            step = _Step(course, q, v, done)
            if broken_link(course.links, q, v, step.first.force) >= 0:
                broken = broken_link(course.links, q, v, step.first.force)
                break
            try:
                q, v = step.settle(*(step.runge_kutta() if fourth else step.euler()))
            except HitogataError:  # numbers beyond what a pose can be found for
                q = np.full_like(q, np.nan)
            done += 1
            if not (np.isfinite(q).all() and np.isfinite(v).all()):
                status = 1
                break
            if done % every == 0 or done == course.steps:
                path[(done + every - 1) // every] = np.concatenate([q, v])
    out[:] = [*q, *v, 0.0, done, broken]
    return status


class _Step:
    """One step from (q, v)."""

    def __init__(self, course: Course, q: Array, v: Array, number: int) -> None:
        self.course, self.q, self.v, self.number = course, q, v, number
        rows = rows_at(course.links, q, v, course.tolerance)
        self.lag = lags(rows, course.h)
        rows.lag = self.lag
        self.pull = np.zeros(course.links.rows)
        self.goal, self.goal_rate = np.zeros((2, course.links.rows))
        self.first = self._close(rows, q, v, 0)
        self._find_goals(rows)

    def _close(self, rows: Rows, q: Array, v: Array, half: int) -> Closed:
        c = self.course
        tau, wrenches = c.at_stage(c.tau, self.number, half), c.at_stage(c.wrenches, self.number, half)
        return close_rows_of(rows, q, v, tau, wrenches, c.gravity, c.stabilise, self.pull)

    def _find_goals(self, rows: Rows) -> None:
        """See `compliance.find_goals`."""
        late = np.flatnonzero(self.lag > 0.0)
        compliance, relaxation = softness_of(self.course.links)[:, late]
        s, behind = self.lag[late], self.lag[late] + relaxation
        force = self.first.force[late]
        self.pull[late] = -(compliance * force + rows.value[late] + behind * rows.rate[late]) / (s * behind)
        self.goal_rate[late] = rows.rate[late] + s * self.pull[late]
        self.goal[late] = rows.value[late] + s * self.goal_rate[late]

    def _rates(self, q: Array, v: Array, half: int) -> Array:
        rows = rows_at(self.course.links, q, v, self.course.tolerance, self.lag)
        return self._close(replace(rows, firm=True), q, v, half).vdot

    def euler(self) -> tuple[Array, Array]:
        """Semi-implicit."""
        h = self.course.h
        v = self.v + h * self.first.vdot
        return self._on(self.q, h * v), v

    def runge_kutta(self) -> tuple[Array, Array]:
        """As `integration.step_runge_kutta`."""
        q, v, h, a1 = self.q, self.v, self.course.h, self.first.vdot
        k2, q2 = v + 0.5 * h * a1, self._on(q, 0.5 * h * v)
        a2 = self._rates(q2, k2, 1)
        k3 = v + 0.5 * h * a2
        a3 = self._rates(self._on(q, 0.5 * h * k2), k3, 1)
        k4 = v + h * a3
        a4 = self._rates(self._on(q2, h * (k3 - 0.5 * v)), k4, 2)
        half = self._on(q, h / 12 * (3 * v + 2 * k2 + 2 * k3 - k4))
        return self._on(half, h / 12 * (-v + 2 * k2 + 2 * k3 + 3 * k4)), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def _on(self, q: Array, change: Array) -> Array:
        if not np.isfinite(change).all():
            return np.full_like(q, np.nan)
        return integrate(self.course.links.figure, q, change)

    def settle(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Rows brought to their goals."""
        links = self.course.links
        settled = (self.lag > 0.0) | ((np.arange(links.rows) < links.held) & self.course.correct)
        for _ in range(CORRECTIONS):
            if not settled.any() or not (np.isfinite(q).all() and np.isfinite(v).all()):
                break
            rows = replace(rows_at(links, q, v, self.course.tolerance, self.lag), firm=True)
            turn, change = correction(rows, self.goal, self.goal_rate, settled)
            q, v = self._on(q, turn), v + change
            if np.abs(turn).max(initial=0.0) <= SMALL:
                break
        return q, v


def lags(rows: Rows, h: float) -> Array:
    """Which compliant links are too stiff for the step; see `compliance.choose_lags`."""
    links, lag = rows.links, np.zeros(rows.links.rows)
    compliance, relaxation = softness_of(links)
    sizes = []
    for handle, link in links.links:
        if not link.rigid:
            own = links.rows_of(handle)
            H = rows.jacobian[own]
            trace = float(np.einsum("ij,jk,ik->", H, rows.factor, H))
            sizes.append((h * (h + relaxation[own.start]) * trace / compliance[own.start], own))
    total = 0.0
    for size, own in sorted(sizes, key=lambda pair: pair[0]):
        total += size
        if total > RESOLVED:
            lag[own] = h
    return lag


def broken_link(links: Links, q: Array, v: Array, force: Array) -> int:
    """The first link whose force or torque passes its limit, or -1."""
    limits = np.array([(link.torque_limit, link.force_limit) for _, link in links.links]).reshape(-1, 2)
    if not np.isfinite(limits).any():
        return -1
    wrenches = report_of(links, q, v, force)[3 * links.rows :].reshape(-1, 2, 3)
    over = (np.linalg.norm(wrenches, axis=2) > limits).any(axis=1)
    return int(np.argmax(over)) if over.any() else -1
