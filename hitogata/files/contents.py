"""What of a file a Figure does not hold: collected while reading, told in one warning at the end."""

import warnings

from hitogata.errors import FileContentWarning

SHORT, LINES, WIDEST = 800, 10, 90
"""Notes of more characters are summed up, in so many lines, with so many characters of names each."""


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

    def keep(self, kind: str) -> None:
        """Things of a kind are not left out after all."""
        self._left.pop(kind, None)

    def full(self) -> str:
        """All notes; empty if there are none."""
        parts = []
        if self._left:
            kinds = (f"{kind} {', '.join(map(_quoted, names))}" for kind, names in self._left.items())
            parts.append("a Figure does not hold, so left out: " + "; ".join(kinds))
        if self._changed:
            parts.append("changed: " + "; ".join(self._changed))
        return f"{self.file}: {'. '.join(parts)}" if parts else ""

    def message(self) -> str:
        """All notes if they are few; else in `LINES` lines at the most, a kind each, with a few names."""
        full = self.full()
        if len(full) <= SHORT:
            return full
        most = sorted(self._left.items(), key=lambda item: -len(item[1]))
        shown = LINES - 2 - bool(self._changed)
        lines = [f"{self.file}: a Figure does not hold, so left out:"] if most else [f"{self.file}:"]
        lines += [f"  {len(names)} × {kind}: {_few(list(names))}" for kind, names in most[:shown]]
        if self._changed:
            lines.append(f"  changed: {len(self._changed)} things: {_cut(next(iter(self._changed)))}")
        rest = most[shown:]
        more = f"{sum(len(names) for _, names in rest)} more of {len(rest)} kinds; " if rest else ""
        lines.append(f"  {more}everything by name: `details` of this warning")
        return "\n".join(lines)

    def warn(self, *, stacklevel: int = 3) -> None:
        """Tell everything in one FileContentWarning; nothing if there is nothing to tell."""
        if message := self.message():
            warnings.warn(FileContentWarning(message, details=self.full()), stacklevel=stacklevel)


def _few(names: list[str]) -> str:
    """The first of some names."""
    return _cut(listed(names[:3])) + (" ..." if len(names) > 3 else "")


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 4] + " ..."


def _quoted(name: str) -> str:
    """A name in quotes; what stands for a missing name has none."""
    return name if name.startswith("(") else repr(name)


def listed(names: list[str]) -> str:
    """'a', 'b', 'c'."""
    return ", ".join(map(_quoted, names))
