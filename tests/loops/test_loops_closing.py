"""Closing loops: rounding of geometry in loops that hold more than they need, and rank whatever the axes."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import bias, difference, mass_matrix
from hitogata.errors import ArgumentError
from hitogata.figure import FigureBuilder, Pose, State, joint
from hitogata.loops import Links, closed, constrained_dynamics, hinge, link_rows, move, pin
from tests.loops.mechanisms import bar, four_bar, parallelogram


def shaken(figure, links, rng, noise):
    """The same links, their parents' frames off by some rounding."""
    changed = []
    for handle, link in links.links:
        turn = np.append(1.0, 0.5 * noise * rng.normal(size=3))
        off = Pose(tuple(noise * rng.normal(size=3)), tuple(turn / np.linalg.norm(turn)))
        changed.append((handle, replace(link, parent_pose=link.parent_pose @ off)))
    return Links(figure, tuple(changed))


@pytest.mark.parametrize("noise", [0.0, 1e-10, 1e-9, 1e-8, 1e-7])
@pytest.mark.parametrize("make", [lambda: four_bar(hinge), lambda: parallelogram(hinge), parallelogram])
def test_overconstrained_loops_close_within_the_error_of_their_geometry(make, noise):
    figure, links, *_ = make()
    rng = np.random.default_rng(5)
    for _ in range(25):
        loose = shaken(figure, links, rng, noise)
        state = closed(loose, State(rng.normal(size=3), 3 * rng.normal(size=3)))
        rows = link_rows(loose, state.q, state.v)
        assert np.abs(rows.value).max() < 10 * noise + 1e-12
        assert np.abs(rows.rate).max() < 10 * noise * (1 + np.abs(state.v).max()) + 1e-11
        exact = closed(links, state)  # the loop without the error is near
        assert np.abs(exact.q - state.q).max() < 1e4 * noise + 1e-9
        move(loose, state, 1e-3, steps=3)  # and is not refused


def test_a_tolerance_that_cannot_be_met_is_said():
    figure, links, *_ = four_bar(hinge)
    loose = shaken(figure, links, np.random.default_rng(0), 1e-4)
    start = State(np.array([-1.2, 0.8, 2.0]), np.zeros(3))
    with pytest.raises(ArgumentError, match=r"on 'rocker' to the world after .* steps \(tolerance 1e-06\)"):
        closed(loose, start)
    near = closed(loose, start, tolerance=1e-3)
    assert 1e-6 < np.abs(link_rows(loose, near.q).value).max() < 1e-3
    with pytest.raises(ArgumentError, match="tolerance"):
        closed(loose, start, tolerance=-1.0)


def test_closed_is_the_nearest_pose():
    """Of a pin in space: the least move in the metric of the mass matrix is orthogonal to what the link lets be."""
    b = FigureBuilder("arm")
    b.add("upper", None, joint.ball(), bar(0.4, 1.0))
    b.add("lower", "upper", joint.ball(parent_frame=Pose((0.4, 0, 0))), bar(0.4, 1.0))
    figure = b.build()
    links, _ = Links(figure).add(pin("lower", child_point=(0.4, 0, 0), parent_point=(0.6, 0.2, 0.30001)))
    start = closed(links, State(figure.neutral(), np.zeros(6)))
    there, _ = Links(figure).add(pin("lower", child_point=(0.4, 0, 0), parent_point=(0.6, 0.2, 0.3)))
    way = difference(figure, start.q, closed(there, start).q)
    H = link_rows(there, start.q).jacobian
    free = np.linalg.svd(H)[2][3:]
    np.testing.assert_allclose(free @ mass_matrix(figure, start.q) @ way, 0.0, atol=1e-9)
    assert np.abs(way).max() > 1e-6


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7])
def test_rank_and_motion_do_not_hang_on_the_axes(noise):
    """A pin is the same whatever the axes of P, also where they are off by rounding and one row all but idle."""
    figure, links, handle, state = four_bar(pin)
    exact = constrained_dynamics(links, state.q, state.v)
    M, H = mass_matrix(figure, state.q), link_rows(links, state.q, state.v)
    J = H.jacobian[[0, 2]]  # in the plane
    kkt = np.block([[M, -J.T], [J, np.zeros((2, 2))]])
    dense = np.linalg.solve(kkt, np.concatenate([-bias(figure, state.q, state.v), -H.bias[[0, 2]]]))[:3]
    np.testing.assert_allclose(exact.vdot, dense, rtol=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(20):
        turn = np.append(1.0, noise * rng.normal(size=3))
        tilted = replace(links[handle], parent_pose=links[handle].parent_pose @ Pose(quat=turn / np.linalg.norm(turn)))
        held = constrained_dynamics(links.replace(handle, tilted), state.q, state.v)
        assert held.rank == 2
        np.testing.assert_allclose(held.vdot, dense, rtol=1e-7)
        assert np.abs(held.forces).max() < 2 * np.abs(exact.forces).max()


def test_a_point_that_cannot_move_is_held_by_no_force():
    """A pin at the pivot of a hinge says nothing new."""
    b = FigureBuilder("arm")
    b.add("arm", None, joint.hinge(axis=(0, 1, 0), parent_frame=Pose((0.1, 0.2, 0.3))), bar(0.5, 1.0))
    figure = b.build()
    links, _ = Links(figure).add(pin("arm", parent_point=(0.1, 0.2, 0.3)))
    q, v = np.array([0.7]), np.array([5.0])
    held = constrained_dynamics(links, q, v)
    assert held.rank == 0
    np.testing.assert_allclose(held.vdot, constrained_dynamics(Links(figure), q, v).vdot, rtol=1e-12)
