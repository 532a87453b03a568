"""The one search: the nearest place of any region's boundary.

All arcs are tried; if they are the boundary, the best of them is the answer.  Else Newton runs on the best one's
polynomial, then on every other piece whose arc is not farther than that place by more than the piece's slack.  What
was skipped is provably farther.
"""

from hitogata.lanes import absolute, any_lane, gather, inline, kernel, records, sqrt, struct, tail, where
from hitogata.rom.arcs import Hit, arc_cost, arc_hit, corner_hit, unit_or
from hitogata.rom.curves import Foot, better, coefficients, cost_at, descend, walk
from hitogata.rom.layout import HEAD, PIECE, Head, Piece
from hitogata.spatial import Vec3, cross

FAR = 3.9                   # squared chord beyond which feet are told apart from -p


@struct
class Guess:
    """The piece whose arc is nearest, its cost, and the least cost of all other pieces.

    rise/run is the place on the arc (ratio of the tangents of half angles); doubt > 0: there may be two nearest places.
    """

    piece: float
    cost: float
    rise: float
    run: float
    doubt: float
    others: float


@inline
def guess(g, i, p, frame, height, radius, cos, sin, focal, side):
    """The better of g and piece i."""
    cost, x, y, out = arc_cost(p, frame, height, radius, cos, sin, side)
    less = cost < g.cost
    new = Guess(i, cost, y * (1.0 + cos), (x + out) * sin, focal - out, g.cost)
    return where(less, new, Guess(g.piece, g.cost, g.rise, g.run, g.doubt, where(cost < g.others, cost, g.others)))


@inline
def fraction(rise, run):
    """Where on its arc a foot is, −1 to 1."""
    t = rise / (run + 1e-30)
    return where(t < -1.0, -1.0, where(t > 1.0, 1.0, t))


@inline
def no_guess(p):
    """What every piece betters."""
    zero = p.x * 0.0
    return Guess(zero, zero + 5.0, zero, zero, zero, zero + 5.0)


@kernel
def nearest_arc(p, pieces, count):
    """Try all arcs."""
    g = no_guess(p)
    for i in range(count):
        a = pieces[i]
        g = guess(g, i * 1.0, p, a.frame, a.height, a.radius, a.cos, a.sin, a.focal, 1.0)
    return g


@kernel
def nearest_arc_far(p, pieces, count):
    """Try all arcs, for p almost opposite to all of them."""
    g = no_guess(p)
    for i in range(count):
        a = pieces[i]
        g = guess(g, i * 1.0, p, a.frame, a.height, a.radius, a.cos, a.sin, a.focal, -1.0)
    return g


@inline
def ends_of(view, piece):
    """Inward tangents at start and stop of a piece, each lane its own."""
    v = gather(view, piece * (1.0 * PIECE) + 19.0, 9)
    return Vec3(*v[0:3]), Vec3(*v[6:9])


@inline
def no_foot(p):
    """What every place betters."""
    zero = p.x * 0.0
    return Foot(p, p, zero + 5.0, zero, zero)


@inline
def start_of(best, p, start, inward, i, within, side):
    """The better of `best` and the start of piece i."""
    cost = cost_at(p, start, side)
    zero = p.x * 0.0
    take = where(within > 0.0, cost - best.cost, 1.0) < 0.0
    return where(take, Foot(start * (zero + 1.0), inward * (zero + 1.0), cost, zero + i, zero - 1.0), best)


@inline
def yes(p):
    """True in every lane."""
    return p.x * 0.0 < 1.0


@inline
def within_reach(cost, best, slack):
    """> 0 if a piece whose arc has this cost may hold a nearer place than `best`."""
    reach = sqrt(best) + slack
    return reach * reach - cost


@inline
def beyond_reach(cost, best, slack):
    """The same for costs told from −p."""
    reach = sqrt(-best) - slack
    return -cost - where(reach > 0.0, reach * reach, 0.0)


@inline
def only(condition, within):
    """within > 0 and condition > 0."""
    return where(condition > 0.0, within, -1.0) > 0.0


