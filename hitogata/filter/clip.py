"""A whole clip through the filter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import difference
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body
from hitogata.filter.contacts import found_stands, given_stands
from hitogata.filter.floor import Floor, Slope
from hitogata.filter.prepared import Prepared, prepare
from hitogata.filter.reference import resampled_evenly
from hitogata.filter.runner import FilteredFrame, Runner
from hitogata.filter.settings import FilterSettings, FrameStatus, Mode


@dataclass(frozen=True, eq=False)
class Filtered:
    """A motion that can be.

    Attributes:
        trajectory: with channels `vdot`, `tau`, `forces` (n, corners, 3), `corners` (n, corners, 3), `active`
            (n, corners), `residual` (n, 6), `status` (n,).
        wanted: the motion that came in, at the same times.
        prepared: the same on its footholds.
        mode: how it was filtered.
    """

    trajectory: Trajectory
    wanted: Trajectory
    prepared: Prepared
    mode: Mode


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
    ready = prepare(body, wanted, stands, floor, s)
    n = len(wanted)
    horizon = {Mode.ONLINE: 1, Mode.PREVIEW: max(int(round(s.look_ahead / ready.h)), 2), Mode.RECORDING: n}[mode]
    runner = Runner(body, ready, s, horizon)
    frames = [runner.step(k) for k in range(n)]
    return Filtered(as_trajectory(figure, frames), wanted, ready, mode)


def as_trajectory(figure: Figure, frames: Sequence[FilteredFrame]) -> Trajectory:
    """Frames in a row, with their channels."""
    channels = {
        name: np.array([getattr(frame, name) for frame in frames])
        for name in ("vdot", "tau", "forces", "corners", "active", "residual")
    }
    channels["status"] = np.array([int(frame.status) for frame in frames])
    time, q, v = (np.array([getattr(frame, name) for frame in frames]) for name in ("time", "q", "v"))
    return Trajectory(time, q, v, channels, figure.name)
