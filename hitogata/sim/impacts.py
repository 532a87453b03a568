"""Nothing passes through anything: the motion of a substep is checked by conservative advancement.

Contact rows are linear in the pose at the start of a substep.  What turns far within it (a rod hit at its tip) may
leave them and pass; so after the velocities are solved the motion from q to q⁺ is looked at, of all pairs that move by
about their thinness or more.  If one would pass, the substep is taken again, and ends where that pair touches: there
its contact is found, and the rest of the time goes on from there (`stepping.run_steps`).  When a step has used up
its retakes, trees that would pass stay at their time of impact, and are as much slower as their way is shorter
(`stop_at_impact`).  For what is led (strands of hair) nothing is taken again: it stops there at once.

A body's path leads from its pose at q to that at q⁺, whatever the joints do in between: its origin along a straight
line, turning evenly.  That is a way from one to the other without a gap, so who does not meet on it does not pass.
"""

from typing import NamedTuple

from hitogata.contact.bounds import put
from hitogata.contact.conservative_advancement import (
    PASSING,
    SLOTS,
    Path,
    allowed_depth,
    share_before_impact,
    stand_still,
    turning_speed,
)
from hitogata.contact.layout import PLANE, WORLD, ContactPoint, ShapePlace
from hitogata.contact.narrowphase import above_plane, boxes_meet
from hitogata.contact.sweep_and_prune import Swept
from hitogata.dynamics.joints import go_part, is_floating
from hitogata.lanes import (
    any_lane,
    inline,
    kernel,
    lanes,
    maximum,
    minimum,
    record_size,
    records,
    rint,
    sqrt,
    tail,
    where,
)
from hitogata.sim.body_state import place_body
from hitogata.sim.pair_list import PAIRS, SWEPT
from hitogata.sim.travel import Travel, any_beyond, bound_travel, may_meet, travel_of
from hitogata.spatial import (
    Vec3,
    cols,
    dot,
    load3,
    quaternion_of,
    rotation_vector,
)

MOST_RETAKES = 8
"""Substeps of one step that are taken again because something would pass."""

MOST_STOPS = 8
"""Times that paths are shortened and looked at again; then all that moves stays where it was."""

SLOW = 0.375
"""While nothing moves by this part of the thinnest shape, nothing can pass: half of `PASSING`, for two move."""

TOO_SHORT = 1e-3
"""A share of the substep that is not worth taking it again."""

FULL_TURN = 6.283185307179586


class Checking(NamedTuple):
    """Views of the scratch of a check."""

    paths: records  # type: ignore[valid-type]  # of the world, then of each body
    shares: lanes  # type: ignore[valid-type]  # (bodies,): of its motion that a body keeps
    cuts: lanes  # type: ignore[valid-type]  # (bodies,): the same, in one round
    points: records  # type: ignore[valid-type]
    travels: records  # type: ignore[valid-type]  # of each body
    places: records  # type: ignore[valid-type]
    boxes: lanes  # type: ignore[valid-type]
    spare: lanes  # type: ignore[valid-type]  # of `touch`


def scratch_size(bodies: int) -> int:
    """Numbers of scratch, between the boxes of the sweep and the scratch of `touch`."""
    own = 2 + record_size(Path) + record_size(Travel)
    return record_size(Path) + bodies * own + SLOTS * record_size(ContactPoint)


@kernel
def open_checking(around, bodies):
    """Views of the scratch of a check, behind the places and boxes of the shapes."""
    boxes = tail(around.work, around.shapes.total * ShapePlace.SIZE)
    paths = tail(boxes, around.shapes.total * Swept.SIZE)
    shares = tail(paths, (bodies + 1) * Path.SIZE)
    points = tail(shares, 2 * bodies)
    travels = tail(points, SLOTS * ContactPoint.SIZE)
    return Checking(
        records(paths, Path), shares, tail(shares, bodies), records(points, ContactPoint), records(travels, Travel),
        records(around.work, ShapePlace), boxes, tail(travels, bodies * Travel.SIZE),
    )  # fmt: skip


