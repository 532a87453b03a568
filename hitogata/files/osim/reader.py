"""OpenSim models in."""

import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hitogata.errors import FigureError, FileContentWarning, FileFormatError
from hitogata.files.contents import Contents
from hitogata.files.osim.document import (
    Body,
    ConstantDistance,
    ContactHalfSpace,
    ContactMesh,
    ContactSphere,
    CoordinateCoupler,
    Marker,
    OffsetFrame,
    PointConstraint,
    Raw,
    WeldConstraint,
)
from hitogata.files.osim.elements import Element, read_elements
from hitogata.files.osim.forces import PLAIN, WITH_PATHS
from hitogata.files.osim.geometry import find_geometry, read_geometry
from hitogata.files.osim.joints import read_joint
from hitogata.files.osim.model import OsimModel
from hitogata.files.osim.muscles import MUSCLES, Thelen2003Muscle
from hitogata.files.osim.paths import (
    ConditionalPathPoint,
    GeometryPath,
    MovingPathPoint,
    PathPoint,
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapObject,
    WrapSphere,
    WrapTorus,
)
from hitogata.files.osim.properties import DISPLAY, TEXT, VECTOR, Reader, read_object
from hitogata.files.osim.sockets import SETS, components, offset_frames, resolve_sockets
from hitogata.files.osim.upgrade import objects_of, upgrade

LATEST = 50000
"""Documents of this version and later are not known."""

_CONSTRAINTS = {cls.TYPE: cls for cls in (CoordinateCoupler, PointConstraint, WeldConstraint, ConstantDistance)}
_CONTACT = {cls.TYPE: cls for cls in (ContactSphere, ContactHalfSpace, ContactMesh)}
_WRAPS = {cls.TYPE: cls for cls in (WrapSphere, WrapCylinder, WrapEllipsoid, WrapTorus)}
_POINTS = {cls.TYPE: cls for cls in (PathPoint, ConditionalPathPoint, MovingPathPoint)}
_MUSCLES = {cls.TYPE: cls for cls in MUSCLES}
_PATHS = {cls.TYPE: cls for cls in WITH_PATHS}
_FORCES = {cls.TYPE: cls for cls in PLAIN}
_IN_MODEL = {*SETS, *DISPLAY, "Ground", "components", "defaults", "gravity", "credits", "publications"}
_IN_MODEL |= {"length_units", "force_units", "assembly_accuracy"}


def read_osim(path: str | os.PathLike[str]) -> OsimModel:
    """Read an OpenSim model of any document version from 1.x to 4.x.

    Older nestings and names are converted.  What is not understood is listed once, by name, in one FileContentWarning,
    and kept in `OsimModel.others` where it is an element of a set.  Meshes are looked for beside the model and in a
    folder Geometry there or one level up, never elsewhere.

    Args:
        path: of the .osim file.

    Raises:
        FileFormatError: missing, malformed or not physical; with file, line, element and value.
    """
    file = Path(path)
    root = read_elements(file)
    reader = Reader(str(file), Contents(str(file)))
    model = _model_element(reader, root)
    for default in holder.children if (holder := model.child("defaults")) is not None else ():
        reader.defaults[default.tag] = default
    upgrade(reader, model)
    resolve_sockets(reader, model)
    try:
        result = _read_model(reader, model, file)
    except FigureError as error:
        raise FileFormatError(f"{file}:{model.line}: {error}") from None
    notes = [note for note in (_words(reader.contents), _missing_words(result)) if note]
    if notes:
        warnings.warn(f"{file}: {'. '.join(notes)}", FileContentWarning, stacklevel=2)
    return result


