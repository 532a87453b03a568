"""What the parts of a time step share: the bodies as placed, the factor of the mass matrix, and the rows.

A *joint row* limits one joint: a direction in its velocities.  A *point row* acts between points of two bodies (or a
body and the world): contact with friction, spring, rope.  Bodies that point rows touch are *touches*: whatever the
number of points, a touched body is six numbers of the solver, its turning and the velocity of its origin.

All rows of one tree stand together, since only they are coupled; `first` and `last` tell where.  So the coupling
(Delassus) matrix is a chain of square blocks, stored row by row, each row beginning at its block.
"""

from typing import NamedTuple

from hitogata.constraints.envelope import Envelope
from hitogata.constraints.islands import Islands
from hitogata.dynamics.factor import Chains
from hitogata.dynamics.followers import Followers
from hitogata.dynamics.layout import Tree
from hitogata.lanes import lanes, record, records
from hitogata.spatial import Force, Mat3, Motion, RigidInertia, Sym3, Vec3

CONTACT, SPRING = 0, 1
"""Kinds of point rows: one-sided along the normal, with friction across; two-sided in all directions."""


@record
class Placed:
    """Scratch of a body.  World axes; moments are about the origin of its tree's root."""

    rot: Mat3  # R_WK
    base: Mat3  # R_WF: axes of the joint on the parent's side
    pos: Vec3  # in the world
    rel: Vec3  # from the root's origin
    arm: Vec3  # from the body's origin to its centre of mass
    inertia: RigidInertia  # of the body, then of the subtree
    momentum: Force  # likewise
    motion: Motion  # of the body's origin, after the step
    bend: Motion  # mean motion of its centre within the step less the motion that v gives it, see `sim.energy_momentum`
    excess: Vec3  # of its angular momentum, likewise
    bent: float  # and of its energy of turning
    struck: float  # when the last impact hit it within the step [s]
    pressed: float  # of a root: whether its tree feels limits, contacts, springs or ropes
    force: Vec3  # what pulls on it, see `sim.geometric_stiffness`
    slow: Sym3  # how its turning is slowed
    before: float  # of a root: energy its tree had before the substep, and was given in it, see `sim.tie_energy` [J]
    given: float  # of that, what is being summed up
    gained: float  # what it gained in the substep
    taken: Vec3  # momentum that was changed after the impulses, see `sim.tied_groups`


@record
class JointRow:
    """A limit of one joint, or of several.  direction · (its velocities) + soft * impulse + bias >= 0."""

    direction: Vec3
    bias: float
    soft: float
    impulse: float
    inverse: float  # 1 / what a unit impulse does to its own speed, with softness
    centre: float  # see `newton`: impulse it began with,
    step: float  # change of impulse,
    gain: float  # and of speed, in the direction it follows


@record
class JointRowInts:
    """Whose it is, and where its speed stands."""

    body: int
    slot: int  # where its impulse is kept between steps
    row: int
    first: int  # row of its tree
    last: int  # one past the last row of its tree
    chained: int  # 1: its island is solved along chains, see `velocity_pgs_rows`
    several: int  # 1: of several joints; it stands in `joint_y` from the beginning, see `coupled`


@record
class TouchInts:
    """A touched body, and where its six speeds stand."""

    body: int
    row: int
    first: int
    last: int
    chained: int  # 1: its island is solved along chains, see `velocity_pgs_rows`


@record
class PointRow:
    """A constraint between a point of body a and a point of body b (or of the world).

    Velocities are those of a's point against b's, in the axes of `frame`.
    """

    frame: Mat3  # rows: two directions across, and the normal (from b to a)
    arm_a: Vec3  # from the origin of a to the point, world axes
    arm_b: Vec3
    lever_a: Mat3  # rows: arm_a x the directions of `frame`
    lever_b: Mat3
    bias: Vec3  # speeds
    soft: float  # speed per impulse
    core_bias: float  # contact: the same along the normal, for its core, see `contacts.core_of`
    core_soft: float
    friction: float  # spring: its greatest impulse
    bounce: float  # contact: its restitution
    gap: float  # contact
    acceleration: float  # contact: of its gap, by gravity
    hit: Vec3  # contact: impulse of impacts, apart from `impulse`, in the axes of `frame`; see `restitution`
    struck: float  # contact: when [s]
    swing: float  # rope: distance of its ends over h, see `points.no_farther`
    impulse: Vec3  # on a, in the axes of `frame`
    own: Sym3  # what a unit impulse does to its own velocity; for a spring: the inverse, with softness
    along: float  # contact: 1 / (own.zz + soft); spring: reply along it
    core_along: float  # contact: 1 / (own.zz + core_soft)
    across: float  # contact: 1 / greatest reply across; spring: 1 / no less than its greatest, with softness
    share: float  # b's part of its reply to itself, squared
    centre: Vec3  # see `newton`: impulse it began with,
    velocity: Vec3
    weights: Mat3  # linear law,
    push: Vec3
    step: Vec3  # change of impulse,
    gain: Vec3  # and of velocity, in the direction it follows


@record
class PointRowInts:
    """Between whom, of what kind, and where its impulse is kept.

    In islands that are solved along chains, first, count and reply tell other things, see `velocity_pgs_rows`.
    """

    kind: int
    body_a: int
    body_b: int  # -1: the world
    touch_a: int
    touch_b: int
    first_a: int  # rows of the tree of a
    count_a: int  # how many, a multiple of 8
    reply_a: int  # where its replies begin
    first_b: int  # the same of b's tree, if it is another
    count_b: int  # else 0
    reply_b: int
    tie: int  # 1: a spring or rope
    slot: int  # of the tie or contact it came from


class Scene(NamedTuple):
    """The trees in one moment."""

    tree: Tree
    chains: Chains
    placed: records  # type: ignore[valid-type]
    mass: lanes  # type: ignore[valid-type]  # (nv, stride): rows of M, then of its factor
    x: lanes  # type: ignore[valid-type]  # (nv,): momenta, then whitened velocities
    drive: lanes  # type: ignore[valid-type]  # (nv,): what motors would do at zero velocity, see `sim.motors`
    free: lanes  # type: ignore[valid-type]  # (nv,): whitened velocities without limits and contacts
    iterate: lanes  # type: ignore[valid-type]  # (nv,): velocities, see `sim.motor_search`
    followers: Followers


class Rows(NamedTuple):
    """Everything the solver works on."""

    width: int  # room for one row of coupling, a multiple of 8
    joint: records  # type: ignore[valid-type]  # JointRow
    joint_int: records  # type: ignore[valid-type]  # JointRowInts
    joint_y: lanes  # type: ignore[valid-type]  # (joint rows, stride), whitened
    touch: records  # type: ignore[valid-type]  # TouchInts
    touch_y: lanes  # type: ignore[valid-type]  # (touches, stride, 6), whitened
    touch_of_body: lanes  # type: ignore[valid-type]  # (bodies,) int: index of its touch, or -1
    point: records  # type: ignore[valid-type]  # PointRow
    point_int: records  # type: ignore[valid-type]  # PointRowInts
    speed: lanes  # type: ignore[valid-type]  # (rows,)
    coupling: lanes  # type: ignore[valid-type]  # (rows, width)
    reply: lanes  # type: ignore[valid-type]  # of each point: three times as many numbers as there are rows in its tree
    islands: Islands
    envelope: Envelope
