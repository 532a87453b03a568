"""Scratch: what one iteration works on.  Its contents do not matter between calls."""

from typing import NamedTuple

from hitogata.dynamics.placing import Placed
from hitogata.lanes import X1, kernel, lanes, record, records, tail
from hitogata.rom.coupled.layout import SCRATCH
from hitogata.spatial import Force, Inertia, Motion, Vec3


@record
class GroupRows:
    """The three rows of a group: wrenches about the root's origin, world axes; a row's rate is its power."""

    first: Force
    second: Force
    third: Force
    error: Vec3  # [m], [rad], shortened to what may be asked for in one step
    scale: Vec3  # of the rows in the solver
    share: float  # authority


@record
class Reply:
    """How the joints between the root and a body let it move.  World axes, about the root's origin."""

    reply: Inertia  # motion for a unit wrench
    sway: Motion  # motion for a unit push on the centre of mass
    mass: float  # of the subtree
    moment: Vec3  # mass times place of the subtree


@record
class Wall:
    """A limit that is near: row · (change of its joint) + gap >= 0."""

    row: Vec3
    gap: float
    motion: Motion  # of the body, for a unit push against the wall
    push: float
    lead: float  # push of level one
    rate: float  # row · change + gap
    pressed: float


@record
class WallInts:
    """Whose it is, and which of its joint's: SWING (or the end of an interval), TWIST or OTHER."""

    body: int
    which: int


class Bench(NamedTuple):
    """Scratch: what one iteration works on.  Matrices are stored row by row."""

    placed: records  # type: ignore[valid-type]
    reply: records  # type: ignore[valid-type]
    rows: records  # type: ignore[valid-type]  # (groups,)
    wall: records  # type: ignore[valid-type]
    wall_int: records  # type: ignore[valid-type]
    coupling: lanes  # type: ignore[valid-type]  # (rows, rows), lower half: J D Jᵀ
    factor: lanes  # type: ignore[valid-type]  # (rows, rows), lower half
    across: lanes  # type: ignore[valid-type]  # (walls, rows): how a push against a wall moves the rows
    whitened: lanes  # type: ignore[valid-type]  # (walls, rows)
    between: lanes  # type: ignore[valid-type]  # (walls, walls): how it moves the walls, if rows give no way
    among: lanes  # type: ignore[valid-type]  # (walls, walls): how it moves them, rows held
    pivot: lanes  # type: ignore[valid-type]  # (walls, walls)
    asked: lanes  # type: ignore[valid-type]  # (rows,)
    force: lanes  # type: ignore[valid-type]  # (rows,)
    lead: lanes  # type: ignore[valid-type]  # (rows,): forces of level one
    slack: lanes  # type: ignore[valid-type]  # (walls,)
    pulled: lanes  # type: ignore[valid-type]  # (nv,): what wanted joint values do
    change: lanes  # type: ignore[valid-type]  # (nv,): what the iteration does
    last: lanes  # type: ignore[valid-type]  # (nv,): velocities of the last frame
    before: lanes  # type: ignore[valid-type]  # (nq,)
    spare: lanes  # type: ignore[valid-type]  # of ranges over several joints: a row (nv,), then their scratch


@kernel
def bench_size(doll, groups):
    """Numbers of scratch."""
    rows, walls, tree = 3 * groups, doll.most_walls, doll.tree
    bodies = tree.bodies * (Placed.SIZE + Reply.SIZE) + groups * GroupRows.SIZE + walls * Wall.SIZE
    matrices = 2 * rows * rows + 2 * walls * rows + 3 * walls * walls
    return bodies + matrices + 3 * rows + walls + 4 * tree.nv + tree.nq + SCRATCH


@kernel
def open_bench(doll, groups, work, work_ints, width):
    """Views of the scratch."""
    rows, walls, tree = 3 * groups, doll.most_walls, doll.tree
    placed = lanes(work, width)
    reply = tail(placed, tree.bodies * Placed.SIZE)
    group = tail(reply, tree.bodies * Reply.SIZE)
    wall = tail(group, groups * GroupRows.SIZE)
    coupling = tail(wall, walls * Wall.SIZE)
    factor = tail(coupling, rows * rows)
    across = tail(factor, rows * rows)
    whitened = tail(across, walls * rows)
    between = tail(whitened, walls * rows)
    among = tail(between, walls * walls)
    pivot = tail(among, walls * walls)
    asked = tail(pivot, walls * walls)
    force = tail(asked, rows)
    lead = tail(force, rows)
    slack = tail(lead, rows)
    pulled = tail(slack, walls)
    change = tail(pulled, tree.nv)
    last = tail(change, tree.nv)
    before = tail(last, tree.nv)
    return Bench(
        records(placed, Placed), records(reply, Reply), records(group, GroupRows), records(wall, Wall),
        records(work_ints, WallInts, X1), coupling, factor, across, whitened, between, among, pivot, asked, force, lead,
        slack, pulled, change, last, before, tail(before, tree.nq),
    )  # fmt: skip
