"""Forward dynamics in O(n): the articulated-body algorithm (Featherstone 2008, table 7.1).

Given q, v and joint torques tau, find vdot with

    M(q) vdot + c(q, v) = tau - D v + Σ Jᵀ f          D: joint damping, f: external wrenches

Three passes over the bodies, each in its own frame K: velocities outward, inertias and forces inward, accelerations
outward.  A joint *gives way* when its articulated inertia is handed to the parent: what is left is the inertia the
parent feels through it.  Where K is aligned with the axis, rows and columns of that inertia vanish, and the code says
so with literal zeros, which cost nothing.
"""

from hitogata.dynamics.layout import BALL, FIXED, FREE, HINGE, SLIDER
from hitogata.dynamics.releasing import (
    column_slide,
    column_z,
    handed_down,
    release_ball,
    release_geared,
    release_geared_ball,
    release_hinge,
    release_slider,
)
from hitogata.lanes import inline, kernel, record, sincos
from hitogata.spatial import (
    Force,
    Inertia,
    Mat3,
    Motion,
    Sym3,
    Vec3,
    articulated,
    cross,
    cross_force,
    cross_motion,
    dot,
    load3,
    load_rotation,
    motion_to_child,
    solve6,
    store3,
    turned_about_z,
)


@record
class Work:
    """Scratch memory of one body."""

    rot: Mat3  # K in the parent's K
    pos: Vec3
    velocity: Motion
    drift: Motion  # acceleration due to velocity alone
    force: Force  # that would hold the subtree in its motion
    inertia: Inertia  # articulated, of the subtree
    acceleration: Motion
    gain: Force  # hinge, slider:  rate = inverse * (push - gain . acceleration)
    inverse: float
    push: float
    ball_gain: Mat3  # ball:  turning = push - gain @ linear acceleration
    ball_push: Vec3
    ball_slip: Sym3  # ball with armature:  + slip @ angular acceleration
    world: Mat3  # K in the world, where external wrenches act


# ------------------------------------------------------- outward: velocities


@kernel
def find_velocity(joint, body, work, works, q, v):
    """Place, velocity, velocity-dependent acceleration and force of a body."""
    kind, iv = joint.kind, joint.iv
    place_body(joint, body, work, q)
    if kind == FREE:
        turn = load_rotation(q, joint.iq + 3)
        work.velocity = Motion(turn.T @ load3(v, iv), turn.T @ load3(v, iv + 3))
    else:
        if joint.parent >= 0:
            carried = motion_to_child(work.rot, work.pos, works[joint.parent].velocity)
        else:
            carried = still()
        if kind == HINGE:
            work.velocity, work.drift = moved_by_hinge(carried, v[iv])
        elif kind == BALL:
            work.velocity, work.drift = moved_by_ball(carried, load_rotation(q, joint.iq), load3(v, iv))
        elif kind == SLIDER:
            work.velocity, work.drift = moved_by_slider(carried, v[iv])
        else:
            work.velocity = carried
            work.drift = still()
    velocity = work.velocity
    work.force = cross_force(velocity, body.inertia @ velocity)


@kernel
def place_body(joint, body, work, q):
    """Where a body sits in its parent."""
    work.pos = body.pos
    if joint.kind == HINGE:
        sin, cos = sincos(q[joint.iq])
        work.rot = turned_about_z(body.rot, sin, cos)
    elif joint.kind == BALL:
        work.rot = body.rot @ load_rotation(q, joint.iq)
    elif joint.kind == SLIDER:
        work.rot = body.rot
        work.pos = slid(body.rot, body.pos, q[joint.iq])
    elif joint.kind == FREE:
        work.rot = body.rot @ load_rotation(q, joint.iq + 3)
    else:
        work.rot = body.rot


@inline
def slid(rot, pos, distance):
    """A point moved along the z axis of a frame."""
    return pos + Vec3(rot.xz, rot.yz, rot.zz) * distance


@inline
def still():
    """No motion."""
    return Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))


@inline
def moved_by_hinge(carried, rate):
    """Velocity of a body that is carried along and turns about z; and its velocity-product acceleration v × S rate."""
    turning = Motion(Vec3(0.0, 0.0, rate), Vec3(0.0, 0.0, 0.0))
    return carried + turning, cross_motion(carried, turning)


