"""Moving on in time with virtual links: Runge-Kutta of order 4, and what drifts is put right after every step.

The equation of motion holds accelerations of rows, so that values and rates creep away from zero by the integrator's
error.  After a step, with H, A and B where it ended, the least correction (in the metric of A) is taken,

    q ⊞ -A⁻¹ Hᵀ B⁻¹ value          v - A⁻¹ Hᵀ B⁻¹ rate

one step of Newton's method on each, or some: what is left of a drift d is of the size of d² (`singular.settle`).
"""

from typing import NamedTuple

from hitogata.dynamics.integration import advance, combine
from hitogata.lanes import kernel, lanes, sqrt, tail
from hitogata.loops.compliance import find_goals
from hitogata.loops.rows import wrench_in_frame
from hitogata.loops.singular import close_through
from hitogata.spatial import dot


class Course(NamedTuple):
    """What steps have in common: scratch, forces over time, numbers."""

    spare: lanes  # type: ignore[valid-type]  # 10 nv + 2 nq
    room: lanes  # type: ignore[valid-type]  # of `singular`
    notes: lanes  # type: ignore[valid-type]  # likewise
    tau: lanes  # type: ignore[valid-type]  # (tau_rows, nv)
    tau_rows: int
    wrenches: lanes  # type: ignore[valid-type]  # (wrench_rows, 6 links)
    wrench_rows: int
    steps: int
    h: float
    stabilise: float
    tolerance: float


@kernel
def at_stage(view, rows, steps, size, step, half):
    """Forces at the start (0), middle (1) or end (2) of a step: one for all, one for each, or three of each step."""
    row = 0
    if rows == 2 * steps + 1:
        row = 2 * step + half
    elif rows > 1:
        row = step
    return tail(view, row * size)


@kernel
def accelerations(bench, course, q, v, step, half, firm, out):
    """Of a stage; all but the first are `firm`."""
    tree, nv = bench.tree, bench.tree.nv
    tau = at_stage(course.tau, course.tau_rows, course.steps, nv, step, half)
    wrenches = at_stage(course.wrenches, course.wrench_rows, course.steps, 6 * tree.links, step, half)
    close_through(bench, course.room, q, v, tau, wrenches, course.wrench_rows > 0, course.stabilise, course.tolerance,
                  firm, course.notes, out)  # fmt: skip


@kernel
def step_runge_kutta(bench, course, q, v, step):
    """One step of the commutator-free method of `dynamics.integration`.  Returns the first link that broke, or -1.

    Forces are looked at where the step begins; if one is too great there, nothing moves.
    """
    tree, spare, h = bench.tree, course.spare, course.h
    n = tree.nv
    a1, a2, a3, a4 = spare, tail(spare, n), tail(spare, 2 * n), tail(spare, 3 * n)
    k2, k3, k4, d = tail(spare, 4 * n), tail(spare, 5 * n), tail(spare, 6 * n), tail(spare, 7 * n)
    q2 = tail(spare, 8 * n)
    q3 = tail(q2, tree.nq)
    accelerations(bench, course, q, v, step, 0, False, a1)
    broken = find_broken(bench)
    if broken >= 0:
        return broken
    find_goals(bench.links)
    combine(n, k2, v, h, a1, 0.5, a1, 0.0, a1, 0.0, a1, 0.0)
    advance(tree, q, v, 0.5 * h, q2)
    accelerations(bench, course, q2, k2, step, 1, True, a2)
    combine(n, k3, v, h, a2, 0.5, a2, 0.0, a2, 0.0, a2, 0.0)
    advance(tree, q, k2, 0.5 * h, q3)
    accelerations(bench, course, q3, k3, step, 1, True, a3)
    combine(n, k4, v, h, a3, 1.0, a3, 0.0, a3, 0.0, a3, 0.0)
    combine(n, d, None, h, k3, 1.0, v, -0.5, v, 0.0, v, 0.0)
    advance(tree, q2, d, 1.0, q3)
    accelerations(bench, course, q3, k4, step, 2, True, a4)
    combine(n, d, None, h, v, 3.0 / 12.0, k2, 2.0 / 12.0, k3, 2.0 / 12.0, k4, -1.0 / 12.0)
    advance(tree, q, d, 1.0, q)
    combine(n, d, None, h, v, -1.0 / 12.0, k2, 2.0 / 12.0, k3, 2.0 / 12.0, k4, 3.0 / 12.0)
    advance(tree, q, d, 1.0, q)
    combine(n, v, v, h, a1, 1.0 / 6.0, a2, 2.0 / 6.0, a3, 2.0 / 6.0, a4, 1.0 / 6.0)
    return -1


@kernel
def step_euler(bench, course, q, v, step):
    """One step of semi-implicit Euler; returns the first link that broke, or -1."""
    accelerations(bench, course, q, v, step, 0, False, course.spare)
    broken = find_broken(bench)
    if broken >= 0:
        return broken
    find_goals(bench.links)
    for k in range(bench.tree.nv):
        v[k] = v[k] + course.spare[k] * course.h
    advance(bench.tree, q, v, course.h, q)
    return -1


@kernel
def find_broken(bench):
    """The first link whose force or torque passes its limit, or -1."""
    links = bench.links
    for k in range(links.total):
        number = links.number[k]
        wrench = wrench_in_frame(bench.limb, links.link[k], number, links.row)
        if sqrt(dot(wrench.lin, wrench.lin)) > number.force_limit:
            return k
        if sqrt(dot(wrench.ang, wrench.ang)) > number.torque_limit:
            return k
    return -1
