"""Other files of OpenSim: external loads, and the tasks of inverse kinematics."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hitogata.errors import FileFormatError
from hitogata.files.contents import Contents
from hitogata.files.osim.elements import Element, read_elements
from hitogata.files.osim.properties import FLAG, LEAF, NUMBER, TEXT, OsimObject, Reader, prop, read_object
from hitogata.files.osim.upgrade import objects_of, walk


@dataclass(frozen=True)
class ExternalForce(OsimObject):
    """A force measured outside, such as that of a force plate.

    Attributes:
        applied_to_body: the body it acts on.
        force_expressed_in_body, point_expressed_in_body: whose axes the columns are in; "ground" mostly.
        force_identifier, point_identifier, torque_identifier: what the names of three columns begin with; "": none.
        appliesForce: whether it acts.
        data_source_name: name of the table; "": the file's own.
    """

    TYPE: ClassVar[str] = "ExternalForce"
    applied_to_body: str = prop(LEAF)
    force_expressed_in_body: str = prop(LEAF, "ground")
    point_expressed_in_body: str = prop(LEAF, "ground")
    force_identifier: str = prop(TEXT, "")
    point_identifier: str = prop(TEXT, "")
    torque_identifier: str = prop(TEXT, "")
    appliesForce: bool = prop(FLAG, True)
    data_source_name: str = prop(TEXT, "")


@dataclass(frozen=True)
class ExternalLoads:
    """Forces measured outside, and the table that holds them.

    Attributes:
        forces: which columns act where.
        datafile: path of the table beside this file; None: not said.
        file: it was read from.
    """

    forces: tuple[ExternalForce, ...]
    datafile: Path | None
    file: str


@dataclass(frozen=True)
class MarkerTask(OsimObject):
    """How much a marker counts in inverse kinematics."""

    TYPE: ClassVar[str] = "IKMarkerTask"
    apply: bool = prop(FLAG, True)
    weight: float = prop(NUMBER, 0.0)


@dataclass(frozen=True)
class CoordinateTask(OsimObject):
    """How much a coordinate's value counts in inverse kinematics: from a file, its default, or the value given."""

    TYPE: ClassVar[str] = "IKCoordinateTask"
    apply: bool = prop(FLAG, True)
    weight: float = prop(NUMBER, 0.0)
    value_type: str = prop(TEXT, "default_value")
    value: float = prop(NUMBER, 0.0)


def read_external_loads(path: str | os.PathLike[str]) -> ExternalLoads:
    """Read an ExternalLoads file (.xml) of 2.x to 4.x; its table is looked for only in its own folder.

    Raises:
        FileFormatError: missing, malformed, or a table that lies elsewhere; with file and line.
    """
    file = Path(path)
    reader, found = _open(file, "ExternalLoads")
    forces = []
    for element in objects_of(found):
        _old_names(element)
        force = read_object(reader, ExternalForce, element)
        if not (force.force_identifier or force.torque_identifier):
            raise reader.error(element, "neither <force_identifier> nor <torque_identifier> says its columns")
        forces.append(force)
    if not forces:
        raise reader.error(found, "no <ExternalForce> inside")
    data = found.child("datafile")
    table = None
    if data is not None and data.text:
        name = data.text.replace("\\", "/").removeprefix("./")
        if "/" in name or name in ("", ".", ".."):
            name = _inside(reader, data, file.parent, name)
        table = file.parent / name
    reader.contents.warn()
    return ExternalLoads(tuple(forces), table, str(file))


def _inside(reader: Reader, element: Element, folder: Path, name: str) -> str:
    """A name with folders is kept if it stays below the file's folder."""
    home = folder.resolve()
    if name.startswith("/") or ":" in name or not (home / name).resolve().is_relative_to(home):
        raise reader.error(element, f"{name[:80]!r} leads out of the file's folder: put the table beside it")
    return name


def read_ik_tasks(path: str | os.PathLike[str]) -> tuple[MarkerTask | CoordinateTask, ...]:
    """Read an IKTaskSet file (.xml), alone or inside the setup of the inverse-kinematics tool."""
    reader, found = _open(Path(path), "IKTaskSet")
    kinds: dict[str, type[Any]] = {cls.TYPE: cls for cls in (MarkerTask, CoordinateTask)}
    tasks: list[MarkerTask | CoordinateTask] = []
    for element in objects_of(found):
        if element.tag not in kinds:
            reader.contents.leave("task", f"{element.tag} {element.name}".strip())
            continue
        task = read_object(reader, kinds[element.tag], element, skip=("display_result",))
        if task.weight < 0:
            raise reader.error(element, f"weight must not be negative, got {task.weight:g}")
        tasks.append(task)
    reader.contents.warn()
    return tuple(tasks)


def _open(file: Path, tag: str) -> tuple[Reader, Element]:
    root = read_elements(file)
    found = next((element for element in walk(root) if element.tag == tag), None)
    if found is None:
        raise FileFormatError(f"{file}:{root.line}: <{tag}> is expected inside, got <{root.tag}>")
    return Reader(str(file), Contents(str(file))), found


def _old_names(element: Element) -> None:
    """Of version 2: the force was called PrescribedForce with `isDisabled`."""
    for child in element.children:
        if child.tag == "isDisabled":
            child.tag = "appliesForce"
            child.text = {"true": "false", "false": "true"}.get(child.text.lower(), child.text)
