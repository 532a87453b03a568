"""Joint centres and axes told by the motion: "functional" ones (Ehrig et al. 2006 and 2007 for two segments alone).

In a body fit a joint may lie elsewhere in its parent than the generic figure has it, and its axes may be turned:

    X = X_F(p + δ) E J(q) Eᵀ X_M⁻¹,    E = exp(ε)

δ [m] shifts the joint's centre in its parent (in the axes and the size of the generic figure), ε [rad] turns its axes
on both sides, so that the pose at rest stays.  A knee that bends about another axis than the generic one moves its
shank's markers on another circle, which is what tells ε; a turn about a hinge's own axis, or of a ball's axes, changes
nothing.  Both have normal priors: what the motion does not tell stays as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.pose import Pose
from hitogata.figure.values import FloatArray
from hitogata.spatial import quat_exp, quat_multiply


@dataclass(frozen=True, eq=False)
class FunctionalJoint:
    """A joint that the motion told.

    Attributes:
        link: that hangs on it.
        shift: of its centre from the scaled generic place, in the parent's axes [m], shape (3,).
        turn: of its axes, rotation vector in the joint's frame [rad], shape (3,).
        deviations: standard deviations of both, shape (6,); near those of the prior where the motion told nothing.
    """

    link: str
    shift: FloatArray
    turn: FloatArray
    deviations: FloatArray

    def __str__(self) -> str:
        away, angle = np.linalg.norm(self.shift) * 1e3, np.degrees(np.linalg.norm(self.turn))
        told = f"±{self.deviations[:3].max() * 1e3:.1f} mm, ±{np.degrees(self.deviations[3:].max()):.1f}°"
        return f"{self.link}: centre {away:.1f} mm, axes {angle:.1f}° from the generic ones ({told})"


def functional_links(figure: Figure, names: Sequence[str]) -> tuple[int, ...]:
    """Links whose joints are to be told by the motion.

    Raises:
        ArgumentError: no such link, one twice, or one that hangs on no other.
    """
    if isinstance(names, str):
        names = (names,)
    found = tuple(figure.link_index(name) for name in names)
    for k, name in zip(found, names, strict=True):
        if figure.parents[k] < 0 or not (figure.links[k].joint.nv or figure.links[k].joint.steps):
            raise ArgumentError(f"functional: {name!r} hangs on no other link by a joint that moves")
    if len(set(found)) != len(found):
        raise ArgumentError(f"functional: a link is given twice in {', '.join(names)}")
    return found


def freedom(figure: Figure, links: Sequence[int]) -> FloatArray:
    """1 where shifts and turns of the joints may change, shape (n, 6): a ball's axes may not, they tell nothing."""
    free = np.ones((len(links), 6))
    for row, k in enumerate(links):
        if figure.links[k].joint.quat_start is not None:
            free[row, 3:] = 0.0
    return free


def moved_joints(figure: Figure, links: Sequence[int], changes: FloatArray) -> Figure:
    """The figure with joints shifted and turned.

    Args:
        figure: generic.
        links: whose joints.
        changes: δ [m] and ε [rad] of each, shape (n, 6).
    """
    if not len(links) or not np.any(changes):
        return figure
    new = list(figure.links)
    for k, change in zip(links, changes, strict=True):
        joint, E = new[k].joint, quat_exp(change[3:])
        x, y, z = (np.asarray(joint.parent_frame.position) + change[:3]).tolist()
        parent = Pose((x, y, z), _turned(joint.parent_frame.quat, E))
        child = Pose(joint.child_frame.position, _turned(joint.child_frame.quat, E))
        new[k] = replace(new[k], joint=replace(joint, parent_frame=parent, child_frame=child))
    return Figure(figure.name, tuple(new), figure.coupled)


def _turned(quat: Any, E: Any) -> tuple[float, float, float, float]:
    w, x, y, z = np.asarray(quat_multiply(np.asarray(quat), E)).tolist()
    return w, x, y, z


def right_jacobian(turn: FloatArray) -> FloatArray:
    """J with exp(ε + dε) = exp(ε) exp(J dε) to first order, shape (3, 3) (Chirikjian 2012, eq. 10.86)."""
    angle = float(np.linalg.norm(turn))
    W = np.array([[0.0, -turn[2], turn[1]], [turn[2], 0.0, -turn[0]], [-turn[1], turn[0], 0.0]])
    if angle < 1e-4:
        return np.eye(3) - 0.5 * W + W @ W / 6.0
    J: FloatArray = np.eye(3) - (1 - np.cos(angle)) / angle**2 * W + (angle - np.sin(angle)) / angle**3 * W @ W
    return J
