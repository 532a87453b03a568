"""From the shapes of figures to the arrays of `layout`."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.contact.layout import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    FIELD,
    HEADER,
    MESH,
    PLANE,
    SPHERE,
    WORLD,
    ShapeFloats,
    ShapeInts,
)
from hitogata.contact.tables import Tables, check_faces, faces_of
from hitogata.dynamics.follower_model import tree_model_of
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    Figure,
    HeightField,
    Plane,
    Pose,
    Shape,
    Sphere,
)
from hitogata.figure.pose import IDENTITY, FloatArray
from hitogata.lanes import record_offsets, record_size

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
ALL = 0xFFFF
"""All groups."""

_KINDS: dict[type[Shape], int] = {
    Plane: PLANE, Sphere: SPHERE, Capsule: CAPSULE, Box: BOX, ConvexMesh: MESH, Cylinder: CYLINDER,
    Ellipsoid: ELLIPSOID, HeightField: FIELD,
}  # fmt: skip


def kind_of(shape: Shape) -> int:
    """PLANE, SPHERE, ...; an ArgumentError for what is no shape, or a mesh with a face of too many corners."""
    kind = _KINDS.get(type(shape))
    if kind is None:
        names = ", ".join(each.__name__ for each in _KINDS)
        raise ArgumentError(f"shape: expected one of {names}, got {shape!r}")
    if isinstance(shape, ConvexMesh):
        check_faces(shape)
    return kind


@dataclass(frozen=True)
class Surface:
    """A shape that may touch others.

    Attributes:
        shape: what it is.
        body: row of the poses that carries it, or WORLD (-1).
        frame: pose of the link's frame in the body's; the shape's own pose is in the link's.
        group: bits: the groups it belongs to.
        mask: bits: the groups it may touch.  Both must agree: group_a & mask_b and group_b & mask_a.
        friction: coefficient.
        restitution: coefficient.
        figure: number of its figure, for messages; -1 if none.
        link: index of its link; -1 if none.
        mass: of its figure [kg]; infinite for what is fixed to the world.
        place: rotation and position of the shape in its body, 12 numbers, where they are known already.
    """

    shape: Shape
    body: int = WORLD
    frame: Pose = IDENTITY
    group: int = 1
    mask: int = ALL
    friction: float = 0.8
    restitution: float = 0.0
    figure: int = -1
    link: int = -1
    mass: float = math.inf
    place: tuple[float, ...] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class ShapeTable:
    """Shapes as kernels see them.

    Attributes:
        ints: header and `ShapeInts`.
        floats: header and `ShapeFloats`, float64.
        count: number of shapes.
        pairs: every pair that may touch, as (a, b) with a of the higher kind, sorted by (lower, higher) index,
            shape (n, 2).
        rules: for `sweep`: [bodies, number of keys, keys ...]; a key lower * bodies + higher is a pair of bodies that
            never touch.
        bodies: one more than the highest body index.
        plain: no kind above BOX: `touch` will do, no `touch_any` is needed.
    """

    ints: IntArray
    floats: np.ndarray[tuple[int, ...], np.dtype[Any]]
    count: int
    pairs: IntArray
    rules: IntArray
    bodies: int
    plain: bool
    _others: dict[str, Any] = field(default_factory=dict)

    def new_sweep(self) -> IntArray:
        """The list that `sweep` keeps from step to step."""
        listed = np.flatnonzero(self.column("kind") != PLANE)
        return np.concatenate([[0, len(listed), 0, 0], listed]).astype(np.int64)

    def column(self, name: str) -> IntArray:
        """A field of the `ShapeInts` of all shapes, shape (count,)."""
        size, at = record_size(ShapeInts), record_offsets(ShapeInts)[name]
        return self.ints[HEADER + at : HEADER + size * self.count : size]

    def floats_for(self, dtype: Any) -> Any:
        """The floats in single or double precision."""
        kind = np.dtype(dtype)
        if kind == self.floats.dtype:
            return self.floats
        if kind.char not in self._others:
            floats = self.floats.astype(kind)
            floats[0] = np.finfo(kind).eps
            self._others[kind.char] = floats
        return self._others[kind.char]


def surfaces_of(
    figure: Figure,
    *,
    first_body: int = 0,
    in_bodies: bool = False,
    number: int = 0,
    group: int = 1,
    mask: int = ALL,
    friction: float = 0.8,
    restitution: float = 0.0,
) -> list[Surface]:
    """All shapes of a figure.

    Args:
        figure: the figure.
        first_body: row of the poses where its bodies begin.
        in_bodies: poses are those of the bodies of `hitogata.dynamics` (frames K), not of the links (frames B).
        number: of the figure.
        group: see `Surface`.
        mask: see `Surface`.
        friction: coefficient.
        restitution: coefficient.
    """
    model = tree_model_of(figure)
    result: list[Surface] = []
    places = _places(figure, in_bodies)
    for i, link in enumerate(figure.links):
        body = model.body_of_link[i] if in_bodies else i
        frame = model.link_poses[body] if in_bodies else IDENTITY
        for shape in link.shapes:
            try:
                kind_of(shape)
            except ArgumentError as error:
                raise FigureError(f"figure {figure.name!r}, link {link.name!r}: {error}") from None
            result.append(
                Surface(shape, first_body + body, frame, group, mask, friction, restitution, number, i, figure.mass,
                        places[len(result)])
            )  # fmt: skip
    return result


def shapes_of(figure: Figure) -> list[tuple[int, Shape]]:
    """All shapes of a figure with their links, in the order in which they stand in arrays; kept with it."""
    shapes: list[tuple[int, Shape]] | None = figure.compiled.get("shapes")
    if shapes is None:
        shapes = [(i, shape) for i, link in enumerate(figure.links) for shape in link.shapes]
        figure.compiled["shapes"] = shapes
    return shapes


def joined_bodies(
    figure: Figure, *, first_body: int = 0, in_bodies: bool = False, grandparents: bool = False
) -> list[tuple[int, int]]:
    """Pairs of bodies that a joint connects, and so never touch.

    A link and its parent; with `grandparents` also a link and its parent's parent.
    """
    model, result = tree_model_of(figure), []
    for i, parent in enumerate(figure.parents):
        above = [parent, figure.parents[parent] if parent >= 0 and grandparents else -1]
        for other in above:
            if other >= 0:
                ends = (model.body_of_link[i], model.body_of_link[other]) if in_bodies else (i, other)
                result.append((first_body + ends[0], first_body + ends[1]))
    return result


def compile_shapes(
    surfaces: Sequence[Surface], *, joined: Iterable[tuple[int, int]] = (), all_pairs: bool = True
) -> ShapeTable:
    """The arrays of a set of shapes.

    Args:
        surfaces: the shapes.
        joined: pairs of bodies whose shapes never touch: joined links, and explicit exclusions.
        all_pairs: list all pairs, for `near_pairs`; worlds of many shapes use `sweep`, and need no list.
    """
    tables = Tables(len(surfaces))
    rows, numbers = shape_rows(surfaces, tables)
    pairs = np.array(list(joined), np.int64).reshape(-1, 2)
    return table_of(rows, numbers, tables, pairs, all_pairs=all_pairs)


def shape_rows(surfaces: Sequence[Surface], tables: Tables) -> tuple[IntArray, FloatArray]:
    """`ShapeInts` and `ShapeFloats` of shapes, one row each; the tables of meshes and height fields are added."""
    rows = np.zeros((len(surfaces), record_size(ShapeInts)), np.int64)
    numbers = np.zeros((len(surfaces), record_size(ShapeFloats)))
    for i, s in enumerate(surfaces):
        kind = kind_of(s.shape)
        if s.body < WORLD:
            raise ArgumentError(f"shape {i}: body must be -1 (the world) or a row of the poses, got {s.body}")
        centre, size, table = tables.add(s.shape)
        rows[i] = [kind, s.body, s.group, s.mask, s.link, s.figure, table]
        place = s.place or _place(s.frame, s.shape.pose)
        if centre is not None:
            place = (*place[:9], *(np.reshape(place[:9], (3, 3)) @ centre + place[9:]))
        numbers[i] = [*place, *size, s.friction, s.restitution, s.mass, inradius_of(s.shape)]
    return rows, numbers


def inradius_of(shape: Shape) -> float:
    """Radius of the largest ball inside a shape [m]; of a mesh, about the mean of its corners."""
    if isinstance(shape, Plane | HeightField):
        return math.inf
    if isinstance(shape, Sphere | Capsule):
        return shape.radius
    if isinstance(shape, ConvexMesh):
        polygons, normals = faces_of(shape)
        corners = shape.vertices[[polygon[0] for polygon in polygons]]
        return float(np.einsum("ij,ij->i", normals, corners - shape.vertices.mean(0)).min())
    if isinstance(shape, Cylinder):
        return min(shape.radius, shape.half_length)
    return float(min(shape.half_sizes if isinstance(shape, Box) else shape.half_axes))  # type: ignore[attr-defined]


def table_of(
    rows: IntArray, numbers: FloatArray, tables: Tables, joined: IntArray, *, all_pairs: bool
) -> ShapeTable:
    """The arrays of shapes from their rows; joined: pairs of bodies, shape (n, 2)."""
    ints = np.concatenate([[len(rows), 0, 0, 0], rows.ravel(), tables.ints]).astype(np.int64)
    thinnest = numbers[:, record_offsets(ShapeFloats)["inradius"]].min(initial=math.inf)
    floats = np.concatenate([[np.finfo(np.float64).eps, thinnest, 0.0, 0.0], numbers.ravel(), *tables.floats])
    bodies = int(rows[:, 1].max(initial=-1)) + 1
    low, high = joined.min(1), joined.max(1)
    there = (high < bodies) & (low >= 0)
    keys = np.unique(low[there] * bodies + high[there])
    pairs = _pairs(rows, keys, bodies) if all_pairs else np.zeros((0, 2), np.int64)
    rules = np.concatenate([[bodies, len(keys)], keys]).astype(np.int64)
    return ShapeTable(ints, floats, len(rows), pairs, rules, bodies, bool(rows[:, 0].max(initial=PLANE) <= BOX))


def _place(frame: Pose, pose: Pose) -> tuple[float, ...]:
    """Rotation and position of a shape in its body, 12 numbers."""
    both = frame @ pose
    return (*both.rotation.ravel().tolist(), *both.position)


def _places(figure: Figure, in_bodies: bool) -> list[tuple[float, ...]]:
    """`_place` of all shapes of a figure; worked out once and kept with it."""
    name = "places of shapes in bodies" if in_bodies else "places of shapes in links"
    places: list[tuple[float, ...]] | None = figure.compiled.get(name)
    if places is None:
        model = tree_model_of(figure)
        frames = [model.link_poses[body] if in_bodies else IDENTITY for body in model.body_of_link]
        links = zip(frames, figure.links, strict=True)
        places = [_place(frame, shape.pose) for frame, link in links for shape in link.shapes]
        figure.compiled[name] = places
    return places


def _pairs(rows: IntArray, excluded: IntArray, bodies: int) -> IntArray:
    """All pairs of shapes that may touch."""
    low, high = np.triu_indices(len(rows), 1)
    kind, body, group, mask = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    ends = np.minimum(body[low], body[high]), np.maximum(body[low], body[high])
    ground = (kind == PLANE) | (kind == FIELD)
    may = (body[low] != body[high]) & ~(ground[low] & ground[high])
    may &= ((group[low] & mask[high]) != 0) & ((group[high] & mask[low]) != 0)
    may &= ~(np.isin(ends[0] * bodies + ends[1], excluded) & (ends[0] >= 0))
    low, high = low[may], high[may]
    swap = kind[low] < kind[high]
    return np.stack([np.where(swap, high, low), np.where(swap, low, high)], 1).astype(np.int64)
