"""Where the feet stand, and how they get there: footholds and ways of the soles, made from a motion.

From when it strikes to when it leaves, a foot has one foothold: a place, a direction and the plane of the floor there.
Its sole lies in that plane, or is pitched about its back edge (the heel strikes) or its front edge (the heel has left),
by the pitch of the motion less a dead band, so that corners in contact do not move at all.  In the air a sole follows
the motion, plus a correction that leads from the end of one foothold to the beginning of the next, and a hump where
the sole would come too near to the floor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.floor import Floor
from hitogata.filter.soles import Sole
from hitogata.motion.foot_contacts import BoolArray, runs
from hitogata.spatial import matrix_to_quat, quat_exp, quat_log, quat_to_matrix

LEVEL = np.radians(2.0)
"""Frames in which a sole is pitched less than this tell where its foothold is [rad]."""

CLEAR = 0.012
"""How high soles are above the floor in the middle of a swing, at the least [m]."""

ABOUT = 0.034
"""Soles that come down beside an edge are lifted over it so long before and after [s]."""

SETTLE = 0.05
"""Time in which a foot that leaves or comes down goes over to the motion's own speed [s]."""

Interval = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Foothold:
    """Where a foot stands.

    Attributes:
        place: middle of the sole [m].
        axes: of the sole's frame while it is flat, shape (3, 3).
        up: normal of the floor.
    """

    place: FloatArray
    axes: FloatArray
    up: FloatArray


@dataclass(frozen=True, eq=False)
class FootPlan:
    """Ways of the soles.

    Attributes:
        rotation: of each sole's frame, shape (nt, feet, 3, 3).
        place: of its origin [m], shape (nt, feet, 3).
        active: which corners are in contact, shape (nt, feet, 4).
        normal: of the floor under each foot, shape (nt, feet, 3).
        stands: from which to which frame each foot stands, by foot.
        footholds: where, by foot.
    """

    rotation: FloatArray
    place: FloatArray
    active: BoolArray
    normal: FloatArray
    stands: tuple[tuple[Interval, ...], ...]
    footholds: tuple[tuple[Foothold, ...], ...]

    @property
    def down(self) -> BoolArray:
        """Whether each foot stands, shape (nt, feet)."""
        result: BoolArray = np.any(self.active, axis=2)
        return result

    def corners(self, soles: Sequence[Sole]) -> FloatArray:
        """Places of all corners [m], shape (nt, feet, 4, 3)."""
        own = np.stack([sole.corners for sole in soles])
        result: FloatArray = np.einsum("tfij,fkj->tfki", self.rotation, own) + self.place[:, :, None]
        return result


def plan_feet(
    figure: Figure,
    motion: Trajectory,
    soles: Sequence[Sole],
    stands: Mapping[str, Sequence[Interval]],
    floor: Floor | None,
    flat: float,
    known: Mapping[str, Foothold] | None = None,
    fitted: bool = False,
) -> FootPlan:
    """Make ways of the soles.

    Args:
        figure: the figure.
        motion: its motion, at even times.
        soles: of its feet.
        stands: frames from which to which each foot stands, by the name of the foot.
        floor: what it stands on; None: each foothold is level, at the height where the motion has it.
        flat: soles that are pitched less than this lie flat [rad].
        known: by foot, the foothold of its first stand, where that has begun before the motion does.
        fitted: whether the motion stands on this floor already; otherwise it was made on a level one.
    """
    unknown = set(stands) - {sole.name for sole in soles}
    if unknown:
        raise ArgumentError(f"contacts: no foot is called {sorted(unknown)[0]!r}; there are "
                            f"{', '.join(sole.name for sole in soles)}")  # fmt: skip
    poses, n = forward_kinematics(figure, motion.q), len(motion)
    h = float(np.diff(motion.time).mean()) if n > 1 else 1.0
    ways: list[Any] = []
    for sole in soles:
        turns, places = sole.placed(poses)
        ways.append(
            _way(
                sole,
                turns,
                places,
                list(stands.get(sole.name, ())),
                floor,
                h,
                flat,
                (known or {}).get(sole.name),
                fitted,
            )
        )
    rotation, place, active, normal = (np.stack([way[k] for way in ways], axis=1) for k in range(4))
    return FootPlan(rotation, place, active, normal, tuple(tuple(stands.get(s.name, ())) for s in soles),
                    tuple(tuple(way[4]) for way in ways))  # fmt: skip


def _way(
    sole: Sole, turns: FloatArray, places: FloatArray, stands: Sequence[Interval], floor: Floor | None, h: float,
    flat: float, known: Foothold | None, fitted: bool,
) -> tuple[FloatArray, FloatArray, Any, FloatArray, list[Foothold]]:  # fmt: skip
    n = len(turns)
    rotation, place = turns.copy(), places.copy()
    active = np.zeros((n, 4), np.bool_)
    normal = np.zeros((n, 3))
    normal[:, 2] = 1.0
    holds = []
    for first, last in stands:
        span = slice(first, last + 1)
        held = known if (first, last) == stands[0] else None
        found, active[span] = _stand(
            sole, turns[span], places[span], floor, flat, held, fitted, rotation[span], place[span]
        )
        normal[span] = found.up
        holds.append(found)
    down = np.zeros(n, np.bool_)
    for first, last in stands:
        down[first : last + 1] = True
    if stands:
        _swing(turns, places, rotation, place, down, h)
        _clear(sole, rotation, place, down, floor, h)
    return rotation, place, active, normal, holds


