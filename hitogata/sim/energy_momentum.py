"""2b  Bodies move along curves: momentum and energy of a step in which joints turn.

A step moves the joints by h v, and bodies from x to x(q ⊞ h v): their mean velocities w = (x(q ⊞ h v) - x(q)) / h are
not J v.  What joints take off the momenta of bodies acts along J at the beginning of the step, so

    Jᵀ m w = Jᵀ m w₋ + impulses            w₋: the mean velocities of the last step

is the discrete Euler-Lagrange equation of the tree (Marsden & West 2001; SHAKE): of second order, it keeps momentum
exactly and does not drift in energy.  With w = J v + bend it is solved by substitution, M v = ... - Jᵀ m bend(v).

A body that turns by φ = h ω within the step has, in the middle of its way, an angular momentum that is the same before
and after, seen from outside,

    L = exp(φ/2) (I ω / c + (1 - 1/c) n (n·I ω))           c = cos(|φ|/2),  n = φ/|φ|

This is I ω = (Π₋ + Π₊)/2 in the axes of the body (Π its angular momentum there), and so keeps ½ Π·I⁻¹Π as well as L
(Austin, Krishnaprasad & Wang 1993, with the exponential map for Cayley's).

Long steps may still gain energy, so there is a guard.  Joints do no work; with V the potential energy of the bodies at
the beginning of the step, V₊ that foreseen at its end,

    T(w) + ½ (V + V₊) <= T(w₋) + ½ (V₋ + V) + work of springs and pushes + energy lost in earlier steps

A tree that would have more is slowed until it has not.  What steps lose without that, since the energy of a discrete
motion rises and falls about a mean, is remembered per tree and may come back, but no more: whatever else happens, a
tree never has more energy than it began with and was given.  Nothing is sped up.  (Scaling up what lost energy would
feed motions that lost none: the spin of a link about its own axis, which its joints cannot take back.)

What is slowed, of a tree that is free, is its motion less the locked one, in which it moves as one rigid body with its
whole momentum; only if that is not enough (what turned too far to be followed) is its spin, too.  A tree that hangs on
the world is slowed as a whole.
"""

from typing import NamedTuple

from hitogata.constraints.springs import damper_of
from hitogata.dynamics.factor import unwhiten_joint, unwhiten_trees, whiten, whiten_joint
from hitogata.dynamics.followers import follow
from hitogata.dynamics.joints import about, add_felt, driven, is_floating, move_on
from hitogata.dynamics.layout import velocities_to
from hitogata.dynamics.world_kinematics import at_rest
from hitogata.dynamics.world_kinematics import carried as carried_along
from hitogata.lanes import (
    any_lane,
    clip,
    inline,
    kernel,
    lanes,
    maximum,
    minimum,
    negated,
    record,
    records,
    sincos,
    sqrt,
    tail,
    where,
)
from hitogata.sim.body_state import brought_along, fall_of, place_body
from hitogata.sim.motors import at_limit
from hitogata.spatial import (
    Force,
    Mat3,
    Motion,
    Quaternion,
    Sym3,
    Vec3,
    cross,
    cross_cols,
    dot,
    inverse,
    load3,
    rotate,
    rotated,
    rotation_vector,
    shift_of,
    skew,
    solve3,
    store3,
    turn_by,
)

SLOW = 1e-4
"""A body that turns at ω with h ω² below this, and all that it hangs on, loses nothing worth the work [1/s]."""

TAME, WILD = 0.8, 1.4
"""What turns by more than the former within a step is followed less, and from the latter on not at all.  Energy is let
go from the latter on, and of what something touches from the former on [rad]."""

HELD = 4.0
"""Trees that would have more than this times the energy they had are taken to be held: see `going_on`."""

RECALL = 60.0
"""Energy that steps lost may come back within about this time [s]."""

STILL, STILL_ALONE = 1e-6, 1e-14
"""Substitution goes on until joints turn by no more than this differently: of several bodies, and of a body alone,
which shows the slightest error near the axis of its middle inertia [rad] ..."""

STALLED = 0.8
"""... or by no less than the root of this times the last change, ..."""

