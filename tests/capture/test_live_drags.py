"""Tracked points lead a figure: of the same proportions exactly, of others within its ranges, with points lost."""

import numpy as np
import pytest

from hitogata.capture import LiveDrags, Tracked, scaled_figure
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import JointKind
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.motion import Hold
from hitogata.spatial import matrix_to_quat, quat_exp, quat_multiply, quat_rotate

LED = {"hip": "pelvis", "chest": "chest", "head": "head", "hand_l": "hand_left", "hand_r": "hand_right",
       "foot_l": "foot_left", "foot_r": "foot_right"}  # fmt: skip


def tracked(figure, q, at=(0.03, 0.02, 0.01)):
    """Places and turns of trackers strapped to links a little off their origins, turned somehow."""
    poses, off = forward_kinematics(figure, q), np.asarray(quat_exp(np.array([0.3, -0.8, 0.4])))
    places, turns = {}, {}
    for name, link in LED.items():
        k = figure.link_index(link)
        places[name] = poses.rotation[k] @ at + poses.position[k]
        turns[name] = quat_multiply(matrix_to_quat(poses.rotation[k]), off)
    return places, turns


def walk(figure):
    return sample_walk(strides=1).q[:90]


def test_trackers_of_the_same_figure_lead_it_exactly():
    figure = virtual_human()
    way = walk(figure)
    drags = LiveDrags(figure, {name: Tracked(link, Hold.POSE) for name, link in LED.items()})
    drags.puppet.place(way[0])
    drags.calibrate(*tracked(figure, way[0]))                        # off the links' origins: about the size
    assert drags.size == pytest.approx(1.0, abs=0.02)
    assert drags.calibrate(*tracked(figure, way[0], np.zeros(3))) == ()
    assert drags.size == pytest.approx(1.0, abs=1e-9)
    for q in way[1:60]:
        drags.step(0.01, *tracked(figure, q, np.zeros(3)))
    np.testing.assert_allclose(forward_kinematics(figure, drags.q).position, forward_kinematics(figure, q).position,
                               atol=0.005)
    assert max(place for place, _ in drags.residuals().values()) < 0.001
    assert max(angle for _, angle in drags.residuals().values()) < 0.02


def test_a_child_leads_a_grown_figure_from_elsewhere():
    """The person is smaller, stands somewhere else and looks another way; arms are short besides."""
    figure = virtual_human()
    factors = np.full((figure.nlinks, 3), 0.7)
    for k, name in enumerate(figure.link_names):
        if "arm" in name:
            factors[k] *= 0.9
    person, way = scaled_figure(figure, factors), walk(figure)
    quat, shift = np.asarray(quat_exp(np.array([0.0, 0.0, 2.0]))), np.array([3.0, -1.0, 0.0])

    def seen(q):
        places, _ = tracked(person, np.concatenate([0.7 * q[:3], q[3:]]))
        return {n: quat_rotate(quat, p) + shift for n, p in places.items()}

    drags = LiveDrags(figure, {name: Tracked(link) for name, link in LED.items()})
    drags.puppet.place(way[0])
    q0 = way[0].copy()
    assert drags.calibrate(seen(q0)) == ()
    assert 1.3 < drags.size < 1.55
    np.testing.assert_allclose(drags.step(1 / 60, seen(q0)), way[0], atol=0.02)
    for q in way[1:60]:
        drags.step(0.01, seen(q))
    assert max(place for place, _ in drags.residuals().values()) < 0.05
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.kind is JointKind.HINGE:
            low, high = link.joint.range
            assert low - 1e-6 <= drags.q[at] <= high + 1e-6
        elif link.joint.kind is JointKind.BALL:
            assert link.joint.range.violation(drags.q[at : at + 4]).swing_depth < 1e-4


def test_lost_points_let_go_and_come_back():
    figure = virtual_human()
    q0 = figure.neutral()
    drags = LiveDrags(figure, {name: Tracked(link) for name, link in LED.items()}, patience=0.1, fade=0.2)
    places, _ = tracked(figure, q0)
    drags.calibrate(places)
    away = {**places, "hand_l": places["hand_l"] + [0.3, 0, 0.2]}
    for _ in range(60):
        drags.step(1 / 60, away)
    led = drags.q
    assert drags.lost == ()
    blind = {**places, "hand_l": np.full(3, np.nan)}
    drags.step(1 / 60, blind)
    assert drags.lost == ()                                          # patient for a tenth of a second
    for _ in range(180):
        drags.step(1 / 60, blind)
    assert drags.lost == ("hand_l",)
    assert np.abs(drags.q - q0).max() < 0.3 * np.abs(led - q0).max()  # returned to where it was calibrated
    for _ in range(90):
        drags.step(1 / 60, away)
    assert drags.residuals()["hand_l"][0] < 0.01
    drags.switch("hand_l", False)
    for _ in range(180):
        drags.step(1 / 60, away)
    assert np.abs(drags.q - q0).max() < 0.3 * np.abs(led - q0).max()
    drags.step(1 / 60, {**places, "foot_l": places["foot_l"] + 50.0})  # a tracker that jumps away
    assert np.isfinite(drags.q).all()


def test_bad_input():
    figure = virtual_human()
    places, _ = tracked(figure, figure.neutral())
    with pytest.raises(ArgumentError, match="calibrate first"):
        LiveDrags(figure, {"hip": Tracked("pelvis")}).step(0.1, places)
    with pytest.raises(ArgumentError, match="has no turn"):
        LiveDrags(figure, {"hip": Tracked("pelvis", Hold.POSE)}).calibrate(places)
    with pytest.raises(ArgumentError, match="none of the tracked points is seen"):
        LiveDrags(figure, {"hip": Tracked("pelvis")}).calibrate({})
    drags = LiveDrags(figure, {name: Tracked(link) for name, link in LED.items()})
    problems = drags.calibrate({n: p * 1000 for n, p in places.items() if n != "head"})
    assert "head: not seen" in problems[0]
    assert "another unit of length" in problems[1]
    with pytest.raises(ArgumentError, match="no point 'head'"):
        drags.switch("head", True)
