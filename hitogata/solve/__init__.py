"""Problem → Solution: impulses within bounds and friction discs, and what they do to speeds.

`projected_gauss_seidel` costs the same every time; `direct` (`principal_pivoting`, `lemke`) is exact without discs,
`friction_newton` with them.  All take a `Problem` and return a `Solution` that knows its residuals.
"""

from hitogata.solve.batch import sweep_batch
from hitogata.solve.choice import direct
from hitogata.solve.complementary import lemke
from hitogata.solve.gauss_seidel import projected_gauss_seidel
from hitogata.solve.inverse import (
    manipulability,
    manipulability_damping,
    null_space_projector,
    sr_inverse,
    weighted_pseudo_inverse,
)
from hitogata.solve.newton import friction_newton
from hitogata.solve.principal import principal_pivoting
from hitogata.solve.problem import Disc, Problem
from hitogata.solve.pyramids import Pyramids, with_pyramids
from hitogata.solve.separable import Pattern, SeparableSolution, separable_programs, sparse_separable_programs
from hitogata.solve.solution import Residuals, Solution, Status, residuals_of

__all__ = [
    "Disc",
    "Pattern",
    "Problem",
    "Pyramids",
    "Residuals",
    "SeparableSolution",
    "Solution",
    "Status",
    "direct",
    "friction_newton",
    "lemke",
    "manipulability",
    "manipulability_damping",
    "null_space_projector",
    "principal_pivoting",
    "projected_gauss_seidel",
    "residuals_of",
    "separable_programs",
    "sparse_separable_programs",
    "sr_inverse",
    "sweep_batch",
    "weighted_pseudo_inverse",
    "with_pyramids",
]
