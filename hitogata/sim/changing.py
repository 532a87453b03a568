"""Things come and go: all arrays of a world are laid out anew, and what was there stays.

A figure takes along its part of the state and of the control.  Contact points of the last step stay, with their
impulses, where both their shapes do; under the new numbers of these.  Springs and ropes keep theirs.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from hitogata.contact.layout import PAIR, Contact
from hitogata.figure import State
from hitogata.lanes import record_offsets
from hitogata.sim.arrays import Arrays, Contents
from hitogata.sim.forest import IntArray, Span, stretch

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
    if same and len(contents.ties) <= old.tie_room:
        old.change_ties(contents)
        return old
    new = Arrays(contents, contact_room=old.contact_room, pair_room=old.pair_room)
    new.ties.take_over(old.ties)
    new.state[new.last_step] = new.before[new.last_step] = old.state[old.last_step]
    contacts, points = old.last_contacts()
    contacts, left = _renumbered(contacts, old, new)
    new.put_contacts(contacts, points[left])
    for there, here in _stretches(old, new):
        _take_along(there, here, old, new)
    new.unread |= old.unread & new.index.keys()
    new.set_states({member: states[member] for member in contents.members if member not in old.index})
    for member in new.index.keys() - old.index.keys():
        for part in new.state_parts_of(member):
            new.before[part] = new.state[part]
        new.controls_of(member).target[:] = new.q_of(member)
    new.note_pulls()
    return new


def _stretches(old: Arrays, new: Arrays) -> Iterator[tuple[Span, Span]]:
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
    for theirs, ours in zip(old.controls_in(there), new.controls_in(here), strict=True):
        ours[:] = theirs


def _renumbered(contacts: IntArray, old: Arrays, new: Arrays) -> tuple[IntArray, IntArray]:
    """Contacts under the numbers their shapes have now, and which of them are left.

    Shapes keep their order, so contacts stay sorted.
    """
    start, own = _first_shapes(old), _first_shapes(new)
    number = np.full(old.shapes.count, -1, np.int64)
    number[: start[0]] = np.arange(start[0])  # shapes of the world never go
    for member, k in old.index.items():
        if member in new.index:
            number[start[k] : start[k + 1]] = own[new.index[member]] + np.arange(start[k + 1] - start[k])
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
