"""XDF, the format of LabRecorder: recordings in and out, also damaged ones.

A file is chunks: length, tag, content.  Samples carry raw stamps; the offsets to the recorder's clock are chunks of
their own, at times of the stream's clock.  XDF knows no arrivals: a recording that was read from it has raw stamps plus
offsets in their place.  Written files carry the offsets of our clocks, so any reader gets our times.  Specification:
XDF 1.0 (github.com/sccn/xdf).
"""

import gzip
import itertools
import pathlib
import struct
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.behaviour.lsl import channel_names, kind_of
from hitogata.behaviour.recording import Recording, Track, recording_of
from hitogata.behaviour.streams import Array, Samples, Stream
from hitogata.errors import ArgumentError, FileFormatError

BOUNDARY = bytes((0x43, 0xA5, 0x46, 0xDC, 0xCB, 0xF5, 0x41, 0x0F, 0xB3, 0x0E, 0xD5, 0x46, 0x73, 0x83, 0xCB, 0xE4))
_FILE, _STREAM, _SAMPLES, _OFFSET, _BOUNDARY, _FOOTER = 1, 2, 3, 4, 5, 6
_DTYPES = {"float32": "<f4", "double64": "<f8", "int8": "|i1", "int16": "<i2", "int32": "<i4", "int64": "<i8",
           "string": "text"}  # fmt: skip
_LARGEST = 1 << 28


@dataclass
class _Part:
    """A stream while its file is read."""

    stream: Stream
    stamps: list[Array] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    offsets: list[tuple[float, float]] = field(default_factory=list)
    last: float = 0.0


def read_xdf(path: str) -> Recording:
    """A recording from .xdf or .xdfz.

    Raises:
        FileFormatError: it is not XDF, or nothing of it can be read.
    """
    opened = gzip.open if str(path).lower().endswith(("z", ".gz")) else open
    try:
        with opened(path, "rb") as file:
            data = file.read()
    except (gzip.BadGzipFile, EOFError) as error:
        raise FileFormatError(f"{path}: {error}") from error
    if data[:4] != b"XDF:":
        raise FileFormatError(f"{path}: not an XDF file")
    parts: dict[int, _Part] = {}
    problems: list[str] = []
    for at, tag, content in _chunks(data, problems):
        try:
            _take(tag, content, parts)
        except (FileFormatError, ArgumentError, struct.error, ValueError, ET.ParseError) as error:
            problems.append(f"the chunk at byte {at} is damaged: {error}")
    if not parts:
        raise FileFormatError(f"{path}: no stream can be read" + (f"; {problems[0]}" if problems else ""))
    found = {}
    for number, part in parts.items():
        topic = f"/{part.stream.name}"
        if topic in found:
            topic = f"{topic}/{part.stream.source or number}"
        if topic in found:
            topic = f"{topic}/{number}"
        found[topic] = (part.stream, *_samples(part))
    return recording_of(found, [], problems, pathlib.Path(path).stem)


def _samples(part: _Part) -> tuple[Samples, list[tuple[float, float]]]:
    """All samples of a stream, and its round trips, at times of the recorder's clock."""
    raw = np.concatenate(part.stamps) if part.stamps else np.zeros(0)
    if part.stream.is_text:
        values: Any = [v for each in part.values for v in each]
    else:
        empty = np.zeros((0, len(part.stream.channels)), part.stream.dtype)
        values = np.concatenate(part.values) if part.values else empty
    offsets = np.array([o for o in part.offsets if np.isfinite(o).all()], np.float64).reshape(-1, 2)
    offset = offsets_at(offsets, raw)
    with np.errstate(invalid="ignore"):  # stamps of damaged files
        arrival = raw + offset
    return Samples(raw, arrival, values), [(t + o, o) for t, o in offsets.tolist()]


def offsets_at(offsets: Array, raw: Array) -> Array:
    """Offsets at stamps, by straight lines; where the stream's clock jumped, those measured on the same side.

    Args:
        offsets: times of the stream's clock, and offsets [s], in the order of measuring, shape (k, 2).
        raw: stamps, in order, shape (n,).
    """
    if not len(offsets):
        return np.zeros(len(raw))
    step = np.abs(np.diff(offsets[:, 1])) > 1.0
    runs = np.split(np.arange(len(offsets)), np.flatnonzero(step) + 1)
    found = np.empty(len(raw))
    if len(runs) == 1:
        found[:] = np.interp(raw, *offsets[np.argsort(offsets[:, 0], kind="stable")].T)
        return found
    starts = [0, *(np.flatnonzero(np.abs(np.diff(raw)) > 1.0) + 1).tolist(), len(raw)]
    for i, j in itertools.pairwise(starts):
        far = [abs(float(np.mean(offsets[run, 0])) - float(raw[i:j].mean())) if j > i else 0.0 for run in runs]
        run = runs[int(np.argmin(far))]
        found[i:j] = np.interp(raw[i:j], offsets[run, 0], offsets[run, 1])
    return found


