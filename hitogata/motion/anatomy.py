"""How the links of a figure stand in the body, found from its motion when its rest pose says nothing.

The rest pose of some files is a heap of bones.  What is known all the same: the hips lie left and right, the trunk goes
up, knees and elbows bend one way, soles are level where they rest.  With the body's axes in each frame,

    Q = (forward, left, up),      up along the trunk (middle of the hips to the top of the trunk), left across the hips,

a link's orientation when the body stands is the mean of Qᵀ R over upright frames (Markley et al. 2007: the rotation
nearest to the mean of the matrices).  For limbs the mean would hold their swing; they are placed by two directions that
are fixed in them: their bone, and the axis of the knee or elbow, which is where the bends of the motion say.
"""

from collections.abc import Mapping

import numpy as np

from hitogata.dynamics import LinkPoses
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files.names import Part, Role, Side
from hitogata.motion.calibration import UPRIGHT, links_of, standing

_BENT = 0.05
"""Mean sine of the bend above which the plane in which a limb bends is known."""

_LIMBS = (
    ((Part.THIGH, Part.SHIN, Part.FOOT), 1.0),  # knees bend back: bone x next bone points left
    ((Part.UPPER_ARM, Part.FOREARM, Part.HAND), -1.0),  # elbows bend forward
)
_SIDES = (Side.LEFT, Side.RIGHT)
_UP = np.array([0.0, 0.0, 1.0])


def body_axes(figure: Figure, roles: Mapping[str, Role], places: FloatArray) -> FloatArray | None:
    """Q of each pose, shape (n, 3, 3), of places (n, nlinks, 3); None if hips or trunk are not known."""
    index = links_of(figure, roles)
    hips = [index.get((Part.THIGH, side)) for side in _SIDES]
    tops = [k for side in _SIDES for part in (Part.UPPER_ARM, Part.CLAVICLE) for k in index.get((part, side), [])[:1]]
    tops = tops or index.get((Part.NECK, Side.MIDDLE), [])[:1] or index.get((Part.HEAD, Side.MIDDLE), [])[:1]
    if not (hips[0] and hips[1] and tops):
        return None
    left, right = places[:, hips[0][0]], places[:, hips[1][0]]
    return _axes(places[:, tops].mean(axis=1) - (left + right) / 2, left - right)


def standing_rotations(figure: Figure, roles: Mapping[str, Role], poses: LinkPoses) -> FloatArray | None:
    """Rotations of all links when the body stands and looks along x, shape (nlinks, 3, 3); None if it cannot be said.

    Args:
        figure: the figure.
        roles: part and side of its links.
        poses: over its motion.
    """
    axes = body_axes(figure, roles, np.array(poses.position))
    if axes is None:
        return None
    upright = axes[:, 2, 2] > UPRIGHT
    some = upright if upright.any() else np.ones(len(axes), np.bool_)
    rotation = np.array(poses.rotation)[some]
    mean = np.einsum("tji,tljk->lik", axes[some], rotation) / max(int(some.sum()), 1)
    found = _nearest_rotations(mean)
    index = links_of(figure, roles)
    places = np.array(poses.position)[some]
    for side in _SIDES:
        for parts, sign in _LIMBS:
            chain = [index[part, side][0] for part in parts if (part, side) in index]
            if len(chain) == 3:
                _place_limb(found, rotation, places, (chain[0], chain[1], chain[2]), sign)
        feet, toes = index.get((Part.FOOT, side)), index.get((Part.TOES, side))
        if feet:
            _place_foot(
                found, figure, rotation, places, feet[0], toes[0] if toes else None, standing_still(places, feet[0])
            )
    return found


def standing_still(places: FloatArray, link: int) -> FloatArray:
    """Weights of frames by how surely a link stands on the ground: low, and slow against its own speeds, shape (n,)."""
    height = places[:, link, 2] - np.percentile(places[:, link, 2], 10)
    moved = np.linalg.norm(np.gradient(places[:, link], axis=0), axis=1) if len(places) > 1 else np.zeros(1)
    fast = max(float(np.percentile(moved, 90)), 1e-9)
    weights: FloatArray = np.exp(-((height / 0.03) ** 2)) * np.exp(-((moved / (0.1 * fast)) ** 2)) + 1e-9
    return weights


def _place_limb(
    found: FloatArray, rotation: FloatArray, places: FloatArray, chain: tuple[int, int, int], sign: float
) -> None:
    """Write how the two bones of a limb stand when it hangs straight down: bone along -z, its hinge along y."""
    upper, lower, end = chain
    first, second = places[:, lower] - places[:, upper], places[:, end] - places[:, lower]
    lengths = np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1)
    if min(lengths[0].min(initial=np.inf), lengths[1].min(initial=np.inf)) < 1e-6:
        return
    normals = sign * np.cross(first / lengths[0][:, None], second / lengths[1][:, None])
    for link, bones in ((upper, first), (lower, second)):
        axis = np.einsum("tji,tj->i", rotation[:, link], normals) / len(normals)
        bone = np.einsum("tji,tj->i", rotation[:, link], bones)
        if np.linalg.norm(axis) > _BENT:
            found[link] = _axes(-bone[None], axis[None])[0].T


def _place_foot(
    found: FloatArray, figure: Figure, rotation: FloatArray, places: FloatArray, foot: int, toes: int | None,
    weights: FloatArray,
) -> None:  # fmt: skip
    """Write how a foot stands: its upper side is where the vertical is while it rests, and it points forward."""
    up = np.einsum("t,tji,j->i", weights, rotation[:, foot], _UP)
    if toes is not None:
        bone = np.einsum("tji,tj->i", rotation[:, foot], places[:, toes] - places[:, foot])
    else:
        bone = np.array(figure.links[foot].mass.centre)
    left = np.cross(up, bone)
    if np.linalg.norm(left) > 1e-6 * np.linalg.norm(up):
        found[foot] = _axes(up[None], left[None])[0].T


def _axes(up: FloatArray, left: FloatArray) -> FloatArray:
    """Right-handed axes (forward, left, up) as columns, shape (n, 3, 3): up exactly, left as near as possible."""
    z = up / np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-12)
    y = left - z * np.einsum("ni,ni->n", left, z)[:, None]
    y = y / np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-12)
    return np.stack([np.cross(y, z), y, z], axis=2)


def _nearest_rotations(matrices: FloatArray) -> FloatArray:
    """Rotations nearest to matrices, shape (n, 3, 3), by their singular values."""
    u, _, vt = np.linalg.svd(matrices)
    flip = np.linalg.det(u @ vt)
    u[..., 2] *= flip[..., None]
    result: FloatArray = u @ vt
    return result


__all__ = ["body_axes", "standing", "standing_rotations"]
