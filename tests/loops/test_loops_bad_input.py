"""Bad input: an error that names it, and nothing changed."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError, HitogataError
from hitogata.figure import Pose, State
from hitogata.library import human28
from hitogata.loops import (
    Links,
    Tip,
    VirtualLink,
    Weights,
    closed,
    constrained_dynamics,
    grasp,
    here,
    impact,
    link_rows,
    move,
    pin,
    rod,
    solve_motion,
    weld,
)  # fmt: skip

FIGURE = human28()
Q, V = FIGURE.neutral(), np.zeros(FIGURE.nv)


def held():
    return Links(FIGURE).add(here(FIGURE, Q, pin("grip_left")))


def test_a_link_to_itself():
    with pytest.raises(ArgumentError, match=r"'forearm_left' to itself"):
        Links(FIGURE).add(weld("forearm_left", "grip_left"))


def test_unknown_frames_and_wrong_values():
    links, _ = held()
    with pytest.raises(FigureError, match="grip_lef"):
        links.add(pin("grip_lef"))
    with pytest.raises(ArgumentError, match="VirtualLink"):
        links.add("grip_left")
    with pytest.raises(ArgumentError, match="compliance"):
        pin("grip_left", compliance=-1.0)
    with pytest.raises(ArgumentError, match="force_limit"):
        pin("grip_left", force_limit=np.nan)
    with pytest.raises(ArgumentError, match="length"):
        rod("grip_left", length=0.0)
    with pytest.raises(ArgumentError, match="axis"):
        grasp("grip_left", bar=(0, 0, 0))
    with pytest.raises(HitogataError, match="point"):
        pin("grip_left", point=(0, np.nan, 0))
    with pytest.raises(ArgumentError, match="turning"):
        VirtualLink("grip_left", turning=3)
    with pytest.raises(ArgumentError, match="parent_pose"):
        VirtualLink("grip_left", parent_pose=(0, 0, 0))
    assert len(links) == 1


def test_removed_handles_are_named():
    links, handle = held()
    less = links.remove(handle)
    for use in (less.remove, less.rows_of, less.__getitem__, constrained_dynamics(less, Q, V).wrench):
        with pytest.raises(ArgumentError, match=r"virtual link \d+ on 'grip_left' is not in this set"):
            use(handle)
    with pytest.raises(ArgumentError, match="is not in this set"):
        solve_motion(less, Q, V, forces={handle: np.zeros(3)})
    with pytest.raises(ArgumentError, match="expected the handle"):
        links.remove(1)
    assert handle in links
    assert handle not in less


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite(bad):
    links, _ = held()
    q, v, tau = Q.copy(), V.copy(), V.copy()
    q[2], v[7], tau[9] = bad, bad, bad
    for run in (
        constrained_dynamics,
        link_rows,
        lambda k, q, v: move(k, State(q, v), 1e-3),
        lambda k, q, v: impact(k, State(q, v)),
        lambda k, q, v: solve_motion(k, q, v, vdot=V),
        lambda k, q, v: closed(k, State(q, v)),
    ):
        with pytest.raises(ArgumentError, match=r"q\[.*2\]"):
            run(links, q, V)
        with pytest.raises(ArgumentError, match=r"v\[.*7\]"):
            run(links, Q, v)
    with pytest.raises(ArgumentError, match=r"tau\[.*9\]"):
        constrained_dynamics(links, Q, V, tau)
    with pytest.raises(ArgumentError, match="tau"):
        solve_motion(links, Q, V, tau=tau)
    with pytest.raises(ArgumentError, match="linear"):
        solve_motion(links, Q, V, tips=[Tip("head", linear=(0, bad, 0))])
    assert np.isfinite(constrained_dynamics(links, Q, V).vdot).all()


def test_shapes_names_and_options():
    links, handle = held()
    for run, match in (
        (lambda: constrained_dynamics(links, Q[:-1], V), r"q: expected shape \(35|q: expected shape"),
        (lambda: constrained_dynamics(FIGURE, Q, V), "expected Links"),
        (lambda: constrained_dynamics(links, Q, V, stabilise=-1.0), "stabilise"),
        (lambda: constrained_dynamics(links, np.tile(Q, (2, 1)), np.tile(V, (3, 1))), "differ in length"),
        (lambda: constrained_dynamics(links, "x", V), "q: expected"),
        (lambda: move(links, State(Q, V), 0.0), "h: must"),
        (lambda: move(links, State(Q, V), 1e-3, steps=-1), "steps"),
        (lambda: move(links, State(Q, V), 1e-3, integrator=4), "integrator"),
        (lambda: impact(links, State(Q, V), restitution=1.5), "from 0 to 1"),
        (lambda: impact(links, State(Q, V), restitution={handle: [0, 0]}), "restitution of virtual link"),
        (lambda: solve_motion(links, Q, V, vdot={"knee": 0.0}), "knee"),
        (lambda: solve_motion(links, Q, V, tau={"base": np.ones(6)}), "no motor"),
        (lambda: solve_motion(links, Q, V, tips=[Tip("head")]), "linear or its angular"),
        (lambda: solve_motion(links, Q, V, tips=["head"]), "expected Tip"),
        (lambda: solve_motion(links, Q, V, weights=Weights(tau=0.0)), "weights"),
        (lambda: solve_motion(links, np.tile(Q, (2, 1)), V), "one state"),
    ):
        with pytest.raises(HitogataError, match=match):
            run()


def test_what_cannot_close_is_said():
    places = Pose((0, 0, 1.0)), Pose((0, 0, 3.0))
    far = Links(FIGURE).add_all(*[pin("grip_left", parent_pose=place) for place in places])
    with pytest.raises(ArgumentError, match="cannot be closed"):
        closed(far, State(Q, V))


def test_contradicting_links_leave_a_residual():
    """Two rods that want different accelerations of one point."""
    links = Links(FIGURE).add_all(
        VirtualLink("grip_left", slides=(True, True, False), child_pose=Pose()),
        VirtualLink("grip_left", slides=(True, True, False), child_pose=Pose((0.1, 0, 0))),
    )
    moving = V.copy()
    moving[:3] = 1.0
    result = constrained_dynamics(links, Q, moving)
    assert result.rank < links.held
    assert result.residual > 1e-6
