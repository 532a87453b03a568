"""Virtual links on figures whose joints follow functions: against the same figure of hinges, and dense equations."""

import numpy as np
import pytest

from hitogata.dynamics import Integrator, Method, energy, inverse_dynamics, mass_matrix
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.figure.mechanism import JointStep, Linear
from hitogata.loops import (
    ContactRegion,
    Links,
    Tip,
    closed,
    constrained_dynamics,
    grasp,
    here,
    hinge,
    impact,
    joint_reactions,
    link_energy,
    link_rows,
    move,
    pin,
    rod,
    solve_motion,
    weld,
)
from tests.dynamics.test_assembly import off
from tests.dynamics.test_assembly_followers import following
from tests.dynamics.test_function_joints import leg, state

RNG = np.random.default_rng


def chain_of(follows: bool, links: int = 8, damping: float = 0.02) -> Figure:
    """A chain of hinges; or the same whose hinges are written as functions."""
    axes, builder = RNG(5).normal(size=(links, 3)), FigureBuilder("chain")
    for i, axis in enumerate(axes / np.linalg.norm(axes, axis=1)[:, None]):
        own = {"name": f"j{i}", "armature": 0.01, "damping": damping}
        if i:
            own["parent_frame"] = Pose((0.0, -0.2, 0.0))
        turn = JointStep(True, tuple(axis), Linear(), (f"j{i}",))
        hung = joint.function((f"j{i}",), (turn,), **own) if follows else joint.hinge(tuple(axis), **own)
        mass = MassProperties.principal(1.0, (0.02, -0.1, 0.01), (0.01, 0.004, 0.012))
        builder.add(f"link{i}", f"link{i - 1}" if i else None, hung, mass)
    return builder.build()


def both(q, *made):
    """The links on both chains."""
    return [Links(figure).add_all(*[here(figure, q, each) for each in made]) for figure in map(chain_of, (False, True))]


SETS = {
    "a loop": [pin("link5", "link1", point=(0.0, -0.2, 0.0))],
    "both kinds of ends": [hinge("link4", axis=(0.0, 0.0, 1.0)), rod("link1", "link5", length=None)],
    "more than it needs": [weld("link3"), pin("link5", "link2"), weld("link5")],
    "compliant": [pin("link5", compliance=1e-4, relaxation=0.02), grasp("link2", "link4", bar=(1.0, 0.0, 0.0))],
}


@pytest.fixture(params=sorted(SETS))
def pair(request):
    """Links on the chain of hinges and on that of functions, coordinates, and velocities that they allow."""
    q = np.array(chain_of(False).random(RNG(3), spread=0.5))
    plain, followed = both(q, *SETS[request.param])
    v = closed(plain, State(q, RNG(4).normal(size=8))).v
    return plain, followed, q, v


def test_as_the_same_figure_of_hinges(pair):
    plain, followed, q, v = pair
    tau, wrenches = RNG(1).normal(size=8), RNG(2).normal(size=(8, 6))
    for state_ in (q + 0.0, q + 1e-3):  # where they hold, and a little beside
        a, b = link_rows(plain, state_, v), link_rows(followed, state_, v)
        for name in ("value", "jacobian", "rate", "bias"):
            assert np.allclose(getattr(a, name), getattr(b, name), atol=1e-12)
        given = {"tau": tau, "wrenches": wrenches, "gravity": (1.0, -9.0, 2.0), "stabilise": 3.0}
        wanted = constrained_dynamics(plain, state_, v, **given)
        for method in (Method.AUTO, Method.RECURSION):
            found = constrained_dynamics(followed, state_, v, method=method, **given)
            assert found.rank == wanted.rank
            assert off(found.vdot, wanted.vdot) < 1e-9
            if wanted.residual < 1e-9:  # else rows contradict each other beside where they hold, and forces may differ
                assert off(found.forces, wanted.forces) < 1e-8
                assert off(found.wrenches, wanted.wrenches) < 1e-8
    assert off(joint_reactions(followed, q, v, tau), joint_reactions(plain, q, v, tau)) < 1e-8
    assert np.allclose(link_energy(followed, q), link_energy(plain, q), atol=1e-12)


def test_batches_are_rows(pair):
    _, followed, q, v = pair
    many = constrained_dynamics(followed, np.stack([q, q]), np.stack([v, 2 * v]))
    one = constrained_dynamics(followed, q, v, method=Method.RECURSION)
    assert np.array_equal(many.numbers[0], one.numbers)
    assert many.vdot.shape == (2, 8)


def test_impacts_and_closing(pair):
    plain, followed, q, v = pair
    fast = v + RNG(7).normal(size=8)
    bounce = RNG(8).uniform(0.0, 1.0, plain.rows)
    wanted, found = (impact(links, State(q, fast), restitution=bounce) for links in (plain, followed))
    assert off(found.state.v, wanted.state.v) < 1e-9
    assert off(found.impulses, wanted.impulses) < 1e-8
    assert abs(found.bounce - wanted.bounce) < 1e-9
    away = State(q + 0.02 * RNG(9).normal(size=8), fast)
    wanted, found = closed(plain, away), closed(followed, away)
    assert np.allclose(found.q, wanted.q, atol=1e-7)
    assert np.allclose(found.v, wanted.v, atol=1e-5)


