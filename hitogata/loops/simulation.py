"""Moving on in time with virtual links, from Python."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import Integrator, energy
from hitogata.dynamics.batches import BAD_VALUE, off_finite, scratch
from hitogata.dynamics.dispatch import Input, check, vector
from hitogata.dynamics.layout import GRAVITY, open_tree
from hitogata.dynamics.model import callable_model_of
from hitogata.errors import ArgumentError
from hitogata.figure import State, Trajectory
from hitogata.lanes import X1, entry, kernel, lanes, open_memory, tail
from hitogata.loops.arguments import as_rows, over_time, positive
from hitogata.loops.assembly import check_together
from hitogata.loops.compliance import choose_lags
from hitogata.loops.impact import impact
from hitogata.loops.integration import Course, at_stage, step_euler, step_runge_kutta
from hitogata.loops.layout import LinkMemory, bench_size, open_bench
from hitogata.loops.link_set import LinkHandle, Links, links_of
from hitogata.loops.pivots import TOLERANCE
from hitogata.loops.row_values import link_rows
from hitogata.loops.singular import NOTES, look_around, room_size, settle

MOVING = 1e-6
"""Rates of rigid links below this part of the fastest velocity count as zero."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Moved(Trajectory):
    """The way of a figure with virtual links.

    Attributes:
        links: the links that still hold at the end.
        broken: handle, and time [s], of every link that broke on the way.
        caught: kinetic energy that the links took because they moved against each other at the start [J]: what they
            hold stops at once, as in `impact` without restitution.
        singular: times [s] at the end of steps through a singular pose, in which rows of closed loops are dependent
            that are not so elsewhere; velocity tells how the motion goes on (see `singular`).
        undecided: times [s] of those of them in which it does not, as the figure all but rests there: the motion from
            there on is one of several.
    """

    links: Links
    broken: tuple[tuple[LinkHandle, float], ...] = ()
    caught: float = 0.0
    singular: tuple[float, ...] = ()
    undecided: tuple[float, ...] = ()

    @property
    def state(self) -> State:
        """Coordinates and velocities at the end."""
        return State(self.q[-1].copy(), self.v[-1].copy())


