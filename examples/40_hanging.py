"""Hang by two hands, by one, by none: constraints that come and go, with their forces (Nakamura & Yamane 2000).

Hands on a bar are virtual links; letting go removes one.  The other grip is pulled until it breaks at 1000 N, and the
figure falls to the ground.  Its coordinates stay the same all the time.

    python examples/40_hanging.py --out out/hanging
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.dynamics import forward_kinematics, frame_position, link_accelerations, link_velocities
from hitogata.figure import Capsule, Figure, State, Trajectory
from hitogata.library import human40
from hitogata.loops import Links, grasp, here
from hitogata.loops.contacts import ContactStage
from hitogata.loops.servo import servo
from hitogata.pictures import Actor, Arrows, Camera, Caption, draw_figure, write_replay

H, SECONDS, LET_GO, LIMIT, G = 2e-3, 4.0, 1.2, 1000.0, np.array([0.0, 0.0, -9.81])
SIDES, COLOURS = ("left", "right"), {"left": "#b03a2e", "right": "#1f5f8b", "ground": "#6b6f78"}
CAMERA = Camera(azimuth=np.radians(-38), elevation=np.radians(8))


def push_of_mass(figure: Figure, state: State, vdot: np.ndarray) -> np.ndarray:
    """Mass times acceleration of the centre of mass, link by link."""
    turns = forward_kinematics(figure, state.q).rotation
    a, w = link_accelerations(figure, state.q, state.v, vdot), link_velocities(figure, state.q, state.v)[:, :3]
    arm = np.einsum("kij,kj->ki", turns, [link.mass.centre for link in figure.links])
    centre = a[:, 3:] + np.cross(a[:, :3], arm) + np.cross(w, np.cross(w, arm))
    return np.array([link.mass.mass for link in figure.links]) @ centre


def hang(figure: Figure) -> tuple[Trajectory, dict[str, np.ndarray], float, float]:
    """The motion; the forces on hands and from the ground; when the grip broke; worst error of the momentum balance."""
    q = figure.neutral()
    q[2] += 1.15
    for side, y in zip(SIDES, (1, -1), strict=True):
        q[figure.q_slice(f"shoulder_{side}")] = np.array((0.08 * y, 0, 0.99, 0.05)) / np.linalg.norm((0.08, 0.99, 0.05))
        q[figure.q_slice(f"elbow_{side}")] = -0.1
    links, handles, soft = Links(figure), {}, servo(figure, 120.0, 12.0, H)
    for side in SIDES:
        links, handles[side] = links.add(here(figure, q, grasp(f"palm_{side}", bar=(0, 1, 0), force_limit=LIMIT)))
    stage, state, legs = ContactStage(links, friction=0.8), State(q, np.zeros(figure.nv)), [f"hip_{s}" for s in SIDES]
    rows, forces, pull, broke, worst = [], [], np.zeros((figure.nlinks, 6)), np.inf, 0.0
    for k in range(round(SECONDS / H)):
        t, goal = k * H, q.copy()
        for hip in legs:  # swinging the legs a little
            goal[figure.q_slice(hip)] = (np.cos(0.2 * np.sin(5 * t)), 0, -np.sin(0.2 * np.sin(5 * t)), 0)
        if len(stage.links) == 2 and t >= LET_GO:
            stage.hold(stage.links.remove(handles["left"]))
        pull[figure.link_index("pelvis"), 5] = -400.0 * max(t - 2.0, 0.0) if t < broke else 0.0
        step = stage.step(state, H, soft.torques(state, goal), wrenches=pull, figure=soft.body)
        broke = min([broke, *(t for _ in step.broken)])
        on = {s: links[h].parent_pose.rotation @ step.wrench(h)[3:] if h in step.links else np.zeros(3)
              for s, h in handles.items()}  # fmt: skip
        on["ground"] = np.sum([c.force for c in step.contacts if c.other is None] or [np.zeros(3)], axis=0)
        total = sum(on.values()) + pull[:, 3:].sum(axis=0) + figure.mass * G
        if not step.impact_steps:  # an impact is an impulse besides
            worst = max(worst, np.abs(total - push_of_mass(figure, state, step.vdot)).max())
        state = step.state
        rows.append((state.q, state.v))
        forces.append(on)
    q, v = (np.array(column) for column in zip(*rows, strict=True))
    motion = Trajectory(H * np.arange(1, len(rows) + 1), q, v, {}, figure.name)
    return motion, {s: np.array([f[s] for f in forces]) for s in forces[0]}, broke, worst


def draw(figure: Figure, motion: Trajectory, forces: dict[str, np.ndarray], broke: float, folder: Path) -> None:
    above, below = (sheet := Sheet(figsize=(12, 8), layout="constrained")).subplots(2, 1, height_ratios=(3, 2))
    bar = np.array([[0, -0.5, 0], [0, 0.5, 0]]) + frame_position(figure, motion.q[0], "palm_left") * (1, 0, 1)
    for k, t in enumerate((0.1, 1.15, 1.6, 2.6, broke + 0.25, 3.95)):
        draw_figure(above, figure, motion.q[round(t / H) - 1], camera=CAMERA, shift=(1.15 * k, 0), zorder=2 + k)
        above.plot(*(CAMERA.project(bar) + (1.15 * k, 0, 0)).T[:2], color="#444950", lw=4, zorder=1)
        above.text(1.15 * k, -0.32, f"{t:.2f} s", ha="center")
    above.set_title(f"Two hands; one, from {LET_GO} s; pulled until the grip breaks at {LIMIT:g} N")
    above.set(aspect="equal", frame_on=False, xticks=[], yticks=[])
    for name, f in forces.items():
        below.plot(motion.time, f[:, 2], color=COLOURS[name], label=name, lw=1.4)
    below.set(xlabel="time [s]", ylabel="upward force [N]", ylim=(-100, 2000), xlim=(0, SECONDS))
    below.legend(frameon=False, loc="upper left")
    sheet.savefig(folder / "hanging.png", dpi=110)
    palms = np.stack([frame_position(figure, motion.q, f"palm_{s}") for s in SIDES], 1)
    arrows = [Arrows("grips", palms, np.stack([forces[s] for s in SIDES], 1), scale=1e-3)]
    said = [(0, LET_GO, "two hands"), (LET_GO, broke, "one hand, pulled down"), (broke, SECONDS, "none")]
    page = {"captions": [Caption(*c) for c in said], "scenery": [Capsule.between(*bar, 0.015)], "camera": CAMERA}
    write_replay(folder / "hanging.html", Actor(figure, motion, overlays=arrows), title="Hanging, letting go", **page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/hanging"))
    (out := parser.parse_args().out).mkdir(parents=True, exist_ok=True)
    motion, forces, broke, worst = hang(human40())
    print(f"the grip broke after {broke:.3f} s; momentum is balanced within {worst:.1e} N")
    assert worst < 1e-8, "momentum"
    draw(human40(), motion, forces, broke, out)
