"""Bodies in world axes: places, velocities and accelerations, outward from the root.

Positions are taken from the root body's origin, so that a figure far from the world's origin loses no digits.
Velocities and accelerations are classical ones: of the turning, and of the body's origin as a point.
"""

from hitogata.dynamics.joints import driven, is_floating, slid, turned
from hitogata.lanes import inline, kernel, record
from hitogata.spatial import (
    Force,
    Mat3,
    Motion,
    RigidInertia,
    Vec3,
    cross,
)


@record
class Placed:
    """Scratch memory of one body.  World axes."""

    rot: Mat3  # R_WK
    pos: Vec3  # from the root's origin
    base: Mat3  # R_WF: axes of the joint on the parent's side
    velocity: Motion
    acceleration: Motion
    force: Force  # that moves the subtree, about the body's origin
    inertia: RigidInertia  # of the subtree, about the root's origin


@kernel
def place(tree, work, q):
    """Where each body is."""
    for i in range(tree.bodies):
        place_body(tree.joint[i], tree.body[i], work[i], work, q)


@kernel
def place_chain(tree, work, q, body):
    """Where the bodies are that lie between the root and one body."""
    for i in range(body + 1):
        if body < tree.joint[i].end:
            place_body(tree.joint[i], tree.body[i], work[i], work, q)


@kernel
def place_body(joint, body, placed, work, q):
    """Where a body is; its parent was placed before."""
    if joint.parent >= 0:
        parent = work[joint.parent]
        base, pos = parent.rot @ body.rot, parent.pos + parent.rot @ body.pos
    else:
        base, pos = body.rot, Vec3(0.0, 0.0, 0.0)
    placed.base = base
    placed.rot = turned(joint, body, base, q)
    placed.pos = pos
    if joint.slides == 1 and joint.parent >= 0:
        placed.pos = pos + slid(joint, body, base, q)


@kernel
def root_position(tree, q):
    """Where the root body's origin is in the world; all other places are taken from there."""
    joint, body = tree.joint[0], tree.body[0]
    if is_floating(joint) or joint.slides == 1:
        return body.pos + slid(joint, body, body.rot, q)
    return body.pos


@kernel
def move(tree, work, v):
    """How fast each body moves; needs `place`."""
    for i in range(tree.bodies):
        joint, placed = tree.joint[i], work[i]
        if joint.parent >= 0:
            parent = work[joint.parent]
            placed.velocity = carried(parent.velocity, placed.pos - parent.pos)
        else:
            placed.velocity = at_rest()
        placed.velocity = driven(joint, tree.body[i], placed, v, placed.velocity)


@kernel
def speed_up(tree, work, vdot):
    """Classical acceleration of each body, for joint accelerations vdot or None; needs `move`.

        α = α_P + joint's α + ω_P × joint's ω                                 P: the parent
        a = a_P + α_P × r + ω_P × (ω_P × r) + joint's a + 2 ω_P × joint's v
    """
    for i in range(tree.bodies):
        joint, placed = tree.joint[i], work[i]
        if joint.parent >= 0:
            parent = work[joint.parent]
            arm = placed.pos - parent.pos
            own = placed.velocity - carried(parent.velocity, arm)
            placed.acceleration = swung(parent.velocity.ang, parent.acceleration, arm, own)
        else:
            placed.acceleration = at_rest()
        if vdot is not None:
            placed.acceleration = driven(joint, tree.body[i], placed, vdot, placed.acceleration)


@inline
def at_rest():
    """No motion."""
    return Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))


@inline
def carried(motion, arm):
    """Velocity of a point `arm` away, carried along."""
    return Motion(motion.ang, motion.lin + cross(motion.ang, arm))


@inline
def swung(omega, a, arm, own):
    """Acceleration of a point `arm` away on a parent that turns with omega, moving at `own` relative to it."""
    return Motion(
        a.ang + cross(omega, own.ang),
        a.lin + cross(a.ang, arm) + cross(omega, cross(omega, arm)) + cross(omega, own.lin) * 2.0,
    )


@inline
def wrench(torque, force, arm):
    """A wrench at the end of an arm, about its start."""
    return Force(torque + cross(arm, force), force)
