"""Recordings as MCAP: written append-only, so that what was killed opens; read record by record, damage passed over.

Every stream is a channel, its description in the channel's metadata; every message is a block of samples (`blocks`).
Beside them: `/notes` (what happened: streams that came and went, gaps, full disks) and `/round_trips` (LSL's clock
offsets), as JSON.  A message is written in one go, and taken back if the disk does not take all of it, so that a file
never has half a message in its middle.  Any MCAP reader opens the file; ours also opens what is left of one.
"""

import json
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hitogata.behaviour.blocks import LAYOUT, MAGIC, pack_block, unpack_block
from hitogata.behaviour.streams import Samples, Stream
from hitogata.errors import ArgumentError, FileFormatError, MissingDependencyError

FILE_MAGIC = b"\x89MCAP0\r\n"
NOTES, ROUND_TRIPS = "/notes", "/round_trips"
MENDED = "mended"
"""What a channel's metadata say of local stamps that were found from a whole recording."""
_HEADER, _FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _DATA_END = 0x01, 0x02, 0x03, 0x04, 0x05, 0x0F
_MESSAGE_HEAD = struct.Struct("<HIQQ")
_LARGEST = 1 << 28
_LAST_OPCODE = 0x0F


class McapWriter:
    """Writes a recording.  Not for several threads at once."""

    def __init__(self, path: str) -> None:
        """Begin a file.

        Raises:
            ArgumentError: it exists.
            MissingDependencyError: without the package mcap.
        """
        try:
            from mcap.writer import CompressionType, Writer
        except ImportError as error:
            raise MissingDependencyError("recordings need mcap: pip install 'hitogata[behaviour]'") from error
        try:
            self._file = open(path, "xb", buffering=0)  # noqa: SIM115
        except FileExistsError as error:
            raise ArgumentError(f"{path}: there is a file already; recordings never write over one") from error
        self.path, self._waiting = path, _Waiting()
        output: Any = self._waiting
        self._writer = Writer(output, use_chunking=False, compression=CompressionType.NONE)
        self._writer.start(profile="hitogata", library="hitogata")
        blocks = self._writer.register_schema("hitogata.Samples", "text/plain", LAYOUT.encode())
        notes = self._writer.register_schema("hitogata.Note", "jsonschema", b'{"type": "object"}')
        self._blocks = blocks
        self._channels: dict[str, int] = {}
        self._counts: dict[int, int] = {}
        for topic in (NOTES, ROUND_TRIPS):
            self._channels[topic] = self._writer.register_channel(topic, "json", notes)
        self.commit()

    def add_stream(self, stream: Stream, topic: str, *, mended: bool = False) -> None:
        """A channel for a stream.

        Args:
            stream: its description.
            topic: its name in the file, unique.
            mended: local stamps of its samples are found from a whole recording, not while they came.
        """
        if topic in self._channels:
            raise ArgumentError(f"{self.path}: two streams under {topic!r}")
        about = {"stream": stream.to_json()} | ({"times": MENDED} if mended else {})
        self._channels[topic] = self._writer.register_channel(topic, "hitogata.Samples", self._blocks, about)

    def add_samples(self, topic: str, stream: Stream, samples: Samples) -> None:
        """A block of samples."""
        stamp = float(samples.arrival[-1]) if len(samples) else 0.0
        self._message(topic, stamp, pack_block(stream, samples))

    def add_note(self, topic: str, stamp: float, note: dict[str, Any]) -> None:
        """A note or a round trip."""
        self._message(topic, stamp, json.dumps({"time": stamp, **note}, ensure_ascii=False).encode())

    def _message(self, topic: str, stamp: float, data: bytes) -> None:
        channel = self._channels[topic]
        self._counts[channel] = self._counts.get(channel, 0) + 1
        when = max(0, round(stamp * 1e9))
        self._writer.add_message(channel, when, data, when, self._counts[channel])

    def commit(self) -> None:
        """Hand all that waits to the operating system: from here on it is in the file, whatever becomes of us.

        Raises:
            OSError: the disk is full, say; then nothing of it is in the file, and it waits on.
        """
        data = self._waiting.taken()
        if not data:
            return
        at = self._file.seek(0, os.SEEK_END)
        done = 0
        try:
            while done < len(data):
                done += self._file.write(memoryview(data)[done:]) or 0
        except OSError:
            self._file.truncate(at)
            raise
        self._waiting.forget(len(data))

    @property
    def waiting(self) -> int:
        """Bytes that are not in the file yet."""
        return len(self._waiting.taken())

    def close(self) -> None:
        """Write summary and end."""
        if not self._file.closed:
            try:
                self._writer.finish()
                self.commit()
            finally:
                self._file.close()

    def abandon(self) -> None:
        """Close the file as it is."""
        self._file.close()


