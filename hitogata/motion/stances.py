"""When the feet of a figure stand, seen on its bones alone: no soles need be known.

A foot is flat on the ground while its ankle rests and its heel is down (the ankle of a foot that rolls over its toes
rises, slowly at first), and stands on its toes while their joint rests and the heel is up.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import LinkPoses
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files.names import Part, Role, Side
from hitogata.motion.calibration import links_of
from hitogata.motion.foot_contacts import BoolArray, RestLimits, resting_points, runs

FLAT = RestLimits(speed=(0.12, 0.25), height=(0.07, 0.09), shortest=0.08)
"""An ankle that rests, for a leg of `LEG`."""

TIPTOE = RestLimits(speed=(0.2, 0.4), height=(0.06, 0.08), shortest=0.08)
"""Toes that rest, for a leg of `LEG`."""

TURNED = np.radians(3)
"""A foot whose heel has risen is not flat if it is turned farther than this from how it mostly rests."""

LEG = 0.85
"""Length of a leg for which the limits are meant; for others heights and speeds go with it [m]."""

_SHORT = 1e-3  # [m]
_UP = 1e-3  # [m], for a leg of `LEG`: a heel that is higher than this is up
_SIDES = (Side.LEFT, Side.RIGHT)


@dataclass(frozen=True, eq=False)
class Stance:
    """A foot over a motion.

    Attributes:
        link: its index in the figure.
        flat: whether it stands flat, shape (nt,).
        tiptoe: whether it stands on its toes alone, shape (nt,).
        up: direction that is up in the link's frame while it is flat, unit, shape (3,); None if it never is.
    """

    link: int
    flat: BoolArray
    tiptoe: BoolArray
    up: FloatArray | None


def find_stances(
    figure: Figure, roles: Mapping[str, Role], time: FloatArray, poses: LinkPoses, leg: float = LEG
) -> dict[Side, Stance]:
    """Find when each foot stands, and how.

    Args:
        figure: the figure.
        roles: part and side of its links.
        time: [s], shape (nt,), strictly rising.
        poses: of its links, over the motion.
        leg: length of its legs [m].
    """
    index, size = links_of(figure, roles), max(leg, 1e-6) / LEG
    found = {}
    for side in _SIDES:
        feet = index.get((Part.FOOT, side))
        if not feet or len(time) < 3:
            continue
        ankle = feet[0]
        place, rotation = np.array(poses.position[:, ankle]), np.array(poses.rotation[:, ankle])
        flat = _rests(time, place, size, FLAT)
        toes = index.get((Part.TOES, side))
        ball = poses.position[:, toes[0]] if toes else _tip(figure, ankle, poses)
        tiptoe: BoolArray = np.zeros(len(time), np.bool_)
        standing = flat if ball is None else _rests(time, np.array(ball), size, TIPTOE)
        up = _usual(rotation[flat & standing, 2])
        if ball is not None and up is not None:
            heel = place[:, 2] - np.array(ball)[:, 2]
            raised = heel > np.median(heel[flat & standing]) + _UP * size
            rolls = raised & (rotation[:, 2] @ up < np.cos(TURNED))
            flat = _lasting(time, flat & standing & ~rolls, FLAT.shortest)
            tiptoe = standing & ~flat & raised
        elif ball is not None:
            flat, tiptoe = flat & standing, standing
        found[side] = Stance(ankle, flat, tiptoe, up)
    return found


def _usual(ups: FloatArray) -> FloatArray | None:
    """The direction that most of some are near, shape (3,): the mean of the half that is nearest to it."""
    if not len(ups):
        return None
    middle = ups.mean(axis=0)
    for _ in range(3):
        along = ups @ middle
        middle = ups[along >= np.median(along) - 1e-9].mean(axis=0)
    result: FloatArray = middle / max(float(np.linalg.norm(middle)), 1e-12)
    return result


def _lasting(time: FloatArray, mask: BoolArray, shortest: float) -> BoolArray:
    """What is so for a while [s]; or is cut off by the beginning or the end."""
    result = mask.copy()
    for first, last in runs(mask):
        if time[last] - time[first] < shortest and first > 0 and last < len(time) - 1:
            result[first : last + 1] = False
    return result


def _rests(time: FloatArray, places: FloatArray, size: float, limits: RestLimits) -> BoolArray:
    """When one point rests, shape (nt,); places (nt, 3) [m] of a figure whose legs are `size` times the usual."""
    _, contacts = resting_points(time, places[:, None] / size, limits=limits)
    result: BoolArray = np.zeros(len(time), np.bool_)
    for contact in contacts:
        result[contact.first : contact.last + 1] = True
    return result


def _tip(figure: Figure, link: int, poses: LinkPoses) -> FloatArray | None:
    """Where the front of a foot without known toes is, shape (nt, 3): a link or a named frame, the farthest from it."""
    place, rotation = poses.position[:, link], poses.rotation[:, link]
    ends = [place + rotation @ np.array(frame.pose.position) for frame in figure.links[link].frames]
    ends += [poses.position[:, k] for k, parent in enumerate(figure.parents) if parent == link]
    far = max(ends, key=lambda end: float(np.linalg.norm(end - place, axis=1).mean()), default=None)
    return None if far is None or np.linalg.norm(far - place, axis=1).mean() < _SHORT else np.array(far)
