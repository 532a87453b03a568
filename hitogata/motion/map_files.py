"""Tables of links in files: which link of a target follows which link of a source.

# target = source; a dash: follows none
chest = Spine2
head = -
"""

import difflib
import pathlib

from hitogata.errors import FileFormatError
from hitogata.figure import Figure


def read_map(path: str | pathlib.Path, source: Figure, target: Figure) -> dict[str, str | None]:
    """The table of a file, for `map_skeletons` and `retarget`.

    Args:
        path: of a text file, a pair "target = source" in each line; # begins a remark.
        source: the figure that moved: its links.
        target: the figure that follows: its links.

    Raises:
        FileFormatError: the file cannot be read, a line is no pair, a link is not there or is named
            twice; with the line.
    """
    try:
        text = pathlib.Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: cannot be read as a table of links: {error}") from None
    table: dict[str, str | None] = {}
    lines: dict[tuple[str, str], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = [word.strip() for word in line.partition("#")[0].split("=")]
        if words == [""]:
            continue
        if len(words) != 2 or not all(words):
            raise FileFormatError(f"{path}:{number}: expected 'target = source', or 'target = -', got {line.strip()!r}")
        for what, figure, name in (("target", target, words[0]), ("source", source, words[1])):
            if (what, name) == ("source", "-"):
                continue
            if name not in figure.link_names:
                near = difflib.get_close_matches(name, figure.link_names, 1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(figure.link_names)}"
                raise FileFormatError(f"{path}:{number}: the {what} {figure.name!r} has no link {name!r}{hint}")
            if (what, name) in lines:
                first = lines[what, name]
                raise FileFormatError(
                    f"{path}:{number}: link {name!r} of the {what} is named twice, first in line {first}"
                )
            lines[what, name] = number
        table[words[0]] = None if words[1] == "-" else words[1]
    return table
