"""Compiled code on disk: found again, made anew when sources change, and never in the way."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

import hitogata

PACKAGE = pathlib.Path(hitogata.__file__).parent

SCRIPT = """
import sys
import numpy as np
from hitogata.lanes import Width, entry, kernel, lanes
import beside

@kernel
def core(view):
    view[0] = beside.double(view[0])

@kernel
def apply(core, view):
    core(view)

@entry
def twice(x, width):
    apply(core, lanes(x, width))

@entry
def thrice(x, width):
    view = lanes(x, width)
    view[0] = view[0] * 3.0

for width in map(int, sys.argv[1].split(",")):
    x = np.ones(width)
    twice(x, Width(width))
    thrice(x, Width(width))
    print(x.sum() / width)
"""
BESIDE = '''
from hitogata.lanes import inline

FACTOR = 2.0

@inline
def double(x):
    """Twice."""
    return x * FACTOR
'''


@pytest.fixture
def home(tmp_path):
    """A copy of the room, with a room that it does not import, and a script that uses it."""
    package = tmp_path / "site" / "hitogata"
    shutil.copytree(PACKAGE / "lanes", package / "lanes", ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("__init__.py", "errors.py"):
        shutil.copy(PACKAGE / file, package / file)
    (package / "elsewhere").mkdir()
    (package / "elsewhere" / "__init__.py").write_text("")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "script.py").write_text(SCRIPT)
    (tmp_path / "work" / "beside.py").write_text(BESIDE)
    return tmp_path


def start(home, widths="1", script="script.py", **env):
    plain = {k: v for k, v in os.environ.items() if k not in ("HITOGATA_QUIET", "PYTHONPATH")}
    plain |= {"PYTHONPATH": str(home / "site"), "NUMBA_CACHE_DIR": str(home / "cache"), **env}
    return subprocess.Popen([sys.executable, str(home / "work" / script), widths], env=plain, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process):
    """What a process printed: results, and lines about compiling."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.split(), err


def run(home, *args, **env):
    return finish(start(home, *args, **env))


def append(path, text):
    path.write_text(path.read_text() + text)


def test_found_again_and_made_anew_when_sources_change(home):
    out, err = run(home, "1,4")
    assert out == ["6.0", "6.0"]
    lines = err.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("hitogata: compiling twice (f64 x1), once ... ")
    assert lines[3].startswith("hitogata: compiling thrice (f64 x4), once ... ")
    assert all(line.endswith(" s") for line in lines)
    assert run(home, "1,4") == (["6.0", "6.0"], "")

    append(home / "site" / "hitogata" / "elsewhere" / "__init__.py", "changed = True\n")
    append(home / "site" / "hitogata" / "lanes" / "numbers.py", "# changed\n")
    (home / "work" / "beside.py").write_text("# New.\n" + BESIDE.replace("Twice.", "Two times x."))
    assert run(home, "4") == (["6.0"], ""), "docstrings, comments, lines and other rooms do not matter"
    (home / "work" / "beside.py").write_text(BESIDE.replace("2.0", "5.0"))
    out, err = run(home, "4")
    assert (out, err.count("compiling"), err.count("twice")) == (["15.0"], 1, 1), "a constant of one entry changed"
    append(home / "site" / "hitogata" / "lanes" / "numbers.py", "changed = True\n")
    assert run(home, "4")[1].count("compiling") == 2, "what compiles has changed"


def test_only_so_many_versions_are_kept(home):
    few = SCRIPT.replace("import beside", "import beside\nfrom hitogata.lanes import code_cache\ncaching.VERSIONS = 3")
    (home / "work" / "few.py").write_text(few)
    for factor in range(6):
        (home / "work" / "beside.py").write_text(BESIDE.replace("2.0", f"{factor}.0"))
        assert run(home, "1", "few.py")[0] == [f"{3.0 * factor}"]
    names = [path.name for path in (home / "cache").rglob("*.nbc")]
    assert (sum("twice" in name for name in names), sum("thrice" in name for name in names)) == (4, 1)


def test_checkouts_share(home):
    run(home)
    (home / "elsewhere").mkdir()
    for part in ("site", "work"):
        shutil.move(home / part, home / "elsewhere" / part)
    process = start(home / "elsewhere", NUMBA_CACHE_DIR=str(home / "cache"))
    assert finish(process) == (["6.0"], "")


def test_code_older_than_its_sources(home):
    # The helper is loaded, then its file changes, then it is compiled: the new file must not get the old code.
    script = SCRIPT.replace("import beside", "import beside\nopen(beside.__file__, 'w').write("
                            + repr(BESIDE.replace("2.0", "5.0")) + ")")
    (home / "work" / "edit.py").write_text(script)
    assert run(home, "1", "edit.py")[0] == ["6.0"]
    assert run(home, "1")[0] == ["15.0"]


def test_quiet(home):
    assert run(home, HITOGATA_QUIET="1") == (["6.0"], "")


def test_no_writable_directory(home):
    # Files where directories should be: not writable even for root.
    (home / "work" / "__pycache__").write_text("")
    nowhere = {"NUMBA_CACHE_DIR": "", "HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere"}
    for _ in range(2):
        out, err = run(home, "1,4", **nowhere)
        assert out == ["6.0", "6.0"]
        assert err.count("compiling") == 4
        assert err.count("cannot be kept on disk") == 1
        assert "NUMBA_CACHE_DIR" in err


def test_disk_that_fails_after_compiling(home):
    script = SCRIPT.replace("import beside", "import beside\nfrom hitogata.lanes import code_cache\n"
                            "def full(*args): raise OSError(28, 'No space left on device')\n"
                            "code_cache._Files._save_data = full")
    (home / "work" / "full.py").write_text(script)
    out, err = run(home, "1", "full.py")
    assert out == ["6.0"]
    assert err.count("No space left on device") == 1


def test_damaged_files_are_made_anew(home):
    run(home)
    for path in (home / "cache").rglob("*.nbc"):
        path.write_bytes(path.read_bytes()[:100])
    out, err = run(home)
    assert (out, err.count("compiling")) == (["6.0"], 2)
    assert run(home) == (["6.0"], "")


def test_processes_that_compile_at_once(home):
    widths = ["1", "4", "1", "4"]
    told = [finish(process) for process in [start(home, w) for w in widths]]
    assert [out for out, _ in told] == [["6.0"]] * 4
    assert sum(err.count("compiling") for _, err in told) == 4, "each entry once, whoever comes first"
    assert run(home, "1,4") == (["6.0"] * 2, "")
    assert not list((home / "cache").rglob("*.lock"))


def test_killed_while_compiling(home):
    script = SCRIPT.replace("import beside", "import beside, time\nfrom hitogata.lanes import compiler\n"
                            "def never(*args):\n    print('held', flush=True)\n    time.sleep(1e6)\n"
                            "compiler._Compiler.compile = never")
    (home / "work" / "stuck.py").write_text(script)
    stuck = start(home, "1", "stuck.py")
    assert stuck.stdout.readline() == "held\n"
    waiting = start(home)
    time.sleep(3.0)
    assert waiting.poll() is None, "it waits for the one that is stuck"
    stuck.kill()
    stuck.communicate()
    out, err = finish(waiting)
    assert (out, err.count("compiling")) == (["6.0"], 2)
