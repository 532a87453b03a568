"""Parts of the filter: ranges watched against ranges asked, small products, banded steps, floors, a world."""

from pathlib import Path

import numpy as np
import pytest

from hitogata.dynamics import (
    centre_of_mass,
    difference,
    forward_kinematics,
    integrate,
    inverse_dynamics,
    momentum,
)
from hitogata.errors import ArgumentError, FileContentWarning
from hitogata.figure import HeightField, Trajectory
from hitogata.filter import Ground, Mode, Slope, Steps, filter_motion, steps_under
from hitogata.filter.body import Body, Work
from hitogata.filter.measured import MeasuredSettings, _banded_step, agree_with_forces
from hitogata.filter.ranges import beyond, clamped
from hitogata.filter.reference import needs_of, smoothed
from hitogata.filter.reference_kernels import fit_rows
from hitogata.filter.replay import replay
from hitogata.library import human28, virtual_human

DATA = Path(__file__).parents[3] / "shared" / "data" / "gait10dof18musc"


def test_ranges_watched_are_those_asked_for():
    figure, rng = virtual_human(), np.random.default_rng(0)
    body = Body(figure)
    work, ranges, q = Work(body), body.ranges, figure.neutral()
    frames, ease, give = np.zeros((1, 18)), np.ones((1, figure.nv)), np.ones((1, 12))
    inside, went = np.empty((1, figure.nq)), 0
    for _ in range(400):
        q = integrate(figure, q, 0.08 * rng.normal(size=figure.nv))
        want, out = clamped(ranges, q[None])
        fit_rows(work.table, q[None], frames, frames, ease, give, 0, inside)  # no steps: ranges alone
        assert np.array_equal(work.fields.moved > 0, out[0])
        np.testing.assert_allclose(inside, want, atol=1e-14)
        went += int(out.any())
        q = inside[0].copy() if rng.random() < 0.5 else q
    assert went > 20
    assert beyond(ranges, inside)[0] < 1e-9


def test_needs_are_those_of_the_dynamics():
    """Momentum, inertia and forces against the functions of `dynamics`; soles against link poses."""
    figure, rng = virtual_human(), np.random.default_rng(1)
    body, h = Body(figure), 1 / 60
    q = [figure.random(rng, spread=0.3)]
    for _ in range(6):
        q.append(integrate(figure, q[-1], 0.05 * rng.normal(size=figure.nv)))
    q = np.array(q)
    need = needs_of(body, Work(body), q, h)
    np.testing.assert_allclose(need.v[1:], difference(figure, q[:-1], q[1:]) / h, atol=1e-9)
    com, whole = centre_of_mass(figure, q), momentum(figure, q, need.v)
    wrench = inverse_dynamics(figure, q, need.v, need.vdot)[:, :6]
    np.testing.assert_allclose(need.demand.com, com, atol=1e-12)
    np.testing.assert_allclose(need.demand.spin, whole[:, :3], atol=1e-9)
    np.testing.assert_allclose(need.demand.com_rate * figure.mass, whole[:, 3:], atol=1e-9)
    np.testing.assert_allclose(need.demand.force, wrench[:, 3:], rtol=1e-9, atol=1e-6)
    moved = wrench[:, :3] - np.cross(com - q[:, :3], wrench[:, 3:])
    np.testing.assert_allclose(need.demand.torque, moved, rtol=1e-9, atol=1e-6)
    poses = forward_kinematics(figure, q)
    for f, sole in enumerate(body.soles):
        turn, place = sole.placed(poses)
        np.testing.assert_allclose(need.turn[:, f], turn, atol=1e-12)
        np.testing.assert_allclose(need.place[:, f], place, atol=1e-12)


def test_smoothing_leaves_even_motion_alone_and_calms_noise():
    figure, rng = virtual_human(), np.random.default_rng(2)
    work, rate = Work(Body(figure)), 0.3 * rng.normal(size=figure.nv)
    rate[:3] = 0.0  # one turn about one axis adds up; several do not
    even = np.array([integrate(figure, figure.neutral(), k / 60 * rate) for k in range(30)])
    assert np.abs(difference(figure, even, smoothed(work, even, 1 / 60, 0.03))).max() < 1e-9
    noisy = integrate(figure, even, 0.02 * rng.normal(size=(30, figure.nv)))
    left = difference(figure, even, smoothed(work, noisy, 1 / 60, 0.03))
    assert np.sqrt((left**2).mean()) < 0.6 * 0.02


