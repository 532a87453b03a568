"""Constraints of OpenSim models as virtual links."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.files.osim import figure_from_osim, osim_from_figure
from hitogata.files.osim.document import ConstantDistance, PointConstraint, WeldConstraint
from hitogata.library import chain
from hitogata.loops import closed, link_rows, links_from_osim

pytestmark = pytest.mark.filterwarnings("ignore::hitogata.errors.FileContentWarning")

TIP, BASE = (0.01, 0.02, -0.03), (0.1, 0.4, 0.2)


def model_with(*constraints):
    """A chain of six hinges with constraints."""
    return replace(osim_from_figure(chain(6)), constraints=constraints)


def body(k, figure):
    return f"/bodyset/{figure.link_names[k]}"


def test_points_frames_and_distances():
    plain = chain(6)
    point = PointConstraint("point", body(5, plain), "/ground", TIP, BASE)
    rod = ConstantDistance("rod", body(1, plain), body(4, plain), 0.05, TIP, (0.0, 0.0, 0.0))
    weld = WeldConstraint("weld", body(3, plain), body(0, plain))
    idle = PointConstraint("idle", body(2, plain), "/ground", isEnforced=False)
    model = model_with(point, rod, weld, idle)
    figure = figure_from_osim(model)
    links = links_from_osim(model, figure)
    assert len(links) == 3
    assert links.rows == 3 + 1 + 6
    q = figure.random(np.random.default_rng(1))
    poses = forward_kinematics(figure, q)
    names = list(figure.link_names)
    tip = poses.position[names.index(plain.link_names[5])] + poses.rotation[names.index(plain.link_names[5])] @ TIP
    base = np.array([BASE[0], -BASE[2], BASE[1]])  # y up becomes z up
    axes = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0.0]])
    value = link_rows(links, q).value
    np.testing.assert_allclose(value[:3], axes.T @ (tip - base), atol=1e-12)
    at = [poses.position[names.index(plain.link_names[k])] for k in (1, 4)]
    way = at[0] + poses.rotation[names.index(plain.link_names[1])] @ TIP - at[1]
    assert value[3] == pytest.approx(np.linalg.norm(way) - 0.05, abs=1e-12)


def test_a_state_is_brought_to_them():
    figure = chain(6)
    q = np.array(figure.random(np.random.default_rng(2), spread=0.3))
    poses, end = forward_kinematics(figure, q), figure.link_names[5]
    x, y, z = poses.position[5]
    model = model_with(PointConstraint("tip", f"/bodyset/{end}", "/ground", (0.0, 0.0, 0.0), (x, z, -y)))
    again = figure_from_osim(model)
    links = links_from_osim(model, again)
    assert np.abs(link_rows(links, q).value).max() < 1e-12
    near = closed(links, State(q + 0.02, np.zeros(6)))
    assert np.abs(link_rows(links, near.q).value).max() < 1e-9


def test_bad_input():
    model = model_with(PointConstraint("both", "/ground", "/ground"))
    with pytest.raises(ArgumentError, match="'both' holds the ground to itself"):
        links_from_osim(model, figure_from_osim(model))
    model = model_with(PointConstraint("tip", body(5, chain(6)), "/ground"))
    with pytest.raises(ArgumentError, match=r"'tip': figure 'chain.*' has no link"):
        links_from_osim(model, chain(2))
