"""2b  Bodies move along curves: momentum of a step in which joints turn.

A step moves the joints by h v, and bodies from x to x(q ⊞ h v): their mean velocities w = (x(q ⊞ h v) - x(q)) / h are
not J v.  What joints take off the momenta of bodies acts along J at the beginning of the step, so

    Jᵀ m w = Jᵀ m w₋ + impulses            w₋: the mean velocities of the last step

is the discrete Euler-Lagrange equation of the tree (Marsden & West 2001; SHAKE): of second order, it keeps momentum
exactly and does not drift in energy.  With w = J v + bend it is solved by substitution, M v = ... - Jᵀ m bend(v).

What a body's bend is: `body_curves`.  Long steps may still gain energy; what keeps them from it: `tree_energy`.
"""

from hitogata.dynamics.factor import unwhiten_joint, unwhiten_trees, whiten_joint
from hitogata.dynamics.followers import follow
from hitogata.dynamics.joints import is_floating, move_on
from hitogata.dynamics.layout import velocities_to
from hitogata.lanes import any_lane, clip, kernel, maximum, minimum, sqrt, where
from hitogata.sim.body_curves import (
    INFINITE,
    LOST,
    MOST_ROUNDS,
    STALLED,
    STILL,
    STILL_ALONE,
    bend_bodies,
    energy_of_excess,
    follow_alone,
)
from hitogata.sim.body_state import brought_along, fall_of, place_body
from hitogata.sim.tree_energy import UNKNOWN, energy_scale, known_work, rescale
from hitogata.sim.tree_motion import (
    LEAST,
    fastest_turning,
    half_kick,
    is_free,
    is_limp,
    is_loose,
    led_by_nobody,
    move_bodies,
    move_body,
    open_room,
    whiten_velocities,
)
from hitogata.spatial import dot

SLOW = 1e-4
"""A body that turns at ω with h ω² below this, and all that it hangs on, loses nothing worth the work [1/s]."""

TAME, WILD = 0.8, 1.4
"""What turns by more than the former within a step is followed less, and from the latter on not at all.  Energy is let
go from the latter on, and of what something touches from the former on [rad]."""

HELD = 4.0
"""Trees that would have more than this times the energy they had are taken to be held: see `going_on`."""

MOST_MIXED = 0.5
"""Bound of what is mixed in of the last round: see `mix`."""


@kernel
def note_pushes(scene, spare, sign):
    """Note the impulses of springs and pushes: with -1 before they are added to the momenta, with 1 after."""
    pushed = open_room(scene, spare).pushed
    for k in range(scene.tree.nv):
        pushed[k] = where(sign > 0.0, pushed[k], 0.0) + scene.x[k] * sign


@kernel
def follow_curves(scene, solids, state, control, law, spare):
    """Let the bodies of all fast trees move along their curves.  `scene.x` holds whitened velocities, M is factorised.
    """
    tree, root, room = scene.tree, 0, open_room(scene, spare)
    while root < tree.bodies:
        end = tree.joint[root].end
        fastest = fastest_turning(state, root, end)
        fast = (fastest * law.h > SLOW) & led_by_nobody(tree, root)
        if any_lane(fast):
            turned = sqrt(fastest) * law.h
            share = where(fast, clip((WILD - turned) * (1.0 / (WILD - TAME)), 0.0, 1.0), 0.0)
            if end - root > 1 or not is_floating(tree.joint[root]):  # a body alone is held by nothing inside
                share = share * going_on(scene, state, root, end)
            most = where(state.owed[root] > 0.0, WILD, TAME)  # rows know nothing of curves
            kept = minimum(1.0, most * most / maximum(turned * turned, LEAST))
            follow_tree(scene, solids, state, control, law, room, root, end, share, kept, fast)
        state.depth[root] = where(fast, state.depth[root], UNKNOWN)
        root = end


