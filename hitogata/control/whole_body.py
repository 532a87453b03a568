"""Torques of all joints from what the whole body should do: inverse dynamics with contact, as least squares.

Unknown are the accelerations v̇ and the forces λ ≥ 0 along the rays of friction pyramids at the corners of the feet that
stand (de Lasa et al. 2010; Herzog et al. 2014, without its hierarchy):

    least of  Σ w² |A v̇ + a - wanted|²       tasks: centre of mass, spin about it, root, feet, joints
    with      M_r v̇ + b_r = Σ J_rᵀ r λ        the root has no motor (Newton-Euler of the whole body)

The root's equation is a task of great weight; v̇ is eliminated by a QR factorisation, which leaves non-negative least
squares in λ (Lawson & Hanson 1974).  Torques are those of inverse dynamics with these forces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.optimize import nnls

from hitogata.dynamics import forward_kinematics, inverse_dynamics, jacobian, jacobian_derivative, mass_matrix
from hitogata.dynamics.kinematics import LinkPoses
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Figure, JointKind
from hitogata.figure.pose import FloatArray

ROOT, FORCE = 1e3, 1e-3
"""Weight of the root's equation, and of forces against each other [1/N]."""
RAYS = 0.7071067811865476 * np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)])


Standing = tuple[int, Any]
"""Number of a foot, and which corners of its sole may push (a slice or numbers)."""


@dataclass(frozen=True, eq=False)
class Task:
    """What a frame, the joints or the centre of mass should do: |weight (A v̇ - wanted)| is to be small."""

    matrix: FloatArray
    wanted: FloatArray
    weight: FloatArray | float


@dataclass(frozen=True, eq=False)
class Wanted:
    """Accelerations and torques of a step.

    Attributes:
        vdot: accelerations, shape (nv,).
        tau: torques of the joints, shape (nv,); 0 for the root.
        force: of each corner that stands, world axes [N], shape (n, 3).
        missed: torque and force that the root would need and does not get [N m], [N], shape (6,).
    """

    vdot: FloatArray
    tau: FloatArray
    force: FloatArray
    missed: FloatArray


class Body:
    """A figure in one state, and what controllers ask of it.

    Args:
        figure: with a free root.
        feet: names of its feet; each has a box, whose lower corners are those of its sole.
    """

    def __init__(self, figure: Figure, feet: Sequence[str]) -> None:
        if figure.links[0].joint.kind is not JointKind.FREE:
            raise ArgumentError(f"figure {figure.name!r}: its root must be free")
        self.figure, self.feet, self.mass = figure, tuple(feet), figure.mass
        self.masses = np.array([link.mass.mass for link in figure.links])
        self.centres = np.array([link.mass.centre for link in figure.links])
        self.foot_links = [figure.link_index(foot) for foot in feet]
        self.soles = [sole_corners(figure, foot) for foot in feet]

    def look(self, q: FloatArray, v: FloatArray) -> None:
        """Take a state."""
        figure = self.figure
        self.q, self.v = q, v
        self.poses: LinkPoses = forward_kinematics(figure, q)
        self.inertia = mass_matrix(figure, q)
        self.bias = inverse_dynamics(figure, q, v, np.zeros(figure.nv))
        turned = np.einsum("lij,lj->li", self.poses.rotation, self.centres)
        self.com: FloatArray = self.masses @ (self.poses.position + turned) / self.mass
        self.com_rate: FloatArray = self.inertia[3:6] @ v / self.mass
        self.corners = [self.place(k) for k in range(len(self.feet))]
        self.jacobians = [jacobian(figure, q, foot) for foot in self.feet]

    def place(self, foot: int) -> FloatArray:
        """Corners of a sole in the world [m], shape (4, 3)."""
        k = self.foot_links[foot]
        result: FloatArray = self.soles[foot] @ self.poses.rotation[k].T + self.poses.position[k]
        return result

    def sole_heights(self, q: FloatArray) -> FloatArray:
        """How high the corners of the soles are above the lowest of all poses (n, nq) [m], shape (n, feet, 4)."""
        poses = forward_kinematics(self.figure, q)
        heights = [
            (sole @ np.swapaxes(poses.rotation[:, k], 1, 2) + poses.position[:, k, None])[..., 2]
            for k, sole in zip(self.foot_links, self.soles, strict=True)
        ]
        result: FloatArray = np.stack(heights, axis=1)
        return result - result.min()

    def spin_matrix(self) -> tuple[FloatArray, FloatArray]:
        """A, a: the rate of the spin about the centre of mass is A v̇ + a, shape (3, nv), (3,)."""
        cross = cross_matrices((self.com - self.q[:3])[None])[0]
        return self.inertia[:3] - cross @ self.inertia[3:6], self.bias[:3] - cross @ self.bias[3:6]

    def spin(self) -> FloatArray:
        """Angular momentum about the centre of mass [kg m²/s], shape (3,)."""
        momentum = self.inertia[:6] @ self.v
        result: FloatArray = momentum[:3] - cross_matrices((self.com - self.q[:3])[None])[0] @ momentum[3:]
        return result

    def com_task(self, acceleration: FloatArray, weight: FloatArray | float) -> Task:
        """The centre of mass accelerates so [m/s²]."""
        drift = self.bias[3:6] / self.mass - [0.0, 0.0, 9.81]
        return Task(self.inertia[3:6] / self.mass, acceleration - drift, weight)

    def frame_task(self, frame: str, acceleration: FloatArray, weight: FloatArray | float) -> Task:
        """A link accelerates so, [angular; linear]."""
        J = self.jacobians[self.feet.index(frame)] if frame in self.feet else jacobian(self.figure, self.q, frame)
        drift = jacobian_derivative(self.figure, self.q, self.v, frame) @ self.v
        return Task(J, acceleration - drift, weight)

    def frame_rate(self, foot: int) -> FloatArray:
        """Velocity of a foot, [angular; linear], shape (6,)."""
        result: FloatArray = self.jacobians[foot] @ self.v
        return result


