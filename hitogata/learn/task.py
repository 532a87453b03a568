"""A task for learning: many worlds side by side, as a Gymnasium `VectorEnv`.

A task says what the world is, what an action does, what is observed, what is paid, when an episode has failed and how
the next one begins; `Task` does the rest: seeds, autoreset, cut off episodes, pictures.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import State, Trajectory
from hitogata.sim import Member, World, WorldBatch
from hitogata.sim.arguments import whole

try:
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise HitogataError("hitogata.learn needs gymnasium: pip install hitogata[learn]") from error

Array = NDArray[Any]

RENDER_MODES = ("rgb_array",)
PICTURE = (480, 480)
"""Width and height of what `render` draws [pixels]."""


class Task(VectorEnv, ABC):
    """Base of tasks; see above.

    A subclass has `make_world`, `begin`, `act`, `observe`, `reward` and `failed`; if it likes, `randomise`.  They use
    ``self.batch`` (a `WorldBatch`), ``self.body`` (the figure in it, a `BatchMember`) and ``self.figure``.

    Attributes:
        H: step of the world [s].
        SUBSTEPS: steps per action.
        EPISODE: actions after which an episode is cut off.

    Args:
        num_envs: how many.
        episode_steps: actions after which an episode is cut off; None: the task's.
        autoreset_mode: when an environment whose episode has ended begins anew, see Gymnasium.
        dtype: of the worlds: float32, or float64.
        threads: to share the worlds over; None: one per core.
        render_mode: "rgb_array", for `render`; or None.

    Example:
        >>> from hitogata.library import human28
        >>> class Balance(Task):
        ...     def make_world(self):
        ...         world = World()
        ...         world.add_ground()
        ...         return world, world.add(human28())
        ...     def begin(self, worlds, chance):
        ...         return State.rest(self.figure)
        ...     def act(self, actions):
        ...         self.body.push[:, 6:] = 50.0 * actions
        ...     def observe(self):
        ...         return np.concatenate([self.body.q, self.body.v], axis=1)
        ...     def reward(self, actions):
        ...         return np.ones(self.num_envs)
        ...     def failed(self):
        ...         return self.body.q[:, 2] < 0.7
        ...     actions = 28
    """

    H: ClassVar[float] = 1 / 240
    SUBSTEPS: ClassVar[int] = 4
    EPISODE: ClassVar[int] = 1000
    actions: int
    """Numbers of an action, each from -1 to 1; `make_world` may set it."""

    metadata: dict[str, Any] = {"render_modes": [*RENDER_MODES], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, num_envs: int = 1, *, episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, dtype: Any = np.float32,
        threads: int | None = 1, render_mode: str | None = None,
    ) -> None:  # fmt: skip
        self.num_envs = whole(num_envs, "num_envs", least=1)
        self.episode_steps = whole(self.EPISODE if episode_steps is None else episode_steps, "episode_steps", least=1)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            raise ArgumentError(f"autoreset_mode: must be an AutoresetMode, got {autoreset_mode!r}") from None
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ArgumentError(f"render_mode: there is none but 'rgb_array', got {render_mode!r}")
        self.render_mode = render_mode
        rate = round(1.0 / (self.H * self.SUBSTEPS))
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode, "render_fps": rate}
        world, member = self.make_world()
        self.figure = member.figure
        self.batch = WorldBatch(world, self.num_envs, dtype=dtype, threads=threads)
        self.body, self.threads = self.batch.member(member), threads
        self.single_action_space = self.action_box()
        size = self.observe().shape[1]
        self.single_observation_space = Box(-np.inf, np.inf, (size,), np.float32)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.steps = np.zeros(self.num_envs, np.int64)
        self._ended = np.zeros(self.num_envs, bool)
        self._chance: list[np.random.Generator] = []

    @property
    def chance(self) -> list[np.random.Generator]:
        """A generator of random numbers for each environment, once `reset` was called."""
        return self._chance

    # ------------------------------------------------------- what a task says

    @abstractmethod
    def make_world(self) -> tuple[World, Member]:
        """The world of every environment, and the figure that learns; called once."""

    @abstractmethod
    def begin(self, worlds: Array, chance: Sequence[np.random.Generator]) -> State:
        """States in which episodes begin, of these worlds, with a generator each."""

    @abstractmethod
    def act(self, actions: Array) -> None:
        """What actions do, (num_envs, n), clipped to their space: write targets, pushes, motors."""

    @abstractmethod
    def observe(self) -> Array:
        """What is seen, shape (num_envs, n)."""

    @abstractmethod
    def reward(self, actions: Array) -> Array:
        """What the last step was worth, shape (num_envs,)."""

    @abstractmethod
    def failed(self) -> Array:
        """Which episodes have failed, a mask; worlds that became non-finite have, whatever it says."""

    def randomise(self, worlds: Array, chance: Sequence[np.random.Generator]) -> None:
        """Other masses, friction, gains, ranges for these worlds, before an episode begins; by default nothing."""

    def action_box(self) -> Box:
        """Space of the actions of one environment: `actions` numbers from -1 to 1."""
        return Box(-1.0, 1.0, (self.actions,), np.float32)

    # ------------------------------------------------------- Gymnasium's functions

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
        return self._observed(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Act, and move on; what is cut off or has failed begins anew as the autoreset mode says."""
        given = np.asarray(actions, np.float64)
        if given.shape != self.action_space.shape or not np.isfinite(given).all():
            raise ArgumentError(f"actions: expected finite numbers, shape {self.action_space.shape}, got {actions!r}")
        if not self._chance:
            raise HitogataError("step: call reset first")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise HitogataError(f"step: environment {self._ended.argmax()} has ended; reset it, see options in `reset`")
        space = self.single_action_space
        given = np.clip(given, space.low, space.high)
        self.act(given)
        self.advance()
        self.steps += 1
        anew, infos = self._ended.copy(), dict[str, Any]()
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._begin(np.flatnonzero(anew))
        observations = self._observed()
        failed = ~anew & (~self.batch.alive | self.failed())
        rewards = np.where(anew | failed, 0.0, self.reward(given)).astype(np.float64)
        cut = ~anew & ~failed & (self.steps >= self.episode_steps)
        self._ended = failed | cut
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            infos = {"final_obs": observations.copy(), "_final_obs": self._ended.copy()}
            self._begin(np.flatnonzero(self._ended))
            observations = self._observed()
        return observations, rewards, failed, cut, infos

    def advance(self) -> None:
        """Move the worlds on by an action's time."""
        self.batch.step(self.H, steps=self.SUBSTEPS, check=False)

    def render(self) -> tuple[Array, ...] | None:
        """A picture of every environment, shape (height, width, 3) each, if `render_mode` is "rgb_array"."""
        if self.render_mode is None:
            return None
        return tuple(self.picture(k) for k in range(self.num_envs))

    def picture(self, k: int, size: tuple[int, int] = PICTURE) -> Array:
        """A picture of environment k, uint8, shape (height, width, 3)."""
        from hitogata.pictures import Actor
        from hitogata.pictures.film import draw_picture

        q = self.figure.normalised(np.array(self.body.q[k], np.float64))
        motion = Trajectory(np.zeros(1), q[None], np.array(self.body.v[k], np.float64)[None])
        return draw_picture(Actor(self.figure, motion), size=size)

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is open."""

    # ------------------------------------------------------- how

    def _observed(self) -> Array:
        return np.asarray(self.observe(), np.float32)

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
        """New episodes."""
        if not len(worlds):
            return
        chance = [self._chance[k] for k in worlds]
        self.randomise(worlds, chance)
        state = self.begin(worlds, chance)
        self.batch.reset(worlds, state)
        self.steps[worlds], self._ended[worlds] = 0, False
        self.started(worlds)

    def started(self, worlds: Array) -> None:
        """Episodes of these worlds have begun: set what acts on them at first; by default nothing."""
