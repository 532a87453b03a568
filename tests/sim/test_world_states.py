"""Contact by states in a world: the same answers as the sweeps where both have one, states as they should be."""

import math

import numpy as np
import pytest

from hitogata.dynamics import GRAVITY
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, ConvexMesh, Plane, Pose, Sphere, State
from hitogata.library import bear, human28
from hitogata.loops.contacts import Change, ContactState, Slip
from hitogata.sim import ContactMethod, Coordinates, Settings, World
from tests.sim.scenes import random_scene
from tests.sim.test_energy import greatest_gain

BY_STATES = Settings(contacts=ContactMethod.STATES)
FLAT = Box((0.2, 0.15, 0.1))
G = -GRAVITY[2]


def world_of(contacts: ContactMethod = ContactMethod.STATES, **settings) -> World:
    return World(settings=Settings(contacts=contacts, **settings))


def slope(world: World, angle: float, friction: float) -> None:
    world.add_ground(Plane(pose=Pose(quat=(math.cos(angle / 2), 0, math.sin(angle / 2), 0))), friction=friction)


def on_slope(angle: float, height: float) -> Pose:
    turned = math.cos(angle / 2), 0, math.sin(angle / 2), 0
    return Pose((height * math.sin(angle), 0, height * math.cos(angle)), turned)


# ------------------------------------------------------- the same answers


def test_standing_is_the_same_as_by_sweeps():
    """Until the foot's pressure leaves no point idle, both solve the same equations."""
    heights = []
    for method in ContactMethod:
        world = world_of(method, tolerance=1e-10, sweeps=1000)
        world.add_ground()
        human = world.add(human28())
        human.set_motor(2000.0, 30.0)
        world.step(1 / 60, steps=120)
        heights.append(human.q)
    np.testing.assert_allclose(heights[0], heights[1], atol=2e-6)


@pytest.mark.parametrize("shape", [FLAT, Capsule(0.1, 0.2, pose=Pose(quat=(math.sqrt(0.5), 0, math.sqrt(0.5), 0)))])
def test_rest_is_the_same_as_by_sweeps(shape):
    ends = []
    for method in ContactMethod:
        world = world_of(method)
        world.add_ground()
        body = world.add_body(shape, mass=3.0, pose=Pose((0, 0, 0.12)))
        world.step(1 / 60, steps=120)
        force = sum(contact.force for contact in world.contacts())
        ends.append((body.q[:3], force))
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-6)
    np.testing.assert_allclose(ends[0][1], [0, 0, 3.0 * G], atol=1e-4)
    np.testing.assert_allclose(ends[0][1], ends[1][1], atol=1e-4)


def test_points_carry_what_the_patch_does():
    """Impulses of the points sum to the wrench, none pulls, and none has more friction than it may."""
    world = world_of()
    world.add_ground(friction=0.5)
    body = world.add_body(FLAT, mass=3.0, pose=Pose((0, 0, 0.0995)), friction=0.5)
    body.pull("body", (6.0, 3.0, 0.0), (0.1, 0.2, 0.3), at=(0.0, 0.0, 0.05))
    world.step(1 / 60, steps=20)
    (patch,), points = world.contact_patches(), world.contacts()
    assert (patch.state, patch.slip) == (ContactState.SURFACE, Slip.STICK)
    torque = sum(np.cross(c.position - patch.place, c.force) for c in points)
    np.testing.assert_allclose(sum(c.force for c in points), patch.force, atol=1e-10)
    uneven = np.ptp([c.position[2] for c in points]) * np.linalg.norm(patch.wrench[3:5])  # a patch is flat, points tilt
    np.testing.assert_allclose(torque, patch.axes @ patch.wrench[:3], atol=1e-10 + uneven)
    assert all(c.force @ c.normal > 0 for c in points)
    assert np.linalg.norm(patch.wrench[3:5]) > 0.2 * patch.wrench[5]  # friction does work here


# ------------------------------------------------------- states


