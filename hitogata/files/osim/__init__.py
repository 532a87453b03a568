"""OpenSim's models: read, written, evaluated."""

from hitogata.files.osim.export import osim_from_figure
from hitogata.files.osim.figures import coordinate_names, figure_coordinates, figure_from_osim, model_coordinates
from hitogata.files.osim.loads import ExternalForce, ExternalLoads, read_external_loads, read_ik_tasks
from hitogata.files.osim.mechanism import mechanism_from_osim, turning_coordinates
from hitogata.files.osim.model import OsimModel
from hitogata.files.osim.reader import read_osim
from hitogata.files.osim.writer import write_osim

__all__ = [
    "ExternalForce",
    "ExternalLoads",
    "OsimModel",
    "coordinate_names",
    "figure_coordinates",
    "figure_from_osim",
    "mechanism_from_osim",
    "model_coordinates",
    "osim_from_figure",
    "read_external_loads",
    "read_ik_tasks",
    "read_osim",
    "turning_coordinates",
    "write_osim",
]
