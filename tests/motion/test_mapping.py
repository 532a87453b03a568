"""Pairs of links: by names, by geometry, by a table."""

from dataclasses import replace

import pytest

from hitogata.errors import ArgumentError, FigureError
from hitogata.files import bvh_from_trajectory, figure_from_bvh, read_bvh
from hitogata.files.names import Part, Side
from hitogata.library import bear, chain, human28, human40, upper_body, virtual_human
from hitogata.motion import map_skeletons
from tests.motion.cases import walk
from tests.reference import reference

CMU = {
    "pelvis": "Hips", "chest": "Spine1", "head": "Head",
    "thigh_left": "LeftUpLeg", "shin_left": "LeftLeg", "foot_left": "LeftFoot",
    "upper_arm_left": "LeftArm", "forearm_left": "LeftForeArm",
    "thigh_right": "RightUpLeg", "shin_right": "RightLeg", "foot_right": "RightFoot",
    "upper_arm_right": "RightArm", "forearm_right": "RightForeArm",
}  # fmt: skip


def nameless(bvh):
    return replace(bvh, joints=tuple(replace(it, name=f"j{i}") for i, it in enumerate(bvh.joints)))


def test_by_names():
    source = figure_from_bvh(read_bvh(reference("bvh", "02_01.bvh")))
    found = map_skeletons(source, human28())
    assert found.pairs == CMU
    assert not found.unmatched
    assert "LeftShoulder" in found.unused
    assert found.how.startswith("names")
    assert found.links(Part.THIGH) == ["thigh_left", "thigh_right"]
    assert found.links(Part.HAND, Side.LEFT) == []
    other = map_skeletons(human28(), source)
    assert other.pairs["Spine1"] == "chest"
    assert {"LowerBack", "Spine", "LeftHand"} <= set(other.unmatched)
    assert "keeps its pose: " in str(other)


def test_our_other_figures():
    found = map_skeletons(human40(), virtual_human())
    assert found.unmatched == ("abdomen", "neck")
    assert map_skeletons(virtual_human(), human40()).unused == ("abdomen", "neck")
    found = map_skeletons(virtual_human(), upper_body())
    assert found.unmatched == ("base",)
    assert all(ours == theirs for ours, theirs in found.pairs.items())
    assert set(map_skeletons(human40(), bear()).unmatched) == {"paw_left", "paw_right"}


def test_by_geometry():
    bvh = read_bvh(reference("bvh", "02_01.bvh"))
    source = figure_from_bvh(nameless(bvh))
    for target in (human28(), human40()):
        found = map_skeletons(source, target)
        assert found.how == "geometry"
        named = {ours: bvh.names[int(theirs[1:])] for ours, theirs in found.pairs.items()}
        hands = {f"hand_{side.lower()}": f"{side}Hand" for side in ("Left", "Right")} if target.nlinks == 15 else {}
        assert named == {**CMU, **hands}
        assert found.parts["shin_left"] == (Part.SHIN, Side.LEFT)


def test_the_same_figure_without_names():
    """Arms hang, so shoulders and hips must be told apart by where they begin."""
    figure = human40()
    bvh = bvh_from_trajectory(walk(figure), figure)
    found = map_skeletons(figure_from_bvh(nameless(bvh)), figure)
    assert {a: bvh.names[int(b[1:])] for a, b in found.pairs.items()} == {n: n for n in figure.link_names}


def test_a_table_goes_first():
    figure = human28()
    found = map_skeletons(human40(), figure, {"head": None, "chest": "pelvis"})
    assert found.pairs["chest"] == "pelvis"
    assert found.unmatched == ("head",)
    assert found.how.endswith("and 2 of the user's table")
    with pytest.raises(FigureError, match=r"no link 'hed'.*'head'"):
        map_skeletons(human40(), figure, {"hed": "head"})
    with pytest.raises(FigureError, match="no link 'skull'"):
        map_skeletons(human40(), figure, {"head": "skull"})


def test_nothing_in_common():
    pairs = map_skeletons(chain(3), human28())  # a chain hangs from its root: the root is all they share
    assert set(pairs.pairs) == {"pelvis"}
    table = dict.fromkeys(human28().link_names)
    with pytest.raises(ArgumentError, match="no links could be paired"):
        map_skeletons(human40(), human28(), table)
