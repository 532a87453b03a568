"""One step with contact by hypothesis and validity: a page that reads like the paper's list (§4.9).

Velocities at the end of the step are unknown, v⁺ = v + h v̇, q⁺ = q ⊞ h v⁺; what is held is held at v⁺, so that
nothing drifts.  Overlaps are taken back by a prescribed motion of the contact (§4.8), which moves places but leaves no
velocity.
"""

from hitogata.contact.finding import find_contacts
from hitogata.dynamics.integration import advance
from hitogata.lanes import absolute, clip, kernel, maximum, records, tail
from hitogata.loops.closing import meet
from hitogata.loops.contacts.hypotheses import from_motion
from hitogata.loops.contacts.layout import MOST_CONTACTS, MOST_PATCHES, NONE
from hitogata.loops.contacts.memory import recall, remember
from hitogata.loops.contacts.passes import find_forces, solve_pass
from hitogata.loops.contacts.patches import gather
from hitogata.loops.contacts.reporting import write_report
from hitogata.loops.layout import SIDE, Bench, LinkInts, Links, Row, stride_of
from hitogata.loops.pivots import multiply
from hitogata.loops.recursion import accelerate, drift_only, give_way, reply, standing_still, whiten_link
from hitogata.loops.rows import find_drifts
from hitogata.spatial import Force, Vec3, cols, cross, length, power

SINKING = 0.25
"""Share of gravity with which a contact that hovers sinks."""

TINY = 1e-30

NEGLIGIBLE = 1e-9
"""Correction that is not worth a solve [m/s, rad/s]."""


@kernel
def step(own, memory, order, floor, around, q, v, tau, wrenches, pushed, vdot, knock):
    """Move one state on; returns patches, those of an impact, passes of the forces and of the impact, and 1 if valid.

    Args:
        own: bench with the user's virtual links alone.
        memory: scratch for the rows of all links and patches.
        order: likewise, of whole numbers.
        floor: patches.
        around: shapes, pairs, and room for contact points.
        q: coordinates, moved on in place.
        v: velocities, likewise.
        tau: generalized forces.
        wrenches: external ones.
        pushed: whether there are any.
        vdot: accelerations of the step without impact, out.
        knock: what the impact did, out: a report.
    """
    tree, rules, held = own.tree, floor.rules[0], own.links.held
    struck, knocks, passes, good, impact = 0, 0, 0, 1, True
    while passes == 0:                                           # once, or twice if there is an impact
        bench, patches = survey(own, memory, order, floor, around, q, v, tau, wrenches, pushed, vdot)
        impact = impact and fast(floor, patches)
        if impact:
            bounce(bench, floor, patches, held)
        else:
            stop(bench, floor, patches, held)
        scale = rules.h
        if impact:
            scale = 1.0
        tried, valid = find_forces(bench, floor, patches, held, floor.need, scale, floor.force)
        good = good * valid
        spread(bench, floor.force, held + 6 * patches)
        change = tail(bench.change, tree.nv)
        if impact:                                               # then all anew: what bounces has gone
            for k in range(tree.nv):
                v[k] = v[k] + change[k]
            write_report(floor, held, patches, knock)
            struck, knocks, impact = patches, tried, False
        else:
            for k in range(tree.nv):
                vdot[k] = vdot[k] + change[k]
                v[k] = v[k] + rules.h * vdot[k]
                floor.move[k] = v[k]
            for n in range(held):
                own.links.row[n].force = floor.force[n]
            mend(bench, floor, patches, held, floor.move)        # overlaps
            advance(tree, q, floor.move, rules.h, q)
            passes = tried
        remember(floor, patches)
    return patches, struck, passes, knocks, good


