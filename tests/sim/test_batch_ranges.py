"""Ranges of motion of each world's own: every kind side by side in one block, each world still the single one."""

from types import SimpleNamespace

import numpy as np
import pytest

from hitogata.figure import Figure, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.library import human28
from hitogata.rom import (
    Bone,
    BoundaryTwist,
    ConeRegion,
    EllipseRegion,
    FixedTwist,
    OvalRegion,
    RangeOfMotion,
    RectangleRegion,
    SuperellipseRegion,
)
from hitogata.sim import Settings, World, WorldBatch
from hitogata.sim.batch_ranges import FEW

H, STEPS = 1 / 60, 200
EXACT = Settings(tolerance=0.0, sweeps=30)
"""Both ways the same sweeps: see `test_batch`."""

BOX = (-0.2, 0.3), (-0.35, 0.15)
SPLINE = human28(ranges=True).link("thigh_left").joint.range
CONE = RangeOfMotion(ConeRegion((1, 0, 0), 0.5), (-0.3, 0.4))
RANGES = [
    CONE,
    SPLINE,
    RangeOfMotion(RectangleRegion(*BOX), BoundaryTwist((-0.2, -0.4, -0.3, -0.2), (0.2, 0.3, 0.5, 0.2))),
    None,
    RangeOfMotion(OvalRegion(*BOX), (-0.2, 0.2)),
    RangeOfMotion(EllipseRegion(*BOX)),
    RangeOfMotion(SuperellipseRegion(*BOX, 4.0, 3.0), FixedTwist(0.1)),
    RangeOfMotion(EllipseRegion(*BOX).with_bone(Bone.Z), (-0.5, 0.1)),
    CONE,
    RangeOfMotion(RectangleRegion((-0.05, 0.4), (-0.1, 0.1))),
    RangeOfMotion(ConeRegion((0, 0, 1), 2.5), (-0.2, 1.0)),
]
"""Of the shoulder; the elbow has that of two worlds further on."""

WORLDS = len(RANGES)
ELBOWS = RANGES[2:] + RANGES[:2]
RNG = np.random.default_rng(15)
SPEEDS, PUSHES = 2.0 * RNG.normal(size=(WORLDS, 6)), 3.0 * RNG.normal(size=(WORLDS, 6))
WALLS = np.where(np.isin(np.arange(WORLDS), (0, 2, 4, 6, 7, 9)), 400.0, np.inf)
"""Soft where there are corners: between hard walls that meet, arms chatter, and any rounding grows to 1e-3 and more."""

SETTLED, HARD, SOFT = 100, np.radians(0.5), np.radians(3.0)
"""Steps after which arms lean on their walls, and how far beyond them they are then, at the most."""


def arm(shoulder: RangeOfMotion | None = None, elbow: RangeOfMotion | None = None) -> Figure:
    """Two bones on ball joints."""
    builder, mass = FigureBuilder("arm"), MassProperties.principal(1.5, (0.12, 0, 0.02), (0.006, 0.02, 0.02))
    builder.add("upper", None, joint.ball(range=shoulder, parent_frame=Pose((0, 0, 2)), name="shoulder"), mass)
    builder.add("lower", "upper", joint.ball(range=elbow, parent_frame=Pose((0.3, 0, 0)), name="elbow"), mass)
    return builder.build()


def alone(k: int) -> SimpleNamespace:
    """World k by itself, made with its ranges."""
    world, figure = World(settings=EXACT), arm(RANGES[k], ELBOWS[k])
    member = world.add(figure, State(figure.neutral(), SPEEDS[k]))
    member.set_motor(1.0, 0.6)
    member.set_target(figure.neutral())
    member.set_wall(WALLS[k], 5.0)
    member.push(PUSHES[k])
    return SimpleNamespace(world=world, arm=member)


