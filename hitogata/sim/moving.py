"""6  New velocity, momenta to carry along, and new place."""

from hitogata.dynamics.factor import unwhiten
from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER
from hitogata.dynamics.placing import at_rest, axis_of
from hitogata.dynamics.placing import carried as carried_along
from hitogata.lanes import inline, kernel
from hitogata.spatial import Force as Wrench
from hitogata.spatial import Motion, Vec3, cross, load3, load6, power, store6


@kernel
def apply(scene, rows, state, joint_rows, touches, points):
    """Add the impulses to the whitened velocities, where they are not there yet, and undo the whitening."""
    for a in range(joint_rows):
        if rows.joint_int[a].chained == 0:
            apply_limit(scene, rows, a)
    gather_impulses(rows, touches, points)
    for a in range(touches):
        if rows.touch[a].chained == 0:
            apply_touch(scene, rows, a)
    unwhiten(scene.tree, scene.chains, scene.mass, scene.x, state.v)


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
def apply_touch(scene, rows, a):
    """Add the impulses on a touched body."""
    x, chains, stride = scene.x, scene.chains, scene.chains.stride
    i, total = rows.touch[a].body, load_wrench(rows.speed, rows.touch[a].row)
    joint = scene.tree.joint[i]
    for d in range(joint.depth + joint.count):
        k = chains.velocity[i * stride + d]
        x[k] = x[k] + power(load6(rows.touch_y, 6 * (a * stride + d)), total)


@kernel
def gather_impulses(rows, touches, points):
    """Sum of the impulses on each touched body, about its origin, in the place of its speeds: those are done with."""
    speed = rows.speed
    for a in range(touches):
        store6(speed, rows.touch[a].row, Wrench(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)))
    for p in range(points):
        point, own = rows.point[p], rows.point_int[p]
        force, at = point.frame.T @ point.impulse, rows.touch[own.touch_a].row
        store6(speed, at, load_wrench(speed, at) + wrench_of(point.arm_a, force))
        if own.touch_b >= 0:
            at = rows.touch[own.touch_b].row
            store6(speed, at, load_wrench(speed, at) - wrench_of(point.arm_b, force))


@inline
def load_wrench(view, at):
    """Six numbers as an impulse."""
    return Wrench(load3(view, at), load3(view, at + 3))


@inline
def wrench_of(arm, force):
    """An impulse at the end of an arm, about its start."""
    return Wrench(cross(arm, force), force)


@kernel
def carry(scene, state):
    """Note the motion of each body, to be its momentum in the next step; the old one of its centre stays in `force`."""
    tree, work = scene.tree, scene.placed
    for i in range(tree.bodies):
        joint, placed, carried, iv = tree.joint[i], work[i], state.carried[i], tree.joint[i].iv
        if joint.parent >= 0:
            parent = work[joint.parent]
            motion = carried_along(parent.motion, placed.rel - parent.rel)
        else:
            motion = at_rest()
        if joint.kind == BALL:
            motion = Motion(motion.ang + placed.base @ load3(state.v, iv), motion.lin)
        elif joint.kind == HINGE:
            motion = Motion(motion.ang + axis_of(placed.rot) * state.v[iv], motion.lin)
        elif joint.kind == SLIDER:
            motion = Motion(motion.ang, motion.lin + axis_of(placed.rot) * state.v[iv])
        elif joint.kind == FREE:
            motion = Motion(placed.base @ load3(state.v, iv), placed.base @ load3(state.v, iv + 3))
        placed.motion = motion
        placed.force = carried.centre
        carried.centre = motion.lin + cross(motion.ang, placed.arm)
        carried.spin = placed.rot.T @ motion.ang
