"""Contact patches as kernels see them.

All points where two bodies touch along one normal are a *patch*: a flat region, the convex hull of its points, with a
frame (x and y in the plane, z along the normal from body b to body a) whose origin is the middle of the hull.  Its six
motions are those of a against b at the origin,

    u = (v_x, v_y, v_z, ω_x, ω_y, ω_z)          w = (f_x, f_y, f_z, n_x, n_y, n_z)          power = w · u

and its wrench w acts on a.  The pressure's balance point is (-n_y/f_z, n_x/f_z).
"""

from typing import Any, NamedTuple

from hitogata.contact.boxes import SPARE
from hitogata.contact.layout import Contact, ContactPoint, ShapePlace
from hitogata.lanes import (
    Count,
    Given,
    Memory,
    Table,
    float_array,
    floats_of,
    int_array,
    many,
    number,
    numbers,
    one,
    part,
    record,
    record_size,
    records,
    several,
    wholes,
)
from hitogata.loops.layout import Bench, BenchMemory, LinkInts, RowRoom
from hitogata.spatial import Mat3, Vec3

NONE, POINT, LINE, SURFACE = 0, 1, 2, 3
"""How much of a patch presses."""

STICK, PIVOT, SLIDE = 0, 1, 2
"""How it holds across: not at all moving; turning about a point inside; sliding (and perhaps turning too)."""

LIFTED, ROLLED, SLID, SPUN, STOPPED = 1, 2, 4, 8, 16
"""Bits: what a patch did within the step that its first hypothesis did not say."""

CORNERS = 16
"""Most corners of a hull."""

MOST_PATCHES = 24
MOST_CONTACTS = 256
MOST_PASSES = 3


@record
class PatchInts:
    """A patch."""

    body_a: int
    body_b: int  # -1: the world
    points: int
    corners: int
    state: int
    slip: int
    edge: int  # LINE: its first corner; POINT: the corner
    why: int  # bits
    known: int  # 1: it was there in the last step


@record
class Patch:
    """Its numbers.  Places in the plane are from the origin, in the axes of `axes`."""

    place: Vec3  # of the origin, in the world
    axes: Mat3  # columns x, y, z
    gap: float  # mean over the corners, and slopes of a plane through them
    slope_x: float
    slope_y: float
    least: float  # gap
    static: float  # friction
    kinetic: float
    bounce: float
    radius: float  # of a disc of the same spread
    lever: float  # mean arm of friction that turns: n_z = kinetic f_z lever
    line_x: float  # LINE, POINT: a point on it
    line_y: float
    at_x: float  # PIVOT: the centre
    at_y: float
    along_x: float  # LINE: its direction
    along_y: float
    drag_x: float  # SLIDE: force across per normal force
    drag_y: float
    spin: float  # torque per normal force
    press_x: float  # balance point of the pressure, last known
    press_y: float
    closing: float  # least normal speed of its points


@record
class Rules:
    """Settings of the method."""

    h: float
    touch: float  # points nearer than this touch [m]
    impact_speed: float  # contacts that close faster are impacts, those that open faster are gone [m/s]
    still: float  # slower than this is not sliding [m/s]
    correction: float  # share of an overlap that a step takes back
    push_out: float  # fastest way out of an overlap [m/s]
    static_share: float  # static friction by kinetic friction
    blend: float  # k of 1 - exp(-k l), times the radius
    tolerance: float  # of dependent rows
    crowded: float  # not a setting: 1 after a step with more contacts than there is room for


@record
class Trace:
    """What a patch leaves to the next step."""

    body_a: float
    body_b: float
    place: Vec3  # of its balance point, in the world
    normal: Vec3
    state: float
    slip: float


class Past(Memory):
    """What the last step leaves to the next: where each patch pressed, and how."""

    count = number()
    trace = many(Trace, MOST_PATCHES)


MEMORY = Past.layout().floats


