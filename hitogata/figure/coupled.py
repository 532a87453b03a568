"""Ranges over several joints of a figure: are they about joints that it has, and where do these stand?"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.joint import JointKind
from hitogata.figure.pose import FloatArray
from hitogata.rom.coupled.chart import Angle, Chart, Position, SwingTwist
from hitogata.rom.coupled.range import CoupledRange

if TYPE_CHECKING:
    from hitogata.figure.figure import Figure

_KINDS: dict[type[Chart], tuple[JointKind, ...]] = {
    Angle: (JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL, JointKind.COMPOUND, JointKind.FUNCTION),
    SwingTwist: (JointKind.BALL, JointKind.FREE),
    Position: (JointKind.FREE,),
}


class BoundRange(NamedTuple):
    """A range of a figure, as kernels see it.

    Attributes:
        owner: number of the outermost link that its joints move.
        flat: see `rom.coupled.layout`; numbers of q as they stand in the figure's, velocities by their place on the way
            from the root to the owner.
        walls: rows that it may have.
    """

    owner: int
    flat: FloatArray
    walls: int


def checked_ranges(ranges: Any, figure: "Figure") -> tuple[CoupledRange, ...]:
    """The ranges as a tuple.

    Raises:
        FigureError: they are no ranges, or about joints that the figure has not, or that are not on one way.
    """
    try:
        given = tuple(ranges)
    except TypeError:
        raise FigureError(f"coupled: expected a list of CoupledRange, got {ranges!r}") from None
    for range_ in given:
        if not isinstance(range_, CoupledRange):
            raise FigureError(f"coupled: expected only CoupledRange, got {range_!r}")
        for chart in range_.charts:
            _check_chart(chart, range_, figure)
        owner_of(range_, figure)
    return given


def _check_chart(chart: Chart, range_: CoupledRange, figure: "Figure") -> None:
    joint = figure.links[figure.joint_index(chart.joint)].joint
    kind = joint.kind
    what = f"{range_.name}: {type(chart).__name__} of {chart.joint!r}, which is a {kind.value} joint"
    if kind not in _KINDS[type(chart)]:
        raise FigureError(what)
    if isinstance(chart, Angle):
        if not joint.follows and chart.index < joint.nq and chart.metres != (joint.screws[chart.index].turn == 0.0):
            raise FigureError(f"{what}: metres must be {not chart.metres}")
        if chart.index >= joint.nq:
            many = "one coordinate" if joint.nq == 1 else f"{joint.nq} coordinates"
            raise FigureError(f"{what}: it has {many}, not {chart.index + 1}")


def owner_of(range_: CoupledRange, figure: "Figure") -> int:
    """Number of the outermost link that the joints of a range move.

    Raises:
        FigureError: they are not on one way from the root outwards.
    """
    links = [figure.joint_index(name) for name in range_.joints]
    owner = max(links)
    above, i = set[int](), owner
    while i >= 0:
        above.add(i)
        i = figure.parents[i]
    for name, link in zip(range_.joints, links, strict=True):
        if link not in above:
            end = figure.joint_names[owner]
            raise FigureError(f"{range_.name}: joint {name!r} is not between the root and {end!r}")
    return owner


def bound_ranges(figure: "Figure") -> tuple[BoundRange, ...]:
    """All ranges over several joints, bound to a figure; made once and kept with it."""
    bound: tuple[BoundRange, ...] | None = figure.compiled.get("coupled")
    if bound is None:
        bound = figure.compiled["coupled"] = tuple(_bound(range_, figure) for range_ in figure.coupled)
    return bound


def _bound(range_: CoupledRange, figure: "Figure") -> BoundRange:
    owner, chain = owner_of(range_, figure), list[int]()
    i = owner
    while i >= 0:
        chain = [*range(figure.v_starts[i], figure.v_starts[i] + figure.links[i].joint.nv), *chain]
        i = figure.parents[i]
    places = [(iq, chain.index(iv)) for iq, iv in chart_places(range_, figure)]
    return BoundRange(owner, range_.flat_at(places), range_.region.walls)


def chart_places(range_: CoupledRange, figure: "Figure") -> list[tuple[int, int]]:
    """Where the first number of each chart stands in q, and its first velocity in v."""
    places = []
    for chart in range_.charts:
        i = figure.joint_index(chart.joint)
        free = figure.links[i].joint.kind is JointKind.FREE
        index = chart.index if isinstance(chart, Angle) else 0
        turning = 3 * (free and isinstance(chart, SwingTwist))
        sliding = 3 * isinstance(chart, Position)
        places.append((figure.q_starts[i] + index + turning, figure.v_starts[i] + index + sliding))
    return places


def pose_in(range_: CoupledRange, figure: "Figure", q: FloatArray) -> FloatArray:
    """The part of the figure's coordinates (nq,) or (n, nq) that a range is about, in the order of its charts."""
    places = [k for c, (iq, _) in zip(range_.charts, chart_places(range_, figure), strict=True)
              for k in range(iq, iq + c.nq)]  # fmt: skip
    found: FloatArray = np.asarray(q, np.float64)[..., places]
    return found
