"""Pose mode: pin-and-drag inverse kinematics (`motion.Puppet`)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import HitogataError
from hitogata.figure.pose import FloatArray
from hitogata.motion import Handle, Hold, Priority, Puppet
from hitogata.motion.foot_contacts import named_feet
from hitogata.motion.reach import GLIDING, ease_limbs, follow
from hitogata.studio.modes.mode import Grip, Mark, MarkKind, Mode

STILL = 1.0
"""After this time without a change, puppets rest and are not solved [s]."""

STRIDE = 1 / 60
"""Longest time of one step of the puppets [s].  After a slow frame they take several: a stretched arm that is asked to
shorten by much at once finds no way to bend."""

_STAY = 0.4
"""Where nothing is dragged, joints stay as they are: they return there in about this time [s]."""


@dataclass(eq=False)
class Pin:
    """A link of a copy that is held where it was; `place` [m] is where its point was."""

    copy: int
    link: int
    hold: Hold
    point: FloatArray
    place: FloatArray
    handle: Handle


@dataclass
class Posing(Mode):
    """Drag a link and the figure follows; click a link to pin it where it is, or to let it loose.

    Attributes:
        hold: what new pins hold.
        balance: keep the centre of mass over the pinned feet.
        firm: pins come before drags: a hand out of reach stays behind.  Otherwise pins give way.
    """

    hold: Hold = Hold.POSITION
    balance: bool = False
    firm: bool = True
    puppets: dict[int, Puppet] = field(default_factory=dict)
    pins: dict[tuple[int, int], Pin] = field(default_factory=dict)
    _balances: dict[int, Handle] = field(default_factory=dict)
    _before: dict[int, FloatArray] = field(default_factory=dict)
    _awake: float = STILL

    def __post_init__(self) -> None:
        self.pin_feet()

    def puppet(self, copy: int) -> Puppet:
        """The puppet of a copy, made when it is first needed."""
        if copy not in self.puppets:
            made = Puppet(self.stage.figure, self.stage.q[copy], settings=GLIDING)
            ease_limbs(made)
            self.puppets[copy] = made
        return self.puppets[copy]

    # ------------------------------------------------------- time

    def advance(self, seconds: float) -> None:
        """See `Mode`."""
        self.time += seconds
        self._awake = STILL if self.grips else self._awake - seconds
        if self._awake <= 0:
            return
        strides = max(1, math.ceil(seconds / STRIDE - 1e-6))
        for _ in range(strides):
            for grip in self.grips.values():
                self.puppet(grip.copy).set_target(grip.handle, position=grip.leash.advance(seconds / strides))
            for copy, puppet in self.puppets.items():
                if copy in self._before:  # what need not move is as it was when the drag began
                    follow(puppet, self._before[copy], max(seconds / strides, 1e-3))
                else:
                    puppet.step(max(seconds / strides, 1e-3), iterations=2)
        for copy, puppet in self.puppets.items():
            self.stage.q[copy] = puppet.q

    def refigure(self) -> None:
        """See `Mode`; pins stay where they are."""
        self.let_all_go()
        old = list(self.pins.values())
        self.puppets, self.pins, self._balances, self._before = {}, {}, {}, {}
        for pin in old:
            if pin.copy < self.stage.count and pin.link < self.stage.figure.nlinks:
                self._pin(pin.copy, pin.link, pin.hold, pin.point, pin.place)
        self._rebalance()
        for copy in range(self.stage.count):
            self.puppet(copy)  # if a range became narrower, its next steps bring the joints back into it
        self._awake = STILL

    # ------------------------------------------------------- pins

    def click(self, copy: int, link: int, ray: FloatArray) -> None:
        """Pin a link where it is, or let it loose."""
        self._awake = STILL
        if (copy, link) in self.pins:
            self.unpin(copy, link)
        else:
            self.pin(copy, link)

    def pin(self, copy: int, link: int, *, hold: Hold | None = None) -> None:
        """Hold a link where it is, at its centre of mass."""
        point = np.array(self.stage.figure.links[link].mass.centre)
        matrix = forward_kinematics(self.stage.figure, self.stage.q[copy]).matrices[link]
        self._pin(copy, link, hold or self.hold, point, matrix[:, :3] @ point + matrix[:, 3])
        self._rebalance()

    def _pin(self, copy: int, link: int, hold: Hold, point: FloatArray, place: FloatArray) -> None:
        name = self.stage.figure.link_names[link]
        where = None if hold is Hold.ORIENTATION else place
        handle = self.puppet(copy).pin(name, hold=hold, point=point, position=where, priority=self._level(self.firm))
        self.pins[copy, link] = Pin(copy, link, hold, point, place, handle)

    def unpin(self, copy: int, link: int) -> None:
        """Let a link loose."""
        pin = self.pins.pop((copy, link))
        self.puppets[copy].release(pin.handle)
        self._awake = STILL
        self._rebalance()

    def clear_pins(self) -> None:
        """Let all links loose."""
        for copy, link in list(self.pins):
            self.unpin(copy, link)

    def pin_feet(self) -> None:
        """Pin the feet of all copies, position and orientation."""
        try:
            feet = [self.stage.figure.frame(links[0])[0] for links in named_feet(self.stage.figure).values()]
        except HitogataError:
            return  # it has no feet
        for copy in range(self.stage.count):
            for link in feet:
                if (copy, link) not in self.pins:
                    self.pin(copy, link, hold=Hold.POSE)

    def set_pins(self, pins: Iterable[Pin]) -> None:
        """These pins, where they were, and no others."""
        self.let_all_go()
        self.puppets, self.pins, self._balances, self._before = {}, {}, {}, {}
        for pin in pins:
            if pin.copy < self.stage.count and pin.link < self.stage.figure.nlinks:
                self._pin(pin.copy, pin.link, pin.hold, pin.point, pin.place)
        self._rebalance()

    def take_pose(self, q: FloatArray) -> None:
        """The first copy in another pose; its feet are pinned there."""
        self.let_all_go()
        self.stage.q[0] = q
        others = [pin for pin in self.pins.values() if pin.copy != 0]
        self.set_pins(others)
        self.pin_feet()
        self._awake = STILL

    def set_balance(self, on: bool) -> None:
        """Keep the centre of mass over the pins, or not."""
        self.balance = on
        self._rebalance()

    def set_firm(self, firm: bool) -> None:
        """Let pins come before drags, or give way to them."""
        self.firm = firm
        for pin in self.pins.values():
            self.puppets[pin.copy].set_priority(pin.handle, self._level(firm))
        for grip in self.grips.values():
            self.puppets[grip.copy].set_priority(grip.handle, self._level(not firm))

    def _level(self, first: bool) -> Priority:
        return Priority.FIRST if first else Priority.SECOND

    def _rebalance(self) -> None:
        """One balance for each copy; of no weight if it is not wanted, or nothing is pinned."""
        self._awake = STILL
        for copy, puppet in self.puppets.items():
            own = [pin for pin in self.pins.values() if pin.copy == copy]
            handles = [pin.handle for pin in own if pin.hold is not Hold.ORIENTATION]
            wanted = self.balance and bool(handles)
            if wanted and copy not in self._balances:
                self._balances[copy] = puppet.balance(handles)
            elif wanted:
                puppet.set_support(self._balances[copy], handles)
            if copy in self._balances:
                puppet.set_weight(self._balances[copy], float(wanted))

    def rest(self) -> None:
        """All copies in their neutral poses, feet pinned."""
        self.let_all_go()
        self.puppets, self.pins, self._balances, self._before = {}, {}, {}, {}
        self.stage.set_count(self.stage.count)
        self.pin_feet()
        self._rebalance()

    # ------------------------------------------------------- the mouse

    def take(self, grip: Grip) -> None:
        """See `Mode`."""
        name, puppet = self.stage.figure.link_names[grip.link], self.puppet(grip.copy)
        self._before.setdefault(grip.copy, puppet.q)
        level = self._level(not self.firm)
        grip.handle = puppet.drag(name, point=grip.point, position=grip.leash.place, priority=level)
        self._ease(grip.copy, grip)
        self._awake = STILL

    def release(self, grip: Grip) -> None:
        """See `Mode`."""
        if grip.copy in self.puppets and grip.handle in self.puppets[grip.copy].handles:
            self.puppets[grip.copy].release(grip.handle)
            self._ease(grip.copy, None)

    def _ease(self, copy: int, new: Grip | None) -> None:
        """Limbs before the trunk, but for those of the trunk that are dragged; without a drag it stays as it is."""
        held = [g for g in (*self.grips.values(), new) if g is not None and g.copy == copy and g.handle is not None]
        puppet, names = self.puppets[copy], self.stage.figure.link_names
        held = [g for g in held if g.handle in puppet.handles]
        ease_limbs(puppet, [names[g.link] for g in held])
        if not held:
            self._before.pop(copy, None)
            puppet.set_posture(time=_STAY, joints=self.stage.figure.joint_names)

    # ------------------------------------------------------- what is shown

    def velocity(self) -> FloatArray:
        """See `Mode`."""
        moving = 0 in self.puppets and self._awake > 0
        return self.puppets[0].v if moving else super().velocity()

    def marks(self) -> list[Mark]:
        """See `Mode`."""
        return [Mark(MarkKind.PIN, pin.place) for pin in self.pins.values()]

    def painted(self) -> dict[tuple[int, int], str]:
        """See `Mode`."""
        return {**dict.fromkeys(self.pins, "pin"), **super().painted()}
