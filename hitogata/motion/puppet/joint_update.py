"""From forces in rows and pushes against walls to changes of joints; and the pull of wanted joint values."""

from hitogata.dynamics.joints import about, difference_of, felt
from hitogata.dynamics.world_kinematics import move
from hitogata.lanes import inline, kernel
from hitogata.motion.puppet.carried import follow_changes, gather_carried
from hitogata.motion.puppet.layout import BALANCE
from hitogata.motion.puppet.replies import at_root, mobility_now
from hitogata.spatial import Force, Vec3, cross, dot, load3, power, store3


@kernel
def collect(model, state, goals, bench, law, walls, groups):
    """bench.change = D (Jᵀ λ + n p), with the forces λ of the first groups and the walls' pushes p."""
    tree, zero = model.tree, state.q[0] * 0.0
    for i in range(tree.bodies):
        bench.placed[i].force = no_force(zero)
    for g in range(groups):
        group, body = bench.rows[g], goals.group[g].body
        if goals.group[g].kind == BALANCE:
            push_centre(model, bench, group.first.lin, group.scale.x * bench.force[3 * g])
        else:
            placed = bench.placed[body]
            placed.force = placed.force + wrench_of(group.first, group.second, group.third, group.scale,
                                                    load3(bench.force, 3 * g))  # fmt: skip
    for i in range(tree.bodies - 1, -1, -1):
        joint, placed, s, iv = tree.joint[i], bench.placed[i], state.joint[i], tree.joint[i].iv
        f, d = placed.force, mobility_now(s.mobility, s.pull, law.dt)
        if joint.arguments > 0:
            d = d * 0.0 + 1.0
        if joint.parent >= 0:
            above = bench.placed[joint.parent]
            above.force = above.force + f
        felt(joint, tree.body[i], placed, about(placed.pos, f) * d, bench.change, iv)
    gather_carried(model, state, bench, law)
    for a in range(walls):
        wall, i = bench.wall[a], bench.wall_int[a].body
        s, iv = state.joint[i], tree.joint[i].iv
        push = wall.push * mobility_now(s.mobility, s.pull, law.dt)
        if tree.joint[i].count == 3:
            store3(bench.change, iv, load3(bench.change, iv) + wall.row * push)
        else:
            bench.change[iv] = bench.change[iv] + wall.row.x * push
    follow_changes(model, bench, bench.change)


@inline
def no_force(zero):
    """No wrench."""
    return Force(Vec3(zero, zero, zero), Vec3(zero, zero, zero))


@inline
def wrench_of(first, second, third, scale, force):
    """Sum of three scaled rows times their forces."""
    return first * (scale.x * force.x) + second * (scale.y * force.y) + third * (scale.z * force.z)


@kernel
def push_centre(model, bench, a, force):
    """A push on the centre of mass is shared by all bodies, by their masses."""
    tree, total = model.tree, 0.0
    for i in range(tree.bodies):
        total = total + tree.body[i].inertia.mass
    for i in range(tree.bodies):
        placed, inertia = bench.placed[i], tree.body[i].inertia
        moment = placed.pos * inertia.mass + placed.rot @ inertia.moment
        placed.force = placed.force + weight_of(inertia.mass, moment, a * (force * (1.0 / total)))


@inline
def weight_of(mass, moment, a):
    """Wrench of an acceleration field on a body."""
    return Force(cross(moment, a), a * mass)


# ------------------------------------------------------- wanted joint values


@kernel
def pull(model, state, goals, bench, law, walls):
    """bench.pulled = ρ/(1 + ρ) (what is missing − what level one does); taken from what is asked of level two."""
    tree, rows = model.tree, 3 * goals.groups
    for k in range(rows):
        bench.force[k] = bench.lead[k]
    for a in range(walls):
        bench.wall[a].push = bench.wall[a].lead
    collect(model, state, goals, bench, law, walls, goals.first)
    for i in range(tree.bodies):
        joint, s = tree.joint[i], state.joint[i]
        share = s.pull * law.dt / (1.0 + s.pull * law.dt)
        difference_of(joint, state.q, state.wanted, bench.pulled)
        for k in range(joint.iv, joint.iv + joint.count):
            bench.pulled[k] = (bench.pulled[k] - bench.change[k]) * share
    follow_changes(model, bench, bench.pulled)
    move(tree, bench.placed, bench.pulled)
    for g in range(goals.groups):
        group = bench.rows[g]
        if goals.group[g].kind == BALANCE:
            rate = centre_rate(model, bench, group.first.lin)
            bench.asked[3 * g] = bench.asked[3 * g] - rate * group.scale.x
        else:
            placed = bench.placed[goals.group[g].body]
            motion = at_root(placed.velocity, placed.pos)
            asked = load3(bench.asked, 3 * g) - rates_of(group.first, group.second, group.third, group.scale, motion)
            store3(bench.asked, 3 * g, asked)
    for a in range(walls):
        wall, joint = bench.wall[a], tree.joint[bench.wall_int[a].body]
        if joint.count == 3:
            wall.rate = wall.rate + dot(wall.row, load3(bench.pulled, joint.iv))
        else:
            wall.rate = wall.rate + wall.row.x * bench.pulled[joint.iv]


@inline
def rates_of(first, second, third, scale, motion):
    """Scaled rates of three rows."""
    return Vec3(power(first, motion) * scale.x, power(second, motion) * scale.y, power(third, motion) * scale.z)


@kernel
def centre_rate(model, bench, a):
    """How fast the centre of mass moves along a."""
    tree, mass, momentum = model.tree, 0.0, bench.placed[0].pos * 0.0
    for i in range(tree.bodies):
        placed, inertia = bench.placed[i], tree.body[i].inertia
        mass = mass + inertia.mass
        momentum = momentum + body_flow(placed.velocity, placed.rot @ inertia.moment, inertia.mass)
    return dot(momentum, a) * (1.0 / mass)


@inline
def body_flow(motion, moment, mass):
    """Linear momentum of a body."""
    return motion.lin * mass + cross(motion.ang, moment)
