"""Where the numbers of a world lie.  All figures and loose bodies stand side by side as one forest.

    ints, floats   what the world is: `WorldModel`
    state          what a step changes: `State`
    control        what the user sets: `Control`
    counts         how many ties, contacts, pieces there are: see below
    work           scratch: `WorkMemory`

Inside kernels they are opened once, as the views below.
"""

from typing import NamedTuple

from hitogata.constraints.coupled import Coupled
from hitogata.constraints.envelope import Envelope, widest_of
from hitogata.constraints.islands import ALIGNED, Islands
from hitogata.constraints.layout import JointRow, JointRowInts, Placed, PointRow, PointRowInts, Rows, Scene, TouchInts
from hitogata.constraints.limits import Watch
from hitogata.constraints.links import LIMITS
from hitogata.constraints.ranges import Ranges, one_range
from hitogata.constraints.soft_limits import SoftLimit
from hitogata.dynamics.factor import Chains
from hitogata.dynamics.followers import REGISTER, Followers
from hitogata.dynamics.layout import FigureMemory, Tree, tree_of
from hitogata.lanes import (
    Count,
    Memory,
    kernel,
    lanes,
    many,
    memory_sizes,
    numbers,
    open_memory,
    part,
    record,
    record_offsets,
    records,
    rounded_up,
    wholes,
)
from hitogata.spatial import Sym3, Vec3

(
    TIES, CAPACITY, CONTACTS, LAST_LIST, FOUND, PIECES, EARLIER, EARLIER_HALF, START, START_COUNT, COUNTS,
) = range(11)  # fmt: skip
"""Places in `counts`, and its length: springs and ropes; room for contact points; contact points of the last step, and
in which list they are, see `contact_lists`; how many the last step found (more than there is room for: it was not
taken); pieces it was taken in; contact points of its earlier pieces, and in which half of their arrays they are, see
`substeps`; which list the step began with, and how many it held."""


@record
class Solid:
    """Mass of a body, about its own centre, and how far its shapes reach from its frame's origin."""

    mass: float
    centre: Vec3
    central: Sym3
    least: float  # principal moment
    radius: float


@record
class Carried:
    """Motion of a body within the last step: the momentum it brings along."""

    centre: Vec3  # velocity of the centre of mass, in the world
    spin: Vec3  # angular velocity, in the body's frame
    angular: Vec3  # angular momentum about the centre of mass, in the world
    energy: float  # kinetic, of both


@record
class Strain:
    """How forces pulled a body apart in the last step; see `geometric_stiffness`."""

    virial: Sym3  # world axes [N m]


@record
class Motor:
    """Spring and damper of a joint, and of the wall at the end of its range (infinitely stiff: hard); effort limit."""

    stiffness: float
    damping: float
    wall_stiffness: float
    wall_damping: float
    limit: float  # greatest force of each of the joint's velocities; infinite: none
    soft: SoftLimit  # of hinges and sliders, in place of the wall


SOFT_MOBILITY = record_offsets(Motor)["soft"]
"""Where a motor's soft limit begins; 0 there: it has none."""


@record
class Pull:
    """What pulls on a body from outside."""

    force: Vec3  # world axes
    torque: Vec3
    point: Vec3  # where the force acts, in the body's frame


class WorldModel(Memory):
    """What the world is; changes when things come or go."""

    bodies, nq, nv, links = (Count(stored=True) for _ in range(4))
    stride = Count(stored=True)  # room for one chain, a multiple of 8
    width = Count(stored=True)  # room for one row of coupling, a multiple of 8
    points = Count(stored=True)  # room for point rows
    walls = Count(stored=True)  # of ranges of several joints
    range_numbers = Count(stored=True)
    coupled_ranges = Count(stored=True)
    followers = Count(stored=True)  # coordinates that follow others, see `dynamics.followers`
    arguments = Count(stored=True)  # of their functions
    registers = Count(stored=True)  # that these need
    program_ints = Count(stored=True)
    program_numbers = Count(stored=True)
    figure = part(
        FigureMemory, bodies=bodies, range_numbers=range_numbers, coupled_ranges=coupled_ranges, followers=followers,
        arguments=arguments, program_ints=program_ints, program_numbers=program_numbers,
    )  # fmt: skip
    chain = wholes(bodies, stride)  # the velocities that move a body
    solid = many(Solid, bodies)


