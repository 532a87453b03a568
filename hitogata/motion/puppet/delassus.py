"""The Delassus matrix of rows and walls, A = J D Jᵀ, and what a push against a wall does (see `replies`)."""

from hitogata.dynamics.joints import driven_by
from hitogata.lanes import inline, kernel
from hitogata.motion.puppet.carried import couple_carried, note_carried
from hitogata.motion.puppet.layout import BALANCE
from hitogata.motion.puppet.replies import at_root, joint_feels, mobility_now, spread_replies, spread_sway
from hitogata.spatial import dot, power


@kernel
def couple(model, state, goals, bench, law):
    """A = J D Jᵀ of the scaled rows, lower half."""
    groups = goals.groups
    spread_replies(model, state, goals, bench, law)
    sway = state.q[0] * 0.0
    if goals.balance >= 0:
        sway = spread_sway(model, state, goals, bench, law)
    if model.leads > 0:
        note_carried(model, goals, bench)
    for i in range(groups):
        for j in range(i + 1):
            at, a, b = 3 * i * 3 * groups + 3 * j, bench.rows[i], bench.rows[j]
            if i == goals.balance or j == goals.balance:
                couple_sway(goals, bench, i, j, at, sway)
            else:
                reply = bench.reply[goals.common[i * groups + j]].reply
                store_block(bench.coupling, at, 3 * groups, a.scale, b.scale, pair(reply, a, b))
            if model.leads > 0:
                couple_carried(model, state, goals, bench, law, i, j)


@kernel
def pair(reply, a, b):
    """Nine powers: rows of one group against the replies to those of another."""
    x, y, z = reply @ b.first, reply @ b.second, reply @ b.third
    return powers(a.first, a.second, a.third, x, y, z)


@inline
def powers(first, second, third, x, y, z):
    """Three wrenches against three motions, row by row."""
    return tuple(power(f, m) for f in (first, second, third) for m in (x, y, z))


@inline
def store_block(view, at, stride, a, b, block):
    """A 3 x 3 block, scaled on both sides."""
    for k, s in enumerate((a.x, a.y, a.z)):
        for j, t in enumerate((b.x, b.y, b.z)):
            view[at + k * stride + j] = block[3 * k + j] * (s * t)


@kernel
def couple_sway(goals, bench, i, j, at, sway):
    """A block of the centre of mass: only its first row or column is not zero."""
    a, b, stride, zero = bench.rows[i], bench.rows[j], 3 * goals.groups, sway * 0.0
    for k in range(3):
        for n in range(3):
            bench.coupling[at + k * stride + n] = zero
    if i == j:
        bench.coupling[at] = sway * (a.scale.x * a.scale.x)
    elif i == goals.balance:
        motion, s = bench.reply[goals.group[j].body].sway, a.scale.x
        bench.coupling[at] = power(b.first, motion) * (s * b.scale.x)
        bench.coupling[at + 1] = power(b.second, motion) * (s * b.scale.y)
        bench.coupling[at + 2] = power(b.third, motion) * (s * b.scale.z)
    else:
        motion, s = bench.reply[goals.group[i].body].sway, b.scale.x
        bench.coupling[at] = power(a.first, motion) * (s * a.scale.x)
        bench.coupling[at + stride] = power(a.second, motion) * (s * a.scale.y)
        bench.coupling[at + 2 * stride] = power(a.third, motion) * (s * a.scale.z)


# ------------------------------------------------------- walls


@kernel
def couple_walls(model, state, goals, bench, law, walls):
    """How a unit push against each wall moves the rows of all groups, and the other wall of its joint."""
    tree, rows = model.tree, 3 * goals.groups
    for a in range(walls):
        wall, own = bench.wall[a], bench.wall_int[a]
        i = own.body
        joint, placed, s = tree.joint[i], bench.placed[i], state.joint[i]
        d = mobility_now(s.mobility, s.pull, law.dt)
        wall.motion = at_root(driven_by(joint, tree.body[i], placed, wall.row), placed.pos) * d
        for b in range(a + 1):
            if bench.wall_int[b].body == i:
                bench.between[a * walls + b] = dot(wall.row, bench.wall[b].row) * d
            else:
                bench.between[a * walls + b] = d * 0.0
        for g in range(goals.groups):
            body, at, lead = goals.group[g].body, a * rows + 3 * g, model.lead[i]
            if lead >= 0:
                for k in range(3):
                    bench.across[at + k] = bench.carried[3 * (g * model.leads + lead) + k] * wall.row.x * d
            elif goals.group[g].kind == BALANCE:
                sway = sway_of(bench.reply[i], bench.reply[0], bench.rows[g].first.lin, wall.motion)
                store_push(bench, at, sway, sway * 0.0, sway * 0.0, bench.rows[g])
            elif i <= body < joint.end:
                group = bench.rows[g]
                store_push(bench, at, power(group.first, wall.motion), power(group.second, wall.motion),
                           power(group.third, wall.motion), group)  # fmt: skip
            else:
                for k in range(3):
                    bench.across[at + k] = d * 0.0


@kernel
def sway_of(subtree, whole, a, motion):
    """Rate of the centre of mass along a, for a motion of a subtree."""
    return power(joint_feels(subtree.mass, subtree.moment, a, 1.0 / whole.mass), motion)


@kernel
def store_push(bench, at, first, second, third, group):
    """Three rates, scaled as their rows."""
    bench.across[at] = first * group.scale.x
    bench.across[at + 1] = second * group.scale.y
    bench.across[at + 2] = third * group.scale.z
