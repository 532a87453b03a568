"""Warm start: points known from the last step carry their impulses over, so that the solver starts where it ended."""

from hitogata.contact.layout import FAR
from hitogata.lanes import any_lane, kernel, negated, where
from hitogata.spatial import dot

NEAR = 1e-3
"""A point whose feature is new may be one that was so near, if that one's feature is gone [m]."""


@kernel
def carry_impulses(old_contacts, old_points, old_count, contacts, points, count):
    """Give each point the impulse of the last step's point with the same pair and feature; zero if there is none.

    Where edges lie on edges, rounding decides which feature a corner is.  So a point that has no old one takes the
    nearest of those that have no new one.

    Both lists are sorted by pair, so one walk through both does it.  All widths: each figure looks up its own features.

    Args:
        old_contacts: records of `Contact` of the last step.
        old_points: records of `ContactPoint` of the last step, with the impulses the solver found.
        old_count: how many.
        contacts: records of `Contact` of this step.
        points: records of `ContactPoint` of this step; their impulses are written.
        count: how many.
    """
    start = 0
    for i in range(count):
        pair, point = contacts[i].pair, points[i]
        while start < old_count and old_contacts[start].pair < pair:
            start += 1
        feature = point.feature
        impulse, found = point.normal * 0.0, False
        k = start
        while k < old_count and old_contacts[k].pair == pair:
            old = old_points[k]
            same = (old.feature == feature) & (old.gap < 0.5 * FAR)
            impulse, found = where(same, old.impulse, impulse), found | same
            k += 1
        there = point.gap < 0.5 * FAR
        if k > start and any_lane(negated(found) & there):
            impulse = nearest_impulse(old_points, start, k, contacts, points, i, count, impulse, found)
        point.impulse = where(there, impulse, impulse * 0.0)


@kernel
def nearest_impulse(old_points, start, end, contacts, points, i, count, impulse, found):
    """Impulse of the nearest of old points `start` to `end` whose features no point of i's pair has; or as it was."""
    pair, pos, least, first = contacts[i].pair, points[i].pos, NEAR * NEAR, i
    while first > 0 and contacts[first - 1].pair == pair:
        first -= 1
    for k in range(start, end):
        old = old_points[k]
        lost, j = negated(found) & (old.gap < 0.5 * FAR), first
        while j < count and contacts[j].pair == pair:
            lost = lost & ((points[j].feature != old.feature) | (points[j].gap > 0.5 * FAR))
            j += 1
        away = dot(old.pos - pos, old.pos - pos)
        nearer = lost & (away < least)
        impulse, least = where(nearer, old.impulse, impulse), where(nearer, away, least)
    return impulse
