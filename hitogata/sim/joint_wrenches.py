"""What came through the joints of a figure in a substep, from the momenta.

A body's momentum after the substep is the one it brought along, plus gravity, pulls, contacts and ties, plus what came
through its joints: so the wrench through a joint is what is missing in the momentum of all that hangs on it.
"""

from hitogata.constraints.contacts import axes_along
from hitogata.lanes import inline, kernel
from hitogata.sim.free_motion import about_root
from hitogata.sim.tree_energy import momentum_at
from hitogata.sim.tree_motion import weight_of
from hitogata.spatial import Force, cross, load6, store6


@kernel
def sum_wrenches(scene, solids, start, state, control, outside, out, h):
    """Impulse of each parent on its body through the joint, world axes, about the joint, into `out` (bodies, 6).

    Bodies are placed where the substep began, with the state `start`; `state` is what it ended with.
    outside: impulses of contacts and ties, about the world's origin, (bodies, 6).
    """
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
        store6(out, 6 * i, shifted(placed.momentum, placed.rel))
        if above >= 0:
            scene.placed[above].momentum = scene.placed[above].momentum + placed.momentum


@kernel
def gather_outside(scene, around, found, outside):
    """Impulses of contacts and ties on all bodies, about the world's origin, (bodies, 6)."""
    for k in range(6 * scene.tree.bodies):
        outside[k] = 0.0
    for c in range(found):
        contact, point = around.contacts[c], around.points[c]
        impulse = impulse_on_a(contact, point)
        add_outside(outside, contact.body_a, point.pos, impulse)
        add_outside(outside, contact.body_b, point.pos, impulse * -1.0)
    for t in range(around.tie_count):
        tie, ints = around.ties[t], around.tie_ints[t]
        a = scene.placed[ints.body_a]
        add_outside(outside, ints.body_a, a.pos + a.rot @ tie.point_a, tie.impulse)
        if ints.body_b >= 0:
            b = scene.placed[ints.body_b]
            add_outside(outside, ints.body_b, b.pos + b.rot @ tie.point_b, tie.impulse * -1.0)


@kernel
def add_outside(outside, body, at, impulse):
    """Add an impulse at a point of the world to what acts on a body (-1: the world, which needs none)."""
    if body >= 0:
        store6(outside, 6 * body, load6(outside, 6 * body) + moment_of(at, impulse))


@inline
def moment_of(at, impulse):
    """An impulse at a point, about the origin."""
    return Force(cross(at, impulse), impulse)


@kernel
def impulse_on_a(contact, point):
    """Impulse of a contact point on its shape a, world axes; its row is seen from the body that is not the world."""
    sign = 1.0
    if contact.body_a < 0:
        sign = -1.0
    return (axes_along(point.normal * sign).T @ point.impulse) * sign


@inline
def shifted(wrench, to):
    """A wrench about the point `to` instead of the origin."""
    return Force(wrench.ang - cross(to, wrench.lin), wrench.lin)
