"""What device simulators play: recordings of real devices, from files or from sample motions of our own.

A source has a stream and answers for any sample number; after its end it begins again.
"""

import dataclasses
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.behaviour.streams import Array, Channel, Stream, StreamKind
from hitogata.errors import ArgumentError
from hitogata.figure.pose import Pose
from hitogata.files import Axes
from hitogata.library.samples import sample_walk

SYNC = "sync"
"""Channel of what all devices see at once: a bump of height 1, see `pulse`."""
PULSE = 0.06
"""Standard deviation of the bump [s]."""


@dataclass(frozen=True, eq=False)
class Source:
    """Samples at even times.

    Attributes:
        stream: what they are.
        values: shape (n, nc), of one round.
        pulses: times of events that all devices see, from the beginning of playing [s].
    """

    stream: Stream
    values: Array
    pulses: tuple[float, ...] = ()

    def at(self, first: int, count: int, elapsed: Array) -> Array:
        """Values of samples `first`, ..., taken at times since the beginning of playing [s]; shape (count, nc)."""
        values = self.values[np.arange(first, first + count) % len(self.values)]
        if self.pulses:
            values = values.copy()
            values[:, -1] = pulse(elapsed, self.pulses)
        return values


def pulse(time: Array, at: tuple[float, ...]) -> Array:
    """Bumps: Σ exp(-(t - tᵢ)² / 2σ²), shape of time."""
    found = np.zeros(len(time))
    for t in at:
        found += np.exp(-0.5 * ((time - t) / PULSE) ** 2)
    return found


def with_pulses(source: Source, at: tuple[float, ...]) -> Source:
    """The same with a channel `sync` that shows events at times from the beginning of playing [s]."""
    stream = dataclasses.replace(source.stream, channels=(*source.stream.channels, Channel(SYNC, "1")))
    return Source(stream, np.c_[source.values, np.zeros(len(source.values))], tuple(at))


# ------------------------------------------------------- from files


def source_of(
    path: str, kind: StreamKind | None = None, *, name: str = "", rate: float = 0.0, axes: Axes = Axes.KEEP
) -> Source:  # fmt: skip
    """What a file gives: of a C3D file markers, or what `kind` asks for; of a table its columns.

    Args:
        path: .c3d, .trc, .mot, .sto or .csv (a header line of names, the first of time [s]).
        kind: MARKERS, POINTS, FORCE_PLATE or EMG of C3D files; of tables, what they are.
        name: of the stream; the default is the file's name and the kind.
        rate: in the place of the file's own [Hz]: tables are interpolated.
        axes: of markers in the file.
    """
    file = pathlib.Path(path)
    suffix = file.suffix.lower()
    if suffix == ".c3d":
        from hitogata.files import read_c3d

        whole = read_c3d(path, axes=axes)
        wanted = kind or StreamKind.MARKERS
        if wanted in (StreamKind.MARKERS, StreamKind.POINTS):
            return markers_source(whole.markers, name or f"{file.stem} {wanted.name.lower()}", wanted)
        plates = {c for plate in whole.plates for c in plate.channels}
        pick = [i for i in range(len(whole.analog.labels)) if (i in plates) == (wanted is StreamKind.FORCE_PLATE)]
        if not pick:
            raise ArgumentError(f"{path}: no analog channel to play as {wanted.name}")
        channels = tuple(Channel(whole.analog.labels[i], whole.analog.units[i]) for i in pick)
        stream = Stream(name or f"{file.stem} {wanted.name.lower()}", wanted, whole.analog.rate, channels)
        return Source(stream, np.ascontiguousarray(whole.analog.values[:, pick], np.float32))
    if suffix == ".trc":
        from hitogata.files import read_trc

        return markers_source(read_trc(path, axes=axes), name or file.stem, kind or StreamKind.MARKERS)
    time, labels, values = _table(path, suffix)
    wanted = kind or StreamKind.ANGLES
    unit = {StreamKind.EMG: "mV", StreamKind.FORCE_PLATE: "N"}.get(wanted, "")
    return table_source(time, values, labels, name or file.stem, wanted, unit=unit, rate=rate)


