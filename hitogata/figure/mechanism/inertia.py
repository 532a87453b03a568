"""Mass matrix, generalized gravity and inverse dynamics of a mechanism, by the columns S(q), for many frames at once.

The recursion over bodies is that of Newton and Euler (Featherstone 2008, §5.3), the mass matrix that of composite
bodies (§6.2), in the world's axes and about the world's origin.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.mechanism.motion import (
    MechanismMotion,
    coordinate_rows,
    mechanism_motion,
)
from hitogata.figure.mechanism.tree import Mechanism
from hitogata.figure.values import ArrayLike, FloatArray, floats


@dataclass(frozen=True, eq=False)
class GeneralizedForces:
    """What moves a mechanism as given.

    Attributes:
        tau: forces on the rates of coordinates [N m or N], shape (n, nc).
        reactions: [torque; force] that the parent does to each body through its joint, motors included, about the
            joint's origin M, in world axes, shape (n, nb, 6).
        motion: the poses and columns it was found from.
    """

    tau: FloatArray
    reactions: FloatArray
    motion: MechanismMotion


def mechanism_mass_matrix(mechanism: Mechanism, q: ArrayLike) -> FloatArray:
    """M of the rates of coordinates, shape (n, nc, nc)."""
    motion = mechanism_motion(mechanism, q)
    S = motion.columns
    parents, owners = _parents(mechanism), _owners(mechanism)
    composite = np.stack([_inertias(mechanism, motion, k) for k in range(len(parents))], axis=1)
    for k in range(len(parents) - 1, -1, -1):
        if parents[k] >= 0:
            composite[:, parents[k]] += composite[:, k]
    M = np.zeros((len(S), S.shape[2], S.shape[2]))
    for body in range(len(parents)):
        own = [c for c, owner in enumerate(owners) if owner == body]
        if not own:
            continue
        momentum = composite[:, body] @ S[:, :, own]
        line = [c for c, owner in enumerate(owners) if owner in _ancestry(parents, body)]
        block = np.einsum("nik,nil->nkl", S[:, :, line], momentum)
        for column, c in enumerate(own):
            M[:, line, c] = block[:, :, column]
            M[:, c, line] = block[:, :, column]
    return M


def generalized_gravity(mechanism: Mechanism, q: ArrayLike) -> FloatArray:
    """Forces that gravity does to the coordinates [N m or N], shape (n, nc)."""
    q = coordinate_rows(mechanism, q, "q")
    zero = np.zeros_like(q)
    return -mechanism_inverse_dynamics(mechanism, q, zero, zero).tau


def mechanism_inverse_dynamics(
    mechanism: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    wrenches: ArrayLike | None = None,
) -> GeneralizedForces:
    """Forces that give the accelerations q̈: τ = M q̈ + c(q, q̇) - Σ Jᵀ f.

    Args:
        mechanism: couplings are not looked at.
        q, qd, qdd: coordinates, rates, accelerations, shape (nc,) or (n, nc).
        wrenches: external [torque about the world's origin; force] on each body, world axes, shape (n, nb, 6).
    """
    q = coordinate_rows(mechanism, q, "q")
    n, nb = len(q), len(mechanism.bodies)
    qd, qdd = coordinate_rows(mechanism, qd, "qd", n), coordinate_rows(mechanism, qdd, "qdd", n)
    motion = mechanism_motion(mechanism, q, qd)
    S, parents, owners = motion.columns, _parents(mechanism), _owners(mechanism)
    acceleration = np.zeros((n, nb, 6))
    force = np.zeros((n, nb, 6)) if wrenches is None else -checked_wrenches(wrenches, (n, nb, 6))
    pushes = S * qdd[:, None, :] + motion.column_rates * qd[:, None, :]
    ground = np.concatenate([np.zeros(3), -np.array(mechanism.gravity)])
    for k in range(nb):
        own = [c for c, owner in enumerate(owners) if owner == k]
        above = acceleration[:, parents[k]] if parents[k] >= 0 else ground
        acceleration[:, k] = above + pushes[:, :, own].sum(axis=2)
        force[:, k] += _body_forces(mechanism, motion, k, acceleration[:, k])
    for k in range(nb - 1, 0, -1):
        if parents[k] >= 0:
            force[:, parents[k]] += force[:, k]
    tau = np.einsum("nic,nci->nc", S, force[:, owners]) if owners else np.zeros((n, 0))
    reactions = force.copy()
    reactions[:, :, :3] -= np.cross(motion.joint_origin, force[:, :, 3:])
    return GeneralizedForces(tau, reactions, motion)


def _body_forces(mechanism: Mechanism, motion: MechanismMotion, k: int, acceleration: FloatArray) -> FloatArray:
    """d/dt of a body's momentum [torque; force] about the world's origin: I A + V ×* I V, shape (n, 6)."""
    inertia = _inertias(mechanism, motion, k)
    V = motion.velocity[:, k]
    momentum = np.einsum("nij,nj->ni", inertia, V)
    w, v, moment, linear = V[:, :3], V[:, 3:], momentum[:, :3], momentum[:, 3:]
    turned = np.concatenate([np.cross(w, moment) + np.cross(v, linear), np.cross(w, linear)], axis=1)
    result: FloatArray = np.einsum("nij,nj->ni", inertia, acceleration) + turned
    return result


def _inertias(mechanism: Mechanism, motion: MechanismMotion, k: int) -> FloatArray:
    """Spatial inertia of a body about the world's origin, shape (n, 6, 6)."""
    body, R = mechanism.bodies[k], motion.rotation[:, k]
    xx, yy, zz, xy, xz, yz = body.inertia
    inner = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.transpose(0, 2, 1)
    c = motion.position[:, k] + R @ np.array(body.centre)
    skew = np.zeros((len(c), 3, 3))
    skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0] = c[:, 0], c[:, 1], c[:, 2]
    skew -= skew.transpose(0, 2, 1)
    result = np.zeros((len(c), 6, 6))
    result[:, :3, :3] = inner - body.mass * skew @ skew
    result[:, :3, 3:], result[:, 3:, :3] = body.mass * skew, -body.mass * skew
    result[:, 3:, 3:] = body.mass * np.eye(3)
    return result


def _parents(mechanism: Mechanism) -> list[int]:
    place = {body.name: k for k, body in enumerate(mechanism.bodies)}
    return [-1 if joint.parent is None else place[joint.parent] for joint in mechanism.joints]


def _owners(mechanism: Mechanism) -> list[int]:
    """The body that each coordinate moves first."""
    return [k for k, joint in enumerate(mechanism.joints) for _ in joint.coordinates]


def _ancestry(parents: list[int], body: int) -> set[int]:
    line = set()
    while body >= 0:
        line.add(body)
        body = parents[body]
    return line


def checked_wrenches(wrenches: ArrayLike, shape: tuple[int, int, int]) -> FloatArray:
    """Finite numbers of this shape, or ArgumentError."""
    result = floats(wrenches, "wrenches")
    if result.shape != shape or not np.isfinite(result).all():
        raise ArgumentError(f"wrenches: expected finite numbers of shape {shape}, got shape {result.shape}")
    return result
