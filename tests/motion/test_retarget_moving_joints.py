"""Joints below the root that move in their parents: their way is followed."""

import warnings

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.dynamics import forward_kinematics
from hitogata.figure import Trajectory
from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh, write_bvh
from hitogata.files.bvh import bvh_poses
from hitogata.library import human28
from hitogata.motion import map_skeletons, retarget, retarget_bvh
from tests.motion.odd import below_a_fixed_root, renamed, walk_bvh


def hips(figure, motion):
    poses = forward_kinematics(figure, motion.q).position
    return poses[:, [figure.link_index(f"thigh_{side}") for side in ("left", "right")]].mean(axis=1)


def test_hips_that_move_below_a_fixed_root():
    """As if the root moved: many game data sets are so."""
    bvh, figure = walk_bvh(), human28()
    plain, odd = retarget_bvh(bvh, figure), retarget_bvh(below_a_fixed_root(bvh), figure)
    np.testing.assert_allclose(odd.trajectory.q, plain.trajectory.q, atol=1e-9)
    assert np.ptp(hips(figure, odd.trajectory)[:, 2]) > 0.01


def test_the_root_carries_them_without_sliders(recwarn):
    """The skeleton itself, as a figure: its joints are where the file has them, and no warning is due."""
    bvh = below_a_fixed_root(walk_bvh())
    figure = figure_from_bvh(bvh)
    motion = trajectory_from_bvh(bvh, figure)
    assert not recwarn.list
    places = forward_kinematics(figure, motion.q).position
    np.testing.assert_allclose(places[:, 1:], bvh_poses(bvh).position[:, 1:], atol=1e-9)
    target = human28()
    again = retarget(motion, figure, target).trajectory
    np.testing.assert_allclose(again.q, retarget_bvh(bvh, target).trajectory.q, atol=1e-8)


def test_sliders_are_not_paired():
    """Without names trees are compared; a slider turns nothing, so no link may follow it."""
    bvh = below_a_fixed_root(walk_bvh())
    nameless = renamed(bvh, {name: f"j{i}" for i, name in enumerate(bvh.names)})
    source = figure_from_bvh(nameless, sliders=True)
    pairs = map_skeletons(source, human28())
    assert pairs.how == "geometry"
    assert not [name for name in pairs.pairs.values() if ":" in name]
    assert pairs.pairs["shin_left"] == f"j{bvh.index('LeftLeg')}"


@pytest.mark.parametrize("ending", ["npz", "bvh"])
def test_on_the_command_line(tmp_path, ending):
    bvh = walk_bvh()
    for name, it in (("plain", bvh), ("odd", below_a_fixed_root(bvh))):
        write_bvh(it, tmp_path / f"{name}.bvh")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = tmp_path / f"{name}.out.{ending}"
            assert main(["motion", "convert", str(tmp_path / f"{name}.bvh"), str(out), "--figure", "human28"]) == 0
    kind = Trajectory.load if ending == "npz" else read_bvh
    a, b = (kind(tmp_path / f"{name}.out.{ending}") for name in ("plain", "odd"))
    np.testing.assert_allclose(*(x.q if ending == "npz" else x.values for x in (a, b)), atol=1e-6)
