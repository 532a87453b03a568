"""Changes of ranges over several joints: walls, a brush, sections."""

import numpy as np
import pytest

from hitogata.errors import RangeError
from hitogata.rom.coupled import Angle, CoupledRange, Polytope, Position, SwingTwist, box
from hitogata.rom.coupled import edits as changes
from tests.sim.test_coupled_ranges import RANGES

CHARTS = SwingTwist("shoulder", (0.0, 0.0, -1.0)), Angle("elbow")


def poses(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.uniform((-1.2, -1.2, -2.0, -2.4), (1.2, 1.2, 2.0, 0.2), (n, 4))
    return y, changes.at_coordinates(CoupledRange(CHARTS, box((0, 1), None, None, None)), y)


def test_coordinates_there_and_back():
    y, q = poses(50)
    np.testing.assert_allclose(RANGES["faces"].coordinates(q), y, atol=1e-12)


def test_walls_move_come_and_go():
    range_, (_, q) = RANGES["faces"], poses(400)

    def distance(r):
        normals = np.array(r.region.normals)
        return (np.array(r.region.offsets) - r.coordinates(q) @ normals.T) / np.linalg.norm(normals, axis=1)

    before = distance(range_)
    np.testing.assert_allclose(distance(changes.grown(range_, 0.1)), before + 0.1, atol=1e-12)
    moved = distance(changes.moved_wall(range_, 2, -0.2))
    np.testing.assert_allclose(moved - before, np.eye(8)[2] * -0.2 + np.zeros_like(before), atol=1e-12)
    more = changes.with_wall(range_, q[0], (1.0, 0.0, 0.0, 2.0))
    assert len(more.region.offsets) == 9
    assert distance(more)[0, 8] == pytest.approx(0.0, abs=1e-12)
    assert changes.without_wall(more, 8).region == range_.region


def test_a_polytope_as_a_field_is_the_same_range():
    range_, (_, q) = RANGES["faces"], poses(2000)
    field = changes.as_field(range_)
    assert changes.as_field(field) is field
    a, b = range_.contains(q), field.contains(q)
    assert (a & b).sum() / (a | b).sum() > 0.85
    clear = np.abs(range_.room(q)) > 0.15  # a grid of 21 places to a coordinate rounds edges and corners
    assert np.array_equal(a[clear], b[clear])


@pytest.mark.parametrize("allowed", [True, False])
def test_a_brush(allowed):
    """What is near becomes so, and beyond a radius and two places of the grid nothing changes."""
    range_, (y, q) = RANGES["field"], poses(3000)
    centre = q[np.flatnonzero(range_.contains(q) != allowed)[0]]
    new = changes.brushed(range_, centre, 0.45, allowed=allowed)
    away = y - range_.coordinates(centre)[0]
    far = np.linalg.norm(away, axis=1)
    assert (new.contains(q[far < 0.2]) == allowed).all()
    beyond = far > 0.45 + 0.6
    assert (new.contains(q[beyond]) == range_.contains(q[beyond])).mean() > 0.995
    assert new.name == range_.name


def test_sections():
    range_ = RANGES["faces"]
    q = changes.at_coordinates(range_, [[0.1, 0.2, 0.0, -1.0]])[0]
    x, y, room = changes.section(range_, q, 0, 3, 32)
    assert x[0] < -0.8 - 0.3 < 1.1 < x[-1] + 0.5
    i, j = 20, 12
    here = changes.at_coordinates(range_, [[x[i], 0.2, 0.0, y[j]]])[0]
    assert room[i, j] == pytest.approx(range_.room(here), abs=1e-12)
    pieces = changes.outline(*changes.section(range_, q, 0, 3, 72))
    rows = np.column_stack([pieces.reshape(-1, 2)[:, 0], *np.tile([[0.2], [0.0]], len(pieces) * 2),
                            pieces.reshape(-1, 2)[:, 1]])  # fmt: skip
    assert np.abs(range_.room(changes.at_coordinates(range_, rows))).max() < 0.01
    assert changes.coordinate_names(range_) == ["shoulder a", "shoulder b", "shoulder twist", "elbow"]


def test_a_body_that_slides():
    walls = box((-0.1, 0.1), None, (0.0, 0.2), (-1.0, 1.0))
    range_ = CoupledRange((Position("blade"), Angle("turn")), walls, length=0.1)
    ends = changes.extent(range_)
    assert ends[0] == pytest.approx((-0.6, 0.6))
    assert ends[1][1] > 1.0
    assert changes.coordinate_names(range_) == ["blade x", "blade y", "blade z", "turn"]


def test_what_is_refused():
    faces, field = RANGES["faces"], RANGES["field"]
    q = changes.at_coordinates(faces, [[0.0, 0.0, 0.0, -1.0]])[0]
    with pytest.raises(RangeError, match="a Field has no faces"):
        changes.moved_wall(field, 0, 0.1)
    with pytest.raises(RangeError, match="wall 8: it has 8"):
        changes.without_wall(faces, 8)
    with pytest.raises(RangeError, match="a brush needs a field"):
        changes.brushed(faces, q, 0.1, allowed=True)
    with pytest.raises(RangeError, match="radius = 0"):
        changes.brushed(field, q, 0.0, allowed=True)
    with pytest.raises(RangeError, match="normal: 4 numbers"):
        changes.with_wall(faces, q, (1.0, 0.0))
    with pytest.raises(RangeError, match="last wall"):
        changes.without_wall(CoupledRange((Angle("a"),), Polytope([[1.0]], [1.0])), 0)
    with pytest.raises(RangeError):
        changes.grown(faces, -5.0)
