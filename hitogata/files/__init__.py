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
from hitogata.files.c3d import C3d, plate_forces, read_c3d, write_c3d
from hitogata.files.gltf import write_gltf
from hitogata.files.lengths import LengthUnit
from hitogata.files.markers import Axes, MarkerData
from hitogata.files.meshes import read_mesh, read_mesh_parts
from hitogata.files.mjcf import read_mjcf, read_mjcf_scenery
from hitogata.files.mjcf_model import Actuator, JointSpring, MjcfModel, read_mjcf_model
from hitogata.files.mjcf_write import write_mjcf
from hitogata.files.osim import (
    OsimModel,
    figure_from_osim,
    mechanism_from_osim,
    osim_from_figure,
    read_osim,
    write_osim,
)
from hitogata.files.storage import StorageTable, read_storage, write_storage
from hitogata.files.trc import read_trc
from hitogata.files.trc_write import write_trc
from hitogata.files.urdf import read_urdf

__all__ = [
    "Actuator",
    "Axes",
    "Bvh",
    "C3d",
    "JointSpring",
    "LengthUnit",
    "MarkerData",
    "MjcfModel",
    "OsimModel",
    "StorageTable",
    "bvh_from_trajectory",
    "bvh_poses",
    "figure_from_bvh",
    "figure_from_osim",
    "mechanism_from_osim",
    "osim_from_figure",
    "plate_forces",
    "read_bvh",
    "read_c3d",
    "read_mesh",
    "read_mesh_parts",
    "read_mjcf",
    "read_mjcf_model",
    "read_mjcf_scenery",
    "read_osim",
    "read_storage",
    "read_trc",
    "read_urdf",
    "trajectory_from_bvh",
    "write_bvh",
    "write_c3d",
    "write_gltf",
    "write_mjcf",
    "write_osim",
    "write_storage",
    "write_trc",
]
