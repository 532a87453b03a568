"""Articulated bodies with constraints: the recursions of `dynamics.articulated`, and the factor of M⁻¹ they contain.

The inward pass finds for each joint how it gives way: with S its motions, U = I S and D = Sᵀ I S, a force p at the body
pushes the joint by Sᵀ p, and the parent by p - U D⁻¹ Sᵀ p.  Walking a row of wrenches from its bodies to the root and
keeping at each joint

    y = C⁻¹ Sᵀ p,     D = C Cᵀ

gives the row whitened: J M⁻¹ Jᵀ = Y Yᵀ (the innovations factor of M⁻¹; Rodriguez & Kreutz-Delgado 1992).  So the matrix
B = H A⁻¹ Hᵀ of Nakamura & Yamane 2000 takes one walk per row, and neither A nor its inverse is ever formed.
"""

from hitogata.dynamics.articulated import find_acceleration, find_inertia, find_turning, subtree_inertia
from hitogata.dynamics.layout import BALL, FIXED, FREE, HINGE, SLIDER
from hitogata.dynamics.placing import axis_of
from hitogata.dynamics.turning import carried, standing
from hitogata.lanes import inline, kernel, packed, sqrt, where
from hitogata.loops.layout import SIDE, times_transpose, whitener
from hitogata.spatial import Force, Motion, Sym3, Vec3, cross, dot, inverse, load3, store3, symmetric

CANCELLED = 1e-24
"""Square of the part of two opposite wrenches that may be left by rounding."""

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
        pos, speed = body.pos, Vec3(0.0, 0.0, 0.0)
        if joint.kind == FREE:
            pos = pos + body.rot @ load3(q, joint.iq)
            speed = body.rot @ load3(v, joint.iv + 3)
        elif joint.kind == SLIDER:
            pos = pos + limb.arm
    if joint.kind == SLIDER:
        speed = speed + axis_of(limb.base) * v[joint.iv]
    limb.pos = pos
    limb.speed = speed


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
            find_acceleration(joint, limb, limbs, out, tree.gravity)


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


# ------------------------------------------------------- rows, from their bodies to the root


@kernel
def whiten_link(bench, k):
    """Write a virtual link's rows, whitened, into their columns of bench.white."""
    tree, links, own = bench.tree, bench.links, bench.links.link[k]
    white, stride, push = bench.white, bench.links.stride, bench.push
    for n in range(tree.nv):
        for c in range(own.first, own.first + own.count):
            white[n * stride + c] = 0.0
    for n in range(own.count):
        row = links.row[own.first + n]
        store_apart(push, n, row.on_a)
        store_apart(push, 6 * SIDE + n, row.on_b)
    for c in range(own.count, SIDE):
        for m in range(12):
            push[m * SIDE + c] = 0.0
    for c in range(SIDE):
        push[12 * SIDE + c] = 0.0
    a, b = own.body_a, own.body_b
    while a >= 0 or b >= 0:
        if a == b:
            for n in range(own.count):
                store_apart(push, n, joined(load_apart(push, n), load_apart(push, 6 * SIDE + n)))
            b = -1
        if a > b:
            walk(bench, a, 0, own.first, own.count)
            a = tree.joint[a].parent
        else:
            walk(bench, b, 6 * SIDE, own.first, own.count)
            b = tree.joint[b].parent
    for n in range(own.count):
        links.row[own.first + n].bound = push[12 * SIDE + n]


@inline
def joined(p, q):
    """Two wrenches where their ways meet; what is only rounding of opposite ones is nothing."""
    return Force(joined3(p.ang, q.ang), joined3(p.lin, q.lin))


@inline
def joined3(a, b):
    """a + b, or nothing where they cancel."""
    total, size = a + b, CANCELLED * (dot(a, a) + dot(b, b))
    return where(dot(total, total) > size, total, Vec3(0.0, 0.0, 0.0))


