"""Forward dynamics with virtual links: the closed form of Nakamura & Yamane 2000, eq. 20 and 21.

    [A -Hᵀ; H 0] [v̇; f] = [τ - b; target - Ḣ v]       B = H A⁻¹ Hᵀ
    B f = target - Ḣ v - H A⁻¹ (τ - b)                 v̇ = A⁻¹ (τ - b) + A⁻¹ Hᵀ f

A⁻¹ (τ - b) is the motion without the links, by articulated bodies; H A⁻¹ (τ - b) + Ḣ v are the accelerations that the
rows see in it.  A target other than 0 pulls back what has drifted: -2 s rate - s² value (Baumgarte 1972).
"""

from hitogata.dynamics.articulated import add_wrench
from hitogata.lanes import kernel, tail
from hitogata.loops.coupling import multiply, spread
from hitogata.loops.pivots import factorise, residual, solve
from hitogata.loops.recursion import accelerate, begin, give_way, standing_still
from hitogata.loops.rows import add_forces, find_drifts, find_spring_forces, write_rows
from hitogata.loops.whitening import whiten_link

NOTHING = 1e-20
"""Share of its bound below which a row's own reply is rounding: nothing moves it (an axis aside by 1e-10 rad)."""


@kernel
def close(bench, q, v, tau, wrenches, pushed, stabilise, tolerance, out):
    """Accelerations into `out`, forces into the rows; returns rank and residual."""
    tree, limbs, links = bench.tree, bench.limb, bench.links
    meet(bench, q, v, wrenches, pushed)
    give_way(tree, limbs, v, tau)
    accelerate(tree, limbs, v, tau, out)
    find_drifts(limbs, links, standing_still(tree))
    rank, right = couple(bench, tolerance), tail(bench.spare, 2 * links.stride)
    for n in range(links.held):
        row = links.row[n]
        right[n] = -row.drift - stabilise * (2.0 * row.rate + stabilise * row.value)
    off = hold(bench, rank, right)
    for n in range(links.held):
        links.row[n].force = tail(bench.spare, 3 * links.stride)[n]
    change = tail(bench.change, tree.nv)
    for k in range(tree.nv):
        out[k] = out[k] + change[k]
    return rank, off


@kernel
def meet(bench, q, v, wrenches, pushed):
    """Places, speeds, rows; forces that are known: wrenches from outside (if pushed), and those of compliant links."""
    tree, limbs, links = bench.tree, bench.limb, bench.links
    begin(tree, limbs, q, v)
    if pushed:
        for i in range(tree.bodies):
            add_wrench(tree.joint[i], tree.body[i], limbs[i], wrenches)
    write_rows(tree, limbs, links)
    find_spring_forces(links)
    add_forces(limbs, links, 0)


@kernel
def couple(bench, tolerance):
    """B of the rigid links' rows, and its factor; returns the rank."""
    links, spare = bench.links, bench.spare
    for k in range(links.total):
        if links.link[k].rigid == 1:
            whiten_link(bench, k)
    multiply(bench)
    for n in range(links.held):
        at = n * links.stride + n
        if bench.reply[at] < NOTHING * links.row[n].bound:
            bench.reply[at] = 0.0
    left = tail(spare, links.stride)
    return factorise(bench.reply, bench.factor, bench.order, spare, left, links.held, links.stride, tolerance)


@kernel
def hold(bench, rank, right):
    """Forces with B f = right into spare[3], what they do to the velocities into change[1]; returns the residual."""
    links, spare = bench.links, bench.spare
    stride, count = links.stride, links.held
    force, work = tail(spare, 3 * stride), tail(spare, 4 * stride)
    left = tail(spare, stride)
    solve(bench.factor, bench.order, spare, left, bench.small, work, right, force, count, rank, stride)
    spread(bench, force)
    if rank == count:
        return 0.0
    return residual(bench.reply, right, force, count, stride)
