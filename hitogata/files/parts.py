"""Links in the making: what a file calls a body, before it is known whether it has mass.

A Figure's links all have mass; files use bodies without mass as mere frames.  `absorb_massless` gives their names,
shapes and frames to the link they are fixed to.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Figure, Frame, Joint, JointKind, Link, MassProperties, Pose, Shape
from hitogata.figure.pose import FloatArray
from hitogata.figure.values import Vector
from hitogata.files.contents import Contents


class PointMass(NamedTuple):
    """A mass without extent: [kg], and where in the body's frame [m]."""

    mass: float
    centre: Vector


@dataclass
class Part:
    """A body of a file, on its way to a Link; `mass` is None if it has none, or is but a point."""

    name: str
    parent: str | None
    joint: Joint
    mass: MassProperties | None
    shapes: list[Shape] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    point: PointMass | None = None


def absorb_massless(parts: list[Part], contents: Contents, where: Callable[[str], str]) -> list[Part]:
    """The same bodies, every one with mass.

    1. A massless body fixed to its parent becomes a frame of the parent; a point mass is added to the parent.
    2. Another massless body is joined with a body that is fixed to it and has mass: that one takes over its joint,
       so q means what it meant, and the massless one becomes its frame.
    3. A massless body fixed to the world, with one child, vanishes: the child becomes the root.

    Args:
        parts: bodies, parents before children.
        contents: where to note what is lost.
        where: "file:line" of a body by name, for messages.

    Raises:
        FigureError: a massless body that moves, or that several moving bodies hang on.
    """
    parts = list(parts)
    for part in list(parts):
        above = next((p for p in parts if p.name == part.parent), None)
        if part.mass is None and above is not None and part.joint.kind is JointKind.FIXED:
            _merge(parts, part, above, _place(part.joint))
    for part in [p for p in parts if p.mass is None]:
        children = [p for p in parts if p.parent == part.name]
        heir = next((c for c in children if c.joint.kind is JointKind.FIXED and c.mass is not None), None)
        if heir is not None:
            X_HP = _place(heir.joint).inverse()
            name = heir.joint.name if part.joint.kind is JointKind.FIXED else part.joint.name
            heir.joint = replace(part.joint, child_frame=X_HP @ part.joint.child_frame, name=name)
            heir.parent = part.parent
            _merge(parts, part, heir, X_HP)
        elif part.joint.kind is not JointKind.FIXED:
            raise FigureError(f"{where(part.name)}: link {part.name!r} moves but has no mass")
        elif len(children) == 1:
            _drop_root(parts, part, children[0], contents)
        elif children:
            names = ", ".join(repr(c.name) for c in children)
            raise FigureError(
                f"{where(part.name)}: link {part.name!r} has no mass, so it cannot be the root that {names} hang on; "
                "give it a mass (fixed to the world, it never matters)"
            )
        else:
            raise FigureError(f"{where(part.name)}: link {part.name!r} has no mass, and nothing hangs on it")
    return parts


def _place(joint: Joint) -> Pose:
    """X_PB of a fixed joint."""
    return joint.parent_frame @ joint.child_frame.inverse()


def _merge(parts: list[Part], gone: Part, into: Part, X_IG: Pose) -> None:
    """Make `gone` a frame of `into`, in which it sits at X_IG; its children hang on `into` from now on."""
    parts.remove(gone)
    into.frames += [Frame(gone.name, X_IG), *(Frame(f.name, X_IG @ f.pose) for f in gone.frames)]
    if gone.point is not None and into.mass is not None:
        into.mass = _with_point(into.mass, gone.point.mass, X_IG.apply(gone.point.centre))
    elif gone.point is not None:
        raise FigureError(f"link {gone.name!r} has mass but no inertia, and hangs on {into.name!r}, which has no mass")
    into.shapes += [replace(shape, pose=X_IG @ shape.pose) for shape in gone.shapes]
    for child in parts:
        if child.parent == gone.name:
            child.parent = into.name
            child.joint = replace(child.joint, parent_frame=X_IG @ child.joint.parent_frame)


def _with_point(body: MassProperties, mass: float, at: FloatArray) -> MassProperties:
    """A body with a point mass fixed to it (parallel-axis theorem)."""
    total = body.mass + mass
    arm = at - np.array(body.centre)
    inertia = body.matrix + body.mass * mass / total * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return MassProperties.from_matrix(total, np.array(body.centre) + mass / total * arm, inertia)


def _drop_root(parts: list[Part], gone: Part, heir: Part, contents: Contents) -> None:
    """Hang the only child of a massless root on the world."""
    parts.remove(gone)
    heir.parent = None
    heir.joint = replace(heir.joint, parent_frame=_place(gone.joint) @ heir.joint.parent_frame)
    contents.leave("massless body fixed to the world", gone.name)
    for frame in gone.frames:
        contents.leave("frame of the world", frame.name)
    for shape in gone.shapes:
        contents.leave("shape of the world", shape.name or f"(a {type(shape).__name__.lower()} of {gone.name!r})")


def figure_from(name: str, parts: list[Part], contents: Contents) -> Figure:
    """The figure of bodies that all have mass; names that stand twice are changed, and noted."""
    _make_unique(parts, contents)
    links = []
    for p in parts:
        assert p.mass is not None
        links.append(Link(p.name, p.parent, p.joint, p.mass, tuple(p.shapes), tuple(p.frames)))
    return Figure.from_links(name, links)


def _make_unique(parts: list[Part], contents: Contents) -> None:
    """Make names of frames and joints unique: files let a site be called like a body, a joint like another's body."""
    taken = {p.name for p in parts}
    for part in parts:
        for i, frame in enumerate(part.frames):
            name = _free_name(frame.name, "_site", taken)
            taken.add(name)
            if name != frame.name:
                contents.change(f"frame {frame.name!r} of {part.name!r} is called {name!r}, for a link has its name")
                part.frames[i] = replace(frame, name=name)
    joints = {p.joint.name for p in parts if p.joint.name}
    for part in parts:
        if not part.joint.name and part.name in joints:
            name = _free_name(part.name, "_joint", joints)
            joints.add(name)
            part.joint = replace(part.joint, name=name)


def _free_name(name: str, suffix: str, taken: set[str]) -> str:
    while name in taken:
        name += suffix
    return name
