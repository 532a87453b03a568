"""Stand, and reach a point with the left hand: many human28 at once, as a Gymnasium `VectorEnv`.

Every joint has a spring and a damper that pull it to a target; an action turns the targets away from the upright pose.
An episode ends when the figure falls, and is cut off after a while.  The reward of a step is

    r = s + exp(-(d/w)²) - c |a|²      d: from the hand to the point [m],  a: the action;  0 once it has fallen
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hitogata.dynamics import frame_position
from hitogata.figure import State
from hitogata.learn.posture import FREE, own_state, turned_targets
from hitogata.learn.task import Array, Task
from hitogata.library import human28
from hitogata.sim import Member, World

NAME = "hitogata/StandAndReach-v0"

STIFFNESS, DAMPING = 800.0, 30.0
"""Of every joint [N m/rad], [N m s/rad]."""

TURN = 1.2
"""An action of 1 turns a joint's target by this [rad]."""

LOW, HIGH = np.array([0.15, 0.1, 1.0]), np.array([0.5, 0.5, 1.5])
"""Points to be reached lie between these [m]."""

FALLEN = 0.7
"""A pelvis below this has fallen [m]."""

STANDING, WIDTH, EFFORT = 0.5, 0.25, 0.002
"""s, w [m] and c of the reward."""

STIR = 0.05
"""Joints begin with random speeds of this size [rad/s]."""


class StandAndReach(Task):
    """See above; arguments are those of `Task`.

    Observations, 72 numbers: joint positions away from the upright pose (28) [rad], velocities (34), height of the
    pelvis [m], the world's up and forward in its axes (6), and from the hand to the point in world axes (3) [m].
    """

    EPISODE = 180

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        self.points = np.zeros((num_envs if isinstance(num_envs, int) and num_envs > 0 else 0, 3))
        super().__init__(num_envs, **options)

    @property
    def human(self) -> Any:
        """The figure in the batch."""
        return self.body

    def make_world(self) -> tuple[World, Member]:
        """human28 on the ground."""
        world, figure = World(), human28()
        world.add_ground()
        human = world.add(figure)
        human.set_motor(STIFFNESS, DAMPING)
        self._upright, self.actions = figure.neutral(), figure.nv - FREE
        return world, human

    def begin(self, worlds: Array, chance: Sequence[np.random.Generator]) -> State:
        """Upright, nearly at rest, a point somewhere."""
        v = np.zeros((len(worlds), self.figure.nv))
        for row, (k, rng) in enumerate(zip(worlds, chance, strict=True)):
            self.points[k] = rng.uniform(LOW, HIGH)
            v[row, FREE:] = rng.normal(0.0, STIR, self.figure.nv - FREE)
        return State(np.tile(self._upright, (len(worlds), 1)), v)

    def started(self, worlds: Array) -> None:
        """Targets are upright."""
        self.body.target[worlds] = self._upright

    def act(self, actions: Array) -> None:
        """Turn the targets."""
        self.body.target[:] = turned_targets(self.figure, self._upright, actions, TURN, self.threads)

    def observe(self) -> Array:
        """See above."""
        parts = own_state(self.figure, self.body, self._upright, self.threads)
        return np.concatenate([*parts, self.points - self.hands()], axis=1)

    def reward(self, actions: Array) -> Array:
        """See above."""
        square = ((self.hands() - self.points) ** 2).sum(axis=1)
        paid: Array = STANDING + np.exp(-square / WIDTH**2) - EFFORT * (actions**2).sum(axis=1)
        return paid

    def failed(self) -> Array:
        """Who has fallen."""
        fallen: Array = ~(self.body.q[:, 2] > FALLEN)
        return fallen

    def hands(self) -> Array:
        """Where the left hands are [m], shape (num_envs, 3)."""
        q = np.ascontiguousarray(self.body.q)
        return frame_position(self.figure, q, "grip_left", threads=self.threads)
