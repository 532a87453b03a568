"""A body fitted to markers: sizes, places, angles; derivatives beside differences; truth of our own figures."""

import warnings

import numpy as np
import pytest

from hitogata.capture import FitSettings, MarkerSet, fit_body, joint_centres, markers_on, scaled_figure
from hitogata.capture.fit_kinematics import marker_derivatives
from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Figure, Link, MassProperties
from hitogata.figure.expansion import expansion_of
from hitogata.figure.joint import free
from hitogata.files import Axes, read_storage, read_trc
from hitogata.files.names import left_right_pairs
from hitogata.files.osim import coordinate_names, figure_from_osim, read_osim
from hitogata.library import virtual_human
from hitogata.library.samples import sample_reach, sample_walk
from tests.capture.test_ik import knee
from tests.reference import reference


def covered(figure, count=4, seed=2):
    """So many markers on every link, left as right."""
    rng = np.random.default_rng(seed)
    pairs, places = left_right_pairs(figure.link_names), {}
    own = {link.name: rng.normal(0, 0.07, (count, 3)) for link in figure.links}
    for left, right in pairs.items():
        own[right] = own[left] * [1, -1, 1]
    for link in figure.links:
        places |= {f"{link.name}_{k}": (link.name, at) for k, at in enumerate(own[link.name])}
    return MarkerSet.of(figure, places)


def sizes(figure, seed=0, spread=0.1):
    """Factors of all links, left as right."""
    rng = np.random.default_rng(seed)
    factors = rng.uniform(1 - spread, 1 + spread, (figure.nlinks, 3))
    for left, right in left_right_pairs(figure.link_names).items():
        factors[figure.link_index(right)] = factors[figure.link_index(left)]
    return factors


def moved(markers, factors, offsets=0.0):
    return MarkerSet(markers.labels, markers.links, factors[markers.links] * markers.places + offsets)


@pytest.mark.parametrize("which", ["knee", "person"])
def test_places_are_those_of_the_scaled_figure_and_derivatives_those_of_differences(which):
    figure, markers = knee() if which == "knee" else (virtual_human(), covered(virtual_human(), 2))
    rng = np.random.default_rng(1)
    factors, offsets = rng.uniform(0.7, 1.4, (figure.nlinks, 3)), rng.normal(0, 0.02, (len(markers.labels), 3))
    q = np.array([figure.random(rng, spread=0.4) for _ in range(4)])
    found = marker_derivatives(figure, markers, factors, offsets, q)
    there, own = scaled_figure(figure, factors), moved(markers, factors, offsets)
    np.testing.assert_allclose(found.places, own.positions(there, q), atol=1e-13)
    base = expansion_of(figure)
    for k in range(figure.nv):
        v = np.zeros((len(q), figure.nv))
        v[:, k] = 1e-6
        plain = figure if base is None else base.plain
        ends = [own.positions(there, integrate(plain, q, sign * v)) for sign in (1, -1)]
        np.testing.assert_allclose(found.by_v[..., k], (ends[0] - ends[1]) / 2e-6, atol=1e-8)
    for link, axis in [(0, 1), (1, 2), (2, 0), (figure.nlinks - 1, 0)]:
        more = factors.copy()
        more[link, axis] += 0.25                                    # linear: exact at any step
        other = marker_derivatives(figure, markers, more, offsets, q).places
        np.testing.assert_allclose(found.by_scale[:, :, :, link, axis], (other - found.places) / 0.25, atol=1e-12)


def test_scaled_masses_are_those_of_scaled_bodies():
    factors = np.array([[1.5, 0.8, 1.2]])
    mass = Box((0.1, 0.2, 0.3)).mass_properties()
    box = Figure.from_links("box", [Link("box", None, free(), mass, (Box((0.1, 0.2, 0.3)),))])
    larger = scaled_figure(box, factors).links[0]
    np.testing.assert_allclose(larger.shapes[0].half_sizes, (0.15, 0.16, 0.36))
    there = Box((0.15, 0.16, 0.36)).mass_properties()
    assert larger.mass.mass == pytest.approx(there.mass)
    np.testing.assert_allclose(larger.mass.matrix, there.matrix, rtol=1e-12)
    assert scaled_figure(box, factors, mass=7.0).mass == pytest.approx(7.0)
    assert isinstance(larger.mass, MassProperties)


