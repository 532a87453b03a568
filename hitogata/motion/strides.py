"""Legs over a motion: how they bring their feet to where they stand, whatever their ranges of motion leave.

Three things give way, in this order: a foot on its tip rolls further over it, so that a leg that is stretched reaches
it; the leg turns about the line from hip to ankle, where an ankle cannot turn the foot far enough; and the ankle moves,
so that a foot that its range turned out of level stays where it stands, and out of the floor.
"""

import numpy as np

from hitogata.dynamics import LinkPoses
from hitogata.figure.values import FloatArray
from hitogata.motion.foot_placement import SPAN, Sole, planted
from hitogata.motion.legs import SOFT, Leg, held_back, solved_leg
from hitogata.motion.root_placement import UP
from hitogata.motion.smooth_curve import bridged, smoothest
from hitogata.motion.stances import Stance
from hitogata.spatial import quat_exp, quat_to_matrix

_MISS, _MISS_IN_AIR, _TILT = 0.002, 0.05, np.radians(0.6)  # what costs 1 [m], [rad]
_SWIVEL, _SETTLE = 0.1, 0.03  # [s]: in which a leg turns about its line, and an ankle moves for its range
_AIR = 0.1  # weight of feet in the air
_PITCHES = np.radians(np.arange(0, 34, 3))  # by which a foot on its tip may roll further
_OWED = 0.02  # [m]: how far beside its place an ankle may be asked for, where a leg misses it
_SUNK = 0.006  # [m]: how far a sole that its ankle cannot hold level may go into the floor on one side


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
        self.asked, self.owed = self.planned, np.zeros((len(time), 3))

    def stepped(self, rise: FloatArray, pitch: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Hip, ankle and rotation of the foot, with the root higher and the foot further over its tip."""
        ahead = self.foot @ (self.sole.rest.T @ self.sole.forward)
        left = np.cross(UP, ahead)
        left = left / np.maximum(np.linalg.norm(left, axis=1, keepdims=True), 1e-9)
        foot = quat_to_matrix(quat_exp(left * pitch[:, None])) @ self.foot
        ankle = self.ankle + (self.foot - foot) @ self.sole.tip
        return self.hip + np.multiply.outer(rise, UP), ankle, foot

    def pitch(self, rise: FloatArray) -> FloatArray:
        """How much further a foot on its tip must at least roll for the leg to reach it [rad], shape (nt,)."""
        needed = np.zeros(len(rise))
        length = SOFT * float(np.linalg.norm(self.leg.bones, axis=1).sum())
        open_ = self.stance.tiptoe.copy()
        for more in _PITCHES:
            hip, ankle, _ = self.stepped(rise, np.full(len(rise), more))
            open_ &= np.linalg.norm(ankle - hip, axis=1) > length
            needed[open_] = more
        return needed

    def cost(self, rise: float) -> FloatArray:
        """Of a height of the root: feet that are missed, and soles that ankles cannot hold level; shape (nt,)."""
        high = np.full(len(self.hip), rise)
        hip, ankle, foot = self.stepped(high, self.pitch(high))
        _, shin, missed = solved_leg(self.leg, self.thigh, self.shin, hip, ankle)
        tilt = np.linalg.norm(held_back(self.leg, shin, foot), axis=1)
        stands = self.stance.flat | self.stance.tiptoe
        far: FloatArray = (missed / np.where(stands, _MISS, _MISS_IN_AIR)) ** 2
        return far + self.stance.flat * (tilt / _TILT) ** 2

    def rotations(self, time: FloatArray, rise: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of thigh, shin and foot; the leg turns about its own line where the ankle alone cannot turn the foot."""
        flat, tiptoe = self.stance.flat, self.stance.tiptoe
        pitch = bridged(time, self.pitch(rise)[:, None], flat | tiptoe, span=SPAN)[:, 0]
        pitch = np.where(flat, 0.0, smoothest(time, pitch[:, None], np.ones(len(pitch)), span=_SETTLE, pull=1e-6)[:, 0])
        hip, ankle, foot = self.stepped(rise, pitch)
        _thigh, shin, _missed = solved_leg(self.leg, self.thigh, self.shin, hip, ankle, self.swivel)
        line = ankle - hip
        line = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-9)
        more = -np.einsum("ni,ni->n", held_back(self.leg, shin, foot), line)
        weights = np.where(flat, 1.0, _AIR)
        self.swivel = self.swivel + smoothest(time, more[:, None], weights, span=_SWIVEL, pull=1e-3)[:, 0]
        thigh, shin, _missed = solved_leg(self.leg, self.thigh, self.shin, hip, ankle, self.swivel)
        self.wanted, self.asked = foot, ankle
        return thigh, shin, foot

    def see(self, time: FloatArray, turn: FloatArray, place: FloatArray) -> None:
        """Move the ankle for a foot that its range of motion turned, or that a leg of hinges did not bring where it was
        asked: what stands stays, and nothing is in the floor."""
        flat, tiptoe = self.stance.flat, self.stance.tiptoe
        pivot = np.where(tiptoe[:, None], self.sole.tip, self.sole.centre)
        turned = np.einsum("nij,nj->ni", self.wanted - turn, pivot)
        heights = (self.sole.points @ np.swapaxes(turn, 1, 2))[..., 2]
        change = np.where((flat | tiptoe)[:, None], turned, 0.0)
        sunk = self.floor - heights.min(axis=1) - self.planned[:, 2]
        change[:, 2] = np.where(flat, np.maximum(turned[:, 2], sunk - _SUNK), np.maximum(change[:, 2], sunk))
        missed = self.asked - place
        owed = self.owed + np.where((flat | tiptoe)[:, None], missed, 0.0)
        far = np.linalg.norm(owed, axis=1, keepdims=True)
        self.owed = owed * np.minimum(1.0, _OWED / np.maximum(far, 1e-12))
        change += self.owed
        weights = np.where(flat | tiptoe | (sunk > 0), 1.0, _AIR)
        self.ankle = self.planned + smoothest(time, change, weights, span=_SETTLE, pull=1e-3)
