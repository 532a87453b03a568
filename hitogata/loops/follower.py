"""Following a captured motion by feedback torques, in contact (Nakamura & Yamane 2000, §5).

A figure in contact has no motor at its root, so not every acceleration can be had.  In each step:

    wanted      v̇_d = v̇_ref + K e + D ė, root included
    forces      at the corners that press, within friction pyramids, that give the root what it wants as well as they
                can (non-negative least squares)
    root        the acceleration that these forces do give; legs that stand keep their feet where they are
    torques     inverse dynamics of that motion with those forces

A swinging leg steps farther where the body is too fast or too far ahead (Yin, Loken & van de Panne 2007).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from hitogata.dynamics import (
    difference,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
    jacobian_derivative,
    mass_matrix,
)
from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import State, Trajectory
from hitogata.loops.contacts import ContactStage, ContactState, ContactStep
from hitogata.loops.reference import Reference, reference_of
from hitogata.loops.servo import servo

HUMAN_LEGS = {f"foot_{side}": (f"hip_{side}", f"knee_{side}", f"ankle_{side}") for side in ("left", "right")}
"""Feet of the built-in humans, and the joints of their legs, from the hip down."""


@dataclass(frozen=True)
class FollowSettings:
    """Gains; pairs are stiffness [1/s²] and damping [1/s] of accelerations.

    Attributes:
        joints: of the joints.
        turning: of the root's orientation.
        across: of its place across.
        height: of its height.
        servo: stiffness and damping of the implicit springs that steady the joints [N m/rad, N m s/rad].
        turning_weight: what a torque on the root counts against a force [1/m].
        standing: damping of a foot that stands [1/s].
        step: how far the swinging foot goes for an error of velocity and of place [s, 1].
        catch_up: time in which the reference is moved across to where the body is [s].
        low: a foot of the reference stands if it is lower than this [m].
        torque_limit: of every joint [N m].
    """

    joints: tuple[float, float] = (250.0, 44.0)
    turning: tuple[float, float] = (265.0, 36.0)
    across: tuple[float, float] = (49.0, 17.0)
    height: tuple[float, float] = (71.0, 33.0)
    servo: tuple[float, float] = (70.0, 16.0)
    turning_weight: float = 21.0
    standing: float = 12.0
    step: tuple[float, float] = (0.065, 0.086)
    catch_up: float = 0.44
    low: float = 0.03
    torque_limit: float = 400.0


class Follower:
    """A figure on a stage that follows a motion.

    Args:
        stage: the figure and its floor.
        motion: the motion to follow.
        h: time step [s].
        legs: feet, and for each the joints of its leg from the hip down (hip and ankle are ball joints).
        settings: gains.

    Attributes:
        reference: the motion at even times.
        state: where the figure is.
        count: steps taken.
        shift: how far the reference was moved across so far [m], shape (2,).
    """

    def __init__(
        self,
        stage: ContactStage,
        motion: Trajectory,
        h: float,
        *,
        legs: Mapping[str, Sequence[str]] = HUMAN_LEGS,
        settings: FollowSettings | None = None,
    ) -> None:
        self.stage, self.figure, self.settings = stage, stage.figure, settings or FollowSettings()
        if not self.figure.links[0].joint.floating:
            raise ArgumentError(f"figure {self.figure.name!r}: only a figure with a free root can walk")
        self.legs = {foot: [self.figure.v_slice(name) for name in joints] for foot, joints in legs.items()}
        self.reference: Reference = reference_of(self.figure, motion, h, list(legs))
        self.springs = servo(self.figure, *self.settings.servo, h)
        self._held = h * self.springs.damping + h * h * self.springs.stiffness
        self.state = State(self.reference.q[0].copy(), self.reference.v[0].copy())
        self.count, self.shift = 0, np.zeros(2)
        self._corners: dict[str, Array] = {}

    @property
    def done(self) -> bool:
        """Whether the motion is over."""
        return self.count >= len(self.reference)

    def step(self, *, wrenches: Any = None) -> ContactStep:
        """One step along the motion.

        Args:
            wrenches: external [torque; force] on each link, which the follower does not know of.
        """
        if self.done:
            raise ArgumentError(f"the motion is over after {len(self.reference)} steps")
        k, ref, s = self.count, self.reference, self.settings
        tau, vdot = self._torques(k)
        step = self.stage.step(
            self.state, ref.h, tau + self._held * vdot, wrenches=wrenches, figure=self.springs.body
        )
        ahead = self.state.q[:2] - ref.q[k, :2] - self.shift
        self.shift = self.shift + ahead * min(ref.h / s.catch_up, 1.0)
        self.state, self.count, self._corners = step.state, k + 1, {}
        for c in step.contacts:
            if c.link in self.legs and c.other is None and c.state is not ContactState.NONE:
                found = c.place + c.region @ c.axes[:, :2].T
                self._corners[c.link] = np.concatenate([self._corners.get(c.link, found[:0]), found])
        return step

    # ------------------------------------------------------- one step's torques

    def _torques(self, k: int) -> tuple[Array, Array]:
        """Torques, and the accelerations they should give."""
        figure, (q, v), s = self.figure, (self.state.q, self.state.v), self.settings
        standing = [foot for foot in self._corners if self.reference.height[foot][k] < s.low]
        vdot = self._wanted(k)
        poses, inertia = forward_kinematics(figure, q), mass_matrix(figure, q)[:6, :6]
        feet = {foot: (jacobian(figure, q, foot), jacobian_derivative(figure, q, v, foot) @ v) for foot in standing}
        for _ in range(2):  # legs that stand change what the root needs
            need = inverse_dynamics(figure, q, v, vdot)[:6]
            wrenches, given = self._forces(standing, need, poses)
            vdot[:6] -= np.linalg.solve(inertia, need - given)
            for foot, (J, drift) in feet.items():
                leg = np.concatenate([np.arange(part.start, part.stop) for part in self.legs[foot]])
                off = J @ vdot + drift + s.standing * (J @ v)
                vdot[leg] -= np.linalg.pinv(J[:, leg], rcond=0.05) @ off
        tau = np.clip(inverse_dynamics(figure, q, v, vdot, wrenches=wrenches), -s.torque_limit, s.torque_limit)
        tau[:6] = 0.0
        return tau, vdot

    def _wanted(self, k: int) -> Array:
        """Accelerations towards the reference, as if every motion had a motor."""
        ref, s, goal = self.reference, self.settings, self.reference.q[k].copy()
        goal[:2] += self.shift
        error, lag = difference(self.figure, self.state.q, goal), ref.v[k] - self.state.v
        ahead = -s.step[0] * lag[3:5] - s.step[1] * error[3:5]
        for foot, (hip, *_, ankle) in self.legs.items():
            if ref.height[foot][k] > s.low / 2 and foot not in self._corners:
                turn = np.array([ahead[1], -ahead[0], 0.0]) / max(self.state.q[2], 0.3)
                error[hip] += turn  # the root looks along x: about x to the side, about -y to the front
                error[ankle] -= turn
        stiff, damp = (np.full(len(lag), x) for x in s.joints)
        for part, gains in ((slice(0, 3), s.turning), (slice(3, 5), s.across), (slice(5, 6), s.height)):
            stiff[part], damp[part] = gains
        result: Array = ref.vdot[k] + stiff * error + damp * lag
        return result

    def _forces(self, standing: list[str], need: Array, poses: Any) -> tuple[Array, Array]:
        """Wrenches on the feet that give the root what it needs as well as they can, and what it gets."""
        wrenches = np.zeros((self.figure.nlinks, 6))
        if not standing:
            return wrenches, np.zeros(6)
        points = np.concatenate([self._corners[foot] for foot in standing])
        owner = np.concatenate([np.full(len(self._corners[f]), self.figure.link_index(f)) for f in standing])
        across = 0.6 * self.stage.friction
        rays = np.array([(across * x, across * y, 1.0) for x in (0.7, -0.7) for y in (0.7, -0.7)])
        force = np.broadcast_to(rays, (len(points), 4, 3))
        torque = np.cross((points - poses.position[0])[:, None], force)
        gain = np.concatenate([torque, force], axis=-1).reshape(-1, 6).T
        weight = np.array([self.settings.turning_weight] * 3 + [1.0, 1.0, 2.0])
        matrix = np.concatenate([weight[:, None] * gain, 0.01 * np.eye(gain.shape[1])])
        sizes, _ = nnls(matrix, np.concatenate([weight * need, np.zeros(gain.shape[1])]))
        for point, link, f in zip(points, owner, sizes.reshape(-1, 4) @ rays, strict=True):
            wrenches[link, :3] += np.cross(point - poses.position[link], f)
            wrenches[link, 3:] += f
        return wrenches, gain @ sizes
