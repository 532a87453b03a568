"""Poses, columns S(q) and their rates Ṡ of a mechanism, for many frames at once, in numpy.

Everything is in the world's axes and about the world's origin: a column is the spatial velocity [ω; v] of the moved
bodies per unit rate of its coordinate, v that of the body's point which is at the origin (Featherstone 2008, §2).
"""

from dataclasses import dataclass

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.mechanism.evaluation import evaluate
from hitogata.figure.mechanism.tree import Mechanism, MechanismJoint
from hitogata.figure.values import ArrayLike, FloatArray, floats


@dataclass(frozen=True, eq=False)
class MechanismMotion:
    """What a mechanism does in n frames.

    Attributes:
        rotation: R_WB of every body, shape (n, nb, 3, 3).
        position: p_WB [m], shape (n, nb, 3).
        columns: S, shape (n, 6, nc).
        column_rates: Ṡ, shape (n, 6, nc); zeros where no rates were given.
        velocity: of every body, [ω; v] at the world's origin, shape (n, nb, 6).
        joint_origin: p_WM of the joint that hangs each body [m], shape (n, nb, 3).
    """

    rotation: FloatArray
    position: FloatArray
    columns: FloatArray
    column_rates: FloatArray
    velocity: FloatArray
    joint_origin: FloatArray


def mechanism_motion(mechanism: Mechanism, q: ArrayLike, qd: ArrayLike | None = None) -> MechanismMotion:
    """Poses, columns and velocities.

    Args:
        mechanism: its couplings are not looked at: give coordinates that follow them (`followed`).
        q: coordinates [rad or m], shape (nc,) or (n, nc).
        qd: their rates, same shape; None: at rest.
    """
    q = coordinate_rows(mechanism, q, "q")
    rates = np.zeros_like(q) if qd is None else coordinate_rows(mechanism, qd, "qd", len(q))
    n, nb = len(q), len(mechanism.bodies)
    rotation, position = np.empty((n, nb, 3, 3)), np.empty((n, nb, 3))
    columns, column_rates = np.zeros((n, 6, q.shape[1])), np.zeros((n, 6, q.shape[1]))
    velocity, origin = np.zeros((n, nb, 6)), np.empty((n, nb, 3))
    place = {body.name: k for k, body in enumerate(mechanism.bodies)}
    start = 0
    for k, joint in enumerate(mechanism.joints):
        own = slice(start, start + len(joint.coordinates))
        start = own.stop
        R_FM, p_FM, S, S_rate = joint_motion(joint, q[:, own], rates[:, own])
        R_PF, p_PF = joint.parent_frame.rotation, np.array(joint.parent_frame.position)
        if joint.parent is None:
            R_WF, p_WF, V = np.broadcast_to(R_PF, (n, 3, 3)), np.broadcast_to(p_PF, (n, 3)), np.zeros((n, 6))
        else:
            up = place[joint.parent]
            R_WF, p_WF, V = rotation[:, up] @ R_PF, position[:, up] + rotation[:, up] @ p_PF, velocity[:, up]
        columns[:, :, own] = moved_columns(R_WF, p_WF, S)
        column_rates[:, :, own] = moved_columns(R_WF, p_WF, S_rate) + crossed(V[:, :, None], columns[:, :, own])
        back = joint.child_frame.inverse()
        R_WM = R_WF @ R_FM
        origin[:, k] = p_WF + _turned(R_WF, p_FM)
        rotation[:, k], position[:, k] = R_WM @ back.rotation, origin[:, k] + R_WM @ np.array(back.position)
        velocity[:, k] = V + _turned(columns[:, :, own], rates[:, own])
    return MechanismMotion(rotation, position, columns, column_rates, velocity, origin)


