"""2b  What projecting the momenta lost: angular momentum and kinetic energy, given back to each tree that moves fast.

Projecting the momenta of bodies on the joints (`placing`, `free_motion`) never gains kinetic energy, but a tumbling
figure loses most of it within seconds, and its angular momentum wanders.  Both are known.  The velocity splits into the
locked motion c, in which the tree turns and moves as one rigid body with its whole momentum, and the rest, which has no
momentum; the two have nothing in common in energy.  So with the right locked motion c', and the kinetic energy T that
was there,

    v' = c' + s (v - c)           s² = (T - T(c')) / T(v - c)

keeps momentum and energy exactly.  c' is the motion whose momentum, in the middle of the step, is the L there was:

    I ω = exp(-h ω/2) L           (I about the tree's centre, at the beginning of the step)

(Moser & Veselov 1991 for a rigid body: no drift of energy).  A tree that hangs on the world keeps only its energy; one
whose free root has an armature, and so is led from outside (`strands`), has no energy of its own to keep.
"""

from hitogata.dynamics.factor import factorise, whiten
from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER
from hitogata.dynamics.mass import about
from hitogata.dynamics.placing import axis_of
from hitogata.lanes import any_lane, clip, inline, kernel, maximum, minimum, packed, sqrt, tail, where
from hitogata.spatial import (
    Force,
    Mat3,
    Motion,
    Vec3,
    cross,
    dot,
    inverse,
    load3,
    rotate,
    shift_of,
    skew,
    solve3,
    store3,
    turn_by,
)

SLOW = 2e-3
"""A tree whose bodies all turn less than this within a step loses nothing worth giving back [rad]."""

WILD = 1.5
"""What turns by more than this within a step, past all pieces, is beyond following: energy is let go instead [rad]."""

WIDEST = 1.0
"""A tree that turns more than this within a step as a whole has no good middle [rad]."""

SUBSTITUTIONS = 6
"""Each brings ω nearer by a factor of about h ω/2."""

MOST_BACK = 1.05
"""A tree has no more than this times its kinetic energy after its angular momentum was given back.  It needs some: what
draws its limbs in does work, and dampers took energy with the momentum."""

STRONGEST = 2.0
"""No motion grows by more than this within a step."""

THIN = 0.02
"""Share of an inertia's trace; about thinner axes, where little momentum is much turning, it is left as it is."""

SLACK = 1e-9
"""Share of the kinetic energy below which a motion is nothing to scale."""


