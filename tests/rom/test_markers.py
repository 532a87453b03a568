"""Joint centre, bone and pose from markers, some of them hidden: against a made-up arm whose truth is known."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.rom.markers import Known, joint_from_markers
from hitogata.spatial import quat_conjugate, quat_exp, quat_log, quat_multiply, quat_rotate

SHOULDER = np.array([0.02, 0.01, -0.06])  # in the torso's frame [m]
LENGTH = 0.29
STILL = 30  # frames at rest
TORSO = np.array([[0.09, 0.02, -0.01], [0.01, 0.05, 0.06], [-0.08, 0.01, 0.02]])
ELBOW = 0.045 * np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]) + [0.0, 0.0, -LENGTH]


def arm(frames=400, noise=0.0, hidden=0.0, seed=0):
    """Markers of torso and arm, and the truth: relative pose, shoulder, elbow in the world."""
    rng = np.random.default_rng(seed)
    t = np.maximum(np.linspace(-(STILL + 3) / frames, 1.0, frames), 0.0)  # held still, then moved
    wave = lambda *f: np.stack([np.sin(2 * np.pi * (a * t + b)) for a, b in f], 1)
    torso = quat_exp(0.25 * wave((3, 0.1), (2, 0.3), (4, 0.7)))
    joint = quat_exp(wave((7, 0.0), (5, 0.0), (11, 0.0)) * [0.9, 1.1, 0.6])
    at = 0.1 * wave((1, 0.2), (2, 0.5), (3, 0.9))
    quat_arm = quat_multiply(torso, joint)
    shoulder = at + quat_rotate(torso, SHOULDER)
    parent = at[:, None] + quat_rotate(torso[:, None], TORSO)
    child = shoulder[:, None] + quat_rotate(quat_arm[:, None], ELBOW)
    elbow = shoulder + quat_rotate(quat_arm, [0.0, 0.0, -LENGTH])
    for x in (parent, child):
        x += noise * rng.normal(size=x.shape)
        hide = rng.random(x.shape[:2]) < hidden
        hide[:STILL] = False  # the rest pose is taken in full view
        x[hide] = np.nan
    return parent, child, torso, joint, shoulder, elbow


def errors(noise, hidden, seed=0):
    parent, child, torso, joint, shoulder, elbow = arm(noise=noise, hidden=hidden, seed=seed)
    m = joint_from_markers(parent, child, rest=range(STILL))
    ok = m.known > 0
    # P has the world's axes at rest: turned against the torso's frame by the torso's pose there
    truth = quat_multiply(
        torso[0], quat_multiply(joint, quat_multiply(quat_conjugate(joint[0]), quat_conjugate(torso[0])))
    )
    off = quat_log(quat_multiply(truth[ok], quat_conjugate(m.quat[ok])))
    bone = quat_rotate(quat_multiply(torso[0], joint[0]), [0.0, 0.0, -1.0])
    rms = lambda x: float(np.sqrt((x**2).sum(1).mean()))
    return {
        "shoulder": rms(m.centre[ok] - shoulder[ok]),
        "elbow": rms(m.end[ok] - elbow[ok]),
        "pose": np.degrees(rms(off)),
        "direction": np.degrees(rms(quat_rotate(truth[ok], bone) - m.direction[ok])),
        "known": float(ok.mean()),
        "length": abs(m.length - LENGTH),
        "motion": m,
    }


def test_exact_without_noise_even_when_a_third_is_hidden():
    for hidden in (0.0, 0.3):
        e = errors(0.0, hidden)
        assert e["shoulder"] < 1e-8
        assert e["elbow"] < 1e-8
        assert e["pose"] < 1e-6
        assert e["length"] < 1e-9
    assert 0.5 < e["known"] < 0.7  # 3 + 2 or 2 + 3 markers are seen in 60 % of frames
    assert (e["motion"].known == Known.CENTRE).mean() > 0.3


@pytest.mark.parametrize("noise_mm", [0.5, 1.0, 2.0])
def test_noise(noise_mm):
    e = errors(noise_mm * 1e-3, 0.3, seed=3)
    assert e["shoulder"] < 3.5e-3 * noise_mm
    assert e["elbow"] < 2.0e-3 * noise_mm
    assert e["direction"] < 2.0 * noise_mm  # most of it the torso's own three markers, 17 cm apart
    assert e["pose"] < 2.8 * noise_mm
    assert e["length"] < 2.0e-3 * noise_mm


def test_hidden_frames_are_nan_and_only_those():
    parent, child, *_ = arm(hidden=0.3)
    m = joint_from_markers(parent, child, rest=range(STILL))
    hidden = m.known == Known.HIDDEN
    for x in (m.quat[:, 0], m.direction[:, 0], m.twist):
        np.testing.assert_array_equal(np.isnan(x), hidden)
    seen = np.isfinite(parent[:, :, 0]).sum(1), np.isfinite(child[:, :, 0]).sum(1)
    np.testing.assert_array_equal(m.known == Known.MARKERS, (seen[0] >= 3) & (seen[1] >= 3))
    enough = ((seen[0] >= 3) & (seen[1] >= 2)) | ((seen[0] >= 2) & (seen[1] >= 3))
    np.testing.assert_array_equal(m.known > 0, enough)


def test_two_opposite_markers_in_line_with_nothing_are_enough_but_a_line_is_not():
    parent, child, *_ = arm()
    child = child.copy()
    child[50, 1:] = np.nan  # one marker and the centre: a line
    m = joint_from_markers(parent, child)
    assert m.known[50] == Known.HIDDEN
    assert np.isnan(m.quat[50]).all()


def test_a_wild_marker_does_not_move_the_centre():
    parent, child, _, _, shoulder, _ = arm(noise=5e-4)
    child = child.copy()
    child[100:104, 2] += 0.2
    m = joint_from_markers(parent, child)
    good = np.r_[0:100, 104:400]
    assert np.linalg.norm(m.centre[good] - shoulder[good], axis=1).max() < 6e-3


def test_range_from_markers():
    parent, child, *_ = arm(frames=1500, hidden=0.2)
    m = joint_from_markers(parent, child)
    fit = m.fit(quiet=True, margin=0.05)
    assert fit.report.coverage > 0.95
    np.testing.assert_allclose(fit.range.bone_axis, m.bone, atol=1e-12)


def test_bad_input():
    parent, child, *_ = arm(frames=50)
    with pytest.raises(ArgumentError, match=r"parent: markers of shape \(frames, at least 3, 3\)"):
        joint_from_markers(parent[:, :2], child)
    with pytest.raises(ArgumentError, match="50 frames, child has 40"):
        joint_from_markers(parent, child[:40])
    gone = child.copy()
    gone[:, 2] = np.nan
    with pytest.raises(ArgumentError, match="child marker 2 is hidden in every frame"):
        joint_from_markers(parent, gone)
    with pytest.raises(ArgumentError, match="hardly moves"):
        joint_from_markers(np.repeat(parent[:1], 50, 0), np.repeat(child[:1], 50, 0))
    with pytest.raises(ArgumentError, match="rest = 99"):
        joint_from_markers(parent, child, rest=99)
    broken = parent.copy()
    broken[3, 1, 0] = np.inf
    with pytest.raises(ArgumentError, match="frame 3"):
        joint_from_markers(broken, child)
