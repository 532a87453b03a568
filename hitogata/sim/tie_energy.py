"""Springs and ropes give no more energy than they take.

Rows of springs and ropes know the velocities of their ends, and foresee where these will be along straight lines; rows
that are not solved to the end foresee even less.  With stiffnesses of 1e7 N/m a millimetre of error is more than a
body's kinetic energy.  So after each substep the energy is looked at, of each group of trees that are tied together:

    E = kinetic + that of gravity, motors, springs and ropes, as `World.energy` tells it
    gain = E - E₋ - work of contacts, limits, pushes, moving targets

The work of an impulse p is ½ p·(u₋ + u) exactly, u₋ and u being the speeds of where it acts before and after, since
kinetic energies are squares.  What groups lose is kept account of, and may come back within a while (RECALL_ALL); what
they gain beyond their account is taken off again: see `tied_groups`.  What cannot be taken off at once stays in the
account as a debt.  So whatever is done to a group, it never has more energy than it began with and was given, but for a
share (DEBT) that is no more after a minute than after a step.

Sooner than that the springs and ropes themselves are looked at.  With V the potential energy of one halfway between
where its ends really were and are, it created

    c = ½ p·(u₋ + u) + V - V₋ + ¼ h C' (|u|² - |u₋|²)

For ends on straight lines p = -h K (φ + ½ h u) - h C' u, C' being its damper less h K/2, and

    c = -½ K |y - y₋|² - ¼ h C' |u₋ + u|² <= 0,       y: from b's end to a's halfway

whatever else acts (of a rope, along itself, and |u|² counts while it is stretched): where steps can follow next to
nothing is created, and nothing changes, bit for bit.  What a group's springs and ropes created beyond what they lost by
curves a while ago (RECALL), and what it gained, is taken off as well.  Neither may the energy V₊ of the ends where they
come to, if nothing else acts, be more than the energy there is and the work of gravity, motors and pushes on the way
there, or than it was at the start.

Groups with a tree that is led by someone, or an anchor that moves, are left alone.
"""

from typing import NamedTuple

from hitogata.constraints.springs import LEAST, damper_of, potential
from hitogata.dynamics.followers import follow
from hitogata.dynamics.joints import is_floating
from hitogata.lanes import (
    absolute,
    any_lane,
    copysign,
    kernel,
    lanes,
    maximum,
    minimum,
    negated,
    records,
    where,
)
from hitogata.sim.body_state import place_body
from hitogata.sim.motors import at_limit, beyond_limit
from hitogata.sim.tied_groups import (
    half_of_fall,
    in_group,
    move_tree,
    open_room,
    reach_at,
    slow_group,
    spring_energy,
    touches_anything,
    tree_energy,
)
from hitogata.spatial import cross, dot

RECALL, RECALL_ALL = 1.0, 60.0
"""What was lost by curves may come back within about the former time, what the whole group lost within the latter [s].
"""

DEBT = 1e-3
"""Share of the energies at hand that a group may have more than its account says: what curves give in one step, they
take in others."""

FAR = 0.05
"""Where no body that is tied turns by more than this within a substep, springs and ropes alone are looked at [rad]."""

INFINITE = 1e30

NEARLY = 0.999
"""A spring that pulls with the root of this times its limit, or more, is held back by it."""


@kernel
def note_start(scene, state, spare):
    """Note where the substep begins, and how bodies move then: before velocities are new."""
    tree, room = scene.tree, open_room(scene, spare)
    for k in range(tree.nq):
        room.start[k] = state.q[k]
    for k in range(tree.nv):
        room.mean[k] = state.mean[k]
    for i in range(tree.bodies):
        was, now = room.carried[i], state.carried[i]
        was.centre, was.spin, was.energy = now.centre, now.spin, now.energy
        room.owed[i] = state.owed[i]


@kernel
def note_gains(scene, solids, rows, around, joint_rows, points, state, control, law, spare):
    """What each tree that is tied gained in the substep, beyond what impulses did to it."""
    tree, root, room = scene.tree, 0, open_room(scene, spare)
    while root < tree.bodies:
        scene.placed[root].gained = law.h * 0.0
        root = tree.joint[root].end
    add_work(scene, rows, joint_rows, points, state.motor, room.mean, room.carried, control, law)
    h, root = where(state.last[0] < INFINITE, state.last[0], law.h), 0
    before = Instant(room.start, room.mean, room.carried, room.owed, h)
    after = Instant(state.q, state.mean, state.carried, state.owed, law.h)
    while root < tree.bodies:
        placed = scene.placed[root]
        placed.before, placed.gained = placed.gained, law.h * 0.0
        root = tree.joint[root].end
    add_work(scene, rows, joint_rows, points, state.motor, state.mean, state.carried, control, law)
    root = 0
    while root < tree.bodies:
        placed = scene.placed[root]
        placed.given = placed.gained
        if is_tied(tree, around, root):
            given, was = (
                placed.before + placed.given,
                tree_total(scene, solids, before, state.motor, control, room, root),
            )
            placed.gained = tree_total(scene, solids, after, state.motor, control, room, root) - was - given
        root = tree.joint[root].end


