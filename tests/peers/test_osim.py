"""Mechanisms of OpenSim models beside OpenSim itself: poses, mass matrix, gravity, inverse dynamics of recordings."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import recorded_dynamics
from hitogata.errors import FileContentWarning
from hitogata.figure.mechanism import (
    followed,
    generalized_gravity,
    mechanism_inverse_dynamics,
    mechanism_mass_matrix,
    mechanism_motion,
    speed_matrix,
)
from hitogata.files import read_storage
from hitogata.files.osim import mechanism_from_osim, read_external_loads, read_osim, write_osim
from tests.files.osim_cases import every_joint
from tests.files.test_osim import MODELS
from tests.reference import reference

opensim = pytest.importorskip("opensim", reason="OpenSim is not installed: pip install opensim")
FRAMES = 100


@pytest.fixture(autouse=True)
def _quiet():
    opensim.Logger.setLevelString("critical")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        yield


def in_opensim(model, tmp_path):
    """A model as we write it, in OpenSim: it refuses some muscles and contact of its own files, so without forces."""
    frames_kept = tuple(frame for frame in model.frames if not frame.path.startswith("/forceset/"))
    bare = replace(model, forces=(), contact_geometry=(), others=(), groups=(), frames=frames_kept)
    write_osim(bare, tmp_path / "written.osim")
    theirs = opensim.Model(str(tmp_path / "written.osim"))
    coordinates = theirs.getCoordinateSet()
    for k in range(coordinates.getSize()):
        for flag in ("clamped", "locked", "prescribed"):
            getattr(coordinates.get(k), f"set_{flag}")(False)
    return theirs, coordinates, theirs.initSystem()


def check(path, tmp_path, frames):
    """Poses, mass matrix and gravity at random coordinates."""
    model = read_osim(path)
    theirs, coordinates, state = in_opensim(model, tmp_path)
    mechanism = mechanism_from_osim(model)
    low, high = np.clip(np.array([model.coordinate(name).range for name in mechanism.coordinates]).T, -1.4, 1.4)
    q, _, _ = followed(mechanism, np.random.default_rng(0).uniform(low, high, (frames, len(low))))
    motion, N = mechanism_motion(mechanism, q), speed_matrix(mechanism, q)
    M = N.transpose(0, 2, 1) @ mechanism_mass_matrix(mechanism, q) @ N
    gravity = np.einsum("nij,ni->nj", N, generalized_gravity(mechanism, q))
    own = [coordinates.get(name) for name in mechanism.coordinates]
    order = speed_order(own, state)
    solver = opensim.InverseDynamicsSolver(theirs)
    bodies = [theirs.getBodySet().get(body.name) for body in mechanism.bodies]
    still = opensim.Vector(state.getNU(), 0.0)
    for k in range(frames):
        for coordinate, value in zip(own, q[k], strict=True):
            coordinate.setValue(state, float(value), False)
        theirs.realizeDynamics(state)
        poses = [body.getTransformInGround(state) for body in bodies]
        places = [pose.p().to_numpy() for pose in poses]
        np.testing.assert_allclose(motion.position[k], places, rtol=0, atol=1e-9)
        turns = [[[pose.R().get(i, j) for j in range(3)] for i in range(3)] for pose in poses]
        np.testing.assert_allclose(motion.rotation[k], turns, rtol=0, atol=1e-9)
        mass = opensim.Matrix()
        theirs.getMatterSubsystem().calcM(state, mass)
        expected = mass.to_numpy()[np.ix_(order, order)]
        np.testing.assert_allclose(M[k], expected, rtol=0, atol=1e-8 * np.abs(expected).max())
        forces = solver.solve(state, still).to_numpy()[order]
        np.testing.assert_allclose(-gravity[k], forces, rtol=0, atol=1e-8 * max(np.abs(forces).max(), 1e-6))


def speed_order(coordinates, state):
    """Where the speed of each coordinate stands among OpenSim's."""
    order = []
    for coordinate in coordinates:
        state.updU().setToZero()
        coordinate.setSpeedValue(state, 1.0)
        order.append(int(np.argmax(np.abs(state.getU().to_numpy()))))
    state.updU().setToZero()
    return order


