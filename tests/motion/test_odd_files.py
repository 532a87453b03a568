"""Twenty BVH files of odd structure, all of one walk: each is carried over as it should be."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.figure import JointKind
from hitogata.figure.rates import changes
from hitogata.files import read_bvh
from hitogata.files.bvh import Up, bvh_poses, converted_bvh, write_bvh
from hitogata.files.names import Part
from hitogata.library import human28
from hitogata.motion import retarget_bvh
from tests.motion.cases import with_other_frames
from tests.motion.odd import (
    below_a_fixed_root,
    renamed,
    walk_bvh,
    with_calibration,
    with_positions_everywhere,
    with_split,
    without,
)

HANDS = {"LeftHand", "RightHand"}


def mirrored(bvh):
    """A file in which the sides are called the other way round, of a walk that was mirrored: y turns over."""
    swap = {it: it.replace("Left", "Right") if "Left" in it else it.replace("Right", "Left") for it in bvh.names}
    joints = tuple(replace(it, name=swap[it.name], offset=(-it.offset[0], *it.offset[1:]),
                           ends=tuple((-x, y, z) for x, y, z in it.ends)) for it in bvh.joints)  # fmt: skip
    signs = [(-1.0 if channel.axis == 0 else 1.0) * (-1.0 if channel.turns else 1.0)
             for it in bvh.joints for channel in it.channels]  # fmt: skip
    return replace(bvh, joints=joints, values=bvh.values * signs)


def through_a_text(bvh, tmp_path):
    write_bvh(bvh, tmp_path / "odd.bvh")
    return read_bvh(tmp_path / "odd.bvh", scale=bvh.scale, up=bvh.up)


ODD = {
    "plain": lambda b, r: b,
    "turning": lambda b, r: walk_bvh(turn=0.4),
    "slow": lambda b, r: walk_bvh(speed=0.5, period=1.4),
    "30 Hz": lambda b, r: walk_bvh(rate=30.0),
    "120 Hz": lambda b, r: walk_bvh(rate=120.0),
    "hips below a fixed root": lambda b, r: below_a_fixed_root(b),
    "positions everywhere": lambda b, r: with_positions_everywhere(b),
    "hips below, positions everywhere": lambda b, r: with_positions_everywhere(below_a_fixed_root(b)),
    "turned frames": lambda b, r: with_other_frames(with_calibration(b), r),
    "turned frames, positions": lambda b, r: with_positions_everywhere(with_other_frames(with_calibration(b), r)),
    "calibration": lambda b, r: with_calibration(b),
    "calibration held": lambda b, r: with_calibration(b, frames=20),
    "z up, metres": lambda b, r: converted_bvh(b, scale=1.0, up=Up.Z),
    "x up, inches": lambda b, r: converted_bvh(b, scale=0.0254, up=Up.X),
    "millimetres": lambda b, r: converted_bvh(b, scale=0.001),
    "no hands": lambda b, r: without(b, HANDS),
    "no hands, no head": lambda b, r: without(b, HANDS | {"Head"}),
    "extra spine": lambda b, r: with_split(with_split(b, "Spine", "Spine0"), "Head", "Neck"),
    "mirrored": lambda b, r: mirrored(b),
    "Mixamo": lambda b, r: renamed(b, {name: f"mixamorig:{name}" for name in b.names}),
}


def test_there_are_twenty():
    assert len(ODD) == 20


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", ODD)
def test_odd_file(key, tmp_path):
    bvh = ODD[key](walk_bvh(), np.random.default_rng(0))
    bvh = through_a_text(bvh, tmp_path)
    figure = human28()
    found = retarget_bvh(bvh, figure)
    q, time = found.trajectory.q, found.trajectory.time
    poses, source = forward_kinematics(figure, q), bvh_poses(bvh, slice(found.first, None))
    hips = found.mapping.links(Part.THIGH)
    pairs = found.mapping.pairs
    ours = poses.position[:, [figure.link_index(name) for name in hips]].mean(axis=1)
    theirs = found.scale * source.position[:, [bvh.index(pairs[name]) for name in hips]].mean(axis=1)
    length = np.linalg.norm(np.diff(theirs, axis=0), axis=1).sum()
    off = ours - theirs
    assert np.linalg.norm(off - np.median(off, axis=0), axis=1).max() < 0.01 * length
    for foot in found.feet.feet.values():
        assert 0.4 < foot.flat.mean() < 0.8
        assert np.degrees(foot.tilt[1].max()) < 3
        assert foot.height[1].max() < 0.005
        assert foot.slide[1].max() < 0.005
    rates = np.abs(changes(figure, q[:-1], q[1:])) / np.diff(time)[:, None]
    for i, link in enumerate(figure.links):
        limits = link.joint.range
        if link.joint.kind is JointKind.HINGE:
            angles = q[:, figure.q_starts[i]]
            assert angles.min() > limits[0] - np.radians(0.1)
            assert angles.max() < limits[1] + np.radians(0.1)
        parent = figure.parents[i]
        if parent >= 0 and figure.link_names[parent] in pairs and link.name in pairs:
            a, b = (source.rotation[:, bvh.index(pairs[name])] for name in (figure.link_names[parent], link.name))
            turn = np.einsum("tji,tjk->tik", a, b)
            step = np.einsum("tji,tjk->tik", turn[:-1], turn[1:])
            speed = np.arccos(np.clip((np.trace(step, axis1=1, axis2=2) - 1) / 2, -1, 1)) / np.diff(time)
            own = np.linalg.norm(rates[:, figure.v_starts[i] : figure.v_starts[i] + min(3, link.joint.nv)], axis=1)
            assert own.max() < 1.5 * max(speed.max(), 1.0), (link.name, own.max(), speed.max())
