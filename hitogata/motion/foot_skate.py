"""How far resting feet slide, and where they would be if they did not.

Between two samples the points of a foot that rest should not move.  What they do move is, in the least-squares sense, a
shift and a turn about the vertical, D; points count by how surely they rest, and the slowest most, so that a foot may
roll from heel to toes.  The foot that does not slide is G X, where X is its pose and

    G_{k+1} = G_k D_k⁻¹,      G = 1 in the middle of a contact.

Between two contacts G goes from the last value of one to the first value of the other.
"""

from collections.abc import Mapping

import numpy as np

from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.motion.easing import ease
from hitogata.motion.foot_contacts import Contact, Foot, RestLimits, point_places, rest_speeds, stand_heights
from hitogata.motion.root_placement import GroundMove

_STILL = 0.03  # [m/s]: slower points count alike
_ARM = 0.02  # [m]: resting points nearer together than this say little about a turn


def foot_slides(
    figure: Figure, trajectory: Trajectory, feet: Mapping[str, Foot], limits: RestLimits | None = None
) -> dict[str, FloatArray]:
    """How far each foot slides on the ground in each of its contacts [m], by foot, shape (ncontacts,).

    It is the greatest distance between two places of its middle, as moved by the slides alone: rolling from heel to
    toes does not count, nor does noise that goes to and fro.
    """
    slides = {}
    for name, foot in feet.items():
        points = point_places(figure, trajectory, foot.points)
        sure, speeds = _rest(trajectory.time, points, limits or RestLimits())
        ways = []
        for contact in foot.contacts:
            moves = _contact_moves(points, sure, speeds, contact)
            middle = points[(contact.first + contact.last) // 2].mean(axis=0)
            places = np.array([move.inverse().apply(middle)[:2] for move in moves])
            ways.append(float(np.linalg.norm(places[:, None] - places, axis=2).max()))
        slides[name] = np.array(ways)
    return slides


def standing_moves(
    figure: Figure, trajectory: Trajectory, foot: Foot, limits: RestLimits, fade: float
) -> list[GroundMove]:
    """G of a foot in each sample."""
    time, points = trajectory.time, point_places(figure, trajectory, foot.points)
    sure, speeds = _rest(time, points, limits)
    moves: list[GroundMove] = [GroundMove()] * len(time)
    for contact in foot.contacts:
        moves[contact.first : contact.last + 1] = _contact_moves(points, sure, speeds, contact)
    for before, after in zip([None, *foot.contacts], [*foot.contacts, None], strict=True):
        _bridge(time, moves, before, after, fade)
    return moves


def _rest(time: FloatArray, points: FloatArray, limits: RestLimits) -> tuple[FloatArray, FloatArray]:
    """How surely points rest, from 0 to 1, and their speeds [m/s], shape (nt, npoints)."""
    speeds = rest_speeds(time, points, limits.window)
    low = 1 - ease(_between(stand_heights(points), limits.height))
    return low * (1 - ease(_between(speeds, limits.speed))), speeds


def _contact_moves(points: FloatArray, sure: FloatArray, speeds: FloatArray, contact: Contact) -> list[GroundMove]:
    """G in each sample of a contact."""
    first, last = contact.first, contact.last
    middle = (first + last) // 2 - first
    steps = [_slide(points[k : k + 2], sure[k : k + 2], speeds[k : k + 2]) for k in range(first, last)]
    moves: list[GroundMove] = [GroundMove()] * (last - first + 1)
    for k in range(middle, last - first):
        moves[k + 1] = moves[k] @ steps[k].inverse()
    for k in range(middle, 0, -1):
        moves[k - 1] = moves[k] @ steps[k - 1]
    return moves


def _slide(points: FloatArray, sure: FloatArray, speeds: FloatArray) -> GroundMove:
    """The slide D of a foot from one sample to the next; arrays of both, shape (2, npoints, ...)."""
    rest = sure.mean(axis=0)
    weight = rest / (speeds.mean(axis=0) ** 2 + _STILL**2)
    if weight.sum() < 1e-12:
        return GroundMove()
    weight = weight / weight.sum()
    centre = weight @ points[0]
    arm, moved = points[0] - centre, points[1] - points[0]
    shift = weight @ moved
    turn = weight @ (arm[:, 0] * (moved - shift)[:, 1] - arm[:, 1] * (moved - shift)[:, 0])
    turn /= weight @ (arm[:, :2] ** 2).sum(axis=1) + _ARM**2
    whole = float(rest.max())
    return GroundMove.about(centre, whole * float(turn), whole * shift)


def _bridge(
    time: FloatArray, moves: list[GroundMove], before: Contact | None, after: Contact | None, fade: float
) -> None:
    """Between two contacts, let the move of the first go and that of the second come."""
    first, last = (0 if before is None else before.last + 1), (len(time) if after is None else after.first)
    span = fade
    if before is not None and after is not None:
        span = min(fade, float(time[after.first] - time[before.last]))
    for k in range(first, last):
        move = GroundMove()
        if before is not None:
            move = moves[before.last].part(1 - float(ease((time[k] - time[before.last]) / span)))
        if after is not None:
            move = moves[after.first].part(1 - float(ease((time[after.first] - time[k]) / span))) @ move
        moves[k] = move


def _between(values: FloatArray, limits: tuple[float, float]) -> FloatArray:
    """0 at the first limit, 1 at the second."""
    low, high = limits
    if not np.isfinite(high):
        return np.zeros_like(values)
    result: FloatArray = (values - low) / max(high - low, 1e-9)
    return result
