"""What can be set of the filter."""

import enum
from dataclasses import dataclass, fields

from hitogata.errors import ArgumentError


class Mode(enum.Enum):
    """How much of the motion the filter knows when it makes a frame."""

    ONLINE = "online"
    """The frames so far, no others."""
    PREVIEW = "preview"
    """The frames of a given time ahead, too."""
    RECORDING = "recording"
    """The whole motion."""


class FrameStatus(enum.IntEnum):
    """What could not be kept in a frame."""

    GOOD = 0
    RANGE_HELD = 1
    """A joint was stopped at the end of its range."""
    SOLE_LET_GO = 2
    """A sole that stands moved by more than a millimetre."""
    FAR = 3
    """The body is far from the wanted motion: it is falling, or has fallen."""
    HELD = 4
    """The frame could not be used (not finite, out of order, another figure's): the last possible state went on."""
    AIRBORNE = 5
    """Nothing stands, though the motion does not fall as what flies does: the body falls."""
    RESTARTED = 6
    """The body had fallen, and was put back on the motion: between the last frame and this one it jumps."""
    OUT_OF_REACH = 7
    """A sole is off its foothold, which is farther away than the leg and its joints' ranges let it come."""
    OVERLOADED = 8
    """A joint needs more torque than it has; how much more is in the frame's `over`."""
    TORQUE_HELD = 9
    """A joint's torque was kept at what it has; motion and forces gave way."""


@dataclass(frozen=True)
class FilterSettings:
    """Numbers of the filter; lengths and times are those of a human.

    Attributes:
        friction: of the floor.
        look_ahead: of the preview [s].
        flat: soles that stand pitched by less than this are laid flat [rad].
        smoothing: standard deviation of the filter over the motion [s].
        tracking: natural frequency with which joints are led back to the motion [rad/s].
        correction: how far the null space of a frame's equations is used to bring accelerations back towards the
            wanted ones: 1 fully, 0 not at all (the least-norm answer alone, which moves lazily).
        strongest: largest force on a corner of a sole, in body weights.
        rounds: of the plan's solver in each frame; the first frame takes twenty times as many.
        turn, place: deviations of orientation [rad] and of the centre of mass [m] that count alike in the plan.
        turn_rate, speed: deviations of their rates that count like these [rad/s], [m/s].
    """

    friction: float = 0.7
    look_ahead: float = 0.6
    smoothing: float = 0.02
    flat: float = 0.026
    tracking: float = 15.0
    correction: float = 1.0
    strongest: float = 1.5
    rounds: int = 3
    turn: float = 0.04
    place: float = 0.01
    turn_rate: float = 0.5
    speed: float = 0.3

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0.0 if field.name in ("smoothing", "flat", "correction") else 1e-9
            if not (isinstance(value, int | float) and least <= value < float("inf")):
                raise ArgumentError(f"filter settings: {field.name} must be a positive number, got {value!r}")
        if self.correction > 1.0:
            raise ArgumentError(f"filter settings: correction must lie between 0 and 1, got {self.correction!r}")
