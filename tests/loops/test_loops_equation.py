"""The one equation: whatever is known, the rest comes back."""

import numpy as np
import pytest

from hitogata.dynamics import jacobian, jacobian_derivative, mass_matrix
from hitogata.library import human40
from hitogata.loops import (
    Links,
    MotionStatus,
    Tip,
    Weights,
    constrained_dynamics,
    grasp,
    here,
    link_rows,
    pin,
    solve_motion,
    weld,
)  # fmt: skip
from tests.loops.cases import random_loops


def hanging(hands=("left",), seed=0):
    """human40 with hands on bars, moving, with torques."""
    figure, rng = human40(), np.random.default_rng(seed)
    q = figure.neutral()
    for side in ("left", "right"):
        q[figure.q_slice(f"shoulder_{side}")] = (0.1, 0.2, 0.97, 0.1) / np.linalg.norm((0.1, 0.2, 0.97, 0.1))
        q[figure.q_slice(f"elbow_{side}")] = -0.4
    links = Links(figure).add_all(*[here(figure, q, grasp(f"palm_{s}", bar=(0, 1, 0))) for s in hands])
    H = link_rows(links, q).jacobian
    v = rng.normal(size=figure.nv)
    v -= np.linalg.pinv(H) @ H @ v
    tau = rng.normal(size=figure.nv) * 20
    tau[:6] = 0
    return figure, links, q, v, tau


def test_simulated_accelerations_give_back_torques_and_forces():
    figure, links, q, v, tau = hanging()
    held = constrained_dynamics(links, q, v, tau)
    back = solve_motion(links, q, v, vdot=held.vdot)
    assert back.status is MotionStatus.UNIQUE
    np.testing.assert_allclose(back.tau, tau, atol=1e-8)
    np.testing.assert_allclose(back.forces, held.forces, atol=1e-8)
    forward = solve_motion(links, q, v, tau=tau)
    assert forward.status is MotionStatus.UNIQUE
    np.testing.assert_array_equal(forward.vdot, held.vdot)
    np.testing.assert_array_equal(forward.forces, held.forces)
    assert figure.nv == len(back.vdot)


def test_mixed_knowns_give_the_same_motion():
    """Some accelerations, some torques, one force: as many as there are motors."""
    figure, links, q, v, tau = hanging()
    held = constrained_dynamics(links, q, v, tau)
    known = ["waist", "knee_left", "hip_right", "elbow_right", "wrist_left"]
    others = [name for name in figure.joint_names if name not in [*known, "base"]]
    back = solve_motion(
        links, q, v, vdot={name: held.vdot[figure.v_slice(name)] for name in known},
        tau={name: tau[figure.v_slice(name)] for name in others},
    )  # fmt: skip
    assert back.status is MotionStatus.UNIQUE
    np.testing.assert_allclose(back.vdot, held.vdot, atol=1e-8)
    np.testing.assert_allclose(back.tau, tau, atol=1e-8)
    np.testing.assert_allclose(back.forces, held.forces, atol=1e-8)
    # one torque less, one force more
    (handle, _), *_ = links.links
    again = solve_motion(links, q, v, tau={n: tau[figure.v_slice(n)] for n in figure.joint_names if n != "knee_left"},
                         forces={handle: held.forces})  # fmt: skip
    assert again.status is MotionStatus.UNIQUE
    np.testing.assert_allclose(again.tau, tau, atol=1e-8)


def test_tip_accelerations_stand_in_for_joint_accelerations():
    figure, links, q, v, tau = hanging()
    held = constrained_dynamics(links, q, v, tau)
    J, dJ = jacobian(figure, q, "foot_left"), jacobian_derivative(figure, q, v, "foot_left")
    a = J @ held.vdot + dJ @ v
    leg = ("hip_left", "ankle_left")  # six accelerations that the foot's six stand in for
    back = solve_motion(
        links, q, v, tips=[Tip("foot_left", linear=a[3:], angular=a[:3])],
        tau={name: tau[figure.v_slice(name)] for name in figure.joint_names if name not in leg},
    )  # fmt: skip
    assert back.status is MotionStatus.UNIQUE
    assert back.tip_residual < 1e-8
    np.testing.assert_allclose(back.vdot, held.vdot, atol=1e-8)
    np.testing.assert_allclose(back.tau, tau, atol=1e-8)


