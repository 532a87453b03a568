"""A ball joint inside its range of motion, at small and very large steps; intervals of hinges."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import FigureBuilder, MassProperties, Pose, State, joint
from hitogata.library import human28
from hitogata.rom import ConeRegion, ConstantTwist, RangeOfMotion
from hitogata.sim import Coordinates, World


def arm(range_):
    builder = FigureBuilder("arm")
    tilted = Pose((0, 0, 2), (np.cos(0.6), 0, np.sin(0.6), 0))
    mass = MassProperties.principal(2.0, (0, 0, -0.3), (0.02, 0.02, 0.005))
    builder.add("arm", None, joint.ball(range=range_, parent_frame=tilted), mass)
    return builder.build()


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
def test_arm_falls_against_its_wall_and_stays(h):
    range_ = RangeOfMotion(ConeRegion((0, 0, -1), np.radians(40)), ConstantTwist(-0.5, 0.5), bone=(0, 0, -1))
    world = World()
    member = world.add(arm(range_), State(np.array([1.0, 0, 0, 0]), np.array([0.3, -2.0, 3.0])))
    depths = []
    for _ in range(round(5 / h)):
        world.step(h)
        found = range_.violation(member.q)
        depths.append((float(found.swing_depth), float(found.twist_depth)))
    assert np.degrees(np.max(depths)) < 1.0
    assert np.max(depths) > -1e-3, "the arm never came to its wall"


def test_without_its_range_the_arm_falls_further():
    range_ = RangeOfMotion(ConeRegion((0, 0, -1), np.radians(40)), bone=(0, 0, -1))
    world = World()
    member = world.add(arm(None), State(np.array([1.0, 0, 0, 0]), np.array([0.3, -2.0, 3.0])))
    worst = -np.inf
    for _ in range(120):
        world.step(1 / 60)
        worst = max(worst, float(range_.violation(member.q).swing_depth))
    assert np.degrees(worst) > 20


@pytest.mark.parametrize("coordinates", list(Coordinates))
def test_a_range_given_later_is_as_one_given_at_first(coordinates):
    """Set, changed while the arm leans on its wall, taken off: the same bits as worlds made so, from where it was."""
    cone, wide = (RangeOfMotion(ConeRegion((0, 0, -1), np.radians(a)), bone=(0, 0, -1)) for a in (40, 55))
    state = State(np.array([1.0, 0, 0, 0]), np.array([0.3, -2.0, 3.0]))
    worlds = [World(coordinates=coordinates) for _ in range(2)]
    made, given = (world.add(arm(range_), state) for world, range_ in zip(worlds, (cone, None), strict=True))
    given.set_range("arm", cone)
    assert given.range_of("arm") is cone
    assert given.figure == made.figure
    for _ in range(120):
        for world in worlds:
            world.step(1 / 60)
        assert (given.q == made.q).all()
    assert given.limit_forces()[0, 0] > 0.5
    for range_, least, most in ((wide, 54.9, 55.5), (None, 65, 90)):
        given.set_range("arm", range_)
        assert not given.limit_forces().any()
        depths = []
        for _ in range(120):
            worlds[1].step(1 / 60)
            depths.append(cone.violation(given.q).swing_depth)
        assert least < 40 + np.degrees(np.max(depths)) < most


def test_another_range_changes_nothing_else():
    world = World()
    world.add_ground()
    human = world.add(human28())
    world.step(1 / 60, steps=5)
    before, forces, contacts = world.save(), human.joint_forces(), len(world.contacts())
    assert contacts > 0
    human.set_range("chest", None)  # none, as before
    world.restore(before)
    human.set_range("chest", human28(ranges=True).link("chest").joint.range)
    after = world.save()
    for name in ("state", "control", "contacts", "points", "counts"):
        assert (getattr(after, name) == getattr(before, name)).all()
    assert (human.joint_forces() == forces).all()
    with pytest.raises(ArgumentError, match="it is of a world with other figures"):
        world.restore(before)


@pytest.mark.parametrize(
    ("joint_", "range_", "message"),
    [
        ("tail", None, "figure 'human28' has no joint 'tail'"),
        ("shin_left", None, "joint: 'shin_left' of 'human28' is a hinge joint; only ball joints"),
        ("chest", (0.0, 1.0), r"range_: for joint 'chest' of 'human28' expected a RangeOfMotion or None, got \(0.0"),
    ],
)
def test_bad_ranges_change_nothing(joint_, range_, message):
    world = World()
    human = world.add(human28())
    figure, before = human.figure, world.save()
    with pytest.raises(HitogataError, match=message):
        human.set_range(joint_, range_)
    assert human.figure is figure
    assert world.save().contents == before.contents
    assert (world.save().state == before.state).all()


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
def test_hinge_stops_at_its_limit(h):
    builder = FigureBuilder("door")
    mass = MassProperties.principal(1.0, (0.4, 0, 0), (0.01, 0.05, 0.05))
    builder.add("door", None, joint.hinge(axis=(0, 1, 0), range=(-0.3, 0.8)), mass)
    world = World()
    door = world.add(builder.build())
    angles = []
    for _ in range(round(3 / h)):
        world.step(h)
        angles.append(door.q[0])
    assert max(angles) < 0.8 + np.radians(1)
    assert angles[-1] == pytest.approx(0.8, abs=1e-3)


def block(range_, kind=joint.slider):
    builder = FigureBuilder("block")
    mass = MassProperties.principal(1.0, (0, 0, 0), (0.05, 0.05, 0.05))
    builder.add("block", None, kind(axis=(1, 0, 0), range=range_), mass)
    return builder.build()


@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 0.1])
@pytest.mark.parametrize("kind", [joint.slider, joint.hinge])
@pytest.mark.parametrize("width", [0.0, 1e-3, 0.02])
def test_a_joint_with_little_room_stays_in_it_however_fast(width, kind, h):
    """Both ends count: the one ahead, not only the nearer one.  The wall's damper stops it within m v/d."""
    world = World(gravity=(0.0, 0.0, 0.0))
    beyond = 1.0 * 5.0 / world.settings.range_damping
    member = world.add(block((0.3, 0.3 + width), kind), State(np.array([0.3]), np.array([5.0])))
    for _ in range(20):
        world.step(h)
        assert -2e-4 < member.q[0] - 0.3 < width + beyond
    world.step(h, steps=round(1 / h))
    assert abs(member.v[0]) < 0.02  # nothing but walls brakes it: it leaves them as they push it out, and drifts
    assert -2e-4 < member.q[0] - 0.3 < width + 2e-4


def test_force_of_the_end_that_pushes():
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(block((-0.001, 0.001)))
    for push in (7.0, -3.0):
        member.push([push])
        world.step(1 / 60, steps=200)
        np.testing.assert_allclose(member.limit_forces(), [[abs(push), 0.0]], rtol=1e-3)
