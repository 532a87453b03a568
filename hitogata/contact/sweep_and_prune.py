"""Broad phase for worlds of many shapes: sweep and prune along one axis (Baraff 1992; Ericson 2005, 7.5).

Shapes stand in a list sorted by where their boxes begin along the axis of greatest spread; a shape can only meet those
that follow it before its own end.  The list is kept from step to step, and nearly sorted then, so that insertion sort
takes linear time.  What is found is sorted by pair: the result does not depend on the list's history.

With many shapes the boxes are also dealt into strips along a second axis, twice as wide as they are on average, and
each strip is swept on its own.  A pair that shares two strips counts in the one where the later of the two begins; the
few boxes that span more than two are tested against all.

Planes are not in the list; each is paired with every shape.  For few shapes, and for figures side by side, testing all
pairs of `ShapeTable.pairs` inside `find_contacts` is simpler, and faster up to some hundred pairs (docs/contact.md).
"""

from typing import NamedTuple

from hitogata.contact.layout import PLANE, WORLD
from hitogata.contact.narrowphase import above_plane, boxes_meet
from hitogata.lanes import inline, kernel, record, tail
from hitogata.spatial import Vec3

AXIS, LISTED = 0, 1
STRIPS_FROM, MOST_STRIPS = 100, 64
SWEEP_HEADER = 4
"""The list's array: [axis, number of shapes listed, 0, 0, shapes ...]; see `new_sweep`."""


@record
class Swept:
    """The box of a shape, the sweep's axis first."""

    low: Vec3
    high: Vec3


@kernel
def sweep(shapes, places, rules, order, boxes, margin, pairs, capacity, spare):
    """Pairs of shapes whose boxes meet, sorted; width X1.

    Args:
        shapes: from `open_shapes`.
        places: records of `ShapePlace`, from `place_shapes`.
        rules: flat view of ints: [bodies, number of keys, keys ...] of excluded pairs of bodies (`ShapeTable.rules`).
        order: flat view of ints, from `new_sweep`; kept between steps.
        boxes: records of `Swept`, one per shape; scratch.
        margin: that the places were grown by [m].
        pairs: records of `Pair`, to be written.
        capacity: room for them.
        spare: flat view of ints, scratch: `spare_size(shapes.total, capacity)`.

    Returns:
        How many pairs there are; if more than the capacity, some were lost.
    """
    count, listed = order[LISTED], tail(order, SWEEP_HEADER)
    choose_axis(places, order)
    sort(places, listed, count, order[AXIS])
    for i in range(count):
        copy_box(places[listed[i]], boxes[i], order[AXIS])
    rough, room = shapes.total + 1, capacity
    found = meet_in_strips(shapes, rules, listed, boxes, count, spare, rough, room)
    for b in range(shapes.total):
        if shapes.ints[b].kind == PLANE:
            for i in range(count):
                place = places[listed[i]]
                if above_plane(place.low, place.high, places[b].pos, places[b].z) < margin:
                    found = note(shapes, rules, listed[i], b, spare, rough, found, room)
    write_sorted(shapes, spare, rough, min(found, capacity), pairs)
    return found


def spare_size(total: int, capacity: int) -> int:
    """Ints of scratch that `sweep` needs."""
    return total + 1 + 2 * capacity + MOST_STRIPS + 1 + 3 * total


@kernel
def note(shapes, rules, a, b, spare, rough, found, room):
    """Write a pair of shapes down, if they may touch."""
    if may_touch(shapes.ints[a], shapes.ints[b], rules):
        if found < room:
            spare[rough + 2 * found] = min(a, b)
            spare[rough + 2 * found + 1] = max(a, b)
        found += 1
    return found


