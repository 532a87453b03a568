"""How a coupled range lies in memory: head, charts, region, all in one flat array.

A polytope's faces are its offset and its normal, one after the other.  A field has one `FieldAxis` per coordinate, then
its values, the last coordinate fastest.
"""

from typing import Any

from hitogata.lanes import record
from hitogata.spatial import Vec3

FACES, FIELD = 0, 1
"""Kinds of regions."""


@record
class CoupledHead:
    """What a range begins with."""

    kind: float             # FACES or FIELD
    charts: int
    size: int               # coordinates
    walls: int
    dofs: int               # velocities of all charts together
    region: int             # where it begins, from the head
    numbers: int            # in all
    per_metre: float        # 1 / length


@record
class ChartRow:
    """A chart, and where its joint stands."""

    kind: float
    iq: int                 # of its first number in q
    place: int              # of its first velocity in the row
    scale: float            # coordinates per unit of q and v: 1, or 1/length
    e: Vec3                 # of a swing and twist
    f: Vec3
    g: Vec3


@record
class FieldAxis:
    """Places of a grid along a coordinate."""

    low: float
    per_step: float
    count: float            # of a turning coordinate; 0: does not turn
    shift: float            # columns before the first place
    last: float             # the last column that has neighbours on both sides
    stride: int


_head: Any = CoupledHead
_chart: Any = ChartRow
_axis: Any = FieldAxis

HEAD: int = _head.SIZE
CHART: int = _chart.SIZE
AXIS: int = _axis.SIZE
"""Numbers in each."""

COORDINATE, SLOPE, TAPS = 0, 8, 16
"""Places in the scratch of `rows`: coordinates, slopes of the distance, and seven numbers per axis ..."""

SCRATCH = TAPS + 8 * 8
"""... and its length."""
