"""State: coordinates and velocities of a figure at one moment, or of a batch of them."""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.figure.values import UNIT_TOLERANCE, floats


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
        q, v = floats(self.q, "state: q"), floats(self.v, "state: v")
        if q.ndim not in (1, 2) or v.ndim != q.ndim or q.shape[:-1] != v.shape[:-1]:
            raise ArgumentError(f"state: q {q.shape} and v {v.shape} must be (nq,) and (nv,), or (n, nq) and (n, nv)")
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "v", v)

    @classmethod
    def rest(cls, figure: Figure) -> "State":
        """The neutral pose, not moving."""
        return cls(figure.neutral(), np.zeros(figure.nv))

    @classmethod
    def unchecked(cls, q: FloatArray, v: FloatArray) -> "State":
        """Of two arrays of float64 that are known to fit, such as kernels write."""
        state = object.__new__(cls)
        state.__dict__["q"], state.__dict__["v"] = q, v
        return state

    def check(self, figure: Figure) -> None:
        """Raise ArgumentError unless it is a state of the figure: sizes, finite numbers, unit quaternions."""
        for name, array, size in (("q", self.q, figure.nq), ("v", self.v, figure.nv)):
            if array.shape[-1] != size:
                raise ArgumentError(f"state: {name} has shape {array.shape}, {figure.name!r} needs (..., {size})")
            if not np.isfinite(array).all():
                place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
                raise ArgumentError(f"state: {name}{list(place)} is {array[place]}; every number must be finite")
        for start in figure.quat_starts:
            norms = np.linalg.norm(self.q[..., start : start + 4], axis=-1)
            if (np.abs(norms - 1) > UNIT_TOLERANCE).any():
                joint = figure.joint_names[bisect_right(figure.q_starts, start) - 1]
                worst = float(norms.flat[np.abs(norms - 1).argmax()])
                raise ArgumentError(
                    f"state: the quaternion of joint {joint!r}, q[{start}:{start + 4}], has norm {worst:.9g}; "
                    "use figure.normalised(q)"
                )

    def copy(self) -> "State":
        """A state with its own arrays."""
        return State(self.q.copy(), self.v.copy())