MOST_ROUNDS = 16.0
"""... or so often."""

MOST_MIXED = 0.5
"""Bound of what is mixed in of the last round: see `mix`."""

ALLOWED = 1e-6
"""Share of its kinetic energy that a tree may have more than there is: rounding is no gain."""

LOST = 1e-3
"""Substitution that changes velocities by more than this in its last round does not converge [rad]."""

INFINITE = 1e30

UNKNOWN = 1e30
"""A depth that is not known."""

SLACK = 1e-9
"""Share of the kinetic energy below which a motion is nothing to scale."""

LEAST = 1e-30
"""A positive number that float32 knows."""

NOTHING = 1e-13
"""Angular momentum that turns a tree no faster is not worth restoring: what rests has no other [rad/s]."""


@record
class Reached:
    """Where a body comes to within the step."""

    rot: Mat3
    base: Mat3
    pos: Vec3
    rel: Vec3
    push: Force  # what the bends of its subtree are worth, about the root's origin
    turns: float  # 1: it, or what it hangs on, turns fast enough to be followed
    needed: float  # 1: so does something in its subtree


class Room(NamedTuple):
    """Views of scratch."""

    pushed: lanes  # type: ignore[valid-type]  # (nv,): impulses of springs and pushes
    start: lanes  # type: ignore[valid-type]  # (nv,): whitened velocities, if bodies moved by J v
    half: lanes  # type: ignore[valid-type]  # (nv,): what half a step of gravity adds to them
    v: lanes  # type: ignore[valid-type]  # (nv,)
    next: lanes  # type: ignore[valid-type]  # (nv,)
    old: lanes  # type: ignore[valid-type]  # (nv,): `next` of the last round
    change: lanes  # type: ignore[valid-type]  # (nv,): `next` less `v`, of the last round
    q: lanes  # type: ignore[valid-type]  # (nq,)
    reached: records  # type: ignore[valid-type]


@kernel
def open_room(scene, spare):
    """Views of scratch, behind what `geometric stiffness` needs of it."""
    nv = scene.tree.nv
    pushed = tail(spare, nv * scene.chains.stride + nv)
    start, half, v = tail(pushed, nv), tail(pushed, 2 * nv), tail(pushed, 3 * nv)
    after, old, change, q = tail(pushed, 4 * nv), tail(pushed, 5 * nv), tail(pushed, 6 * nv), tail(pushed, 7 * nv)
    return Room(pushed, start, half, v, after, old, change, q, records(tail(q, scene.tree.nq), Reached))


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
def fastest_turning(state, root, end):
    """Square of the fastest turning of the bodies of a tree [rad²/s²]."""
    fastest = state.carried[root].spin.x * 0.0
    for i in range(root, end):
        spin = state.carried[i].spin
        fastest = maximum(fastest, dot(spin, spin))
    return fastest


@kernel
def led_by_nobody(tree, root):
    """Whether a tree's momentum is its own: not if its free root has an armature (`strands`)."""
    if is_floating(tree.joint[root]):
        return tree.body[root].armature == 0.0
    return True


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
def is_loose(tree, control, root):
    """Is a body free, without springs and dampers?"""
    if not is_free(tree, root):
        return False
    motor = control.motor[root]
    return not any_lane((motor.stiffness > 0.0) | (motor.damping + tree.body[root].damping > 0.0))


