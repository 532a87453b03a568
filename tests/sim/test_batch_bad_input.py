"""Bad input to a batch: a clear error that names the argument, and nothing has changed.  No step is taken here."""

import math

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError, HitogataError
from hitogata.figure import Sphere, State
from hitogata.library import chain, human28
from hitogata.rom import ConeRegion, RangeOfMotion
from hitogata.sim import Coordinates, Settings, World, WorldBatch

NAN, INF = math.nan, math.inf
CONE = RangeOfMotion(ConeRegion((0, 0, 1), 0.4))


def a_world() -> World:
    world = World()
    world.add_ground()
    human = world.add(human28())
    ball = world.add_body(Sphere(0.1), mass=1.0)
    world.add_spring((human, "forearm_left"), (0, 0, 1.0), stiffness=100.0, damping=1.0)
    world.add_rope((human, "head"), (ball, "body"), length=1.0)
    return world


WORLD, COUNT = a_world(), 5
HUMAN, BALL = WORLD.members
SPRING, ROPE = WORLD.ties
REST = State.rest(HUMAN.figure)
THREE = State(np.tile(REST.q, (3, 1)), np.zeros((3, 34)))


@pytest.fixture(scope="module")
def batch():
    return WorldBatch(WORLD, COUNT)


def empty() -> World:
    return World()


def with_many() -> World:
    world = World()
    for _ in range(80):
        world.add_body(Sphere(0.1), mass=1.0)
    return world


def loose() -> World:
    world = World(coordinates=Coordinates.MAXIMAL)
    world.add(chain(2))
    return world


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WorldBatch(None, 4), "world: expected a World, got None"),
        (lambda: WorldBatch(WORLD, 0), "count: must be a whole number, 1 or more; got 0"),
        (lambda: WorldBatch(WORLD, 2.0), "count: must be a whole number"),
        (lambda: WorldBatch(WORLD, 2, dtype=np.int64), "dtype: must be float64 or float32"),
        (lambda: WorldBatch(WORLD, 2, dtype="half way"), "dtype: must be float64 or float32, got 'half way'"),
        (lambda: WorldBatch(WORLD, 2, threads=0), "threads: must be 1 or more"),
        (lambda: WorldBatch(empty(), 2), "world: there is no figure in it"),
        (lambda: WorldBatch(with_many(), 2), "it has 80 shapes, too many"),
        (lambda: WorldBatch(loose(), 2), "world: a batch is in reduced coordinates"),
    ],
)
def test_what_cannot_be_a_batch(make, message):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert message in str(caught.value)


BATCH_CASES = [
    (lambda b: b.step(0.0), "h: must be a positive number"),
    (lambda b: b.step(NAN), "h: must be a positive number"),
    (lambda b: b.step(1e3), "h: a step is no longer than 100 s"),
    (lambda b: b.step(0.1, steps=-1), "steps: must be a whole number"),
    (lambda b: b.reset([5]), "worlds: there is no world 5, the batch has 0 to 4"),
    (lambda b: b.reset([-1]), "worlds: there is no world -1"),
    (lambda b: b.reset([1, 1]), "worlds: some are named twice"),
    (lambda b: b.reset([0.5]), "worlds: expected numbers of worlds or a mask"),
    (lambda b: b.reset([[0], [1, 2]]), "worlds: expected numbers of worlds or a mask"),
    (lambda b: b.reset(np.ones(4, bool)), "worlds: a mask must have shape (5,), got (4,)"),
    (lambda b: b.reset(None, REST), "state: there are 2 figures"),
    (lambda b: b.reset(None, 3.0), "state: expected a State or a dict"),
    (lambda b: b.reset(None, {HUMAN: 3.0}), "state: expected a State(q, v) of 'human28'"),
    (lambda b: b.reset(None, {a_world().members[0]: REST}), "state: expected figures of the world"),
    (lambda b: b.reset([0, 1], {HUMAN: THREE}), "q has 3 rows for 2 worlds"),
    (lambda b: b.reset(None, {HUMAN: State(REST.q, np.full(34, NAN))}), "v[0] is nan"),
    (lambda b: b.reset(None, {HUMAN: State(2 * REST.q, REST.v)}), "the quaternion of joint"),
    (lambda b: b.reset(None, {BALL: REST}), "needs (..., 7)"),
    (lambda b: b.set_gravity((0, 0)), "gravity: expected shape (3,) or (5, 3)"),
    (lambda b: b.set_gravity((0, 0, -1e12)), "gravity: must be 1e+09"),
    (lambda b: b.set_gravity((0, NAN, 0)), "gravity: must be finite, got nan"),
    (lambda b: b.set_ground_friction(-0.1), "friction: must be 0 or more, got -0.1"),
    (lambda b: b.set_ground_friction([0.1, 0.2]), "friction: expected shape () or (5), got shape (2,)"),
    (lambda b: b.world(5), "k: must be a whole number, 0 to 4; got 5"),
    (lambda b: b.restore(None), "snapshot: expected what `WorldBatch.save` returned"),
    (lambda b: b.restore(WorldBatch(WORLD, 4).save()), "it is of 4 worlds in float64, the batch has 5 in float64"),
    (lambda b: b.restore(WorldBatch(WORLD, 5, dtype=np.float32).save()), "5 worlds in float32"),
    (lambda b: b.member(a_world().members[0]), "member: expected a figure of the world"),
    (lambda b: b.member("human28"), "member: expected a figure of the world"),
    (lambda b: b.tie(a_world().ties[0]), "tie: expected a spring or rope of the world"),
]

