"""Two bones and a hinge: the rotations of thigh and shin with which an ankle is where it should be.

The knee is bent or straightened until hip and ankle are as far apart as wanted, and then the whole leg is turned by the
shortest way.  With a and c the bones, k the axis of the knee, φ its angle and d the distance,

    d² = a² + c² + 2 (a·k)(c·k) + 2 |a⟂| |c⟂| cos φ.

Near its full length a leg is not stretched as far as asked, so that knees do not snap (the distance beyond `SOFT` of
the length approaches it as an exponential).
"""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, Joint, JointKind
from hitogata.figure.values import FloatArray
from hitogata.spatial import matrix_to_quat, quat_conjugate, quat_exp, quat_log, quat_multiply, quat_to_matrix

SOFT = 0.985
"""Share of its length from which a leg stretches less than asked."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg of a figure.

    Attributes:
        links: indices of thigh, shin and foot.
        hip: index of the link at whose origin the leg begins: the thigh, or the first of hinges in a row before it.
        bones: from hip to knee in the thigh's frame, and from knee to ankle in the shin's [m], shape (2, 3).
        axis: of the knee, in the shin's frame, unit, shape (3,); it bends the leg in the positive sense.
        least: smallest bend of the knee [rad].
        most: greatest bend of the knee [rad].
        ankle: the joint of the foot.
    """

    links: tuple[int, int, int]
    hip: int
    bones: FloatArray
    axis: FloatArray
    least: float
    most: float
    ankle: Joint


def leg_of(figure: Figure, names: tuple[str, str, str], hip: int, left: FloatArray) -> Leg | None:
    """The leg of a figure with links (thigh, shin, foot); None if its bones have no length.

    Args:
        figure: the figure.
        names: of the links.
        hip: see `Leg`.
        left: to the figure's left in its neutral pose, unit, shape (3,): knees that are no hinges bend about it.
    """
    thigh, shin, foot = (figure.link_index(name) for name in names)
    poses = forward_kinematics(figure, figure.neutral())
    place, rotation = poses.position, poses.rotation
    bones = np.array([rotation[a].T @ (place[b] - place[c]) for a, b, c in ((thigh, shin, hip), (shin, foot, shin))])
    if np.linalg.norm(bones, axis=1).min() < 1e-3:
        return None
    joint = figure.links[shin].joint
    hinge = joint.kind is JointKind.HINGE
    axis = joint.child_frame.rotation @ joint.axis if hinge else rotation[shin].T @ left
    least, most = 0.0, float(np.pi)
    if hinge and joint.range is not None and np.isfinite(joint.range).all():
        bend = float(_bend(rotation[thigh] @ bones[0], rotation[shin] @ bones[1], rotation[shin] @ axis))
        straight = bend - (joint.rest[0] if joint.rest else 0.0)
        least, most = straight + joint.range[0], straight + joint.range[1]
        if least + most < 0:
            axis, least, most = -axis, -most, -least
    return Leg((thigh, shin, foot), hip, bones, axis, max(least, 0.0), min(most, np.pi), figure.links[foot].joint)


def solved_leg(
    leg: Leg, thigh: FloatArray, shin: FloatArray, hip: FloatArray, ankle: FloatArray, swivel: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rotations of thigh and shin that bring the ankle to a place, and by how much they miss it [m], shape (n,).

    Args:
        leg: the leg.
        thigh: rotation to begin with, shape (n, 3, 3).
        shin: rotation to begin with, shape (n, 3, 3).
        hip: place of the hip [m], shape (n, 3).
        ankle: where the ankle should be [m], shape (n, 3).
        swivel: turn of the whole leg about the line from hip to ankle, downwards [rad], shape (n,).
    """
    upper, lower, axis = thigh @ leg.bones[0], shin @ leg.bones[1], shin @ leg.axis
    way = ankle - hip
    wanted = np.linalg.norm(way, axis=1)
    length = float(np.linalg.norm(leg.bones, axis=1).sum())
    bend = _bends(upper, lower, axis, _softened(wanted, length))
    change = np.clip(bend, leg.least, leg.most) - _bend(upper, lower, axis)
    turn = quat_to_matrix(quat_exp(axis * change[:, None]))
    lower = np.einsum("nij,nj->ni", turn, lower)
    reach = upper + lower
    across = _shortest_turns(reach, way)
    if swivel is not None:
        line = way / np.maximum(wanted, 1e-9)[:, None]
        across = quat_to_matrix(quat_exp(line * swivel[:, None])) @ across
    missed: FloatArray = np.abs(np.linalg.norm(reach, axis=1) - wanted)
    return across @ thigh, across @ turn @ shin, missed


def held_back(leg: Leg, shin: FloatArray, foot: FloatArray) -> FloatArray:
    """What the ankle's range of motion turns the foot by, as rotation vectors in the world [rad], shape (n, 3)."""
    joint = leg.ankle
    if not joint.is_ball or joint.range is None:
        return np.zeros((len(foot), 3))
    base, child = shin @ joint.parent_frame.rotation, joint.child_frame.rotation
    quats = np.asarray(matrix_to_quat(np.swapaxes(base, 1, 2) @ foot @ child), np.float64)
    turned = quat_log(quat_multiply(joint.range.clamp(quats), quat_conjugate(quats)))
    result: FloatArray = np.einsum("nij,nj->ni", base, turned)
    return result


def _softened(wanted: FloatArray, length: float) -> FloatArray:
    """Distances to which a leg is stretched, for those that are wanted."""
    start, room = SOFT * length, (1 - SOFT) * length
    return np.where(wanted <= start, wanted, start + room * (1 - np.exp(-(wanted - start) / room)))


def _bend(upper: FloatArray, lower: FloatArray, axis: FloatArray) -> FloatArray:
    """Angle φ from one bone to the next about an axis [rad], shape (...)."""
    along = [(bone * axis).sum(axis=-1, keepdims=True) for bone in (upper, lower)]
    a, b = upper - along[0] * axis, lower - along[1] * axis
    angle: FloatArray = np.arctan2((np.cross(a, b) * axis).sum(axis=-1), (a * b).sum(axis=-1))
    return angle


def _bends(upper: FloatArray, lower: FloatArray, axis: FloatArray, distance: FloatArray) -> FloatArray:
    """Angles φ at which hip and ankle are so far apart [rad], shape (n,); the nearest that can be."""
    along = [np.einsum("ni,ni->n", bone, axis) for bone in (upper, lower)]
    both = zip((upper, lower), along, strict=True)
    across = [np.sqrt(np.maximum((bone**2).sum(axis=1) - x * x, 1e-12)) for bone, x in both]
    rest = distance**2 - (upper**2).sum(axis=1) - (lower**2).sum(axis=1) - 2 * along[0] * along[1]
    angles: FloatArray = np.arccos(np.clip(rest / (2 * across[0] * across[1]), -1.0, 1.0))
    return angles


def _shortest_turns(a: FloatArray, b: FloatArray) -> FloatArray:
    """The smallest rotations that take directions a to directions b, shape (n, 3, 3)."""
    axis = np.cross(a, b)
    sine, cosine = np.linalg.norm(axis, axis=1), np.einsum("ni,ni->n", a, b)
    unit = axis / np.maximum(sine, 1e-12)[:, None]
    return np.asarray(quat_to_matrix(quat_exp(unit * np.arctan2(sine, cosine)[:, None])), np.float64)
