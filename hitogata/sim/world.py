"""World: figures, loose bodies and the ground, moving together."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
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
from hitogata.lanes import record_size
from hitogata.sim.coordinates import Coordinates
from hitogata.sim.forest import Forest, make_forest
from hitogata.sim.layout import Motor, Pull
from hitogata.sim.loose import Loose, begin_loose, bodies_of_links, take_apart, take_loose_steps
from hitogata.sim.members import Member
from hitogata.sim.pairing import MANY, PAIRS, ROOM, list_pairs
from hitogata.sim.reading import ContactForce, contact_forces
from hitogata.sim.recording import Recording
from hitogata.sim.running import begin, take_steps
from hitogata.sim.settings import Settings
from hitogata.sim.ties import End, Tie, on_link

CONTACTS, SPARE_TIES = 256, 32
"""Room for contact points and for more springs and ropes, at first; a world makes more when it must."""

MOTOR, PULL = record_size(Motor), record_size(Pull)


class WorldError(HitogataError):
    """A world became non-finite and stopped in its last good state, which `snapshot` holds."""

    def __init__(self, message: str, snapshot: "Snapshot") -> None:
        super().__init__(message)
        self.snapshot = snapshot


@dataclass(frozen=True)
class Snapshot:
    """Everything a world needs to go on exactly as it would have."""

    time: float
    state: FloatArray
    control: FloatArray
    ties: FloatArray
    contacts: np.ndarray[Any, Any]
    points: FloatArray
    counts: np.ndarray[Any, Any]


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
        self.gravity, self.settings, self.time, self.coordinates = gravity, settings or Settings(), 0.0, coordinates
        self._loose: Loose | None = None
        self.members: list[Member] = []
        self.ties: list[Tie] = []
        self._law, self._law_h = self.settings.numbers(gravity), math.nan
        self._fixed: list[Surface] = []
        self._recordings: list[Recording] = []
        self._capacity, self._pair_room = CONTACTS, 0
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
        state = state or State.rest(figure)
        state.check(figure)
        for a, b in (pairs := list(ignored)):
            _ = figure.link_index(a), figure.link_index(b)
        for name, value in (("friction", friction), ("restitution", restitution)):
            if not np.isfinite(value) or value < 0:
                raise ArgumentError(f"{name}: must be 0 or more, got {value}")
        member = Member(self, figure, friction, restitution, group, mask, tuple(pairs))
        self._compile([*self.members, member], [(member, state)])
        member.set_target(state.q)
        return member

    def add_body(
        self, shapes: Shape | Sequence[Shape], *, mass: float | None = None, density: float | None = None,
        pose: Pose | None = None, name: str = "body", friction: float = 0.8, restitution: float = 0.0, group: int = 1,
        mask: int = ALL,
    ) -> Member:  # fmt: skip
        """Put a loose rigid body into the world."""
        parts = [shapes] if isinstance(shapes, Shape) else list(shapes)
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
        surface = Surface(shape or Plane(), friction=friction, restitution=restitution)
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
        if not np.isfinite(length) or length <= 0:
            raise ArgumentError(f"length: must be positive, got {length}")
        return self._add_tie((a, b), stiffness, damping, length)

    def _add_tie(self, ends: tuple[End, End], stiffness: float, damping: float, length: float | None) -> Tie:
        for name, value in (("stiffness", stiffness), ("damping", damping)):
            if not np.isfinite(value) or value < 0:
                raise ArgumentError(f"{name}: must be 0 or more, got {value}")
        if stiffness + damping == 0:
            raise ArgumentError("a spring needs stiffness or damping")
        if not on_link(ends[0]):
            raise ArgumentError("the first end must be (figure, frame)")
        for end in ends:
            if on_link(end):
                _ = end[0]._index, end[0].figure.frame(end[1])
            elif np.shape(end) != (3,) or not np.isfinite(np.asarray(end, float)).all():
                raise ArgumentError(f"a point of the world: expected 3 finite numbers [m], got {end!r}")
        tie = Tie(self, ends, stiffness, damping, length)
        self.ties.append(tie)
        if len(self.ties) > self._most_ties:
            self._compile(self.members, [])
        self._lay_out_ties()
        return tie

    def remove_tie(self, tie: Tie) -> None:
        """Take a spring or rope out of the world."""
        del self.ties[tie._index]
        self._lay_out_ties()

    def _lay_out_ties(self) -> None:
        floats, ints = [np.zeros(record_size(TieRecord))], [np.zeros(record_size(TieInts))]
        for k, tie in enumerate(self.ties):
            (body_a, point_a), (body_b, point_b) = (self._place_end(end) for end in tie.ends)
            length = 0.0 if tie.length is None else tie.length
            numbers = np.array([*point_a, *point_b, tie.stiffness, tie.damping, length, 0.0, 0.0, 0.0])
            floats.insert(k, numbers)
            ints.insert(k, np.array([float(tie.length is not None), body_a, body_b]))
        self._ties, self._tie_ints = np.concatenate(floats), np.concatenate(ints).astype(np.int64)
        self._old_ties = self._ties.copy()
        self._counts[0] = len(self.ties)

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
        index = member._index
        self._compile([m for k, m in enumerate(self.members) if k != index], [])

    def _compile(self, members: list[Member], new: list[tuple[Member, State]]) -> None:
        """Lay out all arrays anew, and carry over what was there."""
        old = [(m, m.state, self._control_of(m)) for m in self.members if m in members]
        forest, surfaces, joined = self._plan(members)
        if self.coordinates is Coordinates.MAXIMAL:
            body_of = bodies_of_links(forest)
            surfaces = [s if s.body < 0 else replace(s, body=body_of[s.body]) for s in surfaces]
            joined = [(body_of[a], body_of[b]) for a, b in joined]
        # may refuse: nothing has changed yet
        shapes = compile_shapes(surfaces, joined=joined, all_pairs=len(surfaces) < MANY)
        self._surfaces, self.members, self._shapes = surfaces, members, shapes
        self.ties = [tie for tie in self.ties if all(not on_link(e) or e[0] in members for e in tie.ends)]
        self._lay_out(forest)
        for k, m in enumerate(members):
            parts = self._control_parts(k, forest)
            self._control[parts[0]] = m.figure.neutral()
            walls = self._control[parts[3]].reshape(-1, MOTOR)[:, 2:]
            walls[:] = self.settings.range_stiffness, self.settings.range_damping
        for m, state, control in old:
            self._put_control(m, control)
            self._control[-1] = max(self._control[-1], float(np.any(control[4])))
            self._set_state(members.index(m), state.q, state.v)
        for m, state in new:
            self._set_state(members.index(m), np.asarray(state.q, float), np.asarray(state.v, float))

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
        self._state[forest.state_size - 2] = 1.0  # there was no last step
        extra = len(self._surfaces) * (record_size(ShapePlace) + record_size(Swept)) + SPARE + 64
        self._work, self._work_ints = np.zeros(solved.work_size + extra), np.zeros(solved.work_ints + 8, np.int64)
        self._contacts = np.zeros(2 * most * record_size(Contact), np.int64)
        self._points = np.zeros(2 * most * record_size(ContactPoint))
        self._counts = np.array([0, 0, most, 0, 0, 0, 0, 1], np.int64)
        self._lay_out_ties()

    def _control_of(self, member: Member) -> list[FloatArray]:
        return [self._control[part].copy() for part in self._control_parts(member._index, self._forest)]

    def _put_control(self, member: Member, values: list[FloatArray]) -> None:
        for part, value in zip(self._control_parts(member._index, self._forest), values, strict=True):
            self._control[part] = value

    @staticmethod
    def _control_parts(index: int, forest: Forest) -> list[slice]:
        span, nq, nv = forest.spans[index], forest.nq, forest.nv
        v, motor = span.v, nq + 2 * nv
        pull = motor + MOTOR * forest.bodies
        return [
            span.q, slice(nq + v.start, nq + v.stop), slice(nq + nv + v.start, nq + nv + v.stop),
            slice(motor + MOTOR * span.bodies.start, motor + MOTOR * span.bodies.stop),
            slice(pull + PULL * span.bodies.start, pull + PULL * span.bodies.stop),
        ]  # fmt: skip

    def _set_state(self, index: int, q: FloatArray, v: FloatArray) -> None:
        span, nq = self._forest.spans[index], self._forest.nq
        self._state[span.q] = self.members[index].figure.normalised(q)
        self._state[nq + span.v.start : nq + span.v.stop] = v
        if self._loose is None:
            begin(self._forest.ints, self._forest.floats, self._state, self._work)
        else:
            begin_loose(self, self._loose, span)

    # ------------------------------------------------------- time

    def step(self, h: float, *, steps: int = 1) -> None:
        """Move on by `steps` steps of h [s].

        Raises:
            WorldError: something became non-finite; the world stands where it was before that step.
        """
        if h != self._law_h:
            if not isinstance(h, Real) or not 0 < h < math.inf:
                raise ArgumentError(f"h: must be a positive number of seconds, got {h!r}")
            self._law_h = float(h)
        if not isinstance(steps, Integral) or steps < 0:
            raise ArgumentError(f"steps: must be a whole number, 0 or more; got {steps!r}")
        if not self._recordings:
            self._advance(self._law_h, steps)
            return
        for _ in range(steps):
            self._advance(self._law_h, 1)
            for recording in self._recordings:
                recording.note()

    def _advance(self, h: float, steps: int) -> None:
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
                self._counts[3] = 0  # what the contacts of the bad step carried is of no use
                raise WorldError(f"the world became non-finite in the step after t = {self.time:.6g} s", self.save())
            if pairs_lost:
                self._pair_room = 2 * int(self._pairs[PAIRS])
            self._make_room(max(2 * int(self._counts[6]), self._capacity))

    def _take_steps(self, h: float, steps: int) -> int:
        done: int = take_steps(
            self._forest.ints, self._forest.floats, self._state, self._control, self._ties, self._tie_ints,
            self._shapes.ints, self._shapes.floats, self._pairs, self._contacts, self._points, self._law,
            self._work, self._work_ints, self._counts, self._before, self._piece, self._old_ties, h,
            self.settings.longest_fast_step, self.settings.fast_turn, self.settings.sweeps, steps,
        )  # fmt: skip
        return done

    def _make_room(self, contacts: int) -> None:
        """More contact points than there was room for: make room, and go on from where we are."""
        state, control, old = self._state, self._control, self.save()
        self._capacity = contacts
        self._lay_out()
        self._state, self._control, self._ties = state, control, old.ties
        self._counts[3] = len(old.contacts)
        for array, kept in zip(self._last_contacts(), (old.contacts, old.points), strict=True):
            array[:] = kept

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
        if every < 1 or every != int(every):
            raise ArgumentError(f"every: must be a whole number of steps, 1 or more; got {every}")
        recording = Recording(self, every=every, contacts=contacts)
        recording.note()
        self._recordings.append(recording)
        return recording

    # ------------------------------------------------------- save and restore

    def save(self) -> Snapshot:
        """Everything needed to go on from here, bit for bit."""
        contacts, points = self._last_contacts()
        return Snapshot(
            self.time, self._state.copy(), self._control.copy(), self._ties.copy(), contacts.copy(), points.copy(),
            self._counts.copy(),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world with the same members."""
        if snapshot.state.shape != self._state.shape or snapshot.ties.shape != self._ties.shape:
            raise ArgumentError("snapshot: it is of a world with other members, springs or ropes")
        if len(snapshot.contacts) > self._capacity:
            self._make_room(len(snapshot.contacts))
        self.time = snapshot.time
        for name in ("state", "control", "ties", "counts"):
            np.copyto(getattr(self, f"_{name}"), getattr(snapshot, name))
        self._counts[2] = self._capacity
        contacts, points = self._last_contacts()
        np.copyto(contacts, snapshot.contacts)
        np.copyto(points, snapshot.points)

    def _last_contacts(self) -> tuple[np.ndarray[Any, Any], FloatArray]:
        """Whose the contacts of the last step were, and where: views of what the step wrote."""
        half, count = int(self._counts[5]), int(self._counts[3])
        return (
            self._contacts.reshape(2, self._capacity, -1)[half, :count],
            self._points.reshape(2, self._capacity, -1)[half, :count],
        )
