"""Physics mode: figures under gravity (`sim.World`)."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.errors import HitogataError
from hitogata.figure import State
from hitogata.figure.pose import FloatArray
from hitogata.sim import ContactMethod, Member, Settings, World
from hitogata.studio.modes.hands import Hands
from hitogata.studio.modes.mode import Grip, Mode
from hitogata.studio.modes.past import Moment, Past
from hitogata.studio.scenery import Thing, floor_shapes, thing_figure

MOST_THINGS = 24
"""Thrown things that stay on the stage; the oldest go first."""

_PUSH_TIME = 0.1
_PULL, _PULL_DAMPING = 40.0, 8.0
"""Spring and damper of the mouse, for each kilogram of the figure [N/(m kg)], [N s/(m kg)]."""

_MOST_STEPS = 40


@dataclass
class Physics(Mode):
    """Drag a link by a spring; click it to push it away from you.  A hand let go at the bar holds it; a click opens it.

    Attributes:
        step: of the world [s], up to 0.1.
        speed: of time: 1 is real time, 0 stands still.
        stiffness: of the motors in the joints, which hold the pose of the beginning [N m/rad].
        gravity: [m/s²], downwards.
        friction: coefficient of the ground and the figures.
        bounce: coefficient of restitution of the ground and the figures, 0 ... 1.
        contact_stiffness: of contact points [N/m].
        push: of a click [N s].
        contacts: how contact forces are found.
        grasping: whether hands that are let go near the bar hold it.
        strength: of each hand [N].
        hands: those that hold the bar.
        paused: whether time stands still.
        past: the last minutes.
    """

    step: float = 1 / 60
    speed: float = 1.0
    stiffness: float = 2000.0
    gravity: float = 9.81
    friction: float = 0.8
    bounce: float = 0.0
    contact_stiffness: float = 1e5
    push: float = 20.0
    contacts: ContactMethod = ContactMethod.SWEEPS
    grasping: bool = True
    strength: float = 1500.0
    world: World = field(init=False)
    members: list[Member] = field(init=False)
    things: list[tuple[Thing, Member]] = field(default_factory=list)
    hands: Hands = field(init=False)
    paused: bool = False
    past: Past = field(default_factory=Past)
    steps: int = 0
    _shown: Moment | None = None
    _due: float = 0.0
    _targets: FloatArray = field(init=False)
    _pushes: list[tuple[float, Member, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._targets, self.hands = self.stage.q.copy(), Hands(self.strength)
        self._build([State(q, np.zeros(self.stage.figure.nv)) for q in self.stage.q], [])

    # ------------------------------------------------------- the world

    def _build(self, states: list[State], things: list[tuple[Thing, State]]) -> None:
        """A new world, with figures and things where they are; the one before is put away."""
        settings = Settings(
            contacts=self.contacts, contact_stiffness=self.contact_stiffness,
            contact_damping=0.01 * self.contact_stiffness,
        )  # fmt: skip
        world = World(gravity=(0.0, 0.0, -self.gravity), settings=settings)
        friction, bounce = self.friction, self.bounce
        bar = () if self.stage.bar is None else (self.stage.bar,)
        for shape in (*floor_shapes(self.stage.floor), *bar):
            world.add_ground(shape, friction=friction, restitution=bounce)
        members = [world.add(self.stage.figure, state, friction=friction, restitution=bounce) for state in states]
        thrown = [(kind, _add_thing(world, kind, state)) for kind, state in things]
        before = getattr(self, "world", None)
        self.world, self.members, self.things, self._pushes = world, members, thrown, []
        self.hands.rebuilt(members, self.stage.bar)
        if before is not None:
            _put_away(before)
        for member, target in zip(members, self._targets, strict=True):
            member.set_target(target)
        self._set_motors()
        self._set_walls()

    def close(self) -> None:
        """See `Mode`."""
        self.past.clear()
        _put_away(self.world)

    def refigure(self) -> None:
        """See `Mode`."""
        self.let_all_go()
        if self._shown is not None:
            self._take_up(self._shown)
        states = [member.state for member in self.members]
        if len(states) != self.stage.count or self._targets.shape != self.stage.q.shape:
            self._targets = self.stage.q.copy()
            self.hands.open_all()
            self.past.clear()
            states = [State(q, np.zeros(self.stage.figure.nv)) for q in self.stage.q]
        self._build(states, [(kind, member.state) for kind, member in self.things])

    def rest(self) -> None:
        """All figures stand again in their neutral poses; things are taken away."""
        self.let_all_go()
        self.hands.open_all()
        self.stage.set_count(self.stage.count)
        self.past.clear()
        self._targets, self.time, self._due, self._shown = self.stage.q.copy(), 0.0, 0.0, None
        self._build([State(q, np.zeros(self.stage.figure.nv)) for q in self.stage.q], [])

    @property
    def targets(self) -> FloatArray:
        """Poses that the motors hold, shape (n, nq)."""
        return self._targets

    def put_back(self, states: list[State], things: list[tuple[Thing, State]], targets: FloatArray) -> None:
        """Figures and things as they were at another time, and the poses that the motors held."""
        self.let_all_go()
        self.hands.open_all()
        self._targets, self._shown = targets.copy(), None
        self._build(states, things)
        for copy, member in enumerate(self.members):
            self.stage.q[copy] = member.q

    # ------------------------------------------------------- history

    def pause(self, on: bool = True) -> None:
        """Let time stand still; or go on, from the moment that is shown: what came after it did not happen."""
        if on:
            self.let_all_go()
        elif self._shown is not None:
            self._take_up(self._shown)
        self.paused = on

    def seek(self, time: float) -> None:
        """Pause, and show a moment of the past [s]."""
        if len(self.past):
            self._look_at(self.past.at(time))

    def single_step(self, count: int = 1) -> None:
        """Pause, and go by one step of the world, or so many frames of the past, forwards or backwards."""
        self.pause()
        last = self.past.span[1]
        shown = self._shown or (self.past.at(last) if len(self.past) else None)
        if shown is not None and (count < 0 or shown.time < last - 1e-9):
            self._look_at(self.past.beside(shown, count))
        elif count > 0:
            self._run(count)

    def _look_at(self, moment: Moment) -> None:
        self.pause()
        if moment.q.shape == self.stage.q.shape:
            self._shown, self.time = moment, moment.time
            self.stage.q[:] = moment.q

    def _take_up(self, moment: Moment) -> None:
        """Go on from a moment: bit for bit if the world is made of the same members still."""
        self.past.forget_after(moment)
        if moment.composition == self._composition():
            self.world.restore(moment.snapshot)
            self._pushes = []
        else:
            self.hands.open_all()
            self._build(list(moment.states), list(moment.things))
        self._shown, self.time, self._due = None, moment.time, 0.0

    def _composition(self) -> tuple[int, ...]:
        return (id(self.world), *(id(member) for member in self.world.members))

    def _note(self) -> None:
        """Keep the moment of now."""
        self.past.note(Moment(
            self.time, self.stage.q.copy(), self.world.save(), self._composition(),
            tuple(member.state for member in self.members),
            tuple((kind, member.state) for kind, member in self.things),
        ))  # fmt: skip

    def hold_pose(self) -> None:
        """The motors hold the pose of now."""
        self._targets = self.stage.q.copy()
        for member, target in zip(self.members, self._targets, strict=True):
            member.set_target(target)

    def change(self, **values: Any) -> None:
        """Set attributes that the world is built with, or step, speed, stiffness, push, grasping and strength."""
        for name, value in values.items():
            setattr(self, name, value if isinstance(value, bool | ContactMethod) else float(value))
        if values.keys() & {"gravity", "friction", "bounce", "contact_stiffness", "contacts"}:
            self.refigure()
        self.hands.set_strength(self.strength)
        if "stiffness" in values:
            self._set_motors()

    def _set_motors(self) -> None:
        """Stiffness as it is, with the damping that 73 kg want; lighter figures have less of both."""
        share = min(1.0, self.stage.figure.mass / 73.0)
        for member in self.members:
            if any(link.joint.kind.value not in ("free", "fixed") for link in member.figure.links):
                member.set_motor(self.stiffness * share, 0.03 * self.stiffness * share + 1.0 * share)

    def _set_walls(self) -> None:
        """Hard or soft, as each range was set."""
        for name, edit in self.stage.edits.items():
            if edit.stiffness is not None:
                damping = 0.0 if math.isinf(edit.stiffness) else 0.01 * edit.stiffness
                for member in self.members:
                    member.set_wall(edit.stiffness, damping, [name])

    # ------------------------------------------------------- time

    def advance(self, seconds: float) -> None:
        """See `Mode`."""
        if self.paused:
            return
        for grip in self.grips.values():
            grip.handle.move_anchor(grip.leash.advance(seconds))
        self._due = min(self._due + seconds * self.speed, _MOST_STEPS * self.step)
        steps = int(self._due / self.step + 1e-9)
        if steps == 0:
            return
        self._due -= steps * self.step
        self._run(steps)

    def _run(self, steps: int) -> None:
        """So many steps of the world."""
        self._end_pushes()
        try:
            self.world.step(self.step, steps=steps)
        except HitogataError:
            self.rest()
            raise
        for link, load in self.hands.give_way():
            text = f"{link} carried {load:.0f} N; it can hold {self.strength:.0f} N"
            self.news.append(("A hand slipped off the bar", text))
        self.steps += steps
        self.time += steps * self.step
        for copy, member in enumerate(self.members):
            self.stage.q[copy] = member.q
        self._note()

    def _end_pushes(self) -> None:
        for push in [p for p in self._pushes if p[0] <= self.world.time]:
            self._pushes.remove(push)
            push[1].pull(push[2])

    # ------------------------------------------------------- the mouse

    def grab(self, who: Any, copy: int, link: int, place: FloatArray) -> None:
        """See `Mode`; time goes on."""
        self.pause(False)
        super().grab(who, copy, link, place)

    def take(self, grip: Grip) -> None:
        """See `Mode`."""
        member, mass = self.members[grip.copy], self.stage.figure.mass
        end = (member, self.stage.figure.link_names[grip.link], grip.point)
        grip.handle = self.world.add_spring(end, grip.leash.place, stiffness=_PULL * mass, damping=_PULL_DAMPING * mass)

    def release(self, grip: Grip) -> None:
        """See `Mode`."""
        if grip.handle in self.world.ties:
            self.world.remove_tie(grip.handle)

    def let_go(self, who: Any) -> None:
        """The mouse was released; a hand at the bar holds it."""
        grip = self.grips.get(who)
        super().let_go(who)
        if grip is not None and self.grasping:
            self.hands.close((grip.copy, grip.link), self.members[grip.copy], self.stage.bar)

    def click(self, copy: int, link: int, ray: FloatArray) -> None:
        """Open a hand that holds the bar, close one that is near it, push any other link away from who looks at it."""
        self.pause(False)
        if self.hands.open((copy, link)):
            return
        if self.grasping and self.hands.close((copy, link), self.members[copy], self.stage.bar):
            return
        self.push_link(copy, link, np.asarray(ray) * self.push)

    def push_link(self, copy: int, link: int, impulse: FloatArray) -> None:
        """Push a link at its centre of mass, over a tenth of a second; impulse in world axes [N s]."""
        member, name = self.members[copy], self.stage.figure.link_names[link]
        member.pull(name, np.asarray(impulse) / _PUSH_TIME, at=self.stage.figure.links[link].mass.centre)
        self._pushes.append((self.world.time + _PUSH_TIME - 1e-9, member, name))

    def throw(self, kind: Thing, place: FloatArray, velocity: FloatArray) -> None:
        """Throw a thing from a place [m] at a velocity [m/s]."""
        if len(self.things) >= MOST_THINGS:
            self.world.remove(self.things.pop(0)[1])
        q = np.array([*place, 1.0, 0.0, 0.0, 0.0])
        spin = np.zeros(3) if kind is Thing.BALL else np.array([3.0, 2.0, 1.0])
        self.things.append((kind, _add_thing(self.world, kind, State(q, np.concatenate([spin, velocity])))))

    def clear_things(self) -> None:
        """Take all thrown things away."""
        for _, member in self.things:
            self.world.remove(member)
        self.things = []

    # ------------------------------------------------------- what is shown and measured

    def painted(self) -> dict[tuple[int, int], str]:
        """See `Mode`; also hands that hold the bar, and those that will if they are let go now."""
        painted = super().painted()
        for copy, link in painted:
            if self.grasping and self.hands.near(self.members[copy], link, self.stage.bar):
                painted[copy, link] = "near"
        return {**painted, **dict.fromkeys(self.hands.grasps, "grasp")}

    def velocity(self) -> FloatArray:
        """See `Mode`."""
        return self.members[0].v

    def thing_states(self, kind: Thing) -> Any:
        """Coordinates of the thrown things of a kind, shape (n, 7)."""
        return np.array([member.q for which, member in self.things if which is kind]).reshape(-1, 7)


def _add_thing(world: World, kind: Thing, state: State) -> Member:
    """Put a thing into a world; with its state at once, so that all things that come together are laid out once."""
    return world.add(thing_figure(kind), state, restitution=0.4)


def _put_away(world: World) -> None:
    """Give back the arrays of a world that is over: 27 MB for 50 humans.

    It and its members refer to each other, so that they would stay until Python next looks for such circles.
    """
    for member in world.members:
        world.remove(member)
    _ = world.arrays  # laid out anew, for nobody
