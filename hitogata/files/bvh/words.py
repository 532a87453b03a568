"""Words of a BVH hierarchy, each with its line."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from hitogata.errors import FileFormatError
from hitogata.figure.values import Vector

_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#|//).*")
_END = re.compile(r"end\s*(site|effector)?\b", re.IGNORECASE)


class Token(NamedTuple):
    """A word, brace or declaration ("JOINT", name) of the hierarchy."""

    text: str
    line: int
    name: str = ""


class Words:
    """Tokens of the hierarchy, up to the word MOTION.

    Names may hold spaces, so the name of a joint is the rest of its line, up to a brace.
    """

    def __init__(self, data: bytes, file: str, encoding: str) -> None:
        self.data, self.file, self.encoding = data, file, encoding
        self.line, self.start, self.at = 0, 0, 0  # line of the last token; its first byte, and the one behind it
        self.tokens = self._tokens()

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        """Raise a FileFormatError for a line, or for that of the last word."""
        raise FileFormatError(f"{self.file}:{self.line if line is None else line}: {message}")

    def _lines(self) -> Iterator[str]:
        while self.at < len(self.data):
            end = self.data.find(b"\n", self.at)
            end = len(self.data) if end < 0 else end
            text = self.data[self.at : end].decode(self.encoding, "replace")
            self.start, self.at = self.at, min(end + 1, len(self.data))
            self.line += 1
            yield _COMMENT.sub("", text).strip()

    def _tokens(self) -> Iterator[Token]:
        pending = ""  # ROOT or JOINT whose name comes in another line
        for text in self._lines():
            while text:
                if text[0] in "{}" and not pending:
                    yield Token(text[0], self.line)
                    text = text[1:].lstrip()
                    continue
                word = pending or re.split(r"[\s{}]", text, maxsplit=1)[0]
                kind = "END" if _END.match(text) and not pending else word.upper()
                if kind in ("ROOT", "JOINT", "END"):
                    body = text if pending else text[len(word) :]
                    name = re.split(r"[{}]", body, maxsplit=1)[0]
                    text = body[len(name) :]
                    name = " ".join(name.split())
                    if not name and not text and kind != "END":
                        pending = kind
                        break
                    pending = ""
                    yield Token(kind, self.line, name)
                    continue
                text = text[len(word) :].lstrip()
                if kind == "MOTION":
                    yield Token(kind, self.line)
                    return
                yield Token(word, self.line)
        if pending:
            yield Token(pending, self.line)
        yield Token("", self.line)

    def next(self, wanted: str) -> Token:
        """The next token, which must not be the end of the file or of the hierarchy."""
        token = next(self.tokens)
        if token.text in ("", "MOTION"):
            found = "the file ends" if not token.text else "MOTION begins"
            self.fail(f"{found} where {wanted} is expected", token.line)
        return token

    def number(self, wanted: str) -> float:
        """The next word as a finite number."""
        token = self.next(wanted)
        try:
            value = float(token.text)
        except ValueError:
            comma = "; numbers are written with a point" if re.fullmatch(r"[-+\d]+,\d+", token.text) else ""
            self.fail(f"{wanted}: a number is expected, got {shown(token.text)}{comma}", token.line)
        if not math.isfinite(value) or "_" in token.text:
            self.fail(f"{wanted}: a finite number is expected, got {shown(token.text)}", token.line)
        return value

    def vector(self, wanted: str) -> Vector:
        """The next three words as numbers."""
        return self.number(wanted), self.number(wanted), self.number(wanted)


def shown(text: str) -> str:
    """Some text of the file in quotes, not too much of it."""
    return repr(text if len(text) <= 40 else text[:37] + "...") if text else "nothing"
