"""Motions made possible: a figure follows a captured walk by its own torques, in contact."""

from hitogata.loops.adapting.adaptation import HUMAN_FEET, Adapted, AdaptSettings, adapt
from hitogata.loops.adapting.controller import Guide
from hitogata.loops.adapting.cost import AdaptWeights
from hitogata.loops.adapting.strength import HUMAN_STIFFNESS, HUMAN_TORQUE

__all__ = [
    "HUMAN_FEET",
    "HUMAN_STIFFNESS",
    "HUMAN_TORQUE",
    "AdaptSettings",
    "AdaptWeights",
    "Adapted",
    "Guide",
    "adapt",
]
