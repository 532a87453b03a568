"""Ranges as the joints of game engines: in their own axes, units and names, with how wrong their limits will be.

A form of `export_forms`, found in hitogata's axes (right-handed, x forward, y left, z up), is written in the engine's.
With M the matrix of the engine's axes, det M = -1 for left-handed ones, a direction a becomes M a, and a rotation R of
bodies M R Mᵀ.  A joint frame with axes R becomes one with the images of the same axes,

    M R D,     D = diag(1, 1, det M),

so that twist is about the engine's x too.  There a turn by θ about x is D exp(θ x) D, one by det M · θ: twist limits of
left-handed engines change sign and places (by the formulas of their own quaternions).  Where an engine knows twist
limits of ±t alone, the child's joint frame is rolled by the middle of the interval.
"""

import dataclasses
import enum
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.rom.export import Export, Target, export_range
from hitogata.rom.export_forms import ConeTwist, EngineRange, Measure, SwingEllipse
from hitogata.rom.frames import Array
from hitogata.rom.range import RangeOfMotion
from hitogata.spatial import matrix_to_quat, quat_exp, quat_multiply, quat_to_matrix


class Engine(enum.Enum):
    """Engines by name."""

    MUJOCO = "mujoco"
    PHYSX = "physx"
    JOLT = "jolt"
    BULLET = "bullet"
    UNITY = "unity"
    UNREAL = "unreal"
    GODOT = "godot"


AXES: dict[Engine, Array] = {
    Engine.UNITY: np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    Engine.UNREAL: np.diag([1.0, -1.0, 1.0]),
    Engine.GODOT: np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]),
}
"""M: Unity x right, y up, z forward; Unreal x forward, y right, z up; Godot x right, y up, -z forward.  The others take
any axes: those of hitogata."""

_FORMS = {
    Engine.MUJOCO: (Target.MUJOCO, None),
    Engine.PHYSX: (Target.ELLIPSE, Measure.QUARTER),
    Engine.JOLT: (Target.ELLIPSE, Measure.SINE),
    Engine.BULLET: (Target.CONE, None),
    Engine.UNITY: (Target.ELLIPSE, Measure.QUARTER),
    Engine.UNREAL: (Target.ELLIPSE, Measure.ANGLE),
    Engine.GODOT: (Target.CONE, None),
}
_SYMMETRIC = (Engine.UNREAL, Engine.GODOT)


@dataclass(frozen=True)
class EngineJoint:
    """A joint as an engine wants it.

    Attributes:
        engine: which.
        export: form and errors, in hitogata's axes.
        quat_parent: joint frame on the parent, in the engine's axes, wxyz.
        quat_child: joint frame on the child, likewise.
        quat_meet: the child against the parent where both frames meet: engines that make joints in the pose of now
            (Unity, Godot) want the bodies so when the joint is made; wxyz.
        settings: of the engine's joint, by their names there.
    """

    engine: Engine
    export: Export
    quat_parent: tuple[float, ...]
    quat_child: tuple[float, ...]
    quat_meet: tuple[float, ...]
    settings: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON."""
        return {
            "engine": self.engine.value, "settings": self.settings, "quat_parent_wxyz": list(self.quat_parent),
            "quat_child_wxyz": list(self.quat_child), "quat_meet_wxyz": list(self.quat_meet),
            "export": self.export.to_dict(),
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.engine.value}: {_WHAT[self.engine]}"]
        lines += [f"  {name} = {_text(value)}" for name, value in self.settings.items()]
        for name, quat in (("on the parent", self.quat_parent), ("on the child", self.quat_child)):
            lines.append(f"  joint frame {name} (wxyz): {_text(quat)}")
        lines.append(f"  frames meet where the child is turned by (wxyz): {_text(self.quat_meet)}")
        return "\n".join([*lines, *str(self.export).splitlines()[1:]])


_WHAT = {
    Engine.MUJOCO: 'joint type="ball"',
    Engine.PHYSX: "PxD6Joint, twist about x, cone limit [rad]",
    Engine.JOLT: "SwingTwistConstraintSettings, twist about x, swing type Cone [rad]",
    Engine.BULLET: "btConeTwistConstraint, twist about x [rad]",
    Engine.UNITY: "CharacterJoint on the child [deg], axes of the child's transform",
    Engine.UNREAL: "UPhysicsConstraintComponent, twist about x [deg]",
    Engine.GODOT: "ConeTwistJoint3D, twist about x [rad]",
}


def export_to_engine(range_: RangeOfMotion, engine: Engine, *, centred: bool = True) -> EngineJoint:
    """The joint of an engine that comes nearest to a range.

    Args:
        range_: the range; parent and child axes are those of hitogata (x forward, y left, z up where they stand).
        engine: which.
        centred: whether the joint frame may turn, so that its x points to the middle of the region.

    Raises:
        ArgumentError: not an engine.
    """
    if not isinstance(engine, Engine):
        raise ArgumentError(f"engine = {engine!r}: an Engine expected")
    target, measure = _FORMS[engine]
    found = export_range(range_, target, measure=measure, centred=centred)
    if engine in _SYMMETRIC:
        found = dataclasses.replace(found, form=_rolled(found.form))
    form = found.form
    parent, child = (_frame(np.array(q), engine) for q in (form.quat_PJ, form.quat_CJ))
    meet = np.asarray(matrix_to_quat(parent @ child.T))
    quats = (_tuple(matrix_to_quat(parent)), _tuple(matrix_to_quat(child)), _tuple(meet))
    return EngineJoint(engine, found, *quats, _settings(engine, form, child))


def in_axes(quat: Array, engine: Engine) -> Array:
    """A rotation of bodies, given in hitogata's axes, in those of an engine: M R Mᵀ; wxyz, shape (..., 4)."""
    matrix = AXES.get(engine, np.eye(3))
    vector = np.linalg.det(matrix) * np.asarray(quat)[..., 1:] @ matrix.T
    result: Array = np.concatenate([np.asarray(quat)[..., :1], vector], axis=-1)
    return result


