"""The head of a storage file: all up to the names of the columns."""

from dataclasses import dataclass, field

from hitogata.errors import FileFormatError
from hitogata.files.rows import cells, text_of
from hitogata.files.storage.table import StorageType

_TYPES = {
    "double": StorageType.DOUBLE,
    "vec3": StorageType.VEC3,
    "quaternion": StorageType.QUATERNION,
    "vec6": StorageType.VEC6,
    "spatialvec": StorageType.VEC6,
}

_WORDS = ("datacolumns", "datarows", "otherdata", "range", "name")
"""Keys of SIMM's header: a word, a blank, a value."""


@dataclass
class Head:
    """What a header says.

    Attributes:
        name: of the table.
        columns: names of the columns, without the time.
        first: index of the line of the first row.
        rows: how many are announced, and the line that says so; None: not said.
        width: how many columns are announced, with the time, and the line.
        in_degrees: None: not said.
        versioned: whether a version is said.
        kind: of the cells.
        metadata, comments, notes: the rest.
    """

    name: str = ""
    columns: list[str] = field(default_factory=list)
    first: int = 0
    rows: tuple[int, int] | None = None
    width: tuple[int, int] | None = None
    in_degrees: bool | None = None
    versioned: bool = False
    kind: StorageType = StorageType.DOUBLE
    metadata: dict[str, str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_head(lines: list[bytes], file: str) -> Head:
    """Read the head.

    Raises:
        FileFormatError: no names of columns, or a number or word that cannot be; with file and line.
    """
    head = Head()
    for k, raw in enumerate(lines):
        text = text_of(raw).strip()
        if text.lower() == "endheader":
            return _columns(head, lines, k + 1, file)
        words = cells(text)
        if len(words) > 1 and words[0].lower() == "time":
            head.notes.append(f"line {k + 1}: the names of the columns come without 'endheader' before them")
            return _columns(head, lines, k, file)
        if text:
            _line(head, text, f"{file}:{k + 1}", k)
    raise FileFormatError(f"{file}: not a storage table: neither 'endheader' nor a line that begins with 'time'")


def _columns(head: Head, lines: list[bytes], at: int, file: str) -> Head:
    """The names of the columns, from the first line that is not blank."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    words = cells(text_of(lines[at])) if at < len(lines) else []
    while words and not words[0]:
        words.pop(0)
    if not words:
        raise FileFormatError(f"{file}:{len(lines)}: the file ends where the names of the columns are expected")
    if words[0].lower() != "time":
        raise FileFormatError(f"{file}:{at + 1}: the first column must be 'time', got {words[0][:40]!r}")
    if "" in words:
        raise FileFormatError(f"{file}:{at + 1}: column {words.index('') + 1} has no name")
    head.columns, head.first = words[1:], at + 1
    if head.width and head.width[0] != len(words):
        head.notes.append(f"line {head.width[1]}: {head.width[0]} columns are announced, but {len(words)} are named")
    return head


def _line(head: Head, text: str, where: str, k: int) -> None:
    """One line of the head: 'key=value', SIMM's 'key value', or any text."""
    if "=" in text:
        key, value = (part.strip() for part in text.split("=", 1))
    else:
        first, _, rest = text.partition(" ")
        key, value = (first, rest.strip()) if first.lower() in _WORDS and rest.strip() else ("", text)
    match key.lower():
        case "nrows" | "datarows":
            head.rows = _count(value, f"{where}: {key}"), k + 1
        case "ncolumns" | "datacolumns":
            head.width = _count(value, f"{where}: {key}"), k + 1
        case "indegrees":
            if value.lower() not in ("yes", "no", "true", "false", "1", "0"):
                raise FileFormatError(f"{where}: inDegrees is yes or no, got {value[:40]!r}")
            head.in_degrees = value.lower() in ("yes", "true", "1")
        case "datatype":
            if value.lower() not in _TYPES:
                raise FileFormatError(f"{where}: DataType {value[:40]!r} is not known: {', '.join(_TYPES)}")
            head.kind = _TYPES[value.lower()]
        case "name":
            head.name = value
        case "version":
            if not value.isdigit():
                raise FileFormatError(f"{where}: version must be a whole number, got {value[:40]!r}")
            head.versioned = True
        case "":
            if k == 0 and not head.name:
                head.name = value
            else:
                head.comments.append(value)
            low = value.lower()
            if head.in_degrees is None and "angles are in" in low:
                head.in_degrees = True if "degree" in low else False if "radian" in low else None
        case _:
            head.metadata[key] = value


def _count(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise FileFormatError(f"{what}: a whole number is expected, got {text[:40]!r}")
    return int(text)
