"""A motion made ready for the filter: on its footholds, with its rates and what it would need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body
from hitogata.filter.floor import Floor
from hitogata.filter.foot_plan import Foothold, FootPlan, Interval, plan_feet
from hitogata.filter.reference import Demand, demand_of, on_footholds, rates, smoothed
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
    """

    h: float
    time: FloatArray
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    demand: Demand
    feet: FootPlan
    root: FloatArray


RISE = 0.15
"""The body rises and sinks with the floor under its feet, as through a Gaussian filter of this width [s]."""


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
    settings: FilterSettings, known: Mapping[str, Foothold] | None = None,
) -> Prepared:  # fmt: skip
    """Put a motion (at even times) on its footholds and find what it would need; see `plan_feet` for arguments."""
    figure = body.figure
    h = float(motion.time[-1] - motion.time[0]) / (len(motion) - 1)
    motion = over_floor(body, motion, floor, h)
    feet = plan_feet(figure, motion, body.soles, stands, floor, settings.flat, known)
    q = smoothed(figure, motion.q, h, settings.smoothing)
    for _ in range(2):
        q = smoothed(figure, on_footholds(figure, q, h, body.soles, feet, body.ranges), h, 1.25 * settings.smoothing)
        feet = plan_feet(figure, replace(motion, q=q, channels={}), body.soles, stands, floor, settings.flat, known)
    q = smoothed(figure, on_footholds(figure, q, h, body.soles, feet, body.ranges, rounds=2), h, settings.smoothing)
    v, vdot = rates(figure, q, h)
    root = np.array(forward_kinematics(figure, q).rotation[:, 0])
    return Prepared(h, motion.time, q, v, vdot, demand_of(figure, q, v, vdot), feet, root)
