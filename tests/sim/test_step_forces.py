"""Forces are those of the whole step: what is told equals the change of momentum, however a step was cut.

The oracle is Newton's second law for every body and link: m (v⁺ - v) = h (m g + all forces that are told).  It knows
nothing of the solver.  `HITOGATA_WORLDS=500` looks at so many random worlds instead of a few.
"""

import copy
import os

import numpy as np
import pytest

from hitogata.dynamics.layout import Body
from hitogata.figure import Box, Capsule, FigureBuilder, MassProperties, Pose, Sphere, State, joint
from hitogata.lanes import record_offsets, record_size
from hitogata.library import chain, human28
from hitogata.rom import ConeRegion, RangeOfMotion
from hitogata.sim import ContactMethod, Coordinates, Settings, World, WorldBatch, hold
from hitogata.sim.layout import PIECES, Carried
from hitogata.sim.parts import state_parts

WORLDS = int(os.environ.get("HITOGATA_WORLDS", "12"))
STEPS = 20


def random_world(seed: int, **options) -> tuple[World, float]:
    """Bodies, figures with motors, springs, ropes, pulls; something always spins fast."""
    rng = np.random.default_rng(seed)
    world = World(gravity=tuple(rng.normal(size=3) * 3 - [0, 0, 6]), **options)
    world.add_ground(friction=rng.uniform(0, 1), restitution=rng.choice([0.0, 0.7]))
    shapes = [Sphere(0.1), Box((0.1, 0.12, 0.08)), Capsule(0.06, 0.1)]
    bodies = []
    for k in range(rng.integers(2, 5)):
        mass = float(np.exp(rng.uniform(-1, 3)))
        pose = Pose((0.3 * k, rng.normal() * 0.1, rng.uniform(0.1, 0.5)))
        shape, bounce = shapes[rng.integers(3)], float(rng.choice([0, 0.5, 1]))
        bodies.append(world.add_body(shape, mass=mass, pose=pose, restitution=bounce))
        v = np.concatenate([rng.normal(size=3) * rng.choice([0, 5, 60]), rng.normal(size=3) * 3])
        bodies[-1].state = State(bodies[-1].q, v)
    top = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 9.0)))
    top.state = State(top.q, np.array([0, 0, rng.uniform(20, 100), 0, 0, 0]))
    figure = chain(4) if rng.random() < 0.5 else human28()
    q = figure.neutral()
    if figure.links[0].joint.nq == 7:
        q[:3] += [2.0, 0, 0.3]
    member = world.add(figure, State(q, rng.normal(size=figure.nv) * 2))
    member.set_motor(float(np.exp(rng.uniform(0, 6))), float(np.exp(rng.uniform(-2, 2))))
    member.set_effort_limit(float(np.exp(rng.uniform(0, 5))))
    link = figure.link_names[-1]
    member.pull(link, force=rng.normal(size=3) * 20, torque=rng.normal(size=3))
    limit = float(rng.choice([5, np.inf]))
    world.add_spring((member, link), (bodies[0], "body"), stiffness=200.0, damping=1.0, force_limit=limit)
    world.add_rope((bodies[1], "body"), (0.0, 0.0, 1.0), length=0.6)
    hold((bodies[0], "body"), (bodies[-1], "body"))
    return world, float(rng.choice([1 / 240, 1 / 60, 1 / 30, 0.1]))


def momenta(world: World) -> list:
    """m v of the centre of every link, as the world carries it along, (links, 3) of each figure."""
    arrays, result = world.arrays, []
    forest, state = arrays.forest, arrays.state
    for member in world.members:
        span = arrays.span_of(member)
        of = list(span.body_of_link)
        rows = forest.fields.body.rows
        mass = rows[of, record_offsets(Body)["inertia"]]
        if arrays.loose is None:
            carried = state[state_parts(forest, span).carried].reshape(-1, record_size(Carried))
            carried = carried[np.array(of) - span.bodies.start]
        else:
            parts = arrays.loose.parts_of(span.links)
            carried = state[parts[2]].reshape(-1, record_size(Carried))
        result.append(mass[:, None] * carried[:, :3])
    return result


