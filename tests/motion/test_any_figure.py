"""Names of many schemes and languages, tables in files, robots whose joints are hinges in a row."""

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError, FileFormatError
from hitogata.figure import FigureBuilder, Pose, joint
from hitogata.files import figure_from_bvh, write_bvh
from hitogata.files.names import Part, Side, naming_of
from hitogata.library import human28, human40
from hitogata.motion import map_skeletons, read_map, retarget_bvh
from hitogata.motion.chains import chain_angles, chain_to
from hitogata.spatial import quat_exp, quat_to_matrix
from tests.motion.odd import MOTIONBUILDER, renamed, walk_bvh

PARTS = [Part.THIGH, Part.SHIN, Part.FOOT, Part.UPPER_ARM, Part.FOREARM, Part.HAND]

SCHEMES = {
    "Mixamo": ("mixamorig:", "Hips Spine Head {}UpLeg {}Leg {}Foot {}Arm {}ForeArm {}Hand", "Left Right"),
    "CMU": ("", "Hips Spine1 Head {}UpLeg {}Leg {}Foot {}Arm {}ForeArm {}Hand", "Left Right"),
    "Acclaim": ("", "root thorax head {}femur {}tibia {}foot {}humerus {}radius {}hand", "l r"),
    "Rigify": ("DEF-", "spine spine.003 spine.006 thigh.{} shin.{} foot.{} upper_arm.{} forearm.{} hand.{}", "L R"),
    "VRM": ("J_Bip_", "C_Hips C_Chest C_Head {}_UpperLeg {}_LowerLeg {}_Foot {}_UpperArm {}_LowerArm {}_Hand", "L R"),
    "Unity": ("", "Hips Chest Head {}UpperLeg {}LowerLeg {}Foot {}UpperArm {}LowerArm {}Hand", "Left Right"),
    "G1": ("", "pelvis torso_link head_link {}_hip_yaw_link {}_knee_link {}_ankle_roll_link {}_shoulder_yaw_link "
               "{}_elbow_link {}_wrist_yaw_link", "left right"),
    "Talos": ("", "base_link torso_2_link head_2_link leg_{}_3_link leg_{}_4_link leg_{}_6_link arm_{}_3_link "
                  "arm_{}_4_link arm_{}_7_link", "left right"),
    "German": ("", "Becken Brust Kopf {}_Oberschenkel {}_Unterschenkel {}_Fuß {}_Oberarm {}_Unterarm {}_Hand",
               "linker rechter"),
    "French": ("", "bassin poitrine tête hanche_{} genou_{} cheville_{} épaule_{} coude_{} poignet_{}",
               "gauche droite"),
    "Spanish": ("", "pelvis pecho cabeza cadera_{} rodilla_{} tobillo_{} hombro_{} codo_{} muñeca_{}",
                "izquierda derecha"),
    "Japanese": ("", "下半身 上半身 頭 {}足 {}ひざ {}足首 {}腕 {}ひじ {}手首", "左 右"),
}  # fmt: skip


def scheme_names(key):
    """Names of a scheme by those of human40."""
    prefix, words, sides = SCHEMES[key]
    words = words.split()
    ours = ["pelvis", "chest", "head"]
    result = dict(zip(ours, (prefix + word for word in words[:3]), strict=True))
    for side, word in zip(("left", "right"), sides.split(), strict=True):
        for part, text in zip(PARTS, words[3:], strict=True):
            result[f"{part.value.replace(' ', '_')}_{side}"] = prefix + text.format(word)
    return result


@pytest.mark.parametrize("key", SCHEMES)
def test_names_of_many_schemes(key):
    names = scheme_names(key)
    naming = naming_of(list(names.values()))
    wanted = {names[f"{part.value.replace(' ', '_')}_{side.value}"]: (part, side)
              for part in PARTS for side in (Side.LEFT, Side.RIGHT)}  # fmt: skip
    assert {name: naming.roles.get(name) for name in wanted} == wanted
    assert naming.roles[names["pelvis"]] == (Part.PELVIS, Side.MIDDLE)
    assert naming.roles[names["head"]] == (Part.HEAD, Side.MIDDLE)
    bvh = renamed(walk_bvh(), {a: names[b] for b, a in MOTIONBUILDER.items()})
    assert map_skeletons(figure_from_bvh(bvh), human40()).pairs == names


def robot(knee_axis=(0, 1, 0)):
    """A robot with the proportions of human28, whose hips, ankles, waist and shoulders are hinges in a row."""
    human = human28()
    body = human.links[0].mass
    builder = FigureBuilder("robot")
    builder.add("pelvis", None, joint.free(rest=(0, 0, 1.0, 1, 0, 0, 0)), body, shapes=human.links[0].shapes)

    def row(parent, at, names, axes, shapes=(), limits=None):
        for k, (name, axis) in enumerate(zip(names, axes, strict=True)):
            where = Pose(at) if k == 0 else Pose()
            last = k == len(names) - 1
            hung = joint.hinge(axis, parent_frame=where, range=limits, name=name.replace("_link", "_joint"))
            builder.add(name, parent, hung, body, shapes=shapes if last else ())
            parent = name
        return parent

    x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    torso = row("pelvis", (0, 0, 0.15), ["waist_yaw_link", "waist_roll_link", "torso_link"], [z, x, y])
    for side, s in (("left", 1.0), ("right", -1.0)):
        hip = [f"{side}_hip_{a}_link" for a in ("pitch", "roll", "yaw")]
        thigh = row("pelvis", (0, 0.1 * s, -0.08), hip, [y, x, z])
        shin = row(thigh, (0, 0, -0.42), [f"{side}_knee_link"], [knee_axis], limits=(0.0, 2.4))
        ankle = [f"{side}_ankle_pitch_link", f"{side}_ankle_roll_link"]
        row(shin, (0, 0, -0.42), ankle, [y, x], human.link(f"foot_{side}").shapes)
        shoulder = [f"{side}_shoulder_{a}_link" for a in ("pitch", "roll", "yaw")]
        arm = row(torso, (0, 0.24 * s, 0.32), shoulder, [y, x, z])
        row(arm, (0, 0, -0.28), [f"{side}_elbow_link"], [y], limits=(-2.5, 0.0))
    return builder.build()


