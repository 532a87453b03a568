"""A figure as kernels see it: two flat arrays, opened once per call as the views of `Tree`.

    ints     header, then one `JointInts` per body
    floats   gravity, then one `Body` per body

*Bodies* are the links, with two liberties that keep kernels short and fast.  A universal joint becomes two hinges with
a massless body between them.  And a body's frame K is its joint's frame, turned so that a hinge or slider has its axis
along z; X_KB leads from there to the link's own frame B, and is used only where results go out.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hitogata.figure import Figure, JointKind, Link, MassProperties, Pose
from hitogata.figure.pose import IDENTITY, FloatArray, turn_from_z
from hitogata.figure.values import Vector
from hitogata.lanes import X1, kernel, lanes, record, records, tail
from hitogata.spatial import Mat3, RigidInertia, Vec3, load3

FREE, BALL, HINGE, SLIDER, FIXED = 0, 1, 2, 3, 4
HEADER = 4
GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of gravity, world axes [m/s²]."""

_KINDS = {
    JointKind.FREE: FREE,
    JointKind.BALL: BALL,
    JointKind.HINGE: HINGE,
    JointKind.SLIDER: SLIDER,
    JointKind.FIXED: FIXED,
}
VELOCITIES = {FREE: 6, BALL: 3, HINGE: 1, SLIDER: 1, FIXED: 0}


@record
class JointInts:
    """How a body hangs on its parent."""

    parent: int  # -1: the world
    kind: int
    iq: int  # first coordinate
    iv: int  # first velocity
    count: int  # velocities
    link: int  # whose frame B this body carries; -1: the massless body of a universal joint
    depth: int  # velocities of all bodies between it and the world
    end: int  # one past the last body of its subtree; so body b hangs on this one, or is it, if b < end
    leaf: int  # 1: no children
    opens: int  # 1: of all children, the first to report to the parent in an inward pass
    geared: int  # 1: it has armature


@record
class Body:
    """Constants of a body."""

    rot: Mat3  # of the joint's frame F in the parent's frame K
    pos: Vec3
    inertia: RigidInertia  # in K, about its origin
    armature: float
    damping: float
    link_rot: Mat3  # X_KB
    link_pos: Vec3


class Tree(NamedTuple):
    """Views of a figure inside kernels."""

    bodies: int
    nq: int
    nv: int
    links: int
    gravity: Vec3
    joint: records  # type: ignore[valid-type]
    body: records  # type: ignore[valid-type]


@kernel
def open_tree(ints, floats):
    """Views of a figure's two arrays."""
    header, numbers = lanes(ints, X1), lanes(floats, X1)
    joint, body = records(tail(header, HEADER), JointInts), records(tail(numbers, HEADER), Body)
    return Tree(header[0], header[1], header[2], header[3], load3(numbers, 0), joint, body)


# ------------------------------------------------------- from Python


Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Floats = np.ndarray[tuple[int], np.dtype[Any]]


@dataclass(frozen=True)
class Model:
    """A figure's arrays and sizes."""

    ints: Ints
    floats: Floats  # with GRAVITY
    nq: int
    nv: int
    nlinks: int
    body_of_link: tuple[int, ...]
    link_poses: tuple[Pose, ...]  # X_KB of each body
    zeros: FloatArray  # (nv,): no torques
    _others: dict[Any, Floats] = field(default_factory=dict)

    @property
    def bodies(self) -> int:
        """How many there are."""
        return len(self.link_poses)

    @property
    def hot(self) -> tuple[Ints, Floats, int, FloatArray]:
        """What the fast paths need, to be unpacked."""
        return self.ints, self.floats, self.nv, self.zeros

    def floats_for(self, gravity: Any, dtype: Any) -> Floats:
        """The floats with another gravity or precision; a few are kept."""
        key = (*gravity, np.dtype(dtype).char)
        floats = self._others.get(key)
        if floats is None:
            floats = self.floats.astype(dtype)
            floats[:3] = gravity
            if len(self._others) > 7:
                self._others.clear()  # at once: other threads may be here too
            self._others[key] = floats
        return floats


def model_of(figure: Figure) -> Model:
    """The arrays of a figure, made once and kept with it."""
    model: Model | None = figure.compiled.get("dynamics")
    if model is None:
        model = _compile(figure)
        figure.compiled["hot"] = model.hot
        figure.compiled["dynamics"] = model
    return model


