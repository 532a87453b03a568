"""Hinges in a row that turn one link: a robot's hip, shoulder or wrist, all frames at once.

The rotation of the last link is a product R = B A₁ Rot(a₁, θ₁) A₂ Rot(a₂, θ₂) ... A.  What is wanted is the greatest

    tr(W Rᵀ R_wanted),      W = w 1 + b bᵀ

(b is the bone: where it points counts most, how it is turned about itself less).  Each angle in turn is set to its best
for the others,

    θ = atan2(a · vex N, tr N - aᵀ N a),      N = (what stands before it)ᵀ R_wanted W (what stands behind it)ᵀ

within its limits, until they settle.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.figure import Figure, JointKind
from hitogata.figure.values import FloatArray
from hitogata.motion.joint_fit import inside
from hitogata.spatial import quat_exp, quat_to_matrix

_ROUNDS, _SETTLED = 200, 1e-7  # [rad]
_TURNED = 0.2
"""Weight w of the turn about the bone."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Hinges in a row.

    Attributes:
        coordinates: index of each angle in q.
        axes: of each, in its own frame, shape (k, 3).
        before: constant rotation before each, shape (k, 3, 3).
        after: constant rotation behind the last, shape (3, 3).
        limits: of each, if any [rad].
    """

    coordinates: tuple[int, ...]
    axes: FloatArray
    before: FloatArray
    after: FloatArray
    limits: tuple[tuple[float, float] | None, ...]


def row_to(figure: Figure, link: int, paired: Collection[str]) -> list[int]:
    """Links that turn a link together with its own joint: those before it that follow none, up to one that does."""
    links = [link]
    while (parent := figure.parents[links[0]]) > 0 and figure.link_names[parent] not in paired:
        links.insert(0, parent)
    return links


def first_of(figure: Figure, name: str, paired: Collection[str]) -> int:
    """The first link of the row of hinges that ends in a link: there the limb begins; else the link itself."""
    link = figure.link_index(name)
    moving = (JointKind.HINGE, JointKind.UNIVERSAL)
    for before in reversed(row_to(figure, link, paired)):
        if figure.links[before].joint.kind not in moving:
            break
        link = before
    return link


def chain_to(figure: Figure, links: Sequence[int]) -> Chain | None:
    """The chain of the joints of some links, each the parent of the next; None unless all are hinges."""
    coordinates: list[int] = []
    axes, before, limits = [], [], []
    constant = np.eye(3)
    for i in links:
        joint, start = figure.links[i].joint, figure.q_starts[i]
        constant = constant @ joint.parent_frame.rotation
        if joint.quat_start is not None or any(screw.slide for screw in joint.screws):
            return None
        for k, screw in enumerate(joint.screws):
            coordinates.append(start + k)
            axes.append(np.array(screw.axis))
            before.append(constant)
            limits.append(joint.range if len(joint.screws) == 1 or joint.range is None else joint.range[k])
            constant = np.eye(3)
        constant = constant @ joint.child_frame.rotation.T
    if not axes:
        return None
    return Chain(tuple(coordinates), np.array(axes), np.array(before), constant, tuple(limits))


def chain_angles(
    chain: Chain, base: FloatArray, wanted: FloatArray, start: FloatArray, bone: FloatArray | None
) -> FloatArray:
    """Angles that bring the last link nearest to wanted rotations [rad], shape (n, k).

    Args:
        chain: the hinges.
        base: rotation of the link that carries the chain, shape (n, 3, 3).
        wanted: rotation of the last link, shape (n, 3, 3).
        start: angles to begin with [rad], shape (k,).
        bone: in the last link's frame, unit, shape (3,); None: all directions count alike.
    """
    count = len(chain.axes)
    angles = np.tile(start, (len(wanted), 1))
    weight = np.eye(3) if bone is None else _TURNED * np.eye(3) + np.outer(bone, bone)
    goal = np.swapaxes(base, 1, 2) @ wanted @ weight
    for _ in range(_ROUNDS):
        last = angles.copy()
        for k in range(count):
            front = _product(chain, angles, 0, k) @ chain.before[k]
            back = _product(chain, angles, k + 1, count) @ chain.after
            n = np.swapaxes(front, 1, 2) @ goal @ np.swapaxes(back, 1, 2)
            axis = chain.axes[k]
            turn = np.stack([n[:, 2, 1] - n[:, 1, 2], n[:, 0, 2] - n[:, 2, 0], n[:, 1, 0] - n[:, 0, 1]], axis=1) @ axis
            rest = np.trace(n, axis1=1, axis2=2) - np.einsum("i,nij,j->n", axis, n, axis)
            angles[:, k] = _allowed(np.arctan2(turn, rest), chain.limits[k])
        if np.abs(angles - last).max(initial=0.0) < _SETTLED:
            break
    for k in range(count):
        angles[:, k] = inside(angles[:, k], chain.limits[k])
    return angles


def _allowed(angles: FloatArray, limits: tuple[float, float] | None) -> FloatArray:
    return angles if limits is None else inside(angles, limits)


def _product(chain: Chain, angles: FloatArray, first: int, end: int) -> FloatArray:
    """Product of the turns from one to another, with what stands before each, shape (n, 3, 3)."""
    result: FloatArray = np.broadcast_to(np.eye(3), (len(angles), 3, 3))
    for k in range(first, end):
        result = result @ chain.before[k] @ quat_to_matrix(quat_exp(angles[:, k : k + 1] * chain.axes[k]))
    return result
