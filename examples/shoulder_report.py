"""The report of 22_shoulder_circle.py: table, pictures, and a replay in 3-D, in a folder that opens from disk."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet
from shoulder_scene import LOOSE, RANGED

from hitogata.figure import Trajectory
from hitogata.pictures import (
    Actor,
    Camera,
    JointRange,
    Marker,
    Plot,
    Replay,
    Section,
    Table,
    Trail,
    write_replay,
    write_report,
)
from hitogata.rom import TwistColour, plot_polar

COLUMNS = ("", "worst joint beyond its range [°]", "impossible poses", "hand differs by up to [m]", "one step [µs]")
SHOULDER = RANGED.links[RANGED.link_index("upper_arm_left")].joint.range


def trails(runs: dict[str, Trajectory]) -> Sheet:
    """Where the upper arm points in each run, in the polar plane of the shoulder's range."""
    sheet = Sheet(figsize=(12, 4.6), layout="constrained")
    for k, (name, motion) in enumerate(runs.items()):
        ax = sheet.add_subplot(1, len(runs), k + 1, projection="polar")
        q = motion.q[:, LOOSE.q_slice("shoulder_left")]
        plot_polar(SHOULDER, ax=ax, trail=q, points=False, legend=False, colour=TwistColour.PLAIN)
        ax.set_title(name)
    return sheet


def depths(runs: dict[str, Trajectory], worst: dict[str, np.ndarray]) -> Sheet:
    """How far the worst joint is beyond its range, over time."""
    sheet = Sheet(figsize=(8, 3.2), layout="constrained")
    ax = sheet.subplots()
    for (name, motion), colour in zip(runs.items(), ("#2a6f97", "#d1495b", "#8a817c"), strict=True):
        ax.plot(motion.time, np.maximum(worst[name], 0.0), label=name, color=colour, lw=1.8)
    ax.set(xlabel="time [s]", ylabel="worst joint beyond its range [°]")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return sheet


def replay(runs: dict[str, Trajectory], path: Path) -> None:
    """All runs side by side, with the pointer, the way of the palm, and the range of the shoulder."""
    actors = []
    for k, (name, motion) in enumerate(runs.items()):
        overlays = [
            Marker("pointer", motion.channels["pointer"], tied_to="palm_left"),
            Trail("way of the palm", "palm_left"),
            JointRange("range of the shoulder", "shoulder_left", SHOULDER),
        ]
        actors.append(Actor(LOOSE, motion, label=name, offset=(0.0, -2.2 * k, 0.0), overlays=overlays))
    camera = Camera(azimuth=np.radians(14), elevation=np.radians(10))
    write_replay(path, actors, title="Once around the shoulder", text="Red: no human arm can do this.", camera=camera)


def report(out: Path, rows: list[list[object]], runs: dict[str, Trajectory], worst: dict[str, np.ndarray]) -> None:
    """Write index.html and what belongs to it."""
    replay(runs, out / "replay.html")
    intro = (
        "A pointer, tied to the left hand by a spring, circles the shoulder: forward, up, behind, down. Behind the "
        "back no arm can follow. With ranges of motion the arm stays where a human arm can be; without them it goes "
        "through the impossible. MuJoCo limits a ball joint by one angle for all directions."
    )
    write_report(
        out, "Once around the shoulder",
        [
            Section("What happened", [Table(COLUMNS, rows), Replay(out / "replay.html", height=620)]),
            Section("Pose by pose", [Plot(out / "shoulder.png", "Red: a joint is more than 1° beyond its range")]),
            Section("The upper arm", [Plot(trails(runs), "Blue: where it may point; red: its way", name="trails")]),
            Section("Beyond the range", [Plot(depths(runs, worst), "The worst joint, over time", name="depth")]),
        ],
        text=intro,
    )  # fmt: skip
