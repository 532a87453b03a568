"""Figures as tables of numbers, and how they are put side by side into a `FigureMemory`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics.layout import NONE, JointInts
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class FollowerTables:
    """What follows functions of coordinates in a figure; see `followers`.

    Attributes:
        bodies: whose coordinates follow, in the order of those behind the figure's own, shape (n,).
        arguments: of each argument its place in q, and on the chain of the body, shape (m, 2).
        program, numbers: see `figure.mechanism.program`.
        registers: instructions of the longest program.
        columns: `arguments`, `first` and `program` of the figure's `JointInts`, shape (bodies, 3).
    """

    bodies: IntArray
    arguments: IntArray
    program: IntArray
    numbers: FloatArray
    registers: int
    columns: IntArray


@dataclass(frozen=True)
class FigureTables:
    """What one figure is, numbered as if it stood alone.

    Attributes:
        joints: shape (bodies, numbers of a `JointInts`).
        bodies: shape (bodies, numbers of a `Body`).
        limits: intervals of joints, shape (bodies, 2).
        ranges: flat range of each body's ball joint, or None.
        coupled: owner, flat range and walls of each range over several joints, by owner.
        followers: None: nothing follows.
        nq, nv, links: how many there are, with those that follow.
    """

    joints: IntArray
    bodies: FloatArray
    limits: FloatArray
    ranges: tuple[FloatArray | None, ...]
    coupled: tuple[tuple[int, FloatArray, int], ...]
    followers: FollowerTables | None
    nq: int
    nv: int
    links: int


@dataclass(frozen=True)
class Ranges:
    """All ranges of figures side by side.

    Attributes:
        starts: where the range of each body's ball joint begins, or NONE.
        coupled: how many ranges of several joints; of each its owner, where it begins, first q of its figure.
        numbers: flat ranges, one after the other.
        walls: of those of several joints.
    """

    starts: IntArray
    coupled: IntArray
    numbers: FloatArray
    walls: int


@dataclass(frozen=True)
class Gathered:
    """Figures side by side; `ends`: bodies, q, v and links before each of them, and in all, shape (figures + 1, 4)."""

    joints: IntArray
    bodies: FloatArray
    limits: FloatArray
    ranges: Ranges
    followers: FollowerTables
    ends: IntArray


def gather(tables: Sequence[FigureTables]) -> Gathered:
    """Figures one after the other."""
    sizes = [(len(t.joints), t.nq, t.nv, t.links) for t in tables]
    ends = np.cumsum([(0, 0, 0, 0), *sizes], axis=0)
    joints = _numbered([t.joints for t in tables], np.repeat(ends[:-1], [size[0] for size in sizes], axis=0))
    followers = _gather_followers(tables, np.split(joints, ends[1:-1, 0]) if tables else [], ends)
    bodies, limits = ([getattr(t, name) for t in tables] for name in ("bodies", "limits"))
    return Gathered(
        joints, np.concatenate(bodies) if tables else np.zeros((0, 0)),
        np.concatenate(limits) if tables else np.zeros((0, 2)), gather_ranges(tables), followers, ends,
    )  # fmt: skip


def counts_of(gathered: Gathered) -> dict[str, int]:
    """Counts of a `FigureMemory`."""
    ranges, following = gathered.ranges, gathered.followers
    return {
        "bodies": len(gathered.joints), **range_counts(ranges), "followers": len(following.bodies),
        "arguments": len(following.arguments), "program_ints": len(following.program),
        "program_numbers": len(following.numbers),
    }  # fmt: skip


def range_counts(ranges: Ranges) -> dict[str, int]:
    """Those of its ranges."""
    return {"range_numbers": len(ranges.numbers), "coupled_ranges": len(ranges.coupled) // 3}


def put(fields: Any, gathered: Gathered, gravity: Any) -> None:
    """Write figures into the views of a `FigureMemory`."""
    fields.gravity[:] = gravity
    put_ranges(fields, gathered.ranges)
    following = gathered.followers
    fields.follower[:], fields.argument[:] = following.bodies, following.arguments
    fields.program[:], fields.program_number[:] = following.program, following.numbers
    if len(gathered.joints):
        fields.joint.rows[:], fields.body.rows[:] = gathered.joints, gathered.bodies
        fields.limit.rows[:] = gathered.limits


def put_ranges(fields: Any, ranges: Ranges) -> None:
    """Write their ranges."""
    fields.range_start[:], fields.coupled[:], fields.ranges[:] = ranges.starts, ranges.coupled, ranges.numbers


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


def _gather_followers(
    tables: Sequence[FigureTables], joints: Sequence[IntArray], ends: IntArray
) -> FollowerTables:
    """What follows what in all figures together; `joints`, of each figure, are told where they find theirs."""
    column, registers = record_offsets(JointInts), 0
    bodies, arguments, program, numbers = list[int](), list[IntArray](), list[int](), list[float]()
    first = 0
    for own, rows, (body, iq, _, _) in zip(tables, joints, ends[:-1].tolist(), strict=True):
        found = own.followers
        if found is not None:
            rows[found.bodies, column["first"]] += first
            rows[found.bodies, column["program"]] += len(program)
            program += _shifted_program(found.program, len(numbers))
            numbers += found.numbers.tolist()
            bodies += (found.bodies + body).tolist()
            arguments.append(found.arguments + [iq, 0])
            first, registers = first + len(found.arguments), max(registers, found.registers)
    flat = np.concatenate([*arguments, np.zeros((0, 2), np.int64)]).astype(np.int64)
    return FollowerTables(
        np.array(bodies, np.int64), flat, np.array(program, np.int64), np.array(numbers, np.float64), registers,
        np.zeros((0, 3), np.int64),
    )  # fmt: skip


def _shifted_program(program: IntArray, by: int) -> list[int]:
    """Programs whose numbers stand `by` farther on."""
    ints, at = program.tolist(), 0
    while at < len(ints):
        for k in range(ints[at]):
            ints[at + 4 + 4 * k] += by
        at += 1 + 4 * ints[at]
    return ints


def gather_ranges(tables: Sequence[FigureTables]) -> Ranges:
    """The ranges of figures side by side; what joints share is there once."""
    ranges, starts, at, known, told = list[FloatArray](), list[int](), 0, dict[int, int](), dict[int, list[int]]()
    for own in tables:
        if id(own) not in told:
            for flat in own.ranges:
                if flat is not None and id(flat) not in known:
                    known[id(flat)] = at
                    ranges.append(flat)
                    at += len(flat)
            told[id(own)] = [NONE if flat is None else known[id(flat)] for flat in own.ranges]
        starts += told[id(own)]
    listed, body, iq, walls = list[int](), 0, 0, 0
    for own in tables:
        for owner, flat, count in own.coupled:
            listed += [body + owner, at, iq]
            ranges.append(flat)
            at, walls = at + len(flat), walls + count
        body, iq = body + len(own.joints), iq + own.nq
    return Ranges(
        np.array(starts, np.int64), np.array([len(listed) // 3, *listed], np.int64), np.concatenate([*ranges, [0.0]]),
        walls,
    )  # fmt: skip
