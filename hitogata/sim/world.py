"""World: figures, loose bodies and the ground, moving together."""

import copy
import math
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.contact.shapes import ALL, Surface, compile_shapes, surfaces_of
from hitogata.dynamics.layout import GRAVITY
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure, Plane, Pose, Shape, State
from hitogata.lanes import HAS_CYCLES
from hitogata.sim.arguments import figure_of, gravity_of, number, numbers, pairs_of_links, state_of, whole
from hitogata.sim.coordinates import ContactMethod, Coordinates
from hitogata.sim.energy import WorldEnergy, world_energy
from hitogata.sim.events import ContactEvents, read_events
from hitogata.sim.failure import in_two_threads, non_finite
from hitogata.sim.layout import CONTACTS
from hitogata.sim.led import Led
from hitogata.sim.loose_bodies import check_loose
from hitogata.sim.members import Member
from hitogata.sim.pair_list import PAIRS
from hitogata.sim.placement import placed
from hitogata.sim.recorder import Recording
from hitogata.sim.relayout import changed
from hitogata.sim.rigid_body import body_figure
from hitogata.sim.settings import Settings
from hitogata.sim.sleep import advance, gathered, wake
from hitogata.sim.snapshot import Snapshot, check_snapshot, put_back, written_down
from hitogata.sim.solver_tally import SolverTally, solver_tally
from hitogata.sim.states.reports import ContactPatch, ContactTally, contact_patches, contact_tally
from hitogata.sim.step_clock import TIMES, Costs, costs_of
from hitogata.sim.step_readings import ContactForce, contact_forces
from hitogata.sim.ties import End, Tie, on_link
from hitogata.sim.world_data import Arrays, Contents
from hitogata.sim.world_model import IntArray

if TYPE_CHECKING:
    from hitogata.sim.holds import Hold

LONGEST = 100.0
"""Longest step [s]."""