@kernel
def survey(own, memory, order, floor, around, q, v, tau, wrenches, pushed, vdot):
    """Patches, their rows and B, the motion without them, and the first hypotheses."""
    tree, limbs, rules, held = own.tree, own.limb, floor.rules[0], own.links.held
    meet(own, q, v, wrenches, pushed)                                    # places, speeds, rows of virtual links
    found = find_contacts(around.shapes, limbs, around.pairs, around.total, reach(tree, limbs, rules), around.work,
                          around.contacts, around.points, MOST_CONTACTS)  # fmt: skip
    patches = gather(limbs, around.shapes, around.contacts, around.points, min(found, MOST_CONTACTS), floor,
                     around.spare)  # fmt: skip
    recall(floor, patches)                                       # where the pressure was
    bench = open_rows(own, patches, memory, order)
    copy_links(own, bench)
    write_patches(bench, own.links.total, floor, patches, held)
    idle(bench)
    give_way(tree, limbs, v, tau)                                # motion without links and contacts
    accelerate(tree, limbs, v, tau, vdot)
    find_drifts(limbs, bench.links, standing_still(tree))
    for k in range(bench.links.total):
        if bench.links.link[k].count > 0:
            whiten_link(bench, k)
    multiply(bench.white, bench.reply, tree.nv, held + 6 * patches, bench.links.stride)
    for p in range(patches):
        from_motion(floor.patch[p], floor.ints[p], tail(floor.rate, 6 * p), rules.still, rules.blend)
    return bench, patches


@kernel
def reach(tree, limbs, rules):
    """How near points are of interest: what may come into touch within half a step."""
    most = 0.0
    for i in range(tree.bodies):
        limb = limbs[i]
        most = maximum(most, length(limb.speed) + 0.5 * length(limb.omega))
    return rules.touch + rules.h * most


@kernel
def open_rows(own, patches, memory, order):
    """A bench for the rigid ones of the user's links and six rows per patch, on the bodies of `own`."""
    total, rows, nv = own.links.total + patches, own.links.held + 6 * patches, own.tree.nv
    stride = stride_of(rows)
    push = tail(memory, (rows + 8) * Row.SIZE)
    white = tail(push, 13 * SIDE)
    reply_ = tail(white, stride * nv)
    factor, small, work = tail(reply_, stride * rows), tail(reply_, 2 * stride * rows), tail(reply_, 3 * stride * rows)
    spare = tail(work, stride * rows)
    links = Links(total, rows, rows, stride, records(tail(order, rows + 1), LinkInts), own.links.number,
                  records(memory, Row))  # fmt: skip
    return Bench(own.tree, own.limb, links, white, push, reply_, factor, small, work, spare, tail(spare, 8 * stride),
                 order)  # fmt: skip


@kernel
def rows_size(tree, held):
    """Numbers of scratch that `open_rows` may take."""
    rows = held + 6 * MOST_PATCHES
    stride = stride_of(rows)
    return (rows + 8) * Row.SIZE + 13 * SIDE + stride * (tree.nv + 4 * rows + 8) + 2 * tree.nv


@kernel
def copy_links(own, bench):
    """Rows of the user's rigid links come first; compliant ones have done their work."""
    for k in range(own.links.total):
        a, b = own.links.link[k], bench.links.link[k]
        b.body_a = a.body_a
        b.body_b = a.body_b
        b.first = a.first
        b.count = a.count * a.rigid
        b.rigid = a.rigid
    for n in range(own.links.held):
        a, b = own.links.row[n], bench.links.row[n]
        b.on_a = a.on_a
        b.on_b = a.on_b
        b.value = a.value
        b.rate = a.rate


@kernel
def write_patches(bench, first, floor, patches, held):
    """Six rows for every patch, and their rates."""
    links = bench.links
    for p in range(patches):
        own, patch, link = floor.ints[p], floor.patch[p], links.link[first + p]
        link.body_a = own.body_a
        link.body_b = own.body_b
        link.first = held + 6 * p
        link.count = 6
        link.rigid = 1
        x, y, z = cols(patch.axes)
        write_push(bench, link, 0, patch.place, x)
        write_push(bench, link, 1, patch.place, y)
        write_push(bench, link, 2, patch.place, z)
        write_turn(bench, link, 3, x)
        write_turn(bench, link, 4, y)
        write_turn(bench, link, 5, z)
        for k in range(6):
            row = links.row[link.first + k]
            total = power(row.on_a, body_motion(bench.limb[own.body_a]))
            if own.body_b >= 0:
                total = total + power(row.on_b, body_motion(bench.limb[own.body_b]))
            row.rate = total
            floor.rate[6 * p + k] = total


@kernel
def body_motion(limb):
    """Velocity of a body at its origin."""
    return Force(limb.omega, limb.speed)


@kernel
def write_push(bench, link, n, place, axis):
    """A force along an axis at a place."""
    row = bench.links.row[link.first + n]
    row.on_a = Force(cross(place - bench.limb[link.body_a].pos, axis), axis)
    row.on_b = Force(cross(place, axis), axis) * -1.0
    if link.body_b >= 0:
        row.on_b = Force(cross(place - bench.limb[link.body_b].pos, axis), axis) * -1.0


