"""Rows of joints between loose bodies: what holds them together, their springs, dampers and rotors, their limits.

Per joint one block of up to six rows, three about and three along the axes of its parent's side.  Directions it cannot
move in are hard, and pull in a share of the gap they find (Baumgarte 1972):

    u + share gap / h = 0

Directions it can move in have a row if there is a spring K, a damper C (of `springs.damper_of`; its part D' belongs to
the joint itself) or a rotor of inertia I: the law of `sim/free_motion.py`, solved for the velocity (Tazaki & Hasegawa
2007).  With e the error, v the velocity before and S = h C + I,

    u + p/S + (h K e - I v - h (C - D') rate)/S = 0

so that without a rotor the softness is 1/(h C) and the bias K e/C - rate.  A limit is a block of one one-sided row.
"""

from hitogata.constraints.joint_places import at_root, first_half, link_of, parent_link, pushed_by
from hitogata.constraints.links import SIDE, UNBOUNDED, add_link_row, begin_block
from hitogata.constraints.springs import damper_of
from hitogata.dynamics.joints import BALL, FIXED, FREE, HINGE, SCREW, turn_between
from hitogata.lanes import absolute, any_lane, copysign, inline, kernel, where
from hitogata.spatial import Force, Vec3, cols, load3, load_quaternion, store3

LOOSE = 1e30
"""Softness of a row that must not act."""


@kernel
def find_joints(joints, links, state, control, law, share):
    """Blocks of all joints; returns how many there are, and how many rows."""
    blocks, rows, tree = 0, 0, joints.tree
    for k in range(SIDE * tree.links):
        joints.impulse[k] = joints.impulse[k] * law.warm
    for i in range(tree.bodies):
        link = tree.joint[i].link
        if link >= 0:
            begin_block(links, blocks, link, parent_link(tree, i), rows, 0)
            if first_half(tree, i) != i:
                hold_universal(joints, links, blocks, i, state, control, law, share / law.h)
            else:
                hold_joint(joints, links, blocks, i, state, control, law, share / law.h)
            rows += links.block[blocks].count
            if links.block[blocks].count > 0:
                blocks += 1
    return blocks, rows


@kernel
def hold_joint(joints, links, block, i, state, control, law, pull):
    """The rows of every joint but a universal one."""
    joint, place = joints.tree.joint[i], joints.place[i]
    kind, gap, at, (x, y, z) = joint.kind, joints.held[joint.link].gap, SIDE * joint.link, cols(place.base)
    if kind in (HINGE, SCREW, FIXED):
        about(joints, links, block, x, gap.ang.x * pull, 0.0, at)
        about(joints, links, block, y, gap.ang.y * pull, 0.0, at + 1)
    if kind in (SCREW, FIXED):
        about(joints, links, block, z, gap.ang.z * pull, 0.0, at + 2)
    if kind != FREE:
        along(joints, links, block, place.lever, x, gap.lin.x * pull, 0.0, at + 3)
        along(joints, links, block, place.lever, y, gap.lin.y * pull, 0.0, at + 4)
    if kind != FREE and kind != SCREW:
        along(joints, links, block, place.lever, z, gap.lin.z * pull, 0.0, at + 5)
    if joint.count == 1:
        drive_one(joints, links, block, i, at + 2 if kind == HINGE else at + 5, state, control, law)
    elif joint.count > 1:
        drive_all(joints, links, block, i, at, state, control, law)


@kernel
def hold_universal(joints, links, block, i, state, control, law, pull):
    """The rows of a universal joint: four that hold it, and those of its two motors."""
    place, link = joints.place[i], joints.tree.joint[i].link
    gap, at, (x, y, z) = joints.held[link].gap, SIDE * link, cols(place.base)
    about(joints, links, block, place.across, gap.ang.x * pull, 0.0, at)
    along(joints, links, block, place.lever, x, gap.lin.x * pull, 0.0, at + 3)
    along(joints, links, block, place.lever, y, gap.lin.y * pull, 0.0, at + 4)
    along(joints, links, block, place.lever, z, gap.lin.z * pull, 0.0, at + 5)
    drive_one(joints, links, block, first_half(joints.tree, i), at + 1, state, control, law)
    drive_one(joints, links, block, i, at + 2, state, control, law)


