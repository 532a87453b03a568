"""Figures side by side: the flat arrays of a world, made anew whenever something comes or goes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hitogata.constraints.envelope import WIDEST
from hitogata.dynamics.figure_tables import (
    FigureTables,
    counts_of,
    gather,
    gather_ranges,
    put,
    put_ranges,
    range_counts,
)
from hitogata.dynamics.follower_model import UNLOCKED_SINGLE, lockable, tree_model_of, unlock
from hitogata.dynamics.layout import Body, JointInts
from hitogata.dynamics.model import Model
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.lanes import MemoryLayout, record_offsets, record_size
from hitogata.sim.layout import Control, Solid, State, WorkMemory, WorldModel

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

POINT = 1e-9
"""Inertia a step gives a body about axes where it has none, as a share of that about its joint: it then has a spin."""


@dataclass(frozen=True)
class Span:
    """Where one figure stands among all."""

    bodies: slice
    q: slice
    v: slice
    links: slice
    own: tuple[int, ...]  # of each link, its body, numbered as if the figure stood alone

    @property
    def body_of_link(self) -> tuple[int, ...]:
        """Of each link, its body in the forest."""
        return tuple(self.bodies.start + body for body in self.own)


def stretch(spans: Sequence[Span]) -> Span:
    """Where figures that follow each other stand together; bodies of links are left out."""
    if not spans:
        return Span(slice(0, 0), slice(0, 0), slice(0, 0), slice(0, 0), ())
    first, last = spans[0], spans[-1]
    return Span(
        slice(first.bodies.start, last.bodies.stop), slice(first.q.start, last.q.stop),
        slice(first.v.start, last.v.stop), slice(first.links.start, last.links.stop), (),
    )  # fmt: skip


@dataclass(frozen=True)
class Forest:
    """The arrays of all figures together, and where each one stands."""

    ints: IntArray
    floats: FloatArray
    spans: tuple[Span, ...]
    bodies: int
    nq: int
    nv: int
    model: MemoryLayout
    state: MemoryLayout
    control: MemoryLayout
    work: MemoryLayout
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)  # what `parts` found out

    @property
    def fields(self) -> Any:
        """Numpy views of the `FigureMemory` of all figures."""
        return self.model.open(self.floats, self.ints).figure

    @property
    def solids(self) -> FloatArray:
        """Shape (bodies, numbers of a `Solid`), a view."""
        rows: FloatArray = self.model.field("solid", self.floats).rows
        return rows


def _up(n: int, multiple: int = 8) -> int:
    return -(-n // multiple) * multiple


@dataclass(frozen=True)
class _Single:
    """What a figure brings to a forest, numbered as if it stood there alone."""

    tables: FigureTables
    solids: FloatArray  # (bodies, numbers of a `Solid`)
    chains: IntArray  # (bodies, length of the longest): the velocities that move each body, then -1
    body_of_link: tuple[int, ...]


def _single(figure: Figure) -> _Single:
    """Made once and kept with the figure."""
    single: _Single | None = figure.compiled.get("forest")
    if single is None:
        model = tree_model_of(figure)
        tables, reach = model.tables, _reach(figure, model)
        solids = [_solid(row, own) for row, own in zip(tables.bodies, reach, strict=True)]
        flat = np.array(solids).reshape(-1, record_size(Solid))
        single = figure.compiled["forest"] = _Single(tables, flat, _chains(tables.joints), model.body_of_link)
    return single


def make_forest(
    figures: Sequence[Figure], gravity: tuple[float, float, float], points: int, *, single: bool = False
) -> Forest:
    """The flat arrays of figures side by side (see `layout`), with room for so many point rows.

    single: they are for single precision, in which joints of three turns need more armature.
    """
    singles = [_single(figure) for figure in figures]
    gathered = gather([own.tables for own in singles])
    starts, walls = gathered.ends.tolist(), gathered.ranges.walls
    spans = tuple(  # of q and v what is the figure's own: what follows stands behind that
        Span(slice(at, to), slice(q, q + f.nq), slice(v, v + f.nv), slice(link, link + f.nlinks), own.body_of_link)
        for (at, q, v, link), (to, *_), own, f in zip(starts[:-1], starts[1:], singles, figures, strict=True)
    )
    body, nq, nv, links = starts[-1]
    stride = _up(max((own.chains.shape[1] for own in singles), default=0))
    widest = max((2 + 6) * (span.bodies.stop - span.bodies.start) for span in spans) + walls if spans else 0
    sizes = {"nv": nv, "stride": stride, "width": _up(widest) + 8, "points": points, "walls": walls}
    registers = gathered.followers.registers
    model = WorldModel.layout(**sizes, **counts_of(gathered), nq=nq, links=links, registers=registers)
    ints, floats = model.new_ints(), model.new_floats()
    fields = model.open(floats, ints)
    put(fields.figure, gathered, gravity)
    if figures:
        shift = np.repeat(gathered.ends[:-1, 2], [len(own.solids) for own in singles])
        fields.chain[:] = _side_by_side([own.chains for own in singles], shift, stride)
        fields.solid.rows[:] = np.concatenate([own.solids for own in singles])
        if single:
            for span, figure in zip(spans, figures, strict=True):
                light = lockable(figure, tree_model_of(figure))
                rows = fields.figure.body.rows
                unlock(rows, [(span.bodies.start + b, inertia) for b, inertia in light], UNLOCKED_SINGLE)
    return Forest(
        ints, floats, spans, body, nq, nv, model, State.layout(nq=nq, nv=nv, bodies=body),
        Control.layout(nq=nq, nv=nv, bodies=body), WorkMemory.layout(
            **sizes, bodies=body, widest=min(nv, WIDEST), arguments=len(gathered.followers.arguments),
            registers=registers,
        ),
    )  # fmt: skip


def _side_by_side(chains: Sequence[IntArray], shift: IntArray, stride: int) -> IntArray:
    """The chains of all bodies, numbered among all and filled up with zeros, shape (bodies, stride)."""
    rows, start = np.full((len(shift), stride), -1, np.int64), 0
    for part in chains:
        rows[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return np.where(rows < 0, 0, rows + shift[:, None])


def with_ranges(forest: Forest, figures: Sequence[Figure]) -> Forest:
    """The same forest, all else as it is, with the ranges of figures that differ from its own in nothing else."""
    ranges, old = gather_ranges([_single(figure).tables for figure in figures]), forest.model
    model = WorldModel.layout(**{**old.givens, **range_counts(ranges)})
    ints, floats = model.new_ints(), model.new_floats()
    fields, known = model.open(floats, ints), old.open(forest.floats, forest.ints)
    fields.solid.rows[:], fields.chain[:] = known.solid.rows, known.chain
    for name in ("joint", "body", "limit"):
        getattr(fields.figure, name).rows[:] = getattr(known.figure, name).rows
    for name in ("gravity", "follower", "argument", "program", "program_number"):
        getattr(fields.figure, name)[:] = getattr(known.figure, name)
    put_ranges(fields.figure, ranges)
    return replace(forest, ints=ints, floats=floats, model=model)


def _reach(figure: Figure, model: Model) -> FloatArray:
    """How far the shapes of each body reach from its frame's origin, at the most [m]."""
    reach = np.zeros(len(model.link_poses))
    for link, body in zip(figure.links, model.body_of_link, strict=True):
        for shape in link.shapes:
            at = (model.link_poses[body] @ shape.pose).position
            reach[body] = max(reach[body], float(np.linalg.norm(at)) + shape.bounding_radius)
    return reach


