"""An upper body reaches for targets that jump, at steps of a tenth of a second (Tazaki & Hasegawa 2007, Fig. 2).

Soft springs hold the joints, a stiff spring pulls each hand to its target, and that is all there is: no inverse
kinematics, no planning.  The targets jump; the hands follow, the trunk leans and turns with them, and nothing shakes.
Hands come to rest where all springs balance, some centimetres from their targets.

    python examples/21_upper_body.py --out out/upper_body
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.dynamics import frame_position
from hitogata.figure import Figure, Trajectory
from hitogata.library import upper_body
from hitogata.pictures import Camera, draw_figure
from hitogata.sim import Settings, World

H, HOLD = 0.1, 2.0  # step, and how long targets stay [s]
STIFFNESS, DAMPING = 3000.0, 100.0  # hand to target: the paper's stiffness [N/m], and a damper [N s/m]
JOINTS = {"waist": 160.0, "spine": 160.0, "neck": 40.0, "shoulder": 20.0, "elbow": 10.0}  # [N m/rad], the paper's span
SIDES, COLOURS = ("left", "right"), ("#d1495b", "#1f3b73")
TARGETS = np.array([  # of the left and the right hand [m]; hips are at 0.91, shoulders at 1.40
    [(0.45, 0.15, 1.40), (0.45, -0.15, 1.40)],
    [(0.25, 0.45, 1.75), (0.25, -0.45, 1.75)],
    [(0.20, 0.65, 1.45), (0.55, 0.10, 1.30)],
    [(0.55, -0.10, 1.50), (0.15, -0.70, 1.30)],
    [(0.55, 0.20, 1.05), (0.55, -0.20, 1.05)],
])  # fmt: skip


def reach(figure: Figure) -> tuple[Trajectory, np.ndarray]:
    """The motion, and how far each hand is from its target, shape (nt, 2) [m]."""
    world = World(settings=Settings(theta=1.0, longest_fast_step=np.inf))  # the paper's scheme, without substeps
    body = world.add(figure)
    for name in figure.joint_names[1:]:
        stiffness = JOINTS[name.split("_")[0]]
        body.set_motor(stiffness, stiffness / 10, [name])
    springs = [
        world.add_spring((body, f"palm_{side}"), target, stiffness=STIFFNESS, damping=DAMPING)
        for side, target in zip(SIDES, TARGETS[0], strict=True)
    ]
    rows = [(world.time, body.q, body.v, *TARGETS[0])]
    for targets in TARGETS:
        for spring, target in zip(springs, targets, strict=True):
            spring.move_anchor(target)
        for _ in range(round(HOLD / H)):
            world.step(H)
            rows.append((world.time, body.q, body.v, *targets))
        assert np.abs(body.v).max() < 1e-2, "the body should have come to rest"
    time, q, v, *wanted = (np.array(column) for column in zip(*rows, strict=True))
    gaps = np.stack([frame_position(figure, q, f"palm_{side}") for side in SIDES], 1) - np.stack(wanted, 1)
    return Trajectory(time, q, v, figure_name=figure.name), np.linalg.norm(gaps, axis=2)


def draw(figure: Figure, motion: Trajectory, gaps: np.ndarray, path: Path) -> None:
    sheet = Sheet(figsize=(12, 5.6), layout="constrained", facecolor="white")
    top, bottom = sheet.subplots(2, 1, height_ratios=(2, 1))
    camera = Camera(azimuth=np.radians(28), elevation=np.radians(14))
    for k, targets in enumerate(TARGETS):
        last = round((k + 1) * HOLD / H)
        draw_figure(top, figure, motion.q[last], camera=camera, shift=(1.45 * k, 0))
        for target, colour in zip(targets, COLOURS, strict=True):
            x, y, _ = camera.project(target)
            top.plot(x + 1.45 * k, y, "o", color=colour, ms=9, mec="white", zorder=9)
        top.text(1.45 * k, 0.68, f"t = {(k + 1) * HOLD:g} s", ha="center", fontsize=9, color="#4a4f5a")
    top.set(aspect="equal", xlim=(-0.7, 6.7), ylim=(0.62, 2.0))
    top.axis("off")
    for column, side, colour in zip(gaps.T, SIDES, COLOURS, strict=True):
        bottom.plot(motion.time, column, ".-", color=colour, lw=1.2, ms=3.5, label=f"{side} hand")
    bottom.set(xlabel="time [s]", ylabel="hand to target [m]", xlim=(0, motion.time[-1]), ylim=(0, None))
    bottom.spines[["top", "right"]].set_visible(False)
    bottom.legend(frameon=False, ncols=2)
    sheet.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="An upper body reaches for targets that jump.")
    parser.add_argument("--out", type=Path, default=Path("out/upper_body"), help="folder for picture and motion")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    motion, gaps = reach(figure := upper_body())
    print(f"{figure}; steps of {H} s; left and right hand to target [mm]")
    print(f"{'jump to':>8}{'first step':>14}{'after 0.5 s':>14}{'at rest':>14}")
    for k in range(len(TARGETS)):
        first, half, last = (1000 * gaps[round((k * HOLD + t) / H)] for t in (H, 0.5, HOLD))
        print(f"{k + 1:>8}" + "".join(f"{a:8.0f} {b:5.0f}" for a, b in (first, half, last)))
        assert last.max() < 60.0, "the hand should be held near its target, as far as the joints' springs let it"
        later = 1000 * gaps[round((k * HOLD + 1.2) / H)]
        assert np.abs(later - last).max() < 5.0, "it should settle within about a second"
    motion.save(out / "reach.npz")
    draw(figure, motion, gaps, out / "reach.png")
    print(f"picture: {out / 'reach.png'}")


if __name__ == "__main__":
    main()
