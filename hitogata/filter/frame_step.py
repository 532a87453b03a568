"""One frame: the motion that given contact forces allow, nearest to the one that is wanted.

With the forces f at the soles chosen (by the plan), what is left is the weighted pseudo-inverse of Nakamura's group:

    least of |v̇ - v̇_d|²_W   with   M_r v̇ = Σ Jᵣᵀ f - c_r        the whole body's Newton-Euler, exactly
                                    J_s v̇ = (V_s - J_s v) / h      the soles go where they are planned to be

v̇ = H# h + (1 - H# H) v̇_d = v̇_d + H# (h - H v̇_d),  H# = W⁻¹Hᵀ (H W⁻¹Hᵀ + ε)⁻¹,  a system of six rows and six for each
foot: the least-norm answer H# h, and the correction in the null space of H that brings accelerations back towards
those wanted (Yamane & Nakamura 2003).  `FilterSettings.correction` takes a share of the latter.  ε keeps legs that are
stretched from jumping.  A sole that stands on an edge may pitch about it: the row of that turn counts little.
Joints that the step would lead out of their ranges go to the nearest pose inside, and the system is solved again;
joints that would need more torque than they have make motion and forces give way (`torque_limits`); last of all the
root's acceleration is solved for alone, so that physics is exact whatever came before.
"""

from hitogata.dynamics.integration import advance, subtract
from hitogata.filter.law import H
from hitogata.filter.linear_kernels import find_change, solve_cholesky, take_change
from hitogata.filter.range_kernels import clamp_joints
from hitogata.filter.state_kernels import load_matrix, place_trial, sole_at, tree_of, turn_of
from hitogata.filter.tables import SOLE
from hitogata.filter.torque_limits import give_way, keep_torques
from hitogata.lanes import kernel, maximum, minimum
from hitogata.spatial import Vec3, cross, load3, load_down, store3

GIVE = 1e-4
"""ε of the soles' rows, against 1 of a joint."""
LOOSE = 0.3
"""ε of the turn of a sole about the edge on which it stands."""
AIR = 0.005
"""ε of the rows of soles that will not stand soon."""
UNHURRIED = 0.045
"""Soles in the air come back to their ways within this time [s]."""
GONE = 1.0
"""ε of the rows of a sole in the air whose leg is at the end of its range."""
ROOT = 1e-10
"""ε of the whole body's rows."""
STIFF = 1e-4
"""W⁻¹ of joints that are led back into their ranges, against 1."""
ENDS = 8
"""How often joints that come to the ends of their ranges are found while torques are at their limits."""
PASSES = 3
"""How often joints are led back into their ranges within a frame."""


@kernel
def take_step(body, reference, k, law, push, work, q, v):
    """The next frame: coordinates and velocities into q and v, accelerations into work.

    Args:
        body: a `BodyTable`.
        reference: a `ReferenceTable`; soles are led to the frame after k of it.
        k: the frame.
        law: numbers of the filter, see `law_kernels`.
        push: wrench about the root's origin that acts besides [N m], [N].
        work: with the state looked at, forces, wanted accelerations, and how readily joints deviate from them.
        q, v: of the next frame, written.
    """
    nv, h = body.nv, law[H]
    tree = tree_of(body)
    aim_rows(body, reference, following(body, reference, k), h, push, work)
    settle_in_ranges(body, tree, reference, following(body, reference, k), h, work)
    limited = keep_torques(body, reference, k, law, push, work)
    for j in range(nv):
        work.held[j] = 0
    hold_ends(body, tree, h, work)
    solve_root(work, push, nv, h)
    for _ in range(ENDS):
        if not give_way(body, push, law, work):
            break
        hold_ends(body, tree, h, work)
        solve_root(work, push, nv, h)
    for j in range(nv):
        v[j] = work.v[j] + h * work.vdot[j]
    advance(tree, work.q, v, h, q)
    return limited


@kernel
def following(body, reference, k):
    """The frame after k, or the last."""
    return min(k + 1, reference.frames - 1)


@kernel
def aim_rows(body, reference, k, h, push, work):
    """Rows H, their right sides and ε: the whole body's Newton-Euler equations, and six rows for each sole."""
    nv = body.nv
    rows, right, eps = work.rows, work.right, work.eps
    for i in range(6):
        for j in range(nv):
            rows[i * nv + j] = work.mass[i * nv + j]
        right[i] = push[i] - work.bias[i] + work.effect[i]
        eps[i] = ROOT
    for f in range(body.feet):
        aim_sole(body, reference, k, f, h, work)


@kernel
def aim_sole(body, reference, k, f, h, work):
    """The rows of a sole: to its place in frame k, if it stands there or soon; else gently to its way."""
    nv, first = body.nv, 6 + 6 * f
    lead = min(reference.lead[k * body.feet + f], UNHURRIED)
    here, place = load_matrix(work.soles, SOLE * f), load3(work.soles, SOLE * f + 9)
    at = k * body.feet + f
    axes, target = load_matrix(reference.turn, 9 * at), load3(reference.place, 3 * at)
    about = edge_of(body, reference, k, f)
    arm = Vec3(here.xx, here.yx, here.zx) * about
    sole_rows(work, f, nv, axes, arm)
    turn = axes.T @ turn_of(axes @ here.T)
    gap = target + Vec3(axes.xx, axes.yx, axes.zx) * about - (place + arm)
    late = h
    if lead <= h:
        turn, gap = turn * (1.0 / h), gap * (1.0 / h)
    else:  # in the air: the way's own rate, and the rest of the error by the time the foot comes down
        own_turn, own = axes.T @ load3(reference.rates, 6 * at), load3(reference.rates, 6 * at + 3)
        turn, gap = own_turn + (turn - own_turn * h) * (1.0 / lead), own + (gap - own * h) * (1.0 / lead)
        late = maximum(h, lead / 2)
    store3(work.right, first, turn)
    store3(work.right, first + 3, gap)
    share = minimum(maximum(lead - h, 0.0) / 0.15, 1.0)
    for i in range(first, first + 6):
        t = work.right[i]
        for j in range(nv):
            t -= work.rows[i * nv + j] * work.v[j]
        work.right[i] = t / late
        work.eps[i] = GIVE + AIR * share * share
    if about != 0.0:
        work.eps[first + 1] = LOOSE


