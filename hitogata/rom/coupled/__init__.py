"""Ranges of any joint: one range over the coordinates of one or several joints (`CoupledRange`).

chart       what the coordinates are, and how they follow from poses
regions     which of them are allowed: boxes, polytopes, star shapes, free forms as signed distance
layout      how a range lies in memory
rows        kernels: room to a wall, and the row of the solver
range       the object that people use
fit         from reached and forbidden poses
"""

from hitogata.rom.coupled.chart import Angle, Chart, Position, SwingTwist
from hitogata.rom.coupled.range import CoupledRange, CoupledViolation
from hitogata.rom.coupled.regions import Axis, ChartRegion, Field, Polytope, box, star

__all__ = [
    "Angle",
    "Axis",
    "Chart",
    "ChartRegion",
    "CoupledRange",
    "CoupledViolation",
    "Field",
    "Polytope",
    "Position",
    "SwingTwist",
    "box",
    "star",
]