@pytest.mark.parametrize("degrees", [25, 33])
def test_incline(degrees):
    """It sticks on the one side of the friction angle, and slides with g (sin - μ cos) on the other."""
    mu, angle, h = 0.55, math.radians(degrees), 1 / 240
    world = world_of()
    slope(world, angle, mu)
    body = world.add_body(FLAT, mass=3.0, pose=on_slope(angle, 0.1), friction=mu)
    world.step(h, steps=240)
    down = np.array([math.cos(angle), 0, -math.sin(angle)])
    (patch,) = world.contact_patches()
    assert patch.state is ContactState.SURFACE
    if math.tan(angle) < mu:
        assert patch.slip is Slip.STICK
        assert np.abs(body.v).max() < 1e-5
    else:
        assert patch.slip is Slip.SLIDE
        speed = G * (math.sin(angle) - mu * math.cos(angle))
        np.testing.assert_allclose(body.v[3:] @ down, speed, rtol=2e-3)
    assert world.contact_tally.swept == 0


def test_static_friction_may_be_greater():
    mu, angle = 0.5, math.radians(29)  # tan = 0.554
    for share, sticks in ((1.0, False), (1.2, True)):
        world = world_of(static_share=share)
        slope(world, angle, mu)
        body = world.add_body(FLAT, mass=3.0, pose=on_slope(angle, 0.0999), friction=mu)
        world.step(1 / 240, steps=240)
        assert bool(np.abs(body.v).max() < 1e-4) == sticks


def test_a_box_tips_over_its_edge_and_falls_flat():
    world, seen = world_of(), []
    world.add_ground()
    tilt = 0.75  # beyond 45 degrees the other way
    body = world.add_body(
        Box((0.1, 0.2, 0.1)), mass=2.0,
        pose=Pose((0, 0, 0.1 * (math.cos(tilt) + math.sin(tilt))), (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)),
    )  # fmt: skip
    for _ in range(240):
        world.step(1 / 240)
        seen += [(patch.state, patch.change) for patch in world.contact_patches()]
    states = [state for state, _ in seen]
    assert states[0] is ContactState.LINE
    assert states[-1] is ContactState.SURFACE
    assert Change.TOUCHED in seen[0][1]
    assert np.abs(body.v).max() < 1e-6
    assert world.contact_tally.islands - world.contact_tally.swept >= 235


def test_a_pull_rolls_it_onto_an_edge_and_says_why():
    world = world_of()
    world.add_ground(friction=2.0)
    body = world.add_body(FLAT, mass=3.0, pose=Pose((0, 0, 0.0999)), friction=2.0)
    world.step(1 / 240, steps=60)
    body.pull("body", (0.0, 26.0, 0.0), at=(0.0, 0.0, 0.1))  # 26 N at 0.2 m against 29.4 N at 0.15 m
    changes = Change.NOTHING
    for _ in range(20):
        world.step(1 / 240)
        for patch in world.contact_patches():
            changes |= patch.change
    (patch,) = world.contact_patches()
    assert patch.state is ContactState.LINE
    assert Change.ROLLED in changes
    np.testing.assert_allclose(patch.pressure[1], body.q[1] + 0.15, atol=0.02)


def test_a_spinning_box_is_stopped_by_friction():
    """Torque μ m g times the mean arm of the sole, as the law says; within a tenth of the integral over the sole."""
    world, mu, h, omega = world_of(), 0.4, 1 / 240, 20.0
    world.add_ground(friction=mu)
    half = 0.1
    body = world.add_body(Box((half, half, 0.02)), mass=1.0, pose=Pose((0, 0, 0.01995)), friction=mu)
    world.step(h, steps=60)
    body.state = State(body.q, np.array([0, 0, omega, 0, 0, 0]))
    steps = 48
    world.step(h, steps=steps)
    grid = np.linspace(-half, half, 401)
    arm = np.hypot(*np.meshgrid(grid, grid)).mean()
    inertia = 1.0 / 3.0 * 2 * half**2
    slowed = (omega - body.v[2]) / (steps * h)
    np.testing.assert_allclose(slowed, mu * G * arm / inertia, rtol=0.1)
    world.step(h, steps=240)
    assert abs(body.v[2]) < 1e-6


