"""Coordinates that others follow (`dynamics.followers`): how they move what is asked for.

A coordinate u moves a body by C_u = Σ g S over all that follow it on the way there, which need not be the same for two
bodies: so it has no part in their replies, but in the matrix itself,

    J D Jᵀ  =  (replies)  +  Σ_u d_u α_u α_uᵀ         α_u = f · C_u of each row, scaled
"""

from hitogata.dynamics.joints import column
from hitogata.lanes import kernel
from hitogata.motion.puppet.layout import BALANCE
from hitogata.motion.puppet.replies import at_root, is_carried, joint_feels, mobility_now
from hitogata.spatial import power


@kernel
def note_carried(model, goals, bench):
    """α of all rows."""
    tree, leads = model.tree, model.leads
    for k in range(3 * goals.groups * leads):
        bench.carried[k] = 0.0
    for g in range(goals.groups):
        group, at = bench.rows[g], 3 * g * leads
        if goals.group[g].kind == BALANCE:
            per = 1.0 / bench.reply[0].mass
            for i in range(tree.bodies):
                if is_carried(model, i):
                    own = bench.reply[i]
                    force = joint_feels(own.mass, own.moment, group.first.lin, per)
                    add_carried(model, bench, i, at, power(force, motion_of(tree, bench, i)) * group.scale.x, 0.0, 0.0)
        else:
            i = goals.group[g].body
            while i >= 0:
                if is_carried(model, i):
                    motion, s = motion_of(tree, bench, i), group.scale
                    add_carried(
                        model, bench, i, at, power(group.first, motion) * s.x, power(group.second, motion) * s.y,
                        power(group.third, motion) * s.z,
                    )  # fmt: skip
                i = tree.joint[i].parent


@kernel
def motion_of(tree, bench, i):
    """Column of a body's only coordinate, about the root's origin."""
    placed = bench.placed[i]
    return at_root(column(tree.joint[i], tree.body[i], placed, 0), placed.pos)


@kernel
def add_carried(model, bench, i, at, x, y, z):
    """Add the powers of three rows for a body's coordinate to α of what it follows, or of itself."""
    joint = model.tree.joint[i]
    if joint.arguments == 0:
        add_powers(bench, at + 3 * model.lead[i], x, y, z, 1.0)
    for n in range(joint.first, joint.first + joint.arguments):
        add_powers(bench, at + 3 * model.lead[model.argument_body[n]], x, y, z, bench.slope[n])


@kernel
def add_powers(bench, at, x, y, z, share):
    """Three numbers more."""
    bench.carried[at] = bench.carried[at] + x * share
    bench.carried[at + 1] = bench.carried[at + 1] + y * share
    bench.carried[at + 2] = bench.carried[at + 2] + z * share


@kernel
def couple_carried(model, state, goals, bench, law, i, j):
    """Add to the block of two groups."""
    stride, leads = 3 * goals.groups, model.leads
    at = 3 * i * stride + 3 * j
    for body in range(model.tree.bodies):
        u = model.lead[body]
        if u >= 0:
            s, a, b = state.joint[body], 3 * (i * leads + u), 3 * (j * leads + u)
            d = mobility_now(s.mobility, s.pull, law.dt)
            for k in range(3):
                for n in range(3):
                    more = bench.carried[a + k] * bench.carried[b + n] * d
                    bench.coupling[at + k * stride + n] = bench.coupling[at + k * stride + n] + more


@kernel
def gather_carried(model, state, bench, law):
    """Of forces on what follows, in bench.change, to changes of what it follows."""
    tree = model.tree
    for n in range(model.followers.total):
        joint = tree.joint[model.followers.body[n]]
        for k in range(joint.first, joint.first + joint.arguments):
            body = model.argument_body[k]
            s, iv = state.joint[body], tree.joint[body].iv
            d = mobility_now(s.mobility, s.pull, law.dt)
            bench.change[iv] = bench.change[iv] + bench.change[joint.iv] * bench.slope[k] * d


@kernel
def follow_changes(model, bench, change):
    """Changes of what follows."""
    tree = model.tree
    for n in range(model.followers.total):
        joint, total = tree.joint[model.followers.body[n]], change[0] * 0.0
        for k in range(joint.first, joint.first + joint.arguments):
            total = total + bench.slope[k] * change[tree.joint[model.argument_body[k]].iv]
        change[joint.iv] = total
