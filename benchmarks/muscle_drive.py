"""Muscle-driven worlds beside MuJoCo's MyoFullBody: processor time of a step, one core.  Needs musclemimic-models."""

import time
from pathlib import Path

import numpy as np

from hitogata.muscle import MuscleDrive, musculoskeletal
from hitogata.sim import World, WorldBatch

H, STEPS, WORLDS = 1 / 240, 240, 32


def main() -> None:
    """Print microseconds for a step, and simulated seconds for a second."""
    theirs, step = mujoco_step()
    print(f"MuJoCo, MyoFullBody     {theirs:7.1f} us a step, {step / theirs * 1e6:6.2f} times real time")
    body = musculoskeletal(plain_knees=True)
    world = World()
    world.add_ground()
    human = world.add(body.body)
    drive = MuscleDrive(body, human, damping=0.5)
    u = np.full(366, 0.05)
    ours = best(lambda: (drive.act(u, H), world.step(H)))
    print(f"ours, one world         {ours:7.1f} us a step, {H / ours * 1e6:6.2f} times real time")
    print(f"steps per second: {theirs / ours:.2f} of MuJoCo's")
    for dtype in (np.float64, np.float32):
        batch = WorldBatch(world, WORLDS, dtype=dtype)
        many = MuscleDrive(body, batch.member(human), damping=0.5)
        each = best(lambda many=many, batch=batch: (many.act(u, H), batch.step(H)), 30) / WORLDS
        name = f"{WORLDS} side by side, {dtype.__name__}"
        print(f"ours, {name}: {each:7.1f} us a step, {H / each * 1e6:6.2f} times real time")
        print(f"steps per second: {theirs / each:.2f} of MuJoCo's")


def best(call, steps=STEPS):
    """Least mean of five runs [us]."""
    call()
    least = np.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(steps // 5):
            call()
        least = min(least, (time.process_time() - start) / (steps // 5))
    return 1e6 * least


def mujoco_step():
    """Of their model at its own step."""
    import mujoco
    import musclemimic_models

    path = Path(musclemimic_models.__file__).parent / "model/body/myofullbody.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.05
    return best(lambda: mujoco.mj_step(model, data)), model.opt.timestep


if __name__ == "__main__":
    main()
