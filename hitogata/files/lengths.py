"""Units of length in files, by the names that programs write."""

import enum
import math


class LengthUnit(enum.Enum):
    """A unit of length; its value is what files call it."""

    METRE = "m"
    DECIMETRE = "dm"
    CENTIMETRE = "cm"
    MILLIMETRE = "mm"
    MICROMETRE = "um"
    INCH = "in"
    FOOT = "ft"

    @property
    def metres(self) -> float:
        """Its length [m]."""
        return 1.0 / self.per_metre

    @property
    def per_metre(self) -> float:
        """How many of them are a metre; exact for the metric ones, so that dividing by it rounds once."""
        return _PER_METRE[self]


_PER_METRE = {
    LengthUnit.METRE: 1.0,
    LengthUnit.DECIMETRE: 10.0,
    LengthUnit.CENTIMETRE: 100.0,
    LengthUnit.MILLIMETRE: 1000.0,
    LengthUnit.MICROMETRE: 1e6,
    LengthUnit.INCH: 1.0 / 0.0254,
    LengthUnit.FOOT: 1.0 / 0.3048,
}

_NAMES = {
    "m": LengthUnit.METRE, "meter": LengthUnit.METRE, "metre": LengthUnit.METRE,
    "dm": LengthUnit.DECIMETRE, "decimeter": LengthUnit.DECIMETRE, "decimetre": LengthUnit.DECIMETRE,
    "cm": LengthUnit.CENTIMETRE, "centimeter": LengthUnit.CENTIMETRE, "centimetre": LengthUnit.CENTIMETRE,
    "mm": LengthUnit.MILLIMETRE, "millimeter": LengthUnit.MILLIMETRE, "millimetre": LengthUnit.MILLIMETRE,
    "um": LengthUnit.MICROMETRE, "µm": LengthUnit.MICROMETRE, "micrometer": LengthUnit.MICROMETRE,
    "micrometre": LengthUnit.MICROMETRE, "micron": LengthUnit.MICROMETRE,
    "in": LengthUnit.INCH, "inch": LengthUnit.INCH, "inche": LengthUnit.INCH,
    "ft": LengthUnit.FOOT, "foot": LengthUnit.FOOT, "feet": LengthUnit.FOOT,
}  # fmt: skip


def length_unit(text: str) -> LengthUnit | None:
    """The unit that a file names ("mm", "Millimeters", "[m]"); None if it is not known."""
    word = text.strip().strip("[]()").strip().lower()
    return _NAMES.get(word) or _NAMES.get(word.removesuffix("s"))


def nearest_unit(size: float, target: float) -> LengthUnit:
    """The unit in which a size comes nearest to a target [m], by ratio; size > 0."""
    return min(LengthUnit, key=lambda unit: abs(math.log(size / unit.per_metre / target)))
