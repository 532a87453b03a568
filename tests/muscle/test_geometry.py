"""Lengths and Jacobians of wires: taut strings against rubber bands and brute force, finite differences, bad paths."""

import numpy as np
import pytest
from scipy.optimize import minimize

from hitogata.dynamics import integrate
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Pose
from hitogata.figure.mechanism import JointStep, Linear, Mechanism, MechanismBody, MechanismJoint
from hitogata.muscle import (
    Muscle,
    MuscleSet,
    Path,
    PathPoint,
    Surface,
    SurfaceKind,
    Wrap,
    wire_geometry,
)
from tests.muscle.bodies import arm_mechanism, figure_set, mechanism_set
from tests.muscle.rubber import ellipsoid_outside, relaxed_length, torus_outside

AXES = np.eye(3).tolist()


def string(surface, kind, sizes, side=""):
    """A wire from the world's origin to a point that slides freely, around a surface at `surface`."""
    steps = tuple(JointStep(False, axis, Linear(), (name,)) for axis, name in zip(AXES, "xyz", strict=True))
    body = Mechanism.of("point", [MechanismBody("end")], [MechanismJoint("slide", None, "end", ("x", "y", "z"), steps)])
    path = Path((PathPoint(None, (0, 0, 0)), PathPoint("end", (0, 0, 0))), (Wrap("it"),))
    return MuscleSet("string", body, (Muscle("it", path),), (Surface("it", kind, None, sizes, Pose(surface), side),))


@pytest.mark.parametrize(("sizes", "end"), [((0.5, 0.8, 0.6), (4.1, 0.3, -0.2)), ((1.2, 0.4, 0.7), (3.6, -0.1, 0.5))])
def test_string_over_an_ellipsoid_is_the_shortest(sizes, end):
    centre, end = np.array([2.0, 0.05, 0.1]), np.array(end)
    found = wire_geometry(string(centre, SurfaceKind.ELLIPSOID, sizes), end).lengths[0]
    turns = np.arange(6) * np.pi / 3
    starts = [[(0.0, 1.5 * np.cos(t), 1.5 * np.sin(t))] for t in turns]
    band = relaxed_length(-centre, end - centre, ellipsoid_outside(sizes), starts, (16, 32, 64, 128))
    assert found > np.linalg.norm(end)
    assert found == pytest.approx(band, abs=1e-5)


def test_string_through_a_torus_is_the_shortest():
    centre = np.array([-1.25, 0.1, -1.0])
    end = np.array([0.05, 0.2, -1.9])
    muscles = string(centre, SurfaceKind.TORUS, (0.2, 1.0))
    found = wire_geometry(muscles, end).lengths[0]
    starts = [[(0.3, y, 0.0)] for y in (-0.2, 0.1)]
    band = relaxed_length(-centre, end - centre, torus_outside(0.2, 1.0), starts, (16, 32, 64, 128))
    assert found == pytest.approx(band, abs=1e-5)


