"""Muscle sets of MASS's files (Lee, Park, Lee & Lee 2019): a skeleton and waypoints given in its pose at rest."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path as FilePath

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import FileFormatError
from hitogata.figure import Box, Figure, FigureBuilder, Pose, joint
from hitogata.figure.joint import Joint
from hitogata.files.source import read_bytes
from hitogata.muscle.paths import Path, PathPoint
from hitogata.muscle.wires import Muscle, MuscleSet


def muscles_from_mass(skeleton: str | os.PathLike[str], muscles: str | os.PathLike[str]) -> MuscleSet:
    """The figure of a skeleton file and the muscles of a muscle file, y up as MASS has them.

    Bones are boxes, joints free, balls and hinges.  Muscles are kept by their lengths in the pose at rest: `lm` and
    `lt` are parts of it, so that fibres are optimal at lm times theirs.  Muscles are taken to be Thelen's.

    Raises:
        FileFormatError: what is missing, with the file.
    """
    figure = _figure(FilePath(skeleton))
    rest = np.array(figure.neutral())
    poses = forward_kinematics(figure, rest)
    index = {name: k for k, name in enumerate(figure.link_names)}
    wires = []
    root = _parse(FilePath(muscles))
    for unit in root.iter("Unit"):
        name = unit.get("name", "?")
        points, world = [], []
        for waypoint in unit.iter("Waypoint"):
            body = waypoint.get("body", "")
            if body not in index:
                raise FileFormatError(f"{muscles}: muscle {name!r}: no body {body!r} in {skeleton}")
            p, k = np.array(_numbers(waypoint, "p", 3, str(muscles))), index[body]
            points.append(PathPoint(body, tuple((poses.rotation[k].T @ (p - poses.position[k])).tolist())))
            world.append(p)
        length = float(np.linalg.norm(np.diff(world, axis=0), axis=1).sum())
        f0, lm, lt, pennation = (float(unit.get(key, "nan")) for key in ("f0", "lm", "lt", "pen_angle"))
        if not (f0 > 0 and lm > 0 and lt > 0):
            raise FileFormatError(f"{muscles}: muscle {name!r}: f0, lm and lt must be positive, got {f0}, {lm}, {lt}")
        share = length / (lm + lt)
        wires.append(Muscle(name, Path(tuple(points)), f0, share * lm, share * lt, pennation))
    return MuscleSet(figure.name, figure, tuple(wires))


def _figure(path: FilePath) -> Figure:
    """The skeleton; links' frames stand at their joints, turned as the world is."""
    root = _parse(path)
    builder = FigureBuilder(root.get("name", path.stem))
    places: dict[str, Pose] = {}
    for node in root.iter("Node"):
        name, parent = node.get("name", "?"), node.get("parent", "None")
        body, hinge = node.find("Body"), node.find("Joint")
        if body is None or hinge is None or (parent != "None" and parent not in places):
            raise FileFormatError(f"{path}: node {name!r}: a Body, a Joint and a parent before it are expected")
        centre, at = _pose(body, path), _pose(hinge, path)
        above = places[parent] if parent != "None" else Pose()
        size = np.array(_numbers(body, "size", 3, str(path)))
        shape = Box(tuple((0.5 * size).tolist()), pose=at.inverse() @ centre)
        builder.add(
            name, None if parent == "None" else parent, _joint(hinge, above.inverse() @ at), shapes=[shape],
            total_mass=float(body.get("mass", "1")),
        )  # fmt: skip
        places[name] = at
    return builder.build()


def _joint(element: ET.Element, frame: Pose) -> Joint:
    kind = element.get("type", "")
    if kind == "Free":
        return joint.free(rest=(*frame.position, *frame.quat))
    if kind == "Ball":
        return joint.ball(parent_frame=frame)
    if kind == "Revolute":
        axis = [float(x) for x in element.get("axis", "1 0 0").split()]
        return joint.hinge(axis, parent_frame=frame)
    raise FileFormatError(f"joint type {kind!r}: Free, Ball or Revolute is expected")


def _pose(owner: ET.Element, path: FilePath) -> Pose:
    element = owner.find("Transformation")
    if element is None:
        raise FileFormatError(f"{path}: a Transformation is expected in each {owner.tag}")
    matrix = np.array(_numbers(element, "linear", 9, str(path))).reshape(3, 3)
    u, _, vt = np.linalg.svd(matrix)  # written with four digits
    return Pose.from_matrix(u @ vt, _numbers(element, "translation", 3, str(path)))


def _numbers(element: ET.Element, key: str, count: int, where: str) -> list[float]:
    try:
        found = [float(x) for x in element.get(key, "").split()]
    except ValueError:
        found = []
    if len(found) != count or not np.isfinite(found).all():
        raise FileFormatError(f"{where}: {element.tag} {key!r}: {count} numbers are expected, got {element.get(key)!r}")
    return found


def _parse(path: FilePath) -> ET.Element:
    data = read_bytes(path)
    if b"<!ENTITY" in data or b"<!DOCTYPE" in data:
        raise FileFormatError(f"{path}: document types and entities are not read")
    try:
        return ET.fromstring(data)
    except ET.ParseError as error:
        raise FileFormatError(f"{path}: {error}") from None
