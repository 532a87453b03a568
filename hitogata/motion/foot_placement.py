"""Where feet should be that stand: flat and still on the floor, or rolling over their tips; and a smooth way between.

A foot that stands flat has one pose for as long as it does.  One that stands on its toes turns about the tip of its
sole, by the angle θ that brings its ankle nearest to where it is wanted (a foot without toes turns less than one with).
With f and h the tip's distance before and below the ankle, and b and u the wanted ankle's behind and above the tip,

    θ = atan2(u, b) - atan2(h, f).

In the air the change fades out and in (`smooth_curve.bridged`); soles are lifted where they would enter the floor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.motion.easing import ease
from hitogata.motion.foot_contacts import BoolArray, runs
from hitogata.motion.ground_height import sole_points
from hitogata.motion.smooth_curve import bridged, raised
from hitogata.spatial import matrix_to_quat, quat_exp, quat_log, quat_multiply, quat_to_matrix

SPAN = 0.08
"""Time in which a change fades out in the air [s]."""

_EDGE = 0.02  # [m]: points of the sole that are no farther back than this are its tip
_STEEPEST = np.radians(75)
_LIFT = 0.08  # [s]: in which soles are lifted out of the floor


@dataclass(frozen=True, eq=False)
class Sole:
    """The sole of a foot, in the frame of the link at its ankle.

    Attributes:
        link: index of the link.
        points: [m], shape (n, 3).
        centre: their mean [m], shape (3,).
        tip: the middle of the front edge [m], shape (3,).
        rest: rotation of the link in the neutral pose, shape (3, 3).
        forward: direction in which the foot points in the neutral pose, level, unit, shape (3,).
    """

    link: int
    points: FloatArray
    centre: FloatArray
    tip: FloatArray
    rest: FloatArray
    forward: FloatArray

    @property
    def height(self) -> float:
        """Of the ankle above the floor when the foot stands flat [m]."""
        return -float((self.rest @ self.centre)[2])


def sole_of(figure: Figure, links: Sequence[str], forward: FloatArray) -> Sole:
    """The sole of a foot.

    Args:
        figure: the figure.
        links: of the foot, the one at the ankle first.
        forward: where the figure looks in its neutral pose, unit, shape (3,).
    """
    link = figure.link_index(links[0])
    poses = forward_kinematics(figure, figure.neutral())
    own = [point for name, point in sole_points(figure, links) if name == links[0]]
    points = np.array(own)
    ahead = points @ poses.rotation[link].T @ forward
    tip = points[ahead > ahead.max() - _EDGE].mean(axis=0)
    return Sole(link, points, points.mean(axis=0), tip, np.array(poses.rotation[link]), forward)


def planted(
    time: FloatArray, sole: Sole, rotation: FloatArray, place: FloatArray, flat: BoolArray, tiptoe: BoolArray,
    floor: float,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Poses of a foot that stands where it should.

    Args:
        time: [s], shape (nt,).
        sole: of the foot.
        rotation: of its link, shape (nt, 3, 3).
        place: of its link [m], shape (nt, 3).
        flat: when it stands flat, shape (nt,).
        tiptoe: when it stands on its toes, shape (nt,).
        floor: height of the ground [m].

    Returns:
        Rotations and places, shapes as given.
    """
    wanted_turn, wanted_place = rotation.copy(), place.copy()
    yaw = _yaws(sole, rotation)
    for first, last in runs(flat):
        here = slice(first, last + 1)
        turn = _pose(sole, np.array([yaw[here].mean()]), np.zeros(1))[0]
        centre = (place[here] + rotation[here] @ sole.centre).mean(axis=0)
        centre[2] = floor
        wanted_turn[here], wanted_place[here] = turn, centre - turn @ sole.centre
    for first, last in runs(tiptoe):
        _roll(sole, (first, last), yaw, (rotation, place), (wanted_turn, wanted_place), flat, floor)
    return _joined(time, sole, (rotation, place), (wanted_turn, wanted_place), flat | tiptoe, floor)


