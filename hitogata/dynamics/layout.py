"""A figure as kernels see it: two flat arrays, a `ModelMemory`, opened once per call.

`FigureMemory` alone says what a figure is inside kernels.  Dynamics read its bodies (`open_tree`), puppets all of it; a
world holds one for all its figures side by side (`figure_tables.gather`).

*Bodies* are the links, with two liberties that keep kernels short and fast.  A joint of several screws (a universal
one) becomes one after the other, with massless bodies between them.  And a body's frame K is its joint's frame, turned
so that a screw has its axis along z; X_KB leads from there to the link's own frame B, and is used only where results
go out.
"""

from typing import NamedTuple

from hitogata.lanes import Count, Memory, kernel, many, numbers, open_memory, part, record, records, wholes
from hitogata.spatial import Mat3, RigidInertia, Vec3, load3

GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of gravity, world axes [m/s²]."""


@record
class JointInts:
    """How a body hangs on its parent."""

    parent: int  # -1: the world
    kind: int
    iq: int  # first coordinate
    iv: int  # first velocity
    count: int  # velocities
    link: int  # whose frame B this body carries; -1: massless, between the screws of a joint
    depth: int  # velocities of all bodies between it and the world
    end: int  # one past the last body of its subtree; so body b hangs on this one, or is it, if b < end
    leaf: int  # 1: no children
    opens: int  # 1: of all children, the first to report to the parent in an inward pass
    geared: int  # 1: it has armature
    turns: int  # 1: a hinge, or a screw that turns
    slides: int  # 1: a screw that slides
    arguments: int  # of the function that its coordinate follows, see `followers`; 0: it follows none
    first: int  # place of the first of them in the list of all arguments
    program: int  # where the function begins


@record
class Body:
    """Constants of a body."""

    rot: Mat3  # of the joint's frame F in the parent's frame K
    pos: Vec3
    inertia: RigidInertia  # in K, about its origin
    armature: float
    damping: float
    link_rot: Mat3  # X_KB
    link_pos: Vec3
    turn: float  # of a hinge or screw, per unit of its coordinate [rad]
    slide: float  # likewise [m]


@record
class Limit:
    """Interval of a hinge or slider; infinite where there is none."""

    low: float
    high: float


class FigureMemory(Memory):
    """What figures are, side by side."""

    bodies, range_numbers, coupled_ranges, followers, arguments, program_ints, program_numbers = (
        Count() for _ in range(7)
    )
    joint = many(JointInts, bodies)
    range_start = wholes(bodies)  # where the range of a ball joint begins, or NONE
    coupled = wholes(coupled_ranges * 3 + 1)  # how many ranges of several joints; of each its owner, where it begins,
    # and the first q of its figure
    follower = wholes(followers)  # bodies whose coordinates follow others, see `followers`
    argument = wholes(arguments, 2)  # of their functions
    program = wholes(program_ints)
    gravity = numbers(3)
    body = many(Body, bodies)
    limit = many(Limit, bodies)
    ranges = numbers(range_numbers)
    program_number = numbers(program_numbers)


NONE = -1
"""Number, or beginning, of the range of a joint that has none."""


class ModelMemory(Memory):
    """One figure; `registers`: that the functions of its joints need."""

    bodies, nq, nv, links = (Count(stored=True) for _ in range(4))
    range_numbers, coupled_ranges, followers, arguments, registers, program_ints, program_numbers = (
        Count(stored=True) for _ in range(7)
    )
    figure = part(
        FigureMemory, bodies=bodies, range_numbers=range_numbers, coupled_ranges=coupled_ranges, followers=followers,
        arguments=arguments, program_ints=program_ints, program_numbers=program_numbers,
    )  # fmt: skip


class Tree(NamedTuple):
    """Views of a figure's bodies inside kernels."""

    bodies: int
    nq: int
    nv: int
    links: int
    gravity: Vec3
    joint: records  # type: ignore[valid-type]
    body: records  # type: ignore[valid-type]


@kernel
def open_tree(ints, floats):
    """Views of the bodies of a figure, from its two arrays."""
    return tree_of(open_memory(ModelMemory, floats, ints))


@kernel
def tree_of(own):
    """The same of an opened memory that has counts and, as `figure`, a `FigureMemory`."""
    figure = own.figure
    return Tree(own.bodies, own.nq, own.nv, own.links, load3(figure.gravity, 0), figure.joint, figure.body)


@kernel
def velocities_to(tree, end):
    """One past the last velocity of the bodies before `end`, which are whole trees."""
    if end < tree.bodies:
        return tree.joint[end].iv
    return tree.nv
