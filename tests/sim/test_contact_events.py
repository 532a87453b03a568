"""Contact events: what touched whom, kept by compiled code over all steps and substeps, read whenever one likes."""

import copy
import pickle

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import Box, Pose, Sphere, State
from hitogata.library import human28
from hitogata.sim import Coordinates, Settings, World
from hitogata.sim.layout import PIECES

KEPT = Settings(contact_events=1000)


def bouncing(settings: Settings = KEPT, **options) -> World:
    world = World(settings=settings, **options)
    world.add_ground(restitution=0.9)
    for k in range(3):
        world.add_body(Sphere(0.1), mass=1.0 + k, pose=Pose((k, 0, 0.3 + 0.2 * k)), restitution=0.9, name=f"ball{k}")
    return world


def polled(world: World, h: float, steps: int) -> dict:
    """By looking after each step: how often each body began to touch, and the impulse on it."""
    touching, began, impulse = set(), {}, {}
    for _ in range(steps):
        world.step(h)
        now = set()
        for contact in world.contacts():
            if contact.impulse.any():
                a, b = contact.a, contact.b
                pair = tuple(None if end is None else world.members.index(end[0]) for end in (a, b))
                now.add(pair)
                impulse[pair] = impulse.get(pair, 0.0) + contact.impulse
        for pair in now - touching:
            began[pair] = began.get(pair, 0) + 1
        touching = now
    return {pair: (began[pair], impulse[pair]) for pair in began}


def by_pairs(world: World, events) -> dict:
    result: dict = {}
    for event in events:
        pair = tuple(None if end is None else world.members.index(end[0]) for end in (event.a, event.b))
        count, impulse = result.get(pair, (0, 0.0))
        result[pair] = count + (event.began is not None), impulse + event.impulse
    return result


@pytest.mark.parametrize("options", [{}, {"coordinates": Coordinates.MAXIMAL}], ids=["reduced", "maximal"])
def test_nothing_is_missed_in_many_steps_of_one_call(options):
    """The same as polling after every step, where steps are not cut."""
    h, steps = 1 / 240, 1000
    expected = polled(bouncing(**options), h, steps)
    world = bouncing(**options)
    world.step(h, steps=steps)
    found = by_pairs(world, events := world.contact_events())
    assert events.lost == 0
    assert found.keys() == expected.keys()
    for pair, (began, impulse) in expected.items():
        assert found[pair][0] == began > 3
        np.testing.assert_allclose(found[pair][1], impulse, rtol=1e-9)
    for event in events:
        assert event.ended is None or event.ended > event.began
        assert isinstance(event.shape_a, type(event.shape_a))
        np.testing.assert_allclose(abs(event.normal[2]), 1.0)
        assert abs(event.position[2]) < 0.02


def test_impulses_add_up_to_momentum_though_steps_are_cut():
    world = World(settings=KEPT)
    world.add_ground(friction=0.5)
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0, pose=Pose((0, 0, 0.4)))
    box.state = State(box.q, np.array([20.0, 30.0, 10.0, 1.0, 0, 0]))
    before, cut = box.v[3:], False
    for _ in range(30):
        world.step(1 / 60)
        cut |= world.arrays.counts[PIECES] > 1
    total = sum((e.impulse if e.a is not None else -e.impulse) for e in world.contact_events())
    assert cut
    np.testing.assert_allclose(total, 2.0 * (box.v[3:] - before) + [0, 0, 2.0 * 9.81 * 0.5], rtol=0, atol=1e-9)


def test_what_goes_on_is_told_in_parts():
    world = World(settings=KEPT)
    world.add_ground()
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0, pose=Pose((0, 0, 0.1)))
    world.step(1 / 60, steps=60)
    first, total = world.contact_events(), 0.0
    assert [e.ended for e in first] == [None]
    assert first[0].began is not None
    for _ in range(10):
        world.step(1 / 60, steps=6)
        (event,) = world.contact_events()
        assert event.began is None is event.ended
        total += abs(event.impulse[2])
    assert total == pytest.approx(2.0 * 9.81, rel=1e-4)
    assert len(world.contact_events()) == 0  # nothing since
    box.state = State(np.array([0, 0, 3.0, 1, 0, 0, 0]), np.zeros(6))
    world.step(1 / 60)
    (event,) = world.contact_events()
    assert event.ended == pytest.approx(2.0)


