"""A whole clip through the filter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hitogata.figure import Figure, Trajectory
from hitogata.filter.body import Body
from hitogata.filter.contacts import found_stands, given_stands
from hitogata.filter.floor import Floor, Slope
from hitogata.filter.foot_plan import Interval
from hitogata.filter.prepared import Prepared, prepare
from hitogata.filter.reference import resampled_evenly
from hitogata.filter.runner import FilteredFrame, Runner
from hitogata.filter.settings import FilterSettings, FrameStatus, Mode


FLATTER = (0.052, 0.087, 0.14)
"""Where the body falls, clips are tried again with soles laid flat from larger pitches [rad]."""


@dataclass(frozen=True, eq=False)
class Filtered:
    """A motion that can be.

    Attributes:
        trajectory: with channels `vdot`, `tau`, `forces` (n, corners, 3), `corners` (n, corners, 3), `active`
            (n, corners), `residual` (n, 6), `status` (n,).
        wanted: the motion that came in, at the same times.
        prepared: the same on its footholds.
        mode: how it was filtered.
        settings: with which numbers.
    """

    trajectory: Trajectory
    wanted: Trajectory
    prepared: Prepared
    mode: Mode
    settings: FilterSettings

    @property
    def fallen(self) -> int:
        """Frames in which the body was far from the motion, or had to be put back on it."""
        status = self.trajectory["status"]
        return int(((status == FrameStatus.FAR) | (status == FrameStatus.RESTARTED)).sum())


def filter_motion(
    figure: Figure,
    motion: Trajectory,
    *,
    mode: Mode = Mode.PREVIEW,
    floor: Floor | None = Slope(),
    contacts: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    rate: float | None = None,
    settings: FilterSettings | None = None,
) -> Filtered:
    """Make a motion possible.

    Args:
        figure: the figure; its root is free, and it has feet.
        motion: of this figure (retarget others).
        mode: what may be known of the motion's future.
        floor: what it stands on; None: level footholds at the heights where the motion has them.
        contacts: from when to when each foot stands [s], by its name ("left", "right"); None: found in the motion.
        rate: of the frames [1/s]; None: the motion's own.
        settings: numbers of the filter.
    """
    s, body = settings or FilterSettings(), Body(figure)
    wanted = resampled_evenly(figure, motion, rate)
    stands = found_stands(body, wanted, floor) if contacts is None else given_stands(wanted, contacts)
    if mode is Mode.ONLINE:
        return _online(body, wanted, floor, s)
    tries = [s] + [replace(s, flat=flat) for flat in FLATTER if flat > s.flat]
    best: Filtered | None = None
    for once in tries:
        found = _run(body, wanted, stands, floor, mode, once)
        if best is None or found.fallen < best.fallen:
            best = found
        if best.fallen == 0:
            break
    assert best is not None
    return best


def _run(
    body: Body, wanted: Trajectory, stands: Mapping[str, Sequence[Interval]], floor: Floor | None, mode: Mode,
    settings: FilterSettings,
) -> Filtered:  # fmt: skip
    ready = prepare(body, wanted, stands, floor, settings)
    n = len(wanted)
    ahead = n if mode is Mode.RECORDING else max(int(round(settings.look_ahead / ready.h)), 2)
    runner = Runner(body, ready, settings, ahead)
    return Filtered(as_trajectory(body.figure, [runner.step(k) for k in range(n)]), wanted, ready, mode, settings)


def _online(body: Body, wanted: Trajectory, floor: Floor | None, settings: FilterSettings) -> Filtered:
    from hitogata.filter.stream import DynamicsFilter

    h = float(wanted.time[-1] - wanted.time[0]) / (len(wanted) - 1)
    stream = DynamicsFilter(body.figure, mode=Mode.ONLINE, floor=floor, rate=1.0 / h, settings=settings)
    frames = [stream.feed(q, float(t)) for q, t in zip(wanted.q, wanted.time, strict=True)]
    stands = found_stands(body, wanted, floor)
    ready = prepare(body, wanted, stands, floor, settings)
    return Filtered(as_trajectory(body.figure, [f for f in frames if f is not None]), wanted, ready, Mode.ONLINE, settings)


def as_trajectory(figure: Figure, frames: Sequence[FilteredFrame]) -> Trajectory:
    """Frames in a row, with their channels."""
    channels = {
        name: np.array([getattr(frame, name) for frame in frames])
        for name in ("vdot", "tau", "forces", "corners", "active", "residual")
    }
    channels["status"] = np.array([int(frame.status) for frame in frames])
    time, q, v = (np.array([getattr(frame, name) for frame in frames]) for name in ("time", "q", "v"))
    return Trajectory(time, q, v, channels, figure.name)
