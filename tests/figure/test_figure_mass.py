"""Mass properties: of shapes against MuJoCo and integration, placed and combined."""

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hitogata.figure import Box, Capsule, ConvexMesh, FigureBuilder, MassProperties, Pose, Shape, Sphere, joint

TETRA = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0.2, 0.3, 1.5]]


def by_sampling(shape: Shape, inside, low, high, n: int = 60):
    """Volume, centre and inertia about it for density 1, on a grid of n³ cells; in the shape's own frame."""
    axes = [np.linspace(a, b, n, endpoint=False) + (b - a) / (2 * n) for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    points = points[inside(points)]
    cell = np.prod((np.array(high) - low) / n)
    centre = points.mean(0)
    arm = points - centre
    second = arm.T @ arm * cell
    return len(points) * cell, centre, np.trace(second) * np.eye(3) - second


def in_capsule(radius, half):
    return lambda p: np.hypot(np.hypot(p[:, 0], p[:, 1]), np.maximum(np.abs(p[:, 2]) - half, 0)) <= radius


def in_tetra(p):
    inverse = np.linalg.inv(np.array(TETRA[1:], float).T)
    weights = p @ inverse.T
    return (weights >= 0).all(1) & (weights.sum(1) <= 1)


@pytest.mark.parametrize(
    ("shape", "inside", "low", "high"),
    [
        (Sphere(0.7), lambda p: np.linalg.norm(p, axis=1) <= 0.7, [-0.7] * 3, [0.7] * 3),
        (Capsule(0.3, 0.5), in_capsule(0.3, 0.5), [-0.3, -0.3, -0.8], [0.3, 0.3, 0.8]),
        (Box((0.1, 0.2, 0.4)), lambda p: p[:, 0] > -9, [-0.1, -0.2, -0.4], [0.1, 0.2, 0.4]),
        (ConvexMesh(TETRA), in_tetra, [0, 0, 0], [1, 2, 1.5]),
    ],
    ids=["sphere", "capsule", "box", "mesh"],
)
def test_shapes_by_integration(shape, inside, low, high):
    volume, centre, inertia = by_sampling(shape, inside, low, high)
    mass = shape.mass_properties(density=1.0)
    assert mass.mass == pytest.approx(volume, rel=5e-3)
    np.testing.assert_allclose(mass.centre, centre, atol=5e-3)
    np.testing.assert_allclose(mass.matrix, inertia, atol=1e-2 * np.trace(inertia))


POSE = Pose((0.3, -0.2, 0.5), tuple(Rotation.from_euler("xyz", [0.3, 0.5, -0.7]).as_quat(scalar_first=True)))


def mjcf_mass(geom: str, asset: str = "") -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia matrix that MuJoCo finds for a geom at POSE."""
    at = f'pos="{" ".join(map(repr, POSE.position))}" quat="{" ".join(map(repr, POSE.quat))}"'
    text = f"<mujoco>{asset}<worldbody><body><geom {geom} {at} density='700'/></body></worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    rot = Rotation.from_quat(model.body_iquat[1], scalar_first=True).as_matrix()
    return model.body_mass[1], model.body_ipos[1], rot @ np.diag(model.body_inertia[1]) @ rot.T


MESH = f"""<asset><mesh name="m" inertia="exact" vertex="{" ".join(str(x) for p in TETRA for x in p)}"
  face="0 2 1 0 1 3 1 2 3 0 3 2"/></asset>"""


@pytest.mark.parametrize(
    ("shape", "geom", "asset", "tolerance"),
    [
        (Sphere(0.7, pose=POSE), 'type="sphere" size="0.7"', "", 1e-12),
        (Capsule(0.3, 0.5, pose=POSE), 'type="capsule" size="0.3 0.5"', "", 1e-12),
        (Capsule(0.3, 0, pose=POSE), 'type="sphere" size="0.3"', "", 1e-12),
        (Box((0.1, 0.2, 0.4), pose=POSE), 'type="box" size="0.1 0.2 0.4"', "", 1e-12),
        (ConvexMesh(TETRA, pose=POSE), 'type="mesh" mesh="m"', MESH, 1e-5),  # MuJoCo's vertices are float32
    ],
    ids=["sphere", "capsule", "short capsule", "box", "mesh"],
)
def test_shapes_as_in_mujoco(shape, geom, asset, tolerance):
    mass, centre, inertia = mjcf_mass(geom, asset)
    ours = shape.mass_properties(density=700)
    assert ours.mass == pytest.approx(mass, rel=tolerance)
    np.testing.assert_allclose(ours.centre, centre, atol=tolerance)
    np.testing.assert_allclose(ours.matrix, inertia, atol=tolerance * np.abs(inertia).max())


def test_a_box_as_a_mesh():
    box = Box((0.1, 0.2, 0.3))
    corners = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)]
    mesh = ConvexMesh([*corners, [0, 0, 0], [0.05, 0, 0.1]])  # points inside are dropped
    assert len(mesh.vertices) == 8
    assert len(mesh.faces) == 12
    assert mesh.volume == pytest.approx(box.volume, rel=1e-12)
    np.testing.assert_allclose(mesh.unit_inertia(), box.unit_inertia(), atol=1e-14)
    np.testing.assert_allclose(mesh.centre(), 0, atol=1e-14)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a) > 0).all()  # wound outwards


def test_capsule_between():
    capsule = Capsule.between((1, 2, 3), (1, 2, 7), 0.5)
    assert (capsule.half_length, capsule.pose.position) == (2, (1, 2, 5))
    capsule = Capsule.between((0, 0, 0), (0, 0, -2), 0.5)
    np.testing.assert_allclose(capsule.pose.apply([0, 0, 1]), [0, 0, -2], atol=1e-15)
    slanted = Capsule.between((0, 1, 0), (3, 1, 4), 0.1)
    np.testing.assert_allclose(slanted.pose.apply([[0, 0, -2.5], [0, 0, 2.5]]), [[0, 1, 0], [3, 1, 4]], atol=1e-14)
    assert Capsule.between((1, 1, 1), (1, 1, 1), 0.1).half_length == 0


# ------------------------------------------------------- placed and combined

numbers = st.floats(-2, 2)
vectors = st.tuples(numbers, numbers, numbers)


@st.composite
def poses(draw) -> Pose:
    quat = np.array(draw(st.tuples(numbers, numbers, numbers, numbers)))
    quat[0] += 2.5
    return Pose(draw(vectors), tuple(quat / np.linalg.norm(quat)))


@st.composite
def masses(draw) -> MassProperties:
    sizes = draw(st.tuples(*[st.floats(0.05, 1)] * 3))
    return Box(sizes, pose=draw(poses())).mass_properties().scaled(draw(st.floats(0.1, 10)))


def about_origin(mass: MassProperties) -> np.ndarray:
    """Mass matrix of a body for velocities [angular; linear] of its frame's origin, shape (6, 6)."""
    c = np.array(mass.centre)
    skew = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    m = mass.mass
    return np.block([[mass.matrix + m * skew @ skew.T, m * skew], [m * skew.T, m * np.eye(3)]])


@settings(max_examples=50, deadline=None)
@given(masses(), poses(), vectors, vectors)
def test_placing_keeps_the_kinetic_energy(mass, pose, omega, velocity):
    """The same body moving the same way has the same energy, whichever frame it is described in."""
    omega, velocity = np.array(omega), np.array(velocity)
    placed = mass.placed(pose)
    twist = np.concatenate([omega, velocity])
    # velocity of the inner frame's origin, in inner axes
    inner = np.concatenate(
        [pose.rotation.T @ omega, pose.rotation.T @ (velocity + np.cross(omega, np.array(pose.position)))]
    )
    energies = twist @ about_origin(placed) @ twist, inner @ about_origin(mass) @ inner
    assert energies[0] == pytest.approx(energies[1], rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(
        placed.placed(pose.inverse()).matrix, mass.matrix, atol=1e-12 * np.trace(mass.matrix) + 1e-14
    )


@settings(max_examples=50, deadline=None)
@given(st.lists(masses(), min_size=1, max_size=4))
def test_combining_adds_up(parts):
    whole = MassProperties.combined(parts)
    total = sum(about_origin(part) for part in parts)
    np.testing.assert_allclose(about_origin(whole), total, atol=1e-11 * np.abs(total).max())


def test_combining_halves_gives_the_whole():
    halves = [Box((0.1, 0.2, 0.15), pose=Pose((0, 0, z))).mass_properties() for z in (-0.15, 0.15)]
    whole, box = MassProperties.combined(halves), Box((0.1, 0.2, 0.3)).mass_properties()
    assert whole.mass == pytest.approx(box.mass)
    np.testing.assert_allclose(whole.matrix, box.matrix, rtol=1e-12, atol=1e-12)


def test_principal_and_scaled():
    mass = MassProperties.principal(2, (0, 0, 1), (1, 2, 2.5), (math.sqrt(0.5), 0, 0, math.sqrt(0.5)))
    np.testing.assert_allclose(mass.matrix, np.diag([2, 1, 2.5]), atol=1e-15)
    assert mass.scaled(4).mass == 4
    np.testing.assert_allclose(mass.scaled(4).matrix, 2 * mass.matrix)
    assert mass.scaled(4).centre == mass.centre


def test_links_take_mass_from_shapes():
    parts = [Sphere(0.1), Box((0.1, 0.1, 0.3), pose=Pose((0, 0, 0.4)))]
    builder = FigureBuilder("f")
    builder.add("water", None, joint.free(), shapes=parts)
    builder.add("steel", "water", joint.hinge(), shapes=parts, density=7800)
    builder.add("scaled", "water", joint.hinge(), shapes=parts, total_mass=3)
    water, steel, scaled = (link.mass for link in builder.build().links)
    assert water.mass == pytest.approx(1000 * sum(part.volume for part in parts))
    assert steel.mass == pytest.approx(7.8 * water.mass)
    assert scaled.mass == 3
    assert water.centre == pytest.approx(steel.centre)
    assert water.centre == pytest.approx(scaled.centre)
    np.testing.assert_allclose(scaled.matrix / 3, water.matrix / water.mass)
