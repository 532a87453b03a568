"""State: coordinates and velocities of a figure at one moment, or of a batch of them."""

from dataclasses import dataclass

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.figure import Figure
from hitogata.figure.pose import FloatArray


@dataclass(frozen=True, eq=False)
class State:
    """Where a figure is and how fast it moves.

    Attributes:
        q: coordinates, shape (nq,) or (n, nq); quaternions wxyz of length 1.
        v: velocities, shape (nv,) or (n, nv).
    """

    q: FloatArray
    v: FloatArray

    def __post_init__(self) -> None:
        q, v = np.asarray(self.q), np.asarray(self.v)
        if q.ndim not in (1, 2) or v.ndim != q.ndim or q.shape[:-1] != v.shape[:-1]:
            raise ArgumentError(f"state: q {q.shape} and v {v.shape} must be (nq,) and (nv,), or (n, nq) and (n, nv)")
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "v", v)

    @classmethod
    def rest(cls, figure: Figure) -> "State":
        """The neutral pose, not moving."""
        return cls(figure.neutral(), np.zeros(figure.nv))

    def copy(self) -> "State":
        """A state with its own arrays."""
        return State(self.q.copy(), self.v.copy())
