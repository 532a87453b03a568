"""A figure as kernels see it: two flat arrays, opened once per call as the views of `Tree`.

    ints     header, then one `JointInts` per body
    floats   gravity, then one `Body` per body

*Bodies* are the links, with two liberties that keep kernels short and fast.  A joint of several screws (a universal
one) becomes one after the other, with massless bodies between them.  And a body's frame K is its joint's frame, turned
so that a screw has its axis along z; X_KB leads from there to the link's own frame B, and is used only where results
go out.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.joints import BALL, FIXED, FREE, HINGE, SCREW, VELOCITIES
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Link, MassProperties, Pose
from hitogata.figure.pose import IDENTITY, FloatArray, turn_from_z
from hitogata.figure.values import Vector
from hitogata.lanes import X1, kernel, lanes, record, records, tail
from hitogata.spatial import Mat3, RigidInertia, Vec3, load3

HEADER = 4
GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of gravity, world axes [m/s²]."""


@record
class JointInts:
    """How a body hangs on its parent."""

    parent: int  # -1: the world
    kind: int
    iq: int  # first coordinate
    iv: int  # first velocity
    count: int  # velocities
    link: int  # whose frame B this body carries; -1: massless, between the screws of a joint
    depth: int  # velocities of all bodies between it and the world
    end: int  # one past the last body of its subtree; so body b hangs on this one, or is it, if b < end
    leaf: int  # 1: no children
    opens: int  # 1: of all children, the first to report to the parent in an inward pass
    geared: int  # 1: it has armature
    turns: int  # 1: a hinge, or a screw that turns
    slides: int  # 1: a screw that slides
    arguments: int  # of the function that its coordinate follows, see `followers`; 0: it follows none
    first: int  # place of the first of them in the list of all arguments
    program: int  # where the function begins


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
    turn: float  # of a hinge or screw, per unit of its coordinate [rad]
    slide: float  # likewise [m]


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


@kernel
def velocities_to(tree, end):
    """One past the last velocity of the bodies before `end`, which are whole trees."""
    if end < tree.bodies:
        return tree.joint[end].iv
    return tree.nv


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
    follows: bool = False  # a stand-in for a figure with function joints: sizes alone, see `expanded`
    followers: Any = None  # `followers.FollowerTables` of such a figure; its nq and nv count those that follow, too
    drives: tuple[tuple[int, ...], ...] = ()  # of each link: bodies that carry the coordinates of its joint
    _others: dict[Any, Floats] = field(default_factory=dict)

    @property
    def bodies(self) -> int:
        """How many there are."""
        return len(self.link_poses)

    @property
    def hot(self) -> tuple[Ints, Floats, int, FloatArray]:
        """What the fast paths need, to be unpacked."""
        return self.ints, self.floats, self.nv, self.zeros

    def bodies_of(self, figure: Figure, link: int) -> range:
        """Bodies of a link: those between the screws of its joint, and last its own."""
        own = self.body_of_link[link]
        return range(own - figure.links[link].joint.bodies + 1, own + 1)

    def driven_by(self, figure: Figure, link: int) -> tuple[int, ...]:
        """Bodies that carry the coordinates of a link's joint, with their motors and limits."""
        return self.drives[link] if self.drives else tuple(self.bodies_of(figure, link))

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
    """The arrays of a figure, made once and kept with it.

    Raises:
        ArgumentError: a joint follows functions; `callable_model_of` takes it.
    """
    model: Model | None = figure.compiled.get("dynamics")
    if model is None:
        for name, link in zip(figure.joint_names, figure.links, strict=True):
            if link.joint.follows:
                what = f"figure {figure.name!r}: joint {name!r} follows functions of coordinates"
                raise ArgumentError(f"{what}, which dynamics, worlds and puppets take, but this does not yet")
        model = _compile(figure)
        figure.compiled["hot"] = model.hot
        figure.compiled["dynamics"] = model
    return model