@kernel
def sole_rows(work, f, nv, axes, arm):
    """A sole's Jacobian at a point `arm` away, its turning in given axes."""
    at, first = 6 * f * nv, (6 + 6 * f) * nv
    J, rows = work.jacobian, work.rows
    for j in range(nv):
        ang, lin = load_down(J, at + j, nv), load_down(J, at + 3 * nv + j, nv)
        lin, ang = lin + cross(ang, arm), axes.T @ ang
        for i, x in enumerate((ang.x, ang.y, ang.z, lin.x, lin.y, lin.z)):
            rows[first + i * nv + j] = x


@kernel
def edge_of(body, reference, k, f):
    """Along a sole's x, where it is pitched about; 0 if it lies flat, or is in the air [m]."""
    at = 4 * (k * body.feet + f)
    front, back = reference.active[at], reference.active[at + 2]
    if front == back:
        return 0.0
    return body.sole_corners[12 * f] if front > 0 else body.sole_corners[12 * f + 6]


@kernel
def settle_in_ranges(body, tree, reference, k, h, work):
    """Velocities of the next frame, into work.after, with joints led back into their ranges."""
    nv, count = body.nv, 6 + 6 * body.feet
    now, trial, inside = work.q, work.trial, work.inside
    for j in range(nv):
        work.held[j] = 0
    for turn in range(PASSES):
        find_change(work, count, nv)
        take_change(work, h, nv)
        advance(tree, now, work.after, h, trial)
        out = clamp_joints(body, work.trial, work.inside, work.watch, work.moved)
        if out == 0 and turn > 0:
            break
        add_misses(body, reference, k, h, work)
        if out == 1:
            subtract(tree, now, inside, work.change)
            ease_legs(body, reference, k, h, work)
            for j in range(nv):
                if work.moved[j] == 1:
                    work.wanted[j] = (work.change[j] - h * work.v[j]) / (h * h)
                    work.ease[j] = STIFF
                    work.held[j] = 1


@kernel
def add_misses(body, reference, k, h, work):
    """What rows of soles that stand miss because a step turns joints by more than their rates tell, [m/s²]."""
    place_trial(body, work.trial, work)
    for f in range(body.feet):
        at = k * body.feet + f
        if reference.lead[at] <= h:
            about = edge_of(body, reference, k, f)
            axes, target = load_matrix(reference.turn, 9 * at), load3(reference.place, 3 * at)
            turn, place = sole_at(body, work, f)
            point = place + Vec3(turn.xx, turn.yx, turn.zx) * about
            gap = (target + Vec3(axes.xx, axes.yx, axes.zx) * about - point) * (1.0 / (h * h))
            first = 9 + 6 * f
            store3(work.right, first, load3(work.right, first) + gap)


@kernel
def ease_legs(body, reference, k, h, work):
    """A leg that is at the end of a range cannot hold its sole."""
    nv = body.nv
    for f in range(body.feet):
        out = 0
        for j in range(nv):
            if body.legs[f * nv + j] > 0.0 and work.moved[j] == 1:
                out = 1
        if out == 1:
            for i in range(6 + 6 * f, 12 + 6 * f):
                if reference.lead[k * body.feet + f] > 0.0:
                    work.eps[i] = maximum(work.eps[i], GONE)
            if reference.lead[k * body.feet + f] <= 0.0:
                work.eps[7 + 6 * f] = maximum(work.eps[7 + 6 * f], LOOSE)


@kernel
def hold_ends(body, tree, h, work):
    """Velocities of joints at the ends of their ranges: those that lead exactly there."""
    nv, now, inside = body.nv, work.q, work.inside
    advance(tree, now, work.after, h, work.trial)
    clamp_joints(body, work.trial, work.inside, work.watch, work.moved)
    subtract(tree, now, inside, work.change)
    for j in range(6, nv):
        work.held[j] = max(work.held[j], work.moved[j])
        if work.held[j] == 1:
            work.after[j] = work.change[j] / h


@kernel
def solve_root(work, push, nv, h):
    """The root's acceleration from the whole body's six equations, given those of the joints."""
    m, r = work.matrix, work.reply
    for j in range(nv):
        work.vdot[j] = (work.after[j] - work.v[j]) / h
    for i in range(6):
        t = push[i] - work.bias[i] + work.effect[i]
        for j in range(6, nv):
            t -= work.mass[i * nv + j] * work.vdot[j]
        r[i] = t
        for j in range(i + 1):
            m[i * 6 + j] = work.mass[i * nv + j]
    solve_cholesky(m, r, 6)
    for i in range(6):
        work.vdot[i] = r[i]