@kernel
def going_on(scene, state, root, end):
    """Share of its bends that a tree follows: min(1, 4 |L v₋|²/|L v|²), v₋ its velocities in the last step.

    What limits, contacts or ties hold would, without these, as is known here, move along curves that it does not take;
    at rest, it would rest out of balance.  What speeds up evenly from rest follows from its second step on.
    """
    tree, stride, mass = scene.tree, scene.chains.stride, scene.mass
    before, now = state.mean[tree.joint[root].iv] * 0.0, state.mean[tree.joint[root].iv] * 0.0 + LEAST
    for i in range(root, end):
        joint = tree.joint[i]
        for k in range(joint.iv, joint.iv + joint.count):
            row, depth = k * stride, joint.depth + k - joint.iv
            value = state.mean[k] / mass[row + depth]
            for j in range(depth):
                value = value + mass[row + j] * state.mean[scene.chains.velocity[i * stride + j]]
            if joint.arguments == 0:
                before, now = before + value * value, now + scene.x[k] * scene.x[k]
    return minimum(HELD * before / now, 1.0)


@kernel
def follow_tree(scene, solids, state, control, law, room, root, end, share, kept, fast):
    """Substitution: v, the bends it makes, v with them ..., in those that are fast."""
    tree, chains, mass, x = scene.tree, scene.chains, scene.mass, scene.x
    first, last = tree.joint[root].iv, velocities_to(tree, end)
    limp = is_limp(tree, control, root, end)
    if any_lane(limp):
        half_kick(scene, room.half, law.h, root, end)
    for k in range(first, last):
        room.half[k] = where(limp, room.half[k], 0.0)
        room.start[k] = x[k]
    began = (state.depth[root] >= UNKNOWN) & is_free(tree, root)
    known = known_work(scene, solids, state, where(limp, 0.5 * law.h, law.h), kept, root, end)
    n, going, rounds, still, before = 0.0, fast, MOST_ROUNDS, STILL / law.h, INFINITE
    alone = end - root == 1 and is_loose(tree, control, root)
    if end - root == 1:
        still = STILL_ALONE / law.h
    if alone:
        follow_alone(scene, solids[root], room, root, share, law.h, fast)
        going = going & False
    if any_lane(going):
        find_turning(scene, state, room.reached, root, end, law.h)
        begin_rounds(scene, room, root, end)
    while any_lane(going):
        for i in range(root, end):
            if any_lane(room.reached[i].needed > 0.0):
                unwhiten_joint(tree.joint[i], chains, mass, x, room.next, i)
        moved = greatest_change(tree, room, root, end)
        if n > 0.0:
            done = (moved < still * still) | (moved > STALLED * before)
            rounds = where(done, minimum(rounds, n), rounds)
        before = where(n > 0.0, moved, INFINITE)
        mix(tree, room, root, end, n, going, going & (n < rounds))
        if any_lane(going & (n >= rounds) & (share > 0.0)):
            strays = (moved * (law.h * law.h) > LOST * LOST) & going & (n >= rounds) & (share > 0.0)
            share, rounds = where(strays, 0.0, share), where(strays, n + 1.0, rounds)
        going = going & (n < rounds)
        n += 1.0
        if any_lane(going):
            for i in range(root, end):
                if any_lane(room.reached[i].needed > 0.0):
                    joint = tree.joint[i]
                    move_body(joint, tree.body[i], scene.placed, i, room.v)
                    move_on(joint, state.q, room.v, law.h, room.q)
                    for k in range(joint.iv, joint.iv + joint.count):
                        x[k] = x[k] * 0.0
            if scene.followers.total > 0:
                follow(tree, scene.followers, room.q, root, end)
            for i in range(root, end):
                if any_lane(room.reached[i].needed > 0.0):
                    place_body(tree.joint[i], tree.body[i], room.reached[i], room.reached, room.q)
            bend_bodies(scene, solids, room.reached, root, end, share, law.h, going)
            whiten_rounds(scene, room, root, end)
    if not alone:
        unwhiten_trees(tree, chains, mass, x, room.v, root, end)
        move_bodies(scene, room.v, root, end)
    scale, spin, left = energy_scale(scene, solids, state, control, law, room, known, root, end)
    scale, spin = where(fast, scale, 1.0), where(fast, spin, 1.0)
    most = where(began, state.spare[root], where(kept < 1.0, 0.0, INFINITE))  # a motion that begins has lost nothing
    state.spare[root] = where(fast, minimum(left, most), state.spare[root])
    slower = (scale < 1.0) | (spin < 1.0)
    if alone or any_lane(slower):
        for k in range(first, last):
            room.old[k] = x[k]
        rescale(scene, solids, room, root, end, scale, spin)
        move_bodies(scene, room.v, root, end)
        whiten_velocities(scene, room.v, root, end)
        if not alone:
            for k in range(first, last):
                x[k] = where(slower, x[k], room.old[k])
    for k in range(first, last):
        x[k] = where(fast, x[k] + room.half[k], room.start[k])
    for i in range(root, end):
        placed, old = scene.placed[i], state.carried[i]
        if any_lane(dot(placed.excess, placed.excess) > 0.0):
            placed.bent = energy_of_excess(solids[i].central, placed.rot, placed.motion.ang, placed.excess)
        placed.motion = brought_along(placed.rot, placed.arm, old.centre + fall_of(tree, state, root), old.spin)


