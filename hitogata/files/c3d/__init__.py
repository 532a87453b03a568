"""C3D, the binary files of motion capture: points, analog channels, events and force plates, in and out."""

from hitogata.files.c3d.parameters import Parameter, ParameterType
from hitogata.files.c3d.reader import read_c3d
from hitogata.files.c3d.recording import AnalogData, C3d, Event, ForcePlate, PlateType
from hitogata.files.c3d.wrenches import PlateForces, plate_forces
from hitogata.files.c3d.writer import write_c3d

__all__ = [
    "AnalogData",
    "C3d",
    "Event",
    "ForcePlate",
    "Parameter",
    "ParameterType",
    "PlateForces",
    "PlateType",
    "plate_forces",
    "read_c3d",
    "write_c3d",
]
