"""MJCF: what is read is what MuJoCo moves."""

import math
import warnings

import mujoco
import numpy as np
import pytest

from hitogata.errors import FileContentWarning
from hitogata.figure import Box, Capsule, Cylinder, Ellipsoid, HeightField, JointKind, Plane, Sphere
from hitogata.files import read_mjcf, read_mjcf_scenery
from hitogata.library import chain, human28, human40
from tests.files.comparing import assert_same_as_mujoco, close
from tests.peers import builders as b

ARM = """
<mujoco model="arm">
  <compiler angle="degree"/>
  <default>
    <joint damping="0.3"/>
    <default class="strong"><joint damping="2" armature="0.1" actuatorfrcrange="-40 40"/></default>
  </default>
  <worldbody>
    <body name="base" pos="0.1 0.2 1" euler="10 20 30">
      <joint name="turn" axis="0 1 2" pos="0.05 0 0.1" range="-90 45" ref="20" class="strong"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 0.4" name="tube"/>
      <site name="tip" pos="0.1 0.2 0.4" euler="0 45 0"/>
      <body name="rod" pos="0.1 0.2 0.4" quat="1 2 3 4">
        <joint name="slide" type="slide" axis="1 0 1" range="-0.1 0.3" ref="0.05"/>
        <geom type="box" size="0.1 0.2 0.3"/>
        <body name="hand" pos="0 0.3 0">
          <joint name="wrist" type="ball" pos="0.02 -0.1 0"/>
          <geom size="0.1" pos="0 0.1 0.05"/>
          <body name="nail" pos="0.1 0 0" euler="90 0 0"><geom size="0.02"/></body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def quiet(text, **options):
    """The figure, whatever is left out of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        return read_mjcf(text, **options)


def test_joints_keep_what_a_figure_holds(recwarn):
    figure = read_mjcf(ARM)
    assert not recwarn.list
    assert figure.name == "arm"
    assert figure.link_names == ("base", "rod", "hand", "nail")
    assert figure.joint_names == ("turn", "slide", "wrist", "nail")
    turn, slide, wrist, nail = (link.joint for link in figure.links)
    assert [j.kind for j in (turn, slide, wrist, nail)] == [
        JointKind.HINGE,
        JointKind.SLIDER,
        JointKind.BALL,
        JointKind.FIXED,
    ]
    assert turn.range == pytest.approx((-math.pi / 2, math.pi / 4))
    assert (turn.damping, turn.armature, turn.effort_limit) == (2, 0.1, 40)
    assert (slide.damping, slide.armature, slide.effort_limit) == (0.3, 0, math.inf)
    assert slide.range == pytest.approx((-0.1, 0.3))
    assert turn.child_frame.position == (0.05, 0, 0.1)
    assert turn.rest == pytest.approx((math.radians(20),))
    close(figure.neutral(), [math.radians(20), 0.05, 1, 0, 0, 0])


def test_it_moves_as_in_mujoco():
    assert_same_as_mujoco(read_mjcf(ARM), mujoco.MjModel.from_xml_string(ARM))


def test_neutral_is_qpos0():
    model = mujoco.MjModel.from_xml_string(ARM)
    figure = read_mjcf(ARM)
    close(b.q_to_mujoco(figure, figure.neutral()), model.qpos0)


def test_damping_acts_as_in_mujoco():
    figure, model = read_mjcf(ARM), mujoco.MjModel.from_xml_string(ARM)
    close(b.damping_vector(figure), model.dof_damping)


