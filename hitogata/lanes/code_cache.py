"""Compiled entries on disk: when they are fresh, and how processes share them.

Numba's own cache watches only the file of the compiled function, but helpers and kernels of other files are part of
the compiled code: here an entry is found if the code it reaches is the same (see `stamps`), wherever its sources lie.
Numba also keeps an index of numbered data files, which two processes that compile at once can leave pointing at each
other's code: here the name of a file says what is in it (code, signature, processor), so whoever writes it writes
the same.  Whoever compiles holds a lock on it, so that others wait, and load; the lock ends with its process.

The files lie where Numba would put them: NUMBA_CACHE_DIR (there, all checkouts share one directory), else __pycache__
beside the source, else the user's cache directory.  With none of them writable, entries are compiled anew in every
process, and one warning says so.  What is not there may have come with the package (see `shipped`).
"""

import functools
import os
import pathlib
import time
import warnings
from typing import Any

from numba.core import caching

from hitogata.lanes import shipped
from hitogata.lanes.locks import FileLock
from hitogata.lanes.stamps import ROOM, reached_code

VERSIONS = 8
"""Of an entry, files made from so many other versions of its code are kept: checkouts may share them."""

PATIENCE = 600.0
"""Longest wait for another process that compiles the same entry [s]."""

# If this room changed after this moment, the modules in memory may differ from it.
_LOADED = time.time()


@functools.cache
def warn_uncached(reason: str) -> None:
    """Say, once per process and reason, that compiled code is not kept."""
    warnings.warn(f"hitogata: compiled kernels cannot be kept on disk ({reason}), so every process compiles them "
                  "anew. Set NUMBA_CACHE_DIR to a writable directory.", RuntimeWarning, stacklevel=2)


class _Files(caching.IndexDataCacheFile):
    """One file per compiled signature: <entry>.<code>.<signature>.nbc"""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: str) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._base, self._stamp = filename_base, source_stamp[:12]

    def file(self, key: Any) -> pathlib.Path:
        """Where the code for a signature is kept."""
        return pathlib.Path(self._cache_path, shipped.file_name(self._base, self._stamp, key))

    def save(self, key: Any, data: Any) -> None:
        """Write the file, and remove those of long ago."""
        self._save_data(self.file(key).name, (self._source_stamp, repr(key), data))
        others: dict[str, list[pathlib.Path]] = {}
        for old in pathlib.Path(self._cache_path).glob(f"{self._base}.*.nbc"):
            others.setdefault(old.name[len(self._base) + 1 :].partition(".")[0], []).append(old)
        others.pop(self._stamp, None)
        ages = {stamp: max(map(_changed, files)) for stamp, files in others.items()}
        for stamp in sorted(others, key=ages.__getitem__)[:-VERSIONS]:
            for old in others[stamp]:
                old.unlink(missing_ok=True)

    def load(self, key: Any) -> Any:
        """The data saved under this key from this code, or that came with the package; or None."""
        try:
            stamp, saved, data = self._load_data(self.file(key).name)
        except FileNotFoundError:
            return shipped.load(self._base, self._source_stamp, key)
        return data if (stamp, saved) == (self._source_stamp, repr(key)) else None

    def flush(self) -> None:
        """Forget all."""
        for path in pathlib.Path(self._cache_path).glob(f"{self._base}.*.nbc"):
            path.unlink(missing_ok=True)


def _changed(path: pathlib.Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process removed it
        return 0.0


class EntryCache(caching.FunctionCache):
    """Numba's cache of a function, with our own rule of freshness and our own files."""

    def __init__(self, entry: Any) -> None:
        fn = entry.py_func
        super().__init__(fn)
        place = self._impl.locator.get_cache_path()
        if isinstance(self._impl.locator, caching.UserProvidedCacheLocator):
            place = os.path.join(os.path.dirname(place), "hitogata")
        self._cache_path: str = place
        base = f"{fn.__module__}.{fn.__qualname__}".replace("<locals>.", "")
        self._cache_file = _Files(self._cache_path, base, reached_code(entry))
        self._lock: FileLock | None = None
        if max(_changed(path) for path in ROOM.glob("*.py")) > _LOADED:
            self.disable()

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Code from disk, or None; a damaged file counts as none.

        Another process that compiles it is waited for.  If there is none, others wait for this one until `release`.
        """
        found = self._found(sig, target_context)
        if found is None and self._enabled and self._lock is None:
            file = self._cache_file.file(self._index_key(sig, target_context.codegen()))
            lock = FileLock(file.with_suffix(".lock"))
            waited = lock.acquire(PATIENCE)
            self._lock = lock
            if waited:
                found = self._found(sig, target_context)
        if found is not None:
            self.release()
        return found

    def _found(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Code to disk; a full or vanished disk must not stop the computation."""
        try:
            os.makedirs(self._cache_path, exist_ok=True)
            super().save_overload(sig, data)
        except OSError as error:
            warn_uncached(str(error))

    def release(self) -> None:
        """Let others go on."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


class _NoCache(caching.NullCache):
    def release(self) -> None:
        """Nobody waits."""


def open_cache(entry: Any) -> Any:
    """The cache of an entry, or one that keeps nothing if there is nowhere to keep it."""
    try:
        return EntryCache(entry)
    except (RuntimeError, OSError):  # "cannot cache function ...: no locator available"
        if os.path.exists(entry.py_func.__code__.co_filename):
            warn_uncached("no writable cache directory")
        return _NoCache()
