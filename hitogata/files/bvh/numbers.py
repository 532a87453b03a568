"""The numbers of a BVH file: read in pieces by numpy, counted line by line.

A frame begins in a line of its own.  If the first line or most lines hold a whole frame, every line must; otherwise
frames may run over several lines, as long as each begins a new one.
"""

import re
import warnings

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure.values import FloatArray

PIECE = 1 << 23
"""Bytes that are read at a time: what is needed beside the numbers is a few times this."""

_COMMENT = re.compile(rb"(?m)(?:^|(?<=[ \t]))(?:#|//)[^\n]*")

Counts = np.ndarray[tuple[int], np.dtype[np.int64]]


def read_numbers(
    data: bytes, at: int, line: int, frames: int, channels: int, file: str, frames_line: int
) -> FloatArray:
    """All frames, shape (frames, channels).

    Args:
        data: the file.
        at: first byte behind the head.
        line: number of that line.
        frames: how many frames the head promises.
        channels: numbers of a frame.
        file: name of the file, for messages.
        frames_line: line of the promise.

    Raises:
        FileFormatError: a word, a number that is not finite, too many or too few of them; with file and line.
    """
    pieces, counts = [], []
    first = line  # of the piece
    while at < len(data):
        end = len(data)
        if end - at > PIECE:
            end = data.rfind(b"\n", at, at + PIECE) + 1 or data.find(b"\n", at + PIECE) + 1 or len(data)
        piece = data[at:end]
        if b"#" in piece or b"//" in piece:
            piece = _COMMENT.sub(b"", piece)
        per_line = _words_per_line(piece)
        pieces.append(_numbers(piece, int(per_line.sum()), first, file))
        counts.append(per_line)
        first += len(per_line) - (end < len(data))  # the last "line" of a piece is the empty one behind its break
        at = end
        if end < len(data):
            counts[-1] = per_line[:-1]
    numbers = np.concatenate(pieces) if pieces else np.empty(0)
    per_line = np.concatenate(counts) if counts else np.empty(0, np.int64)
    _check_layout(per_line, line, frames, channels, file, frames_line)
    return numbers.reshape(frames, channels)


def _words_per_line(piece: bytes) -> Counts:
    """How many words stand in each line; the last one is behind the last line break."""
    text = np.frombuffer(piece, np.uint8)
    blank = text <= 32
    starts = ~blank
    starts[1:] &= blank[:-1]
    words = np.flatnonzero(starts)
    breaks = np.append(np.flatnonzero(text == 10), len(text))
    return np.diff(np.searchsorted(words, breaks), prepend=0)


def _numbers(piece: bytes, count: int, line: int, file: str) -> FloatArray:
    """The numbers of a piece, which begins in a line."""
    if not count:
        return np.empty(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # how older numpy tells of words
            numbers = np.fromstring(piece, dtype=np.float64, sep=" ")
        good = len(numbers) == count and bool(np.isfinite(numbers).all())
    except (ValueError, DeprecationWarning):
        good = False
    if not good:
        _find_bad(piece, line, file)
    return numbers


def _find_bad(piece: bytes, line: int, file: str) -> None:
    """Raise the error for the first word that is no finite number."""
    for k, text in enumerate(piece.split(b"\n")):
        for word in text.split():
            try:
                fine = bool(np.isfinite(float(word))) and b"_" not in word
            except ValueError:
                fine = False
            if not fine:
                shown = word[:40].decode("utf-8", "replace")
                hint = "; numbers are written with a point" if re.fullmatch(rb"[-+\d]+,\d+", word) else ""
                raise FileFormatError(f"{file}:{line + k}: a finite number is expected, got {shown!r}{hint}")
    raise FileFormatError(f"{file}:{line}: cannot be read as numbers from here on")


def _check_layout(per_line: Counts, line: int, frames: int, channels: int, file: str, frames_line: int) -> None:
    """Frames stand in lines of their own, and there are as many as promised."""
    full = np.flatnonzero(per_line)
    counts = per_line[full]
    if channels and len(counts):
        whole = counts[0] == channels or 2 * int((counts == channels).sum()) >= len(counts)
        sums = np.cumsum(counts)
        if whole:
            bad = counts != channels
        else:
            bad = sums // channels > (sums - counts) // channels  # a frame ends in this line ...
            bad &= sums % channels != 0  # ... and another goes on
            bad |= counts > channels
        if bad.any():
            k = int(bad.argmax())
            frame = k if whole else int((sums[k] - counts[k]) // channels)
            got = int(counts[k]) if whole else int(sums[k] - frame * channels)
            raise FileFormatError(
                f"{file}:{line + int(full[k])}: {got} numbers in frame {frame + 1}, "
                f"but the skeleton has {channels} channels"
            )
    total = int(counts.sum())
    last = line + int(full[-1]) if len(full) else line
    if total % max(channels, 1) and channels:
        raise FileFormatError(
            f"{file}:{last}: the last frame is cut off after {total % channels} of {channels} numbers"
        )
    if not channels and total:
        raise FileFormatError(f"{file}:{line + int(full[0])}: numbers, but the skeleton has no channels")
    if channels and total != frames * channels:
        raise FileFormatError(
            f"{file}:{frames_line}: {frames} frames are promised, but {total // channels} are there "
            f"(to line {last}): the file is cut off, or this number is wrong"
        )
