"""What every edit checks before it begins."""

from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State, Trajectory, values
from hitogata.figure.values import FloatArray, floats

SLACK = 1e-9
"""Times nearer than this to a sample are at the sample [s]."""


def check_motion(figure: Figure, trajectory: Trajectory, *, least: int = 1, what: str = "trajectory") -> None:
    """Raise ArgumentError unless it is a motion of the figure: sizes, unit quaternions, enough samples."""
    if not isinstance(figure, Figure):
        raise ArgumentError(f"figure: expected a Figure, got {type(figure).__name__}")
    if not isinstance(trajectory, Trajectory):
        raise ArgumentError(f"{what}: expected a Trajectory, got {type(trajectory).__name__}")
    trajectory.check(figure)
    if len(trajectory) < least:
        raise ArgumentError(f"{what}: {least} samples or more are needed, it has {len(trajectory)}")
    State(trajectory.q, trajectory.v).check(figure)


def check_same_figure(first: Trajectory, second: Trajectory) -> None:
    """Raise ArgumentError if both say whose motions they are, and not the same figure."""
    names = first.figure_name, second.figure_name
    if all(names) and names[0] != names[1]:
        raise ArgumentError(
            f"motions of two figures, {names[0]!r} and {names[1]!r}: carry one over to the other figure with retarget, "
            "or if they are the same, say so with dataclasses.replace(motion, figure_name=...)"
        )


def check_free_root(figure: Figure, what: str) -> None:
    """Raise ArgumentError unless the figure's root moves freely."""
    kind = figure.links[0].joint.kind
    if not figure.links[0].joint.floating:
        raise ArgumentError(f"{what}: the root of figure {figure.name!r} hangs on a {kind.value} joint, not a free one")


def has_free_root(figure: Figure) -> bool:
    """Whether the figure's root moves freely."""
    return figure.links[0].joint.floating


def finite(value: Any, what: str) -> float:
    """One finite number, or ArgumentError."""
    return values.number(value, what, error=ArgumentError)


def positive(value: Any, what: str) -> float:
    """One finite number above zero, or ArgumentError."""
    return values.positive(value, what, error=ArgumentError)


def weights(value: Any, count: int, what: str = "weight") -> FloatArray:
    """Weights in 0 ... 1, shape (count,), from one number or from as many; or ArgumentError."""
    array = floats(value, what)
    if array.shape not in ((), (count,)):
        raise ArgumentError(f"{what}: expected one number or shape ({count},), got shape {array.shape}")
    bad = ~((array >= 0) & (array <= 1))
    if bad.any():
        raise ArgumentError(f"{what}: must be from 0 to 1, got {float(array[bad].flat[0]):g}")
    return np.broadcast_to(array.astype(np.float64), (count,))


def time_inside(trajectory: Trajectory, time: Any, what: str) -> float:
    """A time within a motion [s], or ArgumentError."""
    t, first, last = finite(time, what), float(trajectory.time[0]), float(trajectory.time[-1])
    if not first - SLACK <= t <= last + SLACK:
        raise ArgumentError(f"{what}: {t:g} s is outside the motion, which goes from {first:g} to {last:g} s")
    return min(max(t, first), last)
