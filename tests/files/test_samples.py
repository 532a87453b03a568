"""Our own sample motions through every motion format: what a fresh clone can test."""

import warnings

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, recorded_dynamics
from hitogata.errors import FileContentWarning
from hitogata.figure import Trajectory
from hitogata.figure.mechanism import mechanism_mass_matrix
from hitogata.files import (
    MarkerData,
    StorageTable,
    bvh_from_trajectory,
    figure_from_bvh,
    read_bvh,
    read_storage,
    read_trc,
    trajectory_from_bvh,
    write_bvh,
    write_storage,
    write_trc,
)
from hitogata.files.osim import mechanism_from_osim, osim_from_figure, read_osim, write_osim
from hitogata.files.osim.export import xyz_angles
from hitogata.library import virtual_human
from hitogata.library.samples import sample_jump, sample_reach, sample_run, sample_walk
from hitogata.spatial import quat_to_matrix

SAMPLES = {"walk": sample_walk, "run": sample_run, "jump": sample_jump, "reach": sample_reach}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_stand_on_the_floor(name):
    figure, motion = virtual_human(), SAMPLES[name]()
    motion.check(figure)
    soles = [figure.link_index(f"foot_{side}") for side in ("left", "right")]
    height = np.asarray(forward_kinematics(figure, motion.q).position)[:, soles, 2]
    assert height.min() > 0.02  # ankles stay above the floor
    assert motion.q[:, 2].min() > 0.45
    for side in ("left", "right"):
        knee = motion.q[:, figure.q_slice(f"knee_{side}")]
        assert 0 <= knee.min() <= knee.max() < 2.36


def test_walk_and_run_have_the_speed_of_their_kind():
    for make, low, high in ((sample_walk, 0.7, 1.7), (sample_run, 1.8, 4.5)):
        motion = make()
        assert low < motion.q[-1, 0] / motion.time[-1] < high


def test_jump_flies_freely():
    motion = sample_jump(rate=200)
    air = (motion.time > 1.25) & (motion.time < 1.6)
    figure = virtual_human()
    from hitogata.dynamics import centre_of_mass

    height = np.array([centre_of_mass(figure, q)[2] for q in motion.q[air]])
    rise = np.polyfit(motion.time[air], height, 2)[0] * 2
    assert -14 < rise < -6  # limbs move in the air, so not exactly g


def test_bvh_of_a_sample(tmp_path):
    figure, motion = virtual_human(), sample_walk(strides=1)
    write_bvh(bvh_from_trajectory(motion, figure), tmp_path / "walk.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        bvh = read_bvh(tmp_path / "walk.bvh")
        again = trajectory_from_bvh(bvh, figure_from_bvh(bvh))
    np.testing.assert_allclose(again.q[:, :3], motion.q[:, :3], atol=1e-6)


def test_tables_and_markers_of_a_sample(tmp_path):
    figure, motion = virtual_human(), sample_reach()
    table = StorageTable(("knee",), motion.time, motion.q[:, figure.q_slice("knee_left")], False)
    write_storage(table, tmp_path / "reach.sto")
    np.testing.assert_array_equal(read_storage(tmp_path / "reach.sto").values, table.values)
    places = np.asarray(forward_kinematics(figure, motion.q).position)
    markers = MarkerData(tuple(link.name for link in figure.links), motion.time, 100.0, places)
    write_trc(markers, tmp_path / "reach.trc")
    np.testing.assert_allclose(read_trc(tmp_path / "reach.trc").positions, places, atol=1e-6)


def test_inverse_dynamics_of_a_sample(tmp_path):
    """On the spot nothing pushes but the floor: the vertical force on the pelvis is weight and inertia."""
    figure, motion = virtual_human(ranges=False), sample_reach()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        write_osim(osim_from_figure(figure), tmp_path / "human.osim")
        model = read_osim(tmp_path / "human.osim")
    mechanism = mechanism_from_osim(model)
    values = np.zeros((len(motion.time), len(mechanism.coordinates)))
    for link in figure.links:
        name, at = link.joint.name, figure.q_slice(link.joint.name)
        if f"{name}_rx" in mechanism.coordinates:
            turned = quat_to_matrix(motion.q[:, at][:, -4:])
            first = mechanism.index(f"{name}_rx")
            values[:, first : first + 3] = np.unwrap([xyz_angles(R) for R in turned], axis=0)
        if f"{name}_tx" in mechanism.coordinates:
            values[:, mechanism.index(f"{name}_tx") : mechanism.index(f"{name}_tz") + 1] = motion.q[:, at][:, :3]
        if name in mechanism.coordinates:
            values[:, mechanism.index(name)] = motion.q[:, at][:, 0]
    table = StorageTable(mechanism.coordinates, motion.time, values, False)
    found = recorded_dynamics(model, table, cutoff=6.0)
    weight = 9.80665 * sum(body.mass for body in mechanism.bodies)
    lift = found.forces[:, mechanism.index("base_tz")]
    assert abs(lift.mean() - weight) < 0.01 * weight
    np.testing.assert_allclose(lift[:20], weight, rtol=1e-3)
    assert mechanism_mass_matrix(mechanism, found.q[:1]).shape == (1, 46, 46)


def test_samples_are_bit_for_bit_the_same(tmp_path):
    one, two = sample_walk(strides=1), sample_walk(strides=1)
    np.testing.assert_array_equal(one.q, two.q)
    one.save(tmp_path / "walk.npz")
    np.testing.assert_array_equal(Trajectory.load(tmp_path / "walk.npz").q, one.q)
