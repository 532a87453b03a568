"""Motions: figures led by pins and drags; motions carried over from one figure to another."""

from hitogata.motion.mapping import SkeletonMap, map_skeletons
from hitogata.motion.puppet import Handle, Hold, Priority, Puppet, PuppetSettings, Residuals, Solution, Status
from hitogata.motion.retarget import Retargeted, retarget, retarget_bvh

__all__ = [
    "Handle",
    "Hold",
    "Priority",
    "Puppet",
    "PuppetSettings",
    "Residuals",
    "Retargeted",
    "SkeletonMap",
    "Solution",
    "Status",
    "map_skeletons",
    "retarget",
    "retarget_bvh",
]