class State(Memory):
    """What a step changes, and save and restore need."""

    nq, nv, bodies = Count(), Count(), Count()
    q = numbers(nq)
    v = numbers(nv)
    carried = many(Carried, bodies)
    watch = many(Watch, bodies)
    limit_impulse = numbers(bodies, 2)
    owed = numbers(bodies)  # time of gravity that a tree has yet to feel, at its root's place
    spare = numbers(bodies)  # energy that steps of a tree lost so far, at its root's place [J]
    depth = numbers(bodies)  # - potential energy of a tree before the last step [J]
    told = numbers(bodies)  # is `v` of a tree that at the end of the last step?  See `velocity_update`
    spin = numbers(bodies, 3)  # angular momentum of a free tree about its centre
    strain = many(Strain, bodies)
    mean = numbers(nv)  # velocities of the last step; `v` are those at its end
    motor = numbers(nv)  # force of each motor in the last substep; see `motors`
    last = numbers(2)  # h and residual of the last step


class Control(Memory):
    """What the user sets."""

    nq, nv, bodies = Count(), Count(), Count()
    target = numbers(nq)
    rate = numbers(nv)
    push = numbers(nv)
    motor = many(Motor, bodies)
    pull = many(Pull, bodies)
    pulled = numbers(1)  # is any pull not zero?


class SceneMemory(Memory):
    """Scratch of bodies and the mass matrix; see `constraints.layout.Scene`."""

    nv, bodies, stride, arguments, registers = (Count() for _ in range(5))
    placed = many(Placed, bodies)
    mass = numbers(nv, stride)
    x = numbers(rounded_up(nv))
    drive = numbers(rounded_up(nv))
    free = numbers(rounded_up(nv))
    iterate = numbers(rounded_up(nv))
    slope = numbers(arguments)  # see `dynamics.followers`
    register = numbers(registers, REGISTER)


