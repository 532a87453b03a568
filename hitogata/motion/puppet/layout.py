"""Where the numbers of a puppet lie, and the views kernels open of them.

    ints, floats     header, joints, where ranges begin; bodies, intervals, ranges       what the figure is
    goal_ints        header, groups, common ancestors, which bodies move any            what is asked for, for all
    goal_floats      one `GroupFloats` per group
    aims             one `Aim` per group, corners of support     (blocks, numbers, width) for each character
    state            q, v, wanted q, one `JointState` per body   (blocks, numbers, width) for each character

A *group* is three rows of the solver: the velocity of a point, or the turning of a frame, along three axes; or the two
angles of a gaze; or the centre of mass towards its support.  Groups of level one stand before those of level two.
"""

from typing import NamedTuple

from hitogata.constraints.limits import Limit
from hitogata.dynamics.layout import Body, JointInts, Tree
from hitogata.lanes import X1, kernel, lanes, record, records, tail
from hitogata.spatial import Mat3, Quaternion, Vec3, load3

POINT, TURN, GAZE, BALANCE = 0, 1, 2, 3
"""Kinds of groups."""

SWING, TWIST, OTHER = 0, 1, 2
"""Walls of a ball joint."""

EAGER = 25
"""Iterations after which a solve that has not ended takes its targets for out of reach, and slows down."""

HEADER = 8
"""Numbers at the head of `ints`, `floats` and `goal_ints`."""

POINTS, ANGLES, FAR, STATUS, ITERATIONS, BACK, WARY, SUMMARY = 0, 1, 2, 3, 4, 5, 6, 7
"""Numbers at the end of a state: largest error of points [m] and angles [rad], longest change of a joint in the last
iteration [rad] or [m], status and iterations of the last solve, whether the last frame took back what the one before
did (1), and by how many times frames brake more than usual."""

MAX_ITERATIONS, REACHED, STALLED = 0, 1, 2
"""Status of a solve."""


@record
class GroupInts:
    """Of what kind, and of which body (-1: of the whole figure)."""

    kind: int
    body: int


@record
class GroupFloats:
    """Constants of a group."""

    point: Vec3  # in the body's frame K [m]
    rot: Mat3  # R_KF: axes of the frame in K; for a gaze, the first column looks ahead
    size: float  # metres that count as much as one unit of its error


@record
class Aim:
    """What a group is to do."""

    authority: float  # 0 ... 1, on its way to `authority_goal`
    authority_goal: float
    weight: float  # on its way to `weight_goal`
    weight_goal: float
    speed: float  # fastest approach asked for [m/s], [rad/s]
    along: Vec3  # share of each world axis, 0 ... 1
    position: Vec3  # target in the world [m]
    quat: Quaternion  # target in the world
    residual: float  # length of its error [m], [rad]
    left: float  # the same, at the end of the last step


@record
class JointState:
    """What a joint may do, and where it stands to its range."""

    mobility: float  # on its way to `mobility_goal`, as a share of the largest
    mobility_goal: float
    pull: float  # towards the wanted value [1/s], on its way to `pull_goal`
    pull_goal: float
    turn_speed: float  # fastest [rad/s]
    slide_speed: float  # fastest [m/s]
    quat: Quaternion  # when the range was last looked at
    swing: float  # room there was [rad]
    twist: float
    swing_row: Vec3
    twist_row: Vec3
    other_row: Vec3  # of the wall that was nearest before this one
    other: float  # room to it, when it was last the nearest
    other_quat: Quaternion
    inside: float  # 1: within its range, and to be kept there
    pressed: Vec3  # 1 where level one pressed a wall: swing, twist, other
    pressed_two: Vec3  # the same of level two


class Doll(NamedTuple):
    """What the figure is."""

    tree: Tree
    limit: records  # type: ignore[valid-type]
    range_start: lanes  # type: ignore[valid-type]  # (bodies,) int: where a ball joint's range begins, or -1
    coupled: lanes  # type: ignore[valid-type]  # int: how many ranges of several joints, and where each begins
    ranges: lanes  # type: ignore[valid-type]
    most_walls: int