def _solid(row: FloatArray, reach: float) -> FloatArray:
    """A `Solid` from the inertia of a `Body`, and how far its shapes reach from its origin."""
    at = record_offsets(Body)["inertia"]
    mass, moment, upper = row[at], row[at + 1 : at + 4], row[at + 4 : at + 10]
    if mass == 0:
        return np.zeros(record_size(Solid))
    centre = moment / mass
    x, y, z = centre
    shift = mass * np.array([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y])
    central = upper - shift
    least, _, most = np.linalg.eigvalsh(central[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3))
    if least <= 1e-12 * most + 1e-14 * mass * (centre @ centre):  # zero, but for rounding: a point mass or a rod
        least = POINT * (most + mass * max(centre @ centre, reach * reach, 1e-6))
        central = central + least * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    return np.concatenate([[mass], centre, central, [least, reach]])


def _chains(rows: IntArray) -> IntArray:
    """The velocities that move each body of a figure, from its root outwards, then -1."""
    column = record_offsets(JointInts)
    chains: list[list[int]] = []
    for row in rows:
        above = chains[row[column["parent"]]] if row[column["parent"]] >= 0 else []
        chains.append(above + list(range(row[column["iv"]], row[column["iv"]] + row[column["count"]])))
    out = np.full((len(chains), max((len(chain) for chain in chains), default=0)), -1, np.int64)
    for i, chain in enumerate(chains):
        out[i, : len(chain)] = chain
    return out
