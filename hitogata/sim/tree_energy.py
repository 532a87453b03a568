"""The energy of a tree in a step, and a guard that keeps it from gaining any.

Joints do no work; with V the potential energy of the bodies at the beginning of the step, V₊ that foreseen at its end,

    T(w) + ½ (V + V₊) <= T(w₋) + ½ (V₋ + V) + work of springs and pushes + energy lost in earlier steps

with w the mean velocities of bodies (`energy_momentum`).  A tree that would have more is slowed until it has not.  What
steps lose without that, since the energy of a discrete motion rises and falls about a mean, is remembered per tree and
may come back, but no more: whatever else happens, a tree never has more energy than it began with and was given.
Nothing is sped up.  (Scaling up what lost energy would feed motions that lost none: the spin of a link about its own
axis, which its joints cannot take back.)

What is slowed, of a tree that is free, is its motion less the locked one, in which it moves as one rigid body with its
whole momentum; only if that is not enough (what turned too far to be followed) is its spin, too.  A tree that hangs on
the world is slowed as a whole.

What springs, ropes and holds tie together is guarded as a group: `tie_energy`.
"""

from typing import NamedTuple

from hitogata.constraints.springs import damper_of
from hitogata.dynamics.joints import is_floating
from hitogata.dynamics.layout import velocities_to
from hitogata.lanes import any_lane, clip, inline, kernel, maximum, sqrt, where
from hitogata.sim.motors import at_limit
from hitogata.sim.tree_motion import LEAST, add_push, is_free
from hitogata.spatial import Force, Motion, Sym3, Vec3, cross, dot, inverse, load3, shift_of, store3

RECALL = 60.0
"""Energy that steps lost may come back within about this time [s]."""

ALLOWED = 1e-6
"""Share of its kinetic energy that a tree may have more than there is: rounding is no gain."""

UNKNOWN = 1e30
"""A depth that is not known."""

SLACK = 1e-9
"""Share of the kinetic energy below which a motion is nothing to scale."""

NOTHING = 1e-13
"""Angular momentum that turns a tree no faster is not worth restoring: what rests has no other [rad/s]."""


class Known(NamedTuple):
    """What is known of a tree's energy before its velocity is."""

    kinetic: float  # brought along [J]
    back: float  # work of gravity, but for that with the velocity to be found [J]
    ahead: float  # time of gravity with that velocity [s]


@kernel
def known_work(scene, solids, state, own, kept, root, end):
    """Kinetic energy that a tree brings along, and what gravity makes of it.

    The energy is that of the last step, as its bodies stood then: what turned farther, or by another way than was
    foreseen, has another one with the same momentum, and must not keep it.

    Work of gravity on a tree that hangs and falls freely is by where its bodies are, else by their velocities.

    own: time of gravity of this step [s]; kept: share of the energy that is not let go, but for that of the centre of a
    tree that is free.
    """
    tree, zero, lin = scene.tree, state.carried[root].spin.x * 0.0, state.carried[root].centre * 0.0
    kinetic, fall, going = zero, zero, zero
    for i in range(root, end):
        old, solid = state.carried[i], solids[i]
        kinetic, lin = kinetic + old.energy, lin + old.centre * solid.mass
        fall = fall + solid.mass * dot(tree.gravity, old.centre)
        for k in range(tree.joint[i].iv, tree.joint[i].iv + tree.joint[i].count):
            kinetic = kinetic + 0.5 * tree.body[i].armature * (state.mean[k] * state.mean[k])
    if is_floating(tree.joint[root]) and tree.joint[root].parent < 0:
        going = 0.5 * dot(lin, lin) / scene.placed[root].inertia.mass
    kick, hung, depth = 0.5 * (state.owed[root] + own), False, zero
    if not is_floating(tree.joint[root]):
        for i in range(root, end):
            depth = depth + solids[i].mass * dot(tree.gravity, scene.placed[i].pos + scene.placed[i].arm)
        hung = (state.owed[root] > 0.0) & (state.depth[root] < UNKNOWN)
    back = where(hung, depth - state.depth[root] - state.owed[root] * fall, kick * fall)
    state.depth[root] = depth
    return Known(going + (kinetic - going) * kept, back, where(hung, own, kick))


