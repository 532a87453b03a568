"""Which joints can move their links: a link without inertia about an axis must not be turned about it alone.

The mass matrix M = Σ Jᵀ I J is regular in every pose if each joint passes one of these tests.  Then a velocity without
kinetic energy is none: its first moving joint, counted from the root, would move what is rigidly fixed to it.

1. The link, with all that is fixed to it, resists every motion of the joint: Sᵀ I S + armature is positive.
2. A link with inertia about every axis hangs on it by a joint whose motions are independent of its own: for that
   one to be at rest, the joint must be.  (A small mass between two hinges that carry a body.)

Sliders always pass, as masses are positive.  Of a point mass or rod, I about the joint has no kernel, a line u (through
the joint and the mass), or is zero.
"""

from typing import NamedTuple

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.joint import Joint
from hitogata.figure.link import Link
from hitogata.figure.mass import ROUNDING, MassProperties
from hitogata.figure.pose import IDENTITY, FloatArray, Pose


class Rigid(NamedTuple):
    """A link and all that is fixed to it, in the link's frame: mass properties, and the members' places."""

    mass: MassProperties
    places: dict[str, Pose]


def check_mobility(links: tuple[Link, ...]) -> None:
    """FigureError naming the first link that its joint cannot move for want of inertia."""
    for link in links:
        joint = link.joint
        turns = joint.quat_start is not None or any(not screw.slide for screw in joint.screws)
        turns = turns and not joint.motions and not joint.follows
        if not link.mass.definite and turns:
            _check_link(link, links)


def _check_link(link: Link, links: tuple[Link, ...]) -> None:
    joint = link.joint
    if joint.armature >= ROUNDING * link.mass.mass * 1e-12:  # of the order of what is absurd as inertia
        return
    rigid = _rigid(link, links)
    trouble = _not_resisted(joint, rigid.mass)
    if trouble and not _carries(link, rigid, links):
        raise FigureError(
            f"link {link.name!r}: {_what(rigid.mass)}, but its {joint.kind.value} joint {trouble}; "
            f"give the link inertia, or the joint an armature, {_otherwise(joint)}"
        )


def _otherwise(joint: Joint) -> str:
    if joint.quat_start is not None:
        return "or move the mass by three sliders" if joint.floating else "or use a hinge across the arm"
    return "or place its mass off the axis" if len(joint.screws) == 1 else "or limit the second angle, or use a hinge"


def _what(mass: MassProperties) -> str:
    kind = "it has no inertia" if mass.moments[2] == 0.0 else "it has no inertia about its long axis"
    return f"{kind} (principal moments {', '.join(f'{max(x, 0.0):g}' for x in mass.moments)} kg m²)"


def _rigid(link: Link, links: tuple[Link, ...]) -> Rigid:
    """The link and its descendants by fixed joints."""
    places, parts = {link.name: IDENTITY}, [link.mass]
    for other in links:  # parents come first
        if not other.joint.nv and other.parent in places and other.name != link.name:
            place = places[other.parent] @ other.joint.parent_frame @ other.joint.child_frame.inverse()
            places[other.name] = place
            parts.append(other.mass.placed(place))
    return Rigid(MassProperties.combined(parts), places)


def _not_resisted(joint: Joint, mass: MassProperties) -> str:
    """Which motion of a joint meets no inertia; empty if there is none."""
    if joint.floating:
        return "" if mass.definite else "turns it about every axis"
    rot = joint.child_frame.rotation
    arm = np.array(mass.centre) - np.array(joint.child_frame.position)
    inertia = rot.T @ (mass.matrix + mass.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))) @ rot
    moments, axes = np.linalg.eigh(inertia)
    if moments[0] > ROUNDING * moments[2]:
        return ""
    axis = np.array(joint.axis)
    if joint.quat_start is not None:
        return "turns it about the line from the joint to its mass as well"
    if len(joint.screws) == 1:
        return "" if axis @ inertia @ axis > ROUNDING * moments[2] else "turns it about an axis through its mass"
    if moments[2] == 0.0:
        return "turns it about its own mass"
    angle = _singular_angle(joint, axes[:, 0])
    return "" if angle is None else f"has no hold on it at {np.degrees(angle):.0f}° about the second axis"


def _singular_angle(joint: Joint, line: FloatArray) -> float | None:
    """Second angle of a universal joint at which a line without inertia lies in the plane of both axes; None: none.

    In the joint's frame on the link, axis2 stands and axis turns about it by −angle; the plane's normal turns with it:
    n(angle)·line = cos(angle) n·line + sin(angle) (n × axis2)·line, as n is at right angles to axis2.
    """
    first, second = np.array(joint.axis), np.array(joint.axis2)
    normal = np.cross(first, second)
    along, across = normal @ line, np.cross(normal, second) @ line
    low, high = (-np.inf, np.inf) if joint.range is None else joint.range[1]
    if np.hypot(along, across) < 1e-9:
        return float(np.clip(0.0, low, high))  # the second axis is the line: at every angle
    root = float(np.arctan2(-along, across))
    start = max(low, -np.pi) - 1e-6
    found = root + np.pi * np.ceil((start - root) / np.pi)
    return float(found) if found <= high + 1e-6 else None


def _carries(link: Link, rigid: Rigid, links: tuple[Link, ...]) -> bool:
    """Whether a link with full inertia hangs on it by motions that are independent of its own joint's."""
    own = _motions(link.joint, link.joint.child_frame)
    for other in links:
        if (
            other.parent in rigid.places
            and other.joint.nv
            and _rigid(other, links).mass.definite
        ):
            frame = rigid.places[other.parent] @ other.joint.parent_frame
            both = np.hstack([own, _motions(other.joint, frame)])
            if both.shape[1] <= 6 and np.linalg.svd(both, compute_uv=False)[-1] > 1e-6:
                return True
    return False


def _motions(joint: Joint, frame: Pose) -> FloatArray:
    """Spatial velocities [angular; linear] that a joint at a frame may give in any pose, shape (6, up to 6)."""
    rot, at = frame.rotation, np.array(frame.position)
    if len(joint.screws) == 1:
        screw = joint.screws[0]
        turn = rot @ np.array(screw.axis)[:, None] * screw.turn
        slide = rot @ np.array(screw.axis)[:, None] * screw.slide
        return np.concatenate([turn, np.cross(at, turn, axisb=0, axisc=0) + slide])
    turns = np.concatenate([np.eye(3), np.cross(at, np.eye(3), axisb=0, axisc=0)])
    return np.hstack([turns, np.eye(6)[:, 3:]]) if joint.floating else turns
