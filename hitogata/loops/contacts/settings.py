"""Numbers of contact by hypothesis and validity."""

from dataclasses import dataclass, fields

from hitogata.errors import ArgumentError
from hitogata.loops.arguments import positive


@dataclass(frozen=True)
class ContactSettings:
    """Numbers of the method.

    Attributes:
        touch: points nearer than this touch [m].
        impact_speed: what closes faster is an impact [m/s].
        still: slower than this is not sliding [m/s].
        correction: share of an overlap that a step takes back (C8: a prescribed acceleration of the contact).
        push_out: fastest way out of an overlap [m/s].
        static_share: static friction by kinetic friction, at least 1.
        blend: k of the laws 1 - e^(-k l) and e^(-k l) between sliding and turning, times the region's radius.
        tolerance: as for `constrained_dynamics`.
    """

    touch: float = 2e-4
    impact_speed: float = 0.02
    still: float = 1e-3
    correction: float = 0.2
    push_out: float = 0.5
    static_share: float = 1.0
    blend: float = 1.4
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        for f in fields(self):
            positive(f.name, getattr(self, f.name))
        if self.static_share < 1.0:
            raise ArgumentError(f"static_share: must be at least 1, got {self.static_share!r}")
