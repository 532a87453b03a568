"""A bear that stands upright, after the bear character in Hanaoka (2010), section 4.2.

The thesis shows the bear and its physical model in a picture and gives no numbers; sizes, masses and ranges are ours:
a plump young bear, 1.17 m tall.  Frames are those of `virtual_human`: x forward, y left, z up; at q = 0 arms and legs
hang along -z.
"""

import math
from dataclasses import replace
from typing import Any

from hitogata.figure import Capsule, Figure, FigureBuilder, Frame, Pose, Shape, Sphere, joint
from hitogata.figure.joint import Joint
from hitogata.figure.values import Vector
from hitogata.rom import human as rom

DENSITY = 400.0
"""Of all shapes [kg/m³]: the bear has much fur, and its shapes overlap."""
HIPS = 0.42
"""Height of the hips above the soles [m]."""
_SIDES = (("left", 1.0), ("right", -1.0))
_OUTWARD = math.radians(38)  # arms, in the neutral pose


def _ball(x: float, y: float, z: float, radius: float, name: str = "") -> Sphere:
    return Sphere(radius, pose=Pose((x, y, z)), name=name)


def _head() -> tuple[Shape, ...]:
    return (
        Capsule.between((0, -0.03, 0.17), (0, 0.03, 0.17), 0.17),
        _ball(0.15, 0, 0.12, 0.08, "snout"),
        _ball(0.225, 0, 0.145, 0.024, "nose"),
        *(_ball(-0.02, 0.135 * y, 0.30, 0.062, f"ear_{side}") for side, y in _SIDES),
        *(_ball(0.157, 0.07 * y, 0.20, 0.02, f"eye_{side}") for side, y in _SIDES),
    )


def _ranges() -> dict[str, Any]:
    """Of the ball joints: shorter and stiffer than a human's."""
    ranges: dict[str, Any] = {
        "waist": rom.waist(flexion_deg=40, extension_deg=15, lateral_deg=25, rotation_deg=30),
        "neck": rom.neck(flexion_deg=35, extension_deg=35, lateral_deg=30, rotation_deg=50),
    }
    for side in rom.Side:
        ranges[f"shoulder_{side.value}"] = rom.shoulder(
            side, flexion_deg=160, extension_deg=45, abduction_deg=150, adduction_deg=10, horizontal_flexion_deg=125,
            medial_deg=60, lateral_deg=60,
        )  # fmt: skip
        ranges[f"wrist_{side.value}"] = rom.wrist(side, flexion_deg=60, extension_deg=40)
        ranges[f"hip_{side.value}"] = rom.hip(side, flexion_deg=100, extension_deg=20, abduction_deg=40)
        ranges[f"ankle_{side.value}"] = rom.ankle(side, plantarflexion_deg=35)
    return ranges


def bear(*, ranges: bool = True, fixed_base: bool = False) -> Figure:
    """15 bodies, 1.17 m, 54 kg: hips, chest, head, and per side upper arm, forearm, paw, thigh, shin and foot.

    Hinges at elbows and knees, ball joints elsewhere: 34 joint degrees of freedom.  Frames: nose_tip, and palm and sole
    of each side.  Shapes of the face have names (nose, snout, eye_left, ear_left, ...), for colours of their own.

    Args:
        ranges: ranges of motion on the ball joints; hinges always have theirs.
        fixed_base: the hips are fixed to the world at their place when standing, instead of being free.
    """
    builder, limits = FigureBuilder("bear"), _ranges() if ranges else {}

    def add(link: str, parent: str | None, hung: Joint, at: Vector, shapes: tuple[Shape, ...], *frames: Frame) -> None:
        hung = replace(hung, parent_frame=Pose(at), range=limits.get(hung.name, hung.range))
        builder.add(link, parent, hung, shapes=shapes, density=DENSITY, frames=frames)

    base = joint.fixed(name="base") if fixed_base else joint.free(rest=(0, 0, HIPS, 1, 0, 0, 0), name="base")
    add("hips", None, base, (0, 0, HIPS if fixed_base else 0),
        (Capsule.between((0, -0.04, 0.03), (0, 0.04, 0.03), 0.172), _ball(-0.185, 0, 0.0, 0.05, "tail")))  # fmt: skip
    add("chest", "hips", joint.ball(name="waist"), (0, 0, 0.12),
        (Capsule.between((0, -0.03, 0.11), (0, 0.03, 0.11), 0.165),
         Capsule.between((-0.01, -0.09, 0.19), (-0.01, 0.09, 0.19), 0.095)))  # fmt: skip
    add("head", "chest", joint.ball(name="neck"), (0, 0, 0.27), _head(), Frame("nose_tip", Pose((0.249, 0, 0.145))))
    for side, y in _SIDES:
        turn = (math.cos(_OUTWARD / 2), math.sin(_OUTWARD / 2) * y, 0.0, 0.0)
        add(f"thigh_{side}", "hips", joint.ball(name=f"hip_{side}"), (0, 0.125 * y, -0.04),
            (Capsule.between((0.01, 0, -0.05), (0.01, 0, -0.13), 0.097),))  # fmt: skip
        add(f"shin_{side}", f"thigh_{side}",
            joint.hinge((0, 1, 0), range=(0.0, math.radians(110)), name=f"knee_{side}"), (0, 0, -0.17),
            (Capsule.between((0, 0, -0.035), (0, 0, -0.1), 0.072),))  # fmt: skip
        add(f"foot_{side}", f"shin_{side}", joint.ball(name=f"ankle_{side}"), (0, 0, -0.15),
            tuple(Capsule.between((-0.02, k * 0.035, -0.008), (0.13, k * 0.035, -0.008), 0.052) for k in (-1, 1)),
            Frame(f"sole_{side}", Pose((0.055, 0, -0.06))))  # fmt: skip
        add(f"upper_arm_{side}", "chest", joint.ball(rest=turn, name=f"shoulder_{side}"), (0, 0.175 * y, 0.205),
            (Capsule.between((0, 0, 0), (0, 0, -0.14), 0.075),))  # fmt: skip
        add(f"forearm_{side}", f"upper_arm_{side}",
            joint.hinge((0, 1, 0), range=(math.radians(-130), 0.0), name=f"elbow_{side}"), (0, 0, -0.17),
            (Capsule.between((0, 0, 0), (0, 0, -0.11), 0.066),))  # fmt: skip
        add(f"paw_{side}", f"forearm_{side}", joint.ball(name=f"wrist_{side}"), (0, 0, -0.14),
            (_ball(0.005, 0, -0.04, 0.072),), Frame(f"palm_{side}", Pose((0, 0, -0.06))))  # fmt: skip
    return builder.build()
