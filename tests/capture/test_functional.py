"""Joint centres and axes told by the motion: derivatives beside differences, and the truth of moved joints."""

import warnings

import numpy as np
import pytest

from hitogata.capture import FitSettings, fit_body, joint_centres, scaled_figure
from hitogata.capture.body_files import write_fitted
from hitogata.capture.fit_kinematics import marker_derivatives
from hitogata.capture.functional import functional_links, moved_joints, right_jacobian
from hitogata.dynamics import difference
from hitogata.errors import ArgumentError
from hitogata.files.osim import figure_from_osim, osim_from_figure, read_osim
from hitogata.library import virtual_human
from hitogata.library.samples import sample_reach, sample_walk
from hitogata.spatial import quat_exp, quat_log, quat_multiply
from tests.capture.test_body_fit import covered, moved, sizes
from tests.capture.test_ik import knee


def test_right_jacobian():
    rng = np.random.default_rng(0)
    for size in (0.0, 1e-6, 0.3, 2.0):
        turn, step = size * rng.normal(size=3), 1e-6 * rng.normal(size=3)
        inverse = quat_exp(-turn)
        moved_ = quat_log(quat_multiply(inverse, quat_exp(turn + step)))
        np.testing.assert_allclose(right_jacobian(turn) @ step, moved_, atol=1e-11)


@pytest.mark.parametrize("which", ["knee", "person"])
def test_derivatives_are_those_of_differences(which):
    """Of a joint that follows functions with shifts on its way, and of hinges and balls of a person of uneven sizes."""
    figure, markers = knee() if which == "knee" else (virtual_human(), covered(virtual_human(), 2))
    rng = np.random.default_rng(1)
    names = list(figure.link_names[1:]) if which == "knee" else ["shin_left", "thigh_left", "forearm_right"]
    links = functional_links(figure, names)
    changes = rng.normal(0, 0.1, (len(links), 6))
    scales = rng.uniform(0.7, 1.4, (figure.nlinks, 3))
    q = np.array([figure.random(rng, spread=0.4) for _ in range(3)])
    none = np.zeros((len(markers.labels), 3))

    def at(values):
        now = moved_joints(figure, links, values)
        return marker_derivatives(now, markers, scales, none, q, dict(zip(links, values, strict=True)))

    found = at(changes)
    own = moved(markers, scales)
    there = own.positions(scaled_figure(moved_joints(figure, links, changes), scales), q)
    np.testing.assert_allclose(found.places, there, atol=1e-13)
    for row in range(len(links)):
        for column in range(6):
            step = np.zeros_like(changes)
            step[row, column] = 1e-6
            slope = (at(changes + step).places - at(changes - step).places) / 2e-6
            np.testing.assert_allclose(found.by_change[..., 6 * row + column], slope, atol=1e-8)


def test_a_moved_hip_and_a_turned_knee_come_back():
    """Truth: hips 15 mm off, knees that bend about axes 8° off.  Without functional joints the error stays."""
    figure = virtual_human()
    names = ("thigh_left", "shin_left")
    links = functional_links(figure, names)
    true = np.array([[0.012, -0.008, 0.005, 0, 0, 0], [0.0, 0.0, 0.0, 0.10, 0.0, -0.09]])
    markers, factors = covered(figure, 4), sizes(figure, 2)
    person = scaled_figure(moved_joints(figure, links, true), factors)
    q = np.concatenate([sample_walk(strides=1).q[::5], sample_reach().q[::12]])
    rng = np.random.default_rng(0)
    target = moved(markers, factors).positions(person, q)
    target = target + rng.normal(0, 0.0005, target.shape)
    settings = FitSettings(frames=40)
    plain = fit_body(figure, markers, target, settings=settings)
    found = fit_body(figure, markers, target, settings=settings, functional=names)
    hip = figure.link_index("thigh_left")
    off = [np.sqrt(((joint_centres(f.figure, f.angles.q) - joint_centres(person, q))[:, hip] ** 2).sum(axis=1).mean())
           for f in (plain, found)]  # fmt: skip
    assert off[1] < 0.003 < off[0]
    knee_found = found.functional[1]
    assert np.abs(knee_found.turn - true[1, 3:]).max() < 0.03
    assert knee_found.deviations[3:].min() < 0.02
    start = figure.v_starts[figure.link_index("shin_left")]
    bend = [np.sqrt((difference(figure, f.angles.q, q)[:, start] ** 2).mean()) for f in (plain, found)]
    assert bend[1] < 0.02
    assert "shin_left: centre" in str(found)


def test_what_the_motion_does_not_tell_stays():
    """A leg that is held still tells no axes; deviations stay those of the prior."""
    figure = virtual_human()
    markers = covered(figure, 4)
    q = np.repeat(figure.neutral()[None], 12, axis=0)
    found = fit_body(figure, markers, markers.positions(figure, q), functional=("shin_left",),
                     settings=FitSettings(frames=12))  # fmt: skip
    joint = found.functional[0]
    assert np.abs(joint.turn).max() < 1e-3
    assert np.abs(joint.shift).max() < 1e-3
    assert joint.deviations[3:].max() == pytest.approx(0.2, rel=0.05)


def test_bad_input():
    figure = virtual_human()
    with pytest.raises(ArgumentError, match="hangs on no other"):
        functional_links(figure, [figure.link_names[0]])
    with pytest.raises(ArgumentError, match="twice"):
        functional_links(figure, ["shin_left", "shin_left"])
    with warnings.catch_warnings(), pytest.raises(ArgumentError, match="turn"):
        FitSettings(turn=0.0)


def test_written_as_a_model_and_read_again(tmp_path):
    """A knee of OpenSim's kind that was told by the motion: the file's model poses its markers as the fit does."""
    model = osim_from_figure(virtual_human())
    figure = figure_from_osim(model, coordinates=True)
    markers = covered(figure, 4)
    links = functional_links(figure, ["shin_right"])
    person = moved_joints(figure, links, np.array([[0.01, 0.0, 0.0, 0.1, 0.0, 0.05]]))
    rng = np.random.default_rng(3)
    q = np.array([figure.random(rng, spread=0.3) for _ in range(15)])
    found = fit_body(figure, markers, markers.positions(person, q), functional=("shin_right",),
                     settings=FitSettings(frames=15))  # fmt: skip
    assert np.linalg.norm(found.functional[0].turn) > 0.05
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_fitted(found, tmp_path / "fitted.osim", model)
        again = figure_from_osim(read_osim(tmp_path / "fitted.osim"), coordinates=True)
    there = found.markers.positions(found.figure, found.angles.q)
    own = type(markers)(found.markers.labels, found.markers.links, found.markers.places)
    np.testing.assert_allclose(own.positions(again, found.angles.q), there, atol=1e-9)
