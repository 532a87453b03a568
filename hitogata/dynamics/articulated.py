"""Forward dynamics in O(n): the articulated-body algorithm, ABA (Featherstone 2008, table 7.1).

Given q, v and joint torques tau, find vdot with

    M(q) vdot + c(q, v) = tau - D v + Σ Jᵀ f          D: joint damping, f: external wrenches

Three passes over the bodies: turning outward, inertias and forces inward, accelerations outward.  All vectors are in
world axes about each body's own origin, and accelerations are classical (of the turning, and of the origin as a point):

    force = I acceleration + [ω × I ω; ω × (ω × m c)]          I: 6x6, about the origin;  m c: mass times centre

Written so, linear velocities never enter, an inertia is turned once instead of at every joint, and the inward pass,
where each body waits for its children, is only shifts and sums.
"""

from hitogata.dynamics.aba_joint import (
    handed_down,
    hinge_gain,
    release_axis,
    release_ball,
    release_geared_ball,
    screw_gain,
)
from hitogata.dynamics.joints import BALL, FIXED, FREE, HINGE, axis_of, column
from hitogata.dynamics.rnea_outward import carried, standing, turn
from hitogata.dynamics.world_kinematics import wrench
from hitogata.lanes import inline, kernel, record, records
from hitogata.spatial import (
    Force,
    Inertia,
    Mat3,
    Motion,
    RigidInertia,
    Sym3,
    Vec3,
    articulated,
    cross,
    dot,
    load3,
    rotated,
    solve6,
    store3,
)


@record
class Work:
    """Scratch memory of one body.  World axes."""

    rot: Mat3  # R_WK
    arm: Vec3  # from the parent's origin
    base: Mat3  # R_WF: axes of the joint on the parent's side
    omega: Vec3
    drift: Motion  # acceleration due to velocity alone
    own: RigidInertia  # of the body
    force: Force  # that would hold the subtree in its motion
    inertia: Inertia  # articulated, of the subtree
    acceleration: Motion
    gain: Force  # hinge, screw:  rate = stiff * (push - gain . acceleration)
    stiff: float
    push: float
    ball_gain: Mat3  # ball:  turning = push - gain @ linear acceleration
    ball_push: Vec3
    ball_slip: Sym3  # with armature:  + slip @ angular acceleration


# ------------------------------------------------------- outward: turning


@kernel(inline=True)
def find_turning(joint, body, work, works, q, v):
    """Axes, angular velocity, drift, inertia and velocity-dependent force of a body."""
    turn(joint, body, work, works, q, v)
    work.own, work.force = weighed(body.inertia, work.rot, work.omega)


@inline
def weighed(inertia, rot, omega):
    """A body's inertia in world axes, and the force that holds it in its turning."""
    moment, spin = rot @ inertia.moment, rotated(rot, inertia.rot)
    return (
        RigidInertia(inertia.mass, moment, spin),
        Force(cross(omega, spin @ omega), cross(omega, cross(omega, moment))),
    )


@kernel
def add_wrench(joint, body, work, wrenches):
    """An external wrench, about the link's origin, takes over a part of the force that holds the body."""
    if joint.link >= 0:
        at = 6 * joint.link
        work.force = work.force - wrench(load3(wrenches, at), load3(wrenches, at + 3), work.rot @ body.link_pos)


# ------------------------------------------------------- inward: inertias and forces


@kernel(inline=True)
def subtree_inertia(joint, work):
    """Articulated inertia of a body after its children reported."""
    if joint.leaf == 1:
        return articulated(work.own)
    return work.inertia


