"""Poses before a motion that are no part of it: the T-pose in the first frame of many captures.

Capture programs write the pose in which a skeleton was fitted as the first frame, or the first few.  It is recognised
by three things together: the frames are all alike, the figure stands in them with straight limbs, and the next frame is
further away than the motion's own frames ever are from each other.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.rates import changes
from hitogata.figure.values import FloatArray
from hitogata.files.names import Part, Role, Side, figure_naming

UPRIGHT = 0.5
"""A pose stands if the cosines of thighs and shins downwards and of the trunk upwards are all above this."""

_STRAIGHT = np.cos(np.radians(30))  # of elbows and knees
_ALIKE = np.radians(0.5)  # of joints, rms over them, from frame to frame of a pose that is held
_JUMP = 3.0  # times the motion's own steps (all but the largest hundredth of them)
_LEAST = 8  # frames of a motion, to know what its own steps are
_LONGEST = 1.0  # [s]


def calibration_length(figure: Figure, trajectory: Trajectory, roles: Mapping[str, Role] | None = None) -> int:
    """How many samples at the beginning of a motion are a calibration pose; 0 if there is none.

    Args:
        figure: the figure.
        trajectory: its motion.
        roles: part and side of its links; None: by their names.
    """
    if len(trajectory) < _LEAST:
        return 0
    parts = figure_naming(figure).roles if roles is None else roles
    steps = np.sqrt((changes(figure, trajectory.q[:-1], trajectory.q[1:])[:, 6:] ** 2).mean(axis=1))
    held = int(np.argmax(steps > _ALIKE)) if (steps > _ALIKE).any() else len(steps)
    after = steps[held + 1 :]
    if len(after) < _LEAST - 2 or trajectory.time[held] - trajectory.time[0] > _LONGEST:
        return 0
    if steps[held] < max(_JUMP * float(np.percentile(after, 99)), _ALIKE):
        return 0
    places = forward_kinematics(figure, trajectory.q[:1]).position
    straight = min(float(np.min(standing(figure, parts, places))), _straightness(figure, parts, places[0]))
    return held + 1 if parts and straight > _STRAIGHT else 0


def without_calibration(
    figure: Figure, trajectory: Trajectory, roles: Mapping[str, Role] | None = None
) -> tuple[Trajectory, int]:
    """The motion without a calibration pose at its beginning, and how many samples that was.

    Times stay; velocities are computed anew, for those beside the pose held its jump.
    """
    first = calibration_length(figure, trajectory, roles)
    if first == 0:
        return trajectory, 0
    time, q = trajectory.time[first:], trajectory.q[first:]
    channels = {name: values[first:] for name, values in trajectory.channels.items()}
    return replace(trajectory, time=time, q=q, v=velocities_of(figure, time, q), channels=channels), first


def standing(figure: Figure, roles: Mapping[str, Role], places: FloatArray) -> FloatArray:
    """How upright poses are: the least cosine of thighs and shins downwards and of the trunk upwards, shape (n,).

    Args:
        figure: the figure.
        roles: part and side of its links.
        places: of the links' origins [m], shape (n, nlinks, 3).
    """
    index = links_of(figure, roles)
    cosines = []
    for side in (Side.LEFT, Side.RIGHT):
        chain = [index.get((part, side)) for part in (Part.THIGH, Part.SHIN, Part.FOOT)]
        cosines += [_up(places[:, a[0]] - places[:, b[0]]) for a, b in pairwise(chain) if a and b]
    tops = index.get((Part.HEAD, Side.MIDDLE)) or index.get((Part.TRUNK, Side.MIDDLE), [])[-1:]
    hips = [k for side in (Side.LEFT, Side.RIGHT) for k in index.get((Part.THIGH, side), [])]
    if tops and hips:
        cosines.append(_up(places[:, tops[0]] - places[:, hips].mean(axis=1)))
    return np.min(cosines, axis=0) if cosines else np.ones(len(places))


def links_of(figure: Figure, roles: Mapping[str, Role]) -> dict[Role, list[int]]:
    """Indices of links by part and side, in the figure's order."""
    found: dict[Role, list[int]] = {}
    for i, name in enumerate(figure.link_names):
        if name in roles:
            found.setdefault(roles[name], []).append(i)
    return found


def _straightness(figure: Figure, roles: Mapping[str, Role], places: FloatArray) -> float:
    """Least cosine of the bends of elbows and knees, of places (nlinks, 3)."""
    index = links_of(figure, roles)
    least = 1.0
    for side in (Side.LEFT, Side.RIGHT):
        for parts in ((Part.THIGH, Part.SHIN, Part.FOOT), (Part.UPPER_ARM, Part.FOREARM, Part.HAND)):
            chain = [index[part, side][0] for part in parts if (part, side) in index]
            if len(chain) == 3:
                a, b = (places[k] - places[i] for i, k in pairwise(chain))
                least = min(least, float(a @ b / max(np.linalg.norm(a) * np.linalg.norm(b), 1e-12)))
    return least


def _up(vectors: FloatArray) -> FloatArray:
    cosine: FloatArray = vectors[:, 2] / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)
    return cosine
