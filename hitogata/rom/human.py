"""Ranges of human joints, from clinical tables, in the link frames of `hitogata.library.human28`.

x forward, y left, z up; at rest arms and legs hang along −z, trunk and head stand along +z, feet point along +x, and
palms face the body.  A range belongs to the pose of the child link in its parent, identity at rest.

Clinics measure along four directions: forward and back (flexion, extension), outward and inward (abduction, adduction),
and about the bone.  Between two directions the angle follows a quarter of an ellipse.  Twist limits are those of the
table everywhere: tables do not say how they change with swing.  Where that matters (an arm overhead), measure and
`fit_range`.

Source of all defaults: American Academy of Orthopaedic Surgeons, *Joint Motion: Method of Measuring and Recording*,
Chicago 1965, as tabulated by Norkin and White, *Measurement of Joint Motion*, appendix.  Means of 109 men: Boone and
Azen 1979, J. Bone Joint Surg. Am. 61:756 (`BOONE_AZEN`).  Means of 674 people by age and sex: Soucie et al. 2011,
Haemophilia 17:500.  Every angle can be given, so that other tables and measured people fit in.

Shoulder, elbow, forearm and wrist were compared with that table.  The angles of hip, knee, ankle, neck and waist, and
the shoulder's horizontal flexion, are its figures as commonly quoted and were not: check them before relying on them.
Shoulder adduction and the foot's turn are allowances of ours.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.rom.frames import Array
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.spline import SplineRegion
from hitogata.rom.twist import ConstantTwist
from hitogata.spatial import matrix_to_quat

AAOS = "American Academy of Orthopaedic Surgeons 1965, Joint Motion: Method of Measuring and Recording"

BOONE_AZEN: dict[str, dict[str, float]] = {
    "shoulder": {"flexion_deg": 167, "extension_deg": 62, "abduction_deg": 184, "medial_deg": 69, "lateral_deg": 104},
    "elbow": {"flexion_deg": 143},
    "wrist": {
        "flexion_deg": 76,
        "extension_deg": 75,
        "radial_deg": 22,
        "ulnar_deg": 36,
        "pronation_deg": 76,
        "supination_deg": 82,
    },
}
"""Means of 109 males, 1 to 54 years (Boone and Azen 1979, table in Norkin and White): options of the functions here."""

HIGHEST = 175.0
"""Greatest swing angle [deg]: the boundary must not reach the direction opposite to rest."""


class Side(enum.Enum):
    """Side of the body."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class HumanRange:
    """A joint's range and where it comes from.

    Attributes:
        joint: name of the joint in `human28` or `human40`.
        range: the range of a ball joint, or (low, high) of a hinge [rad].
        source: the table.
        frame: how the bone lies at rest.
    """

    joint: str
    range: Any
    source: str
    frame: str

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON."""
        value = self.range.to_dict() if isinstance(self.range, RangeOfMotion) else list(self.range)
        return {"joint": self.joint, "range": value, "source": self.source, "frame": self.frame}


def _checked(name: str, **angles: float) -> None:
    for key, value in angles.items():
        if not 0.0 < float(value) <= 190.0:
            raise ArgumentError(f"{name} {key} = {value}: degrees above 0, at most 190 expected")


def _region(
    bone: Array,
    forward: Array,
    mirrored: bool,
    angles: tuple[float, float, float, float],
    extra: dict[float, float] | None = None,
) -> SplineRegion:
    """The spline through angles at rest's four directions and, by quarter ellipses, between them.

    Args:
        bone: at rest, unit.
        forward: the first direction of swing, unit, across the bone.
        mirrored: whether the second direction is −bone × forward instead of bone × forward.
        angles: greatest swing [deg] forward, second, back, fourth.
        extra: angle [deg] at other azimuths [deg, forward 0, second 90], multiples of 22.5: ends of ellipses too.
    """
    a = np.minimum(np.array(angles, np.float64), HIGHEST)
    azimuth, angle = [], []
    whole = dict(enumerate(a.tolist())) | {float(k) / 90.0: v for k, v in (extra or {}).items()}
    marks = sorted(whole)  # in quarter turns
    for k in range(16):
        w = k / 4.0
        i = max(j for j, m in enumerate(marks) if m <= w)
        start, stop = marks[i], (marks[i + 1] if i + 1 < len(marks) else 4.0)
        part = np.pi / 2.0 * (w - start) / (stop - start)
        near, far = whole[start], whole[stop % 4.0]
        azimuth.append(w * np.pi / 2.0)
        angle.append(np.radians(1.0 / np.hypot(np.cos(part) / near, np.sin(part) / far)))
    phi, theta = np.array(azimuth), np.array(angle)
    if mirrored:
        phi, theta = np.mod(-phi, 2.0 * np.pi), theta
        order = np.argsort(phi)
        phi, theta = phi[order], theta[order]
    frame = np.stack([forward, np.cross(bone, forward), bone], 1)
    before, after = theta - np.roll(theta, 1), np.roll(theta, -1) - theta
    same = before * after > 0.0  # no overshoot: harmonic mean of the steps, none at a turning point
    slope = np.where(same, 2.0 * before * after / np.where(same, before + after, 1.0), 0.0)
    step = np.full(len(phi), np.pi / 8.0)
    return SplineRegion(phi, theta, step, slope, quat_PR=tuple(matrix_to_quat(frame).tolist()))


_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def _hanging(side: Side, forward: float, outward: float, back: float, inward: float, extra: Any = None) -> SplineRegion:
    """A limb along −z.  bone × forward is −y: outward for the right side, inward for the left."""
    if side is Side.RIGHT:
        return _region(-_Z, _X, False, (forward, outward, back, inward), extra)
    return _region(-_Z, _X, True, (forward, outward, back, inward), extra)


def _twist(side: Side, inward_deg: float, outward_deg: float) -> ConstantTwist:
    """Twist about −z: positive turns forward to the right, which is inward on the left side."""
    low, high = (-outward_deg, inward_deg) if side is Side.LEFT else (-inward_deg, outward_deg)
    return ConstantTwist(float(np.radians(low)), float(np.radians(high)))


def _side(side: Any) -> Side:
    if not isinstance(side, Side):
        raise ArgumentError(f"side = {side!r}: a Side expected")
    return side


def shoulder(
    side: Side,
    *,
    flexion_deg: float = 180.0,
    extension_deg: float = 60.0,
    abduction_deg: float = 180.0,
    adduction_deg: float = 15.0,
    horizontal_flexion_deg: float = 135.0,
    medial_deg: float = 70.0,
    lateral_deg: float = 90.0,
) -> RangeOfMotion:
    """Upper arm in chest, arm hanging along −z (AAOS 1965: flexion 180, extension 60, abduction 180, rotation 70 and
    90).

    Swing is limited to 175°.  Adduction of the hanging arm ends at the trunk: 15° is an allowance, not of the table;
    across the chest the arm reaches 135° from sideways (horizontal flexion), that is 45° beyond forward at shoulder
    height.
    """
    _checked("shoulder", flexion_deg=flexion_deg, extension_deg=extension_deg, abduction_deg=abduction_deg,
             adduction_deg=adduction_deg, medial_deg=medial_deg, lateral_deg=lateral_deg)  # fmt: skip
    across = 90.0 * (horizontal_flexion_deg - 90.0) / 45.0
    if not 20.0 < across < 150.0:
        raise ArgumentError(f"shoulder horizontal_flexion_deg = {horizontal_flexion_deg}: 100 to 165 expected")
    swing = _hanging(_side(side), flexion_deg, abduction_deg, extension_deg, adduction_deg, {315.0: across})
    return RangeOfMotion(swing, _twist(side, medial_deg, lateral_deg))


def hip(
    side: Side,
    *,
    flexion_deg: float = 120.0,
    extension_deg: float = 30.0,
    abduction_deg: float = 45.0,
    adduction_deg: float = 30.0,
    medial_deg: float = 45.0,
    lateral_deg: float = 45.0,
) -> RangeOfMotion:
    """Thigh in pelvis, leg hanging along −z (AAOS 1965.

    Flexion 120, extension 30, abduction 45, adduction 30, rotation 45 and 45).
    """
    _checked("hip", flexion_deg=flexion_deg, extension_deg=extension_deg, abduction_deg=abduction_deg,
             adduction_deg=adduction_deg, medial_deg=medial_deg, lateral_deg=lateral_deg)  # fmt: skip
    swing = _hanging(_side(side), flexion_deg, abduction_deg, extension_deg, adduction_deg)
    return RangeOfMotion(swing, _twist(side, medial_deg, lateral_deg))


def wrist(
    side: Side,
    *,
    flexion_deg: float = 80.0,
    extension_deg: float = 70.0,
    radial_deg: float = 20.0,
    ulnar_deg: float = 30.0,
    pronation_deg: float = 80.0,
    supination_deg: float = 80.0,
) -> RangeOfMotion:
    """Hand in forearm, hanging along −z, palm to the body, thumb forward (AAOS 1965: 80, 70, 20, 30; forearm 80, 80).

    Flexion is inward, extension outward, radial deviation forward.  A figure with hinged elbows turns its forearm here:
    twist is pronation (inward) and supination.
    """
    _checked("wrist", flexion_deg=flexion_deg, extension_deg=extension_deg, radial_deg=radial_deg, ulnar_deg=ulnar_deg,
             pronation_deg=pronation_deg, supination_deg=supination_deg)  # fmt: skip
    swing = _hanging(_side(side), radial_deg, extension_deg, ulnar_deg, flexion_deg)
    return RangeOfMotion(swing, _twist(side, pronation_deg, supination_deg))


def ankle(
    side: Side,
    *,
    dorsiflexion_deg: float = 20.0,
    plantarflexion_deg: float = 50.0,
    turn_deg: float = 10.0,
    inversion_deg: float = 35.0,
    eversion_deg: float = 15.0,
) -> RangeOfMotion:
    """Foot in shin, foot along +x (AAOS 1965: dorsiflexion 20, plantarflexion 50; hindfoot inversion 35, eversion 15).

    Twist about the foot is inversion and eversion.  Turning of the foot about the shin (10°) is an allowance, not of
    the table.
    """
    _checked("ankle", dorsiflexion_deg=dorsiflexion_deg, plantarflexion_deg=plantarflexion_deg, turn_deg=turn_deg,
             inversion_deg=inversion_deg, eversion_deg=eversion_deg)  # fmt: skip
    left = _side(side) is Side.LEFT
    swing = _region(_X, _Z, left, (dorsiflexion_deg, turn_deg, plantarflexion_deg, turn_deg))
    low, high = (-inversion_deg, eversion_deg) if left else (-eversion_deg, inversion_deg)
    return RangeOfMotion(swing, ConstantTwist(float(np.radians(low)), float(np.radians(high))))


def neck(
    *, flexion_deg: float = 45.0, extension_deg: float = 45.0, lateral_deg: float = 45.0, rotation_deg: float = 60.0
) -> RangeOfMotion:
    """Head in chest, along +z (AAOS 1965.

    Cervical spine: flexion 45, extension 45, lateral bending 45, rotation 60).
    """
    _checked(
        "neck", flexion_deg=flexion_deg, extension_deg=extension_deg, lateral_deg=lateral_deg, rotation_deg=rotation_deg
    )
    swing = _region(_Z, _X, False, (flexion_deg, lateral_deg, extension_deg, lateral_deg))
    return RangeOfMotion(swing, ConstantTwist(-float(np.radians(rotation_deg)), float(np.radians(rotation_deg))))


def waist(
    *, flexion_deg: float = 80.0, extension_deg: float = 25.0, lateral_deg: float = 35.0, rotation_deg: float = 45.0
) -> RangeOfMotion:
    """Chest in pelvis, along +z (AAOS 1965.

    Thoracic and lumbar spine: flexion 80, extension 20 to 30, bending 35, rotation 45).
    """
    _checked(
        "waist",
        flexion_deg=flexion_deg,
        extension_deg=extension_deg,
        lateral_deg=lateral_deg,
        rotation_deg=rotation_deg,
    )
    swing = _region(_Z, _X, False, (flexion_deg, lateral_deg, extension_deg, lateral_deg))
    return RangeOfMotion(swing, ConstantTwist(-float(np.radians(rotation_deg)), float(np.radians(rotation_deg))))


def elbow(*, flexion_deg: float = 150.0, extension_deg: float = 0.0) -> tuple[float, float]:
    """(low, high) of the elbow's hinge about +y [rad], flexion negative as in `human28` (AAOS 1965: 0 to 150)."""
    _checked("elbow", flexion_deg=flexion_deg)
    return -float(np.radians(flexion_deg)), float(np.radians(extension_deg))


