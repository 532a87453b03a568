"""A bear reaches after a pointer with both paws and its nose, with joint limits and without (Hanaoka 2010, 4.2).

Three goals pull at once, springs hold every joint, the ranges of motion say what a bear can do; all of it is one solve
in every step.  Without ranges an arm ends up behind the back and presses on it; such contacts cost more than the ranges
do.  What ranges cost by themselves, many walls being leaned on at once, is seen in the bear without shapes.

    python examples/23_bear.py --out out/bear
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.figure import Figure, JointKind, Trajectory
from hitogata.library import bear
from hitogata.pictures import Camera, draw_figure
from hitogata.sim import World

H, STEPS, SETTLE = 1 / 60, 240, 60  # step [s], steps of the motion, steps before it
MOTORS = {"waist": (150.0, 15.0), "neck": (20.0, 3.0), "shoulder": (8.0, 1.5), "elbow": (8.0, 1.5), "wrist": (8.0, 1.5)}
GOALS = {  # frame: where it wants to be beside the pointer [m], stiffness [N/m], damping [N s/m]
    "palm_left": ((0.0, 0.07, 0.0), 250.0, 30.0),
    "palm_right": ((0.0, -0.07, 0.0), 250.0, 30.0),
    "nose_tip": ((0.0, 0.0, 0.1), 40.0, 6.0),
}
SWEEP = np.radians(115) * np.clip(np.arange(-SETTLE, STEPS) / STEPS * 2 - 1, -1, 1)  # from its right to its left
POINTER = np.stack([0.55 * np.cos(SWEEP), 0.7 * np.sin(SWEEP), np.full(len(SWEEP), 0.85)], 1)
RANGED, LOOSE = bear(fixed_base=True), bear(fixed_base=True, ranges=False)
BALLS = {link.name: link.joint.range for link in RANGED.links if link.joint.kind is JointKind.BALL}
COLOURS = {"snout": "#e6cba8", **dict.fromkeys(("nose", "eye_left", "eye_right"), "#2f2622")}


def chase(figure: Figure) -> tuple[Trajectory, np.ndarray]:
    """The motion, and what each step took [s]."""
    world = World()
    animal = world.add(figure)
    animal.set_motor(600.0, 40.0)  # legs; stiffness [N m/rad], damping [N m s/rad]
    for name in figure.joint_names:
        if name.split("_")[0] in MOTORS:
            animal.set_motor(*MOTORS[name.split("_")[0]], [name])
    ties = [world.add_spring((animal, f), POINTER[0] + at, stiffness=k, damping=d) for f, (at, k, d) in GOALS.items()]
    rows, times = [], []
    for pointer in POINTER:
        for tie, (at, _, _) in zip(ties, GOALS.values(), strict=True):
            tie.move_anchor(pointer + at)
        start = time.perf_counter()
        world.step(H)
        times.append(time.perf_counter() - start)
        rows.append((animal.q, animal.v))
    q, v = (np.array(column)[SETTLE:] for column in zip(*rows, strict=True))
    motion = Trajectory(H * np.arange(1, STEPS + 1), q, v, {"pointer": POINTER[SETTLE:]}, figure.name)
    return motion, np.array(times[SETTLE:])


def beyond(motion: Trajectory) -> dict[str, np.ndarray]:
    """How far each ball joint is beyond its range, by link, in each frame [deg]."""
    found = {link: limit.violation(motion.q[:, RANGED.q_slice(link)]) for link, limit in BALLS.items()}
    return {link: np.degrees(np.maximum(f.swing_depth, f.twist_depth)) for link, f in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="A bear reaches after a pointer.")
    parser.add_argument("--out", type=Path, default=Path("out/bear"), help="folder for picture and motions")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    sheet = Sheet(figsize=(13, 5.4), layout="constrained", facecolor="white")
    figures, camera = {"with ranges of motion": RANGED, "without": LOOSE}, Camera(0.0, np.radians(10))
    for name, figure in list(figures.items()):
        figures[f"{name}, no shapes"] = Figure.from_links("bare", [replace(n, shapes=()) for n in figure.links])
    runs = [{name: chase(figure) for name, figure in figures.items()} for _ in range(15)]  # in turn, for fair times
    print(f"{RANGED}, {len(BALLS)} ranges of motion, three goals, {STEPS} steps of {H * 1e3:.1f} ms\n")
    print(f"{'':32}{'worst joint beyond range':>26}{'impossible poses':>19}{'one step takes':>17}")
    for name, ax in zip(figures, (*sheet.subplots(2, 1), None, None), strict=True):
        motion, depth = runs[0][name][0], beyond(runs[0][name][0])
        worst, step = np.max(list(depth.values()), axis=0), np.min([run[name][1] for run in runs], axis=0).mean()
        print(f"{name:32}{worst.max():24.2f} °{(worst > 1).sum():19d}{step * 1e6:14.1f} µs")
        assert (worst.max() < 1.0) if name.startswith("with ") else (worst.max() > 30.0)
        if ax is None:
            continue
        for k, frame in enumerate(np.linspace(0, STEPS - 1, 7).astype(int)):
            red = {link: "#e0525f" for link, d in depth.items() if d[frame] > 1}
            draw_figure(ax, LOOSE, motion.q[frame], camera=camera, shift=(1.6 * k, 0), colours=COLOURS | red)
            x, y, _ = camera.project(motion.channels["pointer"][frame])
            ax.plot(x + 1.6 * k, y, "o", color="#1f3b73", ms=8, mec="white", zorder=9)
        ax.set(aspect="equal", xlim=(-0.85, 10.45), ylim=(-0.1, 1.3))
        ax.set_title(name if figures[name] is RANGED else f"{name}: red is where no bear can bend", loc="left")
        ax.axis("off")
        motion.save(out / f"{name.split()[0]}.npz")
    sheet.savefig(out / "bear.png", dpi=110)
    print(f"\npicture: {out / 'bear.png'}")


if __name__ == "__main__":
    main()
