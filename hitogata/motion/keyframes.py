"""Keyframes: poses set by hand at some times of a motion, whose changes fall off over the frames around them.

A keyframe holds the change of the whole figure at its time, q ⊞ δ.  Between keyframes the change is the interpolant of
radial functions (Wendland 1995: C², positive definite on the line, zero from the fall-off on),

    δ(t) = Σ_j φ(|t − t_j| / r_j) c_j,      φ(x) = (1 − x)⁴ (4 x + 1),      Σ_j φ(|t_i − t_j| / r_j) c_j = δ_i

so that every keyframe is met exactly however many lie near.  Feet that stand in the motion keep their poses, unless a
keyframe moved them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import FloatArray, floats
from hitogata.motion.easing import ease
from hitogata.motion.foot_contacts import Foot, find_contacts
from hitogata.motion.inputs import SLACK, check_motion, finite, positive
from hitogata.motion.layering import Layer
from hitogata.motion.puppet import Hold, Puppet
from hitogata.motion.reach import AT_ONCE, ease_limbs
from hitogata.motion.tangents import moved
from hitogata.spatial import matrix_to_quat, quat_conjugate, quat_exp, quat_log, quat_multiply

FALL_OFF = 0.5
"""Usual fall-off [s]."""

_LANDING = 0.15
"""Time in which a foot comes to where it stands, and leaves it [s]."""


@dataclass(frozen=True, eq=False)
class Keyframe:
    """A pose set by hand.

    Attributes:
        time: of the motion [s].
        change: from the pose that the motion has there, shape (nv,), like v.
        fall_off: how far it reaches before and after [s].
        links: that were led by hand: feet among them need not stay.
    """

    time: float
    change: FloatArray
    fall_off: float = FALL_OFF
    links: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        change = floats(self.change, "keyframe: change")
        if change.ndim != 1 or not np.isfinite(change).all():
            raise ArgumentError(f"keyframe: change must be finite, shape (nv,), got {change.shape}")
        finite(self.time, "keyframe: time")
        positive(self.fall_off, "keyframe: fall_off")
        object.__setattr__(self, "change", change)
        object.__setattr__(self, "links", frozenset(self.links))


def bell(x: FloatArray) -> FloatArray:
    """φ of distances over the fall-off: 1 at 0, 0 from 1 on."""
    s = np.clip(np.abs(x), 0.0, 1.0)
    result: FloatArray = (1 - s) ** 4 * (4 * s + 1)
    return result


def keyframe_layer(figure: Figure, motion: Trajectory, keyframes: Sequence[Keyframe]) -> Layer:
    """All changes of some keyframes, as a layer on the motion."""
    check_motion(figure, motion, what="motion")
    times = [key.time for key in keyframes]
    for key in keyframes:
        if key.change.shape != (figure.nv,):
            raise ArgumentError(f"keyframe at {key.time:g} s: its change has {key.change.shape[0]} numbers, figure "
                                f"{figure.name!r} needs {figure.nv}")  # fmt: skip
        if not motion.time[0] - SLACK <= key.time <= motion.time[-1] + SLACK:
            raise ArgumentError(
                f"keyframe at {key.time:g} s: the motion goes from {motion.time[0]:g} to {motion.time[-1]:g} s"
            )
    if len(times) > 1 and np.diff(np.sort(times)).min() < SLACK:
        raise ArgumentError(f"keyframes: two of them are at the same time, {sorted(times)} s")
    if not keyframes:
        return Layer(motion.time, np.zeros((len(motion), figure.nv)))
    reach = np.array([key.fall_off for key in keyframes])
    own = bell((np.subtract.outer(times, times)) / reach)
    parts = np.linalg.lstsq(own, np.array([key.change for key in keyframes]), rcond=1e-9)[0]
    return Layer(motion.time, bell(np.subtract.outer(motion.time, np.array(times)) / reach) @ parts)


def with_keyframes(
    figure: Figure, motion: Trajectory, keyframes: Sequence[Keyframe], *, feet: dict[str, Foot] | None = None
) -> Trajectory:
    """A motion with keyframes: poses at their times, changes that fall off around them, feet that stand where they did.

    Channels are dropped, velocities computed anew.

    Args:
        figure: the figure.
        motion: without them.
        keyframes: in any order.
        feet: when feet stand, from `find_contacts`; None: found by names, {}: none.
    """
    layer = keyframe_layer(figure, motion, keyframes)
    touched = np.flatnonzero(np.abs(layer.changes).max(axis=1) > 0)
    q = motion.q.copy()
    if len(touched):
        q[touched] = moved(figure, motion.q, layer.changes)[touched]
        standing = find_contacts(figure, motion) if feet is None else feet
        if standing:
            q[touched] = _on_their_feet(figure, motion, q, touched, standing, keyframes)
    return replace(motion, q=q, v=velocities_of(figure, motion.time, q), channels={})


def standing_shares(motion: Trajectory, foot: Foot, keyframes: Sequence[Keyframe] = ()) -> FloatArray:
    """How far a foot is held where it stands, 0 ... 1, shape (nt,): 1 in contacts, less where a keyframe moved it."""
    share = np.zeros(len(motion))
    for contact in foot.contacts:
        off = np.maximum(contact.start - motion.time, motion.time - contact.end)
        share = np.maximum(share, 1 - ease(off / _LANDING))
    for key in keyframes:
        if key.links & set(foot.links):
            share = share * (1 - bell((motion.time - key.time) / key.fall_off))
    return share


def _on_their_feet(
    figure: Figure, motion: Trajectory, q: FloatArray, which: Any, feet: dict[str, Foot],
    keyframes: Sequence[Keyframe],
) -> FloatArray:  # fmt: skip
    """Poses of some samples, shape (n, nq), legs bent so that feet stand where they do in the motion."""
    puppet = Puppet(figure, q[which], settings=AT_ONCE)
    ease_limbs(puppet, trunk=1e-6)  # keyframes are what was set: legs alone bend, as far as they can
    before, after = forward_kinematics(figure, motion.q[which]), forward_kinematics(figure, q[which])
    for foot in feet.values():
        i = figure.link_index(foot.links[0])
        share = standing_shares(motion, foot, keyframes)[which, None]
        place = after.position[:, i] + share * (before.position[:, i] - after.position[:, i])
        quat = np.asarray(matrix_to_quat(after.rotation[:, i]))
        turn = quat_log(quat_multiply(matrix_to_quat(before.rotation[:, i]), quat_conjugate(quat)))
        goal = np.asarray(quat_multiply(quat_exp(share * turn), quat))
        puppet.pin(foot.links[0], hold=Hold.POSE, position=place, orientation=goal)
    puppet.solve()
    return np.atleast_2d(puppet.q)
