"""What solving the steps of a world took so far."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitogata.constraints.envelope import SolverCounts
from hitogata.lanes import record_fields

if TYPE_CHECKING:
    from hitogata.sim.world_data import Arrays


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
    counts = record_fields(SolverCounts, arrays.work_tally)
    return SolverTally(int(counts.swept), int(counts.iterated), int(counts.unfinished))


def copy_tally(source: "Arrays", target: "Arrays") -> None:
    """Count on where other arrays of the same world were."""
    target.work_tally[:] = source.work_tally
