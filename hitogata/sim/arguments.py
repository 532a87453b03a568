"""What users give a world, checked: an ArgumentError names the argument, the value, and what was expected."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, HeightField, JointKind, Plane, State
from hitogata.figure.pose import FloatArray

STRONGEST = 1e9
"""Greatest gravity [m/s²]: beyond any star but the dead ones."""


LIGHTEST, HEAVIEST = 1e-30, 1e30
"""Mass of a link [kg]: an electron's, half the sun's."""


def number(
    value: Any, name: str, *, positive: bool = False, infinite: bool = False, most: float = math.inf
) -> float:
    """One number, 0 or more, or positive; infinite only where allowed."""
    wanted = "a positive number" if positive else "a number, 0 or more"
    result = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not (result > 0 if positive else result >= 0):
        raise ArgumentError(f"{name}: must be {wanted}; got {value!r}")
    if result == math.inf and not infinite:
        raise ArgumentError(f"{name}: must be finite, got {value!r}")
    if result > most:
        raise ArgumentError(f"{name}: must be {most:g} at the most, got {value!r}")
    return result


def whole(value: Any, name: str, *, least: int = 0, most: int | None = None) -> int:
    """A whole number within bounds."""
    result = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else least - 1
    if result < least or (most is not None and result > most):
        bounds = f"{least} or more" if most is None else f"{least} to {most}"
        raise ArgumentError(f"{name}: must be a whole number, {bounds}; got {value!r}")
    return result


def numbers(values: Any, count: int, name: str) -> FloatArray:
    """So many finite numbers."""
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (count,) or not np.isfinite(array).all():
        raise ArgumentError(f"{name}: expected {count} finite numbers, got {values!r}")
    return array


def gravity_of(gravity: Any) -> tuple[float, float, float]:
    """An acceleration [m/s²]."""
    x, y, z = numbers(gravity, 3, "gravity").tolist()
    if math.hypot(x, y, z) > STRONGEST:
        raise ArgumentError(f"gravity: must be {STRONGEST:g} m/s² at the most, got {gravity!r}")
    return x, y, z


def mass_of(mass: float, name: str) -> float:
    """A mass with which kernels can reckon: squares of masses and of inertias must be numbers [kg]."""
    if not LIGHTEST <= mass <= HEAVIEST:
        raise ArgumentError(f"{name}: must be between {LIGHTEST:g} and {HEAVIEST:g} kg, got {mass!r}")
    return mass


_NAMES: dict[type, str] = {Plane: "plane", HeightField: "height field"}


def figure_of(figure: Any) -> Figure:
    """A figure that a world can hold: planes and height fields only on links that never move."""
    if not isinstance(figure, Figure):
        raise ArgumentError(f"figure: expected a Figure, got {figure!r}")
    for i, link in enumerate(figure.links):
        if link.mass.mass > 0.0:  # those without mass are the figure's business
            mass_of(link.mass.mass, f"figure {figure.name!r}, link {link.name!r}: mass [kg]")
        ground = [shape for shape in link.shapes if isinstance(shape, Plane | HeightField)]
        if ground:
            while i >= 0 and figure.links[i].joint.kind is JointKind.FIXED:
                i = figure.parents[i]
            if i >= 0:
                raise ArgumentError(
                    f"figure {figure.name!r}, link {link.name!r}: a {_NAMES[type(ground[0])]} that moves is not "
                    "supported; use a Box, or `World.add_ground` for what stays"
                )
    return figure


def state_of(figure: Figure, state: Any) -> State:
    """One state of a figure."""
    if not isinstance(state, State):
        raise ArgumentError(f"state: expected a State(q, v), got {state!r}")
    if state.q.ndim != 1:
        raise ArgumentError(f"state: expected one state, got a batch of {len(state.q)}")
    state.check(figure)
    return state


def pairs_of_links(figure: Figure, pairs: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of names of links."""
    try:
        result = tuple((a, b) for a, b in pairs)
    except (TypeError, ValueError):
        raise ArgumentError(f"ignored: expected pairs of links of {figure.name!r}, got {pairs!r}") from None
    for a, b in result:
        _ = figure.link_index(a), figure.link_index(b)
    return result