def callable_model_of(figure: Figure) -> Model:
    """The same; of a figure with function joints, its sizes alone, which entries refuse, so that `call` sees to it."""
    model: Model | None = figure.compiled.get("dynamics") or figure.compiled.get("stand-in")
    if model is None:
        if not any(link.joint.follows for link in figure.links):
            return model_of(figure)
        from hitogata.figure.expansion import expansion_of  # SciPy's splines, for those who need them

        expansion = expansion_of(figure)
        assert expansion is not None
        none: Any = np.zeros((0, 0))
        model = replace(model_of(expansion.tree), ints=none, floats=none, follows=True, nq=figure.nq, nv=figure.nv)
        model = replace(model, zeros=np.zeros(figure.nv))
        figure.compiled["stand-in"] = model
    return model


class Part(NamedTuple):
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
    screw: tuple[float, float] = (0.0, 0.0)  # turn and slide
    function: Any = None  # that its coordinate follows,
    args: tuple[tuple[int, int], ...] = ()  # and the places of its arguments in q and v


def _compile(figure: Figure) -> Model:
    parts: list[Part] = []
    body_of_link: list[int] = []
    for i, (link, parent) in enumerate(zip(figure.links, figure.parents, strict=True)):
        above = body_of_link[parent] if parent >= 0 else -1
        link_place = parts[above].link_pose if parent >= 0 else IDENTITY
        parts += bodies_of_joint(link, i, above, link_place, figure.q_starts[i], figure.v_starts[i], len(parts))
        body_of_link.append(len(parts) - 1)
    return laid_out(figure, parts, body_of_link)


def laid_out(figure: Figure, parts: list[Part], body_of_link: list[int], following: int = 0) -> Model:
    """The arrays of bodies in depth-first order, of which some follow others; see `followers`."""
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
         last_child[p.parent] == i, p.armature > 0, p.screw[0] != 0, p.screw[1] != 0, 0, 0, 0]
        for i, p in enumerate(parts)
    ]  # fmt: skip
    nq, nv = figure.nq + following, figure.nv + following
    header = [len(parts), nq, nv, figure.nlinks]
    ints = np.concatenate([header, np.ravel(rows)]).astype(np.int64)
    floats = np.concatenate([GRAVITY, [0.0], *[_numbers(part) for part in parts]])
    return Model(ints, floats, nq, nv, figure.nlinks, tuple(body_of_link), tuple(p.link_pose for p in parts),
                 np.zeros(nv))  # fmt: skip


def bodies_of_joint(link: Link, index: int, above: int, above_link: Pose, iq: int, iv: int, count: int) -> list[Part]:
    """The bodies of a link: one for each screw of its joint, massless but the last.  `above_link`: X_KB of the parent.

    K of each is F, turned so that z is the axis of its screw; the last K is M, turned likewise.
    """
    joint, place, turn = link.joint, above_link @ link.joint.parent_frame, IDENTITY
    parts: list[Part] = []
    for k, screw in enumerate(joint.screws):
        before, turn = turn, _z_to(screw.axis)
        kind = HINGE if (screw.turn, screw.slide) == (1.0, 0.0) else SCREW
        place = (place if k == 0 else before.inverse()) @ screw.before @ turn
        parts.append(Part(above, kind, iq + k, iv + k, -1, place, None, IDENTITY, joint.armature, joint.damping,
                           (screw.turn, screw.slide)))  # fmt: skip
        above = count + k
    if not parts:
        kind = FIXED if not joint.nv else FREE if joint.floating else BALL
        parts = [Part(above, kind, iq, iv, index, place, None, IDENTITY, joint.armature, joint.damping)]
    link_pose = (joint.child_frame @ turn).inverse()
    return [*parts[:-1], parts[-1]._replace(link=index, mass=link.mass.placed(link_pose), link_pose=link_pose)]


def _numbers(part: Part) -> FloatArray:
    """A `Body`, flat."""
    inertia = np.zeros(10)
    if part.mass is not None:
        m, c = part.mass.mass, np.array(part.mass.centre)
        about_origin = part.mass.matrix + m * (c @ c * np.eye(3) - np.outer(c, c))
        inertia[:] = [m, *(m * c), *about_origin[np.triu_indices(3)]]
    return np.concatenate([
        part.place.rotation.ravel(), part.place.position, inertia, [part.armature, part.damping],
        part.link_pose.rotation.ravel(), part.link_pose.position, part.screw,
    ])  # fmt: skip


def _z_to(axis: Vector) -> Pose:
    return Pose(quat=turn_from_z(axis))
