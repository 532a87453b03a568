"""Moving on in time, on the configuration manifold.

Coordinates change by q ⊞ d: positions and angles add d, and a quaternion turns by exp(d), in the axes its velocity is
written in.  So quaternions stay unit, and both methods keep their order for ball and free joints.

    semi-implicit Euler   v⁺ = v + h f(q, v),   q⁺ = q ⊞ h v⁺                                  first order
    Runge-Kutta           four stages, commutator-free on rotations (Celledoni et al. 2003)     fourth order
    Dormand-Prince        as short as needed, on plain numbers; see `adaptive`                  eighth order
"""

import enum
from typing import Any

import numpy as np

from hitogata.dynamics.articulated import Work, accelerate
from hitogata.dynamics.batches import BAD_SIZE, run_any, run_one, run_rows
from hitogata.dynamics.dispatch import REFUSED, Array, Input, call, no_torque
from hitogata.dynamics.joints import difference_of, move_on
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import callable_model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.lanes import Floats, Ints, entry, kernel, tail


class Integrator(enum.Enum):
    """How to move on in time."""

    SEMI_IMPLICIT_EULER = 1
    RUNGE_KUTTA_4 = 4
    DORMAND_PRINCE_8 = 8
    """With error control (`adaptive`): for checks, not for speed; h and steps only tell how long."""


def integrate(figure: Figure, q: Any, change: Any, *, threads: int | None = 1) -> Array:
    """q ⊞ change: coordinates after moving by `change` = velocity times time.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        change: shape (nv,) or (n, nv), like v [rad], [m].
        threads: to share a batch over; None: one per core.

    Returns:
        Coordinates, shape (nq,) or (n, nq).
    """
    model = callable_model_of(figure)
    if threads == 1:
        try:
            moved: Array = np.empty(model.nq)
            if not integrate_one(model.ints, model.floats, q, change, moved):
                return moved
        except REFUSED:
            pass  # a batch, lists, other dtypes, strided arrays: seen to below
    inputs = (Input("q", q, (model.nq,)), Input("change", change, (model.nv,)))
    return call(figure, integrate_one, integrate_many, inputs, (), (model.nq,), threads)


def difference(figure: Figure, start: Any, end: Any, *, threads: int | None = 1) -> Array:
    """The shortest change with start ⊞ change = end, the inverse of `integrate`.

    Args:
        figure: the figure.
        start: coordinates, shape (nq,) or (n, nq).
        end: coordinates, shape (nq,) or (n, nq).
        threads: to share a batch over; None: one per core.

    Returns:
        Change, shape (nv,) or (n, nv) [rad], [m].
    """
    model = callable_model_of(figure)
    if threads == 1:
        try:
            change: Array = np.empty(model.nv)
            if not difference_one(model.ints, model.floats, start, end, change):
                return change
        except REFUSED:
            pass
    inputs = (Input("start", start, (model.nq,)), Input("end", end, (model.nq,)))
    return call(figure, difference_one, difference_many, inputs, (), (model.nv,), threads)


