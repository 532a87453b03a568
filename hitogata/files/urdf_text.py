"""The URDF text MuJoCo gets: meshes found, what it cannot read taken out, compiler settings put in.

Every edit keeps the line breaks, so that MuJoCo's errors name the lines of the file.
"""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote
from xml.sax.saxutils import quoteattr

from hitogata.figure.values import Vector
from hitogata.files.contents import Contents
from hitogata.files.parts import PointMass
from hitogata.files.source import Node, Source

MESH_FORMATS = (".stl", ".obj", ".msh")
"""Mesh files MuJoCo reads."""

_KEPT = ("balanceinertia", "boundmass", "boundinertia")
"""Attributes of a file's own <mujoco><compiler .../></mujoco> that are honoured."""


class _Edit(NamedTuple):
    """Bytes of the source, and what replaces them."""

    start: int
    end: int
    text: bytes


def text_for_mujoco(
    source: Source, contents: Contents, *, visuals: bool, package_dirs: list[Path]
) -> tuple[str, dict[str, PointMass]]:
    """The text, and the fixed links that are point masses (MuJoCo wants an inertia, so they are taken out of it).

    Args:
        source: a URDF file whose links form a tree.
        contents: where to note what is taken out.
        visuals: keep visual elements.
        package_dirs: folders with packages.
    """
    robot = source.root
    edits: list[_Edit] = []
    points: dict[str, PointMass] = {}
    fixed = {link_of(node, "child") for node in robot.children if node.tag == "joint" and node.get("type") == "fixed"}
    settings, mesh_dir = _settings(robot, visuals)
    for node in robot.children:
        if node.tag == "mujoco":
            edits.append(_blanked(source, node))
        elif node.tag == "joint":
            edits += [_blanked(source, part) for part in node.children if part.tag == "mimic"]
        elif node.tag == "link":
            edits += _inertial_edits(source, node, node.get("name") in fixed, contents, points)
            for part in node.children:
                if part.tag == "collision" or (part.tag == "visual" and visuals):
                    edits += _mesh_edits(source, node, part, contents, mesh_dir, package_dirs)
                elif part.tag == "visual":
                    edits.append(_blanked(source, part))
    first = robot.children[0].start
    edits.append(_Edit(first, first, settings))
    data = source.data
    for edit in sorted(edits, reverse=True):
        data = data[: edit.start] + edit.text + data[edit.end :]
    return data.decode(), points


def link_of(joint: Node, end: str) -> str:
    """Name of the parent or child link of a joint; empty if it has none."""
    node = joint.child(end)
    return node.get("link") if node else ""


def number(text: str) -> float:
    """A number, 0 if it is none (MuJoCo will say so)."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _settings(robot: Node, visuals: bool) -> tuple[bytes, str]:
    """MuJoCo's compiler settings, and the folder of meshes the file names."""
    extension = robot.child("mujoco")
    compiler = extension.child("compiler") if extension else None
    own = compiler.attributes if compiler else {}
    attributes = {name: own[name] for name in _KEPT if name in own}
    attributes |= {"fusestatic": "false", "inertiafromgeom": "false", "strippath": "false"}
    attributes["discardvisual"] = "false" if visuals else "true"
    text = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<mujoco><compiler {text}/></mujoco>".encode(), own.get("meshdir", "")


def _blanked(source: Source, node: Node) -> _Edit:
    """Nothing in an element's place but its line breaks."""
    return _Edit(node.start, node.end, b"\n" * source.data.count(b"\n", node.start, node.end))


def _inertial_edits(
    source: Source, link: Node, fixed: bool, contents: Contents, points: dict[str, PointMass]
) -> list[_Edit]:
    """Take out inertials without mass, and those of fixed point masses."""
    inertial = link.child("inertial")
    if inertial is None:
        return []
    mass, inertia, origin = (inertial.child(tag) for tag in ("mass", "inertia", "origin"))
    kg = number(mass.get("value")) if mass else 0.0
    extended = inertia is not None and any(number(text) for text in inertia.attributes.values())
    if kg == 0:
        if extended:
            contents.change(f"link {link.get('name')!r} has mass 0, so its inertia is left out")
        return [_blanked(source, inertial)]
    if kg > 0 and not extended and fixed:
        points[link.get("name")] = PointMass(kg, _vector(origin.get("xyz") if origin else ""))
        return [_blanked(source, inertial)]
    return []


def _vector(text: str) -> Vector:
    x, y, z = (number(word) for word in (text.split() + ["0"] * 3)[:3])
    return x, y, z


def _mesh_edits(
    source: Source, link: Node, part: Node, contents: Contents, mesh_dir: str, package_dirs: list[Path]
) -> list[_Edit]:
    """Give a mesh the path of its file; take the element out if there is none that MuJoCo reads."""
    mesh = next((node for node in part.walk() if node.tag == "mesh"), None)
    if mesh is None:
        return []
    path = _find_mesh(mesh.get("filename"), source.path, mesh_dir, package_dirs)
    if path is None or not _readable(path):
        why = "not found" if path is None else "not binary STL, OBJ or MSH"
        contents.leave(f"mesh of {part.tag} ({why})", f"{mesh.get('filename')} of {link.get('name')}")
        return [_blanked(source, part)]
    scale = f" scale={quoteattr(mesh.get('scale'))}" if mesh.get("scale") else ""
    blank = _blanked(source, mesh)
    return [blank._replace(text=f"<mesh filename={quoteattr(str(path))}{scale}/>".encode() + blank.text)]


def _readable(path: Path) -> bool:
    """Whether MuJoCo reads such a mesh file: of STL only the binary kind, 84 bytes and 50 for each triangle."""
    if path.suffix.lower() == ".stl":
        with path.open("rb") as file:
            header = file.read(84)
        return path.stat().st_size == 84 + 50 * int.from_bytes(header[80:], "little") > 84
    return path.suffix.lower() in MESH_FORMATS


def _find_mesh(name: str, urdf: Path | None, mesh_dir: str, package_dirs: list[Path]) -> Path | None:
    """The mesh file of a name, which may begin with package://, model:// or file://; None if there is none."""
    folder = urdf.resolve().parent if urdf else Path.cwd()
    scheme, _, rest = name.rpartition("://")
    rest = unquote(rest) if scheme else rest
    if scheme in ("package", "model"):
        package, _, inside = rest.partition("/")
        above = (*package_dirs, folder, *folder.parents)
        places = [where / rest for where in above] + [where / inside for where in above if where.name == package]
    else:
        places = [folder / rest, folder / mesh_dir / rest]
    return next((place.resolve() for place in places if place.is_file()), None)
