"""Pin-and-drag inverse kinematics: a figure, or many, led by pins and drags within the ranges of their joints."""

from hitogata.motion.puppet.handles import Handle, Hold, Priority, Residuals, Solution, Status
from hitogata.motion.puppet.puppet import Puppet
from hitogata.motion.puppet.settings import PuppetSettings

__all__ = ["Handle", "Hold", "Priority", "Puppet", "PuppetSettings", "Residuals", "Solution", "Status"]
