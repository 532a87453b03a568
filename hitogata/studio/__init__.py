"""The studio: figures in the browser, to be dragged, pinned, pushed and measured.

A thin outer door over the other rooms; nothing is computed here that they do not compute.  The page is drawn by viser
(`pip install hitogata[studio]`).
"""

import importlib
from typing import TYPE_CHECKING, Any

from hitogata.studio.options import StudioOptions

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

__all__ = ["Studio", "StudioOptions"]


def __getattr__(name: str) -> Any:
    if name == "Studio":  # loads viser
        return importlib.import_module("hitogata.studio.studio").Studio
    raise AttributeError(f"module 'hitogata.studio' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
