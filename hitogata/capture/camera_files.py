"""Files of cameras: TOML or JSON, by the ending of the name.  Numbers are kept to the bit.

    [[camera]]
    name = "front"
    size = [512, 512]                  # px
    focal = [530.1, 530.4]             # px
    centre = [255.2, 256.9]            # px
    distortion = [-0.11, 0.03, 0.0, 0.0, 0.0]    # k1 k2 p1 p2 k3
    position = [3.0, 0.0, 2.0]         # of the camera in the world, m
    orientation = [0.27, -0.65, 0.65, -0.27]     # X_WC as quaternion wxyz: x right, y down, z forward
"""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hitogata.capture.camera import Camera
from hitogata.errors import ArgumentError, FileFormatError, HitogataError
from hitogata.figure import Pose

_KEYS = ("name", "size", "focal", "centre", "distortion", "position", "orientation")
_NEEDED = ("name", "size", "focal", "centre", "position", "orientation")


def write_cameras(cameras: Sequence[Camera], path: str | Path) -> None:
    """Write cameras to a .toml or .json file."""
    target = Path(path)
    tables = [_table(camera) for camera in cameras]
    if _is_json(target):
        target.write_text(json.dumps({"camera": tables}, indent=1) + "\n", encoding="utf-8")
        return
    lines = []
    for table in tables:
        lines += ["[[camera]]", *(f"{key} = {json.dumps(value)}" for key, value in table.items()), ""]
    target.write_text("\n".join(lines), encoding="utf-8")


def read_cameras(path: str | Path) -> tuple[Camera, ...]:
    """Read cameras from a .toml or .json file.

    Raises:
        FileFormatError: with the file, and the camera or line that is wrong.
    """
    source = Path(path)
    loads = json.loads if _is_json(source) else tomllib.loads
    try:
        tables = loads(source.read_text(encoding="utf-8")).get("camera")
    except FileNotFoundError:
        raise FileFormatError(f"{path}: no such file") from None
    except (ValueError, AttributeError, OSError, RecursionError) as error:  # also: not UTF-8, not a table
        raise FileFormatError(f"{path}: {error}") from None
    if not isinstance(tables, list) or not tables:
        raise FileFormatError(f"{path}: no cameras; a file of cameras has tables [[camera]]")
    cameras = tuple(_camera(table, f"{path}: camera {k + 1}") for k, table in enumerate(tables))
    names = [camera.name for camera in cameras]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FileFormatError(f"{path}: two cameras are called {twice!r}")
    return cameras


def _is_json(path: Path) -> bool:
    kind = path.suffix.lower()
    if kind not in (".toml", ".json"):
        raise ArgumentError(f"{path}: files of cameras end in .toml or .json")
    return kind == ".json"


def _table(camera: Camera) -> dict[str, Any]:
    values = (camera.name, camera.size, camera.focal, camera.centre, camera.distortion, camera.pose.position,
              camera.pose.quat)  # fmt: skip
    return {key: list(value) if isinstance(value, tuple) else value for key, value in zip(_KEYS, values, strict=True)}


def _camera(table: Any, what: str) -> Camera:
    if not isinstance(table, dict):
        raise FileFormatError(f"{what}: must be a table, got {table!r}")
    missing = [key for key in _NEEDED if key not in table]
    unknown = [key for key in table if key not in _KEYS]
    if missing or unknown:
        raise FileFormatError(f"{what}: " + "; ".join(
            [f"{key!r} is missing" for key in missing] + [f"{key!r} is not known" for key in unknown]))  # fmt: skip
    try:
        pose = Pose(table["position"], table["orientation"])
        distortion = table.get("distortion", (0.0,) * 5)
        return Camera(table["name"], table["size"], table["focal"], table["centre"], distortion, pose)
    except HitogataError as error:
        raise FileFormatError(f"{what}: {error}") from None
