"""Ranges of motion of ball joints.

A `RangeOfMotion` says where the bone may point (`swing`, a region of the unit sphere in the parent frame) and how far
it may turn about itself there (`twist`).  Every region answers contains, distance, nearest and boundary exactly; one
kernel serves them all.
"""

from hitogata.rom.arcline import ArcLineRegion, PlaneArc, PlaneLine
from hitogata.rom.cone import ConeRegion
from hitogata.rom.decompose import bend_of, bend_twist_of_quat, swing_twist_of_matrix, swing_twist_of_quat
from hitogata.rom.frames import Bone
from hitogata.rom.plane import EllipseRegion, OvalRegion, RectangleRegion, SuperellipseRegion
from hitogata.rom.range import HeldViolation, PoseViolation, RangeOfMotion
from hitogata.rom.region import Region
from hitogata.rom.spline import SplineRegion
from hitogata.rom.triangle import TriangleRegion
from hitogata.rom.twist import BoundaryTwist, ConstantTwist, FixedTwist, FreeTwist, PrismTwist, Twist

__all__ = [
    "ArcLineRegion",
    "Bone",
    "BoundaryTwist",
    "ConeRegion",
    "ConstantTwist",
    "EllipseRegion",
    "FixedTwist",
    "FreeTwist",
    "HeldViolation",
    "OvalRegion",
    "PlaneArc",
    "PlaneLine",
    "PoseViolation",
    "PrismTwist",
    "RangeOfMotion",
    "RectangleRegion",
    "Region",
    "SplineRegion",
    "SuperellipseRegion",
    "TriangleRegion",
    "Twist",
    "bend_of",
    "bend_twist_of_quat",
    "swing_twist_of_matrix",
    "swing_twist_of_quat",
]
