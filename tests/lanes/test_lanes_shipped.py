"""Compiled code that comes with the package: used where it fits, named where it does not."""

import json
import shutil

import pytest

from hitogata.lanes import shipped
from tests.lanes.test_lanes_caching import BESIDE, home, run

__all__ = ["home"]

pytestmark = pytest.mark.skipif(not shipped.levels(), reason="no processor of a level that code is shipped for")


def ship(home, level):
    """Compile for a level, and put it into the package; the cache is empty afterwards."""
    out, err = run(home, "1,4", NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES=shipped.features(level))
    assert (out, err.count("compiling")) == (["6.0", "6.0"], 4)
    place = home / "site" / "hitogata" / "_compiled" / level
    place.mkdir(parents=True)
    for file in (home / "cache").rglob("*.nbc"):
        shutil.move(file, place)
    (place.parent / "versions.json").write_text(json.dumps(shipped.versions()))
    return place


@pytest.fixture(params=shipped.levels())
def place(request, home):
    return ship(home, request.param)


def test_used_with_an_empty_cache(home, place):
    assert run(home, "1,4") == (["6.0", "6.0"], "")
    assert not list((home / "cache").rglob("*.nbc"))
    out, err = run(home, "8")  # a width that was not shipped
    assert (out, err.count("compiling"), err.count("is stale")) == (["6.0"], 2, 0)


def test_code_of_other_sources_is_named_and_not_used(home, place):
    (home / "work" / "beside.py").write_text(BESIDE.replace("2.0", "5.0"))
    out, err = run(home, "1")
    assert out == ["15.0"]
    assert err.count("compiling") == 1
    assert err.count("is stale") == 1
    assert "other code of __main__.twice" in err


def test_code_of_other_versions_is_named_and_not_used(home, place):
    (place.parent / "versions.json").write_text(json.dumps({**shipped.versions(), "numpy": "1.0"}))
    for file in place.glob("*.nbc"):  # what other versions make has another stamp
        name = file.name.split(".")
        name[-3] = "0" * 12
        file.rename(place / ".".join(name))
    out, err = run(home, "1")
    assert out == ["6.0"]
    assert err.count("compiling") == 2
    assert err.count("made with numpy 1.0 (here") == 1


def test_damaged_code_is_named_and_not_used(home, place):
    for file in place.glob("*.nbc"):
        file.write_bytes(file.read_bytes()[:50])
    out, err = run(home, "1")
    assert out == ["6.0"]
    assert err.count("compiling") == 2
    assert "is damaged" in err


def test_not_used_where_another_processor_is_asked_for(home, place):
    out, err = run(home, "1", NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES="")
    assert (out, err.count("compiling"), err.count("is stale")) == (["6.0"], 2, 0)
