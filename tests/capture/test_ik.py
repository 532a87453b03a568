"""Marker inverse kinematics: beside a dense least-squares solver, in ranges, with gaps, outliers, couplings."""

import warnings

import numpy as np
import pytest
from scipy.optimize import least_squares

from hitogata.capture import (
    IkSettings,
    MarkerIk,
    MarkerSet,
    Wishes,
    fill_gaps,
    joint_covariance,
    markers_on,
    osim_ik,
    solve_ik,
    spread_markers,
)
from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Link, MassProperties
from hitogata.figure.joint import JointKind, Screw, ball, compound, free, function, hinge
from hitogata.figure.mechanism import Composed, CubicSpline, JointStep, Linear, Polynomial, Sine
from hitogata.figure.pose import Pose
from hitogata.files import Axes, MarkerData, read_storage, read_trc
from hitogata.files.osim import read_ik_tasks, read_osim
from hitogata.library import virtual_human
from hitogata.library.samples import sample_reach, sample_walk
from tests.reference import reference

MASS = MassProperties(1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def person():
    figure = virtual_human()
    return figure, spread_markers(figure, 45)


def knee():
    """A pelvis on sliders and turns, a hip, a knee that slides by splines, and a patella that follows the knee."""
    slides = tuple(Screw(axis, 0.0, 1.0) for axis in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)))
    turns = tuple(Screw(axis, 1.0, 0.0) for axis in ((0, 0, 1.0), (1.0, 0, 0), (0, 1.0, 0)))
    spline = CubicSpline((-2.1, -1.2, -0.7, 0.0, 0.4), (-0.003, 0.002, 0.005, 0.0, -0.004))
    steps = (
        JointStep(False, (1.0, 0.0, 0.0), spline, ("knee",)),
        JointStep(False, (0.0, 0.0, 1.0), Polynomial((0.01, -0.02, -0.4)), ("knee",)),
        JointStep(True, (0.0, 1.0, 0.0), Linear((1.0, 0.0)), ("knee",)),
    )
    inner = CubicSpline((-3.0, -1.0, 0.0, 1.0), (-2.0, -0.8, 0.0, 0.9))
    follows = Composed(Polynomial((0.2, 0.9, 0.1)), ((inner, (0,)),), 1)
    links = [
        Link("pelvis", None, compound(slides + turns), MASS),
        Link("thigh", "pelvis", ball(parent_frame=Pose((0.0, 0.1, -0.1))), MASS),
        Link("shin", "thigh", function(("knee",), steps, range=(-2.0, 0.2)), MASS),
        Link("patella", "thigh", function((), (JointStep(True, (0.0, 1.0, 0.0), follows, ("knee",)),)), MASS),
    ]
    figure = Figure.from_links("leg", links)
    rng = np.random.default_rng(3)
    places = {f"{link.name}{k}": (link.name, rng.normal(0, 0.1, 3)) for link in figure.links for k in range(4)}
    return figure, MarkerSet.of(figure, places)


