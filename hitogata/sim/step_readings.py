"""Forces of the last step: what its impulses were, per time.

Every force is a mean over the last step, with all its substeps if it was cut (`substeps`).  Contacts, ties, limits and
motors keep what they did in the last one.  Of a figure that was put into the world, or elsewhere, since the last step,
nothing else is known: zeros.  What a joint carries follows from the momenta (`joint_wrenches`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.contacts import axes_along
from hitogata.contact.layout import Contact, ContactPoint
from hitogata.dynamics.follower_model import tree_model_of
from hitogata.figure.pose import FloatArray
from hitogata.lanes import X1, entry, lanes, record_offsets
from hitogata.sim.body_state import place, turn_momenta
from hitogata.sim.joint_wrenches import sum_wrenches
from hitogata.sim.layout import open_control, open_scene, open_state, open_world
from hitogata.sim.loose_bodies import reactions_of
from hitogata.sim.parts import state_parts
from hitogata.sim.substeps import TIME, PointSums
from hitogata.spatial import Vec3

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.world import World


@dataclass(frozen=True)
class ContactForce:
    """A contact point of the last step.

    Attributes:
        position: world [m].
        normal: unit, from b to a.
        gap: [m], < 0 overlapping.
        force: on a, world axes [N], mean over the step.
        a: (figure, link) or None for the ground.
        b: the same.
        impulse: on a, of the whole step, world axes [N s].
        peak: greatest force, mean over one substep [N].
        torque: on a, about the position, world axes [N m], mean over the step: what is left of the moment of a step in
            several substeps, whose position is the middle of theirs; else zero.
    """

    position: FloatArray
    normal: FloatArray
    gap: float
    force: FloatArray
    a: "tuple[Member, str] | None"
    b: "tuple[Member, str] | None"
    impulse: FloatArray
    peak: float
    torque: FloatArray


def contact_forces(world: "World") -> list[ContactForce]:
    """Contact points of the last step, with their forces."""
    arrays, margin = world.arrays, world.settings.contact_margin
    at, column, sums = record_offsets(ContactPoint), record_offsets(Contact), record_offsets(PointSums)
    earlier = {
        (int(row[column["pair"]]), float(point[sums["feature"]])): (row, point)
        for row, point in zip(*arrays.earlier_contacts(), strict=True)
    }
    result = []
    for row, point in zip(*arrays.last_contacts(), strict=True):
        before = earlier.pop((int(row[column["pair"]]), float(point[at["feature"]])), None)
        if before is not None or point[at["gap"]] <= margin or point[at["impulse"] : at["impulse"] + 3].any():
            result.append(_contact(world, row, point, None if before is None else before[1]))
    result += [_contact(world, row, None, before) for row, before in earlier.values()]
    return result


def _contact(world: "World", row: Any, last: FloatArray | None, before: FloatArray | None) -> ContactForce:
    """A contact point that pushed, or was near, in the last substep, in earlier ones, or both."""
    at, column, sums = record_offsets(ContactPoint), record_offsets(Contact), record_offsets(PointSums)
    arrays = world.arrays
    a, b = (_owner(world, int(row[column[name]])) for name in ("a", "b"))
    member = next(end[0] for end in (a, b) if end is not None)
    impulse, moment, place, normal = list[FloatArray](np.zeros((4, 3)))
    weight, peak, gap = 0.0, 0.0, 0.0
    if before is not None and arrays.nap_of(member) is None:
        impulse, moment, place = (before[sums[n] : sums[n] + 3].copy() for n in ("impulse", "moment", "place"))
        weight, peak, gap = (float(before[sums[n]]) for n in ("weight", "peak", "gap"))
        normal = before[sums["normal"] : sums["normal"] + 3].copy()
    if last is not None:
        own, where, normal = _contact_force(row, last), last[:3], last[at["normal"] : at["normal"] + 3].copy()
        size, gap = float(np.linalg.norm(own)), float(last[at["gap"]])
        if weight == 0.0:
            impulse, moment, place, weight = own, np.cross(where, own), where * (size or 1.0), size or 1.0
        else:
            impulse, moment = impulse + own, moment + np.cross(where, own)
            place, weight = place + where * size, weight + size
        peak = max(peak, size / arrays.piece_h_of(member))
    position, h = place / weight, arrays.h_of(member)
    torque = (moment - np.cross(position, impulse)) / h if before is not None else np.zeros(3)
    return ContactForce(position, normal, gap, impulse / h, a, b, impulse, peak, torque)


def _contact_force(row: Any, point: FloatArray) -> FloatArray:
    """Impulse on a, world axes; the row's axes are seen from the body that is not the world."""
    at, column = record_offsets(ContactPoint), record_offsets(Contact)
    sign = -1.0 if row[column["body_a"]] < 0 else 1.0
    n, impulse = sign * point[at["normal"] : at["normal"] + 3], point[at["impulse"] : at["impulse"] + 3]
    m = axes_along(Vec3(*n))
    axes = np.array([[m.xx, m.xy, m.xz], [m.yx, m.yy, m.yz], [m.zx, m.zy, m.zz]])
    return sign * axes.T @ impulse


