"""One run in a folder at a time: a lock that ends with its process, and says who holds it."""

import json
import os
import platform
import time
from pathlib import Path
from typing import Any

from hitogata.cluster.storage import local_path, write_whole
from hitogata.errors import HitogataError

fcntl: Any
try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None


class FolderTakenError(HitogataError):
    """Another run works in the folder; the message names it."""


class FolderLock:
    """Holds a folder as long as it is open: `with FolderLock(folder): ...`.

    The lock is that of the operating system (flock), so whoever dies gives it back.  Network file systems without
    such locks, and object stores, are not guarded; there two runs do the same work twice, but each result is still
    written once.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = local_path(folder)
        self._file: int | None = None

    def __enter__(self) -> "FolderLock":
        self._folder.mkdir(parents=True, exist_ok=True)
        note = self._folder / "holder.json"
        file = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            told = {"process": os.getpid(), "computer": platform.node(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
            write_whole(note, json.dumps(told).encode())
        except BlockingIOError:
            os.close(file)
            raise FolderTakenError(f"{self._folder.parent}: another run works in this folder{_who(note)}; wait for it, "
                                   "or choose another folder") from None  # fmt: skip
        except OSError:
            os.close(file)
            raise
        self._file = file
        return self

    def __exit__(self, *_: object) -> None:
        (self._folder / "holder.json").unlink(missing_ok=True)
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _who(note: Path) -> str:
    try:
        told = json.loads(note.read_text(encoding="utf-8"))
        return f" (process {told['process']} on {told['computer']}, since {told['since']})"
    except (OSError, ValueError, KeyError):
        return ""
