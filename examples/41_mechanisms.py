"""Closed loops: a four-bar, and a wheel on a gimbal; virtual links close what a tree of joints leaves open.

    python examples/41_mechanisms.py --out out/mechanisms
"""

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.dynamics import energy, frame_position
from hitogata.figure import Capsule, Figure, FigureBuilder, Frame, MassProperties, Pose, State, Trajectory, joint
from hitogata.loops import Links, closed, constrained_dynamics, gimbal, hinge, link_rows, move
from hitogata.pictures import Actor, Camera, write_replay

H, STEPS, EVERY, Y = 5e-4, 10000, 20, (0, 1, 0)
LENGTHS = {"crank": 0.2, "coupler": 0.5, "rocker": 0.4}
GROUND = (0.5, 0, 0.8)


def four_bar() -> tuple[Figure, Links, State]:
    """Three bars in a chain, on the ground at one end; a hinge that comes last fixes the other."""
    b, parent, place = FigureBuilder("four-bar"), None, Pose((0, 0, 0.8))
    for name, length in LENGTHS.items():
        bar, moment = Capsule.between((0, 0, 0), (length, 0, 0), 0.015), length**2 / 6
        mass = MassProperties.principal(2.0, (length / 2, 0, 0), (moment / 50, moment, moment))
        tip = Frame(f"{name}_tip", Pose((length, 0, 0)))
        b.add(name, parent, joint.hinge(axis=Y, parent_frame=place), mass, shapes=[bar], frames=[tip])
        parent, place = name, Pose((length, 0, 0))
    links, _ = Links(figure := b.build()).add(hinge("rocker_tip", axis=Y, parent_point=GROUND))
    return figure, links, closed(links, State(np.array([-1.2, 0.8, 2.0]), np.array([6.0, 0, 0])))


def wheel() -> tuple[Figure, Links, State]:
    """A spinning disc, its axle held by a gimbal at one end: it does not fall, it walks round."""
    b = FigureBuilder("wheel")
    round_ = [(0, 0.12 * np.cos(w), 0.12 * np.sin(w)) for w in np.linspace(0, 2 * np.pi, 13)]
    rim = [Capsule.between(*pair, 0.01) for pair in pairwise(round_)]
    axle = Capsule.between((-0.15, 0, 0), (0, 0, 0), 0.008)
    b.add("axle", None, joint.free(rest=(0.15, 0, 0.8, 1, 0, 0, 0)),
          MassProperties.principal(0.02, (-0.07, 0, 0), (1e-5, 1e-4, 1e-4)), shapes=[axle])  # fmt: skip
    b.add("disc", "axle", joint.hinge(axis=(1, 0, 0)), MassProperties.principal(1.0, (0, 0, 0), (0.012, 0.006, 0.006)),
          shapes=rim)  # fmt: skip
    figure = b.build()
    hold = gimbal("axle", axis=Y, parent_axis=(0, 0, 1), child_point=(-0.15, 0, 0), parent_point=(0, 0, 0.8))
    v = np.zeros(figure.nv)
    v[6] = 60.0
    return figure, *(made := (Links(figure).add(hold)[0],)), closed(made[0], State(figure.neutral(), v))


def run(figure: Figure, links: Links, state: State, tip: str, ax: object) -> Trajectory:
    """Five seconds; what the loop's closing row drifts by, and what happens to energy."""
    moved = move(links, state, H, steps=STEPS, every=EVERY)
    off, level = np.abs(link_rows(links, moved.q).value).max(), energy(figure, moved.q, moved.v).total
    gain, rank = np.abs(level - level[0]).max(), constrained_dynamics(links, state.q, state.v).rank
    print(f"{figure.name}: {links.held} rows, {rank} of them independent; drift {off:.0e}, energy within {gain:.0e} J")
    assert max(off, gain) < 1e-6
    path = frame_position(figure, moved.q, tip)
    ax.plot(path[:, 0] if tip != "axle" else path[:, 1], path[:, 2] if tip != "axle" else path[:, 0], lw=1)
    ax.set(aspect="equal", title=f"{figure.name}: path of {tip}")
    return moved


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/mechanisms"))
    (out := parser.parse_args().out).mkdir(parents=True, exist_ok=True)
    axes = (sheet := Sheet(figsize=(9, 4), layout="constrained")).subplots(1, 2)
    actors = []
    for k, (made, tip) in enumerate(((four_bar(), "coupler_tip"), (wheel(), "axle"))):
        actors.append(Actor(made[0], run(*made, tip, axes[k]), label=made[0].name, offset=(0, -0.9 * k, 0)))
    sheet.savefig(out / "mechanisms.png", dpi=110)
    write_replay(out / "mechanisms.html", actors, title="Closed loops", camera=Camera(azimuth=np.radians(-70)))
