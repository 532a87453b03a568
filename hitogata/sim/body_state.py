"""1  Where each body is, and what momentum it brings along.

A body brings along the momentum the last step left it with: the velocity of its centre, and its angular momentum.
Joints may have turned meanwhile, so these momenta fit no joint velocities exactly; projecting them back on the joints
(in `free_motion`) is how Coriolis and centrifugal forces come in.
"""

from hitogata.dynamics.followers import follow, follow_rates
from hitogata.dynamics.joints import is_floating, slid, turned
from hitogata.lanes import any_lane, inline, kernel
from hitogata.spatial import (
    Force,
    Mat3,
    Motion,
    RigidInertia,
    Vec3,
    cross,
    cross_cols,
    rotated,
    shift_of,
    skew,
    solve3,
)


@kernel
def place(scene, solids, state):
    """Places, inertias and momenta of all bodies."""
    tree, work, fall = scene.tree, scene.placed, scene.tree.gravity * 0.0
    if scene.followers.total > 0:
        follow(tree, scene.followers, state.q, 0, tree.bodies)
        follow_rates(tree, scene.chains, scene.followers, state.mean)
    for i in range(tree.bodies):
        placed = work[i]
        if tree.joint[i].parent < 0:
            fall = fall_of(tree, state, i)
        place_body(tree.joint[i], tree.body[i], placed, work, state.q)
        old, solid = state.carried[i], solids[i]
        if any_lane(solid.mass > 0.0):  # in one figure, in all
            placed.arm, placed.inertia, placed.momentum = carried_along(
                solid.mass, solid.centre, solid.central, placed.rot, placed.rel, old.centre, old.angular
            )
            placed.motion = brought_along(placed.rot, placed.arm, old.centre + fall, old.spin)
        else:
            placed.arm, placed.inertia, placed.momentum = nothing()
        placed.struck = solid.mass * 0.0
        straighten(placed)


@kernel
def turn_momenta(scene, solids, state, h):
    """Let angular momenta turn with their bodies, and spins as of bodies that are free: where curves are not followed
    (`energy_momentum`), bodies would gain energy by turning away from momenta that stay."""
    for i in range(scene.tree.bodies):
        placed, old, solid = scene.placed[i], state.carried[i], solids[i]
        if any_lane(solid.mass > 0.0):
            _, _, placed.momentum = carried_along(
                solid.mass, solid.centre, solid.central, placed.rot, placed.rel, old.centre,
                turned_along(placed.rot, solid.central, old.spin, h),
            )  # fmt: skip


@inline
def turned_along(rot, central, spin, h):
    """Angular momentum of a body that turned freely for h, world axes; spin: before, in its own axes."""
    return rot @ (central @ turned_freely(central, spin, h))


@inline
def turned_freely(inertia, spin, h):
    """Spin after time h without torque: one Newton step of I ω⁺ + h ω⁺ × I ω⁺ = I ω (Catto 2015)."""
    s = inertia @ spin
    m = cross_cols(spin, inertia) - skew(s)
    i = inertia
    tangent = m * h + Mat3(i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz)
    return spin - solve3(tangent, cross(spin, s) * h)


@kernel
def fall_of(tree, state, root):
    """Velocity that the bodies of a free tree have yet to gain by gravity, of what the last step owes them."""
    if is_floating(tree.joint[root]):
        return tree.gravity * state.owed[root]
    return tree.gravity * (state.owed[root] * 0.0)


@kernel
def straighten(placed):
    """A body that moves as joint velocities say; see `energy_momentum`."""
    zero = Vec3(0.0, 0.0, 0.0)
    placed.bend, placed.excess, placed.bent = Motion(zero, zero), zero, 0.0


@kernel
def place_body(joint, body, placed, work, q):
    """Where a body is; its parent was placed before."""
    if joint.parent >= 0:
        parent = work[joint.parent]
        base, arm = parent.rot @ body.rot, parent.rot @ body.pos
        placed.rel = parent.rel + arm
        placed.pos = parent.pos + arm
    else:
        base = body.rot
        placed.rel = Vec3(0.0, 0.0, 0.0)
        placed.pos = body.pos
    placed.base = base
    placed.rot = turned(joint, body, base, q)
    if is_floating(joint):
        placed.pos = body.pos + slid(joint, body, base, q)
    elif joint.slides == 1:
        slide = slid(joint, body, base, q)
        placed.pos = placed.pos + slide
        if joint.parent >= 0:
            placed.rel = placed.rel + slide


@inline
def carried_along(mass, centre, central, rot, pos, velocity, angular):
    """Arm to the centre of mass; inertia and momentum about the root's origin."""
    arm = rot @ centre
    at = pos + arm
    lin = velocity * mass
    ang = angular + cross(at, lin)
    return arm, RigidInertia(mass, at * mass, rotated(rot, central) + shift_of(mass, at)), Force(ang, lin)


@inline
def brought_along(rot, arm, velocity, spin):
    """Motion of a body's origin before the step."""
    omega = rot @ spin
    return Motion(omega, velocity - cross(omega, arm))


@inline
def nothing():
    """A massless body."""
    zero, inertia = Vec3(0.0, 0.0, 0.0), RigidInertia(0.0, Vec3(0.0, 0.0, 0.0), shift_of(0.0, Vec3(0.0, 0.0, 0.0)))
    return zero, inertia, Force(zero, zero)
