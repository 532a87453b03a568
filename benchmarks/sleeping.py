"""What a step costs once all is at rest, with and without sleep: stacks of boxes, and limp human28 in a pit."""

import time

import numpy as np

from benchmarks.heap import DAMPING, H, starts, walls
from benchmarks.timing import table
from hitogata.figure import Box, Pose, State
from hitogata.library import human28
from hitogata.sim import Settings, World

AFTER, SPEED, LONGEST, STEPS = 0.5, 0.05, 40.0, 100


def stacks(count: int, settings: Settings) -> World:
    """So many boxes, five above each other."""
    world = World(settings=settings)
    world.add_ground()
    for k in range(count):
        column, level = divmod(k, 5)
        place = 0.5 * (column % 10), 0.5 * (column // 10), 0.1 + 0.2 * level
        world.add_body(Box((0.1, 0.1, 0.1)), density=500.0, pose=Pose(place))
    return world


def heap(count: int, settings: Settings) -> World:
    """Figures above a pit, as in `benchmarks.heap`."""
    world, figure = World(settings=settings), human28()
    world.add_ground()
    q, half = starts(count)
    for size, place in walls(half):
        world.add_ground(Box(size, pose=Pose(place)))
    for row in q:
        world.add(figure, State(row, np.zeros(figure.nv))).set_motor(0.0, DAMPING)
    return world


def cost(world: World) -> float:
    """Processor time per step [s]."""
    begin = time.process_time()
    for _ in range(STEPS):
        world.step(H)
    return (time.process_time() - begin) / STEPS


def main() -> None:
    rows = []
    for name, make, counts, settle in (("boxes", stacks, (200,), 2.0), ("human28", heap, (10, 30, 100), 20.0)):
        for count in counts:
            awake, sleepy = make(count, Settings()), make(count, Settings(sleep_after=AFTER, sleep_speed=SPEED))
            awake.step(H, steps=round(settle / H))
            sleepy.restore(awake.save())
            while sleepy.time < LONGEST and len(sleepy.asleep) < count:
                sleepy.step(H)
            without, asleep = cost(awake), f"{len(sleepy.asleep)} at {sleepy.time:.1f} s"
            rows.append([name, str(count), asleep, f"{1e6 * without:.0f}", f"{1e6 * cost(sleepy):.1f}"])
    table("One step at rest, h = 1/60 s, processor time", ["", "count", "asleep", "µs without", "µs with sleep"], rows)


if __name__ == "__main__":
    main()
