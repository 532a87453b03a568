"""Pin and drag of figures whose joints follow functions, and each other."""

import numpy as np
import pytest

from hitogata.dynamics import centre_of_mass, forward_kinematics
from hitogata.figure import joint
from hitogata.motion import Puppet
from hitogata.motion.puppet import Status
from tests.sim.test_function_joints import leg, shared


def place(figure, q, link):
    return forward_kinematics(figure, q).position[..., figure.link_index(link), :]


@pytest.mark.parametrize(
    ("figure", "link"), [(leg(joint.ball()), "foot"), (leg(joint.ball()), "patella"), (shared(), "right")]
)
def test_links_come_where_they_are_dragged(figure, link):
    iterations = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        there, start = figure.random(rng, spread=0.3), figure.random(rng, spread=0.1)
        if figure.name == "leg":
            there[4], start[4] = rng.uniform(-1.4, -0.2), -0.3
        goal, puppet = place(figure, there, link), Puppet(figure, start)
        puppet.drag(link, position=goal)
        solution = puppet.solve(300)
        assert solution.status is Status.REACHED
        assert np.linalg.norm(place(figure, puppet.q, link) - goal) < 2e-5
        iterations.append(solution.iterations)
    assert np.median(iterations) < 15  # as few as with hinges: the matrix is exact


def test_balance_and_limits_and_many_at_once():
    figure = leg(joint.free())
    puppet, corners = Puppet(figure), np.array([[0.2, 0.1], [0.3, 0.1], [0.3, 0.2], [0.2, 0.2]])
    foot = place(figure, puppet.q, "foot")
    puppet.pin("foot")
    puppet.balance(corners)
    assert puppet.solve(300).status is Status.REACHED
    assert np.linalg.norm(place(figure, puppet.q, "foot") - foot) < 1e-4
    x, y, _ = centre_of_mass(figure, puppet.q)
    assert 0.2 < x < 0.3
    assert 0.1 < y < 0.2
    assert puppet.q[7] <= 0.1  # the knee's end
    starts = np.array([figure.random(np.random.default_rng(k), spread=0.1) for k in range(3)])
    starts[:, 7] = -0.4
    many = Puppet(figure, starts)
    many.drag("toes", position=(0.2, 0.1, -0.6))
    for _ in range(5):
        many.step(1 / 60)
    for k in range(3):
        one = Puppet(figure, starts[k])
        one.drag("toes", position=(0.2, 0.1, -0.6))
        for _ in range(5):
            one.step(1 / 60)
        assert np.allclose(many.q[k], one.q, atol=1e-12)
        assert np.allclose(many.v[k], one.v, atol=1e-10)