def cross_matrices(arms: FloatArray) -> FloatArray:
    """Matrices of the cross products with vectors (n, 3), shape (n, 3, 3)."""
    result = np.zeros((len(arms), 3, 3))
    result[:, [2, 0, 1], [1, 2, 0]] = arms[:, [0, 1, 2]]
    result[:, [1, 2, 0], [2, 0, 1]] = -arms[:, [0, 1, 2]]
    return result


def turn_between(start: FloatArray, end: FloatArray) -> FloatArray:
    """Rotation vector that turns one rotation matrix to another, world axes, shape (3,)."""
    turn = end @ start.T
    axis = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine, cosine = float(np.sqrt(axis @ axis)), 0.5 * (float(np.trace(turn)) - 1.0)
    if sine < 1e-9:
        return axis
    result: FloatArray = axis * (np.arctan2(sine, cosine) / sine)
    return result


def sole_corners(figure: Figure, foot: str) -> FloatArray:
    """Lower corners of the box of a foot, in its frame [m], shape (4, 3)."""
    for shape in figure.link(foot).shapes:
        if isinstance(shape, Box):
            x, y, z = shape.half_sizes
            signs = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)], float)
            corners = np.column_stack([signs * (x, y), np.full(4, -z)])
            result: FloatArray = corners @ shape.pose.rotation.T + shape.pose.position
            return result
    raise ArgumentError(f"figure {figure.name!r}, link {foot!r}: a foot needs a Box as its sole")


def pushes(body: Body, standing: Sequence[Standing], friction: float) -> tuple[FloatArray, FloatArray]:
    """Rays of the friction pyramids, (4, 3), and what a unit force along each does to the root, (6, rays)."""
    points = np.concatenate([body.corners[k][c] for k, c in standing]) if standing else np.zeros((0, 3))
    rays = np.column_stack([friction * RAYS, np.ones(4)])
    force = np.broadcast_to(rays, (len(points), 4, 3))
    torque = (cross_matrices(points - body.q[:3]) @ force.swapaxes(1, 2)).swapaxes(1, 2)
    return rays, np.concatenate([torque, force], axis=-1).reshape(-1, 6).T


