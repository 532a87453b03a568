"""Cutting a figure into segments: the arrays of `segment_layout`.

Every round's bodies are shared out over lanes and threads: paths longer than a lane's share are cut, never directly
below a light body, and segments of like length and kind go together.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics.articulated import Work
from hitogata.dynamics.assembly.plans import cut_path, heavy_paths
from hitogata.dynamics.assembly.segment_layout import (
    A_AT,
    B_AT,
    BALL_JOINT,
    C_AT,
    F_AT,
    HEADER,
    HINGE_JOINT,
    NONE,
    P_AT,
    PIECE,
    SCREW_JOINT,
    SIDE,
    T_AT,
    Flow,
    Hung,
    Multi,
    Slot,
    Strand,
)
from hitogata.dynamics.assembly.topology import Topology, topology_of
from hitogata.dynamics.joints import BALL, FREE, HINGE, SCREW
from hitogata.dynamics.layout import Body, JointInts
from hitogata.dynamics.model import Model, model_of
from hitogata.figure import Figure
from hitogata.lanes import address_table, aligned_zeros, record_offsets, record_size

SHORTEST = 6
"""Bodies of a segment: shorter ones are not worth a merge."""

Ints = np.ndarray[Any, np.dtype[np.int64]]
_KINDS = {HINGE: HINGE_JOINT, SCREW: SCREW_JOINT, BALL: BALL_JOINT}


@dataclass(frozen=True)
class Cut:
    """A figure cut up.

    Attributes:
        paths: of each round, each path as its segments, each segment as its bodies, from the top down.
        groups: of each round, segments that run together, as (path, segment) of the round.
        lanes: side by side.
    """

    paths: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    groups: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
    lanes: int

    @property
    def slots(self) -> int:
        """Bodies one after the other, over all groups."""
        return sum(
            max(len(self.paths[r][p][k]) for p, k in group) for r, part in enumerate(self.groups) for group in part
        )


def cut_figure(tree: Topology, kinds: Any, *, lanes: int, threads: int, free: bool) -> Cut:
    """Paths, segments and groups of a tree of bodies."""
    rounds: dict[int, list[list[int]]] = {}
    level = [0] * len(tree)
    for path in reversed(heavy_paths(tree, forest=free)):
        parent = tree.parents[path[0]]
        own = 0 if parent < 0 or (free and parent == 0) else level[parent] + 1
        for body in path:
            level[body] = own
        rounds.setdefault(own, []).append(path)
    paths, groups = [], []
    for r in sorted(rounds):
        total = sum(map(len, rounds[r]))
        share = max(SHORTEST, -(-total // (lanes * threads)))
        cut = tuple(tuple(map(tuple, cut_path(tree, path, share))) for path in rounds[r])
        paths.append(cut)
        groups.append(_grouped(cut, kinds, lanes))
    return Cut(tuple(paths), tuple(groups), lanes)


def _grouped(cut: Any, kinds: Any, lanes: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Segments of like kind and length together: with balls, with other joints, with hinges alone."""
    sorts: list[list[tuple[int, int, int]]] = [[], [], []]
    for p, path in enumerate(cut):
        for k, segment in enumerate(path):
            found = {int(kinds[body]) for body in segment}
            sort = 0 if BALL in found else 1 if found != {HINGE} else 2
            sorts[sort].append((-len(segment), p, k))
    # few segments share registers whatever their kinds
    alike = sorts if min(len(some) for some in sorts if some) >= lanes else [[x for some in sorts for x in some]]
    return tuple(
        tuple((p, k) for _, p, k in sorted(some)[i : i + lanes]) for some in alike for i in range(0, len(some), lanes)
    )


