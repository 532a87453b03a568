"""The dynamics filter: impossible motion in, possible motion out, while it plays."""

from hitogata.filter.clip import Filtered, filter_motion
from hitogata.filter.floor import Floor, Ground, Slope, Steps
from hitogata.filter.runner import FilteredFrame
from hitogata.filter.foot_plan import Foothold, FootPlan
from hitogata.filter.prepared import Prepared
from hitogata.filter.settings import FilterSettings, FrameStatus, Mode
from hitogata.filter.stream import DynamicsFilter

__all__ = ["DynamicsFilter", "FilterSettings", "Filtered", "FilteredFrame", "Floor", "FrameStatus", "Ground", "Mode", "Slope", "Steps",
           "filter_motion"]  # fmt: skip