def test_human_stands_with_its_pressure_in_its_soles():
    world = world_of()
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    world.step(1 / 240, steps=480)
    patches = world.contact_patches()
    assert {patch.a[1] for patch in patches} == {"foot_left", "foot_right"}
    for patch in patches:
        inside = (patch.pressure - patch.place) @ patch.axes[:, :2]
        assert (patch.region.min(axis=0) < inside).all()
        assert (inside < patch.region.max(axis=0)).all()
    np.testing.assert_allclose(sum(p.force[2] for p in patches), human.figure.mass * G, rtol=1e-5)
    assert world.contact_tally.swept == 0


# ------------------------------------------------------- the rest of a world


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_passive_scenes_never_gain_energy(first):
    for seed in range(first, first + 10):
        scene = random_scene(seed, driven=False, settings=BY_STATES)
        assert greatest_gain(scene.world, scene.h, 80) < 0.01, str(scene)


@pytest.mark.parametrize("seed", range(100, 130))
def test_random_scenes_stay_finite(seed):
    scene = random_scene(seed, settings=BY_STATES)
    scene.world.step(scene.h, steps=60)
    assert all(np.isfinite(member.q).all() for member in scene.members)
    tally = scene.world.contact_tally
    assert sum(tally.passes) + tally.swept + tally.too_large == tally.islands


def test_figures_fall_in_a_heap_and_what_was_left_to_the_sweeps_is_told():
    world, rng, told = world_of(), np.random.default_rng(1), 0
    world.add_ground()
    for k, figure in enumerate([human28(), bear()]):
        q = figure.neutral()
        q[:3] = 0.1 * k, 0, 1.0 + 1.5 * k
        world.add(figure, State(q, 0.5 * rng.normal(size=figure.nv)))
    for _ in range(180):
        before = world.contact_tally.swept
        world.step(1 / 60)
        swept = any(patch.by_sweeps for patch in world.contact_patches())
        told += swept
        assert not swept or world.contact_tally.swept > before
    tally = world.contact_tally
    assert 0 < told <= tally.swept + tally.too_large
    assert sum(tally.passes) > 60
    low = min(contact.gap for contact in world.contacts())
    assert low > -0.01


def test_limits_and_springs_hold_in_the_same_solve():
    """A human on a chair's edge, with ranges, held by a spring: loads are shared as by many sweeps."""
    ends = []
    for method in ContactMethod:
        world = world_of(method, sweeps=2000, tolerance=1e-12)
        world.add_ground()
        human = world.add(human28())
        human.set_motor(300.0, 30.0)
        world.add_spring((human, "chest"), (0.1, 0.0, 1.6), stiffness=2000.0, damping=200.0)
        world.add_rope((human, "pelvis"), (0.0, 0.0, 2.0), length=0.97)
        world.step(1 / 240, steps=240)
        ends.append(human.q)
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-3)


def test_meshes_have_states_too():
    world = world_of()
    world.add_ground()
    cube = ConvexMesh(np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.1)
    world.add_body(cube, mass=1.0, pose=Pose((0, 0, 0.0999)))
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 0.2995)))
    world.step(1 / 240, steps=120)
    states = {(patch.a[0] is ball, patch.b is None): patch.state for patch in world.contact_patches()}
    assert ContactState.SURFACE in states.values()
    assert ContactState.POINT in states.values()


def test_save_and_restore_bit_for_bit():
    world = world_of()
    world.add_ground()
    human = world.add(human28(), State(human28().neutral(), np.full(34, 0.3)))
    human.set_motor(200.0, 5.0)
    world.step(1 / 60, steps=30)
    saved = world.save()
    world.step(1 / 60, steps=60)
    once = human.q
    world.restore(saved)
    world.step(1 / 60, steps=60)
    np.testing.assert_array_equal(human.q, once)


# ------------------------------------------------------- bad input


def test_bad_input():
    with pytest.raises(ArgumentError, match="ContactMethod"):
        Settings(contacts="states")
    with pytest.raises(ArgumentError, match="static_share"):
        Settings(static_share=0.9)
    with pytest.raises(ArgumentError, match="reduced coordinates"):
        World(settings=BY_STATES, coordinates=Coordinates.MAXIMAL)
    with pytest.raises(ArgumentError, match="by sweeps"):
        World().contact_patches()
    with pytest.raises(ArgumentError, match="by sweeps"):
        _ = World().contact_tally
