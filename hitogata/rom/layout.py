"""How a region lies in memory: one flat array of numbers, so that the regions of many joints can follow one another.

    Head | count × Piece | count × polynomial (absent if the arcs are the boundary)

Offsets in the head count from the head: a region may be moved, and a kernel finds it by `tail(view, start)`.
"""

from typing import Any

from hitogata.lanes import record
from hitogata.spatial import Mat3, Vec3

DEGREE = 11
"""Of the polynomials; 9 to 13 are about equally fast."""

ROW = 3 * (DEGREE + 1)
"""Numbers per polynomial: coefficients of x, y, z, highest power first."""

EDGE = 1e-12
"""Width of a boundary [rad]: a point this little outside counts as inside, so that nearest(p) is always inside."""


@record
class Head:
    """What a region begins with."""

    count: int              # pieces
    exact: float            # 1: the arcs are the boundary; 0: the polynomials are
    slack: float            # the largest of the pieces'
    edge: float             # EDGE, or its like in single precision
    step: float             # Newton stops below this: the next step would be at rounding
    polynomials: int        # where they begin, from the head
    size: int               # numbers in all
    spare: float


@record
class Piece:
    """A piece of boundary: an arc and, unless that is exact, how far the true curve strays from it."""

    frame: Mat3             # rows: towards the middle of the arc, along it there, axis
    height: float           # of the arc's plane along the axis: cosine of the arc's radius
    radius: float           # its sine
    cos: float              # of half the arc's angle about the axis
    sin: float
    half: float             # that half angle
    slack: float            # the curve stays this near to the arc (chord)
    focal: float            # only if p is this near to the axis line may the piece hold two places that are nearest
    start: Vec3
    inward0: Vec3           # tangent at the start that halves the region's corner there
    stop: Vec3
    inward1: Vec3


_head: Any = Head
_piece: Any = Piece

HEAD: int = _head.SIZE
"""Numbers in a head."""

PIECE: int = _piece.SIZE
"""Numbers in a piece."""

AT: dict[str, int] = _piece.OFFSETS
"""Where a piece's fields begin."""
