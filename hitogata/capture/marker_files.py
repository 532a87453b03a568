"""Files of marker sets: TOML or JSON, by the ending of the name.  Numbers are kept to the bit.

    radius = 0.007                        # m
    [[marker]]
    label = "LASI"
    link = "pelvis"
    place = [0.12, 0.11, 0.03]            # in the link's frame, m
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from hitogata.capture.marker_set import RADIUS, MarkerSet
from hitogata.errors import ArgumentError, FileFormatError, HitogataError
from hitogata.figure import Figure
from hitogata.figure.values import vector


def write_marker_set(figure: Figure, markers: MarkerSet, path: str | Path) -> None:
    """Write a marker set to a .toml or .json file."""
    target = Path(path)
    rows = [
        {"label": label, "link": figure.link_names[link], "place": place.tolist()}
        for label, link, place in zip(markers.labels, markers.links, markers.places, strict=True)
    ]
    if _is_json(target):
        target.write_text(json.dumps({"radius": markers.radius, "marker": rows}, indent=1) + "\n", encoding="utf-8")
        return
    lines = [f"radius = {markers.radius!r}", ""]
    for row in rows:
        lines += ["[[marker]]", *(f"{key} = {json.dumps(value)}" for key, value in row.items()), ""]
    target.write_text("\n".join(lines), encoding="utf-8")


def read_marker_set(figure: Figure, path: str | Path) -> MarkerSet:
    """Read a marker set of a figure from a .toml or .json file.

    Raises:
        FileFormatError: with the file, and the marker or line that is wrong.
    """
    source = Path(path)
    loads = json.loads if _is_json(source) else tomllib.loads
    try:
        table = loads(source.read_text(encoding="utf-8"))
        rows, radius = table.get("marker"), table.get("radius", RADIUS)
    except FileNotFoundError:
        raise FileFormatError(f"{path}: no such file") from None
    except (ValueError, AttributeError, OSError, RecursionError) as error:  # also: not UTF-8, not a table
        raise FileFormatError(f"{path}: {error}") from None
    if not isinstance(rows, list) or not rows:
        raise FileFormatError(f"{path}: no markers; a file of a marker set has tables [[marker]]")
    places: dict[str, tuple[str, Any]] = {}
    for k, row in enumerate(rows):
        what = f"{path}: marker {k + 1}"
        if not isinstance(row, dict) or set(row) != {"label", "link", "place"} or not isinstance(row["label"], str):
            raise FileFormatError(f"{what}: label, link and place expected, got {row!r}")
        if row["label"] in places:
            raise FileFormatError(f"{what}: a second {row['label']!r}")
        try:
            figure.link_index(row["link"])
            places[row["label"]] = (row["link"], vector(row["place"], "place"))
        except HitogataError as error:
            raise FileFormatError(f"{what}: {error}") from None
    try:
        return MarkerSet.of(figure, places, radius=radius)
    except HitogataError as error:
        raise FileFormatError(f"{path}: {error}") from None


def _is_json(path: Path) -> bool:
    kind = path.suffix.lower()
    if kind not in (".toml", ".json"):
        raise ArgumentError(f"{path}: files of marker sets end in .toml or .json")
    return kind == ".json"
