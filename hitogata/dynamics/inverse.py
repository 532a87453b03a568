"""Inverse dynamics: the recursive Newton-Euler algorithm, RNEA (Luh, Walker & Paul 1980).

Forces from accelerations: Newton and Euler outward, sums inward.

World axes; each body about its own origin, with gravity subtracted from its acceleration a:

    F = m a + α × m c + ω × (ω × m c)            m c: mass times centre
    N = I α + ω × I ω + m c × a

What a joint transmits is the sum over the bodies beyond it; its motions pick the generalized force out of that.
"""

from typing import Any

from numpy import empty

from hitogata.dynamics.batches import run_one, run_rows
from hitogata.dynamics.dispatch import REFUSED, Array, Input, call, check_threads
from hitogata.dynamics.joints import driven, felt
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import callable_model_of
from hitogata.dynamics.rnea_outward import carried, standing, turn
from hitogata.dynamics.world_kinematics import wrench
from hitogata.figure import Figure
from hitogata.lanes import Floats, Ints, entry, inline, kernel, record, records
from hitogata.spatial import Force, Mat3, Motion, Vec3, cross, load3, store3


def inverse_dynamics(
    figure: Figure,
    q: Any,
    v: Any,
    vdot: Any,
    *,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    threads: int | None = 1,
    out: Array | None = None,
) -> Array:
    """Generalized forces tau = M vdot + c + D v - Σ Jᵀ f that give the accelerations vdot.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        vdot: accelerations, shape (nv,) or (n, nv).
        wrenches: external [torque; force] on each link [N m, N], world axes, torque about the link's origin,
            shape (nlinks, 6) or (n, nlinks, 6).
        gravity: acceleration of gravity, world axes [m/s²].
        threads: to share a batch over; None: one per core.
        out: where to put the result, an array of its shape and dtype; None: a new one.

    Returns:
        tau [N m], [N], shape (nv,) or (n, nv).
    """
    if threads != 1:
        check_threads(threads)
    if wrenches is None and gravity is GRAVITY and out is None:
        try:
            ints, floats, nv, _ = figure.compiled.get("hot") or callable_model_of(figure).hot
            fresh = empty(nv)
            if not inverse_one(ints, floats, q, v, vdot, fresh):
                return fresh
        except REFUSED:
            pass
    model = callable_model_of(figure)
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("vdot", vdot, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    return call(figure, inverse_pushed_one, inverse_many, inputs, (), (model.nv,), threads, gravity, out)


def bias(
    figure: Figure,
    q: Any,
    v: Any,
    *,
    gravity: tuple[float, float, float] = GRAVITY,
    threads: int | None = 1,
    out: Array | None = None,
) -> Array:
    """The forces c(q, v) of M vdot + c = tau: velocity products and gravity, without damping.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        gravity: acceleration of gravity, world axes [m/s²].
        threads: to share a batch over; None: one per core.
        out: where to put the result, an array of its shape and dtype; None: a new one.

    Returns:
        c [N m], [N], shape (nv,) or (n, nv).
    """
    if threads != 1:
        check_threads(threads)
    if gravity is GRAVITY and out is None:
        try:
            ints, floats, nv, _ = figure.compiled.get("hot") or callable_model_of(figure).hot
            fresh = empty(nv)
            if not bias_one(ints, floats, q, v, fresh):
                return fresh
        except REFUSED:
            pass
    model = callable_model_of(figure)
    inputs = (Input("q", q, (model.nq,)), Input("v", v, (model.nv,)))
    return call(figure, bias_one, bias_many, inputs, (), (model.nv,), threads, gravity, out)


def joint_reactions(
    figure: Figure,
    q: Any,
    v: Any,
    vdot: Any,
    *,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    threads: int | None = 1,
) -> Array:
    """The whole wrench each joint transmits: what the parent does to the link, motors and all.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        vdot: accelerations, shape (nv,) or (n, nv), as from `forward_dynamics`.
        wrenches: external [torque; force] on each link, as for `inverse_dynamics`.
        gravity: acceleration of gravity, world axes [m/s²].
        threads: to share a batch over; None: one per core.

    Returns:
        [torque; force] on each link [N m, N], world axes, torque about the origin of the joint's frame on the link,
        shape (nlinks, 6) or (n, nlinks, 6).
    """
    model = callable_model_of(figure)
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("vdot", vdot, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    return call(figure, reactions_one, reactions_many, inputs, (), (model.nlinks, 6), threads, gravity)


# ------------------------------------------------------- the algorithm


@record
class Moving:
    """Scratch memory of one body.  World axes."""

    rot: Mat3  # R_WK
    base: Mat3  # R_WF
    arm: Vec3  # from the parent's origin
    omega: Vec3
    drift: Motion  # acceleration due to velocity alone
    acceleration: Motion  # of the body, less gravity
    force: Force  # that the joint transmits


@kernel
def find_forces(tree, work, q, v, vdot, wrenches):
    """The force that each joint transmits, in work[i].force; vdot may be None."""
    for i in range(tree.bodies):
        joint, body, moving = tree.joint[i], tree.body[i], work[i]
        turn(joint, body, moving, work, q, v)
        if joint.parent >= 0:
            a = carried(work[joint.parent].acceleration, moving.arm, moving.drift)
        else:
            a = carried(standing(tree.gravity), moving.arm, moving.drift)
        if vdot is None:
            moving.acceleration = a
        else:
            moving.acceleration = driven(joint, body, moving, vdot, a)
        moving.force = needed(body.inertia, moving.rot, moving.omega, moving.acceleration)
        if wrenches is not None and joint.link >= 0:
            at, arm = 6 * joint.link, moving.rot @ body.link_pos
            moving.force = moving.force - wrench(load3(wrenches, at), load3(wrenches, at + 3), arm)
    for i in range(tree.bodies - 1, 0, -1):
        moving, parent = work[i], work[tree.joint[i].parent]
        parent.force = parent.force + wrench(moving.force.ang, moving.force.lin, moving.arm)


@inline
def needed(inertia, rot, omega, a):
    """The force that moves a body, about its origin."""
    moment, lin = rot @ inertia.moment, a.lin
    spin = rot @ (inertia.rot @ (rot.T @ omega))
    torque = rot @ (inertia.rot @ (rot.T @ a.ang)) + cross(omega, spin) + cross(moment, lin)
    return Force(torque, lin * inertia.mass + cross(a.ang, moment) + cross(omega, cross(omega, moment)))


@kernel
def store_joint_forces(tree, work, out):
    """The part of each transmitted force that acts along the joint's motions."""
    for i in range(tree.bodies):
        joint, moving = tree.joint[i], work[i]
        felt(joint, tree.body[i], moving, moving.force, out, joint.iv)


@kernel
def add_damping_and_armature(tree, v, vdot, out):
    """What the joints themselves resist with."""
    for i in range(tree.bodies):
        joint, body = tree.joint[i], tree.body[i]
        for k in range(joint.iv, joint.iv + joint.count):
            out[k] = out[k] + v[k] * body.damping + vdot[k] * body.armature


@kernel
def inverse(tree, work, q, v, vdot, wrenches, options, out):
    """Generalized forces; the form of the arguments is told in `batches`."""
    work = records(work, Moving)
    find_forces(tree, work, q, v, vdot, wrenches)
    store_joint_forces(tree, work, out)
    add_damping_and_armature(tree, v, vdot, out)


@kernel
def biased(tree, work, q, v, vdot, wrenches, options, out):
    """Generalized forces at vdot = None, without damping."""
    work = records(work, Moving)
    find_forces(tree, work, q, v, vdot, wrenches)
    store_joint_forces(tree, work, out)


@kernel
def transmitted(tree, work, q, v, vdot, wrenches, options, out):
    """Whole wrenches, link by link."""
    work = records(work, Moving)
    find_forces(tree, work, q, v, vdot, wrenches)
    for i in range(tree.bodies):
        link = tree.joint[i].link
        if link >= 0:
            store3(out, 6 * link, work[i].force.ang)
            store3(out, 6 * link + 3, work[i].force.lin)


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), v=Floats(1), vdot=Floats(1), out=Floats(1, write=True))
def inverse_one(ints, floats, q, v, vdot, out):
    """One state, without external wrenches."""
    return run_one(inverse, Moving.SIZE, ints, floats, q, v, vdot, None, None, out)


