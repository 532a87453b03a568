"""Sleep: islands at rest take no steps until something happens to them.

Figures and loose bodies that are near each other, touch, hang on each other by springs or ropes, or are led by one
another are an island.  Once all of an island have been at rest for `Settings.sleep_after`, it sleeps: its velocities
are zero, it stays where it is by the bit, and what there is to read of it is that of its last step.  It wakes before
the step in which

    someone awake may come near it           so that nobody ever bounces off a sleeper
    its state or control is another one      also if written into the arrays
    something of it, or tied to it, goes     or a spring or rope comes
    it is told to                            `Member.wake`

Steps are taken by a world of those awake alone (`awake`): who sleeps takes no part in anything.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hitogata.contact.layout import Contact, ContactPoint
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets
from hitogata.sim.awake import Awake, control_parts_of
from hitogata.sim.events import hand_over
from hitogata.sim.parts import earlier_parts, part_of, state_parts
from hitogata.sim.rest_time import note_rest
from hitogata.sim.sleep_state import Nap, Sleep
from hitogata.sim.world_data import Arrays
from hitogata.sim.world_model import IntArray

if TYPE_CHECKING:
    from hitogata.sim.members import Member

WRENCH = slice(20, 26)
"""Where in the report of a patch its impulses stand."""


def advance(
    arrays: Arrays, h: float, steps: int, groups: "Sequence[Sequence[Member]]", times: IntArray | None = None,
    now: float = 0.0,
) -> tuple[Arrays, int]:  # fmt: skip
    """Steps of h [s] of those who are awake; who is at rest long enough falls asleep.

    Args:
        arrays: of a world with sleep.
        h: length of a step [s].
        steps: how many.
        groups: figures that sleep together or not at all; all but the first of a group are led by it.
        times: see `Arrays.take_steps`.
        now: time when the first step begins [s].

    Returns:
        The arrays there are now, and how many steps were taken: fewer, if the next would be non-finite.
    """
    taken = 0
    arrays = wake(arrays, opened(arrays).disturbed())
    awake = opened(arrays)
    awake.take()
    forget_changed(awake, {member for _, *led in groups for member in led})
    while taken < steps:
        if not awake.own.index:
            taken = steps  # all sleep
        elif near := awake.near(h):
            awake.hand_back()
            arrays = wake(arrays, near)
            awake = opened(arrays)
            awake.take()
        elif awake.own.take_steps(h, 1, times, now + taken * h) < 1:
            more = awake.own.step_back()
            if more is None:
                break
            arrays = awake.grow(more)  # once more, with more room
            awake = opened(arrays)
        else:
            taken += 1
            if tired := islands_at_rest(awake, h, groups):
                awake.hand_back()
                arrays = lay_down(arrays, tired)
                awake = opened(arrays)
                awake.take()
    awake.hand_back()
    if taken > 0:
        arrays.unread.clear()
    return arrays, taken


def sleep_of(arrays: Arrays) -> Sleep:
    """Who rests and who sleeps, in a world that knows sleep."""
    assert arrays.sleep is not None
    return arrays.sleep


def opened(arrays: Arrays) -> Awake:
    """Those who are awake."""
    if arrays.awake is None:
        arrays.awake = Awake(arrays, sleep_of(arrays))
    return arrays.awake


def gathered(arrays: Arrays) -> Arrays:
    """The same world, with all contacts in arrays of its own, to be changed: those who are awake must be asked anew."""
    if arrays.awake is None:
        return arrays
    (contacts, points), patches, earlier = arrays.last_contacts(), arrays.last_patches(), arrays.earlier_contacts()
    if len(contacts) > arrays.contact_room:
        return arrays.with_room(2 * len(contacts))
    if arrays.awake.own is not arrays:
        own = arrays.awake.own
        arrays.put_contacts(contacts, points)
        arrays.put_patches(patches)
        arrays.put_earlier(*earlier)
        hand_over(own, arrays)
    arrays.awake = None
    return arrays


# ------------------------------------------------------- falling asleep


def forget_changed(awake: Awake, led: "set[Member]") -> None:
    """Who was told something new does not rest; what those are told who are led is not the user's."""
    own, sleep = awake.own, awake.sleep
    if np.array_equal(own.control, sleep.told):
        return
    for member in own.index.keys() - led:
        parts = control_parts_of(own, member)
        if any((own.control[part] != sleep.told[part]).any() for part in parts):
            sleep.rest[own.index[member]] = 0.0
    sleep.told[:] = own.control


