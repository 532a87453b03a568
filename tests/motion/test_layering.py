"""Layers on top of motions."""

import numpy as np
import pytest

from hitogata.dynamics import difference
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Trajectory, velocities_of
from hitogata.library import human28
from hitogata.motion import Layer, add_layer, blend, cut, layer_between, layer_over
from hitogata.spatial import quat_exp, quat_multiply
from tests.motion.figures import every_joint, waving
from tests.motion.steps import stepping_walk


def test_between_and_back():
    """With weight 1 it is the edited motion, with 0 the base, with w the blend of both."""
    figure = every_joint()
    base, edited = waving(figure, seed=1), waving(figure, seed=2)
    layer = layer_between(figure, base, edited)
    for weight, wanted in ((1.0, edited), (0.0, base), (0.4, blend(figure, base, edited, 0.4, align=False))):
        found = add_layer(figure, base, layer, weight)
        np.testing.assert_allclose(difference(figure, found.q, wanted.q), 0, atol=1e-12)
        np.testing.assert_allclose(found.v, wanted.v, atol=1e-9)
        assert not found.channels
    ramp = np.linspace(0, 1, len(base))
    found = add_layer(figure, base, layer, ramp)
    np.testing.assert_allclose(difference(figure, found.q[[0, -1]], [base.q[0], edited.q[-1]]), 0, atol=1e-12)
    np.testing.assert_allclose(velocities_of(figure, found.time, found.q), found.v, atol=1e-12)


def test_only_some_joints():
    figure = every_joint()
    base, edited = waving(figure, seed=1), waving(figure, seed=2)
    for found in (
        add_layer(figure, base, layer_between(figure, base, edited, joints=["link2", "link5"])),
        add_layer(figure, base, layer_between(figure, base, edited), joints=["link2", "link5"]),
    ):
        for name in figure.link_names:
            part = figure.v_slice(name)
            wanted = edited if name in ("link2", "link5") else base
            np.testing.assert_allclose(difference(figure, found.q, wanted.q)[:, part], 0, atol=1e-12)


def wave(figure):
    """An arm goes up and comes down again, for a second."""
    time = np.arange(31) / 30
    q = np.repeat(figure.neutral()[None], 31, axis=0)
    lift = 1.2 * np.sin(np.pi * time) ** 2
    q[:, figure.q_slice("shoulder_right")] = quat_exp(np.outer(lift, [0, -1.0, 0]))
    q[:, :3] += np.outer(time, [5.0, 0, 0])
    return Trajectory(time, q, velocities_of(figure, time, q), figure_name=figure.name), lift


def test_a_wave_over_a_walk():
    """The root stays the walk's; the arm is turned on top of its swing, in the chest's axes."""
    figure = human28()
    walk, _ = stepping_walk(figure)
    motion, _ = wave(figure)
    found = add_layer(figure, walk, layer_over(figure, motion), start=1.0)
    arm = figure.q_slice("shoulder_right")
    during = (walk.time >= 1.0) & (walk.time <= 2.0)
    lift = 1.2 * np.sin(np.pi * (walk.time[during] - 1.0)) ** 2
    wanted = quat_multiply(quat_exp(np.outer(lift, [0, -1.0, 0])), walk.q[during][:, arm])
    same = np.abs(np.einsum("ni,ni->n", found.q[during][:, arm], wanted))
    np.testing.assert_allclose(same, 1, atol=1e-5)
    np.testing.assert_allclose(difference(figure, found.q[~during], walk.q[~during]), 0, atol=1e-12)
    other = [k for k in range(figure.nv) if k not in range(*figure.v_slice("shoulder_right").indices(figure.nv))]
    np.testing.assert_allclose(difference(figure, found.q, walk.q)[:, other], 0, atol=1e-12)
    assert np.abs(np.diff(found.v, axis=0)).max() < 1.5 * np.abs(np.diff(walk.v, axis=0)).max()


