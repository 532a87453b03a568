"""The parameter section of a C3D file: groups of named arrays.

Every length and place is checked before it is used: the section may be damaged.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure.values import FloatArray

BLOCK = 512
"""Bytes of a block: places in a C3D file are counted in them, from 1."""


class ParameterType(enum.Enum):
    """What a parameter holds; the value is the byte that says so, and, but for texts, its size."""

    TEXT = -1
    BYTE = 1
    WHOLE = 2
    REAL = 4


class Processor(enum.Enum):
    """Whose numbers the file holds; the value is the byte that says so."""

    INTEL = 84
    DEC = 85
    MIPS = 86

    @property
    def order(self) -> str:
        """Byte order of whole numbers."""
        return ">" if self is Processor.MIPS else "<"

    def real(self, raw: bytes | memoryview) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """Floating-point numbers of 4 bytes."""
        if self is not Processor.DEC:
            return np.frombuffer(raw, f"{self.order}f4")
        words = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1]  # the half with sign and exponent comes first
        with np.errstate(over="ignore", invalid="ignore"):
            return np.ascontiguousarray(words).view(np.dtype("<f4"))[:, 0] / np.float32(4)


@dataclass(frozen=True, eq=False)
class Parameter:
    """A named array of a C3D file.

    Attributes:
        name: in capitals.
        kind: what it holds.
        shape: in the file's order, the first index the fastest.
        values: numbers, flat, in the file's order; or texts, outer blanks taken off.
        description: as in the file.
    """

    name: str
    kind: ParameterType
    shape: tuple[int, ...]
    values: Any = field(repr=False)
    description: str = ""


Groups = Mapping[str, Mapping[str, Parameter]]
"""Parameters by group and name."""

SCREEN = {"X_SCREEN": "+X", "Y_SCREEN": "+Z"}
"""How POINT says that z is up."""


@dataclass(frozen=True)
class Parameters:
    """All parameters, by group and name in capitals."""

    processor: Processor
    groups: Groups
    file: str = "C3D"

    def get(self, group: str, name: str) -> Parameter | None:
        """A parameter, or None."""
        return self.groups.get(group, {}).get(name)

    def texts(self, group: str, name: str) -> list[str]:
        """Texts of a parameter and of those that continue it (LABELS, LABELS2 ...); empty if there are none."""
        return [text for values in self._parts(group, name, texts=True) for text in values]

    def numbers(self, group: str, name: str) -> FloatArray:
        """Numbers of a parameter and of those that continue it; empty if there are none."""
        parts = [np.asarray(values, dtype=np.float64) for values in self._parts(group, name, texts=False)]
        return np.concatenate(parts) if parts else np.empty(0)

    def one(self, group: str, name: str) -> float | None:
        """The first number of a parameter, or None."""
        found = self.numbers(group, name)
        return float(found[0]) if len(found) else None

    def count(self, group: str, name: str) -> int | None:
        """The first number as a count: whole numbers of 16 bits are without sign in most files."""
        found = self.one(group, name)
        if found is None or not np.isfinite(found):
            return None
        return int(found) if found >= 0 else int(found) + 65536

    def _parts(self, group: str, name: str, *, texts: bool) -> list[Any]:
        parts = []
        for k in range(1, 256):
            found = self.get(group, name if k == 1 else f"{name}{k}")
            if found is None:
                break
            if isinstance(found.values, tuple) == texts:
                parts.append(found.values)
        return parts


def read_parameters(data: bytes, file: str) -> Parameters:
    """Read the parameter section.

    Raises:
        FileFormatError: not a C3D file, or damaged; names the byte and the parameter.
    """
    if len(data) < BLOCK or data[1] != 0x50:
        raise FileFormatError(
            f"{file}: not a C3D file: its second byte is not 0x50, or it is shorter than {BLOCK} bytes"
        )
    start = (data[0] - 1) * BLOCK
    if start < BLOCK or start + 4 > len(data):
        raise FileFormatError(f"{file}: byte 0: parameters are said to be in block {data[0]}, outside of the file")
    try:
        processor = Processor(data[start + 3])
    except ValueError:
        raise FileFormatError(
            f"{file}: byte {start + 3}: the kind of processor is {data[start + 3]}, but must be 84, 85 or 86"
        ) from None
    end = min(start + data[start + 2] * BLOCK, len(data)) if data[start + 2] else len(data)
    groups: dict[int, str] = {}
    found: dict[int, dict[str, Parameter]] = {}
    at: int | None = start + 4
    while at is not None and at + 2 < end and data[at]:
        at = _entry(data, at, end, processor, groups, found, file)
    named = {groups.get(number, f"GROUP {number}"): parameters for number, parameters in found.items()}
    return Parameters(processor, {**{name: {} for name in groups.values()}, **named}, file)


def _entry(
    data: bytes, at: int, end: int, processor: Processor, groups: dict[int, str],
    found: dict[int, dict[str, Parameter]], file: str,
) -> int | None:  # fmt: skip
    """Read the group or parameter at a byte; where the next one begins, None behind the last one."""
    length, number = abs(_signed(data[at])), _signed(data[at + 1])
    name = _text(data[at + 2 : at + 2 + length]).upper()
    pointer = at + 2 + length
    if pointer + 2 > end or number == 0:
        raise FileFormatError(f"{file}: byte {at}: the parameter section is damaged behind {_last(found)}")
    step = int.from_bytes(data[pointer : pointer + 2], "big" if processor is Processor.MIPS else "little")
    if step and pointer + step > end:
        raise FileFormatError(f"{file}: byte {pointer}: what follows {name!r} lies outside of the parameter section")
    if number < 0:
        groups[-number] = name
        found.setdefault(-number, {})
    else:
        parameter = _parameter(data, pointer + 2, end, processor, name, file)
        found.setdefault(number, {})[name] = parameter
    return pointer + step if step else None


def _parameter(data: bytes, at: int, end: int, processor: Processor, name: str, file: str) -> Parameter:
    """A parameter from the byte of its type on."""
    if at + 2 > end:
        raise FileFormatError(f"{file}: byte {at}: parameter {name!r} lies outside of the parameter section")
    number, ndim = _signed(data[at]), data[at + 1]
    if number not in (-1, 1, 2, 4) or ndim > 7:
        raise FileFormatError(f"{file}: byte {at}: parameter {name!r} is of type {number} with {ndim} dimensions")
    kind = ParameterType(number)
    shape = tuple(data[at + 2 : at + 2 + ndim])
    count = 1
    for n in shape:
        count *= n
    first = at + 2 + ndim
    last = first + count * abs(number)
    if last > end:
        raise FileFormatError(
            f"{file}: byte {at}: parameter {name!r} of shape {shape} does not fit into the parameter section"
        )
    raw = data[first:last]
    values: Any
    if kind is ParameterType.TEXT:
        width = shape[0] if shape else 1
        values = tuple(_text(raw[k : k + width]) for k in range(0, len(raw), width)) if width else ()
    elif kind is ParameterType.REAL:
        values = processor.real(raw).astype(np.float64)
    else:
        values = np.frombuffer(raw, np.int8 if kind is ParameterType.BYTE else f"{processor.order}i2").astype(np.int64)
    description = _text(data[last + 1 : last + 1 + data[last]]) if last < end else ""
    return Parameter(name, kind, shape, values, description)


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _text(raw: bytes) -> str:
    """Text without blanks and zeros at its ends, on one line."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _last(found: dict[int, dict[str, Parameter]]) -> str:
    names = [name for parameters in found.values() for name in parameters]
    return repr(names[-1]) if names else "its beginning"
