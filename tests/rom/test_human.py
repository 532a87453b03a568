"""The library of human ranges: the tables' own angles, sides, mirrors, frames of the library's figures."""

import json

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import JointKind
from hitogata.library import human40
from hitogata.rom import RangeOfMotion
from hitogata.rom.human import BOONE_AZEN, Side, ankle, elbow, hip, human_ranges, knee, neck, shoulder, waist, wrist
from hitogata.spatial import quat_exp

X, Y, Z = np.eye(3)


def limit(range_, axis, most=200.0):
    """How far the joint turns about an axis of the parent, from rest [deg]."""
    angles = np.arange(0.25, most, 0.25)
    ok = range_.contains(quat_exp(np.outer(np.radians(angles), axis)))
    return float(angles[np.argmin(ok)]) if not ok.all() else most


# forward swing of a hanging limb is a turn about -y; outward on the left a turn about +x
LEFT = {
    "hip": (hip, {"-y": 120, "y": 30, "x": 45, "-x": 30, "-z": 45, "z": 45}),
    "shoulder": (shoulder, {"y": 60, "x": 175, "-z": 70, "z": 90, "-x": 15}),
    "wrist": (wrist, {"-y": 20, "y": 30, "x": 70, "-x": 80, "-z": 80, "z": 80}),
    "ankle": (ankle, {"-y": 20, "y": 50, "z": 10, "-z": 10, "x": 15, "-x": 35}),
}
AXES = {"x": X, "y": Y, "z": Z, "-x": -X, "-y": -Y, "-z": -Z}


@pytest.mark.parametrize("name", LEFT)
def test_angles_of_the_table(name):
    make, table = LEFT[name]
    for axis, deg in table.items():
        assert limit(make(Side.LEFT), AXES[axis]) == pytest.approx(deg, abs=0.5), axis
    mirror = {"x": "-x", "-x": "x", "z": "-z", "-z": "z", "y": "y", "-y": "-y"}
    for axis, deg in table.items():
        assert limit(make(Side.RIGHT), AXES[mirror[axis]]) == pytest.approx(deg, abs=0.5), axis


def test_trunk():
    for make, (flexion, extension, lateral, rotation) in ((neck, (45, 45, 45, 60)), (waist, (80, 25, 35, 45))):
        r = make()
        for axis, deg in ((Y, flexion), (-Y, extension), (X, lateral), (-X, lateral), (Z, rotation), (-Z, rotation)):
            assert limit(r, axis) == pytest.approx(deg, abs=0.5)


@pytest.mark.parametrize("make", [shoulder, hip, wrist, ankle])
def test_right_mirrors_left(make):
    q = np.random.default_rng(0).normal(size=(5000, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    mirrored = q * [1, -1, 1, -1]  # in the plane y = 0
    np.testing.assert_array_equal(make(Side.LEFT).contains(q), make(Side.RIGHT).contains(mirrored))
    assert make(Side.LEFT).swing.area == pytest.approx(make(Side.RIGHT).swing.area, rel=1e-9)


def test_arm_across_the_chest():
    """Horizontal flexion: at shoulder height 45° beyond forward, not 60°."""
    inside = shoulder(Side.LEFT).swing.contains
    for deg, expect in ((30, True), (44, True), (46, False), (60, False)):
        w = np.radians(deg)
        assert inside(np.array([np.cos(w), -np.sin(w), 0.0])) == expect


def test_every_joint_of_the_figure_and_a_source():
    figure = human40()
    ranges = human_ranges()
    assert set(ranges) == set(figure.joint_names) - {"base"}
    kinds = dict(zip(figure.joint_names, (link.joint.kind for link in figure.links), strict=True))
    for name, r in ranges.items():
        assert (kinds[name] is JointKind.BALL) == isinstance(r.range, RangeOfMotion)
        assert "1965" in r.source
        d = json.loads(json.dumps(r.to_dict()))
        if isinstance(r.range, RangeOfMotion):
            again = RangeOfMotion.from_dict(d["range"])
            assert again.contains(np.array([1.0, 0, 0, 0]))
        else:
            assert r.range[0] <= 0.0 <= r.range[1]
    assert elbow() == (-np.radians(150), 0.0)
    assert knee() == (0.0, np.radians(135))


def test_other_tables_fit_in():
    r = shoulder(Side.LEFT, **BOONE_AZEN["shoulder"])
    assert limit(r, Y) == pytest.approx(62, abs=0.5)
    assert limit(r, -Y) == pytest.approx(167, abs=0.5)
    assert elbow(**BOONE_AZEN["elbow"])[0] == -np.radians(143)
    assert wrist(Side.RIGHT, **BOONE_AZEN["wrist"])


def test_bad_input():
    with pytest.raises(ArgumentError, match="hip flexion_deg = -3"):
        hip(Side.LEFT, flexion_deg=-3)
    with pytest.raises(ArgumentError, match="a Side expected"):
        hip("left")
    with pytest.raises(ArgumentError, match="horizontal_flexion_deg"):
        shoulder(Side.LEFT, horizontal_flexion_deg=90)
