"""Pairs with meshes, cylinders, ellipsoids and height fields for figures side by side: one lane after the other.

How GJK and EPA go on depends on the pose at every turn, so nothing would be won by lanes; what costs is what it costs
in single worlds.  All else, and pairs of primitives, goes in lanes.  Point k of a pair is another one in each lane; its
feature says which.
"""

from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.field_gaps import depth_in_field
from hitogata.contact.fields import MOST_GATHERED
from hitogata.contact.layout import BOX, FAR, FIELD, ContactPoint, Found, ShapePlace
from hitogata.contact.narrowphase import near, touch
from hitogata.contact.narrowphase_all_shapes import SPARE_ANY, touch_general
from hitogata.lanes import kernel, lane_numbers, record_size, records, tail
from hitogata.spatial import Vec3

MOST_POINTS = MOST_GATHERED
"""Points of a pair in one lane, at the most."""


def lane_spare(width: int) -> int:
    """Scratch that these kernels need, in numbers per lane."""
    two, points = 2 * record_size(ShapePlace), MOST_POINTS * record_size(ContactPoint)
    return two + points - (-(two + points + SPARE_ANY) // width)


@kernel
def copy_places(places, a, b, spare):
    """Both places, at the beginning of the scratch."""
    copies = records(spare, ShapePlace)
    for k in range(2):
        source, copy = places[a], copies[k]
        if k == 1:
            source = places[b]
        copy.pos, copy.x, copy.y, copy.z = source.pos, source.x, source.y, source.z
        copy.low, copy.high, copy.reach = source.low, source.high, source.reach


@kernel
def open_lane(spare, lane):
    """The two places of one lane as single ones, and the scratch behind them, of width X1."""
    numbers, two = lane_numbers(spare), 2 * ShapePlace.SIZE
    own = tail(numbers, spare.width * (two + MOST_POINTS * ContactPoint.SIZE))
    for k in range(two):
        own[k] = numbers[k * spare.width + lane]
    return records(own, ShapePlace), tail(own, two)


@kernel
def touch_each(found, count, shapes, places, a, b, spare):
    """`narrowphase_all_shapes.touch_any` at any width."""
    if shapes.ints[a].kind <= BOX:
        return touch(found, count, shapes, places, a, b, spare)
    copy_places(places, a, b, spare)
    staged = tail(spare, 2 * ShapePlace.SIZE)
    points, numbers, most = records(staged, ContactPoint), lane_numbers(staged), 0
    for lane in range(spare.width):
        place, rest = open_lane(spare, lane)
        if near(shapes.ints[b].kind, place[0], place[1]):
            own, room = records(rest, ContactPoint), MOST_POINTS * ContactPoint.SIZE
            one = Found(own, MOST_POINTS, place[0].reach + place[1].reach, found.eps)
            end = touch_general(one, 0, shapes, a, b, place[0], place[1], tail(rest, room))
            for k in range(most, end):
                begin_point(points[k], places[a].pos)
            for k in range(end * ContactPoint.SIZE):
                numbers[k * spare.width + lane] = rest[k]
            most = max(most, end)
    for k in range(min(most, found.capacity - count)):
        copy_point(points[k], found.points[count + k])
    return count + most


@kernel
def begin_point(point, pos):
    """A point that no lane has yet."""
    point.pos = pos
    point.normal = pos * 0.0 + Vec3(0.0, 0.0, 1.0)
    point.gap = pos.x * 0.0 + FAR
    point.feature = pos.x * 0.0
    point.impulse = pos * 0.0


@kernel
def copy_point(source, target):
    """All numbers of a point."""
    target.pos = source.pos
    target.normal = source.normal
    target.gap = source.gap
    target.feature = source.feature
    target.impulse = source.impulse


@kernel
def gap_of_each(touch, shapes, places, a, b, depth, margin, points, spare):
    """`field_gaps.gap_of_any` at any width; touch: `touch_each`."""
    if shapes.ints[a].kind != FIELD:
        return gap_of(touch, shapes, places, a, b, depth, margin, points, spare)
    copy_places(places, a, b, spare)
    told = tail(spare, 2 * ShapePlace.SIZE)
    numbers = lane_numbers(told)
    told[0], told[1] = margin, margin * 0.0 + depth
    for lane in range(spare.width):
        place, rest = open_lane(spare, lane)
        gap = depth_in_field(shapes, a, b, place[0], place[1], numbers[spare.width + lane], numbers[lane], rest)
        numbers[lane] = gap
    return told[0], places[a].pos * 0.0
