"""Legs over a motion: how they bring their feet to where they stand, whatever their ranges of motion leave.

Three things give way, in this order: the heel rises and the foot rolls over its tip, so that a leg that is stretched
reaches it and an ankle at the end of its dorsiflexion holds it; the leg turns about the line from hip to ankle, where
an ankle cannot turn the foot far enough; and the ankle moves, so that a foot that its range turned out of level stays
where it stands, and out of the floor.
"""

from collections.abc import Callable

import numpy as np

from hitogata.dynamics import LinkPoses
from hitogata.figure.values import FloatArray
from hitogata.motion.foot_contacts import BoolArray
from hitogata.motion.foot_placement import SPAN, Sole, planted, time_to
from hitogata.motion.legs import SOFT, Leg, held_back, solved_leg
from hitogata.motion.root_placement import UP
from hitogata.motion.smooth_curve import bridged, smoothest
from hitogata.motion.stances import Stance
from hitogata.spatial import matrix_to_quat, quat_exp, quat_log, quat_to_matrix

_MISS, _MISS_IN_AIR, _TILT = 0.0015, 0.05, np.radians(0.6)  # what costs 1 [m], [rad]
_TILT_MOST = 40.0  # what a foot costs at the most that cannot be held level: its heel rises
_SWIVEL, _SETTLE, _HEEL = 0.1, 0.02, 0.035  # [s]: in which a leg turns about its line, an ankle moves, a heel rises
_AIR = 0.1  # weight of feet in the air
_DOWN, _NEAR = 30.0, 0.03  # weight of heels that need not rise, so long before and after they must [s]
_LOWERED = 9.0  # [rad/s]: heels are lowered no faster
_PITCHES = np.radians(np.arange(0, 61, 3))  # by which a foot may roll further over its tip
_HALVINGS = 6  # of the last of these steps
_HELD = np.radians(0.1)  # an ankle that holds a foot back by less than this holds it
_LESS = 0.3  # share by which a leg turns further once heels rise for ankles
_GAIN = 0.3  # of what a leg missed, how much more is asked of it
_OWED = 0.02  # [m]: how far beside its place an ankle may be asked for, where a leg misses it
_ASTRAY = 1.5  # of what hinges turn a foot astray, how much the leg turns back, in rounds that take a share of it
_SUNK = 0.002  # [m]: how far the tip of a sole that its ankle cannot hold level may go into the floor


