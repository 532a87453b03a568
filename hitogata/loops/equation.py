"""The one equation: say what is known of accelerations, torques, constraint forces and tips, and get the rest.

Nakamura & Yamane 2000, eq. 11 and 23:

    [A  -Hᵀ  -1]  [v̇]     [-b + external]
    [H   0    0]  [f] =   [-Ḣ v         ]        physics: the equation of motion, and rigid virtual links
    [J   0    0]  [τ]     [r̈ - J̇ v      ]        tips: accelerations of hands, feet, ...

What is known moves to the right side; what is left is solved in two levels.  First physics: if it has many solutions,
those are kept.  Among them the tips are met as well as can be; and of what is then still open, the solution with the
least Σ w (x - preferred)² is taken (a weighted pseudo-inverse).

With all torques known and nothing else, this is forward dynamics, and `constrained_dynamics` does it in O(n).
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import GRAVITY, inverse_dynamics, jacobian, jacobian_derivative, mass_matrix
from hitogata.dynamics.dispatch import Array, vector
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.loops.arguments import one_state
from hitogata.loops.forward import constrained_dynamics
from hitogata.loops.knowns import Weights, costs, knowns, numbers
from hitogata.loops.link_set import LinkHandle, Links, links_of
from hitogata.loops.row_values import link_rows

RANK = 1e-10
"""Singular values below this part of the largest count as zero."""

MET = 1e-7
"""Residuals below this part of the right side's size count as met."""


class MotionStatus(enum.Enum):
    """What became of the equation."""

    UNIQUE = "unique"  # the knowns leave exactly one motion
    CHOSEN = "chosen"  # they leave many; the least weighted one was taken
    TIPS_UNMET = "tips unmet"  # physics holds, but no motion gives the tips these accelerations
    INCONSISTENT = "inconsistent"  # the knowns contradict physics; least squares


@dataclass(frozen=True)
class Tip:
    """A frame whose acceleration is known.

    Attributes:
        frame: name of a link or named frame.
        linear: acceleration of its origin (or `point`), world axes [m/s²], shape (3,); None: not known.
        angular: its angular acceleration, world axes [rad/s²], shape (3,); None: not known.
        point: in the frame [m]; None: its origin.
    """

    frame: str
    linear: Any = None
    angular: Any = None
    point: Any = None


@dataclass(frozen=True, eq=False)
class MotionSolution:
    """Accelerations, forces and torques that belong together.

    Attributes:
        links: the virtual links.
        vdot: accelerations, shape (nv,).
        forces: of the rigid links' rows, shape (held,) [N, N m].
        tau: generalized forces, shape (nv,) [N m], [N].
        status: what became of the equation.
        rank: of the equations, in the unknowns.
        unknowns: how many there were; unknowns - rank of them could be chosen.
        residual: greatest violation of physics [N m, N, m/s²].
        tip_residual: greatest error of a tip's acceleration [m/s², rad/s²].
    """

    links: Links
    vdot: Array
    forces: Array
    tau: Array
    status: MotionStatus
    rank: int
    unknowns: int
    residual: float
    tip_residual: float

    def force(self, handle: LinkHandle) -> Array:
        """Forces of the rows of one rigid link."""
        result: Array = self.forces[self.links.rows_of(handle)]
        return result


def solve_motion(
    links: Links,
    q: Any,
    v: Any,
    *,
    vdot: Any = None,
    tau: Any = None,
    forces: dict[LinkHandle, Any] | None = None,
    tips: Sequence[Tip] = (),
    unpowered: Sequence[str] | None = None,
    preferred: Any = None,
    weights: Weights | None = None,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
) -> MotionSolution:
    """Accelerations, constraint forces and torques, from those that are known.

    Args:
        links: the virtual links, with their figure; compliant ones act as springs.
        q: coordinates, shape (nq,).
        v: velocities, shape (nv,).
        vdot: known accelerations: all, shape (nv,), or a dictionary from joints to theirs; None: none.
        tau: known generalized forces, likewise.
        forces: known forces of rigid links' rows, by handle.
        tips: known accelerations of frames.
        unpowered: joints without motors, their torque is 0; None: a free root.
        preferred: accelerations to come near to where there is a choice, shape (nv,); None: zeros.
        weights: what unknowns cost where there is a choice.
        wrenches: external [torque; force] on each link of the figure, as for `forward_dynamics`.
        gravity: acceleration of gravity, world axes [m/s²].

    Raises:
        ArgumentError: shapes, names, handles, numbers that are not finite, or a torque given to an unpowered joint.
    """
    figure = links_of(links).figure
    q, v = one_state(figure, q, v)
    known_vdot, known_tau, known_force = knowns(links, vdot, tau, forces, unpowered)
    gravity = vector("gravity", gravity)
    if not np.isnan(known_tau).any() and np.isnan(known_vdot).all() and np.isnan(known_force).all() and not tips:
        held = constrained_dynamics(links, q, v, known_tau, wrenches=wrenches, gravity=gravity)
        met = held.residual <= MET * (1.0 + np.abs(held.vdot).max(initial=0.0))
        regular = MotionStatus.UNIQUE if held.rank == links.held else MotionStatus.CHOSEN
        return MotionSolution(
            links, held.vdot, held.forces[: links.held], known_tau, regular if met else MotionStatus.INCONSISTENT,
            figure.nv + held.rank, figure.nv + links.held, held.residual, 0.0,
        )  # fmt: skip
    physics, right = _physics(links, q, v, wrenches, gravity)
    tip_rows, tip_right = _tips(figure, q, v, tips)
    known = np.concatenate([known_vdot, known_force, known_tau])
    goal = np.zeros(len(known))
    if preferred is not None:
        goal[: figure.nv] = numbers("preferred", preferred, (figure.nv,))
    x, ranks, off, tip_off = _two_levels(physics, right, tip_rows, tip_right, known, goal, costs(links, weights))
    unknowns = int(np.isnan(known).sum())
    status = MotionStatus.UNIQUE if ranks == unknowns else MotionStatus.CHOSEN
    if tip_off > MET * (1.0 + np.abs(tip_right).max(initial=0.0)):
        status = MotionStatus.TIPS_UNMET
    if off > MET * (1.0 + np.abs(right).max()):
        status = MotionStatus.INCONSISTENT
    nv, m = figure.nv, links.held
    return MotionSolution(links, x[:nv], x[nv : nv + m], x[nv + m :], status, ranks, unknowns, off, tip_off)


