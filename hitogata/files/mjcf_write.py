"""A figure as MJCF text, for MuJoCo and everything that reads its files (Pinocchio, Drake, viewers)."""

import math
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from hitogata.errors import FigureError, FileContentWarning
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    Figure,
    HeightField,
    Joint,
    JointKind,
    Link,
    Plane,
    Pose,
    Shape,
    Sphere,
)

Element = ElementTree.Element


def write_mjcf(figure: Figure, path: str | Path | None = None) -> str:
    """The figure as MJCF text; written to a file too if `path` is given.

    Link frames become body frames, named frames sites, shapes geoms, and a universal joint two hinges in one body.
    Angles are in radians.  MuJoCo writes the quaternion of a ball or free joint in the axes of the body, so where such
    a joint's `child_frame` is turned, its coordinates differ from ours by that turn.  What MJCF cannot hold (ranges of
    ball joints) is listed in a FileContentWarning.

    Args:
        figure: the figure.
        path: where to write the text, or None.
    """
    root = Element("mujoco", model=figure.name)
    _add(root, "compiler", angle="radian", autolimits="true")
    assets = _add(root, "asset")
    world = _add(root, "worldbody")
    bodies: dict[str | None, Element] = {None: world}
    for link in figure.links:
        bodies[link.name] = _body(bodies[link.parent], assets, link)
    if not len(assets):
        root.remove(assets)
    lost = [link.joint.name or link.name for link in figure.links
            if link.joint.kind is JointKind.BALL and link.joint.range is not None]  # fmt: skip
    if lost:
        message = f"MJCF cannot hold the ranges of ball joints: {', '.join(lost)}"
        warnings.warn(message, FileContentWarning, stacklevel=2)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode") + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _text(*numbers: float) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _place(pose: Pose) -> dict[str, str]:
    return {"pos": _text(*pose.position), "quat": _text(*pose.quat)}


def _body(parent: Element, assets: Element, link: Link) -> Element:
    joint = link.joint
    place = joint.parent_frame @ joint.child_frame.inverse()
    if joint.kind is JointKind.FREE and joint.rest is not None:
        place = joint.parent_frame @ Pose(joint.rest[:3], joint.rest[3:]) @ joint.child_frame.inverse()  # type: ignore[arg-type]
    body = _add(parent, "body", name=link.name, **_place(place))
    _inertial(body, link)
    _joints(body, link.name, joint)
    for k, shape in enumerate(link.shapes):
        _geom(body, assets, shape, shape.name or f"{link.name}_{k}")
    for frame in link.frames:
        _add(body, "site", name=frame.name, **_place(frame.pose))
    return body


def _inertial(body: Element, link: Link) -> None:
    mass = link.mass
    common = {"mass": _text(mass.mass), "pos": _text(*mass.centre)}
    if mass.definite:
        _add(body, "inertial", **common, fullinertia=_text(*mass.inertia))
    elif link.joint.kind is not JointKind.FIXED:
        raise FigureError(
            f"link {link.name!r} moves and has no inertia about some axis, which MJCF cannot hold: give it a small one"
        )
    else:  # of a full inertia MuJoCo wants positive moments, of a diagonal it does not
        moments, axes = np.linalg.eigh(mass.matrix)
        turn = Pose.from_matrix(axes * np.sign(np.linalg.det(axes)))
        _add(body, "inertial", **common, quat=_text(*turn.quat), diaginertia=_text(*np.maximum(moments, 0.0)))


def _joints(body: Element, link: str, joint: Joint) -> None:
    if joint.kind is JointKind.FIXED:
        return
    name, frame = joint.name or link, joint.child_frame
    common = {"damping": _text(joint.damping), "armature": _text(joint.armature)}
    if math.isfinite(joint.effort_limit):
        common["actuatorfrcrange"] = _text(-joint.effort_limit, joint.effort_limit)
    if joint.kind is JointKind.FREE:
        _add(body, "joint", name=name, type="free", damping=common["damping"])
        return
    common["pos"] = _text(*frame.position)
    if joint.kind is JointKind.BALL:
        common.pop("actuatorfrcrange", None)  # MuJoCo limits the effort of scalar joints only
        _add(body, "joint", name=name, type="ball", **common)
        return
    screws, ranges = joint.screws, [joint.range]
    if len(screws) > 1:
        ranges = list(joint.range or (None,) * len(screws))
    for k, (screw, limits) in enumerate(zip(screws, ranges, strict=True)):
        if screw.turn and screw.slide:
            raise FigureError(f"link {link!r}: MJCF has no {joint.kind.value} joint: use a hinge or a slider")
        limited = {} if limits is None or not all(map(math.isfinite, limits)) else {"range": _text(*limits)}
        own = name if len(screws) == 1 else f"{name}_{k + 1}"
        kind, axis = "hinge" if screw.turn else "slide", _text(*(frame.rotation @ screw.axis))
        _add(body, "joint", name=own, type=kind, axis=axis, **common, **limited)


def _geom(body: Element, assets: Element, shape: Shape, name: str) -> None:
    if isinstance(shape, Sphere):
        kind, size = "sphere", _text(shape.radius)
    elif isinstance(shape, Capsule):
        kind, size = "capsule", _text(shape.radius, max(shape.half_length, 1e-9))  # MuJoCo wants some length
    elif isinstance(shape, Box):
        kind, size = "box", _text(*shape.half_sizes)
    elif isinstance(shape, Cylinder):
        kind, size = "cylinder", _text(shape.radius, shape.half_length)
    elif isinstance(shape, Ellipsoid):
        kind, size = "ellipsoid", _text(*shape.half_axes)
    elif isinstance(shape, Plane):
        kind, size = "plane", _text(0, 0, 1)
    elif isinstance(shape, ConvexMesh):
        vertices = _text(*shape.vertices.ravel())
        _add(assets, "mesh", name=name, vertex=vertices, inertia="convex")
        _add(body, "geom", name=name, type="mesh", mesh=name, **_place(shape.pose))
        return
    elif isinstance(shape, HeightField):
        _field(body, assets, shape, name)
        return
    else:
        raise TypeError(f"shape {name!r}: MJCF has no {type(shape).__name__}")
    _add(body, "geom", name=name, type=kind, size=size, **_place(shape.pose))


def _field(body: Element, assets: Element, shape: HeightField, name: str) -> None:
    """A height field; MuJoCo keeps heights as parts of the greatest, above a base."""
    low = float(shape.heights.min())
    top = max(float(shape.heights.max()) - low, 1e-6)  # MuJoCo wants some height
    rows, columns = shape.heights.shape
    _add(
        assets, "hfield", name=name, nrow=str(rows), ncol=str(columns), size=_text(*shape.half_sizes, top, 1.0),
        elevation=_text(*((shape.heights - low) / top)[::-1].ravel()),  # MuJoCo reads the row of greatest y first
    )  # fmt: skip
    pose = shape.pose @ Pose((0.0, 0.0, low))
    _add(body, "geom", name=name, type="hfield", hfield=name, **_place(pose))