def test_what_is_left_open_is_chosen_by_weight():
    _, links, q, v, _ = hanging()
    goal = [0.0, 1.0, 2.0]
    light = solve_motion(links, q, v, tips=[Tip("head", linear=goal)], weights=Weights(vdot=1.0, tau=1e-8))
    lazy = solve_motion(links, q, v, tips=[Tip("head", linear=goal)], weights=Weights(vdot=1e-8, tau=1.0))
    for found in (light, lazy):
        assert found.status is MotionStatus.CHOSEN
        assert found.rank < found.unknowns
        assert max(found.residual, found.tip_residual) < 1e-8
    assert np.linalg.norm(lazy.tau) < np.linalg.norm(light.tau)
    assert np.linalg.norm(light.vdot) < np.linalg.norm(lazy.vdot)


def test_two_hands_share_what_cannot_be_told_apart():
    figure, links, q, v, tau = hanging(("left", "right"))
    held = constrained_dynamics(links, q, v, tau)
    assert held.rank == links.held == 10
    back = solve_motion(links, q, v, vdot=held.vdot)  # inner forces are not determined: 4 of 10
    assert back.status is MotionStatus.CHOSEN
    assert back.unknowns - back.rank == 4
    assert back.residual < 1e-8
    H = link_rows(links, q, v).jacobian
    np.testing.assert_allclose(H.T[:6] @ back.forces, H.T[:6] @ held.forces, atol=1e-7)
    assert figure.mass > 0


def test_redundant_grips_are_a_choice_of_equal_shares():
    """A weld said twice: half the force each."""
    figure, links, q, v, tau = hanging()
    once = Links(figure).add_all(here(figure, q, weld("palm_left")))
    twice = once.add_all(here(figure, q, weld("palm_left")))
    single, double = (constrained_dynamics(s, q, v, tau) for s in (once, twice))
    assert (double.rank, double.redundant) == (6, 6)
    np.testing.assert_allclose(double.vdot, single.vdot, atol=1e-9)
    np.testing.assert_allclose(double.forces[:6], single.forces / 2, atol=1e-7)
    np.testing.assert_allclose(double.forces[6:], single.forces / 2, atol=1e-7)
    assert solve_motion(twice, q, v, tau=tau).status is MotionStatus.CHOSEN
    assert len(links) == 1


def test_too_many_knowns_are_said_to_contradict():
    figure, links, q, v, tau = hanging()
    held = constrained_dynamics(links, q, v, tau)
    wrong = held.vdot + 1.0
    found = solve_motion(links, q, v, vdot=wrong)
    assert found.status is MotionStatus.INCONSISTENT
    assert found.residual > 1e-3
    both = solve_motion(links, q, v, vdot=wrong, tau=tau)
    assert both.status is MotionStatus.INCONSISTENT
    H = link_rows(links, q, v)
    off = mass_matrix(figure, q) @ (wrong - held.vdot)
    assert both.residual > 1e-3
    assert np.isfinite(off).all()
    assert H.jacobian.shape == (5, figure.nv)


def test_a_tip_that_is_held_cannot_accelerate():
    _, links, q, v, _ = hanging()
    found = solve_motion(links, q, v, tips=[Tip("palm_left", linear=(0, 0, 5.0))])
    assert found.status is MotionStatus.TIPS_UNMET
    assert found.tip_residual > 1.0
    assert found.residual < 1e-8  # physics holds all the same


@pytest.mark.parametrize("seed", range(6))
def test_springs_and_random_figures(seed):
    """Compliant links count as forces; all joints powered."""
    figure, links, q, v = random_loops(seed)
    soft = pin(figure.link_names[-1], child_point=(0.1, 0, 0), compliance=1e-2, relaxation=0.1)
    links = links.add_all(soft)
    tau = np.random.default_rng(seed).normal(size=figure.nv)
    held = constrained_dynamics(links, q, v, tau)
    rows = link_rows(links, q, v)
    m = links.held
    np.testing.assert_allclose(held.forces[m:], -(rows.value[m:] + 0.1 * rows.rate[m:]) / 1e-2, atol=1e-9)
    back = solve_motion(links, q, v, vdot=held.vdot, forces={h: held.forces[links.rows_of(h)] for h, k in links.links
                                                             if k.rigid}, unpowered=())  # fmt: skip
    np.testing.assert_allclose(back.tau, tau, atol=1e-7 * (1 + np.abs(held.forces).max()))
