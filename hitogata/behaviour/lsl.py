"""Lab Streaming Layer: outlets for who has data, inlets for who records; streams found by asking the network.

Stamps are asked for as they are (no post-processing of LSL's): what is done to them is done by `clock`, beside them.
Everything stays on this computer unless `allow_network` is called first.  A sender that comes back under the same
source name goes on in the same inlet.
"""

import threading
import time
import xml.etree.ElementTree as ET
from types import ModuleType
from typing import Any

import numpy as np

from hitogata.behaviour.streams import Array, Channel, Samples, Stream, StreamKind
from hitogata.errors import ArgumentError, HitogataError, MissingDependencyError

_FORMATS = {"<f4": "float32", "<f8": "double64", "<i4": "int32", "<i2": "int16", "<i1": "int8", "|i1": "int8",
            "<i8": "int64", "text": "string"}  # fmt: skip
_DTYPES = {1: "<f4", 2: "<f8", 3: "text", 4: "<i4", 5: "<i2", 6: "|i1", 7: "<i8"}
_WIDE = "[log]\nlevel = -3\n"
_LOCAL = _WIDE + "[multicast]\nResolveScope = machine\nAddressesOverride = {127.0.0.1}\nListenAddress = 127.0.0.1\n"

LINGER = 0.5
"""Seconds for the last samples to be sent."""

_lock = threading.Lock()
_state: dict[str, Any] = {"scope": _LOCAL, "module": None}


class StreamLostError(HitogataError, RuntimeError):
    """A stream's sender is gone, and has no source name under which it could come back."""


def allow_network() -> None:
    """Let streams of other computers be found, and ours be found by them; before anything else of this module.

    Raises:
        HitogataError: LSL is in use already.
    """
    with _lock:
        if _state["module"] is not None and _state["scope"] is not _WIDE:
            raise HitogataError("LSL is already in use on this computer alone; call allow_network() before")
        _state["scope"] = _WIDE


def liblsl() -> ModuleType:
    """The module `pylsl`, told once whom it may see.

    Raises:
        MissingDependencyError: it is not installed.
    """
    with _lock:
        if _state["module"] is None:
            try:
                import pylsl
            except (ImportError, RuntimeError) as error:
                raise MissingDependencyError(
                    f"streams of the Lab Streaming Layer need pylsl: pip install 'hitogata[behaviour]' ({error})"
                ) from error
            pylsl.set_config_content(_state["scope"])
            _state["module"] = pylsl
        module: ModuleType = _state["module"]
        return module


# ------------------------------------------------------- descriptions


def description(stream: Stream) -> Any:
    """LSL's `StreamInfo` of a stream, channels as XDF has them, and the rest of it under `hitogata`."""
    lsl = liblsl()
    wanted = stream.dtype if stream.is_text else np.dtype(stream.dtype).newbyteorder("<").str
    if wanted not in _FORMATS:
        raise ArgumentError(f"stream {stream.name!r}: LSL has no numbers of dtype {stream.dtype!r}")
    info = lsl.StreamInfo(stream.name, stream.kind.value, len(stream.channels), stream.rate, _FORMATS[wanted],
                          stream.source)  # fmt: skip
    channels = info.desc().append_child("channels")
    for channel in stream.channels:
        one = channels.append_child("channel")
        one.append_child_value("label", channel.name)
        one.append_child_value("unit", channel.unit)
        one.append_child_value("type", stream.kind.value)
    info.desc().append_child_value("hitogata", stream.to_json())
    return info


def stream_of(info: Any) -> Stream:
    """The stream that a full `StreamInfo` describes, ours or anybody's."""
    root = ET.fromstring(info.as_xml())
    desc = root.find("desc")
    own = "" if desc is None else desc.findtext("hitogata", "")
    if own:
        try:
            return Stream.from_json(own)
        except ArgumentError:
            pass  # of another version: read as anybody's
    names = channel_names(root, info.channel_count())
    kind = kind_of(info.type())
    return Stream(info.name() or "unnamed", kind, float(info.nominal_srate()), names, info.source_id(),
                  _DTYPES[info.channel_format()])  # fmt: skip


def kind_of(content: str) -> StreamKind:
    """The kind whose content type this is, in any case."""
    return next((k for k in StreamKind if k.value and k.value.lower() == content.lower()), StreamKind.OTHER)


