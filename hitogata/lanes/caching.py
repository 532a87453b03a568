"""Compiled entries on disk: when they are fresh, and how processes share them.

Numba's own cache watches only the file of the compiled function, but helpers and kernels of
other files are part of the compiled code: here an entry is stale when any source has changed
in its own room, or in a room that it imports, directly or not.  Numba also keeps an index of
numbered data files, which two processes that compile at once can leave pointing at each
other's code: here the name of a file says what is in it (sources, signature, processor), so
whoever writes it writes the same.

The files lie where Numba would put them: NUMBA_CACHE_DIR, else __pycache__ beside the source,
else the user's cache directory.  With none of them writable, entries are compiled anew in
every process, and one warning says so.
"""

import dataclasses
import functools
import hashlib
import os
import pathlib
import re
import sys
import time
import warnings
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import caching

PACKAGE = pathlib.Path(__file__).resolve().parents[1]

# Sources changed after this moment may differ from the modules in memory.
_LOADED = time.time()


# import hitogata.room / from hitogata.room import / from hitogata import rooms / from .. import (any room)
_IMPORT = re.compile(rb"^\s*(?:from|import)\s+hitogata(?:\.(\w+)|\s+import\s+(\([^)]*\)|[^\n]*))"
                     rb"|^\s*from\s+(\.\.)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class _Sources:
    """Fingerprint of some files, the rooms they import, and when they last changed."""

    digest: bytes
    rooms: frozenset[str]
    changed: float


@functools.cache
def _sources(directory: pathlib.Path, deep: bool) -> _Sources:
    digest, changed = hashlib.sha256(), 0.0
    rooms: set[str] = set()
    for path in sorted(directory.rglob("*.py") if deep else directory.glob("*.py")):
        text = path.read_bytes()
        digest.update(f"\0{path.relative_to(directory)}\0".encode() + text)
        changed = max(changed, path.stat().st_mtime)
        for room, several, above in _IMPORT.findall(text):
            rooms.update(_all_rooms() if above else re.findall(r"\w+", (room or several).decode()))
    return _Sources(digest.digest(), frozenset(rooms), changed)


@functools.cache
def _all_rooms() -> frozenset[str]:
    return frozenset(path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__")


@functools.cache
def source_stamp(directory: pathlib.Path) -> tuple[str, bool]:
    """Fingerprint of all that the entries of one directory depend on, worked out once per process.

    That is the versions of the tools, the .py files of the directory (in the package: of the
    whole room), and those of all rooms reached from there by imports.

    Returns:
        The fingerprint, and whether all files are as they were when the package was loaded;
        otherwise the code in memory may be older than its sources, and must not be saved.
    """
    inside = directory.is_relative_to(PACKAGE) and directory != PACKAGE
    own = [] if inside else [_sources(directory, False)]
    parts = [*own, _sources(PACKAGE, False)]
    todo = {directory.relative_to(PACKAGE).parts[0]} if inside else set().union(*[part.rooms for part in own])
    done: set[str] = set()
    while todo := (todo & _all_rooms()) - done:
        found = {name: _sources(PACKAGE / name, True) for name in sorted(todo)}
        parts += found.values()
        done |= todo
        todo = set().union(*[part.rooms for part in found.values()])
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    stamp = hashlib.sha256(repr((versions, sorted(done), sorted(part.digest for part in parts))).encode())
    return stamp.hexdigest(), max(part.changed for part in parts) <= _LOADED


@functools.cache
def warn_uncached(reason: str) -> None:
    """Say, once per process and reason, that compiled code is not kept."""
    warnings.warn(f"hitogata: compiled kernels cannot be kept on disk ({reason}), so every process compiles them "
                  "anew. Set NUMBA_CACHE_DIR to a writable directory.", RuntimeWarning, stacklevel=2)


class _Files(caching.IndexDataCacheFile):
    """One file per compiled signature: <entry>.<sources>.<signature>.nbc"""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: str) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._base, self._stamp = filename_base, source_stamp[:12]

    def _file(self, key: Any) -> str:
        return f"{self._base}.{self._stamp}.{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}.nbc"

    def save(self, key: Any, data: Any) -> None:
        """Write the file, and remove those made from other sources."""
        self._save_data(self._file(key), (self._source_stamp, repr(key), data))
        for old in pathlib.Path(self._cache_path).glob(f"{self._base}.*.nbc"):
            if not old.name.startswith(f"{self._base}.{self._stamp}."):
                old.unlink(missing_ok=True)

    def load(self, key: Any) -> Any:
        """The data saved under this key from these sources, or None."""
        try:
            stamp, saved, data = self._load_data(self._file(key))
        except FileNotFoundError:
            return None
        return data if (stamp, saved) == (self._source_stamp, repr(key)) else None

    def flush(self) -> None:
        """Forget all."""
        for path in pathlib.Path(self._cache_path).glob(f"{self._base}.*.nbc"):
            path.unlink(missing_ok=True)


class EntryCache(caching.FunctionCache):
    """Numba's cache of a function, with our own rule of freshness and our own files."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        file = pathlib.Path(py_func.__code__.co_filename).resolve()
        stamp, fresh = source_stamp(file.parent if file.is_file() else PACKAGE / "lanes")
        stamp = hashlib.sha256(f"{stamp} {self._impl.locator.get_source_stamp()!r}".encode()).hexdigest()
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)
        if not fresh:
            self.disable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Code from disk, or None; a damaged file counts as none."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Code to disk; a full or vanished disk must not stop the computation."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_uncached(str(error))


def open_cache(py_func: Any) -> Any:
    """The cache of an entry, or one that keeps nothing if there is nowhere to keep it."""
    try:
        return EntryCache(py_func)
    except (RuntimeError, OSError):  # "cannot cache function ...: no locator available"
        if os.path.exists(py_func.__code__.co_filename):
            warn_uncached("no writable cache directory")
        return caching.NullCache()
