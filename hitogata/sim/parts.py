"""Which numbers of a world's state, control and sums belong to one figure; their order: see `layout`, `substeps`."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from hitogata.constraints.limits import Watch
from hitogata.dynamics.layout import model_of
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_size
from hitogata.sim.forest import Forest, Span
from hitogata.sim.layout import Carried, Motor, Pull, Strain
from hitogata.sim.substeps import HEAD, JointSums


class StateParts(NamedTuple):
    """Where one figure's part of each array of a `layout.State` stands."""

    q: slice
    v: slice
    carried: slice
    watch: slice
    limit_impulse: slice
    owed: slice
    spare: slice
    depth: slice
    told: slice
    spin: slice
    strain: slice
    mean: slice
    motor: slice


class ControlParts(NamedTuple):
    """Where one figure's part of each array of a `layout.Control` stands."""

    target: slice
    rate: slice
    push: slice
    motor: slice
    pull: slice


def state_parts(forest: Forest, span: Span, start: int = 0) -> StateParts:
    """Where a figure stands in the state of a forest that begins at `start`."""
    end = start + forest.nq + forest.nv
    parts = [_shifted(span.q, start), _shifted(span.v, start + forest.nq)]
    for size in (record_size(Carried), record_size(Watch), 2, 1, 1, 1, 1, 3, record_size(Strain)):
        parts.append(_shifted(span.bodies, end, size))
        end += size * forest.bodies
    parts += [_shifted(span.v, end), _shifted(span.v, end + forest.nv)]
    return StateParts(*parts)


def joint_memory(forest: Forest, body: int) -> tuple[slice, slice]:
    """Where in the state of a forest stands what a body's joint knows of its limits: its watch, and their impulses."""
    watches = forest.nq + forest.nv + record_size(Carried) * forest.bodies
    impulses = watches + record_size(Watch) * forest.bodies
    own = slice(body, body + 1)
    return _shifted(own, watches, record_size(Watch)), _shifted(own, impulses, 2)


def control_parts(forest: Forest, span: Span) -> ControlParts:
    """Where a figure stands in the control of a forest."""
    nq, nv = forest.nq, forest.nv
    motor = nq + 2 * nv
    pull = motor + record_size(Motor) * forest.bodies
    return ControlParts(
        span.q, _shifted(span.v, nq), _shifted(span.v, nq + nv), _shifted(span.bodies, motor, record_size(Motor)),
        _shifted(span.bodies, pull, record_size(Pull)),
    )  # fmt: skip


class Earlier(NamedTuple):
    """What one figure did in the earlier pieces of a step: impulses, and peaks of forces; see `substeps`."""

    motor: FloatArray  # (nv,)
    motor_peak: FloatArray
    limit: FloatArray  # (bodies, 2)
    limit_peak: FloatArray
    wrench: FloatArray  # (bodies, 6), about the joints
    wrench_peak: FloatArray  # (bodies, 2): of torque and of force


def earlier_parts(forest: Forest, span: Span) -> tuple[slice, ...]:
    """Where a figure stands in the sums of a world, in the order of `substeps.Sums`."""
    nv, bodies = forest.nv, forest.bodies
    limits, joints = HEAD + 2 * nv, HEAD + 2 * nv + 4 * bodies
    return (
        _shifted(span.v, HEAD), _shifted(span.v, HEAD + nv), _shifted(span.bodies, limits, 2),
        _shifted(span.bodies, limits + 2 * bodies, 2), _shifted(span.bodies, joints, record_size(JointSums)),
    )  # fmt: skip


def earlier_in(sums: FloatArray, forest: Forest, span: Span, known: bool) -> Earlier:
    """A figure's part of the sums of a world; zeros unless known."""
    motor, motor_peak, limit, limit_peak, joint = (sums[part] * float(known) for part in earlier_parts(forest, span))
    rows = joint.reshape(-1, record_size(JointSums))
    return Earlier(motor, motor_peak, limit.reshape(-1, 2), limit_peak.reshape(-1, 2), rows[:, :6], rows[:, 6:8])


def part_of(array: FloatArray, parts: Iterable[slice]) -> FloatArray:
    """One figure's part of an array, flat, a copy."""
    return np.concatenate([array[part] for part in parts])


def put_part(array: FloatArray, parts: Iterable[slice], values: FloatArray) -> None:
    """Write one figure's part of an array."""
    at = 0
    for part in parts:
        array[part] = values[at : at + part.stop - part.start]
        at += part.stop - part.start


def effort_limits(figure: Figure) -> FloatArray:
    """Of the motor of each body of a figure; infinite where there is none, shape (bodies,)."""
    model = model_of(figure)
    limits = np.full(len(model.link_poses), np.inf)
    for link, body in zip(figure.links, model.body_of_link, strict=True):
        if not link.joint.floating:
            limits[body - link.joint.bodies + 1 : body + 1] = link.joint.effort_limit
    return limits


def _shifted(part: slice, by: int, size: int = 1) -> slice:
    return slice(by + size * part.start, by + size * part.stop)
