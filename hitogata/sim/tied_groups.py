"""Trees that springs and ropes tie together, slowed as a group where these created energy (`tie_energy`).

What is left of the motion against each other is the greatest share s with

    T_l + s² T_z + V(s) <= what there may be,       V₊(s) <= the same, or what it was at the start

l being the locked motion, in which the group moves as one rigid body with its whole momentum; bodies come as much less
far.  Only if that is not enough is its spin reduced, too.  A group that hangs on the world is slowed as a whole.  What
momentum its trees exchange by this is told as impulses of springs and ropes, from tree to tree.
"""

from typing import NamedTuple

from hitogata.constraints.springs import potential
from hitogata.dynamics.followers import follow
from hitogata.dynamics.integration import advance_trees
from hitogata.dynamics.joints import is_ball, is_floating, slid, turn_between, turned
from hitogata.dynamics.layout import velocities_to
from hitogata.lanes import any_lane, kernel, lanes, maximum, negated, records, tail, where
from hitogata.sim.layout import Carried
from hitogata.sim.motors import at_limit
from hitogata.sim.tree_energy import body_energy, locked_motion, momentum_at, spin_of
from hitogata.sim.tree_motion import Reached, is_free, move_bodies
from hitogata.spatial import Force, RigidInertia, Vec3, cross, dot, load3, load_quaternion, rotated, shift_of, store3

HALVINGS = 24
"""Of the interval in which the share of the motion that is left is sought."""

SHARES = 16
"""Shares that are looked at where none leaves little enough."""

INFINITE = 1e30


class Group(NamedTuple):
    """A group as it is slowed."""

    leader: int  # first of its springs and ropes
    ang: Vec3  # locked motion: its turning,
    lin: Vec3  # the velocity of its centre,
    centre: Vec3  # and where that is


@kernel
def slow_group(scene, solids, around, state, control, law, spare, leader, excess, begin, work, over):
    """Slow a group by what it has too much, where it has; begin: its potential energy before the substep;
    work: of what else acts until its end."""
    tree, ints, zero = scene.tree, around.tie_ints, law.h * 0.0
    group, whole, turning = locked_group(scene, solids, around, state, leader)
    kinetic, given, root, room, one = zero, zero, 0, open_room(scene, spare), zero + 1.0
    while root < tree.bodies:
        if in_group(tree, around, leader, root):
            kinetic, given = (
                kinetic + tree_energy(tree, state.carried, state.mean, root),
                given + scene.placed[root].given,
            )
        root = tree.joint[root].end
    inner = maximum(kinetic - whole - turning, 0.0)
    parts = solids, around, control, law, group, room
    held, rest, end_energy, fall = potential_at(scene, state, parts, one, one)
    most = kinetic + held + rest - given - excess
    low, high, stuck = zero, one, over & False
    for k in range(HALVINGS):
        middle = 0.5 * (low + high)
        share, turn = where(stuck, 0.0, middle), where(stuck, middle, 1.0)
        if k == 0:  # is it enough to take off the inner motion?
            share, turn = zero, one
        held, rest, end_energy, fall = potential_at(scene, state, parts, share, turn)
        kept = whole + turn * turn * turning + share * share * inner + held + rest - share * given
        there = most - rest + share * given
        fits = (kept <= most) & (end_energy <= maximum(there + maximum(share * work + fall, 0.0), begin))
        if k == 0:
            stuck = over & negated(fits)
        else:
            low, high = where(fits, middle, low), where(fits, high, middle)
    none = over & (low == 0.0) & stuck
    if any_lane(none):
        share = least_energy(scene, state, parts, begin, whole, turning + inner, given)
        low = where(none, share, low)
    share, turn = where(stuck & negated(none), 0.0, low), where(stuck, low, 1.0)
    potential_at(scene, state, parts, share, turn)
    root = 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if in_group(tree, around, leader, root):
            scale_velocities(scene, state, group, root, end, share, turn, room.rate)
            move_tree(scene, room.start, room.rate, law.h, room.other, root, end)
            slow_tree(scene, solids, state, group, root, end, share, turn, over, room.other, room.rate)
        root = end
    for t in range(leader, around.tie_count):
        if ints[t].leader == leader:
            moved_less(scene, around.ties[t], ints[t], state.q)
            if ints[t].told >= 0:
                tell_taken(scene, around.ties[ints[t].teller], ints[ints[t].teller], ints[t].told)


