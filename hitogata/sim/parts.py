"""Which numbers of a world's state and control belong to one figure; see `layout` for their order."""

from typing import NamedTuple

from hitogata.constraints.limits import Watch
from hitogata.lanes import record_size
from hitogata.sim.forest import Forest, Span
from hitogata.sim.layout import Carried, Motor, Pull, Strain


class StateParts(NamedTuple):
    """Where one figure's part of each array of a `layout.State` stands."""

    q: slice
    v: slice
    carried: slice
    watch: slice
    limit_impulse: slice
    owed: slice
    strain: slice
    mean: slice


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
    for size in (record_size(Carried), record_size(Watch), 2, 1, record_size(Strain)):
        parts.append(_shifted(span.bodies, end, size))
        end += size * forest.bodies
    return StateParts(*parts, _shifted(span.v, end))


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


def _shifted(part: slice, by: int, size: int = 1) -> slice:
    return slice(by + size * part.start, by + size * part.stop)
