"""Files in and out: one module per format.  What a file holds that a Figure cannot is listed in one warning."""

from hitogata.files.bvh import (
    Bvh,
    bvh_from_trajectory,
    bvh_poses,
    figure_from_bvh,
    read_bvh,
    trajectory_from_bvh,
    write_bvh,
)
from hitogata.files.meshes import read_mesh, read_mesh_parts
from hitogata.files.mjcf import read_mjcf, read_mjcf_scenery
from hitogata.files.mjcf_write import write_mjcf
from hitogata.files.urdf import read_urdf

__all__ = [
    "Bvh",
    "bvh_from_trajectory",
    "bvh_poses",
    "figure_from_bvh",
    "read_bvh",
    "read_mesh",
    "read_mesh_parts",
    "read_mjcf",
    "read_mjcf_scenery",
    "read_urdf",
    "trajectory_from_bvh",
    "write_bvh",
    "write_mjcf",
]
