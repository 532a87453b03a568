"""Moving on in time: links that are apart, singular poses, forces over time, steps that are too long."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hitogata.dynamics import Integrator, energy
from hitogata.errors import ArgumentError
from hitogata.figure import Box, FigureBuilder, MassProperties, Pose, State, Trajectory, joint
from hitogata.library import human28
from hitogata.loops import Links, closed, here, hinge, impact, link_rows, move, pin, rod, slide, weld
from hitogata.loops.contacts import ContactStage
from tests.loops.mechanisms import bar, four_bar, parallel, parallelogram

FIGURE = human28()
REST = State(FIGURE.neutral(), np.zeros(FIGURE.nv))


# ------------------------------------------------------- apart


@pytest.mark.parametrize(
    ("link", "match"),
    [
        (pin("grip_left", parent_point=(0.3, 0.4, 0.9)), r"on 'grip_left' to the world .* m apart"),
        (weld("grip_left", "grip_right"), r"on 'grip_left' to 'grip_right' .* m apart"),
        (hinge("grip_left", axis=(0, 1, 0)), "m apart"),
        (rod("grip_left", "head", length=3.0), "m longer or shorter"),
    ],
)
def test_links_that_are_apart_are_refused(link, match):
    links, _ = Links(FIGURE).add(link)
    q, v = REST.q.copy(), REST.v.copy()
    for run in (lambda: move(links, REST, 1e-3), lambda: ContactStage(links).step(REST, 1e-3)):
        with pytest.raises(ArgumentError, match=match + r"(.|\n)*closed\(links, state\)"):
            run()
    np.testing.assert_array_equal(REST.q, q)
    np.testing.assert_array_equal(REST.v, v)


def test_the_distance_that_is_told_is_the_distance():
    there = here(FIGURE, REST.q, pin("grip_left")).parent_point
    links, _ = Links(FIGURE).add(pin("grip_left", parent_point=np.add(there, (0.03, 0.0, 0.04))))
    with pytest.raises(ArgumentError, match=r"0\.05 m apart"):
        move(links, REST, 1e-3)
    together = closed(links, REST)
    assert np.abs(link_rows(links, together.q).value).max() < 1e-12
    moved = move(links, together, 1e-3, steps=5)
    assert np.abs(moved.q - together.q).max() < 1e-3


def test_a_link_that_comes_to_a_stage_later_is_looked_at_too():
    links, _ = Links(FIGURE).add(here(FIGURE, REST.q, pin("grip_left")))
    stage = ContactStage(links)
    state = stage.step(REST, 1e-3).state
    more, _ = stage.links.add(pin("grip_right"))
    stage.hold(more)
    with pytest.raises(ArgumentError, match="'grip_right' to the world"):
        stage.step(state, 1e-3)


def test_what_moves_against_links_stops_and_says_so():
    links, _ = Links(FIGURE).add(here(FIGURE, REST.q, pin("grip_left")))
    falling = State(REST.q, np.eye(FIGURE.nv)[5] * -1.0)
    moved = move(links, falling, 1e-4)
    after = impact(links, falling).state
    lost = energy(FIGURE, falling.q, falling.v).kinetic - energy(FIGURE, after.q, after.v).kinetic
    assert moved.caught == pytest.approx(lost, rel=1e-12)
    np.testing.assert_array_equal(moved.v[0], after.v)
    assert move(links, moved.state, 1e-4).caught == 0.0


# ------------------------------------------------------- singular poses


@pytest.mark.parametrize("closing", [pin, hinge])
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-7, 1e-5, 1e-3])
@pytest.mark.parametrize("h", [1e-4, 1e-3, 1e-2])
def test_through_a_singular_pose(closing, off, h):
    """Without gravity crank, coupler and rocker keep their speed: the angle is known, the energy stays."""
    figure, links, _ = parallelogram(closing)
    start = parallel(-3 * 6.0 * h - off, 6.0)  # it comes to the pose after three steps, or just not
    moved = move(links, start, h, steps=8, gravity=(0, 0, 0))
    level = energy(figure, moved.q, moved.v, gravity=(0, 0, 0)).total
    assert np.abs(level - level[0]).max() < 1e-9 * level[0]
    np.testing.assert_allclose(moved.q[:, 0], start.q[0] + 6.0 * moved.time, atol=1e-9)
    np.testing.assert_allclose(moved.q[:, 0] + moved.q[:, 1], 0.0, atol=1e-8)  # not crossed
    assert not moved.undecided
    assert bool(moved.singular) == (off < 1e-4)


@pytest.mark.parametrize("h", [1e-3, 2e-3])
def test_a_pendulum_parallelogram_is_a_pendulum(h):
    """All masses move as on one arm: a closed equation of motion, through several singular poses at whatever steps."""
    figure, links, _ = parallelogram()
    inertia = (1.0 + 1.5) * 0.3**2 / 3 + 2.0 * 0.3**2
    moment = 9.81 * 0.3 * ((1.0 + 1.5) / 2 + 2.0)
    exact = solve_ivp(lambda _, y: (y[1], moment * np.cos(y[0]) / inertia), (0, 2), (-1.0, 0.0), rtol=1e-11, atol=1e-12)
    moved = move(links, parallel(-1.0, 0.0), h, steps=round(2 / h))
    assert np.ptp(np.sign(moved.q[:, 0])) == 2  # it did pass
    assert moved.q[-1, 0] == pytest.approx(exact.y[0, -1], abs=2e-5)
    level = energy(figure, moved.q, moved.v).total
    assert np.abs(level - level[0]).max() < 1e-5


def test_a_start_in_the_singular_pose():
    figure, links, _ = parallelogram()
    for way in (6.0, -6.0):
        moved = move(links, parallel(0.0, way), 1e-3, steps=20, gravity=(0, 0, 0))
        np.testing.assert_allclose(moved.q[-1, 0], way * 0.02, atol=1e-9)
        assert moved.singular[0] == pytest.approx(1e-3)
    rest = move(links, parallel(0.0, 0.0), 1e-3, steps=3)
    assert rest.undecided  # at rest in line, nothing tells how it goes on
    assert np.isfinite(rest.q).all()
    assert figure.nv == 3


def test_regular_motion_is_not_called_singular():
    _, links, _, state = four_bar()
    moved = move(links, state, 1e-3, steps=2000)
    assert moved.singular == ()


# ------------------------------------------------------- trajectories and forces over time


def test_move_is_a_trajectory(tmp_path):
    figure, links, _, state = four_bar()
    moved = move(links, state, 1e-3, steps=25, every=10, time=2.0)
    assert isinstance(moved, Trajectory)
    np.testing.assert_allclose(moved.time, [2.0, 2.01, 2.02, 2.025])
    at = state
    for k, steps in enumerate((10, 10, 5)):
        at = move(links, at, 1e-3, steps=steps).state
        np.testing.assert_array_equal(moved.q[k + 1], at.q)
        np.testing.assert_array_equal(moved.v[k + 1], at.v)
    moved.check(figure)
    moved.save(tmp_path / "way.npz")
    np.testing.assert_array_equal(Trajectory.load(tmp_path / "way.npz").q, moved.q)
    assert len(move(links, state, 1e-3, steps=0)) == 1


def block(mass=2.0):
    b = FigureBuilder("block")
    b.add("block", None, joint.free(), MassProperties.principal(mass, (0, 0, 0), (0.02, 0.03, 0.04)))
    return b.build()


def test_forces_over_time_against_a_closed_form():
    """A block on a rail under 3 cos(7 t): x = x0 + (3/m) (1 - cos 7 t)/49; of order four."""
    figure = block()
    links, _ = Links(figure).add(slide("block", axis=(1, 0, 0)))
    start = State(figure.neutral(), np.zeros(6))

    def push(t):
        return np.eye(6)[3] * 3.0 * np.cos(7 * t)

    def outside(t):
        wrenches = np.zeros((1, 6))
        wrenches[0, 3] = 3.0 * np.cos(7 * t)
        return wrenches

    errors = []
    for h in (0.05, 0.025):
        moved = move(links, start, h, push, steps=round(1 / h))
        exact = 3.0 / 2.0 * (1 - np.cos(7 * moved.time)) / 49
        errors.append(np.abs(moved.q[:, 0] - exact).max())
        same = move(links, start, h, steps=round(1 / h), wrenches=outside)
        np.testing.assert_allclose(same.q, moved.q, atol=1e-12)
    assert errors[0] < 1e-4
    assert errors[1] < errors[0] / 12
    table = np.array([push(0.0), 0 * push(0.0)])  # one row for each step, constant over it
    moved = move(links, start, 0.1, table, steps=2)
    np.testing.assert_allclose(moved.v[:, 3], [0, 0.15, 0.15], atol=1e-14)
    assert move(links, start, 0.1, lambda t: push(t), steps=1, time=1.0).v[-1, 3] != moved.v[1, 3]


def test_bad_forces_over_time():
    figure, links, _, state = four_bar()
    for tau, match in (
        (np.zeros((3, figure.nv)), r"tau: expected shape \(3,\), \(5, 3\) for 5 steps, or a function of time"),
        (lambda t: np.zeros(2), r"tau\(0 s\): expected shape \(3,\)"),
        (lambda t: [0.0, np.nan, 0.0], "tau.*must be finite"),
        (lambda t: "push", "tau"),
    ):
        with pytest.raises(ArgumentError, match=match):
            move(links, state, 1e-3, tau, steps=5)
    with pytest.raises(ArgumentError, match="every"):
        move(links, state, 1e-3, every=0)


def test_breaking_keeps_the_forces_in_time():
    """After a link broke, forces of later steps still come at their time."""
    figure = block()
    weak = here(figure, figure.neutral(), weld("block", force_limit=10.0))
    links, handle = Links(figure).add(weak)
    start = State(figure.neutral(), np.zeros(6))
    tau = np.zeros((20, 6))
    tau[:, 3], tau[10, 3], tau[15, 4] = 1.0, 20.0, 40.0
    moved = move(links, start, 1e-2, tau, steps=20, gravity=(0, 0, 0))
    assert [h for h, _ in moved.broken] == [handle]
    assert moved.broken[0][1] == pytest.approx(0.1)
    np.testing.assert_allclose(moved.v[-1, 3:], [(20 + 9) * 0.01 / 2, 40 * 0.01 / 2, 0], atol=1e-12)


# ------------------------------------------------------- too long a step


def test_a_step_that_is_too_long_is_named():
    b = FigureBuilder("whirl")
    b.add("arm", None, joint.ball(), bar(0.5, 1.0))
    b.add("tip", "arm", joint.ball(parent_frame=Pose((0.5, 0, 0))), bar(0.5, 1.0))
    figure = b.build()
    q = figure.random(np.random.default_rng(0))
    links, _ = Links(figure).add(here(figure, q, rod("tip", length=1, child_point=(0.5, 0, 0))))
    state = closed(links, State(q, np.array([0, 300.0, 50, 200, 0, -700])))
    with pytest.raises(ArgumentError, match=r"h: steps of 10 s are too long for figure 'whirl' .* take shorter ones"):
        move(links, state, 10.0, steps=200)
    assert np.isfinite(move(links, state, 1e-4, steps=20).q).all()


@pytest.mark.parametrize("method", [Integrator.SEMI_IMPLICIT_EULER, Integrator.RUNGE_KUTTA_4])
def test_both_methods_go_through_it(method):
    _, links, _ = parallelogram()
    moved = move(links, parallel(-0.018, 6.0), 1e-3, steps=8, integrator=method, gravity=(0, 0, 0))
    np.testing.assert_allclose(moved.q[:, 0], -0.018 + 6.0 * moved.time, atol=1e-6)


def test_a_stage_says_so_too():
    b = FigureBuilder("box")
    b.add("box", None, joint.free(), shapes=[Box((0.1, 0.1, 0.1))], total_mass=1.0)
    figure = b.build()
    with pytest.raises(ArgumentError, match=r"h: .*steps of 1e\+200 s are too long"):
        ContactStage(figure).step(State(figure.neutral(), np.full(6, 1e200)), 1e200)