def _model_element(reader: Reader, root: Element) -> Element:
    if root.tag == "OpenSimDocument":
        text = root.attributes.get("Version", "")
        if not (text.isascii() and text.isdigit() and len(text) < 9):
            raise reader.error(root, f"Version is a whole number such as 40000, got {text[:40]!r}")
        reader.version = int(text)
        if reader.version >= LATEST:
            raise reader.error(root, f"documents of version {reader.version} are not known; up to {LATEST - 1} are")
        found = root.child("Model")
        if found is None:
            inside = ", ".join(f"<{child.tag}>" for child in root.children[:5]) or "nothing"
            raise reader.error(root, f"a <Model> is expected inside, got {inside}")
        return found
    if root.tag != "Model":
        raise reader.error(root, "not an OpenSim model: <OpenSimDocument> is expected")
    reader.version = 10000
    return root


def _read_model(reader: Reader, model: Element, file: Path) -> OsimModel:
    others: list[tuple[str, Raw]] = []
    values: dict[str, Any] = {}
    for tag in ("gravity", "credits", "publications", "length_units", "force_units"):
        if (found := model.child(tag)) is not None and found.text:
            values[tag] = (VECTOR if tag == "gravity" else TEXT).read(reader, found)
    found_bodies = _typed(reader, model, "BodySet", {"Body"}, others)
    bodies = [read_object(reader, Body, each, skip=_IN_BODY) for each in found_bodies]
    if not bodies:
        raise reader.error(model, "a model without bodies")
    for each, element in zip(bodies, found_bodies, strict=True):
        if each.mass < 0:
            raise reader.error(element, f"mass must not be negative, got {each.mass:g}")
    joints = [read_joint(reader, each) for each in objects_of(model.child("JointSet"))]
    frames = [
        read_object(reader, OffsetFrame, each, skip=("frames", *_IN_BODY), path=path)
        for path, each in offset_frames(model)
    ]
    forces = [_force(reader, each, others) for each in objects_of(model.child("ForceSet"))]
    for child in model.children:
        if child.tag in _IN_MODEL:
            continue
        if child.tag.endswith("Set"):
            for member in objects_of(child):
                _keep(reader, f"/{child.tag.lower()}", member, others)
        elif child.children or child.text:
            _keep(reader, "/", child, others)
    for tag in ("ComponentSet", "components"):
        _keep_rest(reader, model.child(tag), tag, others)
    geometry = [piece for path, owner in _holders(model) for piece in read_geometry(reader, path, owner)]
    files, missing = find_geometry(reader, file, geometry)
    name = re.sub(r"[\\/*+\s]", "_", model.name or file.stem)
    if model.name and name != model.name:
        reader.contents.change(f"the name {model.name!r} to {name!r}: OpenSim allows no blanks")
    return OsimModel(
        name,
        tuple(bodies),
        tuple(joints),
        frames=tuple(frames),
        constraints=_all(reader, model, "ConstraintSet", _CONSTRAINTS, others),
        forces=tuple(force for force in forces if force is not None),
        markers=_all(reader, model, "MarkerSet", {"Marker": Marker}, others),
        contact_geometry=_all(reader, model, "ContactGeometrySet", _CONTACT, others),
        wrap_objects=tuple(wrap for path, owner in _holders(model) for wrap in _wraps(reader, path, owner, others)),
        geometry=tuple(geometry),
        groups=_groups(model.child("ForceSet")),
        others=tuple(others),
        version=reader.version,
        geometry_files=files,
        missing_geometry=missing,
        **values,
    )


_IN_BODY = ("components", "attached_geometry", "WrapObjectSet", "Joint")


def _holders(model: Element) -> list[tuple[str, Element]]:
    """Frames that geometry and wrap objects are fixed to."""
    physical = [(path, owner) for path, owner in components(model) if owner.tag in ("Ground", "Body")]
    return [*physical, *offset_frames(model)]


def _typed(reader: Reader, model: Element, tag: str, types: set[str], others: list[tuple[str, Raw]]) -> list[Element]:
    """Members of a set that are of known types; the others are kept as they are."""
    known = []
    for element in objects_of(model.child(tag)):
        if element.tag in types:
            known.append(element)
        else:
            _keep(reader, f"/{SETS[tag]}", element, others)
    return known


