"""Sharing of moments among muscles: closed forms, optimality, another solver; bad input."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.muscle import Cost, ForceOptions, muscle_forces, rigid_tendon_forces, wire_geometry
from tests.muscle.bodies import mechanism_set

FRAMES = 12


@pytest.fixture(scope="module")
def arm():
    """Poses, rates and moments that muscles can make."""
    muscles, rng = mechanism_set(), np.random.default_rng(2)
    q = np.array([0.1, 0.1, 0.0, 0.8, 0.0]) + 0.05 * rng.normal(size=(FRAMES, 5)) * [1, 1, 1, 1, 0.01]
    v = 0.3 * rng.normal(size=(FRAMES, 5)) * [1, 1, 1, 1, 0.01]
    return muscles, q, v, rng.normal(size=(FRAMES, 5)) * [0.1, 2, 0.1, 3, 0.5]


@pytest.mark.parametrize("cost", list(Cost))
def test_moments_are_met(arm, cost):
    """Tensions, by way of -Jᵀ f, and reserves make the moments; activations keep their bounds."""
    muscles, q, v, tau = arm
    found = muscle_forces(muscles, q, v, tau, options=ForceOptions(cost=cost))
    assert found.good.all()
    assert found.optimality.max() < 1e-6
    nm = len(muscles.muscles)
    pull = np.concatenate([found.force, found.ligament], axis=1)
    made = -np.einsum("nwc,nw->nc", found.geometry.jacobian, pull)
    np.testing.assert_allclose(made + found.reserves[:, :5], tau, rtol=0, atol=1e-9)
    at_node = -np.einsum("nwc,nw->nc", found.geometry.node_jacobian, pull)
    np.testing.assert_allclose(at_node + found.reserves[:, 5:], 0.0, rtol=0, atol=1e-9)
    assert found.activation.min() >= 0.0
    assert found.activation.max() <= 1.0 + 1e-12
    assert found.coordinates == ("a", "b", "c", "e", "s", "fork.x", "fork.y", "fork.z")
    np.testing.assert_allclose(found.force, found.activation * found.capacity + found.passive)
    assert found.force.shape == (FRAMES, nm)


def test_optimum_beside_another_solver(arm):
    from scipy.optimize import minimize

    muscles, q, v, tau = arm
    for cost, power in ((Cost.SQUARES, 2), (Cost.CUBES, 3)):
        found = muscle_forces(
            muscles, q, v, tau, options=ForceOptions(cost=cost, with_passive=False, with_speeds=False)
        )
        geometry = wire_geometry(muscles, q)
        able = rigid_tendon_forces(muscles, geometry.lengths)
        nm = len(muscles.muscles)
        for k in range(3):
            J = np.concatenate([geometry.jacobian[k], geometry.node_jacobian[k]], axis=1)
            A = -(J[:nm] * able.capacity[k][:, None]).T
            b = np.append(tau[k], np.zeros(3)) + J[nm:].T @ found.ligament[k]  # with the tendons as they were found

            def total(a, A=A, b=b, power=power):
                r = b - A @ a
                return np.sum(np.abs(a) ** power) + r @ r, power * np.abs(a) ** (power - 1) - 2 * A.T @ r

            start = np.full(nm, 0.1)
            options = {"ftol": 1e-16, "gtol": 1e-12, "maxiter": 20000, "maxfun": 50000, "maxcor": 40}
            best = minimize(total, start, jac=True, bounds=[(0, 1)] * nm, method="L-BFGS-B", options=options)
            assert total(found.activation[k])[0] <= best.fun * (1 + 1e-9) + 1e-12


def test_threads_and_smoothness(arm):
    muscles, q, v, tau = arm
    once = muscle_forces(muscles, q, v, tau)
    shared = muscle_forces(muscles, q, v, tau, threads=2)
    np.testing.assert_allclose(shared.activation, once.activation, rtol=0, atol=1e-9)
    smooth = muscle_forces(muscles, q, v, tau, options=ForceOptions(smooth=30.0))
    change = lambda a: np.abs(np.diff(a.activation, axis=0)).sum()
    assert change(smooth) < 0.8 * change(once)
    assert np.abs(smooth.reserves).max() < 10 * np.abs(once.reserves).max() + 1.0


def test_moments_beyond_strength_become_reserves(arm):
    muscles, q, v, tau = arm
    big = tau.copy()
    big[3, 3] = 1e5
    found = muscle_forces(muscles, q, v, big)
    assert found.good.all()
    worst = np.unravel_index(np.abs(found.reserves).argmax(), found.reserves.shape)
    assert worst[0] == 3
    assert found.coordinates[worst[1]] == "e"
    assert np.abs(found.reserves[3, 3]) > 9e4
    plain = muscle_forces(muscles, q, v, tau)
    np.testing.assert_allclose(np.delete(found.activation, 3, 0), np.delete(plain.activation, 3, 0), atol=1e-9)


def test_emg_is_followed(arm):
    muscles, q, v, tau = arm
    name = "pulley"
    j = [muscle.name for muscle in muscles.muscles].index(name)
    channel = np.linspace(0.2, 0.6, FRAMES)
    free = muscle_forces(muscles, q, v, tau).activation[:, j]
    followed = muscle_forces(muscles, q, v, tau, options=ForceOptions(emg={name: channel}, emg_weight=1e5)).activation
    assert np.abs(followed[:, j] - channel).max() < 0.01
    assert np.abs(free - channel).max() > 0.1


def test_bad_input_is_named(arm):
    muscles, q, v, tau = arm
    with pytest.raises(ArgumentError, match=r"EMG 'tongue': no such muscle"):
        muscle_forces(muscles, q, v, tau, options=ForceOptions(emg={"tongue": np.zeros(FRAMES)}))
    with pytest.raises(ArgumentError, match=r"EMG 'moving': 12 values"):
        muscle_forces(muscles, q, v, tau, options=ForceOptions(emg={"moving": np.zeros(3)}))
    with pytest.raises(ArgumentError, match=r"EMG 'moving'.*between 0 and 1"):
        muscle_forces(muscles, q, v, tau, options=ForceOptions(emg={"moving": np.full(FRAMES, 7.0)}))
    with pytest.raises(ArgumentError, match="12 frames with 5 moments"):
        muscle_forces(muscles, q, v, tau[:, :4])
    with pytest.raises(ArgumentError, match="positive"):
        ForceOptions(reserve=0.0)
    bad = q.copy()
    bad[4, 2] = np.nan
    found = muscle_forces(muscles, bad, v, tau)
    assert found.good.tolist() == [k != 4 for k in range(FRAMES)]
    assert found.notes == ("frame 4 is not finite",)
    assert np.isnan(found.force[4]).all()
    plain = muscle_forces(muscles, q, v, tau)
    np.testing.assert_allclose(np.delete(found.force, 4, 0), np.delete(plain.force, 4, 0), atol=1e-6)
