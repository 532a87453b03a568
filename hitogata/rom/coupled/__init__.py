"""Ranges of any joint: one range over the coordinates of one or several joints (`CoupledRange`).

chart       what the coordinates are, and how they follow from poses
regions     which of them are allowed: boxes, polytopes, star shapes, free forms as signed distance
layout      how a range lies in memory
rows        kernels: room to a wall, and the row of the solver
range       the object that people use
fit         from reached and forbidden poses
edits       walls moved, a brush; sections
plot        slices as pictures
"""

import importlib
from typing import TYPE_CHECKING, Any

from hitogata.rom.coupled.chart import Angle, Chart, Position, SwingTwist
from hitogata.rom.coupled.range import CoupledRange, CoupledViolation
from hitogata.rom.coupled.regions import Axis, ChartRegion, Field, Polytope, box, star

if TYPE_CHECKING:
    from hitogata.rom.coupled.fit import CoupledFit, fit_coupled
    from hitogata.rom.coupled.plot import plot_coupled

__all__ = [
    "Angle",
    "Axis",
    "Chart",
    "ChartRegion",
    "CoupledFit",
    "CoupledRange",
    "CoupledViolation",
    "Field",
    "Polytope",
    "Position",
    "SwingTwist",
    "box",
    "fit_coupled",
    "plot_coupled",
    "star",
]

_LATER = {"CoupledFit": "fit", "fit_coupled": "fit", "plot_coupled": "plot"}
"""Names that load their module on first use."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"hitogata.rom.coupled.{_LATER[name]}"), name)
    raise AttributeError(f"module 'hitogata.rom.coupled' has no attribute {name!r}")
