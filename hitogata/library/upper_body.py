"""The upper body of Tazaki & Hasegawa (2007): 8 bodies, 7 joints, 11 degrees of freedom.

The paper gives the number of bodies and joints and the three freedoms of each shoulder; that leaves one for each of
waist, spine, neck and elbows.  Which way these turn is ours: the waist about the vertical, the others forward and back.
Sizes and masses are those of `anthropometry`, the same as in `virtual_human`.
"""

import math

from hitogata.figure import Figure, FigureBuilder, Frame, MassProperties, Pose, joint
from hitogata.library import mannequin
from hitogata.library.anthropometry import body, length
from hitogata.library.virtual_human import DOWN, HIP, SHOULDER, hanging_shoulder
from hitogata.rom import human as rom

_FORWARD, _UP = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def _degrees(low: float, high: float) -> tuple[float, float]:
    return math.radians(low), math.radians(high)


def upper_body(*, ranges: bool = False) -> Figure:
    """Base, abdomen, chest, head, upper arms and forearms; 44 kg.

    The base is fixed to the world, as high as the hips of a standing `virtual_human`.  Hinges: waist about z, spine,
    neck and elbows about y, within the clinical intervals; ball shoulders.  Forearms include the hands; frames: eyes,
    and palm of each side.
    Source: Tazaki & Hasegawa 2007, section 4.2 and Fig. 2.

    Args:
        ranges: clinical ranges of motion on the shoulders, which the paper does not have.
    """
    builder = FigureBuilder("upper_body")
    low, middle, high = (length(name) for name in ("lower trunk", "middle trunk", "upper trunk"))
    crown, upper, fore = (length(name) for name in ("head and neck", "upper arm", "forearm"))
    builder.add("base", None, joint.fixed(parent_frame=Pose((0, 0, HIP))), body("lower trunk", (0, 0, low), DOWN),
                shapes=mannequin.pelvis())  # fmt: skip
    waist = joint.hinge(_UP, range=_degrees(-45, 45), parent_frame=Pose((0, 0, low)), name="waist")
    builder.add("abdomen", "base", waist, body("middle trunk", (0, 0, middle), DOWN), shapes=mannequin.abdomen())
    spine = joint.hinge(_FORWARD, range=_degrees(-25, 80), parent_frame=Pose((0, 0, middle)), name="spine")
    builder.add("chest", "abdomen", spine, body("upper trunk", (0, 0, high), DOWN), shapes=mannequin.chest())
    neck = joint.hinge(_FORWARD, range=_degrees(-45, 45), parent_frame=Pose((0, 0, high)), name="neck")
    builder.add("head", "chest", neck, body("head and neck", (0, 0, crown), DOWN),
                shapes=(*mannequin.neck(), *mannequin.head(crown)),
                frames=(Frame("eyes", Pose((0.09, 0, crown - 0.105))),))  # fmt: skip
    for side, y in (("left", 1.0), ("right", -1.0)):
        at = Pose((SHOULDER[0], SHOULDER[1] * y, SHOULDER[2]))
        limit = rom.shoulder(rom.Side(side)) if ranges else None
        builder.add(f"upper_arm_{side}", "chest", hanging_shoulder(side, y, range=limit, parent_frame=at),
                    body("upper arm", (0, 0, 0), DOWN), shapes=mannequin.upper_arm())  # fmt: skip
        elbow = joint.hinge(_FORWARD, range=rom.elbow(), parent_frame=Pose((0, 0, -upper)), name=f"elbow_{side}")
        parts = MassProperties.combined([body("forearm", (0, 0, 0), DOWN), body("hand", (0, 0, -fore), DOWN)])
        builder.add(f"forearm_{side}", f"upper_arm_{side}", elbow, parts,
                    shapes=(*mannequin.forearm(), *mannequin.hand(y, -fore)),
                    frames=(Frame(f"palm_{side}", Pose((0, 0, -fore - 0.08))),))  # fmt: skip
    return builder.build()
