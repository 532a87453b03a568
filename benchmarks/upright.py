"""human28 on its feet, held by springs in its joints: in hitogata, with explicit torques, and in MuJoCo.

All three are used the same way: `begin` puts the figure on its feet, `run` moves on and tells what pelvis and joints
did, `push` pulls at the chest, `weight` is what the ground carries.
"""

from dataclasses import dataclass
from functools import cache
from typing import Protocol

import mujoco
import numpy as np

from benchmarks.swinging import INTEGRATORS
from hitogata.dynamics import difference
from hitogata.errors import HitogataError
from hitogata.figure import Figure, Link, MassProperties, State, joint
from hitogata.files import write_mjcf
from hitogata.library import human28
from hitogata.sim import Settings, World

FRICTION = 0.8
FALLEN, FLYING, WILD = 0.7, 1.5, 200.0
"""A pelvis lower than this has fallen [m]; higher [m], or a joint that turns faster [rad/s]: neither weight nor springs
could do that."""


@dataclass(frozen=True)
class Stand:
    """Height of the pelvis [m] and largest turning of a joint [rad/s] after each step, as long as they are numbers."""

    height: np.ndarray
    turning: np.ndarray
    whole: bool

    @property
    def diverges(self) -> bool:
        return not self.whole or bool(self.height.max() > FLYING or self.turning.max() > WILD)

    @property
    def stands(self) -> bool:
        return not self.diverges and bool(self.height[-1] > FALLEN)


class Stander(Protocol):
    """A figure on its feet."""

    figure: Figure

    def begin(self, k: float, d: float, h: float, *, disturbed: bool) -> None:
        """At rest in the neutral pose, or with joints disturbed by 0.05 rad/s; K [N m/rad], D [N m s/rad], h [s]."""

    def run(self, seconds: float) -> Stand: ...

    def push(self, force: float) -> None:
        """Forward force on the middle of the chest until changed [N]."""

    def weight(self) -> float:
        """What the ground carries, upwards [N]."""


@cache
def loaded(kilograms: float) -> Figure:
    """human28 with a ball (radius 16 cm) of so many kilograms fixed to each grip."""
    figure = human28()
    ball = MassProperties.principal(kilograms, (0, 0, 0), (0.4 * 0.16**2 * kilograms,) * 3)
    loads = []
    for side in ("left", "right"):
        grip = figure.link(f"forearm_{side}").frames[0].pose
        loads.append(Link(f"load_{side}", f"forearm_{side}", joint.fixed(parent_frame=grip), ball))
    return Figure.from_links(f"human28, {kilograms:g} kg in each hand", [*figure.links, *loads])


def disturbance(figure: Figure, disturbed: bool) -> np.ndarray:
    """Velocities at the beginning; they are the same in MuJoCo, as all frames are parallel then."""
    noise = np.random.default_rng(1).normal(size=figure.nv - 6)
    return np.concatenate([np.zeros(6), 0.05 * disturbed * noise])


class OurStander:
    """In a hitogata world."""

    def __init__(self, settings: Settings | None = None, figure: Figure | None = None) -> None:
        self.figure, self.world = figure or human28(), World(settings=settings)
        self.world.add_ground(friction=FRICTION)
        self.human = self.world.add(self.figure, friction=FRICTION)
        self._rest = self.world.save()

    def begin(self, k: float, d: float, h: float, *, disturbed: bool = True) -> None:
        self.world.restore(self._rest)
        self.k, self.d, self.h = k, d, h
        self._set_springs()
        self.human.state = State(self.human.q, disturbance(self.figure, disturbed))

    def _set_springs(self) -> None:
        self.human.set_motor(self.k, self.d)

    def _before_step(self) -> None: ...

    def run(self, seconds: float) -> Stand:
        heights, turnings = [], []
        for _ in range(round(seconds / self.h)):
            try:
                self._before_step()
                self.world.step(self.h)
            except HitogataError:
                return Stand(np.array(heights), np.array(turnings), False)
            heights.append(self.human.q[2])
            turnings.append(np.abs(self.human.v[6:]).max())
            if turnings[-1] > WILD:
                break
        return Stand(np.array(heights), np.array(turnings), True)

    def push(self, force: float) -> None:
        self.human.pull("chest", (force, 0.0, 0.0), at=(0.0, 0.0, 0.2))

    def weight(self) -> float:
        return float(sum(contact.force[2] for contact in self.world.contacts()))


