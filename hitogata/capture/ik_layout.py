"""Arrays of marker inverse kinematics: a figure with markers on it, as the kernels of `ik_kernels` see it.

A figure becomes two trees of `dynamics`: that of its screws, whose coordinates θ follow the figure's q (its
`Expansion`; without function joints θ is q), and the plain one, in which coordinates differ and add up.  Bodies that no
marker hangs on are left out, and coordinates that move no marker, or are held, are no unknowns.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.capture.marker_set import MarkerSet
from hitogata.dynamics.layout import JointInts, Tree
from hitogata.dynamics.model import Model, model_of
from hitogata.dynamics.world_kinematics import Placed
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.expansion import expansion_of
from hitogata.figure.mechanism.compiled import FunctionTables
from hitogata.figure.pose import FloatArray
from hitogata.lanes import (
    Count,
    Memory,
    Table,
    float_array,
    int_array,
    many,
    number,
    numbers,
    record,
    record_offsets,
    wholes,
)
from hitogata.rom.range_layout import concatenated
from hitogata.spatial import Motion, Vec3

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@record
class FollowInts:
    """A coordinate of the tree that follows one of the figure's: places in θ and θ̇, of the argument in q and v."""

    theta: int
    rate: int
    q: int
    v: int
    table: int  # of the inner function, in the tables; -1: slope and offset
    outer: int  # of the function of that one; -1: none


@record
class FollowFloats:
    """The inner function, where it is linear."""

    slope: float
    offset: float


@record
class RegionInts:
    """A ball joint with a range of motion: where its quaternion, velocities and range begin."""

    q: int
    v: int
    start: int


@record
class MarkerPlace:
    """A marker in the body's frame K [m]."""

    at: Vec3


@record
class Column:
    """How a rate of the figure moves all that hang on a joint, about the root's origin."""

    motion: Motion


class IkModel(Memory):
    """A figure with markers, and what may move."""

    nq, nv, theta, rates = Count(stored=True), Count(stored=True), Count(stored=True), Count(stored=True)
    used, markers, follows, regions = Count(stored=True), Count(stored=True), Count(stored=True), Count(stored=True)
    table_size, range_size, free = Count(stored=True), Count(stored=True), Count(stored=True)
    body = wholes(used)  # bodies of the tree that carry markers, or lead to some, outward
    copied = wholes(theta)  # coordinate of the figure, or -1: it follows
    source = wholes(rates)  # velocity of the figure that drives it
    row = wholes(nv)  # unknown, or -1
    unknown = wholes(free)  # velocity of each unknown
    place = wholes(nv)  # coordinate of a velocity; -1: of a quaternion
    marker_body = wholes(markers)
    follow = many(FollowInts, follows)
    region = many(RegionInts, regions)
    low = numbers(nv)
    high = numbers(nv)
    marker = many(MarkerPlace, markers)
    follow_line = many(FollowFloats, follows)
    tables = numbers(table_size)
    ranges = numbers(range_size)


class IkWork(Memory):
    """Scratch of one frame.  Matrices are stored row by row, lower half."""

    bodies, nq, nv, theta, rates, free = Count(), Count(), Count(), Count(), Count(), Count()
    placed = many(Placed, bodies)
    column = many(Column, rates)
    angle = numbers(theta)
    slope = numbers(rates)
    trial = numbers(nq)
    last = numbers(nq)
    gap = numbers(nv)  # from the coordinates to those that are wanted
    change = numbers(nv)
    hessian = numbers(free, free)
    factor = numbers(free, free)
    gradient = numbers(free)  # downhill
    step = numbers(free)
    spare = numbers(free)


class IkOptions(Memory):
    """Numbers of `IkSettings`."""

    tolerance = number()
    iterations = number()
    outlier = number()
    predict = number()


class IkTable(Table):
    """Arrays of a call."""

    ints = int_array()  # IkModel
    floats = float_array()
    tree_ints = int_array()
    tree_floats = float_array()
    plain_ints = int_array()
    plain_floats = float_array()
    options = float_array()  # IkOptions


class TrialTable(Table):
    """Arrays of all frames, one after the other."""

    start = float_array()  # coordinates to begin at: one row, or one for each frame
    target = float_array()  # of markers [m]
    weight = float_array()  # 0: not seen
    wish = float_array()  # coordinates that are wanted
    wish_weight = float_array()  # of velocities; empty: none
    q = float_array()  # result
    places = float_array()  # of the model's markers [m], result
    variance = float_array()  # of velocities, result; empty: not asked for
    summary = float_array()  # status, iterations, cost; result


class IkArrays(NamedTuple):
    """Views of a call in kernels."""

    model: Any
    tree: Tree
    plain: Tree


@dataclass(frozen=True, eq=False)
class CompiledIk:
    """Arrays of a figure with markers.

    Attributes:
        ints, floats: an `IkModel`.
        tree, plain: models of the two trees.
        free: velocities that are unknowns.
        regions: how many ball joints have a range.
    """

    ints: IntArray
    floats: FloatArray
    tree: Model
    plain: Model
    free: IntArray
    regions: int


