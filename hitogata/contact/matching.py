"""Points known from the last step: their impulses are carried over, so that the solver starts where it ended."""

from hitogata.contact.layout import FAR
from hitogata.lanes import kernel, where


@kernel
def carry_impulses(old_contacts, old_points, old_count, contacts, points, count):
    """Give each point the impulse of the last step's point with the same pair and feature; zero if there is none.

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
        impulse = point.normal * 0.0
        k = start
        while k < old_count and old_contacts[k].pair == pair:
            old = old_points[k]
            impulse = where((old.feature == feature) & (old.gap < 0.5 * FAR), old.impulse, impulse)
            k += 1
        point.impulse = impulse