@pytest.mark.parametrize("kind", [SurfaceKind.CYLINDER, SurfaceKind.SPHERE])
def test_string_around_a_circle_is_the_shortest(kind):
    """Least over both places of contact, as angles (and heights), by a search that knows no tangents."""
    centre, end, r = np.array([2.0, 0.1, 0.0]), np.array([4.0, -0.3, 0.6]), 0.7
    found = wire_geometry(string(centre, kind, (r, 9.0) if kind is SurfaceKind.CYLINDER else (r,)), end).lengths[0]
    a, b = -centre, end - centre

    def around(x):
        if kind is SurfaceKind.CYLINDER:
            one, two = (np.array([r * np.cos(t), r * np.sin(t), z]) for t, z in (x[:2], x[2:]))
            arc = np.hypot(r * (x[2] - x[0]), x[3] - x[1])
        else:
            one, two = (
                r * np.array([np.cos(t) * np.cos(u), np.sin(t) * np.cos(u), np.sin(u)]) for t, u in (x[:2], x[2:])
            )
            arc = r * np.arccos(np.clip(one @ two / r**2, -1, 1))
        inside = [(p - q) @ (q * [1, 1, kind is SurfaceKind.SPHERE]) for p, q in ((a, one), (b, two))]
        return np.linalg.norm(a - one) + arc + np.linalg.norm(b - two) + 50 * sum(max(0.0, -x) for x in inside)

    lengths = []
    for top in (1, -1):
        start = np.array([top * 2.0, 0.1, top * 1.0, 0.2])
        for _ in range(3):
            start = minimize(
                around, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 6000}
            ).x
        lengths.append(around(start))
    assert found == pytest.approx(min(lengths), abs=1e-5)
    assert found <= min(lengths) + 1e-12


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [(SurfaceKind.SPHERE, (0.3,)), (SurfaceKind.CYLINDER, (0.3, 9.0)), (SurfaceKind.ELLIPSOID, (0.3, 0.4, 0.3)),
     (SurfaceKind.TORUS, (0.3, 3.0)), (SurfaceKind.SITED_CYLINDER, (0.3,))],
)  # fmt: skip
def test_no_jump_where_a_wrap_begins(kind, sizes):
    """The end goes across: on, round, and off again; length and slope change by no more than the steps explain."""
    centre = (1.0, 0.0, 0.0) if kind is not SurfaceKind.TORUS else (1.0 - 3.0, 0.0, -0.6)
    muscles = string(centre, kind, sizes)
    y = np.linspace(-1.6, 1.6, 321)
    ends = np.stack([np.full_like(y, 2.0), y, 0.1 * y], 1)
    if kind is SurfaceKind.TORUS:
        ends = np.stack([0.9 * y + 1.1, 0.1 * y, np.full_like(y, -1.2)], 1)
    found = wire_geometry(muscles, ends)
    straight = np.linalg.norm(ends, axis=1)
    wrapped = found.lengths[:, 0] > straight + 1e-9
    assert 10 < wrapped.sum() < len(y) - 10
    assert np.abs(np.diff(found.lengths[:, 0])).max() < 1.2 * np.linalg.norm(ends[1] - ends[0])


def finite_difference(lengths, moved, count, h=2e-6):
    """dL by each velocity: central, of fourth order."""
    out = []
    for k in range(count):
        d = [lengths(moved(k, s * h)) for s in (-2, -1, 1, 2)]
        out.append((8 * (d[2] - d[1]) - (d[3] - d[0])) / (12 * h))
    return np.stack(out, -1)


def test_jacobian_on_a_mechanism():
    muscles, rng = mechanism_set(), np.random.default_rng(3)
    for _ in range(3):
        q = rng.uniform([-0.4, -0.4, -0.6, 0.3, -0.02], [0.4, 0.4, 0.6, 1.4, 0.02])
        place = np.array([[0.01, 0.0, -0.1]]) + rng.normal(size=(1, 3)) * 0.005
        found = wire_geometry(muscles, q, nodes=place)

        def at(change, q=q, place=place):
            return wire_geometry(muscles, q + change[:5], nodes=place + change[5:]).lengths

        steps = np.eye(8)
        expected = finite_difference(at, lambda k, h, steps=steps: h * steps[k], 8)
        got = np.concatenate([found.jacobian, found.node_jacobian], axis=1)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-7)
    touched = np.abs(wire_geometry(muscles, q).jacobian) > 1e-4
    names = [wire.name for wire in muscles.wires]
    assert touched[names.index("moving")].tolist() == [False, False, False, True, True]
    assert touched[names.index("both"), 1:4].all()
    assert not touched[names.index("both"), 4]


