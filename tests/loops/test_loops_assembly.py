"""Closed loops by assembly: the closed form and the dense equations give the same, whatever comes and goes."""

import numpy as np
import pytest

from hitogata.dynamics import Method, integrate
from hitogata.errors import ArgumentError
from hitogata.library import chain, human40
from hitogata.loops import Links, constrained_dynamics, grasp, here, hinge, pin, weld
from tests.loops.cases import dense, kinds, random_loops
from tests.peers.builders import random_figure


def off(found, wanted) -> float:
    return float(np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-12))


def by_both(links, q, v, tau, **options):
    closed = constrained_dynamics(links, q, v, tau, **options)
    return closed, constrained_dynamics(links, q, v, tau, method=Method.ASSEMBLY, **options)


@pytest.mark.parametrize("seed", range(24))
def test_random_loops(seed):
    """Regular ones are closed by assembly, the others, told by their rank, as the closed form does it."""
    figure, links, q, v = random_loops(seed, links=16 + 2 * seed, loops=1 + seed % 3)
    rng = np.random.default_rng(seed)
    tau, wrenches = rng.normal(size=figure.nv), rng.normal(size=(figure.nlinks, 6))
    closed, found = by_both(links, q, v, tau, wrenches=wrenches, stabilise=2.0)
    assert found.rank == closed.rank
    assert off(found.vdot, closed.vdot) < 1e-9
    assert off(found.forces, closed.forces) < 1e-9
    assert off(found.wrenches, closed.wrenches) < 1e-9


def test_loops_that_close_one_inside_another():
    """A chain tied at many places: no matrix is larger than one loop's rows."""
    figure = chain(60)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 60)) * 0.4
    links = Links(figure)
    for a, b in ((5, 20), (8, 16), (25, 50), (30, 45), (55, None)):
        links, _ = links.add(here(figure, q, pin(f"link{a}", None if b is None else f"link{b}")))
    closed, found = by_both(links, q, v, tau)
    assert found.rank == 15
    assert off(found.vdot, closed.vdot) < 1e-9
    assert off(found.forces, closed.forces) < 1e-9


def test_hanging_figure():
    figure = human40()
    q = figure.neutral()
    v, tau = np.random.default_rng(1).normal(size=(2, figure.nv))
    links = Links(figure)
    for palm in ("palm_left", "palm_right"):
        links, _ = links.add(here(figure, q, grasp(palm, bar=(0, 1, 0))))
        closed, found = by_both(links, q, v, tau)
        assert off(found.vdot, closed.vdot) < 1e-11
        assert off(found.forces, closed.forces) < 1e-11


def test_dependent_rows_share_the_load():
    """The same weld twice: half each, and the rank says so."""
    figure = human40()
    q = figure.neutral()
    links = Links(figure).add_all(*[here(figure, q, weld("palm_left"))] * 2)
    found = constrained_dynamics(links, q, np.zeros(figure.nv), method=Method.ASSEMBLY)
    assert found.rank == 6
    assert found.redundant == 6
    assert off(found.forces[:6], found.forces[6:]) < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_fuzz_links_come_and_go_between_steps(seed):
    """Random trees, random links added and taken away: no NaN, and what the dense equations say."""
    rng = np.random.default_rng(100 + seed)
    figure = random_figure(rng, 30)
    q, v = figure.random(rng, spread=0.7), rng.normal(size=figure.nv)
    links = Links(figure)
    for _ in range(14):
        if len(links) and rng.random() < 0.45:
            links = links.remove(links.handles[rng.integers(len(links))])
        else:
            child, parent = map(str, rng.choice(figure.link_names, 2, replace=False))
            chosen = kinds(rng, child, None if rng.random() < 0.3 else parent)
            links, _ = links.add(here(figure, q, chosen[rng.integers(len(chosen))]))
        tau = rng.normal(size=figure.nv)
        found = constrained_dynamics(links, q, v, tau, method=Method.ASSEMBLY)
        assert np.isfinite(found.vdot).all()
        assert np.isfinite(found.forces).all()
        if found.rank == links.held:
            matrix, right, nv = dense(figure, links, q, v, tau)
            exact = np.linalg.solve(matrix, right)
            size = np.linalg.cond(matrix) * 1e-15
            assert off(found.vdot, exact[:nv]) < max(1e-9, size)
        v = v + 1e-3 * found.vdot / (1 + np.abs(found.vdot).max())
        q = integrate(figure, q, 1e-3 * v)


def test_bad_input():
    figure = chain(6)
    links, _ = Links(figure).add(hinge("link5", axis=(0, 1, 0), parent_point=(0, 0, -1.2)))
    q, v = np.zeros((2, 6))
    with pytest.raises(ArgumentError, match="one state"):
        constrained_dynamics(links, [q, q], [v, v], method=Method.ASSEMBLY)
    with pytest.raises(ArgumentError, match=r"q\[2\] is nan"):
        constrained_dynamics(links, np.where(np.arange(6) == 2, np.nan, q), v, method=Method.ASSEMBLY)
    with pytest.raises(ArgumentError, match="method: expected AUTO, RECURSION or ASSEMBLY"):
        constrained_dynamics(links, q, v, method=Method.SEGMENTS)
