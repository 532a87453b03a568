"""Joints that need more torque than they have: motion and contact forces give way together.

With τ_j = M_j v̇ + c_j - J_jᵀ f, each joint that would need more than its limit gets a row, forces become unknown, too,
and deviate from the planned ones as accelerations do from those that are wanted:

    least of |v̇ - v̇_d|²_W + |f - f_d|²_F   with   M_r v̇ - J_rᵀ f = -c_r    J_s v̇ = ...    M_j v̇ - J_jᵀ f = ±τ_j - c_j

That is one step of a search for forces in both sets, those that keep torques and those inside the cones: forces go to
the nearest ones in their cones, accelerations are solved for with these as given, and joints that are beyond their
limits then get rows, too, and so on (alternating projections).  What is left after some rounds is cut off: those
torques are at their limits, and accelerations follow from that (`give_way`).
"""

from hitogata.filter.law import FRICTION, STRONGEST, WEIGHT, H
from hitogata.filter.linear_kernels import fill_gram, find_change, put_back, solve_cholesky, take_change
from hitogata.filter.plan_kernels import into_cone
from hitogata.filter.state_kernels import find_effect, find_torques
from hitogata.filter.tables import SOLE
from hitogata.lanes import absolute, copysign, kernel, maximum, minimum, tail
from hitogata.spatial import cross, load3, load_down

ROUNDS = 8
"""How often joints beyond their limits are looked for within a frame."""
SOFT = 0.02
"""Change of a force [body weights] that counts like one of an acceleration by 1 rad/s²."""
SLACK = 1e-3
"""Torques beyond their limit by less than this share (and N m) are at it."""
ROUNDED = 1e-9
"""ε of rows of torques, against the square of what accelerations do to them."""


@kernel
def keep_torques(body, reference, k, law, push, work):
    """Keep torques within their limits; velocities of the next frame in work.after, and forces, change where they do.

    Returns:
        How many velocities of joints are at their limit.
    """
    nv, soles = body.nv, 6 + 6 * body.feet
    known = 0
    for _ in range(ROUNDS):
        count = find_overloaded(body, law[H], work, known)
        if count < 0:
            break
        for i in range(known, count):
            torque_row(body, work, soles + i, work.limited[i])
        known = count
        free_forces(body, reference, k, law, push, work, soles + known)
        solve_both(body, law, work, soles + known)
        forces_into_cones(body, reference, k, law, work)
        find_effect(body, work)
        for i in range(6):
            work.right[i] = push[i] - work.bias[i] + work.effect[i]
        find_change(work, soles, nv)
        take_change(work, law[H], nv)
    return known


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
    """Add velocities whose torque is beyond its limit to those known; joints at the ends of their ranges rest there.

    Returns:
        How many are known; -1: none is beyond its limit.
    """
    count, beyond = known, False
    for j in range(6, body.nv):
        limit = body.efforts[j]
        if limit < 1e300 and work.held[j] == 0:
            torque = find_torque(body, h, work, j)
            if absolute(torque) > limit * (1.0 + SLACK) + SLACK:
                beyond, new = True, True
                for i in range(known):
                    new = new and work.limited[i] != j
                if new:
                    work.limited[count] = j
                    work.limit[count] = copysign(limit, torque)
                    count += 1
    return count if beyond else -1


@kernel
def torque_row(body, work, i, j):
    """M_j v̇ - J_jᵀ f = limit - c_j as row i; the part of the forces is filled in `free_forces`."""
    nv, known = body.nv, i - 6 - 6 * body.feet
    for l in range(nv):
        work.rows[i * nv + l] = work.mass[j * nv + l]
    work.right[i] = work.limit[known] - work.bias[j]
    work.eps[i] = ROUNDED * work.mass[j * nv + j] * work.mass[j * nv + j]


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
def solve_both(body, law, work, count):
    """Accelerations nearest to those wanted, and forces nearest to those there are, that fit the rows."""
    nv, n = body.nv, 12 * body.feet
    fill_gram(work.force_rows, work.force_ease, count, n, work.matrix, 0.0)
    fill_gram(work.rows, work.ease, count, nv, work.matrix, 1.0)
    for i in range(count):
        t = work.right[i]
        for j in range(nv):
            t -= work.rows[i * nv + j] * work.wanted[j]
        for l in range(n):
            t -= work.force_rows[i * n + l] * work.forces[l]
        work.reply[i] = t
        work.matrix[i * count + i] += work.eps[i]
    solve_cholesky(work.matrix, work.reply, count)
    put_back(work.force_rows, work.force_ease, work.reply, count, n, work.force_change)
    for l in range(n):
        work.forces[l] += work.force_change[l]


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


@kernel
def give_way(body, push, law, work):
    """Torques at their limits, and the accelerations that come of it: forward dynamics with the contact forces given.

    Joints at the ends of their ranges go where they are led; what that needs, the ends give.

    Returns:
        Whether a torque was beyond its limit.
    """
    nv, h = body.nv, law[H]
    find_torques(body, push, work)
    beyond = False
    for j in range(6, nv):
        beyond = beyond or (work.held[j] == 0 and absolute(work.tau[j]) > body.efforts[j] * (1.0 + SLACK) + SLACK)
    if not beyond:
        return False
    for i in range(nv):
        held = work.held[i] == 1
        if held:
            work.reply[i] = work.vdot[i]
        else:
            limit = body.efforts[i] if i > 5 else 0.0
            tau = maximum(minimum(work.tau[i], limit), -limit)
            work.reply[i] = tau + work.effect[i] - work.bias[i] + (push[i] if i < 6 else 0.0)
        for j in range(i + 1):
            apart = held or work.held[j] == 1
            work.matrix[i * nv + j] = 0.0 if apart else work.mass[i * nv + j]
        if held:
            work.matrix[i * nv + i] = 1.0
    for i in range(nv):
        if work.held[i] == 0:
            for j in range(nv):
                if work.held[j] == 1:
                    work.reply[i] -= work.mass[i * nv + j] * work.vdot[j]
    solve_cholesky(work.matrix, work.reply, nv)
    for j in range(nv):
        work.vdot[j] = work.reply[j]
        work.after[j] = work.v[j] + h * work.vdot[j]
    return True
