"""Marker inverse kinematics of one frame after the other, compiled: weighted least squares by Levenberg and Marquardt.

    min  ½ Σₘ wₘ |yₘ - xₘ(q)|² + ½ Σⱼ cⱼ (pⱼ ⊟ q)ⱼ²      low ≤ q ≤ high, ball joints in their ranges

The Gauss-Newton matrix JᵀWJ is the mass matrix of the figure with a point mass wₘ at each marker, and the gradient is
Σ Sᵀ f of the wrenches of springs wₘ (yₘ - xₘ): both cost what the composite-rigid-body algorithm costs (Walker & Orin
1982), O(markers + bodies · depth), and J is never formed.  Coordinates at the end of their interval are held while the
gradient presses them against it (projected Newton: Bertsekas 1982).  A ball joint beyond its range is drawn back by a
stiff spring along the row that leads straight in, and brought in exactly at the end.

Outliers (Geman & McClure 1987): with a scale c > 0 a marker's weight is w / (1 + r²/c²)², its cost w r² / (1 + r²/c²).
"""

from typing import Any, NamedTuple

from hitogata.capture.ik_layout import IkArrays, IkModel, IkOptions, IkTable, IkWork, TrialTable
from hitogata.dynamics.batches import scratch
from hitogata.dynamics.joints import column, difference_of, move_on, moved_column
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.world_kinematics import place_body, root_position
from hitogata.figure.mechanism.kernels import function_at
from hitogata.lanes import (
    X1,
    Ints,
    absolute,
    entry,
    kernel,
    lanes,
    memory_sizes,
    open_memory,
    open_table,
    tail,
)
from hitogata.motion.puppet.cholesky import backward, factorise, forward
from hitogata.rom.violation import range_clamp, range_violation
from hitogata.spatial import (
    Force,
    Motion,
    RigidInertia,
    Sym3,
    Vec3,
    cross,
    dot,
    load3,
    load_quaternion,
    power,
    shift_of,
    store3,
    store_quaternion,
)

CONVERGED, LIMIT, BLIND = 0, 1, 2
"""Status of a frame: solved; iterations used up; no marker seen (left where it was)."""

WALL = 100.0
"""Stiffness of ranges of ball joints, times the largest entry of JᵀWJ."""

SETTLED = 1e-11
"""A frame is done, too, when the cost falls by no more than this part of it: at corners of ranges steps stay small."""

LOOSE = 1e-9
"""Added to the diagonal, times its largest entry: what no marker determines stays where it was."""


class Seen(NamedTuple):
    """What is asked of a frame: targets and weights of markers, wanted coordinates, stiffness of ranges."""

    target: Any
    weight: Any
    wishes: bool
    wish: Any
    wish_weight: Any
    wall: float


@kernel
def expand(model, q, work):
    """θ and the slopes of θ̇ by the figure's velocities."""
    for k in range(model.theta):
        if model.copied[k] >= 0:
            work.angle[k] = q[model.copied[k]]
    for k in range(model.follows):
        each, line = model.follow[k], model.follow_line[k]
        x = q[each.q]
        value, slope = x * line.slope + line.offset, line.slope
        if each.table >= 0:
            value, slope, _ = function_at(tail(model.tables, each.table), x)
        if each.outer >= 0:
            value, outer, _ = function_at(tail(model.tables, each.outer), value)
            slope = slope * outer
        work.angle[each.theta] = value
        work.slope[each.rate] = slope