def _table(path: str, suffix: str) -> tuple[Array, tuple[str, ...], Array]:
    if suffix in (".mot", ".sto"):
        from hitogata.files import read_storage

        table = read_storage(path)
        return table.time, table.columns, table.values.reshape(len(table.time), len(table.columns), -1)[:, :, 0]
    if suffix != ".csv":
        raise ArgumentError(f"{path}: devices play .c3d, .trc, .mot, .sto or .csv")
    with open(path, encoding="utf-8-sig") as lines:
        labels = [part.strip() for part in lines.readline().split(",")]
        try:
            rows = np.loadtxt(lines, delimiter=",", ndmin=2)
        except ValueError as error:
            raise ArgumentError(f"{path}: {error}") from error
    if rows.shape[1] != len(labels) or len(labels) < 2 or len(rows) < 2:
        raise ArgumentError(f"{path}: a header of names, the first of time, and rows of as many numbers expected")
    return rows[:, 0], tuple(labels[1:]), rows[:, 1:]


def markers_source(markers: Any, name: str, kind: StreamKind = StreamKind.MARKERS) -> Source:
    """Markers: channels x, y, z of each [m]; of POINTS without their names, in another order in every frame.

    Args:
        markers: `MarkerData`.
        name: of the stream.
        kind: MARKERS or POINTS.
    """
    positions = np.asarray(markers.positions, np.float32)
    labels = markers.labels
    if kind is StreamKind.POINTS:
        rng = np.random.default_rng(0)
        order = np.argsort(rng.random(positions.shape[:2]), axis=1)
        positions = np.take_along_axis(positions, order[:, :, None], axis=1)
        labels = tuple(f"point{k}" for k in range(len(labels)))
    channels = tuple(Channel(f"{label}.{axis}", "m") for label in labels for axis in "xyz")
    stream = Stream(name, kind, float(markers.rate), channels)
    return Source(stream, np.ascontiguousarray(positions.reshape(len(positions), -1)))


def table_source(
    time: Array, values: Array, labels: tuple[str, ...], name: str, kind: StreamKind,
    *, unit: str = "", rate: float = 0.0,
) -> Source:  # fmt: skip
    """Columns over time, at even times.

    Args:
        time: [s], rising, shape (nt,).
        values: shape (nt, nc).
        labels: of the columns.
        name: of the stream.
        kind: of the stream.
        unit: of all columns.
        rate: [Hz]; 0: as the times have it in the mean.
    """
    if len(time) < 2 or not (np.diff(time) > 0).all():
        raise ArgumentError(f"{name}: times must rise to be played")
    rate = rate or (len(time) - 1) / float(time[-1] - time[0])
    even = time[0] + np.arange(round((time[-1] - time[0]) * rate) + 1) / rate
    columns = np.stack([np.interp(even, time, column) for column in np.asarray(values, np.float64).T], axis=1)
    return Source(Stream(name, kind, rate, tuple(Channel(label, unit) for label in labels)), columns.astype(np.float32))


# ------------------------------------------------------- of our own


def sample_source(name: str, *, strides: int = 4, numbered: bool = False) -> Source:
    """A device around the sample walk.

    Args:
        name: "markers": three on each link, 250 Hz; "plate": the weight under each foot, 1 kHz; "gaze": eyes on a
            target on the wall, 120 Hz; "emg": sixteen channels of noise that rises with the speed of joints, 2 kHz;
            "tracker": place and turn of the chest, 60 Hz.
        strides: how many.
        numbered: for a socket device.
    """
    if name not in SAMPLES:
        raise ArgumentError(f"sample {name!r}: there are {', '.join(SAMPLES)}")
    make, rate = SAMPLES[name]
    made = make(sample_walk(strides=strides, rate=rate))
    return dataclasses.replace(made, stream=dataclasses.replace(made.stream, numbered=numbered))


def _placed(walk: Any) -> tuple[Any, Array]:
    """Links, and their poses, shape (nt, nl, 4, 4)."""
    from hitogata.dynamics import forward_kinematics
    from hitogata.library import virtual_human

    figure = virtual_human()
    return figure.links, forward_kinematics(figure, walk.q).matrices


def _walk_markers(walk: Any) -> Source:
    links, poses = _placed(walk)
    channels, columns = [], []
    for k, link in enumerate(links):
        for j, offset in enumerate(((0.0, 0.05, 0.0), (0.03, -0.04, 0.06), (-0.04, 0.0, 0.03))):
            place = poses[:, k, :3, :3] @ np.array(offset) + poses[:, k, :3, 3]
            channels += [Channel(f"{link.name}{j}.{axis}", "m") for axis in "xyz"]
            columns.append(place)
    stream = Stream("walk markers", StreamKind.MARKERS, 250.0, tuple(channels), "sample-markers")
    return Source(stream, np.concatenate(columns, axis=1).astype(np.float32))


