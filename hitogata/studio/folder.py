"""The folder where the studio writes; names from the page never become paths."""

import re
import threading
import time
from pathlib import Path

from hitogata.errors import ArgumentError

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


class Folder:
    """Gives out paths within one folder, each new."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self._lock = threading.Lock()

    def new(self, stem: str, ending: str) -> Path:
        """A path that does not exist yet: a clean form of `stem`, the time, and `ending` (as in ".png").

        Raises:
            ArgumentError: the ending is no plain one, or one cannot write to the folder.
        """
        if not re.fullmatch(r"\.[a-z0-9]{1,8}", ending):
            raise ArgumentError(f"ending: letters after a dot expected, got {ending!r}")
        name = f"{clean(stem)}-{time.strftime('%Y%m%d-%H%M%S')}"
        try:
            with self._lock:
                self.path.mkdir(parents=True, exist_ok=True)
                number, path = 1, self.path / f"{name}{ending}"
                while path.exists():
                    number += 1
                    path = self.path / f"{name}-{number}{ending}"
                path.touch()
        except OSError as error:
            raise ArgumentError(f"cannot write to {self.path}: {error.strerror}; choose a folder with --out") from None
        return path


def clean(name: str) -> str:
    """A file's stem from any text: letters, digits, -, _ and dots within."""
    return _UNSAFE.sub("-", str(name))[:60].strip(".-") or "untitled"
