"""gymnasium's Humanoid in the air, for 0.2 s: how far hitogata and MuJoCo are from each other, and from fine steps.

    python -m benchmarks humanoid

Begins in the file's pose, at 3 m, and falls; or random controls are held for 15 ms each.  Limits of joints act.
The reference is MuJoCo (`implicitfast`) with steps of 0.03 ms.  Largest difference of a joint [rad], worst
of five seeds.
"""

import os
import warnings

import gymnasium
import mujoco
import numpy as np

from benchmarks.timing import table
from hitogata.errors import FileContentWarning
from hitogata.figure import State
from hitogata.files import read_mjcf_model
from hitogata.sim import Actuators, World

PATH = os.path.join(os.path.dirname(gymnasium.__file__), "envs/mujoco/assets/humanoid.xml")
SPAN, HELD, FRAME, FINE = 0.198, 0.015, 0.003, 3e-5
STEPS, SEEDS = (3e-3, 1e-3, 3e-4), range(5)
EULER, RK4, FAST = (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4,
                    mujoco.mjtIntegrator.mjINT_IMPLICITFAST)  # fmt: skip


class Theirs:
    """In MuJoCo."""

    def __init__(self, h: float, integrator: int = FAST) -> None:
        self.model = mujoco.MjModel.from_xml_path(PATH)
        self.model.opt.timestep, self.model.opt.integrator = h, integrator
        self.data = mujoco.MjData(self.model)
        self.data.qpos[2] = 3.0

    def control(self, u: np.ndarray) -> None:
        self.data.ctrl[:] = u

    def step(self) -> None:
        mujoco.mj_step(self.model, self.data)

    @property
    def joints(self) -> np.ndarray:
        return self.data.qpos[7:].copy()


class Ours:
    """Here."""

    def __init__(self, h: float) -> None:
        self.h, model = h, read_mjcf_model(PATH)
        self.world = World(gravity=model.gravity)
        q = Theirs(h).data.qpos.copy()
        self.human = self.world.add(model.figure, State(q, np.zeros(len(q) - 1)), ignored=model.ignored)
        self.actuators = Actuators(self.human, model)

    def control(self, u: np.ndarray) -> None:
        self.actuators.control(u)

    def step(self) -> None:
        self.world.step(self.h)

    @property
    def joints(self) -> np.ndarray:
        return self.human.q[7:].copy()


def run(scene: Ours | Theirs, h: float, seed: int | None) -> np.ndarray:
    """Joints after every 3 ms, shape (66, 17); seed: of random controls, None: none."""
    rng, found, per = np.random.default_rng(seed), [], round(FRAME / h)
    for k in range(round(SPAN / h)):
        if seed is not None and k % round(HELD / h) == 0:
            scene.control(rng.uniform(-0.4, 0.4, 17))
        scene.step()
        if (k + 1) % per == 0:
            found.append(scene.joints)
    return np.array(found)


def main() -> None:
    warnings.simplefilter("ignore", FileContentWarning)
    seeds: list[int | None] = [None, *SEEDS]
    fine = {seed: run(Theirs(FINE), FINE, seed) for seed in seeds}
    rows = []
    for h in STEPS:
        ours, theirs = ({seed: run(make(h), h, seed) for seed in seeds} for make in (Ours, Theirs))
        euler, rk4 = ({seed: run(Theirs(h, i), h, seed) for seed in seeds} for i in (EULER, RK4))
        for what, chosen in (("falls", seeds[:1]), ("random controls", seeds[1:])):
            beside = (ours, theirs), (ours, fine), (theirs, fine), (euler, fine), (rk4, fine)
            cells = [max(np.abs(a[s] - b[s]).max() for s in chosen) for a, b in beside]
            rows.append([f"{what}, h = {1e3 * h:g} ms", *(f"{x:.1e}" for x in cells)])
    table("Largest difference of a joint in 0.2 s [rad]",
          ["", "ours - MuJoCo", "ours - fine", "implicitfast - fine", "Euler - fine", "RK4 - fine"], rows)  # fmt: skip


if __name__ == "__main__":
    main()
