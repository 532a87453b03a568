"""A trial to try with: markers and floor forces of two strides, made by `packaging/sample_trial.py`."""

from pathlib import Path


def sample_trial() -> Path:
    """Its file; forces and subject lie beside it."""
    return Path(__file__).with_name("walk.trc")