def dense(figure, markers, target, weight, q0):
    """The same by scipy's solver with differences, about q0."""
    from hitogata.figure.expansion import expansion_of

    base = expansion_of(figure)
    plain = figure if base is None else base.plain

    def miss(change):
        x = markers.positions(figure, np.asarray(integrate(plain, q0, change)))
        return (np.sqrt(weight)[:, None] * (x - target)).ravel()

    found = least_squares(miss, np.zeros(figure.nv), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return np.asarray(integrate(plain, q0, found.x)), 2 * found.cost


@pytest.mark.parametrize("which", ["person", "knee"])
def test_same_minimum_as_a_dense_solver(which, person):
    figure, markers = person if which == "person" else knee()
    rng = np.random.default_rng(0)
    if which == "person":
        q = sample_walk().q[40]
        figure = Figure.from_links("free", [unlimited(link) for link in figure.links])
    else:
        q = figure.neutral()
        q[[0, 3, 4, 5, -1]] = [0.3, 0.4, -0.1, 0.2, -0.9]
    target = markers.positions(figure, q) + rng.normal(0, 0.01, (len(markers.labels), 3))
    weight = rng.uniform(0.5, 3.0, len(markers.labels))
    ours = MarkerIk(figure, markers, settings=IkSettings(tolerance=1e-11)).frames(target[None], weight[None], q)
    there, cost = dense(figure, markers, target, weight, q)
    assert ours.status[0] == 0
    assert ours.cost[0] == pytest.approx(cost, rel=1e-8)
    np.testing.assert_allclose(ours.q[0], there, atol=2e-6)
    np.testing.assert_allclose(ours.places[0], markers.positions(figure, ours.q[0]), atol=1e-12)


def unlimited(link):
    from dataclasses import replace

    return replace(link, joint=replace(link.joint, range=None))


def test_motion_comes_back(person):
    figure, markers = person
    for motion in (sample_walk(strides=1), sample_reach()):
        q = motion.q[::5]
        found = solve_ik(figure, markers, markers.positions(figure, q))
        assert found.converged.all()
        assert np.abs(difference(figure, found.q, q)).max() < 1e-7
        assert found.rms < 1e-9
        assert len(found.trajectory) == len(q)


def shoulder_change(figure):
    change = np.zeros(figure.nv)
    change[figure.v_slice("shoulder_right")] = [0.0, 2.5, 0.0]
    return change


def test_ranges_are_kept(person):
    figure, markers = person
    q = np.repeat(figure.neutral()[None], 3, axis=0)
    q[2] = integrate(figure, q[2], shoulder_change(figure))
    q[1, figure.q_slice("knee_left")] = -0.4
    found = solve_ik(figure, markers, markers.positions(figure, q), start=figure.neutral())
    knee, shoulder = figure.q_slice("knee_left"), figure.q_slice("shoulder_right")
    limits = figure.links[figure.joint_index("knee_left")].joint.range
    region = figure.links[figure.joint_index("shoulder_right")].joint.range
    assert found.q[1, knee] == limits[0]
    assert found.deviations[1, figure.v_slice("knee_left")] == 0.0
    assert region.contains(found.q[:, shoulder]).all()
    assert not region.contains(q[2, shoulder])
    assert found.residuals[0].max() < 1e-9


def test_deviations_are_those_of_repeated_measurements():
    figure, markers = knee()
    q, sigma, n = figure.neutral(), 0.003, 600
    q[[0, 3, -1]] = [0.2, 0.3, -0.7]
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.3, 2.0, len(markers.labels))
    noise = rng.normal(0, sigma, (n, len(markers.labels), 3)) / np.sqrt(weight)[:, None]
    found = solve_ik(figure, markers, markers.positions(figure, q) + noise, weights=weight, start=q)
    from hitogata.figure.expansion import expansion_of

    spread = difference(expansion_of(figure).plain, np.repeat(q[None], n, axis=0), found.q).std(axis=0)
    assert found.sigma == pytest.approx(sigma, rel=0.03)
    np.testing.assert_allclose(spread / found.deviations.mean(axis=0), 1.0, atol=0.12)


def test_gaps_are_closed_by_the_body(person):
    figure, markers = person
    q = sample_reach().q[60:160:2]
    target = markers.positions(figure, q)
    lost = [k for k, link in enumerate(markers.links) if figure.link_names[link] in ("forearm_right", "hand_right")]
    target[15:30, lost] = np.nan
    found = solve_ik(figure, markers, target)
    arm = np.r_[figure.v_slice("elbow_right"), figure.v_slice("wrist_right")]
    assert found.filled[20][arm].any()
    assert not found.filled[:15].any()
    assert np.isinf(found.deviations[20][arm]).any()
    assert np.isnan(found.residuals[20, lost]).all()
    off = np.linalg.norm(found.places - markers.positions(figure, q), axis=2)
    others = np.setdiff1d(np.arange(len(markers.labels)), lost)
    assert off[:, others].max() < 1e-5
    assert off[15:30, lost].max() < 0.03