@kernel
def least_energy(scene, state, parts, begin, whole, moving, given):
    """Share of its motion, all of it, with which a group that has too much even at rest has least.

    whole, moving: kinetic energy of its centre, and all other; given: half of the work on it at its velocities.
    """
    best, share = whole * 0.0 + INFINITE, whole * 0.0
    for k in range(SHARES + 1):
        own = whole * 0.0 + k / SHARES
        held, rest, end_energy, _ = potential_at(scene, state, parts, own, own)
        kept = whole + own * own * moving + held + rest - own * given
        better = (kept < best) & (end_energy <= begin)
        best, share = where(better, kept, best), where(better, own, share)
    return share


@kernel
def tell_taken(scene, tie, ints, root):
    """What was taken off a tree's momentum, and off those that pass it on, is told as impulse of a spring or rope."""
    tree, taken, other, sign = scene.tree, scene.placed[root].taken, ints.body_a, -1.0
    if root <= ints.body_a < tree.joint[root].end:
        other, sign = ints.body_b, 1.0
    tie.impulse = tie.impulse + taken * sign
    if other >= 0:
        while tree.joint[other].parent >= 0:
            other = tree.joint[other].parent
        scene.placed[other].taken = scene.placed[other].taken + taken


@kernel
def moved_less(scene, tie, ints, q):
    """Note where the ends of a spring or rope came to after all."""
    tie.ahead = reach_at(scene.tree, q, tie, ints)
    tie.moved = tie.ahead - tie.reach


@kernel
def in_group(tree, around, leader, root):
    """Does a tree belong to a group?"""
    end, found = tree.joint[root].end, 0
    for t in range(leader, around.tie_count):
        own = around.tie_ints[t]
        if own.leader == leader and (root <= own.body_a < end or root <= own.body_b < end):
            found += 1
    return found > 0


@kernel
def tree_energy(tree, carried, mean, root):
    """Kinetic energy of a tree, and of its rotors."""
    total = carried[root].energy * 0.0
    for i in range(root, tree.joint[root].end):
        total = total + carried[i].energy
        for k in range(tree.joint[i].iv, tree.joint[i].iv + tree.joint[i].count):
            total = total + 0.5 * tree.body[i].armature * (mean[k] * mean[k])
    return total


@kernel
def locked_group(scene, solids, around, state, leader):
    """The motion of a group if it were rigid, and its energies of going and of turning; at rest where it hangs on the
    world."""
    tree, none = scene.tree, scene.tree.gravity * 0.0
    total, inertia = Force(none, none), RigidInertia(none.x, none, shift_of(none.x, none))
    root, origin = 0, scene.placed[around.tie_ints[leader].body_a].pos
    while root < tree.bodies:
        if in_group(tree, around, leader, root):
            for i in range(root, tree.joint[root].end):
                placed, own, solid = scene.placed[i], state.carried[i], solids[i]
                at = placed.pos + placed.arm - origin
                total = total + momentum_at(solid.mass, at, own.centre, own.angular)
                inertia = inertia + RigidInertia(
                    solid.mass, at * solid.mass, rotated(placed.rot, solid.central) + shift_of(solid.mass, at)
                )
        root = tree.joint[root].end
    ang, lin, centre, going, turning = locked_motion(inertia, total)
    centre = centre + origin
    if around.tie_ints[leader].held == 1:
        return Group(leader, ang * 0.0, lin * 0.0, centre), going * 0.0, turning * 0.0
    return Group(leader, ang, lin, centre), going, turning


@kernel
def touches_anything(scene, rows, points, root):
    """Do contacts push on a tree?"""
    end, found = scene.tree.joint[root].end, scene.x[scene.tree.joint[root].iv] < scene.x[scene.tree.joint[root].iv]
    for p in range(points):
        own = rows.point_int[p]
        if own.tie == 0 and (root <= own.body_a < end or root <= own.body_b < end):
            found = found | (rows.point[p].impulse.z + rows.point[p].hit.z > 0.0)
    return found


