"""Twist limits over regions: continuous, as given at the points, and independent of tolerances."""

import numpy as np
import pytest

from hitogata.errors import RangeError
from hitogata.rom import BoundaryTwist, RangeOfMotion, RectangleRegion, poses
from hitogata.rom.build import pieces_of
from hitogata.rom.contact import run
from hitogata.rom.papers import radial_twist_limits
from hitogata.rom.range_layout import flat_range
from hitogata.rom.region import turned_pieces
from tests.rom import cases
from tests.rom.test_rom_range import RANGES

NAMES = [name for name in RANGES if isinstance(RANGES[name].twist, BoundaryTwist)]


def paths(rom, rng):
    """Pairs of points of the region 1e-6 rad apart: anywhere, along the boundary, around the poles."""
    region = rom.swing
    u = rng.uniform(0, region.segments, 40_000)
    b = region.at(u)
    left = cases.unit(np.cross(b, region.at(u + 1e-5) - region.at(u - 1e-5)))
    near = lambda n: 10 ** rng.uniform(-8, -1, (n, 1))
    poles = [cases.unit(k * rom.bone_axis + rng.normal(size=(8000, 3)) * near(8000)) for k in (1, -1)]
    x = np.concatenate([cases.random_points(rng, 150_000), cases.unit(b + left * near(len(u))), *poles])
    y = cases.unit(x + 1e-6 * cases.unit(np.cross(x, rng.normal(size=x.shape))))
    ok = region.contains(x) & region.contains(y)
    return x[ok], y[ok]


@pytest.mark.parametrize("name", NAMES)
def test_slope(name):
    rom = RANGES[name]
    x, y = paths(rom, np.random.default_rng(1))
    a, b = rom.twist_limits(x), rom.twist_limits(y)
    slope = max(np.abs(p - q).max() for p, q in zip(a, b, strict=True)) / 1e-6
    assert slope <= 20
    assert (a[0] <= a[1]).all()


def test_slope_through_a_long_thin_mouth():
    """Limits change from point to point; the walls of the mouth are 0.05 rad apart and the way round is long."""
    region = cases.hook()[0]
    w = np.arange(region.segments)
    rom = RangeOfMotion(region, BoundaryTwist(-1 - 0.1 * np.cos(w), 1 + 0.1 * np.sin(w), pole=(-1, 1)))
    x, y = paths(rom, np.random.default_rng(2))
    assert max(np.abs(p - q).max() for p, q in zip(rom.twist_limits(x), rom.twist_limits(y), strict=True)) / 1e-6 <= 20


@pytest.mark.parametrize("name", NAMES)
def test_given_values_at_the_points(name):
    rom = RANGES[name]
    low, high = rom.twist_limits(rom.swing.knots)
    assert np.abs(low - rom.twist.low).max() < 1e-9
    assert np.abs(high - rom.twist.high).max() < 1e-9
    for value, place in ((rom.twist.pole, rom.bone_axis), (rom.twist.antipole, -rom.bone_axis)):
        if value is not None:
            assert np.abs(np.array(rom.twist_limits(place)) - value).max() < 1e-12


def test_given_values_at_the_vertices_of_prisms():
    rom = RANGES["triangles"]
    low, high = rom.twist_limits(rom.swing.knots)
    assert np.abs(low - np.array(rom.twist.low)[list(rom.swing.loop)]).max() < 1e-9
    assert np.abs(high - np.array(rom.twist.high)[list(rom.swing.loop)]).max() < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_meaning_does_not_depend_on_tolerances(name):
    rom = RANGES[name]
    p = cases.random_points(np.random.default_rng(3), 5000)
    p = np.concatenate([p[rom.swing.contains(p)], rom.swing.boundary(500)])
    kind, constants, table = rom.twist.table(rom.swing, rom.bone_axis)
    expected = run(poses.limit_rows, p, 8, rom.flat)
    counts = set()
    for slack, fit in ((3e-3, 1e-13), (1e-4, 1e-13), (5e-4, 1e-14)):
        pieces = turned_pieces(pieces_of(rom.swing.outline, slack=slack, fit=fit), np.array(rom.swing.quat_PR))
        counts.add(len(pieces.rows))
        other = run(poses.limit_rows, p, 8, flat_range(rom.bone_axis, kind, constants, table, pieces.flat()))
        assert np.abs(other[:, :2] - expected[:, :2]).max() < 1e-9
    assert len(counts) > 1 or rom.swing.pieces.exact


@pytest.mark.parametrize("name", [n for n in RANGES if RANGES[n].flat[3] > 0])
def test_gradients(name):
    rom = RANGES[name]
    p = cases.random_points(np.random.default_rng(4), 3000)
    p = p[rom.swing.distance(p) > 1e-3]
    at = run(poses.limit_rows, p, 8, rom.flat)
    h, bad = 1e-6, 0
    way = cases.unit(np.cross(p, np.random.default_rng(5).normal(size=p.shape)))
    a, b = (run(poses.limit_rows, cases.unit(p + k * h * way), 8, rom.flat) for k in (1, -1))
    for k, gradient in ((0, at[:, 2:5]), (1, at[:, 5:8])):
        error = np.abs((a[:, k] - b[:, k]) / (2 * h) - (gradient * way).sum(1))
        bad += (error > 1e-6).sum()
    assert bad <= 4                                                        # kinks of the distance, edges of triangles


def test_on_the_boundary_nearly_linear_between_points():
    rom = RANGES["spline"]
    u = np.linspace(0, 12, 2000)
    for given, found in zip(rom.twist.at(u), rom.twist_limits(rom.swing.at(u)), strict=True):
        assert np.abs(given - found).max() < 0.01


def test_the_thesiss_radial_rule():
    region = cases.smooth()[0]
    twist = RANGES["spline"].twist
    low, high = radial_twist_limits(region, twist, region.knots)
    assert np.abs(low - twist.low).max() < 1e-9
    assert np.abs(high - twist.high).max() < 1e-9
    assert np.abs(np.array(radial_twist_limits(region, twist, [0.0, 0, 1])) - twist.pole).max() < 1e-12
    with pytest.raises(RangeError, match="not a star shape"):
        radial_twist_limits(cases.reentrant()[0], RANGES["re-entrant"].twist, [0.0, 0, 1])


def test_bad_twists():
    region = RectangleRegion((-0.3, 0.3), (0.2, 0.5))
    with pytest.raises(RangeError, match="3 knots; RectangleRegion has 4"):
        RangeOfMotion(region, BoundaryTwist([0, 0, 0], [1, 1, 1]))
    with pytest.raises(RangeError, match=r"pole = .* not inside"):
        RangeOfMotion(region, BoundaryTwist([0] * 4, [1] * 4, pole=(0, 1)))
    with pytest.raises(RangeError, match=r"\(2.0, 1.0\) at point 1 are empty"):
        BoundaryTwist([0, 2, 0], [1, 1, 1])
