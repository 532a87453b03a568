"""Fingerprints of the code that a stage can reach: when it changes, the stage's results are made anew.

From a module we follow what it imports, wherever in it the import stands, through all of hitogata; bytes of these
sources count, and the versions of numpy, scipy, numba and Python.  That reaches too much, never too little: a change of
a comment counts.  Nothing is imported, so that a run in which nothing has changed is over at once.
"""

import functools
import hashlib
import importlib.metadata
import platform
import re
from pathlib import Path

import hitogata

ROOT = Path(hitogata.__file__).resolve().parent
_FROM = re.compile(rb"^[ \t]*from (hitogata[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_PLAIN = re.compile(rb"^[ \t]*import (hitogata[\w.]*)", re.MULTILINE)


@functools.cache
def code_version(module: str) -> str:
    """Fingerprint of a module and of all that it reaches."""
    digest = hashlib.sha256("\n".join(_packages()).encode())
    for path in sorted(_reached(module)):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + _source(path)[0])
    return digest.hexdigest()[:32]


@functools.cache
def _packages() -> tuple[str, ...]:
    """Versions of what is not ours."""
    found = [f"python {platform.python_version()}"]
    for name in ("numpy", "scipy", "numba", "matplotlib"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} none")
    return tuple(found)


@functools.cache
def _reached(module: str) -> frozenset[Path]:
    seen: set[Path] = set()
    todo = [module]
    while todo:
        for path in _files(todo.pop()):
            if path not in seen:
                seen.add(path)
                todo += _source(path)[1]
    return frozenset(seen)


@functools.cache
def _files(module: str) -> tuple[Path, ...]:
    """The file of a module, and those of the packages it is in, below hitogata itself."""
    parts = module.split(".")[1:]
    found = [ROOT.joinpath(*parts[:k], "__init__.py") for k in range(1, len(parts))]
    last = ROOT.joinpath(*parts)
    found += [last / "__init__.py", last.with_suffix(".py")] if parts else []
    return tuple(path for path in found if path.is_file())


@functools.cache
def _source(path: Path) -> tuple[bytes, tuple[str, ...]]:
    """Digest of a file, and the modules that it may import."""
    text = path.read_bytes()
    found = [match.decode() for match in _PLAIN.findall(text)]
    for module, names in _FROM.findall(text):
        base = module.decode()
        found.append(base)
        for word in re.findall(r"[A-Za-z_]\w*", names.decode("utf-8", "replace")):
            found.append(f"{base}.{word}")  # it may be a module
    return hashlib.sha256(text).digest(), tuple(found)