def joint_motion(
    joint: MechanismJoint, q: FloatArray, qd: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """R_FM, p_FM, S and Ṡ of one joint, in the axes of F and about its origin.

    With X = Π exp(ξₖ θₖ(q)) and sₖ the screw ξₖ moved by the steps before it, S = Σ sₖ ∂θₖ and
    Ṡ = Σ (Vₖ × sₖ) ∂θₖ + sₖ (∂²θₖ q̇), with Vₖ the velocity that the steps before reach.

    Args:
        joint: the joint.
        q, qd: its own coordinates and rates, shape (n, k).
    """
    n, k = q.shape
    R, p = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
    S, S_rate, V = np.zeros((n, 6, k)), np.zeros((n, 6, k)), np.zeros((n, 6))
    for step in joint.steps:
        which = [joint.coordinates.index(name) for name in step.coordinates]
        value, gradient, hessian = evaluate(step.function, q[:, which])
        axis, point = np.array(step.axis), np.array(step.point)
        screw = np.zeros((n, 6))
        if step.turn:
            screw[:, :3] = R @ axis
            screw[:, 3:] = np.cross(p + R @ point, screw[:, :3])
        else:
            screw[:, 3:] = R @ axis
        screw_rate = crossed(V, screw)
        bend = np.einsum("nij,nj->ni", hessian, qd[:, which])
        for column, at in enumerate(which):
            S[:, :, at] += screw * gradient[:, column, None]
            S_rate[:, :, at] += screw_rate * gradient[:, column, None] + screw * bend[:, column, None]
        V = V + screw * (gradient * qd[:, which]).sum(axis=1)[:, None]
        if step.turn:
            turn = _turns(axis, value)
            p = p + _turned(R, point - turn @ point)
            R = R @ turn
        else:
            p = p + screw[:, 3:] * value[:, None]
    return R, p, S, S_rate


def followed(
    mechanism: Mechanism, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coordinates, rates and accelerations whose coupled entries follow the others exactly.

    Args:
        mechanism: with couplings.
        q, qd, qdd: shape (nc,) or (n, nc); what stands in the coupled entries is not looked at.

    Returns:
        New arrays q, q̇, q̈, shape (n, nc).
    """
    q = coordinate_rows(mechanism, q, "q").copy()
    qd = np.zeros_like(q) if qd is None else coordinate_rows(mechanism, qd, "qd", len(q)).copy()
    qdd = np.zeros_like(q) if qdd is None else coordinate_rows(mechanism, qdd, "qdd", len(q)).copy()
    for coupling in mechanism.couplings:
        at = mechanism.index(coupling.coordinate)
        which = [mechanism.index(name) for name in coupling.arguments]
        q[:, at], gradient, hessian = evaluate(coupling.function, q[:, which])
        bend = np.einsum("ni,nij,nj->n", qd[:, which], hessian, qd[:, which])
        qd[:, at] = (gradient * qd[:, which]).sum(axis=1)
        qdd[:, at] = (gradient * qdd[:, which]).sum(axis=1) + bend
    return q, qd, qdd


def coupling_matrix(mechanism: Mechanism, q: ArrayLike) -> FloatArray:
    """G with q̇ = G q̇_free on the couplings, shape (n, nc, nf); free coordinates as in `free_coordinates`.

    Generalized forces and mass matrix of the free coordinates are Gᵀ τ and Gᵀ M G.
    """
    q, _, _ = followed(mechanism, q)
    free = mechanism.free_coordinates
    G = np.zeros((len(q), len(mechanism.coordinates), len(free)))
    for k, name in enumerate(free):
        G[:, mechanism.index(name), k] = 1.0
    for coupling in mechanism.couplings:
        which = [mechanism.index(name) for name in coupling.arguments]
        _, gradient, _ = evaluate(coupling.function, q[:, which])
        G[:, mechanism.index(coupling.coordinate)] = np.einsum("ni,nif->nf", gradient, G[:, which])
    return G


def speed_matrix(mechanism: Mechanism, q: ArrayLike) -> FloatArray:
    """N with q̇ = N u, u the speeds as OpenSim has them, shape (n, nc, nc); the identity but where joints say otherwise.

    Forces on speeds are Nᵀ τ, their mass matrix Nᵀ M N.  Singular where an Euler angle's axes meet.
    """
    q = coordinate_rows(mechanism, q, "q")
    N = np.tile(np.eye(q.shape[1]), (len(q), 1, 1))
    start = 0
    for joint in mechanism.joints:
        own = slice(start, start + len(joint.coordinates))
        start = own.stop
        if joint.speed_axes is not None:
            _, _, S, _ = joint_motion(joint, q[:, own], np.zeros_like(q[:, own]))
            turning = np.array(joint.speed_axes) @ S[:, :3, :3]
            N[:, own.start : own.start + 3, own.start : own.start + 3] = np.linalg.inv(turning)
    return N


def coordinate_rows(mechanism: Mechanism, values: ArrayLike, what: str, rows: int | None = None) -> FloatArray:
    """Coordinates as rows, shape (n, nc), all finite, or ArgumentError."""
    result = np.atleast_2d(floats(values, what)).astype(np.float64, copy=False)
    nc = len(mechanism.coordinates)
    if result.ndim != 2 or result.shape[1] != nc or rows not in (None, len(result)):
        raise ArgumentError(f"{what}: expected shape ({rows or 'n'}, {nc}), got {result.shape}")
    if not np.isfinite(result).all():
        row, column = np.argwhere(~np.isfinite(result))[0]
        raise ArgumentError(f"{what}: frame {row}, coordinate {mechanism.coordinates[column]!r} is not finite")
    return result


def moved_columns(R: FloatArray, p: FloatArray, S: FloatArray) -> FloatArray:
    """Columns [ω; v], shape (n, 6, k), seen from a frame in which theirs sits at R (n, 3, 3), p (n, 3)."""
    angular, linear = R @ S[:, :3], R @ S[:, 3:]
    return np.concatenate([angular, linear + np.cross(p[:, :, None], angular, axis=1)], axis=1)


def crossed(V: FloatArray, S: FloatArray) -> FloatArray:
    """V × S of spatial velocities, shape (n, 6) or (n, 6, k): how S changes if it moves with V."""
    w, v = V[:, :3], V[:, 3:]
    angular = np.cross(w, S[:, :3], axis=1)
    return np.concatenate([angular, np.cross(w, S[:, 3:], axis=1) + np.cross(v, S[:, :3], axis=1)], axis=1)


def _turned(R: FloatArray, x: FloatArray) -> FloatArray:
    """Rows of matrices (n, i, j) times rows of vectors (n, j)."""
    result: FloatArray = np.einsum("nij,nj->ni", R, x)
    return result


def _turns(axis: FloatArray, angle: FloatArray) -> FloatArray:
    """Rotation matrices about a unit axis by angles (n,): cos 1 + sin [a]× + (1 - cos) a aᵀ."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    c, s = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    result: FloatArray = c * np.eye(3) + s * skew + (1 - c) * np.outer(axis, axis)
    return result