@pytest.mark.parametrize("figure", [human28(), human40(), chain(4, kind=JointKind.UNIVERSAL, free_base=True)], ids=str)
def test_library_figures_come_back(figure):
    text = b.to_mjcf(figure, limits=True, shapes=True)
    back = quiet(text)
    assert back.name == figure.name
    assert back.link_names == figure.link_names
    assert back.joint_names == figure.joint_names
    assert [link.joint.kind for link in back.links] == [link.joint.kind for link in figure.links]
    assert [len(link.shapes) for link in back.links] == [len(link.shapes) for link in figure.links]
    for ours, theirs in zip(figure.links, back.links, strict=True):
        close(theirs.mass.matrix, ours.mass.matrix)
        close(theirs.mass.centre, ours.mass.centre)
        assert theirs.joint.range == (None if ours.joint.range is None else pytest.approx(ours.joint.range))
        assert [f.name for f in theirs.frames] == [f.name for f in ours.frames]
    assert_same_as_mujoco(back, mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("seed", range(4))
def test_random_figures_come_back(seed):
    figure = b.random_figure(np.random.default_rng(seed), 25)
    text = b.to_mjcf(figure)
    back = quiet(text)
    for ours, theirs in zip(figure.links, back.links, strict=True):
        assert ours.name == theirs.name
        # MuJoCo knows no fixed joints, so they have no names
        assert theirs.joint.name == ("" if ours.joint.kind is JointKind.FIXED else ours.joint.name)
    assert_same_as_mujoco(back, mujoco.MjModel.from_xml_string(text))


def test_a_file_is_named_by_its_model_or_itself(tmp_path):
    path = tmp_path / "stick.xml"
    path.write_text("<mujoco><worldbody><body><geom size='.1'/></body></worldbody></mujoco>")
    figure = read_mjcf(path)
    assert figure.name == "stick"
    assert figure.link_names == ("body1",)
    assert read_mjcf(str(path)) == figure


def test_included_files_are_read(tmp_path):
    (tmp_path / "arm.xml").write_text("<mujoco><body name='arm'><joint/><geom size='.1'/></body></mujoco>")
    path = tmp_path / "all.xml"
    path.write_text("<mujoco><worldbody><include file='arm.xml'/></worldbody></mujoco>")
    assert read_mjcf(path).link_names == ("arm",)


# ------------------------------------------------------- several joints in one body


def body(joints: str, extra: str = "") -> str:
    return f"""<mujoco><worldbody><body name="b" pos="1 2 3" euler="10 20 30">{joints}
        <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/>
        <body name="c" pos="0 0 1"><joint name="last"/><geom size="0.2"/></body></body></worldbody>{extra}</mujoco>"""


def test_two_hinges_that_cross_are_a_universal_joint():
    """Their anchors differ, but the axes cross at (0.1, 0.1, 0.1)."""
    text = body(
        """<joint name="yaw" axis="0 0 1" pos="0.1 0.1 0" range="-30 30" ref="15"/>
           <joint name="pitch" axis="0.2 1 0" pos="0.12 0.2 0.1" ref="-40"/>"""
    )
    with pytest.warns(FileContentWarning, match="'yaw', 'pitch' are the universal joint 'yaw\\+pitch'"):
        figure = read_mjcf(text)
    joint = figure.link("b").joint
    assert joint.kind is JointKind.UNIVERSAL
    assert joint.range == (pytest.approx((-math.pi / 6, math.pi / 6)), (-math.inf, math.inf))
    assert joint.rest == pytest.approx((math.radians(15), math.radians(-40)))
    assert_same_as_mujoco(figure, mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize(
    "joints",
    [
        '<joint name="j0" axis="0 0 1"/><joint name="j1" axis="0 1 0" pos="0.1 0 0" ref="30"/>',  # axes pass each other
        '<joint name="j0" axis="0 0 1" damping="1"/><joint name="j1" axis="0 1 0"/>',  # not alike
        '<joint name="j0" axis="0 0 1"/><joint name="j1" axis="0 0 1" pos="0.1 0 0"/>',  # parallel
        '<joint name="j0" axis="1 0 0"/><joint name="j1" axis="0 1 0"/><joint name="j2" ref="20"/>',
        '<joint name="j0" type="slide" axis="1 0 0"/><joint name="j1" type="slide"/><joint name="j2" axis="0 1 0"/>',
        '<joint name="j0" type="slide" axis="1 1 0" ref="0.2"/><joint name="j1" type="ball" pos="0.1 0 0"/>',
    ],
    ids=["apart", "unlike", "parallel", "three", "planar", "slide-ball"],
)
def test_other_joints_get_links_between(joints):
    text = body(joints)
    with pytest.warns(FileContentWarning, match="link 'b:j0' with 1e-06 of its mass"):
        figure = read_mjcf(text)
    model = mujoco.MjModel.from_xml_string(text)
    assert "b:j0" in figure.link_names
    assert figure.joint_names == tuple(model.joint(i).name for i in range(model.njnt))
    assert figure.mass == pytest.approx(model.body_subtreemass[0], rel=1e-14)
    assert_same_as_mujoco(figure, model, tolerance=3e-6)


def test_three_hinges_can_be_merged_to_a_ball():
    text = body(
        """<joint name="x" axis="1 0 0" pos="0 0 .1" range="-10 10" damping="1"/>
           <joint name="y" axis="0 1 0" pos="0 0 .1" damping="2"/><joint name="z" pos="0 0 .1" damping="3"/>"""
    )
    with pytest.warns(FileContentWarning) as caught:
        figure = read_mjcf(text, merge_hinges=True)
    message = str(caught[0].message)
    assert "hinges 'x', 'y', 'z' are the ball joint 'x+y+z'" in message
    assert "range of merged hinge 'x'" in message
    assert "damping of 'x' 1, 'y' 2, 'z' 3 is 2 for all" in message
    joint = figure.link("b").joint
    assert (joint.kind, joint.damping) == (JointKind.BALL, 2)
    # the ball reaches what the hinges reach: turn them in MuJoCo, and give the ball the same orientation
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:3] = 0.3, -0.8, 0.5
    mujoco.mj_forward(model, data)
    quat = np.zeros(4)
    mujoco.mju_negQuat(quat, model.body("b").quat)
    turned = np.zeros(4)
    mujoco.mju_mulQuat(turned, quat, data.body("b").xquat)
    peer = mujoco.MjModel.from_xml_string(b.to_mjcf(figure))
    other = mujoco.MjData(peer)
    other.qpos[:] = b.q_to_mujoco(figure, np.array([*turned, 0.0]))
    mujoco.mj_forward(peer, other)
    close(other.body("c").xpos, data.body("c").xpos)


# ------------------------------------------------------- bodies without mass


def test_a_massless_fixed_body_is_a_frame_of_its_parent():
    text = """<mujoco><worldbody><body name="arm"><joint/><geom size=".1"/>
      <body name="mount" pos="0 0 1" euler="0 90 0"><site name="eye" pos="1 0 0"/>
        <body name="hand" pos="0 0 .5"><joint name="h" axis="1 0 0"/><geom size=".1"/></body></body>
    </body></worldbody></mujoco>"""
    figure = read_mjcf(text)
    assert figure.link_names == ("arm", "hand")
    assert [f.name for f in figure.link("arm").frames] == ["mount", "eye"]
    assert_same_as_mujoco(figure, mujoco.MjModel.from_xml_string(text))


def test_a_massless_moving_body_takes_the_mass_fixed_to_it():
    """q still means the massless body's motion."""
    text = """<mujoco><worldbody><body name="carrier" pos="1 0 0"><freejoint name="root"/>
      <body name="load" pos="0 0 1" euler="0 30 0"><geom size=".1"/>
        <body name="flag"><joint name="f" axis="1 0 0"/><geom size=".1"/></body></body>
      <body name="arm" pos="0 1 0"><joint name="a" axis="1 0 0"/><geom size=".1"/></body>
    </body></worldbody></mujoco>"""
    figure = read_mjcf(text)
    assert figure.link_names == ("load", "flag", "arm")
    assert figure.joint_names == ("root", "f", "a")
    assert figure.frame("carrier")[0] == 0
    model = mujoco.MjModel.from_xml_string(text)
    # MuJoCo's qpos is the pose of 'carrier', as is the figure's q: compare by hand
    rng = np.random.default_rng(3)
    q, _ = b.random_state(figure, rng)
    close(figure.neutral(), model.qpos0)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    peer = mujoco.MjModel.from_xml_string(b.to_mjcf(figure))
    other = mujoco.MjData(peer)
    other.qpos[:] = b.q_to_mujoco(figure, q)
    mujoco.mj_forward(peer, other)
    for name in figure.link_names:
        close(other.body(name).xpos, data.body(name).xpos)
    close(other.site("carrier").xpos, data.body("carrier").xpos)


def test_a_massless_root_fixed_to_the_world_vanishes():
    text = """<mujoco><worldbody><body name="stand" pos="0 0 1"><geom name="foot" size=".1" mass="0"/>
      <body name="arm" pos="0 0 1"><joint/><geom size=".1"/></body></body></worldbody></mujoco>"""
    with pytest.warns(FileContentWarning, match="'stand'.*'foot'"):
        figure = read_mjcf(text)
    assert figure.link_names == ("arm",)
    assert_same_as_mujoco(figure, mujoco.MjModel.from_xml_string(text))


# ------------------------------------------------------- several figures in a file


TWO = """<mujoco><worldbody>
  <body name="cat"><freejoint/><geom size=".1"/><body name="tail"><joint name="t"/><geom size=".1"/></body></body>
  <body name="dog"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def test_root_says_which_body_to_read():
    with pytest.warns(FileContentWarning, match="'dog'"):
        assert read_mjcf(TWO, root="cat").link_names == ("cat", "tail")
    with pytest.warns(FileContentWarning, match="'cat'"):
        assert read_mjcf(TWO, root="dog").link_names == ("dog",)


# ------------------------------------------------------- shapes


def test_geoms_become_shapes():
    text = """<mujoco><worldbody><body name="b" pos="0 0 1">
      <geom name="ball" size=".1" pos="1 0 0"/>
      <geom name="tube" type="capsule" size=".1 .2" euler="90 0 0"/>
      <geom name="brick" type="box" size=".1 .2 .3"/>
      <geom name="floor" type="plane" size="1 1 1"/></body></worldbody></mujoco>"""
    ball, tube, brick, floor = read_mjcf(text).link("b").shapes
    assert isinstance(ball, Sphere)
    assert (ball.radius, ball.pose.position, ball.name) == (0.1, (1, 0, 0), "ball")
    assert isinstance(tube, Capsule)
    assert (tube.radius, tube.half_length) == (0.1, 0.2)
    close(tube.pose.apply([0, 0, 1]), [0, -1, 0])
    assert isinstance(brick, Box)
    assert brick.half_sizes == (0.1, 0.2, 0.3)
    assert isinstance(floor, Plane)


def test_round_geoms():
    text = """<mujoco><worldbody><body name="b"><freejoint/>
      <geom name="can" type="cylinder" size=".1 .2"/>
      <geom name="egg" type="ellipsoid" size=".1 .2 .3"/></body></worldbody></mujoco>"""
    can, egg = read_mjcf(text).link("b").shapes
    assert can == Cylinder(0.1, 0.2, name="can")
    assert egg == Ellipsoid((0.1, 0.2, 0.3), name="egg")


TERRAIN = """<mujoco>
  <asset><hfield name="hills" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="1 0 0  0 0 0.5"/></asset>
  <worldbody><geom type="hfield" hfield="hills" name="ground" pos="0 0 1"/>
    <geom type="plane" size="1 1 1" name="floor"/>
    <geom type="box" size=".1 .2 .3" name="ghost" contype="0" conaffinity="0"/>
    <body name="b"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def test_scenery_and_height_fields():
    ground, floor = read_mjcf_scenery(TERRAIN)
    assert isinstance(ground, HeightField)
    assert (ground.name, ground.half_sizes, ground.pose.position) == ("ground", (1, 2), (0, 0, 1))
    np.testing.assert_allclose(ground.heights, [[0, 0, 0.25], [0.5, 0, 0]])  # MuJoCo's text begins at high y
    assert floor == Plane(name="floor")


L_SHAPE = "0 0 0  2 0 0  2 1 0  1 1 0  1 2 0  0 2 0  0 0 1  2 0 1  2 1 1  1 1 1  1 2 1  0 2 1"
L_FACES = (
    "0 2 1  0 3 2  0 5 3  3 5 4  6 7 8  6 8 9  6 9 11  9 10 11  "
    "0 1 7  0 7 6  1 2 8  1 8 7  2 3 9  2 9 8  3 4 10  3 10 9  4 5 11  4 11 10  5 0 6  5 6 11"
)


def test_meshes_become_convex_hulls():
    text = f"""<mujoco><asset>
      <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
      <mesh name="ell" vertex="{L_SHAPE}" face="{L_FACES}"/></asset>
    <worldbody><body name="b"><freejoint/>
      <geom name="good" type="mesh" mesh="tetra" pos="1 2 3"/>
      <geom name="bent" type="mesh" mesh="ell"/></body></worldbody></mujoco>"""
    with pytest.warns(FileContentWarning) as caught:
        good, bent = read_mjcf(text).link("b").shapes
    assert "mesh 'bent' is not convex" in str(caught[0].message)
    assert "'good'" not in str(caught[0].message)
    corners = sorted(good.pose.apply(good.vertices).round(6).tolist())
    assert corners == [[1, 2, 3], [1, 2, 4], [1, 3, 3], [2, 2, 3]]
    assert bent.volume == pytest.approx(3.5, rel=1e-6)


def test_geoms_that_touch_nothing_are_kept_on_request():
    text = """<mujoco><worldbody><body name="b"><freejoint/><geom name="solid" size=".1"/>
      <geom name="paint" size=".2" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    with pytest.warns(FileContentWarning, match="'paint'"):
        assert [s.name for s in read_mjcf(text).link("b").shapes] == ["solid"]
    assert [s.name for s in read_mjcf(text, visuals=True).link("b").shapes] == ["solid", "paint"]


# ------------------------------------------------------- names


def test_names_that_stand_twice_are_told_apart():
    """MuJoCo lets a site be called like a body, and a joint like another body."""
    text = """<mujoco><worldbody><body name="arm"><joint name="hand"/><geom size=".1"/><site name="arm"/>
      <body name="hand"><geom size=".1"/></body></body></worldbody></mujoco>"""
    with pytest.warns(FileContentWarning, match="frame 'arm' of 'arm' is called 'arm_site'"):
        figure = read_mjcf(text)
    assert figure.frame("arm_site") == (0, figure.link("arm").frames[0].pose)
    assert figure.joint_names == ("hand", "hand_joint")