def islands_at_rest(awake: Awake, h: float, groups: "Sequence[Sequence[Member]]") -> "list[list[Member]]":
    """After a step of h [s]: islands that may sleep.

    An island has been at rest for as long as all of it has.  When one of its figures has been for long enough, all are
    told how long that is, so that they are not asked again too early.
    """
    own, rest, settings, joined = awake.own, awake.sleep.rest, awake.own.contents.settings, []
    ints, floats, speed = own.forest.ints, own.forest.floats, settings.sleep_speed
    for member in own.ties.pulled_along():
        rest[own.index[member]] = 0.0
    if note_rest(ints, floats, own.state, own.control, awake.first, rest, speed, h) < settings.sleep_after:
        return []
    together = [tie.members for tie in own.contents.ties]
    for group in (*together, *groups):
        first, *others = (own.index.get(member, -1) for member in group)
        joined += [(first, other) for other in others if min(first, other) >= 0]
    awake.boxes.look(h)
    island = awake.boxes.islands(joined)
    least = np.full(len(island), np.inf)
    np.minimum.at(least, island, rest)
    rest[:] = least[island]
    members = own.contents.members
    tired = np.flatnonzero(rest >= settings.sleep_after)
    return [[members[k] for k in tired if island[k] == first] for first in np.unique(island[tired])]


def lay_down(arrays: Arrays, islands: "list[list[Member]]") -> Arrays:
    """Let some islands fall asleep."""
    arrays = gathered(arrays)
    naps, start, h = sleep_of(arrays).naps, arrays.start.copy(), arrays.last_h
    number = max((nap.island for nap in naps.values()), default=0)
    for island in islands:
        number += 1
        for member in island:
            parts = state_parts(arrays.forest, arrays.span_of(member))
            end = part_of(arrays.state, parts)
            for part in parts:
                arrays.before[part] = arrays.piece[part] = start[part]
            for part in (parts.v, parts.mean, parts.carried, parts.owed, parts.spare, parts.spin):
                arrays.state[part] = 0.0
            arrays.state[parts.told] = 1.0
            for part in earlier_parts(arrays.forest, arrays.span_of(member)):
                arrays.sums[part] = 0.0
            for tie in arrays.ties.index:
                if member in tie.members:
                    arrays.ties.forget_earlier(arrays.ties.index[tie])
            control = part_of(arrays.control, control_parts_of(arrays, member))
            naps[member] = Nap(number, h, _kept(end), _kept(part_of(arrays.state, parts)), _kept(control))
    return arrays


def _kept(array: FloatArray) -> FloatArray:
    """Not to be written: snapshots and worlds share it."""
    array.flags.writeable = False
    return array


# ------------------------------------------------------- waking


def wake(arrays: Arrays, members: "Iterable[Member]") -> Arrays:
    """Wake some figures, with their islands; those who are awake stay so."""
    if arrays.sleep is None:
        return arrays
    naps, rest = arrays.sleep.naps, arrays.sleep.rest
    islands = {naps[member].island for member in members if member in naps}
    if not islands:
        return arrays
    arrays = gathered(arrays)
    woken = {member: nap for member, nap in naps.items() if nap.island in islands}
    for member, nap in woken.items():
        del naps[member]
        arrays.unread.add(member)
        rest[arrays.index[member]] = 0.0
        if nap.h != arrays.last_h:
            arrays.state[state_parts(arrays.forest, arrays.span_of(member)).limit_impulse] *= arrays.last_h / nap.h
    _rescale(arrays, {member: arrays.last_h / nap.h for member, nap in woken.items()})
    return arrays


def _rescale(arrays: Arrays, factors: "dict[Member, float]") -> None:
    """Scale the impulses of contacts, patches, springs and ropes of figures that wake."""
    if all(factor == 1.0 for factor in factors.values()):
        return
    of_body = np.ones(arrays.forest.bodies + 1)
    for member, factor in factors.items():
        of_body[arrays.span_of(member).bodies] = factor
    contacts, points = arrays.last_contacts()
    column, at = record_offsets(Contact), record_offsets(ContactPoint)["impulse"]
    bodies = contacts[:, [column["body_a"], column["body_b"]]].max(axis=1)
    points[:, at : at + 3] *= of_body[bodies, None]
    patches = arrays.last_patches()
    patches[:, WRENCH] *= of_body[patches[:, :2].max(axis=1).astype(np.int64), None]
    for tie in arrays.ties.index:
        if tie.ends[0][0] in factors:
            arrays.ties.view(tie, "impulse")[:] *= factors[tie.ends[0][0]]
