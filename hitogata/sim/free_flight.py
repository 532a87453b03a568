"""Trees that nothing touches: gravity acts on them before and after a step, by half of it each."""

from hitogata.dynamics.factor import unwhiten_trees
from hitogata.dynamics.joints import is_floating
from hitogata.dynamics.layout import velocities_to
from hitogata.lanes import any_lane, kernel, where
from hitogata.sim.tree_motion import half_kick, is_limp, led_by_nobody, open_room
from hitogata.spatial import load3, store3


@kernel
def float_freely(scene, rows, state, control, joint_rows, points, law, spare):
    """Trees that nothing touches moved with the mean of their velocities, before gravity and after: half a step of it
    is taken off, and owed to the next step.  The others moved with the velocity at the end of the step.
    """
    tree, root, room = scene.tree, 0, open_room(scene, spare)
    mark_pressed(scene, rows, joint_rows, points)
    while root < tree.bodies:
        end, placed = tree.joint[root].end, scene.placed[root]
        free = (placed.pressed == 0.0) & led_by_nobody(tree, root)
        if any_lane(free):
            free = free & is_limp(tree, control, root, end)
        if any_lane(free):
            take_half(scene, state, law, room, root, end, free)
        state.owed[root] = where(free, 0.5 * law.h, 0.0)
        root = end


@kernel
def take_half(scene, state, law, room, root, end, free):
    """Take half a step of gravity off the velocities of a tree."""
    tree, first = scene.tree, scene.tree.joint[root].iv
    if is_floating(tree.joint[root]):
        fall = scene.placed[root].base.T @ tree.gravity * (0.5 * law.h)
        store3(state.mean, first + 3, load3(state.mean, first + 3) - where(free, fall, fall * 0.0))
        return
    half_kick(scene, room.half, law.h, root, end)
    unwhiten_trees(tree, scene.chains, scene.mass, room.half, room.v, root, end)
    for k in range(first, velocities_to(tree, end)):
        state.mean[k] = where(free, state.mean[k] - room.v[k], state.mean[k])


@kernel
def mark_pressed(scene, rows, joint_rows, points):
    """Roots of trees that feel contacts, springs or ropes, or hang on the world and feel limits."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        scene.placed[root].pressed = scene.x[tree.joint[root].iv] * 0.0
        root = tree.joint[root].end
    for a in range(joint_rows):
        press(scene, rows.joint_int[a].body, rows.joint[a].impulse != 0.0, 1)
    for p in range(points):
        own, impulse = rows.point_int[p], rows.point[p].impulse
        acts = (impulse.x != 0.0) | (impulse.y != 0.0) | (impulse.z != 0.0)
        press(scene, own.body_a, acts, 0)
        if own.body_b >= 0:
            press(scene, own.body_b, acts, 0)


@kernel
def press(scene, i, acts, inside):
    """The tree of a body feels something, maybe from inside."""
    while scene.tree.joint[i].parent >= 0:
        i = scene.tree.joint[i].parent
    if inside == 0 or not is_floating(scene.tree.joint[i]):
        root = scene.placed[i]
        root.pressed = where(acts, 1.0, root.pressed)
