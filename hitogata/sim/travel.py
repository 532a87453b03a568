"""How far bodies travel within a substep, at the most: told before anything is placed where it ends.

Joints turn and slide at even rates within a substep.  With Ω the sum of how fast the joints of a chain turn, |ω| <= Ω
and |ω'| <= ½ Ω², the latter because a joint's rate is fixed in its parent.  The origin of a body is at an arm a from
that of its parent, which grows at a rate u where the joint slides, so it is accelerated by no more than

    A = A_parent + 3/2 Ω² (|a| + h |u|) + 2 Ω |u|                                 Ω: of the parent

and a point of a body within the radius r of its origin travels, on the way that `impacts` follows, by no more than

    h |v| + ½ h² A + r (h |ω| + ¼ h² Ω²)

with v and ω those at the beginning.  Points of two shapes were looked for as far apart as the sum of their reaches, and
boxes grown by them.  So a pair without a point cannot meet within the substep unless one of its bodies travels beyond
its reach; what does is sped up by more than was foreseen, and its boxes are looked at again, larger by that.
"""

from hitogata.contact.layout import FIELD, PLANE, WORLD
from hitogata.contact.narrowphase import above_plane, boxes_meet
from hitogata.lanes import any_lane, inline, kernel, maximum, record, sqrt, where
from hitogata.spatial import Vec3, cross, dot

ROUNDING = 1.001
"""Factor that no rounding of a bound in float32 makes up for."""

BOUNDLESS = 1e9
"""Travel of trees that impacts sent another way than their motion at the end tells [m]."""

HALF_TURN = 3.141592653589793


@record
class Travel:
    """How far a body travels within a substep."""

    turning: float  # Ω [rad/s]
    bending: float  # A [m/s²]
    way: float  # of any of its points, at the most [m]
    beyond: float  # how much of that is beyond its reach [m]


@kernel
def bound_travel(scene, solids, shapes, places, h, travels):
    """Travel of all bodies, which are placed where the substep began, with their motions at its end."""
    tree, struck = scene.tree, h * 0.0
    for i in range(tree.bodies):
        placed, own, above = scene.placed[i], travels[i], tree.joint[i].parent
        ang, lin = placed.motion.ang, placed.motion.lin
        own.turning, own.bending = length(ang), h * 0.0
        if above >= 0:
            parent, turning = scene.placed[above], travels[above].turning
            arm = placed.rel - parent.rel
            slide = length(lin - parent.motion.lin - cross(parent.motion.ang, arm))
            own.turning = turning + length(ang - parent.motion.ang)
            bending = turning * (1.5 * turning * (length(arm) + h * slide) + 2.0 * slide)
            own.bending = travels[above].bending + bending
        whirl = h * own.turning
        turn = h * length(ang) + 0.25 * whirl * whirl + where(whirl > 1.0, HALF_TURN, 0.0)  # see `turn_from`
        own.way = ROUNDING * (h * length(lin) + 0.5 * h * h * own.bending + solids[i].radius * turn)
        own.beyond, struck = h * 0.0, maximum(struck, placed.struck)
    if any_lane(struck > 0.0):  # see `moving.advance_late`
        for i in range(tree.bodies):
            travels[i].way = where(struck > 0.0, BOUNDLESS, travels[i].way)
    for s in range(shapes.total):
        body = shapes.ints[s].body
        if body != WORLD:
            own = travels[body]
            own.beyond = maximum(own.beyond, own.way - places[s].reach)


@inline
def length(a):
    """|a|."""
    return sqrt(dot(a, a))


@kernel
def any_beyond(shapes, travels, bodies):
    """May shapes meet of which no points were found?  On height fields these are found by other means than gaps."""
    most = travels[0].beyond
    for i in range(1, bodies):
        most = maximum(most, travels[i].beyond)
    if any_lane(most > 0.0):
        return True
    fields = 0
    for s in range(shapes.total):
        if shapes.ints[s].kind == FIELD:
            fields += 1
    return fields > 0


@kernel
def travel_of(shapes, travels, a, b):
    """How far two shapes travel against each other, at the most [m]."""
    one, two, way = shapes.ints[a].body, shapes.ints[b].body, travels[0].way * 0.0
    if one != WORLD:
        way = way + travels[one].way
    if two != WORLD:
        way = way + travels[two].way
    return way


@kernel
def may_meet(shapes, places, travels, a, b, least, touched):
    """May two shapes touch within the substep, and travel by more than `least`?  touched: points of them were found."""
    far = travel_of(shapes, travels, a, b) > least
    if not any_lane(far):
        return False
    if touched:
        return True
    one, two, beyond = shapes.ints[a].body, shapes.ints[b].body, places[a].reach * 0.0
    if one != WORLD:
        beyond = beyond + travels[one].beyond
    if two != WORLD:
        beyond = beyond + travels[two].beyond
    if shapes.ints[a].kind != FIELD:
        far = far & (beyond > 0.0)
    if not any_lane(far):
        return False
    first, second = places[a], places[b]
    if shapes.ints[b].kind == PLANE:
        return any_lane(far & (above_plane(first.low, first.high, second.pos, second.z) < second.reach + beyond))
    low, high = moved(first.low, -beyond), moved(first.high, beyond)
    return any_lane(far & boxes_meet(low, high, second.low, second.high))


@inline
def moved(a, by):
    """A corner, moved by as much along all axes."""
    return Vec3(a.x + by, a.y + by, a.z + by)