def test_sizes_and_angles_come_back():
    figure = virtual_human()
    markers, factors = covered(figure), sizes(figure)
    person, there = scaled_figure(figure, factors), moved(markers, factors)
    q = sample_reach().q[::8]
    lines = []
    found = fit_body(figure, markers, there.positions(person, q), mass=80.0,
                     settings=FitSettings(frames=16), progress=lines.append)  # fmt: skip
    assert found.converged
    assert len(lines) > 3
    assert found.figure.mass == pytest.approx(80.0)
    assert np.abs(difference(figure, found.angles.q, q)).max() < 0.01
    assert found.angles.rms < 1e-4
    off = np.linalg.norm(joint_centres(found.figure, found.angles.q) - joint_centres(person, q), axis=2)
    assert off.max() < 0.003
    assert np.abs(found.scales - factors).max() < 0.02
    assert "converged" in str(found)


def test_noise_hidden_markers_and_swaps():
    figure = virtual_human()
    markers, factors = covered(figure), sizes(figure, 3)
    rng = np.random.default_rng(0)
    person = scaled_figure(figure, factors)
    there = moved(markers, factors, rng.normal(0, 0.004, markers.places.shape))
    q = sample_walk(strides=1).q[::5]
    target = there.positions(person, q) + rng.normal(0, 0.003, (len(q), len(markers.labels), 3))
    target[rng.random(target.shape[:2]) < 0.1] = np.nan
    target[3:6, 10] += 0.3
    found = fit_body(figure, markers, target, settings=FitSettings(frames=20))
    off = np.linalg.norm(joint_centres(found.figure, found.angles.q) - joint_centres(person, q), axis=2)
    assert np.sqrt((off**2).mean()) < 0.008
    assert np.sqrt((difference(figure, found.angles.q, q) ** 2).mean()) < 0.06
    assert found.angles.residuals[4, 10] > 0.3
    assert np.sqrt(((found.scales - factors) ** 2).mean()) < 0.08


def test_links_without_markers_are_assumed():
    figure = virtual_human()
    markers = covered(figure)
    kept = [k for k, link in enumerate(markers.links) if figure.link_names[link] not in ("hand_left", "head")]
    fewer = MarkerSet([markers.labels[k] for k in kept], markers.links[kept], markers.places[kept])
    factors = np.full((figure.nlinks, 3), 1.1)
    person = scaled_figure(figure, factors)
    q = sample_reach().q[::16]
    found = fit_body(figure, fewer, moved(fewer, factors).positions(person, q),
                     settings=FitSettings(frames=10, axes=False))  # fmt: skip
    assert set(found.assumed) == {"head"}                           # the left hand is taken as the right one
    np.testing.assert_allclose(found.scales, factors, atol=2e-3)


def test_bad_input():
    figure = virtual_human()
    markers = covered(figure)
    with pytest.raises(ArgumentError, match="positive numbers of shape"):
        scaled_figure(figure, np.zeros((figure.nlinks, 3)))
    with pytest.raises(ArgumentError, match="no frame shows three"):
        fit_body(figure, markers, np.full((3, len(markers.labels), 3), np.nan))
    with pytest.raises(ArgumentError, match="sigma"):
        FitSettings(sigma=0.0)


def test_generic_model_to_a_subject():
    folder = reference("skeleton_fit", "unscaled_generic.osim").parent
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = read_osim(folder / "unscaled_generic.osim")
        generic = figure_from_osim(model, coordinates=True)
        subject = figure_from_osim(read_osim(folder / "subject01" / "subject01.osim"), coordinates=True)
        trial = read_trc(folder / "subject01" / "markers.trc", axes=Axes.Y_UP_X_FORWARD)
        truth = read_storage(folder / "subject01" / "coordinates.sto")
        names = coordinate_names(model, generic)
    held = np.array([model.coordinate(name).locked for name in names])
    found = fit_body(generic, markers_on(generic, trial.labels), trial, held=held, settings=FitSettings(frames=25))
    known = [k for k, name in enumerate(names) if name in truth.columns and not held[k]]
    true = np.stack([truth.column(names[k]) for k in known], axis=1)
    assert np.abs(found.angles.q[:, known] - true).max() < 0.01
    assert found.angles.rms < 1e-4
    there = subject.link("femur_r").joint.parent_frame.position       # of the hip in the pelvis
    np.testing.assert_allclose(found.figure.link("femur_r").joint.parent_frame.position, there, atol=1e-3)