def test_reading_changes_nothing():
    one, two = bouncing(), bouncing()
    for _ in range(50):
        one.step(1 / 60)
        two.step(1 / 60)
        one.contact_events()
    assert all(np.array_equal(a.q, b.q) for a, b in zip(one.members, two.members, strict=True))
    plain = bouncing(Settings())
    plain.step(1 / 60, steps=50)
    assert all(np.array_equal(a.q, b.q) for a, b in zip(one.members, plain.members, strict=True))


def test_memory_is_bounded_and_what_is_lost_is_told():
    world = bouncing(Settings(contact_events=5))
    size = world.arrays.log.numbers.nbytes
    world.step(1 / 240, steps=2000)
    events = world.contact_events()
    assert len([e for e in events if e.ended is not None]) == 5
    assert events.lost > 5
    assert world.arrays.log.numbers.nbytes == size
    assert world.contact_events().lost == 0
    expected = bouncing()
    expected.step(1 / 240, steps=2000)
    everything = expected.contact_events()
    assert len(everything) == len(events) + events.lost


def test_events_go_on_when_things_come_and_go():
    world = bouncing()
    balls = world.members
    world.step(1 / 240, steps=300)
    world.add_body(Sphere(0.1), mass=1.0, pose=Pose((9, 9, 9)))
    world.step(1 / 240, steps=300)
    world.remove(balls[0])
    world.step(1 / 240, steps=300)
    events = world.contact_events()
    still = bouncing()
    still.step(1 / 240, steps=900)
    for ball, other in zip(balls[1:], still.members[1:], strict=True):
        mine, theirs = [e for e in events if e.involves(ball)], still.contact_events(other)
        assert [e.ended is None for e in mine] == [e.ended is None for e in theirs]
        np.testing.assert_allclose([e.began for e in mine], [e.began for e in theirs], rtol=1e-12)
        np.testing.assert_allclose([e.impulse for e in mine], [e.impulse for e in theirs], rtol=1e-9, atol=1e-12)
    gone = [e for e in events if e.involves(balls[0])]
    assert gone
    assert max(e.began for e in gone) < 600 / 240
    with pytest.raises(ArgumentError, match="figure 'ball0' was removed"):
        world.contact_events(balls[0])


def test_sleep():
    """What falls asleep still touches; when it wakes, it goes on."""
    world = World(settings=Settings(sleep_after=0.2, contact_events=100))
    world.add_ground()
    boxes = [world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((3 * k, 0, 0.1))) for k in range(2)]
    far = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((9, 0, 30.0)))
    world.step(1 / 60, steps=60)
    assert len(world.asleep) == 2
    events = world.contact_events()
    assert {e.a[0] if e.a else e.b[0] for e in events} == set(boxes)
    assert all(e.ended is None for e in events)
    boxes[0].state = State(np.array([0, 0, 1.0, 1, 0, 0, 0]), np.zeros(6))
    world.step(1 / 60)
    (event,) = world.contact_events()
    assert event.involves(boxes[0])
    assert event.ended is not None
    assert not any(e.involves(far) for e in events)


def test_copies_snapshots_and_pickles():
    world = bouncing()
    world.step(1 / 240, steps=200)
    snapshot = world.save()
    for other in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        other.step(1 / 240, steps=200)
        events = other.contact_events()
        assert all(e.a is None or e.a[0].world is other for e in events)
    world.step(1 / 240, steps=200)
    assert [e.began for e in world.contact_events()] == [e.began for e in events]
    world.restore(snapshot)
    world.step(1 / 240, steps=200)
    later = [e.began for e in world.contact_events() if e.began is not None]
    assert later == [e.began for e in events if e.began is not None and e.began >= snapshot.time]


def test_links_and_shapes_are_named():
    world = World(settings=KEPT)
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    world.step(1 / 60, steps=30)
    links = {end[1] for e in world.contact_events() for end in (e.a, e.b) if end is not None}
    assert links == {"foot_left", "foot_right"}


def test_bad_input():
    with pytest.raises(ArgumentError, match="contact_events"):
        World().contact_events()
    for value in (-1, 2.5, "many", True):
        with pytest.raises(ArgumentError, match="contact_events"):
            Settings(contact_events=value)
    world = bouncing()
    with pytest.raises(ArgumentError, match="another world"):
        world.contact_events(bouncing().members[0])
