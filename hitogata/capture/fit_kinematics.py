"""Where the markers of a figure of any sizes are, and how that changes with coordinates, sizes and marker places.

For given joint angles the world place of a marker is linear in the scale factors of all links,

    x = x₀ + Σ_j R_j S_j u_j + Σ (shifts that grow with S_j)      u_j: from the joint of link j to the next outwards

so its derivatives are exact and cheap.  In numpy, for all frames at once: the fit spends its time elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.capture.body_scale import grows, growth
from hitogata.capture.functional import right_jacobian
from hitogata.capture.marker_set import MarkerSet
from hitogata.figure import Figure, Joint
from hitogata.figure.expansion import coordinate_places
from hitogata.figure.mechanism import evaluate
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_exp, quat_to_matrix


class Column(NamedTuple):
    """How a velocity, or a change of a joint, moves all that hangs on a link: a turn about a point, and a shift."""

    velocity: int  # or number of the change
    turn: FloatArray  # [rad] per unit, shape (nt, 3)
    shift: FloatArray  # velocity of the point at the world's origin, shape (nt, 3)


@dataclass(frozen=True, eq=False)
class PlacedBody:
    """A figure of some sizes in all frames.

    Attributes:
        rotation, position: of each link, shapes (nt, 3, 3) and (nt, 3).
        by_scale: derivative of the position by all scale factors, shape (nt, 3, nlinks, 3).
        columns: of each link's own joint.
        changes: the same by shifts and turns of each link's own joint (`functional`).
    """

    rotation: list[FloatArray]
    position: list[FloatArray]
    by_scale: list[FloatArray]
    columns: list[list[Column]]
    changes: list[list[Column]]


def placed_body(
    figure: Figure, scales: FloatArray, q: FloatArray, functional: Mapping[int, FloatArray] | None = None
) -> PlacedBody:
    """Places of all links.

    Args:
        figure: of size 1; functional joints moved as they are now.
        scales: factors, shape (nlinks, 3).
        q: coordinates, shape (nt, nq).
        functional: links whose joints change, and how they are changed now, in their order, shape (6,).
    """
    n, nl = len(q), figure.nlinks
    known, changed = coordinate_places(figure), functional or {}
    numbers = {link: 6 * i for i, link in enumerate(changed)}
    body = PlacedBody([], [], [], [], [])
    for k, link in enumerate(figure.links):
        above = figure.parents[k]
        own = _Walk.start(n, nl) if above < 0 else _Walk(
            body.rotation[above], body.position[above], body.by_scale[above].copy(), above, [], []
        )  # fmt: skip
        factors = np.ones(3) if above < 0 else scales[above]
        own.shift(np.asarray(link.joint.parent_frame.position), np.eye(3), factors)
        parent_rotation = own.rotation
        own.turn_by(np.asarray(link.joint.parent_frame.rotation))
        before = own.rotation, own.position
        own.within.clear()
        _through_joint(own, link.joint, factors, q, (figure.q_starts[k], figure.v_starts[k]), known)
        body.changes.append(
            _changes(own, before, parent_rotation * factors, link.joint, factors, changed[k], numbers[k])
            if k in changed else []
        )  # fmt: skip
        own.turn_by(np.asarray(link.joint.child_frame.rotation).T)
        own.owner = k
        own.shift(-np.asarray(link.joint.child_frame.position), np.eye(3), scales[k])
        body.rotation.append(own.rotation)
        body.position.append(own.position)
        body.by_scale.append(own.by_scale)
        body.columns.append(own.columns)
    return body


@dataclass(eq=False)
class _Walk:
    """A frame that is carried along a joint."""

    rotation: FloatArray
    position: FloatArray
    by_scale: FloatArray
    owner: int  # link whose factors scale what is passed; -1: none
    columns: list[Column]
    within: list[tuple[FloatArray, FloatArray]]  # shifts on the way: the frame's rotation there, and the way in it

    @classmethod
    def start(cls, n: int, nl: int) -> "_Walk":
        return cls(np.repeat(np.eye(3)[None], n, axis=0), np.zeros((n, 3)), np.zeros((n, 3, nl, 3)), -1, [], [])

    def turn_by(self, R: FloatArray) -> None:
        """A rotation, the same in all frames or one for each."""
        self.rotation = self.rotation @ R

    def shift(self, way: FloatArray, axes: FloatArray, factors: FloatArray) -> None:
        """A way in the present frame that is scaled along axes (rows: the owner's, in the frame that F has at rest)."""
        along = axes @ way
        self.within.append((self.rotation, way))
        self.position = self.position + self.rotation @ (axes.T @ (factors * along))
        if self.owner >= 0:
            self.by_scale[:, :, self.owner] += self.rotation @ (axes.T * along)

    def slide(self, way: FloatArray) -> None:
        """A way in the present frame that is not scaled, shape (nt, 3)."""
        self.position = self.position + np.einsum("nij,nj->ni", self.rotation, way)


def _through_joint(
    walk: _Walk, joint: Joint, factors: FloatArray, q: FloatArray, starts: tuple[int, int], known: Any
) -> None:
    """The motions of a joint."""
    iq, iv = starts
    axes = np.asarray(joint.parent_frame.rotation)  # rows: the parent's axes, in F
    if joint.quat_start is not None:
        base = walk.rotation
        at = iq + joint.quat_start
        if joint.floating:
            walk.slide(q[:, iq : iq + 3])
        for c in range(3):
            walk.columns.append(Column(iv + c, base[:, :, c], np.cross(walk.position, base[:, :, c])))
        for c in range(3 if joint.floating else 0):
            walk.columns.append(Column(iv + 3 + c, np.zeros_like(walk.position), base[:, :, c]))
        walk.turn_by(np.asarray(quat_to_matrix(q[:, at : at + 4])))
        return
    for k, screw in enumerate(joint.screws):
        walk.shift(np.asarray(screw.before.position), axes, factors)
        walk.turn_by(np.asarray(screw.before.rotation))
        axis, value = np.asarray(screw.axis), q[:, iq + k]
        _add_column(walk, iv + k, axis, screw.turn, screw.slide)
        walk.slide(axis * (screw.slide * value)[:, None])
        walk.turn_by(_turn(axis, screw.turn * value))
    for step in joint.steps:
        axis = np.asarray(step.axis)
        places = [known[name] for name in step.coordinates]
        value, slope, _ = evaluate(step.function, q[:, [a for a, _ in places]])
        value, slope = np.asarray(value), np.asarray(slope)
        if step.turn:
            walk.shift(np.asarray(step.point), axes, factors)
            for c, (_, v) in enumerate(places):
                _add_column(walk, v, axis, slope[:, c], 0.0)
            walk.turn_by(_turn(axis, value))
            walk.shift(-np.asarray(step.point), axes, factors)
            continue
        share = growth(step) if grows(step) else np.zeros(3)
        factor = float(share @ factors) if grows(step) else 1.0
        for c, (_, v) in enumerate(places):
            _add_column(walk, v, axis, 0.0, factor * slope[:, c])
        if walk.owner >= 0:
            way = (walk.rotation @ axis) * value[:, None]
            walk.by_scale[:, :, walk.owner] += way[:, :, None] * share
        walk.slide(axis * (factor * value)[:, None])


def _add_column(walk: _Walk, velocity: int, axis: FloatArray, turn: Any, slide: Any) -> None:
    way = walk.rotation @ axis
    spin = way * np.broadcast_to(turn, len(way))[:, None]
    along = way * np.broadcast_to(slide, len(way))[:, None]
    walk.columns.append(Column(velocity, spin, np.cross(walk.position, spin) + along))


def _turn(axis: FloatArray, angle: FloatArray) -> FloatArray:
    return np.asarray(quat_to_matrix(quat_exp(angle[:, None] * axis)))


def _changes(
    walk: _Walk, before: tuple[FloatArray, FloatArray], shifts: FloatArray, joint: Joint, factors: FloatArray,
    change: FloatArray, number: int,
) -> list[Column]:  # fmt: skip
    """How δ and ε of a joint that has just been walked through move what hangs on it.

    E turns all about the joint's frame F, Eᵀ turns it back about M; shifts within the joint, which are scaled along the
    parent's axes, K = Aᵀ S A in F, change by dK = K [ε]ₓ - [ε]ₓ K.
    """
    none, (R_F, p_F) = np.zeros_like(walk.position), before
    columns = [Column(number + i, none, shifts[:, :, i]) for i in range(3)]
    A, J = np.asarray(joint.parent_frame.rotation), right_jacobian(change[3:])
    K = A.T @ (factors[:, None] * A)
    for i in range(3):
        there, back = R_F @ J[:, i], -walk.rotation @ J[:, i]
        shift = np.cross(p_F, there) + np.cross(walk.position, back)
        for R, way in walk.within:
            shift = shift + R @ (K @ np.cross(J[:, i], way) - np.cross(J[:, i], K @ way))
        columns.append(Column(number + 3 + i, there + back, shift))
    return columns


class MarkerDerivatives(NamedTuple):
    """Places of markers and their derivatives.

    Attributes:
        places: [m], shape (nt, nm, 3).
        by_v: by the figure's velocities, shape (nt, nm, 3, nv).
        by_scale: by the factors of the links, shape (nt, nm, 3, nlinks, 3).
        rotation: of the link of each marker, by whose columns its own place counts, shape (nt, nm, 3, 3).
        by_change: by shifts and turns of functional joints, shape (nt, nm, 3, 6 n).
    """

    places: FloatArray
    by_v: FloatArray
    by_scale: FloatArray
    rotation: FloatArray
    by_change: FloatArray


def marker_derivatives(
    figure: Figure, markers: MarkerSet, scales: FloatArray, offsets: FloatArray, q: FloatArray,
    functional: Mapping[int, FloatArray] | None = None,
) -> MarkerDerivatives:  # fmt: skip
    """Markers at S m + d on links of any sizes.

    Args:
        figure: of size 1.
        markers: on it, at m.
        scales: factors, shape (nlinks, 3).
        offsets: d, in the link's frame [m], shape (nm, 3).
        q: coordinates, shape (nt, nq).
        functional: links whose joints change, as in `placed_body`.
    """
    body, nm, n = placed_body(figure, scales, q, functional), len(markers.labels), len(q)
    by_change = np.zeros((n, nm, 3, 6 * len(functional or {})))
    places = np.empty((n, nm, 3))
    by_v, by_scale = np.zeros((n, nm, 3, figure.nv)), np.empty((n, nm, 3, figure.nlinks, 3))
    rotation = np.empty((n, nm, 3, 3))
    for k in sorted(set(markers.links.tolist())):
        own = np.flatnonzero(markers.links == k)
        R, at = body.rotation[k], markers.places[own]
        rotation[:, own] = R[:, None]
        places[:, own] = body.position[k][:, None] + np.einsum("nij,mj->nmi", R, scales[k] * at + offsets[own])
        by_scale[:, own] = body.by_scale[k][:, None]
        by_scale[:, own, :, k] += (R[:, None] * at[:, None, :]).transpose(1, 0, 2, 3)
        _add_moved(by_v, _chain(figure, body.columns, k), places, own)
        _add_moved(by_change, _chain(figure, body.changes, k), places, own)
    return MarkerDerivatives(places, by_v, by_scale, rotation, by_change)


def _add_moved(found: FloatArray, columns: list[Column], places: FloatArray, own: Any) -> None:
    """Velocities of some markers by columns of their chain."""
    if not columns:
        return
    turns, shifts = (np.stack([c[part] for c in columns], axis=1)[:, None] for part in (1, 2))
    moved = np.cross(turns, places[:, own][:, :, None]) + shifts
    for c, column in enumerate(columns):
        found[:, own, :, column.velocity] += moved[:, :, c].transpose(1, 0, 2)


def _chain(figure: Figure, columns: list[list[Column]], link: int) -> list[Column]:
    """Columns of all joints between the world and a link."""
    found: list[Column] = []
    while link >= 0:
        found += columns[link]
        link = figure.parents[link]
    return found