class _Waiting:
    """A stream that keeps what is written until it is taken; `tell` counts from the beginning of the file."""

    def __init__(self) -> None:
        self._data, self._before = bytearray(), 0

    def write(self, data: Any) -> int:
        """Keep."""
        self._data += data
        return len(data)

    def tell(self) -> int:
        """Bytes written from the beginning."""
        return self._before + len(self._data)

    def flush(self) -> None:
        """Nothing: `McapWriter.commit` does."""

    def taken(self) -> bytes:
        """All that waits."""
        return bytes(self._data)

    def forget(self, count: int) -> None:
        """It is in the file."""
        del self._data[:count]
        self._before += count


# ------------------------------------------------------- reading


@dataclass
class McapContents:
    """What a file holds.

    Attributes:
        streams: by topic.
        blocks: of each topic, in order.
        notes: in order.
        round_trips: in order.
        mended: topics whose local stamps were found from a whole recording.
        whole: the file has its end.
        problems: what is damaged or odd, in words.
    """

    streams: dict[str, Stream] = field(default_factory=dict)
    blocks: dict[str, list[Samples]] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)
    round_trips: list[dict[str, Any]] = field(default_factory=list)
    mended: set[str] = field(default_factory=set)
    whole: bool = False
    problems: list[str] = field(default_factory=list)


def read_mcap(path: str) -> McapContents:
    """Everything that can be read of a recording, killed or damaged as it may be.

    Raises:
        FileFormatError: it is not MCAP, or no recording of ours.
    """
    with open(path, "rb") as file:
        data = file.read()
    if data[: len(FILE_MAGIC)] != FILE_MAGIC and not data.count(MAGIC):
        raise FileFormatError(f"{path}: not an MCAP file")
    found, channels = McapContents(), dict[int, str]()
    for opcode, content in _records(data, found):
        try:
            if opcode == _CHANNEL:
                _channel(content, found, channels)
            elif opcode == _MESSAGE:
                _message(content, found, channels)
            elif opcode == _DATA_END:
                found.whole = True
        except (FileFormatError, ArgumentError, struct.error, UnicodeDecodeError, ValueError) as error:
            found.problems.append(str(error))
    if not found.streams and found.problems:
        raise FileFormatError(f"{path}: {found.problems[0]}")
    if not found.streams and not channels:
        raise FileFormatError(f"{path}: an MCAP file without a stream of hitogata")
    if not found.whole:
        found.problems.append("the file has no end: its writer was stopped; all that it had written is here")
    return found


def _records(data: bytes, found: McapContents) -> Iterator[tuple[int, memoryview]]:
    """Records in order; after damage from the next block on that can be recognised."""
    view, at = memoryview(data), len(FILE_MAGIC)
    while at + 9 <= len(data):
        opcode, length = data[at], int.from_bytes(data[at + 1 : at + 9], "little")
        if opcode == 0x89 and data[at : at + 8] == FILE_MAGIC:
            return
        end = at + 9 + length
        if 1 <= opcode <= _LAST_OPCODE and length <= _LARGEST and end <= len(data):
            yield opcode, view[at + 9 : end]
            at = end
            continue
        again = data.find(MAGIC, at + 9 + _MESSAGE_HEAD.size + 1)
        if again < 0:
            found.problems.append(f"the last {len(data) - at} bytes hold no whole record")
            return
        at_new = again - _MESSAGE_HEAD.size - 9
        found.problems.append(f"bytes {at} to {at_new} are damaged")
        at = at_new


def _text(content: memoryview, at: int) -> tuple[str, int]:
    n = int.from_bytes(content[at : at + 4], "little")
    if at + 4 + n > len(content):
        raise FileFormatError("a record's text is longer than the record")
    return bytes(content[at + 4 : at + 4 + n]).decode(), at + 4 + n


def _channel(content: memoryview, found: McapContents, channels: dict[int, str]) -> None:
    number = int.from_bytes(content[:2], "little")
    topic, at = _text(content, 4)
    _, at = _text(content, at)
    end = at + 4 + int.from_bytes(content[at : at + 4], "little")
    at += 4
    about = {}
    while at < min(end, len(content)):
        key, at = _text(content, at)
        about[key], at = _text(content, at)
    channels.setdefault(number, topic)
    if "stream" in about and topic not in found.streams:
        found.streams[topic] = Stream.from_json(about["stream"])
        found.blocks[topic] = []
        if about.get("times") == MENDED:
            found.mended.add(topic)


def _message(content: memoryview, found: McapContents, channels: dict[int, str]) -> None:
    number, _, _, _ = _MESSAGE_HEAD.unpack_from(content)
    topic, body = channels.get(number, ""), content[_MESSAGE_HEAD.size :]
    if topic in found.streams:
        found.blocks[topic].append(unpack_block(found.streams[topic], body))
    elif topic in (NOTES, ROUND_TRIPS):
        note = json.loads(bytes(body).decode())
        if not isinstance(note, dict):
            raise FileFormatError("a note is damaged")
        (found.notes if topic == NOTES else found.round_trips).append(note)
