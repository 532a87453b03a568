"""Changes of poses as vectors, for many samples at once.

A change φ of a figure's pose, q ⊞ φ, has the shape of v: a rotation vector for each quaternion, written in the same
axes as its angular velocity, and plain differences for all else (`hitogata.figure.rates`).  If φ varies with time, so
that exp(φ) turns at ω, its rate is φ' = J⁻¹(φ) ω, with the left Jacobian of the rotations (Chirikjian 2011, 10.86)

    J(φ) = 1 + (1 - cos θ)/θ² φ× + (θ - sin θ)/θ³ φ×²,      J⁻¹(φ) = 1 - φ×/2 + (1 - θ/2 cot(θ/2))/θ² φ×²,    θ = |φ|.
"""

import numpy as np

from hitogata.dynamics import integrate
from hitogata.figure import Figure
from hitogata.figure.rates import changes, turn_places
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_exp, quat_rotate

_SMALL = 1e-3  # [rad]: below, series are exact to rounding


def moved(figure: Figure, q: FloatArray, change: FloatArray) -> FloatArray:
    """q ⊞ change, shape (n, nq); signs of quaternions do not jump from row to row."""
    result: FloatArray = np.array(integrate(figure, np.ascontiguousarray(q), np.ascontiguousarray(change)))
    return with_unbroken_quats(figure, result)


def with_unbroken_quats(figure: Figure, q: FloatArray) -> FloatArray:
    """The same poses, shape (n, nq), with signs of quaternions that do not jump from row to row."""
    quats, _ = turn_places(figure)
    if len(q) > 1 and len(quats):
        values = q[:, quats]
        flips = np.where(np.einsum("nki,nki->nk", values[1:], values[:-1]) < 0, -1.0, 1.0)
        q[1:, quats] = values[1:] * np.cumprod(flips, axis=0)[..., None]
    return q


def steady_changes(figure: Figure, start: FloatArray, end: FloatArray) -> FloatArray:
    """Changes from `start` to `end`, shape (n, nv), that do not jump from row to row.

    The shortest turn between two orientations jumps to the other way round where they are half a turn apart.  Here the
    turn is the shortest in the row where it is smallest, and from there on, both ways, the one nearest to its
    neighbour.
    """
    result = changes(figure, start, end)
    for turns in turn_places(figure)[1]:
        result[:, turns] = _steady(result[:, turns])
    return result


def _steady(turns: FloatArray) -> FloatArray:
    """Rotation vectors, shape (n, 3), each with the number of whole turns that brings it nearest to its neighbour."""
    angle = np.linalg.norm(turns, axis=1)
    if not len(turns) or np.linalg.norm(np.diff(turns, axis=0), axis=1).max(initial=0.0) < np.pi:
        return turns
    result = turns.copy()
    axis = turns / np.maximum(angle, 1e-300)[:, None]
    first = int(angle.argmin())
    for rows in (range(first + 1, len(turns)), range(first - 1, -1, -1)):
        before = result[first]
        for i in rows:
            whole = np.round((before @ axis[i] - angle[i]) / (2 * np.pi))
            result[i] = before = turns[i] + 2 * np.pi * whole * axis[i]
    return result


def carried(figure: Figure, change: FloatArray, v: FloatArray) -> FloatArray:
    """Velocities v of poses, after the poses were moved by a change that stays: ω becomes exp(φ) ω."""
    result = v.copy()
    _, turns = turn_places(figure)
    result[..., turns] = quat_rotate(quat_exp(change[..., turns]), v[..., turns])
    return result


def rates_of_changes(figure: Figure, change: FloatArray, v: FloatArray) -> FloatArray:
    """φ' = J⁻¹(φ) v: how fast a change grows that moves a pose at rest with v."""
    result = v.copy()
    _, turns = turn_places(figure)
    phi, omega = change[..., turns], v[..., turns]
    angle = np.linalg.norm(phi, axis=-1, keepdims=True)
    safe = np.maximum(angle, _SMALL)
    factor = np.where(angle > _SMALL, (1 - safe / 2 / np.tan(safe / 2)) / safe**2, 1 / 12 + angle**2 / 720)
    across = np.cross(phi, omega)
    result[..., turns] = omega - across / 2 + factor * np.cross(phi, across)
    return result


def velocities_of_changes(figure: Figure, change: FloatArray, rate: FloatArray) -> FloatArray:
    """v = J(φ) φ': how a pose at rest moves under a change that grows."""
    result = rate.copy()
    _, turns = turn_places(figure)
    phi, dot = change[..., turns], rate[..., turns]
    angle = np.linalg.norm(phi, axis=-1, keepdims=True)
    safe = np.maximum(angle, _SMALL)
    first = np.where(angle > _SMALL, 2 * np.sin(safe / 2) ** 2 / safe**2, 1 / 2 - angle**2 / 24)
    second = np.where(angle > _SMALL, (safe - np.sin(safe)) / safe**3, 1 / 6 - angle**2 / 120)
    across = np.cross(phi, dot)
    result[..., turns] = dot + first * across + second * np.cross(phi, across)
    return result
