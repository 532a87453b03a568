"""Stand, pushed now and then: many human28 at once.

The pelvis is pushed from any side for a fifth of a second, every second.  Motors are soft: without a policy the figure
falls.  The reward of a step is

    r = exp(-(|v|/w)²) + u_z - c |a|²      v: velocity of the pelvis across [m/s], u_z: how upright it is
"""

from collections.abc import Sequence

import numpy as np

from hitogata.figure import State
from hitogata.learn.posture import FREE, own_state, turned_targets
from hitogata.learn.task import Array, Task
from hitogata.library import human28
from hitogata.sim import Member, World

STIFFNESS, DAMPING, TURN = 300.0, 20.0, 0.6
"""Of every joint [N m/rad], [N m s/rad]; an action of 1 turns a target by this [rad]."""
PUSH, EVERY, LASTS = 80.0, 60, 12
"""Greatest push [N], at every so many actions, for so many."""
FALLEN, WIDTH, EFFORT = 0.7, 0.3, 0.002
MASSES, FRICTIONS = (0.8, 1.25), (0.5, 1.0)
"""Masses are multiplied by numbers between these, friction is between these."""


class Stand(Task):
    """See above; arguments are those of `Task`.

    Observations, 69 numbers: joint positions away from the upright pose (28) [rad], velocities (34), height of the
    pelvis [m], the world's up and forward in its axes (6).
    """

    EPISODE = 600

    def make_world(self) -> tuple[World, Member]:
        """human28 on the ground."""
        world, figure = World(), human28()
        world.add_ground()
        human = world.add(figure)
        human.set_motor(STIFFNESS, DAMPING)
        self._upright, self.actions = figure.neutral(), figure.nv - FREE
        return world, human

    def randomise(self, worlds: Array, chance: Sequence[np.random.Generator]) -> None:
        """Other masses and friction."""
        share = np.array([rng.uniform(*MASSES) for rng in chance])
        self.body.set_friction(np.array([rng.uniform(*FRICTIONS) for rng in chance]), worlds=worlds)
        self.body.set_mass(share, worlds=worlds)

    def begin(self, worlds: Array, chance: Sequence[np.random.Generator]) -> State:
        """Upright, joints stirred a little."""
        v = np.zeros((len(worlds), self.figure.nv))
        for row, rng in enumerate(chance):
            v[row, FREE:] = rng.normal(0.0, 0.05, self.figure.nv - FREE)
        return State(np.tile(self._upright, (len(worlds), 1)), v)

    def started(self, worlds: Array) -> None:
        """Targets are upright, nobody is pushed."""
        self.body.target[worlds] = self._upright
        self.body.push[worlds] = 0.0

    def act(self, actions: Array) -> None:
        """Turn the targets; begin and end pushes."""
        self.body.target[:] = turned_targets(self.figure, self._upright, actions, TURN, self.threads)
        phase = self.steps % EVERY
        for k in np.flatnonzero((phase == EVERY - LASTS) & (self.steps > 0)):
            angle, force = self.chance[k].uniform(0.0, 2 * np.pi), PUSH * self.chance[k].uniform()
            self.body.push[k, 3:5] = force * np.cos(angle), force * np.sin(angle)
        self.body.push[phase == 0] = 0.0

    def observe(self) -> Array:
        """See above."""
        return np.concatenate(own_state(self.figure, self.body, self._upright, self.threads), axis=1)

    def reward(self, actions: Array) -> Array:
        """See above."""
        v = np.array(self.body.v[:, 3:5], np.float64)
        _, x, y, _ = np.array(self.body.q[:, 3:7], np.float64).T
        paid: Array = np.exp(-(v**2).sum(1) / WIDTH**2) + 1 - 2 * (x * x + y * y) - EFFORT * (actions**2).sum(1)
        return paid

    def failed(self) -> Array:
        """Who has fallen."""
        fallen: Array = ~(self.body.q[:, 2] > FALLEN)
        return fallen
