"""In what coordinates, and how, a world solves its steps."""

import enum


class Coordinates(enum.Enum):
    """Unknowns of a step.

    Both pose the same problem, and with enough sweeps have the same answer.
    """

    REDUCED = "reduced"
    """Velocities of joints: joints are exact, springs are in the matrix.  Few rows are left for the sweeps."""

    MAXIMAL = "maximal"
    """Velocities of bodies (Hanaoka 2010, ch. 1): joints and springs are rows like all others, and joints may drift."""


class ContactMethod(enum.Enum):
    """How the impulses of a step are found.  Laws, rows and records are the same."""

    SWEEPS = "sweeps"
    """Projected Gauss-Seidel: each point for itself, with Coulomb's friction."""

    STATES = "states"
    """Hypothesis and validity (Nakamura & Yamane 2000): regions that stick, turn or slide as wholes, solved directly in
    at most three passes; what has no consistent answer is left to the sweeps.  In reduced coordinates."""
