"""Text tables: lines of words, and rows of numbers with gaps.

Shared by the readers of storage tables and TRC files.
"""

import codecs
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure.values import FloatArray

_NAN = re.compile(rb"[-+]?(nan(\(.*\))?|1\.#(ind|qnan|snan)\d*)", re.IGNORECASE)
"""NaN, also as C libraries of Windows wrote it."""

_NUMBER = re.compile(rb"[-+]?(\d+(\.\d*)?|\.\d+)([eEdD][-+]?\d+)?")

DENSITY = 2
"""Most cells of a table per byte of its text, if rows leave their last cells out."""


CHUNK = 4096
"""Lines that are read at a time."""


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


def read_rows(lines: list[bytes], first: int, columns: int, file: str) -> tuple[FloatArray, list[int]]:
    """Rows of numbers, none of them missing.

    Args:
        lines: of the file.
        first: index of the line of the first row; blank lines are skipped.
        columns: numbers of a row.
        file: name of the file, for messages.

    Returns:
        Numbers, shape (nrows, columns), and the line of each row, from 1.

    Raises:
        FileFormatError: a word or an infinite number, or rows of another length; with file and line.
    """
    blocks = [lines[start : start + CHUNK] for start in range(0, len(lines), CHUNK)]
    table = read_table(blocks, first, (0, columns), file, gaps=False)
    return table.rest, table.lines.tolist()


class Table(NamedTuple):
    """Rows of numbers.

    Attributes:
        front, rest: columns in front and the others, shape (nrows, n).
        lines: of the file where the rows stand, from 1, shape (nrows,).
    """

    front: FloatArray
    rest: FloatArray
    lines: np.ndarray[tuple[int], np.dtype[np.int64]]


def read_table(blocks: Iterable[list[bytes]], first: int, columns: tuple[int, int], file: str, *, gaps: bool) -> Table:
    """As `read_rows`, of blocks of lines; they are gone through twice, and only one of them is held at a time.

    Args:
        blocks: of lines, in order.
        first: index of the line of the first row.
        columns: numbers of a row in front, and others.
        file: name of the file, for messages.
        gaps: cells between tabs may be empty, and rows may end early: NaN.
    """
    count = size = 0
    for _, rows in _rows_of(blocks, first):
        count, size = count + len(rows), size + sum(map(len, rows))
    width = sum(columns)
    if count * width > DENSITY * (size + 1024):
        line, row = next((lines[0], rows[0]) for lines, rows in _rows_of(blocks, first) if rows)
        raise FileFormatError(
            f"{file}:{line}: {width} columns are announced, but rows have only {len(row.split())} numbers"
        )
    table = Table(np.empty((count, columns[0])), np.empty((count, columns[1])), np.empty(count, np.int64))
    at = 0
    for lines, rows in _rows_of(blocks, first):
        part = slice(at, at + len(rows))
        fast = None if gaps and any(b"\t\t" in row for row in rows) else _fast(rows, width)
        numbers = _word_by_word(rows, lines, width, file, gaps) if fast is None else fast
        table.front[part], table.rest[part] = numbers[:, : columns[0]], numbers[:, columns[0] :]
        table.lines[part], at = lines, part.stop
    return table


def _rows_of(blocks: Iterable[list[bytes]], first: int) -> Iterator[tuple[list[int], list[bytes]]]:
    """The lines that are not blank, from line `first` on, and their numbers, from 1."""
    before = 0
    for block in blocks:
        there = [k for k in range(max(first - before, 0), len(block)) if block[k].strip()]
        yield [before + k + 1 for k in there], [block[k] for k in there]
        before += len(block)


def _fast(rows: list[bytes], columns: int) -> FloatArray | None:
    """All rows, if every row is whole and every word a finite number or nan."""
    if columns < 1 or any(len(row.split()) != columns for row in rows):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # how older numpy tells of words
            numbers = np.fromstring(b" ".join(rows), dtype=np.float64, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    if len(numbers) != len(rows) * columns or np.isinf(numbers).any():
        return None
    return numbers.reshape(-1, columns)


def _word_by_word(rows: list[bytes], lines: list[int], columns: int, file: str, gaps: bool) -> FloatArray:
    """All rows, with gaps, or an error that names the word."""
    result = np.full((len(rows), columns), np.nan)
    for i, (row, line) in enumerate(zip(rows, lines, strict=True)):
        words = _split(row, gaps)
        while len(words) > columns and not words[-1]:
            words.pop()
        if len(words) > columns or (len(words) < columns and not gaps):
            raise FileFormatError(f"{file}:{line}: a row of {columns} numbers is expected, got {len(words)}")
        for j, word in enumerate(words):
            if word or not gaps:
                result[i, j] = number(word, f"{file}:{line}: column {j + 1}")
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
