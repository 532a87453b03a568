"""Where does the time of a step go?

human28 standing, tumbling in the air and lying on the ground, its steps measured part by part (`World.measure`), from
the same state again and again; of each part, the least time counts.
"""

from dataclasses import fields, replace

import numpy as np

from benchmarks.timing import table
from benchmarks.world_step import standing
from hitogata.figure import State
from hitogata.library import human28
from hitogata.sim import World
from hitogata.sim.step_clock import Costs

PARTS = [field.name for field in fields(Costs)[:6]]


def tumbling() -> World:
    world, figure = World(), human28()
    world.add(figure, State(figure.neutral(), 5.0 * np.random.default_rng(1).normal(size=figure.nv)))
    return world


def lying() -> World:
    world = World()
    world.add_ground()
    world.add(human28()).set_motor(0.0, 1.0)
    world.step(1 / 60, steps=600)
    return world


def least(world: World, h: float, steps: int = 60, repeats: int = 20) -> Costs:
    """Costs of steps of h [s]; of each part, the least."""
    start, costs = world.save(), world.measure(h, steps=steps)
    for _ in range(repeats):
        world.restore(start)
        again = world.measure(h, steps=steps)
        costs = replace(costs, **{name: min(getattr(costs, name), getattr(again, name)) for name in PARTS})
    return costs


def main() -> None:
    runs = {"standing, 1/240 s": (standing(human28()), 1 / 240), "tumbling, 1/240 s": (tumbling(), 1 / 240),
            "tumbling, 1/60 s": (tumbling(), 1 / 60), "lying, 1/60 s": (lying(), 1 / 60)}  # fmt: skip
    costs = {name: least(world, h) for name, (world, h) in runs.items()}
    rows = [[name, *(f"{1e6 * getattr(c, part):.2f}" for part in PARTS), f"{1e6 * c.total:.2f}"]
            for name, c in costs.items()]  # fmt: skip
    table("Parts of one step of a human28 [µs]", ["", *PARTS, "all"], rows)


if __name__ == "__main__":
    main()
