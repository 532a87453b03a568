"""Connections of a model: what a socket's text names, made into the full path of a frame."""

import posixpath
from collections.abc import Iterator

from hitogata.files.osim.elements import Element
from hitogata.files.osim.properties import Reader
from hitogata.files.osim.upgrade import objects_of, walk

FRAME_SOCKETS = frozenset(
    (
        *("socket_parent_frame", "socket_child_frame", "socket_parent", "socket_frame", "socket_scale_frame"),
        *("socket_body_1", "socket_body_2", "socket_frame1", "socket_frame2"),
    )
)

SETS = {
    "BodySet": "bodyset",
    "JointSet": "jointset",
    "ForceSet": "forceset",
    "ConstraintSet": "constraintset",
    "MarkerSet": "markerset",
    "ContactGeometrySet": "contactgeometryset",
    "ComponentSet": "componentset",
}
"""Sets of a model, and their names in paths."""


def components(model: Element) -> Iterator[tuple[str, Element]]:
    """Paths and elements of what may own frames or connections: ground and the members of the sets."""
    ground = model.child("Ground")
    if ground is not None:
        yield "/ground", ground
    for tag, name in SETS.items():
        for member in objects_of(model.child(tag)):
            yield f"/{name}/{member.name}", member
    loose = model.child("components")
    for member in loose.children if loose is not None else []:
        yield f"/{member.name}", member


def offset_frames(model: Element) -> Iterator[tuple[str, Element]]:
    """Paths and elements of all frames that are fixed to others."""
    for path, owner in components(model):
        if owner.tag == "PhysicalOffsetFrame":
            yield path, owner
        yield from _inside(path, owner)


def _inside(path: str, owner: Element) -> Iterator[tuple[str, Element]]:
    for tag in ("frames", "components"):
        holder = owner.child(tag)
        for frame in holder.children if holder is not None else []:
            if frame.tag == "PhysicalOffsetFrame":
                here = f"{path}/{frame.name}"
                yield here, frame
                yield from _inside(here, frame)


def resolve_sockets(reader: Reader, model: Element) -> None:
    """Put full paths in place of what frames' sockets say.

    Raises:
        FileFormatError: a frame that does not exist, or a name that several frames have; with file and line.
    """
    known = ["/ground"]
    known += [f"/bodyset/{body.name}" for body in objects_of(model.child("BodySet"))]
    frames = list(offset_frames(model))
    known += [path for path, _ in frames]
    table = set(known)
    leaves: dict[str, list[str]] = {}
    for path in known:
        leaves.setdefault(path.rsplit("/", 1)[-1], []).append(path)
    done: set[int] = set()
    owners = [*frames, *components(model)]
    for path, owner in owners:
        for element in _owned(owner):
            for socket in element.children:
                if socket.tag in FRAME_SOCKETS and id(socket) not in done:
                    done.add(id(socket))
                    socket.text = _resolved(reader, path, socket, table, leaves)


def _owned(owner: Element) -> Iterator[Element]:
    """Elements of a component whose sockets name frames: not what is drawn, whose frame is where it stands."""
    if owner.tag == "PhysicalOffsetFrame":
        yield owner
        return
    for element in walk(owner):
        if element.tag not in ("FrameGeometry", "Mesh", "PhysicalOffsetFrame") and not _drawn(element):
            yield element


def _drawn(element: Element) -> bool:
    return element.child("scale_factors") is not None and element.child("socket_frame") is not None


def _resolved(reader: Reader, owner: str, socket: Element, table: set[str], leaves: dict[str, list[str]]) -> str:
    text = socket.text
    for start in (owner, posixpath.dirname(owner)):
        path = posixpath.normpath(posixpath.join(start, text)) if text else ""
        if path in table:
            return path
    found = leaves.get(text.rsplit("/", 1)[-1], [])
    inside = [path for path in found if path.startswith(owner + "/")]
    bodies = [path for path in found if path.count("/") <= 2 and path.startswith(("/bodyset/", "/ground"))]
    for choice in (inside, bodies, found):
        if len(choice) == 1:
            return choice[0]
    if not found:
        raise reader.error(socket, f"no frame {text[:80]!r} in the model")
    raise reader.error(socket, f"{text[:80]!r} may be {' or '.join(found[:4])}: give the full path")
