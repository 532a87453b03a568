"""Names of joints in common skeletons, as their programs write them."""

import pytest

from hitogata.files.names import Part, Side, figure_naming, naming_of, side_and_word
from hitogata.library import human28, human40

L, R = Side.LEFT, Side.RIGHT
LIMBS = (Part.CLAVICLE, Part.UPPER_ARM, Part.FOREARM, Part.HAND, Part.THIGH, Part.SHIN, Part.FOOT, Part.TOES)

# of each scheme: middle names (pelvis, trunk ..., necks ..., head), then left ones in the order of LIMBS
SCHEMES = {
    "cmu": (["Hips"], ["LowerBack", "Spine", "Spine1"], ["Neck", "Neck1"], "Head",
            ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"],
            ["LHipJoint", "LeftFingerBase", "LeftHandIndex1", "LThumb", "RThumb"]),
    "mixamo": (["mixamorig:Hips"], ["mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"], ["mixamorig:Neck"],
               "mixamorig:Head",
               ["mixamorig:LeftShoulder", "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand",
                "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftToeBase"],
               ["mixamorig:HeadTop_End", "mixamorig:LeftHandThumb1", "mixamorig:LeftToe_End"]),
    "lafan1": (["Hips"], ["Spine", "Spine1", "Spine2"], ["Neck"], "Head",
               ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"],
               []),
    "characters": (["Character1_Hips"], ["Character1_Spine", "Character1_Spine1"], ["Character1_Neck"],
                   "Character1_Head",
                   ["Character1_LeftShoulder", "Character1_LeftArm", "Character1_LeftForeArm", "Character1_LeftHand",
                    "Character1_LeftUpLeg", "Character1_LeftLeg", "Character1_LeftFoot", "Character1_LeftToeBase"],
                   ["L_Radius_RIGMESH", "L_Femur_RIGMESH", "Torso_RIGMESH", "Neck_RIGMESH"]),
    "rokoko": (["Hips"], ["Spine", "Spine2", "Spine4"], ["Neck"], "Head",
               ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand", "LeftThigh", "LeftShin", "LeftFoot", "LeftToe"],
               []),
    "xsens": (["Hips"], ["Chest", "Chest2", "Chest3", "Chest4"], ["Neck"], "Head",
              ["LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist", "LeftHip", "LeftKnee", "LeftAnkle", "LeftToe"],
              []),
    "biped": (["Bip01 Pelvis"], ["Bip01 Spine", "Bip01 Spine1"], ["Bip01 Neck"], "Bip01 Head",
              ["Bip01 L Clavicle", "Bip01 L UpperArm", "Bip01 L Forearm", "Bip01 L Hand", "Bip01 L Thigh",
               "Bip01 L Calf", "Bip01 L Foot", "Bip01 L Toe0"], ["Bip01 L Finger0", "Bip01"]),
    "unreal": (["pelvis"], ["spine_01", "spine_02", "spine_03"], ["neck_01"], "head",
               ["clavicle_l", "upperarm_l", "lowerarm_l", "hand_l", "thigh_l", "calf_l", "foot_l", "ball_l"],
               ["root", "index_01_l"]),
    "smpl": (["Pelvis"], ["Spine1", "Spine2", "Spine3"], ["Neck"], "Head",
             ["L_Collar", "L_Shoulder", "L_Elbow", "L_Wrist", "L_Hip", "L_Knee", "L_Ankle", "L_Foot"], ["L_Hand"]),
    "smplx": (["pelvis"], ["spine1", "spine2", "spine3"], ["neck"], "head",
              ["left_collar", "left_shoulder", "left_elbow", "left_wrist", "left_hip", "left_knee", "left_ankle",
               "left_foot"], ["jaw", "left_index1"]),
    "daz": (["hip"], ["abdomen", "chest"], ["neck"], "head",
            ["lCollar", "lShldr", "lForeArm", "lHand", "lThigh", "lShin", "lFoot", "lToe"], ["leftEye", "lThumb1"]),
    "vrm": (["hips"], ["spine", "chest", "upperChest"], ["neck"], "head",
            ["leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand", "leftUpperLeg", "leftLowerLeg", "leftFoot",
             "leftToes"], ["leftEye", "jaw"]),
    "vroid": (["J_Bip_C_Hips"], ["J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"], ["J_Bip_C_Neck"],
              "J_Bip_C_Head",
              ["J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm", "J_Bip_L_Hand", "J_Bip_L_UpperLeg",
               "J_Bip_L_LowerLeg", "J_Bip_L_Foot", "J_Bip_L_ToeBase"], []),
    "rigify": (["pelvis"], ["spine", "chest"], ["neck"], "head",
               ["shoulder.L", "upper_arm.L", "forearm.L", "hand.L", "thigh.L", "shin.L", "foot.L", "toe.L"], ["eye.L"]),
}  # fmt: skip


def right(name: str) -> str:
    for a, b in (("Left", "Right"), ("left", "right"), ("_L_", "_R_"), (" L ", " R "), (".L", ".R")):
        if a in name:
            return name.replace(a, b)
    if name.endswith("_l"):
        return name.removesuffix("_l") + "_r"
    return {"L": "R", "l": "r"}[name[0]] + name[1:]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes(scheme):
    pelvis, trunk, necks, head, lefts, others = SCHEMES[scheme]
    names = [*pelvis, *trunk, *necks, head, *lefts, *map(right, lefts), *others]
    assert len(set(names)) == len(names)
    naming = naming_of(names)
    wanted = {pelvis[0]: (Part.PELVIS, Side.MIDDLE), head: (Part.HEAD, Side.MIDDLE)}
    wanted |= dict.fromkeys(trunk, (Part.TRUNK, Side.MIDDLE)) | dict.fromkeys(necks, (Part.NECK, Side.MIDDLE))
    wanted |= {name: (part, L) for name, part in zip(lefts, LIMBS, strict=True)}
    wanted |= {right(name): (part, R) for name, part in zip(lefts, LIMBS, strict=True)}
    assert dict(naming.roles) == wanted


def test_our_own_figures():
    for figure in (human28(), human40()):
        naming = figure_naming(figure)
        assert set(naming.roles) == set(figure.link_names)
        assert naming.first(Part.SHIN, L) == "shin_left"
        assert naming.first(Part.TRUNK) == "chest"


def test_names_that_say_nothing():
    assert naming_of(["link0", "link1"]).roles == {}
    assert naming_of([]).roles == {}
    assert naming_of(["Hips", "LeftUpLeg", "LeftArm"]).roles == {}  # half a body


@pytest.mark.parametrize(
    ("name", "side", "word"),
    [("LeftUpLeg", L, "upleg"), ("lThigh", L, "thigh"), ("R_Hip", R, "hip"), ("thigh.R", R, "thigh"),
     ("Bip01 R Calf", R, "bip01calf"), ("lowerarm_l", L, "lowerarm"), ("Root", Side.MIDDLE, "root"),
     ("LowerBack", Side.MIDDLE, "lowerback"), ("ribs", Side.MIDDLE, "ribs"), ("thigh_left", L, "thigh"),
     ("leftUpperArm", L, "upperarm"), ("lefthand", L, "hand")],
)  # fmt: skip
def test_sides(name, side, word):
    assert side_and_word(name) == (side, word)