# ------------------------------------------------------- chunks


def _length(data: bytes, at: int) -> tuple[int, int]:
    """A number of 1, 4 or 8 bytes, and where it ends."""
    if at >= len(data) or data[at] not in (1, 4, 8) or at + 1 + data[at] > len(data):
        raise FileFormatError("a length is damaged")
    n = data[at]
    return int.from_bytes(data[at + 1 : at + 1 + n], "little"), at + 1 + n


def _chunks(data: bytes, problems: list[str]) -> Iterator[tuple[int, int, bytes]]:
    """Chunks in order: place, tag, content; after damage, from the next boundary on."""
    at = 4
    while at < len(data):
        try:
            length, begin = _length(data, at)
            if not (2 <= length <= _LARGEST and begin + length <= len(data)):
                raise FileFormatError("its length goes beyond the file")
            tag = int.from_bytes(data[begin : begin + 2], "little")
            if not _FILE <= tag <= _FOOTER:
                raise FileFormatError(f"tag {tag} is unknown")
        except FileFormatError as error:
            again = data.find(BOUNDARY, at)
            problems.append(f"the chunk at byte {at} is damaged: {error}")
            if again < 0:
                return
            at = again + len(BOUNDARY)
            continue
        yield at, tag, data[begin + 2 : begin + length]
        at = begin + length


def _take(tag: int, content: bytes, parts: dict[int, _Part]) -> None:
    if tag not in (_STREAM, _SAMPLES, _OFFSET):
        return
    number = int.from_bytes(content[:4], "little")
    if tag == _STREAM:
        parts.setdefault(number, _Part(_described(content[4:])))
    elif number not in parts:
        raise FileFormatError(f"stream {number} was not described")
    elif tag == _OFFSET:
        parts[number].offsets.append(struct.unpack("<dd", content[4:20]))
    else:
        _take_samples(content, parts[number])


def _described(xml: bytes) -> Stream:
    root = ET.fromstring(xml.decode("utf-8", "replace"))
    own = root.findtext("./desc/hitogata", "")
    if own:
        try:
            return Stream.from_json(own)
        except ArgumentError:
            pass
    form = root.findtext("channel_format", "").strip()
    if form not in _DTYPES:
        raise FileFormatError(f"values of format {form!r} are unknown")
    count, rate = int(root.findtext("channel_count", "0")), float(root.findtext("nominal_srate", "0") or 0)
    if not 0 < count < 1 << 16:
        raise FileFormatError(f"{count} channels")
    channels = channel_names(root, count)
    if form == "string":
        channels = channels[:1]
    return Stream(root.findtext("name", "") or "unnamed", kind_of(root.findtext("type", "") or ""),
                  rate if np.isfinite(rate) and rate > 0 else 0.0, channels, root.findtext("source_id", "") or "",
                  _DTYPES[form])  # fmt: skip


def _take_samples(content: bytes, part: _Part) -> None:
    n, at = _length(content, 4)
    stream, period = part.stream, 1.0 / part.stream.rate if part.stream.rate > 0 else 0.0
    if n > len(content):
        raise FileFormatError(f"{n} samples in {len(content)} bytes")
    size = 0 if stream.is_text else np.dtype(stream.dtype).itemsize * len(stream.channels)
    if size and len(content) - at == n * (9 + size) and n:
        table = np.frombuffer(content, np.dtype([("mark", "u1"), ("stamp", "<f8"), ("values", "V", size)]), n, at)
        if (table["mark"] == 8).all():
            part.stamps.append(table["stamp"].astype(np.float64))
            part.values.append(np.frombuffer(table["values"].tobytes(), stream.dtype).reshape(n, -1))
            part.last = float(part.stamps[-1][-1])
            return
    stamps, rows, words = np.zeros(n), bytearray(), []
    for k in range(n):
        mark, at = content[at] if at < len(content) else 255, at + 1
        if mark == 8:
            part.last = struct.unpack_from("<d", content, at)[0]
            at += 8
        elif mark == 0:
            part.last += period
        else:
            raise FileFormatError(f"sample {k} has no stamp")
        stamps[k] = part.last
        if stream.is_text:
            length, at = _length(content, at)
            words.append(content[at : at + length].decode("utf-8", "replace"))
            at += length
        else:
            rows += content[at : at + size]
            at += size
        if at > len(content):
            raise FileFormatError("samples end early")
    part.stamps.append(stamps)
    part.values.append(words if stream.is_text else np.frombuffer(bytes(rows), stream.dtype).reshape(n, -1).copy())