@kernel
def is_tied(tree, around, root):
    """Do springs or ropes act on a tree?"""
    end, found = tree.joint[root].end, 0
    for t in range(around.tie_count):
        own = around.tie_ints[t]
        if root <= own.body_a < end or root <= own.body_b < end:
            found += 1
    return found > 0


@kernel
def turns_far(scene, around, state, law, spare):
    """Does a body of a tree that is tied turn far within the substep, or did it in the one before?"""
    tree, root, room, fastest = scene.tree, 0, open_room(scene, spare), law.h * 0.0
    while root < tree.bodies:
        if is_tied(tree, around, root):
            for i in range(root, tree.joint[root].end):
                was, now = room.carried[i].spin, state.carried[i].spin
                fastest = maximum(fastest, maximum(dot(was, was), dot(now, now)))
        root = tree.joint[root].end
    return fastest * (law.h * law.h) > FAR * FAR


class Instant(NamedTuple):
    """Where bodies are at the end of a substep, and how they came there."""

    q: lanes  # type: ignore[valid-type]
    mean: lanes  # type: ignore[valid-type]
    carried: records  # type: ignore[valid-type]
    owed: lanes  # type: ignore[valid-type]
    h: float


@kernel
def tree_total(scene, solids, at, motors, control, room, root):
    """Kinetic energy of a tree, and of gravity and its motors, as `energy.world_energy` tells it [J]."""
    tree, end, total = scene.tree, scene.tree.joint[root].end, tree_energy(scene.tree, at.carried, at.mean, root)
    move_tree(scene, at.q, at.mean, -0.5 * at.h, room.other, root, end)
    total = total + spring_energy(tree, motors, control, room.other, root, end)
    free = is_floating(tree.joint[root])
    for i in range(root, end):
        solid, own = solids[i], room.reached[i]
        if free:
            place_body(tree.joint[i], tree.body[i], own, room.reached, at.q)
            total = total + at.owed[root] * (solid.mass * dot(tree.gravity, at.carried[i].centre))
        else:
            place_body(tree.joint[i], tree.body[i], own, room.reached, room.other)
        total = total - solid.mass * dot(tree.gravity, own.pos + own.rot @ solid.centre)
    return total


@kernel
def add_work(scene, rows, joint_rows, points, motors, mean, carried, control, law):
    """Add half of what contacts, limits, pushes, moving targets and motors at their limits do to trees, at the
    velocities these have, to what they gained.

    motors: their forces; mean, carried: velocities of joints and bodies.
    """
    tree = scene.tree
    for p in range(points):
        own, row = rows.point_int[p], rows.point[p]
        if own.tie == 0:
            impulse = row.frame.T @ (row.impulse + row.hit)
            give(scene, own.body_a, 0.5 * dot(impulse, velocity_at(scene, carried, own.body_a, row.arm_a)))
            if own.body_b >= 0:
                give(scene, own.body_b, -0.5 * dot(impulse, velocity_at(scene, carried, own.body_b, row.arm_b)))
    for a in range(joint_rows):
        row, joint = rows.joint[a], tree.joint[rows.joint_int[a].body]
        if rows.joint_int[a].several == 0:
            rate = row.direction.x * mean[joint.iv]
            if joint.count == 3:
                rate = rate + row.direction.y * mean[joint.iv + 1] + row.direction.z * mean[joint.iv + 2]
            give(scene, rows.joint_int[a].body, 0.5 * row.impulse * rate)
    for i in range(tree.bodies):
        joint, motor, passive = tree.joint[i], control.motor[i], tree.body[i].damping
        damper = damper_of(motor.stiffness, motor.damping + passive, law.h, law.theta) - passive
        for k in range(joint.iv, joint.iv + joint.count):
            held = at_limit(motors[k], motor.limit)
            push = control.push[k] + where(held, copysign(motor.limit, motors[k]), control.rate[k] * damper)
            give(scene, i, 0.5 * law.h * (push * mean[k]))


@kernel
def give(scene, i, work):
    """Add work on a body to what its tree gained."""
    while scene.tree.joint[i].parent >= 0:
        i = scene.tree.joint[i].parent
    scene.placed[i].gained = scene.placed[i].gained + work


@kernel
def velocity_at(scene, carried, i, arm):
    """Velocity of a point of a body, as its momentum is; arm: from the body's origin."""
    placed, own = scene.placed[i], carried[i]
    return own.centre + cross(placed.rot @ own.spin, arm - placed.arm)


