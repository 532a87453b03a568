"""Springs, actuators and excludes of MJCF, read, and acting in a world as in MuJoCo."""

import math
import os
import warnings

import mujoco
import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileContentWarning, HitogataError
from hitogata.figure import State
from hitogata.files import read_mjcf, read_mjcf_model
from hitogata.library import human28
from hitogata.sim import Actuators, World, WorldBatch

ARM = """
<mujoco><compiler angle="radian"/><option timestep="0.002" gravity="0 0 -9.81" integrator="implicitfast"/>
  <worldbody><geom type="plane" size="9 9 1" pos="0 0 -5"/>
    <body name="base" pos="0 0 1"><geom size="0.1" mass="3"/>
      <joint name="yaw" axis="0 0 1" stiffness="4" springref="0.5" damping="0.3" armature="0.05"/>
      <body name="upper" pos="0.15 0 0">
        <joint name="lift" axis="0 1 0" damping="0.5" armature="0.05"/>
        <joint name="roll" axis="1 0 0" damping="0.5" armature="0.05"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="1"/>
        <body name="lower" pos="0.35 0 0"><joint name="elbow" axis="0 1 0" damping="0.2" armature="0.05"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="0.6"/>
          <body name="slide" pos="0.3 0 0"><joint name="reach" type="slide" axis="1 0 0" damping="2" stiffness="50"/>
            <geom size="0.04" mass="0.3"/></body></body></body></body></worldbody>
  <contact><exclude body1="base" body2="lower"/></contact>
  <actuator>
    <motor name="m" joint="yaw" gear="3" ctrlrange="-1 1" ctrllimited="true"/>
    <position name="p" joint="lift" kp="60" kv="5"/>
    <velocity name="v" joint="roll" kv="4"/>
    <general name="g" joint="elbow" gainprm="7" biastype="affine" biasprm="1.5 -12 -0.8" gear="2"/>
    <position name="f" joint="reach" kp="0.01"/>
  </actuator>
</mujoco>
"""


