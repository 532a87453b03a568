"""Reads replays back, without hitogata."""

import base64
import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np


class _Scene(HTMLParser):
    """The text of <script id="scene">, and everything the page would load."""

    def __init__(self):
        super().__init__()
        self.inside, self.text, self.loads = False, "", []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.inside = attrs.get("id") == "scene"
        self.loads += [value for name, value in attrs.items() if name in ("src", "href")]

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.text += data


def scene_of(path: Path) -> dict:
    parser = _Scene()
    parser.feed(Path(path).read_text(encoding="utf-8"))
    assert parser.loads == ["data:,"], "a replay loads nothing but its empty icon"
    return json.loads(parser.text)


def numbers(packed: dict) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(packed["data"]), dtype="<" + packed["type"]).reshape(packed["shape"])
    if "scale" not in packed:
        return raw
    offset = np.array(packed["offset"])
    return raw * packed["scale"] + (offset if raw.ndim > 1 else offset[0])
