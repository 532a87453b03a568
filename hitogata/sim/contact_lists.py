"""The contacts of this step and of the last: of a world, or of a block of worlds that share their lists.

    contacts  ints    LISTS times the room for points: whose they are            (blocks, LISTS * room * numbers)
    points    floats  the same: where they are, for each world                   (blocks, the same, width)
    counts    ints    see `layout`                                               (blocks, COUNTS)

Three lists take turns: that of the last step, that of this one, and one in which both are merged when some worlds are
not done with their step while others are.  The fourth keeps the one a step in pieces began with.
"""

from typing import NamedTuple

from hitogata.contact.layout import FAR, Contact, ContactPoint
from hitogata.lanes import all_lanes, any_lane, kernel, lanes, negated, records, tail, where
from hitogata.sim.layout import CAPACITY, CONTACTS, LAST_LIST, START, START_COUNT

SAVED, LISTS = 3, 4
"""The list that keeps what a step in pieces began with, and how many lists there are."""


class Lists(NamedTuple):
    """Views of a block's lists."""

    contacts: lanes  # type: ignore[valid-type]
    points: lanes  # type: ignore[valid-type]
    counts: lanes  # type: ignore[valid-type]


@kernel
def next_list(k):
    """The one after, of the three that take turns."""
    return (k + 1) % 3


@kernel
def list_at(lists, k):
    """Contacts and points of list k."""
    room = k * lists.counts[CAPACITY]
    return (
        records(tail(lists.contacts, room * Contact.SIZE), Contact),
        records(tail(lists.points, room * ContactPoint.SIZE), ContactPoint),
    )


@kernel
def take_list(lists, found, taking):
    """The list just found takes the place of the last, in worlds that take it; returns how long it is.

    If it is longer than there is room, nothing is taken.
    """
    counts = lists.counts
    if not any_lane(taking):
        return counts[CONTACTS]
    new, total = next_list(counts[LAST_LIST]), found
    if found <= counts[CAPACITY] and not all_lanes(taking):
        total = merge(lists, new, found, taking)
        new = next_list(new)
    if total <= counts[CAPACITY]:
        counts[LAST_LIST] = new
        counts[CONTACTS] = total
    return total


@kernel
def merge(lists, new, found, taking):
    """Points of the new list in worlds that take it, of the last list in the others, sorted by pairs."""
    new_contacts, new_points = list_at(lists, new)
    old_contacts, old_points = list_at(lists, lists.counts[LAST_LIST])
    contacts, points = list_at(lists, next_list(new))
    capacity, old_count, leaving = lists.counts[CAPACITY], lists.counts[CONTACTS], negated(taking)
    i, j, end = 0, 0, 0
    while i < found or j < old_count:
        if j >= old_count or (i < found and new_contacts[i].pair <= old_contacts[j].pair):
            end = put(contacts, points, end, capacity, new_contacts[i], new_points[i], taking)
            i += 1
        else:
            end = put(contacts, points, end, capacity, old_contacts[j], old_points[j], leaving)
            j += 1
    return end


@kernel
def put(contacts, points, end, capacity, contact, point, having):
    """Write a point that some worlds have, if it is one; returns how many there are now."""
    having = having & (point.gap < 0.5 * FAR)
    if any_lane(having):
        if end < capacity:
            own, place = contacts[end], points[end]
            own.pair = contact.pair
            own.a = contact.a
            own.b = contact.b
            own.body_a = contact.body_a
            own.body_b = contact.body_b
            own.slot = contact.slot
            place.pos = point.pos
            place.normal = point.normal
            place.gap = where(having, point.gap, FAR)
            place.feature = point.feature
            place.impulse = point.impulse
        end += 1
    return end


@kernel
def save_list(lists):
    """Keep the list that the step began with."""
    copy_list(lists, lists.counts[START], SAVED)


@kernel
def restore_list(lists):
    """Go back to the list that the step began with; it was saved."""
    copy_list(lists, SAVED, lists.counts[START])
    back_to_list(lists)


@kernel
def back_to_list(lists):
    """The same where the list is still as it was."""
    counts = lists.counts
    counts[LAST_LIST] = counts[START]
    counts[CONTACTS] = counts[START_COUNT]


@kernel
def copy_list(lists, source, target):
    """Copy as many points as the step began with."""
    count, room = lists.counts[START_COUNT], lists.counts[CAPACITY]
    size = Contact.SIZE
    for k in range(count * size):
        lists.contacts[target * room * size + k] = lists.contacts[source * room * size + k]
    size = ContactPoint.SIZE
    for k in range(count * size):
        lists.points[target * room * size + k] = lists.points[source * room * size + k]
