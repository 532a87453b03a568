"""One step with contact by hypothesis and validity: a page that reads like the paper's list (§4.9).

Velocities at the end of the step are unknown, v⁺ = v + h v̇, q⁺ = q ⊞ h v⁺; what is held is held at v⁺, so that
nothing drifts.  Overlaps are taken back by a prescribed motion of the contact (§4.8), which moves places but leaves no
velocity.
"""

from hitogata.contact.narrowphase import find_contacts, touch
from hitogata.dynamics.integration import advance
from hitogata.lanes import absolute, clip, kernel, maximum, tail
from hitogata.loops.closed_form import meet
from hitogata.loops.contacts.hypotheses import from_motion
from hitogata.loops.contacts.layout import MOST_CONTACTS, NONE
from hitogata.loops.contacts.memory import recall, remember
from hitogata.loops.contacts.passes import find_forces, solve_pass, solve_whole
from hitogata.loops.contacts.patch_rows import copy_links, idle, look_ahead, open_rows, soften, write_patches
from hitogata.loops.contacts.patches import gather
from hitogata.loops.contacts.pgs import sweep_forces
from hitogata.loops.contacts.report_output import write_report
from hitogata.loops.delassus import multiply, spread
from hitogata.loops.recursion import accelerate, give_way, standing_still
from hitogata.loops.rows import find_drifts
from hitogata.loops.whitening import whiten_link
from hitogata.spatial import length

SINKING = 0.25
"""Share of gravity with which a contact that hovers sinks."""

TINY = 1e-30

NEGLIGIBLE = 1e-9
"""Correction that is not worth a solve [m/s, rad/s]."""


@kernel
def step(stage, q, v, tau, wrenches, pushed, vdot, knock):
    """Move one state on; returns patches, those of an impact, passes of the forces and of the impact, and how
    forces were found (1: by hypotheses; 2: by sweeps; 0: not at all).

    Args:
        stage: the figure, its virtual links, scratch, and what is around.
        q: coordinates, moved on in place.
        v: velocities, likewise.
        tau: generalized forces.
        wrenches: external ones.
        pushed: whether there are any.
        vdot: accelerations of the step without impact, out.
        knock: what the impact did, out: reports of patches.
    """
    own, floor = stage.own, stage.room.patches.floor
    tree, rules, held = own.tree, floor.rules, own.links.rows
    struck, knocks, passes, good, impact = 0, 0, 0, 1, True
    for n in range(held):
        floor.knock[n] = 0.0
    while passes == 0:                                           # once, or twice if there is an impact
        bench, patches = survey(stage, q, v, tau, wrenches, pushed, vdot)
        impact = impact and fast(floor, patches)
        soften(own, bench, rules.h, impact)
        if impact:
            bounce(own, bench, floor, patches, held, 1.0)
        else:
            stop(own, bench, floor, patches, held)
        scale = rules.h
        if impact:
            scale = 1.0
        tried, valid, rank = find_forces(bench, floor, patches, held, floor.need, scale, impact, floor.force)
        if impact and valid == 2 and gain(bench, floor, patches, held) > 0.0:
            bounce(own, bench, floor, patches, held, 0.0)
            valid = 2 * sweep_forces(bench, floor, patches, held, floor.need, scale, floor.force)
        good = worse(good, valid)
        spread(bench, floor.force, bench.links.held)
        change = tail(bench.change, tree.nv)
        if rules.crowded > 0.0:
            good = 0
        if impact:                                               # then all anew: what bounces has gone
            for k in range(tree.nv):
                v[k] = v[k] + change[k]
            write_report(floor, held, patches, knock)
            for n in range(held):
                floor.knock[n] = floor.force[n]
            struck, knocks, impact = patches, tried, False
        else:
            for k in range(tree.nv):
                vdot[k] = vdot[k] + change[k]
                v[k] = v[k] + rules.h * vdot[k]
                floor.move[k] = v[k]
            for n in range(held):                                # an impulse, over the step, counts like a force
                own.links.row[n].force = floor.force[n] + floor.knock[n] / rules.h
            mend(own, bench, floor, patches, held, rank, floor.move)  # overlaps
            advance(tree, q, floor.move, rules.h, q)
            passes = tried
        remember(floor, patches)
    return patches, struck, passes, knocks, good