@kernel
def bound_tie_energy(scene, solids, rows, around, joint_rows, points, state, control, law, spare):
    """Take off what groups of trees gained in the substep just taken; `note_start` was called before.

    scene: bodies as they were placed at its start, with their motions of the step and what `carry` noted.
    """
    ties, ints, count, slowed = around.ties, around.tie_ints, around.tie_count, law.h < 0.0
    for t in range(count):
        note_created(scene, ties[t], ints[t], state.q, law)
    wild = turns_far(scene, around, state, law, spare)
    if any_lane(wild):
        note_gains(scene, solids, rows, around, joint_rows, points, state, control, law, spare)
    for i in range(scene.tree.bodies):
        if scene.tree.joint[i].parent < 0:
            scene.placed[i].given = where(wild, scene.placed[i].given, 0.0)
    for t in range(count):
        if ints[t].leader == t and ints[t].led == 0:
            group = wild, t
            over = bound_group(scene, solids, rows, around, joint_rows, points, state, control, law, spare, group)
            slowed = slowed | over
    if any_lane(slowed & wild):
        note_gains(scene, solids, rows, around, joint_rows, points, state, control, law, spare)
    if any_lane(wild):
        for t in range(count):
            if ints[t].leader == t and ints[t].led == 0:
                counts = wild & (ties[t].open == 0.0)
                ties[t].spare = ties[t].spare - where(counts, gain_of_group(scene, around, t), 0.0)
    if scene.followers.total > 0:
        follow(scene.tree, scene.followers, state.q, 0, scene.tree.bodies)


@kernel
def note_created(scene, tie, ints, q, law):
    """What a spring or rope created, what of it by its ends' curves, and what it did [J]."""
    rate, h, theta = mean_rate(scene, tie, ints), law.h, law.theta
    pull = dot(tie.impulse, tie.impulse)
    if ints.rope == 1:
        theta = 1.0
    tie.ahead = reach_at(scene.tree, q, tie, ints)
    tie.moved = tie.ahead - tie.reach
    work, now = 0.5 * dot(tie.impulse, tie.rate + rate), potential(tie, ints.rope, tie.reach + tie.moved * 0.5)
    damper = damper_of(tie.stiffness, tie.damping, h, theta) - 0.5 * h * tie.stiffness
    free = where(pull < NEARLY * (h * h * tie.limit * tie.limit), 0.25 * h * damper, 0.0)
    if ints.rope == 1:  # damped along itself, while it is stretched
        lag, along = tie.lag, dot(rate, tie.impulse)
        taut = (pull > 0.0) & (dot(tie.reach, tie.reach) > tie.length * tie.length)
        tie.lag = where(taut, 0.25 * h * damper * (along * along) / (pull + LEAST), 0.0)
    else:
        lag = free * dot(tie.rate, tie.rate)
        tie.lag = free * dot(rate, rate)
    tie.created, tie.size = work + now - tie.before + tie.lag - lag, absolute(work) + now + tie.before
    tie.curved = now - potential(tie, ints.rope, tie.reach + rate * (0.5 * h))


@kernel
def mean_rate(scene, tie, ints):
    """Rate at which the ends of a spring or rope come apart, mean over the substep [m/s]."""
    rate = mean_motion(scene.placed[ints.body_a], tie.point_a)
    if ints.body_b >= 0:
        rate = rate - mean_motion(scene.placed[ints.body_b], tie.point_b)
    return rate


@kernel
def mean_motion(placed, point):
    """Velocity of a point of a body, as its momentum is."""
    ang = placed.motion.ang + placed.bend.ang
    lever = placed.rot @ point - placed.arm
    return placed.motion.lin + cross(placed.motion.ang, placed.arm) + placed.bend.lin + cross(ang, lever)


