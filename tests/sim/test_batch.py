"""Worlds side by side: each is the single world, whoever its neighbours are."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from hitogata.dynamics import centre_of_mass, forward_kinematics
from hitogata.figure import Box, Figure, MassProperties, Pose, Sphere, State
from hitogata.library import chain, human28
from hitogata.sim import BatchError, Settings, World, WorldBatch
from hitogata.sim.batch_arrays import ROOM
from hitogata.sim.layout import PIECES

H, STEPS = 1 / 60, 200
WORLDS = 11  # one block and a part of another
RNG = np.random.default_rng(5)
SPEEDS = np.zeros((WORLDS, 34))
SPEEDS[:, :6], SPEEDS[:, 6:] = 0.7 * RNG.normal(size=(WORLDS, 6)), 2.0 * RNG.normal(size=(WORLDS, 28))
FRICTION, MASS, STIFFNESS, KNEE = (
    RNG.uniform(a, b, WORLDS) for a, b in ((0.2, 1), (0.6, 1.8), (30, 120), (-0.9, -0.2))
)
PULL, GRAVITY = 60.0 * RNG.normal(size=(WORLDS, 3)), np.array([0, 0, -9.81]) + 0.5 * RNG.normal(size=(WORLDS, 3))


EXACT = Settings(tolerance=0.0, sweeps=400)
"""Sweeps that end by a tolerance may, by rounding, be one more or less, which moves speeds by a part of it; and they
end for each island of a single world by itself.  Many of them: with 100, a contact that is known again in one world and
not in the other (a tie of two features, which rounding decides) begins from another impulse, and 1e-6 of that is left.
"""


def falling(k: int | None = None, settings: Settings | None = None) -> SimpleNamespace:
    """A limp human, a step to fall on, a ball on a rope, a spring; as world k, or as the model of all."""
    def of(values, usual):
        return usual if k is None else float(values[k])

    gravity = (0, 0, -9.81) if k is None else tuple(GRAVITY[k])
    world, figure = World(gravity=gravity, settings=settings), human28(ranges=True)
    links = [replace(link, mass=scaled(link.mass, of(MASS, 1.0))) for link in figure.links]
    shin = figure.link_index("shin_left")
    limited = replace(links[shin].joint, range=(of(KNEE, -0.5), 0.1))
    links[shin] = replace(links[shin], joint=limited)
    figure = Figure("human", tuple(links))
    world.add_ground(friction=of(FRICTION, 0.8))
    world.add_ground(Box((0.3, 0.3, 0.2), pose=Pose((0.7, 0, 0.2))), friction=of(FRICTION, 0.8))
    v = np.zeros(34) if k is None else SPEEDS[k]
    human = world.add(figure, State(figure.neutral(), v), restitution=0.2)
    human.set_motor(of(STIFFNESS, 60.0), 2.0)
    human.set_target(figure.neutral())
    ball = world.add_body(Sphere(0.15), mass=3.0, pose=Pose((0.2, 0.1, 2.2)), restitution=0.5)
    spring = world.add_spring((human, "grip_left"), (0.5, 0.5, 1.5), stiffness=of(STIFFNESS, 60.0), damping=4.0)
    world.add_rope((ball, "body"), (0, 0, 3.0), length=1.2)
    human.pull("head", (0, 0, 0) if k is None else PULL[k], at=(0, 0, 0.1))
    return SimpleNamespace(world=world, human=human, ball=ball, spring=spring)


STRETCH = 5
"""Steps for which a single world goes on from where its world in the batch stands.