@inline
def moved_by_slider(carried, rate):
    """The same for a body that slides along z."""
    sliding = Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, rate))
    return carried + sliding, cross_motion(carried, sliding)


@inline
def moved_by_ball(carried, turn, rate):
    """The same for a ball joint; its rate is given in F, and `turn` is K in F."""
    turning = Motion(turn.T @ rate, Vec3(0.0, 0.0, 0.0))
    return carried + turning, cross_motion(carried, turning)


@kernel
def add_wrenches(tree, work, wrenches):
    """External wrenches, in world axes about the links' origins, push against the force that holds each body."""
    for i in range(tree.bodies):
        joint, body = tree.joint[i], tree.body[i]
        if joint.parent >= 0:
            work[i].world = work[joint.parent].world @ work[i].rot
        else:
            work[i].world = work[i].rot
        if joint.link >= 0:
            torque, force = load3(wrenches, 6 * joint.link), load3(wrenches, 6 * joint.link + 3)
            work[i].force = work[i].force - wrench_in_body(work[i].world, body.link_pos, torque, force)


@inline
def wrench_in_body(world, link_pos, torque, force):
    """From world axes at the link's origin B to the axes and origin of K."""
    lin = world.T @ force
    return Force(world.T @ torque + cross(link_pos, lin), lin)


# ------------------------------------------------------- inward: inertias and forces


@kernel
def give_way_dense(joint, body, work, inertia, push):
    """Fixed joints, and joints with armature: nothing vanishes.  `push` is the torque about, or force along, z."""
    if joint.kind == FIXED:
        return handed_down(inertia, work.force, work.rot, work.pos)
    if joint.kind == HINGE:
        gain, own = column_z(inertia)
        net = push - work.force.ang.z
    else:
        gain, own = column_slide(inertia)
        net = push - work.force.lin.z
    rest, left, work.inverse = release_geared(inertia, work.force, work.drift, net, gain, own + body.armature)
    work.gain, work.push = gain, net
    return handed_down(rest, left, work.rot, work.pos)


@kernel
def give_way_geared_ball(body, work, inertia, push):
    """A ball joint with armature."""
    rest, left, work.ball_gain, work.ball_push, work.ball_slip = release_geared_ball(
        inertia, work.force, work.drift, push, body.armature
    )
    return handed_down(rest, left, work.rot, work.pos)


@kernel
def find_inertia(joint, body, work, bodies, works, q, v, tau):
    """A body's joint gives way, and its parent takes up what is left."""
    iv, kind = joint.iv, joint.kind
    if joint.leaf == 1:
        inertia = articulated(body.inertia)
    else:
        inertia = work.inertia
    if kind == BALL:
        push = load_rotation(q, joint.iq).T @ (load3(tau, iv) - load3(v, iv) * body.damping)
        if joint.geared == 1:
            felt, weight = give_way_geared_ball(body, work, inertia, push)
        else:
            felt, weight, work.ball_gain, work.ball_push = release_ball(
                inertia, work.force, work.drift, push, work.rot, work.pos
            )
    elif kind == HINGE and joint.geared == 0:
        felt, weight, work.gain, work.inverse, work.push = release_hinge(
            inertia, work.force, work.drift, tau[iv] - v[iv] * body.damping, work.rot, work.pos
        )
    elif kind == SLIDER and joint.geared == 0:
        felt, weight, work.gain, work.inverse, work.push = release_slider(
            inertia, work.force, work.drift, tau[iv] - v[iv] * body.damping, work.rot, work.pos
        )
    elif kind == FIXED:
        felt, weight = give_way_dense(joint, body, work, inertia, work.force.ang.z)
    else:
        felt, weight = give_way_dense(joint, body, work, inertia, tau[iv] - v[iv] * body.damping)
    if joint.parent >= 0:
        parent = works[joint.parent]
        parent.force = parent.force + weight
        if joint.opens == 1:
            parent.inertia = articulated(bodies[joint.parent].inertia) + felt
        else:
            parent.inertia = parent.inertia + felt


# ------------------------------------------------------- outward: accelerations


