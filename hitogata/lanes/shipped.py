"""Compiled code that came with the package: a wheel may carry what `hitogata warmup` makes, for two kinds of processor.

It lies in `hitogata/_compiled/LEVEL`, under the names that the cache on disk gives it (see `code_cache`), made for the
levels x86-64-v3 (AVX2) and x86-64-v4 (AVX-512) instead of one processor.  It is used where this processor has all of a
level, and if it was made from the code that is here, by the same versions: else the entry is compiled, and one warning
says that the package carries stale code, and why.  `packaging/wheel.py` puts it there.
"""

import functools
import hashlib
import json
import pathlib
import pickle
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba.core import config

from hitogata.lanes.bounds import CHECKED

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "_compiled"

_V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.1", "sse4.2", "ssse3")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
LEVELS = {"x86-64-v4": _V4, "x86-64-v3": _V3}
"""What a processor of each level has; the best first."""


def features(level: str) -> str:
    """Of a level, as NUMBA_CPU_FEATURES wants them."""
    return ",".join(f"+{name}" for name in LEVELS[level])


@functools.cache
def levels() -> tuple[str, ...]:
    """Levels that this processor has, the best first."""
    own = binding.get_host_cpu_features()
    return tuple(level for level, needed in LEVELS.items() if all(own.get(name, False) for name in needed))


def versions() -> dict[str, str]:
    """What compiled code hangs on besides its sources."""
    return {"python": str(sys.implementation.cache_tag), "numpy": np.__version__, "numba": numba.__version__,
            "llvmlite": llvmlite.__version__}  # fmt: skip


def file_name(base: str, stamp: str, key: Any) -> str:
    """Name of the file of an entry: what it is, from which code, for which signature and processor."""
    return f"{base}.{stamp[:12]}.{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}.nbc"


def load(base: str, stamp: str, key: Any) -> Any:
    """Data that came with the package for an entry and its key in the cache, or None."""
    if CHECKED or config.CPU_NAME is not None or not FOLDER.is_dir():
        return None
    for path, wanted in _places(base, stamp, key):
        try:
            saved_stamp, saved, data = pickle.loads(path.read_bytes())
        except FileNotFoundError:
            continue
        except Exception:  # damaged: as if it were not there
            _say_stale(f"{path.name} is damaged")
            continue
        if (saved_stamp, saved) == (stamp, repr(wanted)):
            return data
    others = [path for level in levels() for path in (FOLDER / level).glob(f"{base}.*.nbc")]
    if others and not any(path.name.startswith(f"{base}.{stamp[:12]}.") for path in others):
        _say_stale(_difference(base))
    return None


def _places(base: str, stamp: str, key: Any) -> Iterator[tuple[pathlib.Path, Any]]:
    sig, (triple, *_) = key
    for level in levels():
        wanted = sig, (triple, level, features(level))
        yield FOLDER / level / file_name(base, stamp, wanted), wanted


def _difference(base: str) -> str:
    """Why code does not fit: versions, or sources."""
    try:
        theirs = json.loads((FOLDER / "versions.json").read_text())
    except (OSError, ValueError):
        theirs = {}
    other = [f"{name} {theirs[name]} (here {own})" for name, own in versions().items() if theirs.get(name, own) != own]
    return f"it was made with {', '.join(other)}" if other else f"it was made from other code of {base}"


@functools.cache
def _say_stale(why: str) -> None:
    """Once per process and reason."""
    warnings.warn(f"hitogata: the package's compiled code is stale, not used: {why}. Functions are compiled on first "
                  "use; a wheel made from this version would spare you that.", RuntimeWarning, stacklevel=2)