Who falls and lies about is chaotic: where a foot slides slowly, or rocks, a step makes differences 1e2 to 1e4 times
greater, and two single worlds that begin 2e-13 m apart are 1e-6 to 1e-2 apart within 200 steps.  So how far rounding,
which is another one on each processor, takes them there says nothing.  If every number of the state is wrong by 3e-16
of itself, anew in every step, differences are 5e-13 after one step, and 1e-9 or so within 20.
"""


def standing(world: World) -> tuple[np.ndarray, ...]:
    """Where a world stands: its state, springs and ropes, contacts."""
    arrays = world.arrays
    return tuple(array.copy() for array in (arrays.state, arrays.ties.numbers, *arrays.last_contacts()))


def put(world: World, state: np.ndarray, ties: np.ndarray, contacts: np.ndarray, points: np.ndarray) -> None:
    """Let a world go on from there."""
    world.arrays.state[:] = state
    world.arrays.ties.numbers[:] = ties
    world.arrays.put_contacts(contacts, points)


def scaled(mass: MassProperties, by: float) -> MassProperties:
    return MassProperties(by * mass.mass, mass.centre, tuple(by * x for x in mass.inertia))


def batch_of(count: int, settings: Settings | None = None, **options) -> SimpleNamespace:
    """The first worlds of those above."""
    model, part = falling(settings=settings), slice(0, count)
    batch = WorldBatch(model.world, count, **options)
    human, ball, spring = batch.member(model.human), batch.member(model.ball), batch.tie(model.spring)
    batch.reset(state={model.human: State(np.tile(model.human.figure.neutral(), (count, 1)), SPEEDS[part])})
    human.set_motor(STIFFNESS[part], 2.0)
    human.set_mass(MASS[part])
    human.set_limits("shin_left", KNEE[part], 0.1)
    human.pull("head", PULL[part], at=(0, 0, 0.1))
    spring.set(stiffness=STIFFNESS[part])
    batch.set_ground_friction(FRICTION[part])
    batch.set_gravity(GRAVITY[part])
    return SimpleNamespace(batch=batch, human=human, ball=ball, spring=spring, model=model)


def motion(batch: WorldBatch, steps: int = STEPS) -> np.ndarray:
    """States after each step, shape (steps, count, nq + nv)."""
    states = []
    for _ in range(steps):
        batch.step(H)
        states.append(np.concatenate([batch.q, batch.v], axis=1))
    return np.array(states)


@pytest.fixture(scope="module")
def fallen():
    """All worlds, and what they did."""
    them = batch_of(WORLDS)
    them.motion = motion(them.batch)
    return them


@pytest.fixture(scope="module")
def exact():
    """The same, always with so many sweeps; and where its worlds stand at the beginning of each stretch."""
    them, motions, them.starts = batch_of(WORLDS, EXACT), [], []
    for _ in range(0, STEPS, STRETCH):
        them.starts.append([standing(them.batch.world(k)) for k in range(WORLDS)])
        motions.append(motion(them.batch, STRETCH))
    them.motion = np.concatenate(motions)
    return them


def test_each_world_is_the_single_one(exact):
    """Falling, in contact, with ranges, limits, a spring, a rope, bounces, pulls; masses and all else of its own.

    Step for step, in stretches: the first from where it began by itself.
    """
    pieces = 0
    for k in range(WORLDS):
        single = falling(k, EXACT)
        for step in range(STEPS):
            if step > 0 and step % STRETCH == 0:
                put(single.world, *exact.starts[step // STRETCH][k])
            single.world.step(H)
            pieces += single.world.arrays.counts[PIECES] > 1
            own = np.concatenate([single.human.q, single.ball.q, single.human.v, single.ball.v])
            np.testing.assert_allclose(exact.motion[step, k], own, rtol=0, atol=1e-9, err_msg=f"world {k}, step {step}")
        assert len(single.world.contacts()) > 3
        assert exact.batch.time[k] == pytest.approx(STEPS * H)
        forces = single.human.contact_forces()
        np.testing.assert_allclose(exact.human.contact_forces()[k], forces, atol=1e-6 * np.abs(forces).max())
        np.testing.assert_allclose(exact.human.limit_forces()[k], single.human.limit_forces(), atol=1e-6)
        np.testing.assert_allclose(exact.spring.force[k], single.spring.force, atol=1e-7)
        np.testing.assert_allclose(exact.batch.residual[k], single.world.residual, atol=1e-9)
    assert pieces > 2  # steps that were taken in several, while neighbours took theirs in one


def test_standing_is_the_same_with_and_without_an_end_of_sweeps():
    for settings in (Settings(), Settings(tolerance=0.0, sweeps=20)):
        world = World(settings=settings)
        world.add_ground()
        human = world.add(human28(ranges=True))
        human.set_motor(2000.0, 30.0)
        world.step(1 / 240, steps=20)  # the batch goes on from there, with its contacts
        batch = WorldBatch(world, 3)
        for _ in range(STEPS):
            world.step(1 / 240)
            batch.step(1 / 240)
            np.testing.assert_allclose(batch.q, np.tile(human.q, (3, 1)), rtol=0, atol=1e-9)
            np.testing.assert_allclose(batch.v, np.tile(human.v, (3, 1)), rtol=0, atol=1e-9)
        weight = human.figure.mass * 9.81
        assert batch.member(human).contact_forces()[:, :, 2].sum(axis=1) == pytest.approx([weight] * 3, rel=1e-2)


@pytest.mark.parametrize("count", [1, 3, 8, 10])
def test_same_bits_whatever_the_number_of_worlds(fallen, count):
    assert (motion(batch_of(count).batch, 120) == fallen.motion[:120, :count]).all()


def test_same_bits_with_two_threads_and_in_one_call(fallen):
    two, all_cores = batch_of(WORLDS, threads=2), batch_of(WORLDS, threads=None)
    assert (motion(two.batch) == fallen.motion).all()
    all_cores.batch.step(H, steps=STEPS)
    assert (np.concatenate([all_cores.batch.q, all_cores.batch.v], axis=1) == fallen.motion[-1]).all()
    assert fallen.batch.arrays.room > ROOM  # some steps lacked room for contacts, and were taken again


def test_save_and_restore_go_on_with_the_same_bits(fallen):
    them = batch_of(WORLDS)
    motion(them.batch, 50)
    saved = them.batch.save()
    assert (motion(them.batch, 60) == fallen.motion[50:110]).all()
    other = batch_of(WORLDS)
    for batch in (them.batch, other.batch):
        batch.restore(saved)
        assert batch.time == pytest.approx(np.full(WORLDS, 50 * H))
        assert (motion(batch, 60) == fallen.motion[50:110]).all()


def test_a_world_taken_out_goes_on_as_in_the_batch(exact):
    them = batch_of(WORLDS, EXACT)
    motion(them.batch, 70)
    world = them.batch.world(4)
    assert world.time == pytest.approx(70 * H)
    assert len(world.contacts()) > 0
    for step in range(70, 70 + 2 * STRETCH):
        world.step(H)
        own = np.concatenate([m.q for m in world.members] + [m.v for m in world.members])
        np.testing.assert_allclose(own, exact.motion[step, 4], rtol=0, atol=1e-9)
    fresh = batch_of(WORLDS, EXACT).batch.world(3)
    fresh.step(H, steps=5)
    own = np.concatenate([m.q for m in fresh.members])
    np.testing.assert_allclose(own, exact.motion[4, 3, : len(own)], rtol=0, atol=1e-9)


def test_a_world_taken_out_keeps_its_nature_when_it_needs_more_room():
    world = batch_of(WORLDS).batch.world(4)
    arrays = world.arrays
    more = arrays.with_room(2 * arrays.contact_room)
    assert (more.forest.floats == arrays.forest.floats).all()
    assert (more.shapes.floats == arrays.shapes.floats).all()
    assert (more.law == arrays.law).all()


def test_a_world_that_fails_stands_still_and_is_named_and_others_go_on(fallen):
    them = batch_of(WORLDS)
    motion(them.batch, 20)
    before = them.batch.q[3].copy()
    them.human.push[3, 7] = np.nan
    with pytest.raises(BatchError, match=r"world 3 became non-finite in the step after t = 0\.33") as caught:
        them.batch.step(H)
    assert caught.value.worlds.tolist() == [3]
    assert (~them.batch.alive).nonzero()[0].tolist() == [3]
    rest = motion(them.batch, 30)  # nothing is raised again
    others = np.arange(WORLDS) != 3
    assert (rest[:, others] == fallen.motion[21:51, others]).all()
    assert (them.batch.q[3] == before).all()
    assert them.batch.time[3] == pytest.approx(20 * H)
    assert not them.human.contact_forces()[3].any()
    them.human.push[3, 7] = 0.0
    state = State(them.model.human.figure.neutral(), SPEEDS[3])
    them.batch.reset([3], {them.model.human: state})
    assert them.batch.alive.all()
    again = motion(them.batch, 40)
    assert (again[:, 3] == fallen.motion[:40, 3]).all()
    assert (again[:, others] == fallen.motion[51:91, others]).all()


def test_reset_of_some_worlds_leaves_the_others_alone(fallen):
    them = batch_of(WORLDS)
    motion(them.batch, 30)
    mask = np.isin(np.arange(WORLDS), [1, 2, WORLDS - 1])
    neutral = them.model.human.figure.neutral()
    them.batch.reset(mask, {them.model.human: State(np.tile(neutral, (3, 1)), SPEEDS[mask])})
    assert (them.batch.time[mask] == 0).all()
    later = motion(them.batch, 40)
    assert (later[:, mask] == fallen.motion[:40, mask]).all()
    assert (later[:, ~mask] == fallen.motion[30:70, ~mask]).all()


def test_arrays_stay_where_they_are():
    them = batch_of(3)
    q, v, target = them.human.q, them.human.v, them.human.target
    old = q.copy()
    target[:, 19] += 0.3  # an elbow
    them.batch.step(H)
    assert np.shares_memory(q, them.batch.q)
    assert np.shares_memory(v, them.batch.arrays.state)
    assert (q != old).any()
    assert not q.flags.writeable
    assert not v.flags.writeable
    still = batch_of(3)
    still.batch.step(H)
    assert (still.human.q != q).any()  # the target was heard


def test_poses_and_centres(fallen):
    figure = fallen.human.figure
    for k in (0, WORLDS - 1):
        q = fallen.human.q[k]
        np.testing.assert_allclose(fallen.human.poses().position[k], forward_kinematics(figure, q).position, atol=1e-12)
        np.testing.assert_allclose(fallen.human.centre_of_mass()[k], centre_of_mass(figure, q), atol=1e-12)


def test_single_precision_does_nearly_the_same():
    """Standing humans stand on the same spot; a swinging chain keeps its energy's bounds."""
    world = World()
    world.add_ground()
    human = world.add(human28(ranges=True))
    human.set_motor(2000.0, 30.0)
    rope = world.add(chain(4, free_base=False), State(np.full(4, 0.5), np.zeros(4)), group=2, mask=2)
    singles, doubles = WorldBatch(world, 19, dtype=np.float32), WorldBatch(world, 19)
    for batch in (singles, doubles):
        batch.step(1 / 240, steps=480)
    assert singles.q.dtype == np.float32
    np.testing.assert_allclose(singles.member(human).q, doubles.member(human).q, atol=2e-5)
    np.testing.assert_allclose(singles.member(rope).q, doubles.member(rope).q, atol=2e-3)
    weight = human.figure.mass * 9.81
    assert singles.member(human).contact_forces()[:, :, 2].sum(axis=1) == pytest.approx([weight] * 19, rel=1e-2)


def test_single_precision_survives_falling():
    them = batch_of(WORLDS, dtype=np.float32)
    them.human.set_wall(np.inf)
    them.batch.step(H, steps=300)
    assert them.batch.alive.all()
    assert np.isfinite(them.batch.q).all()
    assert (np.abs(them.human.q[:, 2]) < 2.5).all()
    few, more = batch_of(5, dtype=np.float32), batch_of(9, dtype=np.float32)
    assert (motion(few.batch, 30) == motion(more.batch, 30)[:, :5]).all()
