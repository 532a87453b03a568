"""The pages of this room: templates, styles and scripts from `web/`, put together into one file."""

import re
from importlib import resources


def part(name: str) -> str:
    """The text of a file in `web/`."""
    return (resources.files("hitogata.pictures") / "web" / name).read_text(encoding="utf-8")


def filled(name: str, **fields: str) -> str:
    """A template of `web/` with {{field}} replaced; what is put in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fields[match[1]], part(name))
