"""BVH files in."""

import codecs
import os
import warnings
from pathlib import Path

from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.files.bvh.header import read_head
from hitogata.files.bvh.numbers import read_numbers
from hitogata.files.bvh.skeleton import Bvh, PositionChannels, Up, positive
from hitogata.files.bvh.units import doubts, guess_unit
from hitogata.files.names import naming_of
from hitogata.files.source import read_bytes


def read_bvh(
    path_or_text: str | os.PathLike[str],
    *,
    scale: float | None = None,
    position_scale: float | None = None,
    up: Up = Up.Y,
    position_channels: PositionChannels = PositionChannels.REPLACE,
) -> Bvh:
    """Read a BVH file: a skeleton and its motion.

    Any channels in any order on any joint, end sites, all kinds of line ends, comments (# and //), names with spaces.
    A BVH file does not say its unit.  Without `scale` it is guessed from the length of the legs, if the names of the
    joints are known; a guess that is not clear, and what looks like a wrong unit, is told in one FileContentWarning.

    Args:
        path_or_text: path of the file, or its text (anything that begins with HIERARCHY or has several lines).
        scale: length of the file's unit [m]: 0.01 for cm, 0.0254 for inches; None: guess.
        position_scale: length of the unit of positions, if it is another than that of offsets [m]: the numbers of
            position channels are changed to the unit of the offsets; None: the same.
        up: axis of the file that points up; BVH has no rule, but y is usual.
        position_channels: whether position channels replace a joint's offset or are added to it.

    Returns:
        The file as it stands; see `bvh_poses`, `figure_from_bvh` and `trajectory_from_bvh` for what is in it.

    Raises:
        FileFormatError: missing or malformed; with file and line.
    """
    if not isinstance(up, Up):
        raise ArgumentError(f"up: expected Up.X, Up.Y or Up.Z, got {up!r}")
    if not isinstance(position_channels, PositionChannels):
        raise ArgumentError(f"position_channels: expected one of PositionChannels, got {position_channels!r}")
    if scale is not None:
        positive(scale, "scale")
    if position_scale is not None:
        positive(position_scale, "position_scale")
    data, file, name = _open(path_or_text)
    notes = []
    data, encoding = _plain(data, file)
    head = read_head(data, file, encoding)
    if encoding != "utf-8":
        notes.append(f"names are not UTF-8, so read as {encoding}")
    notes += [f"a second joint {old!r} is called {new!r}" for old, new in head.renamed]
    channels = sum(len(joint.channels) for joint in head.joints)
    try:
        values = read_numbers(data, head.end, head.end_line, head.frames, channels, file, head.frames_line)
    except MemoryError:
        raise FileFormatError(f"{file}: {len(data) / 1e9:.1f} GB of numbers are more than fit into memory") from None
    naming = naming_of([joint.name for joint in head.joints])
    guessed = scale is None
    if scale is None:
        scale, clear, text = guess_unit(head.joints, naming)
        if not clear:
            notes.append(f"the unit is not known, and guessed to be {text}; say which with scale=")
    if position_scale is not None:
        shifts = [not channel.turns for joint in head.joints for channel in joint.channels]
        values[:, shifts] *= position_scale / scale
    bvh = Bvh(head.joints, values, head.frame_time, scale, up, position_channels, guessed, name)
    notes += doubts(bvh, naming, head.end_line + 1)
    if notes:
        warnings.warn(f"{file}: {'; '.join(notes)}", FileContentWarning, stacklevel=2)
    return bvh


def _open(given: str | os.PathLike[str]) -> tuple[bytes, str, str]:
    """Bytes, name for messages, and name of the motion."""
    if isinstance(given, str) and (given.lstrip("\ufeff \t\r\n")[:9].upper() == "HIERARCHY" or "\n" in given):
        return given.encode("utf-8", "replace"), "BVH text", "motion"
    if not isinstance(given, str | os.PathLike):
        raise FileFormatError(f"BVH: expected a path or text, got {type(given).__name__}")
    path = Path(given)
    return read_bytes(path), str(path), path.stem or "motion"


def _plain(data: bytes, file: str) -> tuple[bytes, str]:
    """The bytes without byte-order mark, with line feeds, and the encoding of names."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode("utf-8")
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{file}: begins like UTF-16, but is not ({error.reason})") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    end = data.find(b"MOTION")
    try:
        data[: end if end >= 0 else None].decode("utf-8")
    except UnicodeDecodeError:
        return data, "latin-1"
    return data, "utf-8"
