"""A whole clip through the filter."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.dynamics import difference
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.filter.body import GRAVITY, Body
from hitogata.filter.contacts import found_stands, given_stands
from hitogata.filter.floor import LEVEL, Floor, steps_under
from hitogata.filter.foot_plan import Interval, plan_feet
from hitogata.filter.measures import Measures, lacking, measure
from hitogata.filter.prepared import Prepared, Unreached, prepare, unreached
from hitogata.filter.ranges import joint_ranges
from hitogata.filter.reference import resampled_evenly
from hitogata.filter.runner import FilteredFrame, FilteredRows, Runner
from hitogata.filter.settings import FilterSettings, FrameStatus, Mode
from hitogata.filter.soles import find_soles

FLATTER = (0.052, 0.087, 0.14)
"""Where the body falls, clips are tried again with soles laid flat from larger pitches [rad]."""


CHANNELS = ("vdot", "tau", "forces", "corners", "active", "residual", "over")
"""Channels of a filtered motion, beside `status`."""


@dataclass(frozen=True, eq=False)
class Filtered:
    """A motion that can be.

    Attributes:
        figure: whose it is.
        trajectory: with channels `vdot`, `tau`, `forces` (n, corners, 3), `corners` (n, corners, 3), `active`
            (n, corners), `residual` (n, 6), `over` (n, nv), `status` (n,).
        wanted: the motion that came in, at the same times.
        prepared: the same on its footholds.
        mode: how it was filtered.
        settings: with which numbers.
    """

    figure: Figure
    trajectory: Trajectory
    wanted: Trajectory
    prepared: Prepared
    mode: Mode
    settings: FilterSettings

    @cached_property
    def lack(self) -> FloatArray:
        """What feet cannot give of what the motion needed before, in each frame; see `measures.lacking` [N]."""
        feet, normals = self.prepared.feet, self._normals
        corners = feet.corners(find_soles(self.figure)).reshape(normals.shape)
        active = feet.active.reshape(normals.shape[:2])
        return lacking(self.prepared.demand, corners, active, normals, self.settings.friction)

    @property
    def _normals(self) -> FloatArray:
        return np.repeat(self.prepared.feet.normal, 4, axis=1)

    @cached_property
    def measures(self) -> Measures:
        """How possible and how close it is."""
        before = float(np.sqrt((self.lack**2).mean())) / (GRAVITY * self.figure.mass)
        return measure(self.figure, self.trajectory, self.wanted, friction=self.settings.friction,
                       normals=self._normals, before=before)  # fmt: skip

    @cached_property
    def unreached(self) -> tuple[Unreached, ...]:
        """Footholds that legs and ranges of joints do not reach."""
        return unreached(Body(self.figure), self.prepared)

    def __str__(self) -> str:
        return f"{self.mode.value}: {self.measures}"

    def changes(self, most: int = 6) -> list[str]:
        """What was changed most, and why: lines of text."""
        off = difference(self.figure, self.wanted.q, self.trajectory.q)
        names = joint_ranges(self.figure).names
        rms = dict.fromkeys(names, 0.0)
        for k, name in enumerate(names[6:], 6):
            rms[name] += float((off[:, k] ** 2).mean())
        rms.pop(names[0], None)
        worst = sorted(rms, key=lambda name: -rms[name])[:most]
        lines = [f"{name}: {np.degrees(np.sqrt(rms[name])):.1f} deg rms off" for name in worst]
        reasons = {
            FrameStatus.RANGE_HELD: "frames with a joint held at the end of its range",
            FrameStatus.SOLE_LET_GO: "frames with a standing sole farther than 1 mm from its foothold",
            FrameStatus.TORQUE_HELD: "frames with a joint's torque kept at what it has",
            FrameStatus.OVERLOADED: "frames with a joint that needs more torque than it has",
            FrameStatus.OUT_OF_REACH: "frames with a sole off a foothold that is out of reach",
            FrameStatus.FAR: "frames far from the motion: the body falls",
            FrameStatus.AIRBORNE: "frames in which nothing stands, but the motion does not fall: the body does",
            FrameStatus.HELD: "frames that could not be used",
            FrameStatus.RESTARTED: "times it was put back on the motion",
        }
        count = self.measures.frames
        lines += [f"{count[item.name]} {text}" for item, text in reasons.items() if item.name in count]
        over = self.trajectory["over"]
        for name in dict.fromkeys(names[6:]):
            part = over[:, [k for k in range(6, len(names)) if names[k] == name]].max(axis=1)
            if part.any():
                at = float(self.trajectory.time[part.argmax()])
                lines.append(f"{name}: needs up to {part.max():.0f} N m more than it has, at {at:.2f} s")
        return lines + [f"out of reach: {item}" for item in self.unreached]

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
    floor: Floor | None = LEVEL,
    contacts: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    rate: float | None = None,
    settings: FilterSettings | None = None,
    efforts: ArrayLike | None = None,
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
        efforts: greatest torques of the joints [N m], shape (nv,), as `control.strength.torque_limits`; None: the
            figure's effort limits.  They are kept; motion and forces give way.
    """
    s, body = settings or FilterSettings(), Body(figure, efforts)
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