def channel_names(root: ET.Element, count: int) -> tuple[Channel, ...]:
    """Channels of a description as XDF has it; names that are missing are made, those given twice get a number."""
    found = root.findall("./desc/channels/channel")
    names: list[Channel] = []
    for i in range(count):
        label = (found[i].findtext("label") or "").strip() if i < len(found) else ""
        unit = (found[i].findtext("unit") or "").strip() if i < len(found) else ""
        name = label or f"channel{i + 1}"
        taken = {c.name for c in names}
        if name in taken:
            name = next(f"{name}_{k}" for k in range(2, count + 2) if f"{name}_{k}" not in taken)
        names.append(Channel(name, unit))
    return tuple(names)


# ------------------------------------------------------- ends


class Outlet:
    """Sends samples of a stream."""

    def __init__(self, stream: Stream) -> None:
        lsl = liblsl()
        self.stream = stream
        self._outlet = lsl.StreamOutlet(description(stream))
        self._sent = 0.0

    def send(self, values: Any, stamps: Array) -> None:
        """Send samples.

        Args:
            values: shape (n, nc), or n words.
            stamps: of the device's clock [s], shape (n,).
        """
        if len(stamps):
            self._sent = time.monotonic()
            rows = [[str(v)] for v in values] if self.stream.is_text else values
            self._outlet.push_chunk(rows, [float(s) for s in stamps])

    def has_receivers(self) -> bool:
        """Whether anybody listens."""
        return bool(self._outlet.have_consumers())

    def close(self) -> None:
        """Be gone; if anybody listens, `LINGER` after the last sample: LSL lets go what waits."""
        if "_outlet" in self.__dict__ and self.has_receivers():
            time.sleep(max(0.0, self._sent + LINGER - time.monotonic()))
        self.__dict__.pop("_outlet", None)


class Inlet:
    """Receives samples of a stream."""

    def __init__(self, info: Any, *, timeout: float = 5.0) -> None:
        """Connect.

        Args:
            info: as `found_streams` gives it.
            timeout: for the sender to answer [s].

        Raises:
            StreamLostError: it does not.
        """
        lsl = liblsl()
        self._lsl = lsl
        self._inlet = lsl.StreamInlet(info, max_buflen=360, recover=bool(info.source_id()), processing_flags=0)
        try:
            self.stream = stream_of(self._inlet.info(timeout))
            self._inlet.open_stream(timeout)
        except (lsl.util.TimeoutError, lsl.util.LostError) as error:
            raise StreamLostError(f"stream {info.name()!r} was announced, but does not answer") from error
        self._room = None if self.stream.is_text else np.empty((4096, len(self.stream.channels)), self.stream.dtype)

    def receive(self, timeout: float = 0.2) -> Samples | None:
        """What has come, at the latest after a time-out [s]; None: nothing.

        Raises:
            StreamLostError: the sender is gone for good.
        """
        clock = self._lsl.local_clock
        try:
            if self._room is None:
                rows, stamps = self._inlet.pull_chunk(timeout=timeout, max_samples=4096, min_samples=1)
                values: Any = [row[0] for row in rows]
            else:
                _, stamps = self._inlet.pull_chunk(timeout, 4096, self._room, min_samples=1)
                values = self._room[: len(stamps)].copy()
        except self._lsl.util.LostError as error:
            raise StreamLostError(f"stream {self.stream.key!r}: its sender is gone") from error
        now = clock()
        if not len(stamps):
            return None
        raw = np.array(stamps, np.float64)
        return Samples(raw, np.full(len(raw), now), values)

    def round_trip(self, timeout: float = 2.0) -> float | None:
        """What is added to the sender's LSL clock for ours, by LSL's round trips [s]; None: no answer."""
        try:
            return float(self._inlet.time_correction(timeout))
        except (self._lsl.util.TimeoutError, self._lsl.util.LostError):
            return None

    def close(self) -> None:
        """Disconnect."""
        self.__dict__.pop("_inlet", None)


def found_streams(wait: float = 2.0) -> list[Any]:
    """What is being sent now, as LSL's `StreamInfo`s without descriptions.

    Args:
        wait: for answers [s].
    """
    return list(liblsl().resolve_streams(wait))


class StreamWatch:
    """Streams that are being sent, asked for again and again in the background: on a busy computer answers are late."""

    def __init__(self, forget: float = 5.0) -> None:
        """Begin to ask; who has not answered for `forget` [s] is gone."""
        self._resolver = liblsl().ContinuousResolver(forget_after=forget)

    def found(self) -> list[Any]:
        """As `found_streams`, at once."""
        return list(self._resolver.results())


def local_clock() -> float:
    """Monotonic clock of this computer, as LSL has it [s]."""
    return float(liblsl().local_clock())
