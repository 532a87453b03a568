"""An XML source: its text, its elements with their lines, and errors that say where.

Parsed with expat before anything else reads the file, so that malformed XML is reported with file and line.
"""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from hitogata.errors import FileFormatError


@dataclass
class Node:
    """An XML element.

    Attributes:
        tag: its name.
        attributes: as written.
        line: where it begins, from 1.
        start, end: its bytes in the source.
        children: elements inside, in order.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    start: int
    end: int = -1
    children: list["Node"] = field(default_factory=list)

    def walk(self) -> Iterator["Node"]:
        """This element and all inside, in the order of the text."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)

    def child(self, tag: str) -> "Node | None":
        """The first child with a tag."""
        return next((node for node in self.children if node.tag == tag), None)

    def get(self, attribute: str, default: str = "") -> str:
        """An attribute's text."""
        return self.attributes.get(attribute, default)


@dataclass(frozen=True)
class Source:
    """The text of a file.

    Attributes:
        name: of the file, for messages.
        path: of the file; None if text was given.
        data: its bytes.
        root: its outermost element.
    """

    name: str
    path: Path | None
    data: bytes
    root: Node

    def where(self, node: Node | None) -> str:
        """'file:line' of an element, or 'file'."""
        return self.name if node is None else f"{self.name}:{node.line}"

    def find(self, name: str, *tags: str) -> Node | None:
        """The first element with one of the tags and a name."""
        return next((node for node in self.root.walk() if node.tag in tags and node.get("name") == name), None)


def open_source(path_or_xml: str | os.PathLike[str], what: str) -> Source:
    """Read a file, or take text that begins with '<' as it is.

    Args:
        path_or_xml: path of the file, or XML text.
        what: name of the format, for messages about text.

    Raises:
        FileFormatError: no such file, or not well-formed XML; with file and line.
    """
    if isinstance(path_or_xml, str) and path_or_xml.lstrip().startswith("<"):
        # only before <?xml ...?> is white space not allowed; elsewhere keep it, so that lines count as written
        text = path_or_xml.lstrip() if path_or_xml.lstrip().startswith("<?") else path_or_xml
        return Source(f"{what} text", None, text.encode(), parse(text.encode(), f"{what} text"))
    if not isinstance(path_or_xml, (str, os.PathLike)):
        raise FileFormatError(f"{what}: expected a path or XML text, got {type(path_or_xml).__name__}")
    path = Path(path_or_xml)
    data = read_bytes(path)
    return Source(str(path), path, data, parse(data, str(path)))


def read_bytes(path: Path) -> bytes:
    """All of a file, or FileFormatError naming it."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileFormatError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: cannot be read ({error})") from None
    except MemoryError:
        raise FileFormatError(f"{path}: {path.stat().st_size / 1e9:.1f} GB are more than fit into memory") from None


def parse(data: bytes, name: str) -> Node:
    """The elements of well-formed XML, or FileFormatError with file and line."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = Node("", {}, 0, 0)
    stack = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, parser.CurrentLineNumber, parser.CurrentByteIndex)
        stack[-1].children.append(node)
        stack.append(node)

    def end(tag: str) -> None:
        node = stack.pop()
        at = parser.CurrentByteIndex  # of '</tag>', or behind '<tag/>'
        closed_itself = not node.children and data[at - 2 : at] == b"/>"
        node.end = at if closed_itself else data.index(b">", at) + 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise FileFormatError(f"{name}:{error.lineno}: not well-formed XML: {message}") from None
    root = top.children[0]
    for node in root.walk():
        _check_numbers(node, name)
    return root


def _check_numbers(node: Node, name: str) -> None:
    """No NaN in numbers: MuJoCo would carry it on."""
    for attribute, text in node.attributes.items():
        if attribute != "name" and "nan" in text.lower() and _has_nan(text):
            raise FileFormatError(f"{name}:{node.line}: {attribute}={text!r} of <{node.tag}>: not a number")


def _has_nan(text: str) -> bool:
    try:
        return any(math.isnan(float(word)) for word in text.split())
    except ValueError:
        return False  # words, not numbers
