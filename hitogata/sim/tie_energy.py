"""Springs and ropes give no more energy than they take.

Rows of springs and ropes know the velocities of their ends, and foresee where these will be along straight lines; rows
that are not solved to the end foresee even less.  With stiffnesses of 1e7 N/m a millimetre of error is more than a
body's kinetic energy.  So after each substep the energy is looked at.  With p the impulse of a spring or rope on its
ends, u₋ and u the rates at which these came apart in the last substep and come apart in this one, and V its potential
energy halfway between where its ends really were and are, it created

    c = ½ p·(u₋ + u) + V - V₋ + ¼ h C' (|u|² - |u₋|²)

The first term is its work on the bodies exactly, as kinetic energies are squares: T - T₋ = Σ ½ p·(u₋ + u) over all that
acts.  For ends on straight lines p = -h K (φ + ½ h u) - h C' u, C' being its damper less h K/2, and

    c = -½ K |y - y₋|² - ¼ h C' |u₋ + u|² <= 0,       y: from b's end to a's halfway

whatever else acts (of a rope, along itself, and |u|² counts while it is stretched): where steps can follow nothing is ever created, and nothing changes, bit for bit.  What trees that
are tied together, as a group, created beyond what they lost by curves a while ago (RECALL), and what they have more
than before, gravity, motors and pushes accounted for, is taken off again: see `tied_groups`.  Neither may the energy V₊
of the ends where they come to, if nothing else acts, be more than the energy there is and the work of gravity, motors
and pushes on the way there, or than it was at the start: with M the greater of the
group's energy T + V + ¼ h C' |u|² and V₊, M never grows by springs and ropes.

Where nothing else acts on a group, no contact, limit nor pull, its whole gain is compared with its whole loss as well:
what impulses do to trees that turn far within the substep is in no other account.

Groups with a tree that is led by someone, or an anchor that moves, are left alone.  Where contacts or walls give energy
to a group, no more than c is taken off.
"""

from hitogata.constraints.springs import LEAST, damper_of, potential
from hitogata.lanes import absolute, any_lane, kernel, maximum, minimum, negated, where
from hitogata.sim.motors import at_limit, beyond_limit
from hitogata.sim.tied_groups import (
    half_of_fall,
    in_group,
    open_room,
    reach_at,
    slow_group,
    touches_anything,
    tree_energy,
)
from hitogata.spatial import cross, dot

RECALL, RECALL_ALL = 1.0, 60.0
"""What was lost by curves may come back within about the former time, what the whole group lost within the latter [s].
"""

ALLOWED = 1e-6
"""Share of the energies at hand that may be created: rounding is no gain."""

INFINITE = 1e30

NEARLY = 0.999
"""A spring that pulls with the root of this times its limit, or more, is held back by it."""


@kernel
def note_start(scene, solids, state, control, law, spare):
    """Note where the substep begins, and what energy trees have then: before velocities are new."""
    tree, root = scene.tree, 0
    start, _, old = open_room(scene, spare)
    for k in range(tree.nq):
        start[k] = state.q[k]
    for k in range(tree.nv):
        old[k] = state.mean[k]
    while root < tree.bodies:
        placed = scene.placed[root]
        placed.before = tree_energy(tree, state, root) + work_on(scene, state, control, law.h, root)
        placed.power, placed.kick = power_on(scene, solids, state, root), state.owed[root]
        root = tree.joint[root].end


@kernel
def power_on(scene, solids, state, root):
    """Power of gravity on a tree at the velocities it has [W]."""
    tree, power = scene.tree, scene.tree.gravity.x * 0.0
    for i in range(root, tree.joint[root].end):
        power = power + solids[i].mass * dot(tree.gravity, state.carried[i].centre)
    return power


@kernel
def work_on(scene, state, control, h, root):
    """Half of the work that motors and pushes would do on a tree at the velocities it has [J]."""
    tree, force = scene.tree, scene.tree.gravity.x * 0.0
    for i in range(root, tree.joint[root].end):
        for k in range(tree.joint[i].iv, tree.joint[i].iv + tree.joint[i].count):
            _, drive = beyond_limit(state.motor[k], control.motor[i].limit, h, h, scene.drive[k])
            force = force + (drive + control.push[k]) * state.mean[k]
    return 0.5 * h * force