@inline
def store_apart(view, at, f):
    """A wrench, its numbers SIDE apart."""
    for k, value in enumerate((f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z)):
        view[at + SIDE * k] = value


@inline
def load_apart(view, at):
    """The same back."""
    return Force(
        Vec3(view[at], view[at + SIDE], view[at + 2 * SIDE]),
        Vec3(view[at + 3 * SIDE], view[at + 4 * SIDE], view[at + 5 * SIDE]),
    )


@kernel
def walk(bench, i, at, first, count):
    """Take the wrenches at `at` through the joint of body i: whitened pushes to it, the rest to the parent.

    Also sums up what they would do to joints of one motion if these had any axis: what is far below is rounding.
    """
    joint, limb, stride = bench.tree.joint[i], bench.limb[i], bench.links.stride
    many, out, row = packed(bench.push), packed(bench.white), joint.iv * stride + first
    root, bound = sqrt(limb.stiff), 12 * SIDE
    for c in range(0, count, many.step):
        p = load_apart(many, at + c)
        if joint.kind == HINGE:
            push = dot(axis_of(limb.rot), p.ang)
            out[row + c] = push * root
            many[bound + c] = many[bound + c] + dot(p.ang, p.ang) * limb.stiff
            p = less(p, limb.gain, push * limb.stiff)
        elif joint.kind == BALL:
            store_down(out, row + c, stride, limb.white @ p.ang)
            rest = p.lin - limb.ball_gain.T @ p.ang
            if joint.geared == 1:
                p = Force(limb.ball_slip @ p.ang, rest)
            else:
                p = Force(p.ang * 0.0, rest)
        elif joint.kind == SLIDER:
            push = dot(axis_of(limb.rot), p.lin)
            out[row + c] = push * root
            many[bound + c] = many[bound + c] + dot(p.lin, p.lin) * limb.stiff
            p = less(p, limb.gain, push * limb.stiff)
        elif joint.kind == FREE:
            store_down(out, row + c, stride, limb.white @ (p.ang - limb.lever @ p.lin))
            store_down(out, row + 3 * stride + c, stride, limb.white_lin @ p.lin)
        store_apart(many, at + c, moved(p, limb.arm))


@inline
def less(p, gain, push):
    """A wrench, less what a joint of one motion takes up."""
    return Force(p.ang - gain.ang * push, p.lin - gain.lin * push)


@inline
def moved(p, arm):
    """A wrench about the parent's origin."""
    return Force(p.ang + cross(arm, p.lin), p.lin)


@inline
def store_down(view, at, stride, a):
    """Three numbers, `stride` apart."""
    view[at] = a.x
    view[at + stride] = a.y
    view[at + 2 * stride] = a.z


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
            find_acceleration(joint, limb, limbs, out, tree.gravity * 0.0)


@kernel
def standing_still(tree):
    """Acceleration of the world, as the recursions see it."""
    return standing(tree.gravity)


@kernel
def project_row(tree, limbs, a, b, on_a, on_b, at, out):
    """A row of J: what its wrenches mean to each joint."""
    for n in range(tree.nv):
        out[at + n] = 0.0
    project_wrench(tree, limbs, a, on_a, at, out)
    if b >= 0:
        project_wrench(tree, limbs, b, on_b, at, out)


@kernel
def project_wrench(tree, limbs, i, force, at, out):
    """The part of one body."""
    while i >= 0:
        joint, limb = tree.joint[i], limbs[i]
        iv = at + joint.iv
        if joint.kind == HINGE:
            out[iv] = out[iv] + dot(axis_of(limb.rot), force.ang)
        elif joint.kind == SLIDER:
            out[iv] = out[iv] + dot(axis_of(limb.rot), force.lin)
        elif joint.kind == BALL or joint.kind == FREE:
            store3(out, iv, load3(out, iv) + limb.base.T @ force.ang)
            if joint.kind == FREE:
                store3(out, iv + 3, load3(out, iv + 3) + limb.base.T @ force.lin)
        force = moved(force, limb.arm)
        i = joint.parent
