"""Forces of plates on the feet of a figure, at the time of a frame."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.behaviour.ring import Ring
from hitogata.behaviour.streams import UNITS, Array, Samples, Stream
from hitogata.errors import ArgumentError
from hitogata.figure import Figure

FEET = ("calcn", "foot", "heel", "ankle")
"""Links that stand on plates are called so, the first of these that there is."""
THRESHOLD = 20.0
"""Less than this upwards is nobody's [N]."""
REACH = 0.35
"""A force that acts further from every foot is nobody's [m]."""
LATE, NOBODY = "loads late", "a load is nobody's"


@dataclass(frozen=True)
class ForcePlate:
    """A plate: where its numbers are, and how they become a force on who stands on it.

    Attributes:
        stream: name of the stream.
        channels: of fx, fy, fz, mx, my, mz.
        origin: about which its moments are, in the world [m].
        rotation: from the plate's axes to the world's; negated where it tells the force on itself, shape (3, 3).
    """

    stream: str
    channels: tuple[str, str, str, str, str, str]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: Any = field(default_factory=lambda: np.eye(3), compare=False)

    def wrench(self, values: Array) -> Array:
        """[moment about the world's origin; force] in the world, shape (6,), of fx .. mz."""
        turn = np.asarray(self.rotation, np.float64)
        force = turn @ values[:3]
        return np.concatenate([turn @ values[3:] + np.cross(self.origin, force), force])


def plates_of(stream: Stream) -> tuple[ForcePlate, ...]:
    """Plates of a stream whose channels come in sixes, fx .. mz, in the world's axes and about its origin."""
    names = [c.name for c in stream.channels]
    wanted = ["fx", "fy", "fz", "mx", "my", "mz"]
    found = []
    for k in range(0, len(names) - 5):
        six = names[k : k + 6]
        if [n[:2].lower() for n in six] == wanted and len({n[2:] for n in six}) == 1:
            found.append(ForcePlate(stream.name, (six[0], six[1], six[2], six[3], six[4], six[5])))
    return tuple(found)


class PlateLoads:
    """Wrenches on feet: each plate's force goes to the foot that is nearest to where it acts, in each frame anew."""

    def __init__(
        self, figure: Figure, plates: Sequence[ForcePlate], *, threshold: float = THRESHOLD, span: float = 10.0
    ) -> None:
        """For a figure.

        Args:
            figure: with links called `FEET`.
            plates: that it walks on.
            threshold: of forces that count [N].
            span: seconds that are kept.
        """
        self.figure, self.plates, self.threshold = figure, tuple(plates), threshold
        feet = next((found for word in FEET if (found := [
            k for k, name in enumerate(figure.link_names) if word in name.lower()])), [])  # fmt: skip
        if not feet:
            raise ArgumentError(
                f"figure {figure.name!r}: no link is called {' or '.join(FEET)}, so nobody can stand on a plate"
            )
        toes = [next((j for j, parent in enumerate(figure.parents) if parent == k), k) for k in feet]
        self._feet, self._toes = np.array(feet), np.array(toes)
        self._rings: dict[str, Ring] = {plate.stream: Ring(0) for plate in self.plates}
        self._span = span
        self._columns: dict[str, tuple[list[list[int]], Array]] = {}

    def listen(self, stream: Stream, samples: Samples) -> None:
        """Samples of any stream; those of its plates are kept."""
        if stream.name not in self._rings or stream.is_text or samples.local is None:
            return
        if stream.name not in self._columns:
            scale = np.array([UNITS.get(c.unit, 1.0) for c in stream.channels])
            columns = []
            for plate in self.plates:
                if plate.stream == stream.name:
                    missing = [c for c in plate.channels if c not in stream.labels]
                    if missing:
                        raise ArgumentError(f"{stream.key}: a plate's channel {missing[0]!r} is not there")
                    columns.append([stream.labels.index(c) for c in plate.channels])
            self._rings[stream.name] = Ring(6 * len(columns), span=self._span)
            self._columns[stream.name] = columns, scale
        columns, scale = self._columns[stream.name]
        flat = [c for six in columns for c in six]
        table = np.asarray(samples.values, np.float64)[:, flat] * scale[flat]
        self._rings[stream.name].add(samples.local, table)

    def at(self, time: float, poses: Any, patience: float = 0.0) -> tuple[Array, tuple[str, ...]]:
        """[torque; force] on each link, shape (nlinks, 6), and what is wrong with it.

        Args:
            time: local clock [s].
            poses: of the links then, as `forward_kinematics` gives them.
            patience: how long to wait for samples [s].
        """
        found, marks = np.zeros((self.figure.nlinks, 6)), set()
        values: dict[str, Array] = {}
        for name, ring in self._rings.items():
            if name in self._columns:
                values[name], known = ring.at(time, patience)
            if name not in self._columns or not known:
                marks.add(LATE)
        seen: dict[str, int] = {}
        for plate in self.plates:
            if plate.stream not in values:
                continue
            i = seen.get(plate.stream, 0)
            seen[plate.stream] = i + 1
            wrench = plate.wrench(values[plate.stream][6 * i : 6 * i + 6])
            if not np.isfinite(wrench).all():
                marks.add(LATE)
                continue
            if wrench[5] <= self.threshold:
                continue
            foot = self._nearest(wrench, poses)
            if foot is None:
                marks.add(NOBODY)
                continue
            place = poses.position[foot]
            found[foot, :3] += wrench[:3] - np.cross(place, wrench[3:])
            found[foot, 3:] += wrench[3:]
        return found, tuple(sorted(marks))

    def _nearest(self, wrench: Array, poses: Any) -> int | None:
        """The foot whose line from heel to toe is nearest to where the force acts on the floor z = 0."""
        at = np.array([-wrench[1], wrench[0]]) / wrench[5]
        a, b = poses.position[self._feet, :2], poses.position[self._toes, :2]
        along, off = b - a, at - a
        part = np.clip((along * off).sum(1) / np.maximum((along**2).sum(1), 1e-12), 0, 1)
        gaps = np.linalg.norm(off - part[:, None] * along, axis=1)
        k = int(gaps.argmin())
        return int(self._feet[k]) if gaps[k] <= REACH else None