@kernel
def bound_tie_energy(scene, solids, rows, around, joint_rows, points, state, control, law, spare):
    """Take off what springs and ropes created in the substep just taken; `note_start` was called before.

    scene: bodies as they were placed at its start, with their motions of the step and what `carry` noted.
    """
    ties, ints, count = around.ties, around.tie_ints, around.tie_count
    for t in range(count):
        note_created(scene, ties[t], ints[t], state.q, law)
    for t in range(count):
        if ints[t].leader == t and ints[t].led == 0:
            bound_group(scene, solids, rows, around, joint_rows, points, state, control, law, spare, t)


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
    tie.work = work
    tie.created, tie.size = work + now - tie.before + tie.lag - lag, absolute(work) + now + tie.before + tie.lag + lag
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
def bound_group(scene, solids, rows, around, joint_rows, points, state, control, law, spare, leader):
    """Compare what a group created with what it lost, and slow it where that is too much."""
    ties, ints, zero = around.ties, around.tie_ints, law.h * 0.0
    created, curved, size, drift = zero, zero, zero, zero
    for t in range(leader, around.tie_count):
        if ints[t].leader == leader:
            created, curved, size = created + ties[t].created, curved + ties[t].curved, size + ties[t].size
            drift = drift + dot(ties[t].drift, ties[t].drift)
    first, gain = ties[leader], gain_of_group(scene, solids, around, state, control, law, spare, leader)
    credit, spared = first.credit / (1.0 + law.h / RECALL), first.spare / (1.0 + law.h / RECALL_ALL)
    fed, walled = pressed_from_outside(scene, rows, around, joint_rows, points, control, leader)
    fed = fed | (drift != 0.0)
    alone = negated(fed | walled)
    excess = minimum(created - credit, gain)
    excess = where(alone, maximum(excess, gain - spared), excess)
    size = size + group_energy(scene, around, state, leader)
    over = (excess > ALLOWED * size) & (drift == 0.0)
    excess = where(over, excess, 0.0)
    begin, middle, ahead = potentials(around, leader)
    far, work = (ahead > begin + ALLOWED * size) & negated(fed), size * 0.0
    if any_lane(far):
        work, fall = work_ahead(scene, solids, around, state, control, law, leader)
        there = group_energy(scene, around, state, leader) + middle - excess
        far = far & (ahead > there + maximum(work + fall, 0.0) + ALLOWED * size)
    if any_lane(over | far):
        work = where(fed, INFINITE, work)
        slow_group(scene, solids, around, state, law, spare, leader, excess, begin, work, over | far)
    lost = maximum(minimum(minimum(-created, -curved), -gain), 0.0)  # what trees gained meanwhile was not lost
    first.credit = where(over, 0.0, maximum(credit - maximum(created, 0.0), 0.0) + lost)
    first.spare = where(alone, where(over, 0.0, maximum(spared - gain, 0.0)), spared)


@kernel
def pressed_from_outside(scene, rows, around, joint_rows, points, control, leader):
    """Do contacts or pulls act on a group?  Do limits?"""
    tree, root, found = scene.tree, 0, control.pulled[0] > 0.0
    walled = found & False
    while root < tree.bodies:
        end = tree.joint[root].end
        if in_group(tree, around, leader, root):
            found = found | touches_anything(scene, rows, points, root)
            for a in range(joint_rows):
                if root <= rows.joint_int[a].body < end:
                    walled = walled | (rows.joint[a].impulse != 0.0)
        root = end
    return found, walled


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
    """Kinetic energy of a group, and what its dampers are behind by [J]."""
    tree, total, root = scene.tree, around.ties[leader].stiffness * 0.0, 0
    while root < tree.bodies:
        if in_group(tree, around, leader, root):
            total = total + tree_energy(tree, state, root)
        root = tree.joint[root].end
    for t in range(leader, around.tie_count):
        if around.tie_ints[t].leader == leader:
            total = total + around.ties[t].lag
    return total


@kernel
def gain_of_group(scene, solids, around, state, control, law, spare, leader):
    """What energy a group has more than before the substep, and than gravity, motors and pushes account for [J]."""
    tree, ints, h, gain, root = scene.tree, around.tie_ints, law.h, law.h * 0.0, 0
    _, _, old = open_room(scene, spare)
    while root < tree.bodies:
        end = tree.joint[root].end
        if in_group(tree, around, leader, root):
            time = h + scene.placed[root].kick - state.owed[root]  # of gravity
            power = scene.placed[root].power + power_on(scene, solids, state, root)
            done = work_on(scene, state, control, h, root) + 0.5 * time * power
            for i in range(root, end):
                motor, passive = control.motor[i], tree.body[i].damping
                damper = damper_of(motor.stiffness, motor.damping + passive, h, law.theta)
                for k in range(tree.joint[i].iv, tree.joint[i].iv + tree.joint[i].count):
                    limited, v = at_limit(state.motor[k], motor.limit), state.mean[k]
                    spring = where(limited, 0.0, motor.stiffness)
                    done = done - 0.25 * h * h * spring * v * (v + old[k])  # springs, in the middle of the substep
                    behind = where(limited, passive, damper) - 0.5 * h * spring
                    done = done - 0.25 * h * behind * (v * v - old[k] * old[k])  # as of springs between bodies
            gain = gain + tree_energy(tree, state, root) - done - scene.placed[root].before
        root = end
    for t in range(leader, around.tie_count):
        if ints[t].leader == leader:
            gain = gain + ties_gain(around.ties[t])
    return gain


@kernel
def ties_gain(tie):
    """How much more energy a spring or rope has than in the middle of the substep before [J]."""
    return tie.created - tie.work
