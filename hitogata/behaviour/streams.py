"""What a device sends: a `Stream` says what, how often, in which units; `Samples` are some of it with their stamps.

Three clocks meet here.  *Raw* stamps are the device's, kept as they came.  *Arrival* is when a sample came in, on the
local monotonic clock of the computer that records.  *Local* stamps are raw ones carried to that clock (`clock`).
"""

import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError

Array = np.ndarray[Any, np.dtype[Any]]


class StreamKind(enum.Enum):
    """What a stream holds; the value is its content type in LSL and XDF, where these have one."""

    MARKERS = "MoCap"
    POINTS = "Points"  # markers without labels: x, y, z of up to so many
    ANGLES = "JointAngles"
    FORCE_PLATE = "Force"
    GAZE = "Gaze"
    TRACKER = "Tracker"  # places and turns of rigid bodies
    EMG = "EMG"
    TIME_CODE = "TimeCode"
    BLOBS = "Blobs"  # of a camera's images
    EVENTS = "Markers"  # LSL's word for marks in time
    OTHER = ""


UNITS: dict[str, float] = {
    "": 1.0, "1": 1.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "meters": 1.0, "millimeters": 1e-3,
    "rad": 1.0, "deg": float(np.pi / 180), "degrees": float(np.pi / 180), "normal": 1.0, "normalized": 1.0,
    "N": 1.0, "kN": 1e3, "newtons": 1.0, "Nm": 1.0, "N m": 1.0, "Nmm": 1e-3,
    "V": 1.0, "mV": 1e-3, "uV": 1e-6, "µV": 1e-6, "volts": 1.0, "millivolts": 1e-3, "microvolts": 1e-6,
    "s": 1.0, "ms": 1e-3, "seconds": 1.0, "%": 1e-2, "Hz": 1.0,
}  # fmt: skip
"""Units that streams may name, and what one of each is in SI; others are kept, named in a warning, and not scaled."""


@dataclass(frozen=True)
class Channel:
    """One number of a sample.

    Attributes:
        name: unique within its stream.
        unit: as the device names it, see `UNITS`.
    """

    name: str
    unit: str = ""


@dataclass(frozen=True)
class Stream:
    """What a device sends.

    Attributes:
        name: of the stream, as people know it.
        kind: what it holds.
        rate: samples per second [Hz] that the device promises; 0: whenever something happens.
        channels: of each sample; of text, one.
        source: what tells this device from another of the same name and type, also after a restart (serial number).
        dtype: of the values: "<f4", "<f8", "<i4", "<i2" ...; "text" for words.
        numbered: every sample has a number, so that lost ones are counted.
        about: anything else, by key (plate corners, marker set, ...), as text.
    """

    name: str
    kind: StreamKind
    rate: float
    channels: tuple[Channel, ...]
    source: str = ""
    dtype: str = "<f4"
    numbered: bool = False
    about: dict[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", tuple(self.channels))
        if not self.name or "\n" in self.name:
            raise ArgumentError(f"stream: a name of one line expected, got {self.name!r}")
        if not isinstance(self.kind, StreamKind):
            raise ArgumentError(f"stream {self.name!r}: kind must be of StreamKind, got {self.kind!r}")
        if not (np.isfinite(self.rate) and self.rate >= 0):
            raise ArgumentError(f"stream {self.name!r}: rate must be 0 or more Hz, got {self.rate!r}")
        if not self.channels or (self.is_text and len(self.channels) != 1):
            raise ArgumentError(f"stream {self.name!r}: {len(self.channels)} channels; one at least, of text just one")
        names = [c.name for c in self.channels]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise ArgumentError(f"stream {self.name!r}: two channels are called {twice!r}")
        if not self.is_text:
            try:
                good = np.dtype(self.dtype).kind in "fi"
            except TypeError:
                good = False
            if not good:
                raise ArgumentError(f"stream {self.name!r}: dtype must be of numbers or 'text', got {self.dtype!r}")

    @property
    def is_text(self) -> bool:
        """Whether values are words."""
        return self.dtype == "text"

    @property
    def key(self) -> str:
        """What tells it from all others: its name, and what the device calls itself."""
        return f"{self.name} [{self.source}]" if self.source else self.name

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the channels."""
        return tuple(c.name for c in self.channels)

    def unknown_units(self) -> tuple[str, ...]:
        """Units of its channels that are not in `UNITS`."""
        return tuple(sorted({c.unit for c in self.channels} - set(UNITS)))

    def to_json(self) -> str:
        """All of it as text, for files."""
        return json.dumps({
            "name": self.name, "kind": self.kind.name, "rate": self.rate, "source": self.source, "dtype": self.dtype,
            "numbered": self.numbered, "channels": [[c.name, c.unit] for c in self.channels], "about": self.about,
        }, ensure_ascii=False)  # fmt: skip

    @staticmethod
    def from_json(text: str) -> "Stream":
        """The stream that `to_json` wrote.

        Raises:
            ArgumentError: it is not one.
        """
        try:
            d = json.loads(text)
            channels = tuple(Channel(str(name), str(unit)) for name, unit in d["channels"])
            about = {str(k): str(v) for k, v in d.get("about", {}).items()}
            return Stream(str(d["name"]), StreamKind[d["kind"]], float(d["rate"]), channels, str(d["source"]),
                          str(d["dtype"]), bool(d["numbered"]), about)  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArgumentError(f"not the description of a stream: {error}") from error


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a stream, in the order in which they came.

    Attributes:
        raw: stamps of the device, as they came [s], shape (n,).
        arrival: when they came, local monotonic clock [s], shape (n,).
        values: shape (n, nc), of the stream's dtype; of text, a list of n words.
        local: raw stamps carried to the local clock, as known when they came [s], shape (n,); None: not done.
        numbers: of numbered streams, shape (n,), int64; None: there are none.
    """

    raw: Array
    arrival: Array
    values: Any
    local: Array | None = None
    numbers: Array | None = None

    def __len__(self) -> int:
        return len(self.raw)

    def part(self, chosen: Any) -> "Samples":
        """Some of them: a slice, a mask or indices."""
        values = self.values
        if isinstance(values, list):
            values = [values[i] for i in np.arange(len(values))[chosen]]
        else:
            values = values[chosen]
        local = None if self.local is None else self.local[chosen]
        numbers = None if self.numbers is None else self.numbers[chosen]
        return Samples(self.raw[chosen], self.arrival[chosen], values, local, numbers)


def joined(parts: Sequence[Samples], stream: Stream) -> Samples:
    """One after the other; for none, none."""
    if not parts:
        none = np.zeros(0)
        values: Any = [] if stream.is_text else np.zeros((0, len(stream.channels)), stream.dtype)
        return Samples(none, none, values, none, np.zeros(0, np.int64) if stream.numbered else None)
    if len(parts) == 1:
        return parts[0]
    values = [v for p in parts for v in p.values] if stream.is_text else np.concatenate([p.values for p in parts])
    locals_ = [p.raw if p.local is None else p.local for p in parts]
    numbers = [p.numbers for p in parts if p.numbers is not None]
    return Samples(
        np.concatenate([p.raw for p in parts]), np.concatenate([p.arrival for p in parts]), values,
        np.concatenate(locals_), np.concatenate(numbers) if len(numbers) == len(parts) else None,
    )  # fmt: skip
