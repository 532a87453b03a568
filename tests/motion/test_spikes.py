"""Samples in which the whole body jumps aside; joints that ranges hold turn no faster than the source's."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import difference
from hitogata.figure import Trajectory
from hitogata.files import read_bvh
from hitogata.library import human28, virtual_human
from hitogata.motion import retarget, retarget_bvh
from hitogata.motion.speeds import greatest_turning, slowed
from hitogata.motion.spikes import without_spikes
from hitogata.spatial import quat_exp, quat_multiply, quat_to_matrix
from tests.motion.steps import stepping_walk
from tests.reference import reference


def test_a_sample_that_jumps_aside_follows_its_neighbours():
    figure = human28()
    walk, _ = stepping_walk(figure, seconds=2.0, rate=120.0)
    q = walk.q.copy()
    for k in (60, 130):
        q[k, :3] += (0.03, -0.02, -0.02)
        q[k, 3:7] = quat_multiply(quat_exp(np.array([0.0, 0.1, 0.05])), q[k, 3:7])
    bad = replace(walk, q=q)
    mended, found = without_spikes(figure, bad)
    assert found == (60, 130)
    assert np.abs(difference(figure, mended.q, walk.q)).max() < 0.01
    assert without_spikes(figure, walk) == (walk, ())
    carried = retarget(bad, figure, figure, feet=False)
    assert carried.spikes == (60, 130)
    assert "jumps aside" in str(carried)
    shifted = q.copy()
    shifted[100:, :3] += 0.05  # a jump that stays is no spike
    assert without_spikes(figure, Trajectory(walk.time, shifted, walk.v))[1] == (60, 130)


def test_a_capture_with_a_jump():
    """One sample of this capture turned the knee by 49 rad/s, where the source's never does more than 15."""
    found = retarget_bvh(read_bvh(reference("bvh", "16_17.bvh")), human28())
    assert len(found.spikes) == 1
    part = found.trajectory.v[:, human28().v_slice("knee_right")]
    assert np.abs(part).max() < 17


def test_a_sudden_turn_is_spread():
    """A turn of 1 rad within a sample takes as long as 5 rad/s need; what is far away stays, and the range holds."""
    time = np.arange(300) / 100
    angle = np.where(time < 1.5, 0.0, 1.0)
    quats = quat_exp(angle[:, None] * np.array([0.6, 0.8, 0.0]))
    got = slowed(time, quats, 5.0, lambda x: x)
    assert greatest_turning(time, quat_to_matrix(got)) <= 5.0
    far = np.abs(time - 1.5) > 0.6
    np.testing.assert_allclose(got[far], quats[far], atol=1e-9)
    np.testing.assert_array_equal(slowed(time, quats, 101.0, lambda x: x), quats)
    figure = virtual_human()
    limits = figure.links[figure.link_index("head")].joint.range
    rng = np.random.default_rng(0)
    wild = limits.clamp(quat_exp(np.cumsum(rng.normal(size=(200, 3)), axis=0) * 0.3))
    calm = slowed(time[:200], wild, 3.0, limits.clamp)
    assert greatest_turning(time[:200], quat_to_matrix(calm)) < 0.1 * greatest_turning(time[:200], quat_to_matrix(wild))
    assert np.abs(np.sum(calm * limits.clamp(calm), axis=1)).min() > 1 - 1e-9


@pytest.mark.parametrize("name", ["13_11.bvh", "backflip.bvh"])
def test_heads_are_no_faster_than_the_sources(name):
    """Necks and heads that made up for spines at their limits turned 4 and 8 times as fast as the source's."""
    from benchmarks.retargeting import judged

    folder = "mass" if name == "backflip.bvh" else "bvh"
    bvh, figure = read_bvh(reference(folder, name)), virtual_human()
    found = retarget_bvh(bvh, figure)
    verdict = judged(bvh, figure, found)
    assert verdict.fastest < (1.5 if name == "backflip.bvh" else 2.0)  # the shin of a landing jump: 1.8
    assert verdict.outside < 0.1
