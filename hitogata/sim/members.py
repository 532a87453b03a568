"""A figure in a world: its state, targets, motors and pushes."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.dynamics.follower_model import tree_model_of
from hitogata.dynamics.jacobians import frame_in_body
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets
from hitogata.rom import RangeOfMotion
from hitogata.sim import step_readings
from hitogata.sim.arguments import number, numbers, state_of
from hitogata.sim.energy import WorldEnergy, member_energy
from hitogata.sim.layout import SOFT_MOBILITY, Motor
from hitogata.sim.loose_bodies import gaps_of
from hitogata.sim.parts import joint_memory
from hitogata.sim.placement import coordinates, with_joint, with_joints, with_root
from hitogata.sim.range_overrides import ball_joint, check_range, with_joint_ranges

if TYPE_CHECKING:
    from hitogata.sim.world import World
    from hitogata.sim.world_data import Arrays


def bodies_of_v(figure: Figure) -> list[int]:
    """Body, in the figure, whose motor drives each velocity; -1: none does."""
    result = list[int]()
    model = tree_model_of(figure)
    for k, link in enumerate(figure.links):
        if link.joint.screws or link.joint.follows:
            result += model.driven_by(figure, k)
        else:
            result += [model.body_of_link[k] if link.joint.has_motor else -1] * link.joint.nv
    return result


class Member:
    """A figure in a world; made by `World.add`."""

    def __init__(
        self, world: "World", figure: Figure, friction: float, restitution: float, group: int, mask: int,
        ignored: tuple[tuple[str, str], ...],
    ) -> None:  # fmt: skip
        self._world, self._figure, self._friction, self._restitution = world, figure, friction, restitution
        self._group, self._mask, self._ignored = group, mask, ignored

    @property
    def world(self) -> "World":
        """Where it is, or was."""
        return self._world

    @property
    def figure(self) -> Figure:
        """What it is."""
        return self._figure

    @property
    def friction(self) -> float:
        """Coefficient of its surface."""
        return self._friction

    @property
    def restitution(self) -> float:
        """Coefficient of its surface."""
        return self._restitution

    @property
    def group(self) -> int:
        """Bits: the groups it belongs to."""
        return self._group

    @property
    def mask(self) -> int:
        """Bits: the groups it may touch."""
        return self._mask

    @property
    def ignored(self) -> tuple[tuple[str, str], ...]:
        """Pairs of its links that never touch."""
        return self._ignored

    @property
    def _arrays(self) -> "Arrays":
        """Those of its world, if it is still there."""
        arrays = self._world.arrays
        if self not in arrays.index:
            raise self._removed()
        return arrays

    def _removed(self) -> ArgumentError:
        return ArgumentError(f"figure {self.figure.name!r} was removed from the world")

    @property
    def q(self) -> FloatArray:
        """Coordinates, shape (nq,), a copy."""
        return self._arrays.q_of(self).copy()

    @q.setter
    def q(self, q: Any) -> None:
        self.state = State(coordinates(self.figure, q), self.v)

    @property
    def v(self) -> FloatArray:
        """Velocities, shape (nv,), a copy."""
        return self._arrays.v_of(self).copy()

    @v.setter
    def v(self, v: Any) -> None:
        self.state = State(self.q, numbers(v, self.figure.nv, "v"))

    @property
    def state(self) -> State:
        """Coordinates and velocities."""
        return State(self.q, self.v)

    @state.setter
    def state(self, state: State) -> None:
        checked = state_of(self.figure, state)
        self.wake()
        self._arrays.set_states({self: checked})

    def set_root(
        self, position: Any = None, quat: Any = None, velocity: Any = None, angular_velocity: Any = None
    ) -> None:
        """Put a free root elsewhere, or let it move otherwise; None: as it is.

        Args:
            position: of its origin [m], shape (3,).
            quat: wxyz, of any length.
            velocity: of its origin [m/s], shape (3,).
            angular_velocity: world axes [rad/s], shape (3,).
        """
        self.state = with_root(self.figure, self.state, position, quat, velocity, angular_velocity)

    def set_joint(self, joint: str, value: Any = None, rate: Any = None) -> None:
        """Put one joint elsewhere, or let it move otherwise; None: as it is.

        Args:
            joint: its name.
            value: its coordinates; of a ball joint a quaternion wxyz, or a rotation vector from its zero [rad].
            rate: its velocities.
        """
        self.state = with_joint(self.figure, self.state, joint, value, rate)

    def set_joints(self, values: Mapping[str, Any]) -> None:
        """Put several joints elsewhere: coordinates, as of `set_joint`, by their names."""
        if not isinstance(values, Mapping):
            raise ArgumentError(f"values: expected coordinates by names of joints, got {values!r}")
        self.state = with_joints(self.figure, self.state, values)

    @property
    def asleep(self) -> bool:
        """Does it sleep, and takes no steps?  See `Settings.sleep_after`."""
        return self._arrays.nap_of(self) is not None

    def wake(self) -> None:
        """Wake it, with all that it lies with."""
        if self.asleep:
            self._world._wake([self])

    def set_target(self, q: Any, rate: Any = None) -> None:
        """Where the motors' springs pull to, shape (nq,), and at what rates, shape (nv,) [rad/s], [m/s]."""
        figure, controls = self.figure, self._arrays.controls_of(self)
        target = state_of(figure, State(numbers(q, figure.nq, "q"), np.zeros(figure.nv))).q
        rates = None if rate is None else numbers(rate, figure.nv, "rate")
        controls.target[:] = figure.normalised(target)
        if rates is not None:
            controls.rate[:] = rates

    def set_motor(self, stiffness: float, damping: float, joints: Iterable[str] | None = None) -> None:
        """Spring [N m/rad] and damper [N m s/rad] of some joints; None: of all but a free base.

        Of sliders: [N/m], [N s/m].
        """
        values, rows = (number(stiffness, "stiffness"), number(damping, "damping")), self._rows_of(joints)
        self._arrays.controls_of(self).motor[rows, :2] = values

    def set_effort_limit(self, limit: float, joints: Iterable[str] | None = None) -> None:
        """Greatest torque [N m] or force [N] of some joints' motors; None: of all that can have one.

        At first it is the joints' own (`Joint.effort_limit`).  Springs and dampers of motors give no more, whatever
        holds against them; what `push` says, limits of joints and their own damping come on top.  Of a ball or
        universal joint it bounds each velocity: a ball joint's torque about each axis of its parent's side.

        Args:
            limit: 0 or more; infinite: none.
            joints: names of joints with motors: not a free base, nor fixed joints.
        """
        value, rows = number(limit, "limit", infinite=True), self._motors_of(joints)
        self._arrays.controls_of(self).motor[rows, record_offsets(Motor)["limit"]] = value

    def effort_limits(self) -> FloatArray:
        """Greatest force of each motor, shape (nv,) [N m], [N]; infinite where there is none."""
        limits = self._arrays.controls_of(self).motor[:, record_offsets(Motor)["limit"]]
        return np.array([np.inf if body < 0 else limits[body] for body in bodies_of_v(self.figure)])

    def set_wall(self, stiffness: float, damping: float = 0.0, joints: Iterable[str] | None = None) -> None:
        """Spring [N m/rad] and damper [N m s/rad] at the ends of some joints' ranges; None: of all joints.

        An infinitely stiff wall (`math.inf`) is hard: nothing goes through.  A soft one gives way in proportion.
        Of sliders: [N/m], [N s/m].  It takes the place of limits of an MJCF file (`Actuators`).
        """
        values = number(stiffness, "stiffness", positive=True, infinite=True), number(damping, "damping")
        motor, rows = self._arrays.controls_of(self).motor, self._rows_of(joints)
        motor[rows, 2:4], motor[rows, SOFT_MOBILITY] = values, 0.0

    def range_of(self, joint: str) -> RangeOfMotion | None:
        """Range of motion of a ball joint, or None."""
        given: RangeOfMotion | None = self.figure.links[ball_joint(self.figure, joint)].joint.range
        return given

    def set_range(self, joint: str, range_: RangeOfMotion | None) -> None:
        """Another range of motion of a ball joint, or None; `figure` is another one then.

        A joint that is outside comes back as its wall says (`set_wall`).  What the old wall pushed with is forgotten,
        and snapshots of before cannot be restored.
        """
        k = ball_joint(self.figure, joint)
        check_range(range_, "range_", self.figure, joint)
        self._take_ranges({k: range_})
        arrays = self._arrays
        for part in joint_memory(arrays.forest, arrays.span_of(self).body_of_link[k]):
            arrays.state[part] = 0.0

    def _take_ranges(self, ranges: dict[int, RangeOfMotion | None]) -> None:
        """Ranges of ball joints, by the numbers of their links."""
        self.wake()
        self._figure = with_joint_ranges(self.figure, ranges)
        self._world._change_ranges()

    def _motors_of(self, joints: Iterable[str] | None) -> list[int]:
        """`_rows_of` joints that can have a motor."""
        figure, names = self.figure, joints
        if joints is None:
            names = [n for n, link in zip(figure.joint_names, figure.links, strict=True) if link.joint.has_motor]
        elif isinstance(joints, Iterable):
            names = [joints] if isinstance(joints, str) else list(joints)
            for name in names:
                joint = figure.links[figure.joint_index(name)].joint
                if not joint.has_motor:
                    raise ArgumentError(f"joints: {name!r} is a {joint.kind.value} joint, which has no motor to limit")
        return self._rows_of(names)

    def _rows_of(self, joints: Iterable[str] | None) -> list[int]:
        """Motors of some joints, as rows of `Controls.motor`; None: of all but a free base."""
        figure, model = self.figure, tree_model_of(self.figure)
        if joints is None:
            names = zip(figure.joint_names, figure.links, strict=True)
            joints = [name for name, link in names if not link.joint.floating]
        if not isinstance(joints, Iterable):
            raise ArgumentError(f"joints: expected names of joints of {figure.name!r}, got {joints!r}")
        rows: list[int] = []
        for name in [joints] if isinstance(joints, str) else joints:
            k = figure.joint_index(name)
            if figure.links[k].joint.floating:
                raise ArgumentError(f"joints: {name!r} is a free base, which has no motor and no limits")
            rows += model.driven_by(figure, k)
        return rows

    def push(self, tau: Any) -> None:
        """Generalized forces [N m], [N], shape (nv,), that act until changed."""
        self._arrays.controls_of(self).push[:] = numbers(tau, self.figure.nv, "tau")

    def pull(self, frame: str, force: Any = (0.0, 0.0, 0.0), torque: Any = (0.0, 0.0, 0.0), *, at: Any = None) -> None:
        """A force [N] and a torque [N m] on a link, in world axes, that act until changed; one of each per link.

        Args:
            frame: name of a link or frame.  The force acts at its origin.
            force: shape (3,); zero ends it.
            torque: shape (3,).
            at: a point in that frame [m], shape (3,), where the force acts instead.
        """
        arrays, place = self._arrays, None if at is None else numbers(at, 3, "at")
        body, *point = frame_in_body(self.figure, tree_model_of(self.figure), frame, place)
        arrays.controls_of(self).pull[body] = [*numbers(force, 3, "force"), *numbers(torque, 3, "torque"), *point]
        arrays.note_pulls()

    # ------------------------------------------------------- what happened in the last step

    def energy(self) -> WorldEnergy:
        """Its energy, as steps keep it; see `sim.energy`."""
        return member_energy(self)

    def joint_forces(self) -> FloatArray:
        """Torque [N m] and force [N] that each link feels from its joint, world axes, about the joint: (nlinks, 6)."""
        return step_readings.joint_forces(self)

    def joint_gaps(self) -> FloatArray:
        """How far each link's joint has come apart, angle [rad] and distance [m], shape (nlinks, 2).

        Always zero in reduced coordinates.
        """
        arrays = self._arrays
        if arrays.loose is None:
            return np.zeros((self.figure.nlinks, 2))
        return gaps_of(arrays.loose.held_in(arrays.state)[arrays.span_of(self).links])

    def peak_joint_forces(self) -> FloatArray:
        """Greatest torque [N m] and force [N] of each joint, mean over one substep of the last step, shape (nlinks, 2).
        """
        return step_readings.joint_peaks(self)

    def motor_forces(self) -> FloatArray:
        """What the motors did, mean over the last step, shape (nv,) [N m], [N]; never above their effort limits."""
        return step_readings.motor_forces(self)

    def peak_motor_forces(self) -> FloatArray:
        """The greatest of it, mean over one substep of the last step, without sign, shape (nv,) [N m], [N]."""
        return step_readings.motor_peaks(self)

    def limit_forces(self) -> FloatArray:
        """How hard the ends of ranges pushed back, shape (nlinks, 2) [N m], [N].

        Of a ball joint: swing and twist; of a universal joint: its two intervals; of a compound one: the two
        largest of its intervals; of others: theirs, and 0.
        """
        return step_readings.limit_forces(self)

    def peak_limit_forces(self) -> FloatArray:
        """The greatest of it, mean over one substep of the last step, shape (nlinks, 2)."""
        return step_readings.limit_peaks(self)

    def contact_forces(self) -> FloatArray:
        """Sum of the contact forces on each link, world axes [N], shape (nlinks, 3)."""
        return step_readings.link_contact_forces(self)