@entry
def inverse_pushed_one(ints, floats, q, v, vdot, wrenches, out):
    """One state."""
    return run_one(inverse, Moving.SIZE, ints, floats, q, v, vdot, wrenches, None, out)


@entry
def inverse_many(ints, floats, q, v, vdot, wrenches, out, first, end, width):
    """Rows of a batch."""
    return run_rows(inverse, Moving.SIZE, ints, floats, q, v, vdot, wrenches, None, out, first, end, width)


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), v=Floats(1), out=Floats(1, write=True))
def bias_one(ints, floats, q, v, out):
    """One state."""
    return run_one(biased, Moving.SIZE, ints, floats, q, v, None, None, None, out)


@entry
def bias_many(ints, floats, q, v, out, first, end, width):
    """Rows of a batch."""
    return run_rows(biased, Moving.SIZE, ints, floats, q, v, None, None, None, out, first, end, width)


@entry
def reactions_one(ints, floats, q, v, vdot, wrenches, out):
    """One state."""
    return run_one(transmitted, Moving.SIZE, ints, floats, q, v, vdot, wrenches, None, out)


@entry
def reactions_many(ints, floats, q, v, vdot, wrenches, out, first, end, width):
    """Rows of a batch."""
    return run_rows(transmitted, Moving.SIZE, ints, floats, q, v, vdot, wrenches, None, out, first, end, width)
