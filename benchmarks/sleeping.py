"""What a step costs once all is at rest, with and without sleep: stacks of boxes, and limp human28 in a pit."""

import time

import numpy as np

from benchmarks.heap import DAMPING, H, starts, walls
from benchmarks.timing import table
from hitogata.figure import Box, Pose, State
from hitogata.library import human28
from hitogata.sim import Settings, World

AFTER, LONGEST, STEPS = 0.5, 30.0, 100


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


def at_rest(world: World) -> tuple[float, float]:
    """After 30 s, or once all sleep: when that was [s], and what a step costs from then on [s]."""
    while world.time < LONGEST and len(world.asleep) < len(world.members):
        world.step(H)
    rested, begin = world.time, time.process_time()
    for _ in range(STEPS):
        world.step(H)
    return rested, (time.process_time() - begin) / STEPS


def main() -> None:
    rows = []
    for name, make, counts in (("boxes", stacks, (200,)), ("human28", heap, (10, 30, 100))):
        for count in counts:
            worlds = [make(count, settings) for settings in (Settings(), Settings(sleep_after=AFTER))]
            (_, awake), (rested, cost) = (at_rest(world) for world in worlds)
            asleep = len(worlds[1].asleep)
            rows.append([name, str(count), f"{asleep} after {rested:.1f} s", f"{1e6 * awake:.0f}", f"{1e6 * cost:.1f}",
                         f"{cost / awake:.4f}"])  # fmt: skip
    head = ["", "count", "asleep", "µs awake", "µs with sleep", "ratio"]
    table("One step at rest, h = 1/60 s, processor time", head, rows)


if __name__ == "__main__":
    main()
