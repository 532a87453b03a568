"""Newton's method for the rows of an island, beside the sweeps.

Sweeps tell quickly which rows act, but pass impulses on from row to row: what lies at the bottom of a stack of n hears
of its top after some n² of them.  Newton's method solves all rows at once.  With x the whitened velocities, y the rows,
u = y x their speeds and p their impulses (see `sim.step`), softness s and bias b, the law of each row is

    limit, rope, normal   p = max(p - a v, 0)                      v = u + b + s p, of contacts the lesser of two
    spring                v = 0, or |p| its limit, along the velocity that is left
    friction              p_t = (w cut to the length μ p_n)        w = p_t - a_t u_t

with any a > 0; here, what a sweep has: 1/a is the row's reply to itself (Alart & Curnier 1991).  The residual of these
equations, Φ, is zero where sweeps have nothing to mend, and nowhere else.  Linear in the changes of u and p they become
dp = g - D du, and with dx = yᵀ dp

    (1 + yᵀ D y) dx = yᵀ g

which is as large as there are velocities, well conditioned, sparse where bodies touch few others, and symmetric but for
what slides: `envelope`.  A direction is followed as far as Σ |Φ|²/(reply) falls: all of it, or a half, a quarter ...

Friction and hard walls have no softness, and several points of a body hold more than there is to hold.  So what is
solved is the problem with softness e = δ/a more, for changes of p from where it was, c:  v = u + b + s p + e (p - c).
Its solution is next to c among those that differ little, and c itself if nothing is left to mend: nothing creeps.
(The method of proximal points, Rockafellar 1976.)  δ is small where directions can be followed, and grows where not.
"""

from hitogata.constraints.envelope import clear, eliminate
from hitogata.constraints.layout import SPRING
from hitogata.constraints.limits import spread
from hitogata.constraints.points import push_point, velocity_of
from hitogata.dynamics.factor import shared_depth
from hitogata.lanes import any_lane, inline, kernel, maximum, minimum, sqrt, where
from hitogata.spatial import Mat3, Vec3, dot, load3, load6, store3

ITERATIONS = 3
"""Directions followed before the next sweep, at the most."""

FINEST, COARSEST = 1e-6, 0.1
"""Least and greatest δ ..."""

FIRST_SHARE = 1e-5
"""... and that of the first iteration of a step ..."""

COARSER, FINER = 100.0, 0.01
"""... which grows so where directions cannot be followed for half their length, and shrinks so where they can."""

HALVINGS = 4
"""Times that a direction is cut by half, at the most."""

FALLS = 0.9
"""What is left of the residual's square where a direction is followed."""

SOLVED = 0.01
"""What is left of it where the next sweep is due."""

TINY = 1e-30


@kernel
def newton(scene, rows, n, count, share, asking):
    """Solve an island with so many unknowns as far as may be, in figures that ask; returns the next δ, and how many
    iterations it took.  share: δ."""
    islands, going, longest, first, taken = rows.islands, asking, 1.0, 0.0, 0.0
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        rows.joint[islands.joint[k]].centre = rows.joint[islands.joint[k]].impulse
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        rows.point[islands.point[k]].centre = rows.point[islands.point[k]].impulse
    for k in range(ITERATIONS):
        now = find_direction(scene, rows, n, count, share)
        taken = where(going, taken + 1.0, taken)
        if k == 0:
            first = now
        part, left = follow(rows, n, share, now, going)
        move(rows, n, part)
        longest = where(going, minimum(longest, part), longest)
        going = going & (part > 0.0) & (left > SOLVED * first)
        if not any_lane(going):
            break
    share = where(longest < 0.4, minimum(share * COARSER, COARSEST), share)
    return where(longest == 1.0, maximum(share * FINER, FINEST), share), taken


@kernel
def find_direction(scene, rows, n, count, share):
    """Changes of all impulses and speeds of an island; returns the square of the residual."""
    islands, lopsided, total = rows.islands, False, 0.0
    clear(rows.envelope, count)
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        total = total + add_joint_row(scene, rows, islands.joint[k], share)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        square, leans = add_point(scene, rows, islands.point[k], share)
        total, lopsided = total + square, lopsided or leans
    eliminate(rows.envelope, count, lopsided)
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        turn_joint_row(scene, rows, islands.joint[k], share)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        turn_point(scene, rows, islands.point[k], share)
    return total