def _frame(quat: Array, engine: Engine) -> Array:
    """M R D, shape (3, 3)."""
    matrix = AXES.get(engine, np.eye(3))
    result: Array = matrix @ quat_to_matrix(quat) @ np.diag([1.0, 1.0, np.linalg.det(matrix)])
    return result


def _rolled(form: EngineRange) -> EngineRange:
    """The form with the child's frame rolled, so that its twist interval is as far below zero as above."""
    assert isinstance(form, ConeTwist | SwingEllipse)
    low, high = form.twist
    half = min((high - low) / 2, np.pi)
    roll = quat_exp(np.array([-(low + high) / 2, 0.0, 0.0]))
    child = _tuple(quat_multiply(np.array(form.quat_CJ), roll))
    return dataclasses.replace(form, quat_CJ=child, twist=(-half, half))


def _settings(engine: Engine, form: Any, child: Array) -> dict[str, Any]:
    """Limits by the engine's names; frames are turned so that twist is about the engine's own x."""
    degrees = lambda x: float(np.degrees(x))
    if engine is Engine.MUJOCO:
        return {"range": f"0 {degrees(form.angle):.6g}", "limited": "true"}
    low, high = form.twist
    if engine is Engine.PHYSX:
        return {"eTWIST": "eLIMITED", "eSWING1": "eLIMITED", "eSWING2": "eLIMITED", "twist lower": low,
                "twist upper": high, "cone yAngle": form.y, "cone zAngle": form.z}  # fmt: skip
    if engine is Engine.JOLT:
        return {"mSwingType": "Cone", "mTwistMinAngle": low, "mTwistMaxAngle": high, "mPlaneHalfConeAngle": form.y,
                "mNormalHalfConeAngle": form.z}  # fmt: skip
    if engine is Engine.BULLET:
        return {"swingSpan1": form.half_angle, "swingSpan2": form.half_angle, "twist lower": low, "twist upper": high}
    if engine is Engine.GODOT:
        return {"swing_span": form.half_angle, "twist_span": high}
    if engine is Engine.UNREAL:
        return {"AngularSwing1Limit": degrees(form.z), "AngularSwing2Limit": degrees(form.y),
                "AngularTwistLimit": degrees(high)}  # fmt: skip
    return {
        "axis": [float(v) for v in child[:, 0]], "swingAxis": [float(v) for v in child[:, 1]],
        "lowTwistLimit": degrees(-high), "highTwistLimit": degrees(-low), "swing1Limit": degrees(form.y),
        "swing2Limit": degrees(form.z),
    }  # fmt: skip


def _tuple(quat: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in quat)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(f"{x:.4f}" for x in np.atleast_1d(value))
