"""A scene as a hitogata world, with the settings everybody gets."""

import time

import numpy as np

from benchmarks.scenes.scene import Array, Scene
from hitogata.errors import HitogataError
from hitogata.figure import State
from hitogata.sim import ContactMethod, Settings, World


class WorldRun:
    """A world that moves on; `states` of all items, one after the other."""

    def __init__(self, scene: Scene, h: float, by_states: bool = False) -> None:
        settings = Settings(contacts=ContactMethod.STATES) if by_states else Settings()
        self.world, self.h = World(gravity=(0.0, 0.0, -scene.gravity), settings=settings), h
        for shape in scene.fixed:
            self.world.add_ground(shape, friction=scene.friction, restitution=scene.restitution)
        self.members = []
        for item in scene.items:
            options = {} if item.touching else {"mask": 0}
            member = self.world.add(item.figure, State(item.q, item.v), friction=scene.friction,
                                    restitution=scene.restitution, **options)  # fmt: skip
            self.members.append(member)
            if item.damping:
                member.set_motor(0.0, item.damping)
        for item, member in zip(scene.items, self.members, strict=True):
            if item.push is not None:
                member.push(item.push)

    def advance(self, steps: int) -> float:
        """Processor time of so many steps [s]; NaN if it gave up."""
        begin = time.process_time()
        try:
            self.world.step(self.h, steps=steps)
        except HitogataError:
            return float("nan")
        return time.process_time() - begin

    def state(self) -> tuple[Array, Array]:
        """q and v of all items, one after the other."""
        return np.concatenate([m.q for m in self.members]), np.concatenate([m.v for m in self.members])

    def told(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Samples in hitogata's conventions: they are already."""
        return q, v
