"""World: figures, loose bodies and the ground, moving together."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.constraints.springs import Tie as TieRecord
from hitogata.constraints.springs import TieInts
from hitogata.contact.boxes import SPARE
from hitogata.contact.layout import Contact, ContactPoint, ShapePlace
from hitogata.contact.shapes import ALL, Surface, compile_shapes, joined_bodies, surfaces_of
from hitogata.contact.sweeping import Swept
from hitogata.dynamics.jacobians import frame_in_body
from hitogata.dynamics.layout import GRAVITY, model_of
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure, FigureBuilder, Plane, Pose, Shape, State, joint
from hitogata.figure.pose import FloatArray
from hitogata.lanes import address_table, record_offsets, record_size
from hitogata.sim.changing import control_parts, renumbered, state_parts
from hitogata.sim.checking import figure_of, number, numbers, pairs_of_links, state_of, whole
from hitogata.sim.coordinates import Coordinates
from hitogata.sim.forest import Forest, make_forest
from hitogata.sim.layout import Motor
from hitogata.sim.loose import Loose, begin_loose, bodies_of_links, take_apart, take_loose_steps
from hitogata.sim.members import Member
from hitogata.sim.pairing import MANY, PAIRS, ROOM, list_pairs
from hitogata.sim.reading import ContactForce, contact_forces
from hitogata.sim.recording import Recording
from hitogata.sim.running import begin, take_steps
from hitogata.sim.saving import Snapshot, fingerprint
from hitogata.sim.settings import Settings
from hitogata.sim.ties import End, Tie, on_link

CONTACTS, SPARE_TIES = 256, 32
"""Room for contact points and for more springs and ropes, at first; a world makes more when it must."""

LONGEST = 100.0
"""Longest step [s]."""

MOTOR = record_size(Motor)


class WorldError(HitogataError):
    """A world became non-finite and stopped in its last good state, which `snapshot` holds."""

    def __init__(self, message: str, snapshot: Snapshot) -> None:
        super().__init__(message)
        self.snapshot = snapshot


class World:
    """Figures, loose bodies and fixed shapes.

    Args:
        gravity: acceleration of gravity, world axes [m/s²].
        settings: how steps are solved.
        coordinates: unknowns of a step.

    Example:
        >>> from hitogata.library import human28
        >>> from hitogata.sim import World
        >>> world = World()
        >>> world.add_ground()
        >>> human = world.add(human28())
        >>> human.set_motor(2000.0, 30.0)
        >>> world.step(1 / 60)
    """

    def __init__(
        self, *, gravity: tuple[float, float, float] = GRAVITY, settings: Settings | None = None,
        coordinates: Coordinates = Coordinates.REDUCED,
    ) -> None:  # fmt: skip
        if not isinstance(coordinates, Coordinates):
            raise ArgumentError(f"coordinates: must be a Coordinates, got {coordinates!r}")
        if not isinstance(settings, Settings | None):
            raise ArgumentError(f"settings: expected Settings, got {settings!r}")
        x, y, z = numbers(gravity, 3, "gravity").tolist()
        self.gravity, self.settings, self.time = (x, y, z), settings or Settings(), 0.0
        self.coordinates = coordinates
        self._loose: Loose | None = None
        self.members: list[Member] = []
        self.ties: list[Tie] = []
        self._law, self._law_h = self.settings.numbers(self.gravity), math.nan
        self._fixed: list[Surface] = []
        self._recordings: list[Recording] = []
        self._capacity, self._pair_room = CONTACTS, 0
        self._print: bytes | None = None
        self._unread: set[Member] = set()  # whose forces of the last step are not known
        self._surfaces: list[Surface] = []
        self._shapes = compile_shapes([])
        self._laid_ties: list[Tie] = []
        self._ties: FloatArray = np.zeros(0)
        self._hot: tuple[Any, ...] | None = None  # what every step needs, collected once
        self._held: tuple[Any, ...] = ()  # keeps the arrays of its address table alive
        self._lay_out()
        self._compile([], [])

    # ------------------------------------------------------- what is in it

    def add(
        self, figure: Figure, state: State | None = None, *, friction: float = 0.8, restitution: float = 0.0,
        group: int = 1, mask: int = ALL, ignored: Iterable[tuple[str, str]] = (),
    ) -> Member:  # fmt: skip
        """Put a figure into the world, at rest in its neutral pose unless a state is given.

        Args:
            figure: what to add.
            state: where, and how it moves.
            friction: coefficient of its surface; two surfaces in touch have the geometric mean of theirs.
            restitution: coefficient; the greater of the two counts.
            group: bits: the groups it belongs to.
            mask: bits: the groups it may touch.  Both must agree; a figure whose mask leaves out its own group does not
                touch itself.
            ignored: pairs of its links that never touch; links that a joint connects never do.
        """
        figure = figure_of(figure)
        state = State.rest(figure) if state is None else state_of(figure, state)
        member = Member(
            self, figure, number(friction, "friction"), number(restitution, "restitution"),
            whole(group, "group", most=ALL), whole(mask, "mask", most=ALL), pairs_of_links(figure, ignored),
        )  # fmt: skip
        self._compile([*self.members, member], [(member, state)])
        member.set_target(state.q)
        return member

    def add_body(
        self, shapes: Shape | Sequence[Shape], *, mass: float | None = None, density: float | None = None,
        pose: Pose | None = None, name: str = "body", friction: float = 0.8, restitution: float = 0.0, group: int = 1,
        mask: int = ALL,
    ) -> Member:  # fmt: skip
        """Put a loose rigid body into the world."""
        parts = [shapes] if isinstance(shapes, Shape) else shapes
        if not isinstance(parts, Sequence) or not all(isinstance(part, Shape) for part in parts):
            raise ArgumentError(f"shapes: expected a Shape or a list of them, got {shapes!r}")
        if not isinstance(pose, Pose | None):
            raise ArgumentError(f"pose: expected a Pose, got {pose!r}")
        builder = FigureBuilder(name)
        builder.add(name, None, joint.free(), shapes=parts, density=density, total_mass=mass)
        figure = builder.build()
        at = pose or Pose()
        return self.add(
            figure, State(np.array([*at.position, *at.quat]), np.zeros(6)), friction=friction, restitution=restitution,
            group=group, mask=mask,
        )  # fmt: skip

    def add_ground(self, shape: Shape | None = None, *, friction: float = 0.8, restitution: float = 0.0) -> None:
        """Fix a shape to the world; None: the plane z = 0."""
        friction, restitution = number(friction, "friction"), number(restitution, "restitution")
        surface = Surface(Plane() if shape is None else shape, friction=friction, restitution=restitution)
        compile_shapes([surface])  # may refuse: nothing has changed yet
        self._fixed.append(surface)
        self._compile(self.members, [])

    def add_spring(self, a: End, b: End, *, stiffness: float, damping: float) -> Tie:
        """Pull two points together: K times their distance, D times its rate, stable for any K, D and step.

        Args:
            a: (figure in this world, name of a link or frame).
            b: the same, or a point of the world [m], shape (3,).
            stiffness: K [N/m].
            damping: D [N s/m].
        """
        return self._add_tie((a, b), stiffness, damping, None)

    def add_rope(self, a: End, b: End, *, length: float, stiffness: float = 1e6, damping: float = 1e4) -> Tie:
        """Keep two points within a length [m] of each other; slack, it does nothing."""
        return self._add_tie((a, b), stiffness, damping, number(length, "length", positive=True))

    def _add_tie(self, ends: tuple[End, End], stiffness: float, damping: float, length: float | None) -> Tie:
        stiffness, damping = number(stiffness, "stiffness"), number(damping, "damping")
        if stiffness + damping == 0:
            raise ArgumentError("stiffness, damping: a spring or rope needs one of them, got 0 and 0")
        if not on_link(ends[0]):
            raise ArgumentError(f"a: the first end must be (figure in this world, frame), got {ends[0]!r}")
        for name, end in zip("ab", ends, strict=True):
            if on_link(end):
                self._check_own(end[0], name)
                end[0].figure.frame(end[1])
            else:
                numbers(end, 3, f"{name}: neither (figure, frame) nor a point of the world [m]")
        tie = Tie(self, ends, stiffness, damping, length)
        self.ties.append(tie)
        if len(self.ties) > self._most_ties:
            self._compile(self.members, [])
        self._lay_out_ties()
        return tie

    def remove_tie(self, tie: Tie) -> None:
        """Take a spring or rope out of the world."""
        if not isinstance(tie, Tie) or tie.world is not self:
            raise ArgumentError(f"tie: expected a spring or rope of this world, got {tie!r}")
        del self.ties[tie._index]
        self._lay_out_ties()

    def _lay_out_ties(self) -> None:
        """Arrays of the ties as they are; those that were there keep what they know of the last step."""
        size, at = record_size(TieRecord), record_offsets(TieRecord)["impulse"]
        impulses = {tie: self._ties[k * size + at : (k + 1) * size] for k, tie in enumerate(self._laid_ties)}
        floats, ints = [], []
        for tie in self.ties:
            (body_a, point_a), (body_b, point_b) = (self._place_end(end) for end in tie.ends)
            length, impulse = tie.length or 0.0, impulses.get(tie, np.zeros(4))
            floats.append(np.array([*point_a, *point_b, tie.stiffness, tie.damping, length, *impulse]))
            ints.append(np.array([tie.length is not None, body_a, body_b], np.int64))
        self._ties = np.concatenate([*floats, np.zeros(size)])
        self._tie_ints = np.concatenate([*ints, np.zeros(record_size(TieInts), np.int64)])
        self._laid_ties = list(self.ties)
        self._old_ties, self._piece_ties, self._hot = self._ties.copy(), self._ties.copy(), None
        self._counts[0], self._print = len(self.ties), None

    def _place_end(self, end: End) -> tuple[int, FloatArray]:
        """Body in the forest and point in its frame; -1 and the point itself for the world."""
        if not on_link(end):
            return -1, np.asarray(end, float)
        member, frame = end
        body, x, y, z = frame_in_body(member.figure, model_of(member.figure), frame, None)
        body += self._forest.spans[member._index].bodies.start
        return body if self._loose is None else self._loose.body_of[body], np.array([x, y, z])

    def remove(self, member: Member) -> None:
        """Take a figure out of the world; its handle is no longer of use, and its springs and ropes go with it."""
        self._check_own(member, "member")
        index = member._index
        self._compile([m for k, m in enumerate(self.members) if k != index], [])

    def _check_own(self, member: Any, name: str) -> None:
        """Raise ArgumentError unless this is a figure in this world."""
        if not isinstance(member, Member):
            raise ArgumentError(f"{name}: expected a figure in this world, as `World.add` returns it, got {member!r}")
        if member.world is not self:
            raise ArgumentError(f"{name}: figure {member.figure.name!r} is in another world")
        _ = member._index  # it may have been removed

    def _compile(self, members: list[Member], new: list[tuple[Member, State]]) -> None:
        """Lay out all arrays anew, and carry over what was there."""
        kept = [(m, self._taken_along(k)) for k, m in enumerate(self.members) if m in members]
        forest, surfaces, joined = self._plan(members)
        if self.coordinates is Coordinates.MAXIMAL:
            body_of = bodies_of_links(forest)
            surfaces = [s if s.body < 0 else replace(s, body=body_of[s.body]) for s in surfaces]
            joined = [(body_of[a], body_of[b]) for a, b in joined]
        # may refuse: nothing has changed yet
        shapes = compile_shapes(surfaces, joined=joined, all_pairs=len(surfaces) < MANY)
        contacts, points = self._last_contacts()
        contacts, left = renumbered(contacts, self._surfaces, self.members, surfaces, members)
        points, last = points[left], self._state[self._of_last_step()].copy()
        self._surfaces, self.members, self._shapes = surfaces, members, shapes
        self._unread.intersection_update(members)
        self.ties = [tie for tie in self.ties if all(not on_link(e) or e[0] in members for e in tie.ends)]
        self._lay_out(forest)
        self._state[self._of_last_step()] = self._before[self._of_last_step()] = last
        self._put_contacts(contacts, points)
        for k, m in enumerate(members):
            parts = control_parts(forest, k)
            self._control[parts[0]] = m.figure.neutral()
            walls = self._control[parts[3]].reshape(-1, MOTOR)[:, 2:]
            walls[:] = self.settings.range_stiffness, self.settings.range_damping
        for m, taken in kept:
            self._put_back(members.index(m), taken)
        for m, state in new:
            self._set_state(index := members.index(m), np.asarray(state.q, float), np.asarray(state.v, float))
            for part in self._parts_of(index):
                self._before[part] = self._state[part]

    def _taken_along(self, index: int) -> list[list[FloatArray]]:
        """What a figure takes along: its state, the one before the last step (or piece), and its control."""
        state, control = self._parts_of(index), control_parts(self._forest, index)
        arrays = (self._state, state), (self._start_of_last_piece(), state), (self._control, control)
        return [[array[part].copy() for part in parts] for array, parts in arrays]

    def _put_back(self, index: int, taken: list[list[FloatArray]]) -> None:
        """The opposite of `_taken_along`, after all was laid out anew."""
        state, control = self._parts_of(index), control_parts(self._forest, index)
        arrays = (self._state, state), (self._before, state), (self._control, control)
        for (array, parts), values in zip(arrays, taken, strict=True):
            for part, value in zip(parts, values, strict=True):
                array[part] = value
        self._control[-1] = max(self._control[-1], float(np.any(taken[2][4])))

    def _plan(self, members: list[Member]) -> tuple[Forest, list[Surface], list[tuple[int, int]]]:
        """Forest, shapes that may touch, and pairs of bodies that never do."""
        forest = make_forest([m.figure for m in members], self.gravity, self._capacity + len(self.ties) + SPARE_TIES)
        surfaces, joined = list(self._fixed), []
        for k, (m, span) in enumerate(zip(members, forest.spans, strict=True)):
            surfaces += surfaces_of(m.figure, first_body=span.bodies.start, in_bodies=True, number=k, group=m.group,
                                    mask=m.mask, friction=m.friction, restitution=m.restitution)  # fmt: skip
            joined += joined_bodies(m.figure, first_body=span.bodies.start, in_bodies=True)
            joined += [(span.body_of_link[m.figure.link_index(a)], span.body_of_link[m.figure.link_index(b)])
                       for a, b in m.ignored]  # fmt: skip
        return forest, surfaces, joined

    def _lay_out(self, forest: Forest | None = None) -> None:
        """New arrays, for members, shapes and ties as they are."""
        forest = forest or self._plan(self.members)[0]
        most = self._capacity
        self._forest, self._most_ties = forest, len(self.ties) + SPARE_TIES
        self._pairs = list_pairs(self._shapes, max(self._pair_room, 8 * len(self._surfaces)))
        solved, size = forest, forest.state_size
        if self.coordinates is Coordinates.MAXIMAL:
            self._loose = take_apart([m.figure for m in self.members], forest, self.gravity, most + self._most_ties)
            solved, size = self._loose.forest, self._loose.state_size
        self._state, self._control = np.zeros(size), np.zeros(forest.control_size)
        self._before, self._piece = np.zeros(size), np.zeros(size)
        self._state[forest.state_size - 2] = np.inf  # there was no last step
        extra = len(self._surfaces) * (record_size(ShapePlace) + record_size(Swept)) + SPARE + 64
        self._work, self._work_ints = np.zeros(solved.work_size + extra), np.zeros(solved.work_ints + 8, np.int64)
        self._contacts = np.zeros(3 * most * record_size(Contact), np.int64)
        self._points = np.zeros(3 * most * record_size(ContactPoint))
        self._counts = np.array([0, 0, most, 0, 0, 0, 0, 1], np.int64)
        self._lay_out_ties()

    def _set_state(self, index: int, q: FloatArray, v: FloatArray) -> None:
        """Put one figure elsewhere; the others keep what they carry along."""
        parts, fresh = self._parts_of(index), self._state.copy()
        fresh[parts[0]], fresh[parts[1]] = self.members[index].figure.normalised(q), v
        if self._loose is None:
            begin(self._forest.ints, self._forest.floats, fresh, self._work)
        else:
            begin_loose(self, self._loose, fresh, self._forest.spans[index])
        for part in parts:
            self._state[part] = fresh[part]
        self._unread.add(self.members[index])

    def _parts_of(self, index: int) -> list[slice]:
        """Where one figure's numbers stand in the state."""
        span = self._forest.spans[index]
        parts = state_parts(self._forest, span)
        return parts if self._loose is None else parts + self._loose.parts_of(span.links)

    def _of_last_step(self) -> slice:
        """Where in the state stands what is known of the last step: its length, what was left to mend."""
        return slice(self._forest.state_size - 2, self._forest.state_size)

    # ------------------------------------------------------- time

    def step(self, h: float, *, steps: int = 1) -> None:
        """Move on by `steps` steps of h [s].

        Raises:
            WorldError: something became non-finite; the world stands where it was before that step.
        """
        if type(steps) is not int or steps < 0:
            steps = whole(steps, "steps")
        if type(h) is not float or h != self._law_h:
            given = number(h, "h", positive=True)
            if given > LONGEST:
                raise ArgumentError(f"h: a step is no longer than {LONGEST:g} s, got {h!r}; take several")
            self._law_h = given
        if not self._recordings:
            self._advance(self._law_h, steps)
            return
        for _ in range(steps):
            self._advance(self._law_h, 1)
            for recording in self._recordings:
                recording.note()

    def _advance(self, h: float, steps: int) -> None:
        if steps > 0 and self._unread:
            self._unread.clear()
        while steps > 0:
            done = self._take_steps(h, steps) if self._loose is None else take_loose_steps(self, self._loose, h, steps)
            self.time += h * done
            steps -= done
            if steps == 0:
                return
            np.copyto(self._state, self._before)
            np.copyto(self._ties, self._old_ties)
            pairs_lost = self._pairs[PAIRS] > self._pairs[ROOM]
            if self._counts[6] <= self._counts[2] and not pairs_lost:
                self._unread.update(self.members)
                raise WorldError(f"the world became non-finite in the step after t = {self.time:.6g} s", self.save())
            if pairs_lost:
                self._pair_room = 2 * int(self._pairs[PAIRS])
            self._make_room(max(2 * int(self._counts[6]), self._capacity))

    def _take_steps(self, h: float, steps: int) -> int:
        if self._hot is None:
            self._held = (
                self._forest.ints, self._tie_ints, self._shapes.ints, self._pairs, self._contacts, self._work_ints,
                self._counts, self._forest.floats, self._shapes.floats, self._law, self._state, self._control,
                self._ties, self._points, self._work, self._before, self._old_ties, self._piece,
                self._piece_ties,
            )  # fmt: skip
            settings = self.settings
            table = address_table(self._held)
            self._hot = table, settings.longest_fast_step, settings.fast_turn, settings.sweeps
        done: int = take_steps(*self._hot, h, steps)
        return done

    def _make_room(self, contacts: int) -> None:
        """More contact points than there was room for: make room, and go on from where we are."""
        state, control, old = self._state, self._control, self.save()
        self._capacity = contacts
        self._lay_out()
        self._state, self._control, self._ties, self._hot = state, control, old.ties, None
        self._put_contacts(old.contacts, old.points)

    def _put_contacts(self, contacts: Any, points: FloatArray) -> None:
        """Take these for the contacts of the last step."""
        self._counts[3] = len(contacts)
        for array, values in zip(self._last_contacts(), (contacts, points), strict=True):
            array[:] = values

    # ------------------------------------------------------- what happened

    @property
    def _last_h(self) -> float:
        """Length of the last step, or of its last piece [s]."""
        return float(self._state[self._forest.state_size - 2])

    def _start_of_last_piece(self) -> FloatArray:
        """The state before the last step, or before its last piece."""
        return self._piece if self._counts[7] > 1 else self._before

    @property
    def residual(self) -> float:
        """Greatest speed that the last sweep of the last step still mended [m/s], [rad/s]; above `Settings.tolerance`,
        the sweeps were too few to finish."""
        return float(self._state[self._forest.state_size - 1])

    def contacts(self) -> list[ContactForce]:
        """Contact points of the last step, with their forces."""
        return contact_forces(self)

    def record(self, *, every: int = 1, contacts: bool = False) -> Recording:
        """Note the state now and after every step from now on (every so many steps), until the recording is stopped.

        Args:
            every: steps between two notes.
            contacts: also note the contact force on each link.
        """
        recording = Recording(self, every=whole(every, "every", least=1), contacts=contacts)
        recording.note()
        self._recordings.append(recording)
        return recording

    # ------------------------------------------------------- save and restore

    def save(self) -> Snapshot:
        """Everything needed to go on from here, bit for bit."""
        contacts, points = self._last_contacts()
        return Snapshot(
            self._fingerprint(), self.time, self._state.copy(), self._start_of_last_piece().copy(),
            self._control.copy(), self._ties.copy(), contacts.copy(), points.copy(), self._counts.copy(),
            frozenset(member._index for member in self._unread),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world, or of one made in the same way; nothing may have come or gone since."""
        if not isinstance(snapshot, Snapshot):
            raise ArgumentError(f"snapshot: expected what `World.save` returned, got {snapshot!r}")
        if snapshot.contents != self._fingerprint():
            raise ArgumentError("snapshot: it is of a world with other figures, shapes, springs or ropes")
        if not np.isfinite(snapshot.state[: self._forest.nq + self._forest.nv]).all():
            raise ArgumentError("snapshot: its coordinates and velocities must be finite")
        if len(snapshot.contacts) > self._capacity:
            self._make_room(len(snapshot.contacts))
        self.time = snapshot.time
        for name in ("state", "control", "ties", "counts"):
            np.copyto(getattr(self, f"_{name}"), getattr(snapshot, name))
        for array in (self._before, self._piece):
            np.copyto(array, snapshot.start)
        self._counts[2] = self._capacity
        self._put_contacts(snapshot.contacts, snapshot.points)
        self._unread = {self.members[k] for k in snapshot.unread}
        for tie in self.ties:
            tie._look_up_anchor()

    def _fingerprint(self) -> bytes:
        if self._print is None:
            self._print = fingerprint(self._forest, self._shapes, self._ties, self._tie_ints)
        return self._print

    def _last_contacts(self) -> tuple[np.ndarray[Any, Any], FloatArray]:
        """Whose the contacts of the last step were, and where: views of what the step wrote."""
        half, count = int(self._counts[5]), int(self._counts[3])
        return (
            self._contacts.reshape(3, self._capacity, -1)[half, :count],
            self._points.reshape(3, self._capacity, -1)[half, :count],
        )
