"""Files in and out: one module per format.  What a file holds that a Figure cannot is listed in one warning."""

from hitogata.files.mjcf import read_mjcf
from hitogata.files.mjcf_write import write_mjcf
from hitogata.files.urdf import read_urdf

__all__ = ["read_mjcf", "read_urdf", "write_mjcf"]
