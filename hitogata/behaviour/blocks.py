"""Samples as bytes: the message of a recording, and what a damaged file can be searched for.

    magic 4 | flags u16 | dtype 6 | samples u32 | channels u32 | crc32 of the rest u32 |
    raw f8 [n] | arrival f8 [n] | local f8 [n] | numbers i8 [n] (flag 1) | values [n × channels], or JSON (flag 2)

Little-endian.  A block says by itself whether it is whole, so whatever of a file is left can be used.
"""

import json
import struct
import zlib

import numpy as np

from hitogata.behaviour.streams import Samples, Stream
from hitogata.errors import FileFormatError

MAGIC = b"HGS1"
_HEAD = struct.Struct("<4sH6sIII")
_NUMBERED, _TEXT = 1, 2

LAYOUT = (__doc__ or "").strip()
"""The layout in words; recordings carry it as their schema."""


def pack_block(stream: Stream, samples: Samples) -> bytes:
    """Samples of a stream as bytes."""
    flags, parts = 0, [samples.raw, samples.arrival, samples.raw if samples.local is None else samples.local]
    body = b"".join(np.ascontiguousarray(p, "<f8").tobytes() for p in parts)
    if samples.numbers is not None:
        flags |= _NUMBERED
        body += np.ascontiguousarray(samples.numbers, "<i8").tobytes()
    if stream.is_text:
        flags |= _TEXT
        body += json.dumps([str(v) for v in samples.values], ensure_ascii=False).encode()
        dtype = "text"
    else:
        dtype = np.dtype(stream.dtype).newbyteorder("<").str
        body += np.ascontiguousarray(samples.values, dtype).tobytes()
    head = _HEAD.pack(MAGIC, flags, dtype.encode(), len(samples), len(stream.channels), zlib.crc32(body))
    return head + body


def unpack_block(stream: Stream, data: bytes | memoryview) -> Samples:
    """The samples.

    Raises:
        FileFormatError: the bytes are damaged, or of another stream.
    """
    data = bytes(data)
    if len(data) < _HEAD.size:
        raise FileFormatError(f"a block of {len(data)} bytes; its head alone has {_HEAD.size}")
    magic, flags, name, n, channels, crc = _HEAD.unpack_from(data)
    body = data[_HEAD.size :]
    if magic != MAGIC or zlib.crc32(body) != crc:
        raise FileFormatError("a block is damaged")
    dtype = name.rstrip(b"\0").decode("ascii", "replace")
    if channels != len(stream.channels) or (flags & _TEXT > 0) != stream.is_text:
        own = len(stream.channels)
        raise FileFormatError(f"a block of {channels} channels in stream {stream.key!r}, which has {own}")
    raw, arrival, local = (np.frombuffer(body, "<f8", n, 8 * n * k) for k in range(3))
    at = 24 * n
    numbers = None
    if flags & _NUMBERED:
        numbers = np.frombuffer(body, "<i8", n, at)
        at += 8 * n
    try:
        if flags & _TEXT:
            values = json.loads(body[at:].decode())
            if not isinstance(values, list) or len(values) != n:
                raise ValueError("words are missing")
        else:
            values = np.frombuffer(body, np.dtype(dtype), n * channels, at).reshape(n, channels)
    except (ValueError, TypeError) as error:
        raise FileFormatError(f"a block cannot be read: {error}") from error
    return Samples(raw, arrival, values, local, numbers)
