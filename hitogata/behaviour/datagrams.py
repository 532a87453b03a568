"""A plain socket device: samples in UDP datagrams, numbered, so that what is lost on the way is known.

    magic 4 "HGD1" | kind u8 | 3 × 0 | number of the first sample i64 | samples u32 | channels u32 | crc32 u32 |
    kind 0: stamps f8 [n] | values f4 [n × channels]
    kind 1: the stream's description as JSON (`Stream.to_json`); sent when asked for, and every second

Little-endian; the crc is of what follows.  A receiver asks by sending "hello"; the sender then sends to its address
until it has heard nothing for ten seconds (receivers say hello every two, and more often to one that is silent).  For
force plates and whatever else a small program can send.
"""

import contextlib
import socket
import struct
import time
import zlib
from collections.abc import Callable

import numpy as np

from hitogata.behaviour.streams import Array, Samples, Stream, joined
from hitogata.errors import ArgumentError, HitogataError

_HEAD = struct.Struct("<4sB3xqIII")
_MAGIC = b"HGD1"
_LARGEST = 1200
"""Bytes of numbers in a datagram; more than about 1400 would be cut in pieces on the way."""
HELLO, PATIENCE, AGAIN, SILENCE = b"hello", 10.0, 2.0, 0.2


def pack_datagram(kind: int, first: int, samples: int, channels: int, body: bytes) -> bytes:
    """A datagram."""
    return _HEAD.pack(_MAGIC, kind, first, samples, channels, zlib.crc32(body)) + body


def unpack_datagram(data: bytes) -> tuple[int, int, int, int, bytes] | None:
    """Kind, number of the first sample, samples, channels, body; None: not one of ours, or damaged."""
    if len(data) < _HEAD.size or data[:4] != _MAGIC:
        return None
    _, kind, first, samples, channels, crc = _HEAD.unpack_from(data)
    body = data[_HEAD.size :]
    return None if zlib.crc32(body) != crc else (kind, first, samples, channels, body)


class DatagramSender:
    """The device's end."""

    def __init__(self, stream: Stream, host: str = "127.0.0.1", port: int = 0,
                 lost: Callable[[], bool] = lambda: False) -> None:  # fmt: skip
        """Listen for receivers.

        Args:
            stream: numbered, of numbers.
            host: own address; the default hears this computer alone.
            port: own port; 0: any that is free.
            lost: asked for each datagram whether the network shall lose it (simulation).
        """
        if stream.is_text or not stream.numbered:
            raise ArgumentError(f"stream {stream.name!r}: datagrams carry numbered numbers (numbered=True, no text)")
        self.stream = stream
        self._lost = lost
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((host, port))
        self._socket.setblocking(False)
        self._heard: dict[tuple[str, int], float] = {}
        self._next = 0
        self._told = 0.0
        self.lost = 0

    @property
    def port(self) -> int:
        """Own port."""
        return int(self._socket.getsockname()[1])

    def send(self, values: Array, stamps: Array) -> None:
        """Send samples to all who asked; shapes (n, nc) and (n,)."""
        self._listen()
        channels = len(self.stream.channels)
        values = np.ascontiguousarray(values, "<f4").reshape(len(stamps), channels)
        step = max(1, _LARGEST // (8 + 4 * channels))
        for i in range(0, len(stamps), step):
            part = slice(i, i + step)
            body = np.ascontiguousarray(stamps[part], "<f8").tobytes() + values[part].tobytes()
            count = len(stamps[part])
            self._send(pack_datagram(0, self._next, count, channels, body), samples=count)
            self._next += count

    def has_receivers(self) -> bool:
        """Whether anybody asked lately."""
        self._listen()
        return bool(self._heard)

    def close(self) -> None:
        """Be gone."""
        self._socket.close()

    def _listen(self) -> None:
        now = time.monotonic()
        while True:
            try:
                data, address = self._socket.recvfrom(2048)
            except (BlockingIOError, ConnectionError):
                break
            if data == HELLO:
                if address not in self._heard:
                    self._told = 0.0
                self._heard[address] = now
        self._heard = {a: t for a, t in self._heard.items() if now - t < PATIENCE}
        if now - self._told > 1.0 and self._heard:
            self._told = now
            body = self.stream.to_json().encode()
            for address in self._heard:
                self._write(pack_datagram(1, 0, 0, len(self.stream.channels), body), address)

    def _send(self, data: bytes, samples: int) -> None:
        if self._heard and self._lost():
            self.lost += samples
            return
        for address in self._heard:
            self._write(data, address)

    def _write(self, data: bytes, address: tuple[str, int]) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionError):  # full, or nobody there: lost on the way
            self._socket.sendto(data, address)


