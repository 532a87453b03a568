"""Muscles of MJCF files beside MuJoCo: lengths, Jacobians, forces."""

import warnings

import numpy as np
import pytest

from hitogata.errors import FigureError, FileContentWarning
from hitogata.muscle import muscles_from_mjcf, rigid_tendon_forces, wire_geometry

ARM = """
<mujoco model="arm">
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" range="-60 60"/><joint name="twist" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/>
      <geom name="ball" type="sphere" size=".03" pos="0 0 -.3" contype="0" conaffinity="0"/>
      <geom name="bar" type="cylinder" size=".025 .1" pos="0 0 -.3" euler="90 0 0" contype="0" conaffinity="0"/>
      <site name="high" pos=".02 .01 -.1"/><site name="back" pos="-.03 0 -.12"/><site name="side" pos="-.06 0 -.3"/>
      <site name="core" pos=".002 .001 -.302"/>
      <body name="fore" pos="0 0 -.3"><joint name="elbow" axis="0 1 0" range="-100 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.25" size=".025"/>
        <site name="low" pos=".03 .005 -.1"/><site name="rear" pos="-.02 -.01 -.08"/>
      </body></body>
  </worldbody>
  <tendon>
    <spatial name="straight"><site site="high"/><site site="low"/></spatial>
    <spatial name="over ball"><site site="back"/><geom geom="ball"/><site site="rear"/></spatial>
    <spatial name="over bar"><site site="back"/><geom geom="bar" sidesite="side"/><site site="rear"/></spatial>
    <spatial name="through"><site site="high"/><geom geom="bar" sidesite="core"/><site site="low"/></spatial>
    <spatial name="slack"><site site="back"/><site site="rear"/></spatial>
  </tendon>
  <actuator>
    <muscle name="flexor" tendon="straight" force="300" lengthrange=".1 .3"/>
    <muscle name="balled" tendon="over ball" force="200" lengthrange=".1 .35"/>
    <muscle name="barred" tendon="over bar" scale="400" lengthrange=".1 .35"/>
    <muscle name="threaded" tendon="through" force="100" lengthrange=".1 .3"/>
  </actuator>
</mujoco>
"""


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        yield


def test_lengths_jacobians_and_forces(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    muscles = muscles_from_mjcf(path)
    assert [wire.name for wire in muscles.wires] == ["flexor", "balled", "barred", "threaded", "slack"]
    model = mujoco.MjModel.from_xml_path(str(path))
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    bent = np.zeros(5)
    for _ in range(100):
        data.qpos[:] = rng.uniform([-1, -1, -1.7], [1, 1, 0.0])
        data.qvel[:], data.act[:] = rng.normal(size=3), rng.uniform(0, 1, 4)
        mujoco.mj_forward(model, data)
        found = wire_geometry(muscles, data.qpos)
        np.testing.assert_allclose(found.lengths, data.ten_length, rtol=0, atol=1e-6)
        expected = np.zeros((5, 3))
        mujoco.mju_sparse2dense(
            expected, data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind.ravel()
        )
        np.testing.assert_allclose(found.jacobian, expected, rtol=0, atol=1e-6)
        forces = rigid_tendon_forces(muscles, found.lengths, found.lengthening_speeds(data.qvel)).at(data.act)
        np.testing.assert_allclose(forces, -data.actuator_force, rtol=1e-6, atol=1e-3)
        bent += data.ten_wrapnum > 2
    assert bent[1:4].min() > 5


def test_strings_past_sites_in_any_place(tmp_path):
    """Ends and sites all around spheres and cylinders, sites also inside: lengths and Jacobians are MuJoCo's."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(5)
    kinds = ("sphere", "cylinder")
    still, moved, tendons = "", "", ""
    for k in range(200):
        a, b, s = rng.normal(size=(3, 3)) * 0.25
        if k % 4 == 2:
            s *= 0.06 / np.linalg.norm(s)
        still += f'<geom name="g{k}" type="{kinds[k % 2]}" size=".1 .05"/>'
        still += f'<site name="s{k}" pos="{s[0]} {s[1]} {s[2]}"/>'
        still += f'<site name="a{k}" pos="{a[0]} {a[1]} {a[2]}"/>'
        moved += f'<site name="b{k}" pos="{b[0]} {b[1]} {b[2]}"/>'
        ends = f'<site site="a{k}"/><geom geom="g{k}" sidesite="s{k}"/><site site="b{k}"/>'
        tendons += f'<spatial name="t{k}">{ends}</spatial>'
    joints = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    path = tmp_path / "strings.xml"
    path.write_text(
        f'<mujoco><worldbody>{still}<body name="m">{joints}<geom size=".1"/>{moved}</body></worldbody>'
        f"<tendon>{tendons}</tendon></mujoco>"
    )
    muscles = muscles_from_mjcf(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    around = np.zeros(200, bool)
    for _ in range(5):
        data.qpos[:] = rng.normal(size=3) * 0.1
        mujoco.mj_forward(model, data)
        found = wire_geometry(muscles, data.qpos)
        np.testing.assert_allclose(found.lengths, data.ten_length, rtol=0, atol=1e-9)
        expected = np.zeros((200, 3))
        mujoco.mju_sparse2dense(
            expected, data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind.ravel()
        )
        np.testing.assert_allclose(found.jacobian, expected, rtol=0, atol=1e-6)
        around |= data.ten_wrapnum > 2
    assert around[0::2].sum() > 40
    assert around[1::2].sum() > 40


def test_pulleys_are_refused(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    sites = '<site site="high"/><site site="low"/>'
    tendon = f'<spatial name="split">{sites}<pulley divisor="2"/>{sites}</spatial>'
    path.write_text(ARM.replace("<tendon>", "<tendon>" + tendon))
    with pytest.raises(FigureError, match="'split': pulleys"):
        muscles_from_mjcf(path)


@pytest.mark.parametrize("fused", ["false", "true"])
def test_bodies_without_names(tmp_path, fused):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    hand = '<body pos="0 0 -.25"><geom size=".02"/><site name="palm" pos=".02 0 -.03"/></body></body></body>'
    reach = '<tendon><spatial name="reach"><site site="high"/><site site="palm"/></spatial>'
    text = ARM.replace("</body></body>", hand).replace("<tendon>", reach).replace('<body name="fore"', "<body")
    path.write_text(text.replace("<worldbody>", f'<compiler fusestatic="{fused}"/><worldbody>'))
    muscles = muscles_from_mjcf(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    places = [muscles.index(name) for name in ("reach", "flexor", "balled", "barred", "threaded", "slack")]
    for _ in range(10):
        data.qpos[:] = rng.uniform([-1, -1, -1.7], [1, 1, 0.0])
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(
            wire_geometry(muscles, data.qpos).lengths[places], data.ten_length, rtol=0, atol=1e-6
        )