class Goals(NamedTuple):
    """What is asked for."""

    groups: int
    first: int  # groups of the first level
    balance: int  # which group is the centre of mass, or -1
    corners: int  # of the support
    pulled: int  # 1: some joints have wanted values
    group: records  # type: ignore[valid-type]
    common: lanes  # type: ignore[valid-type]  # (groups, groups) int: last body that moves both
    moves: lanes  # type: ignore[valid-type]  # (bodies,) int: 1 if it moves any group
    fixed: records  # type: ignore[valid-type]
    aim: records  # type: ignore[valid-type]
    support: lanes  # type: ignore[valid-type]  # (corners, 2)


class State(NamedTuple):
    """Where a character is."""

    q: lanes  # type: ignore[valid-type]
    v: lanes  # type: ignore[valid-type]
    wanted: lanes  # type: ignore[valid-type]  # (nq,)
    joint: records  # type: ignore[valid-type]
    summary: lanes  # type: ignore[valid-type]  # (SUMMARY,)


class Law(NamedTuple):
    """The numbers of one iteration."""

    dt: float  # time it stands for [s]
    damping: float  # [m²]
    error_damping: float  # [m]
    gain: float  # share of an error to mend
    margin: float  # limits nearer than this are looked after [rad], [m]
    pivots: int


class Ends(NamedTuple):
    """When a solve is done; a frame never is."""

    point: float  # [m]
    angle: float  # [rad]
    still: float  # [rad], [m]
    eager: int  # iterations in which errors left undone are no brake


@kernel
def open_law(numbers, dt, to_the_end):
    """The law of an iteration that stands for some time, from `PuppetSettings.numbers`."""
    damping, gain = numbers[0], numbers[2]
    if to_the_end:
        damping, gain = numbers[6], 1.0
    return Law(dt, damping, numbers[1], gain, numbers[3], int(numbers[4]))


@kernel
def open_ends(numbers, to_the_end):
    """When to stop, from `PuppetSettings.numbers`."""
    if to_the_end:
        return Ends(numbers[7], numbers[8], numbers[9], EAGER)
    return Ends(-1.0, -1.0, -1.0, 0)


@kernel
def open_doll(ints, floats):
    """Views of what the figure is."""
    head, numbers = lanes(ints, X1), lanes(floats, X1)
    bodies = head[0]
    joint, body = tail(head, HEADER), tail(numbers, HEADER)
    limit = tail(body, bodies * Body.SIZE)
    tree = Tree(bodies, head[1], head[2], head[3], load3(numbers, 0), records(joint, JointInts), records(body, Body))
    starts = tail(joint, bodies * JointInts.SIZE)
    return Doll(
        tree, records(limit, Limit), starts, tail(starts, bodies), tail(limit, bodies * Limit.SIZE), head[4]
    )  # fmt: skip


@kernel
def open_goals(doll, goal_ints, goal_floats, aims, width, block):
    """Views of what is asked for."""
    head, own = lanes(goal_ints, X1), lanes(aims, width, block)
    groups = head[0]
    group = tail(head, HEADER)
    common = tail(group, groups * GroupInts.SIZE)
    return Goals(
        groups, head[1], head[2], head[3], head[4], records(group, GroupInts), common, tail(common, groups * groups),
        records(goal_floats, GroupFloats, X1), records(own, Aim), tail(own, groups * Aim.SIZE),
    )  # fmt: skip


@kernel
def open_state(doll, state, width, block):
    """Views of where a character is."""
    q, tree = lanes(state, width, block), doll.tree
    v = tail(q, tree.nq)
    wanted = tail(v, tree.nv)
    joint = tail(wanted, tree.nq)
    return State(q, v, wanted, records(joint, JointState), tail(joint, tree.bodies * JointState.SIZE))
