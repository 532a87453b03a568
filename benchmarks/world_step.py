"""What does a step of a standing human cost, beside MuJoCo's; and what do ranges of motion add?

human28 on its feet, springs of 2000 N m/rad and dampers of 30 N m s/rad in its joints, eight contact points,
h = 1/240 s.  MuJoCo runs with every mixture of cone, Jacobian and integrator; the fastest counts.
"""

import itertools
import re
from typing import Any

import mujoco

from benchmarks.timing import best, calls, table
from hitogata.figure import Figure
from hitogata.files import write_mjcf
from hitogata.library import human28
from hitogata.sim import Settings, World

H, STEPS = 1 / 240, 240


def standing(figure: Figure, **settings: Any) -> World:
    world = World(settings=Settings(**settings))
    world.add_ground()
    world.add(figure).set_motor(2000.0, 30.0)
    world.step(H, steps=STEPS)
    return world


def mujoco_models() -> dict[str, mujoco.MjModel]:
    joints = re.compile(r'(type="(?:ball|hinge)"[^>]*)damping="0.0"')
    text = joints.sub(r'\1damping="30" stiffness="2000"', write_mjcf(human28()))
    text = text.replace("<worldbody>", '<worldbody><geom type="plane" size="10 10 .1" friction=".8"/>')
    models = {}
    for cone, jacobian, integrator in itertools.product(
        ("pyramidal", "elliptic"), ("dense", "sparse"), ("implicitfast", "Euler", "discrete")
    ):
        option = f'<option timestep="{H}" cone="{cone}" jacobian="{jacobian}" integrator="{integrator}"/>'
        model = mujoco.MjModel.from_xml_string(text.replace("<compiler", option + "<compiler"))
        models[f"{cone}, {jacobian}, {integrator}"] = model
    return models


def mujoco_times() -> dict[str, float]:
    times = {}
    for name, model in mujoco_models().items():
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, STEPS)
        assert data.qpos[2] > 0.95, "MuJoCo's figure fell"
        times[name] = calls(mujoco.mj_step, model, data, loops=STEPS, repeats=40)
    return times


def main() -> None:
    theirs = mujoco_times()
    name = min(theirs, key=theirs.__getitem__)
    plain, ranged = standing(human28()), standing(human28(ranges=True))
    steady = standing(human28(), sweeps=20, tolerance=0.0)
    times = {
        f"MuJoCo, called from Python ({name})": theirs[name],
        "hitogata, called from Python": calls(plain.step, H, repeats=100),
        "hitogata, many steps in one call": best(lambda: plain.step(H, steps=STEPS), loops=STEPS, repeats=150),
        "hitogata, the same, eight ranges of motion": best(
            lambda: ranged.step(H, steps=STEPS), loops=STEPS, repeats=150
        ),
        "hitogata, the same, no ranges, always 20 sweeps": best(
            lambda: steady.step(H, steps=STEPS), loops=STEPS, repeats=150
        ),
    }
    rows = [[k, f"{t * 1e6:.2f}", f"{t / theirs[name]:.2f}"] for k, t in times.items()]
    table("One step of a standing human28", ["", "µs", "of MuJoCo's time"], rows)


if __name__ == "__main__":
    main()
