"""Forward kinematics: where links are, how they move, and how that changes."""

from typing import Any

from numpy import asarray, empty

from hitogata.dynamics.batches import run_one, run_rows
from hitogata.dynamics.dispatch import REFUSED, Array, Input, call, check_threads
from hitogata.dynamics.model import callable_model_of
from hitogata.dynamics.world_kinematics import Placed, carried, move, place, root_position, speed_up, swung
from hitogata.figure import Figure
from hitogata.lanes import Floats, Ints, entry, inline, kernel, records
from hitogata.spatial import Motion, Vec3, matrix_to_quat, store3


class LinkPoses:
    """Poses X_WB of all links, in the order of figure.links.

    Attributes:
        matrices: [R_WB | p_WB], shape (..., nlinks, 3, 4).
    """

    __slots__ = ("matrices",)

    def __init__(self, matrices: Array) -> None:
        self.matrices = matrices

    @property
    def position(self) -> Array:
        """Positions p_WB [m], shape (..., nlinks, 3), a view."""
        return self.matrices[..., 3]

    @property
    def rotation(self) -> Array:
        """Rotations R_WB, shape (..., nlinks, 3, 3), a view."""
        return self.matrices[..., :3]

    @property
    def quat(self) -> Array:
        """Orientations as quaternions wxyz, shape (..., nlinks, 4)."""
        return matrix_to_quat(self.rotation)


def forward_kinematics(figure: Figure, q: Any, *, threads: int | None = 1) -> LinkPoses:
    """Where each link is in the world.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        threads: to share a batch over; None: one per core.

    Returns:
        Poses of the links, in the order of figure.links.
    """
    if threads != 1:
        check_threads(threads)
    try:
        ints, floats, _, _ = figure.compiled.get("hot") or callable_model_of(figure).hot
        out = empty((len(figure.links), 3, 4))
        if not poses_one(ints, floats, q, out):
            return LinkPoses(out)
    except REFUSED:
        pass
    model = callable_model_of(figure)
    inputs = (Input("q", q, (model.nq,)),)
    return LinkPoses(call(figure, poses_one, poses_many, inputs, (), (model.nlinks, 3, 4), threads))


def frame_position(figure: Figure, q: Any, frame: str, *, threads: int | None = 1) -> Array:
    """Where the origin of a named frame (or link) is in the world.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        frame: name of a frame or link.
        threads: to share a batch over; None: one per core.

    Returns:
        Position p_WF [m], shape (3,) or (n, 3).
    """
    link, pose = figure.frame(frame)
    poses = forward_kinematics(figure, q, threads=threads)
    at = asarray(pose.position, poses.position.dtype)
    result: Array = poses.rotation[..., link, :, :] @ at + poses.position[..., link, :]
    return result


def link_velocities(figure: Figure, q: Any, v: Any, *, threads: int | None = 1) -> Array:
    """Velocity of each link: [angular; linear of the link's origin], world axes [rad/s, m/s].

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        threads: to share a batch over; None: one per core.

    Returns:
        Velocities, shape (nlinks, 6) or (n, nlinks, 6).
    """
    model = callable_model_of(figure)
    inputs = (Input("q", q, (model.nq,)), Input("v", v, (model.nv,)))
    return call(figure, velocities_one, velocities_many, inputs, (), (model.nlinks, 6), threads)


def link_accelerations(figure: Figure, q: Any, v: Any, vdot: Any, *, threads: int | None = 1) -> Array:
    """Classical acceleration of each link: [angular; linear of the link's origin], world axes [rad/s², m/s²].

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        vdot: accelerations, shape (nv,) or (n, nv).
        threads: to share a batch over; None: one per core.

    Returns:
        Accelerations, shape (nlinks, 6) or (n, nlinks, 6).
    """
    model = callable_model_of(figure)
    inputs = (Input("q", q, (model.nq,)), Input("v", v, (model.nv,)), Input("vdot", vdot, (model.nv,)))
    return call(figure, accelerations_one, accelerations_many, inputs, (), (model.nlinks, 6), threads)


# ------------------------------------------------------- kernels; the form of the arguments is told in `batches`


@kernel
def store_poses(tree, work, q, v, x, wrenches, options, out):
    """[R | p] of each link, 3 x 4, row by row."""
    work = records(work, Placed)
    place(tree, work, q)
    root = root_position(tree, q)
    for i in range(tree.bodies):
        link, body = tree.joint[i].link, tree.body[i]
        if link >= 0:
            pos = root + work[i].pos + work[i].rot @ body.link_pos
            store_pose(out, 12 * link, work[i].rot @ body.link_rot, pos)


@inline
def store_pose(view, at, rot, pos):
    """A 3 x 4 matrix."""
    rows = ((rot.xx, rot.xy, rot.xz, pos.x), (rot.yx, rot.yy, rot.yz, pos.y), (rot.zx, rot.zy, rot.zz, pos.z))
    for k, row in enumerate(rows):
        for j, value in enumerate(row):
            view[at + 4 * k + j] = value


@kernel
def store_velocities(tree, work, q, v, x, wrenches, options, out):
    """Velocities of the links' origins."""
    work = records(work, Placed)
    place(tree, work, q)
    move(tree, work, v)
    for i in range(tree.bodies):
        link = tree.joint[i].link
        if link >= 0:
            motion = carried(work[i].velocity, work[i].rot @ tree.body[i].link_pos)
            store3(out, 6 * link, motion.ang)
            store3(out, 6 * link + 3, motion.lin)


@kernel
def store_accelerations(tree, work, q, v, vdot, wrenches, options, out):
    """Classical accelerations of the links' origins."""
    work = records(work, Placed)
    place(tree, work, q)
    move(tree, work, v)
    speed_up(tree, work, vdot)
    for i in range(tree.bodies):
        link = tree.joint[i].link
        if link >= 0:
            arm = work[i].rot @ tree.body[i].link_pos
            motion = swung(work[i].velocity.ang, work[i].acceleration, arm, fixed())
            store3(out, 6 * link, motion.ang)
            store3(out, 6 * link + 3, motion.lin)


@inline
def fixed():
    """No relative motion."""
    return Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), out=Floats(3, write=True))
def poses_one(ints, floats, q, out):
    """One state."""
    return run_one(store_poses, Placed.SIZE, ints, floats, q, None, None, None, None, out)


@entry
def poses_many(ints, floats, q, out, first, end, width):
    """Rows of a batch."""
    return run_rows(store_poses, Placed.SIZE, ints, floats, q, None, None, None, None, out, first, end, width)


@entry
def velocities_one(ints, floats, q, v, out):
    """One state."""
    return run_one(store_velocities, Placed.SIZE, ints, floats, q, v, None, None, None, out)


@entry
def velocities_many(ints, floats, q, v, out, first, end, width):
    """Rows of a batch."""
    return run_rows(store_velocities, Placed.SIZE, ints, floats, q, v, None, None, None, out, first, end, width)


@entry
def accelerations_one(ints, floats, q, v, vdot, out):
    """One state."""
    return run_one(store_accelerations, Placed.SIZE, ints, floats, q, v, vdot, None, None, out)


@entry
def accelerations_many(ints, floats, q, v, vdot, out, first, end, width):
    """Rows of a batch."""
    return run_rows(store_accelerations, Placed.SIZE, ints, floats, q, v, vdot, None, None, out, first, end, width)
