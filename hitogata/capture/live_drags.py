"""Tracked points lead a puppet, live: markers and 6-DOF trackers on a person, links of a figure of other proportions.

A person takes the pose that the puppet has (`calibrate`).  Then the person's space is laid upon the figure's by

    x' = s R_z(ψ) x + (t_x, t_y, 0)

with size s, turn ψ about the vertical and shift of least squares, so that a floor stays a floor; each point is attached
to its link where it is at that moment, or, if the link's point is given, keeps its offset to it (in the tracker's own
axes if it has a turn).  From there on every frame moves the targets; the puppet keeps its ranges, whatever is asked.
Points that are lost keep their targets for a moment, then let go little by little, and take hold again as they come
back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind
from hitogata.figure.values import FloatArray, not_negative, positive
from hitogata.motion.puppet import Handle, Hold, Priority, Puppet, PuppetSettings
from hitogata.motion.reach import ease_limbs
from hitogata.spatial import matrix_to_quat, quat_to_matrix

Array = FloatArray

SIZES = (0.2, 5.0)
"""Of the figure beside the person; beyond, units are doubted."""

FASTEST = 12.0
"""Targets are approached at most so fast [m/s], [rad/s]: a jump of a tracker does not tear at the figure."""

BENT, AMISS = 0.06, 0.001
"""Hinges are bent so far from the ends of their ranges [rad], while something is farther from its target [m]."""

STAY = 0.5
"""Joints that nothing leads return to where they were at the calibration in about this time [s]."""

LIVE = PuppetSettings(damping=1e-5, error_damping=0.01, ramp=1e-3)
"""Settings of puppets that are led by people: a walk is followed to 0.1 mm, and a hand out of reach does not shake."""

TURN, SLIDE = 30.0, 10.0
"""Fastest motion of joints [rad/s] and of the root [m/s]: people are faster than a mouse."""

ITERATIONS = 4
"""Of the puppet in a frame."""


@dataclass(frozen=True)
class Tracked:
    """What a tracked point leads.

    Attributes:
        frame: name of the link, or of a frame on it.
        hold: its position (a marker, a tracker), its orientation, or both (a tracker).
        point: of the frame [m] that is led; None: where the tracked point is when it is calibrated.
        weight: against others of its level.
        priority: its level; FIRST: others give way.
    """

    frame: str
    hold: Hold = Hold.POSITION
    point: tuple[float, float, float] | None = None
    weight: float = 1.0
    priority: Priority = Priority.FIRST


@dataclass(eq=False)
class _Led:
    """A point that is attached."""

    name: str
    tracked: Tracked
    handle: Handle
    offset: Array  # from the tracked point to the link's, in the world or in the tracker's axes [m]
    turn: Array  # from the tracker's axes to the link's, shape (3, 3)
    lost: float = 0.0
    share: float = 1.0
    weight: float = 1.0
    on: bool = True


class LiveDrags:
    """Tracked points that lead a puppet.

    Example:
        >>> from hitogata.library import virtual_human
        >>> drags = LiveDrags(virtual_human(), {"wrist": Tracked("hand_left"), "hip": Tracked("pelvis")})
        >>> drags.calibrate({"wrist": (0.1, 0.3, 0.7), "hip": (0.1, 0.0, 0.9)})
        ()
        >>> q = drags.step(1 / 60, {"wrist": (0.12, 0.3, 0.72), "hip": (0.1, 0.0, 0.9)})

    Attributes:
        puppet: that is led; pin, weigh and balance it as any other.
        size: of the figure beside the person, after `calibrate`.
    """

    def __init__(
        self, figure: Figure | Puppet, tracked: Mapping[str, Tracked], *, patience: float = 0.1, fade: float = 0.3
    ) -> None:
        """Points without a calibration yet.

        Args:
            figure: a figure, begun in its neutral pose, or a puppet of one character.
            tracked: what each point leads, by its name.
            patience: a point that is lost keeps its target for so long [s].
            fade: in which it then lets go, and takes hold again [s].
        """
        self.puppet = figure if isinstance(figure, Puppet) else Puppet(figure, settings=LIVE)
        if self.puppet.count != 1:
            raise ArgumentError(f"live drags lead one character, the puppet has {self.puppet.count}")
        if not tracked:
            raise ArgumentError("tracked: one point at least")
        for name, each in tracked.items():
            if not isinstance(each, Tracked):
                raise ArgumentError(f"tracked[{name!r}]: a Tracked expected, got {each!r}")
            self.puppet.figure.frame(each.frame)
        self.puppet.set_speed_limit(turn=TURN, slide=SLIDE)
        self.tracked = dict(tracked)
        self.patience = not_negative(patience, "patience")
        self.fade = positive(fade, "fade", error=ArgumentError)
        self.size, self._turn, self._shift = 1.0, np.eye(3), np.zeros(3)
        self._led: dict[str, _Led] = {}
        self._hinges = list(_bends(self.puppet.figure))
        self._rest = self.puppet.q

    # ------------------------------------------------------- calibration

    def calibrate(
        self, places: Mapping[str, Any], turns: Mapping[str, Any] | None = None, *, size: float | None = None
    ) -> tuple[str, ...]:
        """The person stands in the pose that the puppet has now; points are attached.

        Args:
            places: of the tracked points in the person's world, z up from the floor [m]; NaN: not seen.
            turns: of 6-DOF trackers, quaternions wxyz.
            size: of the figure beside the person; None: found, from two points or more.

        Returns:
            What looks wrong, in sentences; points that are not seen cannot be attached and are among it.
        """
        known = {n: p for n in self.tracked if (p := _place(places, n)) is not None}
        turned = {n: R for n in known if (R := _turned(turns, n)) is not None}
        for name, each in self.tracked.items():
            if name in known and each.hold is not Hold.POSITION and name not in turned:
                raise ArgumentError(f"{name!r} leads an orientation ({each.hold.value}), but has no turn")
        if not known:
            raise ArgumentError("calibrate: none of the tracked points is seen")
        figure, poses = self.puppet.figure, forward_kinematics(self.puppet.figure, self.puppet.q)
        problems = [f"{name}: not seen, so it leads nothing" for name in self.tracked if name not in known]
        frames = {n: figure.frame(self.tracked[n].frame) for n in known}
        there = {n: poses.rotation[k] @ self._in_link(n) + poses.position[k] for n, (k, _) in frames.items()}
        self._lay(known, there, size)
        low, high = SIZES
        if not low < self.size < high:
            problems.append(f"the figure is {self.size:.3g} times as large as the person: another unit of length?")
        self._release()
        for name, (k, pose) in frames.items():
            each, R_link = self.tracked[name], poses.rotation[k]
            mapped = self.size * self._turn @ known[name] + self._shift
            offset = np.zeros(3)
            if each.point is None:
                local = R_link.T @ (mapped - poses.position[k])
                point = np.asarray(pose.rotation).T @ (local - np.asarray(pose.position))
            else:
                point, offset = np.array(each.point, float), there[name] - mapped
            R = self._turn @ turned[name] if name in turned else np.eye(3)
            turn = R.T @ R_link @ np.asarray(pose.rotation)
            handle = self.puppet.drag(
                each.frame, hold=each.hold, point=point, weight=each.weight, priority=each.priority, speed=FASTEST,
                turn_speed=FASTEST,
            )  # fmt: skip
            self._led[name] = _Led(name, each, handle, R.T @ offset, turn, weight=each.weight)
        ease_limbs(self.puppet, [self.tracked[n].frame for n in known])
        self._rest = self.puppet.q
        self.puppet.set_posture(self._rest, time=STAY)
        return tuple(problems)

    def _unlock(self) -> None:
        """Bend hinges a little that stand at the end of their ranges while something is not reached.

        A limb that is stretched altogether does not know which way it can shorten: to first order its hinge does not
        change its length.
        """
        figure, q = self.puppet.figure, self.puppet.q
        before = q.copy()
        for at, low, high in self._hinges:
            q[at] = min(max(q[at], low), high)
        if (q != before).any():
            self.puppet.place(q)
            self.puppet.set_posture(self._rest, time=STAY, joints=figure.joint_names[1:])

    def _in_link(self, name: str) -> Array:
        """The point that is led, or the frame's origin, in the link's axes [m]."""
        _, pose = self.puppet.figure.frame(self.tracked[name].frame)
        point = self.tracked[name].point
        at = np.zeros(3) if point is None else np.array(point, float)
        placed: Array = np.asarray(pose.rotation) @ at + np.asarray(pose.position)
        return placed

    def _lay(self, known: Mapping[str, Array], there: Mapping[str, Array], size: float | None) -> None:
        """Size, turn and shift of least squares.

        In the plane of the floor, with both sets about their means, as complex numbers a and b: the turn is the
        argument of Σ ā b; s = (|Σ ā b| + Σ z z') / (Σ |a|² + Σ z²), heights from the floor.
        """
        x, y = np.array([known[n] for n in known]), np.array([there[n] for n in known])
        middle, other = x.mean(axis=0), y.mean(axis=0)
        a, b = x - middle, y - other
        plane = complex((a[:, :2] * b[:, :2]).sum(), (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())
        angle = np.angle(plane) if abs(plane) > 1e-9 else 0.0
        if size is None:
            below = float((a[:, :2] ** 2).sum() + (x[:, 2] ** 2).sum())
            above = abs(plane) + float((x[:, 2] * y[:, 2]).sum())
            size = above / below if len(x) > 1 and below > 1e-9 and above > 0 else 1.0
        self.size = positive(size, "size", error=ArgumentError)
        cos, sin = np.cos(angle), np.sin(angle)
        self._turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
        self._shift = other - self.size * self._turn @ middle
        self._shift[2] = 0.0

    def _release(self) -> None:
        for led in self._led.values():
            self.puppet.release(led.handle)
        self._led = {}

    # ------------------------------------------------------- frames

    def step(self, dt: float, places: Mapping[str, Any], turns: Mapping[str, Any] | None = None) -> Array:
        """Move on by one frame.

        Args:
            dt: since the frame before [s].
            places: of the tracked points [m]; those that are missing or NaN are lost.
            turns: of 6-DOF trackers, quaternions wxyz.

        Returns:
            Coordinates of the figure, shape (nq,).
        """
        if not self._led:
            raise ArgumentError("calibrate first: no point is attached")
        positive(dt, "dt", error=ArgumentError)
        for led in self._led.values():
            place, R = _place(places, led.name), _turned(turns, led.name)
            if place is None or (led.tracked.hold is not Hold.POSITION and R is None):
                led.lost += dt
            else:
                led.lost = 0.0
                self._lead(led, place, R)
            self._fade(led, dt)
        if any(place > AMISS for place, _ in self.residuals().values()):
            self._unlock()
        self.puppet.step(dt, iterations=ITERATIONS)
        return self.puppet.q

    def _lead(self, led: _Led, place: Array, R: Array | None) -> None:
        turned = np.eye(3) if R is None else self._turn @ R
        position = self.size * self._turn @ place + self._shift + turned @ led.offset
        hold = led.tracked.hold
        orientation = None if hold is Hold.POSITION else matrix_to_quat(turned @ led.turn)
        self.puppet.set_target(
            led.handle, position=None if hold is Hold.ORIENTATION else position, orientation=orientation
        )

    def _fade(self, led: _Led, dt: float) -> None:
        wanted = 1.0 if led.on and led.lost <= self.patience else 0.0
        change = float(np.clip(wanted - led.share, -dt / self.fade, dt / self.fade))
        if change:
            led.share += change
            self.puppet.set_weight(led.handle, led.weight * led.share)

    # ------------------------------------------------------- changes while it runs

    @property
    def q(self) -> Array:
        """Coordinates of the figure, shape (nq,)."""
        return self.puppet.q

    @property
    def lost(self) -> tuple[str, ...]:
        """Names of points that do not lead now: not attached, or not seen for longer than `patience`."""
        led = self._led
        return tuple(n for n in self.tracked if n not in led or led[n].lost > self.patience)

    def residuals(self) -> dict[str, tuple[float, float]]:
        """How far each link is from its target [m], [rad]: what ranges and proportions do not allow."""
        found = {name: self.puppet.residual(led.handle) for name, led in self._led.items()}
        return {name: (float(r.position), float(r.angle)) for name, r in found.items()}

    def switch(self, name: str, on: bool) -> None:
        """Let a point lead, or not; it takes hold and lets go little by little."""
        self._of(name).on = bool(on)

    def set_weight(self, name: str, weight: float) -> None:
        """Another weight of a point, 0 or more."""
        led = self._of(name)
        led.weight = not_negative(weight, "weight")
        self.puppet.set_weight(led.handle, led.weight * led.share)

    def _of(self, name: str) -> _Led:
        if name not in self._led:
            raise ArgumentError(f"no point {name!r} is attached; there are {', '.join(self._led) or 'none'}")
        return self._led[name]


def _bends(figure: Figure) -> Iterator[tuple[int, float, float]]:
    """Hinges with two ends: where their coordinate is, and between which values they are not stretched."""
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        span = link.joint.range
        if link.joint.kind is JointKind.HINGE and isinstance(span, tuple):
            off = min(BENT, (span[1] - span[0]) / 2)
            yield at, span[0] + off, span[1] - off


def _place(places: Mapping[str, Any], name: str) -> Array | None:
    """A place that is seen, or None."""
    if name not in places:
        return None
    place = np.asarray(places[name], dtype=np.float64)
    if place.shape != (3,):
        raise ArgumentError(f"place of {name!r}: shape (3,) expected, got {place.shape}")
    return place if np.isfinite(place).all() else None


def _turned(turns: Mapping[str, Any] | None, name: str) -> Array | None:
    """A turn that is seen, as a matrix, or None."""
    if turns is None or name not in turns:
        return None
    quat = np.asarray(turns[name], dtype=np.float64)
    if quat.shape != (4,):
        raise ArgumentError(f"turn of {name!r}: a quaternion wxyz of shape (4,) expected, got {quat.shape}")
    size = float(np.linalg.norm(quat))
    if not np.isfinite(quat).all() or size < 1e-6:
        return None
    matrix: Array = np.asarray(quat_to_matrix(quat / size))
    return matrix
