"""Points inside their own wrapping surfaces: named, with all frames kept."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.muscle import SurfaceKind, muscle_forces, musculoskeletal_gait
from hitogata.muscle.inside import _depth, notes_on_points_inside
from hitogata.muscle.tables import CYLINDER, ELLIPSOID, SPHERE, TORUS

BODY = musculoskeletal_gait()
Q = np.tile(BODY.body.neutral(), (3, 1))


def test_a_point_inside_is_named_and_nothing_lost():
    assert notes_on_points_inside(BODY, Q) == ()
    wire = next(wire for wire in BODY.muscles if wire.path.wraps)
    name = wire.path.wraps[0].surface
    surface = next(each for each in BODY.surfaces if each.name == name)
    big = replace(surface, kind=SurfaceKind.SPHERE, sizes=(5.0,), side="")
    bad = replace(BODY, surfaces=tuple(big if each is surface else each for each in BODY.surfaces))
    found = muscle_forces(bad, Q, np.zeros((3, BODY.body.nv)), np.zeros((3, BODY.body.nv)))
    assert any(note.startswith(f"{wire.name}: ") and repr(name) in note and "3 of 3" in note for note in found.notes)
    assert found.good.all()
    assert np.isfinite(found.force).all()


@pytest.mark.parametrize(
    ("kind", "sizes", "inside", "outside"),
    [
        (SPHERE, [0.1, 0.1, 0.1], [0.05, 0.05, 0.05], [0.06, 0.06, 0.06]),
        (CYLINDER, [0.1, 0.2, 0.0], [0.06, 0.06, 0.15], [0.06, 0.06, 0.25]),
        (ELLIPSOID, [0.1, 0.2, 0.3], [0.0, 0.0, 0.29], [0.11, 0.0, 0.0]),
        (TORUS, [0.1, 0.3, 0.3], [0.3, 0.0, 0.09], [0.0, 0.0, 0.0]),
    ],
)
def test_depth(kind, sizes, inside, outside):
    deep, far = _depth(kind, np.array([inside, outside]), np.array(sizes))
    assert deep < 1 < far
