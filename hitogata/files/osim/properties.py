"""Properties of OpenSim's objects: how a field of a dataclass stands in the XML, one table for reading and writing.

A class that takes part has the attribute TYPE, OpenSim's name of it, and fields made by `prop`.  `read_object` fills
them from an element, or from the model's <defaults>, or leaves the default; what it does not know is noted by name.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, TypeVar

from hitogata.errors import FigureError, FileFormatError
from hitogata.files.contents import Contents
from hitogata.files.osim.elements import Element
from hitogata.files.rows import number_text

T = TypeVar("T")

DISPLAY = frozenset(
    (
        *("Appearance", "FrameGeometry", "VisibleObject", "groups", "input_transform", "appearance", "default_color"),
        *("ModelVisualPreferences", "display_preference", "color", "opacity", "texture_file"),
    )
)
"""Elements that only say how things are drawn, or join objects into groups that nothing needs; they are not kept."""


@dataclass
class Reader:
    """What reading a file needs everywhere.

    Attributes:
        file: its name, for messages.
        contents: collects what is not understood.
        version: of the document.
        defaults: elements of the <defaults> section, by type.
    """

    file: str
    contents: Contents
    version: int = 40000
    defaults: dict[str, Element] = field(default_factory=dict)

    def error(self, element: Element, message: str) -> FileFormatError:
        """An error that names file, line and element."""
        name = f" {element.name!r}" if element.name else ""
        return FileFormatError(f"{self.file}:{element.line}: <{element.tag}>{name}: {message}")

    def make(self, cls: Callable[..., T], element: Element, **values: Any) -> T:
        """A value of a class; what the class refuses is an error at the element."""
        try:
            return cls(**values)
        except FigureError as error:
            raise self.error(element, str(error)) from None


@dataclass(frozen=True)
class Codec:
    """How a value stands in an element: `read(reader, element)` and `write(value, element)`, which fills it."""

    read: Callable[[Reader, Element], Any]
    write: Callable[[Any, Element], None]


def prop(codec: Codec, default: Any = MISSING, *, tag: str = "") -> Any:
    """A field that stands in an element of its own; `tag` where OpenSim calls it otherwise."""
    metadata = {"codec": codec, "tag": tag}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


@dataclass(frozen=True)
class OsimObject:
    """Root of what has a type and a name in OpenSim."""

    TYPE: ClassVar[str] = ""
    name: str


def properties(cls: type) -> list[tuple[Field[Any], str, Codec]]:
    """Fields that stand in elements, with their tags and codecs."""
    return [(f, f.metadata["tag"] or f.name, f.metadata["codec"]) for f in fields(cls) if "codec" in f.metadata]


def read_object(reader: Reader, cls: type[T], element: Element, *, skip: Iterable[str] = (), **given: Any) -> T:
    """An object from its element.

    Args:
        reader: the file.
        cls: class with `prop` fields.
        element: it.
        skip: children that the caller reads.
        given: values of fields that the caller has read.
    """
    values = {"name": element.name, **given}
    known = set(skip) | DISPLAY
    fallback = reader.defaults.get(element.tag)
    for each, tag, codec in properties(cls):
        known.add(tag)
        if each.name in given:
            continue
        found = element.child(tag) or (fallback.child(tag) if fallback is not None else None)
        if found is not None:
            values[each.name] = codec.read(reader, found)
        elif each.default is MISSING and each.default_factory is MISSING:
            raise reader.error(element, f"<{tag}> is missing")
    for child in element.children:
        if child.tag not in known and (child.text or child.children):
            reader.contents.leave("property", f"{element.tag}.{child.tag}")
    return reader.make(cls, element, **values)


def write_object(value: Any, parent: Element, *, tag: str = "") -> Element:
    """Append an object's element to a parent, with those of its properties that are not at their defaults."""
    made = parent.add(tag or value.TYPE, name=getattr(value, "name", ""))
    for each, key, codec in properties(type(value)):
        held = getattr(value, each.name)
        if held is not None and held != each.default:
            codec.write(held, made.add(key))
    return made


def parse_number(reader: Reader, element: Element, word: str, *, infinite: bool = True) -> float:
    """A number; NaN never, infinities only where allowed."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if math.isnan(value) or (math.isinf(value) and not infinite) or "_" in word:
        raise reader.error(element, f"a number is expected, got {word[:40]!r}")
    return value


def _number(reader: Reader, element: Element) -> float:
    words = element.text.split()
    if len(words) != 1 or element.children:
        raise reader.error(element, f"one number is expected, got {element.text[:40]!r}")
    return parse_number(reader, element, words[0])


def _numbers(count: int | None) -> Callable[[Reader, Element], tuple[float, ...]]:
    def read(reader: Reader, element: Element) -> tuple[float, ...]:
        words = element.text.replace(",", " ").split()
        if count is not None and len(words) != count:
            raise reader.error(element, f"{count} numbers are expected, got {element.text[:60]!r}")
        return tuple(parse_number(reader, element, word, infinite=False) for word in words)

    return read


def _flag(reader: Reader, element: Element) -> bool:
    word = element.text.lower()
    if word not in ("true", "false", "1", "0"):
        raise reader.error(element, f"true or false is expected, got {element.text[:40]!r}")
    return word in ("true", "1")


def _whole(reader: Reader, element: Element) -> int:
    try:
        return int(element.text)
    except ValueError:
        raise reader.error(element, f"a whole number is expected, got {element.text[:40]!r}") from None


def _optional(reader: Reader, element: Element) -> float | None:
    return _number(reader, element) if element.text else None


def _set_text(text: Callable[[Any], str]) -> Callable[[Any, Element], None]:
    def write(value: Any, element: Element) -> None:
        element.text = text(value)

    return write


def row_text(values: Iterable[float]) -> str:
    """Numbers with blanks between, read again as the same numbers."""
    return " ".join(number_word(value) for value in values)


def number_word(value: float) -> str:
    """A number as OpenSim reads it."""
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return number_text(value)


NUMBER = Codec(_number, _set_text(number_word))
OPTIONAL = Codec(_optional, _set_text(number_word))
NUMBERS = Codec(_numbers(None), _set_text(row_text))
PAIR = Codec(_numbers(2), _set_text(row_text))
VECTOR = Codec(_numbers(3), _set_text(row_text))
SIX = Codec(_numbers(6), _set_text(row_text))
FLAG = Codec(_flag, _set_text(lambda value: "true" if value else "false"))
WHOLE = Codec(_whole, _set_text(str))
TEXT = Codec(lambda reader, element: element.text, _set_text(str))
NAMES = Codec(lambda reader, element: tuple(element.text.split()), _set_text(" ".join))
LEAF = Codec(lambda reader, element: element.text.rsplit("/", 1)[-1], _set_text(str))
"""The last name of a path: coordinates are unique by it."""