def filter_motions(
    figure: Figure, motions: Sequence[Trajectory], *, threads: int | None = None, **options: Any
) -> list[Filtered]:
    """Several clips, shared over threads: kernels run side by side, what numpy does takes turns.

    Args:
        figure: the figure.
        motions: of this figure.
        threads: how many; None: one for each core.
        options: as of `filter_motion`.
    """
    if not motions:
        return []
    first = filter_motion(figure, motions[0], **options)  # what is compiled, or found out of the figure, is there now
    with ThreadPoolExecutor(max_workers=threads or os.cpu_count() or 1) as pool:
        rest = pool.map(lambda motion: filter_motion(figure, motion, **options), motions[1:])
        return [first, *rest]


def _run(
    body: Body, wanted: Trajectory, stands: Mapping[str, Sequence[Interval]], floor: Floor | None, mode: Mode,
    settings: FilterSettings,
) -> Filtered:  # fmt: skip
    ready = prepare(body, wanted, stands, floor, settings)
    n = len(wanted)
    ahead = n if mode is Mode.RECORDING else max(round(settings.look_ahead / ready.h), 2)
    runner = Runner(body, ready, settings, ahead)
    return Filtered(body.figure, rows_as_trajectory(body.figure, runner.run(0, n)), wanted, ready, mode, settings)


def _online(body: Body, wanted: Trajectory, floor: Floor | None, settings: FilterSettings) -> Filtered:
    from hitogata.filter.stream import DynamicsFilter

    h = float(wanted.time[-1] - wanted.time[0]) / (len(wanted) - 1)
    stream = DynamicsFilter(body.figure, mode=Mode.ONLINE, floor=floor, rate=1.0 / h, settings=settings,
                           efforts=body.efforts)  # fmt: skip
    frames = [stream.feed(q, float(t)) for q, t in zip(wanted.q, wanted.time, strict=True)]
    seen = Trajectory(wanted.time[2:], wanted.q[2:], wanted.v[2:], {}, wanted.figure_name)
    ready = prepare(body, seen, found_stands(body, seen, floor), floor, settings)
    return Filtered(
        body.figure, as_trajectory(body.figure, [f for f in frames if f]), seen, ready, Mode.ONLINE, settings
    )


def rows_as_trajectory(figure: Figure, rows: FilteredRows) -> Trajectory:
    """Frames with their channels."""
    channels = {name: getattr(rows, name) for name in CHANNELS}
    return Trajectory(rows.time, rows.q, rows.v, channels | {"status": rows.status}, figure.name)


def as_trajectory(figure: Figure, frames: Sequence[FilteredFrame]) -> Trajectory:
    """Frames in a row, with their channels."""
    channels = {name: np.array([getattr(frame, name) for frame in frames]) for name in CHANNELS}
    channels["status"] = np.array([int(frame.status) for frame in frames])
    time, q, v = (np.array([getattr(frame, name) for frame in frames]) for name in ("time", "q", "v"))
    return Trajectory(time, q, v, channels, figure.name)


def steps_for(figure: Figure, motion: Trajectory, rise: float, spacing: float = 0.7) -> Floor:
    """Steps across the way of a motion, with their edges where no foot stands.

    Args:
        figure: the figure.
        motion: its motion on a level floor.
        rise: of each step, < 0 goes down [m].
        spacing: of the edges, at the least about [m].
    """
    body = Body(figure)
    wanted = resampled_evenly(figure, motion, None)
    way = wanted.q[-1, :2] - wanted.q[0, :2]
    heading = float(np.arctan2(way[1], way[0]))
    feet = plan_feet(figure, wanted, body.soles, found_stands(body, wanted, LEVEL), LEVEL, 0.026)
    places = [hold.place[:2] for holds in feet.footholds for hold in holds]
    start = float(wanted.q[0, :2] @ [np.cos(heading), np.sin(heading)]) + 0.3
    return steps_under(places, rise, heading, start, spacing)