# ------------------------------------------------------- the equations


def _physics(links: Links, q: Array, v: Array, wrenches: Any, gravity: Any) -> tuple[Array, Array]:
    """[A -Hᵀ -1; H 0 0], and the right side."""
    figure, m = links.figure, links.held
    rows, nv = link_rows(links, q, v), figure.nv
    H = rows.jacobian[:m]
    matrix = np.zeros((nv + m, 2 * nv + m))
    matrix[:nv, :nv], matrix[:nv, nv : nv + m], matrix[:nv, nv + m :] = mass_matrix(figure, q), -H.T, -np.eye(nv)
    matrix[nv:, :nv] = H
    load = inverse_dynamics(figure, q, v, np.zeros(nv), wrenches=wrenches, gravity=gravity)
    soft = _spring_forces(links, rows.value, rows.rate)
    return matrix, np.concatenate([rows.jacobian[m:].T @ soft - load, -rows.bias[:m]])


def _spring_forces(links: Links, value: Array, rate: Array) -> Array:
    """Forces of the rows of compliant links."""
    parts = [link for _, link in links.links if not link.rigid for _ in range(link.rows)]
    compliance = np.array([link.compliance for link in parts])
    relaxation = np.array([link.relaxation for link in parts])
    result: Array = -(value[links.held :] + relaxation * rate[links.held :]) / compliance
    return result


def _tips(figure: Figure, q: Array, v: Array, tips: Sequence[Tip]) -> tuple[Array, Array]:
    """Rows of J, and r̈ - J̇ v, of all tips."""
    rows, right = [np.zeros((0, figure.nv))], [np.zeros(0)]
    for tip in tips:
        if not isinstance(tip, Tip):
            raise ArgumentError(f"tips: expected Tip, got {tip!r}")
        if tip.linear is None and tip.angular is None:
            raise ArgumentError(f"tip {tip.frame!r}: give its linear or its angular acceleration, or both")
        J = jacobian(figure, q, tip.frame, point=tip.point)
        drift = jacobian_derivative(figure, q, v, tip.frame, point=tip.point) @ v
        for part, value, what in ((slice(0, 3), tip.angular, "angular"), (slice(3, 6), tip.linear, "linear")):
            if value is not None:
                rows.append(J[part])
                right.append(numbers(f"tip {tip.frame!r}: {what}", value, (3,)) - drift[part])
    return np.concatenate(rows), np.concatenate(right)


def _two_levels(
    physics: Array, right: Array, tips: Array, tip_right: Array, known: Array, goal: Array, cost: Array
) -> tuple[Array, int, float, float]:
    """Unknowns filled in; rank, residual of physics, residual of the tips."""
    open_ = np.isnan(known)
    x = np.where(open_, goal, known)
    scale = 1.0 / np.sqrt(cost[open_])
    level = 1.0 / np.maximum(np.linalg.norm(physics, axis=1), 1e-300)  # rows of a size
    tip_full = np.zeros((len(tips), len(known)))
    tip_full[:, : tips.shape[1]] = tips
    least, null, rank = _least((physics[:, open_] * level[:, None]) * scale, (right - physics @ x) * level)
    y = least
    if len(tips):
        rest = tip_right - tip_full @ x
        reach = tip_full[:, open_] * scale
        more, _, tip_rank = _least(reach @ null, rest - reach @ y, float(np.linalg.norm(reach)))
        y, rank = y + null @ more, rank + tip_rank
    x[open_] += y * scale
    return x, rank, _worst(physics @ x - right), _worst(tip_full @ x - tip_right)


def _least(matrix: Array, right: Array, size: float = 1e-300) -> tuple[Array, Array, int]:
    """Least solution, null space (columns, orthonormal) and rank; `size`: of what the matrix is a remainder of."""
    if 0 in matrix.shape:
        return np.zeros(matrix.shape[1]), np.eye(matrix.shape[1]), 0
    u, s, vt = np.linalg.svd(matrix)
    rank = int((s > RANK * max(s[0], size)).sum())
    return vt[:rank].T @ ((u[:, :rank].T @ right) / s[:rank]), vt[rank:].T, rank


def _worst(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))
