"""URDF, the format of ROS robots; MuJoCo parses it, and what MuJoCo drops is found here."""

import os
from collections.abc import Iterable
from pathlib import Path

from hitogata.errors import FigureError, FileFormatError
from hitogata.figure import Figure
from hitogata.files.compiled import figure_of, import_mujoco, mujoco_at_work
from hitogata.files.contents import Contents
from hitogata.files.inertias import fill_massless
from hitogata.files.source import Node, Source, open_source
from hitogata.files.urdf_text import link_of, number, text_for_mujoco

_KNOWN = {
    "robot": {"link", "joint", "material", "mujoco"},
    "link": {"inertial", "visual", "collision"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics"},
}
_KINDS = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"}


def read_urdf(
    path_or_xml: str | os.PathLike[str],
    *,
    free_base: bool = False,
    visuals: bool = False,
    repair_inertia: bool = False,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
) -> Figure:
    """Read a figure from a URDF file.

    Links and joints keep their names; joints keep limits, effort and damping.  A link without mass that is fixed
    (base_link, tool0 ...) becomes a named frame, a fixed point mass a part of its parent; a massless link between two
    moving joints gets 1e-6 of the next link's mass.  Collision elements become shapes; a mesh that is missing, or
    neither binary STL, OBJ nor MSH, is left out.

    All that a Figure cannot hold (mimic joints, transmissions, velocity limits, visuals ...) is listed in one
    FileContentWarning.

    Args:
        path_or_xml: path of the file, or its text (anything that begins with '<').
        free_base: hang the root link on a free joint instead of fixing it to the world.
        visuals: keep visual elements as shapes too.
        repair_inertia: give a link whose inertia is not physical the nearest one that is, instead of an error.
        package_dirs: folders in which the packages of "package://name/..." are; the folders above the file are
            always searched.

    Raises:
        FileFormatError: missing, malformed or not URDF; with file and line.
        FigureError: several roots, a moving link without mass, or an inertia that is not physical; with file and link.
        MissingDependencyError: the mujoco package is not installed.
    """
    mujoco = import_mujoco()
    source = open_source(path_or_xml, "URDF")
    if source.root.tag == "mujoco":
        raise FileFormatError(f"{source.where(source.root)}: this is MJCF: read it with read_mjcf")
    contents = Contents(source.name)
    _check(source)
    _note_dropped(source, contents, visuals)
    text, points = text_for_mujoco(source, contents, visuals=visuals, package_dirs=[Path(d) for d in package_dirs])
    with mujoco_at_work(source, contents):
        spec = mujoco.MjSpec.from_string(text)
    if free_base:
        for body in spec.worldbody.bodies:
            if body.joints:
                raise FigureError(f"{source.name}: free_base: link {body.name!r} already moves against the world")
            body.add_freejoint()
    fill_massless(spec, contents)
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # masses are given: a mesh needs no volume
    figure = figure_of(spec, source, contents, visuals=visuals, repair_inertia=repair_inertia, points=points)
    contents.warn()
    return figure


def _check(source: Source) -> None:
    """What MuJoCo does not report, or not by name: the tree of links."""
    robot = source.root
    if robot.tag != "robot":
        raise FileFormatError(f"{source.where(robot)}: not URDF: the outermost element is <{robot.tag}>, not <robot>")
    macro = next((node for node in robot.walk() if node.tag.startswith("xacro:")), None)
    if macro is not None:
        raise FileFormatError(f"{source.where(macro)}: <{macro.tag}>: expand the xacro file to URDF first")
    links: dict[str, Node] = {}
    parents: dict[str, Node] = {}  # link -> the joint it hangs on
    joints: dict[str, Node] = {}
    for tag, known in (("link", links), ("joint", joints)):
        for node in robot.children:
            if node.tag == tag:
                name = node.get("name")
                if not name:
                    raise FileFormatError(f"{source.where(node)}: <{tag}> without a name")
                if name in known:
                    raise FigureError(f"{source.where(node)}: duplicate {tag} {name!r}")
                known[name] = node
    if not links:
        raise FileFormatError(f"{source.where(robot)}: no link in it")
    for name, node in joints.items():
        if node.get("type") not in _KINDS:
            raise FileFormatError(f"{source.where(node)}: joint {name!r}: unknown type {node.get('type')!r}")
        if node.get("type") == "planar":
            raise FigureError(f"{source.where(node)}: joint {name!r}: a Figure has no planar joint")
        for end in ("parent", "child"):
            if link_of(node, end) not in links:
                raise FigureError(f"{source.where(node)}: joint {name!r}: unknown {end} link {link_of(node, end)!r}")
        child = link_of(node, "child")
        if child in parents:
            others = f"{parents[child].get('name')!r} and {name!r}"
            raise FigureError(f"{source.where(node)}: link {child!r} hangs on two joints, {others}")
        parents[child] = node
    roots = [name for name in links if name not in parents]
    if len(roots) > 1:
        raise FigureError(f"{source.name}: a figure has one root, got {len(roots)}: {', '.join(map(repr, roots))}")
    reached = set(roots)
    waiting = list(parents)
    while found := [name for name in waiting if link_of(parents[name], "parent") in reached]:
        reached.update(found)
        waiting = [name for name in waiting if name not in reached]
    if waiting:
        where = source.where(parents[waiting[0]])
        raise FigureError(f"{where}: links form a cycle or hang on one: {', '.join(map(repr, waiting))}")
    if roots == ["world"]:
        tops = [name for name, node in parents.items() if link_of(node, "parent") == "world"]
        if len(tops) > 1:
            names = ", ".join(map(repr, tops))
            raise FigureError(f"{source.name}: a figure has one root, but {len(tops)} links hang on the world: {names}")
    for name, node in joints.items():
        if node.get("type") == "floating" and not (link_of(node, "parent") == "world" == roots[0]):
            raise FigureError(
                f"{source.where(node)}: joint {name!r}: only the root may float, on a link called 'world'; "
                "or leave the joint out and read with free_base=True"
            )


def _note_dropped(source: Source, contents: Contents, visuals: bool) -> None:
    """Note what MuJoCo's parser skips."""
    for node in source.root.children:
        name = node.get("name") or node.get("reference")
        if node.tag not in _KNOWN["robot"]:
            contents.leave(node.tag, name or "(without a name)")
            continue
        for part in node.children:
            if part.tag not in _KNOWN.get(node.tag, {part.tag}):
                contents.leave(f"{part.tag} of {node.tag}", name)
        if node.tag == "link" and node.child("visual") and not visuals:
            contents.leave("visual of link (read with visuals=True to keep it)", name)
        if node.tag == "material":
            contents.leave("material", name)
        limit = node.child("limit") if node.tag == "joint" else None
        if limit is not None:
            _note_limits(node, limit, contents)


def _note_limits(joint: Node, limit: Node, contents: Contents) -> None:
    name = joint.get("name")
    if number(limit.get("velocity")):
        contents.leave("velocity limit of joint", name)
    if limit.get("effort") and not number(limit.get("effort")):
        contents.change(f"joint {name!r} has effort 0: taken as no limit")
    if joint.get("type") in ("revolute", "prismatic") and number(limit.get("lower")) == number(limit.get("upper")):
        contents.change(f"joint {name!r} has no width between its limits: taken as no limit")
