"""The dynamics filter: impossible motion in, possible motion out, while it plays."""

from hitogata.filter.clip import Filtered, filter_motion
from hitogata.filter.floor import Floor, Ground, Slope, Steps
from hitogata.filter.runner import FilteredFrame
from hitogata.filter.settings import FilterSettings, FrameStatus, Mode

__all__ = ["FilterSettings", "Filtered", "FilteredFrame", "Floor", "FrameStatus", "Ground", "Mode", "Slope", "Steps",
           "filter_motion"]  # fmt: skip
