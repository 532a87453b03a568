"""Fingerprints of reached code: equal for what compiles to the same, and for nothing else."""

import sys
import types

import pytest

from hitogata.lanes.stamps import reached_code

SOURCE = '''
"""A module."""
import enum
from typing import Any, NamedTuple

import numpy as np

from hitogata.lanes import X4, Floats, entry, inline, kernel, lanes, record, records, struct

import beside_stamps as other

TABLE = np.array([1.0, 2.0])
LIMITS = {"low": (0.0, 1.0)}
UNUSED = 1.0


class Kind(enum.IntEnum):
    HINGE = 1
    BALL = 2


@struct
class Pair:
    """Two numbers."""
    x: float
    y: float

    def __add__(self, o):
        return Pair(self.x + o.x, self.y + o.y)

    @property
    def sum(self):
        return self.x + self.y


@record
class Place:
    first: Pair
    second: float


class Views(NamedTuple):
    places: Any
    turn: Any


@inline
def turned(p, by=0.5):
    """Half."""
    return Pair(p.x * by, p.y * other.SCALE)


@inline
def unused(x):
    return x + 1.0


@kernel
def move(views):
    # a comment
    for i in range(int(Kind.BALL)):
        place = views.places[i]
        place.first = views.turn(place.first) + place.first
        place.second = TABLE[0] + place.first.sum + LIMITS["low"][0]


@entry(array=Floats(1, write=True))
def run(array):
    move(Views(records(array, Place, X4), turned))
'''


def stamp(source=SOURCE, scale=2.0):
    other = types.ModuleType("beside_stamps")
    other.__file__, other.SCALE = "beside_stamps.py", scale
    sys.modules["beside_stamps"] = other
    module = types.ModuleType("stamped")
    sys.modules["stamped"] = module
    try:
        exec(compile(source, "stamped.py", "exec"), vars(module))
        return reached_code(module.run)
    finally:
        del sys.modules["beside_stamps"], sys.modules["stamped"]


def changed(old, new):
    assert old in SOURCE
    return stamp(SOURCE.replace(old, new))


@pytest.mark.parametrize(("old", "new"), [
    ("Half.", "By half."), ("A module.", "The module."), ("Two numbers.", "A pair."), ("# a comment", "#"),
    ("UNUSED = 1.0", "UNUSED = 2.0"), ("return x + 1.0", "return x + 2.0"), ("TABLE = np", "\n\nTABLE = np"),
    ("turn: Any", "turn: object"),
])
def test_what_does_not_matter(old, new):
    assert changed(old, new) == stamp()


@pytest.mark.parametrize(("old", "new"), [
    ("1.0, 2.0", "1.0, 3.0"), ("(0.0, 1.0)", "(0.5, 1.0)"), ("BALL = 2", "BALL = 3"), ("self.y + o.y", "self.y - o.y"),
    ("self.x + self.y", "self.x * self.y"), ("    second: float", "    zeroth: float\n    second: float"),
    ("by=0.5", "by=0.25"), ("p.x * by", "p.x + by"), ("@kernel", "@kernel(inline=True)"), ("Floats(1,", "Floats(2,"),
    ("Place, X4)", "Place, X4, 0)"), ("import X4,", "import X1 as X4,"), ("TABLE[0]", "TABLE[1]"),
    ("    x: float\n    y: float", "    y: float\n    x: float"), ("2.0])", "2.0], np.float32)"),
])
def test_what_matters(old, new):
    assert changed(old, new) != stamp()


def test_attributes_of_modules_matter():
    assert stamp(scale=2.0) == stamp() != stamp(scale=2.5)