@kernel
def follow_alone(scene, solid, room, root, share, h, fast):
    """The same for a free body alone, by Newton's method.

    Its centre goes as it would by J v.  With ω₀ how it would turn then, and L as above, in the axes of the body,

        I ω + share (L(h ω) - I ω) = I ω₀
    """
    placed, iv, x, arm = scene.placed[root], scene.tree.joint[root].iv, scene.x, scene.placed[root].arm
    for k in range(iv, iv + 6):
        x[k] = x[k] - room.half[k]
    unwhiten_trees(scene.tree, scene.chains, scene.mass, x, room.v, root, root + 1)
    ang, lin = placed.base @ load3(room.v, iv), placed.base @ load3(room.v, iv + 3)
    start, centre = placed.rot.T @ ang, lin + cross(ang, arm)
    own, going, n, before, strays = start, fast, 0.0, INFINITE, fast & False
    while any_lane(going):
        change = curve_newton_step(solid.central, own, start, share, h)
        moved = dot(change, change) * (h * h)
        own = where(going, own - change, own)
        n += 1.0
        done = (moved < STILL_ALONE * STILL_ALONE) | (moved > STALLED * before) | (n > MOST_ROUNDS)
        strays = strays | (going & done & negated(moved <= LOST * LOST))
        going, before = going & negated(done), moved
    share, own = where(strays, 0.0, share), where(strays, start, own)
    ang, spin = placed.rot @ own, solid.central @ own
    bend = (rotate(turn_by(ang * h), arm) - arm) * (1.0 / h) - cross(ang, arm)
    lin = centre - cross(ang, arm) - bend * share
    placed.motion, placed.bend = Motion(ang, lin), Motion(bend * 0.0, bend * share)
    placed.excess = placed.rot @ ((angular_momentum(solid.central, own * h, h) - spin) * share)
    store3(room.v, iv, placed.base.T @ ang)
    store3(room.v, iv + 3, placed.base.T @ lin)


@inline
def curve_newton_step(inertia, spin, start, share, h):
    """Newton step of I ω + share (L(h ω) - I ω) = I ω₀; its tangent is that of L = I ω + ½ h ω × I ω + ..."""
    now = inertia @ spin
    left = now + (angular_momentum(inertia, spin * h, h) - now) * share - inertia @ start
    i, turning = inertia, (cross_cols(spin, inertia) - skew(now)) * (0.5 * h * share)
    return solve3(turning + Mat3(i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz), left)


@inline
def energy_of_excess(central, rot, spin, excess):
    """Kinetic energy that an excess e of angular momentum adds to that of I ω:  ω·e + ½ e·I⁻¹e."""
    own = rot.T @ excess
    return dot(spin, excess) + 0.5 * dot(own, inverse_inertia(central) @ own)


@kernel
def is_limp(tree, control, root, end):
    """Whether nothing but gravity, dampers and its joints acts on a tree, as far as it depends on the user.

    One that is free falls as a whole, whatever acts inside.
    """
    limp = control.pulled[0] == 0.0
    if is_floating(tree.joint[root]):
        end = root + 1
    for i in range(root, end):
        joint, motor = tree.joint[i], control.motor[i]
        limp = limp & (motor.stiffness == 0.0)
        for k in range(joint.iv, joint.iv + joint.count):
            limp = limp & (control.push[k] == 0.0)
    return limp


@kernel
def half_kick(scene, x, h, root, end):
    """What half a step of gravity adds to the whitened velocities of a tree."""
    tree = scene.tree
    for k in range(tree.joint[root].iv, velocities_to(tree, end)):
        x[k] = scene.x[k] * 0.0
    for i in range(root, end):
        placed = scene.placed[i]
        add_push(tree.joint[i], tree.body[i], placed, x, weight_of(placed.inertia, tree.gravity * (0.5 * h)))
    whiten(tree, scene.chains, scene.mass, x, root, end)


@inline
def weight_of(inertia, gravity):
    """Wrench of gravity about the root's origin."""
    return Force(cross(inertia.moment, gravity), gravity * inertia.mass)


@kernel
def move_bodies(scene, v, root, end):
    """J v: motion of each body's origin."""
    for i in range(root, end):
        move_body(scene.tree.joint[i], scene.tree.body[i], scene.placed, i, v)


@kernel
def move_body(joint, body, work, i, v):
    """The same of one body; its parent's is known."""
    placed = work[i]
    if joint.parent >= 0:
        parent = work[joint.parent]
        motion = carried_along(parent.motion, placed.rel - parent.rel)
    else:
        motion = at_rest()
    placed.motion = driven(joint, body, placed, v, motion)


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


