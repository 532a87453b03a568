"""Joint angles of figures as laboratories read them: against turns put together by hand."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.library import virtual_human
from hitogata.muscle import musculoskeletal_gait
from hitogata.pipeline.figure_angles import angle_ranges, joint_angle_table


def turned(figure, joint, turn):
    """The neutral pose with one joint turned about the axes of the rest pose."""
    q = figure.neutral()
    k = figure.joint_index(joint)
    start = figure.q_starts[k] + figure.links[k].joint.quat_start
    x, y, z, w = (turn * Rotation.from_quat(q[start : start + 4], scalar_first=True)).as_quat()
    q[start : start + 4] = w, x, y, z
    return q


@pytest.mark.parametrize("side", ["r", "l"])
def test_a_hip_flexes_forward_adducts_to_the_middle_and_turns_in(side):
    body = musculoskeletal_gait().body
    flexion, adduction, rotation = 40.0, 12.0, -7.0
    mirror = 1.0 if side == "r" else -1.0
    turn = Rotation.from_euler("YXZ", [-flexion, mirror * adduction, mirror * rotation], degrees=True)
    table = joint_angle_table(body, np.zeros(1), turned(body, f"femur_{side}_joint", turn)[None])
    found = [float(table.column(f"hip_{side}_{name}")[0]) for name in ("flexion", "adduction", "rotation")]
    np.testing.assert_allclose(found, [flexion, adduction, rotation], atol=1e-9)
    others = [c for c in table.columns if not c.startswith((f"hip_{side}", "base_t"))]
    np.testing.assert_allclose([table.column(c) for c in others], 0.0, atol=1e-9)


def test_the_root_is_told_whichever_way_it_walks():
    body = musculoskeletal_gait().body
    for yaw in (0.0, 90.0, -170.0):
        turn = Rotation.from_euler("ZXY", [yaw, 3.0, 8.0], degrees=True)
        table = joint_angle_table(body, np.zeros(1), turned(body, "base", turn)[None])
        found = [float(table.column(f"base_{name}")[0]) for name in ("yaw", "list", "tilt")]
        np.testing.assert_allclose(found, [yaw, 3.0, 8.0], atol=1e-9)


def test_angles_do_not_jump_at_half_a_turn():
    body = musculoskeletal_gait().body
    yaw = np.linspace(0.0, 720.0, 200)
    q = np.stack([turned(body, "base", Rotation.from_euler("z", a, degrees=True)) for a in yaw])
    np.testing.assert_allclose(joint_angle_table(body, np.arange(200.0), q).column("base_yaw"), yaw, atol=1e-6)


def test_every_coordinate_has_a_column_in_degrees_or_metres():
    for figure in (virtual_human(), musculoskeletal_gait().body):
        table = joint_angle_table(figure, np.zeros(1), figure.neutral()[None])
        assert len(table.columns) == figure.nv
        assert len(set(table.columns)) == figure.nv
        assert np.isfinite(table.values).all()
    ranges = {each.name: (each.low, each.high) for each in angle_ranges(musculoskeletal_gait().body)}
    assert ranges["knee_r"] == pytest.approx(np.rad2deg([-0.09, 2.36]))
    assert ranges["toes_l[0]"] == pytest.approx(np.rad2deg([-1.2, 0.7]))
