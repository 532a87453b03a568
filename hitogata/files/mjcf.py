"""MJCF, MuJoCo's own format."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.errors import FileFormatError
from hitogata.figure import Figure, Shape
from hitogata.files.compiled import WORLD, figure_of, import_mujoco, mujoco_at_work
from hitogata.files.contents import Contents
from hitogata.files.geoms import shape_of
from hitogata.files.leftovers import note_elements
from hitogata.files.source import Node, Source, open_source, parse, read_bytes

_SETTINGS = ("visual", "statistic", "size")
"""Top elements that hold settings of MuJoCo's viewer and memory."""


def read_mjcf(
    path_or_xml: str | os.PathLike[str],
    *,
    root: str | None = None,
    merge_hinges: bool = False,
    visuals: bool = False,
    repair_inertia: bool = False,
) -> Figure:
    """Read a figure from an MJCF file.

    Bodies become links with the same frames and names, sites named frames, geoms shapes.  Joints keep range, damping,
    armature, actuator force range and reference (`ref`, which becomes the neutral pose).  Bodies without mass become
    frames.  q is MuJoCo's qpos, number by number (unless `merge_hinges`).

    A link hangs on one joint.  Two hinges of one body, alike and with axes that cross, become a universal joint.  Any
    other body with several joints gets a link for each joint but the last, with 1e-6 of its mass.

    All that a Figure cannot hold (actuators, tendons, sensors, the floor ...) is summed up in one FileContentWarning,
    whose `details` name everything.  `read_mjcf_model` reads scenery, springs, actuators and excludes too.

    Args:
        path_or_xml: path of the file, or its text (anything that begins with '<').
        root: which body to read, if several hang on the world.
        merge_hinges: make a ball joint of three hinges that cross at a point; their ranges are lost, and the
            coordinates are others.
        visuals: keep geoms that touch nothing (contype and conaffinity 0) as shapes too.
        repair_inertia: give a link whose inertia is not physical the nearest one that is, instead of an error.

    Returns:
        The figure; its neutral pose is MuJoCo's qpos0.

    Raises:
        FileFormatError: missing, malformed or not MJCF; with file and line.
        FigureError: it holds no single figure, or one that is not physical; with file and body.
        MissingDependencyError: the mujoco package is not installed.
    """
    source, contents, spec = open_mjcf(path_or_xml)
    note_elements(spec, contents)
    figure = figure_of(
        spec,
        source,
        contents,
        root=root,
        merge_hinges=merge_hinges,
        visuals=visuals,
        repair_inertia=repair_inertia,
    )
    contents.warn()
    return figure


def read_mjcf_scenery(path_or_xml: str | os.PathLike[str]) -> list[Shape]:
    """Read what is fixed to the world of an MJCF file: floors, terrain, obstacles, for `World.add_ground`.

    Geoms that touch nothing are left out.  Arguments and errors are those of `read_mjcf`.
    """
    source, contents, spec = open_mjcf(path_or_xml)
    with mujoco_at_work(source, contents):
        model = spec.compile()
    geoms = np.flatnonzero((model.geom_bodyid == WORLD) & (model.geom_contype | model.geom_conaffinity != 0))
    shapes = [shape_of(model, int(geom), model.geom(int(geom)).name, contents) for geom in geoms]
    contents.warn()
    return [shape for shape in shapes if shape is not None]


def open_mjcf(path_or_xml: str | os.PathLike[str]) -> tuple[Source, Contents, Any]:
    """The file, notes about it, and what MuJoCo makes of it."""
    mujoco = import_mujoco()
    source = open_source(path_or_xml, "MJCF")
    if source.root.tag == "robot":
        raise FileFormatError(f"{source.where(source.root)}: this is URDF: read it with read_urdf")
    contents = Contents(source.name)
    _check_includes(source, source.root, set())
    for node in source.root.children:
        if node.tag in _SETTINGS:
            contents.leave("settings", node.tag)
    with mujoco_at_work(source, contents):
        if source.path is None:
            spec = mujoco.MjSpec.from_string(source.data.decode())
        else:
            spec = mujoco.MjSpec.from_file(str(source.path))
    return source, contents, spec


def _check_includes(source: Source, root: Node, seen: set[Path], beside: Path | None = None) -> None:
    """Included files are well-formed XML too; otherwise an error with their own name and line.

    MuJoCo looks for them from the first file's folder, or from that of the file that includes them.
    """
    folder = source.path.parent if source.path else Path()
    for node in root.walk():
        if node.tag == "include" and node.get("file"):
            path = folder / node.get("file")
            if beside is not None and not path.is_file() and (beside / node.get("file")).is_file():
                path = beside / node.get("file")
            if path not in seen:
                seen.add(path)
                _check_includes(source, parse(read_bytes(path), str(path)), seen, path.parent)