@kernel
def survey(stage, q, v, tau, wrenches, pushed, vdot):
    """Patches, their rows and B, the motion without them, and the first hypotheses."""
    own, room, around = stage.own, stage.room, stage.around
    floor = room.patches.floor
    tree, limbs, rules, held = own.tree, own.limb, floor.rules, own.links.rows
    look_ahead(own, rules.h)
    meet(own, q, v, wrenches, pushed)                                    # places, speeds, rows of virtual links
    found = find_contacts(touch, around.shapes, limbs, around.pairs, around.total, reach(tree, limbs, rules),
                          room.work, room.contact, room.point, MOST_CONTACTS)  # fmt: skip
    if found > MOST_CONTACTS:
        rules.crowded = 1.0
    patches = gather(limbs, around.shapes, room.contact, room.point, min(found, MOST_CONTACTS), floor, room.spare)
    recall(floor, patches)                                       # where the pressure was
    bench = open_rows(own, patches, room.patches)
    copy_links(own, bench)
    write_patches(bench, own.links.total, floor, patches, held)
    idle(bench)
    give_way(tree, limbs, v, tau)                                # motion without links and contacts
    accelerate(tree, limbs, v, tau, vdot)
    find_drifts(limbs, bench.links, standing_still(tree))
    for k in range(bench.links.total):
        if bench.links.link[k].count > 0:
            whiten_link(bench, k)
    multiply(bench, bench.links.held)
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
def fast(floor, patches):
    """Does a patch close fast enough for an impact?"""
    hit = False
    for p in range(patches):
        if floor.patch[p].closing < -floor.rules.impact_speed:
            hit = True
    return hit


@kernel
def bounce(own, bench, floor, patches, held, share):
    """Changes of rates in an impact: what closes stops, or is sent back by a share of its restitution (§2.4, 4.6)."""
    for n in range(held):
        floor.need[n] = 0.0
        if n < own.links.held:
            floor.need[n] = -bench.links.row[n].rate
    for p in range(patches):
        patch, u = floor.patch[p], tail(floor.rate, 6 * p)
        back = 0.0
        if patch.closing < -floor.rules.impact_speed:
            back = share * patch.bounce
        for k in range(6):
            more = 1.0
            if 2 <= k < 5:
                more = 1.0 + back
            floor.goal[6 * p + k] = -more * u[k]
            floor.need[held + 6 * p + k] = -more * u[k]


@kernel
def gain(bench, floor, patches, held):
    """Energy that the forces of an impact add: power at the mean of the rates before and after."""
    rows, stride, total = held + 6 * patches, bench.links.stride, 0.0
    for n in range(rows):
        before = bench.links.row[n].rate if n < held else floor.rate[n - held]
        change = 0.0
        for m in range(rows):
            change = change + bench.reply[n * stride + m] * floor.force[m]
        total = total + floor.force[n] * (before + 0.5 * change)
    return total


@kernel
def worse(a, b):
    """Of two answers of `find_forces`: not settled before found by sweeps before valid."""
    if a == 0 or b == 0:
        return 0
    return max(a, b)


@kernel
def stop(own, bench, floor, patches, held):
    """Accelerations that take all rates to zero; of compliant links, to where their force at the end belongs."""
    links, h = bench.links, floor.rules.h
    for n in range(own.links.held):
        row = links.row[n]
        floor.need[n] = -row.rate / h - row.drift
    for k in range(own.links.total):
        link, late = own.links.link[k], h + own.links.number[k].relaxation
        if link.rigid == 0:
            for n in range(link.first, link.first + link.count):
                row = links.row[n]
                floor.need[n] = -row.drift - (row.value + late * row.rate) / (h * late)
    for p in range(patches):
        for k in range(6):
            row = links.row[held + 6 * p + k]
            floor.goal[6 * p + k] = -floor.rate[6 * p + k]
            floor.need[held + 6 * p + k] = -floor.rate[6 * p + k] / h - row.drift


@kernel
def mend(own, bench, floor, patches, held, rank, move):
    """Overlaps are taken back, a part in every step, by a velocity that moves but is not kept.

    Gaps close the same way, but no faster than weight would close them.  `rank`: of B, if its factor is there, else -1;
    `move`: velocities of the step, changed.
    """
    links, rules = bench.links, floor.rules
    part, most = rules.correction / rules.h, 0.0
    slow = SINKING * rules.h * length(bench.tree.gravity)
    for n in range(held):
        floor.need[n] = 0.0
    for n in range(own.links.held):
        floor.need[n] = -part * links.row[n].value
        most = maximum(most, absolute(floor.need[n]))
    for p in range(patches):
        patch, at = floor.patch[p], held + 6 * p
        patch.drag_x, patch.drag_y, patch.spin = 0.0, 0.0, 0.0   # no friction: it could jam
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
    if rank >= 0:
        solve_whole(bench, held + 6 * patches, rank, floor.need, floor.mending)
    else:
        solve_pass(bench, floor, patches, held, floor.need, floor.mending)
    spread(bench, floor.mending, bench.links.held)
    change = tail(bench.change, bench.tree.nv)
    for k in range(bench.tree.nv):
        move[k] = move[k] + change[k]
