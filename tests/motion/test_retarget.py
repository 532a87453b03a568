"""Retargeting: limbs point where they pointed before, whatever the rest poses, frames and proportions."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, FigureBuilder, Frame, JointKind, Link, Pose, Trajectory, joint, velocities_of
from hitogata.files import bvh_from_trajectory, bvh_poses, figure_from_bvh, read_bvh, trajectory_from_bvh
from hitogata.library import chain, human28, human40
from hitogata.motion import map_skeletons, retarget, retarget_bvh
from hitogata.motion.ground_height import lowest
from hitogata.motion.joint_fit import bend_twists, hinge_angles, inside, twist_angles, universal_angles
from hitogata.motion.reference_pose import shortest_turn
from hitogata.spatial import quat_exp, quat_rotate, quat_to_matrix
from tests.motion.cases import walk, with_other_frames
from tests.reference import reference

LIMBS = {
    ("thigh_left", "shin_left"): ("LeftUpLeg", "LeftLeg"), ("shin_left", "foot_left"): ("LeftLeg", "LeftFoot"),
    ("thigh_right", "shin_right"): ("RightUpLeg", "RightLeg"), ("shin_right", "foot_right"): ("RightLeg", "RightFoot"),
    ("upper_arm_left", "forearm_left"): ("LeftArm", "LeftForeArm"),
    ("upper_arm_right", "forearm_right"): ("RightArm", "RightForeArm"),
    ("forearm_left", "hand_left"): ("LeftForeArm", "LeftHand"),
    ("forearm_right", "hand_right"): ("RightForeArm", "RightHand"),
}  # fmt: skip
WALKS = [("bvh", "02_01.bvh"), ("bvh", "16_15.bvh"), ("mass", "walk.bvh"), ("mass", "backflip.bvh")]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def same_pose(figure, a, b) -> float:
    """Greatest difference of two motions' coordinates, on the manifold."""
    return float(np.abs(difference(figure, a.q, b.q)).max())


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


# ------------------------------------------------------- there and back


@pytest.mark.parametrize("make", [human28, human40])
def test_to_itself(make):
    figure = make()
    motion = walk(figure)
    found = retarget(motion, figure, figure, floor=None)
    assert found.scale == pytest.approx(1)
    assert found.reference is None
    assert same_pose(figure, found.trajectory, motion) < 1e-7
    np.testing.assert_allclose(found.trajectory.v, motion.v, atol=1e-6)
    assert max(angles.max() for angles in found.residuals.values()) < 1e-7


def test_through_a_file():
    """Human to BVH, its skeleton as a figure of its own, and back."""
    figure = human40()
    motion = walk(figure)
    found = retarget_bvh(bvh_from_trajectory(motion, figure), figure, floor=None)
    assert same_pose(figure, found.trajectory, motion) < 1e-7


def scaled(figure: Figure, k: float) -> Figure:
    links = []
    for link in figure.links:
        at = link.joint.parent_frame
        rest = link.joint.rest
        if link.joint.kind is JointKind.FREE:
            rest = (*(k * x for x in rest[:3]), *rest[3:])
        hung = replace(link.joint, parent_frame=Pose(tuple(k * x for x in at.position), at.quat), rest=rest)
        mass = replace(link.mass, centre=tuple(k * x for x in link.mass.centre))
        links.append(Link(link.name, link.parent, hung, mass))
    return Figure(figure.name, tuple(links))  # people call their figures alike


def test_a_smaller_figure_takes_smaller_steps():
    figure, small = human28(), scaled(human28(), 0.6)
    motion = walk(figure)
    found = retarget(motion, figure, small, floor=None)
    assert found.scale == pytest.approx(0.6)
    places = forward_kinematics(figure, motion.q).position
    np.testing.assert_allclose(forward_kinematics(small, found.trajectory.q).position, 0.6 * places, atol=1e-7)
    kept = retarget(motion, figure, small, floor=None, keep_size=True)
    hips = [figure.link_index(name) for name in ("thigh_left", "thigh_right")]
    now = forward_kinematics(small, kept.trajectory.q).position
    np.testing.assert_allclose(now[:, hips].mean(axis=1), places[:, hips].mean(axis=1), atol=1e-9)


