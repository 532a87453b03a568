"""6  New velocity, momenta to carry along, and new place."""

from hitogata.dynamics.factor import factorise, unwhiten, whiten
from hitogata.dynamics.followers import follow
from hitogata.dynamics.integration import advance
from hitogata.dynamics.layout import velocities_to
from hitogata.lanes import any_lane, inline, kernel, sqrt, where
from hitogata.sim.body_curves import energy_of_excess
from hitogata.sim.body_state import place
from hitogata.sim.energy_momentum import TAME
from hitogata.sim.free_motion import add_gravity, fill
from hitogata.sim.tree_energy import mean_momenta, momentum_at, restore_spin, spin_of, unbent_energy
from hitogata.sim.tree_motion import fastest_turning, is_free, led_by_nobody, move_bodies, open_room
from hitogata.spatial import Force as Wrench
from hitogata.spatial import Vec3, cross, dot, load3, load6, power, store3, store6


@kernel
def apply(scene, rows, state, joint_rows, touches, points):
    """Add the impulses to the whitened velocities, where they are not there yet, and undo the whitening."""
    for a in range(joint_rows):
        if rows.joint_int[a].chained == 0:
            apply_limit(scene, rows, a)
    clear_impulses(rows, touches)
    for p in range(points):
        add_impulse(rows, p, rows.point[p].impulse + rows.point[p].hit)
    for a in range(touches):
        if rows.touch[a].chained == 0:
            apply_touch(scene, rows, a, scene.x)
    unwhiten(scene.tree, scene.chains, scene.mass, scene.x, state.mean)


@kernel
def apply_limit(scene, rows, a):
    """Add the impulse of a joint row."""
    x, chains, stride = scene.x, scene.chains, scene.chains.stride
    i, value = rows.joint_int[a].body, rows.joint[a].impulse
    joint = scene.tree.joint[i]
    for d in range(joint.depth + joint.count):
        k = chains.velocity[i * stride + d]
        x[k] = x[k] + rows.joint_y[a * stride + d] * value


@kernel
def apply_touch(scene, rows, a, x):
    """Add the impulses on a touched body to whitened velocities."""
    chains, stride = scene.chains, scene.chains.stride
    i, total = rows.touch[a].body, load_wrench(rows.speed, rows.touch[a].row)
    joint = scene.tree.joint[i]
    for d in range(joint.depth + joint.count):
        k = chains.velocity[i * stride + d]
        x[k] = x[k] + power(load6(rows.touch_y, 6 * (a * stride + d)), total)


@kernel
def clear_impulses(rows, touches):
    """Room for the sum of the impulses on each touched body, in the place of its speeds: those are done with."""
    for a in range(touches):
        store6(rows.speed, rows.touch[a].row, Wrench(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)))


@kernel
def add_impulse(rows, p, impulse):
    """Add the impulse of a point to the sums of its bodies, about their origins."""
    point, own, speed = rows.point[p], rows.point_int[p], rows.speed
    force, at = point.frame.T @ impulse, rows.touch[own.touch_a].row
    store6(speed, at, load_wrench(speed, at) + wrench_of(point.arm_a, force))
    if own.touch_b >= 0:
        at = rows.touch[own.touch_b].row
        store6(speed, at, load_wrench(speed, at) - wrench_of(point.arm_b, force))


@kernel
def advance_late(scene, rows, state, touches, points, h, spare):
    """Move on; impacts are felt only for what is left of the step after them (`constraints.restitution`)."""
    tree, room = scene.tree, open_room(scene, spare)
    clear_impulses(rows, touches)
    for p in range(points):
        add_impulse(rows, p, rows.point[p].hit * (rows.point[p].struck * (-1.0 / h)))
    for k in range(tree.nv):
        room.half[k] = scene.x[k] * 0.0
    for a in range(touches):
        apply_touch(scene, rows, a, room.half)
    unwhiten(tree, scene.chains, scene.mass, room.half, room.v)
    for k in range(tree.nv):
        room.v[k] = room.v[k] + state.mean[k]
    advance(tree, state.q, room.v, h, state.q)
    if scene.followers.total > 0:
        follow(tree, scene.followers, state.q, 0, tree.bodies)


@inline
def load_wrench(view, at):
    """Six numbers as an impulse."""
    return Wrench(load3(view, at), load3(view, at + 3))