@kernel
def first_impact(world, scene, around, state, start, contacts, law):
    """Share of the substep just taken after which something would pass; 1 if nothing does; and the same of what is led
    (`strands`).  Asked if `moves_fast`.

    Bodies are placed where they end only if some pair may meet (`travel`), and only such pairs are followed.

    scene: as the step left it: bodies placed where they were at its start, with their motions at its end.
    start: coordinates before the substep.
    contacts: how many points it found.
    """
    work, shapes, broad = open_checking(around, world.tree.bodies), around.shapes, around.broad
    bound_travel(scene, world.solid, shapes, work.places, law.h, work.travels)
    share, ended, kept = law.h * 0.0 + 1.0, False, min(contacts, around.capacity)
    led, tree = law.h * 0.0 + 1.0, world.tree
    if not any_beyond(shapes, work.travels, world.tree.bodies):
        for c in range(kept):
            a, b, first = around.contacts[c].a, around.contacts[c].b, True
            if c > 0:
                first = around.contacts[c - 1].pair != around.contacts[c].pair
            if first and any_lane(travel_of(shapes, work.travels, a, b) > PASSING * depth_of(shapes, a, b)):
                ended = find_ends(world, scene, state, law.h, work, ended)
                share, led = fast_share(tree, around, work, a, b, share, led)
    elif broad.head[SWEPT] == 1:  # others may meet than those that were near at the start
        ended = find_ends(world, scene, state, law.h, work, ended)
        for k in range(find_pairs(around, work, law)):
            share, led = fast_share(tree, around, work, broad.pairs[k].a, broad.pairs[k].b, share, led)
    else:
        c = 0
        for k in range(broad.head[PAIRS]):
            a, b, touched = broad.pairs[k].a, broad.pairs[k].b, False
            while c < kept and around.contacts[c].a == a and around.contacts[c].b == b:
                touched, c = True, c + 1
            if may_meet(shapes, work.places, work.travels, a, b, PASSING * depth_of(shapes, a, b), touched):
                ended = find_ends(world, scene, state, law.h, work, ended)
                share, led = fast_share(tree, around, work, a, b, share, led)
    for c in range(kept):
        a, b = around.contacts[c].a, around.contacts[c].b
        if any_lane(around.points[c].gap < -0.5 * depth_of(shapes, a, b)):  # it must not creep through, however slowly
            ended = find_ends(world, scene, state, law.h, work, ended)
            share, led = swept_share(tree, around, work, a, b, 0.0, share, led)
    return share, led


@kernel
def find_ends(world, scene, state, h, work, ended):
    """Paths of all bodies, and how far their points move by turning, unless they are known."""
    if not ended:
        note_starts(scene, work.paths)
        for i in range(world.tree.bodies):
            find_path(scene, state.q, h, h * 0.0 + 1.0, work.paths, i)
            work.cuts[i] = sqrt(square(work.paths[i + 1].turn)) * world.solid[i].radius
    return True


@kernel
def depth_of(shapes, a, b):
    """Depth of a pair that counts as passing."""
    depth, _ = allowed_depth(shapes, a, b)
    return depth


@kernel
def moves_fast(scene, solids, around, start, q, h):
    """Does a point of any body move so far within the substep that something may pass?"""
    most, tree, thin = h * 0.0, scene.tree, SLOW * around.shapes.thinnest
    for i in range(tree.bodies):
        motion, radius, way = scene.placed[i].motion, solids[i].radius, h * 0.0
        if is_floating(tree.joint[i]):  # an impact within the step is not in its motion at the end
            way = square(load3(q, tree.joint[i].iq) - load3(start, tree.joint[i].iq))
        way = maximum(way, square(motion.lin) * (h * h))
        most = maximum(most, 2.0 * (way + square(motion.ang) * (radius * radius * h * h)))  # >= (|v| + |ω| r)² h²
    return most > thin * thin


@kernel
def may_pass(shapes, paths, turning, a, b):
    """Do two shapes move so far against each other that they may pass, wherever they are?

    turning: how far points of each body move by turning, at the most [m].
    """
    one, two = shapes.ints[a].body, shapes.ints[b].body
    depth, _ = allowed_depth(shapes, a, b)
    shift, left = paths[one + 1].shift - paths[two + 1].shift, paths[one + 1].shift.x * 0.0 + PASSING * depth
    if one != WORLD:
        left = left - turning[one]
    if two != WORLD:
        left = left - turning[two]
    return (left <= 0.0) | (square(shift) > left * left)