def turned(figure: Figure, angle: float) -> Figure:
    """The same figure, looking another way at rest, its root's frame at will."""
    root = figure.links[0].joint
    quat = tuple(quat_exp([0, 0, angle]).tolist())
    hung = replace(root, parent_frame=Pose((0.3, 0.1, 0.2), (0.5, 0.5, 0.5, 0.5)), rest=None)
    hung = replace(hung, rest=(*Pose((0.3, 0.1, 0.2), (0.5, 0.5, 0.5, 0.5)).inverse().apply((0, 0, 1)).tolist(),
                               *(Pose(quat=(0.5, 0.5, 0.5, 0.5)).inverse() @ Pose(quat=quat)).quat))  # fmt: skip
    return Figure("turned", (replace(figure.links[0], joint=hung), *figure.links[1:]))


def test_rest_poses_may_look_different_ways():
    figure = human28()
    other = turned(figure, 2.0)
    motion = walk(figure)
    found = retarget(motion, figure, other, floor=None)
    np.testing.assert_allclose(
        forward_kinematics(other, found.trajectory.q).matrices, forward_kinematics(figure, motion.q).matrices, atol=1e-7
    )


def spread_arms(figure: Figure) -> tuple[Figure, dict[str, np.ndarray]]:
    """The same figure, its arms spread at q = 0 and its legs apart: shoulders and hips are turned in their parents."""
    turns = {f"upper_arm_{s}": quat_exp([y * np.pi / 2, 0, 0]) for s, y in (("left", 1), ("right", -1))}
    turns |= {f"thigh_{s}": quat_exp([y * 0.35, 0, 0]) for s, y in (("left", 1), ("right", -1))}
    links = []
    for link in figure.links:
        hung = link.joint
        if link.name in turns:
            hung = replace(hung, parent_frame=Pose(hung.parent_frame.position, tuple(turns[link.name].tolist())))
        links.append(replace(link, joint=hung))
    return Figure("spread", tuple(links)), turns


def test_arms_spread_or_hanging():
    """A T-pose at rest on one side, hanging arms on the other; the motion is the same both ways."""
    figure = human40()
    other, _ = spread_arms(figure)
    motion = walk(figure)
    there = retarget(motion, figure, other, floor=None)
    a, b = forward_kinematics(figure, motion.q), forward_kinematics(other, there.trajectory.q)
    # feet stand level at rest in both, so those of legs apart are turned; everything else is as it was
    same = [i for i, name in enumerate(figure.link_names) if not name.startswith("foot")]
    np.testing.assert_allclose(b.matrices[:, same], a.matrices[:, same], atol=1e-6)
    back = retarget(there.trajectory, other, figure, floor=None)
    assert same_pose(figure, back.trajectory, motion) < 1e-6


# ------------------------------------------------------- captured motions


@pytest.mark.parametrize("names", WALKS, ids=lambda names: names[-1])
def test_limbs_point_as_in_the_file(names):
    bvh = read_bvh(reference(*names))
    figure = human40()
    found = retarget_bvh(bvh, figure, feet=False, keep_calibration=True)
    assert not found.mapping.unmatched
    poses, links = bvh_poses(bvh).position, forward_kinematics(figure, found.trajectory.q).position
    prefix = "Character1_" if names[0] == "mass" else ""
    for (a, b), (c, d) in LIMBS.items():
        ours = unit(links[:, figure.link_index(b)] - links[:, figure.link_index(a)])
        theirs = unit(poses[:, bvh.index(prefix + d)] - poses[:, bvh.index(prefix + c)])
        angle = np.arccos(np.clip(np.einsum("ni,ni->n", ours, theirs), -1, 1))
        assert angle.max() < np.radians(5 if a.startswith(("shin", "forearm")) else 1e-4), (a, np.degrees(angle.max()))
        np.testing.assert_allclose(angle, found.residuals[a], atol=1e-6)  # it says so itself
    knees = found.trajectory.q[:, figure.q_slice("knee_left")]
    low, high = figure.link("shin_left").joint.range
    assert (knees >= low).all()
    assert (knees <= high).all()
    soles = lowest(figure, found.trajectory.q, ["foot_left", "foot_right"])
    assert np.percentile(soles, 10) == pytest.approx(0, abs=1e-12)
    v = velocities_of(figure, found.trajectory.time, found.trajectory.q)
    np.testing.assert_array_equal(found.trajectory.v, v)
    assert "pairs, by names" in str(found)


def test_bend_planes_pay():
    """Without them hinges cannot follow the plane of the elbow."""
    bvh, figure = read_bvh(reference("bvh", "02_01.bvh")), human28()
    with_, without = (retarget_bvh(bvh, figure, bend_planes=b).residuals["forearm_left"] for b in (True, False))
    assert np.sqrt((with_**2).mean()) < 0.3 * np.sqrt((without**2).mean())