@kernel
def bend_bodies(scene, solids, reached, root, end, share, h, going):
    """How the mean motions of a tree's bodies differ from J v, where it is still going; what this is worth to its
    joints, added to x."""
    tree, none = scene.tree, Force(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))
    for i in range(root, end):
        reached[i].push = none
    for i in range(end - 1, root - 1, -1):
        placed, solid, own, parent = scene.placed[i], solids[i], reached[i], tree.joint[i].parent
        if not any_lane(own.needed > 0.0):
            continue
        turns = own.turns > 0.0
        if any_lane(turns):
            bend, excess = bend_of(
                solid.mass, solid.centre, solid.central, placed.rot, placed.pos, placed.arm, placed.motion, own.rot,
                own.pos, h,
            )  # fmt: skip
            placed.bend = where(going & turns, bend * share, placed.bend)
            placed.excess = where(going & turns, excess * share, placed.excess)
            lin = placed.bend.lin * solid.mass
            own.push = own.push + Force(placed.excess + cross(placed.rel + placed.arm, lin), lin)
        add_push(tree.joint[i], tree.body[i], placed, scene.x, own.push)
        if parent >= 0:
            reached[parent].push = reached[parent].push + own.push


@inline
def bend_of(mass, centre, central, rot, pos, arm, motion, rot_after, pos_after, h):
    """Mean motion of a body (turning, velocity of its centre) less J v, and its angular momentum less I J v.

    L as above, with what is known of half the turn without its angle: c = w, n sin(|φ|/2) = u of its quaternion (w, u).
    """
    half = half_turn(rot_after @ rot.T)
    u, turn = half.v, rotation_vector(half) * (1.0 / h)
    inertia = rotated(rot, central)
    spin = inertia @ turn
    along = u * (dot(u, spin) / (dot(u, u) + LEAST))
    across = cross(u, spin)
    angular = along + (spin - along + across + cross(u, across) * (1.0 / (1.0 + half.w))) * (1.0 / half.w)
    mean = (pos_after + rot_after @ centre - pos - arm) * (1.0 / h)
    bend = Motion(turn - motion.ang, mean - motion.lin - cross(motion.ang, arm))
    return bend, angular - inertia @ motion.ang


@inline
def half_turn(m):
    """Quaternion of a rotation matrix that turns by less than half a turn."""
    w = 0.5 * sqrt(maximum(1.0 + m.xx + m.yy + m.zz, LEAST))
    scale = 0.25 / w
    return Quaternion(w, (m.zy - m.yz) * scale, (m.xz - m.zx) * scale, (m.yx - m.xy) * scale)


@inline
def angular_momentum(inertia, turn, h):
    """L of a body that turns by a rotation vector within h; its inertia in world axes, at the beginning."""
    spin, square = inertia @ (turn * (1.0 / h)), dot(turn, turn)
    _, cos = sincos(sqrt(square) * 0.5)
    along = turn * (dot(turn, spin) / (square + LEAST))
    return rotate(turn_by(turn * 0.5), (spin - along) * (1.0 / cos) + along)


@kernel
def add_push(joint, body, placed, x, force):
    """Add a wrench on a body, about its root's origin, to the momenta of its joint."""
    add_felt(joint, body, placed, about(placed.rel, force), x, joint.iv)


# ------------------------------------------------------- angular momentum


@kernel
def is_free(tree, root):
    """Is the momentum of a tree its own to keep?"""
    return is_floating(tree.joint[root]) and tree.joint[root].parent < 0


@inline
def spin_of(inertia, momentum):
    """Angular momentum about the centre of mass; both arguments about the same origin."""
    return momentum.ang - cross(inertia.moment * (1.0 / inertia.mass), momentum.lin)


@kernel
def restore_spin(scene, state):
    """Give free trees back the angular momentum they had: bodies that came elsewhere than was foreseen, as impulses may
    bring them, would have another one with the momenta they bring along.

    It is given as the momenta of a rigid body.  `placed` of the roots: momenta and inertias of whole trees, as `fill`
    leaves them.
    """
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if is_free(tree, root) and end > root + 1:
            inertia = scene.placed[root].inertia
            missing = load3(state.spin, 3 * root) - spin_of(inertia, scene.placed[root].momentum)
            least = NOTHING * (inertia.rot.xx + inertia.rot.yy + inertia.rot.zz)
            some = dot(missing, missing) > least * least
            if not any_lane(some):
                root = end
                continue
            missing = where(some, missing, missing * 0.0)
            ang, _, centre, _, _ = locked_motion(inertia, Force(missing, missing * 0.0))
            motion = Motion(ang, cross(centre, ang))
            for i in range(root, end):
                add_push(tree.joint[i], tree.body[i], scene.placed[i], scene.x, scene.placed[i].inertia @ motion)
        root = end