def test_jacobian_on_a_figure():
    """Velocities of a free root do nothing; those of a ball are turns."""
    muscles, rng = figure_set(), np.random.default_rng(5)
    figure = muscles.body
    quats = rng.normal(size=(2, 4)) * [0.1, 0.2, 0.2, 0.2] + [1, 0, 0, 0]
    q = np.concatenate(
        [[0.3, -0.2, 1.0], quats[0] / np.linalg.norm(quats[0]), quats[1] / np.linalg.norm(quats[1]), [0.9]]
    )
    found = wire_geometry(muscles, q)
    expected = finite_difference(
        lambda state: wire_geometry(muscles, state).lengths,
        lambda k, h: integrate(figure, q, h * np.eye(figure.nv)[k]),
        figure.nv,
    )
    np.testing.assert_allclose(found.jacobian, expected, rtol=0, atol=1e-7)
    assert np.abs(found.jacobian[:, :6]).max() < 1e-12
    v = rng.normal(size=figure.nv)
    np.testing.assert_allclose(found.lengthening_speeds(v), found.jacobian @ v)


def test_batches_and_threads_are_the_same_bits():
    muscles = mechanism_set()
    q = np.random.default_rng(1).uniform(0.0, 0.6, (9, 5)) * [1, 1, 1, 1, 0.02]
    batch, shared = wire_geometry(muscles, q), wire_geometry(muscles, q, threads=2)
    ones = [wire_geometry(muscles, row) for row in q]
    assert np.array_equal(batch.lengths, shared.lengths)
    assert np.array_equal(batch.lengths, [one.lengths for one in ones])
    assert np.array_equal(batch.jacobian, [one.jacobian for one in ones])


def test_stations_add_up():
    """Straight parts of the drawn path are not longer than the wire, and begin and end with its points."""
    muscles = mechanism_set()
    found = wire_geometry(muscles, np.array([0.1, 0.2, 0.0, 0.9, 0.0]), stations=True)
    for wire, rows, length in zip(muscles.wires, found.stations, found.lengths, strict=True):
        rows = rows[rows[:, 3] > -2]
        chords = np.linalg.norm(np.diff(rows[:, :3], axis=0), axis=1)
        assert chords.sum() <= length + 1e-12, wire.name
        if (rows[:-1, 3] < 0).all():
            assert chords.sum() == pytest.approx(length, abs=1e-12)


def test_point_inside_a_surface_passes_by():
    muscles = string((0.1, 0.0, 0.0), SurfaceKind.SPHERE, (0.2,))
    assert wire_geometry(muscles, [1.0, 0.0, 0.0]).lengths[0] == pytest.approx(1.0)


def test_bad_wires_are_named():
    arm, path = arm_mechanism(), Path((PathPoint("upper", (0, 0, 0)), PathPoint("fore", (0, 0, 0))))
    with pytest.raises(FigureError, match=r"'biceps'.*slack length must be positive, got -0.1"):
        Muscle("biceps", path, slack_length=-0.1)
    with pytest.raises(FigureError, match=r"'biceps'.*slack length must be positive, got 0"):
        Muscle("biceps", path, slack_length=0.0)
    with pytest.raises(FigureError, match=r"'biceps': point 1: no body 'claw'"):
        MuscleSet("x", arm, (Muscle("biceps", Path((path.points[0], PathPoint("claw", (0, 0, 0))))),))
    with pytest.raises(FigureError, match=r"'biceps': no surface 'bone'"):
        MuscleSet("x", arm, (Muscle("biceps", Path(path.points, (Wrap("bone"),))),))
    with pytest.raises(FigureError, match="duplicate wire 'biceps'"):
        MuscleSet("x", arm, (Muscle("biceps", path), Muscle("biceps", path)))
    with pytest.raises(FigureError, match="two points"):
        Path((PathPoint(None, (0, 0, 0)),))
    with pytest.raises(FigureError, match="thinner"):
        Surface("t", SurfaceKind.TORUS, None, (0.2, 0.1))
    with pytest.raises(ArgumentError, match="row 1 is not finite"):
        wire_geometry(MuscleSet("x", arm, (Muscle("biceps", path),)), [[0.0] * 5, [np.nan] * 5])
