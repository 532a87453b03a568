"""Where the numbers of a puppet lie, and the views kernels open of them.

A *group* is three rows of the solver: the velocity of a point, or the turning of a frame, along three axes; or the two
angles of a gaze; or the centre of mass towards its support.  Groups of level one stand before those of level two.
"""

from typing import NamedTuple

from hitogata.dynamics.followers import Followers
from hitogata.dynamics.layout import ModelMemory, Tree, tree_of
from hitogata.lanes import (
    Count,
    Memory,
    Table,
    float_array,
    int_array,
    kernel,
    lanes,
    many,
    number,
    numbers,
    one,
    open_memory,
    record,
    records,
    whole,
    wholes,
)
from hitogata.spatial import Mat3, Quaternion, Vec3

POINT, TURN, GAZE, BALANCE = 0, 1, 2, 3
"""Kinds of groups."""

SWING, TWIST, OTHER = 0, 1, 2
"""Walls of a ball joint."""

EAGER = 25
"""Iterations after which a solve that has not ended takes its targets for out of reach, and slows down."""

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


@record
class Summary:
    """How the last frame or solve went."""

    points: float  # largest error of points [m]
    angles: float  # of angles [rad]
    far: float  # longest change of a joint in the last iteration [rad], [m]
    status: float  # of the last solve
    iterations: float
    back: float  # 1: the last frame took back what the one before did
    wary: float  # by how many times frames brake more than usual


class PuppetModel(Memory):
    """What a puppet knows of its figure besides the figure's model."""

    bodies, arguments = Count(stored=True), Count(stored=True)
    walls = Count(stored=True)  # most at once
    leads = Count(stored=True)  # coordinates that others follow, see `dynamics.followers`
    argument_body = wholes(arguments)
    lead = wholes(bodies)  # number of a body's coordinate among them, or -1


class GoalMemory(Memory):
    """What is asked for, of all characters.  Groups of the first level stand first."""

    groups, corners, bodies = Count(stored=True), Count(stored=True), Count(stored=True)
    first = whole()  # groups of the first level
    balance = whole()  # which group is the centre of mass, or -1
    pulled = whole()  # 1: some joints have wanted values
    group = many(GroupInts, groups)
    common = wholes(groups, groups)  # last body that moves both
    moves = wholes(bodies)  # 1 if it moves any group
    fixed = many(GroupFloats, groups)


class AimMemory(Memory):
    """What is asked of each character."""

    groups, corners = Count(), Count()
    aim = many(Aim, groups)
    support = numbers(corners, 2)


class State(Memory):
    """Where a character is."""

    nq, nv, bodies = Count(), Count(), Count()
    q = numbers(nq)
    v = numbers(nv)
    wanted = numbers(nq)
    joint = many(JointState, bodies)
    summary = one(Summary)


class LawMemory(Memory):
    """Numbers of `PuppetSettings`, by its names."""

    damping = number()
    error_damping = number()
    gain = number()
    margin = number()
    pivots = number()
    ramp = number()
    solve_damping = number()
    point_tolerance = number()
    angle_tolerance = number()
    still = number()


class PuppetTable(Table):
    """Arrays that do not change from frame to frame."""

    ints = int_array()  # ModelMemory
    floats = float_array()
    own_ints = int_array()  # PuppetModel
    goal_ints = int_array()  # GoalMemory
    goal_floats = float_array()
    law = float_array()  # LawMemory


class Model(NamedTuple):
    """What the figure is."""

    tree: Tree
    limit: records  # type: ignore[valid-type]
    range_start: lanes  # type: ignore[valid-type]
    coupled: lanes  # type: ignore[valid-type]  # see `FigureMemory`
    ranges: lanes  # type: ignore[valid-type]
    leads: int
    lead: lanes  # type: ignore[valid-type]
    argument_body: lanes  # type: ignore[valid-type]
    followers: Followers


class Goals(NamedTuple):
    """What is asked for."""

    groups: int
    first: int
    balance: int
    corners: int
    pulled: int
    group: records  # type: ignore[valid-type]
    common: lanes  # type: ignore[valid-type]
    moves: lanes  # type: ignore[valid-type]
    fixed: records  # type: ignore[valid-type]
    aim: records  # type: ignore[valid-type]
    support: lanes  # type: ignore[valid-type]


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
def open_law(own, dt, to_the_end):
    """The law of an iteration that stands for some time; own: a `LawMemory`."""
    damping, gain = own.damping, own.gain
    if to_the_end:
        damping, gain = own.solve_damping, 1.0
    return Law(dt, damping, own.error_damping, gain, own.margin, int(own.pivots))


@kernel
def open_ends(own, to_the_end):
    """When to stop."""
    if to_the_end:
        return Ends(own.point_tolerance, own.angle_tolerance, own.still, EAGER)
    return Ends(-1.0, -1.0, -1.0, 0)


@kernel
def open_model(arrays, bench):
    """Views of what the figure is; arrays: an opened `PuppetTable`; bench: with room for what follows."""
    known, own = open_memory(ModelMemory, arrays.floats, arrays.ints), open_memory(PuppetModel, arrays.own_ints)
    figure = known.figure
    followers = Followers(
        known.followers, figure.follower, figure.argument, figure.program, figure.program_number, bench.register,
        bench.slope,
    )  # fmt: skip
    return Model(
        tree_of(known), figure.limit, figure.range_start, figure.coupled, figure.ranges, own.leads, own.lead,
        own.argument_body, followers,
    )  # fmt: skip


@kernel
def open_goals(arrays, aims, width, block):
    """Views of what is asked for."""
    own = open_memory(GoalMemory, arrays.goal_floats, arrays.goal_ints)
    each = open_memory(AimMemory, lanes(aims, width, block), own.groups, own.corners)
    return Goals(
        own.groups, own.first, own.balance, own.corners, own.pulled, own.group, own.common, own.moves, own.fixed,
        each.aim, each.support,
    )  # fmt: skip


@kernel
def open_state(model, state, width, block):
    """Views of where a character is."""
    return open_memory(State, lanes(state, width, block), model.tree.nq, model.tree.nv, model.tree.bodies)