@kernel(inline=True)
def find_inertia(joint, body, work, works, v, tau):
    """A body's joint gives way, and its parent takes up what is left."""
    iv = joint.iv
    inertia = subtree_inertia(joint, work)
    if joint.kind == BALL:
        torque = work.base @ (load3(tau, iv) - load3(v, iv) * body.damping)
        if joint.geared == 0:
            felt, weight, work.ball_gain, work.ball_push = release_ball(
                inertia, work.force, work.drift, torque, work.arm
            )
        else:
            felt, weight, work.ball_gain, work.ball_push, work.ball_slip = release_geared_ball(
                inertia, work.force, work.drift, torque, body.armature, work.arm
            )
    elif joint.kind == FIXED:
        felt, weight = handed_down(inertia, work.force + inertia @ work.drift, work.arm)
    else:
        axis = axis_of(work.rot)
        if joint.kind == HINGE:
            gain, stiff = hinge_gain(inertia, axis, body.armature)
            push = tau[iv] - v[iv] * body.damping - dot(axis, work.force.ang)
        else:
            gain, stiff = screw_gain(inertia, axis, body.turn, body.slide, body.armature)
            along = work.force.ang * body.turn + work.force.lin * body.slide
            push = tau[iv] - v[iv] * body.damping - dot(axis, along)
        felt, weight = release_axis(inertia, work.force, work.drift, gain, stiff, push, work.arm)
        work.gain, work.stiff, work.push = gain, stiff, push
    if joint.parent >= 0:
        parent = works[joint.parent]
        parent.force = parent.force + weight
        if joint.opens == 1:
            parent.inertia = articulated(parent.own) + felt
        else:
            parent.inertia = parent.inertia + felt


# ------------------------------------------------------- outward: accelerations


@kernel(inline=True)
def find_free_acceleration(joint, body, work, v, tau, out, gravity):
    """Acceleration of a floating root: six equations in six unknowns."""
    iv, base = joint.iv, work.base
    torque = base @ (load3(tau, iv) - load3(v, iv) * body.damping)
    force = base @ (load3(tau, iv + 3) - load3(v, iv + 3) * body.damping)
    a = solve6(subtree_inertia(joint, work), Force(torque, force) - work.force)
    work.acceleration = a
    store3(out, iv, base.T @ a.ang)
    store3(out, iv + 3, base.T @ (a.lin + gravity))


@inline
def axis_rate(a, gain, stiff, push):
    """Rate at which a hinge or screw gives way."""
    return stiff * (push - (dot(gain.ang, a.ang) + dot(gain.lin, a.lin)))


@kernel(inline=True)
def find_acceleration(joint, body, work, works, out, gravity):
    """Acceleration of a body, from its parent's and its joint's."""
    iv = joint.iv
    if joint.parent >= 0:
        a = carried(works[joint.parent].acceleration, work.arm, work.drift)
    else:
        a = carried(standing(gravity), work.arm, work.drift)
    if joint.kind == BALL:
        ang = work.ball_push - work.ball_gain @ a.lin
        if joint.geared == 1:
            ang = ang + work.ball_slip @ a.ang
        store3(out, iv, work.base.T @ (ang - a.ang))
        work.acceleration = Motion(ang, a.lin)
    elif joint.kind == HINGE:
        rate = axis_rate(a, work.gain, work.stiff, work.push)
        out[iv] = rate
        work.acceleration = Motion(a.ang + axis_of(work.rot) * rate, a.lin)
    elif joint.kind == FIXED:
        work.acceleration = a
    else:
        rate = axis_rate(a, work.gain, work.stiff, work.push)
        out[iv] = rate
        work.acceleration = a + column(joint, body, work, 0) * rate


# ------------------------------------------------------- all passes


@kernel
def accelerate(tree, work, q, v, tau, wrenches, options, out):
    """Accelerations of one block of figures; the form of the arguments is told in `batches`."""
    work = records(work, Work)
    for i in range(tree.bodies):
        find_turning(tree.joint[i], tree.body[i], work[i], work, q, v)
        if wrenches is not None:
            add_wrench(tree.joint[i], tree.body[i], work[i], wrenches)
    for i in range(tree.bodies - 1, -1, -1):
        if tree.joint[i].kind != FREE:
            find_inertia(tree.joint[i], tree.body[i], work[i], work, v, tau)
        else:
            find_free_acceleration(tree.joint[i], tree.body[i], work[i], v, tau, out, tree.gravity)
    for i in range(tree.bodies):
        if tree.joint[i].kind != FREE:
            find_acceleration(tree.joint[i], tree.body[i], work[i], work, out, tree.gravity)