# ------------------------------------------------------- spring, damper and rotor


@kernel
def drive_one(joints, links, block, i, slot, state, control, law):
    """The row of a hinge or slider, if anything drives it."""
    joint, place = joints.tree.joint[i], joints.place[i]
    stiff, spring, rotor, damper = drive_law(control.motor[i], joints.tree.body[i], law, state.motor[joint.iv])
    if any_lane(stiff > 0.0):
        error, soft = state.q[joint.iq] - control.target[joint.iq], softness(stiff)
        bias = (error * spring - state.v[joint.iv] * rotor - control.rate[joint.iv] * damper) * soft
        if joint.kind == HINGE:
            about(joints, links, block, place.axis, bias, soft, slot)
        else:
            along(joints, links, block, place.lever, place.axis, bias, soft, slot)


@kernel
def drive_all(joints, links, block, i, at, state, control, law):
    """The three rows of a ball joint, or six of a free one (which has no motor)."""
    joint, place, (x, y, z) = joints.tree.joint[i], joints.place[i], cols(joints.place[i].base)
    motor, body, iv = control.motor[i], joints.tree.body[i], joint.iv
    stiff, _, rotor, damper = drive_law(motor, body, law, motor.limit * 0.0)
    if any_lane(stiff > 0.0):
        error, lever = load3(state.v, iv) * 0.0, place.lever
        if joint.kind == BALL:
            error = turn_between(load_quaternion(control.target, joint.iq), load_quaternion(state.q, joint.iq))
        drive_axis(joints, links, block, i, iv, x, error.x, at, state, control, law)
        drive_axis(joints, links, block, i, iv + 1, y, error.y, at + 1, state, control, law)
        drive_axis(joints, links, block, i, iv + 2, z, error.z, at + 2, state, control, law)
        if joint.kind == FREE:
            soft, bias = softness(stiff), load3(state.v, iv + 3) * -rotor - load3(control.rate, iv + 3) * damper
            along(joints, links, block, lever, x, bias.x * soft, soft, at + 3)
            along(joints, links, block, lever, y, bias.y * soft, soft, at + 4)
            along(joints, links, block, lever, z, bias.z * soft, soft, at + 5)


@kernel
def drive_axis(joints, links, block, i, k, direction, error, slot, state, control, law):
    """The row of one of three velocities of turning."""
    stiff, spring, rotor, damper = drive_law(control.motor[i], joints.tree.body[i], law, state.motor[k])
    soft = softness(stiff)
    bias = (error * spring - state.v[k] * rotor - control.rate[k] * damper) * soft
    about(joints, links, block, direction, bias, soft, slot)


@kernel
def drive_law(motor, body, law, force):
    """S, h K, I and h (C - D'); of a motor at its effort limit, without spring and damper.

    force: what the motor did in the last substep, or is supposed to do.
    """
    damper = damper_of(motor.stiffness, motor.damping + body.damping, law.h, law.theta)
    held = (absolute(force) >= motor.limit) & (motor.limit < UNBOUNDED)
    own, spring = where(held, body.damping, damper), where(held, 0.0, motor.stiffness)
    return law.h * own + body.armature, law.h * spring, body.armature, law.h * (own - body.damping)


@kernel
def push_limited(joints, state, control):
    """Pushes in all joints: the user's, and those of motors at their effort limits (`sim.motors`)."""
    tree = joints.tree
    for i in range(tree.bodies):
        joint, limit = tree.joint[i], control.motor[i].limit
        for k in range(joint.iv, joint.iv + joint.count):
            held = (absolute(state.motor[k]) >= limit) & (limit < UNBOUNDED)
            joints.push[k] = control.push[k] + where(held, copysign(limit, state.motor[k]), 0.0)


