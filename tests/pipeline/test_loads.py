"""Forces of plates go to the feet that stand there, and nothing of them is lost."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.files import StorageTable
from hitogata.muscle import musculoskeletal_gait
from hitogata.pipeline.stages.loads import plates_of_table, shared_out, y_up
from hitogata.pipeline.stages.torques import _total, _wrenches
from hitogata.pipeline.values import Motion, Plate


@pytest.fixture(scope="module")
def standing():
    figure = musculoskeletal_gait().body
    time = np.linspace(0, 1, 101)
    return figure, Motion(time, np.repeat(figure.neutral()[None], 101, axis=0))


def plate(name, side, time, x=0.05, push=700.0):
    on = (time > 0.2) & (time < 0.8)
    force = np.where(on[:, None], [[20.0, -10.0, push]], 0.0)
    centre = np.where(on[:, None], [[x, -0.08 if side == "r" else 0.08, 0.0]], np.nan)
    return Plate(name, time, force, centre, np.where(on[:, None], [[0.0, 0.0, 3.0]], 0.0))


def test_each_foot_gets_the_force_under_it(standing):
    figure, motion = standing
    time = np.linspace(0, 1, 1001)
    found = shared_out((plate("one", "r", time), plate("two", "l", time, push=400.0)), figure, motion, 20.0)
    assert [force.applied_to_body for force in found.external.forces] == ["foot_r", "foot_l"]
    middle = np.array([0.5])
    wrenches = _wrenches(figure, motion.q[:1], middle, found)[0]
    assert wrenches[figure.link_index("foot_r"), 3:] == pytest.approx([20, -10, 700])
    assert wrenches[figure.link_index("foot_l"), 3:] == pytest.approx([20, -10, 400])
    assert _total(found, middle)[0] == pytest.approx([40, -20, 1100])
    k = figure.link_index("foot_r")
    origin = forward_kinematics(figure, motion.q[0]).position[k]
    arm = np.array([0.05, -0.08, 0.0]) - origin
    assert wrenches[k, :3] == pytest.approx(np.cross(arm, [20, -10, 700]) + [0, 0, 3], abs=1e-6)


def test_a_force_far_from_all_feet_is_nobodys(standing):
    figure, motion = standing
    found = shared_out((plate("far", "r", motion.time, x=2.0),), figure, motion, 20.0)
    assert "left out" in found.notes[0]
    assert not np.any(found.table.values)


@pytest.mark.parametrize("last", [0.3, 0.7, 1.1, 2.19, 2.2])
def test_the_last_sample_counts(standing, last):
    figure, motion = standing
    time = np.array([float(f"{k / 100:.2f}") for k in range(round(last * 100) + 1)])
    found = shared_out((plate("one", "r", time),), figure, motion, 20.0)
    assert found.table.time == pytest.approx(time, abs=1e-12)
    assert found.table.time[-1] == time[-1]


def test_columns_of_opensim_are_plates():
    time, rng = np.linspace(0, 1, 11), np.random.default_rng(0)
    z_up = rng.normal(size=(3, 11, 3))
    names = [f"1_ground_{word}{a}" for word in ("force_v", "force_p", "torque_") for a in "xyz"]
    table = StorageTable(tuple(names), time, np.concatenate([y_up(a) for a in z_up], axis=1), False)
    (found,) = plates_of_table(table)
    assert found.force == pytest.approx(z_up[0])
    assert found.centre == pytest.approx(z_up[1])
    assert found.torque == pytest.approx(z_up[2])
