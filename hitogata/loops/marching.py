"""Moving on in time with virtual links: Runge-Kutta of order 4, and what drifts is put right after every step.

The equation of motion holds accelerations of rows, so that values and rates creep away from zero by the integrator's
error.  After a step, with H, A and B where it ended, the least correction (in the metric of A) is taken,

    q ⊞ -A⁻¹ Hᵀ B⁻¹ value          v - A⁻¹ Hᵀ B⁻¹ rate

one step of Newton's method on each: what is left of a drift d is of the size of d².
"""

from hitogata.dynamics.integration import advance, combine
from hitogata.lanes import absolute, kernel, maximum, sqrt, tail
from hitogata.loops.closing import close, couple, hold, meet
from hitogata.loops.recursion import give_way
from hitogata.loops.rows import wrench_in_frame
from hitogata.spatial import dot


@kernel
def step_runge_kutta(bench, spare, q, v, tau, wrenches, pushed, h, stabilise, tolerance, check):
    """One step of the commutator-free method of `dynamics.integration`.  Returns the first link that broke, or -1.

    Forces are looked at where the step begins; if one is too great there, nothing moves.
    """
    tree = bench.tree
    n = tree.nv
    a1, a2, a3, a4 = spare, tail(spare, n), tail(spare, 2 * n), tail(spare, 3 * n)
    k2, k3, k4, d = tail(spare, 4 * n), tail(spare, 5 * n), tail(spare, 6 * n), tail(spare, 7 * n)
    q2 = tail(spare, 8 * n)
    q3 = tail(q2, tree.nq)
    close(bench, q, v, tau, wrenches, pushed, stabilise, tolerance, a1)
    if check == 1:
        broken = find_broken(bench)
        if broken >= 0:
            return broken
    combine(n, k2, v, h, a1, 0.5, a1, 0.0, a1, 0.0, a1, 0.0)
    advance(tree, q, v, 0.5 * h, q2)
    close(bench, q2, k2, tau, wrenches, pushed, stabilise, tolerance, a2)
    combine(n, k3, v, h, a2, 0.5, a2, 0.0, a2, 0.0, a2, 0.0)
    advance(tree, q, k2, 0.5 * h, q3)
    close(bench, q3, k3, tau, wrenches, pushed, stabilise, tolerance, a3)
    combine(n, k4, v, h, a3, 1.0, a3, 0.0, a3, 0.0, a3, 0.0)
    combine(n, d, None, h, k3, 1.0, v, -0.5, v, 0.0, v, 0.0)
    advance(tree, q2, d, 1.0, q3)
    close(bench, q3, k4, tau, wrenches, pushed, stabilise, tolerance, a4)
    combine(n, d, None, h, v, 3.0 / 12.0, k2, 2.0 / 12.0, k3, 2.0 / 12.0, k4, -1.0 / 12.0)
    advance(tree, q, d, 1.0, q)
    combine(n, d, None, h, v, -1.0 / 12.0, k2, 2.0 / 12.0, k3, 2.0 / 12.0, k4, 3.0 / 12.0)
    advance(tree, q, d, 1.0, q)
    combine(n, v, v, h, a1, 1.0 / 6.0, a2, 2.0 / 6.0, a3, 2.0 / 6.0, a4, 1.0 / 6.0)
    return -1


@kernel
def step_euler(bench, spare, q, v, tau, wrenches, pushed, h, stabilise, tolerance, check):
    """One step of semi-implicit Euler; returns the first link that broke, or -1."""
    close(bench, q, v, tau, wrenches, pushed, stabilise, tolerance, spare)
    if check == 1:
        broken = find_broken(bench)
        if broken >= 0:
            return broken
    for k in range(bench.tree.nv):
        v[k] = v[k] + spare[k] * h
    advance(bench.tree, q, v, h, q)
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


@kernel
def settle(bench, q, v, tau, tolerance, turn):
    """Bring values and rates of rigid links back to zero, by one step of Newton's method; `turn`: room for nv numbers.

    Returns the greatest value there was.
    """
    tree, links = bench.tree, bench.links
    meet(bench, q, v, v, False)
    give_way(tree, bench.limb, v, tau)
    rank, right, change = couple(bench, tolerance), tail(bench.spare, 2 * links.stride), tail(bench.change, tree.nv)
    worst = 0.0
    for n in range(links.held):
        right[n] = -links.row[n].value
        worst = maximum(worst, absolute(links.row[n].value))
    hold(bench, rank, right)
    for k in range(tree.nv):
        turn[k] = change[k]
    for n in range(links.held):
        right[n] = -links.row[n].rate
    hold(bench, rank, right)
    for k in range(tree.nv):
        v[k] = v[k] + change[k]
    advance(tree, q, turn, 1.0, q)
    return worst
