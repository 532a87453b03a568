"""Contact events inside kernels: of each pair of shapes, when it began to push, how hard, and when it ended.

An *episode* begins with the first substep in which two shapes push on each other, and ends with the first in which they
do not.  Those that go on stand in a list sorted by pair, which each substep that counts writes anew; those that ended
are appended to a list of fixed length.  What finds no room there is counted and lost.

    ints    header; `EpisodeInts` of the ended; of those that go on, in thirds: two take turns, the last keeps those
            before a step in pieces, in case it cannot be taken
    floats  time when the call began; `Episode`, the same
"""

from hitogata.lanes import kernel, record, records, sqrt, tail
from hitogata.sim.joint_wrenches import impulse_on_a
from hitogata.spatial import Vec3, dot

ROOM, OPEN_ROOM, OPEN, THIRD, ENDED, LOST, OLD_OPEN, OLD_THIRD, OLD_ENDED, OLD_LOST, HEADER = range(11)
"""Places in the header, and its length: room for ended episodes (0: there is no log) and for those that go on; how many
go on, and in which third they are; how many ended, and how many were lost; the last four before a step in pieces."""

CLOCK, NUMBERS = 0, 1
"""Place of the time in the floats, and where episodes begin."""


@record
class Episode:
    """How two shapes pushed."""

    began: float  # [s]; not a number: before the log was last read
    ended: float  # [s]
    impulse: Vec3  # on a, world axes, since the log was last read [N s]
    peak: float  # greatest force, mean over a substep [N]
    place: Vec3  # where, when it was greatest: centre of the pushes, world [m]
    normal: Vec3  # of the point that pushed hardest then, from b to a


@record
class EpisodeInts:
    """Which shapes."""

    pair: int
    a: int
    b: int


@kernel
def third_of(log, numbers, third):
    """Episodes that go on, in one third of their arrays."""
    at = log[ROOM] + third * log[OPEN_ROOM]
    return (
        records(tail(log, HEADER + at * EpisodeInts.SIZE), EpisodeInts),
        records(tail(numbers, NUMBERS + at * Episode.SIZE), Episode),
    )


@kernel
def log_contacts(log, numbers, contacts, points, found, begin, h):
    """A substep of h that began at a time [s] counts, with these contact points, sorted by pair."""
    third, count = log[THIRD], log[OPEN]
    old, old_numbers = third_of(log, numbers, third)
    new, new_numbers = third_of(log, numbers, 1 - third)
    i, j, going = 0, 0, 0
    while i < found:
        pair, first, total, weight = contacts[i].pair, i, points[i].pos * 0.0, 0.0
        place, hardest, normal = points[i].pos * 0.0, -1.0, points[i].normal
        while i < found and contacts[i].pair == pair:
            impulse = impulse_on_a(contacts[i], points[i])
            size = sqrt(dot(impulse, impulse))
            total, weight, place = total + impulse, weight + size, place + points[i].pos * size
            if size > hardest:
                hardest, normal = size, points[i].normal
            i += 1
        if weight > 0.0:
            while j < count and old[j].pair < pair:
                end_episode(log, numbers, old[j], old_numbers[j])
                j += 1
            known, own, force = j < count and old[j].pair == pair, new_numbers[going], sqrt(dot(total, total))
            new[going].pair = pair
            new[going].a = contacts[first].a
            new[going].b = contacts[first].b
            own.began = begin
            own.impulse = total
            own.peak = -1.0
            if known:
                own.began = old_numbers[j].began
                own.impulse = total + old_numbers[j].impulse
                own.peak = old_numbers[j].peak
                own.place = old_numbers[j].place
                own.normal = old_numbers[j].normal
                j += 1
            own.ended = begin + h
            if force / h > own.peak:
                own.peak = force / h
                own.place = place * (1.0 / weight)
                own.normal = normal
            going += 1
    while j < count:
        end_episode(log, numbers, old[j], old_numbers[j])
        j += 1
    log[THIRD] = 1 - third
    log[OPEN] = going


@kernel
def end_episode(log, numbers, episode, own):
    """Append an episode to the ended ones, if there is room."""
    if log[ENDED] >= log[ROOM]:
        log[LOST] = log[LOST] + 1
        return
    at = log[ENDED]
    copy_episode(
        records(tail(log, HEADER), EpisodeInts)[at], records(tail(numbers, NUMBERS), Episode)[at], episode, own
    )
    log[ENDED] = at + 1


@kernel
def copy_episode(target, target_numbers, source, source_numbers):
    """The same once more."""
    target.pair = source.pair
    target.a = source.a
    target.b = source.b
    target_numbers.began = source_numbers.began
    target_numbers.ended = source_numbers.ended
    target_numbers.impulse = source_numbers.impulse
    target_numbers.peak = source_numbers.peak
    target_numbers.place = source_numbers.place
    target_numbers.normal = source_numbers.normal


@kernel
def keep_log(log, numbers):
    """Before the first substep of several: keep the log, in case the step cannot be taken."""
    log[OLD_OPEN] = log[OPEN]
    log[OLD_THIRD] = log[THIRD]
    log[OLD_ENDED] = log[ENDED]
    log[OLD_LOST] = log[LOST]
    copy_third(log, numbers, log[THIRD], 2, log[OPEN])


@kernel
def restore_log(log, numbers):
    """The step could not be taken: as if its substeps had not been."""
    log[OPEN] = log[OLD_OPEN]
    log[THIRD] = log[OLD_THIRD]
    log[ENDED] = log[OLD_ENDED]
    log[LOST] = log[OLD_LOST]
    copy_third(log, numbers, 2, log[THIRD], log[OPEN])


@kernel
def copy_third(log, numbers, source, target, count):
    """Copy episodes that go on from one third to another."""
    theirs, their_numbers = third_of(log, numbers, source)
    ours, our_numbers = third_of(log, numbers, target)
    for k in range(count):
        copy_episode(ours[k], our_numbers[k], theirs[k], their_numbers[k])
