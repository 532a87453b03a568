"""Springs and ropes in a world."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.springs import Tie as TieRecord
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.checking import numbers
from hitogata.sim.members import Member

if TYPE_CHECKING:
    from hitogata.sim.world import World

End = tuple[Member, str] | Any
"""An end of a spring or rope: (figure in the world, link or frame), or a point of the world."""


def on_link(end: Any) -> bool:
    """Is this end of a spring or rope (figure, frame)?  Otherwise it is a point of the world."""
    return isinstance(end, tuple) and len(end) == 2 and isinstance(end[0], Member)


class Tie:
    """A spring or rope in a world; made by `World.add_spring` and `World.add_rope`."""

    def __init__(self, world: "World", ends: "tuple[End, End]", stiffness: float, damping: float, length: float | None):
        self.world, self.ends, self.stiffness, self.damping, self.length = world, ends, stiffness, damping, length

    @property
    def _index(self) -> int:
        for k, tie in enumerate(self.world.ties):
            if tie is self:
                return k
        raise ArgumentError("the spring or rope was removed from the world")

    def move_anchor(self, point: Any) -> None:
        """Move the end that is fixed to the world [m], shape (3,)."""
        index, target = self._index, numbers(point, 3, "point")
        if on_link(self.ends[1]):
            raise ArgumentError("both ends are on links: there is no anchor to move")
        at = record_offsets(TieRecord)["point_b"]
        self.world._ties.reshape(-1, record_size(TieRecord))[index, at : at + 3] = target
        self.ends = self.ends[0], target

    def _look_up_anchor(self) -> None:
        """The anchor was moved by restoring: take note."""
        if not on_link(self.ends[1]):
            at = record_offsets(TieRecord)["point_b"]
            place = self.world._ties.reshape(-1, record_size(TieRecord))[self._index, at : at + 3]
            self.ends = self.ends[0], place.copy()

    @property
    def force(self) -> FloatArray:
        """Force on the first end, mean over the last step, world axes [N], shape (3,)."""
        at = record_offsets(TieRecord)["impulse"]
        return self.world._ties.reshape(-1, record_size(TieRecord))[self._index, at : at + 3] / self.world._last_h

    def _places(self) -> list[tuple[int, FloatArray]]:
        """Body in the forest and place in the world of both ends, before the last step."""
        result = []
        for end in self.ends:
            if on_link(end):
                member, frame = end
                span = self.world._forest.spans[member._index]
                link, pose = member.figure.frame(frame)
                poses = forward_kinematics(member.figure, self.world._start_of_last_piece()[span.q])
                place = poses.position[link] + poses.rotation[link] @ np.asarray(pose.position)
                result.append((span.body_of_link[link], place))
            else:
                result.append((-1, np.asarray(end, float)))
        return result

    def _impulses(self) -> list[tuple[int, FloatArray, FloatArray]]:
        """Body, place and impulse of both ends."""
        impulse = self.force * self.world._last_h
        (a, at_a), (b, at_b) = self._places()
        return [(a, at_a, impulse), (b, at_b, -impulse)]
