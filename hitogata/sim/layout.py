"""Where the numbers of a world lie.  All figures and loose bodies stand side by side as one forest.

    ints      header, joints, chains, where ranges begin             what the world is; changes when things come or go
    floats    gravity, bodies, solids, limits, ranges
    state     q, v, carried momenta, watches, impulses of limits,     what a step changes, and save/restore needs
              accounts of trees, strain, mean velocities, forces of motors
    control   targets, rates, pushes, motors, pulls                  what the user sets
    counts    how many ties, contacts, pieces there are              see below
    work      scratch; its contents do not matter between steps

Inside kernels they are opened once, as the views below.
"""

from typing import NamedTuple

from hitogata.constraints.coupled import Coupled
from hitogata.constraints.envelope import TALLY, open_envelope
from hitogata.constraints.islands import ALIGNED, open_islands
from hitogata.constraints.layout import JointRow, JointRowInts, Placed, PointRow, PointRowInts, Rows, Scene, TouchInts
from hitogata.constraints.limits import Limit, Watch
from hitogata.constraints.ranges import Ranges, one_range
from hitogata.dynamics.factor import Chains
from hitogata.dynamics.layout import Body, JointInts, Tree
from hitogata.lanes import X1, kernel, lanes, record, records, tail
from hitogata.spatial import Sym3, Vec3, load3

HEADER = 16
"""Numbers at the head of `ints` and of `floats`."""

TIES, CAPACITY, CONTACTS, OLD_THIRD, FOUND, PIECES, EARLIER, EARLIER_HALF, COUNTS = range(9)
"""Places in `counts`, and its length: springs and ropes; room for contact points; contact points of the last step, and
in which third of their arrays they are; how many the last step found (more than there is room for: it was not taken);
pieces it was taken in; contact points of its earlier pieces, and in which half of their arrays they are, see
`substeps`."""


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
    """How forces pulled a body apart in the last step; see `steadying`."""

    virial: Sym3  # world axes [N m]


@record
class Motor:
    """Spring and damper of a joint, and of the wall at the end of its range (infinitely stiff: hard); effort limit."""

    stiffness: float
    damping: float
    wall_stiffness: float
    wall_damping: float
    limit: float  # greatest force of each of the joint's velocities; infinite: none


@record
class Pull:
    """What pulls on a body from outside."""

    force: Vec3  # world axes
    torque: Vec3
    point: Vec3  # where the force acts, in the body's frame


class World(NamedTuple):
    """What the world is."""

    tree: Tree
    chains: Chains
    solid: records  # type: ignore[valid-type]
    limit: records  # type: ignore[valid-type]
    ranges: Ranges  # of ball joints
    coupled: Coupled  # ranges of several joints
    width: int  # room for one row of coupling
    most_joint_rows: int
    most_touches: int
    most_points: int
    row_room: int  # numbers in the coupling matrix
    reply_room: int  # numbers in the replies of points
    envelope_room: int  # numbers of scratch of Newton's method


class State(NamedTuple):
    """What a step changes."""

    q: lanes  # type: ignore[valid-type]
    v: lanes  # type: ignore[valid-type]
    carried: records  # type: ignore[valid-type]
    watch: records  # type: ignore[valid-type]
    limit_impulse: lanes  # type: ignore[valid-type]  # (bodies, 2)
    owed: lanes  # type: ignore[valid-type]  # (bodies,): time of gravity that a tree has yet to feel, at its root's place
    spare: lanes  # type: ignore[valid-type]  # (bodies,): energy that steps of a tree lost so far, at its root's place [J]
    depth: lanes  # type: ignore[valid-type]  # (bodies,): - potential energy of a tree before the last step [J]
    told: lanes  # type: ignore[valid-type]  # (bodies,): is `v` of a tree that at the end of the last step?  See `moving`
    spin: lanes  # type: ignore[valid-type]  # (bodies, 3): angular momentum of a free tree about its centre
    mean: lanes  # type: ignore[valid-type]  # (nv,): velocities of the last step; `v` are those at its end
    strain: records  # type: ignore[valid-type]
    motor: lanes  # type: ignore[valid-type]  # (nv,): force of each motor in the last substep; see `motors`
    last: lanes  # type: ignore[valid-type]  # (2,): h and residual of the last step


class Control(NamedTuple):
    """What the user sets."""

    target: lanes  # type: ignore[valid-type]  # (nq,)
    rate: lanes  # type: ignore[valid-type]  # (nv,)
    push: lanes  # type: ignore[valid-type]  # (nv,)
    motor: records  # type: ignore[valid-type]
    pull: records  # type: ignore[valid-type]
    pulled: lanes  # type: ignore[valid-type]  # (1,): is any pull not zero?


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
def open_law(numbers, h, part, last_h):
    """The laws of a substep of h, from `Settings.numbers`."""
    return Law(
        h, part, h / last_h, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
        numbers[7], numbers[8], numbers[9], numbers[10], numbers[11], numbers[12], numbers[13], numbers[14],
        numbers[15],
    )  # fmt: skip


