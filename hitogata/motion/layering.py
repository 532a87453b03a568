"""Layers: changes on top of a motion, kept apart from it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.motion.easing import ease
from hitogata.motion.inputs import SLACK, check_motion, check_same_figure, finite, weights
from hitogata.motion.sampling import sample
from hitogata.motion.tangents import moved, steady_changes


@dataclass(frozen=True, eq=False)
class Layer:
    """Changes of poses over time, of the joints that it moves; zero for all others.

    Attributes:
        time: [s], shape (nt,), strictly rising.
        changes: shape (nt, nv), like v [rad], [m]: a ball joint's turn is a rotation vector in its parent's axes, the
            root's in those of the world.
    """

    time: FloatArray
    changes: FloatArray

    def __post_init__(self) -> None:
        time, changes = floats(self.time, "layer: time"), floats(self.changes, "layer: changes")
        if time.ndim != 1 or not len(time) or not np.isfinite(time).all() or not (np.diff(time) > 0).all():
            raise ArgumentError("layer: time must be finite and strictly rising, shape (nt,)")
        if changes.ndim != 2 or len(changes) != len(time) or not np.isfinite(changes).all():
            raise ArgumentError(f"layer: changes must be finite, of shape ({len(time)}, nv), got {changes.shape}")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "changes", changes)

    def at(self, moments: FloatArray) -> FloatArray:
        """Changes at some times, shape (n, nv), without corners; zero before the layer begins and after it ends."""
        from scipy.interpolate import PchipInterpolator

        inside = (moments >= self.time[0] - SLACK) & (moments <= self.time[-1] + SLACK)
        result = np.zeros((len(moments), self.changes.shape[1]))
        if len(self.time) == 1:
            result[inside] = self.changes[0]
        elif inside.any():
            result[inside] = PchipInterpolator(self.time, self.changes)(np.clip(moments[inside], *self.time[[0, -1]]))
        return result


def layer_between(
    figure: Figure, base: Trajectory, edited: Trajectory, *, joints: Iterable[str] | None = None
) -> Layer:
    """What was changed from one motion to another at the same times: `add_layer` with weight 1 gives the other again.

    Args:
        figure: the figure.
        base: a motion.
        edited: the same motion after some edit; it lasts as long or longer.
        joints: names of joints or links; None: all.
    """
    check_motion(figure, base, what="base")
    check_motion(figure, edited, what="edited")
    check_same_figure(base, edited)
    same = base.time.shape == edited.time.shape and np.abs(base.time - edited.time).max() < SLACK
    other = edited if same else sample(figure, edited, base.time)
    return Layer(base.time, steady_changes(figure, base.q, other.q) * _chosen(figure, joints))


def layer_over(
    figure: Figure, motion: Trajectory, pose: ArrayLike | None = None, *, joints: Iterable[str] | None = None
) -> Layer:
    """What a motion does beyond one pose: a wave of the hand, to be put on top of a walk.

    Args:
        figure: the figure.
        motion: a motion.
        pose: coordinates, shape (nq,); None: its own first pose.
        joints: names of joints or links; None: all but the root.
    """
    check_motion(figure, motion, what="motion")
    start = figure.normalised(motion.q[0] if pose is None else pose)
    if start.shape != (figure.nq,):
        raise ArgumentError(f"pose: expected shape ({figure.nq},), got {start.shape}")
    names = figure.joint_names[1:] if joints is None else joints
    whole = steady_changes(figure, np.repeat(start[None], len(motion), axis=0), motion.q)
    return Layer(motion.time, whole * _chosen(figure, names))


def add_layer(
    figure: Figure,
    base: Trajectory,
    layer: Layer,
    weight: ArrayLike = 1.0,
    *,
    joints: Iterable[str] | None = None,
    start: float | None = None,
    fade: float = 0.0,
) -> Trajectory:
    """A motion with a layer on top: q ⊞ weight · change.

    Channels are dropped, velocities computed anew.

    Args:
        figure: the figure.
        base: its motion.
        layer: what is added; it acts during its own time.
        weight: from 0 to 1: one number, or one for each sample of the base.
        joints: only these of the layer, by names of joints or links; None: all.
        start: time of the base at which the layer begins [s]; None: its own.
        fade: time over which it comes in after its beginning, and goes out before its end [s].
    """
    check_motion(figure, base, what="base")
    if layer.changes.shape[1] != figure.nv:
        raise ArgumentError(f"layer: it has {layer.changes.shape[1]} columns, figure {figure.name!r} needs {figure.nv}")
    share = weights(weight, len(base))
    if start is not None:
        layer = replace(layer, time=layer.time - layer.time[0] + finite(start, "start"))
    slow = finite(fade, "fade")
    if slow < 0:
        raise ArgumentError(f"fade: must not be negative, got {slow:g} s")
    if layer.time[-1] < base.time[0] - SLACK or layer.time[0] > base.time[-1] + SLACK:
        raise ArgumentError(
            f"layer: it goes from {layer.time[0]:g} to {layer.time[-1]:g} s, the motion from {base.time[0]:g} to "
            f"{base.time[-1]:g} s: give start= to move it there"
        )
    if slow > 0:
        edge = np.minimum(base.time - layer.time[0], layer.time[-1] - base.time)
        share = share * ease(edge / slow)
    q = moved(figure, base.q, share[:, None] * layer.at(base.time) * _chosen(figure, joints))
    return replace(base, q=q, v=velocities_of(figure, base.time, q), channels={})


def _chosen(figure: Figure, joints: Iterable[str] | None) -> FloatArray:
    """1 for the velocities of some joints, 0 for all others, shape (nv,)."""
    if joints is None:
        return np.ones(figure.nv)
    if isinstance(joints, str):
        raise ArgumentError(f"joints: expected a list of names, got the string {joints!r}")
    mask = np.zeros(figure.nv)
    for name in joints:
        mask[figure.v_slice(name)] = 1.0
    return mask
