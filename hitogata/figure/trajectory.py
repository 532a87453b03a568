"""Trajectory: a motion over time, with any named channels beside it; saved as one .npz file."""

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, FileFormatError
from hitogata.figure.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.figure.values import floats

FORMAT = "hitogata trajectory 1"

_UNREADABLE = (KeyError, TypeError, AttributeError, ValueError, zipfile.BadZipFile, zlib.error, EOFError, OSError)
"""What numpy and json raise for files that are no trajectory, or a damaged one."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States of one figure at rising times.

    Attributes:
        time: [s], shape (nt,), strictly rising.
        q: coordinates, shape (nt, nq).
        v: velocities, shape (nt, nv).
        channels: other quantities by name, each with leading axis nt (forces, contacts, energy ...).
        figure_name: of the figure it belongs to.
    """

    time: FloatArray
    q: FloatArray
    v: FloatArray
    channels: Mapping[str, FloatArray] = field(default_factory=dict)
    figure_name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.channels, Mapping):
            raise ArgumentError(f"trajectory: channels must be arrays by name, got {type(self.channels).__name__}")
        arrays = {name: floats(getattr(self, name), f"trajectory: {name}") for name in ("time", "q", "v")}
        for name, values in self.channels.items():
            if not isinstance(name, str) or name in ("time", "q", "v"):
                raise ArgumentError(f"trajectory: the name of a channel must be a string of its own, got {name!r}")
            arrays[name] = _channel(values, name)
        time = arrays["time"]
        if time.ndim != 1:
            raise ArgumentError(f"trajectory: time must have shape (nt,), got {time.shape}")
        if not np.isfinite(time).all() or not (np.diff(time) > 0).all():
            raise ArgumentError("trajectory: time must be finite and strictly rising")
        for name in ("q", "v"):
            if arrays[name].ndim != 2:
                raise ArgumentError(f"trajectory: {name} must have shape (nt, n{name}), got {arrays[name].shape}")
        for name in ("q", "v"):
            bad = ~np.isfinite(arrays[name]).all(axis=1)
            if bad.any():
                raise ArgumentError(f"trajectory: {name}[{int(bad.argmax())}] holds numbers that are not finite")
        for name, a in arrays.items():
            if a.ndim == 0 or len(a) != len(time):
                raise ArgumentError(f"trajectory: {name} has shape {a.shape}, but there are {len(time)} times")
        for name in ("time", "q", "v"):
            object.__setattr__(self, name, arrays.pop(name))
        object.__setattr__(self, "channels", arrays)

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, channel: str) -> FloatArray:
        try:
            return self.channels[channel]
        except KeyError:
            known = ", ".join(self.channels) or "none"
            raise ArgumentError(f"trajectory has no channel {channel!r}; there are: {known}") from None

    def check(self, figure: Figure) -> None:
        """Raise ArgumentError unless the sizes fit the figure."""
        for name, have, want in (("q", self.q.shape[1], figure.nq), ("v", self.v.shape[1], figure.nv)):
            if have != want:
                raise ArgumentError(f"trajectory: {name} has {have} columns, figure {figure.name!r} needs {want}")

    def save(self, path: str | Path) -> None:
        """Write a compressed .npz file; numbers are kept bit for bit."""
        header = json.dumps({"format": FORMAT, "figure": self.figure_name, "channels": list(self.channels)})
        arrays: dict[str, Any] = {f"channel{i}": a for i, a in enumerate(self.channels.values())}
        with Path(path).open("wb") as file:
            np.savez_compressed(file, header=np.array(header), time=self.time, q=self.q, v=self.v, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Trajectory":
        """Read a file written by `save`."""
        try:
            with np.load(Path(path), allow_pickle=False) as data:
                header = json.loads(str(data["header"]))
                if header["format"] != FORMAT:
                    raise FileFormatError(f"{path}: format {header['format']!r}, this version reads {FORMAT!r}")
                channels = {name: data[f"channel{i}"] for i, name in enumerate(header["channels"])}
                return cls(data["time"], data["q"], data["v"], channels, header["figure"])
        except FileNotFoundError:
            raise FileFormatError(f"{path}: no such file") from None
        except _UNREADABLE as error:
            if isinstance(error, FileFormatError):
                raise
            reason = error if zipfile.is_zipfile(path) else "no .npz archive"
            raise FileFormatError(f"{path}: not a trajectory file ({reason})") from None


def _channel(values: Any, name: str) -> FloatArray:
    """An array that can be saved: of numbers, truth values or text."""
    try:
        result: FloatArray = np.asarray(values)
    except ValueError:
        raise ArgumentError(f"trajectory: channel {name!r} has rows of different lengths") from None
    if result.dtype.hasobject:
        raise ArgumentError(f"trajectory: channel {name!r} must hold numbers, got objects")
    return result
