"""What is asked of a puppet, checked and made into groups of rows."""

from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Pose
from hitogata.figure.pose import FloatArray, turn_from_z
from hitogata.lanes import record_fields, record_size
from hitogata.motion.puppet import arguments
from hitogata.motion.puppet.groups import Group, Groups
from hitogata.motion.puppet.handles import Handle, Hold, Priority
from hitogata.motion.puppet.layout import BALANCE, GAZE, POINT, TURN, GroupFloats
from hitogata.motion.puppet.support import support_of
from hitogata.spatial import matrix_to_quat

TURN_SIZE = 0.3
"""An error of 1 rad counts as much as one of so many metres."""

EVERY_AXIS = (1.0, 1.0, 1.0)


class Asked(Groups):
    """All that is asked of the characters of a puppet."""

    # ------------------------------------------------------- new goals

    def hold(
        self, handle: Handle, hold: Hold, point: Any, position: Any, orientation: Any, weight: Any,
        priority: Priority, axes: Any, speed: float, turn_speed: float,
    ) -> Handle:  # fmt: skip
        """A pin or drag; see `Puppet.pin`."""
        if not isinstance(hold, Hold):
            raise ArgumentError(f"hold: expected a Hold, got {hold!r}")
        if hold is Hold.ORIENTATION and (position is not None or point is not None):
            raise ArgumentError("position, point: only an orientation is held; ask for Hold.POSE to hold both")
        if hold is Hold.POSITION and orientation is not None:
            raise ArgumentError("orientation: only a position is held; ask for Hold.POSE to hold both")
        body, pose = self._frame(handle.frame)
        offset = np.zeros(3) if point is None else arguments.numbers("point", point, 3)
        common = {**self._common(weight, priority), "along": arguments.shares("axes", axes)}
        place_now, quat_now = self._pose_now(handle.frame, offset)
        groups, given = [], []
        if hold is not Hold.ORIENTATION:
            at = place_now if position is None else arguments.numbers("position", position, 3, self.count)
            groups.append(Group(POINT, body, priority, _fixed(pose, offset, 1.0)))
            given.append({**common, "position": at, "speed": arguments.above_zero("speed", speed)})
        if hold is not Hold.POSITION:
            quat = quat_now if orientation is None else arguments.quaternion("orientation", orientation, self.count)
            groups.append(Group(TURN, body, priority, _fixed(pose, offset, TURN_SIZE)))
            given.append({**common, "quat": quat, "speed": arguments.above_zero("turn_speed", turn_speed)})
        self.add(handle, groups, given)
        return handle

    def gaze(
        self, handle: Handle, position: Any, axis: Any, weight: Any, priority: Priority, turn_speed: float
    ) -> Handle:
        """A frame that looks at a place; see `Puppet.look_at`."""
        body, pose = self._frame(handle.frame)
        x, y, z = arguments.direction("axis", axis).tolist()
        ahead = Pose(quat=turn_from_z((x, y, z))) @ Pose(quat=(0.5, -0.5, -0.5, -0.5))  # its x axis looks
        given = {
            **self._common(weight, priority), "along": EVERY_AXIS,
            "position": arguments.numbers("position", position, 3, self.count),
            "speed": arguments.above_zero("turn_speed", turn_speed),
        }  # fmt: skip
        self.add(handle, [Group(GAZE, body, priority, _fixed(pose @ ahead, np.zeros(3), TURN_SIZE))], [given])
        return handle

    def balance(
        self, handle: Handle, over: Any, inset: float, weight: Any, priority: Priority, speed: float
    ) -> Handle:
        """The centre of mass over a support; see `Puppet.balance`."""
        if any(group.kind == BALANCE for group in self.groups):
            raise ArgumentError("balance: there is one already, or it has not let go yet; use set_support")
        given = {**self._common(weight, priority), "along": EVERY_AXIS, "speed": arguments.above_zero("speed", speed)}
        self.support = self._outline(over, inset)
        self.add(handle, [Group(BALANCE, -1, priority, _fixed(Pose(), np.zeros(3), 1.0))], [given])
        return handle

    # ------------------------------------------------------- changes

    def set_support(self, handle: Handle, over: Any, inset: float) -> None:
        """Another support."""
        if self.of(handle)[0].kind != BALANCE:
            raise ArgumentError(f"handle: the {handle} has no support")
        self.support = self._outline(over, inset)
        self.rebuild(self.groups)

    def set_target(self, handle: Handle, position: Any, orientation: Any) -> None:
        """Another target of a pin, drag or gaze."""
        groups = {group.kind: group for group in self.of(handle)}
        at = None if position is None else arguments.numbers("position", position, 3, self.count)
        quat = None if orientation is None else arguments.quaternion("orientation", orientation, self.count)
        point = groups.get(POINT) or groups.get(GAZE)
        if at is not None and point is None:
            raise ArgumentError(f"position: the {handle} has none")
        if quat is not None and TURN not in groups:
            raise ArgumentError(f"orientation: the {handle} has none")
        if at is not None and point is not None:
            self.put(point, "position", at)
        if quat is not None:
            self.put(groups[TURN], "quat", quat)

    def set_weight(self, handle: Handle, weight: Any) -> None:
        """Another weight.  A weight of 0 is no authority: the rows fade as they are."""
        groups, values = self.of(handle), arguments.weight("weight", weight, self.count)
        for group in groups:
            self.put(group, "weight_goal", np.where(values > 0, values, self.get(group, "weight_goal")))
            self.put(group, "authority_goal", np.where(values > 0, 1.0, 0.0))

    def residuals(self, handle: Handle) -> tuple[Any, Any]:
        """Errors of a handle's points [m] and angles [rad] after the last step, shape () or (n,)."""
        point, angle = np.zeros(()), np.zeros(())
        for group in self.of(handle):
            if group.kind in (TURN, GAZE):
                angle = self.get(group, "residual")[..., 0]
            else:
                point = self.get(group, "residual")[..., 0]
        return point, angle

    # ------------------------------------------------------- parts

    @property
    def count(self) -> int:
        """Number of characters."""
        return self.characters.count

    def _common(self, weight: Any, priority: Priority) -> dict[str, Any]:
        """Numbers that all groups have."""
        if not isinstance(priority, Priority):
            raise ArgumentError(f"priority: expected a Priority, got {priority!r}")
        values = arguments.weight("weight", weight, self.count)
        first = np.where(values > 0, values, 1.0)
        return {"weight": first, "weight_goal": first, "authority_goal": np.where(values > 0, 1.0, 0.0)}

    def _frame(self, name: str) -> tuple[int, Pose]:
        """The body that carries a frame, and X_KF."""
        link, pose = self.characters.figure.frame(name)
        compiled = self.characters.compiled
        body = compiled.model.body_of_link[link]
        if not compiled.moved(body):
            raise ArgumentError(f"frame: {name!r} is fixed to the world, and nothing can move it; choose another link")
        return body, compiled.model.link_poses[body] @ pose

    def _pose_now(self, name: str, offset: FloatArray) -> tuple[Any, Any]:
        """Where a point of a frame is, and the frame's orientation."""
        figure = self.characters.figure
        link, pose = figure.frame(name)
        poses = forward_kinematics(figure, self.characters.get(self.characters.state, self.characters.part("q")))
        rotation, position = poses.rotation[..., link, :, :], poses.position[..., link, :]
        return position + rotation @ pose.apply(offset), matrix_to_quat(rotation @ pose.rotation)

    def _outline(self, over: Any, inset: float) -> FloatArray:
        """Corners of a support."""
        if not isinstance(inset, int | float | np.number) or not 0 <= inset <= 1:
            raise ArgumentError(f"inset: must be 0 ... 1, got {inset!r}")
        if isinstance(over, list | tuple) and over and all(isinstance(h, Handle) for h in over):
            groups = [g for h in over for g in self.of(h) if g.kind == POINT]
            if not groups:
                raise ArgumentError("over: none of these handles holds a position")
            over = np.stack([self.get(g, "position") for g in groups], axis=-2)
        return support_of(over, float(inset), self.count)


def _fixed(pose: Pose, offset: FloatArray, size: float) -> FloatArray:
    """A `GroupFloats`, flat."""
    numbers = np.zeros(record_size(GroupFloats))
    record_fields(GroupFloats, numbers[None]).set(0, point=pose.apply(offset), rot=pose.rotation, size=size)
    return numbers
