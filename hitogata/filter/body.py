"""A figure in one state, as the filter sees it: the whole body's mass, momentum and bias, and its soles."""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import bias, forward_kinematics, jacobian, mass_matrix
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.filter.ranges import RangeWatch, joint_ranges
from hitogata.filter.small import carried, cross
from hitogata.filter.soles import find_soles

GRAVITY = 9.81
NOTHING = 1e-12
"""A link that moves less than this share of the figure's mass has none."""


@dataclass(frozen=True, eq=False)
class State:
    """A state, looked at.

    Attributes:
        q, v: coordinates and velocities.
        mass: mass matrix, shape (nv, nv).
        bias: c of M v̇ + c = τ + Jᵀ f, shape (nv,).
        rotation: of the root, shape (3, 3).
        com, com_rate: centre of mass [m], [m/s].
        spin: angular momentum about it [kg m²/s].
        inertia: of the whole body about it [kg m²], shape (3, 3).
        soles: rotation and place of each sole's frame.
        rows: Jacobians of these, (6, nv) each.
        corners: of all soles [m], shape (4 feet, 3).
    """

    q: FloatArray
    v: FloatArray
    mass: FloatArray
    bias: FloatArray
    rotation: FloatArray
    com: FloatArray
    com_rate: FloatArray
    spin: FloatArray
    inertia: FloatArray
    soles: tuple[tuple[FloatArray, FloatArray], ...]
    rows: tuple[FloatArray, ...]
    corners: FloatArray


class Body:
    """What does not change of a figure.

    Args:
        figure: with a free root and feet.
        efforts: greatest torques of the joints [N m], shape (nv,); None: the figure's effort limits.

    Attributes:
        soles: of its feet.
        ranges: of its joints.
        watch: over these, as the body moves.
        weight: [N].
        efforts: greatest torques of the joints [N m], shape (nv,), infinite for the root.
        legs: velocities of the joints between the root and each sole.
    """

    def __init__(self, figure: Figure, efforts: ArrayLike | None = None) -> None:
        root = figure.links[0].joint
        if root.kind is not JointKind.FREE:
            raise ArgumentError(f"figure {figure.name!r}: its root must be free to be filtered")
        _check_masses(figure)
        self.figure, self.soles, self.ranges = figure, find_soles(figure), joint_ranges(figure)
        self.watch = RangeWatch(self.ranges)
        self.weight = GRAVITY * figure.mass
        self.efforts = _efforts(figure, efforts)
        self.legs = [_chain(figure, sole.link) for sole in self.soles]
        self._names = [figure.link_names[sole.link] for sole in self.soles]

    def look(self, q: FloatArray, v: FloatArray) -> State:
        """Take a state."""
        figure, m = self.figure, self.figure.mass
        poses, M = forward_kinematics(figure, q), mass_matrix(figure, q)
        arm = np.array([M[4, 2], M[5, 0], M[3, 1]]) / m  # from the root's origin to the centre of mass
        moment = M[:6] @ v
        spin = moment[:3] - cross(arm, moment[3:])
        inertia = M[:3, :3] + m * (np.outer(arm, arm) - (arm @ arm) * np.eye(3))
        soles = tuple(sole.placed(poses) for sole in self.soles)
        rows = tuple(
            carried(jacobian(figure, q, name), place - poses.position[sole.link])
            for name, sole, (_, place) in zip(self._names, self.soles, soles, strict=True)
        )
        corners = np.concatenate(
            [sole.corners @ turn.T + place for sole, (turn, place) in zip(self.soles, soles, strict=True)]
        )
        return State(q, v, M, bias(figure, q, v), np.array(poses.rotation[0]), q[:3] + arm, moment[3:] / m, spin,
                     inertia, soles, rows, corners)  # fmt: skip


def _efforts(figure: Figure, efforts: ArrayLike | None) -> FloatArray:
    if efforts is None:
        result = np.concatenate([np.full(link.joint.nv, link.joint.effort_limit) for link in figure.links])
    else:
        result = floats(efforts, "efforts").copy()
        if result.shape != (figure.nv,) or not (result[6:] >= 0).all():
            raise ArgumentError(f"efforts: figure {figure.name!r} needs {figure.nv} torques of at least 0")
    result[:6] = np.inf
    return result


def _check_masses(figure: Figure) -> None:
    """Refuse links that move (nearly) no mass: any motion of them would be possible."""
    carried = np.array([link.mass.mass for link in figure.links])
    for k in range(len(carried) - 1, 0, -1):
        carried[figure.parents[k]] += carried[k]
    for link, mass in zip(figure.links, carried, strict=True):
        if link.joint.nv and not mass > NOTHING * figure.mass:
            raise ArgumentError(
                f"figure {figure.name!r}: link {link.name!r} and what it carries have a mass of {mass:g} kg, of "
                f"{figure.mass:g} kg in all, so any motion of it is possible: give it a mass, or fix its joint"
            )


def _chain(figure: Figure, link: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.intp]]":
    """Velocities of the joints between the root and a link."""
    found: list[int] = []
    while link > 0:
        start = figure.v_starts[link]
        found += range(start, start + figure.links[link].joint.nv)
        link = figure.parents[link]
    return np.array(sorted(found), np.intp)
