"""Forward dynamics, from Python: accelerations from torques.  The algorithms are in `articulated` and `assembly`."""

from typing import Any

from numpy import empty, ndim

from hitogata.dynamics.articulated import Work, accelerate
from hitogata.dynamics.assembly.methods import SHORTEST, Method, forward_by, pays
from hitogata.dynamics.batches import run_one, run_rows
from hitogata.dynamics.dispatch import REFUSED, Array, Input, call, check_threads, no_torque
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import callable_model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.lanes import Floats, Ints, entry


def forward_dynamics(
    figure: Figure,
    q: Any,
    v: Any,
    tau: Any = None,
    *,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    threads: int | None = 1,
    out: Array | None = None,
    method: Method = Method.AUTO,
) -> Array:
    """Accelerations vdot with M vdot + c = tau - D v + Σ Jᵀ f, in O(n) (Featherstone 2008, table 7.1).

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        tau: generalized forces [N m], [N], shape (nv,) or (n, nv); None: none.
        wrenches: external [torque; force] on each link [N m, N], world axes, torque about the link's origin,
            shape (nlinks, 6) or (n, nlinks, 6).
        gravity: acceleration of gravity, world axes [m/s²].
        threads: to share a batch over, or the segments of one state; None: one per core.
        out: where to put the result, an array of its shape and dtype; None: a new one.
        method: AUTO takes segments for one state of a long figure where that is faster, assembly for one state of a
            figure with function joints, else the recursion.

    Returns:
        vdot, shape (nv,) or (n, nv).  A batch of float32 arrays is computed in float32, all else in float64.
    """
    if threads != 1:
        check_threads(threads)
    if method is not Method.RECURSION and (method is not Method.AUTO or figure.nv >= SHORTEST):
        chosen = _chosen(method, figure, q, v, tau, wrenches)
        if chosen is not Method.RECURSION:
            return forward_by(chosen, figure, q, v, tau, wrenches, gravity, threads, out)
    if wrenches is None and gravity is GRAVITY and out is None:
        try:
            ints, floats, nv, zeros = figure.compiled.get("hot") or callable_model_of(figure).hot
            fresh = empty(nv)
            if not forward_one(ints, floats, q, v, zeros if tau is None else tau, fresh):
                return fresh
        except REFUSED:
            pass  # a batch, lists, other dtypes, strided arrays: `call` sees to them
    model = callable_model_of(figure)
    if model.follows and _chosen(method, figure, q, v, tau, wrenches) is Method.ASSEMBLY:
        return forward_by(Method.ASSEMBLY, figure, q, v, tau, wrenches, gravity, threads, out)
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("tau", no_torque(model, q, v) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    return call(figure, pushed_one, forward_many, inputs, (), (model.nv,), threads, gravity, out)


def _chosen(method: Any, figure: Figure, *arguments: Any) -> Method:
    """AUTO decided."""
    if not isinstance(method, Method):
        raise ArgumentError(f"method: expected a Method, got {method!r}")
    if method is not Method.AUTO:
        return method
    other = Method.ASSEMBLY if callable_model_of(figure).follows else Method.SEGMENTS
    if figure.compiled.get("segments pay") is False and other is Method.SEGMENTS:
        return Method.RECURSION
    batch = any(ndim(x) > single for x, single in zip(arguments, (1, 1, 1, 2), strict=True) if x is not None)
    return Method.RECURSION if batch or not (other is Method.ASSEMBLY or pays(figure)) else other


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), v=Floats(1), tau=Floats(1), out=Floats(1, write=True))
def forward_one(ints, floats, q, v, tau, out):
    """One state, without external wrenches."""
    return run_one(accelerate, Work.SIZE, ints, floats, q, v, tau, None, None, out)


@entry
def pushed_one(ints, floats, q, v, tau, wrenches, out):
    """One state."""
    return run_one(accelerate, Work.SIZE, ints, floats, q, v, tau, wrenches, None, out)


@entry
def forward_many(ints, floats, q, v, tau, wrenches, out, first, end, width):
    """Rows of a batch."""
    return run_rows(accelerate, Work.SIZE, ints, floats, q, v, tau, wrenches, None, out, first, end, width)
