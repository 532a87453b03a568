"""Rows: what is asked of points, frames, the gaze and the centre of mass, and how far they are from it.

A row is a wrench f about the root's origin, in world axes: its rate is the power f · V with V = [ω; v] the motion of
its body, v taken at the root's origin.  So all rows look alike to the solver.

    point at x along a         a · (v + ω × x)            f = [x × a; a]
    turning about a            a · ω                      f = [a; 0]

Gaze.  With u the direction from the eye to the target and a the one the frame looks along, both unit vectors in the
frame, c = a · u, and t one of the two axes across a, the error is

    e = u · (t × a) √(2/(1 + c)):       of length 2 sin(θ/2), the chord, largest when the target is right behind

In the frame the target moves by u̇ = u × ω − (1 − u uᵀ) v/ρ (ρ: its distance), and ė = g · u̇ with the gradient
g = (t × a) f + (u · (t × a)) f' a,  f = √(2/(1 + c)),  f' = −f/(2 + 2 c); it is (g × u) · ω − (g − u (u · g)) · v/ρ.

Centre of mass.  One row, along the horizontal direction from the nearest place of the support to the centre.  It acts
only outside, and with its full authority from SOFT on.
"""

from hitogata.dynamics.momenta import mass_and_moment
from hitogata.dynamics.world_kinematics import place, root_position
from hitogata.lanes import clip, inline, kernel, maximum, minimum, sqrt, where
from hitogata.motion.puppet.layout import BALANCE, GAZE, POINT, TURN
from hitogata.spatial import (
    Force,
    Vec3,
    cols,
    conjugate,
    cross,
    dot,
    length,
    quaternion_of,
    rotation_vector,
    scaled,
)

SOFT = 0.02
"""The centre of mass feels its support fully from this distance on, and counts as in balance up to it [m]."""

NEAREST = 0.05
"""Targets of the gaze nearer than this count as so far away [m]."""

FIRM = 9.0
"""How much more an error brakes that is far longer than what may be asked for in one step."""

TINY = 1e-30


@kernel
def measure(model, state, goals, bench, law, brake):
    """Place the bodies; rows, errors and residuals of all groups.

    Returns what the errors add to the damping of level one, and of level two; `brake` times those left undone.
    """
    tree, first, second = model.tree, state.q[0] * 0.0, state.q[0] * 0.0
    place(tree, bench.placed, state.q)
    root = root_position(tree, state.q)
    point_worst, angle_worst = first, first
    for g in range(goals.groups):
        own, fixed, aim, rows = goals.group[g], goals.fixed[g], goals.aim[g], bench.rows[g]
        if own.kind == BALANCE:
            sway_row(model, goals, bench, root, rows)
        elif own.kind == GAZE:
            body = bench.placed[own.body]
            gaze_rows(rows, aim, body.rot @ fixed.rot, body.pos + body.rot @ fixed.point, root)
        elif own.kind == TURN:
            turn_rows(rows, aim, bench.placed[own.body].rot @ fixed.rot)
        else:
            body = bench.placed[own.body]
            point_rows(rows, aim, body.pos + body.rot @ fixed.point, root)
        damping = ask(rows, aim, fixed.size, law, brake)
        if own.kind == BALANCE:
            aim.residual = maximum(aim.residual - SOFT, 0.0)
        due = aim.residual * aim.authority_goal
        if own.kind == POINT or own.kind == BALANCE:
            point_worst = maximum(point_worst, due)
        else:
            angle_worst = maximum(angle_worst, due)
        if g < goals.first:
            first = first + damping
        else:
            second = second + damping
    state.summary.points = point_worst
    state.summary.angles = angle_worst
    return first, second


@kernel
def ask(rows, aim, size, law, brake):
    """Shorten an error to what may be asked for, and scale its rows; returns its share of the damping.

    What is asked for in one step is shorter than a long error, and so weighs more: weight times error stays what it
    is, and with it where goals that contradict each other settle.
    """
    aim.residual = length(rows.error)
    rows.error = shortened(rows.error, aim.residual, aim.speed * law.dt, law.gain)
    rows.share = aim.authority * rows.share
    weight, longer = aim.weight * rows.share * size * size, maximum(aim.residual / (aim.speed * law.dt), 1.0)
    rows.scale = aim.along * sqrt(weight * longer)
    return damping_for(scaled(rows.scale, rows.error), weight * aim.left, longer, brake)


@inline
def damping_for(asked, left, longer, brake):
    """What an error adds to the damping (see `levels`); more if it is longer than what is asked for."""
    return dot(asked, asked) * 0.5 + left * brake * (1.0 + FIRM * (1.0 - 1.0 / longer))


@inline
def shortened(error, far, most, gain):
    """A share of an error, and not more than `most` of it."""
    return error * (gain * most / maximum(far, most + TINY))


@kernel
def point_rows(rows, aim, x, root):
    """Rows of a point x (from the root's origin), along the world's axes."""
    rows.first, rows.second, rows.third = moving_along(x)
    rows.error = along_axes(aim.position - root - x, aim.along)
    rows.share = 1.0