MOST_AT_ONCE = 10_000
"""Steps of one call into the kernels; between two, Ctrl-C is heard."""


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
        if coordinates is Coordinates.MAXIMAL and settings and settings.contacts is ContactMethod.STATES:
            raise ArgumentError("settings: contact by states needs reduced coordinates")
        if coordinates is Coordinates.MAXIMAL and settings and settings.sleeps:
            raise ArgumentError("settings: sleep_after: sleep needs reduced coordinates")
        self._contents = Contents(gravity_of(gravity), settings or Settings(), coordinates)
        self._arrays, self._states = Arrays(self._contents), dict[Member, State]()  # of those not yet laid out
        self._time, self._checked_h = 0.0, math.nan
        self._recordings: list[Recording] = []
        self._led: list[Led] = []
        self._watched: list[Hold] = []
        self._busy = threading.Lock()

    def __copy__(self) -> "World":
        """A world of its own, as `copy.deepcopy` makes it: two worlds cannot share their numbers."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: all but the lock of the thread that steps it."""
        return {name: value for name, value in self.__dict__.items() if name != "_busy"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _busy=threading.Lock())

    @property
    def arrays(self) -> Arrays:
        """The numbers beneath, for kernels; other ones after something came or went."""
        if self._contents is not self._arrays.contents:
            self._arrays, self._states = changed(gathered(self._arrays), self._contents, self._states), {}
        return self._arrays

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration of gravity, world axes [m/s²]."""
        return self._contents.gravity

    @property
    def settings(self) -> Settings:
        """How steps are solved."""
        return self._contents.settings

    @property
    def coordinates(self) -> Coordinates:
        """Unknowns of a step."""
        return self._contents.coordinates

    @property
    def time(self) -> float:
        """Time since the world was made, or as restoring set it [s]."""
        return self._time

    @property
    def members(self) -> list[Member]:
        """Figures and loose bodies, in the order in which they came; a copy."""
        return list(self._contents.members)

    @property
    def ties(self) -> list[Tie]:
        """Springs and ropes, in the order in which they came; a copy."""
        return list(self._contents.ties)

    @property
    def asleep(self) -> list[Member]:
        """Figures and loose bodies that sleep, in the order in which they came; see `Settings.sleep_after`."""
        return [member for member in self._contents.members if self._arrays.nap_of(member) is not None]

    def _change_ranges(self) -> None:
        """Figures have other ranges of motion."""
        self._arrays = gathered(self.arrays)
        self._arrays.change_ranges()

    def _wake(self, members: Iterable[Member]) -> None:
        """Wake some figures, with their islands."""
        self._arrays = wake(self._arrays, members)

    # ------------------------------------------------------- what comes and goes

    def add(
        self, figure: Figure, state: State | None = None, *, at: Any = None, facing: float | None = None,
        friction: float = 0.8, restitution: float = 0.0, group: int = 1, mask: int = ALL,
        ignored: Iterable[tuple[str, str]] = (),
    ) -> Member:  # fmt: skip
        """Put a figure into the world, at rest in its neutral pose unless a state is given.

        Args:
            figure: what to add.
            state: where, and how it moves.
            at: it is moved by this, (x, y) or (x, y, z) [m]: where a built-in human stands.
            facing: before, it is turned by this about the vertical through the origin [rad], from x to y: where a
                built-in human looks.
            friction: coefficient of its surface; two surfaces in touch have the geometric mean of theirs.
            restitution: coefficient; the greater of the two counts.
            group: bits: the groups it belongs to.
            mask: bits: the groups it may touch.  Both must agree; a figure whose mask leaves out its own group does not
                touch itself.
            ignored: pairs of its links that never touch; links that a joint connects never do.
        """
        figure = figure_of(figure)
        state = placed(figure, State.rest(figure) if state is None else state_of(figure, state), at, facing)
        member = Member(
            self, figure, number(friction, "friction"), number(restitution, "restitution", most=1.0),
            whole(group, "group", most=ALL), whole(mask, "mask", most=ALL), pairs_of_links(figure, ignored),
        )  # fmt: skip
        surfaces_of(figure)  # may refuse: nothing has changed yet
        if self._contents.coordinates is Coordinates.MAXIMAL:
            check_loose(figure)
        self._states[member] = State(np.array(state.q, float), np.array(state.v, float))
        self._contents = replace(self._contents, members=(*self._contents.members, member))
        return member

    def add_body(
        self, shapes: Shape | Sequence[Shape], *, mass: float | None = None, density: float | None = None,
        pose: Pose | None = None, velocity: Any = (0.0, 0.0, 0.0), angular_velocity: Any = (0.0, 0.0, 0.0),
        name: str = "body", friction: float = 0.8, restitution: float = 0.0, group: int = 1,
        mask: int = ALL,
    ) -> Member:  # fmt: skip
        """Put a loose rigid body into the world.

        Args:
            shapes: what it is made of, in its frame.
            mass: of all of it [kg]; or its density.
            density: [kg/m³].
            pose: of its frame in the world.
            velocity: of its frame's origin [m/s].
            angular_velocity: world axes [rad/s].
            name: of it.
            friction: see `add`.
            restitution: see `add`.
            group: see `add`.
            mask: see `add`.
        """
        parts = [shapes] if isinstance(shapes, Shape) else shapes
        if not isinstance(parts, Sequence) or not all(isinstance(part, Shape) for part in parts):
            raise ArgumentError(f"shapes: expected a Shape or a list of them, got {shapes!r}")
        if not isinstance(pose, Pose | None):
            raise ArgumentError(f"pose: expected a Pose, got {pose!r}")
        rates = np.concatenate([numbers(angular_velocity, 3, "angular_velocity"), numbers(velocity, 3, "velocity")])
        figure, at = body_figure(name, tuple(parts), density, mass), pose or Pose()
        return self.add(
            figure, State(np.array([*at.position, *at.quat]), rates), friction=friction, restitution=restitution,
            group=group, mask=mask,
        )  # fmt: skip

    def add_ground(self, shape: Shape | None = None, *, friction: float = 0.8, restitution: float = 0.0) -> None:
        """Fix a shape to the world; None: the plane z = 0."""
        friction, restitution = number(friction, "friction"), number(restitution, "restitution", most=1.0)
        surface = Surface(Plane() if shape is None else shape, friction=friction, restitution=restitution)
        compile_shapes([surface])  # may refuse: nothing has changed yet
        self._wake(self.asleep)
        self._contents = replace(self._contents, fixed=(*self._contents.fixed, surface))

    def add_spring(
        self, a: End, b: End, *, stiffness: float, damping: float, touching: bool = True,
        force_limit: float = math.inf,
    ) -> Tie:  # fmt: skip
        """Pull two points together: K times their distance, D times its rate, stable for any K, D and step.

        Args:
            a: (figure in this world, name of a link or frame), or the same with a point in that frame [m].
            b: the same, or a point of the world [m], shape (3,).
            stiffness: K [N/m].
            damping: D [N s/m].
            touching: whether the two links may touch each other.
            force_limit: it never pulls with more [N].
        """
        force_limit = number(force_limit, "force_limit", infinite=True)
        return self._add_tie((a, b), stiffness, damping, None, touching, force_limit)

    def add_rope(self, a: End, b: End, *, length: float, stiffness: float = 1e6, damping: float = 1e4) -> Tie:
        """Keep two points within a length of each other; slack, it does nothing.

        Args:
            a: (figure in this world, name of a link or frame), or the same with a point in that frame [m].
            b: the same, or a point of the world [m], shape (3,).
            length: [m].
            stiffness: of the rope once it is taut [N/m].
            damping: the same [N s/m].
        """
        return self._add_tie((a, b), stiffness, damping, number(length, "length", positive=True))

    def _add_tie(
        self, ends: tuple[End, End], stiffness: float, damping: float, length: float | None, touching: bool = True,
        force_limit: float = math.inf,
    ) -> Tie:  # fmt: skip
        stiffness, damping = number(stiffness, "stiffness"), number(damping, "damping")
        if stiffness + damping == 0:
            raise ArgumentError("stiffness, damping: a spring or rope needs one of them, got 0 and 0")
        if not on_link(ends[0]):
            raise ArgumentError(f"a: the first end must be (figure in this world, frame), got {ends[0]!r}")
        a, b = (self._checked_end(end, name) for name, end in zip("ab", ends, strict=True))
        tie = Tie(self, (a, b), stiffness, damping, length, bool(touching), force_limit)
        self._wake(tie.members)
        self._contents = replace(self._contents, ties=(*self._contents.ties, tie))
        return tie

    def _checked_end(self, end: End, name: str) -> End:
        if not on_link(end):
            return numbers(end, 3, f"{name}: neither (figure, frame) nor a point of the world [m]").copy()
        member, frame, *point = end
        self._check_own(member, name)
        member.figure.frame(frame)
        return (member, frame, *(numbers(p, 3, f"{name}: point in the frame [m]").copy() for p in point))

    def remove_tie(self, tie: Tie) -> None:
        """Take a spring or rope out of the world."""
        if not isinstance(tie, Tie) or tie.world is not self:
            raise ArgumentError(f"tie: expected a spring or rope of this world, got {tie!r}")
        if tie not in self._contents.ties:
            raise tie._removed()
        self._wake(tie.members)
        self._contents = replace(self._contents, ties=tuple(other for other in self._contents.ties if other is not tie))

    def remove(self, member: Member) -> None:
        """Take a figure out of the world; its handle is no longer of use; its springs, ropes and strands go too."""
        self._check_own(member, "member")
        gone = {member}.union(*(led.leaving_with(member) for led in self._led))
        self._wake(gone)
        members = tuple(other for other in self._contents.members if other not in gone)
        ties = [tie for tie in self._contents.ties if not any(on_link(end) and end[0] in gone for end in tie.ends)]
        self._contents = replace(self._contents, members=members, ties=tuple(ties))

    def _check_own(self, member: Any, name: str) -> None:
        """Raise ArgumentError unless this is a figure in this world."""
        if not isinstance(member, Member):
            raise ArgumentError(f"{name}: expected a figure in this world, as `World.add` returns it, got {member!r}")
        if member.world is not self:
            raise ArgumentError(f"{name}: figure {member.figure.name!r} is in another world")
        if member not in self._contents.members:
            raise member._removed()

    # ------------------------------------------------------- time

    def step(self, h: float, *, steps: int = 1) -> None:
        """Move on by `steps` steps of h [s].

        Raises:
            WorldError: something became non-finite; the world stands where it was before that step.
        """
        if type(steps) is not int or steps < 0:
            steps = whole(steps, "steps")
        if type(h) is not float or h != self._checked_h:
            self._check_h(h)
        if not self._busy.acquire(False):
            raise in_two_threads("step")
        try:
            if not self._recordings and not self._led and not self._watched:
                self._advance(self._checked_h, steps)
                return
            for _ in range(steps):
                self._advance_led(self._checked_h)
                if self._watched:
                    self._watched = [held for held in self._watched if held.holds and not held.give_way()]
                for recording in self._recordings:
                    recording.note()
        finally:
            self._busy.release()

    def _watch(self, held: "Hold") -> None:
        """After every step, end a hold that carried more than its limits; `hold` asks for it."""
        self._watched.append(held)

    def measure(self, h: float, *, steps: int = 1) -> Costs:
        """Move on as `step` does, with a clock beside: where did the time go?

        The clock's own code is compiled on first use.  In reduced coordinates; recordings note nothing.
        """
        steps = whole(steps, "steps", least=1)
        self._check_h(h)
        if self.coordinates is not Coordinates.REDUCED:
            raise ArgumentError("costs are measured in reduced coordinates, this world is in maximal ones")
        if not HAS_CYCLES:
            raise HitogataError("costs are measured by the clock of x86-64 processors, which this one is not")
        if not self._busy.acquire(False):
            raise in_two_threads("measure")
        try:
            times = np.zeros(TIMES, np.int64)
            self.arrays.take_steps(self._checked_h, 0, times)  # compiled, if it was not
            times[:] = 0
            begin = time.perf_counter()
            if self._led:
                for _ in range(steps):
                    self._advance_led(self._checked_h, times)
            else:
                self._advance(self._checked_h, steps, times)
            spent, arrays = time.perf_counter() - begin, self.arrays
        finally:
            self._busy.release()
        own = arrays if arrays.awake is None else arrays.awake.own
        return costs_of(times, spent, steps, pairs=int(own.pairs[PAIRS]), contacts=int(own.counts[CONTACTS]))

    def _check_h(self, h: float) -> None:
        given = number(h, "h", positive=True)
        if given > LONGEST:
            raise ArgumentError(f"h: a step is no longer than {LONGEST:g} s, got {h!r}; take several")
        self._checked_h = given

    def _advance_led(self, h: float, times: IntArray | None = None) -> None:
        for led in self._led:
            led.lead(h)
        self._advance(h, 1, times)
        for led in self._led:
            led.follow(h)

    def _advance(self, h: float, steps: int, times: IntArray | None = None) -> None:
        arrays, begin, taken = self._arrays, self._time, 0
        if arrays.contents is not self._contents:
            arrays = self.arrays
        if steps > 0 and arrays.unread:
            arrays.unread.clear()
        while taken < steps:
            asked = steps - taken
            if asked > MOST_AT_ONCE:
                asked = MOST_AT_ONCE
            if arrays.sleep is None:
                done = arrays.take_steps(h, asked, times, self._time)
                more = arrays.step_back() if done < asked else arrays
            else:
                groups = [led.together() for led in self._led]
                self._arrays, done = advance(arrays, h, asked, groups, times, self._time)
                more = self._arrays if done == asked else None
            taken += done
            self._time = begin + h * taken
            if more is None:
                self._arrays.unread.update(self._arrays.index)
                raise WorldError(non_finite(self._arrays, self.time), self.save())
            self._arrays = arrays = more

    # ------------------------------------------------------- what happened

    @property
    def residual(self) -> float:
        """Greatest speed that the last sweep of the last step still mended [m/s], [rad/s]; above `Settings.tolerance`,
        the sweeps were too few to finish."""
        return float(self.arrays.state[self.arrays.last_step][1])

    def energy(self) -> WorldEnergy:
        """Kinetic and potential energy of all figures, springs and ropes, as steps keep it; see `sim.energy`."""
        return world_energy(self)

    @property
    def solver_tally(self) -> SolverTally:
        """Sweeps and iterations of Newton's method so far, and how often they were too few.  Not in maximal
        coordinates."""
        return solver_tally(self.arrays)

    def contacts(self) -> list[ContactForce]:
        """Contact points of the last step, with their forces; of all its substeps, if it was cut."""
        return contact_forces(self)

    def contact_events(self, member: Member | None = None) -> ContactEvents:
        """Who touched whom since the last reading: each pair of shapes that pushed, from when to when, how hard.

        All steps and substeps count, whoever reads in between or not.  What goes on is told too, with its impulse
        so far.  Only with `Settings(contact_events=...)`, which says how many are kept at the most.

        Args:
            member: a figure in this world: only what it touched; the rest is kept for later.
        """
        if self.settings.contact_events == 0:
            raise ArgumentError("this world keeps no contact events; make it with Settings(contact_events=1000)")
        if member is not None:
            self._check_own(member, "member")
        return read_events(self.arrays, member)

    def contact_patches(self) -> list[ContactPatch]:
        """Contacts of the last step, by states: those of two bodies along one normal together.

        Only with `Settings(contacts=ContactMethod.STATES)`.
        """
        self._check_states()
        return contact_patches(self.arrays)

    @property
    def contact_tally(self) -> ContactTally:
        """How often contact by states found a consistent answer so far, and in how many passes."""
        self._check_states()
        return contact_tally(self.arrays)

    def _check_states(self) -> None:
        if self.settings.contacts is not ContactMethod.STATES:
            raise ArgumentError("this world solves its contacts by sweeps; make it with contacts=ContactMethod.STATES")

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
        return written_down(self.arrays, self.time)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world, or of one made in the same way; nothing may have come or gone since.

        Recordings go back too: they forget what they noted since, and note where the world is now.
        """
        if self._busy.locked():
            raise in_two_threads("restore")
        check_snapshot(snapshot, self.arrays)
        wanted = max(len(snapshot.contacts), len(snapshot.earlier))
        if wanted > self.arrays.contact_room:
            self._arrays = self.arrays.with_room(wanted)
        put_back(snapshot, self.arrays)
        self._time = snapshot.time
        for tie in self._contents.ties:
            tie._look_up_anchor()
        for recording in self._recordings:
            recording.go_back()
