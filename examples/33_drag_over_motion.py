"""Drag a hand while a walk plays: feet stay where the walk has them; each pass is a layer, kept apart from the walk.

python examples/33_drag_over_motion.py --out out/drag
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from walking import HUMAN, SIDES, walk

from hitogata.dynamics import frame_position
from hitogata.figure import Trajectory
from hitogata.motion import Player, add_layer, drag_along
from hitogata.pictures import Camera, draw_figure

RAIL = 1.2  # height of a rail that runs beside the walk [m]
FEET = ("foot_left", "foot_right")


def rail_beside(motion: Trajectory) -> np.ndarray:
    """Where the right hand would be on the rail: beside and a little before the pelvis, at one height."""
    at = frame_position(HUMAN, motion.q, "pelvis")
    way = np.gradient(at[:, :2], axis=0)
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    beside = np.stack([way[:, 1], -way[:, 0]], axis=1)
    return np.column_stack([at[:, :2] + 0.2 * way + 0.45 * beside, np.full(len(at), RAIL)])


def wave(motion: Trajectory) -> Player:
    """The left hand is taken hold of after 0.5 s, led up and to and fro by a pointer, and let go after 1.7 s."""
    player, hand, taken = Player(HUMAN, motion, pins=(*FEET, "grip_right")), None, np.zeros(3)
    while not player.done:
        t = player.time
        if hand is None and 0.5 <= t < 1.7:
            hand, taken = player.drag("grip_left"), frame_position(HUMAN, player.q, "grip_left")
        elif hand is not None and t >= 1.7:
            player.release(hand)
            hand = None
        if hand is not None:
            up = min(1.0, (t - 0.5) / 0.6)
            chest = frame_position(HUMAN, motion.q[player.index], "chest")
            there = chest + (0.15, 0.45 + 0.1 * np.sin(12 * t), 0.5)
            player.set_target(hand, position=taken + (there - taken) * (up * up * (3 - 2 * up)))
        player.advance()
    return player


def moved(a: Trajectory, b: Trajectory, frame: str) -> float:
    """How far a frame is from where it was, at most [mm]."""
    apart = frame_position(HUMAN, a.q, frame) - frame_position(HUMAN, b.q, frame)
    return 1e3 * float(np.linalg.norm(apart, axis=1).max())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/drag"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    motion = walk()
    strength = np.clip((motion.time - 0.2) / 0.6, 0, 1)
    strength = strength**2 * (3 - 2 * strength)  # the hand comes to the rail within 0.6 s
    rail = rail_beside(motion)
    first = drag_along(HUMAN, motion, {"grip_right": rail}, weight=strength)
    second = wave(first.trajectory)
    both = add_layer(HUMAN, first.trajectory, second.layer())
    rows = {"a walk": motion, "right hand led to a rail (red)": first.trajectory,
            "the same pass, half as strong": add_layer(HUMAN, motion, first.layer, 0.5),
            "a second pass on top, the right hand pinned too: the left one taken, led and let go": both}  # fmt: skip
    camera, (_, axes) = Camera(np.radians(-65), 0.08), plt.subplots(4, figsize=(11, 9.6), layout="constrained")
    for ax, (title, found) in zip(axes, rows.items(), strict=True):
        for k, t in enumerate(np.arange(0.0, 2.15, 0.18)):
            i, shift = int(np.abs(found.time - t).argmin()), (0.85 * k, 0)
            here = found.q[i, :3] * (1, 1, 0)
            q = np.concatenate([found.q[i, :3] - here, found.q[i, 3:]])
            draw_figure(ax, HUMAN, q, camera=camera, shift=shift, zorder=k, colours=SIDES)
            ax.plot(*(camera.project(rail[i] - here)[:2] + shift), "_", color="#b03a2e", ms=14, mew=3, zorder=0)
        ax.set(xlim=(-0.6, 9.9), ylim=(-0.15, 1.95), aspect="equal", anchor="W")
        ax.set_title(title, loc="left")
        ax.axis("off")
    plt.savefig(out / "drag.png", dpi=80)
    slid = max(moved(played, motion, foot) for played in (first.trajectory, both) for foot in FEET)
    print(f"drags and pins off by {1e3 * max(first.missed.max(), second.missed.max()):.2f} mm; "
          f"feet by {slid:.2f} mm with both passes")  # fmt: skip
    assert first.missed.max() < 1e-3
    assert second.missed.max() < 1e-3
    assert slid < 1.0
    assert moved(add_layer(HUMAN, motion, first.layer), first.trajectory, "grip_right") < 0.1


if __name__ == "__main__":
    main()
