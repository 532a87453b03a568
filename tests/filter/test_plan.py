"""The plan against a dense quadratic program, and forces against the nearest point of a cone."""

import numpy as np
from scipy.optimize import minimize

from hitogata.filter.plan_kernels import KEEP, plan_rounds


def problem(rng, n=6, corners=4):
    frames = np.zeros((n, 20))
    frames[:, 0] = 1 / 60
    root = rng.normal(size=(n, 3, 3))
    inertia = np.einsum("nij,nkj->nik", root, root) + 8 * np.eye(3)
    frames[:, 1:10] = 700 * np.linalg.inv(inertia).reshape(n, 9)
    frames[:, 12] = frames[:, 18] = 1.0 + 0.2 * rng.normal(size=n)
    frames[:, 10:12] = frames[:, 16:18] = 0.1 * rng.normal(size=(n, 2))
    frames[:, 13:16] = 0.05 * rng.normal(size=(n, 3))
    frames[:, 19] = 9.81
    arms = np.zeros((n, corners, 3)) + [0, 0, -0.9]
    arms[:, :, :2] += 0.1 * rng.normal(size=(1, corners, 2))
    active = np.ones((n, corners), np.int64)
    active[n // 2, 0] = 0
    normals = np.zeros((n, corners, 3))
    normals[..., 2] = 1.0
    usual = np.zeros((n, 3 * corners))
    usual[:, 2::3] = active / active.sum(axis=1, keepdims=True)
    return frames, arms, active, normals, usual


def rolled(frames, arms, active, x, forces):
    """States by the equations of the head of the file, written anew."""
    states = [x]
    for k, (row, force) in enumerate(zip(frames, forces, strict=True)):
        h, inverse, need = row[0], row[1:10].reshape(3, 3), row[10:13]
        f = force.reshape(-1, 3) * active[k][:, None]
        turn, place, omega, rate = np.split(states[-1], 4)
        omega = omega + h * inverse @ (np.cross(arms[k], f).sum(0) + np.cross(need, place) - row[13:16])
        rate = rate + h * row[19] * (f.sum(0) - need)
        states.append(np.concatenate([turn + h * omega, place + h * rate, omega, rate]))
    return np.array(states)


def cost(states, forces, usual, weights, effort):
    own = 0.5 * (states[:-1] ** 2 @ weights[0]).sum() + 0.5 * states[-1] ** 2 @ weights[1]
    return own + 0.5 * effort * ((forces - usual) ** 2).sum()


def solved(rounds=400, seed=0, friction=0.7, n=6):
    rng = np.random.default_rng(seed)
    frames, arms, active, normals, usual = problem(rng, n)
    n, corners = active.shape
    weights = np.array([[1 / 0.04**2] * 3 + [1 / 0.01**2] * 3 + [4.0] * 3 + [11.0] * 3] * 2)
    weights[1] *= 10
    x = 0.02 * rng.normal(size=12)
    z, y = usual.copy(), np.zeros_like(usual)
    states, forces = np.zeros((n + 1, 12)), np.zeros_like(usual)
    options = np.array([1.0, 10.0, friction, 1.5, rounds, 0.0])
    gap = plan_rounds(frames, arms, active, normals, weights, options, x, usual, z, y, states, forces,
                      np.zeros(n * (KEEP + 6 + 3 * corners)))  # fmt: skip
    return frames, arms, active, usual, weights, x, z, states, gap


def test_states_follow_the_equations():
    frames, arms, active, _, _, x, z, states, gap = solved()
    assert gap < 1e-6
    np.testing.assert_allclose(states, rolled(frames, arms, active, x, z), atol=1e-6)


def test_the_plan_is_the_least_of_its_cost():
    """No feasible forces found by a general method are better: without friction limits, and with."""
    for friction in (1e3, 0.3):
        frames, arms, active, usual, weights, x, z, _, _ = solved(2000, friction=friction, n=2)
        on = np.repeat(active, 3, axis=1).astype(bool)

        def value(free, data=(frames, arms, active, usual, weights, x, on)):
            frames, arms, active, usual, weights, x, on = data
            forces = np.zeros_like(usual)
            forces[on] = free
            return cost(rolled(frames, arms, active, x, forces), forces, usual, weights, 1.0)

        def inside(free, friction=friction):
            f = free.reshape(-1, 3)
            return np.concatenate([friction**2 * f[:, 2] ** 2 - f[:, 0] ** 2 - f[:, 1] ** 2, f[:, 2], 1.5 - f[:, 2]])

        best = minimize(value, usual[on], constraints=[{"type": "ineq", "fun": inside}], options={"maxiter": 300})
        assert inside(z[on]).min() > -1e-9
        assert value(z[on]) <= best.fun * (1 + 1e-4) + 1e-9


def test_a_free_start_is_better_than_any_other():
    rng = np.random.default_rng(3)
    frames, arms, active, normals, usual = problem(rng)
    n, corners = active.shape
    weights = np.array([[600.0] * 3 + [1e4] * 3 + [4.0] * 3 + [11.0] * 3] * 2)

    def run(x, free):
        z, y = usual.copy(), np.zeros_like(usual)
        states, forces = np.zeros((n + 1, 12)), np.zeros_like(usual)
        plan_rounds(frames, arms, active, normals, weights, np.array([1.0, 10.0, 0.7, 1.5, 600, free]), x, usual, z, y,
                    states, forces, np.zeros(n * (KEEP + 6 + 3 * corners)))  # fmt: skip
        return states, cost(states, z, usual, weights, 1.0)

    states, least = run(np.zeros(12), 1.0)
    for _ in range(4):
        assert run(states[0] + 1e-3 * rng.normal(size=12), 0.0)[1] >= least * (1 - 1e-6)
