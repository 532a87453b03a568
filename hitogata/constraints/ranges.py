"""Which ranges of motion ball joints have: one and the same in all worlds side by side, or one of its own in each.

A lane takes what its own range says, by a mask, and nothing else: whatever ranges its neighbours have, it computes the
same bits.  Each range that lanes of a block ask for is looked at once, so worlds with one range pay for one.
"""

from typing import Any, NamedTuple

from hitogata.lanes import any_lane, inline, kernel, lanes, tail, where
from hitogata.rom.violation import Violation, range_violation
from hitogata.spatial import Vec3

NOWHERE = 1e9
"""How far inside a joint is that has no range [rad]."""


class Ranges(NamedTuple):
    """Ranges of ball joints, and the kernels that read them.

    having(ranges, body): which lanes have one; look(ranges, body, q, looks): `Violation` in the lanes that look.
    """

    having: Any
    look: Any
    listed: lanes  # type: ignore[valid-type]  # int: where ranges begin (`one_range`), or lists (`own_ranges`)
    own: lanes  # type: ignore[valid-type]  # (bodies,): number of each lane's range; not used by `one_range`
    numbers: lanes  # type: ignore[valid-type]  # flat ranges, one after the other


# ------------------------------------------------------- the same in all lanes


@kernel
def one_range(starts, numbers):
    """Ranges that all lanes share; starts: (bodies,) int, where each begins, or NONE."""
    return Ranges(has_one, look_at_one, starts, numbers, numbers)


@kernel
def has_one(ranges, body):
    """Does the joint have a range?"""
    return ranges.listed[body] >= 0


@kernel
def look_at_one(ranges, body, q, looks):
    """Where a joint stands to its range."""
    return range_violation(q, tail(ranges.numbers, ranges.listed[body]))


# ------------------------------------------------------- each lane its own


@kernel
def own_ranges(lists, own, numbers):
    """Ranges of each lane.

    lists: int, one per joint: how many ranges its lanes have, then number and beginning of each; with room for as many
    as there are lanes.
    own: (bodies,), number of each lane's range, or NONE.
    """
    return Ranges(has_own, look_at_own, lists, own, numbers)


@kernel
def has_own(ranges, body):
    """Which lanes have a range?"""
    return ranges.own[body] >= 0.0


@inline
def nowhere_near(q):
    """What a joint without a range sees."""
    zero = q.w * 0.0
    way = Vec3(zero + 1.0, zero, zero)  # of length one, so that its row, which does not act, is a row like others
    return Violation(zero - NOWHERE, way, zero - NOWHERE, way)


@kernel
def look_at_own(ranges, body, q, looks):
    """Where joints stand to their own ranges.  There is one call for all ranges, so that all are the same code."""
    own, list_ = ranges.own[body], tail(ranges.listed, body * (1 + 2 * ranges.own.width))
    found = nowhere_near(q)
    for k in range(list_[0]):
        mine = looks & (own == list_[1 + 2 * k])
        if any_lane(mine):
            found = where(mine, range_violation(q, tail(ranges.numbers, list_[2 + 2 * k])), found)
    return found