def _owner(world: "World", shape: int) -> "tuple[Member, str] | None":
    shapes = world.arrays.shapes
    figure, link = shapes.column("figure")[shape], shapes.column("link")[shape]
    if figure < 0:
        return None
    member = world.arrays.contents.members[figure]
    return member, member.figure.link_names[link]


def link_contact_forces(member: "Member") -> FloatArray:
    """Sum of the contact forces on each link, world axes [N], shape (nlinks, 3)."""
    _ = member._arrays  # it may have been removed
    total = np.zeros((member.figure.nlinks, 3))
    for contact in contact_forces(member.world):
        for end, sign in ((contact.a, 1.0), (contact.b, -1.0)):
            if end is not None and end[0] is member:
                total[member.figure.link_index(end[1])] += sign * contact.force
    return total


def limit_forces(member: "Member") -> FloatArray:
    """What limits and range walls push with, shape (nlinks, 2) [N m], [N]; see `Member.limit_forces`."""
    arrays = member._arrays
    impulses = _limit_impulses(member) + arrays.earlier_of(member).limit
    return _of_limits(member, impulses) / arrays.h_of(member)


def limit_peaks(member: "Member") -> FloatArray:
    """Greatest forces of limits and range walls, shape (nlinks, 2) [N m], [N]."""
    arrays = member._arrays
    last = _limit_impulses(member) / arrays.piece_h_of(member)
    return _of_limits(member, np.maximum(last, arrays.earlier_of(member).limit_peak))


def _limit_impulses(member: "Member") -> FloatArray:
    """Impulses of limits in the last substep, shape (bodies, 2)."""
    arrays = member._arrays
    return arrays.state[state_parts(arrays.forest, arrays.span_of(member)).limit_impulse].reshape(-1, 2)


def _of_limits(member: "Member", values: FloatArray) -> FloatArray:
    """Two numbers of each body as two of each link."""
    span, model = member._arrays.span_of(member), tree_model_of(member.figure)
    bodies = np.array(span.body_of_link) - span.bodies.start
    result = values[bodies]
    for k, link in enumerate(member.figure.links):
        if link.joint.screws or link.joint.follows:  # both ends of an interval for each
            result[k] = 0.0
            own = values[list(model.driven_by(member.figure, k))].sum(axis=1)
            result[k, : min(2, len(own))] = own if len(own) <= 2 else np.sort(own)[:-3:-1]
    return result


def motor_forces(member: "Member") -> FloatArray:
    """What springs and dampers of motors do in the joints, shape (nv,) [N m], [N]; see `motors`."""
    arrays, last = member._arrays, _last_motors(member)
    if arrays.sums[TIME] == 0.0:
        return last
    mean = (arrays.earlier_of(member).motor + last * arrays.piece_h_of(member)) / arrays.h_of(member)
    peak = motor_peaks(member)  # no mean is above it, but for rounding
    return np.clip(mean, -peak, peak)


