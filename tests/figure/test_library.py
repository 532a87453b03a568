"""Built-in figures: human28 is the table of Nakamura & Yamane 2000, exactly."""

import numpy as np
import pytest

from hitogata.figure import Box, Figure, JointKind
from hitogata.library import chain, human28, human40

# kg; kg m², in rising order; each side's limbs once
TABLE = {
    "pelvis": (15, (0.2, 0.4, 0.4)),
    "chest": (16, (0.4, 0.8, 0.8)),
    "head": (4, (0.1, 0.1, 0.1)),
    "thigh": (5, (0.1, 0.2, 0.2)),
    "shin": (4, (0.1, 0.2, 0.2)),
    "foot": (2, (0.02, 0.02, 0.02)),
    "upper_arm": (4, (0.1, 0.2, 0.2)),
    "forearm": (2, (0.1, 0.2, 0.2)),
}
JOINTS = {
    "base": JointKind.FREE,
    "waist": JointKind.BALL,
    "neck": JointKind.BALL,
    "hip": JointKind.BALL,
    "knee": JointKind.HINGE,
    "ankle": JointKind.BALL,
    "shoulder": JointKind.BALL,
    "elbow": JointKind.HINGE,
    "wrist": JointKind.BALL,
}


def stem(name: str) -> str:
    return name.removesuffix("_left").removesuffix("_right")


def places(figure: Figure) -> dict[str, np.ndarray]:
    """Origins of links and frames at rest; every joint but the base is at zero, and all axes are the world's."""
    found = {}
    for link, parent in zip(figure.links, figure.parents, strict=True):
        at = np.array(link.joint.parent_frame.position)
        if parent >= 0:
            at = at + found[figure.links[parent].name]
        elif link.joint.kind is JointKind.FREE:
            at = at + link.joint.rest[:3]
        found[link.name] = at
        found.update({frame.name: at + frame.pose.position for frame in link.frames})
    return found


@pytest.mark.parametrize("figure", [human28(), human40()], ids=["human28", "human40"])
def test_masses_and_moments_are_those_of_the_table(figure):
    for link in figure.links:
        if stem(link.name) != "hand":
            mass, moments = TABLE[stem(link.name)]
            assert link.mass.mass == mass
            np.testing.assert_allclose(np.linalg.eigvalsh(link.mass.matrix), moments, rtol=1e-14)
            assert np.count_nonzero(link.mass.matrix - np.diag(np.diag(link.mass.matrix))) == 0
            # the smallest moment is about the long axis, z
            assert link.mass.inertia[2] == min(moments)


def test_human28():
    figure = human28()
    assert (figure.nlinks, figure.nv, figure.nq, figure.mass) == (13, 28 + 6, 43, 69)
    assert {stem(name) for name in figure.link_names} == set(TABLE)
    for name, link in zip(figure.joint_names, figure.links, strict=True):
        assert link.joint.kind is JOINTS[stem(name)]


def test_human40():
    figure = human40()
    assert (figure.nlinks, figure.nv, figure.mass) == (15, 34 + 6, 70)
    assert set(figure.link_names) - set(human28().link_names) == {"hand_left", "hand_right"}
    for name, link in zip(figure.joint_names, figure.links, strict=True):
        assert link.joint.kind is JOINTS[stem(name)]
    for side in ("left", "right"):
        hand = figure.link(f"hand_{side}")
        assert (hand.parent, hand.mass.mass) == (f"forearm_{side}", 0.5)


@pytest.mark.parametrize("figure", [human28(), human40()], ids=["human28", "human40"])
def test_it_stands_on_its_soles(figure):
    where = places(figure)
    for side in ("left", "right"):
        assert where[f"sole_{side}"][2] == pytest.approx(0, abs=1e-12)
        (sole,) = figure.link(f"foot_{side}").shapes
        assert isinstance(sole, Box)
        assert 2 * np.array(sole.half_sizes[:2]) == pytest.approx([0.19, 0.12])
        bottom = where[f"foot_{side}"][2] + sole.pose.position[2] - sole.half_sizes[2]
        assert bottom == pytest.approx(0, abs=1e-12)
    top = max(
        where[link.name][2] + shape.pose.position[2] + shape.radius
        for link in figure.links
        if link.name == "head"
        for shape in link.shapes
    )
    assert 1.7 < top < 1.85


@pytest.mark.parametrize("figure", [human28(), human40()], ids=["human28", "human40"])
def test_left_and_right_are_mirror_images(figure):
    where = places(figure)
    for link in figure.links:
        if link.name.endswith("_left"):
            other = figure.link(link.name.replace("_left", "_right"))
            np.testing.assert_allclose(where[link.name] * [1, -1, 1], where[other.name], atol=1e-15)
            assert where[link.name][1] > 0  # y is left
            np.testing.assert_allclose(np.array(link.mass.centre) * [1, -1, 1], other.mass.centre, atol=1e-15)
            assert (link.joint.range, link.joint.axis) == (other.joint.range, other.joint.axis)


def test_knees_and_elbows_bend_the_human_way():
    """A turn about +y takes what hangs below (-z) backwards (-x) when positive: knees so, elbows the other way."""
    figure = human28()
    for name, sign in (("knee_left", 1), ("elbow_left", -1)):
        joint = figure.links[figure.joint_index(name)].joint
        assert joint.axis == (0, 1, 0)
        low, high = joint.range
        assert (low, high)[sign < 0] == 0
        assert abs(high - low) > 2
        assert np.cross(joint.axis, (0, 0, -1))[0] * sign == -1 * sign


# ------------------------------------------------------- chains


@pytest.mark.parametrize("kind", [JointKind.HINGE, JointKind.BALL, JointKind.SLIDER, JointKind.UNIVERSAL])
@pytest.mark.parametrize("free_base", [False, True])
def test_chains(kind, free_base):
    figure = chain(7, kind=kind, free_base=free_base, length=0.5, mass=2)
    assert figure.nlinks == 7
    assert figure.mass == pytest.approx(14)
    assert figure.nv == (6 + 6 * kind.nv if free_base else 7 * kind.nv)
    assert figure.parents == tuple(range(-1, 6))
    where = places(figure)
    assert where["link6"].tolist() == pytest.approx([0, 0, -3])
    for link in figure.links:
        assert link.mass.centre == pytest.approx((0, 0, -0.25))


def test_hinges_of_a_chain_take_turns():
    axes = [link.joint.axis for link in chain(4).links]
    assert axes == [(0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]


def test_a_long_chain_is_no_problem():
    assert chain(1024).nv == 1024
