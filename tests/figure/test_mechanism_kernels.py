"""Compiled mechanisms beside those in numpy."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Pose
from hitogata.figure.mechanism import (
    Constant,
    CubicSpline,
    JointStep,
    Linear,
    Mechanism,
    MechanismBody,
    MechanismJoint,
    MechanismKernels,
    NaturalSpline,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    Sine,
    Step,
    Sum,
    mechanism_inverse_dynamics,
)


def branching(*more):
    """A root that slides and turns, a knee of splines, an arm of other functions."""
    x = (-1.0, -0.4, 0.1, 0.5, 1.2, 1.9)
    spline, natural = CubicSpline(x, (0.1, 0.3, 0.0, -0.2, 0.1, 0.4)), NaturalSpline(x, (0.0, 0.1, 0.3, 0.2, 0.0, 0.1))
    tilted = Pose((0.1, -0.2, 0.3), (0.8, 0.36, 0.0, 0.48))
    root = MechanismJoint("root", None, "a", ("rx", "rz", "slide"), (
        JointStep(True, (1, 0, 0), Linear(), ("rx",)),
        JointStep(True, (0, 0.6, 0.8), Linear((2.0, 0.1)), ("rz",), (0.1, 0.2, 0.0)),
        JointStep(False, (0, 1, 0), Polynomial((0.3, -0.2, 0.5, 0.1)), ("slide",)),
    ), tilted)  # fmt: skip
    knee = MechanismJoint("knee", "a", "b", ("knee",), (
        JointStep(True, (0, 0, 1), Linear(), ("knee",)),
        JointStep(True, (1, 0, 0), spline, ("knee",)),
        JointStep(True, (0, 1, 0), Constant(0.3), ("knee",), (0.0, 0.1, 0.1)),
        JointStep(False, (1, 0, 0), Scaled(spline, -0.5), ("knee",)),
        JointStep(False, (0, 1, 0), natural, ("knee",)),
        JointStep(False, (0, 0, 1), Constant(0.05), ("knee",)),
    ), tilted, tilted)  # fmt: skip
    arm = MechanismJoint("arm", "a", "c", ("one", "two"), (
        JointStep(True, (0, 1, 0), Step(-0.3, 0.8, 0.1, 1.0), ("one",)),
        JointStep(True, (1, 0, 0), Sum((Linear(), PiecewiseLinear((-0.5, 0.0, 0.9), (0.1, 0.0, 0.4)))), ("two",)),
        *more,
    ), Pose((0, 0.3, 0)))  # fmt: skip
    bodies = [MechanismBody(name, mass, (0.1, -0.05, mass * 0.1), (0.1, 0.2, 0.15, 0.01, -0.02, 0.03))
              for name, mass in (("a", 1.0), ("b", 2.0), ("c", 0.5))]  # fmt: skip
    return Mechanism.of("branching", bodies, [root, knee, arm], gravity=(0.3, -9.0, 1.0))


def test_same_as_in_numpy():
    mechanism, rng = branching(), np.random.default_rng(0)
    fast = MechanismKernels(mechanism)
    q = rng.uniform(-1.6, 2.4, (37, 6))                            # beyond the ends of splines too
    qd, qdd = rng.normal(size=(2, 37, 6))
    slow = mechanism_inverse_dynamics(mechanism, q, qd, qdd)
    rotation, position = fast.poses(q)
    assert np.abs(rotation - slow.motion.rotation).max() < 1e-12
    assert np.abs(position - slow.motion.position).max() < 1e-12
    assert np.abs(fast.forces(q, qd, qdd) - slow.tau).max() < 1e-11 * np.abs(slow.tau).max()
    loads = rng.normal(size=(37, 3, 6)) * 10.0
    tau, reactions = fast.loaded(q, qd, qdd, loads)
    pushed = mechanism_inverse_dynamics(mechanism, q, qd, qdd, loads)
    assert np.abs(tau - pushed.tau).max() < 1e-11 * np.abs(pushed.tau).max()
    assert np.abs(reactions - pushed.reactions).max() < 1e-11 * np.abs(pushed.reactions).max()
    one = fast.forces(q[3], qd[3], qdd[3])
    assert one.shape == (6,)
    assert np.abs(one - slow.tau[3]).max() < 1e-11 * np.abs(slow.tau).max()
    assert (fast.forces(q[3].tolist(), qd[3], qdd[3]) == one).all()
    turns, places = fast.poses(q[3])
    assert np.abs(turns - rotation[3]).max() < 1e-14
    assert np.abs(places - position[3]).max() < 1e-14


def test_what_it_refuses():
    with pytest.raises(FigureError, match="no table"):
        MechanismKernels(branching(JointStep(False, (1, 0, 0), Sine(), ("two",))))
    fast, still = MechanismKernels(branching()), np.zeros(6)
    with pytest.raises(ArgumentError, match="coordinate 'slide' is not finite"):
        fast.forces(np.array([0, 0, np.nan, 0, 0, 0]), still, still)
    with pytest.raises(ArgumentError, match="qdd: expected shape"):
        fast.forces(still, still, np.zeros(5))
    with pytest.raises(ArgumentError, match="q: expected shape"):
        fast.poses(np.zeros((2, 5)))
