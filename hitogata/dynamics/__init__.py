"""How a figure moves: kinematics, Jacobians, forward and inverse dynamics, momentum and energy, integration.

Every function takes one state (q of shape (nq,)) or a batch (leading axis: (n, nq)), and releases the GIL.
"""

from hitogata.dynamics.assembly.methods import Method
from hitogata.dynamics.columns import motion_columns
from hitogata.dynamics.forward import forward_dynamics
from hitogata.dynamics.integration import Integrator, difference, integrate, step
from hitogata.dynamics.inverse import bias, inverse_dynamics, joint_reactions
from hitogata.dynamics.jacobians import jacobian, jacobian_derivative
from hitogata.dynamics.kinematics import (
    LinkPoses,
    forward_kinematics,
    frame_position,
    link_accelerations,
    link_velocities,
)
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.mass import mass_matrix
from hitogata.dynamics.momenta import Energy, centre_of_mass, energy, momentum
from hitogata.dynamics.recorded import RecordedDynamics, recorded_dynamics

__all__ = [
    "GRAVITY",
    "Energy",
    "Integrator",
    "LinkPoses",
    "Method",
    "RecordedDynamics",
    "bias",
    "centre_of_mass",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "frame_position",
    "integrate",
    "inverse_dynamics",
    "jacobian",
    "jacobian_derivative",
    "joint_reactions",
    "link_accelerations",
    "link_velocities",
    "mass_matrix",
    "momentum",
    "motion_columns",
    "recorded_dynamics",
    "step",
]
