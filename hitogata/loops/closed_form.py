"""Forward dynamics with virtual links: the closed form of Nakamura & Yamane 2000, eq. 20 and 21.

    [A -Hᵀ; H 0] [v̇; f] = [τ - b; target - Ḣ v]       B = H A⁻¹ Hᵀ
    B f = target - Ḣ v - H A⁻¹ (τ - b)                 v̇ = A⁻¹ (τ - b) + A⁻¹ Hᵀ f

A⁻¹ (τ - b) is the motion without the links, by articulated bodies; H A⁻¹ (τ - b) + Ḣ v are the accelerations that the
rows see in it.  A target other than 0 pulls back what has drifted: -2 s rate - s² value (Baumgarte 1972).

A compliant link whose force is that of s seconds later (`compliance`) is a row like the others with a softer
diagonal: with a the row's acceleration, c f = -(value + s rate + s² a) - r (rate + s a), and a = drift + B f, so

    (B + c/(s (s + r))) f = -(value + (s + r) rate)/(s (s + r)) - drift

Where that acceleration is known from the start of a step (`firm`), the row keeps to it as that of a rigid link would.
"""

from hitogata.dynamics.articulated import add_wrench
from hitogata.lanes import kernel, maximum, sqrt, tail
from hitogata.loops.delassus import coupled, multiply, spread
from hitogata.loops.pivots import factorise_scaled, residual, solve
from hitogata.loops.recursion import accelerate, begin, give_way, standing_still
from hitogata.loops.rows import add_spring_forces, find_drifts, write_rows
from hitogata.loops.whitening import whiten_with_reach

NOTHING = 1e-20
"""Share of its bound below which a row's own reply is rounding: nothing moves it (an axis aside by 1e-10 rad)."""


@kernel
def close(bench, q, v, tau, wrenches, pushed, stabilise, tolerance, firm, out):
    """Accelerations into `out`, forces into the rows; returns rank, residual, and least pivot."""
    tree, limbs, links = bench.tree, bench.limb, bench.links
    meet(bench, q, v, wrenches, pushed)
    give_way(tree, limbs, v, tau)
    accelerate(tree, limbs, v, tau, out)
    find_drifts(limbs, links, standing_still(tree))
    count, right = unknowns(links), tail(bench.spare, 2 * links.stride)
    rank, least = couple(bench, count, tolerance, 0.0, firm)
    for n in range(links.held):
        row = links.row[n]
        right[n] = -row.drift - stabilise * (2.0 * row.rate + stabilise * row.value)
    for k in range(links.total):
        link, number = links.link[k], links.number[k]
        if link.rigid == 0 and link.first < count:
            for n in range(link.first, link.first + link.count):
                row = links.row[n]
                right[n] = 0.0
                if row.lag > 0.0 and firm:
                    right[n] = row.pull - row.drift
                elif row.lag > 0.0:
                    late = row.lag + number.relaxation
                    right[n] = -row.drift - (row.value + late * row.rate) / (row.lag * late)
    off = hold(bench, count, rank, right)
    for k in range(links.total):
        link = links.link[k]
        if coupled(links, k):
            for n in range(link.first, link.first + link.count):
                links.row[n].force = tail(bench.spare, 3 * links.stride)[n]
    change = tail(bench.change, tree.nv)
    for k in range(tree.nv):
        out[k] = out[k] + change[k]
    return rank, off, least


@kernel
def unknowns(links):
    """Rows of the system: those of rigid links, and all if a compliant link's force is that of later."""
    count = links.held
    for n in range(links.held, links.rows):
        if links.row[n].lag > 0.0:
            count = links.rows
    return count


@kernel
def meet(bench, q, v, wrenches, pushed):
    """Places, speeds, rows; forces that are known: wrenches from outside (if pushed), and those of compliant links."""
    tree, limbs, links = bench.tree, bench.limb, bench.links
    begin(tree, limbs, q, v)
    if pushed:
        for i in range(tree.bodies):
            add_wrench(tree.joint[i], tree.body[i], limbs[i], wrenches)
    write_rows(tree, limbs, links)
    add_spring_forces(limbs, links)


@kernel
def couple(bench, count, tolerance, drop, firm):
    """B of the first `count` rows, and its factor; returns the rank, and the least pivot that was taken.

    Pivots are measured by `reach`, the mobility of a row's point in all directions.  So they tell how far a row is from
    one that nothing moves, whatever the axes of P are; below `tolerance`, or `drop`, it counts as dependent.
    """
    links, spare, stride = bench.links, bench.spare, bench.links.stride
    for k in range(links.total):
        if links.link[k].first < count and coupled(links, k):
            whiten_with_reach(bench, k)
    multiply(bench, count)
    left = tail(spare, stride)
    for k in range(links.total):
        if links.link[k].first < count:
            scale_link(bench, k, count, drop, firm)
    limit, least = maximum(tolerance, drop), 1.0
    rank = factorise_scaled(bench.reply, bench.factor, bench.order, spare, left, count, stride, limit)
    if rank > 0:
        root = left[bench.order[rank - 1]]
        least = 1.0 / (root * root)
    return rank, least


@kernel
def scale_link(bench, k, count, drop, firm):
    """Scale and scaled diagonal of a link's rows, for the factor; compliance on the diagonal."""
    links, spare, stride, b = bench.links, bench.spare, bench.links.stride, bench.reply
    link, number, left = links.link[k], links.number[k], tail(bench.spare, bench.links.stride)
    held = 1
    if link.rod == 0:
        held = link.hold_x + link.hold_y + link.hold_z
    place, turning, mass = 0.0, 0.0, bench.limb[link.body_a].own.mass
    for n in range(link.count):
        at = (link.first + n) * (stride + 1)
        if n < held:
            place = place + b[at]
        else:
            turning = turning + b[at]
    for n in range(link.count):
        i = link.first + n
        row, at, reach = links.row[i], i * (stride + 1), turning
        bound = row.bound
        if n < held:
            reach = place
            if mass > 0.0:
                bound = bound + 1.0 / mass
        row.reach = row.reach + reach
        spare[i] = 0.0
        left[i] = 0.0
        if link.rigid == 0 and not (firm and row.lag > 0.0):
            if row.lag > 0.0:
                b[at] = b[at] + number.compliance / (row.lag * (row.lag + number.relaxation))
            else:  # its force is known, and acts already
                for m in range(count):
                    b[i * stride + m] = 0.0
                    b[m * stride + i] = 0.0
                b[at] = 1.0
            spare[i] = 1.0 / sqrt(b[at])
            left[i] = 1.0
        elif b[at] < NOTHING * bound or b[at] <= drop * row.reach:
            b[at] = 0.0
        else:
            spare[i] = 1.0 / sqrt(row.reach)
            left[i] = b[at] / row.reach


@kernel
def hold(bench, count, rank, right):
    """Forces with B f = right into spare[3], what they do to the velocities into change[1]; returns the residual."""
    links, spare = bench.links, bench.spare
    stride = links.stride
    force, work = tail(spare, 3 * stride), tail(spare, 4 * stride)
    left = tail(spare, stride)
    solve(bench.factor, bench.order, spare, left, bench.small, work, right, force, count, rank, stride)
    spread(bench, force, count)
    if rank == count:
        return 0.0
    return residual(bench.reply, right, force, count, stride)
