"""Gymnasium's Humanoid: its figure, actions, observation and reward, in the worlds of this package.

The figure is read from the MJCF file that comes with gymnasium.  Observations are the 348 numbers of Humanoid-v5: qpos
without x and y, qvel, and of each body its inertia and velocity about the figure's centre of mass (`cinert`,
`cvel`), actuator forces of the joints and contact forces of the bodies (`cfrc_ext`; here without their torques: zeros).
Orientations and velocities are in MuJoCo's axes.  The reward is that of Humanoid-v5:

    r = 1.25 ẋ_com + 5 - 0.1 |u|² - min(5e-7 |cfrc_ext|², 10)

Limits of joints give way as the file says; contact is that of `sim`, not MuJoCo's.
"""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from hitogata.dynamics import forward_kinematics, link_velocities
from hitogata.errors import FileContentWarning
from hitogata.figure import State
from hitogata.files import read_mjcf_model
from hitogata.learn.task import Array, Task
from hitogata.sim import Actuators, Member, World

NOISE = 0.01
HEALTHY = (1.0, 2.0)
"""Height of the torso [m]."""


class Humanoid(Task):
    """See above; arguments are those of `Task`."""

    H, SUBSTEPS, EPISODE = 0.003, 5, 1000

    def make_world(self) -> tuple[World, Member]:
        """The figure of gymnasium's file on its floor."""
        path = Path(os.path.dirname(gymnasium.__file__)) / "envs/mujoco/assets/humanoid.xml"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FileContentWarning)
            model = read_mjcf_model(path)
        world = World(gravity=model.gravity)
        for shape in model.scenery:
            world.add_ground(shape, friction=1.0)
        human = world.add(model.figure, friction=1.0, ignored=model.ignored)
        self.actuators = Actuators(human, model)
        links = [link for link in model.figure.links if ":" not in link.name]  # no links between joints
        self._links = [model.figure.link_index(link.name) for link in links]
        self._mass = np.array([link.mass.mass for link in links])
        self._centre = np.array([link.mass.centre for link in links])
        self._inertia = np.array([_matrix(link.mass.inertia) for link in links])
        self._force = np.zeros((self.num_envs, model.figure.nv))
        self._x = np.zeros(self.num_envs)
        return world, human

    def action_box(self) -> Box:
        """Controls in the ranges of the file."""
        low, high = self.actuators.control_ranges.T.astype(np.float32)
        return Box(low, high, dtype=np.float32)

    def begin(self, worlds: Array, chance: Sequence[np.random.Generator]) -> State:
        """The file's pose, with noise in all coordinates and velocities."""
        q, v = np.tile(self.figure.neutral(), (len(worlds), 1)), np.zeros((len(worlds), self.figure.nv))
        for row, rng in enumerate(chance):
            q[row] += rng.uniform(-NOISE, NOISE, self.figure.nq)
            v[row] = rng.uniform(-NOISE, NOISE, self.figure.nv)
        return State(self.figure.normalised(q), v)

    def started(self, worlds: Array) -> None:
        """No actuator acts."""
        self._force[worlds] = 0.0
        self.body.push[worlds] = 0.0
        self._x[worlds] = self._centres()[worlds, 0]

    def act(self, actions: Array) -> None:
        """Controls."""
        self._x = self._centres()[:, 0]
        self.actuators.control(actions, self.body)
        self._force = np.array(self.body.push, np.float64)

    def observe(self) -> Array:
        """See above."""
        q, v = self._state()
        poses = forward_kinematics(self.figure, q, threads=self.threads)
        turns, at = poses.rotation[:, self._links], poses.position[:, self._links]
        centres = at + np.einsum("nlij,lj->nli", turns, self._centre)
        com = np.einsum("nli,l->ni", centres, self._mass) / self._mass.sum()
        arm = centres - com[:, None]
        rates = link_velocities(self.figure, q, v, threads=self.threads)[:, self._links]
        linear = rates[..., 3:] + np.cross(rates[..., :3], com[:, None] - at)
        own = self.body.contact_forces()[:, self._links]
        forces = np.concatenate([np.zeros_like(own), own], axis=-1)
        w, x, y, z = q[:, 3:7].T
        back = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
                         2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
                         2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)  # fmt: skip
        spin = np.einsum("nij,nj->ni", back.reshape(-1, 3, 3), v[:, :3])  # MuJoCo: in the body's axes
        n = len(q)
        parts = (
            q[:, 2:], v[:, 3:6], spin, v[:, 6:], self._inertias(turns, arm).reshape(n, -1),
            np.concatenate([rates[..., :3], linear], axis=-1).reshape(n, -1),
            self._force[:, 6:], forces.reshape(n, -1),
        )  # fmt: skip
        return np.concatenate(parts, axis=1)

    def _inertias(self, turns: Array, arm: Array) -> Array:
        """MuJoCo's cinert: inertia about the figure's centre (xx, yy, zz, xy, xz, yz), mass times arm, mass."""
        moved = np.einsum("nlij,ljk,nlmk->nlim", turns, self._inertia, turns, optimize=True)
        square = (arm * arm).sum(-1)[..., None, None] * np.eye(3) - arm[..., :, None] * arm[..., None, :]
        full = moved + self._mass[:, None, None] * square
        six = full[..., [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        mass = np.broadcast_to(self._mass[:, None], (*six.shape[:2], 1))
        return np.concatenate([six, self._mass[:, None] * arm, mass], axis=-1)

    def _state(self) -> tuple[Array, Array]:
        q = self.figure.normalised(np.array(self.body.q, np.float64))
        return q, np.array(self.body.v, np.float64)

    def _centres(self) -> Array:
        """Centres of mass [m], shape (num_envs, 3)."""
        return np.array(self.body.centre_of_mass(), np.float64)

    def reward(self, actions: Array) -> Array:
        """See above."""
        forward = (self._centres()[:, 0] - self._x) / (self.H * self.SUBSTEPS)
        pressed = np.minimum(5e-7 * (self.body.contact_forces() ** 2).sum((1, 2)), 10.0)
        paid: Array = 1.25 * forward + 5.0 - 0.1 * (actions**2).sum(1) - pressed
        return paid

    def failed(self) -> Array:
        """Whose torso is too low or too high."""
        height = self.body.q[:, 2]
        failed: Array = ~((height > HEALTHY[0]) & (height < HEALTHY[1]))
        return failed


def _matrix(six: Any) -> Array:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
