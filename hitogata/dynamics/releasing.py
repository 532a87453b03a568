"""How joints give way: the inertia and force that a parent feels through a joint (Featherstone 2008, eq. 7.23–7.28).

With S the joint's motions, U = I S, D = Sᵀ I S (+ armature), and `push` the joint's own torque less what holds the body,

    I_felt = I - U D⁻¹ Uᵀ            force_felt = force + I_felt drift + U D⁻¹ push

Without armature the rows and columns of I_felt that the joint lets go are zero; they are written as literal zeros.
"""

from hitogata.lanes import inline
from hitogata.spatial import (
    Force,
    Inertia,
    Mat3,
    Motion,
    Sym3,
    Vec3,
    force_to_parent,
    inertia_to_parent,
    inverse,
    symmetric,
)


@inline
def release_hinge(inertia, force, drift, push, rot, pos):
    """A hinge gives way: it carries no torque about z but its own, so that row and column vanish.

    Returns what the parent feels, and how the hinge reacts.
    """
    i = inertia
    gain = Force(Vec3(i.rot.xz, i.rot.yz, i.rot.zz), Vec3(i.mix.zx, i.mix.zy, i.mix.zz))
    stiff = 1.0 / i.rot.zz
    push = push - force.ang.z
    u, w = gain.ang, gain.lin
    g, h = u * stiff, w * stiff
    rest = Inertia(
        Sym3(i.rot.xx - u.x * g.x, i.rot.xy - u.x * g.y, 0.0, i.rot.yy - u.y * g.y, 0.0, 0.0),
        Mat3(i.mix.xx - u.x * h.x, i.mix.xy - u.x * h.y, i.mix.xz - u.x * h.z,
             i.mix.yx - u.y * h.x, i.mix.yy - u.y * h.y, i.mix.yz - u.y * h.z, 0.0, 0.0, 0.0),
        Sym3(i.lin.xx - w.x * h.x, i.lin.xy - w.x * h.y, i.lin.xz - w.x * h.z,
             i.lin.yy - w.y * h.y, i.lin.yz - w.y * h.z, i.lin.zz - w.z * h.z))  # fmt: skip
    # the drift of a hinge has no part about or along z
    drift = Motion(Vec3(drift.ang.x, drift.ang.y, 0.0), Vec3(drift.lin.x, drift.lin.y, 0.0))
    left = force + rest @ drift + Force(Vec3(g.x, g.y, 1.0), h) * push
    return inertia_to_parent(rot, pos, rest), force_to_parent(rot, pos, left), gain, stiff, push


@inline
def release_slider(inertia, force, drift, push, rot, pos):
    """A slider gives way: it carries no force along z but its own."""
    i = inertia
    gain = Force(Vec3(i.mix.xz, i.mix.yz, i.mix.zz), Vec3(i.lin.xz, i.lin.yz, i.lin.zz))
    stiff = 1.0 / i.lin.zz
    push = push - force.lin.z
    u, w = gain.ang, gain.lin
    g, h = u * stiff, w * stiff
    rest = Inertia(
        Sym3(i.rot.xx - u.x * g.x, i.rot.xy - u.x * g.y, i.rot.xz - u.x * g.z,
             i.rot.yy - u.y * g.y, i.rot.yz - u.y * g.z, i.rot.zz - u.z * g.z),
        Mat3(i.mix.xx - u.x * h.x, i.mix.xy - u.x * h.y, 0.0, i.mix.yx - u.y * h.x, i.mix.yy - u.y * h.y, 0.0,
             i.mix.zx - u.z * h.x, i.mix.zy - u.z * h.y, 0.0),
        Sym3(i.lin.xx - w.x * h.x, i.lin.xy - w.x * h.y, 0.0, i.lin.yy - w.y * h.y, 0.0, 0.0))  # fmt: skip
    # the drift of a slider is across z, and linear
    drift = Motion(Vec3(0.0, 0.0, 0.0), Vec3(drift.lin.x, drift.lin.y, 0.0))
    left = force + rest @ drift + Force(g, Vec3(h.x, h.y, 1.0)) * push
    return inertia_to_parent(rot, pos, rest), force_to_parent(rot, pos, left), gain, stiff, push


@inline
def release_ball(inertia, force, drift, push, rot, pos):
    """A ball joint gives way: it carries no torque but its own."""
    inv = inverse(inertia.rot)
    turn = inv @ (push - force.ang)
    gain = inv @ inertia.mix
    none = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    rest = Inertia(Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), none, inertia.lin - symmetric(inertia.mix.T, gain))
    left = Force(push, force.lin + rest.lin @ drift.lin + inertia.mix.T @ turn)
    return inertia_to_parent(rot, pos, rest), force_to_parent(rot, pos, left), gain, turn


@inline
def release_geared(inertia, force, drift, push, gain, own):
    """A hinge or slider with armature gives way in part: I - U Uᵀ / (own + armature), with no zeros left."""
    i, u, w, stiff = inertia, gain.ang, gain.lin, 1.0 / own
    g, h = u * stiff, w * stiff
    rest = Inertia(
        Sym3(i.rot.xx - u.x * g.x, i.rot.xy - u.x * g.y, i.rot.xz - u.x * g.z,
             i.rot.yy - u.y * g.y, i.rot.yz - u.y * g.z, i.rot.zz - u.z * g.z),
        Mat3(i.mix.xx - u.x * h.x, i.mix.xy - u.x * h.y, i.mix.xz - u.x * h.z,
             i.mix.yx - u.y * h.x, i.mix.yy - u.y * h.y, i.mix.yz - u.y * h.z,
             i.mix.zx - u.z * h.x, i.mix.zy - u.z * h.y, i.mix.zz - u.z * h.z),
        Sym3(i.lin.xx - w.x * h.x, i.lin.xy - w.x * h.y, i.lin.xz - w.x * h.z,
             i.lin.yy - w.y * h.y, i.lin.yz - w.y * h.z, i.lin.zz - w.z * h.z))  # fmt: skip
    return rest, force + rest @ drift + Force(g, h) * push, stiff


@inline
def release_geared_ball(inertia, force, drift, push, armature):
    """A ball joint with armature a: with D = I_rot + a, what is left turns by a D⁻¹ I, moves by the rest."""
    a, i = armature, inertia
    inv = inverse(Sym3(i.rot.xx + a, i.rot.xy, i.rot.xz, i.rot.yy + a, i.rot.yz, i.rot.zz + a))
    slip = inv * a
    turn = inv @ (push - force.ang)
    gain = inv @ i.mix
    rest = Inertia(symmetric(slip, i.rot), slip @ i.mix, i.lin - symmetric(i.mix.T, gain))
    left = force + rest @ drift + Force(i.rot @ turn, i.mix.T @ turn)
    return rest, left, gain, turn, slip


@inline
def column_z(inertia):
    """I @ (turning about z), and the moment of inertia about z."""
    rot, mix = inertia.rot, inertia.mix
    return Force(Vec3(rot.xz, rot.yz, rot.zz), Vec3(mix.zx, mix.zy, mix.zz)), rot.zz


@inline
def column_slide(inertia):
    """I @ (sliding along z), and the mass felt along z."""
    mix, lin = inertia.mix, inertia.lin
    return Force(Vec3(mix.xz, mix.yz, mix.zz), Vec3(lin.xz, lin.yz, lin.zz)), lin.zz


@inline
def handed_down(inertia, force, rot, pos):
    """Inertia and force, in the parent's frame."""
    return inertia_to_parent(rot, pos, inertia), force_to_parent(rot, pos, force)
