"""Ranges of motion of ball joints.

A `RangeOfMotion` says where the bone may point (`swing`, a region of the unit sphere in the parent frame) and how far
it may turn about itself there (`twist`).  Every region answers contains, distance, nearest and boundary exactly; one
kernel serves them all.  Fitting, markers, export, human ranges and pictures load on first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

from hitogata.rom.arcline import ArcLineRegion, PlaneArc, PlaneLine
from hitogata.rom.cone import ConeRegion
from hitogata.rom.decompose import bend_of, bend_twist_of_quat, swing_twist_of_matrix, swing_twist_of_quat
from hitogata.rom.euler import Beyond, EulerOrder, EulerRegion, EulerTwist, QuaternionRegion
from hitogata.rom.frames import Bone
from hitogata.rom.meshtwist import MeshTwist
from hitogata.rom.plane import EllipseRegion, OvalRegion, RectangleRegion, SuperellipseRegion
from hitogata.rom.range import HeldViolation, PoseViolation, RangeOfMotion
from hitogata.rom.region import Region
from hitogata.rom.spline import SplineRegion
from hitogata.rom.triangle import TriangleRegion
from hitogata.rom.twist import BoundaryTwist, ConstantTwist, FixedTwist, FreeTwist, PrismTwist, Twist

if TYPE_CHECKING:
    from hitogata.rom.export import Export, Target, export_range, range_from_euler, rectangle_from_euler
    from hitogata.rom.export_forms import Measure
    from hitogata.rom.fit import RangeFit, TwistForm, fit_range
    from hitogata.rom.fit_report import FitReport
    from hitogata.rom.human import Side, human_ranges
    from hitogata.rom.markers import JointMotion, Known, joint_from_markers
    from hitogata.rom.plot import TwistColour, plot_polar, plot_range
    from hitogata.rom.plot_globe import plot_sphere

__all__ = [
    "ArcLineRegion",
    "Beyond",
    "Bone",
    "BoundaryTwist",
    "ConeRegion",
    "ConstantTwist",
    "EllipseRegion",
    "EulerOrder",
    "EulerRegion",
    "EulerTwist",
    "Export",
    "FitReport",
    "FixedTwist",
    "FreeTwist",
    "HeldViolation",
    "JointMotion",
    "Known",
    "Measure",
    "MeshTwist",
    "OvalRegion",
    "PlaneArc",
    "PlaneLine",
    "PoseViolation",
    "PrismTwist",
    "QuaternionRegion",
    "RangeFit",
    "RangeOfMotion",
    "RectangleRegion",
    "Region",
    "Side",
    "SplineRegion",
    "SuperellipseRegion",
    "Target",
    "TriangleRegion",
    "Twist",
    "TwistColour",
    "TwistForm",
    "bend_of",
    "bend_twist_of_quat",
    "export_range",
    "fit_range",
    "human_ranges",
    "joint_from_markers",
    "plot_polar",
    "plot_range",
    "plot_sphere",
    "range_from_euler",
    "rectangle_from_euler",
    "swing_twist_of_matrix",
    "swing_twist_of_quat",
]

_LATER = {
    "Export": "export",
    "Target": "export",
    "export_range": "export",
    "range_from_euler": "export",
    "rectangle_from_euler": "export",
    "Measure": "export_forms",
    "RangeFit": "fit",
    "TwistForm": "fit",
    "fit_range": "fit",
    "FitReport": "fit_report",
    "Side": "human",
    "human_ranges": "human",
    "JointMotion": "markers",
    "Known": "markers",
    "joint_from_markers": "markers",
    "TwistColour": "plot",
    "plot_polar": "plot",
    "plot_range": "plot",
    "plot_sphere": "plot_globe",
}
"""Names that load their module on first use."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"hitogata.rom.{_LATER[name]}"), name)
    raise AttributeError(f"module 'hitogata.rom' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
