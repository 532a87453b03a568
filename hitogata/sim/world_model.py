"""Figures side by side: the flat arrays of a world, made anew whenever something comes or goes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hitogata.constraints.envelope import WIDEST
from hitogata.constraints.limits import Limit
from hitogata.constraints.ranges import NONE
from hitogata.dynamics.follower_model import UNLOCKED_SINGLE, FollowerTables, lockable, tree_model_of, unlock
from hitogata.dynamics.layout import HEADER as MODEL_HEADER
from hitogata.dynamics.layout import Body, JointInts, Model
from hitogata.figure import Figure
from hitogata.figure.coupled import bound_ranges, chart_places, owner_of
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


def _up(n: int, multiple: int = 8) -> int:
    return -(-n // multiple) * multiple


@dataclass(frozen=True)
class _Single:
    """What a figure brings to a forest, numbered as if it stood there alone."""

    joints: IntArray  # (bodies, numbers of a `JointInts`)
    bodies: FloatArray  # (bodies, numbers of a `Body`)
    solids: FloatArray  # (bodies, numbers of a `Solid`)
    limits: FloatArray  # (bodies, numbers of a `Limit`)
    ranges: tuple[FloatArray | None, ...]  # of each body's ball joint
    coupled: tuple[tuple[int, FloatArray, int], ...]  # body, flat range, walls, by body
    chains: IntArray  # (bodies, length of the longest): the velocities that move each body, then -1
    body_of_link: tuple[int, ...]
    nq: int
    nv: int
    followers: FollowerTables | None


def _single(figure: Figure) -> _Single:
    """Made once and kept with the figure."""
    single: _Single | None = figure.compiled.get("forest")
    if single is None:
        model = tree_model_of(figure)
        joints = model.ints[MODEL_HEADER:].reshape(-1, record_size(JointInts))
        bodies = model.floats[MODEL_HEADER:].reshape(-1, record_size(Body))
        solids = [_solid(row, reach) for row, reach in zip(bodies, _reach(figure, model), strict=True)]
        limits, ranges = _limits(figure, model)
        flat = np.array(solids).reshape(-1, record_size(Solid))
        chains = _chains(joints)
        coupled = sorted(_coupled(figure, model, chains), key=_first)
        single = _Single(
            joints, bodies, flat, limits, tuple(ranges), tuple(coupled), chains, model.body_of_link,
            model.nq, model.nv, model.followers,
        )  # fmt: skip
        figure.compiled["forest"] = single
    return single


def _coupled(figure: Figure, model: Model, chains: IntArray) -> list[tuple[int, FloatArray, int]]:
    """Owner, flat range and walls of each range over several joints."""
    if model.followers is None:
        return [(model.body_of_link[b.owner], b.flat, b.walls) for b in bound_ranges(figure)]
    found = []
    for range_ in figure.coupled:
        body = model.body_of_link[owner_of(range_, figure)]
        places = [(iq, chains[body].tolist().index(iv)) for iq, iv in chart_places(range_, figure)]
        found.append((body, range_.flat_at(places), range_.region.walls))
    return found


def _first(item: tuple[int, FloatArray, int]) -> int:
    return item[0]


def make_forest(
    figures: Sequence[Figure], gravity: tuple[float, float, float], points: int, *, single: bool = False
) -> Forest:
    """The flat arrays of figures side by side (see `layout`), with room for so many point rows.

    single: they are for single precision, in which joints of three turns need more armature.
    """
    singles = [_single(figure) for figure in figures]
    counts = [len(each.joints) for each in singles]
    sizes_of = [(count, s.nq, s.nv, f.nlinks) for count, s, f in zip(counts, singles, figures, strict=True)]
    ends = np.cumsum([(0, 0, 0, 0), *sizes_of], axis=0)
    spans = tuple(
        Span(slice(at, at + count), slice(q, q + f.nq), slice(v, v + f.nv), slice(link, link + f.nlinks),
             s.body_of_link)
        for (at, q, v, link), count, s, f in zip(ends[:-1].tolist(), counts, singles, figures, strict=True)
    )  # fmt: skip
    body, nq, nv, links = map(int, ends[-1])
    shifts = np.repeat(ends[:-1], counts, axis=0)
    rows = _numbered([each.joints for each in singles], shifts)
    starts, coupled, ranges, walls = _gather_ranges(figures)
    stride = _up(max((each.chains.shape[1] for each in singles), default=0))
    widest = max((2 + 6) * (span.bodies.stop - span.bodies.start) for span in spans) + walls if spans else 0
    sizes = {"bodies": body, "nv": nv, "stride": stride, "width": _up(widest) + 8, "points": points, "walls": walls}
    following = _gather_followers(figures, np.split(rows, ends[1:-1, 0]) if figures else [])
    model = WorldModel.layout(
        **sizes, nq=nq, links=links, range_numbers=len(ranges), coupled_ranges=len(coupled) // 3,
        followers=len(following.bodies), arguments=len(following.arguments), registers=following.registers,
        program_ints=len(following.program), program_numbers=len(following.numbers),
    )  # fmt: skip
    ints, floats = model.new_ints(), model.new_floats()
    fields = model.open(floats, ints)
    fields.range_start[:], fields.coupled[:] = starts, coupled
    fields.gravity[:], fields.ranges[:] = gravity, ranges
    _put_followers(fields, following)
    if figures:
        fields.joint.rows[:] = rows
        fields.chain[:] = _side_by_side([each.chains for each in singles], shifts[:, 2], stride)
        fields.body.rows[:] = np.concatenate([each.bodies for each in singles])
        if single:
            for span, figure in zip(spans, figures, strict=True):
                own = lockable(figure, tree_model_of(figure))
                unlock(fields.body.rows, [(span.bodies.start + b, inertia) for b, inertia in own], UNLOCKED_SINGLE)
        fields.solid.rows[:] = np.concatenate([each.solids for each in singles])
        fields.limit.rows[:] = np.concatenate([each.limits for each in singles])
    return Forest(
        ints, floats, spans, body, nq, nv, model, State.layout(nq=nq, nv=nv, bodies=body),
        Control.layout(nq=nq, nv=nv, bodies=body), WorkMemory.layout(
            **sizes, widest=min(nv, WIDEST), arguments=len(following.arguments), registers=following.registers
        ),
    )  # fmt: skip


def _numbered(joints: Sequence[IntArray], shifts: IntArray) -> IntArray:
    """`JointInts` of all figures, numbered among all; shifts, shape (bodies, 4): bodies, q, v and links before each."""
    if not joints:
        return np.zeros((0, record_size(JointInts)), np.int64)
    rows, column = np.concatenate(joints), record_offsets(JointInts)
    body, nq, nv, links = shifts.T
    for name, shift in (("parent", body), ("link", links)):
        rows[:, column[name]] += np.where(rows[:, column[name]] >= 0, shift, 0)
    for name, shift in (("iq", nq), ("iv", nv), ("end", body)):
        rows[:, column[name]] += shift
    return rows


def _side_by_side(chains: Sequence[IntArray], shift: IntArray, stride: int) -> IntArray:
    """The chains of all bodies, numbered among all and filled up with zeros, shape (bodies, stride)."""
    rows, start = np.full((len(shift), stride), -1, np.int64), 0
    for part in chains:
        rows[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return np.where(rows < 0, 0, rows + shift[:, None])


def _gather_followers(figures: Sequence[Figure], joints: Sequence[IntArray]) -> FollowerTables:
    """What follows what in all figures together; `joints`, of each figure, are told where they find theirs."""
    column, registers = record_offsets(JointInts), 0
    bodies, arguments, program, numbers = list[int](), list[IntArray](), list[int](), list[float]()
    body, iq, first = 0, 0, 0
    for figure, own in zip(figures, joints, strict=True):
        single = _single(figure)
        found = single.followers
        if found is not None:
            at = found.bodies
            own[at, column["first"]] += first
            own[at, column["program"]] += len(program)
            program += _shifted_program(found.program, len(numbers))
            numbers += found.numbers.tolist()
            bodies += (at + body).tolist()
            arguments.append(found.arguments + [iq, 0])
            first, registers = first + len(found.arguments), max(registers, found.registers)
        body, iq = body + len(single.joints), iq + single.nq
    flat = np.concatenate([*arguments, np.zeros((0, 2), np.int64)]).astype(np.int64)
    return FollowerTables(
        np.array(bodies, np.int64), flat, np.array(program, np.int64), np.array(numbers, np.float64), registers
    )


def _shifted_program(program: IntArray, by: int) -> list[int]:
    """Programs whose numbers stand `by` farther on."""
    ints, at = program.tolist(), 0
    while at < len(ints):
        for k in range(ints[at]):
            ints[at + 4 + 4 * k] += by
        at += 1 + 4 * ints[at]
    return ints


def _put_followers(fields: Any, following: FollowerTables) -> None:
    fields.follower[:], fields.argument[:] = following.bodies, following.arguments
    fields.program[:], fields.program_number[:] = following.program, following.numbers


def _gather_ranges(figures: Sequence[Figure]) -> tuple[IntArray, IntArray, FloatArray, int]:
    """Where the range of each body's ball joint begins, or NONE, then the list of ranges of several joints, see
    `coupled`; all ranges, one after the other; and walls of those of several joints."""
    ranges, starts, at, known, told = list[FloatArray](), list[int](), 0, dict[int, int](), dict[int, list[int]]()
    for single in map(_single, figures):
        if id(single) not in told:
            for flat in single.ranges:
                if flat is not None and id(flat) not in known:  # joints may share a range
                    known[id(flat)] = at
                    ranges.append(flat)
                    at += len(flat)
            told[id(single)] = [NONE if flat is None else known[id(flat)] for flat in single.ranges]
        starts += told[id(single)]
    listed, body, iq, walls = list[int](), 0, 0, 0
    for figure in figures:
        single = _single(figure)
        for owner, flat, count in single.coupled:
            listed += [body + owner, at, iq]
            ranges.append(flat)
            at, walls = at + len(flat), walls + count
        body, iq = body + len(single.joints), iq + single.nq
    many = len(listed) // 3
    return np.array(starts, np.int64), np.array([many, *listed], np.int64), np.concatenate([*ranges, [0.0]]), walls


def with_ranges(forest: Forest, figures: Sequence[Figure]) -> Forest:
    """The same forest, all else as it is, with the ranges of figures that differ from its own in nothing else."""
    starts, coupled, ranges, _ = _gather_ranges(figures)
    old = forest.model
    model = WorldModel.layout(**{**old.givens, "range_numbers": len(ranges), "coupled_ranges": len(coupled) // 3})
    ints, floats = model.new_ints(), model.new_floats()
    fields, known = model.open(floats, ints), old.open(forest.floats, forest.ints)
    for name in ("joint", "body", "solid", "limit"):
        getattr(fields, name).rows[:] = getattr(known, name).rows
    fields.chain[:], fields.gravity[:] = known.chain, known.gravity
    fields.range_start[:], fields.coupled[:], fields.ranges[:] = starts, coupled, ranges
    for name in ("follower", "argument", "program", "program_number"):
        getattr(fields, name)[:] = getattr(known, name)
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


def _limits(figure: Figure, model: Model) -> tuple[FloatArray, list[FloatArray | None]]:
    """Intervals of the bodies' joints, and the flat ranges of ball joints."""
    limits = np.tile([-np.inf, np.inf], (model.bodies, 1))
    ranges: list[FloatArray | None] = [None] * model.bodies
    for k, link in enumerate(figure.links):
        given = link.joint.range
        if given is None:
            continue
        if link.joint.screws or link.joint.follows:
            limits[list(model.driven_by(figure, k))] = given
        else:
            ranges[model.body_of_link[k]] = given.flat
    assert limits.shape[1] == record_size(Limit)
    return limits, ranges


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