def motor_peaks(member: "Member") -> FloatArray:
    """The greatest of it, without sign, shape (nv,) [N m], [N]."""
    return np.maximum(np.abs(_last_motors(member)), member._arrays.earlier_of(member).motor_peak)


def _last_motors(member: "Member") -> FloatArray:
    """Forces of motors in the last substep, shape (nv,)."""
    arrays = member._arrays
    if member in arrays.unread:
        return np.zeros(member.figure.nv)
    return arrays.state[state_parts(arrays.forest, arrays.span_of(member)).motor].copy()


def joint_forces(member: "Member") -> FloatArray:
    """Torque [N m] and force [N] that each link feels from its joint, shape (nlinks, 6).

    World axes, about the joint; all of it: the motor's, the limits', and what holds the joint together.
    """
    arrays = member._arrays
    if member in arrays.unread:
        return np.zeros((member.figure.nlinks, 6))
    return (_own_bodies(member, arrays.earlier_of(member).wrench) + _last_wrenches(member)) / arrays.h_of(member)


def joint_peaks(member: "Member") -> FloatArray:
    """Greatest torque [N m] and force [N] of each joint, shape (nlinks, 2)."""
    arrays = member._arrays
    if member in arrays.unread:
        return np.zeros((member.figure.nlinks, 2))
    last = np.linalg.norm(_last_wrenches(member).reshape(-1, 2, 3), axis=2) / arrays.piece_h_of(member)
    return np.maximum(last, _own_bodies(member, arrays.earlier_of(member).wrench_peak))


def _own_bodies(member: "Member", values: FloatArray) -> FloatArray:
    """Rows of a figure's links, from rows of its bodies."""
    span = member._arrays.span_of(member)
    return values[np.array(span.body_of_link) - span.bodies.start]


def _last_wrenches(member: "Member") -> FloatArray:
    """Impulses through the joints in the last substep, [torque; force], shape (nlinks, 6)."""
    arrays = member._arrays
    forest, span, h = arrays.forest, arrays.span_of(member), arrays.piece_h_of(member)
    if arrays.loose is not None:
        return reactions_of(arrays.loose.held_in(arrays.state)[span.links])
    outside, out = np.zeros(6 * forest.bodies + 6), np.zeros(6 * forest.bodies + 6)
    ints, points = arrays.last_contacts()
    column = record_offsets(Contact)
    for row, point in zip(ints, points, strict=True):
        force = _contact_force(row, point)
        for name, sign in (("body_a", 1.0), ("body_b", -1.0)):
            _add(outside, int(row[column[name]]), point[:3], sign * force)
    for tie in arrays.contents.ties:
        for body, at, force in tie._impulses():
            _add(outside, body, at, force)
    read_joints(
        forest.ints, forest.floats, arrays.start, arrays.end_of(member), arrays.control, arrays.work, outside, out, h,
        arrays.law[1],
    )
    return out[:-6].reshape(-1, 6)[list(span.body_of_link)]


def _add(outside: FloatArray, body: int, at: FloatArray, force: FloatArray) -> None:
    """Add an impulse at a point of the world to what acts on a body, about the world's origin."""
    if body >= 0:
        outside[6 * body : 6 * body + 3] += np.cross(at, force)
        outside[6 * body + 3 : 6 * body + 6] += force


# ------------------------------------------------------- kernels


@entry
def read_joints(ints, floats, before, state, control, work, outside, out, h, keep):
    """Impulse through each body's joint; `before` is the state before the substep.

    outside: impulses of contacts and ties, about the world's origin, (bodies, 6); keep: `Settings.keep_energy`.
    """
    world = open_world(ints, floats)
    scene, start, targets = open_scene(world, work), open_state(world, before), open_control(world, control)
    place(scene, world.solid, start)
    if keep == 0.0:
        turn_momenta(scene, world.solid, start, h)
    sum_wrenches(
        scene, world.solid, start, open_state(world, state), targets, lanes(outside, X1), lanes(out, X1), h
    )
