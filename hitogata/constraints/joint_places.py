"""Joints between loose bodies: where they are, and what joint velocities and forces are to the bodies.

In maximal coordinates each link is a loose body, and a joint lies between body a, the link, and body b, its parent (-1:
the world).  The figure's tree still tells how they hang together; a universal joint, there two hinges with a massless
body between them, is one joint here, with one velocity in each of the two.

Everything is taken at the origin of a, which is the joint's on the child's side.  So a needs no lever; both bodies feel
the joint's force at the same point, and momentum is kept however far the joint has come apart; and what its rows keep
at zero is exactly the rate of the gap, seen from the parent's side.
"""

from typing import NamedTuple

from hitogata.dynamics.joints import BALL, FREE, HINGE, SCREW, axis_of
from hitogata.dynamics.layout import Tree
from hitogata.lanes import inline, kernel, lanes, record, records, sqrt
from hitogata.spatial import Force, Mat3, Motion, Vec3, cross, dot, load3, load6, store3, store6


@record
class JointPlace:
    """A joint of the tree in one moment.  World axes."""

    base: Mat3  # R_WF: axes of the joint on the parent's side
    axis: Vec3  # hinge, slider: what its velocity is along; a torque along it is felt by this velocity alone
    across: Vec3  # universal joint: the direction in which it cannot turn
    lever: Vec3  # from the origin of b to that of a


@record
class Held:
    """What a joint between loose bodies keeps between steps, one per link."""

    gap: Motion  # how far it has come apart, in the axes of its parent's side [rad], [m]
    reaction: Force  # impulse of the parent on the link through the joint, about the joint, world axes


class Joints(NamedTuple):
    """The joints of all figures, between loose bodies."""

    tree: Tree  # as it would be in reduced coordinates
    place: records  # type: ignore[valid-type]  # JointPlace, one per body of the tree
    held: records  # type: ignore[valid-type]  # Held, one per link
    impulse: lanes  # type: ignore[valid-type]  # (links, 6): of rows about three directions and along three
    push: lanes  # type: ignore[valid-type]  # (nv,): the user's pushes, and motors at their effort limits


@kernel
def first_half(tree, i):
    """The first of the two hinges that make a universal joint, or i itself."""
    above = tree.joint[i].parent
    if above >= 0 and tree.joint[above].link < 0:
        return above
    return i


@kernel
def link_of(tree, i):
    """The link, and loose body, at the end of a joint of the tree; both halves of a universal joint have the same."""
    if tree.joint[i].link < 0:
        return tree.joint[i + 1].link
    return tree.joint[i].link


@kernel
def parent_link(tree, i):
    """The loose body that a joint hangs on, or -1."""
    above = tree.joint[first_half(tree, i)].parent
    if above < 0:
        return -1
    return tree.joint[above].link


@kernel
def parent_side(tree, placed, i):
    """Axes and origin of a joint on its parent's side, and where the parent's origin is."""
    body, b = tree.body[first_half(tree, i)], parent_link(tree, i)
    if b >= 0:
        rot, pos = placed[b].rot, placed[b].pos
        return rot @ body.rot, pos + rot @ body.pos, pos
    return body.rot, body.pos, placed[link_of(tree, i)].pos


@kernel
def place_joints(joints, placed):
    """Where all joints are; the bodies were placed before."""
    tree = joints.tree
    for i in range(tree.bodies):
        if tree.joint[i].link >= 0:
            first, a, place = first_half(tree, i), tree.joint[i].link, joints.place[i]
            base, _, above = parent_side(tree, placed, i)
            place.base = base
            place.axis = axis_of(base)
            place.lever = placed[a].pos - above
            if first != i:
                half = joints.place[first]
                half.lever = place.lever
                half.axis, place.axis, place.across = split_axes(axis_of(base), axis_of(placed[a].rot))


@inline
def split_axes(a, b):
    """Directions d1, d2, n with turning = d1·ω about a, d2·ω about b, and n·ω in neither; |n| = 1."""
    c = dot(a, b)
    s = 1.0 / (1.0 - c * c)
    return (a - b * c) * s, (b - a * c) * s, cross(a, b) * sqrt(s)


# ------------------------------------------------------- velocities and forces


@kernel
def joint_velocities(joints, bodies, v):
    """Velocities of all joints, from those of the bodies [turning; origin] at this place."""
    tree = joints.tree
    for i in range(tree.bodies):
        joint, place = tree.joint[i], joints.place[i]
        b, motion = parent_link(tree, i), bodies[link_of(tree, i)].motion
        if b >= 0:
            motion = motion - carried_to(bodies[b].motion, place.lever)
        if joint.kind == BALL:
            store3(v, joint.iv, place.base.T @ motion.ang)
        elif joint.kind == HINGE:
            v[joint.iv] = dot(place.axis, motion.ang)
        elif joint.kind == SCREW:
            v[joint.iv] = dot(place.axis, motion.lin)
        elif joint.kind == FREE:
            store3(v, joint.iv, place.base.T @ motion.ang)
            store3(v, joint.iv + 3, place.base.T @ motion.lin)


@inline
def carried_to(motion, lever):
    """Motion of the end of a lever."""
    return Motion(motion.ang, motion.lin + cross(motion.ang, lever))


@kernel
def push_bodies(joints, placed, control, push):
    """What the user's pushes and pulls are to the bodies, [torque about the origin; force] of each, world axes.

    A push in a joint acts on its two bodies, equal and opposite.
    """
    tree = joints.tree
    for k in range(6 * tree.links):
        push[k] = 0.0
    for i in range(tree.bodies):
        joint, place, pull, a = tree.joint[i], joints.place[i], control.pull[i], link_of(tree, i)
        if joint.count > 0:
            wrench, b = pushed_by(joint, place, joints.push), parent_link(tree, i)
            add6(push, 6 * a, wrench)
            if b >= 0:
                add6(push, 6 * b, at_root(wrench, place.lever) * -1.0)
        add6(push, 6 * a, at_root(Force(pull.torque, pull.force), placed[a].rot @ pull.point))


@kernel
def pushed_by(joint, place, push):
    """Torque and force of a joint on its child, for generalized forces."""
    zero = place.lever * 0.0
    if joint.kind == BALL:
        return Force(place.base @ load3(push, joint.iv), zero)
    if joint.kind == HINGE:
        return Force(place.axis * push[joint.iv], zero)
    if joint.kind == SCREW:
        return Force(zero, place.axis * push[joint.iv])
    return Force(place.base @ load3(push, joint.iv), place.base @ load3(push, joint.iv + 3))


@inline
def add6(view, at, wrench):
    """Add a wrench to six numbers."""
    store6(view, at, load6(view, at) + Motion(wrench.ang, wrench.lin))


@inline
def at_root(wrench, lever):
    """A wrench at the end of a lever, about its root."""
    return Force(wrench.ang + cross(lever, wrench.lin), wrench.lin)
