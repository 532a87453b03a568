"""Bends: by how much the mean motion of a body within a step differs from its motion by joint velocities.

A body that turns by φ = h ω within the step has, in the middle of its way, an angular momentum that is the same before
and after, seen from outside,

    L = exp(φ/2) (I ω / c + (1 - 1/c) n (n·I ω))           c = cos(|φ|/2),  n = φ/|φ|

This is I ω = (Π₋ + Π₊)/2 in the axes of the body (Π its angular momentum there), and so keeps ½ Π·I⁻¹Π as well as L
(Austin, Krishnaprasad & Wang 1993, with the exponential map for Cayley's).
"""

from hitogata.dynamics.factor import unwhiten_trees
from hitogata.lanes import any_lane, inline, kernel, maximum, negated, sincos, sqrt, where
from hitogata.sim.tree_energy import inverse_inertia
from hitogata.sim.tree_motion import LEAST, add_push
from hitogata.spatial import (
    Force,
    Mat3,
    Motion,
    Quaternion,
    Vec3,
    cross,
    cross_cols,
    dot,
    load3,
    rotate,
    rotated,
    rotation_vector,
    skew,
    solve3,
    store3,
    turn_by,
)

MOST_ROUNDS = 16.0
"""... or so often."""

STILL, STILL_ALONE = 1e-6, 1e-14
"""Substitution goes on until joints turn by no more than this differently: of several bodies, and of a body alone,
which shows the slightest error near the axis of its middle inertia [rad] ..."""

STALLED = 0.8
"""... or by no less than the root of this times the last change, ..."""

LOST = 1e-3
"""Substitution that changes velocities by more than this in its last round does not converge [rad]."""

INFINITE = 1e30


@kernel
def follow_alone(scene, solid, room, root, share, h, fast):
    """The same for a free body alone, by Newton's method.

    Its centre goes as it would by J v.  With ω₀ how it would turn then, and L as above, in the axes of the body,

        I ω + share (L(h ω) - I ω) = I ω₀
    """
    placed, iv, x, arm = scene.placed[root], scene.tree.joint[root].iv, scene.x, scene.placed[root].arm
    for k in range(iv, iv + 6):
        x[k] = x[k] - room.half[k]
    unwhiten_trees(scene.tree, scene.chains, scene.mass, x, room.v, root, root + 1)
    ang, lin = placed.base @ load3(room.v, iv), placed.base @ load3(room.v, iv + 3)
    start, centre = placed.rot.T @ ang, lin + cross(ang, arm)
    own, going, n, before, strays = start, fast, 0.0, INFINITE, fast & False
    while any_lane(going):
        change = curve_newton_step(solid.central, own, start, share, h)
        moved = dot(change, change) * (h * h)
        own = where(going, own - change, own)
        n += 1.0
        done = (moved < STILL_ALONE * STILL_ALONE) | (moved > STALLED * before) | (n > MOST_ROUNDS)
        strays = strays | (going & done & negated(moved <= LOST * LOST))
        going, before = going & negated(done), moved
    share, own = where(strays, 0.0, share), where(strays, start, own)
    ang, spin = placed.rot @ own, solid.central @ own
    bend = (rotate(turn_by(ang * h), arm) - arm) * (1.0 / h) - cross(ang, arm)
    lin = centre - cross(ang, arm) - bend * share
    placed.motion, placed.bend = Motion(ang, lin), Motion(bend * 0.0, bend * share)
    placed.excess = placed.rot @ ((angular_momentum(solid.central, own * h, h) - spin) * share)
    store3(room.v, iv, placed.base.T @ ang)
    store3(room.v, iv + 3, placed.base.T @ lin)


@inline
def curve_newton_step(inertia, spin, start, share, h):
    """Newton step of I ω + share (L(h ω) - I ω) = I ω₀; its tangent is that of L = I ω + ½ h ω × I ω + ..."""
    now = inertia @ spin
    left = now + (angular_momentum(inertia, spin * h, h) - now) * share - inertia @ start
    i, turning = inertia, (cross_cols(spin, inertia) - skew(now)) * (0.5 * h * share)
    return solve3(turning + Mat3(i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz), left)


@inline
def energy_of_excess(central, rot, spin, excess):
    """Kinetic energy that an excess e of angular momentum adds to that of I ω:  ω·e + ½ e·I⁻¹e."""
    own = rot.T @ excess
    return dot(spin, excess) + 0.5 * dot(own, inverse_inertia(central) @ own)


@kernel
def bend_bodies(scene, solids, reached, root, end, share, h, going):
    """How the mean motions of a tree's bodies differ from J v, where it is still going; what this is worth to its
    joints, added to x."""
    tree, none = scene.tree, Force(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))
    for i in range(root, end):
        reached[i].push = none
    for i in range(end - 1, root - 1, -1):
        placed, solid, own, parent = scene.placed[i], solids[i], reached[i], tree.joint[i].parent
        if not any_lane(own.needed > 0.0):
            continue
        turns = own.turns > 0.0
        if any_lane(turns):
            bend, excess = bend_of(
                solid.mass, solid.centre, solid.central, placed.rot, placed.pos, placed.arm, placed.motion, own.rot,
                own.pos, h,
            )  # fmt: skip
            placed.bend = where(going & turns, bend * share, placed.bend)
            placed.excess = where(going & turns, excess * share, placed.excess)
            lin = placed.bend.lin * solid.mass
            own.push = own.push + Force(placed.excess + cross(placed.rel + placed.arm, lin), lin)
        add_push(tree.joint[i], tree.body[i], placed, scene.x, own.push)
        if parent >= 0:
            reached[parent].push = reached[parent].push + own.push


@inline
def bend_of(mass, centre, central, rot, pos, arm, motion, rot_after, pos_after, h):
    """Mean motion of a body (turning, velocity of its centre) less J v, and its angular momentum less I J v.

    L as above, with what is known of half the turn without its angle: c = w, n sin(|φ|/2) = u of its quaternion (w, u).
    """
    half = half_turn(rot_after @ rot.T)
    u, turn = half.v, rotation_vector(half) * (1.0 / h)
    inertia = rotated(rot, central)
    spin = inertia @ turn
    along = u * (dot(u, spin) / (dot(u, u) + LEAST))
    across = cross(u, spin)
    angular = along + (spin - along + across + cross(u, across) * (1.0 / (1.0 + half.w))) * (1.0 / half.w)
    mean = (pos_after + rot_after @ centre - pos - arm) * (1.0 / h)
    bend = Motion(turn - motion.ang, mean - motion.lin - cross(motion.ang, arm))
    return bend, angular - inertia @ motion.ang


@inline
def half_turn(m):
    """Quaternion of a rotation matrix that turns by less than half a turn."""
    w = 0.5 * sqrt(maximum(1.0 + m.xx + m.yy + m.zz, LEAST))
    scale = 0.25 / w
    return Quaternion(w, (m.zy - m.yz) * scale, (m.xz - m.zx) * scale, (m.yx - m.xy) * scale)


@inline
def angular_momentum(inertia, turn, h):
    """L of a body that turns by a rotation vector within h; its inertia in world axes, at the beginning."""
    spin, square = inertia @ (turn * (1.0 / h)), dot(turn, turn)
    _, cos = sincos(sqrt(square) * 0.5)
    along = turn * (dot(turn, spin) / (square + LEAST))
    return rotate(turn_by(turn * 0.5), (spin - along) * (1.0 / cos) + along)
