"""Forces between bones under muscles: closed form, balance of every body, virtual work."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, inverse_dynamics
from hitogata.errors import ArgumentError
from hitogata.figure import FigureBuilder, MassProperties, Pose, joint
from hitogata.figure.mechanism import mechanism_inverse_dynamics
from hitogata.muscle import (
    ConditionalPoint,
    ForceOptions,
    Muscle,
    MuscleSet,
    Path,
    PathPoint,
    contact_forces,
    muscle_forces,
    wire_geometry,
    wire_wrenches,
)
from tests.muscle.bodies import figure_set, mechanism_set

G = 9.81


def test_elbow_with_one_muscle():
    """A forearm held level by one muscle: the elbow presses with what weight and muscle leave."""
    builder = FigureBuilder("arm")
    builder.add("upper", None, joint.fixed(), MassProperties(2.0, inertia=(1, 1, 1, 0, 0, 0)))
    fore = MassProperties(1.5, centre=(0.16, 0.0, 0.0), inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    builder.add("fore", "upper", joint.hinge((0, 1, 0), parent_frame=Pose((0, 0, -0.3))), fore)
    path = Path((PathPoint("upper", (0.02, 0.0, -0.05)), PathPoint("fore", (0.05, 0.0, 0.0))))
    length = np.hypot(0.03, 0.25)
    muscle = Muscle("flexor", path, max_force=2000.0, fibre_length=0.6 * length, slack_length=0.4 * length)
    muscles = MuscleSet("arm", builder.build(), (muscle,))
    still, load = np.zeros((1, 1)), np.zeros((1, 2, 6))
    load[0, 1] = [0.0, 0.3 * 20.0, 0.0, 0.0, 0.0, -20.0]  # 20 N in the hand, 0.3 m out
    tau = inverse_dynamics(muscles.body, still, still, still, wrenches=load)
    found = muscle_forces(muscles, still, still, tau, options=ForceOptions(reserve=1e9))
    up = np.array([-0.03, 0.0, 0.25]) / length
    pull = (1.5 * G * 0.16 + 20.0 * 0.3) / (0.05 * up[2])
    assert found.force[0, 0] == pytest.approx(pull, rel=1e-6)
    contact = contact_forces(found, still, still, still, wrenches=load)[0]
    assert contact[1, 3:] == pytest.approx(np.array([0.0, 0.0, 1.5 * G + 20.0]) - pull * up, rel=1e-6, abs=1e-6)
    assert contact[1, :3] == pytest.approx(np.zeros(3), abs=1e-4)
    assert contact[0, 3:] == pytest.approx([0.0, 0.0, 3.5 * G + 20.0], rel=1e-9)


def test_forces_turn_a_mechanism_as_lengths_say():
    """Forces of every kind of point and surface, along the body's motions, are -Jᵀ f.

    But for a point that moves in its body: its own motion is work, and no force between bones.
    """
    plain, rng = mechanism_set(), np.random.default_rng(4)
    muscles = replace(plain, wires=tuple(wire for wire in plain.wires if wire.name != "moving"))
    q = np.array([0.1, 0.1, 0.0, 0.8, 0.0]) + rng.normal(size=(40, 5)) * [0.4, 0.4, 0.4, 0.9, 0.02]
    bend = ConditionalPoint("upper", (0.04, 0.0, -0.25), "e", (0.0, 1.0))
    conditional = Muscle("bent", Path((PathPoint(None, (0.1, 0.0, 0.4)), bend, PathPoint("hand", (0.0, 0.01, 0.02)))))
    muscles = replace(muscles, wires=(*muscles.wires, conditional))
    f, nodes = rng.uniform(0.0, 500.0, (40, len(muscles.wires))), np.tile([0.012, 0.003, -0.11], (40, 1, 1))
    found, still = wire_wrenches(muscles, q, f, nodes=nodes), np.zeros_like(q)
    made = -mechanism_inverse_dynamics(muscles.body, q, still, still, found).tau
    made += mechanism_inverse_dynamics(muscles.body, q, still, still).tau
    wanted = -np.einsum("nwc,nw->nc", wire_geometry(muscles, q, nodes=nodes).jacobian, f)
    np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-8)


def test_forces_turn_a_figure_as_lengths_say():
    """The same on a figure; wires that are on no ground are nothing to the whole."""
    muscles, rng = figure_set(), np.random.default_rng(4)
    body = muscles.body
    q = np.repeat(body.neutral()[None], 40, axis=0)
    q[:, :3], q[:, 7:11] = rng.normal(size=(40, 3)), q[:, 7:11] + 0.2 * rng.normal(size=(40, 4))
    q[:, 7:11] /= np.linalg.norm(q[:, 7:11], axis=1, keepdims=True)
    q[:, 11] = rng.uniform(0.0, 1.5, 40)
    f, still = rng.uniform(0.0, 500.0, (40, len(muscles.wires))), np.zeros((40, body.nv))
    found = wire_wrenches(muscles, q, f)
    np.testing.assert_allclose(found.sum(axis=1), 0.0, rtol=0, atol=1e-9)
    found[..., :3] -= np.cross(forward_kinematics(body, q).position, found[..., 3:])
    made = inverse_dynamics(body, q, still, still) - inverse_dynamics(body, q, still, still, wrenches=found)
    wanted = -np.einsum("nwc,nw->nc", wire_geometry(muscles, q).jacobian, f)
    np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-8)


def test_every_body_balances():
    """Weight, loads, wires and joints leave a body at rest nothing; reserves are what a joint turns with."""
    muscles, rng = figure_set(), np.random.default_rng(5)
    lengths = wire_geometry(muscles, muscles.body.neutral()).lengths
    muscles = replace(muscles, wires=tuple(
        replace(w, fibre_length=0.6 * x, slack_length=0.4 * x) if isinstance(w, Muscle) else w
        for w, x in zip(muscles.wires, lengths, strict=True)))  # fmt: skip
    body = muscles.body
    q = np.repeat(body.neutral()[None], 20, axis=0)
    q[:, 11] = rng.uniform(0.1, 0.8, 20)
    still = np.zeros((20, body.nv))
    load = 5.0 * rng.normal(size=(20, 3, 6))
    found = muscle_forces(muscles, q, still, inverse_dynamics(body, q, still, still, wrenches=load))
    assert found.good.all()
    contact = contact_forces(found, q, still, still, wrenches=load)
    pulls = wire_wrenches(muscles, q, np.concatenate([found.force, found.ligament], axis=1))
    poses = forward_kinematics(body, q)
    total = np.array(pulls)
    shift = lambda wrench, at: np.concatenate([wrench[..., :3] + np.cross(at, wrench[..., 3:]), wrench[..., 3:]], -1)
    weight = np.broadcast_to([0.0, 0.0, 0.0, 0.0, 0.0, -G], load.shape)
    total += shift(load + weight, poses.position)
    joints = shift(contact, poses.position)
    total += joints
    total[:, :2] -= joints[:, 1:]
    assert np.abs(pulls).max() > 10.0
    np.testing.assert_allclose(total, 0.0, rtol=0, atol=1e-8)
    elbow = poses.rotation[:, 2, :, 1]
    at = [k for k, name in enumerate(found.coordinates) if name.startswith("fore")]
    np.testing.assert_allclose((elbow * contact[:, 2, :3]).sum(axis=1), found.reserves[:, at[0]], rtol=0, atol=1e-8)


def test_bad_input():
    muscles = mechanism_set()
    q = np.array([[0.1, 0.1, 0.0, 0.8, 0.0]] * 3)
    found = muscle_forces(muscles, q, 0 * q, 0 * q)
    with pytest.raises(ArgumentError, match="3 frames of 3 bodies"):
        contact_forces(found, q[:2], 0 * q, 0 * q)
    with pytest.raises(ArgumentError, match="tensions"):
        wire_wrenches(muscles, q, np.zeros((3, 2)))
    bad = 0 * q
    bad[1, 0] = np.nan
    contact = contact_forces(found, q, 0 * q, bad)
    assert np.isnan(contact[1]).all()
    assert np.isfinite(contact[[0, 2]]).all()
