"""Storage tables of OpenSim (.mot, .sto): named columns over time, in and out."""

from hitogata.files.storage.reader import read_storage
from hitogata.files.storage.table import StorageTable, StorageType
from hitogata.files.storage.writer import write_storage

__all__ = ["StorageTable", "StorageType", "read_storage", "write_storage"]
