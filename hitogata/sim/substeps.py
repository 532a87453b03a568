"""Forces of a whole step: what its earlier substeps did, kept to be told together with the last one.

A step in which something is fast is cut into substeps (`pieces.pieces_for`).  Limits, motors, contacts, springs
and ropes keep what they did in the last one, with which the next begins.  What those before it did is summed up here as
soon as each of them counts: a substep that is taken again does not.  Forces of a step are

    (impulses of the earlier substeps + impulse of the last) / length of the step

and their peak is the greatest mean over one substep.  A step in one piece has no earlier ones, and costs nothing.

    sums     floats  time of the earlier substeps; impulses and peaks of motors, of limits; of joints (`JointSums`), in
                     batches, of shapes instead
    earlier  ints    `Contact` of each contact point that pushed in an earlier substep, sorted by pair; in two halves
             floats  `PointSums`, the same
"""

from typing import NamedTuple

from hitogata.contact.layout import FAR, Contact
from hitogata.lanes import absolute, any_lane, inline, kernel, lanes, record, record_size, records, sqrt, tail, where
from hitogata.sim.joint_wrenches import gather_outside, impulse_on_a, sum_wrenches
from hitogata.sim.layout import CAPACITY, EARLIER, EARLIER_HALF
from hitogata.spatial import Force, Vec3, cross, dot, load6

TIME, HEAD = 0, 1
"""Place of the time of the earlier substeps in the sums, and where these begin."""


@record
class JointSums:
    """A body's joint in the earlier substeps."""

    wrench: Force  # impulse on the body, about the joint, world axes
    torque: float  # peak of its torque [N m]
    force: float  # peak of its force [N]


@record
class PointSums:
    """A contact point in the earlier substeps."""

    impulse: Vec3  # on a, world axes [N s]
    moment: Vec3  # the same about the world's origin
    place: Vec3  # sum of its places, weighted by how hard it pushed
    weight: float
    normal: Vec3  # the last
    gap: float
    feature: float
    peak: float  # [N]


class Sums(NamedTuple):
    """Views of the sums."""

    head: lanes  # type: ignore[valid-type]
    motor: lanes  # type: ignore[valid-type]  # (nv,): impulse
    motor_peak: lanes  # type: ignore[valid-type]  # (nv,): force
    limit: lanes  # type: ignore[valid-type]  # (bodies, 2): impulse
    limit_peak: lanes  # type: ignore[valid-type]  # (bodies, 2): force
    rest: lanes  # type: ignore[valid-type]  # joints, or shapes


class Told(NamedTuple):
    """What a world knows of a step besides its state."""

    sums: Sums
    numbers: int  # of the sums
    contacts: lanes  # type: ignore[valid-type]  # int
    points: lanes  # type: ignore[valid-type]
    log: lanes  # type: ignore[valid-type]  # int: see `contact_log`
    log_numbers: lanes  # type: ignore[valid-type]
    scratch: lanes  # type: ignore[valid-type]  # (bodies, 12)


def sums_size(nv: int, bodies: int) -> int:
    """Numbers of the sums of a world."""
    return HEAD + 2 * nv + bodies * (4 + record_size(JointSums))


def batch_sums_size(nv: int, bodies: int, shapes: int) -> int:
    """Numbers of the sums of a world in a batch."""
    return HEAD + 2 * nv + 4 * bodies + 3 * shapes


@kernel
def world_sums(tree):
    """The same inside kernels."""
    return HEAD + 2 * tree.nv + tree.bodies * (4 + JointSums.SIZE)


@kernel
def block_sums(tree, shapes):
    """`batch_sums_size` inside kernels."""
    return HEAD + 2 * tree.nv + 4 * tree.bodies + 3 * shapes