def step(
    figure: Figure,
    state: State,
    h: float,
    tau: Any = None,
    *,
    steps: int = 1,
    integrator: Integrator = Integrator.SEMI_IMPLICIT_EULER,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    threads: int | None = 1,
) -> State:
    """The state after `steps` time steps of h, with constant forces; no contact and no limits.

    Args:
        figure: the figure.
        state: of one figure or of a batch.
        h: time step [s].
        tau: generalized forces [N m], [N], shape (nv,) or (n, nv); None: none.
        steps: how many steps to take, in one compiled loop.
        integrator: the method.
        wrenches: external [torque; force] on each link, as for `forward_dynamics`.
        gravity: acceleration of gravity, world axes [m/s²].
        threads: to share a batch over; None: one per core.
    """
    if not isinstance(h, int | float | np.integer | np.floating) or not np.isfinite(h) or h <= 0:
        raise ArgumentError(f"h: must be a positive number of seconds, got {h!r}")
    if not isinstance(steps, int | np.integer) or steps < 0:
        raise ArgumentError(f"steps: must be a whole number, not negative, got {steps!r}")
    if not isinstance(integrator, Integrator):
        raise ArgumentError(f"integrator: must be an Integrator, got {integrator!r}")
    if not isinstance(state, State):
        raise ArgumentError(f"state: must be a State, got {type(state).__name__}")
    model = callable_model_of(figure)
    inputs = (
        Input("q", state.q, (model.nq,)),
        Input("v", state.v, (model.nv,)),
        Input("tau", no_torque(model, state.q, state.v) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    extra = (float(h), int(steps), int(integrator.value))
    if integrator is Integrator.DORMAND_PRINCE_8:
        from hitogata.dynamics.adaptive import step_adaptive  # SciPy, for those who need it

        return step_adaptive(figure, state, h * steps, tau, wrenches, gravity)
    out = call(figure, step_one, step_many, inputs, extra, (model.nq + model.nv,), threads, gravity)
    return State(out[..., : model.nq].copy(), out[..., model.nq :].copy())


# ------------------------------------------------------- moving on the manifold


@kernel
def advance(tree, q, v, h, out):
    """out = q ⊞ h v; `out` may be q."""
    advance_trees(tree, q, v, h, out, 0, tree.bodies)


@kernel
def advance_trees(tree, q, v, h, out, first, end):
    """The same for bodies first <= i < end."""
    for i in range(first, end):
        move_on(tree.joint[i], q, v, h, out)


@kernel
def subtract(tree, start, end, out):
    """The change with start ⊞ change = end."""
    for i in range(tree.bodies):
        difference_of(tree.joint[i], start, end, out)


# ------------------------------------------------------- methods


@kernel
def combine(count, out, base, h, a, wa, b, wb, c, wc, d, wd):
    """out = base + h (wa a + wb b + wc c + wd d); base may be None."""
    for k in range(count):
        change = (a[k] * wa + b[k] * wb + c[k] * wc + d[k] * wd) * h
        if base is None:
            out[k] = change
        else:
            out[k] = base[k] + change


@kernel
def step_euler(tree, work, spare, q, v, tau, wrenches, h):
    """One step of semi-implicit Euler; q and v are moved on in place."""
    accelerate(tree, work, q, v, tau, wrenches, None, spare)
    for k in range(tree.nv):
        v[k] = v[k] + spare[k] * h
    advance(tree, q, v, h, q)


@kernel
def step_runge_kutta(tree, work, spare, q, v, tau, wrenches, h):
    """One step of the fourth-order commutator-free method CF4 (Celledoni, Marthinsen & Owren 2003).

    With k1 ... k4 the velocities at the stages:

        q2 = q ⊞ h k1/2     q3 = q ⊞ h k2/2     q4 = q2 ⊞ h (k3 - k1/2)
        q⁺ = (q ⊞ h (3 k1 + 2 k2 + 2 k3 - k4)/12) ⊞ h (-k1 + 2 k2 + 2 k3 + 3 k4)/12

    On plain numbers, the velocities among them, this is the classical Runge-Kutta method.
    """
    n = tree.nv
    a1, a2, a3, a4 = spare, tail(spare, n), tail(spare, 2 * n), tail(spare, 3 * n)
    k2, k3, k4, d = tail(spare, 4 * n), tail(spare, 5 * n), tail(spare, 6 * n), tail(spare, 7 * n)
    q2 = tail(spare, 8 * n)
    q3 = tail(q2, tree.nq)
    accelerate(tree, work, q, v, tau, wrenches, None, a1)
    combine(n, k2, v, h, a1, 0.5, a1, 0.0, a1, 0.0, a1, 0.0)
    advance(tree, q, v, 0.5 * h, q2)
    accelerate(tree, work, q2, k2, tau, wrenches, None, a2)
    combine(n, k3, v, h, a2, 0.5, a2, 0.0, a2, 0.0, a2, 0.0)
    advance(tree, q, k2, 0.5 * h, q3)
    accelerate(tree, work, q3, k3, tau, wrenches, None, a3)
    combine(n, k4, v, h, a3, 1.0, a3, 0.0, a3, 0.0, a3, 0.0)
    combine(n, d, None, h, k3, 1.0, v, -0.5, v, 0.0, v, 0.0)
    advance(tree, q2, d, 1.0, q3)
    accelerate(tree, work, q3, k4, tau, wrenches, None, a4)
    combine(n, d, None, h, v, 3.0 / 12.0, k2, 2.0 / 12.0, k3, 2.0 / 12.0, k4, -1.0 / 12.0)
    advance(tree, q, d, 1.0, q)
    combine(n, d, None, h, v, -1.0 / 12.0, k2, 2.0 / 12.0, k3, 2.0 / 12.0, k4, 3.0 / 12.0)
    advance(tree, q, d, 1.0, q)
    combine(n, v, v, h, a1, 1.0 / 6.0, a2, 2.0 / 6.0, a3, 2.0 / 6.0, a4, 1.0 / 6.0)


SPARE = 8 * 6 + 2 * 7
"""Numbers of scratch per body beside those of forward dynamics: eight velocities and two sets of coordinates."""


@kernel
def march(tree, work, q, v, tau, wrenches, options, out):
    """Several steps; the result is [q | v].  The form of the arguments is told in `batches`."""
    h, steps, order = options
    spare = tail(work, tree.bodies * Work.SIZE)
    q_now, v_now = out, tail(out, tree.nq)
    for k in range(tree.nq):
        q_now[k] = q[k]
    for k in range(tree.nv):
        v_now[k] = v[k]
    for _ in range(steps):
        if order == 4:
            step_runge_kutta(tree, work, spare, q_now, v_now, tau, wrenches, h)
        else:
            step_euler(tree, work, spare, q_now, v_now, tau, wrenches, h)


@kernel
def move_by(tree, work, q, change, x, wrenches, options, out):
    """q ⊞ change."""
    advance(tree, q, change, 1.0, out)


@kernel
def move_between(tree, work, start, v, end, wrenches, options, out):
    """The change from one set of coordinates to another."""
    subtract(tree, start, end, out)


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), change=Floats(1), out=Floats(1, write=True))
def integrate_one(ints, floats, q, change, out):
    """One state."""
    return run_one(move_by, 0, ints, floats, q, change, None, None, None, out)


