"""Environment steps per second of processor time: gymnasium's Humanoid-v5, and the same task here.

Random actions, with resets; observations and rewards included.

    python -m benchmarks environments
"""

import time

import gymnasium
import numpy as np

from benchmarks.timing import table


def steps_per_second(env, count: int, steps: int) -> float:
    """Steps of all environments, per second of processor time."""
    env.reset(seed=0)
    best = 0.0
    for round_ in range(4):
        actions = np.random.default_rng(round_).uniform(-0.4, 0.4, (steps, *env.action_space.shape)).astype(np.float32)
        begin = time.process_time()
        for action in actions:
            result = env.step(action)
            if count == 0 and (result[2] or result[3]):
                env.reset()
        best = max(best, max(count, 1) * steps / (time.process_time() - begin))
    return best


def main() -> None:
    import hitogata.learn  # noqa: F401  it registers the tasks

    rows = [("gymnasium Humanoid-v5", steps_per_second(gymnasium.make("Humanoid-v5"), 0, 300))]
    for count, dtype in ((64, np.float64), (256, np.float64), (256, np.float32)):
        env = gymnasium.make_vec("hitogata/Humanoid-v0", num_envs=count, dtype=dtype)
        name = f"hitogata/Humanoid-v0, {count} side by side, {np.dtype(dtype).name}"
        rows.append((name, steps_per_second(env, count, 40)))
    base = rows[0][1]
    table("Environment steps per second of processor time, 348 observations", ["", "steps/s", "ratio"],
          [[name, f"{rate:.0f}", f"{rate / base:.1f}"] for name, rate in rows])  # fmt: skip


if __name__ == "__main__":
    main()
