"""Worlds with meshes, cylinders, ellipsoids and height fields."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    FigureBuilder,
    HeightField,
    Plane,
    Pose,
    Sphere,
    State,
    joint,
)
from hitogata.library import human28
from hitogata.sim import Coordinates, World
from tests.contact.convex_cases import mesh_of

FLAT = HeightField(np.zeros((61, 61)), (3.0, 3.0))


def slide(ground, shape, height, *, friction, speed=2.0, steps=150, **options):
    """Velocities of a body that was pushed along the ground."""
    world = World(**options)
    world.add_ground(ground, friction=friction)
    body = world.add_body(shape, mass=2.0, pose=Pose((-2, 0.013, height)), friction=friction)
    body.state = State(body.q, np.array([0, 0, 0, speed, 0.1, 0]))
    path = []
    for _ in range(steps):
        world.step(1 / 100)
        path.append([*body.q, *body.v])
    return np.array(path)


@pytest.mark.parametrize(
    ("shape", "height"),
    [(Sphere(0.1), 0.1), (Box((0.15, 0.05, 0.04)), 0.04), (Capsule(0.05, 0.1), 0.15),
     (mesh_of(Box((0.15, 0.05, 0.04))), 0.04), (Cylinder(0.1, 0.05), 0.05), (Ellipsoid((0.1, 0.1, 0.1)), 0.1)],
    ids=lambda x: type(x).__name__,
)  # fmt: skip
def test_flat_made_of_triangles_has_no_bumps(shape, height):
    """Without friction the velocity stays, over 60 triangles and more."""
    v = slide(FLAT, shape, height - 1e-5, friction=0.0)[:, 7:]
    assert np.abs(v[:, 3] - 2).max() < 1e-6
    assert np.abs(v[:, 4] - 0.1).max() < 1e-6
    assert np.abs(v[20:, 5]).max() < 1e-4


@pytest.mark.parametrize(
    "shape", [Sphere(0.1), Box((0.15, 0.05, 0.1)), Capsule(0.1, 0.0)], ids=lambda x: type(x).__name__
)
def test_flat_made_of_triangles_is_a_plane_with_friction(shape):
    ours, theirs = (slide(ground, shape, 0.1 - 1e-5, friction=0.3) for ground in (FLAT, Plane()))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_mesh_cube_settles_as_a_box():
    """Dropped on the ground, one on the other: the same heights, and at rest."""
    ends = []
    for made in (lambda box: box, mesh_of):
        world = World()
        world.add_ground()
        bodies = [world.add_body(made(Box((0.2, 0.15, 0.1))), density=500.0, pose=Pose((0, 0, 0.13))),
                  world.add_body(made(Box((0.1, 0.1, 0.1))), density=500.0, pose=Pose((0.05, 0.02, 0.36)))]  # fmt: skip
        world.step(1 / 120, steps=360)
        assert max(np.abs(body.v).max() for body in bodies) < 1e-5
        ends.append(np.concatenate([body.q for body in bodies]))
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-5)


def test_mesh_cube_has_the_friction_of_a_box():
    """It slides as far; Coulomb's v²/(2 μ g)."""
    box = Box((0.1, 0.1, 0.05))
    ends = [slide(Plane(), shape, 0.05 - 1e-4, friction=0.5)[-1] for shape in (box, mesh_of(box))]
    np.testing.assert_allclose(ends[1][:2], ends[0][:2], rtol=0, atol=1e-4)
    assert ends[1][0] + 2 == pytest.approx(4.01 / (2 * 0.5 * 9.81), rel=0.05)


def test_cylinder_rolls_and_stands():
    """Rolling down a slope of 20°: 2/3 g sin; standing, it stays where it is."""
    slope = np.radians(20)
    x = np.linspace(-1, 1, 21)
    field = HeightField(-np.tan(slope) * 3 * x[None, :] * np.ones((21, 1)), (3.0, 3.0))
    world = World()
    world.add_ground(field)
    lying = Pose((-2.0, 0.0, 2 * np.tan(slope) + 0.1 / np.cos(slope)), (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0))
    wheel = world.add_body(Cylinder(0.1, 0.2), mass=1.0, pose=lying)
    world.step(1 / 200, steps=200)
    along = np.hypot(wheel.v[3], wheel.v[5])
    assert along == pytest.approx(2 / 3 * 9.81 * np.sin(slope), rel=0.02)
    assert abs(wheel.v[4]) < 1e-3
    still = World()
    still.add_ground()
    can = still.add_body(Cylinder(0.1, 0.2), mass=1.0, pose=Pose((0, 0, 0.2)))
    still.step(1 / 60, steps=120)
    assert np.abs(can.v).max() < 1e-5
    np.testing.assert_allclose(can.q[:2], 0, atol=1e-5)  # as a prism on the same four corners does


