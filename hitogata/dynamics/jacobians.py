"""Jacobians of frames, and their rates of change.

    V = J v           V = [ω; velocity of the frame's origin], world axes
    Vdot = J vdot + Jdot v

Only the joints between the frame and the root move it: one column for each of their velocities.  With [n; s] a column
of the joint, at the origin of its body, and r from there to the frame's origin,

    J  [n; s + n × r]        Jdot  [ṅ; ṡ + ṅ × r + n × ṙ]

and ṅ = ω × n, ṡ = ω × s, ω of the joint's parent, in which its columns are fixed.
"""

from typing import Any

from numpy import empty

from hitogata.dynamics.batches import run_one, run_rows
from hitogata.dynamics.dispatch import REFUSED, Array, Input, call, check_threads, vector
from hitogata.dynamics.joints import column, moved_column
from hitogata.dynamics.model import Model, callable_model_of
from hitogata.dynamics.world_kinematics import Placed, move, place, place_chain
from hitogata.figure import Figure
from hitogata.lanes import Floats, Ints, Number, entry, inline, kernel, records
from hitogata.spatial import Motion, Vec3, cross


def jacobian(
    figure: Figure, q: Any, frame: str, *, point: Any = None, threads: int | None = 1, out: Array | None = None
) -> Array:
    """Jacobian J of a frame: its velocity [ω; v], world axes, is J v.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        frame: name of a link or of a named frame.
        point: take the linear part at this point, fixed in the frame [m]; None: at the frame's origin.
        threads: to share a batch over; None: one per core.
        out: where to put the result, an array of its shape and dtype; None: a new one.

    Returns:
        J, shape (6, nv) or (n, 6, nv).
    """
    if threads != 1:
        check_threads(threads)
    if point is None and out is None:
        try:
            ints, floats, nv, _ = figure.compiled.get("hot") or callable_model_of(figure).hot
            body, x, y, z = figure.compiled["frames"][frame]
            fresh = empty((6, nv))
            if not jacobian_one(ints, floats, q, body, x, y, z, fresh):
                return fresh
        except (KeyError, TypeError, *REFUSED):  # also for a frame that is not even a name
            pass
    model = callable_model_of(figure)
    where = frame_in_body(figure, model, frame, point)
    return call(
        figure, jacobian_one, jacobian_many, (Input("q", q, (model.nq,)),), where, (6, model.nv), threads, out=out
    )


def jacobian_derivative(
    figure: Figure, q: Any, v: Any, frame: str, *, point: Any = None, threads: int | None = 1
) -> Array:
    """Rate of change of a frame's Jacobian: its acceleration [α; a], world axes, is J vdot + Jdot v.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        frame: name of a link or of a named frame.
        point: take the linear part at this point, fixed in the frame [m]; None: at the frame's origin.
        threads: to share a batch over; None: one per core.

    Returns:
        Jdot, shape (6, nv) or (n, 6, nv).
    """
    model = callable_model_of(figure)
    where = frame_in_body(figure, model, frame, point)
    inputs = (Input("q", q, (model.nq,)), Input("v", v, (model.nv,)))
    return call(figure, derivative_one, derivative_many, inputs, where, (6, model.nv), threads)


def frame_in_body(figure: Figure, model: Model, frame: str, point: Any) -> tuple[int, float, float, float]:
    """Body that carries a frame, and the frame's origin (or a point of it) in that body's frame K."""
    place = "frames" if model.followers is None else "frames of the tree"
    known: dict[str, tuple[int, float, float, float]] = figure.compiled.setdefault(place, {})
    if point is None and isinstance(frame, str) and frame in known:
        return known[frame]
    link, pose = figure.frame(frame)
    body = model.body_of_link[link]
    given = (0.0, 0.0, 0.0) if point is None else vector("point", point)
    x, y, z = model.link_poses[body].apply(pose.apply(given)).tolist()
    if point is None:
        known[frame] = (body, x, y, z)
    return body, x, y, z


# ------------------------------------------------------- kernels; the form of the arguments is told in `batches`


@kernel
def fill_jacobian(tree, work, q, v, x, wrenches, where, out):
    """Columns of the joints that move a point of a body."""
    work, body, point = records(work, Placed), where[0], where[1]
    place_chain(tree, work, q, body)
    tip = work[body].pos + work[body].rot @ point
    clear(tree, out)
    i = body
    while i >= 0:
        joint, placed = tree.joint[i], work[i]
        for k in range(joint.count):
            s = moved_column(column(joint, tree.body[i], placed, k), tip - placed.pos)
            store_down(out, joint.iv + k, tree.nv, s.ang, s.lin)
        i = joint.parent


@kernel
def fill_derivative(tree, work, q, v, x, wrenches, where, out):
    """Rates of those columns."""
    work, body, point = records(work, Placed), where[0], where[1]
    place(tree, work, q)
    move(tree, work, v)
    arm, speed = work[body].rot @ point, work[body].velocity
    tip, tip_rate = work[body].pos + arm, speed.lin + cross(speed.ang, arm)
    clear(tree, out)
    i = body
    while i >= 0:
        joint, placed = tree.joint[i], work[i]
        r, rate = tip - placed.pos, tip_rate - placed.velocity.lin
        omega = speed.ang * 0.0
        if joint.parent >= 0:
            omega = work[joint.parent].velocity.ang
        for k in range(joint.count):
            change = rate_of(column(joint, tree.body[i], placed, k), omega, r, rate)
            store_down(out, joint.iv + k, tree.nv, change.ang, change.lin)
        i = joint.parent


@inline
def rate_of(s, omega, r, rate):
    """Rate of a column that turns with omega, taken at r from its place."""
    change = cross(omega, s.ang)
    return Motion(change, cross(omega, s.lin) + cross(change, r) + cross(s.ang, rate))


@kernel
def clear(tree, out):
    """No joint moves the frame yet."""
    for k in range(6 * tree.nv):
        out[k] = 0.0


@inline
def store_down(view, at, stride, ang, lin):
    """A column of six."""
    for k, value in enumerate((ang.x, ang.y, ang.z, lin.x, lin.y, lin.z)):
        view[at + k * stride] = value


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), x=Number(), y=Number(), z=Number(), out=Floats(2, write=True))
def jacobian_one(ints, floats, q, body, x, y, z, out):
    """One state."""
    return run_one(fill_jacobian, Placed.SIZE, ints, floats, q, None, None, None, (body, Vec3(x, y, z)), out)


@entry
def jacobian_many(ints, floats, q, body, x, y, z, out, first, end, width):
    """Rows of a batch."""
    where = (body, Vec3(x, y, z))
    return run_rows(fill_jacobian, Placed.SIZE, ints, floats, q, None, None, None, where, out, first, end, width)


@entry
def derivative_one(ints, floats, q, v, body, x, y, z, out):
    """One state."""
    return run_one(fill_derivative, Placed.SIZE, ints, floats, q, v, None, None, (body, Vec3(x, y, z)), out)


@entry
def derivative_many(ints, floats, q, v, body, x, y, z, out, first, end, width):
    """Rows of a batch."""
    where = (body, Vec3(x, y, z))
    return run_rows(fill_derivative, Placed.SIZE, ints, floats, q, v, None, None, where, out, first, end, width)
