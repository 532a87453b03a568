"""Actuators, springs and limits of an MJCF model, acting on a figure in a world, or in a batch of them.

Springs in joints, and actuators that are springs and dampers themselves, go into the implicit motors of the world's
step: per velocity

    τ = K (q_t - q) - D q̇ + push        K = Σ springs, q_t: where their sum does not pull, D = Σ dampers

so they are stable at any step.  Motors proper give `push`.  Force ranges bound the motor of a velocity.  Limits of
joints give way as the file says (`constraints.soft_limits`).
"""

from typing import Any

import numpy as np

from hitogata.constraints.soft_limits import SoftLimit
from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.files import MjcfModel
from hitogata.files.mjcf_limits import JointLimit
from hitogata.lanes import record_offsets, size
from hitogata.sim.batch_members import BatchMember
from hitogata.sim.layout import Motor
from hitogata.sim.members import Member, bodies_of_v

AT, SOFT = record_offsets(Motor), size(SoftLimit)


class Actuators:
    """Actuators of a model, on a figure of it in a world.

    Args:
        member: the figure in a world, as `World.add(model.figure, ignored=model.ignored)` returns it.  Its motors are
            set: springs, dampers, targets and pushes are the actuators' from now on.
        model: as `files.read_mjcf_model` reads it.
        limits: limits of joints give way as MuJoCo's do; else they are the world's walls (`Member.set_wall`).

    Example:
        >>> from hitogata.files import read_mjcf_model
        >>> from hitogata.sim import Actuators, World
        >>> model = read_mjcf_model("<mujoco><worldbody><body name='arm'><joint name='j'/><geom size='.1'/></body>"
        ...     "</worldbody><actuator><position joint='j' kp='20'/></actuator></mujoco>")
        >>> world = World(gravity=model.gravity)
        >>> arm = world.add(model.figure, ignored=model.ignored)
        >>> actuators = Actuators(arm, model)
        >>> actuators.control([0.5])
        >>> world.step(model.timestep)
    """

    def __init__(self, member: Member, model: MjcfModel, *, limits: bool = True) -> None:
        if not isinstance(member, Member) or not isinstance(model, MjcfModel):
            raise ArgumentError(f"expected a figure in a world and an MjcfModel, got {member!r} and {model!r}")
        figure = member.figure
        if figure.joint_names != model.figure.joint_names:
            raise ArgumentError(f"member: figure {figure.name!r} is not the model's, {model.figure.name!r}")
        self._member, self._model, own = member, model, model.actuators
        nv = figure.nv
        self._velocity = np.array([a.velocity for a in own], int)
        self._gear, self._gain = (np.array([getattr(a, n) for a in own]) for n in ("gear", "gain"))
        self._offset = np.array([a.bias[0] for a in own])
        self._spring = np.array([a.stiffness > 0 for a in own], bool)
        self._ranges = np.array([a.control_range for a in own]).reshape(-1, 2)
        self._forces = np.array([a.force_range for a in own]).reshape(-1, 2)
        stiffness, damping, self._rest = np.zeros(nv), np.zeros(nv), np.zeros(nv)
        for spring in model.springs:
            stiffness[spring.velocity] += spring.stiffness
            self._rest[spring.velocity] += spring.stiffness * spring.rest
        for actuator in own:
            stiffness[actuator.velocity] += actuator.stiffness
            damping[actuator.velocity] += actuator.damping
        self._stiffness = stiffness
        self._q_of_v = _coordinates(figure)
        self._effort = np.full(nv, np.inf)
        for link, first in zip(figure.links, figure.v_starts, strict=True):
            self._effort[first : first + link.joint.nv] = link.joint.effort_limit
        self._check_efforts()
        motor, bodies = member._arrays.controls_of(member).motor, bodies_of_v(figure)
        for v, body in enumerate(bodies):
            if body >= 0:
                motor[body, [AT["stiffness"], AT["damping"]]] = stiffness[v], damping[v]
        if limits:
            for limit in model.limits:
                motor[bodies[limit.velocity], AT["soft"] : AT["soft"] + SOFT] = _soft(limit)
        self.control(np.zeros(len(own)))

    def _check_efforts(self) -> None:
        """Force ranges of actuators that are springs become limits of the motors, where that is the same."""
        springs = {spring.velocity for spring in self._model.springs}
        for actuator in self._model.actuators:
            low, high = actuator.force_range
            if actuator.stiffness + actuator.damping == 0 or not np.isfinite([low, high]).any():
                continue
            v = actuator.velocity
            others = [a for a in self._model.actuators if a.velocity == v and a is not actuator]
            if low != -high or v in springs or others:
                raise ArgumentError(
                    f"actuator {actuator.name!r}: force range {low:g}..{high:g} of a servo is only read if it is "
                    f"symmetric and nothing else acts on joint {actuator.joint!r}"
                )
            limit = high * abs(actuator.gear)
            if limit < self._effort[v]:
                member, body = self._member, bodies_of_v(self._member.figure)[v]
                member._arrays.controls_of(member).motor[body, AT["limit"]] = limit

    @property
    def count(self) -> int:
        """How many there are: length of a control."""
        return len(self._model.actuators)

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in the order of the file."""
        return tuple(actuator.name for actuator in self._model.actuators)

    @property
    def control_ranges(self) -> FloatArray:
        """Lowest and highest control of each, shape (count, 2)."""
        return self._ranges.copy()

    def told(self, control: Any) -> tuple[FloatArray, FloatArray]:
        """Targets of hinges and sliders, shape (..., nv), and pushes, shape (..., nv), of controls (..., count)."""
        given = np.asarray(control, float)
        if given.shape[-1:] != (self.count,) or not np.isfinite(given).all():
            raise ArgumentError(f"control: expected {self.count} finite numbers, got {control!r}")
        force = self._gain * np.clip(given, self._ranges[:, 0], self._ranges[:, 1]) + self._offset
        pushed = np.where(self._spring, 0.0, self._gear * np.clip(force, self._forces[:, 0], self._forces[:, 1]))
        drawn = np.where(self._spring, self._gear * force, 0.0)
        shape = (*given.shape[:-1], len(self._rest))
        push, pull = np.zeros(shape), np.zeros(shape) + self._rest
        for k, v in enumerate(self._velocity):
            push[..., v] += pushed[..., k]
            pull[..., v] += drawn[..., k]
        target = np.divide(pull, self._stiffness, out=np.zeros(shape), where=self._stiffness > 0)
        return target, np.clip(push, -self._effort, self._effort)

    def control(self, control: Any, member: BatchMember | None = None) -> None:
        """Controls that act from now on, shape (count,); clipped to their ranges.

        Args:
            control: one for each actuator, in the order of the file; of a batch also (worlds, count).
            member: the figure in a batch of its world, instead.
        """
        target, push = self.told(control)
        moved = self._q_of_v >= 0
        if member is not None:
            member.push[:] = push
            member.target[:, self._q_of_v[moved]] = target[..., moved]
            return
        controls = self._member._arrays.controls_of(self._member)
        controls.push[:] = push
        controls.target[self._q_of_v[moved]] = target[moved]


def _coordinates(figure: Any) -> Any:
    """Place in q of the coordinate of each velocity; -1: none of its own."""
    result = np.full(figure.nv, -1)
    for link, q, v in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        if link.joint.screws or link.joint.follows:
            result[v : v + link.joint.nv] = np.arange(q, q + link.joint.nq)
    return result


def _soft(limit: JointLimit) -> FloatArray:
    return np.array([limit.mobility, limit.rate, limit.pull, *limit.impedance, limit.width, limit.middle, limit.power])
