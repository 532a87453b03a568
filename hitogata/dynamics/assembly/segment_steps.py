"""Formulas of one slot: all lanes do the same, each on its own body.

What a joint does to what hangs below it is `release_axis` of the recursion, and the same rank-one change of F, C and b:
with s the motion, g = Fᵀ s ("shaft"), U = A s ("gain"), D = sᵀ A s + armature,

    F -= U gᵀ/D        C += g gᵀ/D        b += g push/D + Fᵀ drift        and F moves to the parent's origin

General joints release up to three motions, one after the other.
"""

from hitogata.dynamics.aba_joint import handed_down
from hitogata.dynamics.joints import axis_of
from hitogata.dynamics.world_kinematics import wrench
from hitogata.lanes import inline
from hitogata.spatial import (
    Force,
    Inertia,
    Mat3,
    Motion,
    Sym3,
    Vec3,
    cols,
    cross,
    cross_cols,
    dot,
    outer,
    rotation,
    turned_about_z,
)

# ------------------------------------------------------- outward: turning


@inline
def hinge_turn(rot, slot_rot, sin, cos):
    """Rotation and axis of the next body."""
    base = rot @ slot_rot
    return turned_about_z(base, sin, cos), axis_of(base)


@inline
def swung(rot, omega, pos, rate):
    """Arm and drift of a body on one that turns with omega, itself turning at a rate against it."""
    arm = rot @ pos
    return arm, Motion(cross(omega, rate), cross(omega, cross(omega, arm)))


@inline
def general_turn(rot, slot_rot, quat, sin, cos):
    """The same for any joint: base, and rotation."""
    base = rot @ slot_rot
    return base, turned_about_z(base @ rotation(quat), sin, cos)


@inline
def general_rate(base, v, hinge, ball):
    """Angular velocity that a joint adds."""
    return axis_of(base) * (v.x * hinge) + base @ (v * ball)


@inline
def slid(rot, omega, pos, axis, rate, slide, speed):
    """Arm and drift where a slider may have slid."""
    arm = rot @ pos + axis * slide
    drift = cross(omega, cross(omega, arm)) + cross(omega, axis) * (speed * 2.0)
    return arm, Motion(cross(omega, rate), drift)


@inline
def pushed(force, load, rot, link_pos):
    """A body's force less a wrench about its link's origin."""
    return force - wrench(load.ang, load.lin, rot @ link_pos)


# ------------------------------------------------------- inward


@inline
def taken(inertia, gain, stiff):
    """I - U Uᵀ/D."""
    i, u, w = inertia, gain.ang, gain.lin
    g, h = u * stiff, w * stiff
    return Inertia(
        Sym3(i.rot.xx - u.x * g.x, i.rot.xy - u.x * g.y, i.rot.xz - u.x * g.z,
             i.rot.yy - u.y * g.y, i.rot.yz - u.y * g.z, i.rot.zz - u.z * g.z),
        i.mix - outer(u, h),
        Sym3(i.lin.xx - w.x * h.x, i.lin.xy - w.x * h.y, i.lin.xz - w.x * h.z,
             i.lin.yy - w.y * h.y, i.lin.yz - w.y * h.z, i.lin.zz - w.z * h.z))  # fmt: skip


@inline
def hinge_gain(inertia, axis, armature):
    """U and 1/D of a hinge; an axis of no length moves nothing."""
    gain = Force(inertia.rot @ axis, inertia.mix.T @ axis)
    return gain, 1.0 / (dot(axis, gain.ang) + armature)


@inline
def passed_on(rest, force, drift, gain, reply, arm):
    """What the parent feels: force + rest drift + U/D push, at its own origin."""
    return handed_down(rest, force + rest @ drift + gain * reply, arm)


@inline
def hinge_shaft(aa, al, axis):
    """g = Fᵀ s of a hinge."""
    return Force(aa.T @ axis, al.T @ axis)


@inline
def less_shaft(m, u, g):
    """Part of F - U gᵀ/D, g scaled."""
    return m - outer(u, g)


@inline
def more_loose(c, g, stiff):
    """C + g gᵀ/D."""
    return taken(c, g, -stiff)


@inline
def more_swing(b, g, reply):
    """b + g push/D."""
    return Motion(b.ang + g.ang * reply, b.lin + g.lin * reply)


@inline
def drifted(b, aa, al, la, ll, drift):
    """b + Fᵀ drift."""
    return Motion(
        b.ang + aa.T @ drift.ang + la.T @ drift.lin,
        b.lin + al.T @ drift.ang + ll.T @ drift.lin,
    )


@inline
def moved(m, lower, arm):
    """Torque rows of F about the parent's origin."""
    return m + cross_cols(arm, lower)


@inline
def general_gain(inertia, s, armature):
    """U and 1/D of a motion."""
    gain = inertia @ s
    return gain, 1.0 / (dot(s.ang, gain.ang) + dot(s.lin, gain.lin) + armature)


@inline
def general_shaft(aa, al, la, ll, s):
    """g = Fᵀ s."""
    return Force(aa.T @ s.ang + la.T @ s.lin, al.T @ s.ang + ll.T @ s.lin)


@inline
def first_motion(base, hinge, slider, ball):
    """Motion column of hinges and sliders, and the first of balls."""
    x, _, z = cols(base)
    return Motion(z * hinge + x * ball, z * slider)


@inline
def other_motions(base, ball):
    """Second and third columns of balls."""
    _, y, z = cols(base)
    none = y * 0.0
    return Motion(y * ball, none), Motion(z * ball, none)


# ------------------------------------------------------- outward: accelerations


@inline
def rate_of(stiff, push, gain, a, shaft, load):
    """How a motion gives way."""
    with_body = dot(gain.ang, a.ang) + dot(gain.lin, a.lin)
    return stiff * (push - with_body - (dot(shaft.ang, load.ang) + dot(shaft.lin, load.lin)))


@inline
def closed_rate(stiff, push, gain, a):
    """The same with nothing open below."""
    return stiff * (push - (dot(gain.ang, a.ang) + dot(gain.lin, a.lin)))


@inline
def unit_strand():
    """Nothing: A, p, F = 1, C, b."""
    none = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    one = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    zero, empty = Vec3(0.0, 0.0, 0.0), Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Inertia(empty, none, empty), Force(zero, zero), one, none, Motion(zero, zero)
