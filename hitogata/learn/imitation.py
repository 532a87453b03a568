"""Walk after a clip: a figure is paid for being where a motion is (Peng et al. 2018, DeepMimic).

Targets of the joints' springs are those of the motion, turned away by the action.  The reward of a step is

    r = 0.65 exp(-2 Σ e²) + 0.1 exp(-0.1 Σ ė²) + 0.15 exp(-40 |h|²) + 0.1 exp(-10 |c|²)

e, ė: joints and their rates away from the motion, h: hands and feet as seen from the root [m], c: the root's place [m].
An episode begins anywhere in the motion, and ends with it, or when the root is too far off.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hitogata.dynamics import difference, frame_position
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State, Trajectory
from hitogata.learn.posture import FREE, own_state, sampled, turned_targets
from hitogata.learn.task import Array, Task
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.sim import Member, World

STIFFNESS, DAMPING, TURN = 500.0, 30.0, 0.8
OFF, LEAST = 0.5, 0.2
"""A root farther off than this has failed [m]; an episode has at least so much of the motion before it [s]."""
WEIGHTS, SCALES = (0.65, 0.1, 0.15, 0.1), (2.0, 0.1, 40.0, 10.0)
"""Of joints, rates, ends, root."""


class WalkClip(Task):
    """See above; other arguments are those of `Task`.

    Observations: joints away from the motion, velocities, height of the root, the world's up and forward in its axes,
    the motion's joints an action ahead, away from where it is now, and how much of the motion is over.

    Args:
        num_envs: how many.
        motion: to be followed; None: `library.samples.sample_walk`.
        figure: whose motion it is; None: `virtual_human`.
        ends: frames that count as hands and feet.
    """

    EPISODE = 600

    def __init__(
        self, num_envs: int = 1, *, motion: Trajectory | None = None, figure: Figure | None = None,
        ends: Sequence[str] = ("hand_left", "hand_right", "foot_left", "foot_right"), **options: Any,
    ) -> None:  # fmt: skip
        self._person, walk = figure or virtual_human(), motion or sample_walk()
        walk.check(self._person)
        self._ends, rate = tuple(ends), self.H * self.SUBSTEPS
        count = int((walk.time[-1] - walk.time[0]) / rate + 1e-9) + 1
        if count * rate < 2 * LEAST:
            raise ArgumentError(f"motion: {walk.time[-1] - walk.time[0]:.3g} s are too short, {2 * LEAST} s are needed")
        self._q, self._v = sampled(self._person, walk, walk.time[0] + rate * np.arange(count))
        self._seen = np.array([self._from_root(self._q, end) for end in self._ends])
        self._row = np.zeros(num_envs if isinstance(num_envs, int) and num_envs > 0 else 0, np.int64)
        super().__init__(num_envs, **options)

    def _from_root(self, q: Array, end: str) -> Array:
        at = frame_position(self._person, np.ascontiguousarray(q), end)
        return at - q[:, :3]

    def make_world(self) -> tuple[World, Member]:
        """The figure on the ground, springs in its joints."""
        world = World()
        world.add_ground()
        human = world.add(self._person, State(self._q[0], self._v[0]))
        human.set_motor(STIFFNESS, DAMPING)
        self.actions = self._person.nv - FREE
        return world, human

    def begin(self, worlds: Array, chance: Sequence[np.random.Generator]) -> State:
        """Anywhere in the motion, moving with it."""
        last = len(self._q) - int(LEAST / (self.H * self.SUBSTEPS)) - 1
        for k, rng in zip(worlds, chance, strict=True):
            self._row[k] = rng.integers(0, max(last, 1))
        return State(self._q[self._row[worlds]], self._v[self._row[worlds]])

    def started(self, worlds: Array) -> None:
        """Targets are the motion's."""
        self.body.target[worlds] = self._q[self._row[worlds]]

    def act(self, actions: Array) -> None:
        """The motion goes on; targets are turned away from it."""
        self._row = np.minimum(self._row + 1, len(self._q) - 1)
        pose = self._q[self._row]
        self.body.target[:] = turned_targets(self.figure, pose, actions, TURN, self.threads)
        self.body.rate[:, FREE:] = self._v[self._row][:, FREE:]

    def observe(self) -> Array:
        """See above."""
        pose, ahead = self._q[self._row], self._q[np.minimum(self._row + 1, len(self._q) - 1)]
        parts = own_state(self.figure, self.body, pose, self.threads)
        coming = difference(self.figure, pose, ahead, threads=self.threads)[:, FREE:]
        return np.concatenate([*parts, coming, self._row[:, None] / len(self._q)], axis=1)

    def reward(self, actions: Array) -> Array:
        """See above."""
        q = self.figure.normalised(np.array(self.body.q, np.float64))
        off = difference(self.figure, self._q[self._row], q, threads=self.threads)
        rates = np.array(self.body.v, np.float64) - self._v[self._row]
        ends = [self._from_root(q, end) - seen[self._row] for end, seen in zip(self._ends, self._seen, strict=True)]
        away = (
            (off[:, FREE:] ** 2).sum(1), (rates[:, FREE:] ** 2).sum(1), (np.array(ends) ** 2).sum((0, 2)),
            (off[:, 3:6] ** 2).sum(1),
        )  # fmt: skip
        return np.sum([w * np.exp(-s * a) for w, s, a in zip(WEIGHTS, SCALES, away, strict=True)], axis=0)

    def failed(self) -> Array:
        """Who is too far off, or at the end of the motion."""
        off = np.array(self.body.q[:, :3], np.float64) - self._q[self._row, :3]
        failed: Array = ~((off**2).sum(1) < OFF**2) | (self._row >= len(self._q) - 1)
        return failed