def knee(*, flexion_deg: float = 135.0, extension_deg: float = 0.0) -> tuple[float, float]:
    """(low, high) of the knee's hinge about +y [rad], flexion positive as in `human28` (AAOS 1965: 0 to 135)."""
    _checked("knee", flexion_deg=flexion_deg)
    return -float(np.radians(extension_deg)), float(np.radians(flexion_deg))


_FRAMES = {
    "shoulder": "bone along -z in the chest's frame",
    "hip": "bone along -z in the pelvis's frame",
    "wrist": "bone along -z in the forearm's frame, palm to the body",
    "ankle": "bone (foot) along +x in the shin's frame",
    "neck": "bone along +z in the chest's frame",
    "waist": "bone along +z in the pelvis's frame",
    "elbow": "hinge about +y, flexion negative",
    "knee": "hinge about +y, flexion positive",
}


def human_ranges() -> dict[str, HumanRange]:
    """All ranges with their defaults, by the joint's name in `human28` and `human40`."""
    out: dict[str, HumanRange] = {}

    def add(name: str, kind: str, value: Any) -> None:
        out[name] = HumanRange(name, value, AAOS, _FRAMES[kind])

    add("waist", "waist", waist())
    add("neck", "neck", neck())
    both: dict[str, Callable[[Side], RangeOfMotion]] = {
        "shoulder": shoulder,
        "hip": hip,
        "wrist": wrist,
        "ankle": ankle,
    }
    for side in Side:
        for kind, make in both.items():
            add(f"{kind}_{side.value}", kind, make(side))
        add(f"elbow_{side.value}", "elbow", elbow())
        add(f"knee_{side.value}", "knee", knee())
    return out
