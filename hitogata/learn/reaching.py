"""Stand, and reach a point with the left hand: many human28 at once, as a Gymnasium `VectorEnv`.

Every joint has a spring and a damper that pull it to a target; an action turns the targets away from the upright pose.
An episode ends when the figure falls, and is cut off after a while.  The reward of a step is

    r = s + exp(-(d/w)²) - c |a|²      d: from the hand to the point [m],  a: the action;  0 once it has fallen
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hitogata.dynamics import difference, frame_position, integrate
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import State
from hitogata.library import human28
from hitogata.sim import World, WorldBatch
from hitogata.sim.checking import whole

try:
    import gymnasium
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise HitogataError("hitogata.learn needs gymnasium: pip install hitogata[learn]") from error

Array = NDArray[Any]

NAME = "hitogata/StandAndReach-v0"
H, SUBSTEPS = 1 / 240, 4
"""Step of the world [s], and steps per action."""

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


class StandAndReach(VectorEnv):
    """See above.

    Observations, 72 numbers: joint positions away from the upright pose (28) [rad], velocities (34), height of the
    pelvis [m], the world's up and forward in its axes (6), and from the hand to the point in world axes (3) [m].

    Args:
        num_envs: how many.
        episode_steps: actions after which an episode is cut off.
        autoreset_mode: when an environment whose episode has ended begins anew, see Gymnasium.
        dtype: of the worlds: float32, or float64.
        threads: to share the worlds over; None: one per core.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, num_envs: int = 1, *, episode_steps: int = 180,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, dtype: Any = np.float32,
        threads: int | None = 1, render_mode: None = None,
    ) -> None:  # fmt: skip
        self.num_envs = whole(num_envs, "num_envs", least=1)
        self.episode_steps = whole(episode_steps, "episode_steps", least=1)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            raise ArgumentError(f"autoreset_mode: must be an AutoresetMode, got {autoreset_mode!r}") from None
        if render_mode is not None:
            raise ArgumentError(f"render_mode: there is none, got {render_mode!r}; draw `batch.world(k)` instead")
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.figure = human28()
        world = World()
        world.add_ground()
        human = world.add(self.figure)
        human.set_motor(STIFFNESS, DAMPING)
        self.batch = WorldBatch(world, self.num_envs, dtype=dtype, threads=threads)
        self.human = self.batch.member(human)
        self.threads = threads
        self._upright, self._free = self.figure.neutral(), 6
        joints = self.figure.nv - self._free
        size = joints + self.figure.nv + 1 + 6 + 3
        self.single_action_space = Box(-1.0, 1.0, (joints,), np.float32)
        self.single_observation_space = Box(-np.inf, np.inf, (size,), np.float32)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.points = np.zeros((self.num_envs, 3))
        self._steps = np.zeros(self.num_envs, np.int64)
        self._ended = np.zeros(self.num_envs, bool)
        self._chance: list[np.random.Generator] = []

    # ------------------------------------------------------- Gymnasium's two functions

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin anew: all environments, or those in options["reset_mask"], shape (num_envs,).

        Args:
            seed: environment k draws from seed + k, or from the k-th of several; None: goes on, or begins anywhere.
            options: see above.
        """
        mask = np.ones(self.num_envs, bool) if not options else options.get("reset_mask", np.ones(self.num_envs, bool))
        if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != (self.num_envs,):
            raise ArgumentError(f"options: reset_mask must be an array of bool, shape ({self.num_envs},), got {mask!r}")
        self._seed(seed, mask)
        self._begin(np.flatnonzero(mask))
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Turn the targets, and move on; what is cut off or has fallen begins anew as the autoreset mode says."""
        given = np.asarray(actions, np.float64)
        if given.shape != self.action_space.shape or not np.isfinite(given).all():
            raise ArgumentError(f"actions: expected finite numbers, shape {self.action_space.shape}, got {actions!r}")
        if not self._chance:
            raise HitogataError("step: call reset first")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise HitogataError(f"step: environment {self._ended.argmax()} has ended; reset it, see options in `reset`")
        given = np.clip(given, -1.0, 1.0)
        self._turn_targets(given)
        self.batch.step(H, steps=SUBSTEPS, check=False)
        self._steps += 1
        anew, infos = self._ended.copy(), dict[str, Any]()
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._begin(np.flatnonzero(anew))
        observations = self._observe()
        fallen = ~anew & (~self.batch.alive | ~(self.human.q[:, 2] > FALLEN))
        rewards = np.where(anew | fallen, 0.0, self._rewards(given))
        cut = ~anew & ~fallen & (self._steps >= self.episode_steps)
        self._ended = fallen | cut
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            infos = {"final_obs": observations.copy(), "_final_obs": self._ended.copy()}
            self._begin(np.flatnonzero(self._ended))
            observations = self._observe()
        return observations, rewards, fallen, cut, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is open."""

    # ------------------------------------------------------- the task

    def hands(self) -> Array:
        """Where the left hands are [m], shape (num_envs, 3)."""
        q = np.ascontiguousarray(self.human.q)
        return frame_position(self.figure, q, "grip_left", threads=self.threads)

    def _rewards(self, actions: Array) -> Array:
        square = ((self.hands() - self.points) ** 2).sum(axis=1)
        return STANDING + np.exp(-square / WIDTH**2) - EFFORT * (actions**2).sum(axis=1)

    def _turn_targets(self, actions: Array) -> None:
        change = np.zeros((self.num_envs, self.figure.nv))
        change[:, self._free :] = TURN * actions
        self.human.target[:] = integrate(self.figure, self._upright, change, threads=self.threads)

    def _observe(self) -> Array:
        q, v = np.array(self.human.q, np.float64), np.array(self.human.v, np.float64)
        pose = self.figure.normalised(q)  # float32 is not exact enough to pass for unit
        joints = difference(self.figure, self._upright, pose, threads=self.threads)[:, self._free :]
        w, x, y, z = pose[:, 3:7].T
        up = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
        forward = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1)
        parts = joints, v, pose[:, 2:3], up, forward, self.points - self.hands()
        return np.concatenate(parts, axis=1, dtype=np.float32)

    # ------------------------------------------------------- chance

    def _seed(self, seed: Any, mask: Array) -> None:
        if seed is None and self._chance:
            return
        seeds = [seed] * self.num_envs if seed is None else seed
        if isinstance(seeds, int | np.integer):
            seeds = [int(seeds) + k for k in range(self.num_envs)]
        if not isinstance(seeds, Sequence) or len(seeds) != self.num_envs:
            raise ArgumentError(f"seed: expected a whole number, or one for each of {self.num_envs}, got {seed!r}")
        fresh = [np.random.default_rng(s) for s in seeds]
        self._chance = [new if here or not self._chance else self._chance[k]
                        for k, (new, here) in enumerate(zip(fresh, mask, strict=True))]  # fmt: skip

    def _begin(self, worlds: Array) -> None:
        """New episodes: upright, nearly at rest, a point somewhere."""
        if not len(worlds):
            return
        v = np.zeros((len(worlds), self.figure.nv))
        for row, k in enumerate(worlds):
            self.points[k] = self._chance[k].uniform(LOW, HIGH)
            v[row, self._free :] = self._chance[k].normal(0.0, STIR, self.figure.nv - self._free)
        q = np.tile(self._upright, (len(worlds), 1))
        self.batch.reset(worlds, State(q, v))
        self.human.target[worlds] = self._upright
        self._steps[worlds], self._ended[worlds] = 0, False


def register() -> None:
    """Make the environment known to Gymnasium by its name."""
    if NAME not in gymnasium.registry:
        gymnasium.register(NAME, vector_entry_point="hitogata.learn.reaching:StandAndReach")