@inline
def square(a):
    """|a|²."""
    return dot(a, a)


@kernel
def find_pairs(around, work, law):
    """Pairs of shapes whose swept boxes may meet; returns how many."""
    sweep_boxes(around.shapes, work.paths, work.places)
    return around.near(around.shapes, work.places, around.broad, work.boxes, law.contact_margin)


@kernel
def fast_share(tree, around, work, a, b, until, led):
    """`swept_share` of a pair that is looked at only if it moves far."""
    if any_lane(may_pass(around.shapes, work.paths, work.cuts, a, b)):
        return swept_share(tree, around, work, a, b, PASSING, until, led)
    return until, led


@kernel
def swept_share(tree, around, work, a, b, least, until, led):
    """`pair_share` of a pair whose boxes are to be swept first, added to those of all, or to those of what is led."""
    sweep_shape(around.shapes, work.paths, work.places, a)
    sweep_shape(around.shapes, work.paths, work.places, b)
    if is_led(tree, around.shapes.ints[a].body) or is_led(tree, around.shapes.ints[b].body):
        return until, pair_share(around, work, a, b, least, led)
    return pair_share(around, work, a, b, least, until), led


@kernel
def is_led(tree, body):
    """Does a body belong to a tree whose free root has an armature, so that something leads it (`strands`)?"""
    if body == WORLD:
        return False
    while tree.joint[body].parent >= 0:
        body = tree.joint[body].parent
    return is_floating(tree.joint[body]) and tree.joint[body].geared == 1


@kernel
def pair_share(around, work, a, b, least, until):
    """`share_before_impact` of a pair whose swept boxes meet.  Planes that move are left out: they have no end."""
    shapes = around.shapes
    one, two = work.places[a], work.places[b]
    if shapes.ints[b].kind == PLANE:
        if shapes.ints[b].body != WORLD:
            return until
        meet = above_plane(one.low, one.high, two.pos, two.z) < 0.0
    else:
        meet = boxes_meet(one.low, one.high, two.low, two.high)
    if not any_lane(meet):
        return until
    return share_before_impact(
        around.find_gap, around.touch, shapes, work.paths, work.places, a, b, meet, least, until, work.points,
        work.spare,
    )  # fmt: skip


# ------------------------------------------------------- paths


@kernel
def note_starts(scene, paths):
    """Where paths begin."""
    stand_still(paths[0])
    for i in range(scene.tree.bodies):
        paths[i + 1].rot, paths[i + 1].pos = scene.placed[i].rot, scene.placed[i].pos


@kernel
def find_path(scene, q, h, share, paths, i):
    """Path of a body to where it is at q, its parent having been there; it turns about as far as its motion tells in
    that share of h."""
    tree, placed, path = scene.tree, scene.placed[i], paths[i + 1]
    place_body(tree.joint[i], tree.body[i], placed, scene.placed, q)
    path.shift = placed.pos - path.pos
    path.turn = turn_from(path.rot, placed.rot, placed.motion.ang * (h * share))


@inline
def turn_from(start, end, about):
    """Rotation vector from one orientation to another: the one nearest to `about`, for it may go round and round."""
    r = rotation_vector(quaternion_of(end @ start.T))
    angle, rough = sqrt(dot(r, r)), sqrt(dot(about, about))
    turns, spins = angle > 1e-9, rough > 1.0
    axis = where(turns, r * (1.0 / where(turns, angle, 1.0)), about * (1.0 / where(spins, rough, 1.0)))
    more = rint((dot(about, axis) - angle) * (1.0 / FULL_TURN)) * FULL_TURN
    return r + axis * where(spins, more, 0.0)


@kernel
def sweep_boxes(shapes, paths, places):
    """Boxes around all places that shapes come to on their paths."""
    for s in range(shapes.total):
        sweep_shape(shapes, paths, places, s)


