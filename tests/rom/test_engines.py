"""Joints of game engines: what their own numbers allow, in their own axes, is what the form allows here."""

import json

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.errors import ArgumentError
from hitogata.rom import ConeRegion, ConstantTwist, EllipseRegion, RangeOfMotion
from hitogata.rom.engines import AXES, Engine, export_to_engine, in_axes
from hitogata.rom.export import rotation_grid
from hitogata.rom.human import Side, shoulder
from hitogata.spatial import quat_conjugate, quat_multiply, quat_to_matrix

GRID = rotation_grid(4000)
SHOULDER = shoulder(Side.LEFT)


def swing_twist(parent, child, pose):
    """Twist about x, and the swing's quaternion (w, 0, y, z), of the child's frame in the parent's: q = swing twist."""
    q = quat_multiply(quat_multiply(quat_conjugate(np.array(parent)), pose), np.array(child))
    q = q * np.where(q[:, :1] < 0, -1.0, 1.0)
    size = np.hypot(q[:, 0], q[:, 1])
    twist = np.stack([q[:, 0] / size, q[:, 1] / size, 0 * size, 0 * size], axis=1)
    return 2 * np.arctan2(q[:, 1], q[:, 0]), quat_multiply(q, quat_conjugate(twist))


def engine_allows(joint, pose):
    """What the engine does with its settings, for rotations of the child against the parent in its own axes."""
    s = joint.settings
    parent, child = joint.quat_parent, joint.quat_child
    if joint.engine is Engine.UNITY:  # the component says axes of the child; the joint begins where frames meet
        x, y = np.array(s["axis"]), np.array(s["swingAxis"])
        axes = np.stack([x, y, np.cross(x, y)], axis=1)
        np.testing.assert_allclose(quat_to_matrix(np.array(child)), axes, atol=1e-12)
        parent = quat_multiply(np.array(joint.quat_meet), np.array(child))
    twist, swing = swing_twist(parent, child, pose)
    y, z = swing[:, 2], swing[:, 3]
    quarter = np.stack([y, z], axis=1) / (1 + swing[:, :1])
    match joint.engine:
        case Engine.UNITY:
            limits = np.tan(np.radians([s["swing1Limit"], s["swing2Limit"]]) / 4)
            low, high = np.radians([s["lowTwistLimit"], s["highTwistLimit"]])
        case Engine.UNREAL:
            quarter = 4 * np.arctan(quarter)
            limits = np.radians([s["AngularSwing2Limit"], s["AngularSwing1Limit"]])
            high = np.radians(s["AngularTwistLimit"])
            low = -high
        case Engine.GODOT:
            quarter = 2 * np.arccos(np.clip(swing[:, :1], -1, 1)) * [[1.0, 0.0]]
            limits, high = np.array([s["swing_span"], 1.0]), s["twist_span"]
            low = -high
        case Engine.PHYSX:
            limits = np.tan([s["cone yAngle"] / 4, s["cone zAngle"] / 4])
            low, high = s["twist lower"], s["twist upper"]
        case Engine.JOLT:
            quarter = np.stack([y, z], axis=1)
            limits = np.sin([s["mPlaneHalfConeAngle"] / 2, s["mNormalHalfConeAngle"] / 2])
            low, high = s["mTwistMinAngle"], s["mTwistMaxAngle"]
        case Engine.BULLET:
            quarter = 2 * np.arccos(np.clip(swing[:, :1], -1, 1)) * [[1.0, 0.0]]
            limits, (low, high) = np.array([s["swingSpan1"], 1.0]), (s["twist lower"], s["twist upper"])
    inside = ((quarter / limits) ** 2).sum(axis=1) <= 1
    return inside & (np.mod(twist - low, 2 * np.pi) <= high - low)


@pytest.mark.parametrize("engine", [e for e in Engine if e is not Engine.MUJOCO])
def test_settings_in_the_engines_axes(engine):
    joint = export_to_engine(SHOULDER, engine)
    got = engine_allows(joint, in_axes(GRID, engine))
    wanted = joint.export.form.allows(GRID)
    assert (got != wanted).mean() < 2e-3  # rounding at the edges
    assert 0.05 < wanted.mean() < 0.5
    frames = quat_multiply(np.array(joint.quat_meet), np.array(joint.quat_child))
    np.testing.assert_allclose(np.abs(frames @ np.array(joint.quat_parent)), 1.0, atol=1e-9)
    assert "wrongly allowed" in str(joint)
    assert json.loads(json.dumps(joint.to_dict()))["export"]["wrongly_allowed"] == joint.export.wrongly_allowed


@pytest.mark.parametrize("engine", AXES)
def test_axes(engine):
    """Rotations of bodies are those of directions: M R = R' M."""
    matrix = AXES[engine]
    assert round(np.linalg.det(matrix)) == (1 if engine is Engine.GODOT else -1)
    turned = quat_to_matrix(in_axes(GRID[:50], engine))
    np.testing.assert_allclose(turned @ matrix, matrix @ quat_to_matrix(GRID[:50]), atol=1e-12)
    up = {Engine.UNREAL: (0, 0, 1)}.get(engine, (0, 1, 0))
    forward = {Engine.UNREAL: (1, 0, 0), Engine.UNITY: (0, 0, 1), Engine.GODOT: (0, 0, -1)}[engine]
    np.testing.assert_array_equal(matrix @ (0, 0, 1), up)
    np.testing.assert_array_equal(matrix @ (1, 0, 0), forward)


def test_what_the_engine_can_say_is_exact():
    """A cone with any twist is exact in all, limits of ±t alone included: the child's frame is rolled."""
    cone = RangeOfMotion(ConeRegion((1.0, 0.0, 0.0), 0.8), ConstantTwist(-0.2, 0.7))
    for engine in (Engine.UNITY, Engine.UNREAL, Engine.GODOT, Engine.JOLT, Engine.BULLET):
        joint = export_to_engine(cone, engine)
        assert joint.export.share_wrongly_allowed + joint.export.share_wrongly_forbidden < 0.05 * joint.export.share
    assert abs(export_to_engine(cone, Engine.GODOT).settings["twist_span"] - 0.45) < 0.02
    unity = export_to_engine(cone, Engine.UNITY).settings
    np.testing.assert_allclose([unity["lowTwistLimit"], unity["highTwistLimit"]], np.degrees([-0.7, 0.2]), atol=1.0)
    flat = RangeOfMotion(EllipseRegion((-0.2, 0.2), (-0.6, 0.6)), ConstantTwist(-0.1, 0.1))
    assert export_to_engine(flat, Engine.UNITY).export.wrongly_allowed < 0.1


def test_on_the_command_line(tmp_path, capsys):
    out = tmp_path / "hip.json"
    assert main(["rom", "export", "human:hip_left", "--to", "unity", "-o", str(out)]) == 0
    text = capsys.readouterr().out
    assert "lowTwistLimit" in text
    assert "wrongly allowed" in text
    assert json.loads(out.read_text())["engine"] == "unity"
    with pytest.raises(ArgumentError, match="an Engine expected"):
        export_to_engine(SHOULDER, "unity")
