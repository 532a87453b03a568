"""Worlds and figures are copied and pickled; a world belongs to one thread at a time; errors name link and value."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Box, FigureBuilder, Pose, Sphere, State, joint
from hitogata.library import bear, human28, human40, upper_body, virtual_human
from hitogata.rom import ConeRegion, SplineRegion, SuperellipseRegion
from hitogata.sim import ContactMethod, Coordinates, Settings, World, WorldBatch, WorldError, hold

FIGURES = [bear, human28, human40, upper_body, virtual_human]


def scene(**options) -> World:
    """A human with ranges and motors, a bag in its hand, a spring, a rope, the ground."""
    world = World(**options)
    world.add_ground()
    human = world.add(virtual_human())
    human.set_motor(300.0, 10.0)
    link = human.figure.link_names[-1]
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0.6, 0, 0.4)))
    world.add_rope((ball, "body"), (0.6, 0.0, 1.0), length=0.8)
    hold((human, link), force_limit=1e6)
    return world


# ------------------------------------------------------- pickles and copies


@pytest.mark.parametrize("make", FIGURES, ids=lambda f: f.__name__)
def test_figures_pickle(make):
    """Also after kernels, poses and contacts were derived from them; what comes back is equal, and works."""
    figure = make()
    world = World()
    world.add(figure)
    assert len(world.arrays.state)  # laid out
    other = pickle.loads(pickle.dumps(figure))
    assert other == figure
    assert other.neutral().tolist() == figure.neutral().tolist()
    for ours, theirs in zip(figure.links, other.links, strict=True):
        if hasattr(ours.joint.range, "flat"):
            assert np.array_equal(ours.joint.range.flat, theirs.joint.range.flat)
    assert copy.deepcopy(figure) == copy.copy(figure) == figure


@pytest.mark.parametrize(
    "region",
    [
        ConeRegion((0, 0, 1), 0.5),
        SplineRegion((0.0, 1.5, 3.0, 4.5), (0.5,) * 4, (1.5,) * 4, (0.0,) * 4),
        SuperellipseRegion((-0.5, 0.5), (-0.6, 0.6), m=3.0, n=3.0),
    ],
    ids=lambda r: type(r).__name__,
)  # fmt: skip
def test_regions_pickle(region):
    _ = region.flat, region.area, region.boundary(8)
    other = pickle.loads(pickle.dumps(region))
    assert other == region
    assert np.array_equal(other.flat, region.flat)


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))],
                         ids=["copy", "deepcopy", "pickle"])  # fmt: skip
@pytest.mark.parametrize(
    "options",
    [
        {}, {"settings": Settings(contacts=ContactMethod.STATES)}, {"settings": Settings(sleep_after=0.1)},
        {"coordinates": Coordinates.MAXIMAL},
    ],
    ids=["sweeps", "states", "sleep", "maximal"],
)  # fmt: skip
def test_worlds_go_on_as_their_copies_do(how, options):
    world = scene(**options)
    world.step(1 / 60, steps=3)
    other = how(world)
    q = [m.q for m in world.members]
    other.step(1 / 60, steps=3)
    assert all(np.array_equal(a, m.q) for a, m in zip(q, world.members, strict=True))  # the first stood still
    world.step(1 / 60, steps=3)
    assert world.time == other.time
    for a, b in zip(world.members, other.members, strict=True):
        assert a is not b
        assert b.world is other
        assert np.array_equal(a.q, b.q)
        assert np.array_equal(a.joint_forces(), b.joint_forces())
    assert [np.array_equal(a.force, b.force) for a, b in zip(world.ties, other.ties, strict=True)] == [True] * 4


def test_a_pickled_world_is_small_and_opens_in_another_process(tmp_path):
    world = scene()
    world.step(1 / 60)
    path = tmp_path / "world.pickle"
    path.write_bytes(pickle.dumps(world))
    assert path.stat().st_size < 3e6  # no compiled code in it
    code = f"import pickle; w = pickle.load(open({str(path)!r}, 'rb')); print(w.time, w.members[1].q[0])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [repr(world.time), repr(float(world.members[1].q[0]))]


def test_batches_pickle_and_copy():
    world = World()
    world.add_ground()
    world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((0, 0, 0.2)))
    batch = WorldBatch(world, 5)
    batch.step(1 / 60, steps=3)
    for other in (pickle.loads(pickle.dumps(batch)), copy.copy(batch)):
        before = batch.q.copy()
        other.step(1 / 60, steps=20)
        assert np.array_equal(before, batch.q)
    batch.step(1 / 60, steps=20)
    assert np.array_equal(batch.q, other.q)


# ------------------------------------------------------- threads


def test_a_world_stepped_by_two_threads_says_so():
    world = World()
    world.add_ground()
    world.add(human28()).set_motor(2000.0, 30.0)
    world.step(1 / 60)
    errors, ready = [], threading.Barrier(2)

    def run() -> None:
        ready.wait()
        try:
            for _ in range(20):
                world.step(1 / 60, steps=200)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(e) for e in errors] == [HitogataError]
    assert "another thread" in str(errors[0])
    world.step(1 / 60)  # and goes on


def test_worlds_of_their_own_run_in_threads():
    worlds = [scene() for _ in range(3)]
    threads = [threading.Thread(target=lambda w=w: w.step(1 / 60, steps=10)) for w in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(w.members[0].q) for w in worlds}) == 1


# ------------------------------------------------------- errors


@pytest.mark.parametrize("coordinates", list(Coordinates), ids=lambda c: c.value)
def test_an_error_names_link_and_value(coordinates):
    world = World(coordinates=coordinates)
    world.add_body(Sphere(0.1), mass=1.0, name="ball")
    human = world.add(human28())
    before = human.q
    tau = np.zeros(human.figure.nv)
    tau[human.figure.v_slice("elbow_left")] = 1e308
    human.push(tau)
    message = r"link '\w+' of figure 'human28' is (nan|-?inf); .*'forearm_left' .* 1e\+308 N"
    with pytest.raises(WorldError, match=message):
        world.step(1.0, steps=3)
    assert np.array_equal(human.q, before)


@pytest.mark.parametrize("point", [(0, 0), "point", (0, 0, 0, 0), (0, np.nan, 0)])
def test_a_hold_names_its_point(point):
    world = World()
    human = world.add(human28())
    for ends in (((human, "head", point),), ((human, "head"), (human, "foot_left", point))):
        with pytest.raises(ArgumentError, match=r"[ab]: point in the frame"):
            hold(*ends)
    assert world.ties == []


@pytest.mark.parametrize("mass", [1e-31, 1e31, 1e200])
def test_absurd_masses_are_named(mass):
    world = World()
    with pytest.raises(HitogataError, match="mass"):
        world.add_body(Sphere(0.1), mass=mass, name="ball")
    assert world.members == []
    batch = WorldBatch(_one_ball(), 3)
    with pytest.raises(ArgumentError, match="'ball'"):
        batch.members[0].set_mass(mass)


def _one_ball() -> World:
    world = World()
    builder = FigureBuilder("ball")
    builder.add("ball", None, joint.free(), shapes=[Sphere(0.1)], total_mass=1.0)
    figure = builder.build()
    world.add(figure, State.rest(figure))
    return world
