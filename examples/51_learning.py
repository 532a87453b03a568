"""Learning to reach: 256 humans side by side, and the cross-entropy method.

A policy turns the joints' targets by a linear function of where the point is, 28 times 4 numbers.  Each round tries 64
of them on four points each, and goes on around the best eight.

python examples/51_learning.py --out out/learning
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hitogata.learn import StandAndReach
from hitogata.learn.reach import HIGH, LOW

TRIED, POINTS, KEPT, ROUNDS, STEPS = 64, 4, 8, 25, 120


def features(points: np.ndarray) -> np.ndarray:
    """1 and the point, each coordinate from -1 to 1: shape (n, 4)."""
    return np.concatenate([np.ones((len(points), 1)), 2 * (points - LOW) / (HIGH - LOW) - 1], axis=1)


def play(env: StandAndReach, policies: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean reward of each policy, shape (n,), and how far its hands are from the points in the end [m].

    Every policy meets the same points.
    """
    each = env.num_envs // len(policies)
    env.reset(seed=[seed + k for _ in policies for k in range(each)])
    own = np.repeat(policies, each, axis=0)
    actions = np.tanh(np.einsum("nij,nj->ni", own, features(env.points))).astype(np.float32)
    total, alive = np.zeros(env.num_envs), np.ones(env.num_envs, bool)
    for _ in range(STEPS):
        _, rewards, fallen, _, _ = env.step(actions)
        total += np.where(alive, rewards, 0.0)
        alive &= ~fallen
    away = np.where(alive, np.linalg.norm(env.hands() - env.points, axis=1), np.nan)
    return total.reshape(len(policies), each).mean(axis=1) / STEPS, away.reshape(len(policies), each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/learning"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    env, rng = StandAndReach(TRIED * POINTS, threads=None), np.random.default_rng(0)
    joints = env.single_action_space.shape[0]
    mean, spread = np.zeros((joints, 4)), np.full((joints, 4), 0.02)  # legs that are tried out fall
    for link in ("upper_arm_left", "forearm_left"):
        arm = env.figure.v_slice(link)
        spread[arm.start - 6 : arm.stop - 6] = 0.5
    history = []
    for k in range(ROUNDS):
        tried = mean + spread * rng.normal(size=(TRIED, joints, 4))
        tried[0] = mean
        rewards, _ = play(env, tried, seed=1000 * (k + 1))
        best = tried[np.argsort(rewards)[-KEPT:]]
        mean, spread = best.mean(axis=0), 0.8 * best.std(axis=0) + 0.2 * spread
        history.append((rewards[0], rewards.mean(), rewards.max()))
        print("round {:2d}: mean policy {:.3f}, all tried {:.3f}, best {:.3f}".format(k + 1, *history[-1]))
    before, idle = play(env, np.zeros((1, joints, 4)), seed=10**6)
    after, reached = play(env, mean[None], seed=10**6)
    report = (
        f"256 points never seen: reward {before[0]:.3f} idle, {after[0]:.3f} learned; "
        f"hand {np.nanmedian(idle):.2f} m away idle, {np.nanmedian(reached):.2f} m learned (median)"
    )
    print(report)
    (out / "report.txt").write_text(report + "\n")
    figure, axes = plt.subplots(figsize=(6, 3.5))
    for name, values in zip(("mean policy", "all tried", "best"), np.array(history).T, strict=True):
        axes.plot(np.arange(1, ROUNDS + 1), values, label=name)
    axes.set(xlabel="round", ylabel="reward per step", title="Standing and reaching, cross-entropy method")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(out / "learning.png", dpi=120)
    assert after[0] > before[0] + 0.1, "nothing was learned"


if __name__ == "__main__":
    main()