def _all(
    reader: Reader, model: Element, tag: str, types: Mapping[str, type[Any]], others: list[tuple[str, Raw]]
) -> tuple[Any, ...]:
    found = _typed(reader, model, tag, set(types), others)
    return tuple(read_object(reader, types[each.tag], each, skip=("frames", "components")) for each in found)


def _keep(reader: Reader, where: str, element: Element, others: list[tuple[str, Raw]]) -> None:
    reader.contents.leave(element.tag, element.name or "(without a name)")
    others.append((where, raw(element)))


def _keep_rest(reader: Reader, holder: Element | None, tag: str, others: list[tuple[str, Raw]]) -> None:
    inside = objects_of(holder) if tag == "ComponentSet" else (holder.children if holder is not None else [])
    for element in inside:
        if element.tag != "PhysicalOffsetFrame":
            _keep(reader, "/componentset", element, others)


def raw(element: Element) -> Raw:
    """An element as a value."""
    attributes = tuple(element.attributes.items())
    return Raw(element.tag, element.text, attributes, tuple(raw(child) for child in element.children))


def _force(reader: Reader, element: Element, others: list[tuple[str, Raw]]) -> Any:
    skip = ("GeometryPath", "frames", "components")
    if element.tag in _FORCES:
        return read_object(reader, _FORCES[element.tag], element, skip=skip)
    if element.tag in _MUSCLES or element.tag in _PATHS:
        path = element.child("GeometryPath")
        if path is None:
            where = element.child("FunctionBasedPath") or element
            raise reader.error(where, "a <GeometryPath> is expected; other paths are not read")
        cls = _MUSCLES.get(element.tag) or _PATHS[element.tag]
        made = read_object(reader, cls, element, skip=skip, path=_path(reader, path))
        return _controllable(reader, made) if isinstance(made, Thelen2003Muscle) else made
    _keep(reader, "/forceset", element, others)
    return None


def _controllable(reader: Reader, muscle: Thelen2003Muscle) -> Thelen2003Muscle:
    """Before 4.0 a control could be below the least activation; since then OpenSim refuses that."""
    if reader.version >= 30516 or muscle.min_control >= muscle.minimum_activation:
        return muscle
    reader.contents.change("min_control of Thelen2003Muscles raised to their minimum_activation")
    return replace(muscle, min_control=muscle.minimum_activation)


def _path(reader: Reader, element: Element) -> GeometryPath:
    points: list[Any] = []
    for point in objects_of(element.child("PathPointSet")):
        if point.tag not in _POINTS:
            raise reader.error(point, f"a point of a path is one of {', '.join(_POINTS)}")
        skip = ("location",) if point.tag == "MovingPathPoint" else ()
        points.append(read_object(reader, _POINTS[point.tag], point, skip=skip))
    wraps = [read_object(reader, PathWrap, wrap) for wrap in objects_of(element.child("PathWrapSet"))]
    return GeometryPath(tuple(points), tuple(wraps))


def _wraps(reader: Reader, path: str, owner: Element, others: list[tuple[str, Raw]]) -> list[WrapObject]:
    result = []
    for element in objects_of(owner.child("WrapObjectSet")):
        if element.tag in _WRAPS:
            result.append(read_object(reader, _WRAPS[element.tag], element, frame=path))
        else:
            _keep(reader, path, element, others)
    return result


def _groups(forces: Element | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    holder = forces.child("groups") if forces is not None else None
    result = []
    for group in holder.children if holder is not None else []:
        members = group.child("members")
        result.append((group.name, tuple(members.text.split()) if members is not None else ()))
    return tuple(result)


def _words(contents: Contents) -> str:
    text = contents.message().removeprefix(f"{contents.file}: ")
    return text.replace("a Figure does not hold, so left out", "not understood")


def _missing_words(model: OsimModel) -> str:
    if not model.missing_geometry:
        return ""
    return f"geometry not found beside the model: {', '.join(model.missing_geometry)}"