def read(text: str, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        return read_mjcf_model(text, **options)


def both(text: str, control, h: float, steps: int):
    """hitogata's coordinates and MuJoCo's after so many steps."""
    model = read(text)
    world = World(gravity=model.gravity)
    arm = world.add(model.figure, ignored=model.ignored)
    actuators = Actuators(arm, model)
    actuators.control(control)
    world.step(h, steps=steps)
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.timestep = h
    data = mujoco.MjData(theirs)
    data.ctrl[:] = control
    for _ in range(steps):
        mujoco.mj_step(theirs, data)
    return arm.q, data.qpos.copy()


def test_springs_and_actuators_act_as_in_mujoco():
    control = np.array([2.0, -0.4, 0.6, 0.5, 3.0])  # the motor's is cut to 1
    for h, near in ((1e-3, 4e-3), (2.5e-4, 1e-3)):
        ours, theirs = both(ARM, control, h, round(0.25 / h))
        assert np.abs(theirs).max() > 0.2
        np.testing.assert_allclose(ours, theirs, atol=near)


def test_each_is_needed():
    """Without springs and actuators it goes elsewhere."""
    control = np.array([2.0, -0.4, 0.6, 0.5, 3.0])
    _, theirs = both(ARM, control, 1e-3, 250)
    model = read(ARM)
    world = World()
    arm = world.add(model.figure)
    world.step(1e-3, steps=250)
    assert (np.abs(arm.q - theirs) > 0.01).sum() >= 4


def test_what_is_read():
    model = read(ARM)
    assert [s.joint for s in model.springs] == ["yaw", "reach"]
    assert model.springs[0].rest == 0.5
    assert [a.name for a in model.actuators] == ["m", "p", "v", "g", "f"]
    assert model.actuators[3].stiffness == 12 * 4
    assert model.actuators[0].control_range == (-1.0, 1.0)
    assert model.actuators[1].control_range == (-math.inf, math.inf)
    assert ("base", "lower") in model.ignored
    assert ("base", "upper") not in model.ignored  # links that a joint connects never touch
    assert len(model.scenery) == 1
    assert model.timestep == 0.002
    assert "actuator" not in model.left_out


def test_bodies_that_hang_on_each_other_by_several_joints_do_not_touch():
    path = os.path.join(os.path.dirname(pytest.importorskip("gymnasium").__file__), "envs/mujoco/assets/humanoid.xml")
    model = read(path)
    assert ("pelvis", "right_thigh") in model.ignored
    assert len(model.actuators) == 17
    assert len(model.springs) == 14


STOPS = """
<mujoco><compiler angle="radian"/><option timestep="0.002" gravity="0 0 0" integrator="Euler"/>
  <worldbody>{}</worldbody></mujoco>
"""
STOP = """<body><joint type="{}" name="j" axis="0 0 1" range="-0.3 0.4" limited="true" armature="0.1" {}/>
  <geom type="box" size="0.1 0.1 0.1" mass="2" contype="0" conaffinity="0"/></body>"""


@pytest.mark.parametrize("h", [0.002, 0.015])  # the longer step is beyond what time constants of 0.02 s allow
@pytest.mark.parametrize("kind", ["hinge", "slide"])
@pytest.mark.parametrize(
    "law", ["", 'solreflimit="0.05 0.6"', 'solreflimit="-900 -40"', 'solimplimit="0.3 0.95 0.05 0.3 2"',
            'solimplimit="0.3 0.9 0.02 0.5 1"', 'solimplimit="0.5 0.9 0"', 'solreflimit="0.02 -3"'],
)  # fmt: skip
def test_limits_give_way_as_in_mujoco(law, kind, h):
    """A joint that flies against its limit, and back: the same numbers, whatever solref and solimp."""
    if law.startswith('solreflimit="-900') and h > 0.01:
        pytest.skip("MuJoCo does not bound what is given directly")
    text = STOPS.format(STOP.format(kind, law))
    model = read(text)
    for start, speed in ((0.35, 3.0), (-0.25, -2.0), (0.45, 0.0)):
        world = World(gravity=model.gravity)
        body = world.add(model.figure)
        body.state = State(np.array([start]), np.array([speed]))
        Actuators(body, model)
        theirs = mujoco.MjModel.from_xml_string(text)
        theirs.opt.timestep = h
        data = mujoco.MjData(theirs)
        data.qpos[:], data.qvel[:] = start, speed
        for _ in range(round(0.2 / h)):
            mujoco.mj_step(theirs, data)
            world.step(h)
            np.testing.assert_allclose(body.q, data.qpos, atol=1e-9)
    body.state = State(np.array([0.35]), np.array([3.0]))
    body.set_wall(math.inf)  # its own limit is over
    world.step(h, steps=round(0.1 / h))
    assert body.q[0] < 0.4 + 1e-3


def test_gymnasiums_humanoid_with_limits():
    """From the file's pose, whose knees are 2 degrees outside their ranges; in a batch, too."""
    path = os.path.join(os.path.dirname(pytest.importorskip("gymnasium").__file__), "envs/mujoco/assets/humanoid.xml")
    model, theirs = read(path), mujoco.MjModel.from_xml_path(path)
    theirs.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data = mujoco.MjData(theirs)
    data.qpos[2] = 3.0
    world = World(gravity=model.gravity)
    human = world.add(model.figure, State(data.qpos.copy(), np.zeros(23)), ignored=model.ignored)
    Actuators(human, model)
    batch = WorldBatch(world, 4, dtype=np.float64)
    batch.step(0.003, steps=67)
    for _ in range(67):
        mujoco.mj_step(theirs, data)
        world.step(0.003)
        np.testing.assert_allclose(human.q[7:], data.qpos[7:], atol=1e-3)
    np.testing.assert_allclose(batch.member(human).q, np.tile(human.q, (4, 1)), atol=1e-6)
    assert (human.q[[13, 17]] < np.radians(-2)).all()  # the knees came in


def test_free_fall_of_gymnasiums_humanoid():
    """No joint at its limit: the first 0.2 s, with MuJoCo's step."""
    path = os.path.join(os.path.dirname(pytest.importorskip("gymnasium").__file__), "envs/mujoco/assets/humanoid.xml")
    model, theirs = read(path), mujoco.MjModel.from_xml_path(path)
    theirs.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data = mujoco.MjData(theirs)
    data.qpos[2] = 3.0
    bent = {"knee": -0.4, "hip_y": -0.5, "hip_x": -0.2, "shoulder1": 0.3, "elbow": -0.3}
    for side in ("left", "right"):
        for name, angle in bent.items():
            data.joint(f"{side}_{name}").qpos[:] = angle
    data.joint("abdomen_y").qpos[:] = -0.4
    start = data.qpos[7:].copy()
    world = World(gravity=model.gravity)
    human = world.add(model.figure, State(data.qpos.copy(), np.zeros(23)), ignored=model.ignored)
    Actuators(human, model)
    for _ in range(67):
        mujoco.mj_step(theirs, data)
        world.step(0.003)
        np.testing.assert_allclose(human.q[7:], data.qpos[7:], atol=1e-3)
    assert np.abs(data.qpos[7:] - start).max() > 0.05


def test_leftovers_in_ten_lines():
    path = os.path.join(os.path.dirname(pytest.importorskip("gymnasium").__file__), "envs/mujoco/assets/humanoid.xml")
    with pytest.warns(FileContentWarning) as caught:
        read_mjcf(path)
    message, details = str(caught[0].message), caught[0].message.details
    assert len(message.splitlines()) <= 10
    assert "17 × actuator" in message
    assert "'left_elbow'" in details
    assert len(details) > len(message)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('joint="lift" kp', 'joint="tail" kp', "tail"),
        ('body2="lower"', 'body2="paw"', "paw"),
    ],
)
def test_unknown_names_are_errors_that_name_them(old, new, error):
    with pytest.raises(HitogataError, match=error):
        read(ARM.replace(old, new))


def test_actuators_that_cannot_act_are_listed():
    text = ARM.replace("</actuator>", '<intvelocity name="iv" joint="roll" kp="1" actrange="-1 1"/></actuator>')
    model = read(text)
    assert [a.name for a in model.actuators] == ["m", "p", "v", "g", "f"]
    assert "'iv'" in model.left_out


def test_bad_use():
    model, world = read(ARM), World()
    arm, other = world.add(model.figure), world.add(human28())
    with pytest.raises(ArgumentError, match="human28"):
        Actuators(other, model)
    actuators = Actuators(arm, model)
    before = arm.q
    for bad in (np.zeros(4), [0, 0, 0, 0, np.nan]):
        with pytest.raises(ArgumentError, match="5 finite"):
            actuators.control(bad)
    np.testing.assert_array_equal(arm.q, before)
    servo = ARM.replace('kp="60" kv="5"', 'kp="60" forcerange="-1 3" forcelimited="true"')
    one_sided = read(servo)
    with pytest.raises(ArgumentError, match="'p'"):
        Actuators(World().add(one_sided.figure), one_sided)
