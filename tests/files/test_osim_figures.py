"""Figures from OpenSim models and back: the same poses and mass matrix as the mechanism's."""

import warnings

import numpy as np

from hitogata import dynamics, library
from hitogata.errors import FileContentWarning
from hitogata.figure import FigureBuilder, MassProperties, Pose, joint
from hitogata.figure.mechanism import (
    coupling_matrix,
    followed,
    generalized_gravity,
    mechanism_mass_matrix,
    mechanism_motion,
)
from hitogata.files.osim import (
    figure_coordinates,
    figure_from_osim,
    mechanism_from_osim,
    osim_from_figure,
    read_osim,
    write_osim,
)
from tests.files.osim_cases import every_joint
from tests.files.test_osim import read_text

UP = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0.0]])


def small_figure():
    """All kinds of joints, with frames on both sides and odd axes."""
    builder, rng = FigureBuilder("mixed"), np.random.default_rng(3)

    def pose():
        quat = rng.normal(size=4)
        return Pose(tuple(rng.normal(size=3) * 0.2), tuple(quat / np.linalg.norm(quat)))

    def mass():
        return MassProperties.principal(1 + rng.random(), rng.normal(size=3) * 0.1, (0.02, 0.03, 0.04))

    kinds = [joint.free, joint.ball, joint.hinge, joint.slider, joint.universal, joint.fixed]
    for k, make in enumerate(kinds):
        axes = {"axis": rng.normal(size=3)} if make in (joint.hinge, joint.slider, joint.universal) else {}
        if make is joint.universal:
            axes["axis2"] = rng.normal(size=3)
        hung = make(name=f"joint{k}", parent_frame=pose(), child_frame=pose(), **axes)
        builder.add(f"link{k}", None if k == 0 else f"link{k - 1}", hung, mass())
    return builder.build()


def poses(figure, q):
    """Link poses by the figure's own kinematics."""
    from hitogata.dynamics import forward_kinematics

    found = forward_kinematics(figure, q)
    return np.asarray(found.position), np.asarray(found.rotation)


def test_figures_come_back(tmp_path):
    figure = small_figure()
    model = osim_from_figure(figure)
    write_osim(model, tmp_path / "figure.osim")
    again = read_osim(tmp_path / "figure.osim")
    assert again == model
    mechanism, back = mechanism_from_osim(again), figure_from_osim(again)
    assert [link.joint.kind for link in back.links] == [link.joint.kind for link in figure.links]
    assert [link.joint.name for link in back.links] == [link.joint.name for link in figure.links]
    q = np.random.default_rng(1).uniform(-1, 1, (5, len(mechanism.coordinates)))
    motion = mechanism_motion(mechanism, q)
    places, _ = figure_coordinates(again, back, q)
    for made in (figure, back):
        # hinges are turned to OpenSim's axes in `back`, but q means the same
        for k in range(5):
            position, rotation = poses(made, places[k])
            np.testing.assert_allclose(position, motion.position[k] @ UP.T, atol=1e-12)
            np.testing.assert_allclose(rotation, UP @ motion.rotation[k], atol=1e-12)


def test_velocities_carry_the_same_power(tmp_path):
    model = osim_from_figure(small_figure())
    figure, mechanism = figure_from_osim(model), mechanism_from_osim(model)
    rng, h = np.random.default_rng(2), 1e-6
    q, qd = rng.uniform(-1, 1, (4, len(mechanism.coordinates))), rng.normal(size=(4, len(mechanism.coordinates)))
    _, v = figure_coordinates(model, figure, q, qd)
    from hitogata.dynamics import difference

    high, low = (figure_coordinates(model, figure, q + s * h * qd)[0] for s in (1, -1))
    for k in range(4):
        np.testing.assert_allclose(difference(figure, low[k], high[k]) / (2 * h), v[k], atol=1e-7)


def test_library_figures_are_written():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        model = osim_from_figure(library.human28())
        assert figure_from_osim(model).nv == library.human28().nv
        assert generalized_gravity(mechanism_from_osim(model), np.zeros(34)).shape == (1, 34)


def test_joints_that_follow_functions_and_each_other(tmp_path):
    """Poses, mass matrix and inverse dynamics of the mechanism, whose coordinates follow others."""
    model = read_text(tmp_path, every_joint())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        figure = figure_from_osim(model)
    mechanism, rng = mechanism_from_osim(model), np.random.default_rng(4)
    count = len(mechanism.coordinates)
    q, qd, _ = followed(mechanism, rng.uniform(-0.5, 0.5, (3, count)), rng.normal(size=(3, count)))
    places, v = figure_coordinates(model, figure, q, qd)
    motion, found = mechanism_motion(mechanism, q, qd), dynamics.forward_kinematics(figure, places)
    at = [figure.link_index(body.name) for body in mechanism.bodies]
    np.testing.assert_allclose(found.position[:, at], motion.position @ UP.T, atol=1e-12)
    G = coupling_matrix(mechanism, q)
    speeds = np.stack([figure_coordinates(model, figure, q, row)[1] for row in _free_rates(mechanism, 3)], axis=2)
    ours = speeds.transpose(0, 2, 1) @ dynamics.mass_matrix(figure, places) @ speeds
    theirs = G.transpose(0, 2, 1) @ mechanism_mass_matrix(mechanism, q) @ G
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8 * np.abs(theirs).max())
    energy = dynamics.energy(figure, places, v).kinetic
    whole = 0.5 * np.einsum("ni,nij,nj->n", qd, mechanism_mass_matrix(mechanism, q), qd)
    np.testing.assert_allclose(energy, whole, rtol=1e-8)


def _free_rates(mechanism, rows):
    for name in mechanism.free_coordinates:
        rates = np.zeros((rows, len(mechanism.coordinates)))
        rates[:, mechanism.index(name)] = 1.0
        yield rates
