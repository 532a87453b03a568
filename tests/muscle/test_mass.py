"""Muscles of MASS's files: the pose at rest is kept, errors name the muscle."""

import numpy as np
import pytest

from hitogata.errors import FileFormatError
from hitogata.muscle import muscles_from_mass, rigid_tendon_forces, wire_geometry
from tests.reference import reference

UNIT = "1 0 0 0 1 0 0 0 1"
SKELETON = f"""<Skeleton name="Two">
  <Node name="Pelvis" parent="None"><Body type="Box" mass="10" size=".2 .2 .1">
    <Transformation linear="{UNIT}" translation="0 1 0"/></Body>
    <Joint type="Free"><Transformation linear="{UNIT}" translation="0 1 0"/></Joint></Node>
  <Node name="Femur" parent="Pelvis"><Body type="Box" mass="7" size=".1 .4 .1">
    <Transformation linear="{UNIT}" translation="0.1 0.7 0"/></Body>
    <Joint type="Ball"><Transformation linear="{UNIT}" translation="0.1 0.95 0"/></Joint></Node>
</Skeleton>"""
MUSCLES = """<Muscle><Unit name="Glut" f0="900" lm="1.2" lt="0.3" pen_angle="0.0" lmax="-0.1">
  <Waypoint body="Pelvis" p="0.05 1.1 -0.05"/><Waypoint body="Femur" p="0.12 0.7 -0.04"/></Unit></Muscle>"""


def test_pose_at_rest(tmp_path):
    (tmp_path / "s.xml").write_text(SKELETON)
    (tmp_path / "m.xml").write_text(MUSCLES)
    muscles = muscles_from_mass(tmp_path / "s.xml", tmp_path / "m.xml")
    found = wire_geometry(muscles, muscles.body.neutral())
    length = np.linalg.norm([0.07, -0.4, 0.01])
    assert found.lengths[0] == pytest.approx(length, abs=1e-12)
    assert rigid_tendon_forces(muscles, found.lengths).length[0] == pytest.approx(1.0)
    (tmp_path / "m.xml").write_text(MUSCLES.replace('body="Femur"', 'body="Tail"'))
    with pytest.raises(FileFormatError, match="'Glut': no body 'Tail'"):
        muscles_from_mass(tmp_path / "s.xml", tmp_path / "m.xml")
    (tmp_path / "m.xml").write_text(MUSCLES.replace('lt="0.3"', 'lt="0"'))
    with pytest.raises(FileFormatError, match="'Glut': f0, lm and lt must be positive"):
        muscles_from_mass(tmp_path / "s.xml", tmp_path / "m.xml")


def test_whole_body():
    muscles = muscles_from_mass(reference("mass/human.xml"), reference("mass/muscle284.xml"))
    assert len(muscles.muscles) == 284
    found = wire_geometry(muscles, muscles.body.neutral())
    mirrored = [wire.name.replace("L_", "R_", 1) if wire.name.startswith("L_") else wire.name for wire in muscles.wires]
    other = np.array([found.lengths[muscles.index(name)] for name in mirrored])
    np.testing.assert_allclose(found.lengths, other, rtol=0, atol=1e-3)
