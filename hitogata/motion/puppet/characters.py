"""The characters of a puppet as numbers: one, or many in lanes."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from hitogata.dynamics.dispatch import batch_width
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.figure.pose import FloatArray
from hitogata.figure.values import floats
from hitogata.lanes import X1, RecordFields, aligned_zeros, from_blocks, to_blocks
from hitogata.motion.puppet.model_arrays import compiled_model_of

Array = np.ndarray[Any, np.dtype[Any]]

_FORGOTTEN = {
    "pressed": 0.0, "pressed_two": 0.0, "quat": 0.0, "swing": -1.0, "twist": -1.0, "swing_row": 0.0, "other": 1e9,
    "other_row": 0.0, "other_quat": 0.0, "inside": 1.0,
}  # fmt: skip
"""What is not known of a joint in a new pose."""


class Characters:
    """The states of n characters of one figure, shape (blocks, numbers, width)."""

    def __init__(self, figure: Figure, q: Any) -> None:
        self.figure, self.compiled = figure, compiled_model_of(figure)
        start = coordinates(figure, q, "q")
        self.single, self.count = start.ndim == 1, 1 if start.ndim == 1 else len(start)
        if self.count == 0:
            raise ArgumentError("q: there must be at least one character, got none")
        self.width = X1 if self.count == 1 else batch_width(np.float64)
        self.blocks = -(-self.count // self.width.n)
        self.state = self.new_array(self.compiled.state.floats)
        joints = self.joints
        joints.mobility[:] = joints.mobility_goal[:] = 1.0
        joints.turn_speed[:] = joints.slide_speed[:] = 5.0
        self.place(start)

    @property
    def joints(self) -> RecordFields:
        """Views of all `JointState`s, (blocks, bodies, ..., width)."""
        joints: RecordFields = self.compiled.state.field("joint", self.state, axis=1)
        return joints

    def part(self, name: str) -> slice:
        """Where the numbers of a field of the state lie."""
        part, own = self.compiled.state.part(name), {"q": self.figure.nq, "wanted": self.figure.nq, "v": self.figure.nv}
        return slice(part.start, part.start + own[name]) if name in own else part

    # ------------------------------------------------------- lanes

    def new_array(self, numbers: int) -> Array:
        """Room for some numbers of each character."""
        return aligned_zeros((self.blocks, numbers, self.width.n))

    def put(self, array: Array, part: slice, values: Array) -> None:
        """Write numbers of each character, shape (k,) or (n, k), to a part of all numbers."""
        if self.count == 1:
            array[0, part, 0] = values if values.ndim == 1 else values[0]
        elif values.ndim == 1:
            array[:, part] = values[:, None]
        else:
            array[:, part] = to_blocks(values, self.width)

    def get(self, array: Array, part: slice) -> Array:
        """Read numbers of each character, shape (k,) or (n, k); a copy."""
        if self.single:
            return array[0, part, 0].copy()
        return from_blocks(array[:, part], self.count)

    # ------------------------------------------------------- where they are

    def place(self, q: Any) -> None:
        """Put them into a pose at once; wanted joint values become those of the pose."""
        q = self.checked(q)
        self.put(self.state, self.part("q"), q)
        self.state[:, self.part("v")] = 0.0
        self.state[:, self.part("summary")] = 0.0
        self.put(self.state, self.part("wanted"), q)
        joints = self.joints
        for name, value in _FORGOTTEN.items():
            getattr(joints, name)[:] = value
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
        joint, body = self.figure.links[index].joint, self.compiled.model.body_of_link[index]
        if not joint.screws and not joint.follows:
            found = joint.range.violation(q[:, :4])
            inside = np.maximum(found.swing_depth, found.twist_depth) <= 1e-9
            self.set_joints([body], "inside", inside.astype(float))
            return
        for k, (low, high) in enumerate(np.reshape(joint.range, (-1, 2))):
            inside = (low <= q[:, k]) & (q[:, k] <= high)
            own = self.compiled.model.driven_by(self.figure, index)[k]
            self.set_joints([own], "inside", inside.astype(float))

    # ------------------------------------------------------- joints

    def set_joints(self, bodies: list[int], name: str, value: Any) -> None:
        """One number of some joints: for all characters, or shape (n,)."""
        values = np.asarray(value, float).reshape(-1, 1)
        numbers = getattr(self.joints, name)
        numbers[:, bodies] = values[0] if len(values) == 1 else to_blocks(values, self.width)

    def bodies_of(self, joints: Iterable[str] | None) -> list[int]:
        """Bodies that some joints move, by name; None: of all joints."""
        if isinstance(joints, str):
            raise ArgumentError(f"joints: expected a list of names, got the string {joints!r}")
        if joints is None:
            return list(range(self.compiled.bodies))
        bodies: list[int] = []
        for name in joints:
            index = self.figure.joint_index(name)
            bodies += self.compiled.model.driven_by(self.figure, index)
        return bodies


def coordinates(figure: Figure, q: Any, what: str) -> FloatArray:
    """Checked coordinates, shape (nq,) or (n, nq)."""
    array = np.array(floats(q, what), np.float64)
    if array.ndim not in (1, 2):
        raise ArgumentError(f"{what}: expected shape ({figure.nq},) or (n, {figure.nq}), got {array.shape}")
    State(array, np.zeros((*array.shape[:-1], figure.nv))).check(figure)
    return array
