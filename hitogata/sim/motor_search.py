"""Which motors are at their effort limits: what to suppose next, when a pass was mistaken (`motors`).

A step without contacts is the least of a convex function of the velocity v⁺, quadratic but for the motors,

    Φ(v) = vᵀ M v/2 - c · v + Σ φ(v),      -φ'(v) = h clip(-K e - C (v - rate), -L, L)

and a pass gives the least of the quadratic that Φ is where those motors are at their limits that were supposed to be: a
Newton step.  Newton steps alone may go round in circles; with an exact line search between the last iterate and the new
one Φ falls with every pass, and it ends (Facchinei & Pang 2003, ch. 8).  Contacts keep v⁺ within a convex set, friction
aside, and the line between two iterates does not leave it.  Each tree is searched by itself.
"""

from hitogata.constraints.springs import damper_of
from hitogata.lanes import absolute, any_lane, clip, inline, kernel, maximum, where
from hitogata.sim.motors import SETTLING, UNLIMITED

HALVINGS = 40
"""Of the interval of the line search."""

SHORTEST = 0.02
"""Share of the way to the new velocities that is always gone."""


@kernel
def search_motors(scene, state, control, law, passes):
    """After a mistaken pass: motors to suppose at their limits in the next one, into `scene.x`, as forces."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if any_limited(control, root, end):
            search_tree(scene, state, control, law, passes, root, end)
        root = end


@kernel
def any_limited(control, root, end):
    """Has any joint of a tree an effort limit?"""
    found = False
    for i in range(root, end):
        found = found or any_lane(control.motor[i].limit < UNLIMITED)
    return found


@kernel
def search_tree(scene, state, control, law, passes, root, end):
    """The same for one tree."""
    tree, iterate = scene.tree, scene.iterate
    slope, curve = along_way(scene, state.mean, root, end)
    low, high = passes * 0.0, passes * 0.0 + 1.0
    whole = slope + curve - forces_along(scene, state, control, law, high, root, end) <= 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        rising = slope + curve * middle - forces_along(scene, state, control, law, middle, root, end) > 0.0
        low, high = where(rising, low, middle), where(rising, middle, high)
    share = where(whole | (passes < 1.0), 1.0, maximum(high, SHORTEST))
    for i in range(root, end):
        joint, limit, damper = tree.joint[i], control.motor[i].limit, motor_damper(control.motor[i], tree.body[i], law)
        for k in range(joint.iv, joint.iv + joint.count):
            gone = where(passes < 1.0, state.mean[k], between(iterate[k], state.mean[k], share))
            iterate[k] = gone
            force = clip(scene.drive[k] - damper * gone, -limit, limit)
            scene.x[k] = where(passes < SETTLING, force, scene.x[k])


@kernel
def motor_damper(motor, body, law):
    """C of a motor alone."""
    return damper_of(motor.stiffness, motor.damping + body.damping, law.h, law.theta) - body.damping


@inline
def between(a, b, share):
    """From a by a share of the way to b."""
    return a + (b - a) * share


@kernel
def along_way(scene, v, root, end):
    """d · (A u - c) at the last iterate u, and d · A d, for d from there to v; A, c of the pass, contacts left out."""
    tree, chains, mass, stride = scene.tree, scene.chains, scene.mass, scene.chains.stride
    slope, curve = v[0] * 0.0, v[0] * 0.0
    for i in range(root, end):
        joint = tree.joint[i]
        for k in range(joint.iv, joint.iv + joint.count):
            row, depth = k * stride, joint.depth + k - joint.iv
            old, new = scene.iterate[k] / mass[row + depth], v[k] / mass[row + depth]  # L u, L v
            for j in range(depth):
                at = chains.velocity[i * stride + j]
                old, new = old + mass[row + j] * scene.iterate[at], new + mass[row + j] * v[at]
            if joint.arguments == 0:
                slope = slope + (new - old) * (old - scene.free[k])
                curve = curve + (new - old) * (new - old)
    return slope, curve


@kernel
def forces_along(scene, state, control, law, share, root, end):
    """d · what motors with limits do more than the pass supposes, at a share of the way."""
    tree, total = scene.tree, share * 0.0
    for i in range(root, end):
        limit = control.motor[i].limit
        if any_lane(limit < UNLIMITED):
            joint, damper = tree.joint[i], motor_damper(control.motor[i], tree.body[i], law)
            for k in range(joint.iv, joint.iv + joint.count):
                way = state.mean[k] - scene.iterate[k]
                force = scene.drive[k] - damper * (scene.iterate[k] + way * share)
                held = absolute(state.motor[k]) == limit
                supposed = where(held, state.motor[k], force)
                total = total + way * (clip(force, -limit, limit) - supposed) * law.h
    return total
