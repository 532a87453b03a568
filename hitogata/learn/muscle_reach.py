"""Reach a point by muscles: the right arm of the built-in body, 59 muscles, many at once.

The trunk is fixed; actions are the excitations of muscles.  The reward of a step is

    r = exp(-(d/w)²) - c |u|²/n      d: from the hand to the point [m],  u: excitations of n muscles
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hitogata.dynamics import frame_position, integrate
from hitogata.figure import Figure, State
from hitogata.learn.task import Array, Task
from hitogata.muscle import MuscleDrive, musculoskeletal_arm
from hitogata.sim import Member, World

WIDTH, EFFORT = 0.15, 0.05
"""w [m] and c of the reward."""
DAMPING = 0.3
"""Of every joint [N m s/rad]."""
SPREAD = 0.5
"""How far points are from the hanging arm: spread of the joints' turns [rad]."""


class MuscleReach(Task):
    """See above; arguments are those of `Task`.

    Observations, 16 + 13 + 59 + 3 numbers: coordinates, velocities, activations, from the hand to the point [m].
    """

    EPISODE = 180
    SUBSTEPS = 4

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        self.points = np.zeros((num_envs if isinstance(num_envs, int) and num_envs > 0 else 0, 3))
        self._drive: MuscleDrive | None = None
        self._excitation = np.zeros(0)
        super().__init__(num_envs, **options)

    def make_world(self) -> tuple[World, Member]:
        """The arm in the air."""
        self.muscles = musculoskeletal_arm()
        world = World()
        self.actions = len(self.muscles.muscles)
        figure = self.muscles.body
        assert isinstance(figure, Figure)
        return world, world.add(figure, mask=0)

    @property
    def drive(self) -> MuscleDrive:
        """The muscles on the batch."""
        if self._drive is None:
            self._drive = MuscleDrive(self.muscles, self.body, damping=DAMPING)
        return self._drive

    def begin(self, worlds: Array, chance: Sequence[np.random.Generator]) -> State:
        """The arm hangs; a point somewhere that some pose of it reaches."""
        figure, rest = self.figure, self.figure.neutral()
        for k, rng in zip(worlds, chance, strict=True):
            turn = rng.normal(0.0, SPREAD, figure.nv)
            turn[:6] *= 0.1
            turn[9] = abs(turn[9]) + 0.5
            self.points[k] = frame_position(figure, integrate(figure, rest, turn), "hand_r")
        return State(np.tile(rest, (len(worlds), 1)), np.zeros((len(worlds), figure.nv)))

    def started(self, worlds: Array) -> None:
        """Muscles are at rest."""
        self.drive.activation[worlds] = 0.01

    def act(self, actions: Array) -> None:
        """Excitations: -1 is none, 1 is all."""
        self._excitation = 0.5 * (actions + 1.0)

    def advance(self) -> None:
        """Muscles act anew in every step."""
        for _ in range(self.SUBSTEPS):
            self.drive.act(self._excitation, self.H)
            self.batch.step(self.H, check=False)

    def observe(self) -> Array:
        """See above."""
        return np.concatenate([self.body.q, self.body.v, self.drive.activation, self.points - self.hands()], axis=1)

    def reward(self, actions: Array) -> Array:
        """See above."""
        square = ((self.hands() - self.points) ** 2).sum(axis=1)
        paid: Array = np.exp(-square / WIDTH**2) - EFFORT * (self._excitation**2).mean(axis=1)
        return paid

    def failed(self) -> Array:
        """Nobody fails but who becomes non-finite."""
        return np.zeros(self.num_envs, bool)

    def hands(self) -> Array:
        """Where the hands are [m], shape (num_envs, 3)."""
        q = np.nan_to_num(np.array(self.body.q, np.float64))
        return frame_position(self.figure, self.figure.normalised(q), "hand_r", threads=self.threads)
