"""Screw joints: closed form, hinge and slider of MuJoCo tied to each other, and in a world."""

import mujoco
import numpy as np
import pytest

from hitogata import dynamics
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Figure, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.sim import Coordinates, World, WorldBatch

PITCH, GRAVITY = -0.07, 9.81
QUAT = (0.8, 0.2, -0.4, np.sqrt(1 - 0.84))


def nut() -> Figure:
    """2 kg on an upright screw."""
    builder = FigureBuilder("nut")
    builder.add("nut", None, joint.screw(pitch=PITCH), MassProperties.principal(2.0, (0, 0, 0), (0.3, 0.3, 0.05)))
    return builder.build()


def arm(screw: bool = True) -> Figure:
    """A hinge, a screw askew with a pendulum on it; or a slider and a hinge in its place."""
    mass, axis = MassProperties.principal(1.5, (0.1, -0.05, 0.2), (0.02, 0.03, 0.04)), (0.48, -0.6, 0.64)
    place, rotor = {"parent_frame": Pose((0.1, 0.2, 0.3), QUAT), "child_frame": Pose((0.0, 0.1, 0.05), QUAT)}, 0.01
    builder = FigureBuilder("arm")
    builder.add("base", None, joint.hinge(axis=(0.6, 0.0, 0.8), damping=0.2), mass)
    if screw:
        builder.add("rod", "base", joint.screw(axis, pitch=PITCH, armature=rotor, **place), mass)
    else:
        speck = MassProperties.principal(1e-12, (0, 0, 0), (1e-12, 1e-12, 1e-12))
        builder.add("slid", "base", joint.slider(axis, parent_frame=place["parent_frame"]), speck)
        builder.add("rod", "slid", joint.hinge(axis, armature=rotor, child_frame=place["child_frame"]), mass)
    builder.add("tip", "rod", joint.ball(parent_frame=Pose((0.2, 0.0, 0.1))), mass)
    return builder.build()


def test_nut_runs_down_as_in_closed_form():
    """(I + m p²) angle'' = -m g p."""
    wanted = -2.0 * GRAVITY * PITCH / (0.05 + 2.0 * PITCH**2)
    assert np.allclose(dynamics.forward_dynamics(nut(), [0.3], [0.7]), wanted, rtol=1e-14)
    assert np.allclose(dynamics.forward_kinematics(nut(), [0.3]).position, [[0, 0, 0.3 * PITCH]], atol=1e-16)
    world = World()
    member = world.add(nut())
    world.step(1 / 240, steps=240)
    assert member.q == pytest.approx(0.5 * wanted, rel=1e-9)
    assert member.v == pytest.approx(wanted, rel=1e-9)


