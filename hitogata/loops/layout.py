"""What the kernels of this room share: scratch of bodies, virtual links as numbers, and their rows."""

from typing import NamedTuple

from hitogata.dynamics.layout import Tree
from hitogata.lanes import X1, inline, kernel, lanes, record, records, sqrt, struct, tail
from hitogata.spatial import Force, Inertia, Mat3, Motion, RigidInertia, Sym3, Vec3

SIDE = 8
"""Room for the rows of one virtual link; at most six are used."""

LINK_HEADER = 3
"""Before the links: how many, their rows, and how many of these belong to rigid links."""

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


class Links(NamedTuple):
    """Views of a set of virtual links inside kernels.  Rigid links stand first, so do their rows."""

    total: int
    rows: int
    held: int  # rows of rigid links
    stride: int  # room for one number of all rows, a multiple of 8
    link: records  # type: ignore[valid-type]
    number: records  # type: ignore[valid-type]
    row: records  # type: ignore[valid-type]


class Bench(NamedTuple):
    """Everything a solve works on."""

    tree: Tree
    limb: records  # type: ignore[valid-type]
    links: Links
    white: lanes  # type: ignore[valid-type]  # (nv, stride): the rows, whitened
    push: lanes  # type: ignore[valid-type]  # (13, SIDE): wrenches on their way to the root, and bounds
    reply: lanes  # type: ignore[valid-type]  # (rows, stride): B
    factor: lanes  # type: ignore[valid-type]  # (rows, stride): of B
    small: lanes  # type: ignore[valid-type]  # (rows, stride): for dependent rows
    work: lanes  # type: ignore[valid-type]  # (rows, stride): of contacts alone
    spare: lanes  # type: ignore[valid-type]  # (6, stride): scale, what is left, right side, solution, two more
    change: lanes  # type: ignore[valid-type]  # (2, nv): whitened pushes, and their replies
    order: lanes  # type: ignore[valid-type]  # (rows,) int: pivots


@kernel
def open_links(ints, floats, memory):
    """Views of a set's two arrays; rows are written to `memory`."""
    header, numbers = lanes(ints, X1), lanes(floats, X1)
    link, number = records(tail(header, LINK_HEADER), LinkInts), records(numbers, LinkFloats)
    rows, row = header[1], records(memory, Row)
    for n in range(rows):
        row[n].lag, row[n].goal, row[n].goal_rate = 0.0, 0.0, 0.0
    return Links(header[0], rows, header[2], stride_of(rows), link, number, row)


@kernel
def stride_of(rows):
    """Room for one number of all rows, and a little more, so that loops over neighbours may run too far."""
    return (rows + 7) // 8 * 8 + 8


@kernel
def bench_size(tree, rows):
    """Numbers of scratch."""
    stride = stride_of(rows)
    return tree.bodies * Limb.SIZE + (rows + 8) * Row.SIZE + stride * (tree.nv + 3 * rows + 8) + 2 * tree.nv + 13 * SIDE


@kernel
def open_bench(tree, link_ints, link_floats, memory, order):
    """Views of scratch."""
    limb, rest = records(memory, Limb), tail(memory, tree.bodies * Limb.SIZE)
    links = open_links(link_ints, link_floats, rest)
    rows, stride = links.rows, links.stride
    push = tail(rest, (rows + 8) * Row.SIZE)
    white = tail(push, 13 * SIDE)
    reply = tail(white, stride * tree.nv)
    factor = tail(reply, stride * rows)
    small = tail(factor, stride * rows)
    spare = tail(small, stride * rows)
    change = tail(spare, stride * 8)
    return Bench(tree, limb, links, white, push, reply, factor, small, small, spare, change, order)