# ------------------------------------------------------- energy


class Known(NamedTuple):
    """What is known of a tree's energy before its velocity is."""

    kinetic: float  # brought along [J]
    back: float  # work of gravity, but for that with the velocity to be found [J]
    ahead: float  # time of gravity with that velocity [s]


@kernel
def known_work(scene, solids, state, own, kept, root, end):
    """Kinetic energy that a tree brings along, and what gravity makes of it.

    The energy is that of the last step, as its bodies stood then: what turned farther, or by another way than was
    foreseen, has another one with the same momentum, and must not keep it.

    Work of gravity on a tree that hangs and falls freely is by where its bodies are, else by their velocities.

    own: time of gravity of this step [s]; kept: share of the energy that is not let go, but for that of the centre of a
    tree that is free.
    """
    tree, zero, lin = scene.tree, state.carried[root].spin.x * 0.0, state.carried[root].centre * 0.0
    kinetic, fall, going = zero, zero, zero
    for i in range(root, end):
        old, solid = state.carried[i], solids[i]
        kinetic, lin = kinetic + old.energy, lin + old.centre * solid.mass
        fall = fall + solid.mass * dot(tree.gravity, old.centre)
        for k in range(tree.joint[i].iv, tree.joint[i].iv + tree.joint[i].count):
            kinetic = kinetic + 0.5 * tree.body[i].armature * (state.mean[k] * state.mean[k])
    if is_floating(tree.joint[root]) and tree.joint[root].parent < 0:
        going = 0.5 * dot(lin, lin) / scene.placed[root].inertia.mass
    kick, hung, depth = 0.5 * (state.owed[root] + own), False, zero
    if not is_floating(tree.joint[root]):
        for i in range(root, end):
            depth = depth + solids[i].mass * dot(tree.gravity, scene.placed[i].pos + scene.placed[i].arm)
        hung = (state.owed[root] > 0.0) & (state.depth[root] < UNKNOWN)
    back = where(hung, depth - state.depth[root] - state.owed[root] * fall, kick * fall)
    state.depth[root] = depth
    return Known(going + (kinetic - going) * kept, back, where(hung, own, kick))


@inline
def body_energy(mass, central, rot, velocity, angular):
    """Kinetic energy of a body of this angular momentum."""
    own = rot.T @ angular
    return 0.5 * (mass * dot(velocity, velocity) + dot(own, inverse_inertia(central) @ own))


@inline
def unbent_energy(mass, velocity, angular, spin):
    """Kinetic energy of a body without excess of angular momentum."""
    return 0.5 * (mass * dot(velocity, velocity) + dot(angular, spin))


@inline
def inverse_inertia(inertia):
    """I⁻¹; of rods and points that of some that are next to them."""
    least = 1e-12 * (inertia.xx + inertia.yy + inertia.zz) + LEAST
    return inverse(inertia + Sym3(least, 0.0, 0.0, least, 0.0, least))