@kernel
def look_around(p, region, pieces, polynomials, count, step, g, best):
    """Refine every piece that may still be nearer than `best`."""
    zero = p.x * 0.0
    for i in range(count):
        a = pieces[i]
        cost, x, y, out = arc_cost(p, a.frame, a.height, a.radius, a.cos, a.sin, 1.0)
        within = within_reach(cost, best.cost, a.slack)
        if any_lane(within > 0.0):
            best = start_of(best, p, a.start, a.inward0, i * 1.0, within, 1.0)
            two = only(a.focal - out, within)
            other = only(where(absolute(g.piece - i) > 0.5, out - a.focal, -1.0), within)
            cs = coefficients(polynomials, zero + i)
            inward0, inward1 = ends_of(region, zero + i)
            if any_lane(two):
                best = better(best, two, p, cs, descend(p, cs, 1.0, 1.0, step), inward0, inward1, zero + i, 1.0)
                best = better(best, two, p, cs, descend(p, cs, -1.0, 1.0, step), inward0, inward1, zero + i, 1.0)
            if any_lane(other):
                t = walk(p, cs, fraction(y * (1.0 + a.cos), (x + out) * a.sin), step)
                best = better(best, other, p, cs, t, inward0, inward1, zero + i, 1.0)
    return best


@kernel
def look_behind(p, region, pieces, polynomials, count, step):
    """The nearest place when all are almost opposite to p."""
    zero = p.x * 0.0
    best = Foot(p, p, zero, zero, zero)
    for i in range(count):
        a = pieces[i]
        cost, _, _, _ = arc_cost(p, a.frame, a.height, a.radius, a.cos, a.sin, -1.0)
        within = beyond_reach(cost, best.cost, a.slack)
        if any_lane(within > 0.0):
            best = start_of(best, p, a.start, a.inward0, i * 1.0, within, -1.0)
            cs = coefficients(polynomials, zero + i)
            inward0, inward1 = ends_of(region, zero + i)
            best = better(best, within > 0.0, p, cs, descend(p, cs, 1.0, -1.0, step), inward0, inward1, zero + i, -1.0)
            best = better(best, within > 0.0, p, cs, descend(p, cs, -1.0, -1.0, step), inward0, inward1, zero + i, -1.0)
    return best


@kernel
def nearest_foot(p, region, pieces, polynomials, count, slack, step, g):
    """The nearest place of a boundary made of polynomials."""
    cs = coefficients(polynomials, g.piece)
    inward0, inward1 = ends_of(region, g.piece)
    t = walk(p, cs, fraction(g.rise, g.run), step)
    best = better(no_foot(p), yes(p), p, cs, t, inward0, inward1, g.piece, 1.0)
    unsure = where(within_reach(g.others, best.cost, slack) > 0.0, 1.0, g.doubt) > 0.0
    if any_lane(unsure):
        best = where(unsure, look_around(p, region, pieces, polynomials, count, step, g, best), best)
    if any_lane(best.cost > FAR):
        behind = look_behind(p, region, pieces, polynomials, count, step)
        best = where(best.cost > FAR, behind, best)
    return best


@inline
def foot_hit(p, foot, near):
    """What a place of a curve tells.

    Off corners p lies straight inwards of its foot, or outwards: so the row is foot × inward.  The direction from the
    foot to p would be the same, but the rounding of the foot over its distance from p is wrong in it.
    """
    point = unit_or(foot.point, foot.point, 0.0)
    inward = unit_or(foot.inward, foot.inward, 0.0)
    sin, cos, row = corner_hit(p, point, inward, near)
    row = where(absolute(foot.t) < 1.0, unit_or(cross(point, inward), row, 0.0), row)
    return Hit(sin, cos, point, row, foot.piece, foot.t)


@kernel
def seek(p, region):
    """The place of the boundary nearest to p.

    Args:
        p: unit vector (Vec3, of numbers or lanes), in the frame of the region's numbers.
        region: view of width X1 that begins at the region's head.
    """
    head = records(region, Head)[0]
    count = int(head.count)
    flat = tail(region, HEAD)
    pieces = records(flat, Piece)
    g = nearest_arc(p, pieces, count)
    if head.exact > 0.5:
        if any_lane(g.cost > FAR):
            g = where(g.cost > FAR, nearest_arc_far(p, pieces, count), g)
        return arc_hit(p, flat, g.piece, head.edge)
    foot = nearest_foot(p, flat, pieces, tail(region, int(head.polynomials)), count, head.slack, head.step, g)
    return foot_hit(p, foot, head.step)
