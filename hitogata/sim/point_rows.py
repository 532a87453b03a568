"""4  Point rows of ties and contacts, with the impulses of the last step where a point is known again."""

from typing import Any, NamedTuple

from hitogata.constraints.contacts import DEEP, OWN_DEEP, add_contact, grip, mixed_friction
from hitogata.constraints.layout import SPRING
from hitogata.constraints.manifolds import share_friction
from hitogata.constraints.springs import add_tie
from hitogata.contact.bounds import grown, place_shapes
from hitogata.contact.layout import WORLD, ShapePlace, Shapes
from hitogata.contact.narrowphase import touch_pairs
from hitogata.contact.sweep_and_prune import Swept, sweep
from hitogata.contact.warm_start import carry_impulses
from hitogata.lanes import inline, kernel, lanes, maximum, minimum, records, sqrt, tail, where
from hitogata.sim.pair_list import PAIRS, ROOM, SWEPT
from hitogata.sim.passing_by import keep_open
from hitogata.sim.step_clock import BROAD, NARROW, ROWS
from hitogata.spatial import dot


class Broad(NamedTuple):
    """Views of the pairs to be tested: all there are, or with many shapes those that a sweep finds."""

    head: lanes  # type: ignore[valid-type]  # int: see `pair_list`
    pairs: records  # type: ignore[valid-type]
    rules: lanes  # type: ignore[valid-type]
    order: lanes  # type: ignore[valid-type]
    spare: lanes  # type: ignore[valid-type]


class Neighbours(NamedTuple):
    """What may touch, and the kernels that find pairs and their points: what `Surroundings` are made of."""

    touch: Any
    find_gap: Any  # kernel that tells the gap of a pair, see `contact.conservative_advancement`
    near: Any  # kernel that tells how many pairs to test, as `near_pairs`
    shapes: Shapes
    skins: records  # type: ignore[valid-type]  # of each shape: friction, restitution, mass
    work: lanes  # type: ignore[valid-type]
    broad: Broad
    tie_ints: records  # type: ignore[valid-type]


class Surroundings(NamedTuple):
    """Views of shapes, pairs, contacts and ties, and the kernels that find pairs and their points."""

    touch: Any
    find_gap: Any  # kernel that tells the gap of a pair, see `contact.conservative_advancement`
    near: Any  # kernel that tells how many pairs to test, as `near_pairs`
    shapes: Shapes
    skins: records  # type: ignore[valid-type]  # of each shape: friction, restitution, mass
    work: lanes  # type: ignore[valid-type]
    broad: Broad
    contacts: records  # type: ignore[valid-type]
    points: records  # type: ignore[valid-type]
    old_contacts: records  # type: ignore[valid-type]
    old_points: records  # type: ignore[valid-type]
    capacity: int
    tie_count: int
    ties: records  # type: ignore[valid-type]
    tie_ints: records  # type: ignore[valid-type]


@kernel
def find_points(scene, solids, rows, around, old_count, law, clock):
    """Rows of all ties and contacts; returns how many rows there are, and how many contact points were found."""
    count = 0
    for t in range(around.tie_count):
        count = add_tie(scene, rows, count, around.ties[t], around.tie_ints[t], law, t)
    clock.note(clock.times, ROWS)
    places = records(around.work, ShapePlace)
    place_shapes(around.shapes, scene.placed, places, law.contact_margin)
    reach_out(scene, solids, around.shapes, places, law)
    boxes = tail(around.work, around.shapes.total * ShapePlace.SIZE)
    pairs = around.near(around.shapes, places, around.broad, boxes, law.contact_margin)
    clock.note(clock.times, BROAD)
    contacts = touch_pairs(
        around.touch, around.shapes, places, around.broad.pairs, pairs, tail(boxes, around.shapes.total * Swept.SIZE),
        around.contacts, around.points, around.capacity,
    )  # fmt: skip
    kept = min(contacts, around.capacity)
    keep_open(scene, around, kept, law)
    clock.note(clock.times, NARROW)
    carry_impulses(around.old_contacts, around.old_points, old_count, around.contacts, around.points, kept)
    share_friction(around.contacts, around.points, kept)
    for c in range(kept):
        a, b = around.skins[around.contacts[c].a], around.skins[around.contacts[c].b]
        bounce, depth, deep = maximum(a.restitution, b.restitution), law.contact_depth, DEEP * law.contact_depth
        friction, mass = mixed_friction(a.friction, b.friction), minimum(a.mass, b.mass)
        if same_figure(around.shapes, around.contacts[c]):
            held = grip(around.points[c].gap, law.contact_stiffness, law.contact_mass)
            friction = where(bounce > 0.0, friction, friction * held)  # what bounces does not stay jammed
            deep = OWN_DEEP * law.contact_depth
            depth = deep  # springs: `grip` is to know how hard they press
        one, two = around.shapes.floats[around.contacts[c].a], around.shapes.floats[around.contacts[c].b]
        count = add_contact(
            scene, rows, count, around.contacts[c], around.points[c], friction, bounce, mass, depth, deep,
            minimum(one.inradius, two.inradius), law, c,
        )  # fmt: skip
    return count, contacts


@kernel
def same_figure(shapes, contact):
    """Do two links of one figure touch?"""
    figure = shapes.ints[contact.a].figure
    return figure >= 0 and figure == shapes.ints[contact.b].figure


@kernel
def near_pairs(shapes, places, broad, work, margin):
    """How many pairs are to be tested."""
    if broad.head[SWEPT] == 0:
        return broad.head[PAIRS]
    boxes, room = records(work, Swept), broad.head[ROOM]
    found = sweep(shapes, places, broad.rules, broad.order, boxes, margin, broad.pairs, room, broad.spare)
    broad.head[PAIRS] = found
    return min(found, room)


@kernel
def all_pairs(shapes, places, broad, work, margin):
    """The same where pairs are never swept; all widths."""
    return broad.head[PAIRS]


@kernel
def reach_out(scene, solids, shapes, places, law):
    """Shapes of fast bodies reach as far as they may come within the step."""
    for s in range(shapes.total):
        body = shapes.ints[s].body
        if body != WORLD:
            motion, place = scene.placed[body].motion, places[s]
            more = way(motion.lin, motion.ang, solids[body].radius, law.fall, law.h)
            place.low, place.high = grown(place.low, place.high, more)
            place.reach = place.reach + more


@inline
def way(velocity, spin, radius, fall, h):
    """How far a point of a body may come within a step, at the most [m]."""
    speed = sqrt(2.0 * (dot(velocity, velocity) + dot(spin, spin) * (radius * radius)))  # no less than |v| + |ω| r
    return h * (speed + h * fall)


@kernel
def keep_point_impulses(rows, points, around, h):
    """Note the impulses for the next step to begin with; anchors of springs go on."""
    for p in range(points):
        if rows.point_int[p].tie == 1:
            tie, point = around.ties[rows.point_int[p].slot], rows.point[p]
            tie.impulse = point.frame.T @ point.impulse
            if rows.point_int[p].kind == SPRING:
                tie.give = point.along
                tie.point_b = tie.point_b + tie.drift * h
        else:
            around.points[rows.point_int[p].slot].impulse = rows.point[p].impulse + rows.point[p].hit
