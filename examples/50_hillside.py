"""Shapes on a hillside: barrels, hulls, eggs and a ragdoll on a height field.

python examples/50_hillside.py --out out/hillside
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hitogata.figure import Box, ConvexMesh, Cylinder, Ellipsoid, HeightField, Pose, State
from hitogata.library import human28
from hitogata.pictures import Actor, Camera, draw_figure, draw_terrain, write_replay
from hitogata.sim import World

SECONDS, RATE = 4.0, 120


def hillside() -> HeightField:
    """A slope of 20° with bumps, a flat, and a bank behind it and at the sides, which keeps what rolls."""
    x, y = np.meshgrid(np.linspace(-4, 4, 65), np.linspace(-3, 3, 49))
    slope = np.tan(np.radians(20)) * np.maximum(-x, 0)
    bumps = 0.06 * np.sin(3 * x) * np.cos(2.5 * y) * np.exp(-0.1 * x * x)
    bank = 0.8 * np.maximum(x - 2.8, 0) + 0.8 * np.maximum(np.abs(y) - 2.4, 0)
    return HeightField(slope + bumps + bank, (4.0, 3.0), name="hillside")


def stone(rng: np.random.Generator) -> ConvexMesh:
    """The hull of 24 points about an ellipsoid."""
    points = rng.normal(size=(24, 3))
    return ConvexMesh(points / np.linalg.norm(points, axis=1, keepdims=True) * [0.25, 0.2, 0.14])


def hammer() -> list[Box | Cylinder]:
    """A body of two shapes."""
    lying = Pose((0, 0, 0.3), (np.sqrt(0.5), np.sqrt(0.5), 0, 0))
    return [Cylinder(0.03, 0.25), Box((0.08, 0.06, 0.14), pose=lying)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/hillside"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    rng, ground, world = np.random.default_rng(3), hillside(), World()
    world.add_ground(ground, friction=0.7)
    colours, members = [], []
    for k in range(12):
        shapes, colour = [
            (Cylinder(0.15, 0.22), "#b5783c"), (stone(rng), "#8a8f98"), (Ellipsoid((0.14, 0.14, 0.2)), "#e0d3a8"),
            (hammer(), "#6d84a8"),
        ][k % 4]  # fmt: skip
        at = (-3.0 + 0.9 * (k // 4), -1.8 + 1.2 * (k % 4) + rng.uniform(-0.2, 0.2), 2.2 - 0.25 * (k // 4))
        turn = rng.normal(size=4)
        members.append(world.add_body(shapes, density=400.0, pose=Pose(at, tuple(turn / np.linalg.norm(turn)))))
        colours.append(colour)
    human = human28()
    q = human.neutral()
    q[:3] = -1.6, 0.6, 1.9
    doll = world.add(human, State(q, np.zeros(human.nv)))
    doll.set_motor(30.0, 2.0)
    recording = world.record(every=4)
    world.step(1 / RATE, steps=int(SECONDS * RATE))
    assert all(np.isfinite(m.q).all() for m in world.members)
    depth = -min(contact.gap for contact in world.contacts())
    assert depth < 0.01, f"something sank in by {depth:.3f} m"

    members.append(doll)
    colours.append("#c8956c")
    camera = Camera(np.radians(-50), np.radians(24))
    figure, axes = plt.subplots(figsize=(9, 5.5))
    draw_terrain(axes, ground, camera=camera)
    near = [float(camera.project(m.q[:3])[2]) for m in members]
    for k in np.argsort(near):
        draw_figure(axes, members[k].figure, members[k].q, camera=camera, colour=colours[k], zorder=2 + k)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.savefig(out / "hillside.png", dpi=130, bbox_inches="tight")
    actors = [Actor(m.figure, recording.trajectory(m), colour=c) for m, c in zip(members, colours, strict=True)]
    write_replay(out / "hillside.html", actors, title="Hillside", scenery=[ground], ground=False, camera=camera)
    print(f"{len(members)} bodies after {SECONDS:g} s; deepest point {1000 * depth:.2f} mm; see {out}")


if __name__ == "__main__":
    main()
