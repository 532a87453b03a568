"""Segments: a figure cut into runs of bodies, so that several run side by side in the lanes of a SIMD register.

A *path* is a run of bodies from one downward (heavy paths of the tree); long ones are cut into *segments*.  A *group*
is as many segments as there are lanes, padded at their lower ends with bodies that have no mass and do not move; body k
of all of them is one *slot*.  A *round* is all paths that hang equally many paths below the root.  Groups whose joints
are all hinges run short formulas, the others general ones with three motion columns.

    ints    header | groups | paths | segments | one (kind, iq, iv, link) per slot and lane | rounds
    floats  see `Segments`; lanes of a slot lie next to each other
"""

from typing import NamedTuple

from hitogata.dynamics.articulated import Work
from hitogata.dynamics.layout import Tree, open_tree
from hitogata.lanes import X1, floats_in, ints_in, kernel, lanes, record, records, tail
from hitogata.spatial import Force, Inertia, Mat3, Motion, Quaternion, RigidInertia, Vec3

HEADER = 12
"""groups, paths, segments, slots, rounds, 1 if the root is free, nq, nv, links, where the rounds stand, lanes, -"""

NONE, HINGE_JOINT, SCREW_JOINT, BALL_JOINT = 0, 1, 2, 3
"""Kinds of a slot and lane; NONE: a fixed joint, or padding."""

SIDE = 8
"""Numbers of a row of a 6x6 matrix in a `piece`, so that rows fill registers."""


@record
class Group:
    """Segments that run together."""

    first: int  # slot
    length: int
    general: int  # -1: hinges only; else its first slot among those of `Multi`
    columns: int  # motions of a joint, at most: 1 or 3
    open: int  # 1: a segment of it has another below
    hung: int  # 1: other paths hang on it


@record
class Path:
    """A run of bodies."""

    first: int  # segment, the top one
    count: int
    slot: int  # of the body it hangs on; -1: the root (or the world)
    lane: int


@record
class Segment:
    """Part of a path."""

    group: int
    lane: int


@record
class Place:
    """A body in a slot and lane, or none."""

    kind: int
    iq: int
    iv: int
    link: int


@record
class Slot:
    """Constants of a body, as in `layout.Body`."""

    rot: Mat3
    pos: Vec3
    inertia: RigidInertia
    armature: float  # and 1 where there is no motion, so that nothing is divided by 0
    damping: float
    turn: float  # of a hinge 1, of a screw as in `layout.Body`, else 0
    slide: float
    ball: float  # 1 or 0
    idle: float  # 1 where there are no second and third motions
    link_pos: Vec3


@record
class Flow:
    """What a body needs between the sweeps.  World axes."""

    turn: float  # coordinate of a hinge or screw
    v: float
    tau: float
    sin: float
    cos: float
    rot: Mat3
    omega: Vec3
    arm: Vec3
    drift: Motion
    axis: Vec3
    own: RigidInertia
    force: Force
    gain: Force  # rate = stiff * (push - gain . acceleration - shaft . wrench below)
    shaft: Force
    stiff: float
    push: float
    acceleration: Motion
    rate: float
    wrench: Force


@record
class Multi:
    """And what joints other than hinges need besides."""

    slide: float  # coordinate of a screw
    quat: Quaternion
    v: Vec3
    tau: Vec3
    base: Mat3
    gain2: Force
    shaft2: Force
    stiff2: float
    push2: float
    gain3: Force
    shaft3: Force
    stiff3: float
    push3: float
    rates: Vec3  # of the second and third motion, as y and z


@record
class Hung:
    """What other paths put on a body."""

    inertia: Inertia
    weight: Force


@record
class Strand:
    """A segment as an element (see `elements`), one per lane: f = A a + F w + p, a below = Fᵀ a - C w + b."""

    base_rot: Mat3  # of the body that it hangs on
    base_omega: Vec3
    turned: Mat3  # of its last body against that
    spin: Vec3
    inertia: Inertia  # A
    weight: Force  # p
    aa: Mat3  # F: torques from torques, torques from forces, ...
    al: Mat3
    la: Mat3
    ll: Mat3
    loose: Inertia  # C
    swing: Motion  # b
    lead: Motion  # acceleration of the body that it hangs on
    load: Force  # wrench that its last body carries
    wrong: float  # 0 if what its bodies are given and find is finite, and quaternions unit; else 1 or NaN


A_AT, F_AT, T_AT, C_AT, P_AT, B_AT = 0, 48, 96, 144, 192, 200
"""Of A, F, Fᵀ, C, p, b in a *piece*: a segment out of its lane, for merging, in rows of 8 numbers."""
LOW_AT, LOW_P_AT, SOLVED_AT, PIECE = 208, 256, 264, 376
"""Of A and p of all below; of [(1 + A C)⁻¹ A | force] in rows of 16; numbers of a piece."""
ROW = 16


ROUND = 4
"""Integers of a round: its groups first and one past the last, its paths the same."""


class Segments(NamedTuple):
    """Views of all arrays."""

    table: lanes  # type: ignore[valid-type]
    group: records  # type: ignore[valid-type]
    path: records  # type: ignore[valid-type]
    segment: records  # type: ignore[valid-type]
    place: records  # type: ignore[valid-type]
    slot: records  # type: ignore[valid-type]
    flow: records  # type: ignore[valid-type]
    multi: records  # type: ignore[valid-type]
    hung: records  # type: ignore[valid-type]
    strand: records  # type: ignore[valid-type]
    flows: lanes  # type: ignore[valid-type]  # the same, number by number
    hungs: lanes  # type: ignore[valid-type]
    multis: lanes  # type: ignore[valid-type]
    strands: lanes  # type: ignore[valid-type]
    piece: lanes  # type: ignore[valid-type]
    copies: lanes  # type: ignore[valid-type]  # ints: from a strand to a piece
    tree: Tree
    root: records  # type: ignore[valid-type]  # a free root, as in the recursion
    state: lanes  # type: ignore[valid-type]  # q, v, tau, wrenches
    out: lanes  # type: ignore[valid-type]


@kernel
def open_segments(arrays, width):
    """Views of a table of addresses."""
    ints = ints_in(arrays, 0)
    table = lanes(ints, X1)
    groups, paths, count = table[0], table[1], table[2]
    group = tail(table, HEADER)
    path = tail(group, groups * Group.SIZE)
    segment = tail(path, paths * Path.SIZE)
    place = tail(segment, count * Segment.SIZE)
    flow, multi, hung, strand = floats_in(arrays, 2), floats_in(arrays, 3), floats_in(arrays, 4), floats_in(arrays, 5)
    return Segments(
        table, records(group, Group), records(path, Path), records(segment, Segment), records(place, Place),
        records(floats_in(arrays, 1), Slot, width), records(flow, Flow, width), records(multi, Multi, width),
        records(hung, Hung, width), records(strand, Strand, width), lanes(flow, X1), lanes(hung, X1), lanes(multi, X1),
        lanes(strand, X1), lanes(floats_in(arrays, 6), X1), lanes(ints_in(arrays, 7), X1),
        open_tree(ints_in(arrays, 8), floats_in(arrays, 9)), records(floats_in(arrays, 10), Work, X1),
        lanes(floats_in(arrays, 11), X1), lanes(floats_in(arrays, 12), X1),
    )  # fmt: skip
