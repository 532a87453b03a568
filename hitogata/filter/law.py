"""Numbers of the filter for its kernels: places in one array."""

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.filter.settings import FilterSettings

H, TRACKING, CORRECTION, WEIGHT, MASS, EFFORT, RHO, FRICTION, STRONGEST, ROUNDS, SIZE = range(11)

PENALTY = 10.0
"""ADMM's ρ, against 1 of the forces' effort; found by trying: 20 rounds from nothing come within 1 %."""


def law_of(settings: FilterSettings, h: float, weight: float, mass: float) -> FloatArray:
    """Time step [s], gains, weight [N] and mass [kg] of the figure, and what the plan needs."""
    s, law = settings, np.zeros(SIZE)
    law[[H, TRACKING, CORRECTION, WEIGHT, MASS]] = h, s.tracking, s.correction, weight, mass
    law[[EFFORT, RHO, FRICTION, STRONGEST, ROUNDS]] = 1.0, PENALTY, s.friction, s.strongest, s.rounds
    return law
