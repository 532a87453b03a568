"""2, 3  Mass matrix with springs, its factor, and the motion without limits and contacts.

With e the difference of a joint from its target, K its spring and C its damper (`constraints.springs.damper_of`):

    (M + h C) v⁺ = momenta carried along + h (gravity + push) - h (K e - C rate)

with `rate` the velocity of the target.
"""

from hitogata.constraints.springs import damper_of
from hitogata.dynamics.factor import factorise, whiten
from hitogata.dynamics.integration import turn_between
from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER
from hitogata.dynamics.mass import about, all_slidings, all_turnings, sliding, turning
from hitogata.dynamics.placing import axis_of
from hitogata.lanes import any_lane, inline, kernel, minimum, where
from hitogata.sim.energy_momentum import LEAST, add_push, follow_curves, note_pushes, weight_of
from hitogata.sim.motors import UNLIMITED, at_limit, beyond_limit, unless_limited
from hitogata.sim.steadying import steady
from hitogata.spatial import Force, cross, dot, load3, load_quaternion, store3

HELD = 4.0
"""Trees that would have more than this times the energy they had are taken to be held: see `leave_held`."""


@kernel
def free_motion(scene, solids, state, control, law, spare):
    """Whitened velocities after the step, if nothing is in the way; returns what `steady` does."""
    fill(scene)
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
        for k in range(scene.tree.nv):
            scene.free[k] = scene.x[k]
        follow_curves(scene, solids, state, control, law, slowed, spare)
        leave_held(scene, state)
    for k in range(scene.tree.nv):
        scene.free[k] = scene.x[k]
    return slowed


@kernel
def leave_held(scene, state):
    """Let trees that limits, contacts or ties hold follow their curves less: without these, as is known here, they
    would move along curves that they do not take.  A tree at rest would rest out of balance.

    x₀: whitened velocities if bodies moved by J v, before `follow_curves`; x: after; v₋: velocities of the last step.
    Of what following changes, in x and in bends, a tree keeps the share

        λ = min(1, 4 |L v₋|²/|x₀|²)

    so what speeds up evenly from rest follows from its second step on.  Momentum is that of both.
    """
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if end - root > 1 or tree.joint[root].kind != FREE:  # a body alone is held by nothing inside
            share = share_followed(scene, state, root, end)
            if any_lane(share < 1.0):
                for i in range(root, end):
                    placed, joint = scene.placed[i], tree.joint[i]
                    placed.bend, placed.excess = placed.bend * share, placed.excess * share
                    placed.bent = placed.bent * share
                    for k in range(joint.iv, joint.iv + joint.count):
                        start = scene.free[k]
                        scene.x[k] = where(share < 1.0, start + (scene.x[k] - start) * share, scene.x[k])
        root = end


@kernel
def share_followed(scene, state, root, end):
    """λ of a tree; 1 where it follows nothing."""
    tree, stride, mass = scene.tree, scene.chains.stride, scene.mass
    changed, before = state.mean[tree.joint[root].iv] * 0.0, state.mean[tree.joint[root].iv] * 0.0
    whole = before + LEAST
    for i in range(root, end):
        joint = tree.joint[i]
        for k in range(joint.iv, joint.iv + joint.count):
            change, start = scene.x[k] - scene.free[k], scene.free[k]
            changed, whole = changed + change * change, whole + start * start
    if not any_lane(changed > 0.0):
        return changed + 1.0
    for i in range(root, end):
        joint = tree.joint[i]
        for k in range(joint.iv, joint.iv + joint.count):
            row, depth = k * stride, joint.depth + k - joint.iv
            value = state.mean[k] / mass[row + depth]
            for j in range(depth):
                value = value + mass[row + j] * state.mean[scene.chains.velocity[i * stride + j]]
            before = before + value * value
    return where(changed > 0.0, minimum(HELD * before / whole, 1.0), 1.0)


@kernel
def fill(scene):
    """Rows of the mass matrix along their chains, and the momenta; afterwards bodies hold those of their subtrees."""
    tree, work, x = scene.tree, scene.placed, scene.x
    for i in range(tree.bodies - 1, -1, -1):
        joint, placed = tree.joint[i], work[i]
        iv, inertia, momentum = joint.iv, placed.inertia, placed.momentum
        if joint.parent >= 0:
            parent = work[joint.parent]
            parent.inertia = parent.inertia + inertia
            parent.momentum = parent.momentum + momentum
        row = iv * scene.chains.stride
        if joint.kind == BALL:
            store3(x, iv, placed.base.T @ about(placed.rel, momentum))
            first, second, third = all_turnings(inertia, placed.base, placed.rel)
            project(scene, i, first, row)
            project(scene, i, second, row + scene.chains.stride)
            project(scene, i, third, row + 2 * scene.chains.stride)
        elif joint.kind == HINGE:
            x[iv] = dot(axis_of(placed.rot), about(placed.rel, momentum))
            project(scene, i, turning(inertia, axis_of(placed.rot), placed.rel), row)
        elif joint.kind == SLIDER:
            x[iv] = dot(axis_of(placed.rot), momentum.lin)
            project(scene, i, sliding(inertia, axis_of(placed.rot)), row)
        elif joint.kind == FREE:
            store3(x, iv, placed.base.T @ about(placed.rel, momentum))
            store3(x, iv + 3, placed.base.T @ momentum.lin)
            fill_free(scene, i, inertia, placed, row)


@kernel
def fill_free(scene, i, inertia, placed, row):
    """The six rows of a free joint."""
    stride = scene.chains.stride
    first, second, third = all_turnings(inertia, placed.base, placed.rel)
    project(scene, i, first, row)
    project(scene, i, second, row + stride)
    project(scene, i, third, row + 2 * stride)
    first, second, third = all_slidings(inertia, placed.base)
    project(scene, i, first, row + 3 * stride)
    project(scene, i, second, row + 4 * stride)
    project(scene, i, third, row + 5 * stride)


@kernel
def project(scene, i, force, row):
    """One row of M: what a momentum of body i means to each velocity of its chain."""
    tree, work, mass = scene.tree, scene.placed, scene.mass
    while i >= 0:
        joint, placed = tree.joint[i], work[i]
        at = row + joint.depth
        if joint.kind == BALL:
            store3(mass, at, placed.base.T @ about(placed.rel, force))
        elif joint.kind == HINGE:
            mass[at] = dot(axis_of(placed.rot), about(placed.rel, force))
        elif joint.kind == SLIDER:
            mass[at] = dot(axis_of(placed.rot), force.lin)
        elif joint.kind == FREE:
            store3(mass, at, placed.base.T @ about(placed.rel, force))
            store3(mass, at + 3, placed.base.T @ force.lin)
        i = joint.parent


@kernel
def add_gravity(scene, state, h):
    """Gravity's push on each subtree, at its joint: for this step, and what was owed of the last."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end, gravity = tree.joint[root].end, tree.gravity * (h + state.owed[root])
        for i in range(root, end):
            placed = scene.placed[i]
            add_push(tree.joint[i], placed, scene.x, weight_of(placed.inertia, gravity))
        root = end


@kernel
def add_pulls(scene, control, h):
    """Pulls on bodies from outside, felt by every joint between the root and there."""
    for body in range(scene.tree.bodies):
        pull, placed, i = control.pull[body], scene.placed[body], body
        force = about_root(pull.force * h, pull.torque * h, placed.rel + placed.rot @ pull.point)
        while i >= 0:
            add_push(scene.tree.joint[i], scene.placed[i], scene.x, force)
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
    if joint.kind == BALL:
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
