"""Mass matrix: the composite-rigid-body algorithm, CRBA (Walker & Orin 1982).

World axes about the root's origin, so that the inertia of a subtree is a sum.  Column of a joint motion S: the momentum
I_subtree S, felt by every joint between the root and there.
"""

from typing import Any

from numpy import empty

from hitogata.dynamics.calling import REFUSED, Array, Input, call, check_threads
from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER, model_of
from hitogata.dynamics.placing import Placed, axis_of, place
from hitogata.dynamics.running import run_one, run_rows
from hitogata.figure import Figure
from hitogata.lanes import Floats, Ints, entry, inline, kernel, records
from hitogata.spatial import Force, Motion, cols, cross, dot, rigid_to_parent


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
            ints, floats, nv, _ = figure.compiled.get("hot") or model_of(figure).hot
            fresh = empty((nv, nv))
            if not mass_one(ints, floats, q, fresh):
                return fresh
        except REFUSED:
            pass
    model = model_of(figure)
    inputs = (Input("q", q, (model.nq,)),)
    return call(figure, mass_one, mass_many, inputs, (), (model.nv, model.nv), threads, out=out)


# ------------------------------------------------------- the algorithm


@kernel
def fill_mass(tree, work, q, v, x, wrenches, options, out):
    """The matrix, row by row; the form of the arguments is told in `running`."""
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
        if joint.kind == HINGE:
            project(tree, work, i, turning(inertia, axis_of(placed.rot), placed.pos), iv, out)
        elif joint.kind == SLIDER:
            project(tree, work, i, sliding(inertia, axis_of(placed.rot)), iv, out)
        elif joint.kind == BALL:
            for k, force in enumerate(all_turnings(inertia, placed.base, placed.pos)):
                project(tree, work, i, force, iv + k, out)
        elif joint.kind == FREE:
            for k, force in enumerate(all_turnings(inertia, placed.base, placed.pos)):
                project(tree, work, i, force, iv + k, out)
            for k, force in enumerate(all_slidings(inertia, placed.base)):
                project(tree, work, i, force, iv + 3 + k, out)
        for k in range(iv, iv + joint.count):
            out[k * (tree.nv + 1)] = out[k * (tree.nv + 1)] + tree.body[i].armature


@inline
def turning(inertia, direction, pos):
    """Momentum of a subtree that turns about an axis through pos at unit rate."""
    return inertia @ Motion(direction, cross(pos, direction))


@inline
def sliding(inertia, direction):
    """Momentum of a subtree that slides along an axis at unit rate."""
    return Force(cross(inertia.moment, direction), direction * inertia.mass)


@inline
def all_turnings(inertia, base, pos):
    """Momenta for turning about each axis of a frame."""
    return tuple(turning(inertia, axis, pos) for axis in cols(base))


@inline
def all_slidings(inertia, base):
    """Momenta for sliding along each axis of a frame."""
    return tuple(sliding(inertia, axis) for axis in cols(base))


@kernel
def project(tree, work, i, force, row, out):
    """One row of M up to the diagonal, and its mirror image: what a momentum of body i means to each joint below it."""
    while i >= 0:
        joint, placed = tree.joint[i], work[i]
        iv = joint.iv
        if joint.kind == HINGE:
            mirror(tree, out, row, iv, dot(axis_of(placed.rot), about(placed.pos, force)))
        elif joint.kind == BALL:
            mirror3(tree, out, row, iv, placed.base.T @ about(placed.pos, force))
        elif joint.kind == SLIDER:
            mirror(tree, out, row, iv, dot(axis_of(placed.rot), force.lin))
        elif joint.kind == FREE:
            mirror3(tree, out, row, iv, placed.base.T @ about(placed.pos, force))
            mirror3(tree, out, row, iv + 3, placed.base.T @ force.lin)
        i = joint.parent


@inline
def about(pos, force):
    """Torque of a force about pos."""
    return force.ang - cross(pos, force.lin)


@kernel
def mirror(tree, out, row, column, value):
    """Store an entry and its mirror image."""
    out[row * tree.nv + column] = value
    out[column * tree.nv + row] = value


@kernel
def mirror3(tree, out, row, column, value):
    """Store three neighbours of a row, and their mirror images."""
    mirror(tree, out, row, column, value.x)
    mirror(tree, out, row, column + 1, value.y)
    mirror(tree, out, row, column + 2, value.z)


# ------------------------------------------------------- entries


@entry(ints=Ints(1), floats=Floats(1), q=Floats(1), out=Floats(2, write=True))
def mass_one(ints, floats, q, out):
    """One state."""
    return run_one(fill_mass, Placed.SIZE, ints, floats, q, None, None, None, None, out)


@entry
def mass_many(ints, floats, q, out, first, end, width):
    """Rows of a batch."""
    return run_rows(fill_mass, Placed.SIZE, ints, floats, q, None, None, None, None, out, first, end, width)
