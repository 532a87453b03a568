"""Articulated bodies with constraints: the recursions of `dynamics.articulated`, and the factor of M⁻¹ they contain.

The inward pass finds for each joint how it gives way: with S its motions, U = I S and D = Sᵀ I S, a force p at the body
pushes the joint by Sᵀ p, and the parent by p - U D⁻¹ Sᵀ p.  Walking a row of wrenches from its bodies to the root and
keeping at each joint

    y = C⁻¹ Sᵀ p,     D = C Cᵀ

gives the row whitened: J M⁻¹ Jᵀ = Y Yᵀ (the innovations factor of M⁻¹; Rodriguez & Kreutz-Delgado 1992).  So the matrix
B = H A⁻¹ Hᵀ of Nakamura & Yamane 2000 takes one walk per row, and neither A nor its inverse is ever formed.
"""

from hitogata.dynamics.articulated import find_acceleration, find_inertia, find_turning, subtree_inertia
from hitogata.dynamics.joints import BALL, FIXED, FREE, driven, is_floating, slid
from hitogata.dynamics.rnea_outward import carried, standing
from hitogata.lanes import inline, kernel, sqrt
from hitogata.loops.layout import times_transpose, whitener
from hitogata.spatial import Force, Motion, Sym3, Vec3, cross, inverse, load3, store3, symmetric

# ------------------------------------------------------- outward: places and speeds


@kernel
def begin(tree, limbs, q, v):
    """Axes, places, velocities, inertias and velocity-dependent forces of all bodies."""
    for i in range(tree.bodies):
        find_turning(tree.joint[i], tree.body[i], limbs[i], limbs, q, v)
        find_place(tree.joint[i], tree.body[i], limbs[i], limbs, q, v)


@kernel
def find_place(joint, body, limb, limbs, q, v):
    """Where a body's origin is, and how fast it moves; needs its turning."""
    if joint.parent >= 0:
        parent = limbs[joint.parent]
        pos, speed = parent.pos + limb.arm, parent.speed + cross(parent.omega, limb.arm)
    else:
        pos, speed = body.pos + limb.arm, Vec3(0.0, 0.0, 0.0)
        if is_floating(joint):
            pos = body.pos + slid(joint, body, limb.base, q)
    limb.pos = pos
    limb.speed = driven(joint, body, limb, v, Motion(speed, speed)).lin


# ------------------------------------------------------- inward: how joints give way


@kernel
def give_way(tree, limbs, v, tau):
    """Articulated inertias and forces, and the factors of every D."""
    for i in range(tree.bodies - 1, -1, -1):
        joint, body, limb = tree.joint[i], tree.body[i], limbs[i]
        if joint.kind == FREE:
            limb.white, limb.white_lin, limb.lever = whiten_free(subtree_inertia(joint, limb))
        else:
            find_inertia(joint, body, limb, limbs, v, tau)
            if joint.kind == BALL:
                limb.white = whitener(raised(subtree_inertia(joint, limb).rot, body.armature))


@inline
def raised(d, a):
    """D with armature."""
    return Sym3(d.xx + a, d.xy, d.xz, d.yy + a, d.yz, d.zz + a)


@inline
def whiten_free(inertia):
    """Block Cholesky of a free root's inertia: the linear part, and what it leaves of the turning part."""
    lever = inertia.mix @ inverse(inertia.lin)
    return whitener(inertia.rot - symmetric(lever, inertia.mix.T)), whitener(inertia.lin), lever


# ------------------------------------------------------- outward: accelerations


@kernel
def accelerate(tree, limbs, v, tau, out):
    """Accelerations that follow from the forces gathered by `give_way`."""
    for i in range(tree.bodies):
        joint, limb = tree.joint[i], limbs[i]
        if joint.kind == FREE:
            a = free_acceleration(limb.force, free_push(joint, tree.body[i], limb.base, v, tau), limb)
            limb.acceleration = a
            store3(out, joint.iv, limb.base.T @ a.ang)
            store3(out, joint.iv + 3, limb.base.T @ (a.lin + tree.gravity))
        else:
            find_acceleration(joint, tree.body[i], limb, limbs, out, tree.gravity)


@kernel
def free_push(joint, body, base, v, tau):
    """What acts on a free root directly."""
    torque = base @ (load3(tau, joint.iv) - load3(v, joint.iv) * body.damping)
    force = base @ (load3(tau, joint.iv + 3) - load3(v, joint.iv + 3) * body.damping)
    return Force(torque, force)


@kernel
def free_acceleration(weight, push, limb):
    """Acceleration of a free root."""
    f = push - weight
    u = limb.white @ (f.ang - limb.lever @ f.lin)
    return free_reply(u, limb.white_lin @ f.lin, limb.white, limb.white_lin, limb.lever)


@inline
def free_reply(u, w, white, white_lin, lever):
    """Acceleration of a free root for whitened pushes."""
    ang = times_transpose(white, u)
    return Motion(ang, times_transpose(white_lin, w) - lever.T @ ang)


@kernel
def drift_only(tree, limbs):
    """Accelerations for vdot = 0: what velocities alone bring, without gravity."""
    for i in range(tree.bodies):
        joint, limb = tree.joint[i], limbs[i]
        if joint.parent >= 0:
            limb.acceleration = carried(limbs[joint.parent].acceleration, limb.arm, limb.drift)
        else:
            limb.acceleration = limb.drift


# ------------------------------------------------------- replies, from the root outward


@kernel
def reply(tree, limbs, push, out):
    """M⁻¹ Jᵀ f, from whitened pushes Yᵀ f; the bodies' `acceleration` is overwritten."""
    for i in range(tree.bodies):
        joint, limb = tree.joint[i], limbs[i]
        iv = joint.iv
        if joint.kind == FREE:
            u, w = load3(push, iv), load3(push, iv + 3)
            a = free_reply(u, w, limb.white, limb.white_lin, limb.lever)
            limb.acceleration = a
            store3(out, iv, limb.base.T @ a.ang)
            store3(out, iv + 3, limb.base.T @ a.lin)
        else:
            if joint.kind == BALL:
                limb.ball_push = times_transpose(limb.white, load3(push, iv))
            elif joint.kind != FIXED:
                limb.push = push[iv] / sqrt(limb.stiff)
            limb.drift = limb.drift * 0.0
            find_acceleration(joint, tree.body[i], limb, limbs, out, tree.gravity * 0.0)


@kernel
def standing_still(tree):
    """Acceleration of the world, as the recursions see it."""
    return standing(tree.gravity)