@kernel
def may_touch(a, b, rules):
    """Different bodies, groups and masks agree, not excluded."""
    if a.body == b.body or (a.group & b.mask) == 0 or (b.group & a.mask) == 0:
        return False
    if a.body == WORLD or b.body == WORLD:
        return True
    key = min(a.body, b.body) * rules[0] + max(a.body, b.body)
    low, high = 2, 2 + rules[1]
    while low < high:
        middle = (low + high) // 2
        if rules[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low >= 2 + rules[1] or rules[low] != key


# ------------------------------------------------------- along the axis


@kernel
def choose_axis(places, order):
    """Take the axis of greatest spread, but keep the old one unless another spreads twice as far (squared)."""
    count = order[LISTED]
    total, square = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    for i in range(count):
        middle = places[order[SWEEP_HEADER + i]].pos
        total, square = total + middle, square + squares(middle)
    spread = square * count - squares(total)
    best, now = 0, spread.x
    if spread.y > now:
        best, now = 1, spread.y
    if spread.z > now:
        best, now = 2, spread.z
    if now > 2.0 * along(spread, order[AXIS]):
        order[AXIS] = best


@kernel
def sort(places, listed, count, axis):
    """Insertion sort by the lower ends."""
    for i in range(1, count):
        shape = listed[i]
        key, j = along(places[shape].low, axis), i - 1
        while j >= 0 and along(places[listed[j]].low, axis) > key:
            listed[j + 1] = listed[j]
            j -= 1
        listed[j + 1] = shape


@kernel
def along(a, axis):
    """Component of a vector."""
    if axis == 0:
        return a.x
    if axis == 1:
        return a.y
    return a.z


@kernel
def copy_box(place, box, axis):
    """The box of a place, the axis first."""
    if axis == 0:
        box.low, box.high = place.low, place.high
    elif axis == 1:
        box.low, box.high = turned(place.low), turned(place.high)
    else:
        box.low, box.high = turned(turned(place.low)), turned(turned(place.high))


@inline
def turned(a):
    """(y, z, x)."""
    return Vec3(a.y, a.z, a.x)


@inline
def squares(a):
    """(x², y², z²)."""
    return Vec3(a.x * a.x, a.y * a.y, a.z * a.z)


@inline
def meet_across(low_a, high_a, low_b, high_b):
    """Do two boxes meet in the other two axes?"""
    return (low_a.y <= high_b.y) & (low_b.y <= high_a.y) & (low_a.z <= high_b.z) & (low_b.z <= high_a.z)


# ------------------------------------------------------- in strips across the axis


@kernel
def meet_in_strips(shapes, rules, listed, boxes, count, spare, rough, room):
    """Write down the pairs of boxes that meet; returns how many."""
    strips = strips_of(boxes, count)
    starts = tail(spare, rough + 2 * room)
    dealt = tail(starts, MOST_STRIPS + 1)
    long, longs = tail(dealt, 2 * count), 0
    for k in range(strips.number + 1):
        starts[k] = 0
    for i in range(count):
        first, last = span(strips, boxes[i])
        if last > first + 1:
            long[longs] = i
            longs += 1
        else:
            starts[first + 1] += 1
            if last > first:
                starts[last + 1] += 1
    for k in range(strips.number):
        starts[k + 1] += starts[k]
    for i in range(count):
        first, last = span(strips, boxes[i])
        if last <= first + 1:
            for k in range(first, last + 1):
                dealt[starts[k]] = i
                starts[k] += 1  # in the end it is where the next strip starts
    found, begin = 0, 0
    for k in range(strips.number):
        for p in range(begin, starts[k]):
            i, q = dealt[p], p + 1
            box = boxes[i]
            while q < starts[k] and boxes[dealt[q]].low.x <= box.high.x:
                j = dealt[q]
                if meet_across(box.low, box.high, boxes[j].low, boxes[j].high):
                    later = max(span(strips, box)[0], span(strips, boxes[j])[0])
                    if later == k:
                        found = note(shapes, rules, listed[i], listed[j], spare, rough, found, room)
                q += 1
        begin = starts[k]
    for p in range(longs):
        i = long[p]
        for j in range(count):
            if boxes_meet(boxes[i].low, boxes[i].high, boxes[j].low, boxes[j].high):
                first, last = span(strips, boxes[j])
                if j > i or (j < i and last <= first + 1):
                    found = note(shapes, rules, listed[i], listed[j], spare, rough, found, room)
    return found


class Strips(NamedTuple):
    """Where the strips lie along the second axis."""

    number: int
    low: float
    per_width: float


@kernel
def strips_of(boxes, count):
    """Strips twice as wide as the boxes on average; one, if there are few boxes."""
    if count < STRIPS_FROM:
        return Strips(1, 0.0, 0.0)
    low, high, total = boxes[0].low.y, boxes[0].high.y, 0.0
    for i in range(count):
        low, high = min(low, boxes[i].low.y), max(high, boxes[i].high.y)
        total += boxes[i].high.y - boxes[i].low.y
    width = max(2.0 * total / count, (high - low) / MOST_STRIPS)
    return Strips(max(1, min(MOST_STRIPS, 1 + int((high - low) / width))), low * 1.0, 1.0 / width)


@kernel
def span(strips, box):
    """First and last strip that a box meets; some strip, if it is not a number."""
    last = strips.number - 1
    first = max(0, min(last, int((box.low.y - strips.low) * strips.per_width)))
    return first, max(first, min(last, int((box.high.y - strips.low) * strips.per_width)))


# ------------------------------------------------------- into order


@kernel
def write_sorted(shapes, spare, rough, count, pairs):
    """Sort pairs by lower, then by higher index: by counting, first the latter, then the former.

    Counting takes linear time; the ground alone is in as many pairs as there are shapes near it.
    """
    found = tail(spare, rough)
    count_up(spare, shapes.total, found, 1, count)
    for k in range(count):
        low, high = found[2 * k], found[2 * k + 1]
        pairs[spare[high]].a = low
        pairs[spare[high]].b = high
        spare[high] += 1
    for k in range(count):
        found[2 * k] = pairs[k].a
        found[2 * k + 1] = pairs[k].b
    count_up(spare, shapes.total, found, 0, count)
    for k in range(count):
        low, high = found[2 * k], found[2 * k + 1]
        pair = pairs[spare[low]]
        pair.a = low
        pair.b = high
        if shapes.ints[low].kind < shapes.ints[high].kind:
            pair.a = high
            pair.b = low
        spare[low] += 1


@kernel
def count_up(starts, total, found, which, count):
    """Where in a sorted list the pairs of each shape start; which: 0: their lower index, 1: their higher."""
    for i in range(total + 1):
        starts[i] = 0
    for k in range(count):
        starts[found[2 * k + which] + 1] += 1
    for i in range(total):
        starts[i + 1] += starts[i]
