"""Thin things that fly against a thin wall."""

import itertools
from collections.abc import Iterator

import numpy as np

from benchmarks.scenes.scene import Scene, Trace, Verdict, body
from hitogata.figure import Box, Capsule, Shape

SPEEDS = (10.0, 30.0, 100.0, 300.0)
COUNT = 30
ROD, PLATE = Capsule(0.003, 0.2), Box((0.1, 0.1, 0.002))


def scenes() -> Iterator[Scene]:
    """All of them."""
    for (name, shape), speed in itertools.product((("rods", ROD), ("plates", PLATE)), SPEEDS):
        yield flying(f"{name}_{speed:g}", shape, speed)


def flying(name: str, shape: Shape, speed: float) -> Scene:
    """Thirty of them side by side, turned at random, against a wall of 10 mm."""
    rng, items = np.random.default_rng(round(speed)), []
    for k in range(COUNT):
        quat = rng.normal(size=4)
        place, turn = (-0.5 - rng.uniform(0, 0.3), k - COUNT / 2, 0), tuple(quat / np.linalg.norm(quat))
        items.append(body(shape, 0.1, place, turn, velocity=(speed, 0, 0)))
    wall = Box((0.005, COUNT, 2.0))

    def judge(trace: Trace) -> Verdict:
        passed = int((trace.places[:, :, 0] > 0.025).any(axis=0).sum())
        return Verdict(100 * passed / COUNT, f"{passed} of {COUNT}")

    seconds = max(1.3 / speed, 0.1)
    about = f"share that passes a wall of 10 mm at {speed:g} m/s"
    return Scene(name, tuple(items), judge, "%", 0.0, about, fixed=(wall,), gravity=0.0, seconds=seconds, kind="fast")
