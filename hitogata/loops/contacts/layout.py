"""Contact patches as kernels see them.

All points where two bodies touch along one normal are a *patch*: a flat region, the convex hull of its points, with a
frame (x and y in the plane, z along the normal from body b to body a) whose origin is the middle of the hull.  Its six
motions are those of a against b at the origin,

    u = (v_x, v_y, v_z, ω_x, ω_y, ω_z)          w = (f_x, f_y, f_z, n_x, n_y, n_z)          power = w · u

and its wrench w acts on a.  The pressure's balance point is (-n_y/f_z, n_x/f_z).
"""

from typing import NamedTuple

from hitogata.lanes import kernel, lanes, record, records, tail
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


class Floor(NamedTuple):
    """Views of all patches inside kernels; rows are those of virtual links, then six per patch."""

    rules: records  # type: ignore[valid-type]
    patch: records  # type: ignore[valid-type]
    ints: records  # type: ignore[valid-type]
    corner: lanes  # type: ignore[valid-type]  # (patches, CORNERS, 3): x, y, gap
    rate: lanes  # type: ignore[valid-type]  # (patches, 6): u before
    goal: lanes  # type: ignore[valid-type]  # (patches, 6): what u should change by
    need: lanes  # type: ignore[valid-type]  # (rows,): what forces should change rows by
    force: lanes  # type: ignore[valid-type]  # (rows,)
    mending: lanes  # type: ignore[valid-type]  # (rows,): what takes overlaps back
    move: lanes  # type: ignore[valid-type]  # (nv,): velocities with which places move
    held: lanes  # type: ignore[valid-type]  # (patches, 6, 6): G
    forces: lanes  # type: ignore[valid-type]  # (patches, 6, 6): (T Gᵀ)ᵀ
    memory: lanes  # type: ignore[valid-type]  # what the last step leaves to the next
    press: lanes  # type: ignore[valid-type]  # (patches, CORNERS, 3): forces at corners
    first: lanes  # type: ignore[valid-type]  # (patches,) int: first unknown
    many: lanes  # type: ignore[valid-type]  # (patches,) int: unknowns
    knock: lanes  # type: ignore[valid-type]  # (rows of virtual links,): impulses of the step's impact


class Around(NamedTuple):
    """Shapes and room for contact points."""

    shapes: tuple  # type: ignore[type-arg]
    pairs: records  # type: ignore[valid-type]
    total: int
    work: lanes  # type: ignore[valid-type]
    contacts: records  # type: ignore[valid-type]
    points: records  # type: ignore[valid-type]
    spare: lanes  # type: ignore[valid-type]  # 5 MOST_CONTACTS numbers


REMEMBERED = 10
"""Numbers of a patch in the memory, after their count: bodies, place of the pressure, normal, state, slip."""

MEMORY = 1 + MOST_PATCHES * REMEMBERED


@kernel
def floor_size(rows, nv):
    """Numbers of scratch, for so many rows of virtual links."""
    own = MOST_PATCHES * (Patch.SIZE + 6 * CORNERS + 12 + 72)
    return Rules.SIZE + 2 * MEMORY + own + 3 * (rows + 6 * MOST_PATCHES) + nv + rows


@kernel
def open_floor(memory, ints, rows, nv):
    """Views of scratch that stays from step to step: first rules, memory, and room to keep the memory of a start."""
    rest = tail(memory, Rules.SIZE + 2 * MEMORY)
    corner = tail(rest, MOST_PATCHES * Patch.SIZE)
    rate = tail(corner, MOST_PATCHES * 3 * CORNERS)
    goal, held = tail(rate, 6 * MOST_PATCHES), tail(rate, 12 * MOST_PATCHES)
    forces = tail(held, 36 * MOST_PATCHES)
    need = tail(forces, 36 * MOST_PATCHES)
    count = rows + 6 * MOST_PATCHES
    own = records(ints, PatchInts)
    first = tail(ints, MOST_PATCHES * PatchInts.SIZE)
    force, mending, press = tail(need, count), tail(need, 2 * count), tail(need, 3 * count)
    move = tail(press, 3 * CORNERS * MOST_PATCHES)
    rules, past, many = records(memory, Rules), tail(memory, Rules.SIZE), tail(first, MOST_PATCHES)
    patch = records(rest, Patch)
    return Floor(rules, patch, own, corner, rate, goal, need, force, mending, move, held, forces, past, press, first,
                 many, tail(move, nv))  # fmt: skip