def move(
    links: Links,
    state: State,
    h: float,
    tau: Any = None,
    *,
    steps: int = 1,
    every: int = 1,
    time: float = 0.0,
    integrator: Integrator = Integrator.RUNGE_KUTTA_4,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
    correct: bool = True,
    stabilise: float = 0.0,
    tolerance: float = TOLERANCE,
) -> Moved:
    """The states of `steps` time steps of h, the first one included; links that pass their limits break on the way.

    Forces may change over time: a function of time is asked at the start, middle and end of every step, so that the
    method keeps its order.  Compliant links that are too stiff for h are implicit (see `compliance`).

    Args:
        links: the virtual links, with their figure.
        state: of one figure; it must hold the rigid links (see `closed`).
        h: time step [s].
        tau: generalized forces [N m], [N]: constant, shape (nv,); of every step, shape (steps, nv); or a function of
            time [s] that returns shape (nv,).  None: none.
        steps: how many steps to take, in one compiled loop.
        every: keep the state of every so many steps, and of the last.
        time: at the start [s].
        integrator: the method.
        wrenches: external [torque; force] on each link of the figure, as for `forward_dynamics`: shape (nlinks, 6),
            (steps, nlinks, 6), or a function of time.
        gravity: acceleration of gravity, world axes [m/s²].
        correct: after every step, bring back what drifted by Newton's method.
        stabilise: s of -2 s rate - s² value, added to the rows' accelerations, instead or besides [1/s].
        tolerance: as for `constrained_dynamics`.

    Raises:
        ArgumentError: a rigid link's two frames are apart at the start; the motion did not stay finite, as h is too
            long; or an argument is wrong.
    """
    model = callable_model_of(links_of(links).figure)
    if not isinstance(state, State) or state.q.ndim != 1:
        raise ArgumentError("state: expected the State of one figure")
    if not isinstance(integrator, Integrator) or integrator is Integrator.DORMAND_PRINCE_8:
        raise ArgumentError(f"integrator: must be SEMI_IMPLICIT_EULER or RUNGE_KUTTA_4, got {integrator!r}")
    for name, number, least in (("steps", steps, 0), ("every", every, 1)):
        if not isinstance(number, int | np.integer) or number < least:
            raise ArgumentError(f"{name}: must be a whole number, {least} or more, got {number!r}")
    if positive("h", h) == 0.0:
        raise ArgumentError("h: must be a positive number of seconds, got 0")
    inputs = (Input("q", state.q, (model.nq,)), Input("v", state.v, (model.nv,)))
    rows, _ = as_rows(inputs, links.figure)
    steps, h, start = int(steps), float(h), float(time)
    pushes = over_time("tau", tau, (model.nv,), steps, h, start, links.figure)
    outside = over_time("wrenches", wrenches, (model.nlinks, 6), steps, h, start, links.figure)
    pull = vector("gravity", gravity)
    floats = model.floats if model.follows else model.floats_for(pull, np.float64)
    numbers = np.array([h, positive("stabilise", stabilise), positive("tolerance", tolerance), integrator.value,
                        bool(correct)])  # fmt: skip
    state, caught = _begin(links, State.unchecked(rows[0][0], rows[1][0]), correct, inputs)
    kept = np.unique(np.append(np.arange(0, steps + 1, int(every)), steps))
    path = np.empty((len(kept), model.nq + model.nv))
    path[0] = np.concatenate([state.q, state.v])
    marks, out, left, broken = np.zeros(steps + 1), np.append(path[0], np.zeros(3)), int(steps), []
    while left:
        whole = np.array([steps - left, steps, int(every), len(pushes), len(outside)])
        if model.follows:
            from hitogata.loops.followed_motion import Course as FollowedCourse  # SciPy's splines, if they are needed
            from hitogata.loops.followed_motion import march_followed

            course = FollowedCourse(links, pushes, outside, steps, h, numbers[1], numbers[2], bool(correct), pull)
            fourth = integrator is Integrator.RUNGE_KUTTA_4
            status = march_followed(course, fourth, steps - left, int(every), out, path)
        else:
            status = march(model.ints, floats, links.ints, links.floats, pushes.ravel(), outside.ravel(), numbers,
                           whole, out, path.reshape(-1), marks)  # fmt: skip
        done, index = int(out[-2]), int(out[-1])
        left = steps - done
        if status:
            raise _too_long(links, h, done, start)
        if index < 0:
            break
        handle = links.handles[index]
        broken.append((handle, start + done * h))
        links = links.remove(handle)
    singular, undecided = (tuple((start + h * np.flatnonzero(marks >= k)).tolist()) for k in (1, 2))
    return Moved(
        start + h * kept, path[:, : model.nq].copy(), path[:, model.nq :].copy(), {}, links.figure.name, links=links,
        broken=tuple(broken), caught=caught, singular=singular, undecided=undecided,
    )  # fmt: skip


def _too_long(links: Links, h: float, done: int, start: float) -> ArgumentError:
    return ArgumentError(
        f"h: steps of {h:g} s are too long for figure {links.figure.name!r} with {len(links)} virtual links: after "
        f"{done} steps, at {start + done * h:g} s, the motion is no longer finite; take shorter ones (or see whether "
        "tau, wrenches or velocities are far too large)"
    )


