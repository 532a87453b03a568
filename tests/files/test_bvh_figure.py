"""Figures and trajectories of BVH files, and back: the figure's links are where the file's own kinematics put them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import difference, forward_dynamics, forward_kinematics, link_velocities
from hitogata.errors import ArgumentError, FigureError, FileContentWarning
from hitogata.figure import FigureBuilder, JointKind, MassProperties, Pose, Trajectory, joint, velocities_of
from hitogata.files import bvh_from_trajectory, bvh_poses, figure_from_bvh, read_bvh, trajectory_from_bvh, write_bvh
from hitogata.files.bvh import Channel, PositionChannels, Up
from hitogata.library import human28, human40
from tests.files.bvh_cases import PLAIN, random_text
from tests.files.test_bvh_read import FILES
from tests.reference import reference

BODY = MassProperties.principal(1.0, (0.01, 0.02, -0.1), (0.1, 0.1, 0.1))


def quiet(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        return function(*arguments, **options)


def assert_same_places(bvh, figure, trajectory, tolerance=1e-12) -> None:
    """Links, end frames and their turning, at every frame."""
    poses, links = bvh_poses(bvh), forward_kinematics(figure, trajectory.q)
    index = [figure.link_index(name) for name in bvh.names]
    scale = max(1.0, float(np.abs(poses.position).max(initial=0.0)))
    np.testing.assert_allclose(links.position[:, index], poses.position, atol=tolerance * scale)
    np.testing.assert_allclose(links.rotation[:, index], poses.rotation, atol=tolerance)
    k = 0
    for it in bvh.joints:
        for e in range(len(it.ends)):
            i, pose = figure.frame(f"{it.name}_end" + (str(e + 1) if e else ""))
            place = links.position[:, i] + links.rotation[:, i] @ pose.position
            np.testing.assert_allclose(place, poses.ends[:, k], atol=tolerance * scale)
            k += 1


def test_kinds_of_joints():
    figure = figure_from_bvh(read_bvh(PLAIN, scale=0.01), name="plain")
    assert figure.name == "plain"
    assert figure.link_names == ("Hips", "Knee", "Ankle", "Chest", "Plate", "Head")
    kinds = [link.joint.kind.value for link in figure.links]
    assert kinds == ["free", "hinge", "universal", "ball", "fixed", "ball"]
    knee, ankle = figure.link("Knee").joint, figure.link("Ankle").joint
    assert knee.parent_frame.position == pytest.approx((0.02, 0.01, -0.4))
    assert knee.axis == (0, 1, 0)  # x of the file
    assert (ankle.axis, ankle.axis2) == ((1, 0, 0), (0, 1, 0))
    assert [f.name for link in figure.links for f in link.frames] == ["Ankle_end", "Head_end"]
    assert figure.link("Hips").joint.rest == (0, 0, 0, 1, 0, 0, 0)


@pytest.mark.parametrize("up", Up)
@pytest.mark.parametrize("seed", range(6))
def test_any_skeleton(seed, up):
    """Any channels; inner joints that move apart have sliders."""
    mode = list(PositionChannels)[seed % 2]
    bvh = read_bvh(random_text(np.random.default_rng(seed)), scale=0.01, up=up, position_channels=mode)
    figure = quiet(figure_from_bvh, bvh, sliders=True)
    trajectory = trajectory_from_bvh(bvh, figure)
    assert_same_places(bvh, figure, trajectory, 1e-11)
    again = bvh_from_trajectory(trajectory, figure)  # any figure, sliders and all
    places = bvh_poses(again).position[:, [again.index(name) for name in bvh.names]]
    np.testing.assert_allclose(places, bvh_poses(bvh).position, atol=1e-10)


def test_the_plain_one_goes_and_comes_back():
    bvh = read_bvh(PLAIN, scale=0.01)
    figure = figure_from_bvh(bvh)
    trajectory = trajectory_from_bvh(bvh)
    assert_same_places(bvh, figure, trajectory)
    again = bvh_from_trajectory(trajectory, figure, skeleton=bvh)
    assert again.joints == bvh.joints
    assert again.frame_time == pytest.approx(bvh.frame_time)
    assert_same_places(again, figure, trajectory)
    np.testing.assert_allclose(again.values[:, :9], bvh.values[:, :9], atol=1e-9)  # no angles with two sets


@pytest.mark.parametrize("names", FILES, ids=lambda names: names[-1])
def test_real_files(names):
    bvh = read_bvh(reference(*names))
    figure = quiet(figure_from_bvh, bvh)
    trajectory = trajectory_from_bvh(bvh, figure)
    assert_same_places(bvh, figure, trajectory)
    assert 55 < figure.mass < 110
    for start in figure.quat_starts:  # signs do not jump
        quats = trajectory.q[:, start : start + 4]
        assert (np.einsum("ni,ni->n", quats[1:], quats[:-1]) > 0).all()
    moved = np.gradient(bvh_poses(bvh).position, bvh.frame_time, axis=0)[5:-1]  # some takes jump from a T-pose first
    index = [figure.link_index(name) for name in bvh.names]
    error = link_velocities(figure, trajectory.q, trajectory.v)[5:-1, index, 3:] - moved
    assert np.sqrt((error**2).mean()) < 0.05 * np.sqrt((moved**2).mean())  # hands turn by 10 degrees per frame
    for options in ({"skeleton": bvh}, {"up": Up.Z}):
        other = bvh_from_trajectory(trajectory, figure, **options)
        other = read_bvh(write_bvh(other), scale=other.scale, up=other.up)
        order = [other.index(name) for name in bvh.names]
        np.testing.assert_allclose(bvh_poses(other).position[:, order], bvh_poses(bvh).position, atol=1e-12)
        back = trajectory_from_bvh(other, quiet(figure_from_bvh, other))
        fig = quiet(figure_from_bvh, other)
        np.testing.assert_allclose(difference(fig, back.q, trajectory_of(fig, figure, trajectory)), 0, atol=1e-9)


def trajectory_of(new, old, trajectory):
    """The same coordinates for a figure with the same joints in another order."""
    q = np.empty((len(trajectory), new.nq))
    for name in new.link_names:
        q[:, new.q_slice(name)] = trajectory.q[:, old.q_slice(name)]
    return q


# ------------------------------------------------------- bodies


def test_mass():
    bvh = read_bvh(PLAIN, scale=0.01)
    figure, light = figure_from_bvh(bvh), figure_from_bvh(bvh, density=500)
    assert figure.mass == pytest.approx(2.1 * light.mass)
    given = figure_from_bvh(bvh, mass=70)
    assert given.mass == pytest.approx(70)
    for a, b in zip(figure.links, given.links, strict=True):
        assert b.mass.mass / a.mass.mass == pytest.approx(70 / figure.mass)
    with pytest.raises(FigureError, match="mass"):
        figure_from_bvh(bvh, mass=-1)
    shin = figure.link("Knee").shapes
    assert len(shin) == 1
    assert 2 * shin[0].half_length == pytest.approx(0.385)
    assert figure.link("Knee").mass.centre == pytest.approx((0, 0, -0.1925))
    assert np.isfinite(forward_dynamics(figure, figure.neutral(), np.zeros(figure.nv))).all()


def test_a_human_has_human_masses():
    figure = figure_from_bvh(read_bvh(reference("bvh", "02_01.bvh")))
    mass = {name: figure.link(name).mass.mass for name in figure.link_names}
    assert 60 < figure.mass < 90
    assert 6 < mass["LeftUpLeg"] < 12  # de Leva 1996: 10.3 of 73 kg
    assert 2.2 < mass["LeftLeg"] < 4.5  # 3.2
    assert 1.2 < mass["LeftArm"] < 3  # 2.0
    assert np.isfinite(forward_dynamics(figure, figure.neutral(), np.zeros(figure.nv))).all()


def test_bones_that_are_none_are_told():
    bvh = read_bvh(reference("mass", "walk.bvh"))
    with pytest.warns(FileContentWarning, match="end site of 'Character1_RightHand' is 1.62 m .* no shape and no mass"):
        figure = figure_from_bvh(bvh)
    assert figure.link("Character1_RightHand").mass.mass < 1


# ------------------------------------------------------- inner joints that move in their parents


MOVING = PLAIN.replace("CHANNELS 1 Xrotation", "CHANNELS 4 Xposition Yposition Zposition Xrotation")


def moving(*places: str) -> str:
    head, *rows = MOVING.rsplit("\n", 4)[:-1]
    rows = [" ".join([*row.split()[:6], place, *row.split()[6:]]) for row, place in zip(rows, places, strict=True)]
    return "\n".join([head, *rows]) + "\n"


def test_position_channels_that_do_not_move(recwarn):
    bvh = read_bvh(moving(*["3 -41 0"] * 3), scale=0.01)
    figure = figure_from_bvh(bvh)
    assert figure.nlinks == 6
    assert not recwarn.list
    assert figure.link("Knee").joint.parent_frame.position == pytest.approx((0, 0.03, -0.41))
    assert_same_places(bvh, figure, trajectory_from_bvh(bvh, figure))
    again = bvh_from_trajectory(trajectory_from_bvh(bvh, figure), figure, skeleton=bvh)
    np.testing.assert_allclose(again.values[:, 6:9], bvh.values[:, 6:9])


def test_position_channels_that_move():
    bvh = read_bvh(moving("3 -41 0", "3 -41 4", "3 -45 2"), scale=0.01)
    with pytest.warns(FileContentWarning, match=r"joint 'Knee' moves .* 0\.0283 m .*sliders=True"):
        held = figure_from_bvh(bvh)
    assert held.nlinks == 6
    apart = forward_kinematics(held, trajectory_from_bvh(bvh, held).q).position - bvh_poses(bvh).position
    assert np.linalg.norm(apart, axis=-1).max() == pytest.approx(0.0283, abs=1e-4)
    figure = figure_from_bvh(bvh, sliders=True)
    assert figure.link_names[1:4] == ("Knee:x", "Knee:z", "Knee")
    trajectory = trajectory_from_bvh(bvh, figure)
    assert_same_places(bvh, figure, trajectory)
    again = bvh_from_trajectory(trajectory, figure, skeleton=bvh)
    np.testing.assert_allclose(again.values[:, :10], bvh.values[:, :10], atol=1e-9)


# ------------------------------------------------------- from any figure


def wild():
    """All kinds of joints, frames turned every way."""
    rng = np.random.default_rng(4)

    def pose():
        quat = rng.normal(size=4)
        return Pose(tuple(rng.normal(size=3) * 0.2), tuple(quat / np.linalg.norm(quat)))

    def frames():
        return {"parent_frame": pose(), "child_frame": pose()}

    builder = FigureBuilder("wild one")
    builder.add("root", None, joint.free(rest=(1, 2, 3, 0.5, 0.5, -0.5, 0.5), **frames()), BODY)
    builder.add("ball", "root", joint.ball(**frames()), BODY)
    builder.add("hinge", "ball", joint.hinge(axis=(1, 2, 3), rest=(0.3,), **frames()), BODY)
    builder.add("both axes", "ball", joint.universal(axis=(1, 0, 1), axis2=(0, 1, 1), **frames()), BODY)
    builder.add("slider", "both axes", joint.slider(axis=(1, 1, 0), **frames()), BODY)
    builder.add("fixed", "slider", joint.fixed(**frames()), BODY)
    builder.add("last", "fixed", joint.ball(**frames()), BODY)
    return builder.build()


@pytest.mark.parametrize("make", [human28, human40, wild])
def test_any_figure(make):
    figure, rng = make(), np.random.default_rng(1)
    q = np.array([figure.random(rng, spread=0.5) for _ in range(6)])
    time = np.arange(6) / 30
    trajectory = Trajectory(time, q, velocities_of(figure, time, q))
    bvh = bvh_from_trajectory(trajectory, figure, scale=0.02)
    assert bvh.frame_time == pytest.approx(1 / 30)
    poses, links = bvh_poses(bvh), forward_kinematics(figure, q)
    rest = forward_kinematics(figure, figure.neutral())
    for i, link in enumerate(figure.links):
        j = bvh.index(link.name.replace(" ", "_"))
        centre = links.position[:, i] + links.rotation[:, i] @ link.joint.child_frame.position
        np.testing.assert_allclose(poses.position[:, j], centre, atol=1e-9)
        np.testing.assert_allclose(poses.rotation[:, j], links.rotation[:, i] @ rest.rotation[i].T, atol=1e-9)
    last = [i for i in range(figure.nlinks) if i not in figure.parents]
    assert [i for i, it in enumerate(bvh.joints) if it.ends] == last


def test_hinges_of_a_human_keep_one_channel():
    figure = human28()
    q = np.repeat(figure.neutral()[None], 3, axis=0)
    q[:, figure.q_slice("knee_left")] = np.radians([[0], [100], [130]])
    bvh = bvh_from_trajectory(Trajectory([0, 0.1, 0.2], q, np.zeros((3, figure.nv))), figure)
    it = bvh.joints[bvh.index("shin_left")]
    assert it.channels == (Channel.X_ROTATION,)
    np.testing.assert_allclose(bvh.values[:, bvh.starts[bvh.index("shin_left")]], [0, 100, 130])
    again = figure_from_bvh(bvh)
    assert again.link("shin_left").joint.kind is JointKind.HINGE
    assert again.link("shin_left").joint.axis == (0, 1, 0)
    np.testing.assert_allclose(trajectory_from_bvh(bvh, again).q, q, atol=1e-12)  # the same coordinates


def test_angles_do_not_jump():
    """A ball that turns on and on about each axis: angles go on beyond 180 degrees, in small steps."""
    figure = human28()
    time = np.arange(200) / 30
    for axis in range(3):
        q = np.repeat(figure.neutral()[None], 200, axis=0)
        q[:, 3], q[:, 4 + axis] = np.cos(2 * time), np.sin(2 * time)
        bvh = bvh_from_trajectory(Trajectory(time, q, np.zeros((200, figure.nv))), figure)
        assert np.abs(np.diff(bvh.values, axis=0)).max() < 8.0
        assert np.abs(bvh.values[:, 3:6]).max() > 1000


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_gimbal_lock(order):
    """Poses in which the first and the last axis coincide are still the same poses."""
    figure = human28()
    order = tuple((Channel.X_ROTATION, Channel.Y_ROTATION, Channel.Z_ROTATION)[k] for k in order)
    q = np.repeat(figure.neutral()[None], 6, axis=0)
    for k in range(3):
        for s, sign in enumerate((1, -1)):
            q[2 * k + s, figure.q_slice("hip_left")] = np.sqrt(0.5) * np.array([1, *(sign * np.eye(3)[k])])
    trajectory = Trajectory(np.arange(6.0), q, np.zeros((6, figure.nv)))
    bvh = bvh_from_trajectory(trajectory, figure, order=order)
    again = figure_from_bvh(bvh)
    found = trajectory_from_bvh(bvh, again).q[:, again.q_slice("thigh_left")]
    cosine = np.abs(np.einsum("ni,ni->n", found, q[:, figure.q_slice("hip_left")]))
    np.testing.assert_allclose(cosine, 1, atol=1e-12)


def test_times():
    figure = human28()
    q = np.repeat(figure.neutral()[None], 4, axis=0)
    uneven = Trajectory([0.0, 0.1, 0.25, 0.3], q, np.zeros((4, figure.nv)))
    with pytest.raises(ArgumentError, match=r"0\.05 to 0\.15 s: give frame_time"):
        bvh_from_trajectory(uneven, figure)
    bvh = bvh_from_trajectory(uneven, figure, frame_time=0.05)
    assert (bvh.nframes, bvh.frame_time) == (7, pytest.approx(0.05))
    one = Trajectory([3.0], q[:1], np.zeros((1, figure.nv)))
    assert bvh_from_trajectory(one, figure).frame_time == pytest.approx(1 / 30)
    with pytest.raises(ArgumentError, match="no samples"):
        bvh_from_trajectory(Trajectory([], q[:0], np.zeros((0, figure.nv))), figure)
    with pytest.raises(ArgumentError, match="order"):
        bvh_from_trajectory(one, figure, order=(Channel.X_ROTATION,) * 3)


def test_another_skeleton_is_refused():
    bvh = read_bvh(PLAIN, scale=0.01)
    with pytest.raises(FigureError, match="no link 'Hips'"):
        trajectory_from_bvh(bvh, human28())
    longer = read_bvh(PLAIN.replace("-38.5", "-42"), scale=0.01)
    with pytest.raises(FigureError, match=r"'Ankle' .* 0\.035 m .*retarget"):
        trajectory_from_bvh(longer, figure_from_bvh(bvh))
    other = read_bvh(PLAIN.replace("CHANNELS 1 Xr", "CHANNELS 3 Yrotation Zrotation Xr").replace("\n0 90", "\n0 0 0 90")
                     .replace("\n1 91", "\n0 0 1 91").replace("\n2.25", "\n0 0 2.25"), scale=0.01)  # fmt: skip
    with pytest.raises(FigureError, match=r"'Knee' .*hinge.*ball"):
        trajectory_from_bvh(other, figure_from_bvh(bvh))
    take = replace(bvh, values=bvh.values[:1] * 0.5)
    assert len(trajectory_from_bvh(take, figure_from_bvh(bvh))) == 1
