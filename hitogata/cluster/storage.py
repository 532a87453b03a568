"""Files that are whole or not there: on disk, or wherever fsspec leads.

On disk a file is written beside its place under another name and then renamed, so that whoever reads sees nothing or
all of it.  Object stores do that by themselves: what is put there appears when it is complete.
"""

import contextlib
import os
import uuid
from pathlib import Path
from typing import Any

from hitogata.errors import ArgumentError, MissingDependencyError

TEMPORARY = ".part-"
"""What is still being written begins so."""


def is_url(place: str | Path) -> bool:
    """Whether a place is a URL for fsspec; `file://` and plain paths are folders of this computer."""
    return "://" in str(place) and not str(place).startswith("file://")


def local_path(place: str | Path) -> Path:
    """The path of a place on this computer."""
    return Path(str(place).removeprefix("file://"))


def write_whole(path: Path, data: bytes, *, replace: bool = True) -> bool:
    """Write a file under another name, and rename it.

    Args:
        path: of the file; its folder must be there.
        data: what it holds.
        replace: False: a file that is there stays, whoever wrote it.

    Returns:
        Whether it was written.
    """
    part = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
    try:
        part.write_bytes(data)
        if replace:
            os.replace(part, path)
            return True
        try:
            os.link(part, path)
            return True
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            if path.exists():
                return False
            os.replace(part, path)
            return True
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


class Storage:
    """A folder of files by relative names, local or of any file system that fsspec knows."""

    def __init__(self, place: str | Path) -> None:
        self.place = str(place)
        self.folder: Path | None = None if is_url(place) else local_path(place)
        self._made: set[Path] = set()
        self._far: Any = None
        if self.folder is None:
            self._open()

    def _open(self) -> None:
        try:
            import fsspec
        except ImportError:
            raise MissingDependencyError(f"{self.place}: URLs need fsspec: pip install 'hitogata[cluster]'") from None
        try:
            self._far, self._root = fsspec.core.url_to_fs(self.place)
        except (ValueError, ImportError) as error:
            raise ArgumentError(f"{self.place}: {error}") from None

    def __reduce__(self) -> Any:
        return Storage, (self.place,)

    def path(self, name: str) -> Path:
        """Where a file lies on this computer."""
        assert self.folder is not None
        return self.folder / name

    def _at(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def read(self, name: str) -> bytes | None:
        """What a file holds; None: there is none."""
        try:
            if self.folder is not None:
                return self.path(name).read_bytes()
            found: bytes = self._far.cat_file(self._at(name))
            return found
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes, *, replace: bool = True) -> bool:
        """Write a file, whole or not at all; returns whether it was written (see `write_whole`)."""
        if self.folder is None:
            if not replace and self._far.exists(self._at(name)):
                return False
            self._far.makedirs(self._at(name).rpartition("/")[0], exist_ok=True)
            self._far.pipe_file(self._at(name), data)
            return True
        path = self.path(name)
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        try:
            return write_whole(path, data, replace=replace)
        except FileNotFoundError:  # the folder was removed meanwhile
            path.parent.mkdir(parents=True, exist_ok=True)
            return write_whole(path, data, replace=replace)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            if self.folder is not None:
                self.path(name).unlink()
            else:
                self._far.rm_file(self._at(name))

    def size(self, name: str) -> int | None:
        """Bytes of a file; None: there is none."""
        try:
            if self.folder is not None:
                return self.path(name).stat().st_size
            return int(self._far.size(self._at(name)))
        except FileNotFoundError:
            return None

    def names(self, ending: str) -> list[str]:
        """Relative names of all files that end so, sorted."""
        if self.folder is not None:
            found = [path.relative_to(self.folder).as_posix() for path in self.folder.rglob(f"*{ending}")]
            return sorted(name for name in found if not name.rpartition("/")[2].startswith(TEMPORARY))
        root = self._root.rstrip("/") + "/"
        try:
            every = self._far.find(self._root)
        except FileNotFoundError:
            return []
        return sorted(name[len(root) :] for name in every if name.endswith(ending))

    def tidy(self) -> int:
        """Remove what others left half-written; returns how many.  Only while nobody writes."""
        if self.folder is None or not self.folder.is_dir():
            return 0
        count = 0
        for path in self.folder.rglob(f"{TEMPORARY}*"):
            if path.is_file():
                with contextlib.suppress(OSError):
                    path.unlink()
                    count += 1
        return count
