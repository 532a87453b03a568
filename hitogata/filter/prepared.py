"""A motion made ready for the filter: on its footholds, with its rates and what it would need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, Work
from hitogata.filter.floor import Floor
from hitogata.filter.foot_plan import Foothold, FootPlan, Interval, plan_feet
from hitogata.filter.frame_loop import REACH
from hitogata.filter.reference import Demand, needs_of, on_footholds, smoothed
from hitogata.filter.settings import FilterSettings


@dataclass(frozen=True, eq=False)
class Prepared:
    """A motion made ready.

    Attributes:
        h: time between frames [s].
        time: [s], shape (n,).
        q, v, vdot: coordinates; velocities with which they were reached; accelerations to the next frame.
        demand: what the whole body would need.
        feet: ways of the soles.
        root: rotations of the root, shape (n, 3, 3).
        asked: footholds where the motion has them; those of `feet` are where the body came to stand.
        short: how far each sole that should stand is from its foothold in these poses, or this from the one that was
            asked for, if it is out of reach [m], shape (n, feet).
    """

    h: float
    time: FloatArray
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    demand: Demand
    feet: FootPlan
    root: FloatArray
    asked: tuple[tuple[Foothold, ...], ...]
    short: FloatArray


MOVED = 0.1
"""So are those that had to be moved farther than this for feet to come to them [m]."""
RISE = 0.15
"""The body rises and sinks with the floor under its feet, as through a Gaussian filter of this width [s]."""


@dataclass(frozen=True)
class Unreached:
    """A foothold that a foot does not come to, however its joints turn.

    Attributes:
        foot: its name.
        start, end: while it should stand there [s].
        place: where [m].
        short: how far it stays away, or how far the foothold had to be moved, at the most [m].
    """

    foot: str
    start: float
    end: float
    place: tuple[float, float, float]
    short: float

    def __str__(self) -> str:
        x, y, z = self.place
        return (
            f"{self.foot} foot, {self.start:.2f} to {self.end:.2f} s: comes no nearer than {1e3 * self.short:.0f} mm "
            f"to its foothold at ({x:.2f}, {y:.2f}, {z:.2f}) m"
        )


def unreached(body: Body, ready: Prepared) -> tuple[Unreached, ...]:
    """The footholds out of reach, in the order of time."""
    found = []
    for f, (sole, spans, holds) in enumerate(zip(body.soles, ready.feet.stands, ready.asked, strict=True)):
        for (first, last), hold in zip(spans, holds, strict=True):
            short = float(ready.short[first : last + 1, f].max())
            if short > REACH:
                x, y, z = (float(value) for value in hold.place)
                found.append(Unreached(sole.name, float(ready.time[first]), float(ready.time[last]), (x, y, z), short))
    return tuple(sorted(found, key=lambda item: item.start))


def over_floor(body: Body, motion: Trajectory, floor: Floor | None, h: float) -> Trajectory:
    """A motion made on the floor z = 0, lifted over another one: by the heights under its feet, smoothed."""
    if floor is None:
        return motion
    poses = forward_kinematics(body.figure, motion.q)
    heights = [floor.height(sole.placed(poses)[1][:, :2]) for sole in body.soles]
    lift = gaussian_filter1d(np.mean(heights, axis=0), RISE / h, mode="nearest")
    if not lift.any():
        return motion
    q = motion.q.copy()
    q[:, 2] += lift
    return replace(motion, q=q, channels={})


def prepare(
    body: Body, motion: Trajectory, stands: Mapping[str, Sequence[Interval]], floor: Floor | None,
    settings: FilterSettings, known: Mapping[str, Foothold] | None = None, work: Work | None = None,
) -> Prepared:  # fmt: skip
    """Put a motion (at even times) on its footholds and find what it would need; see `plan_feet` for arguments."""
    figure, room = body.figure, work or Work(body)
    h = float(motion.time[-1] - motion.time[0]) / (len(motion) - 1)
    motion = over_floor(body, motion, floor, h)
    feet = plan_feet(figure, motion, body.soles, stands, floor, settings.flat, known)
    asked = feet.footholds
    q = smoothed(room, motion.q, h, settings.smoothing)
    for _ in range(2):
        q = smoothed(room, on_footholds(body, room, q, h, feet), h, 1.25 * settings.smoothing)
        stood = replace(motion, q=q, channels={})
        feet = plan_feet(figure, stood, body.soles, stands, floor, settings.flat, known, fitted=True)
    q = smoothed(room, on_footholds(body, room, q, h, feet, rounds=2), h, settings.smoothing)
    need = needs_of(body, room, q, h)
    short = _short(need.place, feet, asked)
    return Prepared(h, motion.time, q, need.v, need.vdot, need.demand, feet, need.root, asked, short)


def _short(places: FloatArray, feet: FootPlan, asked: Sequence[Sequence[Foothold]]) -> FloatArray:
    result: FloatArray = np.where(feet.down, np.linalg.norm(places - feet.place, axis=-1), 0.0)
    for f, (spans, holds) in enumerate(zip(feet.stands, feet.footholds, strict=True)):
        for (first, last), hold, first_hold in zip(spans, holds, asked[f], strict=True):
            moved = float(np.linalg.norm(hold.place - first_hold.place))
            if moved > MOVED:
                part = result[first : last + 1, f]
                np.maximum(part, moved, out=part)
    return result
