"""A hand is pulled once around its shoulder: with real joint limits, without, and in MuJoCo (Hanaoka 2010, 4.1).

A pointer, tied to the left hand by a spring, circles the shoulder: forward, up, behind, down.  Behind the back no arm
can follow.  With ranges of motion the arm stays where a human arm can be; without them it is dragged through the
impossible.  MuJoCo limits a ball joint by one angle for all directions; it gets the angle that fits best.

    python examples/22_shoulder_circle.py --out out/shoulder
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet
from shoulder_report import report
from shoulder_scene import BALLS, LOOSE, RANGED, SHOULDER, STEPS, H, go_round, in_hitogata, in_mujoco, mujoco_model

from hitogata.dynamics import frame_position
from hitogata.figure import Trajectory
from hitogata.pictures import Camera, draw_figure
from hitogata.rom import TwistColour, plot_polar

IMPOSSIBLE = 1.0  # a joint this far beyond its range [deg]
ARM = ("upper_arm_left", "forearm_left", "hand_left")
CAMERA = Camera(azimuth=np.radians(58), elevation=np.radians(10))
SHOWN = np.arange(7) * STEPS // 8 + STEPS // 8 - 1  # frames in the picture


def beyond(motion: Trajectory) -> np.ndarray:
    """How far the worst ball joint is beyond its range, in each frame [deg]."""
    found = [joint.range.violation(motion.q[:, RANGED.q_slice(joint.name)]) for joint in BALLS]
    return np.degrees(np.max([np.maximum(f.swing_depth, f.twist_depth) for f in found], axis=0))


def draw(runs: dict[str, Trajectory], path: Path) -> None:
    sheet = Sheet(figsize=(14, 2.7 * len(runs) + 0.4), layout="constrained", facecolor="white")
    sheet.suptitle("Once around the shoulder: forward, up, behind, down.  Red: no human arm can do this.", fontsize=13)
    shoulder = next(joint.range for joint in BALLS if joint.name == "shoulder_left")
    grid = sheet.add_gridspec(len(runs), 2, width_ratios=(5, 1))
    for k, (name, motion) in enumerate(runs.items()):
        ax, depth = sheet.add_subplot(grid[k, 0]), beyond(motion)
        for j, frame in enumerate(SHOWN):
            red = dict.fromkeys(ARM, "#e0525f") if depth[frame] > IMPOSSIBLE else {}
            draw_figure(ax, LOOSE, motion.q[frame], camera=CAMERA, shift=(1.15 * j, 0), colours=red)
            circle = CAMERA.project(motion.channels["pointer"])[:, :2] + (1.15 * j, 0)
            ax.plot(*circle.T, color="#9aa1ad", lw=0.8, zorder=0)
            ax.plot(*circle[frame], "o", color="#1f3b73", ms=7, mec="white", zorder=9)
        ax.set(aspect="equal", ylim=(0.82, 2.08), xlim=(-0.5, 7.75))
        ax.set_title(name, loc="left", fontweight="bold", color="#2b2f38")
        ax.axis("off")
        polar = sheet.add_subplot(grid[k, 1], projection="polar")
        trail = motion.q[:, LOOSE.q_slice("shoulder_left")]
        plot_polar(shoulder, ax=polar, trail=trail, points=False, legend=False, colour=TwistColour.PLAIN)
        polar.set_title("shoulder: range and trail" if k == 0 else "", fontsize=9)
        polar.set_rlabel_position(147)
        polar.tick_params(labelsize=6, pad=-2)
    sheet.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description="A hand is pulled once around its shoulder.")
    parser.add_argument("--out", type=Path, default=Path("out/shoulder"), help="folder for pictures and motions")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    print(f"{RANGED}\nThe left hand is pulled once around the shoulder: {STEPS} frames of {H * 1e3:.1f} ms.\n")
    model = mujoco_model()
    found = {
        "hitogata, ranges of motion": go_round(lambda: in_hitogata(RANGED)),
        "hitogata, no ranges": go_round(lambda: in_hitogata(LOOSE)),
        "MuJoCo, its nearest limits": go_round(lambda: in_mujoco(model)),
    }
    runs = {name: motion for name, (motion, _) in found.items()}
    worst = {name: beyond(motion) for name, motion in runs.items()}
    palms = {name: frame_position(LOOSE, motion.q, "palm_left") for name, motion in runs.items()}
    ours, without, other = runs
    print(f"{'':28}{'worst joint':>14}{'impossible':>12}{'hand differs':>15}{'one step':>11}")
    print(f"{'':28}{'beyond range':>14}{'poses':>12}{'by up to':>15}{'takes':>11}")
    rows = []
    for name, (_, step) in found.items():
        apart, wrong = np.linalg.norm(palms[name] - palms[ours], axis=1).max(), (worst[name] > IMPOSSIBLE).sum()
        print(f"{name:28}{worst[name].max():12.2f} °{wrong:12d}{apart:13.2f} m{step * 1e6:8.1f} µs")
        rows.append([name, round(worst[name].max(), 2), int(wrong), round(apart, 2), round(step * 1e6, 1)])
    assert worst[ours].max() < IMPOSSIBLE, "the range must hold"
    assert worst[without].max() > 20, "without its range the arm must be pulled far beyond it"
    assert worst[other].max() > 5, "one angle for all directions should not do"
    assert np.linalg.norm(palms[without] - palms[ours], axis=1).max() > 0.1
    assert np.linalg.norm(palms[ours] - SHOULDER, axis=1).max() < 0.75, "no arm is longer"
    for name, motion in zip(("with_ranges", "without_ranges", "mujoco"), runs.values(), strict=True):
        motion.save(out / f"{name}.npz")
    draw(runs, out / "shoulder.png")
    report(out, rows, runs, worst)
    print(f"\nopen {out / 'index.html'}: table, pictures, and a replay in 3-D; motions: {out}/*.npz")


if __name__ == "__main__":
    main()
