"""Text tables: lines of words, and rows of numbers with gaps.

Shared by the readers of storage tables and TRC files.
"""

import codecs
import re
import warnings

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure.values import FloatArray

_NAN = re.compile(rb"[-+]?(nan(\(.*\))?|1\.#(ind|qnan|snan)\d*)", re.IGNORECASE)
"""NaN, also as C libraries of Windows wrote it."""

_NUMBER = re.compile(rb"[-+]?(\d+(\.\d*)?|\.\d+)([eEdD][-+]?\d+)?")

DENSITY = 2
"""Most cells of a table per byte of its text, if rows leave their last cells out."""


CHUNK = 4096
"""Rows that are read at a time."""


def plain_lines(data: bytes, file: str) -> list[bytes]:
    """The lines of a text, without their ends and without a byte-order mark."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode("utf-8")
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{file}: begins like UTF-16, but is not ({error.reason})") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = data.split(b"\n")
    if b"\0" in b"".join(lines[:20]):
        raise FileFormatError(f"{file}: not a text file")
    return lines


def text_of(line: bytes) -> str:
    """A line as text; bytes that are not UTF-8 are read as latin-1."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def cells(line: str) -> list[str]:
    """The words of a line: between tabs if there are any, otherwise between blanks; none behind the last one."""
    if "\t" not in line.strip():
        return line.split()
    words = [word.strip() for word in line.split("\t")]
    while words and not words[-1]:
        words.pop()
    return words


def read_rows(lines: list[bytes], first: int, columns: int, file: str, *, gaps: bool) -> tuple[FloatArray, list[int]]:
    """Rows of numbers.

    Args:
        lines: of the file.
        first: index of the line of the first row; blank lines are skipped.
        columns: numbers of a row.
        file: name of the file, for messages.
        gaps: cells between tabs may be empty, and rows may end early: NaN.

    Returns:
        Numbers, shape (nrows, columns), and the line of each row, from 1.

    Raises:
        FileFormatError: a word or an infinite number, or rows of another length; with file and line.
    """
    where = [k for k in range(first, len(lines)) if lines[k].strip()]
    rows = [lines[k] for k in where]
    fast = None if gaps and any(b"\t\t" in row for row in rows) else _fast(rows, columns)
    numbers = [k + 1 for k in where]
    if fast is not None:
        return fast, numbers
    if len(rows) * columns > DENSITY * (sum(map(len, rows)) + 1024):
        raise FileFormatError(
            f"{file}:{numbers[0]}: {columns} columns are announced, but rows have only {len(rows[0].split())} numbers"
        )
    result = np.full((len(rows), columns), np.nan)
    for i, (row, line) in enumerate(zip(rows, numbers, strict=True)):
        words = _split(row, gaps)
        while len(words) > columns and not words[-1]:
            words.pop()
        if len(words) > columns or (len(words) < columns and not gaps):
            raise FileFormatError(f"{file}:{line}: a row of {columns} numbers is expected, got {len(words)}")
        for j, word in enumerate(words):
            if word or not gaps:
                result[i, j] = number(word, f"{file}:{line}: column {j + 1}")
    return result, numbers


def _fast(rows: list[bytes], columns: int) -> FloatArray | None:
    """All rows, some at a time, if every row is whole and every word a finite number or nan."""
    if columns < 1 or any(len(row.split()) != columns for row in rows):
        return None
    result = np.empty((len(rows), columns))
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", DeprecationWarning)  # how older numpy tells of words
                numbers = np.fromstring(b" ".join(chunk), dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
        if len(numbers) != len(chunk) * columns or np.isinf(numbers).any():
            return None
        result[start : start + CHUNK] = numbers.reshape(-1, columns)
    return result


def _split(row: bytes, gaps: bool) -> list[bytes]:
    if gaps and b"\t" in row.strip():
        return [word.strip() for word in row.rstrip(b"\n").split(b"\t")]
    return row.split()


def number(word: bytes, where: str) -> float:
    """A finite number or NaN, or FileFormatError."""
    if _NUMBER.fullmatch(word):
        value = float(word.replace(b"d", b"e").replace(b"D", b"e"))
        if np.isfinite(value):
            return value
    elif _NAN.fullmatch(word):
        return float("nan")
    text = word[:40].decode("utf-8", "replace")
    hint = "; numbers are written with a point" if re.fullmatch(rb"[-+\d]+,\d+", word) else ""
    raise FileFormatError(f"{where}: a number is expected, got {text!r}{hint}")


def number_text(value: float) -> str:
    """The shortest text that is read as the same number."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text
