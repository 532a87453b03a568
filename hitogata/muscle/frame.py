"""Moment arms live: `MuscleArms` gives lengths and the sparse Jacobian of a set's wires for one frame after the other.

    arms = MuscleArms(body)
    lengths, values = arms(q)            # dL of wire w by velocity columns[k]: values[k],
                                         # k from arms.starts[w] to arms.starts[w + 1]

The numbers are those of `wire_geometry`; arrays are made once and written anew by every call.
"""

from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.model import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.expansion import expansion_of
from hitogata.figure.mechanism.compiled import PIECE, breaks_of, polynomial_piece
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.bodies import followed_columns
from hitogata.muscle.circles import SIZE
from hitogata.muscle.frame_kernel import frame_rows
from hitogata.muscle.geometry import tables_of
from hitogata.muscle.tables import PathFrames, PathScratch, PathTables
from hitogata.muscle.wires import MuscleSet

Ints = Any


class Follow(NamedTuple):
    """How the tree's coordinates follow the figure's, and room for them.

    Attributes:
        copied: (k, 2) places in q and θ that are the same.
        places: (nf, 4) place in q, place in θ, first and end of `pieces`.
        pieces: (np, 2 + degree) where a polynomial begins and counts from, its coefficients, the highest power first.
        parts: first of `terms` of each column of the skeleton, and their count.
        terms, factors: column of the tree, and which slope it is multiplied with, -1: none.
        carriers, node_places: of nodes: links that carry them, and places there (3).
        theta, slopes, columns: room.
    """

    copied: Ints
    places: Ints
    pieces: FloatArray
    parts: Ints
    terms: Ints
    factors: Ints
    carriers: Ints
    node_places: FloatArray
    theta: FloatArray
    slopes: FloatArray
    columns: FloatArray


class Slots(NamedTuple):
    """Which columns change a segment between two bodies, and where the numbers of a wire's Jacobian go.

    Attributes:
        ways: (nb + 1, nb + 1) number of the way from one body to another; -1: they are one, or no wire takes it.
        starts: first of `columns` of each way, and the count of all.
        columns, targets, signs: column on the way, the velocity it belongs to, +1 behind the bend and -1 before it.
        places: (nw, count) place of a wire's number for a velocity; -1: it has none.
        ends: first number of each wire, and the count of all.
    """

    ways: Ints
    starts: Ints
    columns: Ints
    targets: Ints
    signs: FloatArray
    places: Ints
    ends: Ints


