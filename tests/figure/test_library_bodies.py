"""Figures with sizes and ranges of real bodies: what they weigh, how tall they are, and what their joints allow."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, mass_matrix
from hitogata.errors import FigureError
from hitogata.figure import Box, Capsule, JointKind, MassProperties, Sphere
from hitogata.library import bear, human28, human40, pendulum, upper_body, virtual_human
from hitogata.sim import World
from hitogata.spatial import quat_exp, quat_multiply

X, Y, Z = np.eye(3)
BALL = {"waist", "spine", "neck", "head", "hip", "ankle", "shoulder", "wrist"}
FIGURES = [virtual_human(), upper_body(ranges=True), bear(), human28(ranges=True), human40(ranges=True)]
STANDING = [FIGURES[0], *FIGURES[2:]]


def stem(name):
    return name.removesuffix("_left").removesuffix("_right")


def place(figure, q, name):
    """Origin of a link or frame in the world [m]."""
    poses = forward_kinematics(figure, q)
    for link, position, rotation in zip(figure.links, poses.position, poses.rotation, strict=True):
        for frame, at in [(link.name, np.zeros(3)), *((f.name, np.array(f.pose.position)) for f in link.frames)]:
            if frame == name:
                return position + rotation @ at
    raise AssertionError(name)


def skins(figure):
    """Balls that a figure's shapes consist of, by link, in the neutral pose: corners (n, 3) and a radius [m]."""
    poses = forward_kinematics(figure, figure.neutral())
    found = {}
    for link, position, rotation in zip(figure.links, poses.position, poses.rotation, strict=True):
        for shape in link.shapes:
            if isinstance(shape, Box):
                signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
                corners, radius = signs * shape.half_sizes, 0.0
            else:
                half = shape.half_length if isinstance(shape, Capsule) else 0.0
                corners, radius = np.array([[0, 0, -half], [0, 0, half]]), shape.radius
            corners = corners @ shape.pose.rotation.T + shape.pose.position
            found.setdefault(link.name, []).append((corners @ rotation.T + position, radius))
    return found


@pytest.mark.parametrize(("figure", "height"), list(zip(STANDING, (1.741, 1.172, 1.8, 1.8), strict=True)), ids=str)
def test_it_stands_on_the_ground_and_is_as_tall_as_it_should_be(figure, height):
    parts = [part for parts in skins(figure).values() for part in parts]
    assert min(corners[:, 2].min() - radius for corners, radius in parts) == pytest.approx(0, abs=1e-12)
    assert max(corners[:, 2].max() + radius for corners, radius in parts) == pytest.approx(height, abs=1e-9)