class ExplicitStander(OurStander):
    """The same world, but torques of springs and dampers are computed from the state before the step."""

    def _set_springs(self) -> None:
        self.human.set_motor(0.0, 0.0)
        self._neutral = self.figure.neutral()

    def _before_step(self) -> None:
        torque = -self.k * difference(self.figure, self._neutral, self.human.q) - self.d * self.human.v
        torque[:6] = 0.0
        self.human.push(torque)


class MujocoStander:
    """In MuJoCo.

    Args:
        integrator: one of `INTEGRATORS`.
        elliptic: friction cones instead of pyramids.
        time_constant: solref of all contacts [s].
        impratio: of friction to normal impedance.
        refsafe: contacts no stiffer than the step can resolve.
        servos: springs are position actuators with kp, kv; otherwise stiffness and damping of the joints.
        figure: human28 unless given.
    """

    def __init__(
        self, integrator: str, *, elliptic: bool = True, time_constant: float = 0.02, impratio: float = 1.0,
        refsafe: bool = True, servos: bool = False, figure: Figure | None = None,
    ) -> None:  # fmt: skip
        assert integrator in INTEGRATORS
        self.figure, self.servos = figure or human28(), servos
        self.model = model = mujoco.MjModel.from_xml_string(_mjcf(self.figure, servos))
        self.data = mujoco.MjData(model)
        model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC if elliptic else mujoco.mjtCone.mjCONE_PYRAMIDAL
        model.opt.impratio = impratio
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # what diverges shall be seen
        if not refsafe:
            model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
        model.geom_friction[:, 0], model.geom_solref[:, 0] = FRICTION, time_constant

    def begin(self, k: float, d: float, h: float, *, disturbed: bool = True) -> None:
        model = self.model
        model.opt.timestep = h
        if self.servos:
            model.actuator_gainprm[:, 0], model.actuator_biasprm[:, 1], model.actuator_biasprm[:, 2] = k, -k, -d
        else:
            model.jnt_stiffness[1:], model.dof_damping[6:] = k, d
        mujoco.mj_resetData(model, self.data)
        self.data.qvel[:] = disturbance(self.figure, disturbed)

    def run(self, seconds: float) -> Stand:
        heights, turnings = [], []
        for _ in range(round(seconds / self.model.opt.timestep)):
            mujoco.mj_step(self.model, self.data)
            height, turning = self.data.qpos[2], np.abs(self.data.qvel[6:]).max()
            if not (np.isfinite(height) and np.isfinite(turning)):
                return Stand(np.array(heights), np.array(turnings), False)
            heights.append(height)
            turnings.append(turning)
            if turning > WILD:
                break
        return Stand(np.array(heights), np.array(turnings), True)

    def push(self, force: float) -> None:
        self.data.xfrc_applied[self.model.body("chest").id, 0] = force

    def weight(self) -> float:
        mujoco.mj_forward(self.model, self.data)
        total, force = 0.0, np.zeros(6)
        for k, contact in enumerate(self.data.contact):
            mujoco.mj_contactForce(self.model, self.data, k, force)
            total += float(contact.frame.reshape(3, 3)[:, 2] @ force[:3])
        return total


@cache
def _mjcf(figure: Figure, servos: bool) -> str:
    text = write_mjcf(figure).replace("<worldbody>", '<worldbody><geom type="plane" size="10 10 .1"/>')
    if not servos:
        return text
    lines = []
    for link in figure.links[1:]:
        axes = {"ball": ("1 0 0", "0 1 0", "0 0 1"), "hinge": ("1",), "fixed": ()}[link.joint.kind.value]
        lines += [f'<position joint="{link.joint.name}" gear="{axis}" kp="1" kv="1"/>' for axis in axes]
    return text.replace("</mujoco>", f"<actuator>{''.join(lines)}</actuator></mujoco>")
