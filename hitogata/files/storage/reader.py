"""Storage files in."""

import os
import warnings
from pathlib import Path

import numpy as np

from hitogata.errors import FileContentWarning, FileFormatError
from hitogata.figure.values import FloatArray
from hitogata.files.doubts import time_doubts, unique_labels
from hitogata.files.rows import number, plain_lines, read_rows
from hitogata.files.source import read_bytes
from hitogata.files.storage.header import Head, read_head
from hitogata.files.storage.table import StorageTable, StorageType


def read_storage(path: str | os.PathLike[str]) -> StorageTable:
    """Read a table over time: OpenSim's .mot and .sto, and SIMM's motions.

    Whether angles are in degrees is what the header says (inDegrees, or a sentence).  Where it says nothing, a .mot
    file without a version is in degrees, as SIMM and OpenSim have it; of others it is not known (OpenSim takes
    radians).

    Headers of all versions, with or without `endheader`; tabs or blanks between numbers; NaN.  Times are kept as they
    are.  What is odd (times that repeat, go back or are uneven, counts that do not fit, names that stand twice) is
    told in one FileContentWarning and kept in `StorageTable.warnings`.

    Args:
        path: of the file.

    Raises:
        FileFormatError: missing or malformed; with file and line.
    """
    file = Path(path)
    lines = plain_lines(read_bytes(file), str(file))
    head = read_head(lines, str(file))
    columns, renamed = unique_labels(head.columns, "column")
    if any(column.lower() == "time" for column in columns):
        raise FileFormatError(f"{file}:{head.first}: a second column is called 'time'")
    if head.kind is StorageType.DOUBLE:
        rows, numbers = read_rows(lines, head.first, 1 + len(columns), str(file))
        time, values = rows[:, 0], rows[:, 1:]
    else:
        time, values, numbers = _cells(lines, head, str(file))
    if not np.isfinite(time).all():
        raise FileFormatError(f"{file}:{numbers[int((~np.isfinite(time)).argmax())]}: the time is not a number")
    notes = [*head.notes, *renamed]
    if head.rows and head.rows[0] != len(time):
        notes.append(f"line {head.rows[1]}: {head.rows[0]} rows are announced, but there are {len(time)}")
    notes += time_doubts(time)
    if notes:
        warnings.warn(f"{file}: {'; '.join(notes)}", FileContentWarning, stacklevel=2)
    degrees = head.in_degrees
    if degrees is None and file.suffix.lower() == ".mot" and not head.versioned:
        degrees = True
    name = head.name or file.stem
    return StorageTable(
        columns, time, values, degrees, head.kind, name, head.metadata, tuple(head.comments), tuple(notes)
    )


def _cells(lines: list[bytes], head: Head, file: str) -> tuple[FloatArray, FloatArray, list[int]]:
    """Times, cells of several numbers with commas between, and the line of each row."""
    size, count = head.kind.value, len(head.columns)
    times, values, numbers = [], [], []
    for k in range(head.first, len(lines)):
        words = lines[k].replace(b", ", b",").split()
        if not words:
            continue
        where = f"{file}:{k + 1}"
        if len(words) != 1 + count:
            raise FileFormatError(f"{where}: a time and {count} cells are expected, got {len(words) - 1} cells")
        row = []
        for j, word in enumerate(words[1:]):
            parts = word.strip(b"()[]~").split(b",")
            if len(parts) != size:
                raise FileFormatError(f"{where}: column {head.columns[j]!r}: {size} numbers with commas are expected")
            row.append([number(part, f"{where}: column {head.columns[j]!r}") for part in parts])
        times.append(number(words[0], f"{where}: time"))
        values.append(row)
        numbers.append(k + 1)
    return np.array(times), np.array(values, dtype=np.float64).reshape(len(times), count, size), numbers