def told(world: World, h: float) -> tuple[list, float]:
    """Impulses on every link that can be read after a step of h, (links, 3) of each figure; and their size."""
    size, result = 0.0, []
    for member in world.members:
        figure, total = member.figure, np.zeros((member.figure.nlinks, 3))
        total += h * np.array([link.mass.mass for link in figure.links])[:, None] * np.array(world.gravity)
        total += h * member.contact_forces()
        joints = h * member.joint_forces()[:, 3:]
        if figure.links[0].joint.nv == 6:
            joints[0] = 0.0  # nothing holds a free base: what is told of it must be nothing
        total += joints
        for k, parent in enumerate(figure.parents):
            if parent >= 0:
                total[parent] -= joints[k]
        pulls = world.arrays.controls_of(member).pull
        span = world.arrays.span_of(member)
        total += h * pulls[np.array(span.body_of_link) - span.bodies.start, :3]
        size += np.abs(joints).sum() + np.abs(total).sum()
        result.append(total)
    for tie in world.ties:
        for end, sign in zip(tie.ends, (1, -1), strict=True):
            if isinstance(end, tuple) and not isinstance(end[0], float):
                k = world.members.index(end[0])
                result[k][end[0].figure.frame(end[1])[0]] += sign * h * tie.force
    return result, size


VARIANTS = {
    "sweeps": {},
    "states": {"settings": Settings(contacts=ContactMethod.STATES)},
    "maximal": {"coordinates": Coordinates.MAXIMAL},
    "sleep": {"settings": Settings(sleep_after=0.5)},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_momentum_told_is_momentum_changed(variant):
    cut = 0
    for seed in range(WORLDS if variant == "sweeps" else max(WORLDS // 4, 3)):
        world, h = random_world(seed, **VARIANTS[variant])
        for _ in range(STEPS):
            before = momenta(world)
            world.step(h)
            after, (impulses, size) = momenta(world), told(world, h)
            cut += world.arrays.counts[PIECES] > 1
            for member, a, b, p in zip(world.members, before, after, impulses, strict=True):
                scale = size + np.abs(a).max() + np.abs(b).max()
                np.testing.assert_allclose(b - a, p, rtol=0, atol=1e-9 * scale, err_msg=f"{seed} {member.figure.name}")
            body = world.members[0]  # its origin is its centre: this is its velocity
            np.testing.assert_allclose(after[0][0], body.figure.mass * body.v[3:], rtol=1e-9, atol=1e-12)
    assert cut > WORLDS  # steps were cut


# ------------------------------------------------------- one hit


def hit(spin: float, **options) -> World:
    """A ball flies at a wall; it, or another far away, spins, so that steps are cut."""
    world = World(gravity=(0, 0, 0), **options)
    world.add_ground(Box((0.5, 5, 5), pose=Pose((1, 0, 0))))
    ball = world.add_body(Sphere(0.1), mass=1.0, restitution=0.8, friction=0.0)
    ball.state = State(ball.q, np.array([0, 0, 0, 5.0, 0, 0]))
    top = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 9.0)))
    top.state = State(top.q, np.array([0, 0, spin, 0, 0, 0]))
    return world


@pytest.mark.parametrize("spin", [0.0, 20.0, 100.0])
def test_a_hit_is_told_once_and_in_full(spin):
    world = hit(spin, settings=Settings(contact_events=100))
    ball, impulse, peak = world.members[0], np.zeros(3), 0.0
    for _ in range(24):
        world.step(1 / 60)
        for contact in world.contacts():
            assert {contact.a, contact.b} == {None, (ball, "body")}
            sign = 1.0 if contact.a is not None else -1.0
            impulse += sign * contact.impulse
            np.testing.assert_allclose(contact.impulse, contact.force / 60, rtol=1e-12)
            assert contact.peak >= np.linalg.norm(contact.force) * (1 - 1e-12)
            peak = max(peak, contact.peak)
    np.testing.assert_allclose(impulse, ball.v[3:] - [5.0, 0, 0], rtol=0, atol=1e-9)
    (event,) = world.contact_events()
    np.testing.assert_allclose(event.impulse, impulse if event.a is not None else -impulse, atol=1e-9)
    assert event.peak == pytest.approx(peak, rel=1e-12)
    assert {event.a, event.b} == {None, (ball, "body")}
    assert 0.0 < event.began < event.ended < 0.4
    assert event.position[0] == pytest.approx(0.5, abs=0.045)  # half of a step's way before it
    assert abs(event.normal[0]) == pytest.approx(1.0)
    assert len(world.contact_events()) == 0


