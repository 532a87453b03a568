"""Motions: carried over from one figure to another."""

from hitogata.motion.mapping import SkeletonMap, map_skeletons
from hitogata.motion.retarget import Retargeted, retarget, retarget_bvh

__all__ = ["Retargeted", "SkeletonMap", "map_skeletons", "retarget", "retarget_bvh"]
