"""The triangles of a region: as large as it is, within it, and bounded by its boundary."""

import numpy as np
import pytest

from hitogata.pictures.range_surface import range_surface
from hitogata.rom import ConeRegion, RectangleRegion, SplineRegion
from hitogata.rom.human import Side, shoulder

REENTRANT = SplineRegion.through(
    [0, 0.6, 1.2, 1.8, 1.3, 1.1, 1.9, 2.7, 3.4, 4.2, 5.0, 5.7],
    [1.2, 1.0, 0.9, 0.9, 1.2, 1.7, 1.9, 1.6, 1.3, 1.1, 1.0, 1.1],
)
REGIONS = {
    "cone": ConeRegion((0, 0, 1), 0.5),
    "tiny cone": ConeRegion((0.6, 0, 0.8), 0.01),
    "wide cone": ConeRegion((0, 1, 0), 2.6),
    "rectangle": RectangleRegion((-0.3, 0.5), (-0.2, 0.9)),
    "shoulder": shoulder(Side.LEFT).swing,
    "re-entrant": REENTRANT,
}


def solid_angles(a, b, c):
    """Of spherical triangles (van Oosterom and Strackee 1983)."""
    dot = lambda x, y: (x * y).sum(1)
    return 2 * np.arctan2(dot(a, np.cross(b, c)), 1 + dot(a, b) + dot(b, c) + dot(c, a))


@pytest.mark.parametrize("name", REGIONS)
def test_surface_has_the_area_of_the_region(name):
    region = REGIONS[name]
    surface = range_surface(region)
    areas = solid_angles(*(surface.vertices[surface.faces[:, k]] for k in range(3)))
    assert areas.min() > 0, "a triangle is wound inwards"
    assert areas.sum() == pytest.approx(region.area, rel=0.01)


@pytest.mark.parametrize("name", REGIONS)
def test_edge_of_the_surface_is_the_boundary(name):
    region = REGIONS[name]
    surface = range_surface(region)
    np.testing.assert_allclose(np.linalg.norm(surface.vertices, axis=1), 1, atol=1e-12)
    assert region.distance(surface.vertices).min() > -1e-9
    edges = np.sort(surface.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, uses = np.unique(edges, axis=0, return_counts=True)
    assert uses.max() == 2
    rim = surface.vertices[np.unique(edges[uses == 1])]
    assert np.abs(region.distance(rim)).max() < 1e-9
    assert len(rim) == len(surface.boundary)


@pytest.mark.parametrize("name", REGIONS)
def test_boundary_is_followed_in_small_steps_through_all_knots(name):
    region = REGIONS[name]
    boundary = range_surface(region).boundary
    steps = np.linalg.norm(boundary - np.roll(boundary, 1, axis=0), axis=1)
    assert steps.max() < 0.12
    gaps = np.linalg.norm(region.knots[:, None] - boundary, axis=2).min(1)
    assert gaps.max() < 1e-12