@pytest.fixture(scope="module")
def covered():
    """Four markers or more on every link."""
    figure = virtual_human()
    rng = np.random.default_rng(2)
    places = {f"{link.name}_{k}": (link.name, rng.normal(0, 0.06, 3)) for link in figure.links for k in range(5)}
    return figure, MarkerSet.of(figure, places)


def test_filled_places_join_on_to_what_was_seen(person):
    """Markers that sit a little beside the body: filled places begin and end there, and are the body's in between."""
    figure, markers = person
    q = sample_walk(strides=1).q
    beside = np.array([0.004, -0.003, 0.002])
    true = markers.positions(figure, q) + beside * (np.arange(len(markers.labels)) == 4)[:, None]
    seen = true.copy()
    seen[20:95, 4] = np.nan
    data = MarkerData(markers.labels, np.arange(len(q)) / 100, 100.0, seen)
    angles = solve_ik(figure, markers, data)
    found = fill_gaps(angles, data).positions
    np.testing.assert_array_equal(found[:20], true[:20])
    off, plain = (np.linalg.norm(x[20:95, 4] - true[20:95, 4], axis=1) for x in (found, angles.places))
    ends = [0, 1, -2, -1]
    assert (off[ends] < 0.7 * plain[ends]).all()                     # seen markers draw the body after them a little
    assert (off < plain + 1e-4).all()


def test_one_marker_hidden_costs_nothing(covered):
    figure, markers = covered
    q = sample_walk(strides=1).q[::10]
    target = markers.positions(figure, q)
    target[np.arange(len(q)), np.arange(len(q)) % len(markers.labels)] = np.nan
    found = solve_ik(figure, markers, target)
    np.testing.assert_allclose(found.places, markers.positions(figure, q), atol=1e-6)


def test_outliers_do_not_pull(covered):
    figure, markers = covered
    q = sample_walk(strides=1).q[::10]
    target = markers.positions(figure, q)
    target[:, 5] += 0.2
    pulled = solve_ik(figure, markers, target)
    found = solve_ik(figure, markers, target, settings=IkSettings(outlier=0.02))
    assert np.abs(difference(figure, found.q, q)).max() < 0.01
    assert np.abs(difference(figure, pulled.q, q)).max() > 0.05
    assert found.residuals[:, 5].min() > 0.3


def test_wishes_and_held_coordinates():
    figure, markers = knee()
    q = figure.neutral()
    q[-1] = -0.8
    target = np.repeat(markers.positions(figure, q)[None], 2, axis=0)
    wish = figure.neutral()
    wish[-1] = -0.2
    weak, strong = np.zeros(figure.nv), np.zeros(figure.nv)
    weak[-1], strong[-1] = 1e-9, 1e9
    assert solve_ik(figure, markers, target, wishes=Wishes(wish, weak)).q[1, -1] == pytest.approx(-0.8, abs=1e-6)
    assert solve_ik(figure, markers, target, wishes=Wishes(wish, strong)).q[1, -1] == pytest.approx(-0.2, abs=1e-6)
    held = solve_ik(figure, markers, target, held=("knee",), start=wish)
    assert (held.q[:, -1] == -0.2).all()
    assert (held.deviations[:, -1] == 0).all()


def test_walks_that_come_in_from_any_side(person):
    figure, markers = person
    walk = sample_walk(strides=1).q[:3]
    for turn in (1.5, 3.1):
        R = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
        found = solve_ik(figure, markers, markers.positions(figure, walk) @ R.T + [3.0, -2.0, 0.1])
        assert found.rms < 1e-8


