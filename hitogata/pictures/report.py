"""A folder of results: one index.html with text, tables, plots and replays, that opens from disk and can be moved."""

import html
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from numbers import Integral, Real
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hitogata.errors import ArgumentError
from hitogata.pictures.overlays import check_text, positive
from hitogata.pictures.pages import filled, part


@dataclass(frozen=True, eq=False)
class Plot:
    """A picture.

    Attributes:
        picture: a file (.png, .svg ...), or a matplotlib figure.
        caption: below it; also said to those who do not see it.
        name: file name of a matplotlib figure in the folder, without ending.
    """

    picture: Any
    caption: str = ""
    name: str = ""

    @property
    def drawn(self) -> bool:
        """Is it a matplotlib figure, still to be saved?"""
        return hasattr(self.picture, "savefig")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows under headings (none if all are empty); columns of numbers stand to the right, floats with four digits."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


@dataclass(frozen=True, eq=False)
class Replay:
    """A page written by `write_replay`, shown within the report at a height [pixels]."""

    path: str | Path
    caption: str = ""
    height: float = 560


Part = str | Plot | Table | Replay
"""What a section is made of; text is split into paragraphs at empty lines."""


@dataclass(frozen=True, eq=False)
class Section:
    """A part of the report under a heading."""

    title: str
    parts: Sequence[Part]


def write_report(folder: str | Path, title: str, sections: Sequence[Section], *, text: str = "") -> Path:
    """Write index.html and what it shows into a folder.

    Files that are not in the folder are copied into it; all links are relative.  Neighbouring plots stand side by
    side.

    Args:
        folder: made if it is not there.
        title: of the report.
        sections: its parts.
        text: a paragraph below the title.

    Returns:
        Path of index.html.
    """
    folder = Path(folder)
    check_text(title, "report: title")
    check_text(text, "report: text")
    for section in sections:
        _check(section)
    links = _links(folder, sections)
    folder.mkdir(parents=True, exist_ok=True)
    for shown, link in links.items():
        target = folder / link
        if isinstance(shown, Plot) and shown.drawn:
            shown.picture.savefig(target, dpi=150, metadata={"Software": None})  # without its version
        elif target.resolve() != (source := _source(shown)).resolve():
            shutil.copyfile(source, target)
    index = folder / "index.html"
    index.write_text(
        filled(
            "report.html",
            title=html.escape(title),
            text=_paragraphs(text),
            style=part("report.css"),
            contents=_contents(sections),
            sections="\n".join(_section(k, section, links) for k, section in enumerate(sections)),
        ),
        encoding="utf-8",
        newline="\n",
    )
    return index


# ---------------------------------------------------------------- checks and files


def _check(section: Any) -> None:
    if not isinstance(section, Section):
        raise ArgumentError(f"report: a Section expected, got {section!r}")
    check_text(section.title, "section: title")
    what = f"section {section.title!r}"
    for item in section.parts:
        if not isinstance(item, Part):
            raise ArgumentError(f"{what}: text, Plot, Table or Replay expected, got {item!r}")
        if isinstance(item, Table):
            for k, cells in enumerate(item.rows):
                if len(cells) != len(item.columns):
                    raise ArgumentError(f"{what}: row {k} of a table has {len(cells)} cells, not {len(item.columns)}")
        elif isinstance(item, Plot) and item.drawn:
            if not item.name or Path(item.name).name != item.name:
                raise ArgumentError(f"{what}: a drawn plot needs a file name of its own, got name={item.name!r}")
        elif not isinstance(item, str):
            given = item.path if isinstance(item, Replay) else item.picture
            if not isinstance(given, str | Path):
                raise ArgumentError(f"{what}: the path of a file or a matplotlib figure expected, got {given!r}")
            if not _source(item).is_file():
                raise ArgumentError(f"{what}: no such file: {_source(item)}")
            if isinstance(item, Replay):
                positive(item.height, f"{what}: height of a replay")


def _source(item: Plot | Replay) -> Path:
    return Path(item.path if isinstance(item, Replay) else item.picture)


def _links(folder: Path, sections: Sequence[Section]) -> dict[Plot | Replay, str]:
    """Path of each picture and replay within the folder."""
    links: dict[Plot | Replay, str] = {}
    taken: dict[str, Any] = {"index.html": "the report itself"}
    for item in (item for section in sections for item in section.parts if isinstance(item, Plot | Replay)):
        if isinstance(item, Plot) and item.drawn:
            link, origin = f"{item.name}.png", item.picture
        else:
            origin = _source(item).resolve()
            inside = origin.is_relative_to(folder.resolve())
            link = os.path.relpath(origin, folder.resolve()) if inside else origin.name
        if taken.setdefault(link, origin) != origin:
            raise ArgumentError(f"report: two files would be {link!r}: {taken[link]} and {origin}")
        links[item] = link
    return links


# ---------------------------------------------------------------- words


def _paragraphs(text: str) -> str:
    return "\n".join(f"<p>{html.escape(block.strip())}</p>" for block in text.split("\n\n") if block.strip())


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 3:
        return ""
    items = (f'<a href="#s{k}">{html.escape(section.title)}</a>' for k, section in enumerate(sections))
    return f"<nav>{''.join(items)}</nav>"


def _section(number: int, section: Section, links: dict[Plot | Replay, str]) -> str:
    body = []
    for plots, run in groupby(section.parts, key=lambda item: isinstance(item, Plot)):
        pieces = [_part(item, links) for item in run]
        body += ['<div class="plots">', *pieces, "</div>"] if plots else pieces
    return f'<section id="s{number}">\n<h2>{html.escape(section.title)}</h2>\n' + "\n".join(body) + "\n</section>"


def _part(item: Part, links: dict[Plot | Replay, str]) -> str:
    if isinstance(item, str):
        return _paragraphs(item)
    below = html.escape(item.caption)
    if isinstance(item, Table):
        return "\n".join(_table(item, below))
    link = quote(Path(links[item]).as_posix())
    if isinstance(item, Plot):
        picture = f'<a href="{link}"><img src="{link}" alt="{below}"></a>'
    else:
        title = below or "replay"
        picture = f'<iframe src="{link}" title="{title}" style="height: {item.height:g}px" allowfullscreen></iframe>'
        below += f' <a href="{link}">Open alone</a>'
    return f"<figure>{picture}" + (f"<figcaption>{below}</figcaption>" if below else "") + "</figure>"


def _table(table: Table, caption: str) -> Iterator[str]:
    numeric = [all(isinstance(row[k], Real) for row in table.rows) for k in range(len(table.columns))]

    def line(tag: str, cells: Sequence[Any]) -> str:
        marked = (f"{tag} class=number" if right else tag for right in numeric)
        return "<tr>" + "".join(f"<{m}>{_cell(x)}</{tag}>" for m, x in zip(marked, cells, strict=True)) + "</tr>"

    yield "<figure><div><table>"
    if any(table.columns):
        yield line("th", table.columns)
    yield from (line("td", row) for row in table.rows)
    yield "</table></div>" + (f"<figcaption>{caption}</figcaption>" if caption else "") + "</figure>"


def _cell(value: Any) -> str:
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{float(value):.4g}"
    return html.escape("–" if value is None else str(value))