def _walk_plate(walk: Any) -> Source:
    links, poses = _placed(walk)
    feet = [i for i, link in enumerate(links) if "foot" in link.name]
    height = poses[:, feet, 2, 3]
    share = np.exp(-(height - height.min(axis=1, keepdims=True)) / 0.02)
    share /= share.sum(axis=1, keepdims=True)
    weight = 9.81 * sum(link.mass.mass for link in links)
    columns, channels = [], []
    for k, side in enumerate(("left", "right")):
        fz = weight * share[:, k]
        place = poses[:, feet[k], :2, 3]
        columns += [0 * fz, 0 * fz, fz, fz * place[:, 1], -fz * place[:, 0], 0 * fz]
        channels += [Channel(f"{what}_{side}", unit) for what, unit in
                     (("fx", "N"), ("fy", "N"), ("fz", "N"), ("mx", "Nm"), ("my", "Nm"), ("mz", "Nm"))]  # fmt: skip
    stream = Stream("walk plates", StreamKind.FORCE_PLATE, 1000.0, tuple(channels), "sample-plates")
    return Source(stream, np.stack(columns, axis=1).astype(np.float32))


GAZE_TARGET = (6.0, 1.0, 1.4)
"""What the sample's eyes look at [m]."""


def _walk_gaze(walk: Any) -> Source:
    links, poses = _placed(walk)
    head = next(i for i, link in enumerate(links) if link.name == "head")
    eye = poses[:, head, :3, 3] + np.array([0.08, 0.0, 0.08])
    way = np.array(GAZE_TARGET) - eye
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    pupil = 3.5 + 0.4 * np.sin(2 * np.pi * 0.3 * np.arange(len(eye)) / 120.0)
    names = [("origin.x", "m"), ("origin.y", "m"), ("origin.z", "m"), ("direction.x", "1"), ("direction.y", "1"),
             ("direction.z", "1"), ("pupil", "mm")]  # fmt: skip
    stream = Stream("walk gaze", StreamKind.GAZE, 120.0, tuple(Channel(*n) for n in names), "sample-gaze")
    return Source(stream, np.c_[eye, way, pupil].astype(np.float32))


def _walk_emg(walk: Any) -> Source:
    rng = np.random.default_rng(5)
    speed = np.abs(walk.v[:, 6:22])
    drive = 0.05 + speed / (speed.max(axis=0, keepdims=True) + 1e-9)
    noise = rng.standard_normal(drive.shape)
    spectrum = np.fft.rfft(noise, axis=0)
    f = np.fft.rfftfreq(len(noise), 1 / 2000.0)
    spectrum[(f < 20) | (f > 450)] = 0.0
    raw = np.fft.irfft(spectrum, len(noise), axis=0) * drive
    stream = Stream("walk emg", StreamKind.EMG, 2000.0, tuple(Channel(f"muscle{k + 1}", "mV") for k in range(16)),
                    "sample-emg")  # fmt: skip
    return Source(stream, raw.astype(np.float32))


def _walk_tracker(walk: Any) -> Source:
    links, poses = _placed(walk)
    chest = next(i for i, link in enumerate(links) if link.name == "chest")
    quats = np.array([Pose.from_matrix(m).quat for m in poses[:, chest, :3, :3]])
    names = [("x", "m"), ("y", "m"), ("z", "m"), ("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1")]
    stream = Stream("walk tracker", StreamKind.TRACKER, 60.0, tuple(Channel(*n) for n in names), "sample-tracker")
    return Source(stream, np.c_[poses[:, chest, :3, 3], quats].astype(np.float32))


SAMPLES: dict[str, tuple[Callable[[Any], Source], float]] = {
    "markers": (_walk_markers, 250.0), "plate": (_walk_plate, 1000.0), "gaze": (_walk_gaze, 120.0),
    "emg": (_walk_emg, 2000.0), "tracker": (_walk_tracker, 60.0),
}  # fmt: skip
"""Sample devices: how their samples are made, and their rates [Hz]."""
