"""hitogata (人型, "human figure"): figures that move under real physics, inside the limits of real joints.

Rooms load on first use, so `import hitogata` costs next to nothing; the first call that computes loads Numba.
"""

import importlib
from types import ModuleType

__version__ = "0.1.0"

__all__ = ["__version__"]


def __getattr__(name: str) -> ModuleType:
    whole = f"{__name__}.{name}"
    if not name.startswith("_"):
        try:
            return importlib.import_module(whole)
        except ModuleNotFoundError as error:
            if error.name != whole:  # a room lacks something
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from pkgutil import iter_modules

    return sorted([*__all__, *(found.name for found in iter_modules(__path__))])