class MuscleArms:
    """Lengths and moment arms of a set on a figure, as fast as they come.

    Attributes:
        muscles: the set.
        starts: first number of each wire, shape (nw + 1,).
        columns: velocity of each number, rising in each wire, shape (nnz,); those of nodes stand behind the figure's.
        count: number of velocities with those of nodes.
    """

    def __init__(self, muscles: MuscleSet, *, passive: bool = True) -> None:
        """Of all wires, or of the muscles alone.

        Args:
            muscles: on a figure, without conditional or moving points; functions of joints are polynomials or splines.
            passive: with tendons and ligaments.
        """
        body = muscles.body
        if not isinstance(body, Figure):
            raise ArgumentError(f"muscles of {muscles.name!r} are on a mechanism: take wire_geometry")
        tables = tables_of(muscles)
        if tables.conditional or tables.moving:
            raise ArgumentError(f"{muscles.name!r} has conditional or moving points: take wire_geometry")
        self.muscles = muscles
        self._wires = len(muscles.wires) if passive else len(muscles.muscles)
        expansion = expansion_of(body)
        model = model_of(expansion.tree if expansion else body)
        self._ints, self._floats = model.hot[:2]
        self.count = body.nv + 3 * len(muscles.nodes)
        paths: PathTables = tables.arrays
        bodies = paths.tree.shape[0]
        self._slots, self.starts, self.columns = _slots(paths, self._wires, self.count)
        self._follow = _follow(muscles, body)
        frames = PathFrames(
            np.zeros((1, bodies, 12)), np.zeros((1, len(paths.targets), 6)), np.zeros((1, 0, 6)), np.zeros((1, 0))
        )
        frames.poses[0, -1] = np.eye(3, 4).ravel()
        most, wraps = tables.most, tables.wraps
        room = PathScratch(
            np.empty((most, 4)), np.empty((most, 3), np.int64), np.empty((wraps + 2, SIZE)),
            np.empty((wraps + 1, 2), np.int64), np.zeros((bodies, 6)),
        )  # fmt: skip
        self._given = (self._ints, self._floats, self._follow, paths, frames, self._slots, room)
        self.lengths = np.zeros((1, self._wires))
        self.values = np.zeros((1, len(self.columns)))

    def __call__(self, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Lengths [m], shape (nw,), and numbers of the Jacobian, shape (nnz,), in a pose; the next call overwrites."""
        rows = np.asarray(q, np.float64).reshape(1, -1)
        if rows.shape[1] != self.muscles.body.nq or not np.isfinite(rows).all():  # type: ignore[union-attr]
            raise ArgumentError(f"q: {self.muscles.body.nq} finite numbers are expected")  # type: ignore[union-attr]
        frame_rows(*self._given, rows, self.lengths, self.values, 0, 1)
        return self.lengths[0], self.values[0]

    def rows(self, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The same for many poses (n, nq): lengths (n, nw), numbers (n, nnz)."""
        rows = np.ascontiguousarray(q, np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.muscles.body.nq or not np.isfinite(rows).all():  # type: ignore[union-attr]
            raise ArgumentError(f"q: finite numbers of shape (n, {self.muscles.body.nq}) are expected")  # type: ignore[union-attr]
        lengths, values = np.empty((len(rows), self._wires)), np.empty((len(rows), len(self.columns)))
        frame_rows(*self._given, rows, lengths, values, 0, len(rows))
        return lengths, values

    def dense(self, values: FloatArray) -> FloatArray:
        """The Jacobian (..., nw, count) of numbers (..., nnz)."""
        out = np.zeros((*values.shape[:-1], self._wires, self.count))
        wires = np.repeat(np.arange(self._wires), np.diff(self.starts))
        out[..., wires, self.columns] = values
        return out


def _slots(paths: PathTables, wires: int, count: int) -> tuple[Slots, Ints, Ints]:
    """Ways between the bodies that wires touch, and numbers of each wire by rising velocity."""
    bodies = len(paths.tree)
    ways, places = np.full((bodies, bodies), -1, np.int64), np.full((wires, count), -1, np.int64)
    starts, steps = [0], list[tuple[int, int, float]]()
    ends, columns = [0], list[int]()
    for wire, (first, end, wrap, last) in enumerate(paths.wires[:wires, :4]):
        points = paths.points[first:end, 0].tolist()
        touched = sorted({*points, *(int(paths.surfaces[k, 1]) for k in paths.wraps[wrap:last, 0])})
        mine = set[int]()
        for a in touched:
            for b in touched:
                if a != b and ways[a, b] < 0:
                    ways[a, b] = len(starts) - 1
                    steps += _way(paths, a, b)
                    starts.append(len(steps))
                if a < b:
                    mine |= {target for _, target, _ in steps[starts[ways[a, b]] : starts[ways[a, b] + 1]]}
        places[wire, sorted(mine)] = ends[-1] + np.arange(len(mine))
        columns += sorted(mine)
        ends.append(len(columns))
    of = np.array([step[:2] for step in steps], np.int64).reshape(-1, 2).T
    signs = np.array([step[2] for step in steps])
    ends_array = np.array(ends, np.int64)
    slots = Slots(ways, np.array(starts, np.int64), of[0].copy(), of[1].copy(), signs, places, ends_array)
    return slots, ends_array, np.array(columns, np.int64)


def _way(paths: PathTables, a: int, b: int) -> list[tuple[int, int, float]]:
    """Columns between two bodies: those above b, up to where they meet, move the segment's end."""
    lines = [_up(paths, body) for body in (a, b)]
    return [
        (c, int(paths.targets[c]), sign)
        for sign, line, other in ((-1.0, lines[0], lines[1]), (1.0, lines[1], lines[0]))
        for body in line
        if body not in other
        for c in range(paths.tree[body, 1], paths.tree[body, 2])
    ]


def _up(paths: PathTables, body: int) -> list[int]:
    """A body and those that carry it; none of the world."""
    line = []
    while 0 <= body < len(paths.tree) - 1:
        line.append(body)
        body = int(paths.tree[body, 0])
    return line


def _follow(muscles: MuscleSet, body: Figure) -> Follow:
    expansion = expansion_of(body)
    skeleton = tables_of(muscles).skeleton
    carriers = np.array([-1 if n.body is None else skeleton.bodies.index(n.body) for n in muscles.nodes], np.int64)
    places = np.array([n.place for n in muscles.nodes], np.float64).reshape(-1, 3)
    if expansion is None:
        own = np.arange(body.nv, dtype=np.int64)
        same = np.stack([np.arange(body.nq)] * 2, axis=1)
        return Follow(
            same, np.zeros((0, 4), np.int64), np.zeros((0, 1 + PIECE)), np.arange(body.nv + 1), own,
            np.full(body.nv, -1), carriers, places, np.zeros(body.nq), np.zeros(0), np.zeros((body.nv, 6)),
        )  # fmt: skip
    functions, pieces = list[list[int]](), list[list[float]]()
    for each in expansion.followed:
        breaks = breaks_of(each.function)
        if breaks is None or len(each.args_q) != 1:
            raise ArgumentError(
                f"{muscles.name!r}: a joint follows no polynomial of one coordinate"
            )
        first = len(pieces)
        for k in range(len(breaks) + 1 if breaks else 1):
            origin = breaks[max(k - 1, 0)] if breaks else 0.0
            pieces.append([origin, *polynomial_piece(each.function, breaks, k)])
        functions.append([each.args_q[0], each.q, first, len(pieces)])
    parts, terms, factors = [0], [], []
    following = {each.v: k for k, each in enumerate(expansion.followed)}
    columns = followed_columns(body)
    for k, link in enumerate(body.links):
        at = expansion.tree.v_starts[k]
        own_columns = [[at + i] for i in range(link.joint.nv)]
        if link.joint.follows:
            own_columns = [list(each.steps) for each in columns if each.link == k]
        for steps in own_columns:
            terms += steps
            factors += [following.get(step, -1) for step in steps]
            parts.append(len(terms))
    copied = np.stack(expansion.copied, axis=1).astype(np.int64)
    tree = expansion.tree
    return Follow(
        np.ascontiguousarray(copied), np.array(functions, np.int64), np.array(pieces), np.array(parts), np.array(terms),
        np.array(factors), carriers, places, np.zeros(tree.nq), np.zeros(len(functions)), np.zeros((tree.nv, 6)),
    )  # fmt: skip