def test_like_a_hinge_and_a_slider_of_mujoco_tied_together():
    text = f"""<mujoco><option gravity="0 0 -{GRAVITY}"/><worldbody><body>
      <joint axis="0.6 0 0.8" damping="0.2"/>
      <inertial mass="1.5" pos="0.1 -0.05 0.2" diaginertia="0.02 0.03 0.04"/>
      <body pos="0.1 0.2 0.3" quat="{QUAT[0]} {QUAT[1]} {QUAT[2]} {QUAT[3]}">
        <joint type="slide" axis="0.48 -0.6 0.64"/><joint axis="0.48 -0.6 0.64" armature="0.01"/>
        <inertial mass="1.5" pos="0.1 -0.05 0.2" diaginertia="0.02 0.03 0.04"/>
        <body pos="0.2 0 0.1"><joint type="ball"/>
          <inertial mass="1.5" pos="0.1 -0.05 0.2" diaginertia="0.02 0.03 0.04"/>
      </body></body></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    mass, offset = MassProperties.principal(1.5, (0.1, -0.05, 0.2), (0.02, 0.03, 0.04)), Pose((0.1, 0.2, 0.3), QUAT)
    builder = FigureBuilder("arm")
    builder.add("base", None, joint.hinge(axis=(0.6, 0.0, 0.8), damping=0.2), mass)
    builder.add("rod", "base", joint.screw((0.48, -0.6, 0.64), pitch=PITCH, armature=0.01, parent_frame=offset), mass)
    builder.add("tip", "rod", joint.ball(parent_frame=Pose((0.2, 0.0, 0.1))), mass)
    figure = builder.build()
    for _ in range(5):
        q, v = figure.random(rng), rng.normal(size=figure.nv)
        R = dynamics.forward_kinematics(figure, q).rotation
        T = np.zeros((6, 5))  # MuJoCo's velocities of ours: hinge, slider, hinge, ball in the body's axes
        T[0, 0], T[1, 1], T[2, 1], T[3:, 2:] = 1.0, PITCH, 1.0, R[2].T @ R[1]
        data.qpos[:], data.qvel[:] = [q[0], PITCH * q[1], q[1], *q[2:]], T @ v
        mujoco.mj_forward(model, data)
        M = np.zeros((6, 6))
        mujoco.mj_fullM(model, data, M)
        assert np.allclose(dynamics.mass_matrix(figure, q), T.T @ M @ T, rtol=0, atol=1e-13)
        assert np.allclose(dynamics.forward_kinematics(figure, q).position, data.xpos[1:], atol=1e-14)
        bias = T.T @ data.qfrc_bias  # Ṫ v is zero: ω in the body's axes changes by ω' alone
        assert np.allclose(dynamics.bias(figure, q, v), bias, rtol=0, atol=1e-12)
        wanted = np.linalg.solve(T.T @ M @ T, T.T @ (data.qfrc_passive - data.qfrc_bias))
        assert np.allclose(dynamics.forward_dynamics(figure, q, v), wanted, rtol=1e-11, atol=1e-11)
        inverse = dynamics.inverse_dynamics(figure, q, v, wanted)
        assert np.allclose(inverse, 0.0, atol=1e-11)


def test_jacobian_and_its_rate_by_finite_differences():
    figure, rng, h = arm(), np.random.default_rng(0), 1e-6
    q, v = figure.random(rng), rng.normal(size=figure.nv)
    ahead, back = dynamics.integrate(figure, q, h * v), dynamics.integrate(figure, q, -h * v)
    J = dynamics.jacobian(figure, q, "tip")
    moved = (dynamics.forward_kinematics(figure, [ahead, back]).position[:, -1] @ [[1.0], [0], [0]]).ravel()
    assert (moved[0] - moved[1]) / (2 * h) == pytest.approx((J @ v)[3], abs=1e-8)
    rate = (dynamics.jacobian(figure, ahead, "tip") - dynamics.jacobian(figure, back, "tip")) / (2 * h)
    assert np.allclose(dynamics.jacobian_derivative(figure, q, v, "tip"), rate, atol=1e-8)


def test_batch_methods_and_world_agree_with_the_recursion():
    figure, rng = arm(), np.random.default_rng(1)
    q, v = np.array([figure.random(rng) for _ in range(9)]), rng.normal(size=(9, figure.nv))
    single = np.array([dynamics.forward_dynamics(figure, *row) for row in zip(q, v, strict=True)])
    assert np.allclose(dynamics.forward_dynamics(figure, q, v), single, rtol=1e-12, atol=1e-12)
    for method in (dynamics.Method.SEGMENTS, dynamics.Method.ASSEMBLY):
        assert np.allclose(dynamics.forward_dynamics(figure, q[0], v[0], method=method), single[0], rtol=1e-9)
    tied = arm(screw=False)
    where = np.insert(q[0], 1, PITCH * q[0, 1])
    assert np.allclose(
        dynamics.forward_kinematics(tied, where).position[[0, 2, 3]],
        dynamics.forward_kinematics(figure, q[0]).position, atol=1e-14,
    )  # fmt: skip
    world = World()
    member = world.add(figure, State(q[0], v[0]))
    batch = WorldBatch(world, 3)
    before = world.energy().total
    world.step(1e-3, steps=200)
    batch.step(1e-3, steps=200)
    assert np.allclose(batch.member(member).q, member.q, atol=1e-9)
    lost = before - world.energy().total  # the damped hinge takes some
    assert 0 < lost < 1.0


def test_bad_input():
    with pytest.raises(FigureError, match=r"pitch.*not zero"):
        joint.screw(pitch=0.0)
    with pytest.raises(FigureError, match=r"pitch.*others have none"):
        joint.Joint(joint.JointKind.HINGE, pitch=0.1)
    world = World(coordinates=Coordinates.MAXIMAL)
    with pytest.raises(ArgumentError, match=r"'nut'.*screw.*maximal"):
        world.add(nut())
