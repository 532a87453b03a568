"""Hanging by two hands, by one, by none: forces, momentum, and coordinates that stay what they are."""

from dataclasses import replace

import numpy as np

from hitogata.dynamics import centre_of_mass, energy, jacobian, jacobian_derivative, momentum
from hitogata.figure import Figure, State
from hitogata.library import human40
from hitogata.loops import Links, constrained_dynamics, grasp, here, impact, link_rows, move

WEIGHT = 9.81


def hang():
    plain = human40()
    damped = [replace(k, joint=replace(k.joint, damping=0.3)) for k in plain.links[1:]]
    figure = Figure(plain.name, (plain.links[0], *damped))
    q = figure.neutral()
    for side in ("left", "right"):
        q[figure.q_slice(f"shoulder_{side}")] = (0, 0, 1, 0)  # arms up
    links = Links(figure)
    links, left = links.add(here(figure, q, grasp("palm_left", bar=(0, 1, 0))))
    links, right = links.add(here(figure, q, grasp("palm_right", bar=(0, 1, 0))))
    return figure, links, left, right, State(q, np.zeros(figure.nv))


def pull(links, held):
    """Forces of all grips together, world axes."""
    return sum(links[h].parent_pose.rotation @ held.wrench(h)[3:] for h in links.handles)


def mass_acceleration(figure, state, vdot):
    """Of the centre of mass, from the links' Jacobians."""
    total = np.zeros(3)
    for link in figure.links:
        point = link.mass.centre
        J = jacobian(figure, state.q, link.name, point=point)[3:]
        dJ = jacobian_derivative(figure, state.q, state.v, link.name, point=point)[3:]
        total += link.mass.mass * (J @ vdot + dJ @ state.v)
    return total / figure.mass


def test_two_hands_one_hand_none():
    figure, links, left, right, state = hang()
    nq = len(state.q)
    centre, travel = [], []
    for phase in range(3):
        if phase == 1:
            links = links.remove(left)
        elif phase == 2:
            links = links.remove(right)
        for k in range(8):
            tau = np.concatenate([np.zeros(6), 3.0 * np.sin(k + np.arange(figure.nv - 6))])
            held = constrained_dynamics(links, state.q, state.v, tau)
            total = pull(links, held) if len(links) else np.zeros(3)
            expected = figure.mass * (mass_acceleration(figure, state, held.vdot) + (0, 0, WEIGHT))
            np.testing.assert_allclose(total, expected, atol=1e-8)
            state = move(links, state, 1e-3, tau, steps=25).state
            assert len(state.q) == nq
            if len(links):
                assert np.abs(link_rows(links, state.q).value).max() < 1e-10
        centre.append(centre_of_mass(figure, state.q))
        travel.append(np.linalg.norm(state.v))
    assert centre[2][2] < centre[0][2] - 0.1  # let go, it falls
    assert all(np.isfinite(travel))


def test_grips_share_the_weight_and_one_takes_over():
    figure, links, left, right, state = hang()
    both = constrained_dynamics(links, state.q, state.v)
    shares = [links[h].parent_pose.rotation @ both.wrench(h)[3:] for h in (left, right)]
    np.testing.assert_allclose(shares[0] * (1, -1, 1), shares[1], atol=1e-8)
    lift = figure.mass * (mass_acceleration(figure, state, both.vdot)[2] + WEIGHT)
    np.testing.assert_allclose(shares[0][2] + shares[1][2], lift, atol=1e-8)
    assert abs(lift - figure.mass * WEIGHT) < 0.01 * lift  # all but at rest
    one = links.remove(left)
    held = constrained_dynamics(one, state.q, state.v)
    alone = one[right].parent_pose.rotation @ held.wrench(right)[3:]
    lift = figure.mass * (mass_acceleration(figure, state, held.vdot)[2] + WEIGHT)
    np.testing.assert_allclose(alone[2], lift, atol=1e-8)
    assert lift > 200.0


def test_a_grip_breaks_at_its_force():
    figure, _, _, _, state = hang()
    strong, weak = (here(figure, state.q, grasp(f"palm_{s}", bar=(0, 1, 0), force_limit=f))
                    for s, f in (("left", np.inf), ("right", 250.0)))  # fmt: skip
    links, kept = Links(figure).add(strong)
    links, lost = links.add(weak)
    start = State(state.q, np.zeros(figure.nv))
    moved = move(links, start, 1e-3, steps=200)
    (handle, time), = moved.broken
    assert handle == lost
    assert moved.links.handles == (kept,)
    assert len(moved.state.q) == figure.nq
    again = move(links, start, 1e-3, steps=round(time / 1e-3)) if time else None
    if again is not None:  # just before, the force is at the limit
        held = constrained_dynamics(again.links, again.state.q, again.state.v)
        assert np.linalg.norm(held.wrench(lost)[3:]) > 250.0


def test_catching_a_bar_is_an_impact():
    figure, links, _, _, state = hang()
    falling = State(state.q, np.eye(figure.nv)[5] * -1.0)
    caught = impact(links, falling)
    assert np.abs(link_rows(links, caught.state.q, caught.state.v).rate).max() < 1e-10
    assert energy(figure, caught.state.q, caught.state.v).kinetic < energy(figure, falling.q, falling.v).kinetic
    up = sum(links[h].parent_pose.rotation @ caught.wrench(h)[3:] for h in links.handles)
    gained = momentum(figure, falling.q, caught.state.v)[3:] - momentum(figure, falling.q, falling.v)[3:]
    np.testing.assert_allclose(up, gained, atol=1e-9)
    assert up[2] > 10.0
