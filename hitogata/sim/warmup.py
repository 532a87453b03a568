"""What `hitogata warmup` compiles for this room."""

from collections.abc import Callable, Iterator
from functools import partial


def warm() -> Iterator[tuple[str, Callable[[], object]]]:
    """The step of a world, and reading its forces."""
    from hitogata.figure import Box, Cylinder
    from hitogata.library import chain, human28
    from hitogata.sim.coordinates import ContactMethod, Coordinates
    from hitogata.sim.settings import Settings
    from hitogata.sim.world import World

    world = World()

    def stand() -> None:
        world.add_ground()
        human = world.add(human28())
        human.set_motor(2000.0, 30.0)
        world.step(1 / 60)
        assert len(human.v)  # the velocities at the end of a step are found when asked for

    yield "sim: the world's step", stand
    yield "sim: forces of joints", lambda: world.members[0].joint_forces()

    def hang() -> None:
        loose = World(coordinates=Coordinates.MAXIMAL)
        loose.add(chain(2))
        loose.step(1 / 60)

    yield "sim: the step in maximal coordinates", hang

    def roll() -> None:
        shaped = World()
        shaped.add_ground()
        shaped.add_body(Cylinder(0.1, 0.1), mass=1.0)
        shaped.step(1 / 60)

    yield "sim: the step with meshes and terrain", roll

    def stand_by_states() -> None:
        stated = World(settings=Settings(contacts=ContactMethod.STATES))
        stated.add_ground()
        stated.add_body(Box((0.1, 0.1, 0.1)), mass=1.0)
        stated.step(1 / 60)

    yield "sim: the step with contact by states", stand_by_states
    for dtype in ("float64", "float32"):
        yield f"sim: worlds side by side ({dtype})", partial(_side_by_side, dtype)


def _side_by_side(dtype: str) -> None:
    from hitogata.library import human28
    from hitogata.sim.batch import WorldBatch
    from hitogata.sim.world import World

    world = World()
    world.add_ground()
    world.add(human28())
    WorldBatch(world, 2, dtype=dtype).step(1 / 60)
