"""The shapes of many figures as the arrays of `layout`: those of a figure are worked out once, and kept with it.

So when a figure comes to a hundred others, or goes, the arrays are put together from parts, not from single shapes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitogata.contact.layout import ShapeFloats, ShapeInts
from hitogata.contact.shapes import (
    IntArray,
    ShapeTable,
    Surface,
    joined_bodies,
    shape_rows,
    surfaces_of,
    table_of,
)
from hitogata.contact.tables import Tables
from hitogata.figure import Figure, Shape
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets


class Wearer(NamedTuple):
    """A figure among others; see `shapes.surfaces_of`."""

    figure: Figure
    first_body: int
    group: int
    mask: int
    friction: float
    restitution: float


@dataclass(frozen=True)
class Coat:
    """The shapes of a figure as if it stood alone, in the bodies of `hitogata.dynamics`."""

    rows: IntArray  # (shapes, numbers of a `ShapeInts`)
    numbers: FloatArray  # (shapes, numbers of a `ShapeFloats`)
    joined: IntArray  # (pairs, 2): bodies that never touch
    tabled: tuple[tuple[int, Shape], ...]  # meshes and height fields, and which they are


def coat_of(figure: Figure) -> Coat:
    """Made once and kept with the figure.

    Raises:
        FigureError: a shape has no kernels.
    """
    coat: Coat | None = figure.compiled.get("coat")
    if coat is None:
        surfaces = surfaces_of(figure, in_bodies=True)
        rows, numbers = shape_rows(surfaces, Tables(len(surfaces)))
        at = record_offsets(ShapeInts)["table"]
        tabled = tuple((int(i), surfaces[i].shape) for i in np.flatnonzero(rows[:, at]))
        joined = np.array(joined_bodies(figure, in_bodies=True), np.int64).reshape(-1, 2)
        coat = figure.compiled["coat"] = Coat(rows, numbers, joined, tabled)
    return coat


def compile_coats(
    fixed: Sequence[Surface], wearers: Sequence[Wearer], ignored: Sequence[tuple[int, int]], *,
    stand_ins: Sequence[int] | None, all_pairs: bool,
) -> ShapeTable:  # fmt: skip
    """The arrays of the shapes of the world and of figures, in this order.

    Args:
        fixed: shapes of the world.
        wearers: the figures.
        ignored: pairs of bodies that never touch, besides joined ones.
        stand_ins: rows of the poses of what stands for each body; None: of the bodies.
        all_pairs: see `compile_shapes`.
    """
    coats = [coat_of(wearer.figure) for wearer in wearers]
    counts = np.array([len(coat.rows) for coat in coats], np.int64)
    tables = Tables(len(fixed) + int(counts.sum()))
    own_rows, own_numbers = shape_rows(fixed, tables)
    rows = np.concatenate([own_rows, *(coat.rows for coat in coats)])
    numbers = np.concatenate([own_numbers, *(coat.numbers for coat in coats)])
    column, place, worn = record_offsets(ShapeInts), record_offsets(ShapeFloats), slice(len(fixed), None)
    first = np.array([wearer.first_body for wearer in wearers], np.int64)
    rows[worn, column["body"]] += np.repeat(first, counts)
    rows[worn, column["figure"]] = np.repeat(np.arange(len(wearers)), counts)
    for name in ("group", "mask"):
        rows[worn, column[name]] = np.repeat(np.array([getattr(w, name) for w in wearers], np.int64), counts)
    for name in ("friction", "restitution"):
        numbers[worn, place[name]] = np.repeat(np.array([getattr(w, name) for w in wearers], float), counts)
    start = len(fixed)
    for coat in coats:
        for i, shape in coat.tabled:
            rows[start + i, column["table"]] = tables.add(shape)[2]
        start += len(coat.rows)
    joined = np.concatenate([
        np.array(ignored, np.int64).reshape(-1, 2),
        *(coat.joined + wearer.first_body for coat, wearer in zip(coats, wearers, strict=True)),
    ])  # fmt: skip
    if stand_ins is not None:
        rows[worn, column["body"]] = np.array(stand_ins, np.int64)[rows[worn, column["body"]]]
        joined = np.array(stand_ins, np.int64)[joined]
    return table_of(rows, numbers, tables, joined, all_pairs=all_pairs)
