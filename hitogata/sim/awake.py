"""Those who are awake: the part of a world that takes steps.

It is a world of its own in which there is nobody else: so its steps are those of `step`, and who sleeps costs nothing.
Before steps it gets state and control of its figures, after them it hands the state back.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.contact.layout import HEADER as SHAPE_HEADER
from hitogata.contact.layout import Contact, ShapeFloats
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.events import hand_over
from hitogata.sim.layout import PIECES
from hitogata.sim.nearness import Boxes
from hitogata.sim.parts import control_parts, earlier_parts, part_of, put_part, state_parts
from hitogata.sim.relayout import body_numbers, moved_patches, renumbered, shape_numbers, stretches
from hitogata.sim.rest_time import copy_runs, same_runs
from hitogata.sim.solver_tally import copy_tally
from hitogata.sim.substeps import HEAD, TIME
from hitogata.sim.world_data import CONTACT_ROOM, Arrays
from hitogata.sim.world_model import IntArray

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.sleep_state import Sleep


class Awake:
    """The figures of a world that are awake.

    Attributes:
        whole: the world.
        own: their own arrays; those of the world if nobody sleeps.
        boxes: around them.
        sleep: their rest.
        first: body where each of them begins, and where the last one ends.
    """

    def __init__(self, whole: Arrays, sleep: "Sleep") -> None:
        naps, contents = sleep.naps, whole.contents
        self.whole, self.own = whole, whole
        self.sleep = self._all = sleep
        if naps:
            contacts, points = whole.last_contacts()
            members = tuple(m for m in contents.members if m not in naps)
            ties = tuple(tie for tie in contents.ties if tie.ends[0][0] not in naps)
            part = replace(contents, members=members, ties=ties)
            room = max(CONTACT_ROOM, 2 * len(contacts))
            self.own = own = Arrays(part, contact_room=room, scratch=whole.scratch)  # one of both takes steps
            self.sleep = own.sleep or sleep
            self._shapes = shape_numbers(own, whole)
            listed, left = renumbered(contacts, shape_numbers(whole, own), own)
            own.put_contacts(listed, points[left])
            self._asleep = np.delete(contacts, left, 0), np.delete(points, left, 0)
            self._tie_rows = np.array([whole.ties.index[tie] for tie in ties], np.int64)
            patches, left = moved_patches(whole.last_patches(), body_numbers(whole, own))
            own.put_patches(patches)
            self._patches, self._bodies = np.delete(whole.last_patches(), left, 0), body_numbers(own, whole)
            earlier, earlier_points = whole.earlier_contacts()
            earlier, left = renumbered(earlier, shape_numbers(whole, own), own)
            own.put_earlier(earlier, earlier_points[left])
            self._make_runs(list(members), list(naps), sleep)
            self._take_nature()
            copy_runs(whole.sums, own.sums, self._sums)
            hand_over(whole, own)
        spans = self.own.forest.spans
        self.first = np.array([*(span.bodies.start for span in spans), self.own.forest.bodies], np.int64)
        self.boxes = Boxes(self.own)

    # ------------------------------------------------------- who sleeps

    def near(self, h: float) -> "list[Member]":
        """Those asleep that someone awake may come near within a step of h [s]."""
        if self.own is self.whole:
            return []
        self.boxes.look(h)
        fall = float(np.linalg.norm(self.own.forest.fields.gravity))
        found = self.boxes.near(self._sleeping_boxes, self._sleeping, h * h * fall)
        return [self.whole.contents.members[k] for k in found]

    def disturbed(self) -> "list[Member]":
        """Those asleep whose state or control is not what it was when they fell asleep."""
        if self.own is self.whole:
            return []
        state, control = self.whole.state, self.whole.control
        if same_runs(state, self._seen_state, self._still_state) and same_runs(control, self._seen, self._still):
            return []
        return [
            member for member, nap in self._all.naps.items()
            if not np.array_equal(nap.state, part_of(state, self.whole.state_parts_of(member)))
            or not np.array_equal(nap.control, part_of(control, control_parts_of(self.whole, member)))
        ]  # fmt: skip

    def grow(self, more: Arrays) -> Arrays:
        """Go on with arrays that have more room; returns those of the world."""
        if self.own is self.whole:
            return more
        self.own, self.boxes = more, Boxes(more)
        self._take_nature()
        return self.whole

    # ------------------------------------------------------- there and back

    def take(self) -> None:
        """Take state, control, springs and ropes from the world."""
        whole, own = self.whole, self.own
        if own is whole or not own.index:
            return
        copy_runs(whole.state, own.state, self._state)
        copy_runs(whole.start, own.before, self._state)
        own.counts[PIECES] = 1
        copy_runs(whole.control, own.control, self._control)
        own.control[own.forest.control.part("pulled")] = 0.0
        if whole.control[whole.forest.control.part("pulled")] > 0.0:
            own.note_pulls()
        own.state[own.last_step] = whole.state[whole.last_step]
        own.ties.numbers.reshape(-1, self._tie_size)[:-1] = self._tie_numbers()[self._tie_rows]
        own.tally[:] = whole.tally
        copy_tally(whole, own)
        self.sleep.rest[:] = self._all.rest[self._numbers]
        copy_runs(self._all.told, self.sleep.told, self._control)

    def hand_back(self) -> None:
        """Hand back what steps changed; contacts and patches are read where they are."""
        whole, own = self.whole, self.own
        if own is whole or not own.index:
            return
        copy_runs(own.state, whole.state, self._state_back)
        copy_runs(own.start, whole.before, self._state_back)
        copy_runs(own.start, whole.piece, self._state_back)
        whole.state[whole.last_step] = own.state[own.last_step]
        self._tie_numbers()[self._tie_rows] = own.ties.numbers.reshape(-1, self._tie_size)[:-1]
        whole.tally[:] = own.tally
        copy_runs(own.sums, whole.sums, self._sums_back)
        copy_tally(own, whole)
        self._all.rest[self._numbers] = self.sleep.rest
        copy_runs(self.sleep.told, self._all.told, self._control_back)

    def _tie_numbers(self) -> FloatArray:
        numbers: FloatArray = self.whole.ties.numbers.reshape(-1, self._tie_size)
        return numbers

    def all_contacts(self) -> tuple[IntArray, FloatArray]:
        """Contacts of the last step, and of those asleep, of the last that they took."""
        listed, points = self.own.last_contacts()
        ours, _ = renumbered(listed, self._shapes, self.whole)
        contacts = np.concatenate([self._asleep[0], ours])
        order = np.argsort(contacts[:, record_offsets(Contact)["pair"]], kind="stable")
        return contacts[order], np.concatenate([self._asleep[1], points])[order]

    def all_earlier(self) -> tuple[IntArray, FloatArray]:
        """Contacts of the earlier pieces of the last step, of those awake."""
        listed, points = self.own.earlier_contacts()
        contacts, _ = renumbered(listed, self._shapes, self.whole)
        order = np.argsort(contacts[:, record_offsets(Contact)["pair"]], kind="stable")
        return contacts[order], points[order]

    def all_patches(self) -> FloatArray:
        """Patches of the last step, and of those asleep, of the last that they took."""
        ours, _ = moved_patches(self.own.last_patches(), self._bodies)
        return np.concatenate([self._patches, ours])

    # ------------------------------------------------------- where things stand

    def _make_runs(self, members: "Sequence[Member]", sleepers: "Sequence[Member]", sleep: "Sleep") -> None:
        whole, own = self.whole, self.own
        self._tie_size = len(whole.ties.numbers) // (len(whole.ties.index) + 1)
        self._numbers = np.array([whole.index[m] for m in members], np.int64)
        both = list(stretches(whole, own))
        self._state = runs((state_parts(whole.forest, a), state_parts(own.forest, b)) for a, b in both)
        self._control = runs((control_parts(whole.forest, a), control_parts(own.forest, b)) for a, b in both)
        self._state_back, self._control_back = self._state[:, [1, 0, 2]].copy(), self._control[:, [1, 0, 2]].copy()
        time = (slice(TIME, HEAD),)
        self._sums = runs([(time, time), *((earlier_parts(whole.forest, a), earlier_parts(own.forest, b))
                                           for a, b in both)])  # fmt: skip
        self._sums_back = self._sums[:, [1, 0, 2]].copy()
        still = [whole.span_of(member) for member in sleepers]
        self._still_state = runs((state_parts(whole.forest, span),) * 2 for span in still)
        self._still = runs((control_parts(whole.forest, span),) * 2 for span in still)
        self._seen_state, self._seen = np.zeros_like(whole.state), np.zeros_like(whole.control)
        for member, nap in sleep.naps.items():
            put_part(self._seen_state, whole.state_parts_of(member), nap.state)
            put_part(self._seen, control_parts_of(whole, member), nap.control)
        self._sleeping = np.array(sorted(whole.index[m] for m in sleepers), np.int64)
        self._sleeping_boxes = Boxes(whole)
        self._sleeping_boxes.look(0.0)

    def _take_nature(self) -> None:
        """Masses, limits, friction and gravity may be the world's own (`WorldBatch.world`)."""
        whole, own = self.whole, self.own
        own.law[:] = whole.law
        ours, theirs, bodies = own.forest.fields, whole.forest.fields, self._bodies[:-1]
        ours.gravity[:] = theirs.gravity
        for name in ("body", "limit"):
            getattr(ours, name).rows[:] = getattr(theirs, name).rows[bodies]
        own.forest.solids[:] = whole.forest.solids[bodies]
        size = record_size(ShapeFloats)
        skins, all_skins = (
            x.shapes.floats[SHAPE_HEADER : SHAPE_HEADER + x.shapes.count * size].reshape(-1, size) for x in (own, whole)
        )
        skins[:] = all_skins[self._shapes]


def control_parts_of(arrays: Arrays, member: "Member") -> tuple[slice, ...]:
    """Where in the control stands all that belongs to a figure."""
    return control_parts(arrays.forest, arrays.span_of(member))


def runs(pairs: Any) -> IntArray:
    """Rows (begin there, begin here, count) for pairs of parts, neighbours together; see `rest_time.copy_runs`."""
    rows = sorted(
        (there.start, here.start, there.stop - there.start)
        for two in pairs for there, here in zip(*two, strict=True) if there.stop > there.start
    )  # fmt: skip
    joined: list[list[int]] = []
    for begin, to, count in rows:
        if joined and (begin, to) == (joined[-1][0] + joined[-1][2], joined[-1][1] + joined[-1][2]):
            joined[-1][2] += count
        else:
            joined.append([begin, to, count])
    return np.array(joined, np.int64).reshape(-1, 3)