def test_figure_stands_on_terrain():
    world = World()
    world.add_ground(HeightField(np.zeros((41, 41)), (2.0, 2.0)))
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    world.step(1 / 60, steps=120)
    beside = World()
    beside.add_ground()
    other = beside.add(human28())
    other.set_motor(2000.0, 30.0)
    beside.step(1 / 60, steps=120)
    np.testing.assert_allclose(human.q, other.q, rtol=0, atol=1e-6)


def test_compound_body_and_heap():
    """Bodies of several shapes fall in a heap on rough ground, and nothing sinks in."""
    world = World()
    world.add_ground(HeightField(0.2 * np.random.default_rng(5).random((21, 21)), (2.0, 2.0)))
    rng = np.random.default_rng(6)
    bodies = []
    for k in range(8):
        parts = [
            [Cylinder(0.08, 0.1), mesh_of(Box((0.05, 0.05, 0.1), pose=Pose((0, 0, 0.15))))],
            [Ellipsoid((0.1, 0.07, 0.12))], [mesh_of(Box((0.1, 0.08, 0.06)))], [Sphere(0.08)],
        ][k % 4]  # fmt: skip
        bodies.append(world.add_body(parts, density=600.0, pose=Pose((*rng.uniform(-0.3, 0.3, 2), 0.5 + 0.3 * k))))
    height = sum(body.q[2] for body in bodies)
    world.step(1 / 120, steps=600)
    assert sum(body.q[2] for body in bodies) < height
    assert all(np.isfinite(body.q).all() for body in bodies)
    assert max(np.abs(body.v[3:]).max() for body in bodies) < 1.0  # what is round still rolls
    assert min(body.q[2] for body in bodies) > 0.0
    assert min(contact.gap for contact in world.contacts()) > -0.005


def test_compound_is_the_box_it_is_cut_from():
    """Three slabs as one loose body: the mass and inertia of the whole box, and it slides as far."""
    whole = Box((0.3, 0.1, 0.1))
    slabs = [mesh_of(Box((0.1, 0.1, 0.1), pose=Pose((x, 0, 0)))) for x in (-0.2, 0.0, 0.2)]
    world = World()
    one, cut = (world.add_body(parts, density=500.0).figure.links[0].mass for parts in (whole, slabs))
    assert cut.mass == pytest.approx(one.mass, rel=1e-12)
    np.testing.assert_allclose(cut.inertia, one.inertia, rtol=0, atol=1e-12)
    ours, theirs = (slide(Plane(), parts, 0.1 - 1e-4, friction=0.5) for parts in (slabs, whole))
    np.testing.assert_allclose(ours[:, :2], theirs[:, :2], rtol=0, atol=1e-4)
    np.testing.assert_allclose(ours[:, 3:7], theirs[:, 3:7], rtol=0, atol=1e-3)


def test_maximal_coordinates_too():
    world = World(coordinates=Coordinates.MAXIMAL)
    world.add_ground()
    can = world.add_body(Cylinder(0.1, 0.2), mass=1.0, pose=Pose((0, 0, 0.2)))
    world.step(1 / 60, steps=60)
    assert can.q[2] == pytest.approx(0.2, abs=1e-3)
    assert np.abs(can.v).max() < 1e-5


def test_terrain_that_moves_is_refused():
    builder = FigureBuilder("tray")
    mass = Box((1, 1, 0.1)).mass_properties()
    builder.add("tray", None, joint.free(), shapes=[HeightField(np.zeros((2, 2)), (1, 1))], mass=mass)
    with pytest.raises(ArgumentError, match="height field that moves"):
        World().add(builder.build())
