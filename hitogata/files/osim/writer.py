"""OpenSim models out, as documents of version 4.0, which OpenSim 4 and later open."""

import os
import posixpath
from pathlib import Path

from hitogata.errors import FigureError
from hitogata.files.osim.document import GROUND, Geometry, Joint, Raw
from hitogata.files.osim.elements import Element, write_elements
from hitogata.files.osim.functions import write_function
from hitogata.files.osim.model import OsimModel
from hitogata.files.osim.paths import GeometryPath
from hitogata.files.osim.properties import row_text, write_object
from hitogata.files.osim.sockets import SETS
from hitogata.files.osim.upgrade import walk

VERSION = 40000
"""Of the documents that are written."""

_DEPRECATED = ("Schutte1993Muscle", "Delp1990Muscle")
_NAMES = {name: tag for tag, name in SETS.items()}


def write_osim(model: OsimModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a document of version 4.0.

    Args:
        model: it; what `read_osim` kept without understanding it is written as it was.
        path: of the file.

    Raises:
        FigureError: a function that OpenSim does not have.
    """
    root = Element("OpenSimDocument", attributes={"Version": str(VERSION)})
    top = root.add("Model", name=model.name)
    for tag in ("credits", "publications", "length_units", "force_units"):
        top.add(tag, getattr(model, tag))
    top.add("gravity", row_text(model.gravity))
    owners: dict[str, Element] = {GROUND: top.add("Ground", name="ground"), "": top}
    sets = {tag: top.add(tag, name=name).add("objects") for tag, name in SETS.items()}
    _members(model, sets, owners)
    for frame in model.frames:
        owner = posixpath.dirname(frame.path)
        if owner == f"/{SETS['ComponentSet']}":
            owners[frame.path] = write_object(frame, sets["ComponentSet"])
            continue
        where = owners.get("" if owner == "/" else owner)
        if where is None:
            raise FigureError(f"frame {frame.path!r}: nothing at {owner!r} holds it")
        tag = "frames" if owner.count("/") == 2 and not owner.startswith("/bodyset/") else "components"
        owners[frame.path] = write_object(frame, where.child(tag) or where.add(tag))
    for piece in model.geometry:
        _geometry(piece, owners[piece.frame])
    for wrap in model.wrap_objects:
        write_object(wrap, _wraps(owners[wrap.frame]))
    _others(model, top, sets, owners)
    _groups(model, top)
    _coordinate_paths(model, top)
    write_elements(root, Path(path))


def _members(model: OsimModel, sets: dict[str, Element], owners: dict[str, Element]) -> None:
    """Bodies, joints and all else that stands in a set."""
    for body in model.bodies:
        owners[body.path] = write_object(body, sets["BodySet"])
    for joint in model.joints:
        owners[f"/jointset/{joint.name}"] = _joint(joint, sets["JointSet"])
    for tag, things in (
        ("ConstraintSet", model.constraints),
        ("MarkerSet", model.markers),
        ("ContactGeometrySet", model.contact_geometry),
    ):
        for thing in things:
            owners[f"/{SETS[tag]}/{thing.name}"] = write_object(thing, sets[tag])
    for force in model.forces:
        tag = f"{force.TYPE}_Deprecated" if force.TYPE in _DEPRECATED else force.TYPE
        made = owners[f"/forceset/{force.name}"] = write_object(force, sets["ForceSet"], tag=tag)
        path = getattr(force, "path", None)
        if path is not None:
            _path(path, made)


def _joint(joint: Joint, parent: Element) -> Element:
    made = parent.add(joint.type, name=joint.name)
    made.add("socket_parent_frame", joint.parent_frame)
    made.add("socket_child_frame", joint.child_frame)
    coordinates = made.add("coordinates")
    for coordinate in joint.coordinates:
        write_object(coordinate, coordinates)
    if joint.transform:
        spatial = made.add("SpatialTransform")
        for axis in joint.transform:
            written = write_object(axis, spatial)
            write_function(axis.function, written).attributes["name"] = "function"
    for tag, numbers in joint.parameters:
        made.add(tag, row_text(numbers))
    return made


def _path(path: GeometryPath, muscle: Element) -> None:
    made = muscle.add("GeometryPath", name="geometrypath")
    for tag, things in (("PathPointSet", path.points), ("PathWrapSet", path.wraps)):
        objects = made.add(tag).add("objects")
        for thing in things:
            write_object(thing, objects)


def _geometry(piece: Geometry, owner: Element) -> None:
    made = (owner.child("attached_geometry") or owner.add("attached_geometry")).add(piece.type, name=piece.name)
    made.add("socket_frame", "..")
    made.add("scale_factors", row_text(piece.scale_factors))
    look = made.add("Appearance")
    look.add("visible", "true" if piece.visible else "false")
    look.add("opacity", row_text((piece.opacity,)))
    look.add("color", row_text(piece.colour))
    for tag, numbers in piece.sizes:
        made.add(tag, row_text(numbers))
    if piece.file:
        made.add("mesh_file", piece.file)


def _wraps(owner: Element) -> Element:
    holder = owner.child("WrapObjectSet") or owner.add("WrapObjectSet", name="wrapobjectset")
    return holder.child("objects") or holder.add("objects")


def _others(model: OsimModel, top: Element, sets: dict[str, Element], owners: dict[str, Element]) -> None:
    """What was not understood goes back to where it stood."""
    for where, kept in model.others:
        name = where.strip("/")
        if where in owners and where != "":
            _wraps(owners[where]).children.append(_element(kept))
        elif where == "/":
            top.children.append(_element(kept))
        elif name in _NAMES:
            sets[_NAMES[name]].children.append(_element(kept))
        else:
            tag = {"controllerset": "ControllerSet", "probeset": "ProbeSet"}.get(name, name)
            holder = top.child(tag) or top.add(tag, name=name)
            (holder.child("objects") or holder.add("objects")).children.append(_element(kept))


def _element(kept: Raw) -> Element:
    return Element(kept.tag, kept.text, dict(kept.attributes), [_element(child) for child in kept.children])


def _groups(model: OsimModel, top: Element) -> None:
    forces = top.child("ForceSet")
    assert forces is not None
    groups = forces.add("groups")
    for name, members in model.groups:
        groups.add("ObjectGroup", name=name).add("members", " ".join(members))


def _coordinate_paths(model: OsimModel, top: Element) -> None:
    """Sockets name coordinates and contact geometry by their full paths."""
    paths = {c.name: f"/jointset/{joint.name}/{c.name}" for joint in model.joints for c in joint.coordinates}
    for element in walk(top):
        if element.tag.startswith("socket_") and element.tag.endswith("coordinate"):
            element.text = paths.get(element.text, element.text)
        elif element.tag in ("socket_sphere", "socket_half_space"):
            element.text = f"/contactgeometryset/{element.text}"
