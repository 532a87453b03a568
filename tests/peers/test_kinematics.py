"""Places, velocities, accelerations and Jacobians beside Pinocchio's and MuJoCo's."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from hitogata import dynamics
from hitogata.figure import JointKind
from tests.peers import builders as b
from tests.peers.cases import CASES, IDS, WORLD, Case, close

pytestmark = pytest.mark.parametrize("case", CASES, ids=IDS)


def test_poses_of_links(case: Case):
    poses = dynamics.forward_kinematics(case.figure, case.q)
    model, data, q, _, _ = case.pin_state
    pin.framesForwardKinematics(model, data, q)
    places = [data.oMf[case.pin_frame(name)] for name in case.figure.link_names]
    close(poses.position, [place.translation for place in places])
    close(poses.rotation, [place.rotation for place in places])
    _, data = case.mujoco_state
    close(poses.position, data.xpos[1:])
    close(poses.rotation, data.xmat[1:].reshape(-1, 3, 3))
    same_side = np.sign((poses.quat * data.xquat[1:]).sum(axis=1, keepdims=True))
    close(poses.quat * same_side, data.xquat[1:])


def test_velocities_of_links(case: Case):
    ours = dynamics.link_velocities(case.figure, case.q, case.v)
    model, data, q, v, _ = case.pin_state
    pin.forwardKinematics(model, data, q, v)
    theirs = [pin.getFrameVelocity(model, data, case.pin_frame(name), WORLD) for name in case.figure.link_names]
    close(ours, [[*motion.angular, *motion.linear] for motion in theirs])
    model, data = case.mujoco_state
    theirs = np.zeros((case.figure.nlinks, 6))
    for i in range(case.figure.nlinks):
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, i + 1, theirs[i], 0)
    close(ours, theirs)


def test_accelerations_of_links(case: Case):
    ours = dynamics.link_accelerations(case.figure, case.q, case.v, case.vdot)
    model, data, q, v, vdot = case.pin_state
    pin.forwardKinematics(model, data, q, v, vdot)
    frames = [case.pin_frame(name) for name in case.figure.link_names]
    theirs = [pin.getFrameClassicalAcceleration(model, data, frame, WORLD) for frame in frames]
    close(ours, [[*motion.angular, *motion.linear] for motion in theirs])
    model, data = case.mujoco_state
    data.qacc[:] = b.vdot_to_mujoco(case.figure, case.q, case.v, case.vdot)
    mujoco.mj_rnePostConstraint(model, data)
    theirs = np.zeros((case.figure.nlinks, 6))
    for i in range(case.figure.nlinks):
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, i + 1, theirs[i], 0)
    theirs[:, 3:] += model.opt.gravity  # MuJoCo's world accelerates against gravity
    close(ours, theirs)


def test_jacobians_of_all_frames(case: Case):
    f = case.figure
    ours = {name: dynamics.jacobian(f, case.q, name) for name in case.frames}
    model, data, q, _, _ = case.pin_state
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    to_pin = b.pin_map(f, case.q)
    for name in case.frames:
        close(ours[name], angular_first(pin.getFrameJacobian(model, data, case.pin_frame(name), WORLD)) @ to_pin)
    model, data = case.mujoco_state
    to_mujoco = b.mujoco_map(f, case.q)
    for name in case.frames:
        close(ours[name], mujoco_jacobian(mujoco.mj_jac, model, data, case, name) @ to_mujoco)


def test_rates_of_jacobians_of_all_frames(case: Case):
    """Every entry beside Pinocchio, Jdot v beside MuJoCo."""
    f = case.figure
    ours = {name: dynamics.jacobian_derivative(f, case.q, case.v, name) for name in case.frames}
    model, data, q, v, _ = case.pin_state
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.updateFramePlacements(model, data)
    T, Tdot = b.pin_map(f, case.q), pin_map_derivative(case)
    for name in case.frames:
        frame = case.pin_frame(name)
        J = angular_first(pin.getFrameJacobian(model, data, frame, WORLD))
        Jdot = angular_first(pin.getFrameJacobianTimeVariation(model, data, frame, WORLD))
        close(ours[name], Jdot @ T + J @ Tdot)
    model, data = case.mujoco_state
    v, drift = b.v_to_mujoco(f, case.q, case.v), b.mujoco_map_rate(f, case.q, case.v)
    for name in case.frames:
        J, Jdot = (mujoco_jacobian(fn, model, data, case, name) for fn in (mujoco.mj_jac, mujoco.mj_jacDot))
        close(ours[name] @ case.v, Jdot @ v + J @ drift)


def angular_first(J):
    """Pinocchio has linear velocities first."""
    return np.vstack([J[3:], J[:3]])


def mujoco_jacobian(fn, model, data, case: Case, name: str):
    """mj_jac or mj_jacDot at the origin of a frame, [angular; linear]."""
    lin, ang = np.zeros((2, 3, model.nv))
    index = case.figure.frame(name)[0]
    point = data.xpos[index + 1] if name in case.figure.link_names else data.site(name).xpos
    fn(model, data, lin, ang, point, index + 1)
    return np.vstack([ang, lin])


def pin_map_derivative(case: Case):
    """dT/dt of `pin_map`: its blocks are Rᵀ, and d(Rᵀ)/dt = -Rᵀ [ω]×."""
    out = np.zeros((case.figure.nv, case.figure.nv))
    for link, iv in zip(case.figure.links, case.figure.v_starts, strict=True):
        if link.joint.kind in (JointKind.BALL, JointKind.FREE):
            own = slice(iv, iv + link.joint.nv)
            turn = np.kron(np.eye(link.joint.nv // 3), np.cross(case.v[iv : iv + 3], np.eye(3)))
            out[own, own] = b.pin_map(case.figure, case.q)[own, own] @ turn
    return out
