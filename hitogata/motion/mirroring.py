"""Left becomes right.

A motion's mirror image in a plane S of the world has link σ(i) where link i's image is (`symmetry`):

    R'σ = S Rᵢ Mᵢᵀ,      p'σ = S(pᵢ) - R'σ mᵢ.

For the rotation of a joint from frame F on the parent to frame M on the child this is R'_FM = L R_FM Nᵀ, where L and N
are the reflections Mᵢ of parent and child in these frames.  With the rotations L⁺ = -L and N⁺ = -N,

    quat' = l quat n̄,   ω' = L⁺ ω     (balls),          angle' = ± (angle - angle₀) + angle₀'     (hinges),

+ where L⁺ takes the hinge's axis to its partner's, - where it takes it to the opposite; sliders likewise with L.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Figure, Joint, Trajectory
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.motion.inputs import check_motion, has_free_root
from hitogata.motion.symmetry import Symmetry, find_symmetry
from hitogata.spatial import matrix_to_quat, quat_conjugate, quat_multiply, quat_to_matrix

ASKEW = 0.05
"""How far the axis of a hinge may be from the mirror image of its partner's [rad]."""


def mirror(
    figure: Figure,
    trajectory: Trajectory,
    symmetry: Symmetry | Mapping[str, str] | None = None,
    *,
    point: ArrayLike | None = None,
    normal: ArrayLike | None = None,
) -> Trajectory:
    """The mirror image of a motion: what the left side did, the right side does.

    Twice is the motion itself.  If the two sides have unlike bones, orientations are mirrored exactly, and places as
    far as the bones allow.  Channels are dropped, for nothing says what their mirror images are.

    Args:
        figure: the figure.
        trajectory: its motion.
        symmetry: from `find_symmetry`; or right link by left link; None: found by names.
        point: on the plane [m]; None: on the figure's middle plane in its neutral (or `reference`) pose.
        normal: of the plane, horizontal; None: as in that pose.
    """
    check_motion(figure, trajectory)
    sides = symmetry if isinstance(symmetry, Symmetry) else find_symmetry(figure, symmetry)
    if len(sides.partners) != figure.nlinks or sides.reference.shape != (figure.nq,):
        raise ArgumentError(f"symmetry: it is that of another figure than {figure.name!r}")
    if not has_free_root(figure) and not (point is None and normal is None):
        raise ArgumentError(f"point, normal: figure {figure.name!r} has no free root, so it has but one mirror plane")
    across, on = _plane(sides, point, normal) if has_free_root(figure) else (sides.normal, sides.point)
    flip = np.eye(3) - 2 * np.outer(across, across)
    q, v = np.empty((len(trajectory), figure.nq)), np.empty((len(trajectory), figure.nv))
    for i, k in enumerate(sides.partners):
        joint, other = figure.links[i].joint, figure.links[k].joint
        parent = sides.maps[figure.parents[i]] if i else flip
        left = other.parent_frame.rotation.T @ parent @ joint.parent_frame.rotation
        right = other.child_frame.rotation.T @ sides.maps[i] @ joint.child_frame.rotation
        here = [slice(s[i], s[i] + n) for s, n in ((figure.q_starts, joint.nq), (figure.v_starts, joint.nv))]
        there = [slice(s[k], s[k] + n) for s, n in ((figure.q_starts, joint.nq), (figure.v_starts, joint.nv))]
        old_q, old_v = trajectory.q[:, here[0]], trajectory.v[:, here[1]]
        if joint.quat_start is not None:
            q[:, there[0]][:, -4:] = _turned(left, old_q[:, -4:], right)
            v[:, there[1]][:, :3] = old_v[:, :3] @ -left.T
        else:
            signs = _signs(joint, other, left, figure.link_names[i])
            rest, rest_there = sides.reference[here[0]], sides.reference[there[0]]
            if joint.bodies > 1 and abs(rest_there[0] - signs[0] * rest[0]) > ASKEW:
                what = f"the {joint.kind.value} joint of link {figure.link_names[i]!r}"
                raise FigureError(f"{what} does not stand symmetrically")
            q[:, there[0]] = signs * (old_q - rest) + rest_there
            v[:, there[1]] = signs * old_v
    if has_free_root(figure):
        _mirror_root(figure, trajectory, sides, flip, on, q, v)
    return replace(trajectory, q=q, v=v, channels={})


def _mirror_root(
    figure: Figure,
    trajectory: Trajectory,
    sides: Symmetry,
    flip: FloatArray,
    on: FloatArray,
    q: FloatArray,
    v: FloatArray,
) -> None:
    """Place and velocity of the root, whose orientation is known already.

    The joint's origin on the root, at c in its frame, goes to S(p) + R' k, with k = c - M c - m.
    """
    joint = figure.links[0].joint
    base = joint.parent_frame.rotation
    c = np.array(joint.child_frame.position)
    k = c - sides.maps[0] @ c - sides.shifts[0]
    turns = base @ quat_to_matrix(q[:, 3:7]) @ joint.child_frame.rotation.T
    arm = turns @ k
    places = joint.parent_frame.apply(trajectory.q[:, :3])
    image = (places - on) @ flip + on + arm
    q[:, :3] = (image - np.array(joint.parent_frame.position)) @ base
    v[:, 3:6] = (trajectory.v[:, 3:6] @ base.T @ flip + np.cross(v[:, :3] @ base.T, arm)) @ base


def _plane(sides: Symmetry, point: ArrayLike | None, normal: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    """Normal and a point of the mirror plane."""
    given = sides.normal if normal is None else floats(normal, "normal")
    on = sides.point if point is None else floats(point, "point")
    for array, name in ((given, "normal"), (on, "point")):
        if array.shape != (3,) or not np.isfinite(array).all():
            raise ArgumentError(f"{name}: expected three finite numbers, got {array.tolist()}")
    length = float(np.linalg.norm(given))
    flat = given * [1.0, 1.0, 0.0]
    if length < 1e-12 or abs(given[2]) > ASKEW * length:
        raise ArgumentError(
            f"normal: {given.tolist()} is not horizontal; a mirror plane is vertical, or what fell would rise"
        )
    return flat / np.linalg.norm(flat), on


def _turned(left: FloatArray, quats: FloatArray, right: FloatArray) -> FloatArray:
    """Quaternions of L R Nᵀ, shape (n, 4), with the signs that those of R have."""
    a, b = matrix_to_quat(-left), matrix_to_quat(-right)
    return np.asarray(quat_multiply(quat_multiply(a, quats), quat_conjugate(b)), np.float64)


def _signs(joint: Joint, other: Joint, left: FloatArray, name: str) -> FloatArray:
    """Whether each coordinate of a joint of screws keeps its sign in the mirror."""
    signs = []
    for screw, partner in zip(joint.screws, other.screws, strict=True):
        image = left @ np.array(screw.axis) * (-1.0 if screw.turn else 1.0)
        wanted = np.array(partner.axis)
        handed = screw.turn and abs(screw.slide + partner.slide) > ASKEW  # a right thread is a left one in the mirror
        if handed or np.linalg.norm(np.cross(image, wanted)) > ASKEW:
            raise FigureError(
                f"the {joint.kind.value} joint of link {name!r} has an axis whose mirror image is "
                f"{image.round(3).tolist()}, but that of its partner is {wanted.round(3).tolist()}"
            )
        signs.append(1.0 if image @ wanted > 0 else -1.0)
    return np.array(signs)
