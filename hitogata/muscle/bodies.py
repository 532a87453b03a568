"""Bodies that wires are fixed to, of a figure or of a mechanism (OpenSim's joints): poses and motion columns."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics.columns import motion_columns
from hitogata.dynamics.kinematics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
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
        coordinates: name of each column.
        values: where in q the value of a coordinate stands; coordinates without a single one are not there.
    """

    bodies: tuple[str, ...]
    parents: tuple[int, ...]
    columns: tuple[tuple[int, int], ...]
    coordinates: tuple[str, ...]
    values: dict[str, int]

    @property
    def count(self) -> int:
        """Number of columns."""
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
            body.coordinates,
            {name: k for k, name in enumerate(body.coordinates)},
        )
    coordinates, columns, values = [], [], {}
    for k, (link, name) in enumerate(zip(body.links, body.joint_names, strict=True)):
        first, count = body.v_starts[k], link.joint.nv
        columns.append((first, first + count))
        coordinates += [name] if count == 1 else [f"{name}[{i}]" for i in range(count)]
        if link.joint.nq == 1:
            values[name] = body.q_starts[k]
    return Skeleton(body.link_names, body.parents, tuple(columns), tuple(coordinates), values)


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
    poses[:, : body.nlinks] = forward_kinematics(body, given).matrices
    return rows, poses.reshape(n, -1, 12), motion_columns(body, given).reshape(n, body.nv, 6)


def _with_world(n: int, nb: int) -> FloatArray:
    poses = np.zeros((n, nb + 1, 3, 4))
    poses[:, nb, :, :3] = np.eye(3)
    return poses


def _rows(q: ArrayLike, nq: int) -> FloatArray:
    rows = np.atleast_2d(np.asarray(q, np.float64))
    if rows.ndim != 2 or rows.shape[1] != nq:
        raise ArgumentError(f"q: expected shape ({nq},) or (n, {nq}), got {np.shape(q)}")
    return rows