@inline
def wrench_of(arm, force):
    """An impulse at the end of an arm, about its start."""
    return Wrench(cross(arm, force), force)


@kernel
def carry(scene, solids, state):
    """Note the motion of each body, to be its momentum in the next step; the old one of its centre stays in `force`.

    What impulses did to the energy of an excess of angular momentum (`energy_momentum`) was nobody's work: the tree
    owes it, or has it to spare.
    """
    tree, root = scene.tree, 0
    move_bodies(scene, state.mean, 0, tree.bodies)
    while root < tree.bodies:
        end, gained = tree.joint[root].end, state.spare[root] * 0.0
        for i in range(root, end):
            placed, carried, solid = scene.placed[i], state.carried[i], solids[i]
            placed.force = carried.centre
            more = placed.bent * 0.0
            if any_lane(dot(placed.excess, placed.excess) > 0.0):
                more = energy_of_excess(solid.central, placed.rot, placed.motion.ang, placed.excess)
                gained = gained + more - placed.bent
            carried.centre, carried.angular = mean_momenta(
                placed.motion, placed.bend, placed.excess, placed.arm, placed.rot, solid.central
            )
            carried.spin = placed.rot.T @ (placed.motion.ang + placed.bend.ang)
            carried.energy = more + unbent_energy(
                solid.mass, carried.centre, carried.angular - placed.excess, placed.motion.ang
            )
        state.spare[root] = state.spare[root] - gained
        root = end


@kernel
def note_spin(scene, solids, state):
    """Angular momentum of each free tree about its centre, as the step leaves it."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if is_free(tree, root):
            total = scene.placed[root].momentum * 0.0
            for i in range(root, end):
                placed, own = scene.placed[i], state.carried[i]
                total = total + momentum_at(solids[i].mass, placed.rel + placed.arm, own.centre, own.angular)
            store3(state.spin, 3 * root, spin_of(scene.placed[root].inertia, total))
        root = end


@kernel
def synchronise(scene, solids, state, keep):
    """Velocities at the end of the last step, v, of trees that do not have them yet.

    Positions moved with `state.mean`; at the end bodies have the momenta they bring along, and what gravity owes them.
    v is these, projected on the joints, so that forces are what changes the momentum of (q, v).  What turns too far
    within a step, is led, or does not follow curves (keep = 0, see `Settings.keep_energy`) has the mean.
    """
    tree = scene.tree
    if not any_untold(tree, state):
        return
    if keep > 0.0:
        project_momenta(scene, solids, state)
    root = 0
    while root < tree.bodies:
        end = tree.joint[root].end
        untold, turned = state.told[root] == 0.0, sqrt(fastest_turning(state, root, end)) * state.last[0]
        follows = (turned < TAME) & led_by_nobody(tree, root) & (keep > 0.0)
        for k in range(tree.joint[root].iv, velocities_to(tree, end)):
            state.v[k] = where(untold, where(follows, scene.drive[k], state.mean[k]), state.v[k])
        state.told[root] = where(untold, 1.0, state.told[root])
        root = end


@kernel
def any_untold(tree, state):
    """Is there a tree without the velocities at the end of the last step?"""
    root = 0
    while root < tree.bodies:
        if any_lane(state.told[root] == 0.0):
            return True
        root = tree.joint[root].end
    return False


@kernel
def project_momenta(scene, solids, state):
    """M⁻¹ Jᵀ (momenta that bodies bring along, gravity owed), into `scene.drive`."""
    tree, chains = scene.tree, scene.chains
    place(scene, solids, state)
    fill(scene)
    restore_spin(scene, state)
    add_gravity(scene, state, state.last[0] * 0.0)
    for i in range(tree.bodies):
        joint, armature = tree.joint[i], tree.body[i].armature
        for k in range(joint.count):
            at = (joint.iv + k) * chains.stride + joint.depth + k
            scene.mass[at] = scene.mass[at] + armature
            scene.x[joint.iv + k] = scene.x[joint.iv + k] + state.mean[joint.iv + k] * armature
    factorise(tree, chains, scene.mass, 0, tree.bodies)
    whiten(tree, chains, scene.mass, scene.x, 0, tree.bodies)
    unwhiten(tree, chains, scene.mass, scene.x, scene.drive)
