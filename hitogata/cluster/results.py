"""Results by key: each with a checksum, written once, the same for whoever asks.

A result is one small file: a line with the format, the checksum (SHA-256) and the length of what follows, then that.
What does not fit its checksum counts as not there: a result that a dying computer left torn is made again.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from hitogata.cluster.storage import Storage
from hitogata.errors import ArgumentError

FORMAT = b"hitogata result 1"
ENDING = ".result"
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


class Results:
    """Results of items in a folder, or below a URL.

    Args:
        place: path or URL; made when the first result comes.
    """

    def __init__(self, place: str | Path) -> None:
        self.place = str(place)
        self.storage = Storage(place)

    def __reduce__(self) -> "tuple[type[Results], tuple[str]]":
        return Results, (self.place,)

    @staticmethod
    def check_key(key: str) -> str:
        """The key, if it can be the name of a file."""
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ArgumentError(f"key of an item: letters, digits, '.', '_' and '-' are expected, got {key!r}")
        return key

    def name(self, key: str) -> str:
        """Relative name of a result's file; 256 folders share them."""
        shelf = hashlib.blake2b(key.encode(), digest_size=1).hexdigest()
        return f"{shelf}/{key}{ENDING}"

    def get(self, key: str) -> bytes | None:
        """A result; None: not there, or damaged."""
        data = self.storage.read(self.name(key))
        return None if data is None else _opened(data)

    def put(self, key: str, result: bytes) -> bool:
        """Keep a result; the first one stays.  Returns whether this was the first."""
        name = self.name(self.check_key(key))
        line = b"%s %s %d\n" % (FORMAT, hashlib.sha256(result).hexdigest().encode(), len(result))
        if self.storage.write(name, line + result, replace=False):
            return True
        if self.get(key) is not None:
            return False
        return self.storage.write(name, line + result)  # what was there is damaged

    def drop(self, key: str) -> None:
        """Remove a result, so that it is made again."""
        self.storage.remove(self.name(key))

    def keys(self) -> Iterator[str]:
        """Keys of all results, damaged ones too."""
        for name in self.storage.names(ENDING):
            yield name.rpartition("/")[2].removesuffix(ENDING)


def _opened(data: bytes) -> bytes | None:
    """What a file holds, if it is as it was written."""
    head, line, result = data.partition(b"\n")
    words = head.rsplit(b" ", 2)
    if not line or len(words) != 3 or words[0] != FORMAT or words[2] != b"%d" % len(result):
        return None
    return result if words[1] == hashlib.sha256(result).hexdigest().encode() else None