def test_banded_steps_are_the_dense_ones():
    rng = np.random.default_rng(2)
    n, nr, nf, h = 9, 3, 4, 0.1
    K, C, M = rng.normal(size=(3, n, nr, nf))
    rho, columns, change = rng.normal(size=(n, nr)), rng.normal(size=(n, nr, 2)), 0.1 * rng.normal(size=(n, nf))
    cost, prior, p = np.array([1.0, 2.0, 3.0, 1.0]), np.array([1.0, 4.0]), rng.normal(size=2)
    A = np.zeros((n, nr, n, nf))
    for t in range(n):
        middle = min(max(t, 1), n - 2)
        A[t, :, t] += K[t]
        A[t, :, middle - 1] += M[t] / h**2 - C[t] / (2 * h)
        A[t, :, middle] -= 2 * M[t] / h**2
        A[t, :, middle + 1] += M[t] / h**2 + C[t] / (2 * h)
    top = np.concatenate([A.reshape(n * nr, -1), columns.reshape(n * nr, 2)], axis=1)
    weights = np.diag(np.concatenate([np.tile(cost, n), prior]))
    start = np.concatenate([change.ravel(), p])
    both = np.concatenate([top, weights])
    want = np.linalg.lstsq(both, np.concatenate([-rho.ravel(), -weights @ start]), rcond=None)[0]
    step, add = _banded_step([K, C, M], rho, columns, cost, change, prior, p, h)
    np.testing.assert_allclose(np.concatenate([step.ravel(), add]), want, atol=1e-9)


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")
def test_a_recording_agrees_with_its_force_plates():
    from hitogata.files import read_storage
    from hitogata.files.osim import read_external_loads, read_osim

    loads = read_external_loads(DATA / "subject01_walk_grf.xml")
    with pytest.warns(FileContentWarning):
        model = read_osim(DATA / "subject01.osim")
    trial = model, read_storage(DATA / "subject01_walk_IK.mot"), (loads, read_storage(loads.datafile))
    found = agree_with_forces(*trial, window=(0.5, 1.5)).numbers()
    assert found["force after, most"] < 0.02 < found["force before, most"]
    assert found["moment after, most"] < 0.01
    assert found["joints, rms [deg]"] < 1.0
    assert found["pelvis, rms [mm]"] < 20.0
    with pytest.raises(ArgumentError, match="no body 'trunk'"):
        agree_with_forces(*trial, trunk="trunk")
    with pytest.raises(ArgumentError, match="force must be positive"):
        MeasuredSettings(force=0.0)


def test_floors():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [2.5, 1.0]])
    slope = Slope(np.radians(10), heading=np.pi / 2)
    np.testing.assert_allclose(slope.height(places), [0, 0, np.tan(np.radians(10))], atol=1e-12)
    up = [0, -np.sin(np.radians(10)), np.cos(np.radians(10))]
    np.testing.assert_allclose(slope.normal(places)[0], up, atol=1e-12)
    steps = Steps((0.5, 1.5), 0.1)
    np.testing.assert_allclose(steps.height(places), [0.0, 0.1, 0.2])
    with pytest.raises(ArgumentError, match="must rise"):
        Steps((1.0, 0.5))
    x = np.linspace(-3, 3, 25)
    ground = Ground(HeightField(np.add.outer(0.2 * x, 0.1 * x), (3.0, 3.0)))
    np.testing.assert_allclose(ground.height(places), 0.1 * places[:, 0] + 0.2 * places[:, 1], atol=1e-12)
    up = np.array([-0.1, -0.2, 1.0])
    np.testing.assert_allclose(ground.normal(places)[0], up / np.linalg.norm(up), atol=1e-9)
    edges = steps_under([np.array([0.0, 0.1]), np.array([0.8, -0.1]), np.array([1.6, 0.1])], 0.1, 0.0, 0.2, 0.7).edges
    np.testing.assert_allclose(edges, [0.4, 1.2])


def test_a_standing_body_is_replayed_by_its_torques():
    figure = human28()
    q = np.tile(figure.neutral(), (73, 1))
    still = Trajectory(np.arange(73) / 240, q, np.zeros((73, figure.nv)))
    found = filter_motion(figure, still, mode=Mode.RECORDING, contacts={"left": [(0, 1)], "right": [(0, 1)]})
    played = replay(found)
    assert played.stays(0.02) == pytest.approx(0.3)
    assert played.joints_deg.max() < 1.0