@kernel
def sweep_shape(shapes, paths, places, s):
    """The same around those of one shape."""
    body = shapes.ints[s].body
    if body != WORLD:
        own, path, place = shapes.floats[s], paths[body + 1], places[s]
        x, y, z = cols(path.rot @ own.rot)
        put(shapes.ints[s].kind, own.size, place, path.pos + path.rot @ own.pos, x, y, z, 0.0)
        place.low, place.high = swept_box(place.low, place.high, path.shift, turning_speed(shapes, path, s))


@inline
def swept_box(low, high, shift, by):
    """A box that holds what it held, on its way."""
    return (
        Vec3(low.x + minimum(shift.x, 0.0) - by, low.y + minimum(shift.y, 0.0) - by,
             low.z + minimum(shift.z, 0.0) - by),
        Vec3(high.x + maximum(shift.x, 0.0) + by, high.y + maximum(shift.y, 0.0) + by,
             high.z + maximum(shift.z, 0.0) + by),
    )  # fmt: skip


# ------------------------------------------------------- without retakes


@kernel
def stop_at_impact(world, scene, around, state, start, law, asking, all_trees):
    """Put trees that would pass to their time of impact, as much slower.  To be called after `first_impact`.

    A tree that stops may be in the way of another: so all is looked at again, MOST_STOPS times at the most.

    start: coordinates before the substep; asking: in which worlds; all_trees: not only those that are led.
    """
    tree, work = scene.tree, open_checking(around, world.tree.bodies)
    whole = law.h * 0.0 + 1.0
    for i in range(tree.bodies):
        work.shares[i] = whole
    for k in range(MOST_STOPS):
        for i in range(tree.bodies):
            work.cuts[i] = whole
        for i in range(tree.bodies):
            find_path(scene, state.q, law.h, work.shares[i], work.paths, i)
        first = whole
        for p in range(find_pairs(around, work, law)):
            a, b = around.broad.pairs[p].a, around.broad.pairs[p].b
            one, two = around.shapes.ints[a].body, around.shapes.ints[b].body
            cut_one, cut_two = all_trees or is_led(tree, one), all_trees or is_led(tree, two)
            if not (cut_one or cut_two):
                continue
            share = where(asking, pair_share(around, work, a, b, 0.0, whole), 1.0)
            if any_lane(share < 1.0):
                if 2 * k >= MOST_STOPS:
                    share = where(share < 1.0, 0.0, 1.0)
                first = minimum(first, share)
                if cut_one:
                    cut_body(work.cuts, one, share)
                if cut_two:
                    cut_body(work.cuts, two, share)
        if not any_lane(first < 1.0):
            break
        if k + 1 == MOST_STOPS:
            for i in range(tree.bodies):
                if all_trees or is_led(tree, i):
                    work.cuts[i] = where(first < 1.0, 0.0, 1.0)
        shorten_trees(tree, work)
        for i in range(tree.bodies):
            go_part(tree.joint[i], start, work.cuts[i], work.cuts[i] < 1.0, state.q)
    for i in range(tree.bodies):
        if any_lane(work.shares[i] < 1.0):
            slow_body(tree.joint[i], state, state.carried[i], work.shares[i])


@kernel
def slow_body(joint, state, carried, share):
    """A body that came only so far was only so fast: else springs and gravity would drive it on and on, on the spot."""
    for k in range(joint.iv, joint.iv + joint.count):
        state.mean[k] = state.mean[k] * share
    carried.centre, carried.spin = carried.centre * share, carried.spin * share
    carried.angular, carried.energy = carried.angular * share, carried.energy * (share * share)


@kernel
def cut_body(cuts, body, share):
    """A body does not come farther than this share of its path."""
    if body != WORLD:
        cuts[body] = minimum(cuts[body], share)


@kernel
def shorten_trees(tree, work):
    """All bodies of a tree keep the same share of their motion: the least."""
    for i in range(tree.bodies - 1, -1, -1):
        parent = tree.joint[i].parent
        if parent >= 0:
            work.cuts[parent] = minimum(work.cuts[parent], work.cuts[i])
    for i in range(tree.bodies):
        parent = tree.joint[i].parent
        if parent >= 0:
            work.cuts[i] = work.cuts[parent]
        work.shares[i] = work.shares[i] * work.cuts[i]