def test_moments_are_told_too():
    """Force at a position and torque about it: together the change of angular momentum, of a step in many substeps."""
    world = World(gravity=(0, 0, -5.0), settings=Settings(keep_energy=False))
    world.add_ground(friction=0.6)
    ball = world.add_body(Sphere(0.1), mass=2.0, pose=Pose((0.3, -0.2, 0.1)))
    ball.state = State(ball.q, np.array([30.0, 80.0, 5.0, 0, 0, 0]))
    inertia = 0.4 * 2.0 * 0.1**2
    for _ in range(10):
        before = np.cross(ball.q[:3], 2.0 * ball.v[3:]) + inertia * ball.v[:3]
        middle = ball.q[:3].copy()
        world.step(1 / 30)
        assert world.arrays.counts[PIECES] > 4
        after = np.cross(ball.q[:3], 2.0 * ball.v[3:]) + inertia * ball.v[:3]
        moment = np.zeros(3)
        for contact in world.contacts():
            sign = 1.0 if contact.a is not None else -1.0
            moment += sign / 30 * (np.cross(contact.position, contact.force) + contact.torque)
        change = after - before - moment
        weight = np.cross((middle + ball.q[:3]) / 2, [0, 0, -10.0 / 30])  # of the way it went, to first order
        np.testing.assert_allclose(change, weight, atol=0.01)
        np.testing.assert_allclose(change[2], 0.0, atol=1e-12)  # gravity has no moment about z


@pytest.mark.parametrize(("kind", "inertia", "near"), [(joint.slider, 1.0, 1e-9), (joint.hinge, 0.1, 0.02)])
def test_peaks(kind, inertia, near):
    """A joint that is slammed on its limit: the peak is above the mean, and the mean is the impulse.

    What turns goes along the chord of its way within a substep, so its impulses are right to second order.
    """
    builder = FigureBuilder("arm")
    builder.add("arm", None, kind(axis=(0, 0, 1), range=(-1.0, 0.5)),
                MassProperties.principal(1.0, (0.3, 0, 0), (0.01, 0.01, 0.01)))  # fmt: skip
    world = World(gravity=(0, 0, 0))
    arm = world.add(builder.build())
    arm.state = State(arm.q, np.array([20.0]))
    arm.set_wall(np.inf)
    total = 0.0
    for _ in range(6):
        world.step(1 / 30)
        total += arm.limit_forces()[0, 0] / 30
        assert (arm.peak_limit_forces() >= arm.limit_forces() * (1 - 1e-12)).all()
        force = np.linalg.norm(arm.joint_forces().reshape(1, 2, 3), axis=2)
        assert (arm.peak_joint_forces() >= force * (1 - 1e-12)).all()
    assert total == pytest.approx(inertia * (20.0 - arm.v[0]), rel=near)


def test_motors_over_the_whole_step():
    """Of one joint: inertia times change of speed is the motor's impulse, to rounding."""
    builder = FigureBuilder("wheel")
    builder.add("wheel", None, joint.hinge(axis=(0, 0, 1)), MassProperties.principal(1.0, (0, 0, 0), (0.1, 0.1, 0.2)))
    world = World(gravity=(0, 0, 0))
    wheel = world.add(builder.build())
    wheel.set_motor(3.0, 0.05)
    wheel.state = State(wheel.q, np.array([40.0]))
    for _ in range(20):
        before = wheel.v[0]
        world.step(1 / 30)
        change = 0.2 * (wheel.v[0] - before)
        assert wheel.motor_forces()[0] / 30 == pytest.approx(change, rel=1e-11, abs=1e-11 * 0.2 * 40.0)
        assert wheel.peak_motor_forces()[0] >= abs(wheel.motor_forces()[0])
    assert world.arrays.counts[PIECES] >= 1


# ------------------------------------------------------- holds