@pytest.mark.parametrize("figure", STANDING, ids=str)
def test_only_soles_touch_at_rest(figure):
    """Parts that no joint connects are farther apart than a world looks (2 cm), and soles are on the ground."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_ground()
    world.add(figure)
    world.step(1e-6)
    pairs = {tuple(end and end[1] for end in (c.a, c.b)) for c in world.contacts()}
    assert pairs == {("foot_left", None), ("foot_right", None)}


@pytest.mark.parametrize("figure", FIGURES, ids=str)
def test_left_and_right_mirror_each_other(figure):
    flip = np.array([1, -1, 1])
    q = figure.neutral()
    outlines = skins(figure)
    rng = np.random.default_rng(0)
    turns = rng.normal(size=(2000, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    for link in figure.links:
        if not link.name.endswith("_left"):
            assert link.name.endswith("_right") or abs(place(figure, q, link.name)[1]) < 1e-12
            continue
        other = figure.link(link.name.replace("_left", "_right"))
        here, there = place(figure, q, link.name), place(figure, q, other.name)
        np.testing.assert_allclose(here * flip, there, atol=1e-12)
        assert here[1] > 0
        assert link.mass.mass == other.mass.mass
        np.testing.assert_allclose(np.array(link.mass.centre) * flip, other.mass.centre, atol=1e-15)
        np.testing.assert_allclose(np.diag(flip) @ link.mass.matrix @ np.diag(flip), other.mass.matrix, atol=1e-15)
        ours, theirs = (
            np.array(sorted(np.round([*point, size], 9).tolist() for corners, size in parts for point in corners * f))
            for parts, f in ((outlines[link.name], flip), (outlines[other.name], 1))
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-8)
        if link.joint.kind is JointKind.BALL:
            mirrored = turns * [1, -1, 1, -1]
            assert np.array_equal(link.joint.range.contains(turns), other.joint.range.contains(mirrored))
        else:
            assert (link.joint.axis, link.joint.range) == (other.joint.axis, other.joint.range)


@pytest.mark.parametrize("figure", FIGURES, ids=str)
def test_every_ball_joint_has_a_range_and_rests_inside_it(figure):
    q = figure.neutral()
    for link in figure.links:
        if link.joint.kind is JointKind.BALL:
            assert link.joint.range.contains(q[figure.q_slice(link.name)]), link.name
        elif link.joint.kind is JointKind.HINGE:
            low, high = link.joint.range
            assert low <= 0 <= high


# ------------------------------------------------------- virtual human


def test_virtual_human_is_that_of_the_thesis():
    figure = virtual_human()
    sides = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    both = {f"{name}_{side}" for name in sides for side in ("left", "right")}
    assert set(figure.link_names) == {"pelvis", "abdomen", "chest", "neck", "head"} | both
    for name, link in zip(figure.joint_names, figure.links, strict=True):
        expected = JointKind.BALL if stem(name) in BALL else JointKind.HINGE
        assert link.joint.kind is (JointKind.FREE if name == "base" else expected)
    assert (figure.nlinks, figure.nv) == (17, 46)
    assert figure.mass == pytest.approx(73.0)


def test_virtual_human_has_the_masses_of_de_leva():
    """Table 4, men: share of 73 kg, and moments from radii of gyration; head and neck together are one row."""
    figure, scale = virtual_human(), (1 - 0.039) * 1.741 / 1.7024
    rows = {
        "thigh_left": (14.16, 0.4222 * scale, (0.329, 0.329, 0.149)),
        "forearm_right": (1.62, 0.2689 * scale, (0.276, 0.265, 0.121)),
        "chest": (15.96, 0.2421 * scale, (0.505, 0.320, 0.465)),
        "foot_left": (1.37, 0.2581 * scale, (0.124, 0.245, 0.257)),
    }
    for name, (percent, length, radii) in rows.items():
        body = figure.link(name).mass
        assert body.mass == pytest.approx(0.73 * percent)
        np.testing.assert_allclose(body.inertia[:3], body.mass * (np.array(radii) * length) ** 2, rtol=1e-12)
    neck, head = figure.link("neck"), figure.link("head")
    both = MassProperties.combined([neck.mass, head.mass.placed(head.joint.parent_frame)])
    size = 0.2429 * scale
    assert both.mass == pytest.approx(0.73 * 6.94)
    assert both.centre == pytest.approx((0, 0, size * (1 - 0.5002)))
    np.testing.assert_allclose(both.inertia[:3], both.mass * (np.array([0.303, 0.315, 0.261]) * size) ** 2, rtol=1e-12)


def test_options_of_virtual_human():
    loose, held = virtual_human(ranges=False), virtual_human(fixed_base=True)
    balls = [link.joint for link in loose.links if link.joint.kind is JointKind.BALL]
    assert len(balls) == 12
    assert all(joint.range is None for joint in balls)
    assert loose.link("shin_left").joint.range == virtual_human().link("shin_left").joint.range is not None
    assert held.nv == 40
    np.testing.assert_allclose(place(held, held.neutral(), "eyes"), place(loose, loose.neutral(), "eyes"), atol=1e-12)


def arm_to(direction, y):
    """The shortest turn of a limb from hanging to a direction (forward, outward, up), on the side y."""
    d = np.array(direction, float) * [1, y, 1]
    d /= np.linalg.norm(d)
    axis = np.cross(-Z, d)
    size = np.linalg.norm(axis)
    return quat_exp(np.arctan2(size, -d[2]) * axis / size)


@pytest.mark.parametrize(("side", "y"), [("left", 1), ("right", -1)])
@pytest.mark.parametrize("make", [virtual_human, lambda: human40(ranges=True)])
def test_where_arms_may_point(make, side, y):
    figure = make()
    start = place(figure, figure.neutral(), f"upper_arm_{side}")
    allowed = {
        "sideways": (0, 1, 0),
        "forward": (1, 0, 0),
        "overhead, a little out": (0, 0.3, 1),
        "back 45": (-1, 0, -1),
        "across the chest": (1, -0.8, 0),
        "out and back a little": (-0.25, 1, 0),
    }
    forbidden = {
        "back 90": (-1, 0, 0),
        "into the trunk": (0, -1, 0),
        "through the trunk, down": (0, -1, -1),
        "behind the back, up": (-1, -0.3, 0.5),
        "across the chest too far": (1, -1.3, 0),
    }
    limit = figure.link(f"upper_arm_{side}").joint.range
    for poses, expected in ((allowed, True), (forbidden, False)):
        for name, direction in poses.items():
            turn = arm_to(direction, y)
            assert limit.contains(turn) == expected, name
            q = figure.neutral()
            q[figure.q_slice(f"shoulder_{side}")] = turn
            elbow = place(figure, q, f"forearm_{side}") - start
            wanted = np.array(direction) * [1, y, 1] / np.linalg.norm(direction)
            np.testing.assert_allclose(elbow / np.linalg.norm(elbow), wanted, atol=1e-12)


@pytest.mark.parametrize(("side", "y"), [("left", 1), ("right", -1)])
def test_which_way_the_upper_arm_twists(side, y):
    """Elbow bent, forearm forward: turning the arm inwards brings the hand before the belly; 70° there, 90° out."""
    figure = virtual_human()
    limit = figure.link(f"upper_arm_{side}").joint.range
    for degrees, expected in ((60, True), (80, False), (-80, True), (-100, False)):
        turn = quat_exp(np.radians(degrees) * -y * Z)
        assert limit.contains(turn) == expected
        q = figure.neutral()
        q[figure.q_slice(f"shoulder_{side}")] = turn
        q[figure.q_slice(f"elbow_{side}")] = -np.pi / 2
        inward = -y * (place(figure, q, f"palm_{side}") - place(figure, q, f"forearm_{side}"))[1]
        assert np.sign(inward) == np.sign(degrees)


@pytest.mark.parametrize(("side", "y"), [("left", 1), ("right", -1)])
def test_where_legs_feet_and_hands_may_point(side, y):
    figure = virtual_human()
    hip, ankle, wrist = (figure.link(f"{name}_{side}").joint.range for name in ("thigh", "foot", "hand"))
    for direction, expected in (
        ((1, 0, 0), True), ((-1, 0, -0.5), False), ((0, 1, -1.2), True), ((0, 1, 0), False), ((0, -1, -1), False),
    ):  # fmt: skip
        assert hip.contains(arm_to(direction, y)) == expected, direction
    for degrees, expected in ((-15, True), (-25, False), (45, True), (55, False)):  # toes up, toes down
        assert ankle.contains(quat_exp(np.radians(degrees) * Y)) == expected
    # the sole turns inwards farther than outwards
    assert ankle.contains(quat_exp(np.radians(-30) * y * X))
    assert not ankle.contains(quat_exp(np.radians(30) * y * X))
    # the hand bends farther towards its palm, which faces the body, and more to the little finger than to the thumb
    assert wrist.contains(arm_to((0, -np.sin(1.35), -np.cos(1.35)), y))
    assert not wrist.contains(arm_to((0, np.sin(1.35), -np.cos(1.35)), y))
    assert wrist.contains(quat_exp(np.radians(27) * Y))
    assert not wrist.contains(quat_exp(np.radians(-27) * Y))


def test_trunk_and_neck_bend_as_far_as_the_tables_say_in_two_joints():
    figure = virtual_human()
    for joints, forward, back, aside, turn in (
        (("abdomen", "chest"), 80, 25, 35, 45), (("neck", "head"), 45, 45, 45, 60),
    ):  # fmt: skip
        for axis, degrees in ((Y, forward), (-Y, back), (X, aside), (-X, aside), (Z, turn), (-Z, turn)):
            for link in joints:
                limit = figure.link(link).joint.range
                assert limit.contains(quat_exp(np.radians(degrees / 2 - 0.5) * axis))
                assert not limit.contains(quat_exp(np.radians(degrees / 2 + 0.5) * axis))


def test_knees_and_elbows_bend_the_human_way():
    figure = virtual_human()
    for joint, tip, sign in (("knee_left", "sole_left", -1), ("elbow_left", "palm_left", 1)):
        q = figure.neutral()
        straight = place(figure, q, tip)
        low, high = figure.links[figure.joint_index(joint)].joint.range
        q[figure.q_slice(joint)] = low if sign > 0 else high
        bent = place(figure, q, tip)
        assert sign * (bent - straight)[0] > 0.1
        assert (bent - straight)[2] > 0.3


# ------------------------------------------------------- upper body, bear, pendulum


def test_upper_body_is_that_of_the_paper():
    figure = upper_body()
    arms = {f"{name}_{side}" for name in ("upper_arm", "forearm") for side in ("left", "right")}
    assert set(figure.link_names) == {"base", "abdomen", "chest", "head"} | arms
    kinds = {name: link.joint.kind for name, link in zip(figure.joint_names, figure.links, strict=True)}
    assert kinds.pop("base") is JointKind.FIXED
    balls, hinges = ({n for n, k in kinds.items() if k is kind} for kind in (JointKind.BALL, JointKind.HINGE))
    assert balls == {"shoulder_left", "shoulder_right"}
    assert hinges == {"waist", "spine", "neck", "elbow_left", "elbow_right"}
    assert (len(kinds), figure.nv) == (7, 11)
    assert all(link.joint.range is None for link in figure.links if link.joint.kind is JointKind.BALL)
    whole = virtual_human()
    parts = [link.mass.mass for link in whole.links if stem(link.name) not in ("thigh", "shin", "foot")]
    assert figure.mass == pytest.approx(sum(parts))
    for frame in ("eyes", "palm_left", "palm_right"):
        np.testing.assert_allclose(
            place(figure, figure.neutral(), frame), place(whole, whole.neutral(), frame), atol=1e-12
        )


def test_bear():
    figure = bear()
    kinds = [link.joint.kind for link in figure.links]
    assert (figure.nlinks, figure.nv, kinds.count(JointKind.BALL), kinds.count(JointKind.HINGE)) == (15, 40, 10, 4)
    assert 45 < figure.mass < 65
    assert bear(fixed_base=True).nv == 34
    assert all(link.joint.range is None for link in bear(ranges=False).links if link.joint.kind is JointKind.BALL)
    face = {shape.name for shape in figure.link("head").shapes}
    assert {"nose", "snout", "eye_left", "eye_right", "ear_left", "ear_right"} <= face
    assert place(figure, figure.neutral(), "nose_tip")[0] > 0.2  # looks forward
    limit = figure.link("upper_arm_left").joint.range
    assert limit.contains(arm_to((1, 0.3, 0), 1))
    assert not limit.contains(arm_to((-1, 0.3, 0), 1))


def test_pendulum_is_a_point_on_a_rod():
    figure = pendulum()
    assert (figure.nv, figure.mass) == (1, 1.0)
    tip = place(figure, np.array([np.pi / 2]), "tip")
    np.testing.assert_allclose(tip, (-0.5, 0, 0), atol=1e-15)
    inertia = mass_matrix(figure, np.zeros(1))[0, 0]
    assert inertia == pytest.approx(0.25, rel=1e-3)
    assert mass_matrix(pendulum(length=2.0, mass=3.0), np.zeros(1))[0, 0] == pytest.approx(12, rel=1e-3)
    (bob,) = [shape for shape in figure.links[0].shapes if isinstance(shape, Sphere)]
    assert bob.pose.position == (0, 0, -0.5)
    with pytest.raises(FigureError, match="pendulum: length"):
        pendulum(length=0.0)


@pytest.mark.parametrize("make", [human28, human40])
def test_ranges_of_the_walking_figures_are_an_option(make):
    plain, ranged = make(), make(ranges=True)
    for a, b in zip(plain.links, ranged.links, strict=True):
        assert (a.name, a.mass, a.shapes) == (b.name, b.mass, b.shapes)
        if a.joint.kind is JointKind.BALL:
            assert a.joint.range is None
            assert b.joint.range.contains(np.array([1.0, 0, 0, 0]))
            assert not b.joint.range.contains(quat_multiply(quat_exp(2.8 * X), quat_exp(2.8 * Y)))
        else:
            assert a.joint == b.joint
