"""Reactions of the figure's own joints while virtual links hold it: every body's balance of momentum."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, inverse_dynamics, link_accelerations, link_velocities
from hitogata.errors import ArgumentError
from hitogata.loops import Links, constrained_dynamics, here, joint_reactions, link_wrenches, move, pin
from tests.loops.cases import random_loops
from tests.loops.mechanisms import four_bar

G = np.array([0, 0, -9.81])


def newton_euler(figure, q, v, vdot):
    """Force and torque about its origin that each link needs to move so, world axes, from Newton's and Euler's laws."""
    poses, a, w = forward_kinematics(figure, q), link_accelerations(figure, q, v, vdot), link_velocities(figure, q, v)
    out = np.zeros((figure.nlinks, 6))
    for k, link in enumerate(figure.links):
        R, m, arm = poses.rotation[k], link.mass.mass, poses.rotation[k] @ np.array(link.mass.centre)
        spin, omega = a[k, :3], w[k, :3]
        centre = a[k, 3:] + np.cross(spin, arm) + np.cross(omega, np.cross(omega, arm))
        inertia = R @ link.mass.matrix @ R.T  # about the centre
        force = m * (centre - G)
        torque = inertia @ spin + np.cross(omega, inertia @ omega) + np.cross(arm, force)
        out[k] = np.concatenate([torque, force])
    return out


@pytest.mark.parametrize("seed", range(12))
def test_every_link_is_in_balance(seed):
    """Its joint, its children's joints, the virtual links and pushes from outside give what its motion needs."""
    figure, links, q, v = random_loops(seed)
    rng = np.random.default_rng(seed)
    tau, pushes = rng.normal(size=figure.nv), rng.normal(size=(figure.nlinks, 6))
    held = constrained_dynamics(links, q, v, tau, wrenches=pushes)
    reactions = joint_reactions(links, q, v, tau, wrenches=pushes)
    poses = forward_kinematics(figure, q)
    at = [poses.position[k] + poses.rotation[k] @ np.array(link.joint.child_frame.position)
          for k, link in enumerate(figure.links)]  # fmt: skip
    total = pushes + link_wrenches(links, q, held)
    for k, parent in enumerate(figure.parents):
        for index, sign in ((k, 1.0), (parent, -1.0)):
            if index >= 0:
                arm = at[k] - poses.position[index]
                total[index, :3] += sign * (reactions[k, :3] + np.cross(arm, reactions[k, 3:]))
                total[index, 3:] += sign * reactions[k, 3:]
    need = newton_euler(figure, q, v, held.vdot)
    armature = np.array([link.joint.armature for link in figure.links])
    if armature.any():
        pytest.skip("armature is no body's inertia")
    np.testing.assert_allclose(total, need, atol=1e-8 * (1 + np.abs(need).max()))


def test_wrenches_of_links_are_those_of_inverse_dynamics():
    figure, links, _, state = four_bar()
    moved = move(links, state, 1e-3, steps=40)
    held = constrained_dynamics(links, moved.q, moved.v)
    wrenches = link_wrenches(links, moved.q, held)
    tau = inverse_dynamics(figure, moved.q, moved.v, held.vdot, wrenches=wrenches)
    np.testing.assert_allclose(tau, 0, atol=1e-10)
    many = joint_reactions(links, moved.q, moved.v)
    for k in (0, 17, 40):
        np.testing.assert_allclose(joint_reactions(links, moved.q[k], moved.v[k]), many[k], atol=1e-9)


def test_what_does_not_belong_together_is_refused():
    figure, links, _, state = four_bar()
    held = constrained_dynamics(links, state.q, state.v)
    other, _ = Links(figure).add(here(figure, state.q, pin("crank")))
    with pytest.raises(ArgumentError, match="held"):
        link_wrenches(other, state.q, held)
    with pytest.raises(ArgumentError, match="held"):
        link_wrenches(links, np.tile(state.q, (3, 1)), held)
