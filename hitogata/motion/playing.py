"""Drags over a motion that plays: feet stay where they are in the motion, a hand goes elsewhere.

What is dragged and pinned is a change on top of the motion, q ⊞ δ, so that every pass can be kept as a layer, weakened,
put on top of others, or taken back (Yamane & Nakamura 2003).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics, frame_position
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.rates import changes
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.motion.easing import ease
from hitogata.motion.footing import named_feet
from hitogata.motion.inputs import check_motion, positive, weights
from hitogata.motion.layering import Layer, layer_between
from hitogata.motion.puppet import Handle, Hold, Puppet, checking
from hitogata.motion.tangents import moved, with_unbroken_quats
from hitogata.spatial import matrix_to_quat, quat_multiply

LIGHT = 0.02
"""Joints that carry less than this share of the mass, a forearm and its hand, move as readily as those that do."""


@dataclass(frozen=True, eq=False)
class Played:
    """A motion with drags on top.

    Attributes:
        trajectory: the motion.
        layer: what was changed; `add_layer` puts it on top of the motion again.
        missed: distance of drags and pins from where they should be, at most, in each sample [m], shape (nt,).
    """

    trajectory: Trajectory
    layer: Layer
    missed: FloatArray


def drag_along(
    figure: Figure,
    motion: Trajectory,
    paths: Mapping[str, ArrayLike],
    *,
    weight: ArrayLike = 1.0,
    pins: Iterable[str] | None = None,
) -> Played:
    """Lead some links along paths while the motion plays; pinned links stay where the motion has them.

    Every sample is solved for itself, starting from the pose of the motion: what is not dragged stays as near to it as
    it can, and if paths and weights are smooth, so is the result.  Channels are dropped, velocities computed anew.

    Args:
        figure: the figure.
        motion: its motion.
        paths: targets of each dragged link or frame in the world [m], shape (nt, 3) or (3,).
        weight: from 0 to 1: how far from its place in the motion towards its path a link is led; one number, or one for
            each sample.
        pins: links or frames whose poses are held as they are in the motion; None: the feet, by names.
    """
    check_motion(figure, motion, what="motion")
    share = weights(weight, len(motion))[:, None]
    puppet = Puppet(figure, motion.q)
    ease_by_mass(puppet)
    for frame in _pins(figure, pins):
        puppet.pin(frame, hold=Hold.POSE)
    for frame, path in paths.items():
        target = floats(path, f"paths: {frame!r}")
        if target.shape not in ((3,), (len(motion), 3)) or not np.isfinite(target).all():
            raise ArgumentError(f"paths: {frame!r} needs finite places, shape ({len(motion)}, 3), got {target.shape}")
        own = frame_position(figure, motion.q, frame)
        puppet.drag(frame, position=own + share * (target - own))
    found = puppet.solve()
    q = with_unbroken_quats(figure, np.atleast_2d(puppet.q))
    result = replace(motion, q=q, v=velocities_of(figure, motion.time, q), channels={})
    return Played(result, layer_between(figure, motion, result), np.atleast_1d(found.position))


class Player:
    """Plays a motion, sample by sample, while links are dragged.

    Pinned links stay where the motion has them.  When nothing is dragged any more, the change dies away.

    Args:
        figure: the figure.
        motion: its motion.
        pins: links or frames whose poses are held as they are in the motion; None: the feet, by names.
        settle: time in which a change dies away after a release, and in which the rest of the body comes back towards
            the motion during a drag [s].
        iterations: of the solver in each sample, at most.

    Example:
        >>> player = Player(figure, walk)                           # doctest: +SKIP
        >>> hand = player.drag("grip_right")
        >>> while not player.done:
        ...     player.set_target(hand, position=pointer.where())
        ...     draw(player.advance())
        >>> pass_one = player.layer()
    """

    def __init__(
        self,
        figure: Figure,
        motion: Trajectory,
        *,
        pins: Iterable[str] | None = None,
        settle: float = 0.4,
        iterations: int = 30,
    ) -> None:
        check_motion(figure, motion, least=2, what="motion")
        self.figure, self.motion, self.index = figure, motion, 0
        self.settle, self.iterations = positive(settle, "settle"), checking.count("iterations", iterations)
        self._puppet = Puppet(figure, motion.q[0])
        ease_by_mass(self._puppet)
        names = _pins(figure, pins)
        self._pins = [(self._puppet.pin(name, hold=Hold.POSE), *frame_poses(figure, motion.q, name)) for name in names]
        self._drags: list[Handle] = []
        self._released = (float("-inf"), np.zeros(figure.nv))
        self._changes = np.zeros((len(motion), figure.nv))
        self.missed = np.zeros(len(motion))

    @property
    def time(self) -> float:
        """Of the present sample [s]."""
        return float(self.motion.time[self.index])

    @property
    def done(self) -> bool:
        """Whether the last sample was reached."""
        return self.index == len(self.motion) - 1

    @property
    def q(self) -> FloatArray:
        """Coordinates now, shape (nq,)."""
        return self._puppet.q

    def drag(self, frame: str, **options: Any) -> Handle:
        """Take hold of a link or frame where it is; options are those of `Puppet.drag`."""
        handle = self._puppet.drag(frame, **options)
        self._drags.append(handle)
        return handle

    def set_target(self, handle: Handle, *, position: Any = None, orientation: Any = None) -> None:
        """Where a drag should lead to."""
        self._puppet.set_target(handle, position=position, orientation=orientation)

    def release(self, handle: Handle) -> None:
        """Let go of a drag."""
        if handle not in self._drags:
            raise ArgumentError(f"handle: the {handle} is none of this player's drags")
        self._puppet.release(handle)
        self._drags.remove(handle)
        if not self._drags:
            self._released = self.time, self._changes[self.index].copy()

    def advance(self) -> FloatArray:
        """Go on by one sample; the coordinates there, shape (nq,)."""
        if self.done:
            raise ArgumentError("the motion is at its end; rewind() begins again")
        before, self.index = self.index, self.index + 1
        k, step = self.index, float(self.motion.time[self.index] - self.motion.time[before])
        if self._drags:
            start = self._changes[before] * np.exp(-step / self.settle)
        else:
            start = self._released[1] * (1 - float(ease(np.array((self.time - self._released[0]) / self.settle))))
        self._puppet.place(moved(self.figure, self.motion.q[k : k + 1], start[None])[0])
        for pin, places, quats in self._pins:
            self._puppet.set_target(pin, position=places[k], orientation=quats[k])
        if self._drags or start.any():
            self.missed[k] = self._puppet.solve(self.iterations).position
            start = changes(self.figure, self.motion.q[k], self._puppet.q)
        self._changes[k] = start
        return self.q

    def rewind(self) -> None:
        """Begin again; what was changed before stays recorded until it is played over."""
        self.seek(0)

    def seek(self, index: int) -> FloatArray:
        """Go to a sample, as it was last played; the coordinates there, shape (nq,).

        What was changed stays recorded until it is played over.
        """
        if not 0 <= index < len(self.motion):
            raise ArgumentError(f"index: a sample of the motion, 0 to {len(self.motion) - 1}, expected, got {index}")
        self.index, self._released = int(index), (float("-inf"), np.zeros(self.figure.nv))
        at = slice(self.index, self.index + 1)
        self._puppet.place(moved(self.figure, self.motion.q[at], self._changes[at])[0])
        return self.q

    def layer(self) -> Layer:
        """All that was changed so far, as a layer on the motion."""
        return Layer(self.motion.time, self._changes.copy())

    def trajectory(self) -> Trajectory:
        """The motion with all that was changed so far; velocities computed anew, channels dropped."""
        q = moved(self.figure, self.motion.q, self._changes)
        return replace(self.motion, q=q, v=velocities_of(self.figure, self.motion.time, q), channels={})


def ease_by_mass(puppet: Puppet) -> None:
    """Let joints move the more readily the less mass hangs on them, as a body does: the arm before the trunk."""
    figure = puppet.figure
    carried = [link.mass.mass for link in figure.links]
    for i in reversed(range(1, figure.nlinks)):
        carried[figure.parents[i]] += carried[i]
    for name, mass in zip(figure.joint_names, carried, strict=True):
        puppet.set_mobility(min(LIGHT * figure.mass / mass, 1.0), [name])


def frame_poses(figure: Figure, q: FloatArray, frame: str) -> tuple[FloatArray, FloatArray]:
    """Places [m], shape (n, 3), and orientations, shape (n, 4), of a link or frame in the world."""
    i, pose = figure.frame(frame)
    poses = forward_kinematics(figure, q)
    places = poses.position[:, i] + poses.rotation[:, i] @ np.array(pose.position)
    return places, np.asarray(quat_multiply(matrix_to_quat(poses.rotation[:, i]), pose.quat), np.float64)


def _pins(figure: Figure, pins: Iterable[str] | None) -> list[str]:
    """Names of what is pinned."""
    if isinstance(pins, str):
        raise ArgumentError(f"pins: expected a list of names, got the string {pins!r}")
    return [links[0] for links in named_feet(figure).values()] if pins is None else list(pins)
