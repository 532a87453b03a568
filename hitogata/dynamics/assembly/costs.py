"""What joining costs: the model by which schedules are compared.

Times are those of the segment kernels at width 1, in nanoseconds, fitted to whole runs on one core of an AMD EPYC
(`measure_costs` does the same on any machine).  A constant model keeps plans, and so results, the same to the bit from
run to run; give a measured one to plan for another machine.
"""

from dataclasses import dataclass, fields

from hitogata.errors import ArgumentError


@dataclass(frozen=True)
class CostModel:
    """Times of the parts of a schedule [ns].

    Attributes:
        place: rotation and angular velocity of a body.
        link: a body is put on top of an assembly with nothing open: a step of the articulated-body recursion.
        open_link: the same on an assembly with one open body.
        column: of every motion of the joint beyond the first, as a share of the two above.
        merge: two assemblies are joined at an open body, the lower with nothing open.
        open_merge: the same, the lower with one open body.
        back: a joint on the way out.
        back_merge: an open body on the way out.
        add: an inertia is added to another.
        message: from one processor to another.
    """

    place: float = 36.0
    link: float = 50.0
    open_link: float = 86.0
    column: float = 0.6
    merge: float = 440.0
    open_merge: float = 970.0
    back: float = 32.0
    back_merge: float = 70.0
    add: float = 5.0
    message: float = 100.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and 0 <= value < float("inf")):
                raise ArgumentError(f"{field.name}: a cost must be a finite number, 0 or more; got {value!r}")

    def inward(self, columns: int, below: int, soft: bool, above: int) -> float:
        """Adding a joint.

        Args:
            columns: motions of the joint.
            below: numbers of the lower assembly's interface beside its top, open rows too.
            soft: the joint hangs on an open body of the upper assembly.
            above: numbers of the upper assembly's interface beside its top.
        """
        spread = below / 6
        base = self.link + (self.open_link - self.link) * (spread if spread <= 1 else spread * (1 + spread) / 2)
        if columns != 1:
            base *= 1 + self.column * (columns - 1)
        if soft:
            wide = spread * max(above / 6, 1.0)
            base += self.merge + (self.open_merge - self.merge) * wide
        return base

    def outward(self, columns: int, soft: bool) -> float:
        """Taking it away again."""
        return self.back * (1 + self.column * max(columns - 1, 0)) + (self.back_merge if soft else 0.0)


UNIT = CostModel(place=0, link=1, open_link=1, column=0, merge=0, open_merge=0, back=0, back_merge=0, add=1, message=0)
"""Every joint costs 1, as where joints on the critical path are counted."""