@kernel
def bound_group(scene, solids, rows, around, joint_rows, points, state, control, law, spare, which):
    """Compare what a group created and gained with its accounts, and slow it where that is too much; returns where.

    which: whether bodies turn far, so that its gain is known; and its leader.
    """
    wild, leader = which
    ties, ints, zero = around.ties, around.tie_ints, law.h * 0.0
    created, curved, size, drift = zero, zero, zero, zero
    for t in range(leader, around.tie_count):
        if ints[t].leader == leader:
            created, curved, size = created + ties[t].created, curved + ties[t].curved, size + ties[t].size
            drift = drift + dot(ties[t].drift, ties[t].drift)
    first, gain = ties[leader], where(wild, gain_of_group(scene, around, leader), INFINITE)
    credit, balance = first.credit / (1.0 + law.h / RECALL), first.spare
    balance = where(balance > 0.0, balance / (1.0 + law.h / RECALL_ALL), balance)
    begin, middle, ahead = potentials(around, leader)
    some = wild | (created - credit > DEBT * size) | (ahead > begin + DEBT * size)
    over, unknown = some & False, some & False
    if any_lane(some):
        touched, unknown = pressed_from_outside(scene, rows, around, joint_rows, points, control, leader)
        unknown = unknown | (drift != 0.0)
        kinetic = group_energy(scene, around, state, leader)
        debt = DEBT * (size + kinetic)
        excess = minimum(created - credit - debt, gain)
        excess = where(unknown | negated(wild), excess, maximum(excess, gain - balance - debt))
        over = (excess > 0.0) & (drift == 0.0)
        excess = where(over, excess, 0.0)
        fed = touched | unknown
        far, work = (ahead > begin + debt) & negated(fed), size * 0.0
        if any_lane(far):
            work, fall = work_ahead(scene, solids, around, state, control, law, leader)
            far = far & (ahead > kinetic + middle - excess + maximum(work + fall, 0.0) + debt)
        slower = over | far
        if any_lane(slower):
            work = where(fed, INFINITE, work)
            slow_group(scene, solids, around, state, control, law, spare, leader, excess, begin, work, slower)
        some = slower
    lost = minimum(-created, -curved)
    lost = maximum(where(wild, minimum(lost, -gain), lost), 0.0)  # what trees gained meanwhile was not lost
    first.credit = where(over, minimum(credit, 0.0), credit - maximum(created, 0.0)) + lost
    first.spare = balance
    first.open = where(unknown, 1.0, 0.0)
    return some


@kernel
def pressed_from_outside(scene, rows, around, joint_rows, points, control, leader):
    """Do contacts act on a group?  Does anything that is in no account, as pulls and limits of several joints?"""
    tree, root, touched, unknown = scene.tree, 0, control.pulled[0] < 0.0, control.pulled[0] > 0.0
    while root < tree.bodies:
        end = tree.joint[root].end
        if in_group(tree, around, leader, root):
            touched = touched | touches_anything(scene, rows, points, root)
            for a in range(joint_rows):
                if root <= rows.joint_int[a].body < end and rows.joint_int[a].several == 1:
                    unknown = unknown | (rows.joint[a].impulse != 0.0)
        root = end
    return touched, unknown


@kernel
def work_ahead(scene, solids, around, state, control, law, leader):
    """Work of motors and pushes on a group, and of gravity, until its ends are where they come to [J]."""
    tree, total, fall, root = scene.tree, law.h * 0.0, law.h * 0.0, 0
    while root < tree.bodies:
        if in_group(tree, around, leader, root):
            fall = fall + half_of_fall(scene, solids, state.q, root)
            total = total + work_on(scene, state, control, law.h, root)
        root = tree.joint[root].end
    return total, fall


@kernel
def potentials(around, leader):
    """Potential energy of a group before the substep, in the middle of it and after it [J]."""
    zero = around.ties[leader].stiffness * 0.0
    begin, middle, ahead = zero, zero, zero
    for t in range(leader, around.tie_count):
        tie, own = around.ties[t], around.tie_ints[t]
        if own.leader == leader:
            begin = begin + potential(tie, own.rope, tie.reach)
            middle = middle + potential(tie, own.rope, (tie.reach + tie.ahead) * 0.5)
            ahead = ahead + potential(tie, own.rope, tie.ahead)
    return begin, middle, ahead


@kernel
def group_energy(scene, around, state, leader):
    """Kinetic energy of a group [J]."""
    tree, total, root = scene.tree, around.ties[leader].stiffness * 0.0, 0
    while root < tree.bodies:
        if in_group(tree, around, leader, root):
            total = total + tree_energy(tree, state.carried, state.mean, root)
        root = tree.joint[root].end
    return total


@kernel
def gain_of_group(scene, around, leader):
    """What energy a group has more than before the substep, and than it was given [J]."""
    tree, ints, gain, root = scene.tree, around.tie_ints, around.ties[leader].stiffness * 0.0, 0
    while root < tree.bodies:
        if in_group(tree, around, leader, root):
            gain = gain + scene.placed[root].gained
        root = tree.joint[root].end
    for t in range(leader, around.tie_count):
        tie = around.ties[t]
        if ints[t].leader == leader:
            gain = gain + potential(tie, ints[t].rope, tie.reach + tie.moved * 0.5) - tie.before
    return gain


@kernel
def work_on(scene, state, control, h, root):
    """Half of the work that motors and pushes would do on a tree at the velocities it has [J]."""
    tree, force = scene.tree, scene.tree.gravity.x * 0.0
    for i in range(root, tree.joint[root].end):
        for k in range(tree.joint[i].iv, tree.joint[i].iv + tree.joint[i].count):
            _, drive = beyond_limit(state.motor[k], control.motor[i].limit, h, h, scene.drive[k])
            force = force + (drive + control.push[k]) * state.mean[k]
    return 0.5 * h * force
