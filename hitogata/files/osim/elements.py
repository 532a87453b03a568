"""XML of OpenSim's files: elements with their text and lines, read safely, and written again.

Document types and entities are refused, so that nothing expands and nothing outside the file is looked at; depth and
count are bounded.
"""

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from hitogata.errors import FileContentWarning, FileFormatError
from hitogata.files.source import read_bytes

MOST_DEPTH = 200
"""Elements inside elements: models have about 20."""

MOST_BYTES = 1 << 28
"""Size of a file; the largest models have some MB."""


@dataclass
class Element:
    """An XML element.

    Attributes:
        tag: its name.
        text: its own text, without outer blanks.
        attributes: as written.
        children: elements inside, in order.
        line: where it begins, from 1; 0: not from a file.
    """

    tag: str
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element"] = field(default_factory=list)
    line: int = 0

    @property
    def name(self) -> str:
        """The attribute `name`, or nothing."""
        return self.attributes.get("name", "").strip()

    def child(self, *tags: str) -> "Element | None":
        """The first child with one of the tags."""
        return next((child for child in self.children if child.tag in tags), None)

    def pop(self, *tags: str) -> "Element | None":
        """Take the first child with one of the tags out."""
        found = self.child(*tags)
        if found is not None:
            self.children = [child for child in self.children if child is not found]
        return found

    def add(self, tag: str, text: str = "", *, name: str = "", line: int | None = None) -> "Element":
        """Append a child and return it."""
        made = Element(tag, text, {"name": name} if name else {}, [], self.line if line is None else line)
        self.children.append(made)
        return made


def read_elements(path: Path) -> Element:
    """The outermost element of a file.

    Raises:
        FileFormatError: missing, not well formed, or with a document type; with file and line.
    """
    data = read_bytes(path)
    if len(data) > MOST_BYTES:
        raise FileFormatError(f"{path}: {len(data) / 1e6:.0f} MB are more than a model has")
    return parse_elements(data, str(path))


def parse_elements(data: bytes, file: str) -> Element:
    """The outermost element of XML text."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = Element("")
    stack = [top]
    texts: list[list[str]] = [[]]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > MOST_DEPTH:
            raise FileFormatError(f"{file}:{parser.CurrentLineNumber}: <{tag}> stands {len(stack)} elements deep")
        made = Element(tag, "", attributes, [], parser.CurrentLineNumber)
        stack[-1].children.append(made)
        stack.append(made)
        texts.append([])

    def end(_: str) -> None:
        stack.pop().text = "".join(texts.pop()).strip()

    def refuse(*_: object) -> None:
        raise FileFormatError(f"{file}:{parser.CurrentLineNumber}: document types and entities are not read")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        if len(stack) == 1 and top.children:  # OpenSim's own files have such tails
            text = f"{file}:{error.lineno}: what stands behind <{top.children[0].tag}> is left out: {message}"
            warnings.warn(text, FileContentWarning, stacklevel=2)
            return top.children[0]
        raise FileFormatError(f"{file}:{error.lineno}: not well-formed XML: {message}") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{file}:1: the encoding cannot be read: {error}") from None
    return top.children[0]


def write_elements(root: Element, path: Path) -> None:
    """Write a document, indented as OpenSim does."""
    lines = ['<?xml version="1.0" encoding="UTF-8" ?>']
    _write(root, 0, lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write(element: Element, depth: int, lines: list[str]) -> None:
    indent = "\t" * depth
    head = element.tag + "".join(f" {key}={quoteattr(value)}" for key, value in element.attributes.items())
    if not element.children:
        lines.append(
            f"{indent}<{head}>{escape(element.text)}</{element.tag}>" if element.text else f"{indent}<{head} />"
        )
        return
    lines.append(f"{indent}<{head}>")
    for child in element.children:
        _write(child, depth + 1, lines)
    lines.append(f"{indent}</{element.tag}>")
