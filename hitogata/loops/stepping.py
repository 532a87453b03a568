"""Moving on in time with virtual links, from Python."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import Integrator
from hitogata.dynamics.calling import Array, Input, check, no_torque, vector
from hitogata.dynamics.layout import GRAVITY, model_of, open_tree
from hitogata.dynamics.running import scratch, status_of
from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.lanes import X1, entry, kernel, lanes, tail
from hitogata.loops.checking import as_rows, positive
from hitogata.loops.layout import bench_size, open_bench
from hitogata.loops.link_set import LinkHandle, Links, links_of
from hitogata.loops.marching import settle, step_euler, step_runge_kutta
from hitogata.loops.pivots import TOLERANCE
from hitogata.loops.reading import link_rows


@dataclass(frozen=True, eq=False)
class Moved:
    """Where a figure with virtual links has come to.

    Attributes:
        state: coordinates and velocities.
        links: the links that still hold.
        broken: handle, and time since the start [s], of every link that broke on the way.
    """

    state: State
    links: Links
    broken: tuple[tuple[LinkHandle, float], ...] = ()


def move(
    links: Links,
    state: State,
    h: float,
    tau: Any = None,
    *,
    steps: int = 1,
    integrator: Integrator = Integrator.RUNGE_KUTTA_4,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    correct: bool = True,
    stabilise: float = 0.0,
    tolerance: float = TOLERANCE,
) -> Moved:
    """The state after `steps` time steps of h, with constant forces; links that pass their limits break on the way.

    Args:
        links: the virtual links, with their figure.
        state: of one figure; it should hold the links (see `closed`).
        h: time step [s].
        tau: generalized forces [N m], [N], shape (nv,); None: none.
        steps: how many steps to take, in one compiled loop.
        integrator: the method.
        wrenches: external [torque; force] on each link of the figure, as for `forward_dynamics`.
        gravity: acceleration of gravity, world axes [m/s²].
        correct: after every step, bring back what drifted by one step of Newton's method.
        stabilise: s of -2 s rate - s² value, added to the rows' accelerations, instead or besides [1/s].
        tolerance: as for `constrained_dynamics`.
    """
    model = model_of(links_of(links).figure)
    if not isinstance(state, State) or state.q.ndim != 1:
        raise ArgumentError("state: expected the State of one figure")
    if not isinstance(integrator, Integrator):
        raise ArgumentError(f"integrator: must be an Integrator, got {integrator!r}")
    if not isinstance(steps, int | np.integer) or steps < 0:
        raise ArgumentError(f"steps: must be a whole number, not negative, got {steps!r}")
    if positive("h", h) == 0.0:
        raise ArgumentError("h: must be a positive number of seconds, got 0")
    inputs = (
        Input("q", state.q, (model.nq,)),
        Input("v", state.v, (model.nv,)),
        Input("tau", no_torque(model) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    rows, _ = as_rows(inputs, links.figure)
    floats = model.floats_for(vector("gravity", gravity), np.float64)
    numbers = np.array([h, positive("stabilise", stabilise), positive("tolerance", tolerance), integrator.value,
                        bool(correct)])  # fmt: skip
    out: Array = np.concatenate([rows[0][0], rows[1][0], np.zeros(2)])
    left, broken = int(steps), []
    while left:
        left_before = left
        status = march(model.ints, floats, links.ints, links.floats, rows[2], rows[3], numbers, left, out)
        check(status, links.figure, inputs)
        done, index = int(out[-2]), int(out[-1])
        left = left_before - done
        if index < 0:
            break
        handle = links.handles[index]
        broken.append((handle, (int(steps) - left) * float(h)))
        links = links.remove(handle)
    return Moved(State(out[: model.nq].copy(), out[model.nq : -2].copy()), links, tuple(broken))


def closed(links: Links, state: State, *, iterations: int = 20, tolerance: float = TOLERANCE) -> State:
    """The nearest state in which all rigid links hold, in the metric of the mass matrix.

    Args:
        links: the virtual links, with their figure.
        state: of one figure; a guess.
        iterations: most steps of Newton's method.
        tolerance: as for `constrained_dynamics`.

    Raises:
        ArgumentError: the links cannot be closed from there, or contradict each other.
    """
    model = model_of(links_of(links).figure)
    inputs = (Input("q", state.q, (model.nq,)), Input("v", state.v, (model.nv,)))
    rows, single = as_rows(inputs, links.figure)
    if not single:
        raise ArgumentError("state: expected the State of one figure")
    out: Array = np.concatenate([rows[0][0], rows[1][0], np.zeros(1)])
    figure, held = (model.ints, model.floats), (links.ints, links.floats)
    status = close_up(*figure, *held, model.zeros, float(tolerance), iterations, out)
    check(status, links.figure, inputs)
    result = State(out[: model.nq].copy(), out[model.nq : -1].copy())
    gap = np.abs(link_rows(links, result.q).value[: links.held]).max(initial=0.0)
    if gap > 1e-9:
        raise ArgumentError(
            f"the virtual links cannot be closed from this pose: {gap:.3g} m or rad are left after {iterations} steps; "
            "start nearer, or remove links that contradict each other"
        )
    return result


# ------------------------------------------------------- entries


@entry
def march(ints, floats, link_ints, link_floats, tau, wrenches, numbers, steps, out):
    """Some steps of one state; out is [q | v | steps taken | link that broke, or -1]."""
    tree = open_tree(ints, floats)
    size = bench_size(tree, link_ints[1])
    memory = scratch(size + 10 * tree.nv + 2 * tree.nq, out, X1)
    order = np.empty(link_ints[1] + 1, np.int64)
    view = lanes(memory, X1)
    bench = open_bench(tree, link_ints, link_floats, view, lanes(order, X1))
    pushed = wrenches.shape[1] > 0
    return march_one(bench, tail(view, size), lanes(tau, X1), lanes(wrenches, X1), pushed, lanes(numbers, X1), steps,
                     lanes(out, X1))  # fmt: skip


@kernel
def march_one(bench, spare, tau, wrenches, pushed, numbers, steps, out):
    """Steps until one breaks, or all are done."""
    tree = bench.tree
    q, v = out, tail(out, tree.nq)
    h, stabilise, tolerance = numbers[0], numbers[1], numbers[2]
    done, broken = 0, -1
    while done < steps and broken < 0:
        if numbers[3] == 4.0:
            broken = step_runge_kutta(bench, spare, q, v, tau, wrenches, pushed, h, stabilise, tolerance, 1)
        else:
            broken = step_euler(bench, spare, q, v, tau, wrenches, pushed, h, stabilise, tolerance, 1)
        if broken < 0:
            done += 1
            if numbers[4] == 1.0 and bench.links.held > 0:
                settle(bench, q, v, tau, tolerance, spare)
    out[tree.nq + tree.nv] = done
    out[tree.nq + tree.nv + 1] = broken
    return status_of(tree, q, v, tau, None, out, tree.nq + tree.nv)


@entry
def close_up(ints, floats, link_ints, link_floats, zeros, tolerance, iterations, out):
    """Newton's method on one state; out is [q | v | ...]."""
    tree = open_tree(ints, floats)
    size = bench_size(tree, link_ints[1])
    memory = scratch(size + tree.nv, out, X1)
    order = np.empty(link_ints[1] + 1, np.int64)
    view = lanes(memory, X1)
    bench = open_bench(tree, link_ints, link_floats, view, lanes(order, X1))
    q, v = lanes(out, X1), tail(lanes(out, X1), tree.nq)
    for _ in range(iterations):
        if settle(bench, q, v, lanes(zeros, X1), tolerance, tail(view, size)) < 1e-14:
            break
    return status_of(tree, q, v, None, None, q, tree.nq + tree.nv)