@kernel
def open_world(ints, floats):
    """Views of what the world is."""
    head, whole = lanes(ints, X1), lanes(floats, X1)
    bodies, stride, width = head[0], head[4], head[5]
    joint, body = tail(head, HEADER), tail(whole, HEADER)
    chain = tail(joint, bodies * JointInts.SIZE)
    solid = tail(body, bodies * Body.SIZE)
    limit = tail(solid, bodies * Solid.SIZE)
    starts, numbers = tail(chain, bodies * stride), tail(limit, bodies * Limit.SIZE)
    tree = Tree(bodies, head[1], head[2], head[3], load3(whole, 0), records(joint, JointInts), records(body, Body))
    return World(
        tree, Chains(stride, chain), records(solid, Solid), records(limit, Limit), one_range(starts, numbers),
        Coupled(tail(starts, bodies), numbers), width, head[6], head[7], head[8], head[9], head[10], head[11],
    )  # fmt: skip


@kernel
def open_state(world, state):
    """Views of what a step changes."""
    return state_in(world, lanes(state, X1))


@kernel
def state_in(world, q):
    """The same in a flat view of any width."""
    v = tail(q, world.tree.nq)
    carried = tail(v, world.tree.nv)
    watch = tail(carried, world.tree.bodies * Carried.SIZE)
    impulse = tail(watch, world.tree.bodies * Watch.SIZE)
    owed = tail(impulse, 2 * world.tree.bodies)
    spare = tail(owed, world.tree.bodies)
    depth = tail(spare, world.tree.bodies)
    told = tail(depth, world.tree.bodies)
    spin = tail(told, world.tree.bodies)
    strain = tail(spin, 3 * world.tree.bodies)
    mean = tail(strain, world.tree.bodies * Strain.SIZE)
    motor = tail(mean, world.tree.nv)
    last = tail(motor, world.tree.nv)
    return State(
        q, v, records(carried, Carried), records(watch, Watch), impulse, owed, spare, depth, told,
        spin, mean, records(strain, Strain), motor, last,
    )  # fmt: skip


@kernel
def open_control(world, control):
    """Views of what the user sets."""
    return control_in(world, lanes(control, X1))


@kernel
def control_in(world, target):
    """The same in a flat view of any width."""
    rate = tail(target, world.tree.nq)
    push = tail(rate, world.tree.nv)
    motor = tail(push, world.tree.nv)
    pull = tail(motor, world.tree.bodies * Motor.SIZE)
    pulled = tail(pull, world.tree.bodies * Pull.SIZE)
    return Control(target, rate, push, records(motor, Motor), records(pull, Pull), pulled)


@kernel
def open_scene(world, work):
    """Views of the scratch of bodies and mass matrix."""
    return scene_in(world, lanes(work, X1))


@kernel
def scene_in(world, placed):
    """The same in a flat view of any width."""
    mass = tail(placed, world.tree.bodies * Placed.SIZE)
    x = tail(mass, world.tree.nv * world.chains.stride)
    room = (world.tree.nv + 7) // 8 * 8
    drive = tail(x, room)
    free = tail(drive, room)
    return Scene(world.tree, world.chains, records(placed, Placed), mass, x, drive, free, tail(free, room))


@kernel
def open_rows(world, scene, work_ints):
    """Views of the scratch of rows."""
    stride, most = world.chains.stride, world.most_joint_rows + 6 * world.most_touches
    total = (most + 8 * world.tree.bodies + 7) // 8 * 8  # each tree's rows are filled up to a multiple of 8
    joint = tail(scene.iterate, (world.tree.nv + 7) // 8 * 8)
    joint_y = tail(joint, world.most_joint_rows * JointRow.SIZE)
    touch_y = tail(joint_y, world.most_joint_rows * stride)
    point = tail(touch_y, world.most_touches * stride * 6)
    speed = tail(point, world.most_points * PointRow.SIZE)
    numbers = tail(speed, total)
    coupling = tail(numbers, world.envelope_room)
    reply = tail(coupling, world.row_room)
    tally = lanes(work_ints, X1)
    ints = tail(tally, TALLY)
    touch = tail(ints, world.most_joint_rows * JointRowInts.SIZE)
    touched = tail(touch, world.most_touches * TouchInts.SIZE)
    point_int = tail(touched, world.tree.bodies)
    spare = tail(point_int, world.most_points * PointRowInts.SIZE)
    islands = open_islands(spare, total // ALIGNED, world.most_joint_rows, world.most_points)
    whole = tail(islands.key, world.most_joint_rows + world.most_points)
    envelope = open_envelope(numbers, tally, whole, world.envelope_room, world.tree.nv, world.tree.bodies, stride)
    return Rows(
        world.width, records(joint, JointRow), records(ints, JointRowInts), joint_y, records(touch, TouchInts), touch_y,
        touched, records(point, PointRow), records(point_int, PointRowInts), speed, coupling, reply,
        islands, envelope,
    )  # fmt: skip
