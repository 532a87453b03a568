"""A motion as a reference to follow: even times, smooth velocities and accelerations, feet on the floor."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitogata.dynamics import difference, forward_kinematics, integrate
from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, Figure, Link, Sphere, Trajectory
from hitogata.loops.arguments import positive


@dataclass(frozen=True, eq=False)
class Reference:
    """A motion at even times.

    Attributes:
        h: time between samples [s].
        q: coordinates, shape (n, nq).
        v: velocities, smoothed, shape (n, nv).
        vdot: accelerations, of the smoothed velocities, shape (n, nv).
        height: of the lowest point of each foot [m], by name, shape (n,).
    """

    h: float
    q: Array
    v: Array
    vdot: Array
    height: dict[str, Array]

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.q)


def reference_of(
    figure: Figure, motion: Trajectory, h: float, feet: Sequence[str], *, smoothing: float = 0.02, floor: bool = True
) -> Reference:
    """A motion with even times and smooth rates.

    Args:
        figure: the figure.
        motion: its motion; its own velocities are not used.
        h: time between samples [s].
        feet: links that stand on the floor.
        smoothing: width of the filter of velocities [s].
        floor: move the figure up or down so that its lowest foot is on the floor z = 0.
    """
    if positive("h", h) == 0.0:
        raise ArgumentError("h: must be a positive number of seconds, got 0")
    motion.check(figure)
    if len(motion) < 2:
        raise ArgumentError(f"motion: needs two samples at least, got {len(motion)}")
    time = np.arange(motion.time[0], motion.time[-1], h)
    before = np.clip(np.searchsorted(motion.time, time, side="right") - 1, 0, len(motion.time) - 2)
    part = (time - motion.time[before]) / (motion.time[before + 1] - motion.time[before])
    way = difference(figure, motion.q[before], motion.q[before + 1])
    q = integrate(figure, motion.q[before], part[:, None] * way)
    width = smoothing / h
    if floor:
        lowest = np.min([foot_height(figure, q, name) for name in feet], axis=0)
        q[:, 2] -= gaussian_filter1d(lowest, 2.0 * width)
    v = difference(figure, q[:-1], q[1:]) / h
    v = gaussian_filter1d(np.concatenate([v, v[-1:]]), width, axis=0)
    height = {name: foot_height(figure, q, name) for name in feet}
    return Reference(float(h), q, v, np.gradient(v, h, axis=0), height)


def resampled(figure: Figure, reference: Reference, h: float) -> Reference:
    """The same reference at other even times; itself if they are the same."""
    if abs(h - reference.h) < 1e-12:
        return reference
    old = reference.h * np.arange(len(reference))
    time = np.arange(0.0, old[-1] + 1e-9, h)
    before = np.clip((time / reference.h).astype(int), 0, len(old) - 2)
    part = (time / reference.h - before)[:, None]
    way = difference(figure, reference.q[before], reference.q[before + 1])
    v, vdot = ((1 - part) * x[before] + part * x[before + 1] for x in (reference.v, reference.vdot))
    height = {name: np.interp(time, old, x) for name, x in reference.height.items()}
    return Reference(float(h), integrate(figure, reference.q[before], part * way), v, vdot, height)


def foot_height(figure: Figure, q: Array, name: str) -> Array:
    """Height of the lowest point of a link's shapes [m], shape (n,)."""
    index, poses = figure.link_index(name), forward_kinematics(figure, q)
    points, radius = _outline(figure.links[index])
    up = poses.rotation[:, index, 2, :] @ points.T + poses.position[:, index, 2, None]
    result: Array = (up - radius).min(axis=1)
    return result


def _outline(link: Link) -> tuple[Array, Array]:
    """Points, and how far its surface is from each."""
    points, radius = [], []
    for shape in link.shapes:
        if isinstance(shape, Box):
            corners = np.array(np.meshgrid(*[(-s, s) for s in shape.half_sizes])).reshape(3, -1).T
            own, r = shape.pose.apply(corners), 0.0
        elif isinstance(shape, Capsule):
            own, r = shape.pose.apply([(0, 0, -shape.half_length), (0, 0, shape.half_length)]), shape.radius
        elif isinstance(shape, Sphere):
            own, r = shape.pose.apply([(0, 0, 0)]), shape.radius
        else:
            continue
        points.append(own)
        radius.append(np.full(len(own), r))
    if not points:
        raise ArgumentError(f"link {link.name!r} has no box, capsule or sphere to stand on")
    return np.concatenate(points), np.concatenate(radius)
