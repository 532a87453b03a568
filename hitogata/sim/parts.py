"""Which numbers of a world's state, control and sums belong to one figure; their order: see `layout`, `substeps`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hitogata.dynamics.follower_model import tree_model_of
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.lanes import MemoryLayout, record_size
from hitogata.sim.substeps import HEAD, JointSums
from hitogata.sim.world_model import Forest, Span


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


_AXES = {"q": "q", "target": "q", **dict.fromkeys(("v", "mean", "motor", "rate", "push"), "v")}


def _places(layout: MemoryLayout, names: Sequence[str], axes: Mapping[str, str]) -> tuple[tuple[int, int, str], ...]:
    """Of fields: where they begin, numbers of one row, and whether rows go by q, by v or by bodies."""
    places = [layout.place(name) for name in names]
    return tuple((place.start, place.size // max(place.shape[0], 1), axes.get(name, "bodies"))
                 for name, place in zip(names, places, strict=True))  # fmt: skip


def _parts(places: tuple[tuple[int, int, str], ...], span: Span, start: int = 0) -> list[slice]:
    """Where a figure stands in fields."""
    rows = {"q": (span.q.start, span.q.stop), "v": (span.v.start, span.v.stop),
            "bodies": (span.bodies.start, span.bodies.stop)}  # fmt: skip
    return [slice(start + at + each * rows[axis][0], start + at + each * rows[axis][1]) for at, each, axis in places]


def state_parts(forest: Forest, span: Span, start: int = 0) -> StateParts:
    """Where a figure stands in the state of a forest that begins at `start`."""
    places = forest.kept.get("state")
    if places is None:
        places = forest.kept["state"] = _places(forest.state, StateParts._fields, _AXES)
    return StateParts(*_parts(places, span, start))


def joint_memory(forest: Forest, body: int) -> tuple[slice, slice]:
    """Where in the state of a forest stands what a body's joint knows of its limits: its watch, and their impulses."""
    own = slice(body, body + 1)
    return forest.state.stretch("watch", own), forest.state.stretch("limit_impulse", own)


def control_parts(forest: Forest, span: Span) -> ControlParts:
    """Where a figure stands in the control of a forest."""
    places = forest.kept.get("control")
    if places is None:
        axes = {**_AXES, "motor": "bodies"}
        places = forest.kept["control"] = _places(forest.control, ControlParts._fields, axes)
    return ControlParts(*_parts(places, span))


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
    """Of the motor of each body of a figure; infinite where there is none, shape (bodies,); kept with the figure."""
    limits: FloatArray | None = figure.compiled.get("effort limits")
    if limits is None:
        model = tree_model_of(figure)
        limits = np.full(len(model.link_poses), np.inf)
        for k, link in enumerate(figure.links):
            if not link.joint.floating:
                limits[list(model.driven_by(figure, k))] = link.joint.effort_limit
        figure.compiled["effort limits"] = limits
    return limits


def _shifted(part: slice, by: int, size: int = 1) -> slice:
    return slice(by + size * part.start, by + size * part.stop)
