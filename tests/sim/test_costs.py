"""Costs of the parts of a step: they sum to the time taken, and measuring changes nothing."""

import time

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.library import human28
from hitogata.sim import ContactMethod, Coordinates, Settings, World


def falling(**options) -> World:
    world = World(**options)
    world.add_ground()
    human = world.add(human28(), State(human28().neutral(), np.full(34, 0.4)))
    human.set_motor(300.0, 10.0)
    return world


def test_measured_steps_are_the_same_steps():
    one, other = falling(), falling()
    one.step(1 / 60, steps=60)
    costs = other.measure(1 / 60, steps=60)
    np.testing.assert_allclose(one.members[0].q, other.members[0].q, rtol=0, atol=1e-9)
    assert one.time == other.time
    assert costs.steps == 60
    assert costs.contacts >= len(other.contacts()) > 0
    assert costs.pairs > costs.contacts / 4


def test_parts_sum_to_the_time_taken():
    """The steps' own time, by another clock; what is around them is little."""
    world, shares = falling(), []
    world.measure(1 / 60)
    for _ in range(5):  # others may use the processor
        begin = time.perf_counter()
        costs = world.measure(1 / 60, steps=500)
        shares.append(costs.total * 500 / (time.perf_counter() - begin))
        parts = [costs.broad, costs.narrow, costs.rows, costs.factor, costs.sweeps, costs.integrate]
        assert min(parts) > 0.0
    assert 0.8 < max(shares) <= 1.0
    assert "sweeps" in str(costs)


def test_the_part_that_gets_more_to_do_costs_more():
    """Twenty times the sweeps, in worlds that are alike else."""
    few, many = (falling(settings=Settings(tolerance=0.0, sweeps=n)) for n in (5, 100))
    for world in (few, many):
        world.measure(1 / 60, steps=60)
    one, other = (min((w.measure(1 / 60, steps=30) for _ in range(5)), key=lambda c: c.total) for w in (few, many))
    assert other.sweeps > 5 * one.sweeps
    assert other.factor < 2 * one.factor
    assert other.rows < 2 * one.rows


def test_bad_input():
    with pytest.raises(ArgumentError, match="steps"):
        falling().measure(1 / 60, steps=0)
    with pytest.raises(ArgumentError, match="h:"):
        falling().measure(-1.0)
    with pytest.raises(ArgumentError, match="reduced"):
        falling(coordinates=Coordinates.MAXIMAL).measure(1 / 60)


def test_by_states_too():
    world = falling(settings=Settings(contacts=ContactMethod.STATES))
    costs = world.measure(1 / 60, steps=30)
    assert costs.sweeps > 0.0
    assert world.contact_tally.steps >= 30
