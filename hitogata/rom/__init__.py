"""Ranges of motion of ball joints."""

from hitogata.rom.arcline import ArcLineRegion, PlaneArc, PlaneLine
from hitogata.rom.cone import ConeRegion
from hitogata.rom.frames import Bone
from hitogata.rom.plane import EllipseRegion, OvalRegion, RectangleRegion, SuperellipseRegion
from hitogata.rom.region import Region
from hitogata.rom.spline import SplineRegion
