"""The inward pass of ABA: inertia and force that a parent feels through a joint (Featherstone 2008, eq. 7.23–7.28).

With S the joint's motions, U = I S, D = Sᵀ I S + armature, and `push` the joint's own torque less what holds the body,

    I_felt = I - U D⁻¹ Uᵀ            force_felt = force + I_felt drift + U D⁻¹ push

all in world axes about the body's origin; then the parent's origin becomes the point of reference, `arm` away.
"""

from hitogata.lanes import inline
from hitogata.spatial import Force, Inertia, Mat3, Sym3, cross, dot, inverse, moved_inertia, symmetric


@inline
def handed_down(inertia, force, arm):
    """What the parent feels, about its own origin."""
    return moved_inertia(arm, inertia), Force(force.ang + cross(arm, force.lin), force.lin)


@inline
def release_axis(inertia, force, drift, gain, stiff, push, arm):
    """A hinge or screw gives way: a rank-one change, with gain U, stiff = 1/D."""
    i, u, w = inertia, gain.ang, gain.lin
    g, h = u * stiff, w * stiff
    rest = Inertia(
        Sym3(i.rot.xx - u.x * g.x, i.rot.xy - u.x * g.y, i.rot.xz - u.x * g.z,
             i.rot.yy - u.y * g.y, i.rot.yz - u.y * g.z, i.rot.zz - u.z * g.z),
        Mat3(i.mix.xx - u.x * h.x, i.mix.xy - u.x * h.y, i.mix.xz - u.x * h.z,
             i.mix.yx - u.y * h.x, i.mix.yy - u.y * h.y, i.mix.yz - u.y * h.z,
             i.mix.zx - u.z * h.x, i.mix.zy - u.z * h.y, i.mix.zz - u.z * h.z),
        Sym3(i.lin.xx - w.x * h.x, i.lin.xy - w.x * h.y, i.lin.xz - w.x * h.z,
             i.lin.yy - w.y * h.y, i.lin.yz - w.y * h.z, i.lin.zz - w.z * h.z))  # fmt: skip
    return handed_down(rest, force + rest @ drift + Force(g, h) * push, arm)


@inline
def hinge_gain(inertia, axis, armature):
    """U and 1/D of a hinge."""
    gain = Force(inertia.rot @ axis, inertia.mix.T @ axis)
    return gain, 1.0 / (dot(axis, gain.ang) + armature)


@inline
def screw_gain(inertia, axis, turn, slide, armature):
    """U and 1/D of a screw."""
    n, s = axis * turn, axis * slide
    gain = Force(inertia.rot @ n + inertia.mix @ s, inertia.mix.T @ n + inertia.lin @ s)
    return gain, 1.0 / (dot(n, gain.ang) + dot(s, gain.lin) + armature)


@inline
def release_ball(inertia, force, drift, torque, arm):
    """A ball joint gives way.  It carries no torque but its own, so of the inertia only the linear part is left.

    Returns what the parent feels, and how the joint reacts: turning = push - gain @ linear acceleration.
    """
    inv = inverse(inertia.rot)
    push = inv @ (torque - force.ang)
    gain = inv @ inertia.mix
    none = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    rest = Inertia(Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), none, inertia.lin - symmetric(inertia.mix.T, gain))
    left = Force(torque, force.lin + rest.lin @ drift.lin + inertia.mix.T @ push)
    felt, weight = handed_down(rest, left, arm)
    return felt, weight, gain, push


@inline
def release_geared_ball(inertia, force, drift, torque, armature, arm):
    """A ball joint with armature a gives way in part: with D = I_rot + a and slip = a D⁻¹,

        I_felt = [slip I_rot, slip I_mix; ., I_lin - I_mixᵀ D⁻¹ I_mix]
        turning = push - gain @ linear + slip @ angular acceleration
    """
    a, i = armature, inertia
    inv = inverse(Sym3(i.rot.xx + a, i.rot.xy, i.rot.xz, i.rot.yy + a, i.rot.yz, i.rot.zz + a))
    slip = Sym3(inv.xx * a, inv.xy * a, inv.xz * a, inv.yy * a, inv.yz * a, inv.zz * a)
    push = inv @ (torque - force.ang)
    gain = inv @ i.mix
    rest = Inertia(symmetric(slip, i.rot), slip @ i.mix, i.lin - symmetric(i.mix.T, gain))
    left = force + rest @ drift + Force(i.rot @ push, i.mix.T @ push)
    felt, weight = handed_down(rest, left, arm)
    return felt, weight, gain, push, slip
