"""Is a patch's wrench one that a rough floor can give?  If not, what is the patch doing instead?

Nakamura & Yamane 2000, §4.4 and 4.5:

    normal         f_z > 0, or it lets go
    pressure       the balance point is within the hull, or the patch rolls onto the nearest edge or corner
    friction       |f_t| <= μ f_z, and about the balance point |n_z| <= lever (μ f_z - |f_t|), or it slides or turns

The last bound is that of the paper's potential centre of rotation: a friction force |f_t| = μ f_z (1 - e^(-k l))
belongs to a centre l away, about which friction turns with no more than μ f_z lever e^(-k l).
"""

from hitogata.lanes import kernel
from hitogata.loops.contacts.hulls import nearest_on_hull
from hitogata.loops.contacts.hypotheses import from_motion
from hitogata.loops.contacts.layout import (
    LIFTED,
    LINE,
    NONE,
    PIVOT,
    POINT,
    ROLLED,
    SLID,
    SLIDE,
    SPUN,
    STICK,
    STOPPED,
    SURFACE,
)

SLACK = 1e-9
"""Of all bounds, as a share: rounding."""


@kernel
def judge(patch, own, hull, w, rate, after, rules):
    """0 if the wrench w is valid; otherwise the patch's hypothesis is changed, and 1 is returned.

    `rate` and `after`: the six motions before and after.
    """
    if own.state == NONE:
        return 0
    fz = w[2]
    if not fz > 0.0:
        own.state = NONE
        own.why |= LIFTED
        return 1
    x, y = -w[4] / fz, w[3] / fz
    rolled = rolls(patch, own, hull, x, y)
    if rolled == 1:
        own.why |= ROLLED
    else:
        patch.press_x, patch.press_y = x, y
    if own.slip == SLIDE:  # whether it stops does not hang on where it presses
        return max(rolled, stops(patch, own, rate, after, rules))
    if rolled == 1:
        return 1
    if own.slip == PIVOT and rate[5] * after[5] < 0.0:
        own.slip = STICK
        patch.spin = 0.0
        own.why |= STOPPED
        return 1
    return slips(patch, own, w, rate, rules)


@kernel
def rolls(patch, own, hull, x, y):
    """Does the pressure leave the region?  Then it is an edge or a corner."""
    if own.state == SURFACE:
        out, edge, where = nearest_on_hull(hull, own.corners, x, y)
        if out <= SLACK * patch.radius:
            return 0
        press_edge(patch, own, hull, edge, where)
        return 1
    if own.state == LINE:
        n = (own.edge + 1) % own.corners
        ax, ay, bx, by = hull[3 * own.edge], hull[3 * own.edge + 1], hull[3 * n], hull[3 * n + 1]
        length = ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)) ** 0.5
        t = (x - ax) * patch.along_x + (y - ay) * patch.along_y
        if t < -SLACK * length:
            press_corner(patch, own, hull, own.edge)
            return 1
        if t > (1.0 + SLACK) * length:
            press_corner(patch, own, hull, n)
            return 1
    return 0


@kernel
def press_edge(patch, own, hull, edge, where):
    """Only an edge presses, or one of its corners."""
    n = (edge + 1) % own.corners
    if where <= 0.0:
        press_corner(patch, own, hull, edge)
    elif where >= 1.0:
        press_corner(patch, own, hull, n)
    else:
        ax, ay = hull[3 * edge], hull[3 * edge + 1]
        ex, ey = hull[3 * n] - ax, hull[3 * n + 1] - ay
        length = (ex * ex + ey * ey) ** 0.5
        own.state = LINE
        own.edge = edge
        patch.along_x, patch.along_y = ex / length, ey / length
        patch.line_x, patch.line_y = ax + where * ex, ay + where * ey
        patch.press_x, patch.press_y = patch.line_x, patch.line_y


@kernel
def press_corner(patch, own, hull, corner):
    """Only a corner presses; a corner neither holds nor brakes turning."""
    own.state = POINT
    own.edge = corner
    patch.line_x, patch.line_y = hull[3 * corner], hull[3 * corner + 1]
    patch.press_x, patch.press_y = patch.line_x, patch.line_y
    patch.spin = 0.0
    if own.slip == PIVOT:
        own.slip = STICK


@kernel
def stops(patch, own, rate, after, rules):
    """Would sliding friction turn the sliding round?  Then it stops."""
    x, y = patch.press_x, patch.press_y
    vx, vy = rate[0] - rate[5] * y, rate[1] + rate[5] * x
    wx, wy = after[0] - after[5] * y, after[1] + after[5] * x
    slip = (vx * vx + vy * vy) ** 0.5
    if slip > 0.0 and vx * wx + vy * wy < 0.0 and slip >= abs(rate[5]) * patch.radius * 1e-3:
        own.slip = STICK
        patch.drag_x, patch.drag_y, patch.spin = 0.0, 0.0, 0.0
        own.why |= STOPPED
        return 1
    if patch.spin * rate[5] < 0.0 and rate[5] * after[5] < 0.0:  # it stops turning, and slides on
        patch.spin = 0.0
        own.why |= STOPPED
        return 1
    return 0


@kernel
def slips(patch, own, w, rate, rules):
    """Is the friction of a sticking or pivoting patch too great?"""
    x, y = patch.press_x, patch.press_y
    fx, fy, fz = w[0], w[1], w[2]
    vx, vy = rate[0] - rate[5] * y, rate[1] + rate[5] * x
    moves = (vx * vx + vy * vy) ** 0.5 > rules.still or abs(rate[5]) * patch.radius > rules.still
    mu = patch.static
    if moves:
        mu = patch.kinetic
    force, most = (fx * fx + fy * fy) ** 0.5, mu * fz
    if force > most * (1.0 + SLACK):
        if moves:
            slide_as_it_moves(patch, own, rate, rules)
        else:
            slide_along(patch, own, fx / force, fy / force, 1.0, 0.0)
        own.why |= SLID
        return 1
    if own.slip == PIVOT or own.state == POINT:
        return 0
    turn = w[5] - (x * fy - y * fx)
    if abs(turn) > patch.lever * (most - force) + SLACK * most * patch.lever:
        own.why |= SPUN
        if moves:
            from_motion(patch, own, rate, rules.still, rules.blend)
            if own.slip == STICK:
                slide_as_it_moves(patch, own, rate, rules)
            return 1
        share, way = 0.0, 1.0
        if force > 0.0:
            share, way = force / most, 1.0 / force
        turning = patch.kinetic * patch.lever * (1.0 - share)
        if turn < 0.0:
            turning = -turning
        slide_along(patch, own, fx * way, fy * way, share, turning)
        return 1
    return 0


@kernel
def slide_as_it_moves(patch, own, rate, rules):
    """Friction against the motion, however slow."""
    from_motion(patch, own, rate, 0.0, rules.blend)


@kernel
def slide_along(patch, own, x, y, share, turning):
    """Friction along (x, y), a share of all it can be, and the rest of it turning."""
    own.slip = SLIDE
    patch.drag_x = patch.kinetic * share * x
    patch.drag_y = patch.kinetic * share * y
    patch.spin = turning