class Floor(Memory):
    """All patches; rows are those of virtual links, then six per patch."""

    nv, rows = Count(), Count()  # rows: of virtual links
    rules = one(Rules)
    memory = numbers(MEMORY)  # a `Past`
    kept = numbers(MEMORY)  # that of the start of a call
    patch = many(Patch, MOST_PATCHES)
    corner = numbers(MOST_PATCHES, CORNERS, 3)  # x, y, gap
    rate = numbers(MOST_PATCHES, 6)  # u before
    goal = numbers(MOST_PATCHES, 6)  # what u should change by
    held = numbers(MOST_PATCHES, 6, 6)  # G
    forces = numbers(MOST_PATCHES, 6, 6)  # (T Gᵀ)ᵀ
    need = numbers(rows + 6 * MOST_PATCHES)  # what forces should change rows by
    force = numbers(rows + 6 * MOST_PATCHES)
    mending = numbers(rows + 6 * MOST_PATCHES)  # what takes overlaps back
    press = numbers(MOST_PATCHES, CORNERS, 3)  # forces at corners
    move = numbers(nv)  # velocities with which places move
    knock = numbers(rows)  # impulses of the step's impact
    ints = many(PatchInts, MOST_PATCHES)
    first = wholes(MOST_PATCHES)  # unknown of a patch
    unknowns = wholes(MOST_PATCHES)  # how many it has


class PatchRoom(Memory):
    """A floor, a bench for virtual links, and room for the rows of these and of all patches."""

    tree = Given()
    links, rows = Count(), Count()
    all_rows = rows + 6 * MOST_PATCHES
    floor = part(Floor, nv=tree.nv, rows=rows)
    bench = part(BenchMemory, tree=tree, rows=rows)
    mixed = numbers(floats_of(RowRoom, nv=tree.nv, rows=all_rows, mixed=all_rows))
    order = wholes(all_rows + 1)
    link = many(LinkInts, links + MOST_PATCHES)


class StageMemory(Memory):
    """Scratch of a stage.  It begins with what its steps leave to the next: rules and memory."""

    tree = Given()
    links, rows, shapes = Count(), Count(), Count()
    patches = part(PatchRoom, tree=tree, links=links, rows=rows)
    work = numbers(shapes * record_size(ShapePlace) + SPARE)  # of `find_contacts`
    spare = numbers(MOST_CONTACTS, 5)
    point = many(ContactPoint, MOST_CONTACTS)
    contact = many(Contact, MOST_CONTACTS)


class Around(NamedTuple):
    """Shapes that may touch."""

    shapes: tuple  # type: ignore[type-arg]
    pairs: records  # type: ignore[valid-type]
    total: int


class Stage(NamedTuple):
    """A figure and what is around it."""

    own: Bench  # of the virtual links alone
    room: Any  # StageMemory
    around: Around


class StageTable(Table):
    """Arrays of a stage."""

    ints = int_array()  # of the figure
    floats = float_array()
    link_ints = int_array()  # of virtual links
    link_floats = float_array()
    shape_ints = int_array()
    shape_floats = float_array()
    pairs = int_array()
    scratch = float_array()  # StageMemory
    whole = int_array()
    wrenches = float_array()  # external ones
    springs = float_array()  # SpringMemory


class SpringMemory(Memory):
    """Implicit springs, and room for their torques."""

    nv = Count()
    stiffness = numbers(nv)
    damping = numbers(nv)
    torque = numbers(nv)


class StepResult(Memory):
    """Where steps lead, and how they went."""

    nq, nv = Count(), Count()
    q = numbers(nq)
    v = numbers(nv)
    vdot = numbers(nv)
    patches = number()  # of the last step
    struck = number()  # patches of its impact
    steps = number()  # of all steps: how many
    passes = number()  # most of the forces
    knocks = number()  # most of impacts
    impacts = number()  # steps with one
    unresolved = number()  # steps whose forces did not settle
    broken = number()  # virtual link that broke in the last one, or -1
    swept = number()  # steps whose forces were found by sweeps


@record
class PatchReport:
    """What a step tells of a patch; see `PatchInts` and `Patch`."""

    body_a: float
    body_b: float
    state: float
    slip: float
    why: float
    known: float
    points: float
    corners: float
    place: Vec3
    x: Vec3  # axes
    y: Vec3
    z: Vec3
    push: Vec3  # wrench
    turn: Vec3
    press_x: float
    press_y: float
    gap: float
    least: float
    hull: several(2 * CORNERS)  # type: ignore[valid-type]


REPORT = record_size(PatchReport)
"""Numbers reported of a patch."""


class StepReport(Memory):
    """What a step tells."""

    links = Count()
    patch = many(PatchReport, MOST_PATCHES)
    impact = many(PatchReport, MOST_PATCHES)
    wrench = numbers(links, 6)  # of virtual links
