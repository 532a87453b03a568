"""Arms and forces live: the same numbers as for recordings, sparse and frame by frame."""

import numpy as np
import pytest

from hitogata.dynamics import integrate
from hitogata.errors import ArgumentError
from hitogata.muscle import (
    Cost,
    ForceOptions,
    LiveForces,
    MuscleArms,
    muscle_forces,
    musculoskeletal,
    musculoskeletal_gait,
    wire_geometry,
)
from tests.muscle.bodies import mechanism_set


def poses(muscles, count, seed, spread):
    rng = np.random.default_rng(seed)
    figure = muscles.body
    v = spread * rng.normal(size=(count, figure.nv))
    q = np.stack([integrate(figure, np.array(figure.neutral()), each) for each in v])
    return q, v, rng


def test_arms_are_those_of_the_geometry():
    body = musculoskeletal()
    q, _, _ = poses(body, 4, 0, 0.1)
    arms = MuscleArms(body)
    lengths, values = arms.rows(q)
    expected = wire_geometry(body, q)
    jacobian = np.concatenate([expected.jacobian, expected.node_jacobian], axis=2)
    np.testing.assert_allclose(lengths, expected.lengths, rtol=0, atol=1e-14)
    np.testing.assert_allclose(arms.dense(values), jacobian, rtol=0, atol=1e-13)
    alone = MuscleArms(body, passive=False)
    np.testing.assert_array_equal(alone(q[2])[1], values[2, : len(alone.columns)])
    with pytest.raises(ArgumentError, match="159 finite numbers"):
        arms(q[0, :-1])


@pytest.mark.parametrize("cost", [Cost.SQUARES, Cost.VOLUME])
def test_forces_are_those_of_recordings(cost):
    legs = musculoskeletal_gait()
    q, v, rng = poses(legs, 6, 1, 0.05)
    moments = 20.0 * rng.normal(size=v.shape)
    options = ForceOptions(cost=cost)
    expected = muscle_forces(legs, q, v, moments, options=options)
    live = LiveForces(legs, options)
    frames = [live(*each) for each in zip(q, v, moments, strict=True)]
    batch = live.rows(q, v, moments)
    for k, frame in enumerate(frames):
        assert frame.optimality < 1e-9
        np.testing.assert_allclose(frame.activation, expected.activation[k], rtol=0, atol=1e-8)
        np.testing.assert_allclose(frame.force, expected.force[k], rtol=1e-7, atol=1e-5)
        np.testing.assert_allclose(frame.ligament, expected.ligament[k], rtol=1e-7, atol=1e-5)
        np.testing.assert_allclose(batch.activation[k], frame.activation, rtol=0, atol=1e-8)


def test_what_it_does_not_take():
    with pytest.raises(ArgumentError, match="squares, cubes or volume"):
        LiveForces(musculoskeletal_gait(), ForceOptions(cost=Cost.FORCE))
    with pytest.raises(ArgumentError, match="take wire_geometry"):
        MuscleArms(mechanism_set())
