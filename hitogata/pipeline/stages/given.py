"""Results that files give in place of a stage: columns of a table, or a filtered motion, checked before they count."""

from pathlib import Path

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.files import StorageTable, read_storage
from hitogata.pipeline.stage import TrialFiles


def given_table(files: TrialFiles, setting: str, path: str) -> StorageTable:
    """A table over rising time, without gaps.

    Raises:
        FileFormatError: it is none; the setting, the file and the column are named.
    """
    place = Path(files.named(path))
    if place.suffix.lower() not in (".sto", ".mot"):
        raise FileFormatError(f"{setting}: {place}: a table is expected, .sto or .mot")
    table = read_storage(place)
    if table.values.ndim != 2 or not len(table.time):
        raise FileFormatError(f"{setting}: {place}: rows of single numbers are expected")
    if not np.isfinite(table.time).all() or (np.diff(table.time) <= 0).any():
        raise FileFormatError(f"{setting}: {place}: time does not rise from row to row")
    bad = ~np.isfinite(table.values).all(axis=0)
    if bad.any():
        raise FileFormatError(
            f"{setting}: {place}: column {table.columns[int(bad.argmax())]!r} has a gap: fill it first"
        )
    return table


def given_columns(table: StorageTable, names: tuple[str, ...], time: FloatArray, setting: str, path: str) -> FloatArray:
    """Columns at other times, by straight lines, shape (n, len(names)).

    Raises:
        FileFormatError: one is missing.
    """
    missing = [name for name in names if name not in table.columns]
    if missing:
        has, wanted = ", ".join(table.columns[:8]), ", ".join(missing[:8])
        raise FileFormatError(f"{setting}: {path}: it has no column {wanted} (it has {has})")
    return np.stack([np.interp(time, table.time, table.column(name)) for name in names], axis=1)


def given_motion(files: TrialFiles, setting: str, path: str, figure: Figure, channels: dict[str, int]) -> Trajectory:
    """A motion of this figure with channels of so many axes.

    Raises:
        FileFormatError: it is another figure's, a channel is missing, or a number is not finite.
    """
    place = files.named(path)
    motion = Trajectory.load(place)
    if motion.q.shape[1:] != (figure.nq,) or motion.v.shape[1:] != (figure.nv,):
        raise FileFormatError(
            f"{setting}: {place}: a motion of {motion.figure_name!r} with {motion.q.shape[-1]} coordinates; "
            f"{figure.name!r} has {figure.nq}"
        )
    for name, axes in channels.items():
        if name not in motion.channels or motion[name].ndim != axes:
            raise FileFormatError(
                f"{setting}: {place}: it has no channel {name!r}: a filtered.npz of hitogata is expected"
            )
        if not np.isfinite(motion[name]).all():
            raise FileFormatError(f"{setting}: {place}: channel {name!r} has numbers that are not finite")
    if motion["tau"].shape[1] != figure.nv or motion["residual"].shape[1] != 6:
        raise FileFormatError(f"{setting}: {place}: forces of another figure than {figure.name!r}")
    return motion
