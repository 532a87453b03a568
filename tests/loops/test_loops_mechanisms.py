"""Closed loops over time: drift, energy, reactions, and a reference solution of the literature."""

import numpy as np
import pytest

from hitogata.dynamics import energy, forward_kinematics, inverse_dynamics, joint_reactions
from hitogata.figure import State
from hitogata.loops import Links, constrained_dynamics, hinge, link_rows, move, pin
from tests.loops.mechanisms import AFTER, DRIVE, NAMES, REST, STIFFNESS, four_bar, slider_crank, squeezer


def drift(links: Links, state: State) -> float:
    rows = link_rows(links, state.q, state.v)
    return max(np.abs(rows.value[: links.held]).max(), np.abs(rows.rate[: links.held]).max())


@pytest.mark.parametrize("make", [lambda: four_bar(hinge), lambda: four_bar(pin), slider_crank],
                         ids=["four-bar, hinge", "four-bar, pin", "slider-crank"])  # fmt: skip
def test_five_seconds_keep_energy_and_close(make):
    figure, links, *_, state = make()
    before, worst, at = energy(figure, state.q, state.v).total, 0.0, state
    for _ in range(50):
        at = move(links, at, 5e-4, steps=200).state
        worst = max(worst, drift(links, at), abs(energy(figure, at.q, at.v).total - before))
    assert worst < 1e-6
    assert np.abs(at.q - state.q).max() > 1.0  # it did move


def test_without_correction_it_drifts_and_stabilising_helps():
    _, links, _, state = four_bar()
    plain = drift(links, move(links, state, 2e-3, steps=2500, correct=False).state)
    pulled = drift(links, move(links, state, 2e-3, steps=2500, correct=False, stabilise=50.0).state)
    assert plain > 1e-6
    assert pulled < plain / 3


def test_planar_hinge_is_redundant_and_said_so():
    figure, links, _, state = four_bar()
    held = constrained_dynamics(links, state.q, state.v)
    assert (links.held, held.rank, held.redundant) == (5, 2, 3)
    same = constrained_dynamics(four_bar(pin)[1], state.q, state.v)
    assert (same.rank, same.redundant) == (2, 1)
    np.testing.assert_allclose(held.vdot, same.vdot, atol=1e-10)
    assert figure.nv == 3


def wrenches_on_links(figure, links, q, held):
    """What the virtual links do to the figure's links: [torque about its origin; force], world axes."""
    out = np.zeros((figure.nlinks, 6))
    poses = forward_kinematics(figure, q)
    for handle, link in links.links:
        torque, force = held.wrench(handle)[:3], held.wrench(handle)[3:]
        a, pose = figure.frame(link.child)
        place = poses.position[a] + poses.rotation[a] @ (pose @ link.child_pose).position
        if link.parent is None:
            b, axes = -1, link.parent_pose.rotation
        else:
            b, own = figure.frame(link.parent)
            axes = poses.rotation[b] @ (own @ link.parent_pose).rotation
        torque, force = axes @ torque, axes @ force
        for index, sign in ((a, 1.0), (b, -1.0)):
            if index >= 0:
                out[index, :3] += sign * (torque + np.cross(place - poses.position[index], force))
                out[index, 3:] += sign * force
    return out


def test_reactions_agree_with_inverse_dynamics_and_with_another_cut():
    figure, links, handle, state = four_bar()
    held = constrained_dynamics(links, state.q, state.v)
    wrenches = wrenches_on_links(figure, links, state.q, held)
    np.testing.assert_allclose(inverse_dynamics(figure, state.q, state.v, held.vdot, wrenches=wrenches), 0, atol=1e-10)
    reactions = joint_reactions(figure, state.q, state.v, held.vdot, wrenches=wrenches)
    other, cut, _, guess = four_bar(cut_at_coupler=True)
    place = forward_kinematics(figure, state.q)
    rocker = figure.link_index("rocker")
    along = place.rotation[rocker] @ (1, 0, 0)
    q = np.array([state.q[0], state.q[1], np.arctan2(-along[2], along[0])])  # the rocker's own angle
    v = np.array([state.v[0], state.v[1], state.v.sum()])
    assert np.abs(link_rows(cut, q, v).value).max() < 1e-9
    assert np.abs(link_rows(cut, q, v).rate).max() < 1e-9
    held2 = constrained_dynamics(cut, q, v)
    wrenches2 = wrenches_on_links(other, cut, q, held2)
    reactions2 = joint_reactions(other, q, v, held2.vdot, wrenches=wrenches2)
    # a joint of one tree is a virtual link of the other; forces in the plane, as the rest is redundant
    plane = [3, 5]
    np.testing.assert_allclose(reactions[1][plane], reactions2[1][plane], atol=1e-8)
    np.testing.assert_allclose(reactions[2][plane], reactions2[2][plane], atol=1e-8)
    ground = links[handle].parent_pose.rotation @ held.wrench(handle)[3:]
    np.testing.assert_allclose(ground[[0, 2]], reactions2[3][plane], atol=1e-8)
    assert np.abs(guess.q).max() > 0


def squeezer_energy(figure, links, state):
    stretch = link_rows(links, state.q).value[-1]
    return energy(figure, state.q, state.v, gravity=(0, 0, 0)).total + 0.5 * STIFFNESS * stretch**2


def test_squeezer_meets_its_reference():
    figure, links, q = squeezer()
    assert np.abs(link_rows(links, q).value[: links.held]).max() < 1e-12
    tau = np.zeros(figure.nv)
    tau[figure.v_slice("k1")] = DRIVE
    state = State(q, np.zeros(figure.nv))
    start = squeezer_energy(figure, links, state)
    for _ in range(3):
        state = move(links, state, 5e-6, tau, steps=2000, gravity=(0, 0, 0)).state
    end = np.array([state.q[figure.q_slice(name)][0] for name in NAMES])
    np.testing.assert_allclose(end, AFTER, atol=1e-7)
    work = DRIVE * (end[0] - q[figure.q_slice("k1")][0])
    assert abs(squeezer_energy(figure, links, state) - start - work) < 1e-8
    assert drift(links, state) < 1e-9


def test_squeezer_swings_five_seconds():
    """Driven by its spring alone."""
    figure, links, q = squeezer()
    state = State(q, np.zeros(figure.nv))
    start = squeezer_energy(figure, links, state)
    assert abs(link_rows(links, q).value[-1]) < REST
    worst = 0.0
    for _ in range(10):
        state = move(links, state, 2.5e-5, steps=20000, gravity=(0, 0, 0)).state
        worst = max(worst, abs(squeezer_energy(figure, links, state) - start), drift(links, state))
    assert worst < 1e-6
