"""First use compiles: what the studio needs, step by step, so that the page can show how far it is."""

import importlib
from collections.abc import Callable, Iterator

import numpy as np

from hitogata.dynamics import energy
from hitogata.figure import ConvexMesh, Cylinder, Ellipsoid, Figure, HeightField, Sphere, State, Trajectory
from hitogata.motion import Player, Puppet
from hitogata.pictures.range_surface import range_surface
from hitogata.rom import RangeOfMotion
from hitogata.sim import ContactMethod, Settings, World
from hitogata.studio.scenery import Floor, floor_shapes
from hitogata.studio.stage import Stage

SHAPED = (ConvexMesh, Cylinder, Ellipsoid, HeightField)
"""Shapes whose contacts have a kernel of their own."""

LATER = ("hitogata.files", "hitogata.rom.fit", "hitogata.pictures.film", "matplotlib.image", "PIL.Image")
"""What files and pictures need: loaded now, so that the first button is not slow."""

Task = tuple[str, Callable[[], object]]


def tasks(figure: Figure) -> Iterator[Task]:
    """(what, task): each compiles what one part of the studio uses, or finds it compiled."""
    stage = Stage(figure)
    yield "where links are", stage.poses
    yield "pin and drag", lambda: _drag(figure)
    yield "the world", lambda: _step(figure)
    yield "ranges of motion", lambda: _look([edit.range for edit in stage.edits.values() if edit.range is not None])
    yield "motions", lambda: _play(figure)
    yield "files and pictures", lambda: [importlib.import_module(name) for name in LATER]
    if stage.floating:
        yield "crowds", lambda: _crowd(stage)


def shaped(figure: Figure, floor: Floor) -> bool:
    """Whether a world of these needs the kernel of `shaped_steps`."""
    own = (shape for link in figure.links for shape in link.shapes)
    return any(isinstance(shape, SHAPED) for shape in (*own, *floor_shapes(floor)))


def shaped_steps() -> None:
    """Compile what only meshes, cylinders, ellipsoids and hills need."""
    world = World()
    world.add_ground(floor_shapes(Floor.HILLS)[0])
    world.add_body(Sphere(0.1), mass=1.0)
    world.step(1 / 60)


def stated_steps(shaped: bool) -> None:
    """Compile contact by states; `shaped`: with meshes, cylinders, ellipsoids and hills."""
    world = World(settings=Settings(contacts=ContactMethod.STATES))
    world.add_ground(floor_shapes(Floor.HILLS if shaped else Floor.FLAT)[0])
    world.add_body(Sphere(0.1), mass=1.0)
    world.step(1 / 60)


def _drag(figure: Figure) -> None:
    puppet = Puppet(figure)
    puppet.drag(figure.link_names[-1])
    puppet.step(1 / 60)


def _step(figure: Figure) -> None:
    world = World()
    world.add_ground()
    member = world.add(figure, State.rest(figure))
    world.step(1 / 60)
    world.contacts()
    member.joint_forces()
    energy(figure, member.q, member.v)


def _look(ranges: list[RangeOfMotion]) -> None:
    rest = np.array([1.0, 0.0, 0.0, 0.0])
    for range_ in ranges:
        swing, knots = range_.swing, range_.swing.knots
        range_surface(swing)
        for ask, what in ((range_.contains, rest), (range_.violation, rest), (swing.contains, knots[0]),
                          (swing.distance, knots[0]), (range_.twist_limits, knots), (range_.twist_limits, knots[0])):
            ask(what)  # fmt: skip


def _crowd(stage: Stage) -> None:
    stage.set_count(2)
    stage.poses()


def _play(figure: Figure) -> None:
    q = np.tile(figure.neutral(), (2, 1))
    motion = Trajectory(np.array([0.0, 1 / 60]), q, np.zeros((2, figure.nv)))
    player = Player(figure, motion, pins=())
    player.drag(figure.link_names[-1])
    player.advance()
    player.trajectory()
