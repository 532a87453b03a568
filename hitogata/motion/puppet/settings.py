"""The numbers of a puppet's solver."""

from dataclasses import dataclass, fields

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.motion.puppet.layout import LawMemory


@dataclass(frozen=True, kw_only=True)
class PuppetSettings:
    """How a puppet solves.

    Attributes:
        damping: κ₀ of the singularity-robust inverses in a step [m²]: larger is smoother near singular poses, and
            follows with more delay.
        error_damping: what each metre of error that the last step left adds to it [m]: targets out of reach do not
            shake the figure.
        gain: share of an error that a step mends, above 0, at most 1.
        ramp: time in which a new goal takes hold and a released one lets go [s].
        margin: limits nearer than this are part of the solve [rad], [m].
        pivots: guesses of which limits are pressed, at most.
        solve_damping: κ₀ in a solve to the end [m²].
        stride: time one iteration of a solve stands for [s]: it may go as far as the speed limits allow in it.
        point_tolerance: a solve has reached its goals when no point is farther off [m] ...
        angle_tolerance: ... and no orientation or gaze [rad].
        still: it has stalled when no joint moves by more in an iteration [rad], [m].
    """

    damping: float = 2e-3
    error_damping: float = 0.3
    gain: float = 1.0
    ramp: float = 0.2
    margin: float = 0.1
    pivots: int = 30
    solve_damping: float = 1e-6
    stride: float = 0.1
    point_tolerance: float = 1e-5
    angle_tolerance: float = 1e-5
    still: float = 1e-7

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int | float | np.number) or not np.isfinite(value) or value <= 0:
                raise ArgumentError(f"settings: {field.name} must be a number above 0, got {value!r}")
        if self.gain > 1:
            raise ArgumentError(f"settings: gain must not be above 1, got {self.gain}")

    def numbers(self) -> FloatArray:
        """The array kernels read (`layout.LawMemory`)."""
        layout = LawMemory.layout()
        out: FloatArray = layout.new_floats()
        law = layout.open(out)
        for name in LawMemory.FIELDS:
            getattr(law, name)[...] = getattr(self, name)
        return out