@kernel
def potential_at(scene, state, parts, share, turn):
    """Potential energies of a group whose motion is scaled: of its springs and ropes in the middle of the substep, of
    its motors and weight as they go with that, of springs and ropes after it; and the work of gravity from there to
    then."""
    solids, around, control, law, group, room = parts
    tree, middle, rest, ahead, fall, root = scene.tree, law.h * 0.0, law.h * 0.0, law.h * 0.0, law.h * 0.0, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if in_group(tree, around, group.leader, root):
            scale_velocities(scene, state, group, root, end, share, turn, room.rate)
            if has_springs(tree, control, root, end):
                move_tree(scene, room.start, room.rate, 0.5 * law.h, room.other, root, end)
                rest = rest + spring_energy(tree, state.motor, control, room.other, root, end)
            move_tree(scene, room.start, room.rate, law.h, room.other, root, end)
            half = half_of_fall(scene, solids, room.other, root)
            fall = fall + half
            if is_floating(tree.joint[root]):
                half = half + half
            rest = rest - half
        root = end
    for t in range(group.leader, around.tie_count):
        own = around.tie_ints[t]
        if own.leader == group.leader:
            tie, reach = around.ties[t], reach_at(tree, room.other, around.ties[t], own)
            middle = middle + potential(tie, own.rope, (tie.reach + reach) * 0.5)
            ahead = ahead + potential(tie, own.rope, reach)
    return middle, rest, ahead, fall


@kernel
def spring_energy(tree, motors, control, q, root, end):
    """Of the springs of a tree's motors that are not at their limits, at coordinates q [J]."""
    total = tree.gravity.x * 0.0
    for i in range(root, end):
        joint, motor = tree.joint[i], control.motor[i]
        if any_lane(motor.stiffness > 0.0):
            half = 0.5 * motor.stiffness
            if is_ball(joint):
                error = turn_between(load_quaternion(control.target, joint.iq), load_quaternion(q, joint.iq))
                held = load3(motors, joint.iv)
                total = total + where(at_limit(held.x, motor.limit), 0.0, half * (error.x * error.x))
                total = total + where(at_limit(held.y, motor.limit), 0.0, half * (error.y * error.y))
                total = total + where(at_limit(held.z, motor.limit), 0.0, half * (error.z * error.z))
            elif joint.count == 1:
                error = q[joint.iq] - control.target[joint.iq]
                total = total + where(at_limit(motors[joint.iv], motor.limit), 0.0, half * (error * error))
    return total


@kernel
def has_springs(tree, control, root, end):
    """Have the motors of a tree springs?"""
    found = tree.gravity.x > tree.gravity.x
    for i in range(root, end):
        found = found | (control.motor[i].stiffness > 0.0)
    return any_lane(found)


@kernel
def half_of_fall(scene, solids, q, root):
    """Work of gravity on a tree in the second half of its way to q [J]."""
    tree, work = scene.tree, scene.tree.gravity.x * 0.0
    for i in range(root, tree.joint[root].end):
        way = point_at(tree, q, i, solids[i].centre) - scene.placed[i].pos - scene.placed[i].arm
        work = work + 0.5 * solids[i].mass * dot(tree.gravity, way)
    return work


@kernel
def scale_velocities(scene, state, group, root, end, share, turn, rate):
    """Velocities of a tree of a group whose motion is scaled."""
    tree, joint, placed = scene.tree, scene.tree.joint[root], scene.placed[root]
    for k in range(joint.iv, velocities_to(tree, end)):
        rate[k] = state.mean[k] * share
    if is_free(tree, root):
        more = group.ang * (turn - share)
        lin = group.lin * (1.0 - share) + cross(more, placed.pos - group.centre)
        store3(rate, joint.iv, load3(rate, joint.iv) + placed.base.T @ more)
        store3(rate, joint.iv + 3, load3(rate, joint.iv + 3) + placed.base.T @ lin)


