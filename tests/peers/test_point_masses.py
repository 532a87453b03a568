"""Trees with point masses and rods beside Pinocchio, and the pendulum's closed form.  MuJoCo takes no moving ones."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from hitogata import dynamics
from hitogata.errors import FigureError
from hitogata.figure import FigureBuilder, MassProperties, Pose, joint
from hitogata.files import read_mjcf, write_mjcf
from tests.peers import builders as b
from tests.peers.cases import close

POINT = MassProperties.point


def trees():
    arm = FigureBuilder("arm")  # points on hinges and sliders, a rod, a point fixed to a body on a ball joint
    arm.add("cart", None, joint.slider(axis=(1, 0, 0)), POINT(1.5))
    arm.add("first", "cart", joint.hinge(axis=(0, 1, 0)), POINT(1.0, (0, 0, -0.5)))
    arm.add("second", "first", joint.hinge(axis=(0, 1, 0), parent_frame=Pose((0, 0, -0.5))), POINT(0.7, (0, 0, -0.4)))
    rod = MassProperties.principal(0.6, (0, 0, -0.3), (0.02, 0.02, 0.0))
    arm.add("rod", "first", joint.hinge(axis=(1, 0, 0), parent_frame=Pose((0.1, 0, -0.2))), rod)
    body = MassProperties.principal(2.0, (0, 0, -0.2), (0.03, 0.04, 0.02))
    arm.add("body", "cart", joint.ball(parent_frame=Pose((0.3, 0, 0))), body)
    arm.add("weight", "body", joint.fixed(parent_frame=Pose((0, 0.1, -0.6))), POINT(3.0))
    arm.add("bob", "body", joint.ball(armature=0.01, parent_frame=Pose((0, 0, -0.4))), POINT(0.5, (0, 0, -0.3)))
    yield arm.build()
    cardan = FigureBuilder("cardan")
    cardan.add("between", None, joint.hinge(axis=(1, 0, 0)), POINT(0.1))
    cardan.add("body", "between", joint.hinge(axis=(0, 1, 0)), body)
    cardan.add("tip", "body", joint.slider(axis=(0, 0, 1), parent_frame=Pose((0, 0, -0.5))), POINT(0.4))
    yield cardan.build()


@pytest.mark.parametrize("figure", list(trees()), ids=lambda f: f.name)
def test_beside_pinocchio(figure):
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, v = b.random_state(figure, rng)
        vdot, tau = rng.normal(size=figure.nv), rng.normal(size=figure.nv)
        model, _ = b.to_pinocchio(figure)
        data, pq, pv = model.createData(), b.q_to_pin(figure, q), b.v_to_pin(figure, q, v)
        T = b.pin_map(figure, q)
        pin.crba(model, data, pq, pin.Convention.WORLD)
        upper = np.triu(data.M)
        M = T.T @ (upper + np.triu(upper, 1).T) @ T
        close(dynamics.mass_matrix(figure, q), M)
        theirs = pin.rnea(model, data, pq, pv, b.vdot_to_pin(figure, q, v, vdot))
        ours = dynamics.inverse_dynamics(figure, q, v, vdot)
        close(ours, b.tau_from_pin(figure, q, theirs))
        acceleration = dynamics.forward_dynamics(figure, q, v, tau)
        bias = dynamics.inverse_dynamics(figure, q, v, np.zeros(figure.nv))
        close(acceleration, np.linalg.solve(M, tau - bias), 1e-8)


def test_pendulum_closed_form():
    builder = FigureBuilder("pendulum")
    builder.add("bob", None, joint.hinge(axis=(0, 1, 0)), POINT(2.0, (0, 0, -0.7)))
    figure = builder.build()
    for angle in (0.0, 0.3, 2.0, -3.0):
        assert dynamics.mass_matrix(figure, [angle])[0, 0] == pytest.approx(2.0 * 0.49, rel=1e-14)
        found = dynamics.forward_dynamics(figure, [angle], [1.7], [0.0])[0]
        assert found == pytest.approx(-9.81 / 0.7 * np.sin(angle), rel=1e-12, abs=1e-12)


def test_mjcf_holds_fixed_points_and_refuses_moving_ones():
    builder = FigureBuilder("arm")
    body = MassProperties.principal(2.0, (0, 0, -0.2), (0.03, 0.04, 0.02))
    builder.add("body", None, joint.ball(), body)
    builder.add("weight", "body", joint.fixed(parent_frame=Pose((0, 0.1, -0.6))), POINT(3.0, (0, 0, 0.1)))
    rod = MassProperties.principal(0.6, (0, 0, -0.3), (0.02, 0.02, 0.0), (0.5, 0.5, 0.5, 0.5))
    builder.add("rod", "body", joint.fixed(parent_frame=Pose((0.2, 0.1, 0))), rod)
    figure = builder.build()
    text = write_mjcf(figure)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = np.zeros((3, 3))
    mujoco.mj_fullM(model, data, full)
    close(dynamics.mass_matrix(figure, figure.neutral()), full)
    again = read_mjcf(text)
    close(dynamics.mass_matrix(again, again.neutral()), full)
    builder.add("tip", "body", joint.hinge(axis=(0, 1, 0)), POINT(1.0, (0, 0, -0.2)))
    with pytest.raises(FigureError, match="link 'tip' moves and has no inertia"):
        write_mjcf(builder.build())
