"""OpenSim's models: read, written, evaluated."""

from hitogata.files.osim.loads import ExternalForce, ExternalLoads, read_external_loads, read_ik_tasks
from hitogata.files.osim.mechanism import mechanism_from_osim, turning_coordinates
from hitogata.files.osim.model import OsimModel
from hitogata.files.osim.reading import read_osim
from hitogata.files.osim.writing import write_osim

__all__ = [
    "ExternalForce",
    "ExternalLoads",
    "OsimModel",
    "mechanism_from_osim",
    "read_external_loads",
    "read_ik_tasks",
    "read_osim",
    "turning_coordinates",
    "write_osim",
]
