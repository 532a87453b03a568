"""What a Figure cannot hold: one warning, by name."""

import pytest

from hitogata.errors import FileContentWarning
from hitogata.files import read_mjcf, read_urdf

FULL = """
<mujoco model="full">
  <option timestep="0.001" wind="1 0 0"/>
  <visual><map force="0.1"/></visual>
  <custom><numeric name="a_number" data="1"/><text name="a_text" data="x"/>
    <tuple name="a_tuple"><element objtype="body" objname="torso"/></tuple></custom>
  <asset><texture name="a_texture" type="2d" builtin="flat" width="2" height="2"/>
    <material name="a_material" texture="a_texture"/><hfield name="a_field" nrow="2" ncol="2" size="1 1 1 1"/></asset>
  <worldbody>
    <light name="a_light"/><camera name="a_camera"/>
    <geom name="a_floor" type="plane" size="1 1 1"/>
    <geom name="a_terrain" type="hfield" hfield="a_field"/>
    <site name="a_mark"/>
    <body name="torso"><freejoint/><geom name="rough" size=".1" friction="2 1 1"/><site name="held"/><site/>
      <body name="arm" pos="0 0 .5" gravcomp="1">
        <joint name="springy" axis="0 1 0" stiffness="3" frictionloss="0.1" user="1 2" actuatorfrcrange="-1 2"/>
        <geom size=".1" fluidshape="ellipsoid"/></body>
      <body name="head" pos="0 0 1"><joint name="neck" type="ball" range="0 40"/><geom size=".1"/></body></body>
    <body name="a_mocap" mocap="true"><geom size=".1"/></body>
  </worldbody>
  <contact><exclude name="an_exclude" body1="torso" body2="arm"/><pair name="a_pair" geom1="a_floor" geom2="rough"/></contact>
  <equality><joint name="an_equality" joint1="springy"/></equality>
  <tendon><fixed name="a_tendon"><joint joint="springy" coef="1"/></fixed></tendon>
  <actuator><motor name="a_motor" joint="springy"/></actuator>
  <sensor><jointpos name="a_sensor" joint="springy"/><gyro site="held"/></sensor>
  <keyframe><key name="a_key"/></keyframe>
</mujoco>
"""  # noqa: E501

NAMED = [
    *("a_number", "a_text", "a_tuple", "a_texture", "a_material", "a_field", "a_light", "a_camera", "a_floor"),
    *(
        "a_terrain",
        "a_mark",
        "a_mocap",
        "an_exclude",
        "a_pair",
        "an_equality",
        "a_tendon",
        "a_motor",
        "a_sensor",
        "a_key",
    ),
    *("timestep", "wind", "visual", "rough", "springy", "neck", "arm"),
]


@pytest.fixture(scope="module")
def message() -> str:
    with pytest.warns(FileContentWarning) as caught:
        figure = read_mjcf(FULL)
    assert figure.link_names == ("torso", "arm", "head")
    assert figure.frame("held")
    assert len(caught) == 1
    assert caught[0].filename == __file__  # it points at the caller
    assert len(str(caught[0].message).splitlines()) <= 10
    return caught[0].message.details


@pytest.mark.parametrize("name", NAMED)
def test_everything_is_named(message, name):
    assert f"'{name}'" in message


@pytest.mark.parametrize(
    "part",
    [
        "joint stiffness 'springy'",
        "joint frictionloss 'springy'",
        "ball joint range 'neck'",
        "gravity compensation 'arm'",
        "contact settings of geom 'rough'",
        "sensor 'a_sensor', (no. 1, without a name)",
        "user data (of joints)",
        "site (without a name, of 'torso')",
        "fluid forces of geom (no. 3, of 'arm')",
        "actuator force range -1..2 is -2..2",
    ],
)
def test_and_described(message, part):
    assert part in message


def test_the_file_is_named(tmp_path):
    path = tmp_path / "full.xml"
    path.write_text(FULL)
    with pytest.warns(FileContentWarning, match=r"full.xml: a Figure does not hold"):
        read_mjcf(path)


def test_nothing_to_tell_means_no_warning(recwarn):
    read_mjcf("<mujoco><worldbody><body name='b'><joint/><geom size='.1'/></body></worldbody></mujoco>")
    read_urdf(
        "<robot name='r'><link name='a'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
    )
    assert not recwarn.list


def test_mujoco_writes_no_log_file(tmp_path, monkeypatch):
    """Its warnings go into ours instead."""
    monkeypatch.chdir(tmp_path)
    text = """<robot name="r"><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="b"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
      <limit lower="0" upper="0" effort="1" velocity="0"/></joint></robot>"""
    with pytest.warns(FileContentWarning, match="joint 'j' has no width between its limits") as caught:
        read_urdf(text)
    assert "MuJoCo" not in str(caught[0].message)
    assert not list(tmp_path.iterdir())