class RowMemory(Memory):
    """Scratch of rows; see `constraints.layout.Rows`."""

    nv, bodies, stride, widest, width, points, walls = (Count() for _ in range(7))
    limits = bodies * LIMITS + walls  # joint rows
    total = rounded_up(limits + bodies * 6 + bodies * 8)  # each tree's rows are filled up to a multiple of 8
    envelope = part(Envelope, nv=nv, bodies=bodies, stride=stride, widest=widest)
    joint = many(JointRow, limits)
    joint_y = numbers(limits, stride)
    touch_y = numbers(bodies, stride, 6)
    point = many(PointRow, points)
    speed = numbers(total)
    coupling = numbers(total, width)
    reply = numbers(points * 6 * width + 8)
    joint_int = many(JointRowInts, limits)
    touch = many(TouchInts, bodies)
    touch_of_body = wholes(bodies)
    point_int = many(PointRowInts, points)
    islands = part(Islands, blocks=total // ALIGNED, joint_rows=limits, points=points)


class WorkMemory(Memory):
    """Scratch; its contents do not matter between steps, but for the counts of `Envelope`."""

    nv, bodies, stride, widest, width, points, walls, arguments, registers = (Count() for _ in range(9))
    scene = part(SceneMemory, nv=nv, bodies=bodies, stride=stride, arguments=arguments, registers=registers)
    rows = part(
        RowMemory, nv=nv, bodies=bodies, stride=stride, widest=widest, width=width, points=points, walls=walls
    )


class Following(NamedTuple):
    """What follows what, without scratch; see `dynamics.followers`."""

    total: int
    arguments: int
    registers: int
    body: lanes  # type: ignore[valid-type]
    argument: lanes  # type: ignore[valid-type]
    program: lanes  # type: ignore[valid-type]
    numbers: lanes  # type: ignore[valid-type]


class World(NamedTuple):
    """What the world is."""

    tree: Tree
    chains: Chains
    solid: records  # type: ignore[valid-type]
    limit: records  # type: ignore[valid-type]
    ranges: Ranges  # of ball joints
    coupled: Coupled  # ranges of several joints
    width: int  # room for one row of coupling
    points: int  # room for point rows
    walls: int  # of ranges of several joints
    followers: Following


class Law(NamedTuple):
    """The numbers of the laws; see `Settings`."""

    h: float
    part: float  # of the whole step, how much this substep is; 0 after a substep was taken again
    warm: float  # this step's h over the last one's: what an impulse of the last step is worth now
    theta: float
    keep_energy: float
    slow_taut: float
    tolerance: float
    hard_wall: float
    range_margin: float
    contact_stiffness: float
    contact_damping: float
    contact_mass: float
    contact_margin: float
    fall: float  # greatest acceleration to expect of a free body
    push_out_speed: float
    bounce_speed: float
    static_share: float
    islands: float
    contact_depth: float


@kernel
def open_law(numbers, h, part, last_h, fall, islands):
    """The laws of a substep of h, from `Settings.numbers`, two of which differ between worlds side by side."""
    return Law(
        h, part, h / last_h, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
        numbers[7], numbers[8], numbers[9], fall, numbers[11], numbers[12], numbers[13], islands, numbers[15],
    )  # fmt: skip


@kernel
def open_world(ints, floats):
    """Views of what the world is."""
    own = open_memory(WorldModel, floats, ints)
    figure = own.figure
    chains = Chains(own.stride, own.chain, figure.argument, figure.program_number)
    ranges, coupled = one_range(figure.range_start, figure.ranges), Coupled(figure.coupled, figure.ranges)
    following = Following(
        own.followers, own.arguments, own.registers, figure.follower, figure.argument, figure.program,
        figure.program_number,
    )  # fmt: skip
    return World(
        tree_of(own), chains, own.solid, figure.limit, ranges, coupled, own.width, own.points, own.walls, following
    )


@kernel
def open_state(world, state):
    """Views of what a step changes, in an array or a flat view of any width."""
    return open_memory(State, state, world.tree.nq, world.tree.nv, world.tree.bodies)


@kernel
def open_control(world, control):
    """Views of what the user sets, likewise."""
    return open_memory(Control, control, world.tree.nq, world.tree.nv, world.tree.bodies)


@kernel
def open_scene(world, work):
    """Views of the scratch of bodies and mass matrix, with which that of a step begins; likewise."""
    follows, chains = world.followers, world.chains
    own = open_memory(
        SceneMemory, work, world.tree.nv, world.tree.bodies, chains.stride, follows.arguments, follows.registers
    )
    followers = Followers(
        follows.total, follows.body, follows.argument, follows.program, follows.numbers, own.register, own.slope
    )
    chains = Chains(chains.stride, chains.velocity, follows.argument, own.slope)
    return Scene(world.tree, chains, own.placed, own.mass, own.x, own.drive, own.free, own.iterate, followers)


@kernel
def step_work(world):
    """Numbers of scratch of a step."""
    tree = world.tree
    return memory_sizes(
        WorkMemory, tree.nv, tree.bodies, world.chains.stride, widest_of(tree.nv), world.width, world.points,
        world.walls, world.followers.arguments, world.followers.registers,
    )[0]


@kernel
def open_rows(world, work, work_ints):
    """Views of the scratch of rows; work: all of a step's."""
    tree = world.tree
    own = open_memory(
        WorkMemory, work, work_ints, tree.nv, tree.bodies, world.chains.stride, widest_of(tree.nv), world.width,
        world.points, world.walls, world.followers.arguments, world.followers.registers,
    ).rows  # fmt: skip
    return Rows(
        world.width, own.joint, own.joint_int, own.joint_y, own.touch, own.touch_y, own.touch_of_body, own.point,
        own.point_int, own.speed, own.coupling, own.reply, own.islands, own.envelope,
    )  # fmt: skip
