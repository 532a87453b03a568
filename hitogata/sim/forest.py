"""Figures side by side: the flat arrays of a world, made anew whenever something comes or goes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hitogata.constraints.envelope import TALLY, envelope_sizes
from hitogata.constraints.islands import ALIGNED, islands_size
from hitogata.constraints.layout import JointRow, JointRowInts, Placed, PointRow, PointRowInts, TouchInts
from hitogata.constraints.limits import Limit, Watch
from hitogata.constraints.links import LIMITS
from hitogata.constraints.ranges import NONE
from hitogata.dynamics.layout import HEADER as MODEL_HEADER
from hitogata.dynamics.layout import Body, JointInts, Model, model_of
from hitogata.figure import Figure, JointKind
from hitogata.figure.coupled import bound_ranges
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.layout import HEADER, Carried, Motor, Pull, Solid, Strain

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
    body_of_link: tuple[int, ...]  # in the forest


def stretch(spans: Sequence[Span]) -> Span:
    """Where figures that follow each other stand together; `body_of_link` is left out."""
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
    state_size: int
    control_size: int
    work_size: int
    work_ints: int


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


def _single(figure: Figure) -> _Single:
    """Made once and kept with the figure."""
    single: _Single | None = figure.compiled.get("forest")
    if single is None:
        model = model_of(figure)
        joints = model.ints[MODEL_HEADER:].reshape(-1, record_size(JointInts))
        bodies = model.floats[MODEL_HEADER:].reshape(-1, record_size(Body))
        solids = [_solid(row, reach) for row, reach in zip(bodies, _reach(figure, model), strict=True)]
        limits, ranges = _limits(figure, len(joints), model.body_of_link)
        flat = np.array(solids).reshape(-1, record_size(Solid))
        coupled = sorted(((model.body_of_link[b.owner], b.flat, b.walls) for b in bound_ranges(figure)), key=_first)
        single = _Single(
            joints, bodies, flat, limits, tuple(ranges), tuple(coupled), _chains(joints), model.body_of_link
        )  # fmt: skip
        figure.compiled["forest"] = single
    return single


def _first(item: tuple[int, FloatArray, int]) -> int:
    return item[0]


def make_forest(figures: Sequence[Figure], gravity: tuple[float, float, float], points: int) -> Forest:
    """The flat arrays of figures side by side (see `layout`), with room for so many point rows."""
    spans: list[Span] = []
    joints, bodies, solids, limits, chains = [], [], [], [], []
    body, nq, nv, links = 0, 0, 0, 0
    column = record_offsets(JointInts)
    for figure in figures:
        single = _single(figure)
        own, count = single.joints.copy(), len(single.joints)
        own[:, column["parent"]] += np.where(own[:, column["parent"]] >= 0, body, 0)
        own[:, column["link"]] += np.where(own[:, column["link"]] >= 0, links, 0)
        for name, shift in (("iq", nq), ("iv", nv), ("end", body)):
            own[:, column[name]] += shift
        joints.append(own)
        bodies.append(single.bodies)
        solids.append(single.solids)
        limits.append(single.limits)
        chains.append((single.chains, body, nv))
        spans.append(
            Span(slice(body, body + count), slice(nq, nq + figure.nq), slice(nv, nv + figure.nv),
                 slice(links, links + figure.nlinks), tuple(body + b for b in single.body_of_link))
        )  # fmt: skip
        body, nq, nv, links = body + count, nq + figure.nq, nv + figure.nv, links + figure.nlinks
    starts, ranges, walls = _gather_ranges(figures)
    rows = np.concatenate(joints) if joints else np.zeros((0, record_size(JointInts)), np.int64)
    stride = _up(max((part.shape[1] for part, _, _ in chains), default=0))
    velocities = np.zeros((body, stride), np.int64)
    for part, first, shift in chains:
        velocities[first : first + len(part), : part.shape[1]] = np.where(part < 0, 0, part + shift)
    most_joint = LIMITS * body + walls
    widest = max((2 + 6) * (span.bodies.stop - span.bodies.start) for span in spans) + walls if spans else 0
    width = _up(widest) + 8
    head = np.zeros(HEADER, np.int64)
    floats = np.zeros(HEADER)
    floats[:3] = gravity
    most_rows = _up(most_joint + 6 * body + 8 * body)
    replies = points * 6 * width
    envelope, envelope_ints = envelope_sizes(nv, body, stride)
    head[:12] = [body, nq, nv, links, stride, width, most_joint, body, points, most_rows * width, replies, envelope]
    work = body * record_size(Placed) + nv * stride + 4 * _up(nv) + most_joint * (record_size(JointRow) + stride)
    work += 6 * body * stride + points * record_size(PointRow) + most_rows + most_rows * width + replies + envelope + 64
    ints_needed = (
        most_joint * record_size(JointRowInts)
        + body * (record_size(TouchInts) + 1)
        + points * record_size(PointRowInts)
        + islands_size(most_rows // ALIGNED, most_joint, points)
        + envelope_ints
        + TALLY
    )
    return Forest(
        np.concatenate([head, rows.ravel(), velocities.ravel(), starts]),
        np.concatenate([floats, *[x.ravel() for x in (*bodies, *solids, *limits)], ranges]),
        tuple(spans), body, nq, nv,
        nq + 3 * nv + body * (record_size(Carried) + record_size(Watch) + 9 + record_size(Strain)) + 2,
        nq + 2 * nv + body * (record_size(Motor) + record_size(Pull)) + 1, work, ints_needed,
    )  # fmt: skip


def _gather_ranges(figures: Sequence[Figure]) -> tuple[IntArray, FloatArray, int]:
    """Where the range of each body's ball joint begins, or NONE, then the list of ranges of several joints, see
    `coupled`; all ranges, one after the other; and walls of those of several joints."""
    ranges, starts, at, known = list[FloatArray](), list[int](), 0, dict[int, int]()
    for flat in (flat for figure in figures for flat in _single(figure).ranges):
        if flat is not None and id(flat) not in known:  # joints may share a range
            known[id(flat)] = at
            ranges.append(flat)
            at += len(flat)
        starts.append(NONE if flat is None else known[id(flat)])
    listed, body, iq, walls = list[int](), 0, 0, 0
    for figure in figures:
        single = _single(figure)
        for owner, flat, count in single.coupled:
            listed += [body + owner, at, iq]
            ranges.append(flat)
            at, walls = at + len(flat), walls + count
        body, iq = body + len(single.joints), iq + figure.nq
    many = len(listed) // 3
    return np.array([*starts, many, *listed], np.int64), np.concatenate([*ranges, [0.0]]), walls


def with_ranges(forest: Forest, figures: Sequence[Figure]) -> Forest:
    """The same forest, all else as it is, with the ranges of figures that differ from its own in nothing else."""
    (starts, ranges, _), bodies = _gather_ranges(figures), forest.bodies
    head = HEADER + bodies * (record_size(JointInts) + int(forest.ints[4]))
    end = HEADER + bodies * (record_size(Body) + record_size(Solid) + record_size(Limit))
    return replace(
        forest, ints=np.concatenate([forest.ints[:head], starts]),
        floats=np.concatenate([forest.floats[:end], ranges]),
    )  # fmt: skip


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


def _limits(figure: Figure, count: int, body_of_link: tuple[int, ...]) -> tuple[FloatArray, list[FloatArray | None]]:
    """Intervals of the bodies' joints, and the flat ranges of ball joints."""
    limits = np.tile([-np.inf, np.inf], (count, 1))
    ranges: list[FloatArray | None] = [None] * count
    for link, body in zip(figure.links, body_of_link, strict=True):
        given = link.joint.range
        if given is None:
            continue
        if link.joint.kind is JointKind.BALL:
            ranges[body] = given.flat
        elif link.joint.kind is JointKind.UNIVERSAL:
            limits[body - 1], limits[body] = given
        else:
            limits[body] = given
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