def beside(order, **options) -> SimpleNamespace:
    """Worlds of these numbers side by side, of a model without ranges."""
    world, figure, order = World(settings=EXACT), arm(), list(order)
    member = world.add(figure)
    member.set_motor(1.0, 0.6)
    batch = WorldBatch(world, len(order), **options)
    arms = batch.member(member)
    batch.reset(state=State(np.tile(figure.neutral(), (len(order), 1)), SPEEDS[order]))
    arms.set_wall(WALLS[order], 5.0)
    arms.push[:] = PUSHES[order]
    arms.set_range("shoulder", [RANGES[k] for k in order])
    arms.set_range("elbow", [ELBOWS[k] for k in order])
    return SimpleNamespace(batch=batch, arms=arms, model=member)


def motion(batch: WorldBatch, steps: int) -> np.ndarray:
    """States after each step, shape (steps, count, nq + nv)."""
    states = []
    for _ in range(steps):
        batch.step(H)
        states.append(np.concatenate([batch.q, batch.v], axis=1))
    return np.array(states)


@pytest.fixture(scope="module")
def driven():
    """All worlds, what they did, and how hard their walls pushed."""
    them, forces = beside(range(WORLDS)), []
    them.motion = np.empty((STEPS, WORLDS, 14))
    for step in range(STEPS):
        them.motion[step] = motion(them.batch, 1)[0]
        forces.append(them.arms.limit_forces())
    them.forces = np.array(forces)
    return them


def depths(range_: RangeOfMotion, quats: np.ndarray) -> np.ndarray:
    """How far poses are beyond a range's walls [rad], or the nearest is away (< 0)."""
    found = range_.violation(np.asarray(quats, float))
    return np.maximum(found.swing_depth, found.twist_depth)


def test_each_world_is_the_single_one_with_its_range(driven):
    for k in range(WORLDS):
        single = alone(k)
        for step in range(STEPS):
            single.world.step(H)
            own = np.concatenate([single.arm.q, single.arm.v])
            np.testing.assert_allclose(
                driven.motion[step, k], own, rtol=0, atol=1e-9, err_msg=f"world {k}, step {step}"
            )
        np.testing.assert_allclose(driven.forces[-1, k], single.arm.limit_forces(), rtol=0, atol=1e-6)


def test_every_range_holds_in_its_world_and_pushes(driven):
    for k in range(WORLDS):
        for part, range_, forces in ((slice(0, 4), RANGES[k], 0), (slice(4, 8), ELBOWS[k], 1)):
            pushed = driven.forces[:, k, forces]
            if range_ is None:
                assert not pushed.any()
                continue
            assert pushed.max() > 1.0, f"world {k} never came to its wall"
            most = depths(range_, driven.motion[SETTLED:, k, part]).max()
            assert most < (HARD if np.isinf(WALLS[k]) else SOFT), f"world {k}: {np.degrees(most):.2f}°"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_whatever_ranges_the_neighbours_have(dtype):
    """Mixed in another order, alone, and all with one range: also a block that looks at one range only."""
    mixed = motion(beside(range(WORLDS), dtype=dtype).batch, 100)
    order = RNG.permutation(WORLDS)
    assert (motion(beside(order, dtype=dtype).batch, 100) == mixed[:, order]).all()
    for k in (1, 3, 7):
        assert (motion(beside([k], dtype=dtype).batch, 100)[:, 0] == mixed[:, k]).all()
        them = beside(range(WORLDS), dtype=dtype)
        them.arms.set_range("shoulder", RANGES[k])
        them.arms.set_range("elbow", ELBOWS[k])
        assert (motion(them.batch, 100)[:, k] == mixed[:, k]).all()


def test_same_bits_with_two_threads(driven):
    many = list(range(WORLDS)) * 3
    them = beside(many, threads=2)
    them.batch.step(H, steps=STEPS)
    assert (np.concatenate([them.batch.q, them.batch.v], axis=1) == driven.motion[-1, many]).all()


def test_single_precision_holds_too(driven):
    them = beside(range(WORLDS), dtype=np.float32)
    moved = motion(them.batch, STEPS)
    # places, not speeds: those jump where walls are met, a step sooner or later
    np.testing.assert_allclose(moved[:20, :, :8], driven.motion[:20, :, :8], atol=2e-3)
    for k in range(WORLDS):
        for part, range_ in ((slice(0, 4), RANGES[k]), (slice(4, 8), ELBOWS[k])):
            if range_ is not None:
                quats = moved[SETTLED:, k, part].astype(float)
                most = depths(range_, quats / np.linalg.norm(quats, axis=1)[:, None]).max()
                assert most < (HARD if np.isinf(WALLS[k]) else SOFT), f"world {k}: {np.degrees(most):.2f}°"


