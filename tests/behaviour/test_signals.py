import numpy as np
import pytest

from hitogata.behaviour import Target, band_passed, envelope, looked_at, normalised
from hitogata.errors import ArgumentError


def test_envelope_of_a_modulated_carrier():
    """The mean of |sin| is 2/π, so the envelope is 2/π times the modulation."""
    rate = 2000.0
    t = np.arange(0, 6, 1 / rate)
    modulation = 1.0 + 0.5 * np.sin(2 * np.pi * 1.0 * t)
    raw = modulation * np.sin(2 * np.pi * 120.0 * t) + 3.0 + 0.5 * np.sin(2 * np.pi * 2.0 * t)
    found = envelope(raw, rate)
    inner = slice(2000, -2000)
    assert found[inner] == pytest.approx(2 / np.pi * modulation[inner], rel=0.02)
    assert np.abs(band_passed(np.full(8000, 5.0), rate)).max() < 1e-9


def test_gaps_of_emg_stay_gaps():
    raw = np.random.default_rng(0).normal(size=(4000, 2))
    raw[1000:1200, 1] = np.nan
    found = envelope(raw, 1000.0)
    assert np.isnan(found[1000:1200, 1]).all()
    assert np.isfinite(found[:1000]).all()
    shares = normalised(found)
    assert 0.9 < np.nanmax(shares) < 2.0
    with pytest.raises(ArgumentError, match="one positive number per channel"):
        normalised(found, [1.0])
    with pytest.raises(ArgumentError, match="cannot be passed"):
        band_passed(raw, 30.0)


def test_rays_meet_the_nearest_ball():
    targets = [Target("far", (10.0, 0, 0), 1.0), Target("near", (5.0, 0.2, 0), 0.5)]
    o = np.zeros((4, 3))
    d = np.array([[2.0, 0, 0], [0, 1.0, 0], [10, 0.95, 0], [np.nan, 0, 0]])
    found, points = looked_at(o, d, targets)
    assert found.tolist() == [1, -1, 0, -1] or found.tolist() == [1, -1, 1, -1]
    assert np.linalg.norm(points[0] - [5.0, 0.2, 0]) == pytest.approx(0.5)
    assert np.isnan(points[1]).all()
    rng = np.random.default_rng(0)
    o, d = rng.normal(size=(200, 3)), rng.normal(size=(200, 3))
    found, points = looked_at(o, d, targets)
    s = np.linspace(0, 30, 30001)
    for k in range(200):  # marching along the ray
        way = o[k] + s[:, None] * d[k] / np.linalg.norm(d[k])
        outside = np.stack([np.linalg.norm(way - np.array(t.centre), axis=1) - t.radius for t in targets])
        hits = np.flatnonzero((outside < 0).any(axis=0))
        assert (found[k] >= 0) == (len(hits) > 0)
        if len(hits):
            assert np.linalg.norm(points[k] - way[hits[0]]) < 2e-3