def test_fades():
    figure = human28()
    walk, _ = stepping_walk(figure)
    offset = np.zeros((2, figure.nv))
    offset[:, figure.v_slice("neck")] = [0, 0.5, 0]
    layer = Layer([1.0, 2.0], offset)
    neck = figure.v_slice("neck")
    plain, soft = (add_layer(figure, walk, layer, fade=fade) for fade in (0.0, 0.3))
    turned = [np.linalg.norm(difference(figure, walk.q, m.q)[:, neck], axis=1) for m in (plain, soft)]
    assert turned[0][60] == pytest.approx(0.5)
    assert turned[1][60] == pytest.approx(0.0, abs=1e-12)
    assert turned[1][90] == pytest.approx(0.5)
    assert np.abs(np.diff(soft.v, axis=0)).max() < np.abs(np.diff(plain.v, axis=0)).max() / 3
    one = Layer([1.5], offset[:1])
    assert np.count_nonzero(np.abs(difference(figure, walk.q, add_layer(figure, walk, one).q)).max(axis=1) > 0.1) == 1


def test_passes_add_up():
    """Two passes in a row, each kept as a layer, and the first taken back to half: the second stays as it was."""
    figure = human28()
    walk, _ = stepping_walk(figure)
    rng = np.random.default_rng(0)
    passes = []
    motion = walk
    for name in ("neck", "elbow_left"):
        change = np.zeros((len(walk), figure.nv))
        part = figure.v_slice(name)
        change[:, part] = np.sin(walk.time)[:, None] * rng.normal(size=part.stop - part.start) * 0.3
        edited = add_layer(figure, motion, Layer(walk.time, change))
        passes.append(layer_between(figure, motion, edited))
        motion = edited
    again = add_layer(figure, add_layer(figure, walk, passes[0]), passes[1])
    np.testing.assert_allclose(difference(figure, again.q, motion.q), 0, atol=1e-12)
    half = add_layer(figure, add_layer(figure, walk, passes[0], 0.5), passes[1])
    elbow, neck = figure.v_slice("elbow_left"), figure.v_slice("neck")
    np.testing.assert_allclose(difference(figure, half.q, motion.q)[:, elbow], 0, atol=1e-12)
    np.testing.assert_allclose(difference(figure, walk.q, half.q)[:, neck], passes[0].changes[:, neck] / 2, atol=1e-12)


def test_bad_input():
    figure = human28()
    walk, _ = stepping_walk(figure)
    layer = layer_over(figure, wave(figure)[0])
    for bad in (-0.5, 1.5, np.nan, [1.0, 1.0]):
        with pytest.raises(ArgumentError, match="weight"):
            add_layer(figure, walk, layer, bad)
    with pytest.raises(ArgumentError, match="give start="):
        add_layer(figure, walk, layer, start=10.0)
    with pytest.raises(ArgumentError, match="fade"):
        add_layer(figure, walk, layer, fade=-1.0)
    with pytest.raises(FigureError, match="no joint 'tail'"):
        add_layer(figure, walk, layer, joints=["tail"])
    with pytest.raises(ArgumentError, match="list of names"):
        add_layer(figure, walk, layer, joints="neck")
    with pytest.raises(ArgumentError, match="it has 2 columns"):
        add_layer(figure, walk, Layer([0.0], [[1.0, 2.0]]))
    with pytest.raises(ArgumentError, match="changes must be finite"):
        Layer([0.0], [[np.nan]])
    with pytest.raises(ArgumentError, match="strictly rising"):
        Layer([0.0, 0.0], np.zeros((2, 3)))
    with pytest.raises(ArgumentError, match="pose: expected shape"):
        layer_over(figure, walk, walk.q)
    with pytest.raises(ArgumentError, match=r"0 to 1 s"):
        layer_between(figure, walk, cut(figure, walk, 0.0, 1.0))
