"""Muscles beside OpenSim: lengths, moment arms, curves, static optimisation."""

import re
import warnings

import numpy as np
import pytest

from hitogata.dynamics import recorded_dynamics
from hitogata.errors import FileContentWarning
from hitogata.figure.mechanism import followed
from hitogata.files import read_storage
from hitogata.files.osim import read_osim
from hitogata.muscle import Millard2012, muscles_from_osim, rigid_tendon_forces, tendon_equilibrium, wire_geometry
from hitogata.solve import separable_programs
from tests.reference import reference

opensim = pytest.importorskip("opensim", reason="OpenSim is not installed: pip install opensim")


@pytest.fixture(autouse=True)
def _quiet():
    opensim.Logger.setLevelString("critical")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        yield


def both(name, tmp_path):
    """Our set, and OpenSim's model, which refuses some numbers of its own files."""
    text = re.sub(r"<(minimum_activation|min_control)>[^<]*", r"<\1>0.01", reference(name).read_text())
    (tmp_path / "model.osim").write_text(text)
    theirs = opensim.Model(str(tmp_path / "model.osim"))
    coordinates = theirs.getCoordinateSet()
    for k in range(coordinates.getSize()):
        for flag in ("clamped", "locked", "prescribed"):
            getattr(coordinates.get(k), f"set_{flag}")(False)
    model = read_osim(reference(name))
    return model, muscles_from_osim(model), theirs, theirs.initSystem()


def poses(model, muscles, count):
    low, high = np.clip(np.array([model.coordinate(name).range for name in muscles.body.coordinates]).T, -3, 3)
    return followed(muscles.body, np.random.default_rng(0).uniform(low, high, (count, len(low))))[0]


def put(theirs, state, muscles, q):
    for name, value in zip(muscles.body.coordinates, q, strict=True):
        theirs.getCoordinateSet().get(name).setValue(state, float(value), False)
    theirs.realizeVelocity(state)


@pytest.mark.parametrize("name", ["models/gait2392_thelen2003muscle.osim", "models/ThoracoscapularShoulderModel.osim"])
def test_lengths_without_wraps_and_around_spheres(tmp_path, name):
    model, muscles, theirs, state = both(name, tmp_path)
    q = poses(model, muscles, 12)
    plain = {"sphere"}
    kinds = {surface.name: surface.kind.value for surface in muscles.surfaces}
    which = [k for k, wire in enumerate(muscles.muscles) if {kinds[w.surface] for w in wire.path.wraps} <= plain]
    assert len(which) >= 6
    ours = wire_geometry(muscles, q).lengths
    for k, row in enumerate(q):
        put(theirs, state, muscles, row)
        expected = [theirs.getMuscles().get(muscles.muscles[j].name).getLength(state) for j in which]
        np.testing.assert_allclose(ours[k, which], expected, rtol=0, atol=1e-9)


def test_capacity_and_equilibrium_of_thelen(tmp_path):
    model, muscles, theirs, state = both("models/gait2392_thelen2003muscle.osim", tmp_path)
    for row in poses(model, muscles, 2):
        put(theirs, state, muscles, row)
        own = [theirs.getMuscles().get(muscle.name) for muscle in muscles.muscles]
        lengths = np.array([muscle.getLength(state) for muscle in own])
        limits = np.array([muscle.max_force for muscle in muscles.muscles])
        capacity = rigid_tendon_forces(muscles, lengths).capacity
        expected = [muscle.calcInextensibleTendonActiveFiberForce(state, 1.0) for muscle in own]
        np.testing.assert_allclose(capacity / limits, expected / limits, rtol=0, atol=1e-8)
        found = tendon_equilibrium(muscles, lengths, 0.3)
        for j in range(0, len(own), 6):
            own[j].setActivation(state, 0.3)
            own[j].computeEquilibrium(state)
            theirs.realizeDynamics(state)
            if found.residual[j] < 1e-9:
                assert found.force[j] == pytest.approx(own[j].getTendonForce(state), abs=1e-6 * limits[j])


@pytest.mark.parametrize(
    ("curve", "ours", "low", "high"),
    [("ActiveForceLengthCurve", "active", 0.3, 1.9), ("FiberForceLengthCurve", "passive", 0.9, 1.8),
     ("ForceVelocityCurve", "speed", -1.2, 1.2), ("TendonForceLengthCurve", "tendon", 0.98, 1.08)],
)  # fmt: skip
def test_curves_of_millard(curve, ours, low, high):
    x = np.linspace(low, high, 101)
    expected = [getattr(opensim, curve)().calcValue(float(v)) for v in x]
    np.testing.assert_allclose(getattr(Millard2012(active_least=0.1), ours)(x), expected, rtol=0, atol=1e-11)


def test_static_optimisation_of_an_arm():
    """OpenSim's stored result: its forces make our moments, and with its capacities our optimum is as active."""
    folder = "opensim_so_arm26"
    model = read_osim(reference(f"{folder}/arm26.osim"))
    motion = recorded_dynamics(model, read_storage(reference(f"{folder}/arm26_InverseKinematics.mot")), cutoff=6.0)
    muscles = muscles_from_osim(model)
    std = {
        kind: read_storage(reference(f"{folder}/std_arm26_StaticOptimization_{kind}.sto"))
        for kind in ("activation", "force")
    }
    names = [muscle.name for muscle in muscles.muscles]
    inside = (motion.time >= 0.25) & (motion.time <= 0.75)
    a, f = (
        np.stack([np.interp(motion.time[inside], t.time, t.column(name)) for name in names], 1) for t in std.values()
    )
    J = wire_geometry(muscles, motion.q[inside]).jacobian
    arms = -(J * (f / np.maximum(a, 1e-9))[:, :, None]).transpose(0, 2, 1)
    found = separable_programs(arms, motion.free_forces[inside], softness=1e4)
    assert np.sqrt(np.mean((found.x - a) ** 2, axis=0)).max() < 0.01
    assert np.abs(found.slack).max() < 1e-3
