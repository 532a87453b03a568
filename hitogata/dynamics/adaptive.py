"""Moving on in time with error control: the explicit Runge-Kutta method of eighth order of Dormand & Prince (Hairer,
Nørsett & Wanner 1993, DOP853).

    q̇ = N(q) v      v̇ = f(q, v)          N: quaternions turn by q̇ = ½ (0, ω) q, everything else by v

Where functions of joints have corners (splines at their knots and ends), it takes steps as short as needed.
"""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from hitogata.dynamics.forward import forward_dynamics
from hitogata.errors import HitogataError
from hitogata.figure import Figure, State
from hitogata.figure.rates import plain_places, turn_places
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_multiply

TOLERANCE = 1e-12
"""Of a step, absolute and relative."""


def step_adaptive(figure: Figure, state: State, duration: float, tau: Any, wrenches: Any, gravity: Any) -> State:
    """The state after a time [s]; arguments as of `integration.step`, checked there; one state or a batch."""
    forward_dynamics(figure, state.q, state.v, tau, wrenches=wrenches, gravity=gravity)  # checks them
    q, v = np.asarray(state.q, np.float64), np.asarray(state.v, np.float64)
    if q.ndim == v.ndim == 1 and np.ndim(tau) < 2 and np.ndim(wrenches) < 3:
        return State(*_one(figure, q, v, duration, tau, wrenches, gravity))
    n = max(len(x) for x, single in ((q, 1), (v, 1), (tau, 1), (wrenches, 2)) if np.ndim(x) > single)
    rows = []
    for k in range(n):
        own = [x[min(k, len(x) - 1)] if np.ndim(x) > m else x for x, m in ((q, 1), (v, 1), (tau, 1), (wrenches, 2))]
        rows.append(_one(figure, own[0], own[1], duration, own[2], own[3], gravity))
    return State(np.array([row[0] for row in rows]), np.array([row[1] for row in rows]))


def _one(
    figure: Figure, q: FloatArray, v: FloatArray, duration: float, tau: Any, wrenches: Any, gravity: Any
) -> tuple[FloatArray, FloatArray]:
    quats, turns = turn_places(figure)
    in_q, in_v = plain_places(figure)
    nq, half = figure.nq, np.zeros((len(quats), 4))

    def rates(_: float, y: FloatArray) -> FloatArray:
        where, speed = figure.normalised(y[:nq]), y[nq:]
        out = np.zeros_like(y)
        out[in_q] = speed[in_v]
        half[:, 1:] = 0.5 * speed[turns]
        out[quats] = quat_multiply(half, y[quats])
        out[nq:] = forward_dynamics(figure, where, speed, tau, wrenches=wrenches, gravity=gravity)
        return out

    if duration == 0.0:
        return q.copy(), v.copy()
    found = solve_ivp(rates, (0.0, duration), np.concatenate([q, v]), "DOP853", rtol=TOLERANCE, atol=TOLERANCE)
    if not found.success:
        raise HitogataError(f"figure {figure.name!r}: no step is short enough after {found.t[-1]:g} s: {found.message}")
    end = found.y[:, -1]
    return figure.normalised(end[:nq]), end[nq:]
