"""Mechanisms whose joints follow functions: kinematics, inertia and inverse dynamics for many frames, in numpy;
compiled, by `MechanismKernels`.
"""

from hitogata.figure.mechanism.evaluation import evaluate
from hitogata.figure.mechanism.fast import MechanismKernels
from hitogata.figure.mechanism.functions import (
    Composed,
    Constant,
    CubicSpline,
    Function,
    Linear,
    MultivariatePolynomial,
    NaturalSpline,
    PiecewiseConstant,
    PiecewiseLinear,
    Polynomial,
    Product,
    Scaled,
    Sine,
    Step,
    Sum,
)
from hitogata.figure.mechanism.inertia import (
    GeneralizedForces,
    generalized_gravity,
    mechanism_inverse_dynamics,
    mechanism_mass_matrix,
)
from hitogata.figure.mechanism.motion import (
    MechanismMotion,
    coupling_matrix,
    followed,
    joint_motion,
    mechanism_motion,
    speed_matrix,
)
from hitogata.figure.mechanism.tree import Coupling, JointStep, Mechanism, MechanismBody, MechanismJoint

__all__ = [
    "Composed",
    "Constant",
    "Coupling",
    "CubicSpline",
    "Function",
    "GeneralizedForces",
    "JointStep",
    "Linear",
    "Mechanism",
    "MechanismBody",
    "MechanismJoint",
    "MechanismKernels",
    "MechanismMotion",
    "MultivariatePolynomial",
    "NaturalSpline",
    "PiecewiseConstant",
    "PiecewiseLinear",
    "Polynomial",
    "Product",
    "Scaled",
    "Sine",
    "Step",
    "Sum",
    "coupling_matrix",
    "evaluate",
    "followed",
    "generalized_gravity",
    "joint_motion",
    "mechanism_inverse_dynamics",
    "mechanism_mass_matrix",
    "mechanism_motion",
    "speed_matrix",
]
