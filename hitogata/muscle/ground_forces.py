"""Forces of the ground on the feet of a motion without force plates.

The whole body's motion tells the one wrench W that the ground must give, about the root (Newton and Euler).  It is
shared over points of the soles that are low and slow: with unit edges g of the friction pyramids and weights w of
the points, the forces Σ λ g, λ ≥ 0, minimise

    Σ λ² / w + s |W - Σ [r × g; g] λ|²

(as Rajagopal's and Fluit, Andersen, Kolk, Verdonschot & Koopman 2014 do with contact points as muscles).  What the
points cannot give stays with the root, as its residual.
"""

from dataclasses import dataclass, field

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics, inverse_dynamics, link_velocities
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.motion.ground_height import sole_points
from hitogata.solve import separable_programs

HEIGHT, SPEED = 0.025, 0.6
"""Height above the ground [m] and speed [m/s] at which a point's weight has fallen to 1/e."""
TOES = 0.1
"""Weight of points on links at the ends of legs, which carry little (Hughes, Clark & Klenerman 1990)."""
FAINT = 1e-6
"""Weight of points that are far from the ground."""
MEET = 1e4
"""s, in squares of body weights (and of body weights times a metre)."""
MOST = 4.0
"""Greatest force along one edge [body weights]."""


@dataclass(frozen=True, eq=False)
class GroundForces:
    """Forces of the ground over n frames.

    Attributes:
        links: of the points, names, one for each.
        points: in the world [m], shape (n, k, 3).
        forces: on the body there [N], shape (n, k, 3).
        wrenches: [torque; force] on each link about its origin, world axes, shape (n, nlinks, 6).
        residual: of the root: what the ground does not give [N m; N], shape (n, 6).
    """

    links: tuple[str, ...]
    points: FloatArray = field(repr=False)
    forces: FloatArray = field(repr=False)
    wrenches: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)


def ground_forces(
    figure: Figure, q: FloatArray, v: FloatArray, vdot: FloatArray, *,
    feet: tuple[str, ...] = ("foot_r", "toes_r", "foot_l", "toes_l"), floor: float = 0.0, friction: float = 0.8,
) -> GroundForces:  # fmt: skip
    """Find them.

    Args:
        figure: with a free root.
        q, v, vdot: over the motion, shape (n, nq), (n, nv), (n, nv).
        feet: links that may touch the ground; their shapes have the soles.
        floor: height of the ground [m].
        friction: coefficient.
    """
    if not figure.links[0].joint.floating:
        raise ArgumentError(f"ground forces: {figure.name!r} has no free root")
    needed = inverse_dynamics(figure, q, v, vdot)[:, :6]
    poses = forward_kinematics(figure, q)
    soles = sole_points(figure, feet)
    at = np.array([figure.link_index(name) for name, _ in soles])
    local = np.array([place for _, place in soles])
    places = poses.position[:, at] + np.einsum("nkij,kj->nki", poses.rotation[:, at], local)
    weights = _weights(figure, q, v, poses, at, places, floor)
    edges = np.array([[x, y, 1.0] for x, y in ((friction, 0), (-friction, 0), (0, friction), (0, -friction))])
    edges /= np.sqrt(1.0 + friction**2)
    n, k = places.shape[:2]
    arms = places - q[:, None, :3]
    turning = np.cross(arms[:, :, None], edges[None, None])
    A = np.concatenate([turning, np.broadcast_to(edges, turning.shape)], axis=3).reshape(n, 4 * k, 6).transpose(0, 2, 1)
    weight = 9.81 * figure.mass
    found = separable_programs(
        A * MOST, needed / weight, weights=np.repeat(1.0 / weights, 4, axis=1) * MOST**2, softness=MEET
    )
    forces = (found.x * MOST * weight).reshape(n, k, 4) @ edges
    wrenches = np.zeros((n, figure.nlinks, 6))
    for j, link in enumerate(at):
        wrenches[:, link, :3] += np.cross(places[:, j] - poses.position[:, link], forces[:, j])
        wrenches[:, link, 3:] += forces[:, j]
    given = np.concatenate([np.cross(arms, forces).sum(axis=1), forces.sum(axis=1)], axis=1)
    return GroundForces(tuple(name for name, _ in soles), places, forces, wrenches, needed - given)


def _weights(
    figure: Figure, q: FloatArray, v: FloatArray, poses: LinkPoses, at: FloatArray, places: FloatArray, floor: float
) -> FloatArray:
    """Of points, 0 to 1: low and slow ones have much, shape (n, k)."""
    moving = link_velocities(figure, q, v)[:, at]
    speed = moving[..., 3:] + np.cross(moving[..., :3], places - poses.position[:, at])
    height = np.maximum(places[..., 2] - floor, 0.0) / HEIGHT
    slow = np.linalg.norm(speed, axis=2) / SPEED
    inner = set(figure.parents)
    share = np.array([1.0 if k in inner else TOES for k in at])
    result: FloatArray = np.maximum(share * np.exp(-(height**2) - slow**2), FAINT)
    return result
