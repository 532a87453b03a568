"""What a model draws: meshes and solids at frames, and the files of meshes, looked for only beside the model."""

import re
from pathlib import Path

from hitogata.files.osim.document import ONES, Geometry
from hitogata.files.osim.elements import Element
from hitogata.files.osim.properties import FLAG, NUMBER, NUMBERS, VECTOR, Reader

SIZES = {
    "Brick": ("half_lengths",),
    "Sphere": ("radius",),
    "Cylinder": ("radius", "half_height"),
    "Cone": ("origin", "direction", "base_radius", "height"),
    "Ellipsoid": ("radii",),
    "LineGeometry": ("start_point", "end_point"),
    "Torus": ("ring_radius", "cross_section"),
}
"""Numbers of each solid, by OpenSim's names."""

_SAFE = re.compile(r"[^\x00-\x1f:*?\"<>|]+")
FOLDERS = (Path("."), Path("Geometry"), Path("../Geometry"))
"""Where meshes are looked for, from the model's folder."""


def read_geometry(reader: Reader, frame: str, owner: Element) -> list[Geometry]:
    """What is attached to a frame."""
    attached = owner.child("attached_geometry")
    result = []
    for piece in attached.children if attached is not None else []:
        file = piece.child("mesh_file")
        if piece.tag not in SIZES and file is None:
            reader.contents.leave("geometry", f"{piece.tag} {piece.name}".strip())
            continue
        scale, look = piece.child("scale_factors"), piece.child("Appearance") or Element("Appearance")
        colour, opacity, visible = look.child("color"), look.child("opacity"), look.child("visible")
        sizes = tuple(
            (key, NUMBERS.read(reader, found)) for key in SIZES.get(piece.tag, ()) if (found := piece.child(key))
        )
        result.append(
            Geometry(
                piece.name,
                piece.tag,
                frame,
                file.text if file is not None else "",
                ONES if scale is None or not scale.text else VECTOR.read(reader, scale),
                sizes,
                ONES if colour is None or not colour.text else VECTOR.read(reader, colour),
                1.0 if opacity is None or not opacity.text else NUMBER.read(reader, opacity),
                True if visible is None or not visible.text else FLAG.read(reader, visible),
            )
        )
    return result


def find_geometry(
    reader: Reader, model: Path, geometry: list[Geometry]
) -> tuple[tuple[tuple[str, Path], ...], tuple[str, ...]]:
    """Files of meshes that are beside a model, by the name in the model, and the names of those that are not.

    A name that leads elsewhere (absolute, with .. or through a link) is noted and not looked at.
    """
    found: dict[str, Path] = {}
    missing: dict[str, None] = {}
    base = model.parent.resolve()
    for name in dict.fromkeys(piece.file for piece in geometry if piece.file):
        plain = name.replace("\\", "/")
        parts = plain.split("/")
        if not _SAFE.fullmatch(plain) or plain.startswith("/") or ".." in parts or len(plain) > 255:
            reader.contents.leave("path of a mesh that leads elsewhere", name[:80])
            missing[name] = None
            continue
        for folder in FOLDERS:
            home = (base / folder).resolve()
            path = home / plain
            try:
                if path.is_file() and path.resolve().is_relative_to(home):
                    found[name] = path
                    break
            except OSError:  # a name that the file system refuses
                break
        else:
            missing[name] = None
        if name not in found:
            missing[name] = None
    return tuple(found.items()), tuple(missing)
