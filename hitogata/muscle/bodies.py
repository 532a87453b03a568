"""Bodies that wires are fixed to, of a figure or of a mechanism (OpenSim's joints): poses and motion columns."""

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.columns import motion_columns
from hitogata.dynamics.kinematics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.expansion import coordinate_places, expansion_of
from hitogata.figure.mechanism import Mechanism, mechanism_motion
from hitogata.figure.values import ArrayLike, FloatArray

Body = Figure | Mechanism
"""What carries wires."""


@dataclass(frozen=True)
class Skeleton:
    """Names and tree of a body.

    Attributes:
        bodies: names, every one behind its parent.
        parents: index of each body's parent, -1: the world.
        columns: first column and end of columns of each body's joint.
        targets: velocity that each column belongs to; bodies that follow a coordinate have columns of their own for it.
        coordinates: name of each velocity.
        values: where in q the value of a coordinate stands; coordinates without a single one are not there.
    """

    bodies: tuple[str, ...]
    parents: tuple[int, ...]
    columns: tuple[tuple[int, int], ...]
    targets: tuple[int, ...]
    coordinates: tuple[str, ...]
    values: dict[str, int]

    @property
    def count(self) -> int:
        """Number of velocities."""
        return len(self.coordinates)


def skeleton_of(body: Body) -> Skeleton:
    """The tree of a figure or mechanism."""
    if isinstance(body, Mechanism):
        place = {each.name: k for k, each in enumerate(body.bodies)}
        parents = tuple(-1 if joint.parent is None else place[joint.parent] for joint in body.joints)
        ends = np.cumsum([0, *(len(joint.coordinates) for joint in body.joints)]).tolist()
        return Skeleton(
            tuple(place),
            parents,
            tuple(itertools.pairwise(ends)),
            tuple(range(len(body.coordinates))),
            body.coordinates,
            {name: k for k, name in enumerate(body.coordinates)},
        )
    coordinates: list[str] = []
    columns: list[tuple[int, int]] = []
    targets: list[int] = []
    for k, (link, name) in enumerate(zip(body.links, body.joint_names, strict=True)):
        count = link.joint.nv
        if link.joint.follows:
            own = tuple(each.target for each in followed_columns(body) if each.link == k)
            coordinates += link.joint.coordinates
        else:
            own = tuple(range(body.v_starts[k], body.v_starts[k] + count))
            coordinates += [name] if count == 1 else [f"{name}[{i}]" for i in range(count)]
        columns.append((len(targets), len(targets) + len(own)))
        targets += own
    values = {name: at for name, (at, _) in coordinate_places(body).items()}
    return Skeleton(body.link_names, body.parents, tuple(columns), tuple(targets), tuple(coordinates), values)


class FollowedColumn(NamedTuple):
    """How a link that follows functions moves with one velocity of the figure: columns of the tree times slopes."""

    link: int
    target: int
    steps: tuple[int, ...]  # columns of the tree


def followed_columns(figure: Figure) -> tuple[FollowedColumn, ...]:
    """Columns of all links whose joints follow functions, link by link."""
    expansion = expansion_of(figure)
    if expansion is None:
        return ()
    found = []
    for k, link in enumerate(figure.links):
        if not link.joint.follows:
            continue
        first = expansion.tree.v_starts[k]
        end = first + expansion.tree.links[k].joint.nv
        mine = [each for each in expansion.followed if first <= each.v < end]
        for target in sorted({at for each in mine for at in each.args_v}):
            found.append(FollowedColumn(k, target, tuple(each.v for each in mine if target in each.args_v)))
    return tuple(found)


def poses_and_columns(body: Body, q: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows of q (n, nq), poses [R | p] (n, nb + 1, 12), the world's last, and motion columns (n, nv, 6)."""
    if isinstance(body, Mechanism):
        motion = mechanism_motion(body, q)
        n, nb = motion.rotation.shape[:2]
        poses = _with_world(n, nb)
        poses[:, :nb, :, :3], poses[:, :nb, :, 3] = motion.rotation, motion.position
        rows = np.atleast_2d(np.asarray(q, np.float64))
        return rows, poses.reshape(n, nb + 1, 12), np.ascontiguousarray(motion.columns.swapaxes(1, 2))
    rows = _rows(q, body.nq)
    n = len(rows)
    given: Any = rows[0] if n == 1 else rows
    poses = _with_world(n, body.nlinks)
    expansion = expansion_of(body)
    if expansion is None:
        poses[:, : body.nlinks] = forward_kinematics(body, given).matrices
        return rows, poses.reshape(n, -1, 12), motion_columns(body, given).reshape(n, body.nv, 6)
    theta, G, _, _ = expansion.rates(rows, np.zeros((n, body.nv)))
    poses[:, : body.nlinks] = forward_kinematics(expansion.tree, theta).matrices
    return rows, poses.reshape(n, -1, 12), _followed(body, motion_columns(expansion.tree, theta), G)


def _followed(figure: Figure, tree: FloatArray, G: FloatArray) -> FloatArray:
    """Columns in the order of the skeleton's, from those of the tree and the slopes."""
    expansion, parts = expansion_of(figure), []
    assert expansion is not None
    following = followed_columns(figure)
    for k, link in enumerate(figure.links):
        first = expansion.tree.v_starts[k]
        if not link.joint.follows:
            parts.append(tree[:, first : first + link.joint.nv])
            continue
        for each in following:
            if each.link == k:
                steps = list(each.steps)
                parts.append(np.einsum("nij,ni->nj", tree[:, steps], G[:, steps, each.target])[:, None])
    return np.concatenate(parts, axis=1)


def _with_world(n: int, nb: int) -> FloatArray:
    poses = np.zeros((n, nb + 1, 3, 4))
    poses[:, nb, :, :3] = np.eye(3)
    return poses


def _rows(q: ArrayLike, nq: int) -> FloatArray:
    rows = np.atleast_2d(np.asarray(q, np.float64))
    if rows.ndim != 2 or rows.shape[1] != nq:
        raise ArgumentError(f"q: expected shape ({nq},) or (n, {nq}), got {np.shape(q)}")
    return rows
