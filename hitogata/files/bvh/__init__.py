"""BVH, the motion capture format of Biovision: skeletons and their motion, in and out."""

from hitogata.files.bvh.conversion import converted_bvh
from hitogata.files.bvh.export import bvh_from_trajectory
from hitogata.files.bvh.figures import figure_from_bvh
from hitogata.files.bvh.poses import BvhPoses, bvh_poses
from hitogata.files.bvh.reader import read_bvh
from hitogata.files.bvh.skeleton import Bvh, BvhJoint, Channel, PositionChannels, Up
from hitogata.files.bvh.trajectories import trajectory_from_bvh
from hitogata.files.bvh.writer import write_bvh

__all__ = [
    "Bvh",
    "BvhJoint",
    "BvhPoses",
    "Channel",
    "PositionChannels",
    "Up",
    "bvh_from_trajectory",
    "bvh_poses",
    "converted_bvh",
    "figure_from_bvh",
    "read_bvh",
    "trajectory_from_bvh",
    "write_bvh",
]
