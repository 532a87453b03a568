"""A lock between processes that ends with the process that holds it."""

import contextlib
import os
import pathlib
import time
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # no such locks on this system: everybody compiles
    fcntl = None

_PAUSE = 0.02


class FileLock:
    """An exclusive lock (flock) on a file, which is removed with the lock."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self, patience: float) -> bool:
        """Take the lock, waiting for whoever holds it [s]; returns whether that was necessary.

        Nowhere to make the file, or no patience left: goes on without the lock.
        """
        if fcntl is None:
            return False
        waited, end = False, time.monotonic() + patience
        while True:
            try:
                os.makedirs(self._path.parent, exist_ok=True)
                file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError:
                return waited
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(file).st_ino == os.stat(self._path).st_ino:  # else its holder has removed it
                    self._file = file
                    return waited
            except FileNotFoundError:
                pass
            except OSError:  # held
                if time.monotonic() > end:
                    os.close(file)
                    return True
                time.sleep(_PAUSE)
            os.close(file)
            waited = True

    def release(self) -> None:
        """Give the lock back."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            os.close(self._file)
            self._file = None