def test_what_a_hold_carries_is_the_same_whatever_spins_far_away():
    """A ball is thrown at a box that is held: over all steps the hold carries its momentum, cut or not."""
    for spin in (0.0, 40.0):
        world = World(gravity=(0, 0, 0))
        box = world.add_body(Box((0.1, 0.1, 0.1)), mass=5.0)
        grip = hold((box, "body"))
        ball = world.add_body(Sphere(0.05), mass=1.0, pose=Pose((-1, 0.03, 0)))
        top = world.add_body(Sphere(0.05), mass=1.0, pose=Pose((0, 0, 5.0)))
        ball.state = State(ball.q, np.array([0, 0, 0, 10.0, 0, 0]))
        top.state = State(top.q, np.array([0, 0, spin, 0, 0, 0]))
        carried = np.zeros(3)
        for _ in range(40):
            world.step(1 / 60)
            carried += grip.force / 60
            assert grip.peak >= np.linalg.norm(grip.force) * (1 - 1e-12)
        momentum = 5.0 * box.v[3:] + ball.v[3:]
        np.testing.assert_allclose(carried, momentum - [10.0, 0, 0], atol=1e-9)


def test_a_hold_breaks_by_the_force_of_the_whole_step():
    """A steady pull of 100 N: no hold of 101 N breaks, every one of 99 N does, whatever spins far away."""
    for spin in (0.0, 100.0):
        for limit, breaks in ((101.0, False), (99.0, True)):
            world = World(gravity=(0, 0, 0))
            box = world.add_body(Box((0.1, 0.1, 0.1)), mass=5.0)
            grip = hold((box, "body"), force_limit=limit, damping=1e5)
            top = world.add_body(Sphere(0.05), mass=1.0, pose=Pose((0, 0, 5.0)))
            top.state = State(top.q, np.array([0, 0, spin, 0, 0, 0]))
            box.pull("body", force=(100.0, 0, 0))
            world.step(1 / 60, steps=60)
            assert grip.holds is not breaks