@pytest.mark.parametrize("integrator", [Integrator.SEMI_IMPLICIT_EULER, Integrator.RUNGE_KUTTA_4])
def test_motions(pair, integrator):
    plain, followed, q, v = pair
    given = {"tau": lambda t: np.full(8, 0.3 * np.sin(9 * t)), "steps": 20, "every": 5, "integrator": integrator}
    wanted, found = (move(links, State(q, v), 5e-3, **given) for links in (plain, followed))
    assert np.array_equal(found.time, wanted.time)
    assert np.allclose(found.q, wanted.q, atol=1e-7)
    assert np.allclose(found.v, wanted.v, atol=1e-5)


def test_links_that_break_and_links_too_stiff_for_the_step():
    q = np.array(chain_of(False).random(RNG(3), spread=0.5))
    plain, followed = both(q, pin("link5", compliance=1e-7, relaxation=1e-3), pin("link3", force_limit=30.0))
    push = {"tau": lambda t: np.full(8, 60.0 * t), "steps": 60}
    wanted, found = (move(links, State(q, np.zeros(8)), 5e-3, **push) for links in (plain, followed))
    assert len(wanted.broken) == 1
    assert found.broken[0][1] == wanted.broken[0][1]
    assert np.allclose(found.q, wanted.q, atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_with_loops(seed):
    """Assembly against dense equations, on velocities that the loops allow."""
    rng = RNG(seed)
    figure = following(rng, 5 + seed)
    q = np.array(figure.random(rng, spread=0.4))
    links = Links(figure)
    for _ in range(rng.integers(1, 4)):
        a, b = rng.choice(len(figure.links), 2, replace=False)
        parent = None if rng.random() < 0.5 else figure.link_names[b]
        point = tuple(0.1 * rng.normal(size=3))
        links, _ = links.add(here(figure, q, (pin, weld)[rng.integers(2)](figure.link_names[a], parent, point=point)))
    v, tau = closed(links, State(q, rng.normal(size=figure.nv)), iterations=0).v, rng.normal(size=figure.nv)
    found, rows = constrained_dynamics(links, q, v, tau), link_rows(links, q, v)
    M, H, nv, m = mass_matrix(figure, q), rows.jacobian, figure.nv, links.rows
    load = tau - inverse_dynamics(figure, q, v, np.zeros(nv))
    dense = np.block([[M, -H.T], [H, np.zeros((m, m))]])
    wanted = np.linalg.lstsq(dense, np.concatenate([load, -rows.bias]), rcond=1e-12)[0][:nv]
    assert found.rank == np.linalg.matrix_rank(H, tol=1e-6)
    if found.residual < 1e-9:
        free = np.abs(np.linalg.solve(M, load)).max()
        assert np.abs(found.vdot - wanted).max() < 1e-9 * max(free, np.abs(wanted).max())
        assert np.abs(M @ found.vdot - load - H.T @ found.forces).max() < 1e-9 * np.abs(load).max()


def test_a_knee_that_rolls_swings_on_its_foot():
    """The foot pinned to the ground: energy stays, and the pin holds."""
    figure = leg(damping=0.0)
    q, v, _ = state(figure, seed=2)
    links = Links(figure).add_all(here(figure, q, pin("foot", point=(0.0, -0.05, 0.0))))
    start = closed(links, State(q, v))
    moved = move(links, start, 2e-3, steps=100, every=10)
    totals = [sum(energy(figure, a, b)) for a, b in zip(moved.q, moved.v, strict=True)]
    assert np.ptp(totals) < 1e-5 * abs(totals[0])
    assert np.abs(link_rows(links, moved.q).value).max() < 1e-12


def test_the_one_equation_knows_them():
    figure = leg()
    q, v, _ = state(figure)
    links = Links(figure).add_all(here(figure, q, pin("foot")))
    v = closed(links, State(q, v)).v
    solved = solve_motion(links, q, v, tips=[Tip("shin", linear=(0.1, 0.2, 0.0))])
    again = constrained_dynamics(links, q, v, solved.tau)
    assert off(again.vdot, solved.vdot) < 1e-9


def test_bad_input():
    figure = leg()
    q, v, tau = state(figure)
    links = Links(figure).add_all(here(figure, q, weld("foot")))
    with pytest.raises(ArgumentError, match=r"v\[3\] is nan \(joint 'tibiofemoral'\)"):
        constrained_dynamics(links, q, np.where(np.arange(5) == 3, np.nan, v), tau)
    with pytest.raises(ArgumentError, match="impacts by hypothesis are not known"):
        impact(links, State(q, v), contacts={links.handles[0]: ContactRegion([[0.0, 0.0]], 0.5)})
    with pytest.raises(ArgumentError, match="assembly takes one state"):
        constrained_dynamics(links, np.stack([q, q]), np.stack([v, v]), method=Method.ASSEMBLY)
    with pytest.raises(ArgumentError, match="too long"):
        move(links, State(q, np.zeros_like(v)), 10.0, tau=1e300 * np.ones(5), steps=3)
