"""Filtered motion in a `World`: open loop by its torques, or led by the filter, which sees the world's state.

Torques act as pushes on the joints; implicit springs and dampers beside them have the next frame as their target, so
that they are at rest while the world moves as planned.  Nothing holds the root.
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
    found: Filtered, *, stiffness: float = 1000.0, damping: float = 40.0, led: bool = False,
    friction: float | None = None,
) -> Replayed:  # fmt: skip
    """Play a filtered motion in a world with a level floor.

    Args:
        found: from `filter_motion`, at the rate of the world's steps (240 frames a second, say).
        stiffness, damping: of the feedback in the joints [N m/rad], [N m s/rad].
        led: the filter plans anew in each step from the world's state; otherwise its torques are played as they are.
        friction: of the floor; None: that of the filter's settings.
    """
    figure, motion = found.figure, found.trajectory
    h = float(motion.time[-1] - motion.time[0]) / (len(motion) - 1)
    if h > 1 / 100:
        raise ArgumentError(f"replay: frames of {h:g} s are too long for a world's steps: filter with rate=240")
    world = World()
    world.add_ground(friction=found.settings.friction if friction is None else friction)
    member = world.add(figure, friction=1.0)
    member.q, member.v = motion.q[0], motion.v[0]
    member.set_motor(stiffness, damping)
    runner = None
    if led:
        ahead = max(round(found.settings.look_ahead / h), 2)
        runner = Runner(Body(figure), found.prepared, found.settings, ahead)
    places, rates = [member.q.copy()], [member.v.copy()]
    for k in range(len(motion) - 1):
        if runner is None:
            tau, q, v = motion["tau"][k], motion.q[k + 1], motion.v[k + 1]
        else:
            runner.q, runner.v = member.q.copy(), member.v.copy()
            tau = runner.step(k).tau
            q, v = runner.q, runner.v
        if not (np.isfinite(tau).all() and np.isfinite(q).all()):
            break
        member.set_target(q, v)
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
