"""A figure walks by its own torques, in contact: springs in its joints follow a walk, made here or captured.

Targets of the springs are searched for window by window, then feedback on top of them; nothing else holds the figure.
Then it walks, and is pushed on the way.

    python examples/43_walking.py --out out/walking
    python examples/43_walking.py --bvh walk.bvh --start 0.05 --end 3.8 --rounds 8
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet
from walking import HUMAN, walk

from hitogata.dynamics import difference
from hitogata.figure import Trajectory
from hitogata.files import read_bvh
from hitogata.loops.adapting import AdaptSettings, adapt
from hitogata.loops.contacts import ContactStage
from hitogata.motion import clean_feet, cut, level_feet, retarget_bvh
from hitogata.pictures import Actor, Arrows, Camera, draw_figure, write_replay

H, PUSH, AT = 1 / 480, 5.0, 1.0  # [s], [N s] over 0.1 s, [s]


def captured(path: Path, start: float, end: float) -> Trajectory:
    """A walk of a file on human28, feet flat where they rest, and not sliding."""
    motion = retarget_bvh(read_bvh(path), HUMAN).trajectory
    levelled = level_feet(HUMAN, cut(HUMAN, motion, start, min(end, motion.time[-1])))
    cleaned = clean_feet(HUMAN, levelled.trajectory)
    print(levelled, cleaned, sep="\n")
    return cleaned.trajectory


def go(adapted, push: float) -> tuple[Trajectory, list, float]:
    """The walk, its contacts, and the largest joint error [rad]."""
    guide, states, seen, worst = adapted.guide(ContactStage(HUMAN)), [], [], 0.0
    while not guide.done:
        wrenches = np.zeros((HUMAN.nlinks, 6))
        if AT <= guide.count * H < AT + 0.1:
            wrenches[HUMAN.link_index("chest"), 4] = push / 0.1  # to the left
        step = guide.step(wrenches=wrenches)
        states.append(step.state)
        seen.append([(c.pressure, c.force) for c in step.contacts])
        off = difference(HUMAN, step.state.q, guide.reference.q[guide.count])
        worst = max(worst, float(np.abs(off[6:]).max()))
        if step.state.q[2] < 0.6:
            break
    time = H * np.arange(1, len(states) + 1)
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    return Trajectory(time, q, v, figure_name=HUMAN.name), seen, worst


def strip(motions: dict[str, Trajectory], path: Path) -> None:
    """Both walks from the side, a picture every 0.3 s."""
    sheet = Sheet(figsize=(12, 2.9 * len(motions)), layout="constrained")
    for ax, (name, motion) in zip(sheet.subplots(len(motions), squeeze=False)[:, 0], motions.items(), strict=True):
        for k, i in enumerate(range(0, len(motion), round(0.3 / H))):
            q = motion.q[i].copy()
            q[:2] = 0.0
            draw_figure(ax, HUMAN, q, camera=Camera(np.radians(-80), 0.05), shift=(0.75 * k, 0), zorder=k)
        ax.set(aspect="equal", xlim=(-0.6, 0.75 * k + 0.6), ylim=(-0.1, 1.9), xticks=[], yticks=[], title=name)
        ax.axhline(0, color="#888", linewidth=0.6, zorder=-1)
    sheet.savefig(path, dpi=90)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/walking"))
    parser.add_argument("--bvh", type=Path, help="a captured walk; without it one is made")
    parser.add_argument("--start", type=float, default=0.05, help="of the part to walk [s]")
    parser.add_argument("--end", type=float, default=3.8)
    parser.add_argument("--rounds", type=int, default=3, help="of the search: more are better and slower")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    motion = captured(given.bvh, given.start, given.end) if given.bvh else walk(3.3)
    settings = AdaptSettings(rounds=given.rounds, samples=400, refinements=2, fit_samples=250)
    adapted = adapt(ContactStage(HUMAN), motion, H, settings=settings,
                    progress=lambda what, k, n, cost: print(f"{what} {k} of {n}: {cost:.2f}", flush=True))  # fmt: skip
    walks = {"alone": go(adapted, 0.0), f"pushed by {PUSH:g} N s": go(adapted, PUSH)}
    for name, (path, seen, worst) in walks.items():
        air = sum(not contacts for contacts in seen) * H
        ended = "walked" if path.q[-1, 2] > 0.75 else "fell after"
        print(f"{name}: {ended} {path.time[-1]:.2f} s, {air:.2f} s of it in the air; joints within {worst:.2f} rad")
    asked = Trajectory(H * np.arange(len(adapted.reference)), adapted.reference.q, adapted.reference.v)
    strip({"asked for": asked, **{name: path for name, (path, _, _) in walks.items()}}, given.out / "walking.png")
    actors = [Actor(HUMAN, asked, label="asked for", opacity=0.35)]
    for k, (name, (path, seen, _)) in enumerate(walks.items()):
        forces = Arrows.ragged("forces", seen, scale=0.001)
        actors.append(Actor(HUMAN, path, label=name, offset=(0, -1.2 * k, 0), overlays=[forces]))
    write_replay(given.out / "walking.html", actors, title="Walking", camera=Camera(azimuth=np.radians(-60)))
    assert walks["alone"][0].time[-1] > 3.0
    assert walks["alone"][0].q[-1, 2] > 0.75
