"""Feet that slide while they rest: how far, and where they would be if they did not."""

import numpy as np
import pytest

from hitogata.figure import Trajectory, velocities_of
from hitogata.library import human28
from hitogata.motion import GroundMove, RestLimits, find_contacts, foot_slides, move_root
from hitogata.motion.foot_contacts import point_places
from hitogata.motion.foot_skate import standing_moves
from hitogata.motion.root_placement import moved_samples
from tests.motion.steps import stepping_walk


def sliding_walk(figure, *, along=0.0, around=0.0, seconds=3.0):
    """A walk whose feet stand, carried off at a speed [m/s] and turned about the origin at a rate [rad/s]."""
    walk, down = stepping_walk(figure, seconds=seconds)
    moves = [GroundMove(around * t, (along * t, 0.0, 0.0)) for t in walk.time]
    q = moved_samples(figure, walk.q, moves)
    return Trajectory(walk.time, q, velocities_of(figure, walk.time, q), figure_name=figure.name), down


def test_slides_are_measured():
    """A walk carried off at 0.1 m/s slides 0.1 m in each second of a contact."""
    figure = human28()
    walk, _ = stepping_walk(figure)
    plain = foot_slides(figure, walk, find_contacts(figure, walk))
    assert max(x.max() for x in plain.values()) < 0.006  # of the slow take-off
    for along in (0.05, 0.15):
        moving, down = sliding_walk(figure, along=along)
        slides = foot_slides(figure, moving, find_contacts(figure, moving))
        for name, found in slides.items():
            edges = np.flatnonzero(np.diff(np.concatenate([[0], down[name], [0]]))).reshape(-1, 2)
            wanted = along * (walk.time[edges[:, 1] - 1] - walk.time[edges[:, 0]])
            np.testing.assert_allclose(found, wanted, atol=0.012)


def test_noise_is_no_slide():
    figure = human28()
    walk, _ = stepping_walk(figure)
    feet = find_contacts(figure, walk)
    rng = np.random.default_rng(0)
    q = walk.q.copy()
    q[:, :2] += rng.normal(size=(len(q), 2)) * 5e-4
    noisy = Trajectory(walk.time, q, velocities_of(figure, walk.time, q))
    assert max(x.max() for x in foot_slides(figure, noisy, feet).values()) < 0.01


@pytest.mark.parametrize(("along", "around"), [(0.12, 0.0), (0.0, 0.05), (0.08, -0.04)])
def test_a_foot_that_would_not_slide(along, around):
    """Moved by G, every point of a sole stays where it is for as long as the foot stands; in the air G goes over."""
    figure = human28()
    moving, down = sliding_walk(figure, along=along, around=around)
    for name, foot in find_contacts(figure, moving).items():
        points = point_places(figure, moving, foot.points)
        moves = standing_moves(figure, moving, foot, RestLimits(), 0.3)
        held = np.array([move.apply(x) for move, x in zip(moves, points, strict=True)])
        edges = np.flatnonzero(np.diff(np.concatenate([[0], down[name], [0]]))).reshape(-1, 2)
        for first, end in edges:
            core = slice(first + 3, end - 3)
            if end - first > 10:
                assert np.ptp(points[core], axis=0).max() > 0.01
                assert np.ptp(held[core], axis=0).max() < 0.003
        steps = np.linalg.norm(np.diff(held - points, axis=0), axis=2).max()
        assert steps < 0.01  # no jumps of the correction, 1/60 s apart
        middle = [(c.first + c.last) // 2 for c in foot.contacts]
        np.testing.assert_allclose(held[middle], points[middle], atol=1e-12)


def test_a_rolling_foot_does_not_slide():
    """A sole that turns about its front edge, up and down again: nothing to correct."""
    figure = human28()
    time = np.arange(61) / 60
    q = np.repeat(figure.neutral()[None], 61, axis=0)
    still = Trajectory(time, q, np.zeros((61, figure.nv)), figure_name=figure.name)
    foot = find_contacts(figure, still)["left"]
    front = max(p[0] for _, p in foot.points)
    tilt = 0.35 * np.sin(np.pi * time) ** 2
    # the ankle turns about the front edge of the sole
    arm = np.array([front, 0.0, -0.08])
    rolled = q.copy()
    c, s = np.cos(tilt), np.sin(tilt)
    turned = np.stack([c * arm[0] + s * arm[2], 0 * tilt, -s * arm[0] + c * arm[2]], axis=1)
    from hitogata.spatial import quat_exp

    rolled[:, figure.q_slice("ankle_left")] = quat_exp(np.outer(tilt, [0, 1.0, 0]))
    rolled[:, :3] += arm - turned  # the whole body goes along, so that the edge stays
    motion = Trajectory(time, rolled, velocities_of(figure, time, rolled), figure_name=figure.name)
    feet = {"left": find_contacts(figure, motion)["left"]}
    points = point_places(figure, motion, feet["left"].points)
    edge = [k for k, (_, p) in enumerate(feet["left"].points) if p[0] == front]
    assert np.ptp(points[:, edge], axis=0).max() < 1e-12
    assert np.ptp(points, axis=0).max() > 0.05
    assert foot_slides(figure, motion, feet)["left"].max() < 0.004


def test_places_do_not_matter():
    figure = human28()
    moving, _ = sliding_walk(figure, along=0.1)
    feet = find_contacts(figure, moving)
    away = move_root(figure, moving, GroundMove(1.3, (40.0, -7.0, 0.0)))
    for a, b in zip(*(foot_slides(figure, m, feet).values() for m in (moving, away)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
