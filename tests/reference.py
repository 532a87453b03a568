"""Where the reference data lies: beside the project, or where HITOGATA_DATA says."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("HITOGATA_DATA", Path(__file__).parents[2] / "shared" / "data"))


def reference(*names: str) -> Path:
    """Path of a reference file or folder; skips the test where it is absent."""
    path = FOLDER.joinpath(*names)
    if not path.exists():
        pytest.skip(f"reference data {'/'.join(names)} not found; set HITOGATA_DATA to its folder")
    return path