@kernel
def place_bodies(model, tree, q, work):
    """Where the bodies are that carry markers; their springs and masses are none yet.  Returns the root's place."""
    expand(model, q, work)
    for k in range(model.used):
        i = model.body[k]
        place_body(tree.joint[i], tree.body[i], work.placed[i], work.placed, work.angle)
        none = Vec3(0.0, 0.0, 0.0)
        work.placed[i].force = Force(none, none)
        work.placed[i].inertia = RigidInertia(0.0, none, Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    return root_position(tree, work.angle)


@kernel
def evaluate(arrays, q, seen, work, outlier):
    """Cost at q; bodies get the wrenches and masses of their markers.  seen: targets, weights, wishes."""
    model, tree = arrays.model, arrays.tree
    root, cost = place_bodies(model, tree, q, work), 0.0
    for m in range(model.markers):
        weight = seen.weight[m]
        if weight > 0.0:
            placed = work.placed[model.marker_body[m]]
            x = placed.pos + placed.rot @ model.marker[m].at
            miss = load3(seen.target, 3 * m) - root - x
            square = dot(miss, miss)
            if outlier > 0.0:
                share = 1.0 / (1.0 + square / (outlier * outlier))
                cost += weight * square * share
                weight = weight * share * share
            else:
                cost += weight * square
            force = miss * weight
            placed.force = placed.force + Force(cross(x, force), force)
            placed.inertia = placed.inertia + RigidInertia(weight, x * weight, shift_of(weight, x))
    if seen.wishes:
        difference(arrays, q, seen.wish, work)
        for j in range(model.nv):
            cost += seen.wish_weight[j] * work.gap[j] * work.gap[j]
    for k in range(model.regions):
        each = model.region[k]
        found = range_violation(load_quaternion(q, each.q), tail(model.ranges, each.start))
        beyond, turned = max(found.swing_depth, 0.0), max(found.twist_depth, 0.0)
        cost += seen.wall * (beyond * beyond + turned * turned)
    return cost


@kernel
def difference(arrays, q, wish, work):
    """gap = wish ⊟ q."""
    plain = arrays.plain
    for i in range(plain.bodies):
        if plain.joint[i].count > 0:
            difference_of(plain.joint[i], q, wish, work.gap)


@kernel
def normal_equations(arrays, q, seen, work):
    """The Gauss-Newton matrix (lower half) and the way downhill; after `evaluate` at the same q."""
    model, tree = arrays.model, arrays.tree
    n = model.free
    for a in range(n):
        work.gradient[a] = 0.0
        for b in range(a + 1):
            work.hessian[a * n + b] = 0.0
    for k in range(model.used):
        i = model.body[k]
        joint = tree.joint[i]
        for c in range(joint.count):
            placed = work.placed[i]
            s = moved_column(column(joint, tree.body[i], placed, c), placed.pos * -1.0)
            slope = work.slope[joint.iv + c]
            work.column[joint.iv + c].motion = Motion(s.ang * slope, s.lin * slope)
    for k in range(model.used - 1, -1, -1):
        i = model.body[k]
        joint, placed = tree.joint[i], work.placed[i]
        force, inertia = placed.force, placed.inertia
        for c in range(joint.count):
            row = model.row[model.source[joint.iv + c]]
            if row >= 0:
                s = work.column[joint.iv + c].motion
                work.gradient[row] = work.gradient[row] + power(force, s)
                add_row(model, tree, work, i, c, row, inertia @ s)
        if joint.parent >= 0:
            above = work.placed[joint.parent]
            above.force = above.force + force
            above.inertia = above.inertia + inertia
    if seen.wishes:
        for a in range(n):
            weight = seen.wish_weight[model.unknown[a]]
            work.hessian[a * n + a] = work.hessian[a * n + a] + weight
            work.gradient[a] = work.gradient[a] + weight * work.gap[model.unknown[a]]
    for k in range(model.regions):
        each = model.region[k]
        found = range_violation(load_quaternion(q, each.q), tail(model.ranges, each.start))
        press(model, work, each.v, found.swing_depth, found.swing_row, seen.wall)
        press(model, work, each.v, found.twist_depth, found.twist_row, seen.wall)


@kernel
def add_row(model, tree, work, i, c, row, momentum):
    """What the momentum of a column means to itself and to the columns between it and the root."""
    n, last, own = model.free, c + 1, True
    while i >= 0:
        joint = tree.joint[i]
        for d in range(last):
            other = model.row[model.source[joint.iv + d]]
            if other >= 0:
                value = power(momentum, work.column[joint.iv + d].motion)
                if row == other and not (own and d == c):
                    value = 2.0 * value
                at = max(row, other) * n + min(row, other)
                work.hessian[at] = work.hessian[at] + value
        i, own = joint.parent, False
        if i >= 0:
            last = tree.joint[i].count


@kernel
def press(model, work, v, depth, row, stiffness):
    """A spring against the wall of a range, beyond it."""
    if depth > 0.0:
        n, first = model.free, model.row[v]
        for a in range(3):
            at = component(row, a)
            work.gradient[first + a] = work.gradient[first + a] + stiffness * depth * at
            for b in range(a + 1):
                place = (first + a) * n + first + b
                work.hessian[place] = work.hessian[place] + stiffness * at * component(row, b)


@kernel
def component(v, k):
    """One of three."""
    if k == 0:
        return v.x
    if k == 1:
        return v.y
    return v.z


@kernel
def solve_step(model, q, work, damping):
    """Step of the unknowns; those that press against the end of their interval stay.  Returns the longest change."""
    n, largest = model.free, 1e-300
    for a in range(n):
        largest = max(largest, work.hessian[a * n + a])
    for a in range(n):
        for b in range(a + 1):
            work.factor[a * n + b] = work.hessian[a * n + b]
        work.factor[a * n + a] = work.hessian[a * n + a] * (1.0 + damping) + LOOSE * largest
        work.spare[a] = work.gradient[a]
    for a in range(n):
        if presses(model, q, work, a):
            for b in range(a):
                work.factor[a * n + b] = 0.0
            for b in range(a + 1, n):
                work.factor[b * n + a] = 0.0
            work.factor[a * n + a] = largest
            work.spare[a] = 0.0
    factorise(work.factor, n, n)
    forward(work.factor, n, n, work.spare, work.step)
    backward(work.factor, n, n, work.step)


@kernel
def presses(model, q, work, a):
    """Does an unknown stand at the end of its interval, and would go beyond?"""
    v = model.unknown[a]
    at = model.place[v]
    if at < 0:
        return False
    return (q[at] <= model.low[v] and work.gradient[a] <= 0.0) or (q[at] >= model.high[v] and work.gradient[a] >= 0.0)


@kernel
def step_to(arrays, q, work, out):
    """out = q ⊞ step, within intervals; returns the longest change."""
    model = arrays.model
    for j in range(model.nv):
        work.change[j] = 0.0
    longest = 0.0
    for a in range(model.free):
        v = model.unknown[a]
        step, at = work.step[a], model.place[v]
        if at >= 0:
            step = min(max(q[at] + step, model.low[v]), model.high[v]) - q[at]
        work.change[v] = step
        longest = max(longest, absolute(step))
    move(arrays, q, work.change, 1.0, out)
    return longest


@kernel
def move(arrays, q, v, h, out):
    """out = q ⊞ h v, scalars within their intervals exactly."""
    model, plain = arrays.model, arrays.plain
    for i in range(plain.bodies):
        if plain.joint[i].count > 0:
            move_on(plain.joint[i], q, v, h, out)
    for a in range(model.free):
        v_at = model.unknown[a]
        at = model.place[v_at]
        if at >= 0:
            out[at] = min(max(out[at], model.low[v_at]), model.high[v_at])


@kernel
def solve_frame(arrays, seen, q, work, options):
    """One frame from where q stands: status, iterations, cost."""
    model, outlier = arrays.model, options.outlier
    visible = 0
    for m in range(model.markers):
        if seen.weight[m] > 0.0:
            visible += 1
    if visible == 0 and not seen.wishes:
        return BLIND, 0, 0.0
    cost, damping, status, count = evaluate(arrays, q, seen, work, outlier), 0.0, LIMIT, 0
    normal_equations(arrays, q, seen, work)
    for _ in range(int(options.iterations)):
        count += 1
        solve_step(model, q, work, damping)
        longest = step_to(arrays, q, work, work.trial)
        tried = evaluate(arrays, work.trial, seen, work, outlier)
        if tried <= cost * (1.0 + 1e-13):
            for k in range(model.nq):
                q[k] = work.trial[k]
            settled = cost - tried <= SETTLED * cost and longest < 1e3 * options.tolerance
            cost = tried
            damping = 0.0 if damping < 1e-6 else damping * 0.1
            if longest < options.tolerance or settled:
                status = CONVERGED
                break
            normal_equations(arrays, q, seen, work)
        else:
            if longest < options.tolerance:
                status = CONVERGED
                break
            damping = max(damping * 10.0, 1e-4)
            if damping > 1e12:
                break
    bring_in(model, q)
    return status, count, cost


@kernel
def bring_in(model, q):
    """Ball joints into their ranges."""
    for k in range(model.regions):
        each = model.region[k]
        store_quaternion(q, each.q, range_clamp(load_quaternion(q, each.q), tail(model.ranges, each.start)))


@kernel
def deviations(arrays, q, seen, work, options, out):
    """Variances of the unknowns for unit variance of a marker of unit weight: the diagonal of (JᵀWJ)⁻¹; infinite where
    no marker tells, zero where a limit holds."""
    model = arrays.model
    n, largest = model.free, 1e-300
    evaluate(arrays, q, seen, work, options.outlier)
    normal_equations(arrays, q, seen, work)
    for a in range(n):
        largest = max(largest, work.hessian[a * n + a])
    solve_step(model, q, work, 0.0)
    for a in range(n):
        if presses(model, q, work, a):
            continue
        for b in range(n):
            work.spare[b] = 1.0 if a == b else 0.0
        forward(work.factor, n, n, work.spare, work.step)
        value = 0.0
        for b in range(n):
            value += work.step[b] * work.step[b]
        out[model.unknown[a]] = value if value * LOOSE * largest < 0.1 else 1e300


@entry(table=Ints(2), trial=Ints(2))
def solve_frames(table, trial):
    """All frames of a trial.

    Args:
        table: an `IkTable`.
        trial: a `TrialTable`.
    """
    given, told = open_table(IkTable, table), open_table(TrialTable, trial)
    model = open_memory(IkModel, given.floats, given.ints)
    tree, plain = open_tree(given.tree_ints, given.tree_floats), open_tree(given.plain_ints, given.plain_floats)
    arrays = IkArrays(model, tree, plain)
    floats, _ = memory_sizes(IkWork, tree.bodies, model.nq, model.nv, model.theta, model.rates, model.free)
    room = scratch(floats, given.floats, X1)
    work = open_memory(IkWork, lanes(room, X1), tree.bodies, model.nq, model.nv, model.theta, model.rates, model.free)
    for k in range(model.rates):
        work.slope[k] = 1.0
    nq, nv, markers, options = model.nq, model.nv, model.markers, open_memory(IkOptions, given.options)
    frames, rows, wishes = told.summary.size // 3, told.start.size // nq, told.wish_weight.size > 0
    for t in range(frames):
        wish, wish_weight = lanes(told.start, X1), lanes(told.start, X1)
        if wishes:
            wish, wish_weight = tail(lanes(told.wish, X1), t * nq), tail(lanes(told.wish_weight, X1), t * nv)
        weight = tail(lanes(told.weight, X1), t * markers)
        wall = 0.0
        for m in range(markers):
            wall += WALL * weight[m]
        seen = Seen(tail(lanes(told.target, X1), 3 * t * markers), weight, wishes, wish, wish_weight, wall)
        q = tail(lanes(told.q, X1), t * nq)
        begin(arrays, told, t, rows, q, work, options.predict > 0.5)
        status, count, cost = solve_frame(arrays, seen, q, work, options)
        if status == LIMIT and rows == 1 and t > 0 and options.predict > 0.5:
            begin(arrays, told, t, rows, q, work, False)
            status, more, cost = solve_frame(arrays, seen, q, work, options)
            count += more
        told.summary[3 * t], told.summary[3 * t + 1], told.summary[3 * t + 2] = float(status), float(count), cost
        if told.variance.size > 0:
            deviations(arrays, q, seen, work, options, tail(lanes(told.variance, X1), t * nv))
        root, at = place_bodies(model, tree, q, work), tail(lanes(told.places, X1), 3 * t * markers)
        for m in range(markers):
            placed = work.placed[model.marker_body[m]]
            store3(at, 3 * m, root + placed.pos + placed.rot @ model.marker[m].at)


@kernel
def begin(arrays, told, t, rows, q, work, predict):
    """Where a frame begins: at its own start if there is one for each, else at the last frame, or where it leads."""
    nq, starts, done = arrays.model.nq, lanes(told.start, X1), lanes(told.q, X1)
    if rows > 1 or t == 0:
        for k in range(nq):
            q[k] = starts[min(t, rows - 1) * nq + k]
        return
    last = tail(done, (t - 1) * nq)
    for k in range(nq):
        q[k] = last[k]
    if predict and t > 1 and told.summary[3 * t - 3] + told.summary[3 * t - 6] == 0.0:
        difference(arrays, tail(done, (t - 2) * nq), last, work)
        for a in range(arrays.model.nv):
            work.change[a] = work.gap[a] if arrays.model.row[a] >= 0 else 0.0
        move(arrays, last, work.change, 1.0, q)
    bring_in(arrays.model, q)