# ------------------------------------------------------- writing


def write_xdf(recording: Recording, path: str) -> None:
    """Write a recording as XDF 1.0: raw stamps, and our clocks as clock offsets, one in five seconds."""
    with open(path, "xb") as file:
        file.write(b"XDF:")
        file.write(_chunk(_FILE, b'<?xml version="1.0"?><info><version>1.0</version></info>'))
        for number, track in enumerate(recording.tracks, 1):
            file.write(_chunk(_STREAM, number.to_bytes(4, "little") + _header(track.stream)))
        for number, track in enumerate(recording.tracks, 1):
            head = number.to_bytes(4, "little")
            raw, local = track.samples.raw, track.local
            for i in _offset_samples(raw, local):
                file.write(_chunk(_OFFSET, head + struct.pack("<dd", raw[i], local[i] - raw[i])))
            for i in range(0, len(track), 2048):
                file.write(_chunk(_SAMPLES, head + _rows(track, slice(i, i + 2048))))
                file.write(_chunk(_BOUNDARY, BOUNDARY))
            first, last = (raw[0], raw[-1]) if len(raw) else (0.0, 0.0)
            footer = ET.Element("info")
            for key, value in (("first_timestamp", first), ("last_timestamp", last), ("sample_count", len(raw))):
                ET.SubElement(footer, key).text = repr(value) if isinstance(value, int) else f"{value:.9f}"
            file.write(_chunk(_FOOTER, head + b'<?xml version="1.0"?>' + ET.tostring(footer)))


def _offset_samples(raw: Array, local: Array) -> list[int]:
    """Samples at which offsets are written: one in five seconds, and both sides of jumps."""
    if not len(raw):
        return []
    chosen = set(np.flatnonzero(np.diff(np.floor((local - local[0]) / 5.0), prepend=-1.0) != 0).tolist())
    jumps = np.flatnonzero(np.abs(np.diff(local - raw)) > 0.05)
    return sorted({*chosen, *jumps.tolist(), *(jumps + 1).tolist(), len(raw) - 1})


def _chunk(tag: int, content: bytes) -> bytes:
    length = len(content) + 2
    return b"\x04" + length.to_bytes(4, "little") + tag.to_bytes(2, "little") + content


def _header(stream: Stream) -> bytes:
    root = ET.Element("info")
    form = "string" if stream.is_text else np.dtype(stream.dtype).name.replace("float64", "double64")
    if form not in _DTYPES:
        raise ArgumentError(f"stream {stream.name!r}: XDF has no values of dtype {stream.dtype!r}")
    for key, value in (
        ("name", stream.name), ("type", stream.kind.value), ("channel_count", len(stream.channels)),
        ("nominal_srate", repr(float(stream.rate))), ("channel_format", form), ("source_id", stream.source),
    ):  # fmt: skip
        ET.SubElement(root, key).text = str(value)
    desc = ET.SubElement(root, "desc")
    channels = ET.SubElement(desc, "channels")
    for channel in stream.channels:
        one = ET.SubElement(channels, "channel")
        for key, value in (("label", channel.name), ("unit", channel.unit), ("type", stream.kind.value)):
            ET.SubElement(one, key).text = value
    ET.SubElement(desc, "hitogata").text = stream.to_json()
    return b'<?xml version="1.0"?>' + ET.tostring(root)


def _rows(track: Track, part: slice) -> bytes:
    s = track.samples.part(part)
    n = len(s)
    head = b"\x04" + n.to_bytes(4, "little")
    if track.stream.is_text:
        rows = bytearray(head)
        for stamp, word in zip(s.raw, s.values, strict=True):
            text = str(word).encode()
            rows += b"\x08" + struct.pack("<d", stamp) + b"\x04" + len(text).to_bytes(4, "little") + text
        return bytes(rows)
    values = np.ascontiguousarray(s.values, np.dtype(track.stream.dtype).newbyteorder("<"))
    width = values.itemsize * values.shape[1]
    table = np.zeros(n, np.dtype([("mark", "u1"), ("stamp", "<f8"), ("values", "V", width)]))
    table["mark"], table["stamp"] = 8, s.raw
    table["values"] = np.frombuffer(values.tobytes(), f"V{width}")
    return head + table.tobytes()
