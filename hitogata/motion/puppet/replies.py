"""How bodies give way: J D Jᵀ without ever writing J down.

D is the mobility of the joints, block by block.  If a wrench f pulls at a body, joints give way by D Sᵀ f, and bodies
below a joint move by S D Sᵀ f (S: the joint's motions, about the root's origin).  So a body replies to a wrench on
itself, or on any body below it, by

    Ω_i = Ω_parent + S D Sᵀ                     6 x 6, symmetric

and two rows f_i, f_j on two bodies are coupled by (J D Jᵀ)_ij = f_i · Ω f_j, with Ω that of the last body that moves
both (their lowest common ancestor).  One pass outward over the bodies, 21 numbers each, whatever the number of rows.
Summing S D Sᵀ along a chain is how operational-space inertias are found (Khatib 1987; Featherstone 2008, ch. 9), with
mobilities in place of a mass matrix.

With one mobility d for the three axes of a ball joint at p, S D Sᵀ = d [[1, −[p]], [[p], |p|² 1 − p pᵀ]].

A push on the centre of mass pulls at all bodies; a joint feels those of its subtree, F = [c × a; a] m/M for a push
along a, with m and c the subtree's mass and centre; a body replies by the sum of S D Sᵀ F along its chain.
"""

from hitogata.dynamics.joints import about, column, is_ball, is_floating, through
from hitogata.lanes import inline, kernel
from hitogata.spatial import Force, Inertia, Motion, Sym3, Vec3, cross, outer, power, shift_of, skew


@inline
def mobility_now(mobility, pull, dt):
    """D of a joint: with a weight pull · dt (in units of 1/mobility) on its wanted value (see `levels`)."""
    return mobility / (1.0 + pull * dt)


@kernel
def is_carried(model, i):
    """Does a body's coordinate follow others, or others follow it?  See `carried`."""
    return model.tree.joint[i].arguments > 0 or model.lead[i] >= 0


@kernel
def spread_replies(model, state, goals, bench, law):
    """Ω of all bodies that move a group."""
    tree = model.tree
    for i in range(tree.bodies):
        if goals.moves[i] != 0:
            joint, placed, own, s = tree.joint[i], bench.placed[i], bench.reply[i], state.joint[i]
            d = mobility_now(s.mobility, s.pull, law.dt)
            if joint.parent >= 0:
                own.reply = bench.reply[joint.parent].reply
            else:
                own.reply = no_reply(d * 0.0)
            if is_carried(model, i):
                continue
            if is_ball(joint):
                own.reply = own.reply + ball_reply(placed.pos, d)
            elif is_floating(joint):
                own.reply = own.reply + free_reply(d)
            elif joint.count == 1:
                own.reply = own.reply + axis_reply(column(joint, tree.body[i], placed, 0), placed.pos, d)


@inline
def no_reply(zero):
    """It does not move."""
    return Inertia(Sym3(*[zero] * 6), outer(Vec3(zero, zero, zero), Vec3(zero, zero, zero)), Sym3(*[zero] * 6))


@inline
def ball_reply(p, d):
    """Three axes through p."""
    return Inertia(Sym3(d, 0.0, 0.0, d, 0.0, d), skew(p) * -d, shift_of(d, p))


@inline
def axis_reply(s, p, d):
    """One motion, whose column at p is s."""
    m = s.lin + cross(p, s.ang)
    return Inertia(square(s.ang) * d, outer(s.ang, m) * d, square(m) * d)


@inline
def free_reply(d):
    """All directions, and all axes through the root's origin."""
    whole = Sym3(d, 0.0, 0.0, d, 0.0, d)
    return Inertia(whole, skew(Vec3(d, d, d)) * 0.0, whole)


@inline
def square(a):
    """a aᵀ."""
    return Sym3(a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z)


# ------------------------------------------------------- centre of mass


@kernel
def spread_sway(model, state, goals, bench, law):
    """Replies of all bodies to a unit push on the centre of mass; returns the reply of the centre itself."""
    tree, a = model.tree, bench.rows[goals.balance].first.lin
    for i in range(tree.bodies):
        own, placed, inertia = bench.reply[i], bench.placed[i], tree.body[i].inertia
        own.mass = inertia.mass + a.x * 0.0
        own.moment = placed.pos * inertia.mass + placed.rot @ inertia.moment
    for i in range(tree.bodies - 1, 0, -1):
        own, above = bench.reply[i], bench.reply[tree.joint[i].parent]
        above.mass = above.mass + own.mass
        above.moment = above.moment + own.moment
    per, total = 1.0 / bench.reply[0].mass, a.x * 0.0
    for i in range(tree.bodies):
        joint, own, placed, s = tree.joint[i], bench.reply[i], bench.placed[i], state.joint[i]
        d, f = mobility_now(s.mobility, s.pull, law.dt), joint_feels(own.mass, own.moment, a, per)
        if joint.parent >= 0:
            own.sway = bench.reply[joint.parent].sway
        else:
            own.sway = no_sway(a.x * 0.0)
        if joint.count > 0 and not is_carried(model, i):
            way = through(joint, tree.body[i], placed, about(placed.pos, f))
            total = total + sway_more(own, f, at_root(way, placed.pos) * d)
    return total


@kernel
def sway_more(own, f, motion):
    """Add to a body's reply; returns what that does to the wrench."""
    own.sway = own.sway + motion
    return power(f, motion)


@inline
def joint_feels(mass, moment, a, per):
    """Wrench on a subtree for a unit push on the centre of mass along a."""
    return Force(cross(moment, a) * per, a * (mass * per))


@inline
def no_sway(zero):
    """It does not move."""
    return Motion(Vec3(zero, zero, zero), Vec3(zero, zero, zero))


@inline
def at_root(motion, pos):
    """A body's motion, its linear part taken at the root's origin."""
    return Motion(motion.ang, motion.lin + cross(pos, motion.ang))
