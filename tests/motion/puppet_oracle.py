"""The two-level solve with dense matrices: Jacobians by differences, the equations as they stand in the paper.

    θ̇ = J_P^# ṙ + W y,     y = S* Δṗ        S = J_aux W,   W = 1 − J_P^# J_P,   Δṗ = ṗ − J_aux J_P^# ṙ
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

from hitogata.dynamics import centre_of_mass, forward_kinematics, integrate
from hitogata.figure import Figure, JointKind
from hitogata.solve import Problem, Status, principal_pivoting
from hitogata.solve.inverse import null_space_projector, sr_inverse, weighted_pseudo_inverse

EPS = 1e-6
BENT = 0.005
"""Hinges stop so far before their limits [rad]."""


@dataclass(frozen=True)
class Task:
    """Rows of one handle: Jacobian (k, nv), error (k,), weight, level 1 or 2, metres per unit, authority."""

    J: np.ndarray
    error: np.ndarray
    level: int = 2
    weight: float = 1.0
    size: float = 1.0
    authority: float = 1.0


def differences(figure: Figure, q: np.ndarray, value: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """d value / d v by central differences along every velocity, shape (k, nv)."""
    columns = [
        (value(integrate(figure, q, step)) - value(integrate(figure, q, -step))) / (2 * EPS)
        for step in np.eye(figure.nv) * EPS
    ]
    return np.array(columns).T


def frame_pose(figure: Figure, q: np.ndarray, frame: str, point=(0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    link, pose = figure.frame(frame)
    poses = forward_kinematics(figure, q)
    return poses.position[link] + poses.rotation[link] @ pose.apply(point), poses.rotation[link] @ pose.rotation


def point_task(figure, q, frame, target, point=(0.0, 0.0, 0.0), axes=(1, 1, 1), **options) -> Task:
    J = differences(figure, q, lambda x: frame_pose(figure, x, frame, point)[0])
    error = np.asarray(target) - frame_pose(figure, q, frame, point)[0]
    kept = np.array(axes) > 0
    return Task((J * np.array(axes)[:, None])[kept], (error * axes)[kept], **options)


def turn_task(figure, q, frame, quat, **options) -> Task:
    here = frame_pose(figure, q, frame)[1]
    J = differences(figure, q, lambda x: Rotation.from_matrix(frame_pose(figure, x, frame)[1] @ here.T).as_rotvec())
    left = Rotation.from_quat(np.roll(quat, -1)) * Rotation.from_matrix(here).inv()
    return Task(J, left.as_rotvec(), size=0.3, **options)


def chord(figure, q, frame, target, axis) -> np.ndarray:
    """Error of a gaze: twice the sine of half the angle, along two directions fixed in the frame, across its axis."""
    at, rot = frame_pose(figure, q, frame)
    u = rot.T @ (np.asarray(target) - at)
    u /= np.linalg.norm(u)
    a = np.asarray(axis) / np.linalg.norm(axis)
    angle = np.arctan2(np.linalg.norm(np.cross(a, u)), a @ u)
    turn = np.cross(a, u)
    turn = turn / np.linalg.norm(turn) if np.linalg.norm(turn) > 0 else turn
    return null_space(a[None]).T @ turn * 2 * np.sin(angle / 2)


def gaze_task(figure, q, frame, target, axis=(1, 0, 0), **options) -> Task:
    J = differences(figure, q, lambda x: chord(figure, x, frame, target, axis))
    return Task(J, -chord(figure, q, frame, target, axis), size=0.3, **options)


def balance_task(figure, q, corners, **options) -> Task:
    """One row, from the nearest place of a convex polygon to the centre of mass."""
    centre = centre_of_mass(figure, q)[:2]
    ends = np.roll(corners, -1, axis=0)
    t = np.clip(np.sum((centre - corners) * (ends - corners), 1) / np.sum((ends - corners) ** 2, 1), 0, 1)
    feet = corners + t[:, None] * (ends - corners)
    away = centre - feet[np.linalg.norm(centre - feet, axis=1).argmin()]
    distance = np.linalg.norm(away)
    J = differences(figure, q, lambda x: (away / distance) @ centre_of_mass(figure, x)[:2, None])
    return Task(J.reshape(1, -1), np.array([-distance]), authority=min(1.0, distance / 0.02) ** 2, **options)


# ------------------------------------------------------- walls


def walls(figure: Figure, q: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows (k, nv) and rooms (k,) of all limits nearer than a margin; rows by differences."""

    def rooms(x: np.ndarray) -> np.ndarray:
        found = []
        for link, at in zip(figure.links, figure.q_starts, strict=True):
            given, kind = link.joint.range, link.joint.kind
            if given is None:
                continue
            if kind is JointKind.BALL:
                depth = given.violation(x[at : at + 4])
                found += [-float(depth.swing_depth), -float(depth.twist_depth)]
            else:
                for k, (low, high) in enumerate(np.reshape(given, (-1, 2))):
                    found.append(min(x[at + k] - low, high - x[at + k]))
                    hinges.append(len(found) - 1)
        return np.array(found)

    hinges: list[int] = []
    gaps = rooms(q)
    gaps[hinges] = np.minimum(gaps[hinges], np.maximum(gaps[hinges] - BENT, 0.0))
    near = gaps < margin
    return differences(figure, q, rooms)[near], gaps[near]


