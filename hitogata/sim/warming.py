"""What `hitogata warmup` compiles for this room."""

from collections.abc import Callable, Iterator


def warm() -> Iterator[tuple[str, Callable[[], object]]]:
    """The step of a world, and reading its forces."""
    from hitogata.figure import Cylinder
    from hitogata.library import chain, human28
    from hitogata.sim.coordinates import Coordinates
    from hitogata.sim.world import World

    world = World()

    def stand() -> None:
        world.add_ground()
        world.add(human28()).set_motor(2000.0, 30.0)
        world.step(1 / 60)

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
