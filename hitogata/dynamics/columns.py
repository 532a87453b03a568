"""Motion columns: how each velocity of a figure moves the links that hang on it (MuJoCo's `cdof`)."""

from typing import Any

from hitogata.dynamics.calling import Array, Input, call
from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER, model_of
from hitogata.dynamics.placing import Placed, axis_of, place, root_position
from hitogata.dynamics.running import run_one, run_rows
from hitogata.figure import Figure
from hitogata.lanes import entry, inline, kernel, records
from hitogata.spatial import Vec3, cols, cross, store3


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
        at = root + placed.pos
        if joint.kind == HINGE:
            store_turn(out, 6 * joint.iv, axis_of(placed.rot), at)
        elif joint.kind == SLIDER:
            store_slide(out, 6 * joint.iv, axis_of(placed.rot))
        elif joint.kind == BALL:
            store_turns(out, 6 * joint.iv, placed.base, at)
        elif joint.kind == FREE:
            store_turns(out, 6 * joint.iv, placed.base, at)
            store_slides(out, 6 * joint.iv + 18, placed.base)


@inline
def store_turn(view, at, n, place):
    """Turning about n through a place."""
    store3(view, at, n)
    store3(view, at + 3, cross(place, n))


@inline
def store_slide(view, at, n):
    """Sliding along n."""
    store3(view, at, Vec3(0.0, 0.0, 0.0))
    store3(view, at + 3, n)


@inline
def store_turns(view, at, base, place):
    """Turning about three axes."""
    for k, n in enumerate(cols(base)):
        store_turn(view, at + 6 * k, n, place)


@inline
def store_slides(view, at, base):
    """Sliding along three axes."""
    for k, n in enumerate(cols(base)):
        store_slide(view, at + 6 * k, n)


@entry
def columns_one(ints, floats, q, out):
    """One state."""
    return run_one(fill_columns, Placed.SIZE, ints, floats, q, None, None, None, None, out)


@entry
def columns_many(ints, floats, q, out, first, end, width):
    """Rows of a batch."""
    return run_rows(fill_columns, Placed.SIZE, ints, floats, q, None, None, None, None, out, first, end, width)