@inline
def free_torque(turn, torque, force, velocity, damping):
    """Generalised force on a free joint, from F to K, less damping."""
    return Force(turn.T @ torque, turn.T @ force) - Force(velocity.ang, velocity.lin) * damping


@inline
def free_rates(turn, frame, a, velocity, gravity):
    """Rates of a free joint's velocity in F: the origin's classical acceleration has ω × v, and gravity pulls."""
    return turn @ a.ang, turn @ (a.lin + cross(velocity.ang, velocity.lin)) + frame.T @ gravity


@kernel
def find_free_acceleration(joint, body, work, q, tau, out, gravity):
    """Acceleration of a floating root."""
    iv, turn = joint.iv, load_rotation(q, joint.iq + 3)
    if joint.leaf == 1:
        inertia = articulated(body.inertia)
    else:
        inertia = work.inertia
    wanted = free_torque(turn, load3(tau, iv), load3(tau, iv + 3), work.velocity, body.damping)
    a = solve6(inertia, wanted - work.force)
    work.acceleration = a
    ang, lin = free_rates(turn, body.rot, a, work.velocity, gravity)
    store3(out, iv, ang)
    store3(out, iv + 3, lin)


@inline
def fallen(rot, gravity):
    """Standing still in gravity feels like accelerating against it."""
    return Motion(Vec3(0.0, 0.0, 0.0), rot.T @ (gravity * -1.0))


@inline
def axis_rate(a, gain, stiff, push):
    """Rate at which a hinge or slider gives way."""
    return stiff * (push - (dot(gain.ang, a.ang) + dot(gain.lin, a.lin)))


@inline
def turned_z(a, rate):
    """A motion, and turning about z on top."""
    return Motion(Vec3(a.ang.x, a.ang.y, a.ang.z + rate), a.lin)


@inline
def slid_z(a, rate):
    """A motion, and sliding along z on top."""
    return Motion(a.ang, Vec3(a.lin.x, a.lin.y, a.lin.z + rate))


@kernel
def find_acceleration(joint, body, work, works, q, out, gravity):
    """Acceleration of a body, from its parent's and its joint's."""
    kind, iv = joint.kind, joint.iv
    if joint.parent >= 0:
        a = motion_to_child(work.rot, work.pos, works[joint.parent].acceleration) + work.drift
    else:
        a = fallen(work.rot, gravity) + work.drift
    if kind == HINGE:
        rate = axis_rate(a, work.gain, work.inverse, work.push)
        out[iv] = rate
        work.acceleration = turned_z(a, rate)
    elif kind == BALL:
        ang = work.ball_push - work.ball_gain @ a.lin
        if joint.geared == 1:
            ang = ang + work.ball_slip @ a.ang
        store3(out, iv, load_rotation(q, joint.iq) @ (ang - a.ang))
        work.acceleration = Motion(ang, a.lin)
    elif kind == SLIDER:
        rate = axis_rate(a, work.gain, work.inverse, work.push)
        out[iv] = rate
        work.acceleration = slid_z(a, rate)
    else:
        work.acceleration = a


# ------------------------------------------------------- all passes


@kernel
def accelerate(tree, work, q, v, tau, wrenches, gravity, out):
    """Accelerations of one block of figures.

    Args:
        tree: the figure.
        work: records of Work, one per body.
        q: flat view (nq,).
        v: flat view (nv,).
        tau: flat view (nv,).
        wrenches: flat view (links, 6), or None.
        gravity: Vec3, world axes.
        out: flat view (nv,).
    """
    for i in range(tree.bodies):
        find_velocity(tree.joint[i], tree.body[i], work[i], work, q, v)
    if wrenches is not None:
        add_wrenches(tree, work, wrenches)
    for i in range(tree.bodies - 1, -1, -1):
        if tree.joint[i].kind != FREE:
            find_inertia(tree.joint[i], tree.body[i], work[i], tree.body, work, q, v, tau)
        else:
            find_free_acceleration(tree.joint[i], tree.body[i], work[i], q, tau, out, gravity)
    for i in range(tree.bodies):
        if tree.joint[i].kind != FREE:
            find_acceleration(tree.joint[i], tree.body[i], work[i], work, q, out, gravity)
