"""A loose rigid body: a figure of one link."""

from functools import lru_cache

from hitogata.figure import Figure, FigureBuilder, Shape, joint

_KEPT = 256


def body_figure(name: str, shapes: tuple[Shape, ...], density: float | None, mass: float | None) -> Figure:
    """A figure of one link that can go anywhere; like ones are one, so that a hundred balls are compiled once.

    Args:
        name: of figure and link.
        shapes: what it is made of, in its frame.
        density: [kg/m³]; None: see mass.
        mass: of all of it [kg].
    """
    try:
        hash((name, shapes, density, mass))
    except TypeError:
        return _built(name, shapes, density, mass)
    return _kept(name, shapes, density, mass)


def _built(name: str, shapes: tuple[Shape, ...], density: float | None, mass: float | None) -> Figure:
    builder = FigureBuilder(name)
    builder.add(name, None, joint.free(), shapes=shapes, density=density, total_mass=mass)
    return builder.build()


_kept = lru_cache(_KEPT, typed=True)(_built)