# ------------------------------------------------------- the solve


def stacked(tasks: list[Task], level: int, nv: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Jacobian, error and weights of a level, and ½ Σ R e²."""
    own = [t for t in tasks if t.level == level]
    J = np.concatenate([np.zeros((0, nv)), *[t.J for t in own]])
    e = np.concatenate([np.zeros(0), *[t.error for t in own]])
    R = np.concatenate([np.zeros(0), *[np.full(len(t.J), t.weight * t.size**2) for t in own]])
    s = np.concatenate([np.zeros(0), *[np.full(len(t.J), t.authority) for t in own]])
    return J, e, np.stack([R, s]), 0.5 * float(np.sum(R * s * e * e))


def softened(weights, damping) -> np.ndarray:
    """Weights R of rows, less where they lack authority s: κ/R' = (κ + 0.3 (1 − s)/s)/R."""
    R, s = weights
    return R / (1.0 + 0.3 * (1.0 - s) / (s * damping))


def two_levels(tasks, mobility, damping, *, missing=None, pull=None) -> np.ndarray:
    """The change, without walls.

    Args:
        tasks: the rows.
        mobility: D, shape (nv,).
        damping: κ₀.
        missing: to the wanted joint values, shape (nv,).
        pull: weight ρ of these, in units of κ/D, shape (nv,).
    """
    nv = len(mobility)
    pull = np.zeros(nv) if pull is None else pull
    missing = np.zeros(nv) if missing is None else missing
    (J1, e1, w1, E1), (J2, e2, w2, E2) = stacked(tasks, 1, nv), stacked(tasks, 2, nv)
    cost = (1.0 + pull) / mobility
    first, N = np.zeros(nv), np.eye(nv)
    if len(J1):
        first = sr_inverse(J1, damping + E1, weights=cost, task_weights=w1[0]) @ e1
        N = null_space_projector(J1, cost)
        assert np.allclose(N, np.eye(nv) - weighted_pseudo_inverse(J1, cost) @ J1, atol=1e-9)
    k = damping + E2
    moved = pull > 0
    S = np.concatenate([J2, np.eye(nv)[moved]]) @ N
    asked = np.concatenate([e2 - J2 @ first, (missing - first)[moved]])
    R = np.concatenate([softened(w2, k), (k * pull / mobility)[moved]])
    if not len(S):
        return first
    return first + N @ sr_inverse(S, k, weights=1.0 / mobility, task_weights=R) @ asked


def two_levels_with_walls(tasks, mobility, damping, rows, gaps) -> np.ndarray:
    """The change with walls, rows · change + gap >= 0: two quadratic programs, one after the other."""
    nv = len(mobility)
    (J1, e1, w1, E1), (J2, e2, w2, E2) = stacked(tasks, 1, nv), stacked(tasks, 2, nv)
    k1, k2 = damping + E1, damping + E2
    first, free = np.zeros(nv), np.eye(nv)
    if len(J1):
        first = _within(np.diag(1 / mobility) + J1.T @ np.diag(w1[0] / k1) @ J1, J1.T @ (w1[0] / k1 * e1), rows, gaps)
        free = null_space(J1, rcond=1e-9)
    R2 = softened(w2, k2) / k2
    P = free.T @ (np.diag(1 / mobility) + J2.T @ np.diag(R2) @ J2) @ free
    g = free.T @ (J2.T @ (R2 * (e2 - J2 @ first)))
    return first + free @ _within(P, g, rows @ free, gaps + rows @ first)


def _within(P, g, rows, gaps) -> np.ndarray:
    """Least ½ xᵀPx − gᵀx with rows x + gaps >= 0, by its dual: a complementarity problem."""
    inverse = np.linalg.inv(P)
    if not len(rows):
        return inverse @ g
    solution = principal_pivoting(Problem(rows @ inverse @ rows.T, rows @ inverse @ g + gaps))
    assert solution.status is Status.CONVERGED
    return inverse @ (g + rows.T @ solution.lam)


