"""What joints press with while muscles pull: intersegmental reactions and the wires that cross them.

Wires are strings without friction: with unit vectors u along the straight segments of a path, tension f does the force
f (u_next - u_last) to the body of each station, at the station; what a surface feels is the sum over the two ends of
the contact.  With these as external forces beside those of the ground, the recursion of Newton and Euler gives what is
left for the joint itself, bone on bone (Winter 2009, ch. 5.3; Steele, DeMers, Schwartz & Delp 2012):

    R_k = Σ over bodies beyond k ( inertia - gravity - external - wires )

Along the joint's own motions R_k is what the muscles leave to reserves; along the others it is the contact force.
"""

from typing import Any

import numpy as np

from hitogata.dynamics import RecordedDynamics, forward_kinematics, joint_reactions
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.mechanism import mechanism_inverse_dynamics
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.bodies import skeleton_of
from hitogata.muscle.fibres import tendon_tensions
from hitogata.muscle.forces import MuscleSolution
from hitogata.muscle.geometry import active_points, wire_geometry
from hitogata.muscle.wires import MuscleSet

ROWS = 64
"""Frames whose paths are kept together."""


def contact_forces(
    found: MuscleSolution, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, *, wrenches: ArrayLike | None = None
) -> FloatArray:
    """What the parent does to each body in its joint, wires not included.

    Args:
        found: muscles of the frames.
        q, v, vdot: as the moments were found from, shape (n, nq), (n, nv), (n, nv).
        wrenches: external [torque; force] on each body, shape (n, nb, 6), as for `inverse_dynamics` of a figure, about
            the body's origin (`GroundForces.wrenches`); of a mechanism about the world's (`load_wrenches`).

    Returns:
        [torque; force] [N m, N], world axes, about the joint's origin, by the bodies' order, shape (n, nb, 6); NaN in
        frames that were not solved.
    """
    body = found.muscles.body
    q, v, vdot = (np.atleast_2d(np.asarray(a, np.float64)) for a in (q, v, vdot))
    n, nb = len(found.good), len(skeleton_of(body).bodies)
    given = np.zeros((n, nb, 6)) if wrenches is None else np.asarray(wrenches, np.float64)
    if not len(q) == len(v) == len(vdot) == n or given.shape != (n, nb, 6):
        raise ArgumentError(
            f"q, v, vdot, wrenches: {n} frames of {nb} bodies are expected, got shapes {q.shape}, {v.shape}, "
            f"{vdot.shape}, {given.shape}"
        )
    finite = [np.isfinite(a.reshape(n, -1)).all(axis=1) for a in (q, v, vdot, given)]
    rows = np.flatnonzero(found.good & np.logical_and.reduce(finite))
    result = np.full((n, nb, 6), np.nan)
    if not len(rows):
        return result
    forces = np.concatenate([found.force, found.ligament - tendon_tensions(found.muscles, found.force)], axis=1)
    nodes = None if found.nodes is None else found.nodes[rows]
    pulls = wire_wrenches(found.muscles, q[rows], forces[rows], nodes=nodes)
    if isinstance(body, Figure):
        origins = forward_kinematics(body, q[rows]).position
        pulls[..., :3] -= np.cross(origins, pulls[..., 3:])
        result[rows] = joint_reactions(body, q[rows], v[rows], vdot[rows], wrenches=given[rows] + pulls)
    else:
        result[rows] = mechanism_inverse_dynamics(body, q[rows], v[rows], vdot[rows], given[rows] + pulls).reactions
    return result


def recorded_contact_forces(found: MuscleSolution, motion: RecordedDynamics) -> FloatArray:
    """`contact_forces` of a recording, with the loads that it was made with.

    Args:
        found: its muscles.
        motion: the recording.
    """
    state = motion.q, motion.qd, motion.qdd
    bare = mechanism_inverse_dynamics(motion.mechanism, *state).reactions
    return contact_forces(found, *state) + (motion.reactions - bare)


def wire_wrenches(
    muscles: MuscleSet, q: ArrayLike, tensions: ArrayLike, *, nodes: ArrayLike | None = None
) -> FloatArray:
    """What wires do to bodies.

    Args:
        muscles: the set.
        q: coordinates of its body, shape (n, nq).
        tensions: of its wires [N], shape (n, nw).
        nodes: places of nodes in their bodies' frames [m], shape (n, k, 3); None: where the set has them.

    Returns:
        [torque about the world's origin; force], world axes [N m, N], shape (n, nb, 6).  What wires leave unbalanced
        on a node is done to the node's body.
    """
    rows, pull = np.atleast_2d(np.asarray(q, np.float64)), np.atleast_2d(np.asarray(tensions, np.float64))
    if pull.shape != (len(rows), len(muscles.wires)):
        raise ArgumentError(f"tensions: expected shape {len(rows), len(muscles.wires)}, got {pull.shape}")
    names = skeleton_of(muscles.body).bodies
    result = np.zeros((len(rows), len(names) + 1, 6))
    for first in range(0, len(rows), ROWS):
        part = slice(first, first + ROWS)
        there = None if nodes is None else np.asarray(nodes, np.float64)[part]
        stations = wire_geometry(muscles, rows[part], nodes=there, stations=True).stations
        assert stations is not None
        _gather(muscles, stations, active_points(muscles, rows[part]), pull[part], result[part])
    return np.ascontiguousarray(result[:, :-1])


def _gather(muscles: MuscleSet, stations: FloatArray, active: list[Any], pull: FloatArray, out: FloatArray) -> None:
    """Add the forces at all stations, shape (n, nw, k, 4), to the bodies' wrenches."""
    place: dict[str | None, int] = {name: k for k, name in enumerate(skeleton_of(muscles.body).bodies)}
    place[None] = len(place)
    for node in muscles.nodes:
        place[node.name] = place[node.body]
    surfaces = np.array([place[surface.body] for surface in muscles.surfaces] or [0])
    frames = np.arange(len(stations))
    for w, wire in enumerate(muscles.wires):
        mark = stations[:, w, :, 3]
        at = np.where(mark[:, :, None] > -2, stations[:, w, :, :3], 0.0)
        bodies = np.array([place[point.body] for point in wire.path.points])
        order = np.argsort(~active[w], axis=1, kind="stable")  # points that count, in order
        passed = np.zeros(len(stations), np.int64)
        leaving = np.full(len(stations), -1)
        before = np.zeros((len(stations), 3))
        for k in range(at.shape[1]):
            here = mark[:, k] > -2
            if not here.any():
                break
            entering = mark[:, k] >= 0
            surface = np.where(entering, mark[:, k].astype(np.int64), leaving)
            point = here & (surface < 0)
            owner = np.where(
                point, bodies[order[frames, np.minimum(passed, len(bodies) - 1)]], surfaces[np.maximum(surface, 0)]
            )
            passed += point
            behind = np.zeros((len(stations), 3))
            if k + 1 < at.shape[1]:
                on = here & (mark[:, k + 1] > -2) & ~entering
                d = np.where(on[:, None], at[:, k + 1] - at[:, k], 0.0)
                far = np.linalg.norm(d, axis=1, keepdims=True)
                behind = np.where(far > 1e-15, d / np.maximum(far, 1e-15), 0.0)
            force = np.where(here[:, None], pull[:, w, None] * (behind - before), 0.0)
            out[frames, owner, :3] += np.cross(at[:, k], force)
            out[frames, owner, 3:] += force
            before = behind
            leaving = np.where(entering, mark[:, k].astype(np.int64), -1)