def _begin(links: Links, state: State, correct: bool, inputs: tuple[Input, ...]) -> tuple[State, float]:
    """The state to begin with: links must be together; what moves against them stops, and takes so much energy."""
    if not (np.isfinite(state.q).all() and np.isfinite(state.v).all()):
        check(BAD_VALUE, links.figure, inputs)
    found = link_rows(links, state.q, state.v)
    check_together(links, found.value, drifted=not correct)
    fastest = np.abs(state.v).max(initial=0.0)
    if not correct or np.abs(found.rate[: links.held]).max(initial=0.0) <= MOVING * (1e-3 + fastest):
        return state, 0.0
    after = impact(links, state).state
    before, now = (energy(links.figure, s.q, s.v).kinetic for s in (state, after))
    return after, float(before - now)


# ------------------------------------------------------- entries


@entry
def march(ints, floats, link_ints, link_floats, tau, wrenches, numbers, whole, out, path, marks):
    """Steps of one state, until a link breaks, all are done, or the motion is not finite.

    Args:
        ints: the figure, likewise `floats`.
        link_ints: the virtual links, likewise `link_floats`.
        tau: forces over time, likewise `wrenches`; see `integration.at_stage`.
        numbers: h, stabilise, tolerance, integrator, whether to correct.
        whole: steps taken before, steps in all, how many of them to keep one of, rows of tau and of wrenches.
        out: [q | v | - | steps taken | link that broke, or -1], moved on.
        path: states that are kept, a row each.
        marks: of every step, 1 if it went through a singular pose, 2 if it was not clear how it goes on.
    """
    tree = open_tree(ints, floats)
    held = open_memory(LinkMemory, link_floats, link_ints)
    size = bench_size(tree, held.rows)
    memory = scratch(size + 10 * tree.nv + 2 * tree.nq + room_size(tree, held.rows) + NOTES, out, X1)
    order = np.empty(held.rows + 1, np.int64)
    view = lanes(memory, X1)
    bench = open_bench(tree, link_ints, link_floats, view, lanes(order, X1))
    spare = tail(view, size)
    room = tail(spare, 10 * tree.nv + 2 * tree.nq)
    notes = tail(room, room_size(tree, held.rows))
    course = Course(spare, room, notes, lanes(tau, X1), whole[3], lanes(wrenches, X1), whole[4], whole[1], numbers[0],
                    numbers[1], numbers[2])  # fmt: skip
    return march_one(bench, course, numbers[3] == 4.0, numbers[4] == 1.0, whole[0], whole[2], lanes(out, X1),
                     lanes(path, X1), lanes(marks, X1))  # fmt: skip


@kernel
def march_one(bench, course, fourth, correct, done, every, out, path, marks):
    """The steps."""
    tree = bench.tree
    size = tree.nq + tree.nv
    q, v, notes, broken = out, tail(out, tree.nq), course.notes, -1
    first = at_stage(course.tau, course.tau_rows, course.steps, tree.nv, done, 0)
    notes[0] = 0.0
    notes[1] = 0.0
    if bench.links.held > 0:
        look_around(bench, course.room, q, v, first, course.tolerance, notes)
    while done < course.steps and broken < 0:
        tau = at_stage(course.tau, course.tau_rows, course.steps, tree.nv, done, 0)
        notes[2] = 0.0
        notes[3] = 0.0
        choose_lags(bench, q, v, tau, course.h)
        if fourth:
            broken = step_runge_kutta(bench, course, q, v, done)
        else:
            broken = step_euler(bench, course, q, v, done)
        if broken < 0:
            done += 1
            settle(bench, q, v, tau, course.tolerance, notes[1], correct, course.spare)
            mark(marks, notes, done)
            if off_finite(out, size) != 0.0:  # NaN
                out[size + 1] = done
                return 1
            if done % every == 0 or done == course.steps:
                row = tail(path, ((done + every - 1) // every) * size)
                for k in range(size):
                    row[k] = out[k]
    out[size + 1] = done
    out[size + 2] = broken
    return 0


@kernel
def mark(marks, notes, done):
    """What became of a step in a singular pose."""
    if notes[2] > 0.0:
        marks[done] = 1.0
    if notes[3] > 0.0:
        marks[done] = 2.0
