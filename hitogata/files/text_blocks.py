"""Large text files, read some lines at a time, so that text and numbers are never both whole in memory."""

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from hitogata.errors import FileFormatError
from hitogata.files.rows import plain_lines

BLOCK = 1 << 12, 1 << 18
"""Bytes of a block, at least and at most; otherwise 1/32 of the file."""


@dataclass(frozen=True)
class TextBlocks:
    """The lines of a text file, as blocks of lines without their ends; can be gone through more than once.

    Attributes:
        path: of the file.
    """

    path: Path

    def __iter__(self) -> Iterator[list[bytes]]:
        try:
            with self.path.open("rb") as file:
                size = min(max(os.fstat(file.fileno()).st_size // 32, BLOCK[0]), BLOCK[1])
                wide = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
                file.seek(0)
                while block := file.read() if wide else file.read(size) + file.readline():
                    lines = plain_lines(block, str(self.path))
                    yield lines if lines[-1] else lines[:-1]
        except FileNotFoundError:
            raise FileFormatError(f"{self.path}: no such file") from None
        except OSError as error:
            raise FileFormatError(f"{self.path}: cannot be read ({error})") from None

    def head(self, count: int) -> list[bytes]:
        """The first lines."""
        return list(islice(chain.from_iterable(self), count))