@entry
def integrate_many(ints, floats, q, change, out, first, end, width):
    """Rows of a batch."""
    return run_rows(move_by, 0, ints, floats, q, change, None, None, None, out, first, end, width)


@entry(ints=Ints(1), floats=Floats(1), start=Floats(1), end=Floats(1), out=Floats(1, write=True))
def difference_one(ints, floats, start, end, out):
    """One pair."""
    if end.size != start.size:
        return BAD_SIZE
    return run_any(move_between, 0, ints, floats, start, None, end, None, None, out)


@entry
def difference_many(ints, floats, start, end, out, first, last, width):
    """Rows of a batch."""
    return run_rows(move_between, 0, ints, floats, start, None, end, None, None, out, first, last, width)


@entry
def step_one(ints, floats, q, v, tau, wrenches, h, steps, order, out):
    """One state."""
    options = (h, steps, order)
    return run_one(march, Work.SIZE + SPARE, ints, floats, q, v, tau, wrenches, options, out)


@entry
def step_many(ints, floats, q, v, tau, wrenches, h, steps, order, out, first, end, width):
    """Rows of a batch."""
    options, size = (h, steps, order), Work.SIZE + SPARE
    return run_rows(march, size, ints, floats, q, v, tau, wrenches, options, out, first, end, width)
