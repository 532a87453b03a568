"""Feet that stand are level, on the floor and still after retargeting; joints stay in their ranges."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.retargeting import judged
from hitogata.dynamics import forward_kinematics
from hitogata.figure import JointKind
from hitogata.figure.rates import changes
from hitogata.files import read_bvh
from hitogata.files.names import Part, Side
from hitogata.library import human28, human40, virtual_human
from hitogata.motion import retarget_bvh
from hitogata.motion.ground_height import sole_points
from hitogata.motion.joint_fit import steady_twists
from hitogata.motion.smooth_curve import bridged, raised
from tests.motion.odd import walk_bvh
from tests.reference import reference


def soles(figure, found, side):
    """Tilt [rad], heights (nt, n) and middle (nt, 2) of a sole."""
    poses, link = forward_kinematics(figure, found.trajectory.q), f"foot_{side.value}"
    i = figure.link_index(link)
    points = np.stack([poses.position[:, i] + poses.rotation[:, i] @ x for _, x in sole_points(figure, [link])], axis=1)
    return np.arccos(np.clip(poses.rotation[:, i, 2, 2], -1, 1)), points[..., 2], points[..., :2].mean(axis=1)


def outside(figure, q):
    """By how much joints leave their ranges, at most [rad]."""
    worst = 0.0
    for i, link in enumerate(figure.links):
        limits, x = link.joint.range, q[:, figure.q_starts[i] : figure.q_starts[i] + link.joint.nq]
        if limits is not None and link.joint.kind is JointKind.BALL:
            found = limits.violation(x)
            worst = max(worst, float(np.maximum(found.swing_depth, found.twist_depth).max()))
        elif limits is not None and link.joint.kind is JointKind.HINGE:
            worst = max(worst, limits[0] - x.min(), x.max() - limits[1])
    return worst


@pytest.mark.parametrize("make", [human28, human40, lambda: virtual_human(ranges=False)])
def test_a_walk_with_known_steps(make):
    figure = make()
    found = retarget_bvh(walk_bvh(turn=0.2), figure)
    for side in (Side.LEFT, Side.RIGHT):
        foot = found.feet.feet[side]
        tilt, heights, _ = soles(figure, found, side)
        assert 0.5 < foot.flat.mean() < 0.75
        assert np.degrees(tilt[foot.flat].max()) < 3
        assert np.abs(heights[foot.flat]).max() < 0.005
        assert heights.min() > -0.006
        assert foot.slide[1].max() < 0.005
        down = foot.flat & (foot.heel <= np.radians(1))
        np.testing.assert_allclose(foot.tilt[1], tilt[down], atol=1e-6)  # it says so itself
    assert outside(figure, found.trajectory.q) < np.radians(0.1)


@pytest.mark.parametrize("name", ["02_01", "07_01", "16_15", "16_17"])
def test_captured_walks(name):
    """They stood on feet rolled by 25 degrees, 5 cm in the floor, out of their ranges by 23."""
    bvh, figure = read_bvh(reference("bvh", f"{name}.bvh")), virtual_human()
    found = retarget_bvh(bvh, figure)
    hips = found.mapping.links(Part.THIGH)
    for side in (Side.LEFT, Side.RIGHT):
        foot, (tilt, heights, _) = found.feet.feet[side], soles(figure, found, side)
        down = foot.flat & (foot.heel <= np.radians(1))
        assert down.sum() > 0.7 * foot.flat.sum()
        assert np.degrees(tilt[down].max()) < 3
        assert np.abs(heights[down]).max() < 0.007
        assert heights[foot.flat].min() > -0.0055  # the tip of a foot whose heel is up is on the floor
        assert foot.slide[1].max() < 0.005
    verdict = judged(bvh, figure, found)  # the same, seen from outside; soles were 2.6 to 6.3 degrees off, 10 to 22 mm
    assert verdict.tilt < 3
    assert verdict.height < 0.006
    assert verdict.slide < 0.005
    assert verdict.fastest < 1.5
    assert verdict.heel < 17
    assert outside(figure, found.trajectory.q) < np.radians(0.1)
    assert np.abs(found.feet.rise).max() < 0.032
    places = forward_kinematics(figure, found.trajectory.q).position[:, [figure.link_index(name) for name in hips]]
    assert np.ptp(places.mean(axis=1)[:, 2] - found.feet.rise) > 0.01  # goes up and down as the source does
    assert "stands flat" in str(found)


def test_without():
    bvh, figure = walk_bvh(), virtual_human()
    plain = retarget_bvh(bvh, figure, feet=False)
    assert plain.feet is None
    assert retarget_bvh(bvh, figure, floor=None).feet is None
    values = bvh.values.copy()
    values[:, bvh.starts[bvh.index("Head")]] += 80  # a head on its shoulder
    far = replace(bvh, values=values)
    free, held = (retarget_bvh(far, figure, ranges=ranges) for ranges in (False, True))
    assert outside(figure, free.trajectory.q) > np.radians(20)
    assert outside(figure, held.trajectory.q) < np.radians(0.1)
    assert not free.held
    assert max(angles.max() for angles in held.held.values()) > np.radians(20)
    assert "held in its range" in str(held)


def test_twist_does_not_flip():
    """A straight knee has no plane: the thigh's turn about itself follows the source, however the noise bends it."""
    time = np.arange(200) / 100
    rng = np.random.default_rng(0)
    sure = np.where((time > 0.5) & (time < 1.5), 0.0, 1.0)
    angles = np.where(sure > 0, 0.3, rng.uniform(-np.pi, np.pi, 200))
    np.testing.assert_allclose(steady_twists(time, angles, sure), 0.3, atol=1e-6)
    assert np.abs(steady_twists(time, rng.uniform(-np.pi, np.pi, 200), np.zeros(200))).max() == 0
    figure = human28()
    for name in ("07_01", "16_15"):
        found = retarget_bvh(read_bvh(reference("bvh", f"{name}.bvh")), figure)
        step = np.abs(changes(figure, found.trajectory.q[:-1], found.trajectory.q[1:]))
        part = figure.v_slice("hip_left")
        assert np.degrees(np.linalg.norm(step[:, part], axis=1).max()) < 8  # it was 36 where the source turns 3


def test_curves():
    time = np.arange(300) / 100
    known = (time < 0.5) | (time > 2.5)
    curve = bridged(time, np.full((300, 1), 0.1), known, span=0.08)[:, 0]
    np.testing.assert_allclose(curve[known], 0.1)
    assert abs(curve[150]) < 1e-3
    assert np.abs(np.diff(curve, 2)).max() < 2e-3
    assert (curve > -1e-3).all()
    least = np.maximum(0.0, np.sin(7 * time)) ** 4
    over = raised(time, least, span=0.1)
    assert (over >= least - 1e-12).all()
    assert np.abs(np.diff(over, 2)).max() < np.abs(np.diff(least, 2)).max()