@kernel
def sums_in(tree, head):
    """Views of the sums in a flat view of any width."""
    motor = tail(head, HEAD)
    motor_peak = tail(motor, tree.nv)
    limit = tail(motor_peak, tree.nv)
    limit_peak = tail(limit, 2 * tree.bodies)
    return Sums(head, motor, motor_peak, limit, limit_peak, tail(limit_peak, 2 * tree.bodies))


# ------------------------------------------------------- all widths


@kernel
def forget_earlier(sums, count, ties, tie_count):
    """Before a step: nothing is known of earlier substeps, where the last step had any.  count: numbers of the sums."""
    had = sums.head[TIME] > 0.0
    if any_lane(had):
        for k in range(count):
            sums.head[k] = where(had, 0.0, sums.head[k])
        for t in range(tie_count):
            tie, none = ties[t], ties[t].impulse * 0.0
            tie.earlier = where(had, none, tie.earlier)
            tie.earlier_own = where(had, none, tie.earlier_own)
            tie.peak = where(had, 0.0, tie.peak)


@kernel
def add_motors_and_limits(sums, tree, state, h, more):
    """Add what motors and limits did in a substep, in worlds where more are to come."""
    sums.head[TIME] = sums.head[TIME] + where(more, h, 0.0)
    for k in range(tree.nv):
        force = state.motor[k]
        sums.motor[k] = sums.motor[k] + where(more, force * h, 0.0)
        sums.motor_peak[k] = higher(sums.motor_peak[k], absolute(force), more)
    for k in range(2 * tree.bodies):
        impulse = state.limit_impulse[k]
        sums.limit[k] = sums.limit[k] + where(more, impulse, 0.0)
        sums.limit_peak[k] = higher(sums.limit_peak[k], impulse / h, more)


@kernel
def add_ties(scene, around, h, more):
    """Add what springs and ropes did; bodies are placed where the substep began."""
    for t in range(around.tie_count):
        tie, rot, none = around.ties[t], scene.placed[around.tie_ints[t].body_a].rot, around.ties[t].impulse * 0.0
        impulse = where(more, tie.impulse, none)
        tie.earlier = tie.earlier + impulse
        tie.earlier_own = tie.earlier_own + rot.T @ impulse
        tie.peak = higher(tie.peak, length(tie.impulse) / h, more)


@inline
def higher(old, new, more):
    """The greater one, in worlds where more substeps are to come."""
    return where(more & (new > old), new, old)


@inline
def length(a):
    """|a|."""
    return sqrt(dot(a, a))


@kernel
def add_shape_impulses(rest, around, found, more):
    """Batches: add the impulses of contacts on each shape, world axes, (shapes, 3)."""
    for c in range(found):
        contact, point = around.contacts[c], around.points[c]
        push = impulse_on_a(contact, point)
        push = where(more & (point.gap < 0.5 * FAR), push, Vec3(0.0, 0.0, 0.0))
        add3(rest, 3 * contact.a, push)
        add3(rest, 3 * contact.b, push * -1.0)


@inline
def add3(view, at, a):
    """Add a vector to three numbers."""
    view[at] = view[at] + a.x
    view[at + 1] = view[at + 1] + a.y
    view[at + 2] = view[at + 2] + a.z


# ------------------------------------------------------- one world


@kernel
def add_joint(joint, wrench, h):
    """Add what came through a joint."""
    joint.wrench = joint.wrench + wrench
    joint.torque = maximum_of(joint.torque, length(wrench.ang) / h)
    joint.force = maximum_of(joint.force, length(wrench.lin) / h)


@inline
def maximum_of(a, b):
    """The greater of two numbers."""
    return where(a > b, a, b)


@kernel
def add_joints(world, scene, told, start, state, control, around, found, h):
    """Add what came through all joints; bodies are placed where the substep began, with the state `start`."""
    bodies = world.tree.bodies
    joints, outside, out = records(told.sums.rest, JointSums), told.scratch, tail(told.scratch, 6 * bodies)
    gather_outside(scene, around, found, outside)
    sum_wrenches(scene, world.solid, start, state, control, outside, out, h)
    for i in range(bodies):
        wrench = load6(out, 6 * i)
        add_joint(joints[i], Force(wrench.ang, wrench.lin), h)


