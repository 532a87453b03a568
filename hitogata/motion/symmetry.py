"""Which parts of a figure are mirror images of each other, and how their frames correspond.

In a pose that is its own mirror image, S₀ being the reflection in its middle plane, a point x of link i becomes the
point Mᵢ x + mᵢ of its partner σ(i),

    Mᵢ = R₀σᵀ S₀ R₀ᵢ,      mᵢ = R₀σᵀ (S₀(p₀ᵢ) - p₀σ).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import forward_kinematics
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
        unlike: greatest distance of a link from its partner's mirror image [m].
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
    known = [i for i, name in enumerate(figure.link_names) if name in figure_naming(figure).roles]
    sure = known if {partners[i] for i in known} == set(known) and known else list(range(figure.nlinks))
    lefts = [i for i in map(figure.link_index, table) if i in sure]
    across = (places[lefts] - places[order[lefts]]).sum(axis=0)
    if np.linalg.norm(across) < 1e-6:
        across = np.array([0.0, 1.0, 0.0])
    normal, point = _snapped(across / np.linalg.norm(across)), places[sure].mean(axis=0)
    flip = np.eye(3) - 2 * np.outer(normal, normal)
    apart = (places - point) @ flip + point - places[order]
    size = max(np.ptp(places[sure], axis=0).max(), max(math.dist(n.mass.centre, (0, 0, 0)) for n in figure.links))
    worst = max(sure, key=lambda i: float(np.linalg.norm(apart[i])))
    unlike = float(np.linalg.norm(apart[worst]))
    if unlike > UNLIKE * size:
        names = figure.link_names[worst], figure.link_names[order[worst]]
        raise FigureError(
            f"figure {figure.name!r}: the mirror image of link {names[0]!r} is {unlike:.3g} m from link {names[1]!r}: "
            "give reference= coordinates of a pose that is its own mirror image"
        )
    maps = np.swapaxes(turns[order], 1, 2) @ flip @ turns
    shifts = np.einsum("lji,lj->li", turns[order], apart)
    return Symmetry(tuple(partners), q, normal, point, maps, shifts, unlike)


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