@kernel
def energy_scale(scene, solids, state, control, law, room, known, root, end):
    """By how much to slow the motion of a tree, or what of it has no momentum, 0 <= s <= 1, so that it has no more
    energy than there is; by how much the spin of the whole, if that is not enough; and the energy that is left [J].

    T_l + s² T_z - s b <= T₋ + back + ahead G·w_l + work of springs + energy to spare

    z is what is slowed, l the locked motion, b = ahead G·z, G the weights; back, ahead: see `Known`.
    """
    tree, zero = scene.tree, known.kinetic * 0.0
    kinetic, fall, work = zero, zero, zero
    total = Force(Vec3(zero, zero, zero), Vec3(zero, zero, zero))
    for i in range(root, end):
        solid, placed, body, joint = solids[i], scene.placed[i], tree.body[i], tree.joint[i]
        centre, angular = mean_momenta(placed.motion, placed.bend, placed.excess, placed.arm, placed.rot, solid.central)
        own = unbent_energy(solid.mass, centre, angular, placed.motion.ang)
        bent = dot(placed.excess, placed.excess) > 0.0
        if any_lane(bent):
            own = where(bent, body_energy(solid.mass, solid.central, placed.rot, centre, angular), own)
        kinetic = kinetic + own
        fall = fall + solid.mass * dot(tree.gravity, centre)
        total = total + momentum_at(solid.mass, placed.rel + placed.arm, centre, angular)
        motor = control.motor[i]
        damper = damper_of(motor.stiffness, motor.damping + body.damping, law.h, law.theta)
        for k in range(joint.iv, joint.iv + joint.count):
            v, old = room.v[k], state.mean[k]
            own = where(at_limit(state.motor[k], motor.limit), body.damping, damper)
            kinetic = kinetic + 0.5 * body.armature * (v * v)
            work = work + 0.5 * (v + old) * (room.pushed[k] - body.armature * old - law.h * own * v)
    going, turning, whole_fall = zero, zero, zero
    if is_floating(tree.joint[root]) and tree.joint[root].parent < 0:
        _, _, _, going, turning = locked_motion(scene.placed[root].inertia, total)
        whole_fall = dot(tree.gravity, total.lin)
    lift = known.ahead * (fall - whole_fall)
    wanted = known.kinetic + known.back + known.ahead * whole_fall + work - going
    wanted = wanted + state.spare[root] / (1.0 + law.h / RECALL)
    own, most_turning = kinetic - going - turning, maximum(wanted + ALLOWED * (kinetic - going), 0.0)
    over, spin = turning > most_turning, sqrt(most_turning / (kinetic - going + LEAST))
    most = wanted - turning + ALLOWED * (kinetic - going)
    scale = clip(root_of_energy(own, lift, most, kinetic), 0.0, 1.0)
    left = wanted - turning - scale * (scale * own - lift)
    left = where(over, 0.0, left)
    return where(over, spin, scale), where(over, spin, 1.0), left


@inline
def mean_momenta(motion, bend, excess, arm, rot, central):
    """Mean velocity of a body's centre, and its angular momentum about it."""
    return motion.lin + cross(motion.ang, arm) + bend.lin, rot @ (central @ (rot.T @ motion.ang)) + excess


@inline
def momentum_at(mass, at, velocity, angular):
    """Momentum of a body about the root's origin."""
    lin = velocity * mass
    return Force(angular + cross(at, lin), lin)


@inline
def locked_motion(inertia, momentum):
    """Turning, velocity of the centre and place of the centre of a rigid body with this momentum, both about the same
    origin; and its kinetic energies of going and turning."""
    centre = inertia.moment * (1.0 / inertia.mass)
    spin = momentum.ang - cross(centre, momentum.lin)
    about_centre = inertia.rot - shift_of(inertia.mass, centre)
    ang = inverse_inertia(about_centre) @ spin
    lin = momentum.lin * (1.0 / inertia.mass)
    return ang, lin, centre, 0.5 * dot(momentum.lin, lin), 0.5 * dot(spin, ang)


@inline
def root_of_energy(a, b, c, whole):
    """The greater s with a s² - b s = c; 1 where a is next to nothing of the whole."""
    s = (b + sqrt(maximum(b * b + 4.0 * a * c, 0.0))) / where(a > SLACK * whole, 2.0 * a, 1.0)
    return where(a > SLACK * whole, s, 1.0)