@kernel
def find_drives(tree, state, control, law, drive):
    """What all motors would do at zero velocity, without their limits, (nv,)."""
    for i in range(tree.bodies):
        joint, motor, passive = tree.joint[i], control.motor[i], tree.body[i].damping
        damper = damper_of(motor.stiffness, motor.damping + passive, law.h, law.theta) - passive
        for k in range(joint.iv, joint.iv + joint.count):
            drive[k] = control.rate[k] * damper
        if joint.kind == BALL:
            error = turn_between(load_quaternion(control.target, joint.iq), load_quaternion(state.q, joint.iq))
            store3(drive, joint.iv, load3(drive, joint.iv) - error * motor.stiffness)
        elif joint.count == 1:
            error = state.q[joint.iq] - control.target[joint.iq]
            drive[joint.iv] = drive[joint.iv] - error * motor.stiffness


@inline
def softness(stiff):
    """1/S, and no action where S is zero."""
    return where(stiff > 0.0, 1.0 / where(stiff > 0.0, stiff, 1.0), LOOSE)


# ------------------------------------------------------- rows


@kernel
def about(joints, links, block, direction, bias, soft, slot):
    """A row for the turning of a against b about a direction."""
    wrench = turning(direction)
    add_link_row(
        links, block, wrench, wrench * -1.0, bias, soft, -UNBOUNDED, UNBOUNDED, joints.impulse[slot], slot
    )  # fmt: skip


@kernel
def along(joints, links, block, lever, direction, bias, soft, slot):
    """A row for the sliding of a against b along a direction."""
    wrench = sliding(direction)
    on_b = at_root(wrench, lever) * -1.0
    add_link_row(links, block, wrench, on_b, bias, soft, -UNBOUNDED, UNBOUNDED, joints.impulse[slot], slot)


@inline
def turning(direction):
    """A torque."""
    return Force(direction, Vec3(0.0, 0.0, 0.0))


@inline
def sliding(direction):
    """A force."""
    return Force(Vec3(0.0, 0.0, 0.0), direction)


@kernel
def link_limits(joints, rows, links, limits, blocks, first):
    """The rows of `constraints/limits.py`, between loose bodies; returns how many blocks there are now."""
    tree = joints.tree
    for a in range(limits):
        row, i = rows.joint[a], rows.joint_int[a].body
        joint, place = tree.joint[i], joints.place[i]
        if joint.kind == BALL:
            wrench = turning(place.base @ row.direction)
        elif joint.kind == HINGE:
            wrench = turning(place.axis * row.direction.x)
        else:
            wrench = sliding(place.axis * row.direction.x)
        begin_block(links, blocks, link_of(tree, i), parent_link(tree, i), first + a, 1)
        on_b = at_root(wrench, place.lever) * -1.0
        add_link_row(links, blocks, wrench, on_b, row.bias, row.soft, 0.0, UNBOUNDED, row.impulse, a)
        blocks += 1
    return blocks


@kernel
def keep_joints(joints, rows, links, joint_blocks, blocks, h):
    """Note impulses for the next step to begin with, and what each parent did to its child through the joint."""
    tree = joints.tree
    for k in range(SIDE * tree.links):
        joints.impulse[k] = 0.0
    for i in range(tree.bodies):
        held = joints.held[link_of(tree, i)]
        if first_half(tree, i) == i:
            held.reaction = held.reaction * 0.0
        if tree.joint[i].count > 0:
            held.reaction = held.reaction + pushed_by(tree.joint[i], joints.place[i], joints.push) * h
    for k in range(blocks):
        own = links.block[k]
        held = joints.held[own.body_a]
        for n in range(own.first, own.first + own.count):
            row = links.row[n]
            held.reaction = held.reaction + row.on_a * row.impulse
            if k < joint_blocks:
                joints.impulse[links.slot[n]] = row.impulse
            else:
                rows.joint[links.slot[n]].impulse = row.impulse
