"""An active ragdoll: a human in a world that stands, follows motions, gives way, falls, lies and gets up by its motors.

At every tick torques are found by inverse dynamics of the whole body with contact (`whole_body`), and given to the
world as pushes on the joints, beside implicit springs and dampers that are at rest where it moves as wanted (computed
torque; stable PD, Tan et al. 2011).  What the root would need and contacts cannot give, a root motor gives, up to its
limits: none while it balances, some while it follows a motion, more while it gets up (`RagdollSettings`).
"""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.control.balance import Balance, BalanceSettings
from hitogata.control.poses import protecting, standing
from hitogata.control.recovery import rising
from hitogata.control.reference import RATE, Moment, Reference, Transition, placed, turned, yaw_of
from hitogata.control.strength import moments, torque_limits
from hitogata.control.whole_body import Body, Standing, led
from hitogata.dynamics import difference
from hitogata.figure import Figure, State, Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets
from hitogata.sim import World
from hitogata.sim.arguments import number
from hitogata.sim.layout import Motor
from hitogata.sim.members import bodies_of_v

JOINTS = slice(6, None)
STIFFNESS, DAMPING, LIMIT = (record_offsets(Motor)[name] for name in ("stiffness", "damping", "limit"))


class Mode(enum.Enum):
    """What a ragdoll is doing."""

    ANIMATED = "animated"
    FOLLOWING = "following"
    BALANCING = "balancing"
    FALLING = "falling"
    LYING = "lying"
    RISING = "rising"


@dataclass(frozen=True, kw_only=True)
class RagdollSettings:
    """Numbers of a ragdoll.

    Attributes:
        stiffness: springs of joints that follow a motion, per greatest torque [1/rad].
        damps: their dampers, per stiffness [s].
        follow_root: gains of the root [1/s²], [1/s].
        near: feet of a motion lower than this stand [m].
        assist: greatest force and torque of the root motor while it follows [N], [N m].
        lift: the same while it gets up.
        damping: of the joints' implicit dampers in balance, per moment that they turn [1/s].
        helps: after getting up, the root motor helps to stand for so long, fading [s].
        soft: frequency of the springs of a falling body [1/s].
        yields: joints next to a link that is hit by this lose their strength [N s].
        recovers: and get it back within this [s].
        lost: a root that is so far from its motion has lost it [m].
        tilt: a root that leans so much more than its motion falls [rad].
        low: a standing root that is lower than this share of its height falls.
        drift: within this time the motion is moved to where the root is [s].
        rocks: after this time of falling it goes limp, though it still rocks [s].
        rest: so long it lies before it gets up [s]; infinite: it stays.
        balance: of standing.
    """

    stiffness: float = 1.2
    damps: float = 0.15
    near: float = 0.06
    follow_root: tuple[float, float] = (120.0, 22.0)
    assist: tuple[float, float] = (500.0, 300.0)
    lift: tuple[float, float] = (800.0, 250.0)
    damping: float = 12.0
    helps: float = 1.5
    soft: float = 1.2
    yields: float = 15.0
    recovers: float = 0.5
    lost: float = 0.5
    tilt: float = 0.9
    low: float = 0.7
    drift: float = 1.0
    rocks: float = 3.0
    rest: float = 1.0
    balance: BalanceSettings = field(default_factory=BalanceSettings)