def _roll(
    sole: Sole, span: tuple[int, int], yaw: FloatArray, given: tuple[FloatArray, FloatArray],
    wanted: tuple[FloatArray, FloatArray], flat: BoolArray, floor: float,
) -> None:  # fmt: skip
    """Write poses of a foot that stands on its tip, led over from how it stands before and to how it stands after."""
    first, last = span
    rotation, place = given
    here, count = slice(first, last + 1), last - first + 1
    ends = [k for k in (first - 1, last + 1) if 0 <= k < len(flat) and flat[k]]
    if ends:
        share = np.linspace(0, 1, count)[:, None] if len(ends) == 2 else np.zeros((count, 1))
        turned, tips, shifts = [], [], []
        for k in ends:
            now = float(_yaws(sole, wanted[0][k : k + 1])[0])
            turned.append(now + 2 * np.pi * round((float(yaw[k]) - now) / (2 * np.pi)))
            tips.append(wanted[1][k] + wanted[0][k] @ sole.tip)
            shifts.append(wanted[1][k] - place[k])
        head = turned[0] + share[:, 0] * (turned[-1] - turned[0])
        tip = tips[0] + share * (tips[-1] - tips[0])
        ankle = place[here] + shifts[0] + share * (shifts[-1] - shifts[0])
    else:
        head = np.full(count, yaw[here].mean())
        ankle = place[here]
        tip = np.tile((ankle + rotation[here] @ sole.tip).mean(axis=0), (count, 1))
    tip[:, 2] = floor
    turns = _pose(sole, head, _pitches(sole, head, ankle - tip))
    wanted[0][here], wanted[1][here] = turns, tip - turns @ sole.tip


def _pitches(sole: Sole, yaw: FloatArray, ankle: FloatArray) -> FloatArray:
    """Angles θ that bring the ankle nearest to a place, seen from the tip [m], shape (n, 3) [rad]; 0 or more."""
    flat = sole.rest @ sole.tip
    back = -(ankle[:, 0] * np.cos(yaw) + ankle[:, 1] * np.sin(yaw))
    angles = np.arctan2(ankle[:, 2], back) - np.arctan2(-flat[2], flat @ sole.forward)
    return np.clip(angles, 0.0, _STEEPEST)


def _pose(sole: Sole, yaw: FloatArray, pitch: FloatArray) -> FloatArray:
    """Rotations of a foot that points in a direction [rad] and is pitched, heel up [rad]; shape (n, 3, 3)."""
    up = np.array([0.0, 0.0, 1.0])
    left = np.cross(up, sole.forward)
    start = float(np.arctan2(sole.forward[1], sole.forward[0]))
    quats = quat_multiply(quat_exp((yaw - start)[:, None] * up), quat_exp(pitch[:, None] * left))
    turned: FloatArray = quat_to_matrix(quats) @ sole.rest
    return turned


def _yaws(sole: Sole, rotation: FloatArray) -> FloatArray:
    """Directions in which a foot points [rad], shape (n,), without jumps."""
    ahead = rotation @ (sole.rest.T @ sole.forward)
    angles: FloatArray = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    return angles


def _joined(
    time: FloatArray, sole: Sole, given: tuple[FloatArray, FloatArray], wanted: tuple[FloatArray, FloatArray],
    known: BoolArray, floor: float,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Poses that are wanted where they are known, and a smooth way between them, above the floor."""
    change = quat_log(matrix_to_quat(wanted[0] @ np.swapaxes(given[0], 1, 2)))
    turn = quat_to_matrix(quat_exp(bridged(time, np.asarray(change), known, span=SPAN))) @ given[0]
    shift = bridged(time, wanted[1] - given[1], known, span=SPAN)
    low = _lowest(sole, turn, given[1] + shift) - floor
    away = time_to(time, known)
    shift[:, 2] += raised(time, np.where(known, 0.0, np.maximum(-low, 0.0)), span=_LIFT) * ease(away / _LIFT)
    place = given[1] + shift
    place[~known, 2] -= np.minimum(_lowest(sole, turn, place)[~known] - floor, 0.0)
    return turn, place


def _lowest(sole: Sole, rotation: FloatArray, place: FloatArray) -> FloatArray:
    """Height of the lowest point of the sole [m], shape (n,)."""
    heights: FloatArray = (place[:, None] + sole.points @ np.swapaxes(rotation, 1, 2))[..., 2]
    return heights.min(axis=1)


def time_to(time: FloatArray, known: BoolArray) -> FloatArray:
    """Time to the nearest known sample [s], shape (n,)."""
    if not known.any():
        return np.full(len(time), np.inf)
    at = time[known]
    k = np.clip(np.searchsorted(at, time), 1, max(len(at) - 1, 1))
    return np.minimum(np.abs(time - at[k - 1]), np.abs(time - at[np.minimum(k, len(at) - 1)]))