def less_contact(body: Body, tau: FloatArray, standing: Sequence[Standing], forces: FloatArray) -> None:
    """Take from torques what the forces of the feet do."""
    at = 0
    for k, chosen in standing:
        own = body.corners[k][chosen] - body.poses.position[body.foot_links[k]]
        f = forces[at : at + len(own)]
        moment = (cross_matrices(own) @ f[..., None])[..., 0].sum(0)
        tau -= body.jacobians[k].T @ np.concatenate([moment, f.sum(0)])
        at += len(own)


def led(
    body: Body, vdot: FloatArray, standing: Sequence[Standing], friction: float, limits: tuple[float, float]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Accelerations that are given, with a root motor of limited force [N] and torque [N m].

    Feet give the root as much as they can of what it needs, the motor of the root the rest up to its limits; what is
    missing then, the root goes without.

    Returns:
        accelerations (nv,), torques of the joints (nv,), torque and force of the root motor (6,).
    """
    wanted = vdot.copy()
    need = body.inertia[:6] @ wanted + body.bias[:6]
    rays, push = pushes(body, standing, friction)
    sizes = np.zeros(push.shape[1])
    if len(sizes):
        weight = np.array([5.0, 5.0, 5.0, 1.0, 1.0, 1.0])  # of torques against forces [1/m]
        matrix = np.concatenate([weight[:, None] * push, 0.5 * np.eye(len(sizes))])
        sizes, _ = nnls(matrix, np.concatenate([weight * need, np.zeros(len(sizes))]), maxiter=400)
        sizes *= min(1.0, 1.5 * 9.81 * body.mass / max(float(sizes.sum()), 1e-9))  # feet do not plan to stamp
    forces = (sizes.reshape(-1, 4) @ rays) if len(sizes) else np.zeros((0, 3))
    missing = need - push @ sizes
    motor = np.concatenate([_no_longer(missing[:3], limits[1]), _no_longer(missing[3:], limits[0])])
    wanted[:6] -= np.linalg.solve(body.inertia[:6, :6], missing - motor)
    tau = body.inertia @ wanted + body.bias
    less_contact(body, tau, standing, forces)
    tau[:6] = 0.0
    return wanted, tau, motor


def _no_longer(vector: FloatArray, most: float) -> FloatArray:
    size = float(np.sqrt(vector @ vector))
    return vector if size <= most else vector * (most / size)


def solve(body: Body, tasks: Sequence[Task], standing: Sequence[Standing], friction: float) -> Wanted:
    """Accelerations, torques and forces; `standing`: feet that may push, and with which corners."""
    rows = [np.atleast_1d(np.asarray(task.weight, float))[:, None] * task.matrix for task in tasks]
    right = [np.asarray(task.weight, float) * task.wanted for task in tasks]
    root = body.inertia[:6]
    scale = ROOT / body.mass
    matrix = np.concatenate([*rows, scale * root])
    wanted = np.concatenate([*right, -scale * body.bias[:6]])
    rays, push = pushes(body, standing, friction)
    q_factor, triangle = qr(matrix, mode="economic", check_finite=False)
    sizes = np.zeros(push.shape[1])
    if push.shape[1]:
        pull = np.zeros((len(matrix), push.shape[1]))
        pull[-6:] = -scale * push  # matrix v̇ + pull λ = wanted
        left = pull - q_factor @ (q_factor.T @ pull)
        rest = wanted - q_factor @ (q_factor.T @ wanted)
        small = FORCE * np.eye(push.shape[1])
        sizes, _ = nnls(np.concatenate([left, small]), np.concatenate([rest, np.zeros(push.shape[1])]), maxiter=400)
        wanted = wanted - pull @ sizes
    vdot = solve_triangular(triangle, q_factor.T @ wanted, check_finite=False)
    forces = (sizes.reshape(-1, 4) @ rays) if len(sizes) else np.zeros((0, 3))
    tau = body.inertia @ vdot + body.bias
    less_contact(body, tau, standing, forces)
    missed, tau[:6] = tau[:6].copy(), 0.0
    return Wanted(vdot, tau, forces, missed)
