"""The virtual human of Hanaoka (2010), with the proportions of an average young man.

The thesis says how many bodies there are and how the arms are jointed; sizes and masses are those of `anthropometry`
(de Leva 1996), shapes and the other joints are ours.  x forward, y left, z up; at q = 0 arms and legs hang along -z,
palms to the body, and all link frames are parallel to the world's, as `hitogata.rom.human` wants them.
"""

import math
from dataclasses import replace
from typing import Any

from hitogata.figure import Figure, FigureBuilder, Frame, MassProperties, Pose, joint
from hitogata.figure.joint import Joint
from hitogata.figure.values import Vector
from hitogata.library import mannequin
from hitogata.library.anthropometry import ANKLE, body, length, without
from hitogata.library.mannequin import HEEL, NECK, NECK_RADIUS, Shapes
from hitogata.rom import human as rom

HIP = ANKLE + length("shin") + length("thigh")
"""Height of the hip joints above the soles [m]."""
SHOULDER = (0.0, 0.2, length("upper trunk") - 0.105)
"""Left shoulder in the chest's frame [m]: 3.5 cm below the top of the breastbone."""
OUTWARD = math.radians(8)
"""How far from the body the arms hang in the neutral pose [rad]."""
DOWN = (0.0, 0.0, -1.0)

_HALF_TRUNK: dict[str, Any] = {"flexion_deg": 40, "extension_deg": 12.5, "lateral_deg": 17.5, "rotation_deg": 22.5}
_HALF_NECK: dict[str, Any] = {"flexion_deg": 22.5, "extension_deg": 22.5, "lateral_deg": 22.5, "rotation_deg": 30}


def hanging_shoulder(side: str, y: float, **options: Any) -> Joint:
    """A ball joint whose neutral pose keeps the arm off the body; y is +1 on the left, -1 on the right."""
    rest = (math.cos(OUTWARD / 2), math.sin(OUTWARD / 2) * y, 0.0, 0.0)
    return joint.ball(rest=rest, name=f"shoulder_{side}", **options)


def _neck_mass() -> MassProperties:
    """A cylinder of water that stands on the 7th neck vertebra."""
    r, h = NECK_RADIUS, NECK
    mass = 1000.0 * math.pi * r * r * h
    across = mass * (3 * r * r + h * h) / 12
    return MassProperties.principal(mass, (0, 0, h / 2), (across, across, mass * r * r / 2))


def _head_mass() -> MassProperties:
    """What the neck leaves of the table's head and neck, in the head's frame."""
    whole = body("head and neck", (0.0, 0.0, length("head and neck")), DOWN)
    return without(whole, _neck_mass()).placed(Pose((0, 0, -NECK)))


def _ranges() -> dict[str, Any]:
    """Of the ball joints.  Of what the table gives for the whole trunk and neck, each of their two joints has half."""
    trunk, neck = rom.waist(**_HALF_TRUNK), rom.neck(**_HALF_NECK)
    tables = {name: found.range for name, found in rom.human_ranges().items()}
    return tables | {"waist": trunk, "spine": trunk, "neck": neck, "head": neck}


def virtual_human(*, ranges: bool = True, fixed_base: bool = False) -> Figure:
    """17 bodies, 1.74 m, 73 kg, 40 joint degrees of freedom (46 velocities with a free base).

    Pelvis, abdomen, chest, neck, head, and per side upper arm, forearm, hand, thigh, shin and foot; hinges at elbows
    and knees, ball joints elsewhere.  Frames: eyes, and palm and sole of each side.
    Source: Hanaoka 2010, section 4.1 (17 bodies; ball shoulders and wrists, hinge elbows).

    Args:
        ranges: clinical ranges of motion on the ball joints (`hitogata.rom.human`); hinges always have theirs.
        fixed_base: the pelvis is fixed to the world at its place when standing, instead of being free.
    """
    builder, limits = FigureBuilder("virtual_human"), _ranges() if ranges else {}

    def add(
        link: str, parent: str | None, hung: Joint, at: Vector, mass: MassProperties, shapes: Shapes, *frames: Frame
    ) -> None:
        hung = replace(hung, parent_frame=Pose(at), range=limits.get(hung.name, hung.range))
        builder.add(link, parent, hung, mass, shapes=shapes, frames=frames)

    low, middle, high = (length(name) for name in ("lower trunk", "middle trunk", "upper trunk"))
    crown, upper, fore = (length(name) for name in ("head and neck", "upper arm", "forearm"))
    thigh, shin, foot = (length(name) for name in ("thigh", "shin", "foot"))
    base = joint.fixed(name="base") if fixed_base else joint.free(rest=(0, 0, HIP, 1, 0, 0, 0), name="base")
    here = (0.0, 0.0, HIP if fixed_base else 0.0)
    add("pelvis", None, base, here, body("lower trunk", (0, 0, low), DOWN), mannequin.pelvis())
    add("abdomen", "pelvis", joint.ball(name="waist"), (0, 0, low),
        body("middle trunk", (0, 0, middle), DOWN), mannequin.abdomen())  # fmt: skip
    add("chest", "abdomen", joint.ball(name="spine"), (0, 0, middle),
        body("upper trunk", (0, 0, high), DOWN), mannequin.chest())  # fmt: skip
    add("neck", "chest", joint.ball(name="neck"), (0, 0, high), _neck_mass(), mannequin.neck())
    add("head", "neck", joint.ball(name="head"), (0, 0, NECK), _head_mass(), mannequin.head(crown - NECK),
        Frame("eyes", Pose((0.09, 0, crown - NECK - 0.105))))  # fmt: skip
    for side, y in (("left", 1.0), ("right", -1.0)):
        add(f"thigh_{side}", "pelvis", joint.ball(name=f"hip_{side}"), (0, 0.092 * y, 0),
            body("thigh", (0, 0, 0), DOWN), mannequin.thigh())  # fmt: skip
        add(f"shin_{side}", f"thigh_{side}", joint.hinge((0, 1, 0), range=rom.knee(), name=f"knee_{side}"),
            (0, 0, -thigh), body("shin", (0, 0, 0), DOWN), mannequin.shin())  # fmt: skip
        add(f"foot_{side}", f"shin_{side}", joint.ball(name=f"ankle_{side}"), (0, 0, -shin),
            body("foot", (HEEL, 0, -0.6 * ANKLE), (1, 0, 0)), mannequin.foot(),
            Frame(f"sole_{side}", Pose((HEEL + foot / 2, 0, -ANKLE))))  # fmt: skip
        add(f"upper_arm_{side}", "chest", hanging_shoulder(side, y), (SHOULDER[0], SHOULDER[1] * y, SHOULDER[2]),
            body("upper arm", (0, 0, 0), DOWN), mannequin.upper_arm())  # fmt: skip
        add(f"forearm_{side}", f"upper_arm_{side}", joint.hinge((0, 1, 0), range=rom.elbow(), name=f"elbow_{side}"),
            (0, 0, -upper), body("forearm", (0, 0, 0), DOWN), mannequin.forearm())  # fmt: skip
        add(f"hand_{side}", f"forearm_{side}", joint.ball(name=f"wrist_{side}"), (0, 0, -fore),
            body("hand", (0, 0, 0), DOWN), mannequin.hand(y), Frame(f"palm_{side}", Pose((0, 0, -0.08))))  # fmt: skip
    return builder.build()
