"""Contact by hypothesis and validity: a box tips over its edge and falls flat; a puck slides and spins.

Each contact says how much of it presses (point, line, surface), how it holds (stick, pivot, slide) and what changed.

    python examples/42_contact_states.py --out out/contact_states
"""

import argparse
import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.figure import Box, Figure, FigureBuilder, Pose, Sphere, State, Trajectory, joint
from hitogata.loops.contacts import ContactStage
from hitogata.pictures import Actor, Arrows, Camera, write_replay

H, RED, BLUE = 1e-3, "#b03a2e", "#1f5f8b"


def thing(name: str, shapes: list) -> Figure:
    builder = FigureBuilder(name)
    builder.add(name, None, joint.free(), shapes=shapes, total_mass=2.0)
    return builder.build()


def run(figure: Figure, state: State, seconds: float, friction: float) -> tuple[Trajectory, list, int]:
    """The motion, what its contact was in each step, and the most passes a step took."""
    stage, states, seen, passes = ContactStage(figure, friction=friction), [state], [], 0
    for _ in range(round(seconds / H)):
        step = stage.step(states[-1], H)
        assert step.unresolved == 0
        passes = max(passes, step.passes, step.impact_passes)
        states.append(step.state)
        seen.append(step.contacts)
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    return Trajectory(H * np.arange(len(q)), q, v, figure_name=figure.name), seen, passes


def tell(name: str, seen: list) -> None:
    """Print every change of state."""
    last = None
    for k, contacts in enumerate(seen):
        now = [(c.state.name, c.slip.name) for c in contacts]
        if now != last:
            why = ", ".join(str(c.change).removeprefix("Change.") for c in contacts) or "nothing touches"
            print(f"  {name} {k * H:.3f} s: {' '.join('/'.join(n).lower() for n in now) or '-'}   ({why.lower()})")
        last = now


def tipping() -> tuple[Figure, Trajectory, list, int]:
    figure, lean = thing("box", [Box((0.05, 0.1, 0.2))]), 0.3
    q = figure.neutral()
    q[2], q[3:] = math.sin(lean) * 0.05 + math.cos(lean) * 0.2, (math.cos(lean / 2), 0, math.sin(lean / 2), 0)
    return figure, *run(figure, State(q, np.zeros(6)), 0.9, 0.8)


def puck(spin: float) -> tuple[Figure, Trajectory, list, int]:
    """A disc on a ring of small feet, sliding at 1 m/s."""
    around = 2 * math.pi * np.arange(12) / 12
    figure = thing("puck", [Sphere(0.01, pose=Pose((0.1 * math.cos(w), 0.1 * math.sin(w), 0))) for w in around])
    q = figure.neutral()
    q[2] = 0.01
    return figure, *run(figure, State(q, np.array([0, 0, spin, 1.0, 0, 0])), 0.9, 0.2)


def arrows(seen: list, count: int) -> Arrows:
    """Forces at the balance points of the pressure."""
    frames = [[(c.pressure, c.force) for c in contacts] for contacts in seen]
    return Arrows.ragged("forces", [*frames, *[[]] * (count - len(frames))], scale=0.01)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/contact_states"))
    (out := parser.parse_args().out).mkdir(parents=True, exist_ok=True)
    runs = {"box": tipping(), "puck": puck(0.0), "spinning puck": puck(25.0)}
    for name, (_, _, seen, passes) in runs.items():
        tell(name, seen)
        assert passes <= 3
    left, right = (sheet := Sheet(figsize=(11, 4), layout="constrained")).subplots(1, 2)
    _, motion, seen, _ = runs["box"]
    left.plot(motion.time[1:], [c[0].state.value if c else 0 for c in seen], color=RED)
    names = ["none", "point", "line", "surface"]
    left.set(xlabel="time [s]", title="A tipping box", yticks=range(4), yticklabels=names)
    for name, colour in (("puck", BLUE), ("spinning puck", RED)):
        right.plot(runs[name][1].time, runs[name][1].v[:, 3], color=colour, label=name)
    right.set(xlabel="time [s]", ylabel="speed across [m/s]", title="Spinning, it slides on for longer")
    right.legend(frameon=False)
    sheet.savefig(out / "contact_states.png", dpi=110)
    actors = [Actor(f, m, label=n, offset=(0, 0.6 * k, 0), overlays=[arrows(s, len(m))])
              for k, (n, (f, m, s, _)) in enumerate(runs.items())]  # fmt: skip
    write_replay(out / "contact_states.html", actors, title="Contact states", camera=Camera(azimuth=np.radians(-50)))
