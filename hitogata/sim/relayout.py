"""Things come and go: all arrays of a world are laid out anew, and what was there stays.

A figure takes along its part of the state and of the control.  Contact points of the last step stay, with their
impulses, where both their shapes do; under the new numbers of these.  Springs and ropes keep theirs.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from hitogata.contact.layout import PAIR, Contact
from hitogata.figure import State
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_fields, record_offsets
from hitogata.loops.contacts.layout import PatchReport
from hitogata.sim.events import hand_over
from hitogata.sim.pair_list import held_apart
from hitogata.sim.parts import control_parts, earlier_parts
from hitogata.sim.solver_tally import copy_tally
from hitogata.sim.substeps import TIME
from hitogata.sim.world_data import Arrays, Contents
from hitogata.sim.world_model import IntArray, Span, stretch

if TYPE_CHECKING:
    from hitogata.sim.members import Member


def changed(old: Arrays, contents: Contents, states: "Mapping[Member, State]") -> Arrays:
    """Arrays for other contents of a world, that go on from where it is.

    Args:
        old: the arrays there are; if only springs or ropes came or went, they may be used on.
        contents: what is in the world now.
        states: where figures that came are, and how they move; their motors hold them there.
    """
    same = contents.members == old.contents.members and contents.fixed == old.contents.fixed
    same = same and held_apart(contents.ties) == held_apart(old.contents.ties)
    if same and len(contents.ties) <= old.tie_room:
        old.change_ties(contents)
        return old
    contacts, points = old.last_contacts()
    room, much_went = max(old.contact_room, len(contacts)), 2 * len(contents.members) < len(old.contents.members)
    new = Arrays(contents, contact_room=room, pair_room=old.pair_room, scratch=None if much_went else old.scratch)
    new.ties.take_over(old.ties)
    new.state[new.last_step] = new.before[new.last_step] = old.state[old.last_step]
    shapes = shape_numbers(old, new)
    contacts, left = renumbered(contacts, shapes, new)
    new.put_contacts(contacts, points[left])
    earlier, earlier_points = old.earlier_contacts()
    earlier, left = renumbered(earlier, shapes, new)
    new.put_earlier(earlier, earlier_points[left])
    new.sums[TIME] = old.sums[TIME]
    if new.stated:
        new.put_patches(moved_patches(old.last_patches(), body_numbers(old, new))[0])
    for there, here in stretches(old, new):
        _take_along(there, here, old, new)
    new.unread |= old.unread & new.index.keys()
    _sleep_on(old, new)
    hand_over(old, new)
    new.set_states({member: states[member] for member in contents.members if member not in old.index})
    for member in new.index.keys() - old.index.keys():
        for part in new.state_parts_of(member):
            new.before[part] = new.state[part]
        new.controls_of(member).target[:] = new.q_of(member)
    new.note_pulls()
    copy_tally(old, new)
    return new


def stretches(old: Arrays, new: Arrays) -> Iterator[tuple[Span, Span]]:
    """Where figures that stay, and follow each other, stood together and stand now."""
    stay = [(old.index[member], k) for member, k in new.index.items() if member in old.index]
    begin = 0
    for end in range(1, len(stay) + 1):
        if end == len(stay) or stay[end][0] != stay[end - 1][0] + 1 or stay[end][1] != stay[end - 1][1] + 1:
            first, last = stay[begin], stay[end - 1]
            yield (
                stretch(old.forest.spans[first[0] : last[0] + 1]), stretch(new.forest.spans[first[1] : last[1] + 1]),
            )  # fmt: skip
            begin = end


def _take_along(there: Span, here: Span, old: Arrays, new: Arrays) -> None:
    """State, the one before the last step (or piece), and control of figures that stay."""
    for source, target in zip(old.state_parts_in(there), new.state_parts_in(here), strict=True):
        new.state[target], new.before[target] = old.state[source], old.start[source]
    for source, target in zip(earlier_parts(old.forest, there), earlier_parts(new.forest, here), strict=True):
        new.sums[target] = old.sums[source]
    for theirs, ours in zip(old.controls_in(there), new.controls_in(here), strict=True):
        ours[:] = theirs
    if old.sleep is not None and new.sleep is not None:
        for source, target in zip(control_parts(old.forest, there), control_parts(new.forest, here), strict=True):
            new.sleep.told[target] = old.sleep.told[source]


def _sleep_on(old: Arrays, new: Arrays) -> None:
    """Who stays has rested for as long as before, or sleeps on."""
    if old.sleep is None or new.sleep is None:
        return
    for member in new.index.keys() & old.index.keys():
        new.sleep.rest[new.index[member]] = old.sleep.rest[old.index[member]]
    new.sleep.naps.update((member, nap) for member, nap in old.sleep.naps.items() if member in new.index)


def shape_numbers(old: Arrays, new: Arrays) -> IntArray:
    """Number that each shape of the old arrays has in the new ones; -1: none."""
    start, own = _first_shapes(old), _first_shapes(new)
    now = np.array([new.index.get(member, -1) for member in old.index], np.int64)
    counts, begin = np.diff(start), np.where(now >= 0, own[:-1][now] if len(own) > 1 else 0, 0)
    within = np.arange(old.shapes.count - start[0]) - np.repeat(start[:-1] - start[0], counts)
    worn = np.where(np.repeat(now >= 0, counts), np.repeat(begin, counts) + within, -1)
    return np.concatenate([np.arange(start[0]), worn]).astype(np.int64)  # shapes of the world never go


def renumbered(contacts: IntArray, number: IntArray, new: Arrays) -> tuple[IntArray, IntArray]:
    """Contacts under the numbers their shapes have in other arrays (`shape_numbers`), and which of them are left.

    Shapes keep their order, so contacts stay sorted.
    """
    at, result = record_offsets(Contact), contacts.copy()
    a, b = number[contacts[:, at["a"]]], number[contacts[:, at["b"]]]
    left = np.flatnonzero((a >= 0) & (b >= 0))
    result, a, b = result[left], a[left], b[left]
    bodies = new.shapes.column("body")
    result[:, at["pair"]] = np.minimum(a, b) * PAIR + np.maximum(a, b)
    for name, shapes in (("a", a), ("b", b)):
        result[:, at[name]], result[:, at[f"body_{name}"]] = shapes, bodies[shapes]
    return result, left


def _first_shapes(arrays: Arrays) -> IntArray:
    """Number of the first shape of each figure, and of all shapes; shape (figures + 1,)."""
    counts = np.bincount(arrays.shapes.column("figure") + 1, minlength=len(arrays.index) + 1)
    return np.cumsum(counts)


def body_numbers(old: Arrays, new: Arrays) -> IntArray:
    """Number that each body of the old arrays has in the new ones; -2: none.  The last is that of the world, -1."""
    number = np.full(old.forest.bodies + 1, -2)
    number[-1] = -1
    for member in new.index.keys() & old.index.keys():
        there = new.span_of(member).bodies
        number[old.span_of(member).bodies] = np.arange(there.start, there.stop)
    return number


def moved_patches(patches: FloatArray, number: IntArray) -> tuple[FloatArray, IntArray]:
    """Reports of patches under other numbers of their bodies (`body_numbers`), and which of them are left."""
    told = record_fields(PatchReport, patches)
    a, b = (number[bodies.astype(np.int64)] for bodies in (told.body_a, told.body_b))
    left = np.flatnonzero((a > -2) & (b > -2))
    result = patches[left]
    told = record_fields(PatchReport, result)
    told.body_a[:], told.body_b[:] = a[left], b[left]
    return result, left
