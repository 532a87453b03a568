"""The characters of a puppet as numbers: one, or many in lanes."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from hitogata.dynamics.calling import batch_width
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.figure.pose import FloatArray
from hitogata.figure.values import floats
from hitogata.lanes import X1, aligned_zeros, from_blocks, record_offsets, record_size, to_blocks
from hitogata.motion.puppet.building import cast_of
from hitogata.motion.puppet.layout import SUMMARY, JointState

Array = np.ndarray[Any, np.dtype[Any]]

_AT, _SIZE = record_offsets(JointState), record_size(JointState)
_FORGOTTEN = (
    ("pressed", 0.0, 3), ("pressed_two", 0.0, 3), ("quat", 0.0, 4), ("swing", -1.0, 1), ("twist", -1.0, 1),
    ("swing_row", 0.0, 3), ("other", 1e9, 1), ("other_row", 0.0, 3), ("other_quat", 0.0, 4), ("inside", 1.0, 1),
)  # fmt: skip
"""What is not known of a joint in a new pose: (field, value, numbers)."""


class Characters:
    """The states of n characters of one figure, shape (blocks, numbers, width)."""

    def __init__(self, figure: Figure, q: Any) -> None:
        self.figure, self.cast = figure, cast_of(figure)
        start = coordinates(figure, q, "q")
        self.single, self.count = start.ndim == 1, 1 if start.ndim == 1 else len(start)
        if self.count == 0:
            raise ArgumentError("q: there must be at least one character, got none")
        self.width = X1 if self.count == 1 else batch_width(np.float64)
        self.blocks = -(-self.count // self.width.n)
        self.state = self.new_array(self.cast.state_size)
        first = 2 * figure.nq + figure.nv
        part = self.state[:, first : first + self.cast.bodies * _SIZE]
        self.joints = part.reshape(self.blocks, self.cast.bodies, _SIZE, self.width.n)  # a view
        for name, value in (("mobility", 1.0), ("mobility_goal", 1.0), ("turn_speed", 5.0), ("slide_speed", 5.0)):
            self.joints[:, :, _AT[name]] = value
        self.place(start)

    # ------------------------------------------------------- lanes

    def new_array(self, numbers: int) -> Array:
        """Room for some numbers of each character."""
        return aligned_zeros((self.blocks, numbers, self.width.n))

    def put(self, array: Array, at: int, values: Array) -> None:
        """Write numbers of each character, shape (k,) or (n, k), from `at` on."""
        if self.count == 1:
            array[0, at : at + values.shape[-1], 0] = values if values.ndim == 1 else values[0]
        elif values.ndim == 1:
            array[:, at : at + len(values)] = values[:, None]
        else:
            array[:, at : at + values.shape[1]] = to_blocks(values, self.width)

    def get(self, array: Array, at: int, count: int) -> Array:
        """Read numbers of each character, shape (k,) or (n, k); a copy."""
        if self.single:
            return array[0, at : at + count, 0].copy()
        return from_blocks(array[:, at : at + count], self.count)

    # ------------------------------------------------------- where they are

    def place(self, q: Any) -> None:
        """Put them into a pose at once; wanted joint values become those of the pose."""
        q = self.checked(q)
        nq, nv = self.figure.nq, self.figure.nv
        self.put(self.state, 0, q)
        self.state[:, nq : nq + nv] = 0.0
        self.state[:, self.cast.state_size - SUMMARY :] = 0.0
        self.put(self.state, nq + nv, q)
        for name, value, numbers in _FORGOTTEN:
            self.joints[:, :, _AT[name] : _AT[name] + numbers] = value
        for i, link in enumerate(self.figure.links):
            if link.joint.range is not None:
                self._note_inside(i, np.atleast_2d(q)[:, self.figure.q_starts[i] :])

    def checked(self, q: Any) -> FloatArray:
        """Coordinates of these characters, shape (nq,) or (n, nq)."""
        array = coordinates(self.figure, q, "q")
        if array.ndim == 2 and len(array) != self.count:
            raise ArgumentError(f"q: expected shape ({self.figure.nq},) or ({self.count}, ...), got {array.shape}")
        return array

    def _note_inside(self, index: int, q: Array) -> None:
        """Is a joint within its range?  If not, it is not to be brought there at a blow."""
        joint, body = self.figure.links[index].joint, self.cast.model.body_of_link[index]
        if not joint.screws:
            found = joint.range.violation(q[:, :4])
            inside = np.maximum(found.swing_depth, found.twist_depth) <= 1e-9
            self.set_joints([body], "inside", inside.astype(float))
            return
        for k, (low, high) in enumerate(np.reshape(joint.range, (-1, 2))):
            inside = (low <= q[:, k]) & (q[:, k] <= high)
            self.set_joints([body - joint.nq + 1 + k], "inside", inside.astype(float))

    # ------------------------------------------------------- joints

    def set_joints(self, bodies: list[int], name: str, value: Any) -> None:
        """One number of some joints: for all characters, or shape (n,)."""
        values = np.asarray(value, float).reshape(-1, 1)
        self.joints[:, bodies, _AT[name]] = values[0] if len(values) == 1 else to_blocks(values, self.width)

    def bodies_of(self, joints: Iterable[str] | None) -> list[int]:
        """Bodies that some joints move, by name; None: of all joints."""
        if isinstance(joints, str):
            raise ArgumentError(f"joints: expected a list of names, got the string {joints!r}")
        if joints is None:
            return list(range(self.cast.bodies))
        bodies: list[int] = []
        for name in joints:
            index = self.figure.joint_index(name)
            bodies += self.cast.model.bodies_of(self.figure, index)
        return bodies


def coordinates(figure: Figure, q: Any, what: str) -> FloatArray:
    """Checked coordinates, shape (nq,) or (n, nq)."""
    array = np.array(floats(q, what), np.float64)
    if array.ndim not in (1, 2):
        raise ArgumentError(f"{what}: expected shape ({figure.nq},) or (n, {figure.nq}), got {array.shape}")
    State(array, np.zeros((*array.shape[:-1], figure.nv))).check(figure)
    return array