class Ragdoll:
    """A human in a world.

    Args:
        world: where.
        figure: a human with a free root and feet named foot_left and foot_right (with boxes as soles).
        at: where it stands, see `World.add`.
        facing: where it looks [rad].
        strength: of all its joints, as a share of a strong young man's.
        settings: numbers.

    Attributes:
        member: the figure in the world.
        mode: what it is doing.
        assist: what the root motor gave in the last tick, torque and force [N m], [N], shape (6,).

    Example:
        >>> from hitogata.control import Ragdoll
        >>> from hitogata.library import virtual_human
        >>> from hitogata.sim import World
        >>> world = World()
        >>> world.add_ground()
        >>> person = Ragdoll(world, virtual_human(), at=(1.0, 0.0), facing=1.5)
        >>> for _ in range(240):
        ...     person.update(1 / 120)
        ...     world.step(1 / 120)
        >>> person.mode
        <Mode.BALANCING: 'balancing'>
    """

    def __init__(
        self, world: World, figure: Figure, *, at: Any = None, facing: float | None = None, strength: float = 1.0,
        settings: RagdollSettings | None = None,
    ) -> None:  # fmt: skip
        self.world, self.figure, self.settings = world, figure, settings or RagdollSettings()
        self._body = Body(figure, ("foot_left", "foot_right"))
        self._posture = standing(figure)
        self.member = world.add(figure, State(self._posture, np.zeros(figure.nv)), at=at, facing=facing)
        self._limits = torque_limits(figure) * number(strength, "strength", positive=True)
        self._moments = moments(figure, self._posture)
        self._parts, self._power = np.ones(figure.nv), np.ones(figure.nv)
        self._driven = np.array([k for k, body in enumerate(bodies_of_v(figure)) if body >= 0])
        self._bodies = np.array([body for body in bodies_of_v(figure) if body >= 0])
        self.assist: FloatArray = np.zeros(6)
        self._help = 0.0
        self._reference: Reference | None = None
        self._transition: Transition | None = None
        self._time = self._turn = self._still = self._fallen = 0.0
        self._move = np.zeros(2)
        self.mode = Mode.BALANCING
        self.stand()

    # ------------------------------------------------------- what it is told

    def stand(self) -> None:
        """Stand where it is, and keep its balance."""
        posture = self._posture.copy()
        self._balance = Balance(self._body, posture, self.settings.balance)
        self._reference, self.mode = None, Mode.BALANCING

    def follow(
        self, motion: Trajectory, *, start: float = 0.0, loop: bool = False, blend: float = 0.4, here: bool = True
    ) -> None:
        """Follow a motion from where it is now.

        Args:
            motion: of this figure.
            start: time in the motion at which it begins [s].
            loop: whether it goes on from the beginning, moved on, when it ends.
            blend: time in which it comes to the motion [s].
            here: whether the motion is moved and turned to where the figure stands.
        """
        self._begin(motion, start, loop, blend, here)
        self.mode = Mode.FOLLOWING

    def animate(
        self, motion: Trajectory, *, start: float = 0.0, loop: bool = False, blend: float = 0.4, here: bool = True
    ) -> None:
        """Be moved along a motion, whatever happens, from where it is now; see `follow`.

        It pushes others, and contacts do not stop it.  `follow`, `stand` and `fall` give it back to physics as it
        moves.
        """
        self._begin(motion, start, loop, blend, here)
        self.mode = Mode.ANIMATED

    def _begin(self, motion: Trajectory, start: float, loop: bool, blend: float, here: bool) -> None:
        reference = Reference(self.figure, motion, loop=loop)
        time = number(start, "start")
        q, v, moment = self.member.q, self.member.v, reference.at(time)
        turn, move = 0.0, np.zeros(2)
        if here:
            turn = yaw_of(q) - yaw_of(moment.q)
            move = q[:2] - turned(moment.q[:2], turn)
        self._reference, self._time, self._turn, self._move = reference, time, turn, move
        self._soles = self._body.sole_heights(reference.q)
        goal = placed(moment, turn, move)
        self._transition = Transition(self.figure, (q, v), (goal.q, goal.v), number(blend, "blend", positive=True))

    def fall(self) -> None:
        """Give way, and protect itself."""
        self.mode, self._still, self._fallen, self._reference = Mode.FALLING, 0.0, 0.0, None

    def get_up(self) -> None:
        """Get up from where it lies."""
        motion = rising(self.figure, self.member.q, self._posture)
        self._begin(motion, 0.0, False, 0.3, False)
        self.mode = Mode.RISING

    def set_strength(self, factor: float, joints: Iterable[str] | None = None) -> None:
        """How strong and stiff some joints are, as a share: 0 is limp; None: all."""
        value = number(factor, "factor")
        chosen = self.figure.joint_names[1:] if joints is None else [joints] if isinstance(joints, str) else joints
        for name in chosen:
            self._parts[self.figure.v_slice(name)] = value

    # ------------------------------------------------------- a tick

    def update(self, h: float) -> None:
        """Before a step of h [s] of the world: what its motors do."""
        q, v = self.member.q, self.member.v
        self._note_hits(h)
        self.assist = np.zeros(6)
        if self.mode is Mode.ANIMATED:
            self._be_moved(h)
        elif self.mode is Mode.BALANCING:
            self._keep_balance(q, v, h)
        elif self.mode in (Mode.FALLING, Mode.LYING):
            self._lie(q, v, h)
        else:
            self._go_along(q, v, h)

    def _note_hits(self, h: float) -> None:
        """Joints next to a link that was hit lose their strength for a while; feet are used to it."""
        s = self.settings
        self._power += (1.0 - self._power) * min(h / s.recovers, 1.0)
        if self.mode not in (Mode.FOLLOWING, Mode.BALANCING):
            return
        impulse = h * np.linalg.norm(self.member.contact_forces(), axis=1)
        impulse[self._body.foot_links] = 0.0
        for k in np.flatnonzero(impulse > 0.2 * s.yields):
            share = min(max(1.2 - impulse[k] / s.yields, 0.15), 1.0)
            for link in (int(k), self.figure.parents[k]):
                if link > 0:
                    part = self.figure.v_slice(self.figure.link_names[link])
                    self._power[part] = np.minimum(self._power[part], share)

    def _moment(self, h: float) -> Moment:
        """The motion at the end of the tick."""
        assert self._reference is not None
        self._time += h
        moment = placed(self._reference.at(self._time), self._turn, self._move)
        if self._transition is not None:
            self._transition.time += h
            moment = self._transition.apply(moment)
            if self._transition.over:
                self._transition = None
        return moment

    def _be_moved(self, h: float) -> None:
        moment = self._moment(0.0)
        self.member.state = State(self.figure.normalised(moment.q), moment.v)
        self._give(np.zeros(self.figure.nv), moment.v, np.zeros(self.figure.nv))
        self._moment(h)

    def _keep_balance(self, q: FloatArray, v: FloatArray, h: float) -> None:
        wanted = self._balance.wanted(q, v, h)
        if self._help > 0.0:
            self._help = max(self._help - h / self.settings.helps, 0.0)
            self._steady(q, v)
        self._act(wanted.tau, v + h * wanted.vdot)
        up = 1 - 2 * (q[4] ** 2 + q[5] ** 2)
        height = q[2] - self._balance._floor()
        if up < np.cos(self.settings.tilt) or height < self.settings.low * self._posture[2]:
            self.fall()

    def _steady(self, q: FloatArray, v: FloatArray) -> None:
        """The root motor helps to stand upright, above the feet."""
        body, (force, torque) = self._body, self.settings.lift
        lean = np.cross(body.poses.rotation[0][:, 2], [0.0, 0.0, 1.0])
        middle = np.mean([corner[:, :2].mean(0) for corner in body.corners], axis=0)
        pull = body.mass * (15.0 * (middle - body.com[:2]) - 6.0 * body.com_rate[:2])
        wanted = np.concatenate([300.0 * lean - 40.0 * v[:3], pull, [0.0]])
        limit = self._help * np.array([torque] * 3 + [0.5 * force] * 3)
        self.assist = np.clip(wanted, -limit, limit)

    def _go_along(self, q: FloatArray, v: FloatArray, h: float) -> None:
        s, body, rising_up = self.settings, self._body, self.mode is Mode.RISING
        moment = self._moment(h)
        body.look(q, v)
        off, lag = difference(self.figure, q, moment.q), moment.v - v
        vdot = np.clip(moment.vdot, -300.0, 300.0)
        vdot[:6] += np.clip(s.follow_root[0] * off[:6] + s.follow_root[1] * lag[:6], -100.0, 100.0)
        limits = s.lift if rising_up else s.assist
        vdot, tau, motor = led(body, vdot, self._touching(), s.balance.friction, limits)
        self.assist = np.asarray(motor)
        self._act(tau, moment.v, moment.q)
        if not rising_up:
            away = np.linalg.norm(off[3:6])
            self._move += (q[:2] - moment.q[:2]) * min(h / s.drift, 1.0)
            if away > s.lost or np.linalg.norm(off[:3]) > s.tilt:
                self.fall()
        elif self._reference is not None and self._time >= self._reference.length:
            upright = 1 - 2 * (q[4] ** 2 + q[5] ** 2) > np.cos(0.6 * s.tilt)
            self.stand() if upright and q[2] > 0.8 * self._posture[2] else self.fall()
            self._help = 1.0

    def _touching(self) -> list[Standing]:
        """Feet that press on something, with the corners that the motion has near the floor now.

        Not those that happen to touch: a foot that lands on its toes would be told to stand on them.
        """
        pressed, reference = np.abs(self.member.contact_forces()).sum(axis=1), self._reference
        assert reference is not None
        time = self._time % reference.length if reference.loop else min(self._time, reference.length)
        low = self._soles[min(int(time * RATE), len(self._soles) - 1)] < self.settings.near
        found = [(k, np.flatnonzero(low[k])) for k, link in enumerate(self._body.foot_links)
                 if pressed[link] > 1.0 and low[k].any()]  # fmt: skip
        flat = [(k, corners) for k, corners in found if len(corners) == 4]
        return flat or found

    def _lie(self, q: FloatArray, v: FloatArray, h: float) -> None:
        s = self.settings
        omega = 2 * np.pi * s.soft
        if self.mode is Mode.FALLING:
            yaw = yaw_of(q)
            way = turned(v[3:5], -yaw) + 1e-9
            lean = turned(np.array(_up_axis(q)), -yaw)
            toward = 0.5 * way / max(float(np.linalg.norm(way)), 0.5) + lean
            size = max(float(np.linalg.norm(toward)), 1e-9)
            goal = protecting(self.figure, *(toward / size))
            off = difference(self.figure, q, goal)
            tau = self._moments * omega**2 * off * self._parts
            tau = np.clip(tau, -0.5 * self._limits, 0.5 * self._limits)
        else:
            tau = np.zeros_like(v)
        tau[:6] = 0.0
        self._give(tau, np.zeros_like(v), 1.4 * omega * self._parts * np.minimum(self._moments, 2.0))
        slow = np.abs(v[3:6]).max() < 0.15 and np.abs(v[:3]).max() < 0.5
        self._still = self._still + h if slow else 0.0
        self._fallen = self._fallen + h if self.mode is Mode.FALLING else 0.0
        rocking = self._fallen > s.rocks and np.abs(v[:6]).max() < 2.0
        if self.mode is Mode.FALLING and (self._still > 0.3 or rocking):
            self.mode, self._still = Mode.LYING, 0.0
        elif self.mode is Mode.LYING and self._still > s.rest:
            self.get_up()

    # ------------------------------------------------------- what the world gets

    def _act(self, tau: FloatArray, rate: FloatArray, target: FloatArray | None = None) -> None:
        """Torques, and implicit springs and dampers that are at rest where joints move as wanted."""
        share = self._parts * self._power
        limits = self._limits * self._parts * np.maximum(self._power, 0.3)
        given = np.clip(tau, -limits, limits)
        given[:6] = self.assist
        if target is None:
            self._give(given, rate, share * self.settings.damping * np.minimum(self._moments, 2.0))
        else:
            stiffness = share * self.settings.stiffness * self._limits
            self._give(given, rate, self.settings.damps * stiffness, stiffness, target)

    def _give(
        self, push: FloatArray, rate: FloatArray, damping: FloatArray, stiffness: FloatArray | None = None,
        target: FloatArray | None = None,
    ) -> None:  # fmt: skip
        controls = self.member._arrays.controls_of(self.member)
        controls.push[:] = push
        controls.rate[JOINTS] = rate[JOINTS]
        if target is not None:
            controls.target[:] = target
        motor = controls.motor
        motor[self._bodies, DAMPING] = damping[self._driven]
        motor[self._bodies, STIFFNESS] = 0.0 if stiffness is None else stiffness[self._driven]
        motor[self._bodies, LIMIT] = self._limits[self._driven]


def _up_axis(q: FloatArray) -> tuple[float, float]:
    """Where the root's own up leans across, (x, y)."""
    w, x, y, z = q[3:7]
    return 2 * (x * z + w * y), 2 * (y * z - w * x)
