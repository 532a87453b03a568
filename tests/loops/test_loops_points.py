"""Points and axes of every kind of virtual link."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Pose, State
from hitogata.library import human28
from hitogata.loops import Links, Turning, closed, gimbal, grasp, here, hinge, link_rows, pin, rod, slide, weld

FIGURE = human28()
AT, THERE = (0.1, -0.2, 0.3), (0.4, 0.5, -0.6)
KINDS = {
    "weld": lambda **o: weld("head", "forearm_left", **o),
    "pin": lambda **o: pin("head", "forearm_left", **o),
    "hinge": lambda **o: hinge("head", "forearm_left", axis=(1, 2, 3), **o),
    "gimbal": lambda **o: gimbal("head", "forearm_left", **o),
    "slide": lambda **o: slide("head", "forearm_left", axis=(1, 2, 3), **o),
    "grasp": lambda **o: grasp("head", "forearm_left", bar=(1, 2, 3), **o),
    "firm grasp": lambda **o: grasp("head", "forearm_left", **o),
    "rod": lambda **o: rod("head", "forearm_left", length=1.0, **o),
}


def place(q, name, point):
    """Of a point of a link, in the world."""
    poses, k = forward_kinematics(FIGURE, q), FIGURE.link_index(name)
    return poses.position[k] + poses.rotation[k] @ np.array(point)


@pytest.mark.parametrize("kind", KINDS)
def test_points_of_every_kind(kind):
    link = KINDS[kind](child_point=AT, parent_point=THERE)
    assert (link.child_point, link.parent_point) == (AT, THERE)
    assert KINDS[kind](point=AT).child_point == AT
    q = FIGURE.random(np.random.default_rng(3))
    links, handle = Links(FIGURE).add(link)
    apart = place(q, "head", AT) - place(q, "forearm_left", THERE)
    value = link_rows(links, q).value
    if kind == "rod":
        assert value[0] == pytest.approx(np.linalg.norm(apart) - 1.0, abs=1e-12)
    elif kind != "slide":
        assert np.linalg.norm(value[:3]) == pytest.approx(np.linalg.norm(apart), abs=1e-12)
    with pytest.raises(ArgumentError, match="child_point or child_pose, not both"):
        KINDS[kind](child_point=AT, child_pose=Pose(THERE))
    assert handle in links


@pytest.mark.parametrize("kind", ["hinge", "slide", "grasp"])
def test_axes_of_both_ends(kind):
    link = KINDS[kind]()
    unit = np.array((1, 2, 3)) / np.sqrt(14)
    np.testing.assert_allclose([link.axis, link.parent_axis], [unit, unit], atol=1e-15)
    for other in ((0, 0, 2), (-1, -2, -3), (1, 2, 3.0001), (3, -1, 0)):
        link = KINDS[kind](parent_axis=other)
        np.testing.assert_allclose(link.parent_axis, np.array(other) / np.linalg.norm(other), atol=1e-15)
        np.testing.assert_allclose(link.axis, unit, atol=1e-15)
    with pytest.raises(ArgumentError, match="axis"):
        KINDS[kind](parent_axis=(0, 0, 0))


def test_a_hinge_between_links_turns_about_its_axis_and_nothing_else():
    """Closed, both ends' points and axes are one line in the world."""
    own, other = np.array((0.2, 1.0, 0.1)), np.array((1.0, 0.3, -0.2))
    links, _ = Links(FIGURE).add(
        hinge("forearm_left", "forearm_right", axis=own, parent_axis=other, child_point=(0, 0, -0.2), parent_point=AT)
    )
    state = closed(links, State(FIGURE.neutral(), np.zeros(FIGURE.nv)))
    ends = [
        (place(state.q, name, p), place(state.q, name, np.add(p, a)))
        for name, p, a in (("forearm_left", (0, 0, -0.2), own / np.linalg.norm(own)),
                           ("forearm_right", AT, other / np.linalg.norm(other)))
    ]  # fmt: skip
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-10)


def test_a_slide_without_turning_keeps_the_shortest_turn():
    """With all turning held, R_PC is 1; C and P have z along the axes, and differ by the shortest turn."""
    link = slide("head", axis=(0, 0, 1), parent_axis=(1, 0, 0))
    np.testing.assert_allclose(link.parent_pose.rotation @ (0, 1, 0), (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(link.parent_pose.rotation @ (0, 0, 1), (1, 0, 0), atol=1e-15)


def test_a_gimbal_by_its_axes():
    """Turning about its two axes holds it, about the third does not."""
    b = FIGURE.neutral()
    link = gimbal("pelvis", axis=(0, 1, 0), parent_axis=(0, 0, 1), parent_point=tuple(b[:3]))
    links, _ = Links(FIGURE).add(link)
    assert np.abs(link_rows(links, b).value).max() < 1e-12
    np.testing.assert_allclose([link.axis, link.parent_axis], [(0, 1, 0), (0, 0, 1)], atol=1e-15)
    spin = np.zeros((3, FIGURE.nv))
    spin[0, 2], spin[1, 1], spin[2, 0] = 0.3, 0.3, 0.3  # about z of the world, y and x
    off = [np.abs(link_rows(links, integrate(FIGURE, b, s)).value).max() for s in spin]
    assert off[0] < 1e-12
    assert off[1] < 1e-12
    assert off[2] > 0.1
    both = integrate(FIGURE, integrate(FIGURE, b, spin[1]), spin[0])  # first about its own y, then about z
    assert np.abs(link_rows(links, both).value).max() < 1e-12
    assert here(FIGURE, b, link).turning is Turning.GIMBAL
