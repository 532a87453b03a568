"""Coordinates of joints between loose bodies, and how far the joints have come apart, from the bodies' poses.

With R the orientation of the child in the axes of the parent's side, and s where the child's origin is from there:

    hinge       R = swing, then turn about z         angle: of the turn       gap: swing, s
    slider                                           s_z                      gap: R, s_x, s_y
    universal   R = Z(q1) N(φ) R_12 Z(q2)            q1, q2                   gap: φ, s          N: about z × z of R_12

all of them exact for any gap.  Angles go on over whole turns, and quaternions keep their sign.
"""

from hitogata.constraints.joint_places import first_half, parent_side
from hitogata.dynamics.joints import BALL, FREE, HINGE, SCREW, axis_of
from hitogata.lanes import atan2, inline, kernel, rint, sincos, sqrt, where
from hitogata.spatial import (
    Mat3,
    Motion,
    Vec3,
    load_quaternion,
    quaternion_of,
    rotation_vector,
    store3,
    store_quaternion,
)

TURN = 6.283185307179586
TINY = 1e-30


@kernel
def read_joints(joints, placed, q, v, h):
    """Coordinates of all joints after a step of h at the velocities v, and their gaps."""
    tree = joints.tree
    for i in range(tree.bodies):
        joint = tree.joint[i]
        if joint.link >= 0:
            held, first = joints.held[joint.link], first_half(tree, i)
            base, origin, _ = parent_side(tree, placed, i)
            rot, at = base.T @ placed[joint.link].rot, base.T @ (placed[joint.link].pos - origin)
            if first != i:
                held.gap = read_universal(tree.joint[first], joint, tree.body[i].rot, rot, at, q, v, h)
            else:
                held.gap = read_joint(joint, rot, at, q, v, h)


@kernel
def read_joint(joint, rot, at, q, v, h):
    """Coordinates of one joint; returns its gap."""
    quat, zero, iq = quaternion_of(rot), at * 0.0, joint.iq
    if joint.kind == BALL:
        store_quaternion(q, iq, same_sign(quat, load_quaternion(q, iq)))
        return Motion(zero, at)
    if joint.kind == HINGE:
        q[iq] = nearest_turn(2.0 * atan2(quat.z, quat.w), q[iq] + v[joint.iv] * h)
        return Motion(swing_of(axis_of(rot)), at)
    if joint.kind == SCREW:
        q[iq] = at.z
        return Motion(rotation_vector(quat), Vec3(at.x, at.y, 0.0))
    if joint.kind == FREE:
        store3(q, iq, at)
        store_quaternion(q, iq + 3, same_sign(quat, load_quaternion(q, iq + 3)))
        return Motion(zero, zero)
    return Motion(rotation_vector(quat), at)


@kernel
def read_universal(one, two, between, rot, at, q, v, h):
    """Both angles of a universal joint; returns its gap.  `between`: of the second hinge in the first, R_12."""
    first, second, apart = universal_angles(between, rot)
    q[one.iq] = nearest_turn(first, q[one.iq] + v[one.iv] * h)
    q[two.iq] = nearest_turn(second, q[two.iq] + v[two.iv] * h)
    return Motion(Vec3(apart, 0.0, 0.0), at)


@inline
def universal_angles(between, rot):
    """q1, q2 and φ of  rot = Z(q1) N(φ) between Z(q2)."""
    now, rest = axis_of(rot), axis_of(between)
    across = sqrt(rest.x * rest.x + rest.y * rest.y)
    first = atan2(now.y * rest.x - now.x * rest.y, now.x * rest.x + now.y * rest.y)
    apart = atan2(sqrt(now.x * now.x + now.y * now.y), now.z) - atan2(across, rest.z)
    left = turned_about(-rest.y / across, rest.x / across, apart).T @ (about_z(first).T @ rot)
    turn = between.T @ left
    return first, atan2(turn.yx, turn.xx), apart


@inline
def about_z(angle):
    """Rotation about z."""
    sin, cos = sincos(angle)
    return Mat3(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0)


@inline
def turned_about(x, y, angle):
    """Rotation about the unit vector (x, y, 0)."""
    sin, cos = sincos(angle)
    c = 1.0 - cos
    return Mat3(cos + x * x * c, x * y * c, y * sin, x * y * c, cos + y * y * c, -x * sin, -y * sin, x * sin, cos)


@inline
def swing_of(axis):
    """Rotation vector of the shortest turn that takes z to an axis."""
    sin = sqrt(axis.x * axis.x + axis.y * axis.y)
    scale = atan2(sin, axis.z) / (sin + TINY)
    return Vec3(-axis.y * scale, axis.x * scale, 0.0)


@inline
def nearest_turn(angle, near):
    """The angle, and as many whole turns as bring it nearest to another."""
    return angle + TURN * rint((near - angle) / TURN)


@inline
def same_sign(quat, old):
    """Of q and -q, which are the same, the one near the old."""
    return where(quat.w * old.w + quat.x * old.x + quat.y * old.y + quat.z * old.z < 0.0, -quat, quat)
