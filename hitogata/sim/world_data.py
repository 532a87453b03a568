"""The flat arrays of a world: laid out for what is in it, handed to the kernels, and read back as views."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hitogata.contact.collision_geometry import coat_of
from hitogata.contact.layout import Contact, ContactPoint, ShapePlace
from hitogata.contact.narrowphase_all_shapes import SPARE_ANY
from hitogata.contact.shapes import Surface
from hitogata.contact.sweep_and_prune import Swept
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.figure.pose import FloatArray
from hitogata.lanes import aligned_zeros, record_size
from hitogata.loops.contacts.layout import REPORT
from hitogata.sim.contact_lists import LISTS
from hitogata.sim.contact_log import CLOCK
from hitogata.sim.coordinates import ContactMethod, Coordinates
from hitogata.sim.events import hand_over, new_log
from hitogata.sim.failure import describe_failure
from hitogata.sim.impacts import scratch_size
from hitogata.sim.layout import (
    CAPACITY,
    CONTACTS,
    COUNTS,
    EARLIER,
    EARLIER_HALF,
    FOUND,
    LAST_LIST,
    PIECES,
    TIES,
    Motor,
    Pull,
)
from hitogata.sim.loose_bodies import begin_loose, take_apart, take_loose_steps
from hitogata.sim.pair_list import PAIRS, ROOM, gather_shapes, list_pairs, list_surfaces
from hitogata.sim.parts import Earlier, control_parts, earlier_in, effort_limits, put_part, state_parts
from hitogata.sim.settings import Settings
from hitogata.sim.sleep_state import Nap, Sleep
from hitogata.sim.snapshot import fingerprint
from hitogata.sim.solver_tally import copy_tally
from hitogata.sim.states.layout import Room
from hitogata.sim.step_entries import begin, tell_velocities
from hitogata.sim.step_variants import VARIANTS, Steps
from hitogata.sim.substeps import TIME, PointSums, sums_size
from hitogata.sim.tables import StepTable
from hitogata.sim.ties import Tie, TieArrays
from hitogata.sim.world_model import IntArray, Span, make_forest, stretch, with_ranges

if TYPE_CHECKING:
    from hitogata.sim.awake import Awake
    from hitogata.sim.members import Member

NO_TIMES = np.zeros(0, np.int64)
"""Places for times of steps that are not measured."""

CONTACT_ROOM, SPARE_TIES, SPARE_SCRATCH = 256, 32, 1 << 20
"""Room for contact points, and for springs and ropes to come, at first; a world makes more when it must."""

POINTS_PER_SHAPE = 4
"""There is room for as many contact points from the beginning: figures that fall on a heap have two to three.  Memory
that is not written costs nothing; a step that lacks room is taken again, behind arrays laid out anew."""


@dataclass(frozen=True)
class Contents:
    """What is in a world: what its arrays are laid out for.

    Attributes:
        gravity: acceleration of gravity, world axes [m/s²].
        settings: how steps are solved.
        coordinates: unknowns of a step.
        members: figures, in the order in which they came.
        fixed: shapes that never move.
        ties: springs and ropes.
    """

    gravity: tuple[float, float, float]
    settings: Settings
    coordinates: Coordinates
    members: "tuple[Member, ...]" = ()
    fixed: tuple[Surface, ...] = ()
    ties: tuple[Tie, ...] = ()


class Controls(NamedTuple):
    """Views of what the user sets of one figure."""

    target: FloatArray  # (nq,)
    rate: FloatArray  # (nv,)
    push: FloatArray  # (nv,)
    motor: FloatArray  # (bodies, numbers of a `Motor`)
    pull: FloatArray  # (bodies, numbers of a `Pull`)


def usual_room(contents: Contents) -> int:
    """For how many contact points there is room at first."""
    shapes = len(contents.fixed) + sum(len(coat_of(member.figure).rows) for member in contents.members)
    return max(CONTACT_ROOM, POINTS_PER_SHAPE * shapes)


def refuse_coupled(figures: Sequence[Figure]) -> None:
    """In maximal coordinates there are no rows over several joints."""
    for figure in figures:
        if figure.coupled:
            raise ArgumentError(
                f"figure {figure.name!r} has ranges over several joints ({figure.coupled[0].name}): "
                "they need a world in reduced coordinates"
            )


class Arrays:
    """All numbers of a world, in the order that `layout` tells.

    When something comes or goes a world makes new ones, see `relayout`.

    Attributes:
        contents: what they are laid out for.
        index: number of each figure.
        forest: all figures side by side.
        loose: all their links side by side; None in reduced coordinates.
        shapes: all shapes, as kernels read them; `pairs`: see `pair_list`.
        law: see `Settings.numbers`.
        state: what steps change; `before`: the same before the last step; `piece`: before its last piece.
        control: what the user sets.
        ties: springs and ropes.
        contacts: whose the contact points are; `points`: where; both in lists, see `contact_lists`.
        sums, earlier, earlier_points: what the earlier substeps of the last step did, see `substeps`.
        log: contact events, see `events`.
        counts: see `layout`.
        work, work_ints: scratch, `scratch` with room to spare; `states`, `states_ints`: that of contact by states,
            which begins with its tally.
        unread: figures whose forces of the last step are not known, because they were not there, or elsewhere.
        sleep: who rests, who sleeps; None in worlds without sleep.
        awake: those who take the steps; None: not yet known, or without sleep.
        failure: what became non-finite in a step that failed; see `failure`.
    """

    def __init__(
        self, contents: Contents, *, contact_room: int = 0, pair_room: int = 0, scratch: FloatArray | None = None
    ) -> None:
        """All at rest in their neutral poses.

        Args:
            contents: what they are laid out for.
            contact_room: for contact points, if more than the usual.
            pair_room: for pairs of shapes; 0: the usual.
            scratch: memory to use on, of arrays that these come instead of: megabytes that need not be cleared.
        """
        figures, settings = [m.figure for m in contents.members], contents.settings
        self.contents, self.contact_room = contents, max(contact_room, usual_room(contents))
        self.index = {member: k for k, member in enumerate(contents.members)}
        self.tie_room = len(contents.ties) + SPARE_TIES
        points = self.contact_room + self.tie_room
        self.forest = solved = make_forest(figures, contents.gravity, points)
        self.loose, size = None, self.forest.state.floats
        if contents.coordinates is Coordinates.MAXIMAL:
            refuse_coupled(figures)
            self.loose = take_apart(figures, self.forest, contents.gravity, points)
            solved, size = self.loose.forest, self.loose.state_size
        loose_body = None if self.loose is None else self.loose.body_of
        self.shapes = gather_shapes(contents.fixed, contents.members, contents.ties, self.forest, loose_body)
        self.pair_room = max(pair_room, 8 * self.shapes.count)
        self.pairs = list_pairs(self.shapes, self.pair_room)
        self.law = settings.numbers(contents.gravity)
        if self.loose is not None:
            self.law[1] = 0.0  # bodies are let go one by one: their curves are not known
        self.state, self.before, self.piece = np.zeros(size), np.zeros(size), np.zeros(size)
        self.state[self.last_step][0] = np.inf  # there was none
        self._velocities = state_parts(self.forest, stretch(self.forest.spans)).told
        self.state[self._velocities] = 1.0
        self.control = self.forest.control.new_floats()
        controls = self.controls_in(stretch(self.forest.spans))
        controls.target[:] = np.concatenate([np.zeros(0), *(m.figure.neutral() for m in contents.members)])
        controls.motor[:, 2:4] = settings.range_stiffness, settings.range_damping
        controls.motor[:, 4] = np.concatenate([np.zeros(0), *(effort_limits(m.figure) for m in contents.members)])
        extra = self.shapes.count * (record_size(ShapePlace) + record_size(Swept)) + 64
        extra += scratch_size(solved.bodies) + SPARE_ANY  # all kinds of shapes: measured steps know no others
        size = solved.work.floats
        if scratch is None or len(scratch) < size:
            scratch = aligned_zeros(size + min(size // 8, SPARE_SCRATCH))
        self.scratch = scratch
        self.work, self.work_ints = self.scratch[:size], solved.work.new_ints()
        self._solved, self.spare = solved, np.zeros(extra)
        self.contacts = np.zeros(LISTS * self.contact_room * record_size(Contact), np.int64)
        self.points = np.zeros(LISTS * self.contact_room * record_size(ContactPoint))
        self.sums = np.zeros(sums_size(self.forest.nv, self.forest.bodies))
        self._scratch = np.zeros(12 * self.forest.bodies)
        self.earlier = np.zeros(2 * self.contact_room * record_size(Contact), np.int64)
        self.earlier_points = np.zeros(2 * self.contact_room * record_size(PointSums))
        self.log, self.logs = new_log(settings.contact_events, self.contact_room), settings.contact_events > 0
        self.stated = settings.contacts is ContactMethod.STATES
        self.states, self.states_ints = np.zeros(0), np.zeros(0, np.int64)
        self._states = Room.layout(points=points, width=solved.model.width)
        if self.stated:
            self.states, self.states_ints = self._states.new_floats(), self._states.new_ints()
        self.counts = np.zeros(COUNTS, np.int64)
        self.counts[CAPACITY], self.counts[PIECES] = self.contact_room, 1
        self.unread: set[Member] = set()
        self.sleep = Sleep.none(len(figures), self.control) if settings.sleeps else None
        self.awake: Awake | None = None
        self.ties = TieArrays((), self)
        self._take: Any = None
        self.failure = ""
        self.change_ties(contents)

    def change_ties(self, contents: Contents) -> None:
        """Other springs and ropes, no more than there is room for; those that were there keep their impulses."""
        old, self.contents = self.ties, contents
        self.ties = TieArrays(contents.ties, self)
        self.ties.take_over(old)
        self.counts[TIES] = len(contents.ties)
        self._print: bytes | None = None
        self._hot: tuple[Any, ...] | None = None

    def change_ranges(self) -> None:
        """Figures have other ranges of motion, and differ in nothing else from those that were."""
        self.forest = with_ranges(self.forest, [member.figure for member in self.contents.members])
        self._print = self._hot = None
        if self.sleep is not None:
            self.sleep.rest[:] = 0.0

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: addresses, compiled code and scratch are of no use to them."""
        return {**self.__dict__, "_hot": None, "_take": None, "scratch": None, "work": None,
                "work_ints": None, "spare": len(self.spare)}  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.work = self.scratch = self._solved.work.new_floats()
        self.work_ints = self._solved.work.new_ints()
        self.spare = np.zeros(state["spare"])

    @cached_property
    def surfaces(self) -> list[Surface]:
        """All shapes, as given."""
        loose_body = None if self.loose is None else self.loose.body_of
        return list_surfaces(self.contents.fixed, self.contents.members, self.forest, loose_body)

    # ------------------------------------------------------- one figure's part

    def span_of(self, member: "Member") -> Span:
        """Where a figure stands in the forest."""
        return self.forest.spans[self.index[member]]

    def q_of(self, member: "Member", state: FloatArray | None = None) -> FloatArray:
        """Coordinates of a figure, a view, shape (nq,); None: of the state there is."""
        return (self.state if state is None else state)[self.span_of(member).q]

    def v_of(self, member: "Member") -> FloatArray:
        """Velocities of a figure, a view, shape (nv,)."""
        self.tell()
        part, nq = self.span_of(member).v, self.forest.nq
        return self.state[nq + part.start : nq + part.stop]

    def tell(self) -> None:
        """Find the velocities at the end of the last step, if nobody asked for them yet."""
        if self.loose is None and not self.state[self._velocities].all():
            tell_velocities(self.forest.ints, self.forest.floats, self.state, self.work, self.law)

    def state_parts_of(self, member: "Member") -> tuple[slice, ...]:
        """Where in the state stands all that belongs to a figure: q, v, and what its bodies carry along."""
        return self.state_parts_in(self.span_of(member))

    def state_parts_in(self, span: Span) -> tuple[slice, ...]:
        """The same of what stands in a part of the forest."""
        parts = state_parts(self.forest, span)
        return parts if self.loose is None else (*parts, *self.loose.parts_of(span.links))

    def controls_of(self, member: "Member") -> Controls:
        """What the user sets of a figure, as views."""
        return self.controls_in(self.span_of(member))

    def controls_in(self, span: Span) -> Controls:
        """The same of what stands in a part of the forest."""
        parts = control_parts(self.forest, span)
        target, rate, push, motor, pull = (self.control[part] for part in parts)
        return Controls(target, rate, push, motor.reshape(-1, record_size(Motor)), pull.reshape(-1, record_size(Pull)))

    def note_pulls(self) -> None:
        """Tell the kernels whether anything is pulled."""
        control = self.forest.control.open(self.control)
        control.pulled[0] = control.pull.force.any() or control.pull.torque.any()

    def set_states(self, states: "Mapping[Member, State]") -> None:
        """Put some figures elsewhere; the others keep what they carry along."""
        fresh = self.state.copy()
        for member, state in states.items():
            parts = self.state_parts_of(member)
            fresh[state_parts(self.forest, self.span_of(member)).motor] = 0.0
            fresh[parts[0]], fresh[parts[1]] = member.figure.normalised(np.asarray(state.q, float)), state.v
        if self.loose is None:
            begin(self.forest.ints, self.forest.floats, fresh, self.work)
        for member in states:
            if self.loose is not None:
                begin_loose(self.forest, self.loose, fresh, self.span_of(member))
            for part in self.state_parts_of(member):
                self.state[part] = fresh[part]
            self.unread.add(member)

    # ------------------------------------------------------- time

    def take_steps(self, h: float, steps: int, times: IntArray | None = None, now: float = 0.0) -> int:
        """Steps of h [s]; returns how many were taken before one failed, see `step_back`.

        now: time when the first begins [s], for contact events.
        times: if given, ticks that the parts of the steps took are added to them, see `step_clock`.
        """
        if self.logs:
            self.log.numbers[CLOCK] = now
        if self._hot is None:  # what every step needs, collected once
            settings, table = self.contents.settings, StepTable.of(**self._named())
            self._take = VARIANTS[Steps.STATES if self.stated else Steps.SWEEPS]
            self._hot = table, settings.longest_fast_step, settings.fast_turn, settings.sweeps
        if self.loose is not None:
            return take_loose_steps(self, self.loose, self._hot, h, steps)
        if times is None and self.shapes.plain:
            done: int = self._take[0](*self._hot, h, steps)
        else:
            done = self._take[1](*self._hot, h, steps, NO_TIMES if times is None else times)
        return done

    def _named(self) -> dict[str, Any]:
        """All arrays, as a `StepTable` names them."""
        none, no_ints = np.zeros(0), np.zeros(0, np.int64)
        loose = self.loose
        return {
            "ints": self.forest.ints, "floats": self.forest.floats, "tie_ints": self.ties.ints,
            "shape_ints": self.shapes.ints, "shape_floats": self.shapes.floats, "pairs": self.pairs, "law": self.law,
            "control": self.control, "state": self.state, "before": self.before, "piece_before": self.piece,
            "ties": self.ties.numbers, "old_ties": self.ties.before, "piece_ties": self.ties.piece,
            "contacts": self.contacts, "points": self.points, "counts": self.counts, "work": self.work,
            "work_ints": self.work_ints, "spare": self.spare, "states": self.states, "states_ints": self.states_ints,
            "sums": self.sums, "earlier": self.earlier, "earlier_points": self.earlier_points, "log": self.log.ints,
            "log_numbers": self.log.numbers, "told_scratch": self._scratch,
            "loose_ints": no_ints if loose is None else loose.forest.ints,
            "loose_floats": none if loose is None else loose.forest.floats,
            "outside": none if loose is None else loose.outside,
            "link_work": none if loose is None else loose.work,
            "link_ints": no_ints if loose is None else loose.work_ints,
        }  # fmt: skip

    @property
    def work_tally(self) -> IntArray:
        """Numbers of an `envelope.SolverCounts`, a view."""
        rows = self._solved.work.inner("rows").inner("envelope")
        tally: IntArray = rows.field("tally", self.work_ints[: rows.ints]).rows
        return tally

    def step_back(self) -> "Arrays | None":
        """After a step failed: where it began.  If it lacked room, arrays with more of it; if not, None."""
        found, pairs = int(self.counts[FOUND]), int(self.pairs[PAIRS])
        pairs_lost = pairs > self.pairs[ROOM]
        lost = found > self.contact_room or pairs_lost
        if not lost:
            self.failure = describe_failure(self)
        np.copyto(self.state, self.before)
        np.copyto(self.ties.numbers, self.ties.before)
        if not lost:
            return None
        return self.with_room(max(2 * found, self.contact_room), 2 * pairs if pairs_lost else self.pair_room)

    def with_room(self, contacts: int, pairs: int | None = None) -> "Arrays":
        """The same world, with room for so many contact points and pairs."""
        new = Arrays(self.contents, contact_room=contacts, pair_room=self.pair_room if pairs is None else pairs,
                     scratch=self.scratch)  # fmt: skip
        new.state[:], new.control[:], new.ties.numbers[:] = self.state, self.control, self.ties.numbers
        new.forest.floats[:], new.shapes.floats[:], new.law[:] = self.forest.floats, self.shapes.floats, self.law
        new.before[:] = new.piece[:] = self.start
        new.unread, new.sleep = self.unread, self.sleep
        new.tally[:] = self.tally
        copy_tally(self, new)
        new.put_patches(self.last_patches())
        earlier = self.earlier_contacts()
        new.put_contacts(*self.last_contacts())
        new.sums[:] = self.sums
        new.put_earlier(*earlier)
        hand_over(self, new)
        return new

    # ------------------------------------------------------- the last step

    @property
    def last_step(self) -> slice:
        """Where in the state stands what is known of the last step: its length, what was left to mend."""
        return self.forest.state.part("last")

    @property
    def last_h(self) -> float:
        """Length of the last step, or of its last piece [s]; infinite if there was none."""
        return float(self.state[self.forest.state.part("last").start])

    @property
    def start(self) -> FloatArray:
        """The state before the last step, or before its last piece."""
        return self.piece if self.counts[PIECES] > 1 else self.before

    @property
    def step_h(self) -> float:
        """Length of the last step [s]; infinite if there was none."""
        return float(self.sums[TIME]) + self.last_h

    def nap_of(self, member: "Member") -> "Nap | None":
        """How a figure fell asleep; None: it is awake."""
        return None if self.sleep is None else self.sleep.naps.get(member)

    def h_of(self, member: "Member") -> float:
        """Length of the last step that a figure took [s]; asleep, of that step's last piece."""
        nap = self.nap_of(member)
        return self.step_h if nap is None else nap.h

    def piece_h_of(self, member: "Member") -> float:
        """Length of the last piece of the last step that a figure took [s]."""
        nap = self.nap_of(member)
        return self.last_h if nap is None else nap.h

    def earlier_of(self, member: "Member") -> Earlier:
        """What a figure's motors, limits and joints did in the earlier pieces of the last step; asleep: nothing."""
        return earlier_in(self.sums, self.forest, self.span_of(member), self.nap_of(member) is None)

    def end_of(self, member: "Member") -> FloatArray:
        """The state in which the last step that a figure took left it; of others, what there is now."""
        nap = self.nap_of(member)
        if nap is None:
            return self.state
        state = self.state.copy()
        put_part(state, self.state_parts_of(member), nap.end)
        return state

    def last_contacts(self) -> tuple[np.ndarray[Any, Any], FloatArray]:
        """Whose the contacts of the last step were, and where: views of what the step wrote.

        Of figures asleep, those of the last step that they took; then they are copies.
        """
        if self.awake is not None and self.awake.own is not self:
            return self.awake.all_contacts()
        which, count = int(self.counts[LAST_LIST]), int(self.counts[CONTACTS])
        return (
            self.contacts.reshape(LISTS, self.contact_room, -1)[which, :count],
            self.points.reshape(LISTS, self.contact_room, -1)[which, :count],
        )

    def earlier_contacts(self) -> tuple[np.ndarray[Any, Any], FloatArray]:
        """Whose the contacts of the earlier pieces of the last step were, and what they did (`PointSums`): views, or
        copies if somebody sleeps."""
        if self.awake is not None and self.awake.own is not self:
            return self.awake.all_earlier()
        half, count = int(self.counts[EARLIER_HALF]), int(self.counts[EARLIER])
        return (
            self.earlier.reshape(2, self.contact_room, -1)[half, :count],
            self.earlier_points.reshape(2, self.contact_room, -1)[half, :count],
        )

    def put_earlier(self, contacts: IntArray, points: FloatArray) -> None:
        """Take these for the contacts of the earlier pieces of the last step, as many as there is room for."""
        self.counts[EARLIER] = min(len(contacts), self.contact_room)
        for array, values in zip(self.earlier_contacts(), (contacts, points), strict=True):
            array[:] = values[: len(array)]

    def put_contacts(self, contacts: IntArray, points: FloatArray) -> None:
        """Take these for the contacts of the last step; there must be room."""
        self.awake = None
        self.counts[CONTACTS] = len(contacts)
        for array, values in zip(self.last_contacts(), (contacts, points), strict=True):
            array[:] = values

    def last_patches(self) -> FloatArray:
        """What contact by states reported of the last step, shape (patches, REPORT)."""
        if self.awake is not None and self.awake.own is not self:
            return self.awake.all_patches()
        if not self.stated:
            return np.zeros((0, REPORT))
        count = int(self._states.field("patches", self.states))
        rows: FloatArray = self._states.field("report", self.states).rows[:count]
        return rows

    @property
    def tally(self) -> FloatArray:
        """Numbers of a `states.layout.Tally`, a view."""
        return self.states[self._states.place("tally").part]

    def put_patches(self, patches: FloatArray) -> None:
        """Take these for the report of the last step; there must be room."""
        if self.stated:
            self._states.field("patches", self.states)[...] = len(patches)
            self.last_patches()[:] = patches

    def fingerprint(self) -> bytes:
        """What tells worlds apart whose arrays are not for each other."""
        if self._print is None:
            self._print = fingerprint(
                self.contents.coordinates, self.forest, self.shapes, self.ties.numbers, self.ties.ints
            )
        return self._print
