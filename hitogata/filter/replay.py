"""Filtered motion in a `World`: by its torques, with light feedback in the joints, and through the ground.

Torques act as pushes on the joints; implicit springs and dampers beside them have the next frame as their target, so
that they are at rest while the world moves as planned.  Nothing holds the root.  Where it goes astray, the plan is made
anew from the world's state, and what its forces differ from the filtered motion's, Δf, is pushed into the ground:

    τ = τ_filtered - J_cᵀ Δf        J_c: of the corners of the soles
"""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import difference
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body
from hitogata.filter.clip import Filtered
from hitogata.filter.runner import Runner
from hitogata.sim import World


@dataclass(frozen=True, eq=False)
class Replayed:
    """What a world made of a filtered motion.

    Attributes:
        trajectory: of the figure in the world.
        off: root's distance from the filtered motion [m], shape (n,).
        joints_deg: joints off it, root mean square of each frame [deg], shape (n,).
    """

    trajectory: Trajectory
    off: FloatArray
    joints_deg: FloatArray

    def stays(self, distance: float = 0.3) -> float:
        """How long the root stays nearer than a distance [s]."""
        beyond = np.flatnonzero(self.off > distance)
        time = self.trajectory.time
        return float((time[beyond[0]] if len(beyond) else time[-1]) - time[0])


def replay(
    found: Filtered, *, stiffness: float = 1000.0, damping: float = 40.0, balance: float = 1.0,
    friction: float | None = None,
) -> Replayed:  # fmt: skip
    """Play a filtered motion in a world with a level floor.

    Args:
        found: from `filter_motion`, at the rate of the world's steps (240 frames a second, say).
        stiffness, damping: of the feedback in the joints [N m/rad], [N m s/rad].
        balance: share of Δf that is pushed into the ground; 0: the torques are played as they are.
        friction: of the floor; None: that of the filter's settings.
    """
    figure, motion = found.figure, found.trajectory
    h = float(motion.time[-1] - motion.time[0]) / (len(motion) - 1)
    if h > 1 / 100:
        raise ArgumentError(f"replay: frames of {h:g} s are too long for a world's steps: filter with rate=240")
    world = World()
    world.add_ground(friction=found.settings.friction if friction is None else friction)
    member = world.add(figure, friction=1.0, group=2, mask=0xFFFD)  # its links pass each other, as in the filter
    member.q, member.v = motion.q[0], motion.v[0]
    member.set_motor(stiffness, damping)
    ahead = max(round(found.settings.look_ahead / h), 2)
    runner = Runner(Body(figure), found.prepared, found.settings, ahead)
    places, rates = [member.q.copy()], [member.v.copy()]
    for k in range(len(motion) - 1):
        tau = motion["tau"][k].copy()
        if balance > 0.0:
            tau[6:] -= balance * _through_ground(runner, k, member.q, member.v, motion["forces"][k])[6:]
        if not np.isfinite(tau).all():
            break
        member.set_target(motion.q[k + 1], motion.v[k + 1])
        member.push(tau)
        world.step(h)
        places.append(member.q.copy())
        rates.append(member.v.copy())
    n = len(places)
    played = Trajectory(motion.time[:n], np.array(places), np.array(rates), {}, figure.name)
    gone = difference(figure, motion.q[:n], played.q)
    off: FloatArray = np.linalg.norm(gone[:, 3:6], axis=1)
    joints: FloatArray = np.degrees(np.sqrt((gone[:, 6:] ** 2).mean(axis=1)))
    return Replayed(played, off, joints)


def _through_ground(runner: Runner, k: int, q: FloatArray, v: FloatArray, forces: FloatArray) -> FloatArray:
    """J_cᵀ Δf in a state of the world, shape (nv,)."""
    runner.q, runner.v = q, v
    frame = runner.step(k)
    fields, change = runner.work.fields, frame.forces - forces
    result: FloatArray = np.zeros(len(v))
    for f in range(len(runner.body.soles)):
        part = slice(4 * f, 4 * f + 4)
        arms = frame.corners[part] - fields.soles[f, 9:12]
        wrench = np.concatenate([np.cross(arms, change[part]).sum(axis=0), change[part].sum(axis=0)])
        result += fields.jacobian[6 * f : 6 * f + 6].T @ wrench
    return result
