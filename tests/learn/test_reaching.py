"""Standing and reaching as a Gymnasium vector environment."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from hitogata.dynamics import frame_position
from hitogata.errors import ArgumentError, HitogataError
from hitogata.learn import StandAndReach
from hitogata.learn.reach import EFFORT, HIGH, LOW, NAME, STANDING, WIDTH


def make(num_envs: int = 3, **options) -> StandAndReach:
    return StandAndReach(num_envs, dtype=np.float64, **options)


def actions_of(env: VectorEnv, steps: int) -> np.ndarray:
    shape = (steps, *env.action_space.shape)
    return np.random.default_rng(2).uniform(-1, 1, shape).astype(np.float32)


def run(env: VectorEnv, actions: np.ndarray, seed: int = 7) -> list[np.ndarray]:
    observations, _ = env.reset(seed=seed)
    seen = [observations]
    for action in actions:
        seen += env.step(action)[:4]
    return seen


def test_known_to_gymnasium_and_of_its_form():
    env = gymnasium.make_vec(NAME, num_envs=3, dtype=np.float64)
    assert isinstance(env, VectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = env.reset(seed=1)
    assert infos == {}
    for k in range(4):
        assert env.observation_space.contains(observations)
        assert env.single_observation_space.contains(observations[k % 3])
        observations, rewards, terminations, truncations, _ = env.step(env.action_space.sample())
        assert rewards.shape == terminations.shape == truncations.shape == (3,)
        assert rewards.dtype == np.float64
        assert terminations.dtype == truncations.dtype == bool
    env.close()


def test_an_idle_figure_stands_and_is_paid_by_its_distance():
    env = make()
    observations, _ = env.reset(seed=3)
    assert ((env.points >= LOW) & (env.points <= HIGH)).all()
    for _ in range(60):
        observations, rewards, fallen, cut, _ = env.step(np.zeros(env.action_space.shape, np.float32))
        assert not fallen.any()
        assert not cut.any()
    for k in range(3):
        world = env.batch.world(k)
        (human,) = world.members
        hand = frame_position(human.figure, human.q, "grip_left")
        np.testing.assert_allclose(observations[k, -3:], env.points[k] - hand, atol=1e-6)
        np.testing.assert_allclose(observations[k, 28:62], human.v, atol=1e-6)
        np.testing.assert_allclose(observations[k, 62:69], [human.q[2], 0, 0, 1, 1, 0, 0], atol=0.02)
        near = np.exp(-((env.points[k] - hand) ** 2).sum() / WIDTH**2)
        assert rewards[k] == pytest.approx(STANDING + near, abs=1e-9)
    effort = env.step(np.ones(env.action_space.shape, np.float32))[1]
    assert (effort < STANDING + 1 - EFFORT * 28).all()


def test_same_seed_same_bits_and_each_its_own():
    env, wide = make(3), make(5, threads=2)
    actions = actions_of(wide, 40)
    first, again = run(env, actions[:, :3]), run(env, actions[:, :3])
    other, more = run(env, actions[:, :3], seed=8), run(wide, actions)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert any((a != b).any() for a, b in zip(first, other, strict=True))
    assert all((a == b[:3]).all() for a, b in zip(first, more, strict=True))


def topple(env: StandAndReach, k: int) -> tuple:
    """Push one until it falls; returns what the step said in which it did."""
    env.human.push[k, 3] = 2000.0
    still = np.zeros(env.action_space.shape, np.float32)
    for _ in range(100):
        result = env.step(still)
        if result[2].any():
            env.human.push[k, 3] = 0.0
            return result
    raise AssertionError("it does not fall")


def test_what_falls_begins_anew_in_the_next_step():
    env = make()
    env.reset(seed=1)
    points = env.points.copy()
    observations, rewards, fallen, cut, infos = topple(env, 1)
    assert fallen.tolist() == [False, True, False]
    assert not cut.any()
    assert infos == {}
    assert rewards[1] == 0
    assert observations[1, 62] < 0.7
    assert (env.points == points).all()
    observations, rewards, fallen, cut, _ = env.step(np.ones(env.action_space.shape, np.float32))
    assert rewards[1] == 0
    assert not fallen.any()
    assert not cut.any()
    assert observations[1, 62] == pytest.approx(env.figure.neutral()[2])
    assert (env.points[1] != points[1]).all()
    assert (env.points[[0, 2]] == points[[0, 2]]).all()
    assert env.step(np.zeros(env.action_space.shape, np.float32))[1][1] > 0


def test_what_falls_begins_anew_in_the_same_step():
    env = make(autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=1)
    observations, _, fallen, _, infos = topple(env, 1)
    assert infos["_final_obs"].tolist() == fallen.tolist() == [False, True, False]
    assert infos["final_obs"][1, 62] < 0.7
    assert observations[1, 62] == pytest.approx(env.figure.neutral()[2])


def test_without_autoreset_the_user_resets():
    env = make(autoreset_mode="Disabled")
    env.reset(seed=1)
    topple(env, 1)
    with pytest.raises(HitogataError, match="environment 1 has ended"):
        env.step(np.zeros(env.action_space.shape))
    old = env.points.copy()
    env.reset(options={"reset_mask": np.array([False, True, False])})
    assert (env.points[[0, 2]] == old[[0, 2]]).all()
    env.step(np.zeros(env.action_space.shape))


def test_episodes_are_cut_off_and_counted_by_gymnasium():
    env = RecordEpisodeStatistics(make(2, episode_steps=5))
    env.reset(seed=4)
    total = np.zeros(2)
    for k in range(5):
        _, rewards, fallen, cut, infos = env.step(np.zeros(env.action_space.shape, np.float32))
        total += rewards
        assert cut.tolist() == [k == 4] * 2
        assert not fallen.any()
    np.testing.assert_allclose(infos["episode"]["r"], total, rtol=1e-6)
    assert infos["episode"]["l"].tolist() == [5, 5]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda env: StandAndReach(0), "num_envs: must be a whole number"),
        (lambda env: StandAndReach(1, episode_steps=0), "episode_steps: must be"),
        (lambda env: StandAndReach(1, autoreset_mode="never"), "autoreset_mode: must be"),
        (lambda env: StandAndReach(1, render_mode="human"), "render_mode: there is none"),
        (lambda env: env.step(np.zeros((3, 27))), "actions: expected finite numbers, shape (3, 28)"),
        (lambda env: env.step(np.full((3, 28), np.nan)), "actions: expected finite numbers"),
        (lambda env: env.reset(seed=[1, 2]), "seed: expected a whole number, or one for each of 3"),
        (lambda env: env.reset(seed=1.5), "seed: expected a whole number"),
        (lambda env: env.reset(options={"reset_mask": np.ones(2, bool)}), "reset_mask must be an array of bool"),
    ],
)
def test_bad_input(act, message):
    env = make()
    env.reset(seed=1)
    with pytest.raises(ArgumentError) as caught:
        act(env)
    assert message in str(caught.value)
    with pytest.raises(HitogataError, match="call reset first"):
        make().step(np.zeros((3, 28)))