@pytest.mark.parametrize("seed", range(3))
def test_frames_of_the_source_do_not_matter(seed):
    """LaFAN1 and others have frames along their bones: at rest all is a heap, but the calibration pose is found."""
    bvh = read_bvh(reference("bvh", "16_15.bvh"))
    figure = human28()
    heap = with_other_frames(bvh, np.random.default_rng(seed))
    np.testing.assert_allclose(bvh_poses(heap).position, bvh_poses(bvh).position, atol=1e-9)
    found = retarget_bvh(heap, figure)
    assert found.reference == 0
    plain = retarget_bvh(bvh, figure, reference=found.reference)
    assert same_pose(figure, found.trajectory, plain.trajectory) < 1e-5
    straight = retarget_bvh(replace(bvh, values=bvh.values[1:]), figure)
    assert straight.reference is None
    for name, angles in found.residuals.items():
        assert np.sqrt((angles**2).mean()) < np.sqrt((straight.residuals[name] ** 2).mean()) + np.radians(4), name


def test_names_do_not_matter():
    bvh, figure = read_bvh(reference("bvh", "02_01.bvh")), human28()
    other = replace(bvh, joints=tuple(replace(it, name=f"bone {i}") for i, it in enumerate(bvh.joints)))
    a, b = retarget_bvh(bvh, figure), retarget_bvh(other, figure)
    assert same_pose(figure, a.trajectory, b.trajectory) < 0.02  # centres of mass differ a little: no known parts


# ------------------------------------------------------- options and edges


def test_options():
    figure = human28()
    motion = walk(figure)
    high = retarget(motion, figure, figure, floor=0.5)
    soles = lowest(figure, high.trajectory.q, ["foot_left", "foot_right"])
    assert np.percentile(soles, 10) == pytest.approx(0.5)
    mapped = map_skeletons(figure, figure, {"head": None})
    found = retarget(motion, figure, figure, mapping=mapped)
    assert "head" not in found.residuals
    part = found.trajectory.q[:, figure.q_slice("neck")]
    np.testing.assert_array_equal(part, np.tile([1.0, 0, 0, 0], (len(part), 1)))
    table = retarget(motion, figure, figure, mapping={"head": None})
    np.testing.assert_array_equal(table.trajectory.q, found.trajectory.q)
    with pytest.raises(ArgumentError, match="frame 9999"):
        retarget(motion, figure, figure, reference=9999)
    with pytest.raises(ArgumentError, match="columns"):
        retarget(motion, human40(), figure)


def test_few_frames():
    figure = human28()
    motion = walk(figure)
    one = Trajectory(motion.time[:1], motion.q[:1], motion.v[:1])
    found = retarget(one, figure, human40())
    assert found.trajectory.v.tolist() == [[0.0] * human40().nv]
    none = Trajectory([], motion.q[:0], motion.v[:0])
    assert len(retarget(none, figure, human40()).trajectory) == 0


def test_other_creatures():
    """Chains of other joints follow as they can."""
    source = chain(3, kind=JointKind.BALL, free_base=True)
    rng = np.random.default_rng(0)
    q = np.array([source.random(rng) for _ in range(4)])
    motion = Trajectory(np.arange(4.0), q, np.zeros((4, source.nv)))
    same = retarget(motion, source, source)
    assert same_pose(source, same.trajectory, motion) < 1e-7
    for kind in (JointKind.HINGE, JointKind.UNIVERSAL, JointKind.SLIDER):
        target = chain(3, kind=kind)  # hung up, no free root
        found = retarget(motion, source, target)
        assert np.isfinite(found.trajectory.q).all()
        assert found.residuals["link1"].max() > 0.1


# ------------------------------------------------------- fitting


def test_hinge_angles_are_the_best():
    rng = np.random.default_rng(0)
    axis, bone = unit(rng.normal(size=3)), unit(rng.normal(size=3))
    wanted = unit(rng.normal(size=(50, 3)))
    angles = hinge_angles(axis, bone, wanted)
    grid = np.linspace(-np.pi, np.pi, 2001)
    reached = quat_rotate(quat_exp(grid[:, None] * axis), bone)
    best = (reached @ wanted.T).max(axis=0)
    found = np.einsum("ni,ni->n", quat_rotate(quat_exp(angles[:, None] * axis), bone), wanted)
    assert (found > best - 1e-12).all()