@kernel
def slow_tree(scene, solids, state, group, root, end, share, turn, over, other, rate):
    """Scale the motion of a tree of a group, and what it brings along."""
    tree, joint, none = scene.tree, scene.tree.joint[root], scene.tree.gravity * 0.0
    before, after, more = Force(none, none), Force(none, none), group.ang * (turn - share)
    for k in range(joint.iv, velocities_to(tree, end)):
        state.mean[k] = where(over, rate[k], state.mean[k])
    for k in range(joint.iq, coordinates_to(tree, end)):
        state.q[k] = where(over, other[k], state.q[k])
    for i in range(root, end):
        placed, own, solid = scene.placed[i], state.carried[i], solids[i]
        at, arm = placed.pos + placed.arm - group.centre, placed.rel + placed.arm
        before = before + momentum_at(solid.mass, arm, own.centre, own.angular)
        centre = own.centre * share + group.lin * (1.0 - share) + cross(more, at)
        angular = own.angular * share + rotated(placed.rot, solid.central) @ more
        own.centre, own.angular = where(over, centre, own.centre), where(over, angular, own.angular)
        own.spin = where(over, own.spin * share + placed.rot.T @ more, own.spin)
        energy = body_energy(solid.mass, solid.central, placed.rot, own.centre, own.angular)
        own.energy = where(over, energy, own.energy)
        after = after + momentum_at(solid.mass, arm, own.centre, own.angular)
        placed.bend, placed.excess = placed.bend * where(over, share, 1.0), placed.excess * where(over, share, 1.0)
    scene.placed[root].taken = after.lin - before.lin
    if is_free(tree, root):
        inertia = scene.placed[root].inertia
        spin = load3(state.spin, 3 * root)
        changed = spin + spin_of(inertia, after) - spin_of(inertia, before)
        store3(state.spin, 3 * root, where(over, changed, spin))
    move_bodies(scene, state.mean, root, end)


@kernel
def coordinates_to(tree, end):
    """One past the last coordinate of the bodies before `end`, which are whole trees."""
    if end < tree.bodies:
        return tree.joint[end].iq
    return tree.nq


@kernel
def move_tree(scene, start, rate, h, q, root, end):
    """Coordinates of a tree after moving at even rates."""
    advance_trees(scene.tree, start, rate, h, q, root, end)
    if scene.followers.total > 0:
        follow(scene.tree, scene.followers, q, root, end)


@kernel
def reach_at(tree, q, tie, ints):
    """From b's end of a spring or rope to a's, at coordinates q."""
    end = point_at(tree, q, ints.body_a, tie.point_a)
    if ints.body_b >= 0:
        return end - point_at(tree, q, ints.body_b, tie.point_b)
    return end - tie.point_b


@kernel
def point_at(tree, q, i, point):
    """Where a point of a body is in the world, at coordinates q."""
    while i >= 0:
        joint, body = tree.joint[i], tree.body[i]
        point = body.pos + turned(joint, body, body.rot, q) @ point
        if is_floating(joint) or joint.slides == 1:
            point = point + slid(joint, body, body.rot, q)
        i = joint.parent
    return point


class Room(NamedTuple):
    """Views of scratch: of where the substep began, and of what is tried."""

    start: lanes  # type: ignore[valid-type]  # (nq,): coordinates
    mean: lanes  # type: ignore[valid-type]  # (nv,): velocities
    carried: records  # type: ignore[valid-type]  # of each body
    owed: lanes  # type: ignore[valid-type]  # (bodies,): see `state`
    other: lanes  # type: ignore[valid-type]  # (nq,): coordinates
    rate: lanes  # type: ignore[valid-type]  # (nv,): velocities
    reached: records  # type: ignore[valid-type]  # of each body


@kernel
def open_room(scene, spare):
    """Views of scratch, behind what `energy_momentum` needs of it."""
    tree = scene.tree
    start = tail(spare, tree.nv * (scene.chains.stride + 8) + tree.nq + tree.bodies * Reached.SIZE)
    mean = tail(start, tree.nq)
    carried = tail(mean, tree.nv)
    owed = tail(carried, tree.bodies * Carried.SIZE)
    other = tail(owed, tree.bodies)
    rate = tail(other, tree.nq)
    reached = records(tail(rate, tree.nv), Reached)
    return Room(start, mean, records(carried, Carried), owed, other, rate, reached)
