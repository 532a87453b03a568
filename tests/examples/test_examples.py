"""Every example runs, checks itself, and writes what it says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[0-9]*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(example), "--out", str(tmp_path)]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=600)
    assert run.returncode == 0, run.stderr
    assert any(tmp_path.iterdir()), "the example wrote nothing"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short(example: Path) -> None:
    assert len(example.read_text().splitlines()) <= 100
