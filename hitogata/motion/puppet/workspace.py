"""Scratch: what one iteration works on.  Its contents do not matter between calls."""

from hitogata.dynamics.followers import REGISTER
from hitogata.dynamics.world_kinematics import Placed
from hitogata.lanes import Count, Memory, many, numbers, record
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


class Bench(Memory):
    """Scratch: what one iteration works on.  Matrices are stored row by row."""

    bodies, nq, nv, groups, walls, leads, arguments, registers = (Count() for _ in range(8))
    size = groups * 3  # rows
    placed = many(Placed, bodies)
    reply = many(Reply, bodies)
    rows = many(GroupRows, groups)
    wall = many(Wall, walls)
    coupling = numbers(size, size)  # lower half: J D Jᵀ
    factor = numbers(size, size)  # lower half
    across = numbers(walls, size)  # how a push against a wall moves the rows
    whitened = numbers(walls, size)
    between = numbers(walls, walls)  # how it moves the walls, if rows give no way
    among = numbers(walls, walls)  # how it moves them, rows held
    pivot = numbers(walls, walls)
    asked = numbers(size)
    force = numbers(size)
    lead = numbers(size)  # forces of level one
    slack = numbers(walls)
    pulled = numbers(nv)  # what wanted joint values do
    change = numbers(nv)  # what the iteration does
    last = numbers(nv)  # velocities of the last frame
    before = numbers(nq)
    row = numbers(nv)  # of a range over several joints,
    scratch = numbers(SCRATCH)  # and its scratch
    carried = numbers(groups * leads, 3)  # see `carried`
    slope = numbers(arguments)  # see `dynamics.followers`
    register = numbers(registers, REGISTER)
    wall_int = many(WallInts, walls + 1)
