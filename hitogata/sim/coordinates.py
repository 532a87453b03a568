"""In what coordinates a world solves its steps."""

import enum


class Coordinates(enum.Enum):
    """Unknowns of a step.

    Both pose the same problem, and with enough sweeps have the same answer.
    """

    REDUCED = "reduced"
    """Velocities of joints: joints are exact, springs are in the matrix.  Few rows are left for the sweeps."""

    MAXIMAL = "maximal"
    """Velocities of bodies (Hanaoka 2010, ch. 1): joints and springs are rows like all others, and joints may drift."""
