"""One run in a folder at a time: a lock that ends with its process, and says who holds it."""

import json
import os
import platform
import time
from pathlib import Path

from hitogata.cluster.storage import local_path, write_whole
from hitogata.errors import HitogataError
from hitogata.lanes.locks import FileLock


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
        self._lock = FileLock(self._folder / "lock")

    def __enter__(self) -> "FolderLock":
        self._folder.mkdir(parents=True, exist_ok=True)
        note = self._folder / "holder.json"
        if self._lock.acquire(0.0):
            raise FolderTakenError(f"{self._folder.parent}: another run works in this folder{_who(note)}; wait for it, "
                                   "or choose another folder")  # fmt: skip
        told = {"process": os.getpid(), "computer": platform.node(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        try:
            write_whole(note, json.dumps(told).encode())
        except OSError:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        (self._folder / "holder.json").unlink(missing_ok=True)
        self._lock.release()


def _who(note: Path) -> str:
    try:
        told = json.loads(note.read_text(encoding="utf-8"))
        return f" (process {told['process']} on {told['computer']}, since {told['since']})"
    except (OSError, ValueError, KeyError):
        return ""
