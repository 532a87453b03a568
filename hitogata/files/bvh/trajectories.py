"""The motion of a BVH file as a Trajectory, and back."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Figure, JointKind, Trajectory, velocities_of
from hitogata.figure.rates import unbroken_quats
from hitogata.figure.values import FloatArray
from hitogata.files.bvh.eulers import angles_of_quats, quats_of_angles
from hitogata.files.bvh.figures import carried_joint, check_figure, figure_from_bvh, slider_name
from hitogata.files.bvh.poses import bvh_poses
from hitogata.files.bvh.skeleton import Bvh, PositionChannels

EVEN = 1e-3
"""How far, as a share of the mean, a time step may be from the others for the times to count as even."""


def trajectory_from_bvh(bvh: Bvh, figure: Figure | None = None) -> Trajectory:
    """The motion of the figure of a BVH file.

    Velocities are differences on the manifold (`hitogata.figure.velocities_of`).  If a joint that carries all others
    moves in its parent and the figure has no sliders for it, the root moves so that the joint is where the file has it.

    Args:
        bvh: the file.
        figure: from `figure_from_bvh`, of this file or of another one with the same skeleton; None: of this file.

    Raises:
        FigureError: the figure has another skeleton.
    """
    figure = figure_from_bvh(bvh) if figure is None else figure
    check_figure(bvh, figure)
    q = np.empty((bvh.nframes, figure.nq))
    for i, it in enumerate(bvh.joints):
        columns = [bvh.starts[i] + k for k, channel in enumerate(it.channels) if channel.turns]
        axes = [bvh.up.ours(channel.axis) for channel in it.rotations]
        angles = np.radians(bvh.values[:, columns])
        part = figure.q_slice(it.name)
        kind = figure.link(it.name).joint.kind
        if kind is JointKind.FREE:
            q[:, part] = np.hstack([np.broadcast_to(bvh.metres(bvh.translations(i)), (bvh.nframes, 3)),
                                    unbroken_quats(quats_of_angles(axes, angles))])  # fmt: skip
        elif kind is JointKind.BALL:
            q[:, part] = unbroken_quats(quats_of_angles(axes, angles))
        else:
            q[:, part] = angles
        sliders = [axis for axis in range(3) if i and slider_name(it.name, axis) in figure.link_names]
        if sliders:
            places = bvh.metres(bvh.translations(i)) - _slider_zero(figure, it.name, sliders)
            for axis in sliders:
                q[:, figure.q_slice(slider_name(it.name, axis))] = places[:, [axis]]
    q[:, :3] += _carried_path(bvh, figure)
    return Trajectory(bvh.time, q, velocities_of(figure, bvh.time, q), figure_name=figure.name)


def _carried_path(bvh: Bvh, figure: Figure) -> FloatArray:
    """What the root must move for a joint that carries all others, if the figure holds it fast [m], shape (nt, 3)."""
    path = np.zeros((bvh.nframes, 3))
    i = carried_joint(bvh)
    if i is None or any(slider_name(bvh.names[i], axis) in figure.link_names for axis in range(3)):
        return path
    poses = bvh_poses(bvh)
    while i > 0:
        parent, held = bvh.parents[i], figure.link(bvh.names[i]).joint.parent_frame.position
        path += poses.position[:, i] - poses.position[:, parent] - poses.rotation[:, parent] @ np.array(held)
        i = parent
    return path


def values_from_trajectory(trajectory: Trajectory, figure: Figure, bvh: Bvh) -> Bvh:
    """A motion of a BVH file's figure, in that file's skeleton, channels and unit.

    Args:
        trajectory: of the figure, at even times.
        figure: from `figure_from_bvh`.
        bvh: the file the figure came from; its own motion does not matter.
    """
    trajectory.check(figure)
    check_figure(bvh, figure)
    back = np.argsort(bvh.up.order)
    values = np.empty((len(trajectory), bvh.nchannels))
    for i, it in enumerate(bvh.joints):
        kind, q = figure.link(it.name).joint.kind, trajectory.q[:, figure.q_slice(it.name)]
        axes = [bvh.up.ours(channel.axis) for channel in it.rotations]
        if kind in (JointKind.FREE, JointKind.BALL):
            angles = _angles(axes, q[:, -4:], it.name)
        else:
            angles = q
        places = np.repeat([it.offset], len(trajectory), axis=0)
        sliders = [axis for axis in range(3) if i and slider_name(it.name, axis) in figure.link_names]
        if kind is JointKind.FREE:
            places = (q[:, :3] / bvh.scale)[:, back]
        elif it.positions:
            ours = np.repeat([figure.link(it.name).joint.parent_frame.position], len(trajectory), axis=0)
            if sliders:
                ours = ours + _slider_zero(figure, it.name, sliders)
            for axis in sliders:
                ours[:, [axis]] += trajectory.q[:, figure.q_slice(slider_name(it.name, axis))]
            places = (ours / bvh.scale)[:, back]
        if bvh.position_channels is PositionChannels.ADD:
            places = places - it.offset
        turn = 0
        for k, channel in enumerate(it.channels, bvh.starts[i]):
            if channel.turns:
                values[:, k] = np.degrees(angles[:, turn])
                turn += 1
            else:
                values[:, k] = places[:, channel.axis]
    return replace(bvh, values=values, frame_time=even_step(trajectory, bvh.frame_time))


def even_step(trajectory: Trajectory, alone: float) -> float:
    """The time step of even times [s]; `alone` for a single frame."""
    steps = np.diff(trajectory.time)
    if not len(steps):
        return alone
    mean = float(steps.mean())
    if np.abs(steps - mean).max() > EVEN * mean:
        raise ArgumentError(
            f"trajectory: BVH has even frames, but its steps are {steps.min():g} to {steps.max():g} s: "
            "give frame_time, or use hitogata.figure.resampled first"
        )
    return mean


def _slider_zero(figure: Figure, name: str, sliders: list[int]) -> FloatArray:
    """Where a joint is in its parent with all its sliders at zero [m]."""
    return np.array(figure.link(slider_name(name, sliders[0])).joint.parent_frame.position)


def _angles(axes: list[int], quats: FloatArray, name: str) -> FloatArray:
    """Angles of a file's channels for an orientation; where there are fewer than three, the others must be zero."""
    if len(axes) <= 3 and all(a != b for a, b in pairwise(axes)):
        every = axes + [axis for axis in range(3) if axis not in axes][: 3 - len(axes)]
        angles = angles_of_quats(every, quats)
        if np.abs(angles[:, len(axes) :]).max(initial=0.0) < 1e-6:
            return angles[:, : len(axes)]
    raise FigureError(f"joint {name!r}: its {len(axes)} rotation channels cannot hold the orientations of this motion")
