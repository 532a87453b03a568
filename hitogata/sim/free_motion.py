"""2, 3  Mass matrix with springs, its factor, and the motion without limits and contacts.

With e the difference of a joint from its target, K its spring and C its damper (`constraints.springs.damper_of`):

    (M + h C) v⁺ = momenta carried along + h (gravity + push) - h (K e - C rate)

with `rate` the velocity of the target.
"""

from hitogata.constraints.springs import damper_of
from hitogata.dynamics.factor import factorise, whiten
from hitogata.dynamics.joints import about, column, felt, is_ball, moved_column, turn_between
from hitogata.lanes import any_lane, inline, kernel, where
from hitogata.sim.energy_momentum import follow_curves, note_pushes
from hitogata.sim.geometric_stiffness import steady
from hitogata.sim.motors import UNLIMITED, at_limit, beyond_limit, unless_limited
from hitogata.sim.tree_energy import restore_spin
from hitogata.sim.tree_motion import add_push, weight_of
from hitogata.spatial import Force, cross, load3, load_quaternion, store3


@kernel
def free_motion(scene, solids, state, control, law, spare):
    """Whitened velocities after the step, if nothing is in the way; returns what `steady` does."""
    fill(scene)
    if law.keep_energy > 0.0:
        restore_spin(scene, state)
    slowed = steady(scene, solids, state, law, spare)
    add_gravity(scene, state, law.h)
    if law.keep_energy > 0.0:
        note_pushes(scene, spare, -1.0)
    for i in range(scene.tree.bodies):
        add_springs(scene, state, control, law, i)
    if any_lane(control.pulled[0] > 0.0):
        add_pulls(scene, control, law.h)
    if law.keep_energy > 0.0:
        note_pushes(scene, spare, 1.0)
    factorise(scene.tree, scene.chains, scene.mass, 0, scene.tree.bodies)
    whiten(scene.tree, scene.chains, scene.mass, scene.x, 0, scene.tree.bodies)
    if law.keep_energy > 0.0:
        follow_curves(scene, solids, state, control, law, spare)
    for k in range(scene.tree.nv):
        scene.free[k] = scene.x[k]
    return slowed


@kernel
def fill(scene):
    """Rows of the mass matrix along their chains, and the momenta; afterwards bodies hold those of their subtrees."""
    tree, work, x = scene.tree, scene.placed, scene.x
    for i in range(tree.bodies - 1, -1, -1):
        joint, placed = tree.joint[i], work[i]
        inertia, momentum = placed.inertia, placed.momentum
        if joint.parent >= 0:
            parent = work[joint.parent]
            parent.inertia = parent.inertia + inertia
            parent.momentum = parent.momentum + momentum
        felt(joint, tree.body[i], placed, about(placed.rel, momentum), x, joint.iv)
        for k in range(joint.count):
            s = moved_column(column(joint, tree.body[i], placed, k), placed.rel * -1.0)
            project(scene, i, inertia @ s, (joint.iv + k) * scene.chains.stride)


@kernel
def project(scene, i, force, row):
    """One row of M: what a momentum of body i means to each velocity of its chain."""
    tree, work, mass = scene.tree, scene.placed, scene.mass
    while i >= 0:
        joint, placed = tree.joint[i], work[i]
        felt(joint, tree.body[i], placed, about(placed.rel, force), mass, row + joint.depth)
        i = joint.parent


@kernel
def add_gravity(scene, state, h):
    """Gravity's push on each subtree, at its joint: for this step, and what was owed of the last."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end, gravity = tree.joint[root].end, tree.gravity * (h + state.owed[root])
        for i in range(root, end):
            placed = scene.placed[i]
            add_push(tree.joint[i], tree.body[i], placed, scene.x, weight_of(placed.inertia, gravity))
        root = end


@kernel
def add_pulls(scene, control, h):
    """Pulls on bodies from outside, felt by every joint between the root and there."""
    for body in range(scene.tree.bodies):
        pull, placed, i = control.pull[body], scene.placed[body], body
        force = about_root(pull.force * h, pull.torque * h, placed.rel + placed.rot @ pull.point)
        while i >= 0:
            add_push(scene.tree.joint[i], scene.tree.body[i], scene.placed[i], scene.x, force)
            i = scene.tree.joint[i].parent


@inline
def about_root(force, torque, at):
    """A force at a point, and a torque, about the root's origin."""
    return Force(torque + cross(at, force), force)


@kernel
def add_springs(scene, state, control, law, i):
    """Spring, damper and armature of a joint on the diagonal; its pull and the push from outside among the momenta.

    A motor at its effort limit is a constant force, and not on the diagonal; see `motors`.
    """
    joint, body, x, h = scene.tree.joint[i], scene.tree.body[i], scene.x, law.h
    motor, iv, stride = control.motor[i], joint.iv, scene.chains.stride
    spring, damper = motor.stiffness, damper_of(motor.stiffness, motor.damping + body.damping, h, law.theta)
    limited = any_lane(motor.limit < UNLIMITED)
    for k in range(joint.count):
        at, own, drive = (iv + k) * stride + joint.depth + k, damper, control.rate[iv + k] * (damper - body.damping)
        scene.drive[iv + k] = drive
        if limited:
            own, drive = beyond_limit(state.motor[iv + k], motor.limit, own, body.damping, drive)
        scene.mass[at] = scene.mass[at] + (h * own + body.armature)
        push = control.push[iv + k] + drive
        x[iv + k] = x[iv + k] + push * h + state.mean[iv + k] * body.armature
    if is_ball(joint):
        error = turn_between(load_quaternion(control.target, joint.iq), load_quaternion(state.q, joint.iq))
        store3(scene.drive, iv, load3(scene.drive, iv) - error * spring)
        pull = error * (h * spring)
        if limited:
            pull = unless_limited(pull, load3(state.motor, iv), motor.limit)
        store3(x, iv, load3(x, iv) - pull)
    elif joint.count == 1:
        error = state.q[joint.iq] - control.target[joint.iq]
        scene.drive[iv] = scene.drive[iv] - error * spring
        pull = error * (h * spring)
        if limited:
            pull = where(at_limit(state.motor[iv], motor.limit), 0.0, pull)
        x[iv] = x[iv] - pull