@kernel
def follow(rows, n, share, now, going):
    """How far to follow a direction, in figures that are going: 1, 1/2 ..., or 0; and the square of the residual
    there."""
    islands, part, best, least = rows.islands, 1.0, now * 0.0, now
    for _ in range(HALVINGS + 1):
        total = 0.0
        for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
            total = total + joint_square(rows, islands.joint[k], share, part)
        for k in range(islands.point_start[n], islands.point_start[n + 1]):
            total = total + point_square(rows, islands.point[k], share, part)
        better = going & (total < least)
        best, least = where(better, part, best), where(better, total, least)
        going = going & (total > FALLS * now)
        if not any_lane(going):
            break
        part = part * 0.5
    return best, least


@kernel
def move(rows, n, part):
    """Go so far in the direction."""
    islands = rows.islands
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        a = islands.joint[k]
        row = rows.joint[a]
        old = row.impulse
        row.impulse = where(part > 0.0, old + row.step * part, old)
        spread(rows, rows.joint_int[a], row.impulse - old)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        point = rows.point[p]
        old = point.impulse
        point.impulse = where(part > 0.0, old + point.step * part, old)
        push_point(rows, p, point.impulse - old)


# ------------------------------------------------------- joint rows


@inline
def one_sided(speed, p, centre, soft, inverse, share):
    """D, g and Φ of what only pushes, and the impulse it would have; speed: with bias, inverse: 1/(reply + softness).
    """
    more, scale = share / inverse, inverse / (1.0 + share)
    wrong = speed + soft * p + more * (p - centre)
    load = p - wrong * scale
    acts = load > 0.0
    hard = where(acts, 1.0 / (soft + more), 0.0)
    load = where(acts, load, 0.0)
    return hard, where(acts, -wrong * hard, -p), (load - p) / scale, load


@kernel
def add_joint_row(scene, rows, a, share):
    """The part of a limit in the matrix and in the right side; returns the square of its residual."""
    row, own, envelope, stride = rows.joint[a], rows.joint_int[a], rows.envelope, scene.chains.stride
    hard, push, wrong, _ = one_sided(rows.speed[own.row], row.impulse, row.centre, row.soft, row.inverse, share)
    chain, at, count = own.body * stride, a * stride, length_of(scene, own.body)
    for i in range(count):
        k, y = envelope.unknown[scene.chains.velocity[chain + i]], rows.joint_y[at + i]
        envelope.right[k] = envelope.right[k] + y * push
        start, weight = envelope.start[k], y * hard
        for j in range(i, count):
            m = start + envelope.unknown[scene.chains.velocity[chain + j]]
            envelope.upper[m] = envelope.upper[m] + weight * rows.joint_y[at + j]
    return wrong * wrong * row.inverse


@kernel
def turn_joint_row(scene, rows, a, share):
    """Change of speed and impulse of a limit."""
    row, own, envelope, stride = rows.joint[a], rows.joint_int[a], rows.envelope, scene.chains.stride
    hard, push, _, _ = one_sided(rows.speed[own.row], row.impulse, row.centre, row.soft, row.inverse, share)
    gain = row.impulse * 0.0
    for d in range(length_of(scene, own.body)):
        k = envelope.unknown[scene.chains.velocity[own.body * stride + d]]
        gain = gain + rows.joint_y[a * stride + d] * envelope.step[k]
    row.gain = gain
    row.step = push - hard * gain


@kernel
def joint_square(rows, a, share, part):
    """Square of a limit's residual, so far in the direction."""
    row, speed = rows.joint[a], rows.speed[rows.joint_int[a].row]
    _, _, wrong, _ = one_sided(
        speed + row.gain * part, row.impulse + row.step * part, row.centre, row.soft, row.inverse, share
    )
    return wrong * wrong * row.inverse


# ------------------------------------------------------- points