def test_torque_of_a_hold_that_turns_fast():
    """Two bodies held together spin as one: the hold carries the torque that speeds the second one up."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((0.1, 0.1, 0.1)), mass=5.0)
    b = world.add_body(Box((0.1, 0.1, 0.1)), mass=5.0, pose=Pose((0, 0, 0.3)))
    held = hold((b, "body"), (a, "body"))
    for body in (a, b):
        body.state = State(body.q, np.array([0, 0, 30.0, 0, 0, 0]))
    a.pull("body", torque=(0, 0, 2.0))
    world.step(1 / 60, steps=30)
    assert world.arrays.counts[PIECES] > 1
    before, total = b.v[2], 0.0
    for _ in range(10):
        world.step(1 / 60)
        total += held.torque[2] / 60
    inertia = 5.0 * 2 * 0.2**2 / 12
    assert total == pytest.approx(inertia * (b.v[2] - before), rel=1e-6)
    assert held.torque[2] == pytest.approx(1.0, rel=0.02)


# ------------------------------------------------------- kept


def test_readings_outlive_saving_copying_and_what_comes_and_goes():
    world, _ = random_world(3)
    world.step(1 / 30, steps=3)
    assert world.arrays.counts[PIECES] > 1
    count = len(world.members)

    def readings(w: World) -> list:
        members = w.members[:count]
        forces = [[m.joint_forces(), m.motor_forces(), m.limit_forces(), m.contact_forces()] for m in members]
        return [forces, [t.force for t in w.ties], [t.peak for t in w.ties], [c.peak for c in w.contacts()]]

    def same(a: list, b: list) -> None:
        for x, y in zip(a, b, strict=True):
            if isinstance(x, list):
                same(x, y)
            else:
                np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)

    first, snapshot = readings(world), world.save()
    same(first, readings(copy.deepcopy(world)))
    world.add_body(Sphere(0.1), mass=1.0, pose=Pose((5, 5, 5)))
    same(first, readings(world))
    other, _ = random_world(3)
    other.restore(snapshot)
    same(first, readings(other))
    other.step(1 / 1000)  # nothing of before is told again
    assert other.arrays.step_h == pytest.approx(1 / 1000)


def test_nothing_of_a_cut_step_is_told_twice_by_who_slept():
    """A box on a spring falls asleep in steps that are cut by something far away, and wakes when they no longer are."""
    world = World(settings=Settings(sleep_after=0.1))
    world.add_ground()
    box = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((0, 0, 0.1)))
    spring = world.add_spring((box, "body"), (0, 0, 0.5), stiffness=5.0, damping=5.0)
    top = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 99.0)))
    top.state = State(top.q, np.array([0, 0, 80.0, 0, 0, 0]))
    world.step(1 / 60, steps=60)
    assert box.asleep
    assert world.arrays.step_h > world.arrays.last_h
    resting = box.contact_forces()[0, 2], spring.force[2]
    top.state = State(np.array([0, 0, 99.0, 1, 0, 0, 0]), np.zeros(6))
    world.step(1 / 60)
    box.wake()
    for _ in range(3):
        world.step(1 / 60)
        assert world.arrays.step_h == world.arrays.last_h
        assert box.contact_forces()[0, 2] == pytest.approx(resting[0], rel=1e-3)
        assert spring.force[2] == pytest.approx(resting[1], rel=1e-3)
    assert resting[0] + resting[1] == pytest.approx(9.81, rel=1e-3)


# ------------------------------------------------------- batches


def test_a_batch_of_a_world_whose_last_step_was_cut():
    world = World(gravity=(0, 0, 0))
    ball = world.add_body(Sphere(0.1), mass=1.0)
    ball.state = State(ball.q, np.array([0, 0, 80.0, 0, 0, 0]))
    spring = world.add_spring((ball, "body"), (0.5, 0, 0), stiffness=5.0, damping=0.1)
    world.step(1 / 60)
    assert world.arrays.step_h > world.arrays.last_h
    batch = WorldBatch(world, 3)
    batch.step(1e-4)
    world.step(1e-4)
    np.testing.assert_allclose(batch.tie(spring).force, np.tile(spring.force, (3, 1)), rtol=1e-9)
    single = batch.world(1)
    single.step(1e-4)
    world.step(1e-4)
    np.testing.assert_allclose(single.ties[0].force, spring.force, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_batches_tell_what_single_worlds_tell(dtype):
    """Worlds of a block are cut into different substeps: each tells the forces of its whole step."""
    builder = FigureBuilder("arm")
    cone = RangeOfMotion(ConeRegion((0, 0, 1), 0.7))
    builder.add("arm", None, joint.ball(range=cone), MassProperties.principal(1.0, (0, 0, 0.2), (0.02, 0.02, 0.01)),
                shapes=[Sphere(0.05, pose=Pose((0, 0, 0.4)))])  # fmt: skip
    world = World(settings=Settings(tolerance=0.0, sweeps=60))
    world.add_ground()
    arm = world.add(builder.build())
    arm.set_motor(5.0, 0.1)
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((1, 0, 0.1)))
    spring = world.add_spring((ball, "body"), (1.0, 0.0, 0.5), stiffness=50.0, damping=0.5)
    batch, singles = WorldBatch(world, 7, dtype=dtype), [copy.deepcopy(world) for _ in range(7)]
    spins = np.array([0, 0, 10, 30, 60, 100, 0.0])
    q, v = batch.member(ball).q.astype(float), np.zeros((7, 6))
    v[:, 1] = spins
    batch.reset(None, {ball: State(q, v), arm: State(np.tile([1.0, 0, 0, 0], (7, 1)), np.full((7, 3), 3.0))})
    for single, row in zip(singles, v, strict=True):
        single.members[1].state = State(single.members[1].q, row)
        single.members[0].state = State(np.array([1.0, 0, 0, 0]), np.full(3, 3.0))
    accuracy = {"rtol": 1e-9, "atol": 1e-9} if dtype is np.float64 else {"rtol": 2e-2, "atol": 2e-2}
    for _ in range(8):
        batch.step(1 / 60)
        for single in singles:
            single.step(1 / 60)
        arms, balls = batch.member(arm), batch.member(ball)
        for k, single in enumerate(singles):
            one, two = single.members
            np.testing.assert_allclose(arms.motor_forces()[k], one.motor_forces(), **accuracy)
            np.testing.assert_allclose(arms.limit_forces()[k], one.limit_forces(), **accuracy)
            np.testing.assert_allclose(balls.contact_forces()[k], two.contact_forces(), **accuracy)
            np.testing.assert_allclose(batch.tie(spring).force[k], single.ties[0].force, **accuracy)
    assert len({single.arrays.counts[PIECES] for single in singles}) > 1