def test_a_robot_of_hinges_walks():
    figure, human = robot(), human28()
    found, same = retarget_bvh(walk_bvh(turn=0.2), figure), retarget_bvh(walk_bvh(turn=0.2), human)
    assert found.mapping.pairs["left_hip_yaw_link"] == "LeftUpLeg"
    assert found.mapping.pairs["left_ankle_roll_link"] == "LeftFoot"
    ours, theirs = (forward_kinematics(it, f.trajectory.q).position for it, f in ((figure, found), (human, same)))
    table = {"left_knee_link": "shin_left", "right_ankle_roll_link": "foot_right", "left_elbow_link": "forearm_left"}
    for a, b in table.items():
        apart = np.linalg.norm(ours[:, figure.link_index(a)] - theirs[:, human.link_index(b)], axis=1)
        assert apart.max() < 0.03, a
    for foot in found.feet.feet.values():
        assert foot.slide[1].max() < 0.01
        assert np.degrees(np.median(foot.tilt[1])) < 3


def test_chains_of_hinges_are_fitted():
    figure, rng = robot(), np.random.default_rng(0)
    links = [figure.link_index(f"left_hip_{a}_link") for a in ("pitch", "roll", "yaw")]
    chain = chain_to(figure, links)
    true = rng.uniform(-1.2, 1.2, size=(40, 3))
    wanted = np.broadcast_to(np.eye(3), (40, 3, 3))
    for k in range(3):
        wanted = wanted @ quat_to_matrix(quat_exp(true[:, k : k + 1] * chain.axes[k]))
    base = np.broadcast_to(np.eye(3), (40, 3, 3))
    for bone in (None, np.array([0.0, 0.0, -1.0])):
        np.testing.assert_allclose(chain_angles(chain, base, wanted, np.zeros(3), bone), true, atol=1e-4)
    assert chain_to(figure, [0]) is None


def test_unlikely_pairs_are_refused(tmp_path, capsys):
    """The names of one figure say nothing as a whole, so trees are compared; but a neck is no shoulder."""
    builder, body = FigureBuilder("odd"), human28().links[0].mass
    builder.add("hull", None, joint.free(), body)
    for k, (name, at) in enumerate((("neck_yaw", (0, 0.1, -0.1)), ("boom", (0, -0.1, -0.1)), ("mast", (0, 0, 0.3)))):
        builder.add(name, "hull", joint.ball(parent_frame=Pose(at)), body)
        builder.add(f"tip{k}", name, joint.ball(parent_frame=Pose((0, 0, at[2] * 3))), body)
    figure = builder.build()
    source = figure_from_bvh(walk_bvh())
    with pytest.raises(ArgumentError, match=r"(?s)cannot be right.*--map FILE.*neck_yaw +\w+ +<- not alike"):
        map_skeletons(source, figure)
    found = map_skeletons(source, figure, {"neck_yaw": "Head"})
    assert found.pairs["neck_yaw"] == "Head"


def test_a_map_from_a_file(tmp_path, capsys):
    source, figure = figure_from_bvh(walk_bvh()), human28()
    path = tmp_path / "pairs.txt"
    path.write_text("# human28 = file\nhead = -\n\nchest = Hips   # stiff\n")
    assert read_map(path, source, figure) == {"head": None, "chest": "Hips"}
    write_bvh(walk_bvh(), tmp_path / "walk.bvh")
    out = tmp_path / "out.npz"
    convert = ["motion", "convert", str(tmp_path / "walk.bvh"), str(out)]
    assert main([*convert, "--figure", "human28", "--map", str(path)]) == 0
    assert "keeps its pose: head" in capsys.readouterr().out
    bad = {
        "hed = Head": r"pairs.txt:1: the target 'human28' has no link 'hed'; did you mean 'head'?",
        "head = Skull": "pairs.txt:1: the source .* has no link 'Skull'",
        "head = Head\nhead = Spine": r"pairs.txt:2: link 'head' of the target is named twice, first in line 1",
        "head = Head\nchest = Head": r"pairs.txt:2: link 'Head' of the source is named twice",
        "head Head": r"pairs.txt:1: expected 'target = source'",
    }
    out.unlink()
    for text, message in bad.items():
        path.write_text(text)
        with pytest.raises(FileFormatError, match=message.replace("?", r"\?")):
            read_map(path, source, figure)
        assert main([*convert, "--figure", "human28", "--map", str(path)]) == 2
        assert not out.exists()
    assert main([*convert, "--map", str(path)]) == 2
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_map(tmp_path / "none.txt", source, figure)
