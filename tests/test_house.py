"""The package as a whole: its rooms, the import law, examples in docstrings."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hitogata

ROOT = Path(hitogata.__file__).parents[1]
ROOMS = sorted(found.name for found in pkgutil.iter_modules(hitogata.__path__))
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "hitogata").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_every_room_is_an_attribute_and_importing_stays_light():
    code = (
        "import sys, hitogata\n"
        "assert not {'numpy', 'numba', 'scipy'} & set(sys.modules)\n"
        "import hitogata.sim, hitogata.library\n"
        "assert not {'scipy.interpolate', 'scipy.signal', 'matplotlib', 'mujoco'} & set(sys.modules)\n"
        f"for room in {ROOMS}: assert getattr(hitogata, room).__name__ == 'hitogata.' + room\n"
        "assert 'sim' in dir(hitogata)\n"
        "try: hitogata.simm\n"
        "except AttributeError as error: assert \"'simm'\" in str(error)\n"
        "else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_import_law_names_the_rooms_that_exist():
    with (ROOT / "pyproject.toml").open("rb") as file:
        (law,) = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    named = [name.removeprefix("hitogata.") for name in law["layers"]]
    assert sorted(name for name in named if not name.startswith("(")) == sorted(
        set(ROOMS) - {name.strip("()").removeprefix("hitogata.") for name in named if name.startswith("(")}
    )


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_docstrings_run(name, monkeypatch):
    """Also where they show no results: what raises fails."""
    monkeypatch.setenv("HITOGATA_QUIET", "1")
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0