class _Part(NamedTuple):
    """A body before its numbers are laid out."""

    parent: int
    kind: int
    iq: int
    iv: int
    link: int
    place: Pose  # of F in the parent's K
    mass: MassProperties | None  # in K
    link_pose: Pose  # X_KB
    armature: float
    damping: float


def _compile(figure: Figure) -> Model:
    parts: list[_Part] = []
    body_of_link: list[int] = []
    for i, (link, parent) in enumerate(zip(figure.links, figure.parents, strict=True)):
        above = body_of_link[parent] if parent >= 0 else -1
        link_place = parts[above].link_pose if parent >= 0 else IDENTITY
        parts += _bodies_of(link, i, above, link_place, figure.q_starts[i], figure.v_starts[i], len(parts))
        body_of_link.append(len(parts) - 1)
    parents = [part.parent for part in parts]
    last_child = {parent: i for i, parent in enumerate(parents)}
    ends = list(range(1, len(parts) + 1))
    for i in reversed(range(1, len(parts))):
        ends[parents[i]] = max(ends[parents[i]], ends[i])
    depths: list[int] = []
    for part in parts:
        above = part.parent
        depths.append(depths[above] + VELOCITIES[parts[above].kind] if above >= 0 else 0)
    rows = [
        [p.parent, p.kind, p.iq, p.iv, VELOCITIES[p.kind], p.link, depths[i], ends[i], i not in last_child,
         last_child[p.parent] == i, p.armature > 0]
        for i, p in enumerate(parts)
    ]  # fmt: skip
    header = [len(parts), figure.nq, figure.nv, figure.nlinks]
    ints = np.concatenate([header, np.ravel(rows)]).astype(np.int64)
    floats = np.concatenate([GRAVITY, [0.0], *[_numbers(part) for part in parts]])
    zeros = np.zeros(figure.nv)
    return Model(ints, floats, figure.nq, figure.nv, figure.nlinks, tuple(body_of_link),
                 tuple(p.link_pose for p in parts), zeros)  # fmt: skip


def _bodies_of(link: Link, index: int, above: int, above_link: Pose, iq: int, iv: int, count: int) -> list[_Part]:
    """The body, or two bodies, of a link.  `above_link` is X_KB of the parent."""
    joint = link.joint
    place = above_link @ joint.parent_frame
    if joint.kind is JointKind.UNIVERSAL:
        turn1, turn2 = _z_to(joint.axis), _z_to(joint.axis2)
        first = _Part(
            above, HINGE, iq, iv, -1, place @ turn1, None, IDENTITY, joint.armature, joint.damping
        )
        return [first, _last_body(link, index, HINGE, count, turn1.inverse() @ turn2, turn2, iq + 1, iv + 1)]
    turn = _z_to(joint.axis) if joint.kind in (JointKind.HINGE, JointKind.SLIDER) else IDENTITY
    return [_last_body(link, index, _KINDS[joint.kind], above, place @ turn, turn, iq, iv)]


def _last_body(link: Link, index: int, kind: int, above: int, place: Pose, turn: Pose, iq: int, iv: int) -> _Part:
    """The body that carries the link: K is M turned by `turn`."""
    link_pose = (link.joint.child_frame @ turn).inverse()
    return _Part(above, kind, iq, iv, index, place, link.mass.placed(link_pose), link_pose,
                 link.joint.armature, link.joint.damping)  # fmt: skip


def _numbers(part: _Part) -> FloatArray:
    """A `Body`, flat."""
    inertia = np.zeros(10)
    if part.mass is not None:
        m, c = part.mass.mass, np.array(part.mass.centre)
        about_origin = part.mass.matrix + m * (c @ c * np.eye(3) - np.outer(c, c))
        inertia[:] = [m, *(m * c), *about_origin[np.triu_indices(3)]]
    return np.concatenate([
        part.place.rotation.ravel(), part.place.position, inertia, [part.armature, part.damping],
        part.link_pose.rotation.ravel(), part.link_pose.position,
    ])  # fmt: skip


def _z_to(axis: Vector) -> Pose:
    return Pose(quat=turn_from_z(axis))
