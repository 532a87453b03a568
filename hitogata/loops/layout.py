"""What the kernels of this room share: scratch of bodies, virtual links as numbers, and their rows."""

from typing import NamedTuple

from hitogata.dynamics.layout import Tree
from hitogata.lanes import (
    Count,
    Given,
    Memory,
    inline,
    kernel,
    lanes,
    many,
    memory_sizes,
    numbers,
    open_memory,
    part,
    record,
    records,
    rounded_up,
    sqrt,
    struct,
    wholes,
)
from hitogata.spatial import Force, Inertia, Mat3, Motion, RigidInertia, Sym3, Vec3

SIDE = 8
"""Room for the rows of one virtual link; at most six are used."""

FREE_TURNING, GIMBAL, HINGE_TURNING, HELD = 0, 1, 2, 3


@struct
class Lower3:
    """Lower triangle of a 3 x 3 matrix."""

    xx: float
    yx: float
    yy: float
    zx: float
    zy: float
    zz: float

    def __matmul__(self, a):
        return Vec3(self.xx * a.x, self.yx * a.x + self.yy * a.y, self.zx * a.x + self.zy * a.y + self.zz * a.z)


@inline
def times_transpose(m, a):
    """mᵀ a for a Lower3."""
    return Vec3(m.xx * a.x + m.yx * a.y + m.zx * a.z, m.yy * a.y + m.zy * a.z, m.zz * a.z)


@inline
def whitener(d):
    """C⁻¹ with D = C Cᵀ (Cholesky): |C⁻¹ a|² = aᵀ D⁻¹ a."""
    x = 1.0 / sqrt(d.xx)
    p, q = d.xy * x, d.xz * x
    y = 1.0 / sqrt(d.yy - p * p)
    r = (d.yz - p * q) * y
    z = 1.0 / sqrt(d.zz - q * q - r * r)
    low = -p * x * y
    return Lower3(x, low, y, -(q * x + r * low) * z, -r * y * z, z)


@record
class Limb:
    """Scratch of a body in the articulated recursion.  World axes; see `dynamics.articulated`."""

    rot: Mat3
    arm: Vec3
    base: Mat3
    omega: Vec3
    drift: Motion
    own: RigidInertia
    force: Force
    inertia: Inertia
    acceleration: Motion
    gain: Force
    stiff: float
    push: float
    ball_gain: Mat3
    ball_push: Vec3
    ball_slip: Sym3
    pos: Vec3  # of the body's origin, in the world
    speed: Vec3  # its velocity
    white: Lower3  # of a ball joint's D; of a free root's, turning part
    white_lin: Lower3  # of a free root's D, linear part
    lever: Mat3  # of a free root: I_mix I_lin⁻¹


@record
class LinkInts:
    """A virtual link."""

    body_a: int  # of the child
    body_b: int  # of the parent; -1: the world
    first: int  # of its rows
    count: int
    hold_x: int  # 1: may not slide along this axis of P
    hold_y: int
    hold_z: int
    turning: int
    rod: int
    rigid: int


@record
class LinkFloats:
    """Its numbers."""

    rot_a: Mat3  # C in the frame K of body a
    pos_a: Vec3
    rot_b: Mat3  # P in the frame K of body b, or in the world
    pos_b: Vec3
    length: float
    compliance: float
    relaxation: float
    force_limit: float
    torque_limit: float


@record
class Row:
    """One number of a virtual link that is to stay zero.  World axes, wrenches about the bodies' origins."""

    on_a: Force  # what a unit of its force does to body a
    on_b: Force
    value: float
    rate: float
    swing: float  # part of its acceleration that comes from velocities alone, not through the bodies' accelerations
    drift: float  # its acceleration if it did not hold
    force: float
    bound: float  # of its own reply, had the joints of one motion any axis
    reach: float  # mobility of its point, or of its turning, over three directions: its own reply is a part of that
    lag: float  # of a compliant link: its force is that of so much later [s]; 0: of now
    pull: float  # the acceleration that such a force gives it over the step
    goal: float  # where it is at the end of the step: 0, but for such links
    goal_rate: float


class LinkMemory(Memory):
    """Virtual links as numbers: how many, their rows, and how many of these belong to rigid links."""

    total, rows, held = Count(stored=True), Count(stored=True), Count(stored=True)
    link = many(LinkInts, total)
    number = many(LinkFloats, total)


class RowRoom(Memory):
    """Scratch of rows; loops over neighbours may run a little too far."""

    nv, rows = Count(), Count()
    mixed = Count()  # rows, if contacts are among them, else 0
    stride = rounded_up(rows) + 8  # room for one number of all rows
    row = many(Row, rows + 8)
    push = numbers(13, SIDE)  # wrenches on their way to the root, and bounds
    white = numbers(nv, stride)  # the rows, whitened
    reply = numbers(rows, stride)  # B
    factor = numbers(rows, stride)  # of B
    small = numbers(rows, stride)  # for dependent rows
    work = numbers(mixed, stride)  # of contacts alone
    spare = numbers(8, stride)  # scale, what is left, right side, solution, four more
    change = numbers(2, nv)  # whitened pushes, and their replies


class BenchMemory(Memory):
    """Scratch of a solve for a set of virtual links."""

    tree = Given()
    rows = Count()
    limb = many(Limb, tree.bodies)
    room = part(RowRoom, nv=tree.nv, rows=rows, mixed=0)
    order = wholes(rows + 1)  # pivots


class Links(NamedTuple):
    """Views of a set of virtual links inside kernels.  Rigid links stand first, so do their rows."""

    total: int
    rows: int
    held: int  # rows of rigid links
    stride: int  # room for one number of all rows
    link: records  # type: ignore[valid-type]
    number: records  # type: ignore[valid-type]
    row: records  # type: ignore[valid-type]


class Bench(NamedTuple):
    """Everything a solve works on; see `RowRoom`."""

    tree: Tree
    limb: records  # type: ignore[valid-type]
    links: Links
    white: lanes  # type: ignore[valid-type]
    push: lanes  # type: ignore[valid-type]
    reply: lanes  # type: ignore[valid-type]
    factor: lanes  # type: ignore[valid-type]
    small: lanes  # type: ignore[valid-type]
    work: lanes  # type: ignore[valid-type]
    spare: lanes  # type: ignore[valid-type]
    change: lanes  # type: ignore[valid-type]
    order: lanes  # type: ignore[valid-type]


@kernel
def bench_of(tree, limb, links, room, order):
    """A bench for rows in some room."""
    return Bench(
        tree, limb, links, room.white, room.push, room.reply, room.factor, room.small, room.work, room.spare,
        room.change, order,
    )  # fmt: skip


@kernel
def bench_size(tree, rows):
    """Numbers of scratch."""
    return memory_sizes(BenchMemory, tree, rows)[0]


@kernel
def open_bench(tree, link_ints, link_floats, memory, order):
    """Views of scratch, flat views of `BenchMemory`."""
    held = open_memory(LinkMemory, link_floats, link_ints)
    return bench_in(open_memory(BenchMemory, memory, order, tree, held.rows), held)


@kernel
def bench_in(own, held):
    """A bench for virtual links in its memory."""
    room = own.room
    for n in range(held.rows):
        row = room.row[n]
        row.lag, row.goal, row.goal_rate = 0.0, 0.0, 0.0
    links = Links(held.total, held.rows, held.held, room.stride, held.link, held.number, room.row)
    return bench_of(own.tree, own.limb, links, room, own.order)