@kernel
def write_turn(bench, link, n, axis):
    """A torque about an axis."""
    row, none = bench.links.row[link.first + n], Vec3(0.0, 0.0, 0.0)
    row.on_a = Force(axis, none)
    row.on_b = Force(axis * -1.0, none)


@kernel
def idle(bench):
    """What velocities alone bring, to be taken off: held are velocities, whose rows do not turn within the step."""
    limbs, links = bench.limb, bench.links
    drift_only(bench.tree, limbs)
    for k in range(links.total):
        link = links.link[k]
        for n in range(link.first, link.first + link.count):
            row = links.row[n]
            total = power(row.on_a, limbs[link.body_a].acceleration)
            if link.body_b >= 0:
                total = total + power(row.on_b, limbs[link.body_b].acceleration)
            row.swing = -total


@kernel
def fast(floor, patches):
    """Does a patch close fast enough for an impact?"""
    hit = False
    for p in range(patches):
        if floor.patch[p].closing < -floor.rules[0].impact_speed:
            hit = True
    return hit


@kernel
def bounce(bench, floor, patches, held):
    """Changes of rates in an impact: what closes stops, or is sent back (§2.4, 4.6)."""
    for n in range(held):
        floor.need[n] = -bench.links.row[n].rate
    for p in range(patches):
        patch, u = floor.patch[p], tail(floor.rate, 6 * p)
        back = 0.0
        if patch.closing < -floor.rules[0].impact_speed:
            back = patch.bounce
        for k in range(6):
            more = 1.0
            if 2 <= k < 5:
                more = 1.0 + back
            floor.goal[6 * p + k] = -more * u[k]
            floor.need[held + 6 * p + k] = -more * u[k]


@kernel
def stop(bench, floor, patches, held):
    """Accelerations that take all rates to zero."""
    links, h = bench.links, floor.rules[0].h
    for n in range(held):
        row = links.row[n]
        floor.need[n] = -row.rate / h - row.drift
    for p in range(patches):
        for k in range(6):
            row = links.row[held + 6 * p + k]
            floor.goal[6 * p + k] = -floor.rate[6 * p + k]
            floor.need[held + 6 * p + k] = -floor.rate[6 * p + k] / h - row.drift


@kernel
def mend(bench, floor, patches, held, move):
    """Overlaps are taken back, a part in every step, by a velocity that moves but is not kept.

    Gaps close the same way, but no faster than weight would close them.  `move`: velocities of the step, changed.
    """
    links, rules = bench.links, floor.rules[0]
    part, most = rules.correction / rules.h, 0.0
    slow = SINKING * rules.h * length(bench.tree.gravity)
    for n in range(held):
        floor.need[n] = -part * links.row[n].value
        most = maximum(most, absolute(floor.need[n]))
    for p in range(patches):
        patch, at = floor.patch[p], held + 6 * p
        turn = slow
        if patch.least < 0.0:
            turn = rules.push_out
        turn = turn / (patch.radius + TINY)
        for k in range(6):
            floor.need[at + k] = 0.0
        if floor.ints[p].state != NONE:
            floor.need[at + 2] = clip(-part * patch.gap, -slow, rules.push_out)
            floor.need[at + 3] = clip(-part * patch.slope_y, -turn, turn)
            floor.need[at + 4] = clip(part * patch.slope_x, -turn, turn)
            for k in range(2, 5):
                most = maximum(most, absolute(floor.need[at + k]))
    if most < NEGLIGIBLE:
        return
    solve_pass(bench, floor, patches, held, floor.need, floor.mending)
    spread(bench, floor.mending, held + 6 * patches)
    change = tail(bench.change, bench.tree.nv)
    for k in range(bench.tree.nv):
        move[k] = move[k] + change[k]


@kernel
def spread(bench, force, rows):
    """What forces of all rows do to the velocities, into change[1]."""
    stride, white = bench.links.stride, bench.white
    for k in range(bench.tree.nv):
        total = 0.0
        for n in range(rows):
            total = total + white[k * stride + n] * force[n]
        bench.change[k] = total
    reply(bench.tree, bench.limb, bench.change, tail(bench.change, bench.tree.nv))
