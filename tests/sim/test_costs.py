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
    world = falling()
    world.measure(1 / 60)
    begin = time.perf_counter()
    costs = world.measure(1 / 60, steps=200)
    spent = (time.perf_counter() - begin) / 200
    parts = [costs.broad, costs.narrow, costs.rows, costs.factor, costs.sweeps, costs.integrate]
    assert all(part > 0.0 for part in parts)
    assert sum(parts) == pytest.approx(costs.total)
    assert costs.total <= spent
    assert "sweeps" in str(costs)


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
