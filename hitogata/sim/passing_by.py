"""What passes by: no impulse while the gap stays open over the substep.

A contact row is linear in the pose at the start of the substep: it takes a gap g to become g + h u, with u its rate
along the normal there.  What passes beside something round, or turns, leaves that line, and bodies that miss each other
would collide.  So the free motion of pairs that are apart, but that their rows would stop, is followed by conservative
advancement (`contact.conservative_advancement.least_gap`).  If it keeps a gap G > 0 all the way, their rows are given

    g' = G - h u

and act only on what else in the step drives them nearer than that.  What touches on its way keeps its rows as they are,
and so does what overlaps, or is slow: resting contact pays nothing.
"""

from hitogata.constraints.contacts import NOWHERE, fall_of, point_motion
from hitogata.contact.conservative_advancement import least_gap, stand_still
from hitogata.contact.layout import FIELD, PLANE, SPHERE, WORLD
from hitogata.lanes import any_lane, kernel, maximum, minimum, where
from hitogata.sim.impacts import open_checking
from hitogata.spatial import dot

TOUCHING = 0.05
"""Of `Settings.contact_depth`: what comes nearer than this touches."""


@kernel
def keep_open(scene, around, found, law):
    """Widen the gaps of all contact points of pairs that pass by."""
    work, first = open_checking(around, scene.tree.bodies), 0
    stand_still(work.paths[0])
    while first < found:
        end = first + 1
        while end < found and around.contacts[end].pair == around.contacts[first].pair:
            end += 1
        if bends(around.shapes, around.contacts[first].a, around.contacts[first].b):
            keep_pair_open(scene, around, work, first, end, law)
        first = end


@kernel
def bends(shapes, a, b):
    """May the gap of a pair change otherwise than evenly, and is it one whose way can be followed?  Planes that move
    have no end; on height fields gaps are known with rounded edges only."""
    if shapes.ints[a].kind == FIELD:
        return False
    return shapes.ints[b].kind != PLANE or (shapes.ints[a].kind != SPHERE and shapes.ints[b].body == WORLD)


@kernel
def keep_pair_open(scene, around, work, first, end, law):
    """The same for the points of one pair."""
    contact, least = around.contacts[first], law.h * 0.0 + NOWHERE
    for c in range(first, end):
        least = minimum(least, around.points[c].gap)
    apart = (least > 0.0) & (least < NOWHERE)
    if not any_lane(apart):
        return
    ahead, fastest = least, least * 0.0
    for c in range(first, end):
        point = around.points[c]
        there, u = point.gap < NOWHERE, speed_at(scene, contact, point.pos, law.h)
        ahead = minimum(ahead, where(there, point.gap + law.h * dot(point.normal, u), least))
        fastest = maximum(fastest, where(there, dot(u, u), 0.0))
    slow = law.contact_depth / law.h
    closing = apart & (ahead < 0.0) & (fastest > slow * slow)
    if not any_lane(closing):
        return
    note_path(scene, work.paths, contact.body_a, law.h)
    note_path(scene, work.paths, contact.body_b, law.h)
    kept = least_gap(
        around.find_gap, around.touch, around.shapes, work.paths, work.places, contact.a, contact.b, closing,
        TOUCHING * law.contact_depth, work.points, work.spare,
    )  # fmt: skip
    passes = closing & (kept > 0.0)
    for c in range(first, end):
        point = around.points[c]
        widened = kept - law.h * dot(point.normal, speed_at(scene, contact, point.pos, law.h))
        widens = passes & (point.gap < NOWHERE) & (widened > point.gap)
        point.gap = where(widens, widened, point.gap)


@kernel
def speed_at(scene, contact, pos, h):
    """Velocity of shape A against B at a point, at the end of the step if nothing but gravity acts."""
    u = (fall_of(scene.tree, contact.body_a) - fall_of(scene.tree, contact.body_b)) * h
    if contact.body_a >= 0:
        a = scene.placed[contact.body_a]
        u = u + point_motion(a.motion, pos - a.pos)
    if contact.body_b >= 0:
        b = scene.placed[contact.body_b]
        u = u - point_motion(b.motion, pos - b.pos)
    return u


@kernel
def note_path(scene, paths, body, h):
    """Path of a body on which nothing but gravity acts."""
    if body != WORLD:
        placed, path = scene.placed[body], paths[body + 1]
        path.rot, path.pos = placed.rot, placed.pos
        path.shift = (placed.motion.lin + fall_of(scene.tree, body) * h) * h
        path.turn = placed.motion.ang * h
