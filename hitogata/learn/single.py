"""One environment of a task, in the form of `gymnasium.Env`: to try things out; many at once are faster."""

from typing import Any, ClassVar

import gymnasium

from hitogata.learn.task import Array, Task


class Single(gymnasium.Env[Any, Any]):
    """One environment.

    Args:
        task: class of the task.
        options: its arguments, but for `num_envs` and `autoreset_mode`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"]}

    def __init__(self, task: type[Task], **options: Any) -> None:
        self.task = task(1, autoreset_mode="Disabled", **options)
        self.render_mode = self.task.render_mode
        self.metadata = {**self.metadata, "render_fps": self.task.metadata["render_fps"]}  # type: ignore[misc]
        self.action_space = self.task.single_action_space
        self.observation_space = self.task.single_observation_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        observations, infos = self.task.reset(seed=seed)
        return observations[0], infos

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Act, and move on."""
        seen, paid, failed, cut, infos = self.task.step([action])
        return seen[0], float(paid[0]), bool(failed[0]), bool(cut[0]), infos

    def render(self) -> Any:
        """A picture, if `render_mode` is "rgb_array"."""
        pictures = self.task.render()
        return None if pictures is None else pictures[0]
