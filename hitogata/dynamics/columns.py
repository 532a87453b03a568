"""Motion columns: how each velocity of a figure moves the links that hang on it (MuJoCo's `cdof`)."""

from typing import Any

from hitogata.dynamics.batches import run_one, run_rows
from hitogata.dynamics.dispatch import Array, Input, call
from hitogata.dynamics.joints import column, moved_column
from hitogata.dynamics.model import model_of
from hitogata.dynamics.world_kinematics import Placed, place, root_position
from hitogata.figure import Figure
from hitogata.lanes import entry, kernel, records
from hitogata.spatial import store6


def motion_columns(figure: Figure, q: Any, *, threads: int | None = 1) -> Array:
    """Columns S of all velocities: a unit of velocity k moves its link, and all that hang on it, by S[k].

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        threads: to share a batch over; None: one per core.

    Returns:
        [ω; velocity of the point at the world's origin], world axes, shape (nv, 6) or (n, nv, 6).
    """
    model = model_of(figure)
    inputs = (Input("q", q, (model.nq,)),)
    return call(figure, columns_one, columns_many, inputs, (), (model.nv, 6), threads)


@kernel
def fill_columns(tree, work, q, v, x, wrenches, options, out):
    """Columns of all joints."""
    work = records(work, Placed)
    place(tree, work, q)
    root = root_position(tree, q)
    for i in range(tree.bodies):
        joint, placed = tree.joint[i], work[i]
        for k in range(joint.count):
            s = moved_column(column(joint, tree.body[i], placed, k), (root + placed.pos) * -1.0)
            store6(out, 6 * (joint.iv + k), s)


@entry
def columns_one(ints, floats, q, out):
    """One state."""
    return run_one(fill_columns, Placed.SIZE, ints, floats, q, None, None, None, None, out)


@entry
def columns_many(ints, floats, q, out, first, end, width):
    """Rows of a batch."""
    return run_rows(fill_columns, Placed.SIZE, ints, floats, q, None, None, None, None, out, first, end, width)
