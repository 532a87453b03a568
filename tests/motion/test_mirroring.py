"""Mirror images: forward kinematics says whether left and right changed places."""

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics, link_velocities
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import FigureBuilder, Pose, Trajectory, joint
from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
from hitogata.files.names import left_right_pairs
from hitogata.library import bear, human28, human40, pendulum, upper_body, virtual_human
from hitogata.motion import find_contacts, find_symmetry, headings, mirror
from tests.motion.figures import BODY, Twins, waving
from tests.motion.steps import stepping_walk
from tests.reference import reference


def reflection(point, normal):
    flip = np.eye(3) - 2 * np.outer(normal, normal)
    return lambda x: (x - point) @ flip + point


@pytest.mark.parametrize("seed", range(4))
def test_points_of_links_are_reflected_in_any_frames(seed):
    """Material points of every link go to the mirror image of where their twins were; and velocities too."""
    twins = Twins(seed)
    figure, rng = twins.figure, np.random.default_rng(seed + 10)
    motion = waving(figure, rate=200.0, seed=seed)
    angle = rng.uniform(0, 6)
    point, normal = rng.normal(size=3), np.array([np.cos(angle), np.sin(angle), 0.0])
    image = mirror(figure, motion, point=point, normal=normal)
    before, after = (forward_kinematics(figure, m.q) for m in (motion, image))
    speeds = [link_velocities(figure, m.q, m.v) for m in (motion, image)]
    reflect, turn = reflection(point, normal), reflection(np.zeros(3), normal)
    for name, (other, M, m) in twins.maps.items():
        for link, twin, matrix, shift in ((name, other, M, m), (other, name, M.T, -M.T @ m)):
            i, k = figure.link_index(link), figure.link_index(twin)
            for x in rng.normal(size=(4, 3)):
                arms = before.rotation[:, i] @ x, after.rotation[:, k] @ (matrix @ x + shift)
                was, now = before.position[:, i] + arms[0], after.position[:, k] + arms[1]
                np.testing.assert_allclose(now, reflect(was), atol=1e-11)
                both = zip(speeds, (i, k), arms, strict=True)
                rates = [v[:, j, 3:] + np.cross(v[:, j, :3], arm) for v, j, arm in both]
                np.testing.assert_allclose(rates[1], turn(rates[0]), atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_twice_is_the_motion_itself(seed):
    figure = Twins(seed).figure
    motion = waving(figure, seed=seed)
    again = mirror(figure, mirror(figure, motion, normal=(1, 2, 0)), normal=(1, 2, 0))
    np.testing.assert_allclose(difference(figure, again.q, motion.q), 0, atol=1e-12)
    np.testing.assert_allclose(again.v, motion.v, atol=1e-12)


@pytest.mark.parametrize("make", [human28, human40, virtual_human, bear, upper_body])
def test_figures_of_the_library(make):
    figure = make()
    motion = waving(figure, seconds=0.3)
    sides = find_symmetry(figure)
    assert sides.unlike < 1e-9
    np.testing.assert_allclose(sides.normal, [0, 1, 0], atol=1e-12)
    image = mirror(figure, motion, sides)
    places = [forward_kinematics(figure, m.q).position for m in (motion, image)]
    reflect = reflection(sides.point, sides.normal)
    np.testing.assert_allclose(places[1][:, list(sides.partners)], reflect(places[0]), atol=1e-12)
    names = [(figure.link_names[i], figure.link_names[k]) for i, k in enumerate(sides.partners)]
    assert all(("left" in a) == ("right" in b) for a, b in names)
    assert not motion.channels.keys() & image.channels.keys()


def test_the_neutral_pose_is_its_own_mirror_image():
    for figure in (human28(), virtual_human(), Twins(5).figure):
        still = Trajectory([0.0], figure.neutral()[None], np.zeros((1, figure.nv)))
        np.testing.assert_allclose(difference(figure, mirror(figure, still).q[0], figure.neutral()), 0, atol=1e-12)


def test_a_walk_to_the_left_becomes_a_walk_to_the_right():
    figure = human28()
    motion, _ = stepping_walk(figure, turn=0.5)
    image = mirror(figure, motion)
    np.testing.assert_allclose(headings(figure, image.q), -headings(figure, motion.q), atol=1e-12)
    assert image.q[-1, 1] == pytest.approx(-motion.q[-1, 1])
    found = find_contacts(figure, image)
    before = find_contacts(figure, motion)
    assert found["left"].contacts == before["right"].contacts
    assert found["right"].contacts == before["left"].contacts
    ranged = human28(ranges=True)  # its ranges are symmetric: what was inside stays inside
    for link in ranged.links:
        if link.joint.kind.value == "ball":
            depths = [np.max(link.joint.range.violation(m.q[:, figure.q_slice(link.name)]).swing_depth)
                      for m in (motion, image)]  # fmt: skip
            other = link.name.replace("left", "?").replace("right", "left").replace("?", "right")
            twin = ranged.link(other).joint.range.violation(image.q[:, figure.q_slice(other)]).swing_depth
            assert np.max(twin) == pytest.approx(depths[0], abs=1e-9)
    speeds = [np.linalg.norm(link_velocities(figure, m.q, m.v)[..., 3:], axis=2) for m in (motion, image)]
    np.testing.assert_allclose(speeds[1][:, list(find_symmetry(figure).partners)], speeds[0], atol=1e-12)


def test_pairs_by_hand():
    figure = human28()
    pairs = {f"{part}_left": f"{part}_right" for part in ("thigh", "shin", "foot", "upper_arm", "forearm")}
    motion = waving(figure, seconds=0.2)
    np.testing.assert_array_equal(mirror(figure, motion, pairs).q, mirror(figure, motion).q)
    with pytest.raises(FigureError, match="'shin_left' has a side by its name"):
        find_symmetry(figure, {k: v for k, v in pairs.items() if "shin" not in k})
    with pytest.raises(FigureError, match="stands twice"):
        find_symmetry(figure, {**pairs, "chest": "shin_left"})
    with pytest.raises(FigureError, match="no link 'tail'"):
        find_symmetry(figure, {"tail": "head"})
    with pytest.raises(FigureError, match="hang on"):
        find_symmetry(figure, {**pairs, "thigh_left": "upper_arm_right", "upper_arm_left": "thigh_right"})


def test_names_of_other_programs():
    assert left_right_pairs(["mixamorig:Hips", "mixamorig:LeftUpLeg", "mixamorig:RightUpLeg", "mixamorig:LeftEye"]) == {
        "mixamorig:LeftUpLeg": "mixamorig:RightUpLeg"
    }
    assert left_right_pairs(["Hips", "LHipJoint", "RHipJoint", "LThumb", "RThumb", "Rib", "Lid"]) == {
        "LHipJoint": "RHipJoint",
        "LThumb": "RThumb",
    }
    assert left_right_pairs(["thigh.L", "thigh.R", "f_index.01.L", "f_index.01.R"]) == {
        "thigh.L": "thigh.R",
        "f_index.01.L": "f_index.01.R",
    }


def test_a_fixed_root_has_one_plane():
    figure = bear(fixed_base=True)
    motion = waving(figure, seconds=0.2)
    image = mirror(figure, motion)
    places = [forward_kinematics(figure, m.q).position for m in (motion, image)]
    order = list(find_symmetry(figure).partners)
    np.testing.assert_allclose(places[1][:, order], places[0] * [1, -1, 1], atol=1e-12)
    with pytest.raises(ArgumentError, match="no free root"):
        mirror(figure, motion, normal=(1, 0, 0))
    hanging = pendulum()
    swing = waving(hanging, seconds=0.2)
    np.testing.assert_allclose(np.abs(mirror(hanging, swing).q), np.abs(swing.q), atol=1e-12)


def test_sides_that_do_not_correspond():
    figure = human28()
    bent = figure.neutral()
    bent[figure.q_slice("knee_left")] = 1.5
    bent[figure.q_slice("hip_left")] = [np.cos(0.7), np.sin(0.7), 0, 0]
    with pytest.raises(FigureError, match="give reference="):
        find_symmetry(figure, reference=bent)
    builder = FigureBuilder("odd")
    builder.add("root", None, joint.free(), BODY)
    builder.add("arm_left", "root", joint.hinge((1, 0, 0), parent_frame=_at(0.1)), BODY)
    builder.add("arm_right", "root", joint.hinge((1, 0, 1), parent_frame=_at(-0.1)), BODY)
    odd = builder.build()
    with pytest.raises(FigureError, match="hinge joint of link 'arm_left' has an axis"):
        mirror(odd, waving(odd, seconds=0.1))
    builder = FigureBuilder("odd")
    builder.add("root", None, joint.free(), BODY)
    builder.add("arm_left", "root", joint.hinge(parent_frame=_at(0.1)), BODY)
    builder.add("arm_right", "root", joint.ball(parent_frame=_at(-0.1)), BODY)
    with pytest.raises(FigureError, match="a hinge and a ball joint"):
        find_symmetry(builder.build())
    motion = waving(figure, seconds=0.1)
    with pytest.raises(ArgumentError, match="that of another figure than 'human28'"):
        mirror(figure, motion, find_symmetry(human40()))
    for bad in ((0, 0, 1), (0, 0, 0), (1, 0, 1), (np.nan, 0, 0)):
        with pytest.raises(ArgumentError, match="normal"):
            mirror(figure, motion, normal=bad)


def _at(y):
    return Pose((0, y, 0))


@pytest.mark.parametrize("name", ["02_01.bvh", "16_15.bvh"])
def test_captured_walks(name):
    """Skeletons fitted to people have unlike sides: orientations are exact, places differ by what the bones do."""
    figure = figure_from_bvh(bvh := read_bvh(reference("bvh", name)))
    motion = trajectory_from_bvh(bvh, figure)
    sides = find_symmetry(figure)
    assert 0.001 < sides.unlike < 0.03
    image = mirror(figure, motion, sides)
    again = mirror(figure, image, sides)
    np.testing.assert_allclose(difference(figure, again.q, motion.q), 0, atol=1e-12)
    before, after = (forward_kinematics(figure, m.q) for m in (motion, image))
    flip = np.diag([1.0, -1.0, 1.0])
    order = list(sides.partners)
    np.testing.assert_allclose(after.rotation[:, order], flip @ before.rotation @ flip, atol=1e-12)
    apart = after.position[:, order] - reflection(sides.point, sides.normal)(before.position)
    assert np.abs(apart).max() < 0.03