@kernel
def greatest_change(tree, room, root, end):
    """Square of the greatest change of a velocity by a round."""
    most = room.v[tree.joint[root].iv] * 0.0
    for i in range(root, end):
        joint, needed = tree.joint[i], room.reached[i].needed > 0.0
        if any_lane(needed):
            for k in range(joint.iv, joint.iv + joint.count):
                change = room.next[k] - room.v[k]
                most = maximum(most, where(needed, change * change, 0.0))
    return most


@kernel
def mix(tree, room, root, end, n, going, more):
    """Velocities of the next round, where there is one: those this one found, g, mixed with those of the last, g₋
    (Anderson 1965, of depth one), in those that are going; where there are no more, g.

    g - θ (g - g₋),  θ = r·(r - r₋) / |r - r₋|²,  r = g - v
    """
    first = tree.joint[root].iv
    along, whole = room.v[first] * 0.0, room.v[first] * 0.0 + LEAST
    if n > 1.0:
        for i in range(root, end):
            joint, needed = tree.joint[i], room.reached[i].needed > 0.0
            if any_lane(needed):
                for k in range(joint.iv, joint.iv + joint.count):
                    own = where(needed, room.next[k] - room.v[k], 0.0)
                    turned = where(needed, own - room.change[k], 0.0)
                    along, whole = along + own * turned, whole + turned * turned
    share = where(more, clip(along / whole, -MOST_MIXED, MOST_MIXED), 0.0)
    for i in range(root, end):
        joint = tree.joint[i]
        if any_lane(room.reached[i].needed > 0.0):
            for k in range(joint.iv, joint.iv + joint.count):
                found = room.next[k]
                room.change[k] = found - room.v[k]
                mixed = found
                if n > 1.0:
                    mixed = found - share * (found - room.old[k])
                room.v[k] = where(going, mixed, room.v[k])
                room.old[k] = found


@kernel
def begin_rounds(scene, room, root, end):
    """Whitened velocities without half a step of gravity."""
    tree = scene.tree
    for k in range(tree.joint[root].iv, velocities_to(tree, end)):
        scene.x[k] = scene.x[k] - room.half[k]


@kernel
def whiten_rounds(scene, room, root, end):
    """The same less what bends are worth, of those that are followed."""
    tree, x = scene.tree, scene.x
    for i in range(end - 1, root - 1, -1):
        if any_lane(room.reached[i].needed > 0.0):
            whiten_joint(tree.joint[i], scene.chains, scene.mass, x, i)
    for i in range(root, end):
        joint = tree.joint[i]
        if any_lane(room.reached[i].needed > 0.0):
            for k in range(joint.iv, joint.iv + joint.count):
                x[k] = room.start[k] - x[k] - room.half[k]


@kernel
def find_turning(scene, state, reached, root, end, h):
    """Which bodies of a tree are followed on their curves, and which have to be placed for that: all, where coordinates
    follow others."""
    tree = scene.tree
    for i in range(root, end):
        spin, own, parent = state.carried[i].spin, reached[i], tree.joint[i].parent
        own.turns = where(dot(spin, spin) * h > SLOW, 1.0, 0.0)
        if parent >= 0:
            own.turns = maximum(own.turns, reached[parent].turns)
        own.needed = 0.0
        if scene.followers.total > 0 or any_lane(own.turns > 0.0):
            own.needed = 1.0
    for i in range(end - 1, root - 1, -1):
        parent = tree.joint[i].parent
        if parent >= 0:
            reached[parent].needed = maximum(reached[parent].needed, reached[i].needed)
