"""The numbers of a world's laws."""

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.sim.arguments import number, whole
from hitogata.sim.coordinates import ContactMethod

POSITIVE = ("longest_fast_step", "fast_turn", "contact_mass", "contact_depth", "contact_stiffness", "push_out_speed",
            "range_stiffness", "sleep_after")  # fmt: skip
ENDLESS = ("longest_fast_step", "contact_mass", "contact_depth", "push_out_speed", "range_stiffness", "sleep_after")
"""Settings that must not be 0, and those that may be infinite."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a world solves its steps.

    Attributes:
        sweeps: passes of projected Gauss-Seidel over an island per step, at the most; up to four times as many while
            something is jammed, that is, while they still mend more than 0.1 m/s or rad/s; and ten times this work
            where Newton's method helps.  `World.solver_tally` counts what was done.
        tolerance: sweeps end early once none mends a speed by more than this [m/s], [rad/s]; 0: never, and neither
            jams nor Newton's method get more, so that a step always costs the same.
        theta: weight of the end of the step in springs, 0.5 (no damping of its own) to 1 (damps what it cannot
            resolve at once); see `constraints.springs`.
        keep_energy: let fast trees keep the kinetic energy and angular momentum that large steps would lose.  Not in
            maximal coordinates.
        slow_taut: slow what is pulled apart so hard that it would swing faster than steps can follow; see
            `sim.geometric_stiffness`.  Not in maximal coordinates.
        islands: figures that do not touch are solved each on its own, for as many sweeps as it needs.
        longest_fast_step: while something turns fast, steps are cut into pieces no longer than this [s]; `inf`: never.
        fast_turn: what turns by more than this within a step is fast [rad]; in a piece it turns by twice as much at the
            most, unless that takes more than 16.
        contact_stiffness: of a contact point of a figure or body of `contact_mass` [N/m].
        contact_damping: the same [N s/m].
        contact_mass: heavier figures and bodies have firmer contacts, lighter ones softer ones, in proportion; the
            lighter of two counts [kg].  Infinite: all have the same.
        contact_depth: where figures overlap by more than this, contacts harden: force grows with the square of the
            overlap, up to a hundred times this; what overlaps by more is parted softly [m].  Infinite: contacts are
            springs, however deep.
        contact_margin: points nearer than this are looked after, and those that may come as near within the step [m].
        push_out_speed: bodies that overlap are parted no faster [m/s].
        bounce_speed: contacts that close slower do not bounce [m/s].
        contacts: how the impulses of a step are found.
        static_share: friction of what sticks, by that of what slides, at least 1; for contact by states only.
        range_stiffness: of limits and range walls [N m/rad]; infinite: hard.  For single joints: `Member.set_wall`.
        range_damping: of limits and range walls [N m s/rad].
        range_margin: limits nearer than this are looked after [rad], [m].
        hard_wall_share: of what is beyond a hard wall, this share comes back per step.
        joint_correction: of a joint's gap, this share is pulled in per step (maximal coordinates only).
        sleep_after: figures that touch fall asleep once all of them have been at rest for so long [s]; infinite: never.
            See `sim.sleep`.  Only with islands, and in reduced coordinates.
        sleep_speed: what moves slower is at rest [m/s], [rad/s].
        contact_events: room for so many contact events between two readings (`World.contact_events`); 0: none are kept.
    """

    sweeps: int = 50
    tolerance: float = 1e-6
    theta: float = 0.65
    keep_energy: bool = True
    slow_taut: bool = True
    islands: bool = True
    longest_fast_step: float = 1 / 40
    fast_turn: float = 0.2
    contact_stiffness: float = 1e5
    contact_damping: float = 1e3
    contact_mass: float = 1.0
    contact_depth: float = 2e-5
    contact_margin: float = 0.02
    push_out_speed: float = 1.0
    bounce_speed: float = 0.05
    contacts: ContactMethod = ContactMethod.SWEEPS
    static_share: float = 1.0
    range_stiffness: float = 1e5
    range_damping: float = 1e3
    range_margin: float = 0.05
    hard_wall_share: float = 0.2
    joint_correction: float = 0.2
    sleep_after: float = math.inf
    sleep_speed: float = 0.01
    contact_events: int = 0

    @classmethod
    def games(cls, **changes: Any) -> "Settings":
        """For games: what rests for half a second sleeps, also what still creeps a little, and events are kept.

        Args:
            changes: other attributes.
        """
        return cls(**{"sleep_after": 0.5, "sleep_speed": 0.05, "contact_events": 256, **changes})

    def __post_init__(self) -> None:
        for field in fields(self):
            value, name = getattr(self, field.name), f"settings: {field.name}"
            if field.name in ("keep_energy", "slow_taut", "islands"):
                if not isinstance(value, bool | np.bool_):
                    raise ArgumentError(f"{name}: must be True or False, got {value!r}")
            elif field.name == "contacts":
                if not isinstance(value, ContactMethod):
                    raise ArgumentError(f"{name}: must be a ContactMethod, got {value!r}")
            elif field.name == "sweeps":
                whole(value, name, least=1)
            elif field.name == "contact_events":
                whole(value, name)
            else:
                number(value, name, positive=field.name in POSITIVE, infinite=field.name in ENDLESS)
        if not 0.5 <= self.theta <= 1.0:
            raise ArgumentError(f"settings: theta: must be between 0.5 and 1, got {self.theta!r}")
        if self.static_share < 1:
            raise ArgumentError(f"settings: static_share: must be at least 1, got {self.static_share!r}")
        if self.joint_correction > 1:
            raise ArgumentError(f"settings: joint_correction must be between 0 and 1, got {self.joint_correction}")
        if self.sleeps and not self.islands:
            raise ArgumentError("settings: sleep_after: figures sleep by islands; islands must be True")

    @property
    def sleeps(self) -> bool:
        """Does anything ever fall asleep?"""
        return self.sleep_after < math.inf

    def numbers(self, gravity: tuple[float, float, float]) -> FloatArray:
        """The `Law` of a world, flat."""
        return np.array([
            self.theta, self.keep_energy, self.slow_taut, self.tolerance, self.hard_wall_share, self.range_margin,
            self.contact_stiffness, self.contact_damping, self.contact_mass, self.contact_margin,
            float(np.linalg.norm(gravity)), self.push_out_speed, self.bounce_speed,
            self.static_share, self.islands, self.contact_depth,
        ])  # fmt: skip
