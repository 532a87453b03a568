"""Every kind of region against brute force: distance, side, nearest."""

import numpy as np
import pytest

from tests.rom import cases, oracle

POINTS = 100_000


@pytest.mark.parametrize("name", cases.CASES)
def test_region_against_brute_force(name):
    region, outline = cases.CASES[name]()
    p, offset = cases.trial_points(outline, np.random.default_rng(len(name)), POINTS)
    distance, foot, _ = region.contact(p)

    true = oracle.unsigned(outline, p)
    doubt = np.abs(np.abs(distance) - true) > 1e-11            # there the oracle looks again, more finely
    if doubt.any():
        assert doubt.sum() < 2000
        true[doubt] = oracle.unsigned(outline, p[doubt], 40_000 if doubt.sum() > 100 else 200_000)
    assert np.abs(np.abs(distance) - true).max() <= 1e-9
    assert np.abs(oracle.angle(p, foot) - true).max() <= 1e-9

    far = true > 2e-3
    assert (region.contains(p)[far] == oracle.inside(outline, p[far])).all()
    size = 0.03 * min(region.area, 4 * np.pi - region.area) ** 0.5
    near = (np.abs(offset) > 1e-9) & (np.abs(offset) < size)
    near &= np.abs(true - np.abs(offset)) < 1e-3 * np.abs(offset)          # no other wall is nearer
    assert near.sum() > 100
    assert ((distance > 0) == (offset > 0))[near].all()

    nearest = region.nearest(p)
    inside = region.contains(p)
    assert region.contains(nearest).all()
    assert (region.nearest(nearest) == nearest).all()
    assert np.abs(nearest[inside] - p[inside]).max(initial=0) < 1e-15
    assert np.abs(oracle.angle(nearest, p) - np.where(inside, 0, true)).max() <= 1e-9
    assert np.abs(np.linalg.norm(nearest, axis=1) - 1).max() < 1e-14


def test_there_are_enough_regions():
    assert len(cases.CASES) >= 40


@pytest.mark.parametrize("name", list(cases.CASES)[::3])
def test_area(name):
    """Solid angle against the share of an even grid (Fibonacci)."""
    region, _ = cases.CASES[name]()
    n = 200_000
    k = np.arange(n) + 0.5
    z, w = 1 - 2 * k / n, k * np.pi * (3 - 5**0.5)
    r = np.sqrt(1 - z * z)
    share = region.contains(np.stack([r * np.cos(w), r * np.sin(w), z], 1)).mean()
    assert abs(share * 4 * np.pi - region.area) < 2e-3


@pytest.mark.parametrize("name", list(cases.CASES)[::4])
def test_boundary_lies_on_the_boundary(name):
    region, outline = cases.CASES[name]()
    b = region.boundary(1000)
    assert b.shape == (1000, 3)
    assert oracle.unsigned(outline, b).max() < 1e-9
    assert np.abs(region.distance(b)).max() < 1e-12
