"""Masses of a person's links from mass and stature: regression of Zatsiorsky and Seluyanov.

    m = B₀ + B₁ mass + B₂ stature        (Zatsiorsky 2002, Kinetics of Human Motion, table A2.9; men)

Links are grouped by what their names say (`files.names`); within a group they share as they did before.  Inertia grows
with a link's mass, so that radii of gyration stay those of its size.
"""

from dataclasses import replace

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.files.names import Part, Side, figure_naming, side_and_word

REGRESSION = {
    "foot": (-0.8290, 0.00770, 0.00730),
    "shin": (-1.5920, 0.03616, 0.01210),
    "thigh": (-2.6490, 0.14630, 0.01370),
    "hand": (-0.1165, 0.00360, 0.00175),
    "forearm": (0.3185, 0.01445, -0.00114),
    "upper arm": (0.2500, 0.03012, -0.00270),
    "head": (1.2960, 0.01710, 0.01430),
    "upper trunk": (8.2144, 0.18620, -0.05840),
    "middle trunk": (7.1810, 0.22340, -0.06630),
    "lower trunk": (-7.4980, 0.09760, 0.04896),
}
"""B₀ [kg], B₁, B₂ [kg/cm]; of limbs, one side."""

HEAVIEST, TALLEST = (30.0, 200.0), (1.2, 2.3)
"""Masses [kg] and statures [m] for which it is used."""

_SEGMENTS: dict[Part, tuple[str, ...]] = {
    Part.PELVIS: ("lower trunk",), Part.TRUNK: ("upper trunk", "middle trunk"), Part.HEAD: ("head",),
    Part.UPPER_ARM: ("upper arm",), Part.FOREARM: ("forearm",), Part.HAND: ("hand",), Part.THIGH: ("thigh",),
    Part.SHIN: ("shin",), Part.FOOT: ("foot",),
}  # fmt: skip
_SAME = {Part.NECK: Part.HEAD, Part.CLAVICLE: Part.TRUNK, Part.TOES: Part.FOOT}
_WITHOUT = {
    Part.HAND: Part.FOREARM, Part.FOREARM: Part.UPPER_ARM, Part.UPPER_ARM: Part.TRUNK, Part.FOOT: Part.SHIN,
    Part.SHIN: Part.THIGH, Part.THIGH: Part.PELVIS, Part.HEAD: Part.TRUNK,
}  # fmt: skip
"""Which part has the mass of one that the figure does not have."""
_BONES = {
    "pelvis": Part.PELVIS, "torso": Part.TRUNK, "thorax": Part.TRUNK, "ulna": Part.FOREARM, "radius": Part.FOREARM,
    "talus": Part.FOOT, "calcn": Part.FOOT, "patella": Part.THIGH, "scapula": Part.TRUNK, "lunate": Part.HAND,
}  # fmt: skip


def segment_masses(mass: float, stature: float) -> dict[str, float]:
    """Masses of a person's segments [kg], of limbs one side, which add up to the mass.

    Args:
        mass: of the person [kg].
        stature: height [m].

    Raises:
        ArgumentError: no mass or stature of a person.
    """
    for value, what, (low, high), unit in ((mass, "mass", HEAVIEST, "kg"), (stature, "stature", TALLEST, "m")):
        if not low <= value <= high:
            raise ArgumentError(f"{what}: from {low:g} to {high:g} {unit} expected, got {value:g}; is it in {unit}?")
    found = {name: a + b * mass + c * 100 * stature for name, (a, b, c) in REGRESSION.items()}
    light = [name for name, m in found.items() if m <= 0]
    if light:
        raise ArgumentError(f"mass {mass:g} kg and stature {stature:g} m do not go together: no mass for {light[0]}")
    whole = sum(m * _count(name) for name, m in found.items())
    return {name: m * mass / whole for name, m in found.items()}


def with_masses(figure: Figure, mass: float, stature: float) -> Figure:
    """The figure with a person's masses.

    Args:
        figure: whose names say which part of a body each link is.
        mass: of the person [kg].
        stature: height [m].

    Raises:
        ArgumentError: a figure that is no body by its names, or no mass or stature of a person.
    """
    wanted, groups = segment_masses(mass, stature), _groups(figure)
    masses = np.array([link.mass.mass for link in figure.links])
    new = np.zeros(figure.nlinks)
    for (part, side), share in _shares(wanted, groups).items():
        own = np.array([k for k, group in enumerate(groups) if group == (part, side)])
        old = masses[own]
        new[own] = share * (old / old.sum() if old.sum() > 0 else 1 / len(own))
    links = []
    for link, m in zip(figure.links, new.tolist(), strict=True):
        times = m / link.mass.mass if link.mass.mass > 0 else 0.0
        xx, yy, zz, xy, xz, yz = (times * value for value in link.mass.inertia)
        changed = replace(link.mass, mass=m, inertia=(xx, yy, zz, xy, xz, yz)) if times else link.mass
        links.append(replace(link, mass=changed))
    return Figure(figure.name, tuple(links), figure.coupled)


def _count(segment: str) -> int:
    return 1 if "trunk" in segment or segment == "head" else 2


def _groups(figure: Figure) -> list[tuple[Part, Side]]:
    """Part and side of every link; links whose names say nothing go with the link that they hang on."""
    roles, found = figure_naming(figure).roles, []
    for k, name in enumerate(figure.link_names):
        side, word = side_and_word(name)
        part, side = roles.get(name, (_BONES.get(word), side))
        if part is not None:
            part = _SAME.get(part, part)
            found.append((part, Side.MIDDLE if part in (Part.PELVIS, Part.TRUNK, Part.HEAD) else side))
        else:
            found.append(found[figure.parents[k]] if figure.parents[k] >= 0 else (Part.PELVIS, Side.MIDDLE))
    known = {part for part, _ in found}
    if not {Part.THIGH, Part.SHIN} <= known and not {Part.UPPER_ARM, Part.FOREARM} <= known:
        raise ArgumentError(
            f"figure {figure.name!r}: its names say neither legs nor arms, so masses cannot be told from the stature; "
            "give the mass alone, which is shared out as before"
        )
    return found


def _shares(
    wanted: dict[str, float], groups: list[tuple[Part, Side]]
) -> dict[tuple[Part, Side], float]:
    """Mass of each group; that of parts that the figure does not have goes to the next one it has."""
    there = set(groups)
    root = groups[0]
    found: dict[tuple[Part, Side], float] = {}
    for part, segments in _SEGMENTS.items():
        for segment in segments:
            sides = (Side.MIDDLE,) if _count(segment) == 1 else (Side.LEFT, Side.RIGHT)
            for side in sides:
                group: tuple[Part, Side] | None = (part, side)
                while group is not None and group not in there:
                    above = _WITHOUT.get(group[0])
                    middle = above in (Part.PELVIS, Part.TRUNK, Part.HEAD)
                    group = None if above is None else (above, Side.MIDDLE if middle else side)
                group = group or root
                found[group] = found.get(group, 0.0) + wanted[segment]
    return found
