"""Entries release the GIL, run at several widths, and give the same from any thread and in any process."""

import hashlib
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hitogata import dynamics
from hitogata.lanes import Entry
from hitogata.lanes.types import WidthType
from hitogata.library import human28
from tests.dynamics.cases import FUNCTIONS, arguments

ROOT = pathlib.Path(__file__).parents[2]
GRAVITIES = [(0.0, 0.0, -float(k)) for k in range(20)]


def entries() -> dict[str, Entry]:
    """All compiled entries of the room."""
    modules = [importlib.import_module(f"hitogata.dynamics.{m.name}") for m in pkgutil.iter_modules(dynamics.__path__)]
    return {name: x for module in modules for name, x in vars(module).items() if isinstance(x, Entry)}


def run_all(figure, **options) -> list[np.ndarray]:
    """Every function, for one state and for batches in both precisions."""
    given = [arguments(figure, None), arguments(figure, 20), arguments(figure, 20, dtype=np.float32)]
    return [array for function in FUNCTIONS for each in given for array in function(figure, each, **options)]


@pytest.fixture(scope="module")
def expected() -> list[np.ndarray]:
    return run_all(human28())


def test_entries_release_the_gil():
    found = entries()
    assert len(found) >= 30  # one and many of each function
    for name, entry in found.items():
        assert entry.targetoptions["nogil"], name


def test_every_entry_runs_at_its_widths(expected):
    """`..._many` at two widths at least: an `if` on a figure's value compiles at width 1 only."""
    for name, entry in entries().items():
        widths = {next((t.n for t in key if isinstance(t, WidthType)), 1) for key in entry.overloads}
        if name.endswith("_many"):
            assert len(widths) >= 2, f"{name} ran at {widths}"
            assert min(widths) >= 4
        else:
            assert name.endswith("_one")
            assert widths == {1}, f"{name} was never run"


def test_unusual_arrays_are_no_reason_to_compile(expected):
    """Read-only, strided and broadcast arrays end in the same compiled code (seconds, each, otherwise)."""
    figure = human28()
    single, batch = arguments(figure, None), arguments(figure, 4)
    lists = {name: a.tolist() for name, a in single.items()}
    for function in FUNCTIONS:  # by the long way, which has its own code for no wrenches
        function(figure, lists)
    before = {name: versions(entry) for name, entry in entries().items()}
    for a in (*single.values(), *batch.values()):
        a.flags.writeable = False
    once = ("tau", "vdot", "wrenches", "change", "end")
    forms = [
        single,
        batch,
        {name: a[:1] for name, a in batch.items()},
        {name: a[::2] for name, a in batch.items()},
        {name: np.broadcast_to(a, (3, *a.shape)) for name, a in single.items()},
        {name: single[name] if name in once else a[:1] for name, a in batch.items()},
    ]
    for function in FUNCTIONS:
        for given in forms:
            function(figure, given)
    assert {name: versions(entry) for name, entry in entries().items()} == before


def versions(entry: Entry) -> int:
    """How often an entry was compiled."""
    return len({id(code) for code in entry.overloads.values()})


@pytest.mark.parametrize("threads", [1, 3])
def test_one_figure_in_many_python_threads(expected, threads):
    """Its arrays are made on first use: here by eight at once."""
    figure = human28()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: run_all(figure, threads=threads), range(8)))
    for result in results:
        assert all(np.array_equal(a, b) for a, b in zip(result, expected, strict=True))


def test_many_gravities_in_many_python_threads():
    """The arrays with gravity in them are kept, a few of them: they must not be mixed up."""
    figure = human28()
    given = arguments(figure, None)
    alone = [dynamics.bias(figure, given["q"], given["v"], gravity=g) for g in GRAVITIES]
    with ThreadPoolExecutor(8) as pool:
        jobs = [(k, pool.submit(dynamics.bias, figure, given["q"], given["v"], gravity=GRAVITIES[k]))
                for _ in range(50) for k in range(len(GRAVITIES))]  # fmt: skip
        assert all(np.array_equal(job.result(), alone[k]) for k, job in jobs)


def digest(arrays: list[np.ndarray]) -> str:
    """Of every bit of the results."""
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def test_processes_agree_bit_for_bit(expected):
    """This process, which may have compiled the code, and others that find it on disk; with any number of threads."""
    code = "from tests.dynamics.test_threads import *; print(digest(run_all(human28(), threads={})))"
    found = []
    for threads, seed in ((1, "1"), (2, "2")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "HITOGATA_QUIET": "1"}
        command = [sys.executable, "-c", code.format(threads)]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
        found.append(done.stdout.strip())
    assert found == [digest(expected)] * 2