def test_bad_input(person):
    figure, markers = person
    target = markers.positions(figure, figure.neutral())[None]
    with pytest.raises(ArgumentError, match="shape"):
        solve_ik(figure, markers, target[:, :5])
    with pytest.raises(ArgumentError, match="no frame shows three"):
        solve_ik(figure, markers, np.full_like(target, np.nan))
    with pytest.raises(ArgumentError, match="no marker 'nobody'"):
        solve_ik(figure, markers, target, weights={"nobody": 1.0})
    with pytest.raises(ArgumentError, match="finite numbers of 0 or more"):
        solve_ik(figure, markers, target, weights=np.full(len(markers.labels), -1.0))
    with pytest.raises(ArgumentError, match="shares 0 labels"):
        solve_ik(figure, markers, MarkerData(("a", "b", "c"), np.zeros(1), 100.0, np.zeros((1, 3, 3))))
    with pytest.raises(ArgumentError, match="none of these frames"):
        markers_on(figure, ["nothing"])
    bent = function(("k",), (JointStep(True, (0.0, 1.0, 0.0), Sine(), ("k",)),))
    wave = Figure.from_links("wave", [Link("a", None, free(), MASS), Link("b", "a", bent, MASS)])
    with pytest.raises(ArgumentError, match="Sine"):
        MarkerIk(wave, MarkerSet.of(wave, {"m": ("b", (0.1, 0.0, 0.0))}))
    assert JointKind.HINGE is hinge().kind


def test_opensim_model_and_tasks():
    folder = reference("opensim_ik", "subject01_simbody.osim").parent
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = read_osim(folder / "subject01_simbody.osim")
        trial = read_trc(folder / "subject01_synthetic_marker_data.trc", axes=Axes.Y_UP_X_FORWARD)
        found = osim_ik(model, trial, read_ik_tasks(folder / "gait2354_IK_Tasks_uniform.xml"))
        standard = read_storage(folder / "std_subject01_walk1_ik.mot")
    for name in standard.columns:
        off = np.sqrt(np.mean((found.table.column(name) - standard.column(name)) ** 2))
        assert off < 0.02, name                                     # degrees; OpenSim's own accuracy
    assert found.angles.converged.all()
    assert found.angles.rms < 3e-5


def test_covariance_is_that_of_repeated_measurements(covered):
    """Its diagonal is that of the solver; beside it, what errors of many noisy measurements have in common."""
    figure, markers = covered
    q = sample_walk(strides=1).q[20]
    rng = np.random.default_rng(2)
    noisy = markers.positions(figure, q) + rng.normal(0, 0.002, (400, len(markers.labels), 3))
    found = solve_ik(figure, markers, noisy, start=q)
    covariance = joint_covariance(found, [0, 7])
    told = np.isfinite(found.deviations[0]) & (found.deviations[0] > 0)
    diagonal = np.sqrt(covariance[0].diagonal()[told])
    np.testing.assert_allclose(diagonal, found.deviations[0][told], rtol=1e-6)
    both = np.flatnonzero(told & (found.deviations > 0).all(axis=0))
    errors = difference(figure, np.repeat(q[None], 400, axis=0), found.q)[:, both]
    predicted = covariance[0][np.ix_(both, both)]
    scale = np.sqrt(np.outer(predicted.diagonal(), predicted.diagonal()))
    measured = np.cov(errors.T)
    assert np.abs(measured / scale - predicted / scale).max() < 0.25
    assert np.abs(predicted / scale)[~np.eye(len(both), dtype=bool)].max() > 0.5


def test_covariance_of_what_no_marker_tells(covered):
    figure, markers = covered
    q = sample_walk(strides=1).q[::20]
    target = markers.positions(figure, q)
    hand = figure.link_index("hand_left")
    target[2, markers.links == hand] = np.nan
    found = solve_ik(figure, markers, target)
    covariance = joint_covariance(found)
    untold = np.isinf(found.deviations)
    assert untold[2].any()
    assert np.isinf(covariance[2][untold[2], untold[2]]).all()
    assert np.isfinite(covariance[2][np.ix_(~untold[2], ~untold[2])]).all()
