"""4  Contacts: from shapes to point rows, with the impulses of the last step where a point is known again."""

from typing import NamedTuple

from hitogata.constraints.contacts import add_contact, mixed_friction
from hitogata.constraints.springs import add_tie
from hitogata.contact.finding import touch_pairs
from hitogata.contact.layout import Shapes
from hitogata.contact.placing import place_shapes
from hitogata.lanes import any_lane, inline, kernel, lanes, maximum, records, where


class Surroundings(NamedTuple):
    """Views of shapes, pairs, contacts and ties."""

    shapes: Shapes
    places: records  # type: ignore[valid-type]
    pair_count: int
    pairs: records  # type: ignore[valid-type]
    near: records  # type: ignore[valid-type]
    spare: lanes  # type: ignore[valid-type]
    contacts: records  # type: ignore[valid-type]
    points: records  # type: ignore[valid-type]
    old_contacts: records  # type: ignore[valid-type]
    old_points: records  # type: ignore[valid-type]
    capacity: int
    tie_count: int
    ties: records  # type: ignore[valid-type]
    tie_ints: records  # type: ignore[valid-type]


@kernel
def find_points(scene, rows, around, old_count, law):
    """Rows of all ties and contacts; returns how many rows there are, and how many of them are contacts."""
    count = 0
    for t in range(around.tie_count):
        count = add_tie(scene, rows, count, around.ties[t], around.tie_ints[t], law, t)
    contacts = find_contacts(scene, around, law.contact_margin)
    remember(around, contacts, old_count)
    for c in range(contacts):
        a, b = around.shapes.floats[around.contacts[c].a], around.shapes.floats[around.contacts[c].b]
        bounce = maximum(a.restitution, b.restitution)
        friction = mixed_friction(a.friction, b.friction)
        count = add_contact(scene, rows, count, around.contacts[c], around.points[c], friction, bounce, law, c)
    return count, contacts


@kernel
def find_contacts(scene, around, margin):
    """Contact points of all shapes near each other; returns how many."""
    place_shapes(around.shapes, scene.placed, around.places, margin)
    near = 0
    for k in range(around.pair_count):
        pair = around.pairs[k]
        if any_lane(apart(around, pair.a, pair.b) <= 0.0):
            around.near[near].a = pair.a
            around.near[near].b = pair.b
            near += 1
    found = touch_pairs(
        around.shapes, around.places, around.near, near, margin, around.spare, around.contacts, around.points,
        around.capacity,
    )  # fmt: skip
    return min(found, around.capacity)


@kernel
def apart(around, a, b):
    """How far two boxes are apart, or <= 0; a plane's box is everything."""
    if around.shapes.ints[b].kind == 0:
        return around.places[a].low.x * 0.0
    return gap_of_boxes(around.places[a].low, around.places[a].high, around.places[b].low, around.places[b].high)


@inline
def gap_of_boxes(low_a, high_a, low_b, high_b):
    """Greatest gap along an axis."""
    x = maximum(low_a.x - high_b.x, low_b.x - high_a.x)
    y = maximum(low_a.y - high_b.y, low_b.y - high_a.y)
    z = maximum(low_a.z - high_b.z, low_b.z - high_a.z)
    return maximum(x, maximum(y, z))


@kernel
def remember(around, count, old_count):
    """Carry impulses over from the last step's points of the same pair and feature; both lists are sorted by pair."""
    start = 0
    for c in range(count):
        own, point = around.contacts[c], around.points[c]
        while start < old_count and around.old_contacts[start].pair < own.pair:
            start += 1
        k = start
        while k < old_count and around.old_contacts[k].pair == own.pair:
            old = around.old_points[k]
            point.impulse = where(old.feature == point.feature, old.impulse, point.impulse)
            k += 1


@kernel
def keep_point_impulses(rows, points, around):
    """Note the impulses for the next step to begin with."""
    for p in range(points):
        if rows.point_int[p].tie == 1:
            around.ties[rows.point_int[p].slot].impulse = rows.point[p].impulse
        else:
            around.points[rows.point_int[p].slot].impulse = rows.point[p].impulse
