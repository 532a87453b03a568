"""hitogata (人型, "human figure"): figures that move under real physics, inside the limits of real joints.

Rooms load on first use, so `import hitogata` costs next to nothing; the first call that computes loads Numba.
"""

import importlib
from types import ModuleType

__version__ = "0.1.0"

_ROOMS = ("dynamics", "errors", "figure", "files", "lanes", "library", "rom", "spatial")

__all__ = ["__version__", *_ROOMS]


def __getattr__(name: str) -> ModuleType:
    if name in _ROOMS:
        return importlib.import_module(f"hitogata.{name}")
    raise AttributeError(f"module 'hitogata' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
