"""Mass matrix: the composite-rigid-body algorithm, CRBA (Walker & Orin 1982).

World axes about the root's origin, so that the inertia of a subtree is a sum.  Column of a joint motion S: the momentum
I_subtree S, felt by every joint between the root and there.
"""

from typing import Any

from numpy import empty

from hitogata.dynamics.batches import run_one, run_rows
from hitogata.dynamics.dispatch import REFUSED, Array, Input, call, check_threads
from hitogata.dynamics.joints import about, column, felt, moved_column
from hitogata.dynamics.model import callable_model_of
from hitogata.dynamics.world_kinematics import Placed, place
from hitogata.figure import Figure
from hitogata.lanes import Floats, Ints, entry, kernel, records
from hitogata.spatial import rigid_to_parent


def mass_matrix(figure: Figure, q: Any, *, threads: int | None = 1, out: Array | None = None) -> Array:
    """The mass matrix M of the equation of motion, with the joints' armature on its diagonal.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        threads: to share a batch over; None: one per core.
        out: where to put the result, an array of its shape and dtype; None: a new one.

    Returns:
        M, symmetric, shape (nv, nv) or (n, nv, nv).
    """
    if threads != 1:
        check_threads(threads)
    if out is None:
        try:
            ints, floats, nv, _ = figure.compiled.get("hot") or callable_model_of(figure).hot
            fresh = empty((nv, nv))
            if not mass_one(ints, floats, q, fresh):
                return fresh
        except REFUSED:
            pass
    model = callable_model_of(figure)
    inputs = (Input("q", q, (model.nq,)),)
    return call(figure, mass_one, mass_many, inputs, (), (model.nv, model.nv), threads, out=out)


# ------------------------------------------------------- the algorithm


@kernel
def fill_mass(tree, work, q, v, x, wrenches, options, out):
    """The matrix, row by row; the form of the arguments is told in `batches`."""
    work = records(work, Placed)
    place(tree, work, q)
    for i in range(tree.bodies):
        work[i].inertia = rigid_to_parent(work[i].rot, work[i].pos, tree.body[i].inertia)
    for k in range(tree.nv * tree.nv):
        out[k] = 0.0
    for i in range(tree.bodies - 1, -1, -1):
        joint, placed = tree.joint[i], work[i]
        iv, inertia = joint.iv, placed.inertia
        if joint.parent >= 0:
            parent = work[joint.parent]
            parent.inertia = parent.inertia + inertia
        for k in range(joint.count):
            momentum = inertia @ moved_column(column(joint, tree.body[i], placed, k), placed.pos * -1.0)
            project(tree, work, i, momentum, iv + k, out)
        for k in range(iv, iv + joint.count):
            out[k * (tree.nv + 1)] = out[k * (tree.nv + 1)] + tree.body[i].armature


@kernel
def project(tree, work, i, force, row, out):
    """One row of M up to the diagonal, and its mirror image: what a momentum of body i means to each joint below it."""
    while i >= 0:
        joint, placed = tree.joint[i], work[i]
        at = row * tree.nv + joint.iv
        felt(joint, tree.body[i], placed, about(placed.pos, force), out, at)
        mirror(tree, out, row, joint.iv, joint.count)
        i = joint.parent


@kernel
def mirror(tree, out, row, column, count):
    """The mirror image of some neighbours of a row."""
    out[column * tree.nv + row] = out[row * tree.nv + column]
    for k in range(column + 1, column + count):
        out[k * tree.nv + row] = out[row * tree.nv + k]


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), out=Floats(2, write=True))
def mass_one(ints, floats, q, out):
    """One state."""
    return run_one(fill_mass, Placed.SIZE, ints, floats, q, None, None, None, None, out)


@entry
def mass_many(ints, floats, q, out, first, end, width):
    """Rows of a batch."""
    return run_rows(fill_mass, Placed.SIZE, ints, floats, q, None, None, None, None, out, first, end, width)