def _stand(
    sole: Sole, turns: FloatArray, places: FloatArray, floor: Floor | None, flat: float, known: Foothold | None,
    fitted: bool, rotation: FloatArray, place: FloatArray,
) -> tuple[Foothold, BoolArray]:  # fmt: skip
    """Put a sole that stands on its foothold; rotation and place are written."""
    middle = places.mean(axis=0)
    up = floor.normal(middle[:2]) if floor is not None else np.array([0.0, 0.0, 1.0])
    plane = up if fitted else np.array([0.0, 0.0, 1.0])  # of the floor on which the motion stands
    x = turns[:, :, 0]
    tilt = np.arcsin(np.clip(x @ plane, -1, 1))  # > 0: toes up
    still = np.exp(-((tilt / LEVEL) ** 2)) + 1e-3
    weight = (still / still.sum())[:, None]
    forward = (weight * x).sum(axis=0)
    yaw = np.arctan2(forward[1], forward[0])
    ahead = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1.0]])
    level = _on_plane(ahead, plane)
    half = sole.corners[0, 0]
    pitch = np.sign(tilt) * np.maximum(np.abs(tilt) - flat, 0.0)
    # the point of the sole that rests in each frame, taken back to the middle of the foothold
    edge = np.where(pitch > 0, -half, np.where(pitch < 0, half, 0.0))
    rest = places + x * edge[:, None] - edge[:, None] * level[:, 0]
    foothold = (weight * rest).sum(axis=0)
    if floor is not None:
        foothold[2] = float(floor.height(foothold[:2]))
        up = floor.normal(foothold[:2])
    else:
        lowest = places[:, 2] - np.abs(np.sin(tilt)) * half
        foothold[2] = float((weight[:, 0] * lowest).sum())
    level = ahead
    found = known or Foothold(foothold, _on_plane(level, up), up)
    foothold, axes = found.place, found.axes
    c, s = np.cos(pitch), np.sin(pitch)
    turn = np.zeros((len(turns), 3, 3))
    turn[:, 0, 0], turn[:, 0, 2], turn[:, 1, 1], turn[:, 2, 0], turn[:, 2, 2] = c, -s, 1.0, s, c
    rotation[:] = axes @ turn
    pivot = edge[:, None] * np.array([1.0, 0, 0])
    place[:] = foothold + pivot @ axes.T - np.einsum("tij,tj->ti", rotation, pivot)
    front, back = pitch <= 0, pitch >= 0
    return found, np.stack([front, front, back, back], axis=1)


def _on_plane(level: FloatArray, up: FloatArray) -> FloatArray:
    """Axes with z along the normal of a plane, x over that of level axes."""
    y = np.cross(up, level[:, 0])
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, up), y, up], axis=1)


def _swing(
    turns: FloatArray, places: FloatArray, rotation: FloatArray, place: FloatArray, down: BoolArray, h: float
) -> None:
    """Corrections in the air: smooth steps between those of the ends, and what brings their rates to rest."""
    n = len(turns)
    turn = quat_log(matrix_to_quat(rotation @ np.swapaxes(turns, 1, 2)))
    fix = np.concatenate([place - places, np.where(down[:, None], turn, 0.0)], axis=1)
    for first, last in runs(~down):
        a, b = first - 1, last + 1
        k = np.arange(first, last + 1)
        if a < 0 or b >= n:
            fix[k] = fix[b if a < 0 else a]
            continue
        t, span = ((k - a) / (b - a))[:, None], b - a
        rate_a = fix[a] - fix[a - 1] if a > 0 and down[a - 1] else np.zeros(6)
        rate_b = fix[b + 1] - fix[b] if b < n - 1 and down[b + 1] else np.zeros(6)
        short = min(SETTLE / h, span)
        early, late = np.minimum((k - a) / short, 1.0)[:, None], np.minimum((b - k) / short, 1.0)[:, None]
        fix[k] = (
            (1 - t) ** 2 * (1 + 2 * t) * fix[a] + t**2 * (3 - 2 * t) * fix[b]
            + short * (early * (1 - early) ** 2 * rate_a - late * (1 - late) ** 2 * rate_b)
        )  # fmt: skip
    air = ~down
    place[air] = places[air] + fix[air, :3]
    rotation[air] = quat_to_matrix(quat_exp(fix[air, 3:])) @ turns[air]


def _clear(sole: Sole, rotation: FloatArray, place: FloatArray, down: BoolArray, floor: Floor | None, h: float) -> None:
    """Lift soles in the air over the floor."""
    n = len(place)
    for first, last in runs(~down):
        k = np.arange(first, last + 1)
        corners = np.einsum("tij,kj->tki", rotation[k], sole.corners) + place[k, None]
        if floor is not None:
            ground = floor.height(corners[..., :2])
        else:
            ends = [place[j, 2] for j in (first - 1, last + 1) if 0 <= j < n]
            ground = np.full(corners.shape[:2], min(ends))
        a, b = max(first - 1, 0), min(last + 1, n - 1)
        t = (k - a) / max(b - a, 1)
        hump = np.sin(np.pi * t) if first > 0 and last < n - 1 else np.ones(len(k))
        short = (ground + CLEAR * hump[:, None] - corners[..., 2]).max(axis=1)
        shape = np.clip(4 * t * (1 - t), 0, 1) if first > 0 and last < n - 1 else np.ones(len(k))
        soft = shape**2 * (3 - 2 * shape)
        inside = soft > 0.5
        lift = soft * (short[inside] / soft[inside]).max(initial=0.0)
        rest = np.maximum(short - lift, 0.0)
        if rest.max() > 1e-4:  # near the ends, where a hump would be high: over an edge of a step
            around = max(round(ABOUT / h), 1)
            padded = np.pad(maximum_filter1d(rest, 2 * around + 1, mode="constant"), 1)
            lift += gaussian_filter1d(padded, 0.5 * around, mode="constant")[1:-1]
        place[k, 2] += lift