def compile_ik(figure: Figure, markers: MarkerSet, held: Any, plain: Model | None = None) -> CompiledIk:
    """The arrays of a figure with markers.

    Args:
        figure: any.
        markers: on it.
        held: velocities that are no unknowns, shape (nv,), bool.
        plain: the model of a figure with the same joints, of whatever sizes; None: it is made.

    Raises:
        ArgumentError: a joint follows a function of several coordinates, or one that is no piecewise polynomial.
    """
    expansion = expansion_of(figure)
    tree_figure, plain_figure = (figure, figure) if expansion is None else (expansion.tree, expansion.plain)
    tree = model_of(tree_figure)
    plain = plain or model_of(plain_figure)
    used = _used_bodies(tree, markers)
    copied, source, follow, lines, tables = _functions(figure, tree)
    free = _free_velocities(figure, tree, used, source, follow, held)
    low, high, place = intervals(figure)
    flats, regions = _regions(figure, free)
    layout = IkModel.layout(
        nq=figure.nq, nv=figure.nv, theta=tree.nq, rates=tree.nv, used=len(used), markers=len(markers.labels),
        follows=len(follow), regions=len(regions), table_size=len(tables), range_size=len(flats), free=len(free),
    )  # fmt: skip
    ints, floats = layout.new_ints(), layout.new_floats()
    fields = layout.open(floats, ints)
    fields.body[:], fields.copied[:], fields.source[:] = used, copied, source
    fields.row[:] = -1
    fields.row[free], fields.unknown[:] = np.arange(len(free)), free
    fields.place[:], fields.low[:], fields.high[:] = place, low, high
    fields.marker_body[:] = [tree.body_of_link[link] for link in markers.links]
    poses = [tree.link_poses[body] for body in fields.marker_body]
    fields.marker.rows[:] = np.reshape([pose.apply(p) for pose, p in zip(poses, markers.places, strict=True)], (-1, 3))
    fields.follow.rows[:], fields.follow_line.rows[:] = follow, lines
    fields.region.rows[:], fields.tables[:], fields.ranges[:] = regions, tables, flats
    return CompiledIk(ints, floats, tree, plain, free, len(regions))


def _joint_rows(model: Model) -> dict[str, IntArray]:
    return {name: model.tables.joints[:, at] for name, at in record_offsets(JointInts).items()}


def _used_bodies(tree: Model, markers: MarkerSet) -> IntArray:
    parents, used = _joint_rows(tree)["parent"], set[int]()
    for link in set(markers.links.tolist()):
        body = tree.body_of_link[link]
        while body >= 0:
            used.add(body)
            body = int(parents[body])
    return np.array(sorted(used | {0}), np.int64)


def _functions(figure: Figure, tree: Model) -> tuple[Any, Any, Any, Any, FloatArray]:
    """How θ follows q: what is copied, what drives each rate, functions, their lines, and tables."""
    expansion, tables = expansion_of(figure), FunctionTables()
    if expansion is None:
        return np.arange(tree.nq), np.arange(tree.nv), np.zeros((0, 6), int), np.zeros((0, 2)), np.zeros(0)
    copied, source = np.full(tree.nq, -1), np.full(tree.nv, -1)
    copied[expansion.copied[1]], source[expansion.copied_v[1]] = expansion.copied[0], expansion.copied_v[0]
    follow, lines = [], []
    for each in expansion.followed:
        line = tables.chain(each.function) if len(each.args_v) == 1 else None
        if line is None:
            raise ArgumentError(
                f"figure {figure.name!r}: a joint follows {type(each.function).__name__} of {len(each.args_v)} "
                "coordinates; marker inverse kinematics takes piecewise polynomials of one coordinate"
            )
        inner, outer, slope, offset = line
        source[each.v] = each.args_v[0]
        follow.append((each.q, each.v, each.args_q[0], each.args_v[0], inner, outer))
        lines.append((slope, offset))
    return copied, source, np.reshape(follow, (-1, 6)), np.reshape(lines, (-1, 2)), tables.numbers


def _free_velocities(figure: Figure, tree: Model, used: IntArray, source: Any, follow: Any, held: Any) -> IntArray:
    """Velocities of the figure that move a marker and are not held."""
    joints, moves = _joint_rows(tree), np.zeros(figure.nv, bool)
    for body in used:
        first = joints["iv"][body]
        moves[source[first : first + joints["count"][body]]] = True
    return np.flatnonzero(moves & ~np.asarray(held, bool)).astype(np.int64)


def intervals(figure: Figure) -> tuple[FloatArray, FloatArray, IntArray]:
    """Lowest and highest value of each velocity's coordinate, and the coordinate (-1: a quaternion's; no interval)."""
    low, high = np.full(figure.nv, -np.inf), np.full(figure.nv, np.inf)
    place = np.full(figure.nv, -1)
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        joint = link.joint
        if joint.floating:
            place[iv + 3 : iv + 6] = np.arange(iq, iq + 3)
        elif joint.quat_start is None and joint.nv:
            place[iv : iv + joint.nv] = np.arange(iq, iq + joint.nv)
            if joint.range is not None:
                limits = np.reshape(joint.range, (-1, 2))
                low[iv : iv + joint.nv], high[iv : iv + joint.nv] = limits[:, 0], limits[:, 1]
    return low, high, place.astype(np.int64)


def _regions(figure: Figure, free: IntArray) -> tuple[FloatArray, Any]:
    """Ranges of motion of the ball joints that are unknowns, flat, and where each begins."""
    rows, flats, unknown = [], [], set(free.tolist())
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        if link.joint.is_ball and link.joint.range is not None and {iv, iv + 1, iv + 2} <= unknown:
            rows.append((iq, iv))
            flats.append(link.joint.range.flat)
    if not rows:
        return np.zeros(0), np.zeros((0, 3), int)
    table, starts = concatenated(flats)
    return table, np.column_stack([rows, starts])