class DatagramInlet:
    """The recorder's end; with the same words as an LSL inlet."""

    def __init__(
        self, host: str, port: int, *, timeout: float = 5.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Ask a sender for its stream.

        Raises:
            HitogataError: it does not answer.
        """
        self._address, self._clock = (host, port), clock
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
        self._socket.connect(self._address)
        self._said = self._got = 0.0
        self.damaged = 0
        self._next: Stream | None = None
        end = time.monotonic() + timeout
        stream = None
        while stream is None:
            if time.monotonic() > end:
                self._socket.close()
                raise HitogataError(f"no device answers at {host}:{port}; is it running, and is this its port?")
            got = self._datagram(0.2)
            if got is not None and got[0] == 1:
                stream = self._described(got[4])
        self.stream = stream

    def receive(self, timeout: float = 0.2) -> Samples | None:
        """What has come, at the latest after a time-out [s]; None: nothing.

        A device that comes back with other channels changes `stream` between two calls.
        """
        if self._next is not None:
            self.stream, self._next = self._next, None
            return None
        parts: list[Samples] = []
        got = self._datagram(timeout)
        while got is not None:
            now = self._clock()
            kind, first, n, channels, body = got
            if kind == 0 and channels == len(self.stream.channels) and len(body) == n * (8 + 4 * channels):
                raw = np.frombuffer(body, "<f8", n)
                values = np.frombuffer(body, "<f4", n * channels, 8 * n).reshape(n, channels)
                parts.append(Samples(raw, np.full(n, now), values, None, np.arange(first, first + n)))
            elif kind == 0:
                self.damaged += 1
            else:
                told = self._described(body)
                if told is not None and told != self.stream:
                    self._next = told
                    break
            if len(parts) >= 256:
                break
            got = self._datagram(0.0)
        if not parts:
            return None
        return joined(parts, self.stream)

    def round_trip(self, timeout: float = 2.0) -> float | None:
        """There are none: the device's clock is found from arrivals."""
        return None

    def close(self) -> None:
        """Disconnect."""
        self._socket.close()

    def _datagram(self, timeout: float) -> tuple[int, int, int, int, bytes] | None:
        now = time.monotonic()
        if now - self._said > (AGAIN if now - self._got < SILENCE else SILENCE):
            self._said = now
            self._quietly(lambda: self._socket.send(HELLO))
        self._socket.settimeout(timeout if timeout > 0 else 0.0)
        data = self._quietly(lambda: self._socket.recv(65535))
        if not isinstance(data, bytes):
            if timeout > 0 and data is None:
                time.sleep(min(timeout, 0.01))
            return None
        self._got = time.monotonic()
        found = unpack_datagram(data)
        self.damaged += found is None
        return found

    @staticmethod
    def _quietly(call: Callable[[], bytes | int]) -> bytes | int | None:
        """What a call gives; False: it timed out; None: nobody is there (yet, or any more)."""
        try:
            return call()
        except (TimeoutError, BlockingIOError):
            return False
        except OSError:
            return None

    def _described(self, body: bytes) -> Stream | None:
        try:
            return Stream.from_json(body.decode("utf-8", "replace"))
        except ArgumentError:
            return None
