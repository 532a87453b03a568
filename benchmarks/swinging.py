"""The pendulum of Tazaki & Hasegawa (2007), swung by hitogata, by explicit torques, by MuJoCo, and by hand.

1 kg on 0.5 m, a spring and a damper in its hinge, let go at 90 degrees.  Every way of swinging it takes (K [N m/rad],
D [N m s/rad], h [s], steps) and gives a `Swing`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import mujoco
import mujoco.rollout
import numpy as np

from hitogata.dynamics import forward_dynamics
from hitogata.figure import Plane, Pose, State
from hitogata.files import write_mjcf
from hitogata.library import pendulum
from hitogata.sim import Settings, World, WorldError

mujoco.set_mju_user_warning(lambda message: None)  # what diverges is shown in tables, not logged

START, MASS, LENGTH, RADIUS, GRAVITY = math.pi / 2, 1.0, 0.5, 0.02, 9.81
MOMENT = 0.4 * MASS * RADIUS**2  # those of `library.pendulum`, written once more for peers
INERTIA = MOMENT + MASS * LENGTH**2
"""About the hinge [kg m²]."""

FLOOR = -0.4
"""Height of the frictionless floor of the swings with contact, the hinge at 0 [m]."""

TOUCHING = math.acos((-FLOOR - RADIUS) / LENGTH)
"""The angle at which the ball touches that floor [rad]."""


@dataclass(frozen=True)
class Swing:
    """Angles [rad] and rates [rad/s] at the start and after each step; it ends early where numbers end."""

    angle: np.ndarray
    rate: np.ndarray
    whole: bool = True

    @classmethod
    def of(cls, angle: np.ndarray, rate: np.ndarray) -> "Swing":
        good = np.isfinite(angle) & np.isfinite(rate) & (np.abs(angle) < 1e12) & (np.abs(rate) < 1e15)
        end = len(good) if good.all() else int(np.argmin(good))
        return cls(angle[:end], rate[:end], end == len(good))


Way = Callable[[float, float, float, int], Swing]


def energy(swing: Swing, stiffness: float) -> np.ndarray:
    """Kinetic energy, and that of weight and spring above their lowest [J]."""
    lift = MASS * GRAVITY * LENGTH * (1 - np.cos(swing.angle))
    return 0.5 * INERTIA * swing.rate**2 + lift + 0.5 * stiffness * swing.angle**2


# ------------------------------------------------------- hitogata


class Swinger:
    """The world of one pendulum, used again and again."""

    def __init__(self, settings: Settings | None = None, *, floor: bool = False) -> None:
        self.world = World(settings=settings)
        if floor:
            self.world.add_ground(Plane(pose=Pose((0.0, 0.0, FLOOR))), friction=0.0)
        self.bob = self.world.add(pendulum(), State(np.array([START]), np.zeros(1)), friction=0.0)
        self.bob.set_target(np.array([TOUCHING if floor else 0.0]))
        self.begin = self.world.save()

    def __call__(self, k: float, d: float, h: float, steps: int) -> Swing:
        self.world.restore(self.begin)
        self.bob.set_motor(k, d)
        angle, rate = np.full(steps + 1, np.nan), np.full(steps + 1, np.nan)
        for i in range(steps + 1):
            angle[i], rate[i] = self.bob.q[0], self.bob.v[0]
            try:
                self.world.step(h)
            except WorldError:
                break
        return Swing.of(angle, rate)


# ------------------------------------------------------- others


def explicit(k: float, d: float, h: float, steps: int) -> Swing:
    """Torques from the state before the step, semi-implicit Euler: what Tazaki & Hasegawa compare with."""
    figure, q, v = pendulum(), np.array([START]), np.zeros(1)
    angle, rate = np.full(steps + 1, np.nan), np.full(steps + 1, np.nan)
    for i in range(steps + 1):
        angle[i], rate[i] = q[0], v[0]
        if not abs(q[0]) < 1e12:
            break
        v = v + h * forward_dynamics(figure, q, v, -k * q - d * v)
        q = q + h * v
    return Swing.of(angle, rate)


INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4", "discrete")


@cache
def _mujoco_pendulum(floor: bool) -> tuple[mujoco.MjModel, mujoco.MjData]:
    text = write_mjcf(pendulum())
    if floor:
        text = text.replace("<worldbody>", f'<worldbody><geom type="plane" size="9 9 1" pos="0 0 {FLOOR}"/>')
    model = mujoco.MjModel.from_xml_string(text)
    model.geom_condim[:] = 1  # no friction
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # what diverges shall be seen
    return model, mujoco.MjData(model)


def by_mujoco(integrator: str, *, floor: bool = False) -> Way:
    """MuJoCo with one of its integrators; K and D are stiffness and damping of the joint."""
    number = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")

    def swing(k: float, d: float, h: float, steps: int) -> Swing:
        model, data = _mujoco_pendulum(floor)
        model.opt.integrator, model.opt.timestep = number, h
        model.jnt_stiffness[:], model.dof_damping[:] = k, d
        model.qpos_spring[:] = TOUCHING if floor else 0.0
        mujoco.mj_resetData(model, data)
        start = np.array([0.0, START, 0.0])
        state = mujoco.rollout.rollout(model, data, start[None], nstep=steps)[0][0]
        return Swing.of(np.append(START, state[:, 1]), np.append(0.0, state[:, 2]))

    return swing


def pull(k: float, d: float, q: float, v: float) -> float:
    """The equation of motion in closed form: the acceleration of the angle [rad/s²]."""
    return -(k * q + d * v + MASS * GRAVITY * LENGTH * math.sin(q)) / INERTIA


def by_hand(k: float, d: float, h: float, steps: int) -> Swing:
    """Classical Runge-Kutta on the closed-form equation, without any of our code."""
    q, v = START, 0.0
    angle, rate = np.empty(steps + 1), np.empty(steps + 1)
    for i in range(steps + 1):
        angle[i], rate[i] = q, v
        a1 = pull(k, d, q, v)
        v2 = v + h / 2 * a1
        a2 = pull(k, d, q + h / 2 * v, v2)
        v3 = v + h / 2 * a2
        a3 = pull(k, d, q + h / 2 * v2, v3)
        v4 = v + h * a3
        a4 = pull(k, d, q + h * v3, v4)
        q += h / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return Swing.of(angle, rate)
