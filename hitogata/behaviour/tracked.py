"""Streams of markers and trackers as places and turns by name, for `capture.LiveDrags`.

Channels are called NAME.x, NAME.y, NAME.z and, of 6-DOF trackers, NAME.qw, NAME.qx, NAME.qy, NAME.qz; a stream of one
tracker may leave NAME out, and is called after the stream.
"""

from typing import Any

import numpy as np

from hitogata.behaviour.streams import UNITS, Array, Stream
from hitogata.errors import ArgumentError

_PLACE, _TURN = ("x", "y", "z"), ("qw", "qx", "qy", "qz")


class TrackedStream:
    """What is tracked in a stream.

    Attributes:
        places: channels of each point, by name.
        turns: channels of each tracker's turn, by name.
    """

    def __init__(self, stream: Stream) -> None:
        """Find the points of a stream.

        Args:
            stream: of markers or trackers.

        Raises:
            ArgumentError: no point with x, y and z is in it.
        """
        found: dict[str, dict[str, int]] = {}
        for k, channel in enumerate(stream.channels):
            name, _, axis = channel.name.rpartition(".")
            found.setdefault(name or stream.name, {})[axis] = k
        self.places = {n: [c[a] for a in _PLACE] for n, c in found.items() if all(a in c for a in _PLACE)}
        self.turns = {n: [c[a] for a in _TURN] for n, c in found.items()
                      if n in self.places and all(a in c for a in _TURN)}  # fmt: skip
        if not self.places:
            raise ArgumentError(
                f"stream {stream.name!r} has no tracked points: channels NAME.x, NAME.y, NAME.z expected, it has "
                f"{', '.join(stream.labels[:6])}"
            )
        self._scale = np.array([UNITS.get(channel.unit, 1.0) for channel in stream.channels])

    def read(self, values: Any) -> tuple[dict[str, Array], dict[str, Array]]:
        """Places [m] and turns (wxyz) of one sample, shape (nc,); NaN where not seen."""
        row = np.asarray(values, dtype=np.float64) * self._scale
        return {n: row[k] for n, k in self.places.items()}, {n: row[k] for n, k in self.turns.items()}