@kernel
def energy_scale(scene, solids, state, control, law, room, known, root, end):
    """By how much to slow the motion of a tree, or what of it has no momentum, 0 <= s <= 1, so that it has no more
    energy than there is; by how much the spin of the whole, if that is not enough; and the energy that is left [J].

    T_l + s² T_z - s b <= T₋ + back + ahead G·w_l + work of springs + energy to spare

    z is what is slowed, l the locked motion, b = ahead G·z, G the weights; back, ahead: see `Known`.
    """
    tree, zero = scene.tree, known.kinetic * 0.0
    kinetic, fall, work = zero, zero, zero
    total = Force(Vec3(zero, zero, zero), Vec3(zero, zero, zero))
    for i in range(root, end):
        solid, placed, body, joint = solids[i], scene.placed[i], tree.body[i], tree.joint[i]
        centre, angular = mean_momenta(placed.motion, placed.bend, placed.excess, placed.arm, placed.rot, solid.central)
        own = unbent_energy(solid.mass, centre, angular, placed.motion.ang)
        bent = dot(placed.excess, placed.excess) > 0.0
        if any_lane(bent):
            own = where(bent, body_energy(solid.mass, solid.central, placed.rot, centre, angular), own)
        kinetic = kinetic + own
        fall = fall + solid.mass * dot(tree.gravity, centre)
        total = total + momentum_at(solid.mass, placed.rel + placed.arm, centre, angular)
        motor = control.motor[i]
        damper = damper_of(motor.stiffness, motor.damping + body.damping, law.h, law.theta)
        for k in range(joint.iv, joint.iv + joint.count):
            v, old = room.v[k], state.mean[k]
            own = where(at_limit(state.motor[k], motor.limit), body.damping, damper)
            kinetic = kinetic + 0.5 * body.armature * (v * v)
            work = work + 0.5 * (v + old) * (room.pushed[k] - body.armature * old - law.h * own * v)
    going, turning, whole_fall = zero, zero, zero
    if is_floating(tree.joint[root]) and tree.joint[root].parent < 0:
        _, _, _, going, turning = locked_motion(scene.placed[root].inertia, total)
        whole_fall = dot(tree.gravity, total.lin)
    lift = known.ahead * (fall - whole_fall)
    wanted = known.kinetic + known.back + known.ahead * whole_fall + work - going
    wanted = wanted + state.spare[root] / (1.0 + law.h / RECALL)
    own, most_turning = kinetic - going - turning, maximum(wanted + ALLOWED * (kinetic - going), 0.0)
    over, spin = turning > most_turning, sqrt(most_turning / (kinetic - going + LEAST))
    most = wanted - turning + ALLOWED * (kinetic - going)
    scale = clip(root_of_energy(own, lift, most, kinetic), 0.0, 1.0)
    left = wanted - turning - scale * (scale * own - lift)
    left = where(over, 0.0, left)
    return where(over, spin, scale), where(over, spin, 1.0), left


@inline
def root_of_energy(a, b, c, whole):
    """The greater s with a s² - b s = c; 1 where a is next to nothing of the whole."""
    s = (b + sqrt(maximum(b * b + 4.0 * a * c, 0.0))) / where(a > SLACK * whole, 2.0 * a, 1.0)
    return where(a > SLACK * whole, s, 1.0)


