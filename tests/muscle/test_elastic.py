"""Elastic tendons where forces are found: equilibrium at rest, and a muscle's own dynamics in motion."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Link, MassProperties, joint
from hitogata.muscle import (
    ForceOptions,
    Millard2012,
    Muscle,
    MuscleSet,
    Path,
    PathPoint,
    muscle_forces,
    tendon_equilibrium,
    wire_geometry,
)

ELASTIC = ForceOptions(elastic_tendons=True, reserve=1e4)
CURVES = Millard2012()
FORCE, OPTIMAL, SLACK, ANGLE = 3000.0, 0.05, 0.25, 0.35


def calf(rigid=False):
    """A slider that one muscle with a long tendon pulls along."""
    slide = Link("bar", None, joint.slider((1.0, 0.0, 0.0)), MassProperties(1.0))
    muscle = Muscle(
        "calf", Path((PathPoint(None, (0.0, 0.0, 0.0)), PathPoint("bar", (0.0, 0.0, 0.0)))), max_force=FORCE,
        fibre_length=OPTIMAL, slack_length=SLACK, pennation=ANGLE, curves=CURVES, rigid_tendon=rigid,
    )  # fmt: skip
    return MuscleSet("calf", Figure("slider", (slide,)), (muscle,))


def test_balance_at_rest():
    muscles, lengths = calf(), np.linspace(0.285, 0.31, 8)
    activation = np.linspace(0.2, 0.7, 8)
    rest = tendon_equilibrium(muscles, lengths[:, None], activation[:, None])
    q = lengths[:, None]
    found = muscle_forces(muscles, q, 0 * q, -rest.force, options=ELASTIC)
    assert found.good.all()
    assert not found.notes
    np.testing.assert_allclose(found.activation[:, 0], activation, atol=2e-4)
    np.testing.assert_allclose(found.fibre, rest.length, atol=1e-4)
    stiff = muscle_forces(muscles, q, 0 * q, -rest.force, options=ForceOptions(reserve=1e4))
    assert np.abs(stiff.activation[:, 0] - activation).max() > 0.05


def test_a_muscle_in_motion_is_found_again():
    """Forward: dy/dt from the balance of fibre and tendon, small steps; back: activation, from tension and length."""
    muscles = calf()
    h, steps = 1e-4, 10000
    t = h * np.arange(steps + 1)
    length = 0.297 + 0.008 * np.sin(2 * np.pi * 1.3 * t)
    activation = 0.45 + 0.25 * np.sin(2 * np.pi * 2.0 * t + 1.0)
    height = OPTIMAL * np.sin(ANGLE)
    along, tension = np.empty(steps + 1), np.empty(steps + 1)
    y = tendon_equilibrium(muscles, length[:1, None], activation[:1, None]).length[0, 0] * OPTIMAL
    y = np.sqrt(y**2 - height**2)
    speeds = np.linspace(-1.0, 1.0, 4001)
    factors = CURVES.speed(speeds, 1.0)
    for k in range(steps + 1):
        fibre = np.hypot(y, height)
        x, cosine = np.array([fibre / OPTIMAL]), y / fibre
        pull = CURVES.tendon(np.array([(length[k] - y) / SLACK]))[0]
        asked = (pull / cosine - CURVES.passive(x)[0]) / (activation[k] * CURVES.active(x)[0])
        along[k], tension[k] = y, FORCE * pull
        y += h * np.interp(asked, factors, speeds) * 10.0 * OPTIMAL / cosine
    every = slice(1000, None, 50)
    q = length[every, None]
    v = np.gradient(length, t)[every, None]
    found = muscle_forces(muscles, q, v, -tension[every, None], options=ELASTIC, times=t[every])
    inner = slice(3, -3)
    np.testing.assert_allclose(found.fibre[inner, 0] * OPTIMAL, np.hypot(along, height)[every][inner], atol=2e-5)
    assert np.sqrt(np.mean((found.activation[inner, 0] - activation[every][inner]) ** 2)) < 0.01
    still = muscle_forces(muscles, q, v, -tension[every, None], options=ELASTIC)
    assert np.abs(still.activation[inner, 0] - activation[every][inner]).max() > 0.03


def test_rigid_tendons_stay_and_times_are_checked():
    muscles = calf(rigid=True)
    q = np.full((3, 1), 0.3)
    found = muscle_forces(muscles, q, 0 * q, 0 * q - 500.0, options=ELASTIC)
    plain = muscle_forces(muscles, q, 0 * q, 0 * q - 500.0, options=ForceOptions(reserve=1e4))
    np.testing.assert_array_equal(found.activation, plain.activation)
    np.testing.assert_allclose(wire_geometry(muscles, q).lengths, 0.3)
    with pytest.raises(ArgumentError, match="3 rising numbers"):
        muscle_forces(muscles, q, 0 * q, 0 * q, options=ELASTIC, times=[0.0, 0.2, 0.1])
