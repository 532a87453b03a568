"""2, 3  Mass matrix with springs, its factor, and the motion without limits and contacts.

With e the difference of a joint from its target, K and D its spring and damper, θ the weight of the end of the step:

    (M + h θ D + h² θ² K) v⁺ = momenta carried along + h (push + D rate) - h (K e + (θ (1-θ) h K + (1-θ) D) v)

with `rate` the velocity the damper is to bring about.

θ = 1 is the implicit law of Tazaki & Hasegawa (2007), which damps what it cannot resolve; θ = 1/2 keeps energy.
"""

from hitogata.dynamics.factor import factorise, whiten
from hitogata.dynamics.integration import turn_between
from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER
from hitogata.dynamics.mass import about, all_slidings, all_turnings, sliding, turning
from hitogata.dynamics.placing import axis_of
from hitogata.lanes import kernel
from hitogata.spatial import (
    dot,
    load3,
    load_quaternion,
    store3,
)


@kernel
def free_motion(scene, state, control, law):
    """Whitened velocities after the step, if nothing is in the way."""
    fill(scene, state, control, law)
    factorise(scene.tree, scene.chains, scene.mass)
    whiten(scene.tree, scene.chains, scene.mass, scene.x)


@kernel
def fill(scene, state, control, law):
    """Rows of the mass matrix along their chains, and the momenta."""
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
        add_springs(scene, state, control, law, i)


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
def add_springs(scene, state, control, law, i):
    """Spring, damper and armature of a joint on the diagonal; its pull and the push from outside among the momenta."""
    joint, body, x, h = scene.tree.joint[i], scene.tree.body[i], scene.x, law.h
    motor, theta, iv, stride = control.motor[i], law.theta, joint.iv, scene.chains.stride
    spring, damper = motor.stiffness, motor.damping + body.damping
    soft = h * theta * (damper + h * theta * spring) + body.armature
    early = h * (1.0 - theta) * (damper + h * theta * spring)
    for k in range(joint.count):
        at = (iv + k) * stride + joint.depth + k
        scene.mass[at] = scene.mass[at] + soft
        push = control.push[iv + k] + control.rate[iv + k] * motor.damping
        x[iv + k] = x[iv + k] + push * h + state.v[iv + k] * (body.armature - early)
    if joint.kind == BALL:
        error = turn_between(load_quaternion(control.target, joint.iq), load_quaternion(state.q, joint.iq))
        store3(x, iv, load3(x, iv) - error * (h * spring))
    elif joint.count == 1:
        x[iv] = x[iv] - (state.q[joint.iq] - control.target[joint.iq]) * (h * spring)
