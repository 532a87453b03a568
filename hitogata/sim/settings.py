"""The numbers of a world's laws."""

from dataclasses import dataclass, fields

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a world solves its steps.

    Attributes:
        sweeps: passes of projected Gauss-Seidel per step; always the same number, so a step costs the same.
        theta: weight of the end of the step in springs, 0.5 (keeps energy) to 1 (damps what it cannot resolve).
        contact_stiffness: of a contact point [N/m].
        contact_damping: of a contact point [N s/m].
        contact_margin: points nearer than this are looked after [m].
        bounce_speed: contacts that close slower do not bounce [m/s].
        range_stiffness: of limits and range walls [N m/rad].
        range_damping: of limits and range walls [N m s/rad].
        range_margin: limits nearer than this are looked after [rad], [m].
    """

    sweeps: int = 20
    theta: float = 1.0
    contact_stiffness: float = 1e5
    contact_damping: float = 1e3
    contact_margin: float = 0.02
    bounce_speed: float = 0.05
    range_stiffness: float = 1e5
    range_damping: float = 1e3
    range_margin: float = 0.05

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not np.isfinite(value) or value < 0:
                raise ArgumentError(f"settings: {field.name} must be a number, 0 or more; got {value!r}")
        if not 0.5 <= self.theta <= 1.0:
            raise ArgumentError(f"settings: theta must be between 0.5 and 1, got {self.theta}")
        if self.sweeps < 1:
            raise ArgumentError(f"settings: sweeps must be 1 or more, got {self.sweeps}")

    def numbers(self, h: float) -> FloatArray:
        """The `Law` of a step of h, flat."""
        return np.array([
            h, self.theta, self.range_stiffness, self.range_damping, self.range_margin, self.contact_stiffness,
            self.contact_damping, self.contact_margin, self.bounce_speed,
        ])  # fmt: skip
