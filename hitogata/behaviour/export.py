"""A recording, or a cut of one, for other programs: MCAP, XDF, CSV, STO, TRC, C3D."""

import pathlib

import numpy as np

from hitogata.behaviour.recording import Recording, Track, of_kind, write_recording
from hitogata.behaviour.streams import UNITS, Array, Stream, StreamKind
from hitogata.errors import ArgumentError


def export(recording: Recording, path: str, *, rate: float = 100.0) -> None:
    """Write a recording in the format of the file's ending.

    Args:
        recording: what; `Recording.cut` it first for a part.
        path: .mcap and .xdf keep everything; .csv and .sto are one table at even times; .trc is the markers; .c3d
            markers, and all other channels as analog ones.
        rate: of tables [Hz]; markers keep theirs.
    """
    suffix = pathlib.Path(path).suffix.lower()
    if suffix in (".mcap", ".xdf"):
        write_recording(recording, path)
    elif suffix in (".csv", ".sto"):
        _write_table(recording, path, suffix, rate)
    elif suffix in (".trc", ".c3d"):
        _write_markers(recording, path, suffix)
    else:
        raise ArgumentError(f"{path}: recordings are exported as .mcap, .xdf, .csv, .sto, .trc or .c3d")


def _write_table(recording: Recording, path: str, suffix: str, rate: float) -> None:
    time, values, _ = recording.resample(rate)
    if not values:
        raise ArgumentError(f"{path}: {recording.name} has no stream of numbers to make a table of")
    names, columns = [], []
    for topic, table in values.items():
        track = recording.track(topic)
        names += [f"{track.stream.name}/{label}".replace(",", ";").replace("\t", " ") for label in track.stream.labels]
        columns.append(table)
    rows = np.concatenate(columns, axis=1)
    if suffix == ".sto":
        from hitogata.files import StorageTable, write_storage

        write_storage(StorageTable(tuple(names), time, rows, name=recording.name), path)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(["time", *names]) + "\n")
        for t, row in zip(time, rows, strict=True):
            file.write(",".join([f"{t:.9g}", *("" if np.isnan(v) else f"{v:.9g}" for v in row)]) + "\n")


def marker_channels(stream: Stream) -> tuple[tuple[str, ...], Array]:
    """Labels of a stream of markers: channels x, y, z of each, in this order; and metres of their units."""
    labels, scale = [], []
    for k in range(0, len(stream.channels) - 2, 3):
        triple = stream.channels[k : k + 3]
        stems = {c.name.rpartition(".")[0] for c in triple}
        if [c.name.rpartition(".")[2].lower() for c in triple] != ["x", "y", "z"] or len(stems) != 1:
            break
        labels.append(triple[0].name.rpartition(".")[0])
        scale.append(UNITS.get(triple[0].unit, 1.0))
    if not labels:
        raise ArgumentError(f"{stream.key}: no markers: channels 'name.x', 'name.y', 'name.z' expected")
    return tuple(labels), np.array(scale)


def marker_positions(track: Track) -> tuple[tuple[str, ...], Array]:
    """Labels and places of a stream of markers [m], shape (n, nm, 3)."""
    labels, scale = marker_channels(track.stream)
    places = np.asarray(track.values, np.float64)[:, : 3 * len(labels)].reshape(len(track), -1, 3)
    return labels, places * scale[:, None]


def _write_markers(recording: Recording, path: str, suffix: str) -> None:
    from hitogata.files import MarkerData, write_trc
    from hitogata.files.c3d import AnalogData, C3d, write_c3d

    tracks = [t for kind in (StreamKind.MARKERS, StreamKind.POINTS) for t in of_kind(recording, kind) if len(t) > 1]
    if not tracks:
        raise ArgumentError(f"{path}: {recording.name} has no stream of markers")
    track = tracks[0]
    labels, places = marker_positions(track)
    rate = track.stream.rate or (len(track) - 1) / float(track.time[-1] - track.time[0])
    begin, end = float(track.time[0]), float(track.time[-1])
    count = int(np.floor((end - begin) * rate + 1e-6)) + 1
    even = begin + np.arange(count) / rate
    flat, known = _at(track, places, even)
    if suffix == ".trc":
        markers = MarkerData(labels, even - begin, rate, np.where(known[:, None, None], flat, np.nan))
        write_trc(markers, path)
        return
    markers = MarkerData(labels, np.arange(count) / rate, rate, np.where(known[:, None, None], flat, np.nan))
    rest = [t for t in recording.tracks if t not in tracks and not t.stream.is_text]
    others = [t for t in rest if t.stream.rate > 0 and len(t) > 1]
    most = max((t.stream.rate for t in others), default=rate)
    per_frame = max(1, round(most / rate))
    times = begin + np.arange(count * per_frame) / (rate * per_frame)
    names: list[str] = []
    units, columns = [], []
    for t in others:
        values, _ = t.at(times)
        taken = set(names)
        for k, channel in enumerate(t.stream.channels):
            name = channel.name if channel.name not in taken else f"{t.stream.name} {channel.name}"
            names.append(name)
            units.append(channel.unit)
            columns.append(values[:, k])
    table = np.stack(columns, axis=1) if columns else np.zeros((len(times), 0))
    analog = AnalogData(tuple(names), tuple(units), rate * per_frame, times - begin, np.nan_to_num(table))
    write_c3d(C3d(markers, analog), path)


def _at(track: Track, places: Array, times: Array) -> tuple[Array, Array]:
    """Places at even times, and where the stream has samples near."""
    _, known = track.at(times)
    t = track.time
    i = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    share = ((times - t[i]) / np.maximum(t[i + 1] - t[i], 1e-12)).clip(0.0, 1.0)[:, None, None]
    near: Array = places[i] * (1.0 - share) + places[i + 1] * share
    return near, known
