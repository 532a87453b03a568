"""Heaps: many figures on each other, and how their rows are solved."""

import numpy as np
import pytest

from hitogata.constraints.contacts import grip
from hitogata.dynamics import energy
from hitogata.figure import Box, FigureBuilder, Pose, State, joint
from hitogata.library import human28
from hitogata.sim import Settings, World

H = 1 / 60


def thrown(world, count, *, beside, apart, height, seed):
    """Limp humans in random attitudes, so many beside each other in each direction, the others above them."""
    rng, figure = np.random.default_rng(seed), human28()
    for k in range(count):
        q, quat = figure.neutral(), rng.normal(size=4)
        q[:3] = apart * (k % beside - 1), apart * (k // beside % beside - 1), height + 2.2 * (k // beside**2)
        q[3:7] = quat / np.linalg.norm(quat)
        world.add(figure, State(q, np.zeros(figure.nv))).set_motor(0.0, 1.0)
    return world


def mechanical_energy(world):
    return sum(energy(member.figure, member.q, member.v).total for member in world.members)


def test_a_heap_comes_to_rest():
    """Twelve humans in a pit, 5 s: energy falls throughout, and in the end nothing overlaps by 5 mm."""
    world = World()
    world.add_ground()
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        world.add_ground(Box((0.1 if x else 2.2, 0.1 if y else 2.2, 2.0), pose=Pose((2.1 * x - 1, 2.1 * y - 1, 2.0))))
    thrown(world, 12, beside=2, apart=2.0, height=1.5, seed=2)
    last = start = mechanical_energy(world)
    for _ in range(20):
        world.step(H, steps=15)
        now = mechanical_energy(world)  # without that of contacts and walls, which are springs
        assert now < last + 1e-3 * start
        last = now
    assert last < 0.2 * start
    assert all(np.isfinite(member.q).all() and np.isfinite(member.v).all() for member in world.members)
    assert max(np.abs(member.v).max() for member in world.members) < 3.0
    assert min(contact.gap for contact in world.contacts()) > -0.005
    ends = [end for contact in world.contacts() for end in (contact.a, contact.b) if end is not None]
    assert {member for member, _ in ends} == set(world.members)


def test_along_chains_as_by_replies():
    """Steps of humans that lie about, far from each other, solved one by one, and all as one heap: the same but for
    rounding."""
    apart, together = (World(settings=Settings(islands=islands, tolerance=0.0, sweeps=30)) for islands in (True, False))
    for world in (apart, together):
        world.add_ground()
        thrown(world, 9, beside=3, apart=4.0, height=0.6, seed=1)
    for _ in range(4):
        apart.step(H, steps=14)
        together.restore(apart.save())
        for world in (apart, together):
            world.step(H)
        ours, theirs = (np.concatenate([member.v for member in world.members]) for world in (apart, together))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8)
    assert (ours != theirs).any()  # it was a heap


@pytest.mark.parametrize(("gap", "share"), [(0.01, 1.0), (-0.003, 1.0), (-0.0045, 0.5), (-0.02, 0.0)])
def test_what_is_jammed_loses_its_grip(gap, share):
    assert grip(gap, 1e5, 10.0) == pytest.approx(share)
    assert grip(gap, 1e5, np.inf) == 1.0


@pytest.mark.parametrize(
    ("overlap", "own", "falls"), [(0.003, True, False), (0.007, True, True), (0.007, False, False)]
)
def test_a_limb_jammed_in_its_own_figure_comes_free(overlap, own, falls):
    """A block pressed against a post by four points: friction carries it, but not against its own figure's post."""
    post, block = Box((0.1, 0.1, 0.5)), Box((0.1, 0.1, 0.1))
    builder = FigureBuilder("press")
    builder.add("post", None, joint.fixed(), shapes=[post] if own else [], mass=post.mass_properties(100.0))
    builder.add("rail", "post", joint.slider((1, 0, 0)), mass=Box((0.05, 0.05, 0.05)).mass_properties())
    builder.add("lift", "rail", joint.slider((0, 0, 1)), shapes=[block], density=500.0)
    figure = builder.build()
    world = World(settings=Settings(contact_mass=10.0, contact_depth=np.inf))
    if not own:
        world.add_ground(post)
    member = world.add(figure, State(np.array([0.2 - overlap, 0.0]), np.zeros(2)))
    force = 4 * overlap * 1e5 * figure.mass / 10.0
    member.push([-force, 0.0])
    world.step(1 / 240, steps=48)
    assert min(contact.gap for contact in world.contacts()) == pytest.approx(-overlap, rel=0.1)
    drop = 9.81 * 0.2**2 / 2
    assert -member.q[1] == pytest.approx(drop, rel=0.1) if falls else abs(member.q[1]) < 1e-3
