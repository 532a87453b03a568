"""Getting up: key poses from the back or from the belly, planned from how the figure lies.

The root goes along a path over the ground where it lies, the joints from key pose to key pose; in between all are
blended by the shortest way.  It begins in the pose that there is.
"""

import numpy as np

from hitogata.control.poses import PUSHING_UP, SITTING_UP, UP, posed
from hitogata.control.reference import RATE, yaw_of
from hitogata.dynamics import difference, integrate
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.pose import FloatArray
from hitogata.spatial import quat_exp, quat_multiply, quat_to_matrix


def heading_of(q: FloatArray) -> tuple[float, bool]:
    """Where a lying figure will look when it is up [rad], and whether it lies on its back."""
    turn = quat_to_matrix(q[3:7])
    on_back = bool(turn[2, 0] >= 0.0)  # what is before it points up
    if abs(turn[2, 2]) > 0.8:  # nearly upright
        return yaw_of(q), on_back
    head = turn[:2, 2]
    way = -head if on_back else head
    return float(np.arctan2(way[1], way[0])), on_back


def rising(figure: Figure, q: FloatArray, posture: FloatArray) -> Trajectory:
    """A motion from a lying pose to standing.

    Args:
        figure: a human.
        q: how it lies.
        posture: how it stands in the end, soles on z = 0.
    """
    heading, on_back = heading_of(q)
    keys = SITTING_UP if on_back else PUSHING_UP
    floor = 0.0
    c, s = np.cos(heading), np.sin(heading)
    yaw = np.array([np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)])
    times, poses = [0.0], [q.copy()]
    for time, pitch, height, ahead, joints in keys:
        pose = posed(figure, joints)
        pose[:3] = q[0] + ahead * c, q[1] + ahead * s, floor + height
        pose[3:7] = quat_multiply(yaw, quat_exp(np.array([0.0, pitch, 0.0])))
        times.append(time)
        poses.append(pose)
    last = posture.copy()
    ahead = keys[-1][3] + 0.12
    last[:3] = q[0] + ahead * c, q[1] + ahead * s, floor + posture[2]
    last[3:7] = yaw
    times += [UP, UP + 0.3]
    poses += [last, last.copy()]
    grid = np.arange(0.0, times[-1] + 1e-9, 1.0 / RATE)
    path = np.array([_between(figure, times, poses, t) for t in grid])
    return Trajectory(grid, path, velocities_of(figure, grid, path), figure_name=figure.name)


def _between(figure: Figure, times: list[float], poses: list[FloatArray], t: float) -> FloatArray:
    """Between two key poses, slow at both."""
    k = min(int(np.searchsorted(times, t, side="right")) - 1, len(times) - 2)
    share = min((t - times[k]) / (times[k + 1] - times[k]), 1.0)
    w = share * share * (3 - 2 * share)
    return integrate(figure, poses[k], w * difference(figure, poses[k], poses[k + 1]))
