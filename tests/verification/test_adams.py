"""A pendulum on a hinge and on a ball joint, against runs of ADAMS (published with Project Chrono).

Tolerances are on the root mean square over the run, column by column, as in Chrono's own tests of these files.  (The
two runs show the same motion, but differ by up to 2.6e-3 m/s: the ball joint's run is the less accurate one.)
"""

import numpy as np
import pytest

from hitogata.dynamics import (
    Integrator,
    forward_dynamics,
    forward_kinematics,
    joint_reactions,
    link_accelerations,
    link_velocities,
    step,
)
from hitogata.figure import FigureBuilder, MassProperties, Pose, State, joint
from tests.reference import reference

GRAVITY = (0.0, 0.0, -9.80665)
JOINTS = {"Revolute_Case01": joint.hinge(axis=(0, 1, 0)), "Spherical_Case01": joint.ball()}


def pendulum(kind):
    """1 kg, its centre (the link's frame) 2 m from the joint along x."""
    builder = FigureBuilder("pendulum")
    at_joint = Pose((-2.0, 0.0, 0.0))
    hung = type(kind)(kind.kind, axis=kind.axis, child_frame=at_joint)
    builder.add("bar", None, hung, MassProperties.principal(1.0, (0, 0, 0), (0.04, 0.1, 0.1)))
    return builder.build()


def read(case, what):
    path = reference("adams_joints", f"{case}_ADAMS_{what}.txt")
    return np.loadtxt(path, skiprows=3)


@pytest.fixture(scope="module", params=JOINTS)
def run(request):
    case = request.param
    times = read(case, "Pos")[:, 0]
    figure = pendulum(JOINTS[case])
    states = [State.rest(figure)]
    for h in np.diff(times):
        states.append(step(figure, states[-1], h / 10, steps=10, integrator=Integrator.RUNGE_KUTTA_4, gravity=GRAVITY))
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    vdot = forward_dynamics(figure, q, v, gravity=GRAVITY)
    return case, figure, q, v, vdot


def worst(case, what, ours):
    """Largest root mean square of a column's error."""
    return np.sqrt(((read(case, what)[:, 1:4] - ours) ** 2).mean(0)).max()


def test_positions(run):
    case, figure, q, _, _ = run
    assert worst(case, "Pos", forward_kinematics(figure, q).position[:, 0]) < 2e-3


def test_velocities(run):
    case, figure, q, v, _ = run
    ours = link_velocities(figure, q, v)[:, 0]
    assert worst(case, "Vel", ours[:, 3:]) < 1e-3
    assert worst(case, "Avel", ours[:, :3]) < 1e-3


def test_accelerations(run):
    case, figure, q, v, vdot = run
    ours = link_accelerations(figure, q, v, vdot)[:, 0]
    assert worst(case, "Acc", ours[:, 3:]) < 2e-2
    assert worst(case, "Aacc", ours[:, :3]) < 2e-2


def test_reactions(run):
    """ADAMS tells what the pendulum does to the ground: the opposite of what it feels."""
    case, figure, q, v, vdot = run
    ours = -joint_reactions(figure, q, v, vdot, gravity=GRAVITY)[:, 0]
    assert worst(case, "Rforce", ours[:, 3:]) < 2e-2
    assert worst(case, "Rtorque", ours[:, :3]) < 2e-2


def test_hinge_to_the_last_printed_digit(run):
    """ADAMS prints seven digits of a hinge's motion; ours is within them at every moment."""
    _, figure, q, v, _ = run
    truth = "Revolute_Case01"
    assert np.abs(read(truth, "Pos")[:, 1:4] - forward_kinematics(figure, q).position[:, 0]).max() < 1e-5
    assert np.abs(read(truth, "Vel")[:, 1:4] - link_velocities(figure, q, v)[:, 0, 3:]).max() < 1e-5
