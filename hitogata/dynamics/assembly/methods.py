"""Which method finds accelerations, and where each pays."""

import enum
from typing import Any

import numpy as np

from hitogata.dynamics.assembly.executor import assembled_one
from hitogata.dynamics.assembly.plans import program_for
from hitogata.dynamics.assembly.schedule import Schedule
from hitogata.dynamics.assembly.segment_layout import HEADER, Group
from hitogata.dynamics.assembly.segment_runner import SegmentRunner, runner_for
from hitogata.dynamics.dispatch import REFUSED, Array, Input, check, no_torque, single_state, vector
from hitogata.dynamics.layout import GRAVITY, model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.lanes import cores, record_size


class Method(enum.Enum):
    """How accelerations are found."""

    AUTO = "auto"
    """The recursion, or segments for one state of a figure long enough to be faster so; see `pays`."""
    RECURSION = "recursion"
    """Articulated bodies, one after the other (Featherstone)."""
    SEGMENTS = "segments"
    """Assembly of many segments at once, in lanes and threads."""
    ASSEMBLY = "assembly"
    """Assembly in the order of a schedule, one joint at a time: for any order, and for closed loops."""


_NO_WRENCHES = np.zeros(0)

SHORTEST = 48
"""Velocities below which no figure gains by segments."""

# Times on one core of an AMD EPYC, four lanes [ns], by `benchmarks/assembly.py`.  Constants, so that the choice, and
# with it the last bit of a result, is the same in every run.
_BODY = 126.0
_CALL, _SLOT, _SLIDER_SLOT, _BALL_SLOT, _MERGE, _PATH, _ROUND = 3000.0, 265.0, 420.0, 700.0, 450.0, 50.0, 150.0
_GAIN = 0.85
"""Segments must promise to take less than this share of the recursion's time."""


def pays(figure: Figure) -> bool:
    """Whether one state of a figure is expected to be faster by segments, on one thread."""
    known: bool | None = figure.compiled.get("segments pay")
    if known is None:
        known = figure.nv >= SHORTEST and _estimate(runner_for(figure)) < _GAIN * _BODY * int(model_of(figure).ints[0])
        figure.compiled["segments pay"] = known
    return known


def _estimate(runner: SegmentRunner) -> float:
    """Time of one call [ns]."""
    ints = runner.ints
    groups = ints[HEADER : HEADER + ints[0] * record_size(Group)].reshape(-1, record_size(Group))
    lengths, general, columns = groups[:, 1], groups[:, 2] >= 0, groups[:, 3]
    each = np.where(general, np.where(columns == 3, _BALL_SLOT, _SLIDER_SLOT), _SLOT)
    merges = int(ints[2] - ints[1])
    return _CALL + float(lengths @ each) + _MERGE * merges + _PATH * int(ints[1]) + _ROUND * int(ints[4])


def forward_by(
    method: Method, figure: Figure, q: Any, v: Any, tau: Any, wrenches: Any, gravity: Any, threads: int | None, out: Any
) -> Array:
    """Accelerations of one state by segments or by assembly; arguments as in `forward_dynamics`."""
    model = model_of(figure)
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
        floats, program = model.floats_for(vector("gravity", gravity), np.float64), program_for(figure)
        reactions = np.empty(6 * int(model.ints[0]))
        status = assembled_one(model.ints, floats, program.ints, *state, result, reactions)
    check(status, figure, inputs)
    return result


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
    model = model_of(figure)
    if len(schedule) != int(model.ints[0]) or schedule.ends:
        raise ArgumentError(f"schedule: it is not one of figure {figure.name!r} without loops")
    inputs = (
        Input("q", q, (model.nq,)),
        Input("v", v, (model.nv,)),
        Input("tau", no_torque(model, q, v) if tau is None else tau, (model.nv,)),
        Input("wrenches", wrenches, (model.nlinks, 6), optional=True),
    )
    state, result = single_state(figure, inputs, (model.nv,), None, "assembly")
    reactions = np.empty((int(model.ints[0]), 6))
    program = program_for(figure, (), schedule)
    floats = model.floats_for(vector("gravity", gravity), np.float64)
    check(assembled_one(model.ints, floats, program.ints, *state, result, reactions.reshape(-1)), figure, inputs)
    return result, reactions[list(model.body_of_link)]
