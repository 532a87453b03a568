"""Mass matrix, by composite rigid bodies (Walker & Orin 1982).

World axes about the root's origin, so that the inertia of a subtree is a sum.  Column of a joint motion S: the momentum
I_subtree S, felt by every joint between the root and there.
"""

from typing import Any

from numpy import empty

from hitogata.dynamics.calling import Array, Input, call
from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER, model_of
from hitogata.dynamics.placing import Placed, axis_of, place
from hitogata.dynamics.running import GOOD, run_one, run_rows
from hitogata.figure import Figure
from hitogata.lanes import ArgumentTypeError, Floats, Ints, entry, inline, kernel, records
from hitogata.spatial import Motion, Vec3, cols, cross, dot, rigid_to_parent


def mass_matrix(figure: Figure, q: Any, *, threads: int | None = 1) -> Array:
    """The mass matrix M of the equation of motion, with the joints' armature on its diagonal.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        threads: to share a batch over; None: one per core.

    Returns:
        M, symmetric, shape (nv, nv) or (n, nv, nv).
    """
    model = figure.compiled.get("dynamics") or model_of(figure)
    out = empty((model.nv, model.nv))
    try:
        if mass_one(model.ints, model.floats, q, out) == GOOD:
            return out
    except ArgumentTypeError:
        pass
    return call(figure, mass_one, mass_many, (Input("q", q, (model.nq,)),), (), (model.nv, model.nv), threads)


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
        if joint.parent >= 0:
            parent = work[joint.parent]
            parent.inertia = parent.inertia + placed.inertia
        for k in range(joint.count):
            project(tree, work, i, placed.inertia @ joint_motion(joint, placed, k), joint.iv + k, out)
            own = (joint.iv + k) * (tree.nv + 1)
            out[own] = out[own] + tree.body[i].armature


@kernel
def joint_motion(joint, placed, k):
    """Motion, about the root's origin, when velocity k of a joint is 1 and no other."""
    if joint.kind == HINGE:
        return turning(axis_of(placed.rot), placed.pos)
    if joint.kind == SLIDER or k >= 3:
        if joint.kind == SLIDER:
            return sliding(axis_of(placed.rot), placed.pos)
        return sliding(column(placed.base, k - 3), placed.pos)
    return turning(column(placed.base, k), placed.pos)


@kernel
def column(rot, k):
    """Column k of a matrix."""
    x, y, z = columns(rot)
    if k == 0:
        return x
    if k == 1:
        return y
    return z


@inline
def columns(rot):
    """The columns of a matrix."""
    return cols(rot)


@inline
def turning(direction, pos):
    """Turning about an axis through pos."""
    return Motion(direction, cross(pos, direction))


@inline
def sliding(direction, pos):
    """Sliding along an axis."""
    none = pos - pos
    return Motion(none, direction)


@kernel
def project(tree, work, i, force, row, out):
    """One row of M up to the diagonal, and its mirror image: what a force at body i means to each joint below it."""
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