# ------------------------------------------------------- changed on the way


def test_ranges_changed_on_the_way_are_heard_as_in_a_single_world():
    them, changes = beside(range(WORLDS)), {30: RANGES[5], 60: None, 90: RANGES[2]}
    singles = {k: alone(k) for k in (2, 4, 7)}  # with soft walls: see `WALLS`
    for step in range(130):
        if step in changes:
            them.arms.set_range("elbow", changes[step], worlds=list(singles))
            for single in singles.values():
                single.arm.set_range("elbow", changes[step])
        them.batch.step(H)
        for k, single in singles.items():
            single.world.step(H)
            own = np.concatenate([single.arm.q, single.arm.v])
            moved = np.concatenate([them.arms.q[k], them.arms.v[k]])
            np.testing.assert_allclose(moved, own, rtol=0, atol=1e-9, err_msg=f"world {k}, step {step}")
    assert them.arms.ranges_of("elbow", [1, 2, 3]) == [ELBOWS[1], RANGES[2], ELBOWS[3]]


def test_reset_save_and_restore_keep_the_ranges(driven):
    them = beside(range(WORLDS))
    them.batch.step(H, steps=50)
    saved = them.batch.save()
    them.arms.set_range("shoulder", CONE)
    them.arms.set_range("elbow", None)
    motion(them.batch, 10)
    other = beside(range(WORLDS))
    other.arms.set_range("elbow", None)
    for batch in (them.batch, other.batch):
        batch.restore(saved)
        assert (motion(batch, 40) == driven.motion[50:90]).all()
    assert them.arms.ranges_of("shoulder") == RANGES
    assert other.arms.ranges_of("elbow") == ELBOWS
    them.batch.reset(state=State(np.tile(them.model.figure.neutral(), (WORLDS, 1)), SPEEDS))
    assert (motion(them.batch, 40) == driven.motion[:40]).all()


def test_a_world_taken_out_has_its_ranges(driven):
    them = beside(range(WORLDS))
    them.arms.set_mass(1.0)
    them.batch.step(H, steps=50)
    for k in (1, 3, 6):
        world = them.batch.world(k)
        (member,) = world.members
        assert member.range_of("shoulder") == RANGES[k]
        assert member.figure == arm(RANGES[k], ELBOWS[k])
        for step in range(50, 100):
            world.step(H)
            np.testing.assert_allclose(
                np.concatenate([member.q, member.v]), driven.motion[step, k], rtol=0, atol=1e-9
            )
    assert them.model.range_of("shoulder") is None  # the model stays as it was


def test_ranges_of_the_model_are_those_of_all_worlds_until_set():
    world = World(settings=EXACT)
    member = world.add(arm(CONE, SPLINE))
    arms = WorldBatch(world, 3).member(member)
    assert arms.ranges_of("shoulder") == [CONE] * 3
    arms.set_range("upper", SPLINE, worlds=[False, True, False])  # by the name of its link, and a mask
    assert arms.ranges_of("shoulder") == [CONE, SPLINE, CONE]
    assert arms.ranges_of("elbow", [1]) == [SPLINE]


def test_ranges_that_no_world_has_are_forgotten(driven):
    """New ones for some worlds again and again, as in learning, do not pile up."""
    them = beside(range(WORLDS))
    for n in range(3 * FEW):
        them.arms.set_range("shoulder", RangeOfMotion(ConeRegion((1, 0, 0), 0.3 + 1e-3 * n)), worlds=[n % 4])
    assert len(them.batch.arrays.ranges.table.ranges) <= FEW + 1
    assert them.arms.ranges_of("shoulder", [4, 5]) == RANGES[4:6]
    assert them.arms.ranges_of("shoulder", [3])[0].swing.half_angle == pytest.approx(0.3 + 1e-3 * (3 * FEW - 1))
    them.arms.set_range("shoulder", RANGES)
    assert (motion(them.batch, 40) == driven.motion[:40]).all()
