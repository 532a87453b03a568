"""Drags over a motion that plays: feet stay where they are in the motion, a hand goes elsewhere.

What is dragged and pinned is a change on top of the motion, q ⊞ δ, so that every pass can be kept as a layer, weakened,
put on top of others, or taken back (Yamane & Nakamura 2003).  Limbs move first, trunk and root for what these cannot do
(`reach`).
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
from hitogata.motion.foot_contacts import named_feet
from hitogata.motion.inputs import check_motion, positive, weights
from hitogata.motion.layering import Layer, layer_between
from hitogata.motion.puppet import Handle, Hold, Puppet, PuppetSettings, arguments
from hitogata.motion.reach import AT_ONCE, GLIDING, ITERATIONS, bent, ease_limbs, far_off, follow, settle
from hitogata.motion.tangents import moved, with_unbroken_quats
from hitogata.spatial import matrix_to_quat, quat_multiply

CALM, LIVELY, FAST = 5.0, 17.0, 3.0
"""Changes of joints that are faster than this [rad/s], and than this times the way a link is led [rad/m], are jumps;
unless a path jumps itself, being faster than that [m/s]."""


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
    mobility: Mapping[str, float] | None = None,
) -> Played:
    """Lead some links along paths while the motion plays; pinned links stay where the motion has them.

    Every sample is solved for itself: it gets the pose nearest to that of the motion, limbs first (`reach`).  Where two
    such poses in a row are far apart although the paths are smooth (an arm that could go round on either side, a place
    out of all reach), the samples after it are led there from the one before, frame by frame.  Channels are dropped,
    velocities computed anew.

    Args:
        figure: the figure.
        motion: its motion.
        paths: targets of each dragged link or frame in the world [m], shape (nt, 3) or (3,).
        weight: from 0 to 1: how far from its place in the motion towards its path a link is led; one number, or one for
            each sample.
        pins: links or frames whose poses are held as they are in the motion; None: the feet, by names.
        mobility: how readily some joints move (1: as a forearm; 0: not at all), by name; None: limbs before the trunk.
    """
    check_motion(figure, motion, what="motion")
    share, held = weights(weight, len(motion))[:, None], _pins(figure, pins)
    led, start = {}, motion.q.copy()
    locked = [name for name, value in (mobility or {}).items() if value == 0]
    for frame, path in paths.items():
        target = floats(path, f"paths: {frame!r}")
        if target.shape not in ((3,), (len(motion), 3)) or not np.isfinite(target).all():
            raise ArgumentError(f"paths: {frame!r} needs finite places, shape ({len(motion)}, 3), got {target.shape}")
        own = frame_position(figure, motion.q, frame)
        led[frame] = own + share * (target - own)
        far = far_off(own, led[frame])
        start[far] = bent(figure, start[far], frame, locked)
    puppet = _puppet(figure, motion.q, AT_ONCE, paths, mobility)
    for frame in held:
        puppet.pin(frame, hold=Hold.POSE)
    for frame, target in led.items():
        puppet.drag(frame, position=target)
    q = _without_jumps(figure, motion, settle(puppet, motion.q, start), led, held, mobility)
    q = with_unbroken_quats(figure, q)
    result = replace(motion, q=q, v=velocities_of(figure, motion.time, q), channels={})
    goals = list(led.items())
    goals += [(frame, frame_position(figure, motion.q, frame)) for frame in held]
    off = [np.linalg.norm(frame_position(figure, q, frame) - goal, axis=1) for frame, goal in goals]
    return Played(result, layer_between(figure, motion, result), np.max(off, axis=0, initial=0.0))


def _puppet(
    figure: Figure, q: FloatArray, settings: PuppetSettings, dragged: Iterable[str],
    mobility: Mapping[str, float] | None,
) -> Puppet:  # fmt: skip
    """A puppet that reaches naturally."""
    puppet = Puppet(figure, q, settings=settings)
    _ease(puppet, dragged, mobility)
    return puppet


def _ease(puppet: Puppet, dragged: Iterable[str], mobility: Mapping[str, float] | None) -> None:
    ease_limbs(puppet, dragged)
    for name, value in (mobility or {}).items():
        puppet.set_mobility(value, [name])


def _without_jumps(
    figure: Figure, motion: Trajectory, q: FloatArray, led: Mapping[str, FloatArray], pins: list[str],
    mobility: Mapping[str, float] | None,
) -> FloatArray:  # fmt: skip
    """The same poses, shape (nt, nq); where their changes jump, frames that lead from one to the next."""
    steps = np.diff(motion.time)
    own = {frame: frame_position(figure, motion.q, frame) for frame in led}
    ways = [np.linalg.norm(np.diff(target - own[frame], axis=0), axis=1) for frame, target in led.items()]
    way = np.max(ways, axis=0, initial=0.0)
    smooth, most = way <= FAST * steps, np.maximum(CALM * steps, LIVELY * way)
    change = changes(figure, motion.q, q)
    turning = np.ones(figure.nv, bool)
    if figure.links[0].joint.floating:
        turning[3:6] = False

    def jump(k: int, before: FloatArray) -> bool:
        """Whether sample k is far from the one before, with the change that this had."""
        there = moved(figure, motion.q[k : k + 1], before[None])[0]
        return bool(np.abs(changes(figure, there, q[k])[turning]).max(initial=0.0) > most[k - 1])

    suspects = np.flatnonzero(smooth & (np.abs(np.diff(change, axis=0))[:, turning] > most[:, None]).any(1))
    if not len(suspects):
        return q
    puppet = _puppet(figure, motion.q[0], AT_ONCE, led, mobility)
    held = [(puppet.pin(frame, hold=Hold.POSE), *frame_poses(figure, motion.q, frame)) for frame in pins]
    drags = [(puppet.drag(frame), target) for frame, target in led.items()]
    q = q.copy()
    for k in range(int(suspects[0]) + 1, len(q)):
        if smooth[k - 1] and jump(k, change[k - 1]):
            puppet.place(moved(figure, motion.q[k : k + 1], change[k - 1 : k])[0])
            for pin, places, quats in held:
                puppet.set_target(pin, position=places[k], orientation=quats[k])
            for drag, target in drags:
                puppet.set_target(drag, position=target[k])
            puppet.set_speed_limit(turn=float(most[k - 1] / steps[k - 1]))
            follow(puppet, motion.q[k], float(steps[k - 1]))
            q[k] = puppet.q
            change[k] = changes(figure, motion.q[k], q[k])
    return q


class Player:
    """Plays a motion, sample by sample, while links are dragged.

    Pinned links stay where the motion has them.  When nothing is dragged any more, the change dies away.

    Args:
        figure: the figure.
        motion: its motion.
        pins: links or frames whose poses are held as they are in the motion; None: the feet, by names.
        settle: time in which a change dies away after a release [s].
        iterations: of the solver in each sample.
        mobility: how readily some joints move (1: as a forearm; 0: not at all), by name; None: limbs before the trunk.

    Example:
        >>> import numpy as np
        >>> from hitogata.figure import Trajectory
        >>> from hitogata.library import human28
        >>> from hitogata.motion import Player
        >>> human = human28()
        >>> still = Trajectory(np.arange(10) / 30, np.tile(human.neutral(), (10, 1)), np.zeros((10, human.nv)))
        >>> player = Player(human, still)
        >>> hand = player.drag("grip_right")
        >>> while not player.done:
        ...     player.set_target(hand, position=(0.3, -0.3, 1.0))          # a pointer's place, say
        ...     q = player.advance()                                        # to be drawn
        >>> change = player.layer()
    """

    def __init__(
        self,
        figure: Figure,
        motion: Trajectory,
        *,
        pins: Iterable[str] | None = None,
        settle: float = 0.4,
        iterations: int = ITERATIONS,
        mobility: Mapping[str, float] | None = None,
    ) -> None:
        check_motion(figure, motion, least=2, what="motion")
        self.figure, self.motion, self.index = figure, motion, 0
        self.settle, self.iterations = positive(settle, "settle"), arguments.count("iterations", iterations)
        self._mobility = dict(mobility or {})
        self._puppet = _puppet(figure, motion.q[0], replace(GLIDING, ramp=1e-3), (), self._mobility)
        names = _pins(figure, pins)
        self._pins = [(self._puppet.pin(name, hold=Hold.POSE), *frame_poses(figure, motion.q, name)) for name in names]
        self._drags: list[Handle] = []
        self._led: dict[Handle, tuple[FloatArray, FloatArray]] = {}
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
        point = np.zeros(3) if options.get("point") is None else np.asarray(options["point"], float)
        here = self._place(frame, point)
        self._led[handle] = point, np.asarray(options.get("position", here), float)
        _ease(self._puppet, [drag.frame for drag in self._drags], self._mobility)
        return handle

    def set_target(self, handle: Handle, *, position: Any = None, orientation: Any = None) -> None:
        """Where a drag should lead to."""
        self._puppet.set_target(handle, position=position, orientation=orientation)
        if position is not None and handle in self._led:
            self._led[handle] = self._led[handle][0], np.asarray(position, float)

    def release(self, handle: Handle) -> None:
        """Let go of a drag."""
        if handle not in self._drags:
            raise ArgumentError(f"handle: the {handle} is none of this player's drags")
        self._puppet.release(handle)
        self._drags.remove(handle)
        del self._led[handle]
        if not self._drags:
            self._released = self.time, self._changes[self.index].copy()

    def advance(self) -> FloatArray:
        """Go on by one sample; the coordinates there, shape (nq,)."""
        if self.done:
            raise ArgumentError("the motion is at its end; rewind() begins again")
        before, self.index = self.index, self.index + 1
        k, step = self.index, float(self.motion.time[self.index] - self.motion.time[before])
        if self._drags:
            start = self._changes[before]
        else:
            start = self._released[1] * (1 - float(ease(np.array((self.time - self._released[0]) / self.settle))))
        self._puppet.place(moved(self.figure, self.motion.q[k : k + 1], start[None])[0])
        for pin, places, quats in self._pins:
            self._puppet.set_target(pin, position=places[k], orientation=quats[k])
        if self._drags:
            way = max(np.linalg.norm(goal - self._place(h.frame, point)) for h, (point, goal) in self._led.items())
            self._puppet.set_speed_limit(turn=max(CALM, LIVELY * float(way) / step))
            self.missed[k] = follow(self._puppet, self.motion.q[k], step, iterations=self.iterations)
        elif start.any():
            self._puppet.set_posture(time=np.inf, joints=self.figure.joint_names)
            self.missed[k] = self._puppet.solve(self.iterations).position
        if self._drags or start.any():
            start = changes(self.figure, self.motion.q[k], self._puppet.q)
        self._changes[k] = start
        return self.q

    def _place(self, frame: str, point: FloatArray) -> FloatArray:
        """Where a point of a frame is now [m]."""
        i, pose = self.figure.frame(frame)
        matrix = forward_kinematics(self.figure, self._puppet.q).matrices[i]
        return np.asarray(matrix[:, :3] @ pose.apply(point) + matrix[:, 3], np.float64)

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
