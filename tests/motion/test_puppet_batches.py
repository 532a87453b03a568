"""Many characters in lanes and threads: the same as one by one, whoever their neighbours are."""

import numpy as np
import pytest

from hitogata.motion import Hold, Priority, Puppet
from tests.motion import puppet_cases as cases

FIGURE, DT = cases.human(), 1 / 60


def prepared(q, targets, *, threads=1):
    """Everything at once, also what cannot be: pins of all kinds, gaze, balance, wanted values, mobilities."""
    puppet = Puppet(FIGURE, q, threads=threads)
    single = np.ndim(q) == 1
    pins = [puppet.pin(frame, point=point) for frame, point in cases.FEET]
    puppet.pin("chest", hold=Hold.ORIENTATION, weight=0.1)
    puppet.pin("grip_left", hold=Hold.POSE, priority=Priority.FIRST, axes=(1, 1, 0.5))
    puppet.look_at("eyes", targets)
    puppet.balance(pins, inset=0.2)
    puppet.set_posture(time=0.5)
    hand = puppet.drag("grip_right", weight=2.0 if single else np.full(len(q), 2.0))
    puppet.set_target(hand, position=targets)
    puppet.set_mobility(0.5, ["waist"])
    return puppet


@pytest.mark.parametrize("count", [2, 8, 19])
def test_lanes_give_what_one_gives(count):
    poses = cases.reachable()[:count]
    targets = cases.point_of(FIGURE, cases.reachable()[-count:], *cases.HAND)
    stepped = prepared(poses, targets)
    residuals = [stepped.step(DT) for _ in range(12)][-1]
    for k in range(count):
        alone = prepared(poses[k], targets[k])
        single = [alone.step(DT) for _ in range(12)][-1]
        assert single.position == pytest.approx(residuals.position[k], abs=1e-9)
        assert single.angle == pytest.approx(residuals.angle[k], abs=1e-9)
        assert np.abs(alone.q - stepped.q[k]).max() < 1e-8
        assert np.abs(alone.v - stepped.v[k]).max() < 1e-6


def test_solves_in_lanes_are_those_of_one():
    targets = cases.point_of(FIGURE, cases.reachable()[:19], *cases.HAND)

    def solved(q, position):
        puppet = Puppet(FIGURE, q)
        for frame, point in cases.PINS:
            puppet.pin(frame, point=point)
        puppet.drag(cases.HAND[0], point=cases.HAND[1], position=position)
        return puppet.solve(), puppet.q

    found, q = solved(np.tile(FIGURE.neutral(), (19, 1)), targets)
    for k in range(19):
        own, q_own = solved(FIGURE.neutral(), targets[k])
        assert own.status is found.status[k]
        assert own.iterations == found.iterations[k]
        assert np.abs(q_own - q[k]).max() < 1e-6


def test_neighbours_and_threads():
    """Threads change no bit; neighbours only the last ones (the search for a range's wall looks at all lanes)."""
    poses = cases.reachable()[:64]
    targets = cases.point_of(FIGURE, cases.reachable()[-64:], *cases.HAND)
    order = np.random.default_rng(0).permutation(64)
    one, shuffled, shared = (
        prepared(poses, targets),
        prepared(poses[order], targets[order]),
        prepared(poses, targets, threads=2),
    )
    for puppet in (one, shuffled, shared):
        for _ in range(5):
            puppet.step(DT, iterations=2)
    assert (one.q == shared.q).all()
    assert np.abs(one.q[order] - shuffled.q).max() < 1e-11
    for puppet in (one, shared):
        puppet.solve(15)
    assert (one.q == shared.q).all()


def test_targets_weights_and_mobility_of_each():
    n = 11
    puppet = Puppet(FIGURE, np.tile(FIGURE.neutral(), (n, 1)))
    weights = np.linspace(0.0, 1.0, n)
    at = cases.point_of(FIGURE, FIGURE.neutral(), *cases.HAND) + (0.2, 0.1, 0.2)
    hand = puppet.pin("grip_right", position=at + np.linspace(0, 0.1, n)[:, None], weight=weights)
    for _ in range(60):
        puppet.step(DT)
    left = puppet.residual(hand).position
    assert left[0] > 0.2, "a weight of 0 does nothing"
    assert (left[1:] < 1e-3).all()
    assert puppet.q.shape == (n, FIGURE.nq)
    puppet.set_weight(hand, weights[::-1])
    puppet.set_mobility(np.arange(n) % 2.0)
    puppet.set_target(hand, position=at - (0.3, 0, 0.2))
    for _ in range(120):
        puppet.step(DT)
    moved = np.abs(puppet.v).max(axis=1)
    assert np.isfinite(moved).all()
    assert (puppet.residual(hand).position[1::2] < 1e-3).all()


def test_one_row_is_a_batch_of_one():
    puppet = Puppet(FIGURE, FIGURE.neutral()[None])
    hand = puppet.drag("grip_right", position=[(0.3, -0.3, 1.2)])
    assert puppet.step(DT).position.shape == (1,)
    assert puppet.solve().status[0].name == "REACHED"
    assert puppet.q.shape == (1, FIGURE.nq)
    assert puppet.residual(hand).position.shape == (1,)
