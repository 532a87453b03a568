"""Joints that need more torque than they have: motion and contact forces give way together.

With τ_j = M_j v̇ + c_j - J_jᵀ f, each joint that would need more than its limit gets a row, forces become unknown, too,
and deviate from the planned ones as accelerations do from those that are wanted:

    least of |v̇ - v̇_d|²_W + |f - f_d|²_F     with     M_r v̇ - J_rᵀ f = -c_r      J_s v̇ = ...      M_j v̇ - J_jᵀ f = ±τ_j - c_j

Rows are added until no other joint is beyond its limit; forces then go to the nearest ones in their cones, and the
accelerations are solved for once more.  Soles give way before torques do.
"""

from hitogata.filter.law import FRICTION, H, STRONGEST, WEIGHT
from hitogata.filter.linear_kernels import fill_gram, put_back, solve_cholesky, take_change
from hitogata.filter.plan_kernels import into_cone
from hitogata.filter.state_kernels import find_effect
from hitogata.filter.tables import SOLE
from hitogata.lanes import absolute, copysign, kernel, tail
from hitogata.spatial import cross, load3, load_down

ROUNDS = 4
"""How often joints beyond their limits are looked for within a frame."""
SOFT = 0.02
"""Change of a force [body weights] that counts like one of an acceleration by 1 rad/s²."""
SLACK = 1e-9
"""Torques beyond their limit by less than this share are at it."""


@kernel
def keep_torques(body, reference, k, law, push, work):
    """Keep torques within their limits; velocities of the next frame in work.after, and forces, change where they do.

    Returns:
        How many velocities of joints are at their limit.
    """
    nv, soles = body.nv, 6 + 6 * body.feet
    count = soles
    for c in range(12 * body.feet):
        work.planned[c] = work.forces[c]
    for _ in range(ROUNDS):
        more = find_overloaded(body, law[H], work, count - soles)
        if more == count - soles:
            break
        for i in range(count, soles + more):
            torque_row(body, work, i, work.limited[i - soles])
        count = soles + more
        free_forces(body, reference, k, law, push, work, count)
        solve_both(body, law, work, count, work.planned)
    if count > soles:
        forces_into_cones(body, reference, k, law, work)
        for c in range(12 * body.feet):
            work.force_ease[c] = 0.0
        solve_both(body, law, work, count, work.forces)
    return count - soles


@kernel
def find_torque(body, h, work, j):
    """Torque of a velocity for the velocities in work.after."""
    nv = body.nv
    t = work.bias[j] - work.effect[j]
    for l in range(nv):
        t += work.mass[j * nv + l] * (work.after[l] - work.v[l]) / h
    return t


@kernel
def find_overloaded(body, h, work, known):
    """Add velocities whose torque is beyond its limit to those known; joints at the ends of their ranges rest there."""
    count = known
    for j in range(6, body.nv):
        limit = body.efforts[j]
        if limit < 1e300 and work.held[j] == 0:
            torque = find_torque(body, h, work, j)
            new = absolute(torque) > limit * (1.0 + SLACK) + SLACK
            for i in range(known):
                if work.limited[i] == j:
                    new = False
            if new:
                work.limited[count] = j
                work.limit[count] = copysign(limit, torque)
                count += 1
    return count


@kernel
def torque_row(body, work, i, j):
    """M_j v̇ - J_jᵀ f = limit - c_j as row i; the part of the forces is filled in `free_forces`."""
    nv, known = body.nv, i - 6 - 6 * body.feet
    for l in range(nv):
        work.rows[i * nv + l] = work.mass[j * nv + l]
    work.right[i] = work.limit[known] - work.bias[j]
    work.eps[i] = SLACK * work.mass[j * nv + j] * work.mass[j * nv + j]


@kernel
def free_forces(body, reference, k, law, push, work, count):
    """Forces as unknowns: how they enter the rows, and how readily they change."""
    nv, feet = body.nv, body.feet
    soles, n = 6 + 6 * feet, 12 * feet
    ease = SOFT * law[WEIGHT]
    for c in range(4 * feet):
        on = reference.active[4 * feet * k + c] > 0
        for i in range(3):
            work.force_ease[3 * c + i] = ease * ease if on else 0.0
    for i in range(count):
        for l in range(n):
            work.force_rows[i * n + l] = 0.0
    for i in range(6):
        work.right[i] = push[i] - work.bias[i]
        force_row(body, work, i, i)
    for i in range(soles, count):
        force_row(body, work, i, work.limited[i - soles])
    return nv


@kernel
def force_row(body, work, i, j):
    """-J_jᵀ for all corners, in row i."""
    nv, n = body.nv, 12 * body.feet
    for f in range(body.feet):
        ang = load_down(work.jacobian, 6 * f * nv + j, nv)
        lin = load_down(work.jacobian, (6 * f + 3) * nv + j, nv)
        for c in range(4 * f, 4 * f + 4):
            arm = load3(work.corners, 3 * c) - load3(work.soles, SOLE * f + 9)
            way = lin + cross(ang, arm)
            at = i * n + 3 * c
            work.force_rows[at], work.force_rows[at + 1], work.force_rows[at + 2] = -way.x, -way.y, -way.z


@kernel
def solve_both(body, law, work, count, forces):
    """Accelerations nearest to those wanted, and forces nearest to some, that fit the rows."""
    nv, n, h = body.nv, 12 * body.feet, law[H]
    fill_gram(work.force_rows, work.force_ease, count, n, work.matrix, 0.0)
    fill_gram(work.rows, work.ease, count, nv, work.matrix, 1.0)
    for i in range(count):
        t = work.right[i]
        for j in range(nv):
            t -= work.rows[i * nv + j] * work.wanted[j]
        for l in range(n):
            t -= work.force_rows[i * n + l] * forces[l]
        work.reply[i] = t
        work.matrix[i * count + i] += work.eps[i]
    solve_cholesky(work.matrix, work.reply, count)
    put_back(work.force_rows, work.force_ease, work.reply, count, n, work.force_change)
    put_back(work.rows, work.ease, work.reply, count, nv, work.change)
    for l in range(n):
        work.forces[l] = forces[l] + work.force_change[l]
    take_change(work, h, nv)
    find_effect(body, work)


@kernel
def forces_into_cones(body, reference, k, law, work):
    """Forces that were changed, to the nearest ones in their cones."""
    feet, weight = body.feet, law[WEIGHT]
    for c in range(4 * feet):
        at = 4 * feet * k + c
        if reference.active[at] > 0:
            normal = tail(reference.normal, 3 * at)
            force = tail(work.forces, 3 * c)
            most = law[STRONGEST] * weight
            force[0], force[1], force[2] = into_cone(force[0], force[1], force[2], normal, law[FRICTION], most)
