"""Things come and go: all arrays of a world are laid out anew, and what was there stays.

A figure takes along its part of the state and of the control.  Contact points of the last step stay, with their
impulses, where both their shapes do; under the new numbers of these.  Springs and ropes keep theirs.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.contact.layout import PAIR, Contact
from hitogata.contact.shapes import Surface
from hitogata.figure import State
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets
from hitogata.sim.arrays import Arrays, Contents
from hitogata.sim.forest import IntArray
from hitogata.sim.parts import control_parts

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
    contacts, points = old.last_contacts()
    new = Arrays(contents, contact_room=max(old.contact_room, len(contacts)), pair_room=old.pair_room)
    new.ties.take_over(old.ties)
    new.state[new.last_step] = new.before[new.last_step] = old.state[old.last_step]
    contacts, left = renumbered(contacts, shape_numbers(old, new), new)
    new.put_contacts(contacts, points[left])
    new.put_patches(moved_patches(old.last_patches(), body_numbers(old, new))[0])
    for member in contents.members:
        if member in old.index:
            _take_along(member, old, new)
    new.set_states({member: states[member] for member in contents.members if member not in old.index})
    for member in new.index.keys() - old.index.keys():
        for part in new.state_parts_of(member):
            new.before[part] = new.state[part]
        new.controls_of(member).target[:] = new.q_of(member)
    new.note_pulls()
    return new


def _take_along(member: "Member", old: Arrays, new: Arrays) -> None:
    """State, the one before the last step (or piece), and control of a figure that stays."""
    for there, here in zip(old.state_parts_of(member), new.state_parts_of(member), strict=True):
        new.state[here], new.before[here] = old.state[there], old.start[there]
    for theirs, ours in zip(old.controls_of(member), new.controls_of(member), strict=True):
        ours[:] = theirs
    if member in old.unread:
        new.unread.add(member)
    if old.sleep is not None and new.sleep is not None:
        new.sleep.rest[new.index[member]] = old.sleep.rest[old.index[member]]
        for there, here in zip(control_parts(old.forest, old.span_of(member)),
                               control_parts(new.forest, new.span_of(member)), strict=True):  # fmt: skip
            new.sleep.told[here] = old.sleep.told[there]
        if member in old.sleep.naps:
            new.sleep.naps[member] = old.sleep.naps[member]


def shape_numbers(old: Arrays, new: Arrays) -> IntArray:
    """Number that each shape of the old arrays has in the new ones; -1: none."""
    place = {key: i for i, key in enumerate(_keys(new.surfaces, new.contents.members))}
    return np.array([place.get(key, -1) for key in _keys(old.surfaces, old.contents.members)], np.int64)


def renumbered(contacts: IntArray, number: IntArray, new: Arrays) -> tuple[IntArray, IntArray]:
    """Contacts under the numbers their shapes have in other arrays (`shape_numbers`), and which of them are left.

    Shapes keep their order, so contacts stay sorted.
    """
    at, result = record_offsets(Contact), contacts.copy()
    a, b = number[contacts[:, at["a"]]], number[contacts[:, at["b"]]]
    left = np.flatnonzero((a >= 0) & (b >= 0))
    result, a, b = result[left], a[left], b[left]
    bodies = np.array([surface.body for surface in new.surfaces], np.int64)
    result[:, at["pair"]] = np.minimum(a, b) * PAIR + np.maximum(a, b)
    for name, shapes in (("a", a), ("b", b)):
        result[:, at[name]], result[:, at[f"body_{name}"]] = shapes, bodies[shapes]
    return result, left


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
    bodies = number[patches[:, :2].astype(np.int64)]
    left = np.flatnonzero((bodies > -2).all(axis=1))
    result = patches[left]
    result[:, :2] = bodies[left]
    return result, left


def _keys(surfaces: Sequence[Surface], members: Sequence["Member"]) -> list[tuple[Any, int]]:
    """What tells shapes apart: whose they are, and which of its shapes."""
    seen: dict[Any, int] = {}
    keys = []
    for surface in surfaces:
        owner = members[surface.figure] if surface.figure >= 0 else None
        seen[owner] = seen.get(owner, -1) + 1
        keys.append((owner, seen[owner]))
    return keys
