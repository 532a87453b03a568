"""Hair and a tail: 60 strands on a head that shakes and then stands in the wind, and a tail on a bear.

Every joint of every strand has an oval range of motion.  Roots follow the head exactly; strands lie on head, neck and
shoulders; in a steady wind they come to rest.

    python examples/52_hair.py --out out/hair
"""

import argparse
import math
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure as Sheet

from hitogata.figure import Pose
from hitogata.library import bear, cap_of_roots, human28, strand
from hitogata.pictures import Camera, draw_figure
from hitogata.sim import Member, Settings, Strands, World

H, SETTLE, SHAKE, WIND = 1 / 60, 150, 150, 300  # step [s]; steps of each part
FRAMES = {SETTLE: "at rest", SETTLE + 50: "shaking its head", SETTLE + 72: "", SETTLE + 95: "",
          SETTLE + SHAKE + 30: "wind rises", SETTLE + SHAKE + WIND: "in the wind, at rest"}  # fmt: skip


def beyond(hair: Strands) -> float:
    """How far the worst joint is beyond its range [deg]."""
    found = hair.figure.links[1].joint.range.violation(hair.q[:, 7:].reshape(-1, 4))
    return math.degrees(max(found.swing_depth.max(), found.twist_depth.max()))


def draw(ax, member: Member, hair: Strands, camera: Camera, shift: float, colour: str, width: float) -> None:
    """The figure, and its strands as lines: those behind the link first."""
    draw_figure(ax, member.figure, member.q, camera=camera, shift=(shift, 0), zorder=2)
    x, y, near = np.moveaxis(camera.project(hair.lines()), -1, 0)
    middle = camera.project(hair.lines()[:, 0].mean(0))[2]
    ends = np.stack([x + shift, y], -1)
    pieces = np.stack([ends[:, :-1], ends[:, 1:]], 2).reshape(-1, 2, 2)
    front = (near[:, :-1] > middle).ravel()
    for part, order, tint in ((~front, 1, "#3b2415"), (front, 4, colour)):
        ax.add_collection(LineCollection(pieces[part], colors=tint, linewidths=width, capstyle="round", zorder=order))


def main() -> None:
    parser = argparse.ArgumentParser(description="Hair on a human, and a tail on a bear.")
    parser.add_argument("--out", type=Path, default=Path("out/hair"), help="folder for the picture")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    world, figure = World(settings=Settings(fast_turn=0.08)), human28()
    world.add_ground()
    human = world.add(figure)
    human.set_motor(2000.0, 30.0)
    scalp = cap_of_roots(60, radius=0.115, centre=(0, 0, 0.14), axis=(-0.5, 0, 1), angle=1.45)
    hair = Strands(world, human, "head", strand(12, length=0.32), scalp)

    den = World()
    beast = den.add(bear(fixed_base=True))
    beast.set_motor(600.0, 40.0)
    brush = strand(16, length=0.6, radius=0.03, tip_radius=0.015, mass=0.8, bend=(0.3, 0.2))
    tail = Strands(den, beast, "hips", brush, [Pose((-0.23, 0, 0.02), (0.0, 0.0, 0.0, 1.0))])
    den.step(H, steps=120)

    neck, worst, last = figure.q_slice("head"), 0.0, None
    camera = Camera(math.radians(-35), math.radians(8))
    sheet = Sheet(figsize=(14, 4.2), layout="constrained", facecolor="white")
    ax, beside = sheet.subplots(1, 2, width_ratios=(5, 1))
    for k in range(1, SETTLE + SHAKE + WIND + 1):
        turn = 0.7 * math.sin(2 * math.pi * 1.1 * (k - SETTLE) * H) if SETTLE < k <= SETTLE + SHAKE else 0.0
        target = figure.neutral()
        target[neck] = math.cos(turn / 2), 0, 0, math.sin(turn / 2)
        human.set_target(target)
        rise = min(max(k - SETTLE - SHAKE, 0) / 30, 1.0)
        hair.wind(rise * np.array([-4.0, 3.0, 0.5]), 5.0)
        world.step(H)
        worst = max(worst, beyond(hair))
        if k in FRAMES:
            shift = 0.75 * list(FRAMES).index(k)
            draw(ax, human, hair, camera, shift, "#7a4a25", 2.2)
            ax.text(shift, 1.92, FRAMES[k], ha="center")
        if k == SETTLE + SHAKE + WIND - 60:
            last = hair.q[:, 7:]
    turned = np.degrees(2 * np.abs(hair.q[:, 7:] - last).max(1))
    still = int((turned < 0.05).sum())  # some slide on over the head for a while
    assert worst < 1.0, worst
    assert still >= 40, still
    draw(beside, beast, tail, Camera(math.radians(-100), math.radians(5)), 0.0, "#5d3b1e", 9.0)
    ax.set(aspect="equal", xlim=(-0.4, 0.75 * len(FRAMES) - 0.3), ylim=(1.1, 2.0))
    beside.set(aspect="equal", xlim=(-0.9, 0.7), ylim=(-0.1, 1.3))
    for axes in (ax, beside):
        axes.axis("off")
    sheet.savefig(out / "hair.png", dpi=110)
    print(f"60 strands of 12 links: worst joint {worst:.2f}° beyond its range; in the last second of wind {still} were "
          f"at rest; hair pulls on the head with {np.linalg.norm(hair.force[3:]):.1f} N")


if __name__ == "__main__":
    main()
