"""Mass matrix, forces, accelerations, momentum and energy beside Pinocchio's and MuJoCo's.

Pinocchio has no damping, so it is added here; MuJoCo applies its own.
"""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from hitogata import dynamics
from tests.peers import builders as b
from tests.peers.cases import CASES, IDS, Case, close

pytestmark = pytest.mark.parametrize("case", CASES, ids=IDS)


@pytest.fixture(params=[False, True], ids=["", "pushed"])
def pushed(request) -> bool:
    """Without and with external wrenches on all links."""
    return request.param


def test_mass_matrix(case: Case):
    ours = dynamics.mass_matrix(case.figure, case.q)
    assert np.array_equal(ours, ours.T)
    model, data, q, _, _ = case.pin_state
    pin.crba(model, data, q, pin.Convention.WORLD)
    upper, T = np.triu(data.M), b.pin_map(case.figure, case.q)
    close(ours, T.T @ (upper + np.triu(upper, 1).T) @ T)
    model, data = case.mujoco_state
    full, T = np.zeros((model.nv, model.nv)), b.mujoco_map(case.figure, case.q)
    mujoco.mj_fullM(model, data, full)
    close(ours, T.T @ full @ T)


def test_bias(case: Case):
    """Bias of ours = Tᵀ (bias of theirs + M_theirs Tdot v): their accelerations are not ours even at vdot = 0."""
    ours = dynamics.bias(case.figure, case.q, case.v)
    f, model, data, q, v, _ = case.figure, *case.pin_state
    at_rest = b.vdot_to_pin(f, case.q, case.v, np.zeros(f.nv))
    theirs = pin.rnea(model, data, q, v, at_rest) - model.armature * at_rest
    assert np.array_equal(at_rest, b.pin_map_rate(f, case.q, case.v))
    close(ours, b.tau_from_pin(f, case.q, theirs))
    model, data = case.mujoco_state
    force = np.zeros(f.nv)
    mujoco.mj_mulM(model, data, force, b.mujoco_map_rate(f, case.q, case.v))
    close(ours, b.tau_from_mujoco(f, case.q, data.qfrc_bias + force))


def test_inverse_dynamics(case: Case, pushed: bool):
    wrenches = case.wrenches if pushed else None
    ours = dynamics.inverse_dynamics(case.figure, case.q, case.v, case.vdot, wrenches=wrenches)
    f, model, data, q, v, vdot = case.figure, *case.pin_state
    pin.forwardKinematics(model, data, q)
    theirs = pin.rnea(model, data, q, v, vdot, *([case.pin_wrenches()] if pushed else []))
    close(ours, b.tau_from_pin(f, case.q, theirs) + case.damping * case.v)
    model, data = case.mujoco_state
    data.qacc[:] = b.vdot_to_mujoco(f, case.q, case.v, case.vdot)
    mujoco.mj_inverse(model, data)  # knows no applied forces
    theirs = data.qfrc_inverse.copy()
    if pushed:
        case.push_mujoco(data)
        theirs -= generalized_push(model, data)
    close(ours, b.tau_from_mujoco(f, case.q, theirs))


def generalized_push(model, data):
    """MuJoCo's Σ Jᵀ f of the forces on its bodies."""
    total = np.zeros(model.nv)
    for body in range(1, model.nbody):
        push = data.xfrc_applied[body]
        mujoco.mj_applyFT(model, data, push[:3], push[3:], data.xipos[body], body, total)
    return total


def test_forward_dynamics(case: Case, pushed: bool):
    wrenches = case.wrenches if pushed else None
    ours = dynamics.forward_dynamics(case.figure, case.q, case.v, case.tau, wrenches=wrenches)
    f, model, data, q, v, _ = case.figure, *case.pin_state
    tau = b.tau_to_pin(f, case.q, case.tau - case.damping * case.v)
    pin.forwardKinematics(model, data, q)
    theirs = pin.aba(model, data, q, v, tau, *([case.pin_wrenches()] if pushed else []))
    close(ours, b.vdot_from_pin(f, case.q, case.v, theirs))
    model, data = case.mujoco_state
    data.qfrc_applied[:] = b.tau_to_mujoco(f, case.q, case.tau)
    if pushed:
        case.push_mujoco(data)
    mujoco.mj_forward(model, data)
    close(ours, b.vdot_from_mujoco(f, case.q, case.v, data.qacc))


def test_joint_reactions(case: Case, pushed: bool):
    """MuJoCo's forces between bodies; they are about the centre of mass of the whole tree, ours about joints."""
    f, wrenches = case.figure, case.wrenches if pushed else None
    ours = dynamics.joint_reactions(f, case.q, case.v, case.vdot, wrenches=wrenches)
    model, data = case.mujoco_state
    if pushed:
        case.push_mujoco(data)
    data.qacc[:] = b.vdot_to_mujoco(f, case.q, case.v, case.vdot)
    mujoco.mj_rnePostConstraint(model, data)
    poses = dynamics.forward_kinematics(f, case.q)
    arms = np.array([link.joint.child_frame.position for link in f.links])
    joints = poses.position + np.einsum("ijk,ik->ij", poses.rotation, arms)
    torque, force = data.cfrc_int[1:, :3], data.cfrc_int[1:, 3:]
    close(ours, np.hstack([torque + np.cross(data.subtree_com[1] - joints, force), force]))


def test_centre_of_mass(case: Case):
    ours = dynamics.centre_of_mass(case.figure, case.q)
    model, data, q, _, _ = case.pin_state
    if case.figure.links[0].joint.kind.nv:  # Pinocchio leaves out what is fixed to the world
        close(ours, pin.centerOfMass(model, data, q))
    _, data = case.mujoco_state
    close(ours, data.subtree_com[1])


def test_momentum(case: Case):
    ours = dynamics.momentum(case.figure, case.q, case.v)
    model, data, q, v, _ = case.pin_state
    if case.figure.links[0].joint.kind.nv:  # Pinocchio leaves out what is fixed to the world
        theirs = pin.computeCentroidalMomentum(model, data, q, v)
        close(ours, [*theirs.angular, *theirs.linear])
    model, data = case.mujoco_state
    mujoco.mj_subtreeVel(model, data)
    close(ours, [*data.subtree_angmom[1], *data.subtree_linvel[1] * model.body_subtreemass[1]])


def test_energy(case: Case):
    ours = dynamics.energy(case.figure, case.q, case.v)
    f, model, data, q, v, _ = case.figure, *case.pin_state
    pin.crba(model, data, q, pin.Convention.WORLD)
    upper = np.triu(data.M)
    close(ours.kinetic, v @ (upper + np.triu(upper, 1).T) @ v / 2)  # computeKineticEnergy counts some armatures only
    fixed = f.mass - pin.computeTotalMass(model)  # mass of what is fixed to the world, which Pinocchio leaves out
    if fixed < 1e-9:
        close(ours.potential, pin.computePotentialEnergy(model, data, q))
    _, data = case.mujoco_state
    close(ours, data.energy[::-1])