@inline
def spring_law(u, p, bias, soft, most, across):
    """D, g and Φ of a spring whose impulse is no longer than `most`; across: as in `PointRow`."""
    hard, wrong = 1.0 / soft, u + bias + p * soft
    x = p - wrong * across
    size = sqrt(dot(x, x) + TINY)
    over, cut, t = size > most, minimum(most / size, 1.0), x * (1.0 / size)
    turning = 1.0 / maximum(1.0 - cut * (1.0 - across * soft), FINEST)
    aside = cut * across * turning
    own, beside = where(over, aside, hard), where(over, aside, 0.0)
    xy, xz, yz = -beside * t.x * t.y, -beside * t.x * t.z, -beside * t.y * t.z
    weights = Mat3(
        own - beside * t.x * t.x, xy, xz, xy, own - beside * t.y * t.y, yz, xz, yz, own - beside * t.z * t.z
    )
    along = dot(p, t)
    push = t * (minimum(most, size) - along) - (p - t * along) * turning
    return weights, where(over, push, wrong * -hard), where(over, (p - x * cut) * (1.0 / across), wrong)


@inline
def contact_law(u, p, centre, bias, soft, core_bias, core_soft, core_along, friction, along, across, share):
    """D, g and Φ of a contact or rope; along, across: as in `PointRow`."""
    core = core_bias + core_soft * p.z < bias.z + soft * p.z
    stop, soft, inverse = where(core, core_bias, bias.z), where(core, core_soft, soft), where(core, core_along, along)
    hard, push, wrong, load = one_sided(u.z + stop, p.z, centre.z, soft, inverse, share)
    more, scale = share / across, across / (1.0 + share)
    vx, vy = u.x + bias.x + more * (p.x - centre.x), u.y + bias.y + more * (p.y - centre.y)
    x, y, radius = p.x - vx * scale, p.y - vy * scale, load * friction
    size = sqrt(x * x + y * y + TINY)
    slides, cut, tx, ty = size > radius, radius / size, x / size, y / size
    turning = 1.0 / maximum(1.0 - cut * (1.0 - scale * more), FINEST)  # of the direction in which it slides
    aside, lean, grip = cut * scale * turning, friction * hard, 1.0 / more
    ahead, across_it = friction * (p.z + push) - (p.x * tx + p.y * ty), (p.x * ty - p.y * tx) * turning
    zero = p.x * 0.0
    weights = Mat3(
        where(slides, aside * ty * ty, grip), where(slides, -aside * tx * ty, zero), where(slides, lean * tx, zero),
        where(slides, -aside * tx * ty, zero), where(slides, aside * tx * tx, grip), where(slides, lean * ty, zero),
        zero, zero, hard,
    )  # fmt: skip
    gx = where(slides, tx * ahead - ty * across_it, -vx * grip)
    gy = where(slides, ty * ahead + tx * across_it, -vy * grip)
    kept = where(slides, cut, 1.0)
    return weights, Vec3(gx, gy, push), Vec3((kept * x - p.x) / scale, (kept * y - p.y) / scale, wrong)


@kernel
def add_point(scene, rows, p, share):
    """The part of a point in the matrix and in the right side; returns the square of its residual, and whether it makes
    the matrix lopsided."""
    envelope, point, own = rows.envelope, rows.point[p], rows.point_int[p]
    u = velocity_of(rows, point, own)
    point.velocity = u
    if own.kind == SPRING:
        weights, push, wrong = spring_law(u, point.impulse, point.bias, point.soft, point.friction, point.across)
        scale = point.own.zz
    else:
        weights, push, wrong = contact_law(
            u, point.impulse, point.centre, point.bias, point.soft, point.core_bias, point.core_soft, point.core_along,
            point.friction, point.along, point.across, share,
        )  # fmt: skip
        scale = point.along
    point.weights = weights
    point.push = push
    count, leans = list_motions(scene, rows, p), any_lane((weights.xz != weights.zx) | (weights.yz != weights.zy))
    for i in range(count):
        y, k = load3(envelope.motion, 3 * i), envelope.chain[i]
        row, weight = envelope.start[k], weights.T @ y
        envelope.right[k] = envelope.right[k] + dot(y, push)
        for j in range(i, count):
            m = row + envelope.chain[j]
            envelope.upper[m] = envelope.upper[m] + dot(weight, load3(envelope.motion, 3 * j))
        if leans:
            weight = weights @ y - weight
            for j in range(i + 1, count):
                m = row + envelope.chain[j]
                envelope.lower[m] = envelope.lower[m] + dot(weight, load3(envelope.motion, 3 * j))
    return dot(wrong, wrong) * scale, leans