@kernel
def half_of(told, counts, half):
    """Contacts and points in one half of their arrays."""
    at = half * counts[CAPACITY]
    return (
        records(tail(told.contacts, at * Contact.SIZE), Contact),
        records(tail(told.points, at * PointSums.SIZE), PointSums),
    )


@kernel
def add_contacts(told, counts, contacts, points, found, h):
    """Add the contact points that pushed in a substep; returns how many there are now, more than there is room for if
    they did not fit.

    Both lists are sorted by pair; a point is known again by its pair and feature.
    """
    half, count, capacity = counts[EARLIER_HALF], counts[EARLIER], counts[CAPACITY]
    old, old_points = half_of(told, counts, half)
    new, new_points = half_of(told, counts, 1 - half)
    i, j, end = 0, 0, 0
    while i < found or j < count:
        if j >= count or (i < found and contacts[i].pair < old[j].pair):
            if pushes(points[i]):
                if end < capacity:
                    begin_point(new[end], new_points[end], contacts[i], points[i], h)
                end += 1
            i += 1
        elif i >= found or old[j].pair < contacts[i].pair:
            if end < capacity:
                copy_point(new[end], new_points[end], old[j], old_points[j])
            end += 1
            j += 1
        else:
            pair, first = old[j].pair, end
            while j < count and old[j].pair == pair:
                if end < capacity:
                    copy_point(new[end], new_points[end], old[j], old_points[j])
                end += 1
                j += 1
            known = min(end, capacity)
            while i < found and contacts[i].pair == pair:
                if pushes(points[i]):
                    k = first
                    while k < known and new_points[k].feature != points[i].feature:
                        k += 1
                    if k < known:
                        add_point(new_points[k], contacts[i], points[i], h)
                    else:
                        if end < capacity:
                            begin_point(new[end], new_points[end], contacts[i], points[i], h)
                        end += 1
                i += 1
    if end <= capacity:
        counts[EARLIER] = end
        counts[EARLIER_HALF] = 1 - half
    return end


@kernel
def pushes(point):
    """Does a contact point push?"""
    return point.impulse.x != 0.0 or point.impulse.y != 0.0 or point.impulse.z != 0.0


@kernel
def copy_contact(target, source):
    """Whose a contact point is."""
    target.pair = source.pair
    target.a = source.a
    target.b = source.b
    target.body_a = source.body_a
    target.body_b = source.body_b
    target.slot = source.slot


@kernel
def copy_point(target, target_point, source, source_point):
    """A point that was known before."""
    copy_contact(target, source)
    target_point.impulse = source_point.impulse
    target_point.moment = source_point.moment
    target_point.place = source_point.place
    target_point.weight = source_point.weight
    target_point.normal = source_point.normal
    target_point.gap = source_point.gap
    target_point.feature = source_point.feature
    target_point.peak = source_point.peak


@kernel
def begin_point(target, target_point, contact, point, h):
    """A point that was not."""
    copy_contact(target, contact)
    none = point.pos * 0.0
    target_point.impulse = none
    target_point.moment = none
    target_point.place = none
    target_point.weight = 0.0
    target_point.feature = point.feature
    target_point.peak = 0.0
    add_point(target_point, contact, point, h)


@kernel
def add_point(target, contact, point, h):
    """Add what a point did in a substep."""
    impulse = impulse_on_a(contact, point)
    size = length(impulse)
    target.impulse = target.impulse + impulse
    target.moment = target.moment + cross(point.pos, impulse)
    target.place = target.place + point.pos * size
    target.weight = target.weight + size
    target.normal = point.normal
    target.gap = point.gap
    target.peak = maximum_of(target.peak, size / h)