@kernel
def rescale(scene, solids, room, root, end, scale, spin):
    """Scale the motion of a tree; one that is free keeps its momentum, its spin but for a share."""
    tree, joint = scene.tree, scene.tree.joint[root]
    first, last = joint.iv, velocities_to(tree, end)
    for k in range(first, last):
        room.v[k] = room.v[k] * scale
    if is_floating(joint) and joint.parent < 0:
        placed = scene.placed[root]
        total = placed.momentum * 0.0
        for i in range(root, end):
            own, central = scene.placed[i], solids[i].central
            centre, angular = mean_momenta(own.motion, own.bend, own.excess, own.arm, own.rot, central)
            total = total + momentum_at(solids[i].mass, own.rel + own.arm, centre, angular)
        ang, lin, centre, _, _ = locked_motion(placed.inertia, total)
        ang = ang * (spin - scale)
        lin = lin * (1.0 - scale) - cross(ang, centre)
        store3(room.v, first, load3(room.v, first) + placed.base.T @ ang)
        store3(room.v, first + 3, load3(room.v, first + 3) + placed.base.T @ lin)
    for i in range(root, end):
        placed = scene.placed[i]
        placed.bend, placed.excess = placed.bend * scale, placed.excess * scale


@kernel
def whiten_velocities(scene, v, root, end):
    """x = L v for the bodies of a tree."""
    tree, chains, mass, stride = scene.tree, scene.chains, scene.mass, scene.chains.stride
    for i in range(root, end):
        joint = tree.joint[i]
        for k in range(joint.iv, joint.iv + joint.count):
            row, depth = k * stride, joint.depth + k - joint.iv
            value = v[k] / mass[row + depth]
            for j in range(depth):
                value = value + mass[row + j] * v[chains.velocity[i * stride + j]]
            if joint.arguments > 0:
                value = value * 0.0
            scene.x[k] = value


# ------------------------------------------------------- after the impulses


@kernel
def float_freely(scene, rows, state, control, joint_rows, points, law, spare):
    """Trees that nothing touches moved with the mean of their velocities, before gravity and after: half a step of it
    is taken off, and owed to the next step.  The others moved with the velocity at the end of the step.
    """
    tree, root, room = scene.tree, 0, open_room(scene, spare)
    mark_pressed(scene, rows, joint_rows, points)
    while root < tree.bodies:
        end, placed = tree.joint[root].end, scene.placed[root]
        free = (placed.pressed == 0.0) & led_by_nobody(tree, root)
        if any_lane(free):
            free = free & is_limp(tree, control, root, end)
        if any_lane(free):
            take_half(scene, state, law, room, root, end, free)
        state.owed[root] = where(free, 0.5 * law.h, 0.0)
        root = end


@kernel
def take_half(scene, state, law, room, root, end, free):
    """Take half a step of gravity off the velocities of a tree."""
    tree, first = scene.tree, scene.tree.joint[root].iv
    if is_floating(tree.joint[root]):
        fall = scene.placed[root].base.T @ tree.gravity * (0.5 * law.h)
        store3(state.mean, first + 3, load3(state.mean, first + 3) - where(free, fall, fall * 0.0))
        return
    half_kick(scene, room.half, law.h, root, end)
    unwhiten_trees(tree, scene.chains, scene.mass, room.half, room.v, root, end)
    for k in range(first, velocities_to(tree, end)):
        state.mean[k] = where(free, state.mean[k] - room.v[k], state.mean[k])


@kernel
def mark_pressed(scene, rows, joint_rows, points):
    """Roots of trees that feel contacts, springs or ropes, or hang on the world and feel limits."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        scene.placed[root].pressed = scene.x[tree.joint[root].iv] * 0.0
        root = tree.joint[root].end
    for a in range(joint_rows):
        press(scene, rows.joint_int[a].body, rows.joint[a].impulse != 0.0, 1)
    for p in range(points):
        own, impulse = rows.point_int[p], rows.point[p].impulse
        acts = (impulse.x != 0.0) | (impulse.y != 0.0) | (impulse.z != 0.0)
        press(scene, own.body_a, acts, 0)
        if own.body_b >= 0:
            press(scene, own.body_b, acts, 0)


@kernel
def press(scene, i, acts, inside):
    """The tree of a body feels something, maybe from inside."""
    while scene.tree.joint[i].parent >= 0:
        i = scene.tree.joint[i].parent
    if inside == 0 or not is_floating(scene.tree.joint[i]):
        root = scene.placed[i]
        root.pressed = where(acts, 1.0, root.pressed)