def test_twist_angles_are_the_best():
    rng = np.random.default_rng(1)
    axis = unit(rng.normal(size=3))
    wanted = quat_to_matrix(unit(rng.normal(size=(50, 4))))
    angles = twist_angles(axis, wanted)
    assert np.abs(angles).max() <= np.pi
    grid = quat_to_matrix(quat_exp(np.linspace(-np.pi, np.pi, 2001)[:, None] * axis))
    best = np.einsum("kij,nij->kn", grid, wanted).max(axis=0)
    found = np.einsum("nij,nij->n", quat_to_matrix(quat_exp(angles[:, None] * axis)), wanted)
    assert (found > best - 1e-12).all()


def test_universal_angles_are_the_best():
    rng = np.random.default_rng(2)
    hung = joint.universal(axis=(1, 0.2, 0), axis2=(0.1, 1, 0.3))
    first, second = np.array(hung.axis), np.array(hung.axis2)
    true = rng.uniform(-1.4, 1.4, size=(30, 2))

    def rotation(a):
        return quat_to_matrix(quat_exp(a[..., :1] * first)) @ quat_to_matrix(quat_exp(a[..., 1:] * second))

    np.testing.assert_allclose(universal_angles(hung, rotation(true)), true, atol=1e-6)
    wanted = rotation(true) @ quat_to_matrix(quat_exp(rng.normal(size=(30, 3)) * 0.3))
    found = universal_angles(hung, wanted)
    near = found[:, None, None] + np.stack(np.meshgrid(*[np.linspace(-0.05, 0.05, 11)] * 2, indexing="ij"), axis=-1)
    fit = np.einsum("nabij,nij->nab", rotation(near), wanted)
    assert (np.einsum("nij,nij->n", rotation(found), wanted) >= fit.max(axis=(1, 2)) - 1e-9).all()


def test_inside():
    np.testing.assert_allclose(inside(np.array([0.2, -0.1, 3.0, -3.0]), (0.0, 2.4)), [0.2, 0.0, 2.4, 2.4])
    np.testing.assert_allclose(inside(np.array([3.0, -3.0, 3.1]), None), [3.0, 2 * np.pi - 3.0, 3.1])


@pytest.mark.parametrize("sign", [1, -1])
def test_bend_twists(sign):
    """After the turn, the hinge's axis is across both bones, and bends the right way; a straight limb is left alone."""
    rng = np.random.default_rng(3)
    bone = unit(rng.normal(size=(200, 3)))
    axis = unit(np.cross(bone, rng.normal(size=(200, 3))))
    wanted = unit(rng.normal(size=(200, 3)))
    limits = (0.0, 2.4) if sign > 0 else (-2.4, 0.0)
    turns, sure = bend_twists(bone, axis, wanted, limits)
    after = quat_rotate(quat_exp(bone * turns[:, None]), axis)
    bent = np.einsum("ni,ni->n", bone, wanted) < np.cos(np.radians(20))
    assert bent.sum() > 100
    np.testing.assert_allclose(after[bent], sign * unit(np.cross(bone, wanted))[bent], atol=1e-9)
    np.testing.assert_allclose(sure[bent], 1.0)
    assert (bend_twists(bone, axis, unit(bone + 0.05 * axis), limits)[1] == 0).all()
    both, _ = bend_twists(bone, axis, wanted, (-2.0, 2.0))
    assert np.abs(both).max() <= np.pi / 2
    assert np.abs(np.einsum("ni,ni->n", quat_rotate(quat_exp(bone * both[:, None]), axis), wanted))[bent].max() < 1e-9


def test_shortest_turn():
    rng = np.random.default_rng(4)
    for a, b in [*unit(rng.normal(size=(20, 2, 3))), (np.eye(3)[2], -np.eye(3)[2]), (np.eye(3)[0], np.eye(3)[0])]:
        m = shortest_turn(a, b)
        np.testing.assert_allclose(m @ a, b, atol=1e-12)
        np.testing.assert_allclose(m @ m.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(m) == pytest.approx(1)
        assert np.trace(m) == pytest.approx(1 + 2 * a @ b)  # no more than the angle between them


def test_a_file_keeps_its_end_frames():
    """Frames called <link>_end become end sites again."""
    builder = FigureBuilder("stick")
    body = human28().links[0].mass
    builder.add("a", None, joint.free(), body)
    builder.add("b", "a", joint.ball(parent_frame=Pose((0, 0, 1))), body, frames=[Frame("b_end", Pose((0, 0.2, 0.5)))])
    figure = builder.build()
    bvh = bvh_from_trajectory(Trajectory([0.0], figure.neutral()[None], np.zeros((1, figure.nv))), figure)
    np.testing.assert_allclose(bvh.metres(bvh.joints[1].ends), [[0, 0.2, 0.5]])
    assert trajectory_from_bvh(bvh, figure_from_bvh(bvh)).q.shape == (1, figure.nq)
