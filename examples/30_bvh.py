"""A captured motion on another body: a walk in a BVH file (made here, in a T-pose skeleton) goes to human28 and back.

python examples/30_bvh.py --out out/bvh
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.files import bvh_from_trajectory, bvh_poses, figure_from_bvh, read_bvh, trajectory_from_bvh, write_bvh
from hitogata.library import human28
from hitogata.motion import retarget
from hitogata.pictures import Camera, draw_figure

# joint, offset from the parent [cm, y up, z forward], joints and end sites that hang on it
BONES = [("Hips", (0, 0, 0), [("Spine", (0, 12, 0), [("Chest", (0, 22, 0), [
    ("Neck", (0, 26, 0), [("Head", (0, 9, 2), [("End Site", (0, 18, 0), [])])]), "Left", "Right"])]), "left", "right"])]


def side(word: str, x: int) -> list:
    """An arm that is spread, or a leg."""
    if word[0] in "LR":
        hand = (f"{word}Hand", (25 * x, 0, 0), [("End Site", (17 * x, 0, 0), [])])
        arm = (f"{word}Arm", (11 * x, -1, 0), [(f"{word}ForeArm", (28 * x, 0, 0), [hand])])
        return [(f"{word}Shoulder", (6 * x, 20, 0), [arm])]
    foot = (f"{word.title()}Foot", (0, -43, 0), [("End Site", (0, -8, 16), [])])
    return [(f"{word.title()}UpLeg", (10 * x, -4, 0), [(f"{word.title()}Leg", (0, -44, 0), [foot])])]


def hierarchy(bones: list, names: list[str]) -> str:
    """The skeleton as BVH text; names are collected in the order of the frames' numbers."""
    text = ""
    for bone in bones:
        if isinstance(bone, str):
            text += hierarchy(side(bone, 1 if bone.lower() == "left" else -1), names)
            continue
        name, offset, children = bone
        kind = name if name == "End Site" else f"JOINT {name}" if names else f"ROOT {name}"
        text += f"{kind}\n{{\nOFFSET {' '.join(map(str, offset))}\n"
        if name != "End Site":
            place = "6 Xposition Yposition Zposition" if not names else "3"
            text += f"CHANNELS {place} Zrotation Xrotation Yrotation\n"
            names.append(name)
        text += hierarchy(children, names) + "}\n"
    return text


def walk_text(seconds: float = 2.2, rate: float = 60.0) -> str:
    """A walk in place of a capture studio: swinging legs and arms, in degrees about x (bend), z (spread), y (turn)."""
    names: list[str] = []
    text = "HIERARCHY\n" + hierarchy(BONES, names)
    t = np.arange(int(seconds * rate)) / rate
    phase = 2 * np.pi * t / 1.1
    angles = {name: np.zeros((len(t), 3)) for name in names}
    angles["Hips"][:, 2], angles["Chest"][:, 2] = 6 * np.sin(phase), -10 * np.sin(phase)
    for word, x, shift in (("Left", 1, 0.0), ("Right", -1, np.pi)):
        swing = np.sin(phase + shift)
        angles[f"{word}UpLeg"][:, 1] = -8 - 24 * swing
        angles[f"{word}Leg"][:, 1] = 26 - 22 * np.cos(phase + shift + 2.2)
        angles[f"{word}Foot"][:, 1] = -10 + 10 * swing
        angles[f"{word}Arm"][:, 0], angles[f"{word}Arm"][:, 1] = -78 * x, 22 * swing
        angles[f"{word}ForeArm"][:, 2] = -x * (28 - 12 * swing)
    place = np.stack([0 * t, 94 + 1.5 * np.cos(2 * phase), 125 * t], axis=1)
    rows = np.hstack([place, *angles.values()])
    frames = "\n".join(" ".join(f"{x:.4f}" for x in row) for row in rows)
    return text + f"MOTION\nFrames: {len(t)}\nFrame Time: {1 / rate:.6f}\n{frames}\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/bvh"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    (out / "walk.bvh").write_text(walk_text())
    bvh = read_bvh(out / "walk.bvh")
    print(bvh)
    source, human = figure_from_bvh(bvh, mass=70), human28()
    motion = trajectory_from_bvh(bvh, source)
    apart = forward_kinematics(source, motion.q).position - bvh_poses(bvh).position
    print(f"{source}; its links are {np.abs(apart).max():.1e} m from where the file puts its joints")
    found = retarget(motion, source, human)
    print(found)
    write_bvh(bvh_from_trajectory(found.trajectory, human), out / "human28.bvh", decimals=5)
    _, axes = plt.subplots(2, figsize=(11, 8), layout="constrained")
    for ax, figure, q in ((axes[0], source, motion.q), (axes[1], human, found.trajectory.q)):
        for k, i in enumerate(range(0, len(q), 16)):
            draw_figure(ax, figure, q[i], camera=Camera(np.radians(-85), 0.03), shift=(0.3 * k, 0), zorder=k)
        ax.set(aspect="equal", xlim=(-0.5, 5.4), ylim=(-0.2, 2.0), xticks=[], yticks=[], title=figure.name)
    plt.savefig(out / "walk.png", dpi=90)
    assert np.abs(apart).max() < 1e-6
    arms = [angles for name, angles in found.residuals.items() if "arm" in name]  # legs give way to feet that stand
    assert max(np.abs(angles).max() for angles in arms) < np.radians(6)
    assert all(foot.slide[1].max() < 0.005 for foot in found.feet.feet.values())


if __name__ == "__main__":
    main()
