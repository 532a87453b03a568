"""Files of poses for the command line: .npy, .npz, .csv (see `hitogata rom fit --help`)."""

import pathlib
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import FileFormatError


class Cloud(NamedTuple):
    """Poses of a file.

    Attributes:
        quats: reached poses, wxyz, shape (n, 4).
        forbidden: poses known to be impossible, shape (m, 4), or None.
        bone: at rest, if the file says.
        note: what was found out about the file.
    """

    quats: Any
    forbidden: Any = None
    bone: Any = None
    note: str = ""


def read_cloud(path: str | pathlib.Path) -> Cloud:
    """Read a file of poses or markers.

    Raises:
        FileFormatError: the file cannot be read so; the message names it and the line or array.
        OSError: there is no such file.
    """
    path = pathlib.Path(path)
    kind = path.suffix.lower()
    if kind in (".csv", ".txt"):
        return _text(path)
    if kind not in (".npy", ".npz"):
        raise FileFormatError(f"{path}: .npy, .npz or .csv expected, got {kind or 'no ending'}")
    try:
        data = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, KeyError) as error:
        raise FileFormatError(f"{path}: not a {kind} file ({error})") from None
    except Exception as error:
        if isinstance(error, OSError):
            raise
        raise FileFormatError(f"{path}: not a {kind} file ({error})") from None
    if kind == ".npy":
        return Cloud(_quats(path, "array", data))
    names = set(data.files)
    if {"parent", "child"} <= names:
        return _markers(path, data)
    if "quats" not in names:
        raise FileFormatError(
            f"{path}: `quats`, or `parent` and `child` expected; it holds {', '.join(sorted(names)) or 'nothing'}"
        )
    forbidden = _quats(path, "forbidden", data["forbidden"]) if "forbidden" in names else None
    bone = tuple(np.asarray(data["bone"], np.float64).ravel().tolist()) if "bone" in names else None
    return Cloud(_quats(path, "quats", data["quats"]), forbidden, bone)


def _quats(path: pathlib.Path, name: str, x: Any) -> Any:
    """Unit quaternions (n, 4); lengths off by rounding of the file (1e-3) are scaled."""
    try:
        q = np.asarray(x, np.float64)
    except (TypeError, ValueError):
        raise FileFormatError(f"{path}: {name} does not hold numbers") from None
    if q.ndim != 2 or q.shape[1] != 4:
        raise FileFormatError(f"{path}: {name} has shape {q.shape}; (n, 4) expected: w, x, y, z")
    size = np.linalg.norm(q, axis=1)
    bad = ~(np.abs(size - 1.0) < 1e-3)
    if bad.any():
        k = int(np.argmax(bad))
        raise FileFormatError(f"{path}: {name}, row {k}: {q[k].tolist()} is no unit quaternion")
    return q / size[:, None]


def _markers(path: pathlib.Path, data: Any) -> Cloud:
    from hitogata.errors import ArgumentError
    from hitogata.rom.markers import joint_from_markers

    try:
        motion = joint_from_markers(data["parent"], data["child"], rest=data["rest"] if "rest" in data.files else None)
    except ArgumentError as error:
        raise FileFormatError(f"{path}: {error}") from None
    return Cloud(motion.quat[motion.sure], None, tuple(motion.bone.tolist()), f"markers     {motion}")


def _text(path: pathlib.Path) -> Cloud:
    rows: list[list[float]] = []
    labels: list[bool] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.replace(",", " ").replace(";", " ").split()
        if not cells or cells[0].startswith("#"):
            continue
        try:
            values = [float(c) for c in cells]
        except ValueError:
            if not rows:  # a header
                continue
            raise FileFormatError(f"{path}:{number}: numbers expected, got {line.strip()!r}") from None
        if len(values) not in (4, 5):
            raise FileFormatError(
                f"{path}:{number}: w, x, y, z and perhaps a label expected, got {len(values)} numbers"
            )
        if abs(sum(v * v for v in values[:4]) - 1.0) > 2e-3:
            raise FileFormatError(f"{path}:{number}: {values[:4]} is no unit quaternion")
        rows.append(values[:4])
        labels.append(len(values) == 4 or values[4] > 0.5)
    if not rows:
        raise FileFormatError(f"{path}: no poses")
    q, good = _quats(path, "rows", rows), np.array(labels)
    return Cloud(q[good], q[~good] if (~good).any() else None)