class SegmentArrays:
    """All arrays of one figure's segments, and the table of their addresses."""

    def __init__(self, figure: Figure, lanes: int, threads: int) -> None:
        model, tree = model_of(figure), topology_of(figure)
        joints = model.tables.joints
        offsets = record_offsets(JointInts)
        kinds = joints[:, offsets["kind"]]
        free = bool(kinds[0] == FREE)
        self.cut = cut_figure(tree, kinds, lanes=lanes, threads=threads, free=free)
        self.floats = model.floats.copy()
        ints, slots, multi_slots, groups = self._layout(model, tree, joints, offsets, free)
        n, segments = lanes, sum(len(path) for part in self.cut.paths for path in part)
        count = len(slots) // (record_size(Slot) * n)
        multi = aligned_zeros(max(1, multi_slots) * record_size(Multi) * n)
        quat = record_offsets(Multi)["quat"]
        multi.reshape(-1, record_size(Multi), n)[:, quat] = 1.0
        self.arrays = (
            ints, slots, aligned_zeros(count * record_size(Flow) * n), multi,
            aligned_zeros(count * record_size(Hung) * n), aligned_zeros(groups * record_size(Strand) * n),
            aligned_zeros(segments * PIECE), _copies(), model.ints, self.floats, aligned_zeros(record_size(Work)),
            np.zeros(model.nq + 2 * model.nv + 6 * model.nlinks), np.zeros(model.nv),
        )  # fmt: skip
        self.table = address_table(self.arrays)

    def _layout(self, model: Model, tree: Topology, joints: Ints, at: dict[str, int], free: bool) -> Any:
        n, cut = self.cut.lanes, self.cut
        where: dict[int, tuple[int, int]] = {}  # slot and lane of each body
        group_rows: list[Any] = []
        path_rows: list[Any] = []
        segment_rows: list[Any] = []
        place_rows: list[Any] = []
        round_rows: list[Any] = []
        slot_rows: list[Any] = []
        slot_count = multi_slots = 0
        side_parents = {tree.parents[path[0][0]] for part in cut.paths[1:] for path in part}
        numbers = model.tables.bodies
        for r, part in enumerate(cut.groups):
            first_group, first_path = len(group_rows), len(path_rows)
            lane_of = {}
            for group in part:
                members = [cut.paths[r][p][k] for p, k in group]
                length = max(map(len, members))
                hard = any(joints[b, at["kind"]] != HINGE for m in members for b in m)
                is_open = any(len(cut.paths[r][p]) > 1 for p, _ in group)
                hung = any(b in side_parents for m in members for b in m)
                for lane, place in enumerate(group):
                    lane_of[place] = (len(group_rows), lane)
                for k in range(length):
                    bodies = [m[k] if k < len(m) else -1 for m in members] + [-1] * (n - len(members))
                    for lane, body in enumerate(bodies):
                        where[body] = (slot_count + k, lane)
                        place_rows.append(_place(joints, at, body))
                    slot_rows.append(_slot(numbers, joints, at, bodies))
                balls = any(joints[b, at["kind"]] == BALL for m in members for b in m)
                group_rows.append([slot_count, length, multi_slots if hard else -1, 3 if balls else 1, is_open, hung])
                slot_count += length
                multi_slots += length if hard else 0
            for p, path in enumerate(cut.paths[r]):
                parent = tree.parents[path[0][0]]
                slot, lane = (-1, 0) if parent < 0 or (free and parent == 0) else where[parent]
                path_rows.append([len(segment_rows), len(path), slot, lane])
                segment_rows += [list(lane_of[p, k]) for k in range(len(path))]
            round_rows.append([first_group, len(group_rows), first_path, len(path_rows)])
        rows = [group_rows, path_rows, segment_rows, place_rows]
        flat = [x for part in rows for row in part for x in row]
        header = [len(group_rows), len(path_rows), len(segment_rows), slot_count, len(round_rows), free, model.nq,
                  model.nv, model.nlinks, HEADER + len(flat), n, 0]  # fmt: skip
        ints = np.array([*header, *flat, *[x for row in round_rows for x in row]], np.int64)
        slots = aligned_zeros(max(1, slot_count) * record_size(Slot) * n)
        if slot_rows:
            slots[:] = np.array(slot_rows).transpose(0, 2, 1).reshape(-1)
        return ints, slots, multi_slots, len(group_rows)


def _place(joints: Ints, at: dict[str, int], body: int) -> list[int]:
    if body < 0:
        return [NONE, 0, 0, -1]
    row = joints[body]
    kind = _KINDS.get(int(row[at["kind"]]), NONE)
    return [kind, int(row[at["iq"]]), int(row[at["iv"]]), int(row[at["link"]])]


def _slot(numbers: Any, joints: Ints, at: dict[str, int], bodies: list[int]) -> Any:
    """Constants of a slot, shape (lanes, numbers)."""
    body_at, to = record_offsets(Body), record_offsets(Slot)
    out = np.zeros((len(bodies), record_size(Slot)))
    for lane, body in enumerate(bodies):
        row = out[lane]
        row[to["rot"] : to["rot"] + 9] = np.eye(3).ravel()
        row[to["armature"]] = row[to["idle"]] = 1.0
        if body < 0:
            continue
        own, kind = numbers[body], int(joints[body, at["kind"]])
        row[to["rot"] : to["rot"] + 22] = own[body_at["rot"] : body_at["rot"] + 22]  # rot, pos, inertia
        row[to["damping"]] = own[body_at["damping"]]
        row[to["link_pos"] : to["link_pos"] + 3] = own[body_at["link_pos"] : body_at["link_pos"] + 3]
        row[to["turn"]], row[to["slide"]] = own[body_at["turn"] : body_at["turn"] + 2]
        row[to["ball"]] = kind == BALL
        if kind in _KINDS:
            row[to["armature"]] = own[body_at["armature"]]
        row[to["idle"]] = kind != BALL
    return out


def _copies() -> Ints:
    """How many, then pairs: place in a piece, number of a strand.  A and p come first."""
    s = record_offsets(Strand)

    def symmetric(first: int) -> list[list[int]]:
        """Numbers of an `Inertia` as a 6x6 matrix."""
        upper = {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 1): 3, (1, 2): 4, (2, 2): 5}
        def number(i: int, j: int) -> int:
            if i < 3 <= j:
                return 6 + 3 * i + j - 3
            if j < 3 <= i:
                return number(j, i)
            base = 0 if i < 3 else 15
            return base + upper[min(i, j) % 3, max(i, j) % 3]
        return [[first + number(i, j) for j in range(6)] for i in range(6)]

    part = "aaalll"
    f = [[s[part[i] + part[j]] + 3 * (i % 3) + j % 3 for j in range(6)] for i in range(6)]
    pairs = [(A_AT + SIDE * i + j, symmetric(s["inertia"])[i][j]) for i in range(6) for j in range(6)]
    pairs += [(P_AT + i, s["weight"] + i) for i in range(6)]
    pairs += [(F_AT + SIDE * i + j, f[i][j]) for i in range(6) for j in range(6)]
    pairs += [(T_AT + SIDE * j + i, f[i][j]) for i in range(6) for j in range(6)]
    pairs += [(C_AT + SIDE * i + j, symmetric(s["loose"])[i][j]) for i in range(6) for j in range(6)]
    pairs += [(B_AT + i, s["swing"] + i) for i in range(6)]
    return np.array([len(pairs), *[x for pair in pairs for x in pair]], np.int64)
