"""Forward dynamics, from Python: accelerations from torques.  The algorithm is in `articulated`."""

from typing import Any

from numpy import empty

from hitogata.dynamics.articulated import Work, accelerate
from hitogata.dynamics.calling import GRAVITY, Array, Input, call
from hitogata.dynamics.layout import model_of
from hitogata.dynamics.running import GOOD, run_one, run_rows
from hitogata.figure import Figure
from hitogata.lanes import ArgumentTypeError, Floats, Ints, Number, entry
from hitogata.spatial import Vec3


def forward_dynamics(
    figure: Figure,
    q: Any,
    v: Any,
    tau: Any = None,
    *,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    threads: int | None = 1,
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
        threads: to share a batch over; None: one per core.

    Returns:
        vdot, shape (nv,) or (n, nv).  A batch of float32 arrays is computed in float32, all else in float64.
    """
    model = figure.compiled.get("dynamics") or model_of(figure)
    if tau is None:
        tau = model.zeros
    gx, gy, gz = gravity
    if wrenches is None:
        out = empty(model.nv)
        try:
            if forward_one(model.ints, model.floats, q, v, tau, gx, gy, gz, out) == GOOD:
                return out
        except ArgumentTypeError:
            pass  # a batch, or lists, other dtypes, strided arrays: `call` sees to them
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("tau", tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6)),
    )
    return call(figure, pushed_one, forward_many, inputs, (gx, gy, gz), (model.nv,), threads)


@entry(
    ints=Ints(1), floats=Floats(1), q=Floats(1), v=Floats(1), tau=Floats(1),
    gx=Number(), gy=Number(), gz=Number(), out=Floats(1, write=True),
)  # fmt: skip
def forward_one(ints, floats, q, v, tau, gx, gy, gz, out):
    """One state, without external wrenches."""
    return run_one(accelerate, Work.SIZE, ints, floats, q, v, tau, None, Vec3(gx, gy, gz), out)


@entry
def pushed_one(ints, floats, q, v, tau, wrenches, gx, gy, gz, out):
    """One state."""
    return run_one(accelerate, Work.SIZE, ints, floats, q, v, tau, wrenches, Vec3(gx, gy, gz), out)


@entry
def forward_many(ints, floats, q, v, tau, wrenches, gx, gy, gz, out, first, end, width):
    """Rows of a batch."""
    gravity = Vec3(gx, gy, gz)
    return run_rows(accelerate, Work.SIZE, ints, floats, q, v, tau, wrenches, gravity, out, first, end, width)
