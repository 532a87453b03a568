"""Drag a hand, and the whole body follows: feet and the other hand pinned, joints within clinical ranges of motion.

python examples/31_pin_and_drag.py --out out/pin_and_drag
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, FigureBuilder, MassProperties, joint
from hitogata.library import human28
from hitogata.motion import Puppet
from hitogata.pictures import Camera, draw_figure
from hitogata.rom import plot_polar
from hitogata.rom.human import Side, shoulder
from hitogata.rom.plot import polar_frame, polar_of

DT, RED, GRIP = 1 / 60, "#b03a2e", (0, 0, -0.27)
PINS = [(f"foot_{s}", (x, 0, -0.08)) for s in ("left", "right") for x in (0.135, -0.055)] + [("forearm_left", GRIP)]
BOX = ((-60, 180), (-15, 180), (-70, 90))  # flexion, abduction, rotation [deg]
TARGETS = np.array([[0.55, -0.35, 1.75], [0.75, 0.05, 1.1], [0.5, -0.3, 0.3], [-0.1, -0.9, 1.2], [-0.35, -0.5, 0.8]])


def place_of(figure: Figure, q: np.ndarray, link: str, point) -> np.ndarray:
    k, poses = figure.link_index(link), forward_kinematics(figure, q)
    return poses.position[k] + poses.rotation[k] @ point


def reach(folder: Path) -> None:
    """As in the paper's figure 7: toes, heels and left hand pinned, the right hand led to several places."""
    figure, camera = human28(ranges=True), Camera(azimuth=np.radians(-35), elevation=np.radians(12))
    ax = (sheet := Sheet(figsize=(12, 4.3), layout="constrained")).subplots()
    for k, target in enumerate(TARGETS):
        puppet = Puppet(figure)
        pins = [puppet.pin(link, point=point) for link, point in PINS]
        puppet.look_at("eyes", target, weight=0.1)
        puppet.balance(pins[:4])
        puppet.set_posture(time=2.0)
        hand = puppet.drag("forearm_right", point=GRIP)
        start, *held = (place_of(figure, puppet.q, *p) for p in (("forearm_right", GRIP), *PINS))
        for t in np.minimum(np.linspace(0, 2, 240), 1):
            puppet.set_target(hand, position=start + (target - start) * (3 - 2 * t) * t * t)
            puppet.step(DT)
        off = [puppet.residual(h).position * 1e3 for h in (hand, *pins)]
        assert max(off) < 1.0, off
        print(f"  {target}: hand within {off[0]:.2f} mm, pins within {max(off[1:]):.2f} mm")
        shift = (1.25 * k, 0.0)
        draw_figure(ax, figure, puppet.q, camera=camera, shift=shift)
        ax.plot(*(camera.project(target)[:2] + shift), "o", color=RED, ms=7, zorder=9)
        ax.plot(*(camera.project(np.array(held))[:, :2] + shift).T, "v", color="#1f5f8b", ms=5, zorder=9)
    ax.set(aspect="equal", title="Right hand dragged (red); toes, heels and left hand pinned (blue); eyes on the hand")
    ax.set_axis_off()
    sheet.savefig(folder / "reach.png", dpi=120)


def upper_arm(box: bool) -> Figure:
    """A right upper arm on a shoulder with its clinical range, or with the box of the table's angles: three hinges."""
    builder, mass = FigureBuilder("arm"), MassProperties.principal(1.0, (0, 0, -0.14), (0.02, 0.02, 0.005))
    box_joints = [joint.hinge(a, range=np.radians(r)) for a, r in zip(-np.eye(3)[[1, 0, 2]], BOX, strict=True)]
    names = ("flexion", "abduction", "upper")[0 if box else 2 :]
    for k, turn in enumerate(box_joints if box else [joint.ball(range=shoulder(Side.RIGHT))]):
        builder.add(names[k], names[k - 1] if k else None, turn, mass)
    return builder.build()


def slide(folder: Path) -> None:
    """The elbow is led round: it slides along the wall of a region; a box lets it through here, and stops it there."""
    range_ = shoulder(Side.RIGHT)
    ax = (sheet := Sheet(figsize=(6.4, 6.4), layout="constrained")).add_subplot(projection="polar")
    plot_polar(range_, ax=ax, points=False, legend=False, colour_bar=False)
    ax.set_title("Where the upper arm points while the elbow is led round")
    for name, box, colour in (("box of angles", True, "#6b6f78"), ("free-form range", False, RED)):
        puppet, path = Puppet(upper_arm(box)), []
        elbow = puppet.drag("upper", point=(0, 0, -0.28))
        for w in np.linspace(0, 4 * np.pi, 800):
            puppet.set_target(elbow, position=0.28 * np.array([0.9 * np.cos(w), -0.9 * np.sin(w), -0.4]))
            puppet.step(DT)
            path.append(place_of(puppet.figure, puppet.q, "upper", (0, 0, -1)))
        beyond = np.degrees(-range_.swing.distance(path).min())
        print(f"  {name}: beyond the shoulder's region by {max(beyond, 0):.4f}° at most")
        assert beyond > 5 if box else beyond < 1e-4
        ax.plot(*polar_of(np.array(path[400:]), polar_frame(range_)), color=colour, lw=2.2, label=name, zorder=9)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.1, -0.08), frameon=False)
    sheet.savefig(folder / "slide.png", dpi=120)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/pin_and_drag"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    reach(out)
    slide(out)