MEMBER_CASES = [
    (lambda m: m.set_motor(-1.0, 1.0), "stiffness: must be 0 or more, got -1"),
    (lambda m: m.set_motor([1, 2, 3, NAN, 5], 1.0), "got nan (of world 3 of those given)"),
    (lambda m: m.set_motor(INF, 1.0), "stiffness: must be 0 or more, got inf"),
    (lambda m: m.set_motor(1.0, 1.0, ["elbow"]), "elbow"),
    (lambda m: m.set_motor(1.0, 1.0, 3), "joints: expected names"),
    (lambda m: m.set_wall(0.0), "stiffness: must be positive, got 0"),
    (lambda m: m.set_target(np.zeros(3)), "q: expected shape (43,) or (5, 43)"),
    (lambda m: m.set_target(2 * REST.q), "the quaternion of joint"),
    (lambda m: m.set_target(REST.q, rate=np.zeros(3)), "rate: expected shape (34,) or (5, 34)"),
    (lambda m: m.set_target("upright"), "q: expected shape"),
    (lambda m: m.pull("tail"), "tail"),
    (lambda m: m.pull("head", (1, 2)), "force: expected shape (3,)"),
    (lambda m: m.pull("head", torque=(1, 2, INF)), "torque: must be finite, got inf"),
    (lambda m: m.set_mass(0.0), "factor: must be positive, got 0"),
    (lambda m: m.set_mass(1.0, ["tail"]), "tail"),
    (lambda m: m.set_mass(1.0, 7), "links: expected names of links"),
    (lambda m: m.set_mass(1.0, worlds=[9]), "there is no world 9"),
    (lambda m: m.set_friction(-1.0), "friction: must be 0 or more"),
    (lambda m: m.set_restitution(1.5), "restitution: must be 1 at the most, got 1.5"),
    (lambda m: m.set_limits("chest", 0.0, 1.0), "joint: 'chest' has no interval: it is a ball joint"),
    (lambda m: m.set_limits("shin_left", 1.0, 0.5), "low, high: 1 is above 0.5"),
    (lambda m: m.set_limits("shin_left", NAN, 0.5), "low: must be finite"),
    (lambda m: m.set_range("elbow", CONE), "figure 'human28' has no joint 'elbow'"),
    (lambda m: m.set_range(3, CONE), "figure 'human28' has no joint 3"),
    (lambda m: m.set_range("shin_left", CONE), "joint: 'shin_left' of 'human28' is a hinge joint"),
    (lambda m: m.set_range("chest", 0.5), "ranges: for joint 'chest' of 'human28' expected a RangeOfMotion or None"),
    (lambda m: m.set_range("chest", "cone"), "expected a RangeOfMotion or None, got 'cone'"),
    (lambda m: m.set_range("chest", [CONE] * 4), "expected one, or one for each of 5 worlds, got 4"),
    (lambda m: m.set_range("chest", []), "expected one, or one for each of 5 worlds, got 0"),
    (lambda m: m.set_range("chest", [CONE, CONE, None, 0.3, None]), "ranges[3]: for joint 'chest' of 'human28'"),
    (lambda m: m.set_range("chest", CONE.swing), "expected a RangeOfMotion or None, got ConeRegion"),
    (lambda m: m.set_range("chest", CONE, worlds=[5]), "worlds: there is no world 5"),
    (lambda m: m.ranges_of("shin_left"), "only ball joints have ranges of motion"),
    (lambda m: m.ranges_of("chest", [-1]), "worlds: there is no world -1"),
]

TIE_CASES = [
    (lambda b: b.tie(SPRING).set(length=1.0), "length: a spring has none"),
    (lambda b: b.tie(ROPE).set(length=0.0), "length: must be positive"),
    (lambda b: b.tie(SPRING).set(stiffness=0.0, damping=0.0), "a spring or rope needs one of them"),
    (lambda b: b.tie(SPRING).set(stiffness=[1.0]), "stiffness: expected shape () or (5)"),
    (lambda b: b.tie(ROPE).anchor, "both ends are on links"),
]


def everything(batch: WorldBatch) -> list[bytes]:
    saved = batch.save()
    names = ("state", "control", "ties", "nature", "marks", "contacts", "points", "counts")
    ranges = saved.arrays.ranges.lists.tobytes(), repr(saved.arrays.ranges.table.ranges).encode()
    return [getattr(saved.arrays, name).tobytes() for name in names] + [saved.time.tobytes(), *ranges]


@pytest.mark.parametrize(
    ("act", "message"),
    [*BATCH_CASES, *((lambda b, f=f: f(b.member(HUMAN)), text) for f, text in MEMBER_CASES), *TIE_CASES],
)
def test_bad_input_changes_nothing(batch, act, message):
    before = everything(batch)
    with pytest.raises((ArgumentError, FigureError)) as caught:
        act(batch)
    assert message in str(caught.value)
    assert isinstance(caught.value, HitogataError)
    assert everything(batch) == before


def test_a_snapshot_of_another_world(batch):
    other = World()
    other.add(human28())
    with pytest.raises(ArgumentError, match="other figures, shapes, springs or ropes"):
        batch.restore(WorldBatch(other, COUNT).save())


def test_the_model_is_not_bound_to_the_batch(batch):
    world = a_world()
    batch = WorldBatch(world, 2)
    before = everything(batch)
    world.members[0].set_motor(5.0, 5.0)
    world.add_body(Sphere(0.2), mass=1.0)
    world.remove(world.members[0])
    assert everything(batch) == before
    assert batch.world(1).settings == Settings()
