"""What solving the steps of a world took so far."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitogata.constraints.envelope import ITERATED, SWEPT, TALLY, UNFINISHED

if TYPE_CHECKING:
    from hitogata.sim.arrays import Arrays


@dataclass(frozen=True)
class SolverTally:
    """Work so far, summed over steps (substeps counted singly) and islands.

    Attributes:
        sweeps: of projected Gauss-Seidel.
        newton: iterations of Newton's method, up to three directions each.
        unfinished: islands that were left with more to mend than `Settings.tolerance`, because the work that
            `Settings.sweeps` allows was done.  `World.residual` tells how much it was in the last step.
    """

    sweeps: int
    newton: int
    unfinished: int


def solver_tally(arrays: "Arrays") -> SolverTally:
    """Counts so far."""
    counts = arrays.work_ints
    return SolverTally(int(counts[SWEPT]), int(counts[ITERATED]), int(counts[UNFINISHED]))


def copy_tally(source: "Arrays", target: "Arrays") -> None:
    """Count on where other arrays of the same world were."""
    target.work_ints[:TALLY] = source.work_ints[:TALLY]