@kernel
def turn_rows(rows, aim, rot):
    """Rows of a frame's turning, about the world's axes."""
    rows.first, rows.second, rows.third = turning_about(rot.xx * 0.0)
    rows.error = along_axes(turn_left(aim.quat, rot), aim.along)
    rows.share = 1.0


@kernel
def gaze_rows(rows, aim, rot, x, root):
    """Rows of the two angles between where a frame at x looks and its target."""
    rows.first, rows.second, rows.error = looking(rot, x, aim.position - root - x)
    rows.third = rows.first * 0.0
    rows.share = 1.0


@inline
def moving_along(x):
    """Wrenches whose power is the velocity of a point along the world's axes."""
    return (
        Force(Vec3(0.0, x.z, -x.y), Vec3(1.0, 0.0, 0.0)),
        Force(Vec3(-x.z, 0.0, x.x), Vec3(0.0, 1.0, 0.0)),
        Force(Vec3(x.y, -x.x, 0.0), Vec3(0.0, 0.0, 1.0)),
    )


@inline
def turning_about(zero):
    """Wrenches whose power is the turning about the world's axes."""
    none = Vec3(zero, zero, zero)
    return tuple(Force(Vec3(*[zero + float(k == j) for j in range(3)]), none) for k in range(3))


@inline
def turn_left(quat, rot):
    """Rotation vector from an orientation to a target, world axes."""
    return rotation_vector(quat @ conjugate(quaternion_of(rot)))


@inline
def along_axes(error, along):
    """The error in the axes that matter."""
    return scaled(error, Vec3(*[where(share > 0.0, 1.0, 0.0) for share in (along.x, along.y, along.z)]))


@inline
def looking(rot, x, way):
    """The two rows of a gaze, and its error; `way` leads from the eye at x to the target."""
    ahead, left, up = cols(rot)
    far = sqrt(dot(way, way) + TINY)
    u = way * (1.0 / far)
    per = 1.0 / maximum(far, NEAREST)
    c = maximum(dot(ahead, u), -0.9999)
    f = sqrt(2.0 / (1.0 + c))
    slope = -0.5 * f / (1.0 + c)

    def row(across):
        side = dot(u, across)
        g = across * f + ahead * (side * slope)
        lin = (u * dot(u, g) - g) * per
        return Force(cross(g, u) + cross(x, lin), lin), -(side * f)

    (first, one), (second, two) = row(cross(left, ahead)), row(cross(up, ahead))
    return first, second, Vec3(one, two, far * 0.0)


# ------------------------------------------------------- centre of mass


@kernel
def sway_row(model, goals, bench, root, rows):
    """The row of the centre of mass; only its direction is kept: its torque differs from body to body."""
    mass, moment = mass_and_moment(model.tree, bench.placed)
    away = from_support(goals, root + moment * (1.0 / mass))
    far = length(away)
    rows.first = Force(away * 0.0, direction_of(away, far))
    rows.second = rows.first * 0.0
    rows.third = rows.second
    rows.error = Vec3(-far, far * 0.0, far * 0.0)
    rows.share = growing(far * (1.0 / SOFT))


@inline
def direction_of(away, far):
    """Unit vector, x if there is no direction."""
    return where(far > 1e-12, away * (1.0 / maximum(far, 1e-12)), Vec3(far * 0.0 + 1.0, far * 0.0, far * 0.0))


@inline
def growing(x):
    """x², but not above 1."""
    x = minimum(x, 1.0)
    return x * x


@kernel
def from_support(goals, centre):
    """From the nearest place of the support to the centre of mass, horizontally; 0 above the support."""
    support, corners = goals.support, goals.corners
    best, best_x, best_y = centre.x * 0.0 + 1e30, centre.x * 0.0, centre.x * 0.0
    inside = centre.x * 0.0 + 1.0
    for k in range(corners):
        n = k + 1
        if n == corners:
            n = 0
        x, y, on_left = from_side(
            centre.x, centre.y, support[2 * k], support[2 * k + 1], support[2 * n], support[2 * n + 1]
        )
        inside = where(on_left >= 0.0, inside, 0.0)
        far = x * x + y * y
        best_x = where(far < best, x, best_x)
        best_y = where(far < best, y, best_y)
        best = where(far < best, far, best)
    if corners < 3:
        inside = inside * 0.0
    return unless(inside, best_x, best_y)


@inline
def unless(inside, x, y):
    """The horizontal vector, 0 inside."""
    return Vec3(where(inside > 0.5, 0.0, x), where(inside > 0.5, 0.0, y), x * 0.0)


@inline
def from_side(x, y, ax, ay, bx, by):
    """From the nearest place of a side to a point; and > 0 if the point is on the left."""
    dx, dy, px, py = bx - ax, by - ay, x - ax, y - ay
    t = clip((px * dx + py * dy) / (dx * dx + dy * dy + TINY), 0.0, 1.0)
    return px - t * dx, py - t * dy, dx * py - dy * px
