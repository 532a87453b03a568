"""4  Point rows of ties and contacts, with the impulses of the last step where a point is known again."""

from typing import NamedTuple

from hitogata.constraints.contacts import add_contact, mixed_friction
from hitogata.constraints.springs import add_tie
from hitogata.contact.finding import find_contacts
from hitogata.contact.layout import Shapes
from hitogata.contact.matching import carry_impulses
from hitogata.lanes import kernel, lanes, maximum, records


class Surroundings(NamedTuple):
    """Views of shapes, pairs, contacts and ties."""

    shapes: Shapes
    work: lanes  # type: ignore[valid-type]
    pair_count: int
    pairs: records  # type: ignore[valid-type]
    contacts: records  # type: ignore[valid-type]
    points: records  # type: ignore[valid-type]
    old_contacts: records  # type: ignore[valid-type]
    old_points: records  # type: ignore[valid-type]
    capacity: int
    tie_count: int
    ties: records  # type: ignore[valid-type]
    tie_ints: records  # type: ignore[valid-type]


@kernel
def find_points(scene, rows, around, old_count, speed, law):
    """Rows of all ties and contacts; returns how many rows there are, and how many contact points were found."""
    count = 0
    for t in range(around.tie_count):
        count = add_tie(scene, rows, count, around.ties[t], around.tie_ints[t], law, t)
    margin = law.contact_margin + law.h * (2.0 * speed + law.h * law.fall)  # two bodies may close so much in this step
    contacts = find_contacts(
        around.shapes, scene.placed, around.pairs, around.pair_count, margin, around.work,
        around.contacts, around.points, around.capacity,
    )  # fmt: skip
    kept = min(contacts, around.capacity)
    carry_impulses(around.old_contacts, around.old_points, old_count, around.contacts, around.points, kept)
    for c in range(kept):
        a, b = around.shapes.floats[around.contacts[c].a], around.shapes.floats[around.contacts[c].b]
        bounce = maximum(a.restitution, b.restitution)
        friction = mixed_friction(a.friction, b.friction)
        count = add_contact(scene, rows, count, around.contacts[c], around.points[c], friction, bounce, law, c)
    return count, contacts


@kernel
def keep_point_impulses(rows, points, around):
    """Note the impulses for the next step to begin with."""
    for p in range(points):
        if rows.point_int[p].tie == 1:
            around.ties[rows.point_int[p].slot].impulse = rows.point[p].impulse
        else:
            around.points[rows.point_int[p].slot].impulse = rows.point[p].impulse
