"""Muscle-driven worlds beside MuJoCo's MyoFullBody: processor time of a step, one core.  Needs musclemimic-models.

Both begin standing with excitations of 0.05, and fall; steps are timed while they begin to fall, and where they lie.
"""

import time
from pathlib import Path

import numpy as np

from hitogata.muscle import MuscleDrive, musculoskeletal
from hitogata.sim import Settings, World, WorldBatch

H, STEPS, RUNS, WORLDS = 1 / 240, 48, 7, 32
PHASES = {"standing": 0.0, "lying": 3.0}
"""Seconds after which steps are timed."""
PLAIN = Settings(keep_energy=False, slow_taut=False)
"""As MuJoCo's integrators: no energy is kept."""


def main() -> None:
    """Print microseconds for a step, and simulated seconds for a second."""
    theirs = mujoco_steps()
    for phase, (cost, step) in theirs.items():
        print(f"MuJoCo, MyoFullBody, {phase:<9} {cost:7.1f} us a step, {step / cost * 1e6:6.2f} times real time")
    body = musculoskeletal(plain_knees=True)
    for settings, kind in ((None, "as it is"), (PLAIN, "no energy kept")):
        world = World() if settings is None else World(settings=settings)
        world.add_ground()
        human = world.add(body.body)
        report(f"one world, {kind}", steps(body, world, human), theirs)
        for dtype in (np.float64, np.float32):
            fresh = World() if settings is None else World(settings=settings)
            fresh.add_ground()
            human = fresh.add(body.body)
            batch = WorldBatch(fresh, WORLDS, dtype=dtype)
            name = f"{WORLDS} side by side, {dtype.__name__}, {kind}"
            report(name, steps(body, batch, batch.member(human), WORLDS), theirs)


def report(name, ours, theirs):
    """A line for each phase."""
    for phase, cost in ours.items():
        ratio = theirs[phase][0] / cost
        print(
            f"{name}, {phase}: {cost:7.1f} us a step, {H / cost * 1e6:6.2f} times real time, "
            f"{ratio:.2f} of MuJoCo's steps per second"
        )


def steps(body, world, member, worlds=1):
    """Microseconds for a step of one world, by phase."""
    drive, u, done, found = MuscleDrive(body, member, damping=0.5), np.full(366, 0.05), 0.0, {}

    def go():
        drive.act(u, H)
        world.step(H)

    for phase, at in PHASES.items():
        while done < at:
            go()
            done += H
        kept, activation = world.save(), drive.activation.copy()

        def back(kept=kept, activation=activation):
            world.restore(kept)
            drive.activation = activation

        found[phase] = timed(go, back) / worlds
    return found


def mujoco_steps():
    """Microseconds for a step of their model and its length, by phase."""
    import mujoco
    import musclemimic_models

    path = Path(musclemimic_models.__file__).parent / "model/body/myofullbody.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    data, found = mujoco.MjData(model), {}
    data.ctrl[:] = 0.05
    for phase, at in PHASES.items():
        while data.time < at:
            mujoco.mj_step(model, data)
        state = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION))
        mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)

        def back(state=state):
            mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)

        found[phase] = timed(lambda: mujoco.mj_step(model, data), back), model.opt.timestep
    return found


def timed(step, back):
    """Least mean of some runs from one state, processor time [us]."""
    step()
    least = np.inf
    for _ in range(RUNS):
        back()
        start = time.process_time()
        for _ in range(STEPS):
            step()
        least = min(least, (time.process_time() - start) / STEPS)
    return 1e6 * least


if __name__ == "__main__":
    main()