@kernel
def list_motions(scene, rows, p):
    """The unknowns that move a point, ascending, and how they move it, in its axes; returns how many."""
    point, own, envelope, stride = rows.point[p], rows.point_int[p], rows.envelope, scene.chains.stride
    velocity, unknown = scene.chains.velocity, envelope.unknown
    a, count_a = own.body_a * stride, length_of(scene, own.body_a)
    if own.touch_b < 0:
        return list_chain(scene, rows, own.touch_a, a, 0, count_a, 0, point.frame, point.lever_a)
    b, count_b = own.body_b * stride, length_of(scene, own.body_b)
    frame, lever, shared = point.frame * -1.0, point.lever_b * -1.0, shared_depth(scene.tree, own.body_a, own.body_b)
    count = list_chain(scene, rows, own.touch_a, a, 0, shared, 0, point.frame, point.lever_a)
    for d in range(shared):
        more = of_point(load6(rows.touch_y, 6 * (own.touch_b * stride + d)), frame, lever)
        store3(envelope.motion, 3 * d, load3(envelope.motion, 3 * d) + more)
    first = count_b == shared or (count_a > shared and unknown[velocity[a + shared]] < unknown[velocity[b + shared]])
    if first:
        count = list_chain(scene, rows, own.touch_a, a, shared, count_a, count, point.frame, point.lever_a)
    count = list_chain(scene, rows, own.touch_b, b, shared, count_b, count, frame, lever)
    if not first:
        count = list_chain(scene, rows, own.touch_a, a, shared, count_a, count, point.frame, point.lever_a)
    return count


@kernel
def list_chain(scene, rows, touch, chain, begin, end, at, frame, lever):
    """Velocities begin to end of a body's chain, listed from `at` on; returns where the list ends."""
    envelope, stride = rows.envelope, scene.chains.stride
    for d in range(begin, end):
        envelope.chain[at] = envelope.unknown[scene.chains.velocity[chain + d]]
        store3(envelope.motion, 3 * at, of_point(load6(rows.touch_y, 6 * (touch * stride + d)), frame, lever))
        at += 1
    return at


@kernel
def turn_point(scene, rows, p, share):
    """Change of velocity and impulse of a point."""
    point, own = rows.point[p], rows.point_int[p]
    gain = of_point(motion_of(scene, rows, own.touch_a, own.body_a), point.frame, point.lever_a)
    if own.touch_b >= 0:
        gain = gain - of_point(motion_of(scene, rows, own.touch_b, own.body_b), point.frame, point.lever_b)
    point.gain = gain
    point.step = point.push - point.weights @ gain


@kernel
def motion_of(scene, rows, touch, body):
    """How the direction moves a touched body."""
    envelope, stride, y = rows.envelope, scene.chains.stride, rows.touch_y
    total = load6(y, 6 * touch * stride) * 0.0
    for d in range(length_of(scene, body)):
        k = envelope.unknown[scene.chains.velocity[body * stride + d]]
        total = total + load6(y, 6 * (touch * stride + d)) * envelope.step[k]
    return total


@kernel
def point_square(rows, p, share, part):
    """Square of a point's residual, so far in the direction."""
    point = rows.point[p]
    u, impulse = point.velocity + point.gain * part, point.impulse + point.step * part
    if rows.point_int[p].kind == SPRING:
        _, _, wrong = spring_law(u, impulse, point.bias, point.soft, point.friction, point.across)
        scale = point.own.zz
    else:
        _, _, wrong = contact_law(
            u, impulse, point.centre, point.bias, point.soft, point.core_bias, point.core_soft, point.core_along,
            point.friction, point.along, point.across, share,
        )  # fmt: skip
        scale = point.along
    return dot(wrong, wrong) * scale


@kernel
def length_of(scene, body):
    """How many velocities move a body."""
    joint = scene.tree.joint[body]
    return joint.depth + joint.count


@inline
def of_point(motion, frame, lever):
    """Velocity of a point, in its axes, from the motion of its body."""
    return lever @ motion.ang + frame @ motion.lin