def test_every_type_of_joint(tmp_path):
    path = tmp_path / "chain.osim"
    path.write_text(every_joint())
    check(path, tmp_path, 20)


@pytest.mark.parametrize("name", MODELS)
def test_reference_models(tmp_path, name):
    frames = 10 if name.endswith(("trunk_legs.osim", "muscles_flex.osim")) else FRAMES  # 171 and 62 coordinates
    check(reference(name), tmp_path, frames)


@pytest.mark.parametrize("name", ["opensim_id/subject01.osim", "body/rajagopal_lai/RajagopalLaiUhlrich2023.osim"])
def test_velocity_terms_by_opensims_mass_matrix(tmp_path, name):
    """Lagrange's equation, c_j = Σ (∂M_jk/∂q_i - ½ ∂M_ik/∂q_j) q̇_i q̇_k, with differences of OpenSim's M."""
    model = read_osim(reference(name))
    theirs, coordinates, state = in_opensim(model, tmp_path)
    mechanism, rng = mechanism_from_osim(model), np.random.default_rng(0)
    own = [coordinates.get(name) for name in mechanism.coordinates]
    order = speed_order(own, state)
    low, high = np.clip(np.array([model.coordinate(name).range for name in mechanism.coordinates]).T, -1.4, 1.4)
    q, u, h = followed(mechanism, rng.uniform(low, high))[0][0], rng.normal(size=len(low)), 1e-5

    def mass(at):
        for coordinate, value in zip(own, at, strict=True):
            coordinate.setValue(state, float(value), False)
        theirs.realizePosition(state)
        matrix = opensim.Matrix()
        theirs.getMatterSubsystem().calcM(state, matrix)
        return matrix.to_numpy()[np.ix_(order, order)]

    slopes = np.array([(mass(q + h * e) - mass(q - h * e)) / (2 * h) for e in np.eye(len(q))])
    expected = np.einsum("ijk,i,k->j", slopes, u, u) - 0.5 * np.einsum("jik,i,k->j", slopes, u, u)
    still = np.zeros(len(q))
    ours = [mechanism_inverse_dynamics(mechanism, q, rates, still).tau[0] for rates in (u, still)]
    assert np.abs(ours[0] - ours[1] - expected).max() < 1e-7 * np.abs(expected).max()


def rms(found, standard, low, high):
    """Root mean square of differences of each column within times."""
    table, inside = found.table(), (standard.time >= low - 1e-6) & (standard.time <= high + 1e-6)
    assert set(standard.columns) == set(table.columns)
    ours = np.stack([np.interp(standard.time[inside], table.time, table.column(name)) for name in standard.columns], 1)
    return np.sqrt(np.mean((ours - standard.values[inside]) ** 2, axis=0))


def test_walk_with_force_plates():
    """The file starts at 0.4 s, the recording and the tool's window at 0.5 s: 0.5 to 1.6 s are compared."""
    loads = read_external_loads(reference("opensim_id/subject01_walk1_grf.xml"))
    found = recorded_dynamics(
        read_osim(reference("opensim_id/subject01.osim")),
        read_storage(reference("opensim_id/subject01_walk1_ik.mot")),
        loads=(loads, read_storage(loads.datafile)),
        cutoff=6.0,
        window=(0.5, 1.6),
    )
    standard = read_storage(reference("opensim_id/std_subject01_InverseDynamics.sto"))
    assert rms(found, standard, 0.5, 1.6).max() < 1.0  # the peer's own test allows 2.0


def test_arm():
    found = recorded_dynamics(
        read_osim(reference("opensim_id/arm26.osim")),
        read_storage(reference("opensim_id/arm26_InverseKinematics.mot")),
        cutoff=6.0,
        window=(0.0, 1.0),
    )
    standard = read_storage(reference("opensim_id/std_arm26_InverseDynamics.sto"))
    assert rms(found, standard, 0.0, 1.0).max() < 1e-3
