"""Where massless nodes come to rest: the place at which wires that meet there balance (the paper's virtual links).

With a little tone in every muscle, tensions f(L) grow with the wires' lengths, so the wires' energy is convex enough
for Newton's method on the balance Σ f_w dL_w/dx = 0 of each node, with the stiffness Σ f'_w (dL/dx)(dL/dx)ᵀ and the
turning of the wires' directions taken as stiff too.
"""

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.fibres import ligament_forces, rigid_tendon_forces
from hitogata.muscle.geometry import wire_geometry
from hitogata.muscle.wires import MuscleSet

TONE = 0.03
"""Activation of muscles at rest."""
ROUNDS = 60
FARTHEST = 0.005
"""Of one round [m]."""
STILL = 1e-6
"""A node rests when it moves less [m]."""


def resting_nodes(muscles: MuscleSet, q: ArrayLike, *, tone: float = TONE) -> FloatArray:
    """Places of nodes in their bodies' frames [m], shape (nodes, 3) or (n, nodes, 3).

    Args:
        muscles: the set.
        q: coordinates of its body, shape (nq,) or (n, nq).
        tone: activation of every muscle.
    """
    given = np.asarray(q, np.float64)
    rows, count = np.atleast_2d(given), len(muscles.nodes)
    if not 0 < tone <= 1:
        raise ArgumentError(f"tone must be above 0 and up to 1, got {tone!r}")
    places = np.tile(np.array([node.place for node in muscles.nodes]).reshape(1, count, 3), (len(rows), 1, 1))
    if not count:
        return places[0] if given.ndim == 1 else places
    subset, wires = _on_nodes(muscles)
    for _ in range(ROUNDS):
        geometry = wire_geometry(subset, rows, nodes=places)
        D = geometry.node_jacobian.reshape(len(rows), wires, count, 3)
        pull, stiffness = _tensions(subset, geometry.lengths, tone)
        balance = -np.einsum("nw,nwkx->nkx", pull, D)
        along = np.einsum("nw,nwkx,nwky->nkxy", stiffness, D, D)
        turning = (pull / geometry.lengths)[..., None, None, None] * (np.eye(3) - D[..., :, None] * D[..., None, :])
        met = np.abs(D).sum(axis=3) > 0
        K = along + np.where(met[..., None, None], turning, 0.0).sum(axis=1)
        step = np.linalg.solve(K + 1e-3 * np.eye(3), balance[..., None])[..., 0]
        size = np.linalg.norm(step, axis=2, keepdims=True)
        places = places + step * np.minimum(1.0, FARTHEST / np.maximum(size, 1e-12))
        if size.max() < STILL:
            break
    return places[0] if given.ndim == 1 else places


def _on_nodes(muscles: MuscleSet) -> tuple[MuscleSet, int]:
    """The wires that are fixed to nodes, as a set of their own."""
    known: MuscleSet | None = muscles.compiled.get("on nodes")
    if known is None:
        names = {node.name for node in muscles.nodes}
        wires = tuple(wire for wire in muscles.wires if any(point.body in names for point in wire.path.points))
        heads = {wire.name for wire in wires}
        wires = tuple(wire for wire in wires if set(getattr(wire, "heads", ())) <= heads)
        known = MuscleSet(f"{muscles.name} on nodes", muscles.body, wires, muscles.surfaces, muscles.nodes)
        muscles.compiled["on nodes"] = known
    return known, len(known.wires)


def _tensions(muscles: MuscleSet, lengths: FloatArray, tone: float) -> tuple[FloatArray, FloatArray]:
    """Tensions at rest, and their slopes by length (not below that of a slack wire)."""
    h = 1e-5

    def pull(at: FloatArray) -> FloatArray:
        able = rigid_tendon_forces(muscles, at)
        result: FloatArray = np.concatenate([able.at(tone), ligament_forces(muscles, at)], axis=-1)
        return result

    here = pull(lengths)
    return here, np.maximum((pull(lengths + h) - pull(lengths - h)) / (2 * h), 10.0)
