"""A figure compiled: its bodies, ranges and functions as numbers, made once and kept with it.

There is one `Model` of a figure.  Dynamics, loops, muscles and inverse kinematics hand its two arrays to their kernels,
puppets too; worlds put the tables of their figures side by side (`figure_tables`).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.figure_tables import FigureTables, FollowerTables, counts_of, gather, put
from hitogata.dynamics.joints import BALL, FIXED, FREE, HINGE, SCREW, VELOCITIES
from hitogata.dynamics.layout import GRAVITY, JointInts, ModelMemory
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Link, MassProperties, Pose
from hitogata.figure.coupled import chart_places, owner_of
from hitogata.figure.pose import IDENTITY, FloatArray, turn_from_z
from hitogata.figure.values import Vector
from hitogata.lanes import record_offsets

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
    tables: FigureTables
    follows: bool = False  # a stand-in for a figure with function joints: sizes alone, see `expanded`
    drives: tuple[tuple[int, ...], ...] = ()  # of each link: bodies that carry the coordinates of its joint
    _others: dict[Any, Floats] = field(default_factory=dict)

    @property
    def bodies(self) -> int:
        """How many there are."""
        return len(self.link_poses)

    @property
    def followers(self) -> FollowerTables | None:
        """What follows functions of coordinates, if anything does; then nq and nv count it, too."""
        return self.tables.followers

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: without views, which would no longer be of its arrays."""
        return {name: value for name, value in self.__dict__.items() if name != "fields"}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Model":
        """Itself: it cannot be changed."""
        return self

    @cached_property
    def fields(self) -> Any:
        """Numpy views of a `FigureMemory`: `fields.joint`, `fields.body`, ..."""
        return ModelMemory.layout_of(self.ints).open(self.floats, self.ints).figure

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
            ModelMemory.layout_of(self.ints).open(floats).figure.gravity[:] = gravity
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


def laid_out(
    figure: Figure, parts: list[Part], body_of_link: list[int], followers: FollowerTables | None = None,
    drives: tuple[tuple[int, ...], ...] = (),
) -> Model:  # fmt: skip
    """The arrays of bodies in depth-first order, of which some follow others; drives: see `Model`."""
    parents = [part.parent for part in parts]
    last_child = {parent: i for i, parent in enumerate(parents)}
    ends = list(range(1, len(parts) + 1))
    for i in reversed(range(1, len(parts))):
        ends[parents[i]] = max(ends[parents[i]], ends[i])
    depths: list[int] = []
    for part in parts:
        above = part.parent
        depths.append(depths[above] + VELOCITIES[parts[above].kind] if above >= 0 else 0)
    column = record_offsets(JointInts)
    rows = np.zeros((len(parts), len(column)), np.int64)
    rows[:, : column["arguments"]] = [
        [p.parent, p.kind, p.iq, p.iv, VELOCITIES[p.kind], p.link, depths[i], ends[i], i not in last_child,
         last_child[p.parent] == i, p.armature > 0, p.screw[0] != 0, p.screw[1] != 0]
        for i, p in enumerate(parts)
    ]  # fmt: skip
    following = 0
    if followers is not None:
        rows[:, column["arguments"] :] = followers.columns
        following = len(followers.bodies)
    nq, nv = figure.nq + following, figure.nv + following
    bodies = np.array([_numbers(part) for part in parts])
    driven = drives or tuple(
        tuple(range(own - link.joint.bodies + 1, own + 1))
        for own, link in zip(body_of_link, figure.links, strict=True)
    )
    limits, ranges = _limits(figure, body_of_link, driven, len(parts))
    tables = FigureTables(
        rows, bodies, limits, ranges, _coupled(figure, parts, body_of_link), followers, nq, nv, figure.nlinks
    )
    gathered = gather([tables])
    counts = counts_of(gathered)
    layout = ModelMemory.layout(nq=nq, nv=nv, links=figure.nlinks, registers=gathered.followers.registers, **counts)
    ints, floats = layout.new_ints(), layout.new_floats()
    put(layout.open(floats, ints).figure, gathered, GRAVITY)
    return Model(ints, floats, nq, nv, figure.nlinks, tuple(body_of_link), tuple(p.link_pose for p in parts),
                 np.zeros(nv), tables, drives=drives)  # fmt: skip


def _limits(
    figure: Figure, body_of_link: list[int], driven: tuple[tuple[int, ...], ...], bodies: int
) -> tuple[FloatArray, tuple[FloatArray | None, ...]]:
    """Intervals of the bodies' joints, and the flat ranges of ball joints."""
    limits = np.tile([-np.inf, np.inf], (bodies, 1))
    ranges: list[FloatArray | None] = [None] * bodies
    for link, body, own in zip(figure.links, body_of_link, driven, strict=True):
        given = link.joint.range
        if given is None:
            continue
        if link.joint.screws or link.joint.follows:
            limits[list(own)] = given
        else:
            ranges[body] = given.flat
    return limits, tuple(ranges)


def _coupled(
    figure: Figure, parts: list[Part], body_of_link: list[int]
) -> tuple[tuple[int, FloatArray, int], ...]:
    """Owner, flat range and walls of each range over several joints, by their owners; velocities are known by their
    place on the way from the root to the owner."""
    found = []
    for range_ in figure.coupled:
        body = body_of_link[owner_of(range_, figure)]
        chain = velocities_to_body(parts, body)
        places = [(iq, chain.index(iv)) for iq, iv in chart_places(range_, figure)]
        found.append((body, range_.flat_at(places), range_.region.walls))
    return tuple(sorted(found, key=_owner))


def _owner(item: tuple[int, FloatArray, int]) -> int:
    return item[0]


def velocities_to_body(parts: list[Part], body: int) -> list[int]:
    """Velocities on the way from the root to a body, its own included."""
    chain, at = list[int](), body
    while at >= 0:
        part = parts[at]
        chain = [*range(part.iv, part.iv + VELOCITIES[part.kind]), *chain]
        at = part.parent
    return chain


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