@kernel
def rescale(scene, solids, room, root, end, scale, spin):
    """Scale the motion of a tree; one that is free keeps its momentum, its spin but for a share."""
    tree, joint = scene.tree, scene.tree.joint[root]
    first, last = joint.iv, velocities_to(tree, end)
    for k in range(first, last):
        room.v[k] = room.v[k] * scale
    if is_floating(joint) and joint.parent < 0:
        placed = scene.placed[root]
        total = placed.momentum * 0.0
        for i in range(root, end):
            own, central = scene.placed[i], solids[i].central
            centre, angular = mean_momenta(own.motion, own.bend, own.excess, own.arm, own.rot, central)
            total = total + momentum_at(solids[i].mass, own.rel + own.arm, centre, angular)
        ang, lin, centre, _, _ = locked_motion(placed.inertia, total)
        ang = ang * (spin - scale)
        lin = lin * (1.0 - scale) - cross(ang, centre)
        store3(room.v, first, load3(room.v, first) + placed.base.T @ ang)
        store3(room.v, first + 3, load3(room.v, first + 3) + placed.base.T @ lin)
    for i in range(root, end):
        placed = scene.placed[i]
        placed.bend, placed.excess = placed.bend * scale, placed.excess * scale


@inline
def body_energy(mass, central, rot, velocity, angular):
    """Kinetic energy of a body of this angular momentum."""
    own = rot.T @ angular
    return 0.5 * (mass * dot(velocity, velocity) + dot(own, inverse_inertia(central) @ own))


@inline
def unbent_energy(mass, velocity, angular, spin):
    """Kinetic energy of a body without excess of angular momentum."""
    return 0.5 * (mass * dot(velocity, velocity) + dot(angular, spin))


@inline
def inverse_inertia(inertia):
    """I⁻¹; of rods and points that of some that are next to them."""
    least = 1e-12 * (inertia.xx + inertia.yy + inertia.zz) + LEAST
    return inverse(inertia + Sym3(least, 0.0, 0.0, least, 0.0, least))


@inline
def mean_momenta(motion, bend, excess, arm, rot, central):
    """Mean velocity of a body's centre, and its angular momentum about it."""
    return motion.lin + cross(motion.ang, arm) + bend.lin, rot @ (central @ (rot.T @ motion.ang)) + excess


@inline
def momentum_at(mass, at, velocity, angular):
    """Momentum of a body about the root's origin."""
    lin = velocity * mass
    return Force(angular + cross(at, lin), lin)


@inline
def locked_motion(inertia, momentum):
    """Turning, velocity of the centre and place of the centre of a rigid body with this momentum, both about the same
    origin; and its kinetic energies of going and turning."""
    centre = inertia.moment * (1.0 / inertia.mass)
    spin = momentum.ang - cross(centre, momentum.lin)
    about_centre = inertia.rot - shift_of(inertia.mass, centre)
    ang = inverse_inertia(about_centre) @ spin
    lin = momentum.lin * (1.0 / inertia.mass)
    return ang, lin, centre, 0.5 * dot(momentum.lin, lin), 0.5 * dot(spin, ang)


@inline
def spin_of(inertia, momentum):
    """Angular momentum about the centre of mass; both arguments about the same origin."""
    return momentum.ang - cross(inertia.moment * (1.0 / inertia.mass), momentum.lin)


@kernel
def restore_spin(scene, state):
    """Give free trees back the angular momentum they had: bodies that came elsewhere than was foreseen, as impulses may
    bring them, would have another one with the momenta they bring along.

    It is given as the momenta of a rigid body.  `placed` of the roots: momenta and inertias of whole trees, as `fill`
    leaves them.
    """
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if is_free(tree, root) and end > root + 1:
            inertia = scene.placed[root].inertia
            missing = load3(state.spin, 3 * root) - spin_of(inertia, scene.placed[root].momentum)
            least = NOTHING * (inertia.rot.xx + inertia.rot.yy + inertia.rot.zz)
            some = dot(missing, missing) > least * least
            if not any_lane(some):
                root = end
                continue
            missing = where(some, missing, missing * 0.0)
            ang, _, centre, _, _ = locked_motion(inertia, Force(missing, missing * 0.0))
            motion = Motion(ang, cross(centre, ang))
            for i in range(root, end):
                add_push(tree.joint[i], tree.body[i], scene.placed[i], scene.x, scene.placed[i].inertia @ motion)
        root = end
