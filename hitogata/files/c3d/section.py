"""The parameter section of a C3D file, out: little-endian, as Intel processors have it."""

import struct
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.files.c3d.parameters import BLOCK, Groups, Parameter, ParameterType, Processor

MOST = 255
"""Most elements of a dimension, letters of a text, and blocks of the section."""


def texts(name: str, values: Iterable[str]) -> list[Parameter]:
    """Texts as one parameter, or as several with numbers behind their names if there are more than 255."""
    values = list(values)
    parts = [values[k : k + MOST] for k in range(0, len(values), MOST)] or [[]]
    found = []
    for k, part in enumerate(parts):
        width = max((len(text.encode()) for text in part), default=0)
        if width > MOST:
            raise ArgumentError(
                f"{name}: a C3D file has texts of at most {MOST} letters, got {max(part, key=len)[:40]!r}"
            )
        own = name if k == 0 else f"{name}{k + 1}"
        found.append(Parameter(own, ParameterType.TEXT, (max(width, 1), len(part)), tuple(part)))
    return found


def text(name: str, value: str) -> Parameter:
    """One text."""
    return Parameter(name, ParameterType.TEXT, (len(value.encode()[:MOST]),), (value,))


def whole(name: str, values: Any, shape: tuple[int, ...] = ()) -> Parameter:
    """Whole numbers of 16 bits, with or without sign."""
    return Parameter(name, ParameterType.WHOLE, shape, np.ravel(np.asarray(values, dtype=np.int64)))


def real(name: str, values: Any, shape: tuple[int, ...] = ()) -> Parameter:
    """Floating-point numbers of 32 bits, in the file's order."""
    return Parameter(name, ParameterType.REAL, shape, np.ravel(np.asarray(values, dtype=np.float64)))


def per_channel(make: Callable[[str, Any, tuple[int, ...]], Parameter], name: str, values: Any) -> list[Parameter]:
    """One number per channel, continued in parameters of at most 255; `make` is `whole` or `real`."""
    array = np.ravel(np.asarray(values))
    starts = range(0, max(len(array), 1), MOST)
    return [
        make(name if k == 0 else f"{name}{k // MOST + 1}", array[k : k + MOST], (len(array[k : k + MOST]),))
        for k in starts
    ]


def section(groups: Groups) -> bytes:
    """The bytes of the section, in whole blocks.

    Raises:
        ArgumentError: more than it can hold.
    """
    entries = []
    for number, (group, parameters) in enumerate(groups.items(), 1):
        if number > 127:
            raise ArgumentError(f"a C3D file has at most 127 groups of parameters, got {len(groups)}")
        entries.append(_entry(group, -number, b"\0"))
        entries += [_entry(it.name, number, _body(group, it)) for it in parameters.values()]
    joined = b"".join(entries) + b"\0\0"
    blocks = -(-(4 + len(joined)) // BLOCK)
    if blocks > MOST:
        raise ArgumentError(f"parameters need {blocks} blocks; a C3D file has at most {MOST}: fewer or shorter labels")
    head = bytes([1, 0x50, blocks, Processor.INTEL.value])
    return (head + joined).ljust(blocks * BLOCK, b"\0")


def _entry(name: str, number: int, body: bytes) -> bytes:
    """A group or parameter: name, number of the group, how far it is to the next, body."""
    letters = name.encode()[:127]
    if len(body) + 2 > 65535:
        raise ArgumentError(f"parameter {name!r} is too large for a C3D file")
    return struct.pack("<bb", len(letters), number) + letters + struct.pack("<H", len(body) + 2) + body


def _body(group: str, it: Parameter) -> bytes:
    """Type, shape, values, description."""
    if any(not 0 <= n <= MOST for n in it.shape) or len(it.shape) > 7:
        raise ArgumentError(f"parameter {group}:{it.name} of shape {it.shape} does not fit into a C3D file")
    if it.kind is ParameterType.TEXT:
        width = it.shape[0] if it.shape else 1
        data = b"".join(value.encode()[:width].ljust(width) for value in it.values)
    elif it.kind is ParameterType.REAL:
        data = np.asarray(it.values, "<f4").tobytes()
    else:
        size = np.uint8 if it.kind is ParameterType.BYTE else np.dtype("<u2")
        data = np.asarray(it.values, np.int64).astype(size).tobytes()
    words = it.description.encode()[:MOST]
    return struct.pack("<bB", it.kind.value, len(it.shape)) + bytes(it.shape) + data + bytes([len(words)]) + words