@kernel
def keep(scene, solids, state, h, spare):
    """Give all fast trees back what projecting their momenta lost; the mass matrix is filled, not yet factorised."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        energy, fastest = moving_energy(solids, state, root, end)
        fast = fastest * (h * h) > SLOW * SLOW
        if tree.joint[root].kind == FREE:
            fast = fast & (tree.body[root].armature == 0.0)
        if any_lane(fast):
            keep_tree(scene, state, h, spare, root, end, energy, share_kept(fastest * (h * h)), fast)
        root = end


@kernel
def moving_energy(solids, state, root, end):
    """Kinetic energy the bodies of a tree brought along, and the square of their fastest turning."""
    energy, fastest = state.carried[root].spin.x * 0.0, state.carried[root].spin.x * 0.0
    for i in range(root, end):
        solid, old = solids[i], state.carried[i]
        energy = energy + body_energy(solid.mass, solid.central, old.centre, old.spin)
        turning = dot(old.spin, old.spin)
        fastest = where(turning > fastest, turning, fastest)
    return energy, fastest


@inline
def body_energy(mass, central, velocity, spin):
    """Kinetic energy of one body."""
    return 0.5 * (mass * dot(velocity, velocity) + dot(spin, central @ spin))


@inline
def share_kept(turned):
    """Of the energy of motion within a tree whose fastest body turns by the root of `turned` within the step."""
    return minimum(1.0, WILD * WILD / turned)


@kernel
def keep_tree(scene, state, h, spare, root, end, energy, share, fast):
    """v' = c' + s (v - c), in momenta, where the tree is fast."""
    projected = projected_energy(scene, spare, root, end)
    placed, joint = scene.placed[root], scene.tree.joint[root]
    if joint.kind == FREE and joint.parent < 0:
        held = load3(state.spin, 3 * root)
        change, scale = locked_change(placed.inertia, placed.momentum, held, energy, projected, share, h)
        rescale(scene, root, end, where(fast, scale, 1.0))
        add_locked(scene, root, end, where(fast, change, Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))))
    else:
        rescale(scene, root, end, where(fast, scale_to(energy * share, projected, energy), 1.0))


@kernel
def projected_energy(scene, spare, root, end):
    """Kinetic energy left after projection: ½ x · M⁻¹ x."""
    tree, stride = scene.tree, scene.chains.stride
    first, last = tree.joint[root].iv, tree.joint[end - 1].iv + tree.joint[end - 1].count
    source, target, x = packed(scene.mass), packed(spare), tail(spare, tree.nv * stride)
    for k in range(first * stride, last * stride, source.step):
        target[k] = source[k]
    for k in range(first, last):
        x[k] = scene.x[k]
    factorise(tree, scene.chains, spare, root, end)
    whiten(tree, scene.chains, spare, x, root, end)
    total = scene.x[first] * 0.0
    for k in range(first, last):
        total = total + x[k] * x[k]
    return 0.5 * total


@inline
def locked_change(inertia, momentum, held, energy, projected, share, h):
    """c' - s c, as a motion about the root's origin, and s.

    Where the middle of the step is no good guide (a tree that turns too far), c' is c; where it would take more energy
    than there is, c' goes towards it as far as that lasts.
    """
    centre = inertia.moment * (1.0 / inertia.mass)
    about_centre = inertia.rot - shift_of(inertia.mass, centre)
    reply = inverse(about_centre)
    spin = momentum.ang - cross(centre, momentum.lin)
    turning = reply @ spin
    sliding = 0.5 * dot(momentum.lin, momentum.lin) / inertia.mass
    locked = sliding + 0.5 * dot(turning, spin)
    right = turning + thick_part(about_centre, reply, about_centre @ turning_with(about_centre, reply, held, h) - spin)
    near = dot(right, right) * (h * h) < WIDEST * WIDEST
    change = where(near, right - turning, turning * 0.0)
    along, across = dot(spin, change), 0.5 * dot(change, about_centre @ change)
    part = affordable(across, along, energy * MOST_BACK - locked)
    right, right_locked = turning + change * part, locked + part * (along + part * across)
    s = scale_to((energy - right_locked) * share, projected - locked, energy)
    ang = right - turning * s
    return Motion(ang, momentum.lin * ((1.0 - s) / inertia.mass) - cross(ang, centre)), s


@inline
def affordable(a, b, most):
    """Greatest x of 0 to 1 with a x² + b x <= most; 0 if there is none.  a >= 0."""
    x = (sqrt(maximum(b * b + 4.0 * a * maximum(most, 0.0), 0.0)) - b) / where(a > 0.0, 2.0 * a, 1.0)
    return where(a + b <= most, 1.0, where(most > 0.0, clip(x, 0.0, 1.0), 0.0))


@inline
def thick_part(inertia, reply, missing):
    """Locked turning for a missing angular momentum, but next to none about axes of next to no inertia."""
    thin = THIN * (inertia.xx + inertia.yy + inertia.zz)
    return inverse(inertia + reply * (thin * thin)) @ missing


@inline
def turning_with(inertia, reply, held, h):
    """ω with I ω = exp(-h ω/2) L: a linear guess, then substitution."""
    i = inertia
    matrix = Mat3(i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz) - skew(held) * (0.5 * h)
    turning = solve3(matrix, held)
    for _ in range(SUBSTITUTIONS):
        turning = reply @ rotate(turn_by(turning * (-0.5 * h)), held)
    return turning


@inline
def scale_to(wanted, there, whole):
    """s with s² there = wanted; 1 where there is next to nothing to scale."""
    s = sqrt(where(wanted > 0.0, wanted, 0.0) / where(there > SLACK * whole, there, 1.0))
    return where(there > SLACK * whole, minimum(s, STRONGEST), 1.0)


@kernel
def rescale(scene, root, end, scale):
    """All momenta of a tree, scaled."""
    tree = scene.tree
    for k in range(tree.joint[root].iv, tree.joint[end - 1].iv + tree.joint[end - 1].count):
        scene.x[k] = scene.x[k] * scale


@kernel
def add_locked(scene, root, end, motion):
    """Add the momenta of a tree that moves as one rigid body."""
    for i in range(root, end):
        placed = scene.placed[i]
        add_push(scene.tree.joint[i], placed, scene.x, placed.inertia @ motion)


@kernel
def add_push(joint, placed, x, force):
    """Add a wrench on a body, about its root's origin, to the momenta of its joint."""
    iv = joint.iv
    if joint.kind == BALL:
        store3(x, iv, load3(x, iv) + placed.base.T @ about(placed.rel, force))
    elif joint.kind == HINGE:
        x[iv] = x[iv] + dot(axis_of(placed.rot), about(placed.rel, force))
    elif joint.kind == SLIDER:
        x[iv] = x[iv] + dot(axis_of(placed.rot), force.lin)
    elif joint.kind == FREE:
        store3(x, iv, load3(x, iv) + placed.base.T @ about(placed.rel, force))
        store3(x, iv + 3, load3(x, iv + 3) + placed.base.T @ force.lin)


# ------------------------------------------------------- for the next step


@kernel
def note_spin(scene, solids, state, h):
    """Angular momentum of each free tree about its centre, in the middle of the step now solved."""
    tree, root = scene.tree, 0
    while root < tree.bodies:
        end = tree.joint[root].end
        if tree.joint[root].kind == FREE and tree.joint[root].parent < 0:
            total = scene.placed[root].momentum * 0.0
            for i in range(root, end):
                solid, placed, now = solids[i], scene.placed[i], state.carried[i]
                total = total + momentum_of(
                    solid.mass, solid.central, placed.rot, placed.rel + placed.arm, now.centre, now.spin
                )
            store3(state.spin, 3 * root, spin_in_the_middle(scene.placed[root].inertia, total, h))
        root = end


@inline
def momentum_of(mass, central, rot, at, velocity, spin):
    """Momentum of one body about the root's origin."""
    lin = velocity * mass
    return Force(rot @ (central @ spin) + cross(at, lin), lin)


@inline
def spin_in_the_middle(inertia, momentum, h):
    """L = exp(h ω/2) I ω."""
    centre = inertia.moment * (1.0 / inertia.mass)
    spin = momentum.ang - cross(centre, momentum.lin)
    turning = inverse(inertia.rot - shift_of(inertia.mass, centre)) @ spin
    return rotate(turn_by(turning * (0.5 * h)), spin)
