"""Which method finds accelerations, and where each pays."""

import enum
from typing import Any

import numpy as np

from hitogata.dynamics.assembly.executor import assembled_one
from hitogata.dynamics.assembly.plans import program_for
from hitogata.dynamics.assembly.program import Program
from hitogata.dynamics.assembly.schedule import Schedule
from hitogata.dynamics.assembly.segment_layout import HEADER, Group
from hitogata.dynamics.assembly.segment_runner import SegmentRunner, runner_for
from hitogata.dynamics.dispatch import REFUSED, Array, Input, check, no_torque, single_state, vector
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import callable_model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.lanes import cores, record_size


class Method(enum.Enum):
    """How accelerations are found."""

    AUTO = "auto"
    """The recursion; for one state, segments where the figure is long enough to be faster so (`pays`), and assembly
    where joints follow functions."""
    RECURSION = "recursion"
    """Articulated bodies, one after the other (Featherstone); where joints follow functions, dense equations."""
    SEGMENTS = "segments"
    """Assembly of many segments at once, in lanes and threads."""
    ASSEMBLY = "assembly"
    """Assembly in the order of a schedule, one joint at a time: for any order, and for closed loops."""


_NO_WRENCHES = np.zeros(0)

SHORTEST = 48
"""Velocities below which no figure gains by segments."""

# Times on one core of an AMD EPYC [ns], by `benchmarks/assembly.py`: of the recursion, and of segments in four and in
# eight lanes.  Constants, so that the choice, and with it the last bit of a result, is the same in every run.
_RECURSION, _BODY = 1000.0, 68.0
_SLOTS = {4: (105.0, 140.0, 250.0), 8: (155.0, 200.0, 350.0)}
"""Of hinges alone, with other joints of one motion, with ball joints."""
_CALL, _MERGE, _PATH = 1900.0, 300.0, 30.0
_GAIN = 0.85
"""Segments must promise to take less than this share of the recursion's time."""


def pays(figure: Figure) -> bool:
    """Whether one state of a figure is expected to be faster by segments, on one thread."""
    known: bool | None = figure.compiled.get("segments pay")
    if known is None:
        model = callable_model_of(figure)
        most = _GAIN * (_RECURSION + _BODY * model.bodies)
        known = figure.nv >= SHORTEST and not model.follows and _estimate(runner_for(figure)) < most
        figure.compiled["segments pay"] = known
    return known


def _estimate(runner: SegmentRunner) -> float:
    """Time of one call [ns]."""
    ints = runner.ints
    groups = ints[HEADER : HEADER + ints[0] * record_size(Group)].reshape(-1, record_size(Group))
    lengths, general, columns = groups[:, 1], groups[:, 2] >= 0, groups[:, 3]
    hinges, others, balls = _SLOTS[runner.width.n]
    each = np.where(general, np.where(columns == 3, balls, others), hinges)
    return _CALL + float(lengths @ each) + _MERGE * int(ints[2] - ints[1]) + _PATH * int(ints[1])


def forward_by(
    method: Method, figure: Figure, q: Any, v: Any, tau: Any, wrenches: Any, gravity: Any, threads: int | None, out: Any
) -> Array:
    """Accelerations of one state by segments or by assembly; arguments as in `forward_dynamics`."""
    model = callable_model_of(figure)
    if method is Method.SEGMENTS and model.follows:
        raise ArgumentError(
            f"method: figure {figure.name!r} has joints that follow functions, which segments do not take; use ASSEMBLY"
        )
    if method is Method.SEGMENTS and wrenches is None and gravity is GRAVITY and out is None:
        try:
            fresh = np.empty(model.nv)
            runner = runner_for(figure, cores() if threads is None else threads)
            if not runner.run(q, v, model.zeros if tau is None else tau, _NO_WRENCHES, GRAVITY, fresh):
                return fresh
        except REFUSED:
            pass  # lists, other dtypes, strided arrays, or a batch: seen to below
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("tau", no_torque(model, q, v) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    state, result = single_state(figure, inputs, (model.nv,), out, method.value)
    if method is Method.SEGMENTS:
        runner = runner_for(figure, cores() if threads is None else threads)
        q_flat, v_flat, tau_flat, pushes = state
        status = runner.run(q_flat, v_flat, tau_flat, pushes, vector("gravity", gravity), result)
    else:
        status, _ = _assembled(figure, program_for(figure), state, gravity, result)
    check(status, figure, inputs)
    return result


def _assembled(figure: Figure, program: Program, state: list[Array], gravity: Any, out: Array) -> tuple[int, Array]:
    """Accelerations into `out`; the status of an entry, and joint reactions, shape (nlinks, 6)."""
    model, pull = callable_model_of(figure), vector("gravity", gravity)
    reactions = np.empty((model.bodies, 6))
    if model.follows:
        from hitogata.dynamics.assembly.expansion import followed_dynamics  # functions, for those who need them

        out[:], status = followed_dynamics(figure, program, state, pull, reactions.reshape(-1))
    else:
        floats = model.floats_for(pull, np.float64)
        status = assembled_one(model.ints, floats, program.ints, *state, out, reactions.reshape(-1))
    return status, reactions[list(model.body_of_link)]


def assemble_in_order(
    figure: Figure,
    schedule: Schedule,
    q: Any,
    v: Any,
    tau: Any = None,
    *,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
) -> tuple[Array, Array]:
    """Accelerations and joint reactions of one state, joints added in the order of a schedule.

    Args:
        figure: the figure.
        schedule: a plan of its joints, without rows of loops.
        q: coordinates, shape (nq,).
        v: velocities, shape (nv,).
        tau: generalized forces [N m], [N], shape (nv,); None: none.
        wrenches: external [torque; force] on each link, as for `forward_dynamics`.
        gravity: acceleration of gravity, world axes [m/s²].

    Returns:
        vdot, shape (nv,); and the wrench that each link's joint transmits, [torque; force] in world axes about the
        joint's origin [N m, N], shape (nlinks, 6), as by `joint_reactions`.
    """
    model = callable_model_of(figure)
    if len(schedule) != model.bodies or schedule.ends:
        raise ArgumentError(f"schedule: it is not one of figure {figure.name!r} without loops")
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("tau", no_torque(model, q, v) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    state, result = single_state(figure, inputs, (model.nv,), None, "assembly")
    status, reactions = _assembled(figure, program_for(figure, (), schedule), state, gravity, result)
    check(status, figure, inputs)
    return result, reactions