class Stride:
    """A leg over a motion, and where its foot should be.

    Args:
        leg: the leg.
        sole: of its foot.
        stance: when the source's foot stands.
        poses: of the figure's links as they are.
        time: [s], shape (nt,).
        floor: height of the ground [m].
    """

    def __init__(self, leg: Leg, sole: Sole, stance: Stance, poses: LinkPoses, time: FloatArray, floor: float) -> None:
        self.leg, self.sole, self.stance, self.floor = leg, sole, stance, floor
        thigh, shin, foot = leg.links
        self.hip = np.array(poses.position[:, leg.hip])
        self.thigh, self.shin = np.array(poses.rotation[:, thigh]), np.array(poses.rotation[:, shin])
        turn, place = np.array(poses.rotation[:, foot]), np.array(poses.position[:, foot])
        self.foot, self.planned = planted(time, sole, turn, place, stance.flat, stance.tiptoe, floor)
        self.ankle, self.swivel, self.wanted = self.planned, np.zeros(len(time)), self.foot
        self.owed, self.raised_hip = np.zeros((len(time), 3)), self.hip
        self.rolled, self.ankles, self.turned_off = np.zeros(len(time)), False, np.zeros(len(time))
        self.heel = self.rolled
        """How far the heel is up beyond the source's, for the leg to reach and the ankle to hold the foot [rad]."""

    def stepped(self, rise: FloatArray, pitch: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Hip, ankle and rotation of the foot, with the root higher and the foot further over its tip."""
        foot = quat_to_matrix(quat_exp(self._left() * pitch[:, None])) @ self.foot
        ankle = self.ankle + self._lifted(foot)
        return self.hip + np.multiply.outer(rise, UP), ankle, foot

    def _lifted(self, foot: FloatArray) -> FloatArray:
        """How far an ankle moves whose foot rolls over its tip; at first it turns about the middle of its sole [m]."""
        lift: FloatArray = (self.foot - foot) @ self.sole.tip
        sunk = lift[:, 2] - ((self.foot - foot) @ self.sole.centre)[:, 2]
        lift[:, 2] -= np.where(self.stance.flat | self.stance.tiptoe, np.clip(sunk, 0.0, _SUNK), 0.0)
        return lift

    def _left(self) -> FloatArray:
        """The axis about which the heel rises, level, unit, shape (nt, 3)."""
        left = np.cross(UP, self.foot @ (self.sole.rest.T @ self.sole.forward))
        unit: FloatArray = left / np.maximum(np.linalg.norm(left, axis=1, keepdims=True), 1e-9)
        return unit

    def pitch(self, rise: FloatArray) -> FloatArray:
        """How much further a foot on its tip must at least roll for the leg to reach it [rad], shape (nt,)."""
        return self._least(rise, lambda pitch: self.stance.tiptoe & self._too_far(rise, pitch))

    def heel_rise(self, rise: FloatArray) -> FloatArray:
        """How far a heel that is on the ground must rise for leg and ankle to hold the foot [rad], shape (nt,)."""
        flat, tiptoe = self.stance.flat, self.stance.tiptoe
        return self._least(
            rise, lambda pitch: (tiptoe & self._too_far(rise, pitch)) | ((flat | tiptoe) & self._too_bent(rise, pitch))
        )

    def _least(self, rise: FloatArray, short: Callable[[FloatArray], BoolArray]) -> FloatArray:
        """The least angle that is not too short [rad]; the greatest of all, if each is."""
        count = len(rise)
        high, open_ = np.zeros(count), np.ones(count, np.bool_)
        for more in _PITCHES:
            high = np.where(open_, more, high)
            open_ &= short(high)
            if not open_.any():
                break
        low = np.maximum(high - (_PITCHES[1] - _PITCHES[0]), 0.0)
        for _ in range(_HALVINGS if high.any() else 0):
            middle = (low + high) / 2
            more_needed = short(middle)
            low, high = np.where(more_needed, middle, low), np.where(more_needed, high, middle)
        return high

    def _too_far(self, rise: FloatArray, pitch: FloatArray) -> BoolArray:
        """Whether the leg is too short for its foot, shape (nt,)."""
        hip, ankle, _ = self.stepped(rise, pitch)
        length = SOFT * float(np.linalg.norm(self.leg.bones, axis=1).sum())
        far: BoolArray = np.linalg.norm(ankle - hip, axis=1) > length
        return far

    def _too_bent(self, rise: FloatArray, pitch: FloatArray) -> BoolArray:
        """Whether the ankle's range of motion would raise the heel further, shape (nt,)."""
        hip, ankle, foot = self.stepped(rise, pitch)
        _, shin, _ = solved_leg(self.leg, self.thigh, self.shin, hip, ankle, self.swivel)
        bent: BoolArray = np.einsum("ni,ni->n", held_back(self.leg, shin, foot), self._left()) > _HELD
        return bent

    def cost(self, rise: float) -> FloatArray:
        """Of a height of the root: feet that are missed, and soles that ankles cannot hold level; shape (nt,)."""
        high = np.full(len(self.hip), rise)
        hip, ankle, foot = self.stepped(high, self.pitch(high))
        _, shin, missed = solved_leg(self.leg, self.thigh, self.shin, hip, ankle)
        tilt = np.linalg.norm(held_back(self.leg, shin, foot), axis=1)
        stands = self.stance.flat | self.stance.tiptoe
        far: FloatArray = (missed / np.where(stands, _MISS, _MISS_IN_AIR)) ** 2
        off = (tilt / _TILT) ** 2
        return far + self.stance.flat * off / (1.0 + off / _TILT_MOST)

    def raise_heels(self, time: FloatArray, rise: FloatArray, for_ankles: bool) -> None:
        """Raise heels so that legs reach; and so that ankles can hold their feet, if asked."""
        flat, tiptoe = self.stance.flat, self.stance.tiptoe
        least = _lowered(time, (self.heel_rise if for_ankles else self.pitch)(rise), _LOWERED)
        pitch = bridged(time, least[:, None], flat | tiptoe, span=SPAN)
        weights = np.where(flat & (time_to(time, flat & (least > 0.0)) > _NEAR), _DOWN, 1.0)
        pitch = np.maximum(smoothest(time, pitch, weights, span=_HEEL, pull=1e-6)[:, 0], 0.0)
        self.ankles = for_ankles
        self.rolled = np.where(flat & (not for_ankles), 0.0, pitch)
        self.heel = np.where(flat | tiptoe, self.rolled, 0.0)

    def rotations(self, time: FloatArray, rise: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of thigh, shin and foot; the leg turns about its own line where the ankle alone cannot turn the foot."""
        flat = self.stance.flat
        hip, ankle, foot = self.stepped(rise, self.rolled)
        _thigh, shin, _missed = solved_leg(self.leg, self.thigh, self.shin, hip, ankle, self.swivel)
        line = ankle - hip
        line = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-9)
        more = -np.einsum("ni,ni->n", held_back(self.leg, shin, foot), line) - self.turned_off * line[:, 2]
        weights = np.where(flat, 1.0, _AIR)
        share = _LESS if self.ankles else 1.0
        self.swivel = self.swivel + share * smoothest(time, more[:, None], weights, span=_SWIVEL, pull=1e-3)[:, 0]
        thigh, shin, _missed = solved_leg(self.leg, self.thigh, self.shin, hip, ankle, self.swivel)
        self.wanted, self.raised_hip = foot, hip
        return thigh, shin, foot

    def see(self, time: FloatArray, turn: FloatArray, place: FloatArray) -> None:
        """Move the ankle for a foot that its range of motion turned, or that a leg of hinges did not bring where it was
        asked: what stands stays, and nothing is in the floor."""
        flat, tiptoe = self.stance.flat, self.stance.tiptoe
        if not self.leg.ankle.is_ball:  # hinges that cannot turn the foot where it should point: the leg does
            off = quat_log(matrix_to_quat(turn @ np.swapaxes(self.wanted, 1, 2)))
            self.turned_off = np.where(flat | tiptoe, _ASTRAY * off[:, 2], 0.0)
        rolled = tiptoe | (self.heel > _HELD)
        pivot = np.where(rolled[:, None], self.sole.tip, self.sole.centre)
        turned = np.einsum("nij,nj->ni", self.wanted - turn, pivot)
        heights = (self.sole.points @ np.swapaxes(turn, 1, 2))[..., 2]
        change = np.where((flat | tiptoe)[:, None], turned, 0.0)
        meant = self.planned + self._lifted(self.wanted)
        sunk = self.floor - heights.min(axis=1) - meant[:, 2]
        change[:, 2] = np.maximum(change[:, 2], np.where(flat | tiptoe, sunk - _SUNK, sunk))
        missed = meant + change - place
        length = SOFT * float(np.linalg.norm(self.leg.bones, axis=1).sum())
        reached = np.linalg.norm(meant + change - self.raised_hip, axis=1) < length
        owed = self.owed + np.where(((flat | tiptoe) & reached)[:, None], _GAIN * missed, 0.0)
        far = np.linalg.norm(owed, axis=1, keepdims=True)
        self.owed = owed * np.minimum(1.0, _OWED / np.maximum(far, 1e-12))
        change += self.owed
        weights = np.where(flat | tiptoe | (sunk > 0), 1.0, _AIR)
        self.ankle = self.planned + smoothest(time, change, weights, span=_SETTLE, pull=1e-3)


def _lowered(time: FloatArray, least: FloatArray, slope: float) -> FloatArray:
    """The least curve that is nowhere below another and falls no faster than a slope [1/s], shape (nt,)."""
    lag = slope * time
    result: FloatArray = np.maximum.accumulate(least + lag) - lag
    return result
