"""Which parts of a figure are mirror images of each other, and how their frames correspond.

In a pose that is its own mirror image, S₀ being the reflection in its middle plane, a point x of link i becomes the
point Mᵢ x + mᵢ of its partner σ(i),

    Mᵢ = R₀σᵀ S₀ R₀ᵢ,      mᵢ = R₀σᵀ (S₀(p₀ᵢ) - p₀σ).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Figure
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.files.names import Side, figure_naming, left_right_pairs, side_and_word

UNLIKE = 0.1
"""Two sides may differ by this much of the figure's size; skeletons fitted to a person do, a little."""

SNAP = math.radians(3)
"""A middle plane this near to one of the world's axes is meant to be across it."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A figure's two sides.

    Attributes:
        partners: index of each link's mirror image; its own for links in the middle.
        reference: coordinates of a symmetric pose, shape (nq,).
        normal: of the middle plane there, towards the left; unit.
        point: on the middle plane there [m].
        maps: M of each link, shape (nlinks, 3, 3).
        shifts: m of each link [m], shape (nlinks, 3).
        unlike: greatest distance of a joint from the mirror image of its partner [m].
    """

    partners: tuple[int, ...]
    reference: FloatArray
    normal: FloatArray
    point: FloatArray
    maps: FloatArray
    shifts: FloatArray
    unlike: float


def find_symmetry(
    figure: Figure, pairs: Mapping[str, str] | None = None, *, reference: ArrayLike | None = None
) -> Symmetry:
    """Find a figure's two sides.

    Args:
        figure: the figure.
        pairs: right link by left link; all others are in the middle, and so is one paired with itself.  None: by the
            names of links, or else of joints, that differ in their side alone ("LeftArm" and "RightArm").
        reference: coordinates of a pose that is its own mirror image, shape (nq,); None: the neutral pose.

    Raises:
        FigureError: the sides do not correspond: a link without partner, other joints, another tree, or a reference
            pose that is not symmetric.
    """
    table = _named_pairs(figure) if pairs is None else pairs
    partners = _partners(figure, table)
    q = figure.neutral() if reference is None else figure.normalised(reference)
    if q.shape != (figure.nq,):
        raise ArgumentError(f"reference: expected one pose, shape ({figure.nq},), got {q.shape}")
    poses = forward_kinematics(figure, q)
    turns, places = np.array(poses.rotation), np.array(poses.position)
    order = np.array(partners)
    centres = _joint_centres(figure, poses)
    roles = figure_naming(figure).roles
    sure = [i for i, name in enumerate(figure.link_names) if name in roles and i > 0]
    if not sure or {partners[i] for i in sure} != set(sure):
        sure = list(range(1, figure.nlinks)) or [0]
    lefts = [i for i in map(figure.link_index, table) if i in sure]
    across = (centres[lefts] - centres[order[lefts]]).sum(axis=0)
    if np.linalg.norm(across) < 1e-6:
        across = np.array([0.0, 1.0, 0.0])
    normal, point = _snapped(across / np.linalg.norm(across)), centres[sure].mean(axis=0)
    flip = np.eye(3) - 2 * np.outer(normal, normal)

    def image(x: FloatArray) -> FloatArray:
        result: FloatArray = (x - point) @ flip + point
        return result

    size = max(np.ptp(centres[sure], axis=0).max(), max(math.dist(n.mass.centre, (0, 0, 0)) for n in figure.links))
    apart = np.linalg.norm(image(centres) - centres[order], axis=1)
    worst = max(sure, key=lambda i: float(apart[i]))
    unlike = float(apart[worst])
    if unlike > UNLIKE * size:
        names = figure.link_names[worst], figure.link_names[order[worst]]
        raise FigureError(
            f"figure {figure.name!r}: the mirror image of the joint of link {names[0]!r} is {unlike:.3g} m from that "
            f"of {names[1]!r}: give reference= coordinates of a pose that is its own mirror image"
        )
    maps = np.swapaxes(turns[order], 1, 2) @ flip @ turns
    shifts = np.einsum("lji,lj->li", turns[order], image(places) - places[order])
    return Symmetry(tuple(partners), q, normal, point, maps, shifts, unlike)


def _joint_centres(figure: Figure, poses: LinkPoses) -> FloatArray:
    """Where the joints are on their parents [m], shape (nlinks, 3); the root's centre of mass.

    Frames of links may be anywhere on them; joints are where they are in any description of the same figure.
    """
    centres = np.empty((figure.nlinks, 3))
    for i, (link, parent) in enumerate(zip(figure.links, figure.parents, strict=True)):
        at, body = (link.joint.parent_frame.position, parent) if parent >= 0 else (link.mass.centre, 0)
        centres[i] = poses.position[body] + poses.rotation[body] @ np.array(at)
    return centres


def _snapped(normal: FloatArray) -> FloatArray:
    """The axis of the world that a direction is nearest to, or the direction itself if it is not near.

    Bones of the two sides may differ a little, but the frames of a skeleton are meant to be parallel to such an axis.
    """
    axis: FloatArray = np.eye(3)[np.abs(normal).argmax()]
    axis = axis * np.sign(normal @ axis)
    return axis if normal @ axis > math.cos(SNAP) else normal


def _named_pairs(figure: Figure) -> dict[str, str]:
    """Right link by left link."""
    found = left_right_pairs(figure.link_names)
    if found or not left_right_pairs(figure.joint_names):
        return found
    links = dict(zip(figure.joint_names, figure.link_names, strict=True))
    return {links[left]: links[right] for left, right in left_right_pairs(figure.joint_names).items()}


def _partners(figure: Figure, pairs: Mapping[str, str]) -> list[int]:
    """Index of each link's partner, checked: both hang on partners, by the same kind of joint."""
    partners = list(range(figure.nlinks))
    taken: set[str] = set()
    for left, right in pairs.items():
        for name, its in ((left, right), (right, left)):
            if name in taken:
                raise FigureError(f"pairs: link {name!r} stands twice")
            partners[figure.link_index(name)] = figure.link_index(its)
        taken |= {left, right}
    for i, (link, k) in enumerate(zip(figure.links, partners, strict=True)):
        other = figure.links[k]
        if side_and_word(link.name)[0] is not Side.MIDDLE and link.name not in taken:
            raise FigureError(f"link {link.name!r} has a side by its name, but no partner: give pairs= with it")
        above, above_other = figure.parents[i], figure.parents[k]
        if (partners[above] if above >= 0 else -1) != above_other:
            raise FigureError(
                f"links {link.name!r} and {other.name!r} are a pair, but they hang on {link.parent!r} and "
                f"{other.parent!r}, which are none"
            )
        if link.joint.kind is not other.joint.kind:
            kinds = link.joint.kind.value, other.joint.kind.value
            raise FigureError(f"links {link.name!r} and {other.name!r} are a pair, but hang on a {kinds[0]} and a "
                              f"{kinds[1]} joint")  # fmt: skip
    return partners
