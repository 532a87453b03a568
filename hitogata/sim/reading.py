"""Forces of the last step: what its impulses were, per time.

Every force is a mean over the last step (over its last piece, if it was cut).  Contacts and ties keep their impulses,
limits too.  Of a figure that was put into the world, or elsewhere, since the last step, nothing else is known: zeros.
What a joint carries follows from the momenta: a body's momentum after the step is the one it brought
along, plus gravity, pulls, contacts and ties, plus what came through its joints.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.contacts import axes_along
from hitogata.constraints.springs import damper_of
from hitogata.contact.layout import Contact, ContactPoint
from hitogata.dynamics import difference
from hitogata.dynamics.layout import HEADER as HEADER_OF_MODEL
from hitogata.dynamics.layout import Body, model_of
from hitogata.figure import JointKind
from hitogata.figure.pose import FloatArray
from hitogata.lanes import X1, entry, inline, kernel, lanes, record_offsets, record_size
from hitogata.sim.energy_momentum import momentum_at, weight_of
from hitogata.sim.free_motion import about_root
from hitogata.sim.layout import open_control, open_scene, open_state, open_world
from hitogata.sim.loose import wrenches_of
from hitogata.sim.parts import state_parts
from hitogata.sim.placing import place
from hitogata.spatial import Force, Vec3, cross, load6, store6

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
    """

    position: FloatArray
    normal: FloatArray
    gap: float
    force: FloatArray
    a: "tuple[Member, str] | None"
    b: "tuple[Member, str] | None"


def contact_forces(world: "World") -> list[ContactForce]:
    """Contact points of the last step, with their forces."""
    ints, points = world.arrays.last_contacts()
    at, column = record_offsets(ContactPoint), record_offsets(Contact)
    result = []
    for row, point in zip(ints, points, strict=True):
        if point[at["gap"]] > world.settings.contact_margin and not point[at["impulse"] : at["impulse"] + 3].any():
            continue  # it was only looked at
        a, b = (_owner(world, int(row[column[name]])) for name in ("a", "b"))
        normal = point[at["normal"] : at["normal"] + 3]
        ends = [end[0] for end in (a, b) if end is not None]
        force = _contact_force(row, point) / world.arrays.h_of(ends[0])
        result.append(ContactForce(point[:3].copy(), normal.copy(), float(point[at["gap"]]), force, a, b))
    return result


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
    span = arrays.span_of(member)
    impulses = arrays.state[state_parts(arrays.forest, span).limit_impulse].reshape(-1, 2)
    bodies = np.array(span.body_of_link) - span.bodies.start
    result = impulses[bodies]
    for k, link in enumerate(member.figure.links):
        if link.joint.kind is JointKind.UNIVERSAL:  # two bodies, one interval each
            result[k] = impulses[bodies[k] - 1 : bodies[k] + 1].sum(axis=1)
        elif link.joint.kind is not JointKind.BALL:  # both ends of an interval
            result[k] = impulses[bodies[k]].sum(), 0.0
    return result / arrays.h_of(member)


def motor_forces(member: "Member") -> FloatArray:
    """What springs and dampers of motors do in the joints, shape (nv,) [N m], [N]: -(K e + C (v - rate))."""
    figure, arrays = member.figure, member._arrays
    force, model, v = np.zeros(figure.nv), model_of(figure), arrays.taken_v(member)
    if member in arrays.unread:
        return force
    controls, h, theta = arrays.controls_of(member), arrays.h_of(member), arrays.contents.settings.theta
    error = difference(figure, controls.target, arrays.q_of(member, arrays.start))
    passive = model.floats[HEADER_OF_MODEL:].reshape(-1, record_size(Body))[:, record_offsets(Body)["damping"]]
    for link, body in zip(figure.links, model.body_of_link, strict=True):
        cut = figure.v_slice(link.name)
        last = body - (link.joint.kind is JointKind.UNIVERSAL)
        for k, b in enumerate(range(last, body + 1) if last < body else [body] * (cut.stop - cut.start)):
            i = cut.start + k
            stiffness, damping = controls.motor[b, :2]
            damper = damper_of(stiffness, damping + passive[b], h, theta) - passive[b]
            if link.joint.kind is not JointKind.FREE:
                force[i] = -stiffness * error[i] - damper * (v[i] - controls.rate[i])
    return force


def joint_forces(member: "Member") -> FloatArray:
    """Torque [N m] and force [N] that each link feels from its joint, shape (nlinks, 6).

    World axes, about the joint; all of it: the motor's, the limits', and what holds the joint together.
    """
    arrays = member._arrays
    forest, span, h = arrays.forest, arrays.span_of(member), arrays.h_of(member)
    if member in arrays.unread:
        return np.zeros((member.figure.nlinks, 6))
    if arrays.loose is not None:
        return wrenches_of(arrays.loose.held_in(arrays.state)[span.links], h)
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
        forest.ints, forest.floats, arrays.start, arrays.state, arrays.control, arrays.work, outside, out, h
    )
    return out[:-6].reshape(-1, 6)[list(span.body_of_link)]


def _add(outside: FloatArray, body: int, at: FloatArray, force: FloatArray) -> None:
    """Add an impulse at a point of the world to what acts on a body, about the world's origin."""
    if body >= 0:
        outside[6 * body : 6 * body + 3] += np.cross(at, force)
        outside[6 * body + 3 : 6 * body + 6] += force


# ------------------------------------------------------- kernels


@entry
def read_joints(ints, floats, before, state, control, work, outside, out, h):
    """Wrench through each body's joint; `before` is the state before the step.

    outside: impulses of contacts and ties, about the world's origin, (bodies, 6).
    """
    world = open_world(ints, floats)
    scene, start, targets = open_scene(world, work), open_state(world, before), open_control(world, control)
    place(scene, world.solid, start)
    sum_wrenches(
        scene, world.solid, start, open_state(world, state), targets, lanes(outside, X1), lanes(out, X1), h
    )


@kernel
def sum_wrenches(scene, solids, start, state, control, outside, out, h):
    """What is missing in each subtree's momentum came through its joint."""
    kick = h
    for i in range(scene.tree.bodies):
        if scene.tree.joint[i].parent < 0:
            kick = h + start.owed[i] - state.owed[i]
        placed, now, solid, pull = scene.placed[i], state.carried[i], solids[i], control.pull[i]
        reach = placed.rel + placed.rot @ pull.point
        missing = momentum_at(solid.mass, placed.rel + placed.arm, now.centre, now.angular)
        missing = missing - placed.momentum - weight_of(placed.inertia, scene.tree.gravity * kick)
        missing = missing - about_root(pull.force * h, pull.torque * h, reach)
        placed.momentum = missing - shifted(load6(outside, 6 * i), placed.pos - placed.rel)
    for i in range(scene.tree.bodies - 1, -1, -1):
        placed, above = scene.placed[i], scene.tree.joint[i].parent
        store6(out, 6 * i, shifted(placed.momentum, placed.rel) * (1.0 / h))
        if above >= 0:
            scene.placed[above].momentum = scene.placed[above].momentum + placed.momentum


@inline
def shifted(wrench, to):
    """A wrench about the point `to` instead of the origin."""
    return Force(wrench.ang - cross(to, wrench.lin), wrench.lin)
