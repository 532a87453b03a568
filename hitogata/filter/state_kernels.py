"""A figure in one state, as the filter sees it: the whole body's mass, momentum and bias, and its soles."""

from hitogata.dynamics.inverse import biased
from hitogata.dynamics.joints import column, moved_column
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.mass import fill_mass
from hitogata.dynamics.world_kinematics import Placed, place, root_position
from hitogata.filter.tables import SOLE
from hitogata.lanes import inline, kernel, records
from hitogata.spatial import (
    Mat3,
    Vec3,
    cross,
    dot,
    load3,
    load_down,
    quaternion_of,
    rotation_vector,
    solve3,
    store3,
)


@kernel
def tree_of(body):
    """The figure as `dynamics` sees it."""
    return open_tree(body.ints, body.floats)


@inline
def load_matrix(view, at):
    """A 3 x 3 matrix, row by row."""
    return Mat3(
        view[at], view[at + 1], view[at + 2], view[at + 3], view[at + 4], view[at + 5],
        view[at + 6], view[at + 7], view[at + 8],
    )  # fmt: skip


@inline
def store_matrix(view, at, m):
    """A 3 x 3 matrix, row by row."""
    for k, value in enumerate((m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz)):
        view[at + k] = value


@inline
def turn_of(m):
    """Rotation vector of a matrix."""
    return rotation_vector(quaternion_of(m))


@kernel
def find_soles(body, tree, placed, q, work):
    """Soles' frames and Jacobians; bodies were placed before."""
    nv, feet = body.nv, body.feet
    J, root = work.jacobian, root_position(tree, q)
    for k in range(6 * feet * nv):
        J[k] = 0.0
    for f in range(feet):
        b = body.sole_body[f]
        tip = placed[b].pos + placed[b].rot @ load3(body.sole_centre, 3 * f)
        store_matrix(work.soles, SOLE * f, placed[b].rot @ load_matrix(body.sole_turn, 9 * f))
        store3(work.soles, SOLE * f + 9, root + tip)
        i = b
        while i >= 0:
            joint, here = tree.joint[i], placed[i]
            for k in range(joint.count):
                s = moved_column(column(joint, tree.body[i], here, k), tip - here.pos)
                at = 6 * f * nv + joint.iv + k
                J[at], J[at + nv], J[at + 2 * nv] = s.ang.x, s.ang.y, s.ang.z
                J[at + 3 * nv], J[at + 4 * nv], J[at + 5 * nv] = s.lin.x, s.lin.y, s.lin.z
            i = joint.parent


@kernel
def look_at_soles(body, q, work):
    """Soles' frames and Jacobians at some coordinates."""
    tree = tree_of(body)
    placed = records(work.placed, Placed)
    place(tree, placed, q)
    find_soles(body, tree, placed, q, work)


@kernel
def find_effect(body, work):
    """Σ Jᵀ f of the forces at the corners, into work.effect."""
    nv = body.nv
    for j in range(nv):
        work.effect[j] = 0.0
    for f in range(body.feet):
        force, torque = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
        for c in range(4 * f, 4 * f + 4):
            own = load3(work.forces, 3 * c)
            force = force + own
            torque = torque + cross(load3(work.corners, 3 * c) - load3(work.soles, SOLE * f + 9), own)
        for j in range(nv):
            ang = load_down(work.jacobian, 6 * f * nv + j, nv)
            lin = load_down(work.jacobian, (6 * f + 3) * nv + j, nv)
            work.effect[j] += dot(ang, torque) + dot(lin, force)


@kernel
def sole_at(body, work, f):
    """A sole's frame, rotation and place; bodies were placed before (`place_trial`)."""
    placed = records(work.placed, Placed)
    b = body.sole_body[f]
    root = load3(work.root, 0)
    turn, tip = placed[b].rot @ load_matrix(body.sole_turn, 9 * f), placed[b].rot @ load3(body.sole_centre, 3 * f)
    return turn, root + placed[b].pos + tip


@kernel
def place_trial(body, q, work):
    """Place bodies at other coordinates; masses and Jacobians in work stay those of the state."""
    tree = tree_of(body)
    place(tree, records(work.placed, Placed), q)
    store3(work.root, 0, root_position(tree, q))


@kernel
def find_corners(body, work):
    """Corners of the soles from their frames."""
    for f in range(body.feet):
        turn, at = load_matrix(work.soles, SOLE * f), load3(work.soles, SOLE * f + 9)
        for c in range(4 * f, 4 * f + 4):
            store3(work.corners, 3 * c, at + turn @ load3(body.sole_corners, 3 * c))


@kernel
def find_torques(body, push, work):
    """τ = M v̇ + c - Σ Jᵀ f; its first six, which nothing gives, are the residual."""
    nv = body.nv
    for j in range(nv):
        t = work.bias[j] - work.effect[j]
        for l in range(nv):
            t += work.mass[j * nv + l] * work.vdot[l]
        if j < 6:
            t -= push[j]
        work.tau[j] = t


@kernel
def look(body, work):
    """Everything of the state work.q, work.v."""
    nv = body.nv
    tree, q, v = tree_of(body), work.q, work.v
    raw, M = work.placed, work.mass
    fill_mass(tree, raw, q, None, None, None, None, M)
    placed = records(raw, Placed)
    find_soles(body, tree, placed, q, work)
    find_corners(body, work)
    biased(tree, work.moving, q, v, None, None, None, work.bias)
    mass = M[3 * nv + 3]
    arm = Vec3(M[4 * nv + 2], M[5 * nv], M[3 * nv + 1]) * (1.0 / mass)  # from the root's origin to the centre of mass
    for i in range(6):
        t = 0.0
        for k in range(nv):
            t += M[i * nv + k] * v[k]
        work.after[i] = t
    momentum = load3(work.after, 3)
    store3(work.com, 0, root_position(tree, q) + arm)
    store3(work.com_rate, 0, momentum * (1.0 / mass))
    store3(work.spin, 0, load3(work.after, 0) - cross(arm, momentum))
    own = mass * (arm.x * arm.x + arm.y * arm.y + arm.z * arm.z)
    for i in range(3):
        for j in range(3):
            t = M[i * nv + j]
            if i == j:
                t -= own
            work.inertia[3 * i + j] = t
    along = (arm.x, arm.y, arm.z)
    for i in range(3):
        for j in range(3):
            work.inertia[3 * i + j] += mass * along[i] * along[j]
    store_matrix(work.turn, 0, placed[0].rot @ tree.body[0].link_rot)


@kernel
def find_deviation(reference, k, work):
    """x of the plan: how far the state is from frame k of the motion."""
    x = work.x
    store3(x, 0, turn_of(load_matrix(work.turn, 0) @ load_matrix(reference.root, 9 * k).T))
    store3(x, 3, load3(work.com, 0) - load3(reference.com, 3 * k))
    more = load3(work.spin, 0) - load3(reference.spin, 3 * k)
    store3(x, 6, solve3(load_matrix(reference.inertia, 9 * k), more))
    store3(x, 9, load3(work.com_rate, 0) - load3(reference.com_rate, 3 * k))
