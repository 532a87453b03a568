"""Shapes and masses for a skeleton of bare bones: capsules along the bones, as thick as a human's."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hitogata.figure import Capsule, MassProperties, Shape, Sphere
from hitogata.figure.values import FloatArray
from hitogata.files.names import Part

DENSITY = 1050.0
"""Of the body, lungs left out [kg/m³] (Winter 2009, ch. 4: 1.04 to 1.07 g/cm³ for usual builds)."""

_RADII: Mapping[Part, float] = {
    Part.PELVIS: 0.125, Part.TRUNK: 0.125, Part.NECK: 0.065, Part.HEAD: 0.105, Part.CLAVICLE: 0.06,
    Part.UPPER_ARM: 0.052, Part.FOREARM: 0.042, Part.HAND: 0.03, Part.THIGH: 0.085, Part.SHIN: 0.056,
    Part.FOOT: 0.042, Part.TOES: 0.032,
}  # fmt: skip
"""Radius of a part as a share of the leg's length, hip to ankle."""

SLENDER = 0.16
"""Radius of any other bone as a share of its length."""

LONGEST = 1.2
"""A bone longer than this share of the leg is none, but a wrong number: it gets no body."""

_LEAST = 1e-3  # shortest bone and smallest radius [m]
_LIMBS = (Part.CLAVICLE, Part.UPPER_ARM, Part.THIGH)  # hang on the trunk by bones no thicker than themselves


class Bone(NamedTuple):
    """A bone from a link's origin to a point [m], where a part of the body begins (None: unknown, or an end site)."""

    end: FloatArray
    part: Part | None


def bone_shapes(bones: Sequence[Bone], part: Part | None, leg: float | None) -> tuple[Shape, ...]:
    """Shapes of a link: a capsule along each of its bones; a ball if there is none with a length.

    Args:
        bones: to its children and end sites, in the link's frame.
        part: which part of the body it is, if known.
        leg: hip to ankle [m], if known.
    """
    thick = _RADII[part] * leg if part is not None and leg is not None else None
    if thick is not None and any(bone.part is not None for bone in bones):
        bones = [bone for bone in bones if bone.part is not None]  # others serve drawing programs
    shapes = []
    for bone in bones:
        length = float(np.linalg.norm(bone.end))
        if length < _LEAST or (leg is not None and length > LONGEST * leg):
            continue
        radius = SLENDER * length if thick is None else thick
        if bone.part in _LIMBS and bone.part is not None and leg is not None:
            radius = min(radius, _RADII[bone.part] * leg)
        shapes.append(Capsule.between((0, 0, 0), bone.end, max(radius, _LEAST)))
    return tuple(shapes) or (Sphere(thick or (0.02 * leg if leg else 0.01)),)


def bone_mass(shapes: tuple[Shape, ...], density: float) -> MassProperties:
    """Mass properties of a link's shapes, for a density [kg/m³]."""
    return MassProperties.combined(shape.mass_properties(density) for shape in shapes)
