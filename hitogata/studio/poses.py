"""Poses in files: coordinates by joint, so that a file is readable and finds its joints by name."""

import json
from pathlib import Path

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray

POSE_FILES = (".json",)


def write_pose(path: str | Path, figure: Figure, q: FloatArray) -> None:
    """Write a pose as JSON: {"figure": name, "joints": {name: coordinates}}."""
    joints = {name: np.asarray(q)[figure.q_slice(name)].tolist() for name in figure.joint_names}
    Path(path).write_text(json.dumps({"figure": figure.name, "joints": joints}, indent=1) + "\n", encoding="utf-8")


def read_pose(path: str | Path, figure: Figure) -> FloatArray:
    """A pose of a figure; joints that the file does not name are neutral, and none may be unknown.

    Raises:
        FileFormatError: no such file, no JSON, unknown joints, or numbers that do not fit; nothing is guessed.
    """
    path = Path(path)
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        joints = held["joints"]
        rows = {str(name): np.array(values, float) for name, values in joints.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{path.name}: no pose: {error}; expected {{'joints': {{name: numbers}}}}") from None
    q = figure.neutral()
    for name, values in rows.items():
        if name not in figure.joint_names:
            raise FileFormatError(f"{path.name}: figure {figure.name!r} has no joint {name!r}")
        part = q[figure.q_slice(name)]
        if values.shape != part.shape or not np.isfinite(values).all():
            raise FileFormatError(f"{path.name}: joint {name!r} needs {len(part)} numbers, got {values.tolist()}")
        q[figure.q_slice(name)] = values
    norms = [np.linalg.norm(q[at : at + 4]) for at in _quats(figure)]
    if any(abs(norm - 1) > 1e-3 for norm in norms):
        raise FileFormatError(f"{path.name}: quaternions must have norm 1, one has {min(norms):.3g}")
    normal: FloatArray = figure.normalised(q)
    return normal


def _quats(figure: Figure) -> list[int]:
    """Where quaternions begin in q."""
    found = []
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.nq in (4, 7):
            found.append(at + link.joint.nq - 4)
    return found
