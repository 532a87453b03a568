"""What of a file a Figure does not hold: collected while reading, told in one warning at the end."""

import warnings

from hitogata.errors import FileContentWarning


class Contents:
    """Things of a file that were left out or changed, by kind and name.

    Args:
        file: name of the file, for the warning.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._left: dict[str, dict[str, None]] = {}  # kind -> names, in order, each once
        self._changed: dict[str, None] = {}

    def leave(self, kind: str, name: str) -> None:
        """Note that the thing `name` of a kind ("actuator") is left out."""
        self._left.setdefault(kind, {})[name] = None

    def change(self, what: str) -> None:
        """Note a change, in words that name the thing changed."""
        self._changed[what] = None

    def message(self) -> str:
        """All notes; empty if there are none."""
        parts = []
        if self._left:
            kinds = (f"{kind} {', '.join(map(_quoted, names))}" for kind, names in self._left.items())
            parts.append("a Figure does not hold, so left out: " + "; ".join(kinds))
        if self._changed:
            parts.append("changed: " + "; ".join(self._changed))
        return f"{self.file}: {'. '.join(parts)}" if parts else ""

    def warn(self, *, stacklevel: int = 3) -> None:
        """Tell everything in one FileContentWarning; nothing if there is nothing to tell."""
        if message := self.message():
            warnings.warn(message, FileContentWarning, stacklevel=stacklevel)


def _quoted(name: str) -> str:
    """A name in quotes; what stands for a missing name has none."""
    return name if name.startswith("(") else repr(name)


def listed(names: list[str]) -> str:
    """'a', 'b', 'c'."""
    return ", ".join(map(_quoted, names))
