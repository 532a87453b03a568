"""Tasks: the base class, standing, walking after a clip, Gymnasium's Humanoid."""

import os

import gymnasium
import mujoco
import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import State, Trajectory
from hitogata.learn import Humanoid, Stand, StandAndReach, Task, WalkClip
from hitogata.library import human28, virtual_human
from hitogata.library.samples import sample_walk
from hitogata.sim import World


class Lever(Task):
    """The smallest task there is."""

    EPISODE, actions = 3, 28

    def make_world(self):
        world = World()
        world.add_ground()
        return world, world.add(human28())

    def randomise(self, worlds, chance):
        self.drawn = {int(k): rng.uniform(0.5, 2.0) for k, rng in zip(worlds, chance, strict=True)}
        self.body.set_mass(np.array(list(self.drawn.values())), worlds=worlds)

    def begin(self, worlds, chance):
        return State(np.tile(self.figure.neutral(), (len(worlds), 1)), np.zeros((len(worlds), self.figure.nv)))

    def act(self, actions):
        self.body.push[:, 6:] = 5.0 * actions

    def observe(self):
        return np.concatenate([self.body.q, self.body.v], axis=1)

    def reward(self, actions):
        return np.full(self.num_envs, 2.0)

    def failed(self):
        return self.body.q[:, 2] < 0.5


def test_a_task_of_ones_own():
    env = Lever(2, dtype=np.float64, render_mode="rgb_array")
    first, _ = env.reset(seed=5)
    assert first.shape == (2, 43 + 34)
    assert env.drawn[0] != env.drawn[1]
    for k in range(3):
        seen, paid, failed, cut, _ = env.step(np.ones((2, 28), np.float32))
        assert cut.tolist() == [k == 2] * 2
        assert paid.tolist() == [2.0, 2.0]
        assert not failed.any()
    assert np.abs(seen - first).max() > 1e-3
    np.testing.assert_array_equal(env.reset(seed=5)[0], first)
    one, two = env.render()
    assert one.shape == two.shape == (480, 480, 3)
    assert len(np.unique(one.reshape(-1, 3), axis=0)) > 20  # something is drawn
    with pytest.raises(TypeError, match="abstract"):
        Task(1)


@pytest.mark.parametrize("name", ["Stand-v0", "StandAndReach-v0", "WalkClip-v0", "Humanoid-v0"])
def test_one_by_one_as_gymnasium_has_them(name):
    env = gymnasium.make(f"hitogata/{name}", dtype=np.float64)
    seen, _ = env.reset(seed=3)
    assert env.observation_space.contains(seen)
    total = 0.0
    for _ in range(5):
        seen, paid, failed, cut, _ = env.step(np.zeros(env.action_space.shape, np.float32))
        assert env.observation_space.contains(seen)
        total += paid
        assert not cut
        assert not failed
    assert total > 1.0
    env.close()


def test_standing_is_pushed_and_its_pushes_end():
    env = Stand(3, dtype=np.float64)
    env.reset(seed=1)
    pushed = []
    for _ in range(62):
        env.step(np.zeros((3, 28), np.float32))
        pushed.append(np.abs(env.body.push[:, 3:5]).max())
    lasting = np.flatnonzero(pushed)
    assert len(lasting) == 12
    assert np.ptp(lasting) == 11
    assert 0 < max(pushed) <= 80.0


def test_a_clip_is_paid_in_full_where_the_motion_is():
    env = WalkClip(2, dtype=np.float64)
    env.reset(seed=2)
    assert (env._row > 0).any()
    env.act(np.zeros((2, 40)))
    env.batch.reset(np.arange(2), State(env._q[env._row], env._v[env._row]))
    np.testing.assert_allclose(env.reward(np.zeros((2, 40))), 1.0, atol=1e-6)
    q = env._q[env._row].copy()
    q[0, 0] += 0.3
    env.batch.reset(np.arange(2), State(q, env._v[env._row]))
    paid = env.reward(np.zeros((2, 40)))
    assert paid[0] == pytest.approx(0.9 + 0.1 * np.exp(-10 * 0.09), abs=1e-6)
    figure, walk = virtual_human(), sample_walk()
    short = Trajectory(walk.time[:5], walk.q[:5], walk.v[:5])
    with pytest.raises(ArgumentError, match="too short"):
        WalkClip(1, motion=short, figure=figure)


def test_the_humanoid_sees_what_gymnasiums_sees():
    env = Humanoid(2, dtype=np.float64)
    env.reset(seed=0)
    assert env.single_observation_space.shape == (348,)
    folder = os.path.dirname(gymnasium.__file__)
    model = mujoco.MjModel.from_xml_path(os.path.join(folder, "envs/mujoco/assets/humanoid.xml"))
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    q = env.figure.normalised(env.figure.neutral() + rng.normal(size=24) * 0.2)
    v = rng.normal(size=23)
    env.batch.reset(np.arange(2), State(np.tile(q, (2, 1)), np.tile(v, (2, 1))))
    seen = np.asarray(env.observe())[1]
    data.qpos[:] = q
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, q[3:7])
    data.qvel[:] = [*v[3:6], *(turn.reshape(3, 3).T @ v[:3]), *v[6:]]
    mujoco.mj_forward(model, data)
    wanted = np.concatenate([q[2:], data.qvel, data.cinert[1:].ravel(), data.cvel[1:].ravel()])
    np.testing.assert_allclose(seen[: len(wanted)], wanted, atol=1e-4)  # links between joints have 1e-6 of the mass
    env.act(np.full((2, 17), 0.4))
    np.testing.assert_allclose(np.asarray(env.observe())[0, 253:270].max(), 120.0)


def test_the_old_task_is_a_task():
    assert issubclass(StandAndReach, Task)
