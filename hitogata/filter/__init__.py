"""The dynamics filter: impossible motion in, possible motion out, while it plays."""

from hitogata.filter.clip import Filtered, filter_motion, filter_motions
from hitogata.filter.floor import LEVEL, Floor, Ground, Slope, Steps, steps_under
from hitogata.filter.prepared import Unreached
from hitogata.filter.runner import FilteredFrame
from hitogata.filter.settings import FilterSettings, FrameStatus, Mode
from hitogata.filter.stream import DynamicsFilter

__all__ = [
    "LEVEL",
    "DynamicsFilter",
    "FilterSettings",
    "Filtered",
    "FilteredFrame",
    "Floor",
    "FrameStatus",
    "Ground",
    "Mode",
    "Slope",
    "Steps",
    "Unreached",
    "filter_motion",
    "filter_motions",
    "steps_under",
]
