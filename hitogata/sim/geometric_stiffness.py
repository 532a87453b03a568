"""2c  Geometric stiffness: what is taut and would swing back faster than a step can follow is slowed.

A body pulled on both ends (a link of a chain that carries a load, an arm drawn by a spring out of its reach) turns back
like a pendulum.  This stiffness is in no spring and no row, so that a step that cannot follow it would blow up.  Of all
forces f on a body, each at r, with inertia's among them so that they add up to nothing,

    Q = sym Σ r fᵀ,      G = tr(Q) 1 - Q             turning by θ costs ½ θᵀ G θ      (Andrews et al. 2017)

Steps can follow if 4 M - h² Σ Jᵀ G J is positive, J the turning of each body: most trees, at most steps.  Where it is
not, each body's turning has a damper C.  h² G <= 4 I + 2 h C, for I its inertia about its own centre, is enough; so for
tension along n, h C = δ (1 - n nᵀ) with δ the part of θ h² G that exceeds I.  What is slowed is turning against that of
the tree as a whole, so that swinging and tumbling go on.
"""

from hitogata.constraints.springs import damper_of
from hitogata.dynamics.factor import factorise
from hitogata.dynamics.joints import add_felt, column, is_floating
from hitogata.dynamics.layout import velocities_to
from hitogata.lanes import any_lane, inline, kernel, maximum, minimum, negated, packed, sqrt, where
from hitogata.sim.tree_energy import locked_motion
from hitogata.sim.tree_motion import add_push, is_free
from hitogata.spatial import Force, Sym3, Vec3, cross, dot, inverse, load3, rotated, shift_of, store3

RESERVE = 1.6
"""Steps are taken to follow no more than this times the stiffness there is."""

STRETCH = 1.0 + 3.0**0.5
"""No eigenvalue of G is greater than this times |Q|."""

LEAST = 1e-37
"""A positive number that float32 knows."""

CURVED = 1.05
"""What is given back may need so much more energy than was taken: momenta are those of curves, velocities are not."""

SHARE = 0.75
"""θ: 1/2 is enough along one axis, and 3/4 for tension in all directions at once."""


@kernel
def steady(scene, solids, state, law, spare):
    """Slow all taut trees; returns whether there may be any.  The mass matrix is filled, not yet factorised."""
    tree, root, h = scene.tree, 0, law.h
    if law.slow_taut == 0.0 or not any_lane(taut(solids, state, h, 0, tree.bodies)):
        return False
    while root < tree.bodies:
        end = tree.joint[root].end
        slow = taut(solids, state, h, root, end)
        if any_lane(slow):
            slow = slow & negated(holds(scene, state, h, spare, root, end))
        for i in range(root, end):
            scene.placed[i].slow = nothing()
        if any_lane(slow):
            for i in range(root, end):
                placed, virial = scene.placed[i], state.strain[i].virial
                damper = slowing(virial, rotated(placed.rot, solids[i].central), SHARE * h * h)
                placed.slow = where(slow, damper, nothing())
            add_turnings(scene, scene.mass, root, end)
            leave_whole(scene, root, end)
        root = end
    return True


@kernel
def taut(solids, state, h, first, end):
    """Might any of these bodies swing back faster than a step can follow, if no other mass helped?"""
    share, found = 4.0 / (STRETCH * RESERVE * h * h), False
    for i in range(first, end):
        most = solids[i].least * share
        found = found | (squares(state.strain[i].virial) > most * most)
    return found


@inline
def squares(q):
    """Sum of the squares of all nine entries."""
    return q.xx * q.xx + q.yy * q.yy + q.zz * q.zz + 2.0 * (q.xy * q.xy + q.xz * q.xz + q.yz * q.yz)


@kernel
def holds(scene, state, h, spare, root, end):
    """Is 4 M - h² Σ Jᵀ G J positive?"""
    tree, stride = scene.tree, scene.chains.stride
    first, last = tree.joint[root].iv, velocities_to(tree, end)
    source, target = packed(scene.mass), packed(spare)
    for k in range(first * stride, last * stride, source.step):
        target[k] = source[k]
    for i in range(root, end):
        scene.placed[i].slow = turning_stiffness(state.strain[i].virial) * (-0.25 * RESERVE * h * h)
    add_turnings(scene, spare, root, end)
    factorise(tree, scene.chains, spare, root, end)
    positive = True
    for i in range(root, end):
        joint = tree.joint[i]
        for k in range(joint.count):
            positive = positive & of_positive(spare[(joint.iv + k) * stride + joint.depth + k])
    return positive


@inline
def of_positive(x):
    """Is 1/√ of a number what it is for a positive one?"""
    return (x - x == 0.0) & (x > 0.0)


@inline
def nothing():
    """No damper."""
    return Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def turning_stiffness(q):
    """G."""
    return Sym3(q.yy + q.zz, -q.xy, -q.xz, q.xx + q.zz, -q.yz, q.xx + q.yy)


@inline
def slowing(q, inertia, share):
    """h C = δ (1 - Q²/|Q|²), with δ no less than the greatest eigenvalue of share G - I, nor than 0."""
    excess = turning_stiffness(q) * share - inertia
    mean = (excess.xx + excess.yy + excess.zz) * (1.0 / 3.0)
    spread = maximum(squares(excess) - 3.0 * mean * mean, 0.0)
    delta = maximum(mean + sqrt(spread * (2.0 / 3.0)), 0.0)
    part = delta / (squares(q) + LEAST)
    return Sym3(delta, 0.0, 0.0, delta, 0.0, delta) - square(q) * part


@inline
def square(q):
    """Q²."""
    x, y, z = Vec3(q.xx, q.xy, q.xz), Vec3(q.xy, q.yy, q.yz), Vec3(q.xz, q.yz, q.zz)
    return Sym3(dot(x, x), dot(x, y), dot(x, z), dot(y, y), dot(y, z), dot(z, z))


@kernel
def add_turnings(scene, mass, root, end):
    """Add Σ Jᵀ S J to a matrix, S what each body has under `slow`; afterwards, bodies hold that of their subtrees."""
    tree, stride = scene.tree, scene.chains.stride
    for i in range(end - 1, root - 1, -1):
        joint, placed = tree.joint[i], scene.placed[i]
        if joint.parent >= 0:
            parent = scene.placed[joint.parent]
            parent.slow = parent.slow + placed.slow
        for k in range(joint.count):
            couple = placed.slow @ column(joint, tree.body[i], placed, k).ang
            add_couple(scene, mass, i, couple, (joint.iv + k) * stride)


@kernel
def add_couple(scene, mass, i, couple, row):
    """Add a couple on body i to one row: what it means to each turning of its chain."""
    tree = scene.tree
    while i >= 0:
        joint = tree.joint[i]
        add_felt(joint, tree.body[i], scene.placed[i], only_torque(couple), mass, row + joint.depth)
        i = joint.parent


@kernel
def leave_whole(scene, root, end):
    """Push a tree by what slowing takes off its turning as a whole."""
    tree, placed = scene.tree, scene.placed[root]
    if is_floating(tree.joint[root]):
        turning = free_turning(placed.inertia, placed.momentum, placed.slow)
    else:
        turning = hung_turning(placed.inertia, placed.momentum, placed.slow)
    for i in range(root, end):
        add_push(tree.joint[i], tree.body[i], scene.placed[i], scene.x, only_torque(scene.placed[i].slow @ turning))
    placed.momentum = only_torque(turning)  # to know in `give_back`


@inline
def free_turning(inertia, momentum, slow):
    """Turning of a free tree, if it were rigid."""
    centre = inertia.moment * (1.0 / inertia.mass)
    about_centre = inertia.rot - shift_of(inertia.mass, centre)
    return (inverse(about_centre) @ (momentum.ang - cross(centre, momentum.lin))) * share_left(about_centre, slow)


@inline
def hung_turning(inertia, momentum, slow):
    """Turning of a tree about where it hangs on the world, if it were rigid."""
    return (inverse(inertia.rot) @ momentum.ang) * share_left(inertia.rot, slow)


@inline
def share_left(inertia, slow):
    """Share of the whole turning that is left as it is: all, unless that cannot be followed either."""
    ratio = 2.0 * (slow.xx + slow.yy + slow.zz) / (inertia.xx + inertia.yy + inertia.zz)
    return 1.0 / (1.0 + ratio * ratio)


@inline
def only_torque(torque):
    """A wrench without a force."""
    return Force(torque, torque * 0.0)


# ------------------------------------------------------- what to expect of ties


@kernel
def expect_ties(scene, around, state, law):
    """Add to the strain what ties are going to pull with: springs, if they give way as in the last step; ropes in full.
    """
    count = 0
    if law.slow_taut > 0.0:
        count = around.tie_count
    for t in range(count):
        tie, ints = around.ties[t], around.tie_ints[t]
        a = scene.placed[ints.body_a]
        end_a, end_b = a.pos + a.rot @ tie.point_a, tie.point_b
        if ints.body_b >= 0:
            b = scene.placed[ints.body_b]
            end_b = b.pos + b.rot @ tie.point_b
        soft = 1.0 / (law.h * damper_of(tie.stiffness, tie.damping, law.h, law.theta))
        force = minimum(tension(end_a - end_b, tie.length, tie.stiffness) * (soft / (soft + tie.give)), tie.limit)
        expect(scene, state, ints.body_a, end_a, force)
        if ints.body_b >= 0:
            expect(scene, state, ints.body_b, end_b, force)


@inline
def tension(reach, length, stiffness):
    """Of a spring (without a length) or a rope [N]."""
    return stiffness * maximum(sqrt(dot(reach, reach)) - length, 0.0)


@kernel
def expect(scene, state, i, end, force):
    """A force on a body, wherever it leads: each link between its joint and the next may turn by it."""
    while i >= 0:
        placed, strain, above = scene.placed[i], state.strain[i], scene.tree.joint[i].parent
        reach = end - placed.pos
        if above < 0 and is_floating(scene.tree.joint[i]):
            reach = reach - placed.arm
        strain.virial = strain.virial + drawn(reach, force)
        end, i = placed.pos, above


@inline
def drawn(r, force):
    """Q of a force along r."""
    return together(r, r) * (force / sqrt(dot(r, r) + 1e-24))


# ------------------------------------------------------- for the next step


@kernel
def give_back(scene, rows, points, state, slowed):
    """Add to the angular momenta of free trees what they lost without right, so that the next step returns it.

    That is the slowing above, and what springs between two links of a tree take: they pull along where their ends are
    to go, and so not quite along the line between them.  No more energy is given back than they took so.
    """
    for p in range(points):
        root = tied_root(scene.tree, rows.point_int[p])
        if root >= 0 and is_first_tie(scene.tree, rows, p, root):
            spin, taken = scene.placed[root].pos * 0.0, scene.placed[root].pos.x * 0.0
            for k in range(p, points):
                if tied_root(scene.tree, rows.point_int[k]) == root:
                    point, own = rows.point[k], rows.point_int[k]
                    a, b, impulse = scene.placed[own.body_a], scene.placed[own.body_b], point.frame.T @ point.impulse
                    between = a.rel + point.arm_a - b.rel - point.arm_b
                    apart = ends_apart(a.motion, b.motion, point.arm_a, point.arm_b)
                    spin, taken = spin + cross(impulse, between), taken + taken_across(impulse, between, apart)
            add_spin(scene, state, root, spin, taken)
    tree, root = scene.tree, 0
    while slowed and root < tree.bodies:
        end = tree.joint[root].end
        if is_floating(tree.joint[root]):
            turning = scene.placed[root].motion.ang - scene.placed[root].momentum.ang
            lost = scene.placed[root].slow @ turning
            taken = dot(lost, turning)
            for i in range(root + 1, end):
                placed, above = scene.placed[i], scene.placed[tree.joint[i].parent]
                turning = placed.motion.ang - above.motion.ang
                slowing_of = placed.slow @ turning
                lost, taken = lost + slowing_of, taken + dot(slowing_of, turning)
            add_spin(scene, state, root, lost, taken)
        root = end


@kernel
def tied_root(tree, own):
    """Root of the tree of which a spring or rope ties two links; -1 for all other rows."""
    if own.tie == 0 or own.body_b < 0:
        return -1
    root, other = root_of(tree, own.body_a), root_of(tree, own.body_b)
    if root == other:
        return root
    return -1


@kernel
def is_first_tie(tree, rows, p, root):
    """Is there no such row of a tree before this one?"""
    earlier = 0
    for k in range(p):
        if tied_root(tree, rows.point_int[k]) == root:
            earlier += 1
    return earlier == 0


@inline
def ends_apart(a, b, arm_a, arm_b):
    """Velocity of the end of an arm on a against that on b."""
    return a.lin + cross(a.ang, arm_a) - b.lin - cross(b.ang, arm_b)


@inline
def taken_across(impulse, between, apart):
    """Energy that an impulse across the line between its ends took."""
    along = between * (dot(impulse, between) / (dot(between, between) + 1e-24))
    return dot(along - impulse, apart)


@kernel
def root_of(tree, i):
    """Root of the tree a body belongs to."""
    while tree.joint[i].parent >= 0:
        i = tree.joint[i].parent
    return i


@kernel
def add_spin(scene, state, root, spin, taken):
    """Add to the angular momentum noted of a free tree, as far as that needs no more energy than was taken, and this
    energy to what it has to spare."""
    if is_free(scene.tree, root):
        before = load3(state.spin, 3 * root)
        rigid, _, _, _, _ = locked_motion(scene.placed[root].inertia, only_torque(before + spin * 0.5))
        needed = dot(rigid, spin)
        most = CURVED * maximum(taken, 0.0)
        share = where(needed > most, most / maximum(needed, LEAST), 1.0)
        store3(state.spin, 3 * root, before + spin * share)
        state.spare[root] = state.spare[root] + needed * share


@kernel
def relax(scene, state):
    """Nothing pulls on any body."""
    for i in range(scene.tree.bodies):
        state.strain[i].virial = state.strain[i].virial * 0.0


@kernel
def note_strain(scene, solids, rows, points, state, control, h):
    """How all bodies were pulled apart in the step now solved; `carry` left their centres' old velocities."""
    tree = scene.tree
    for i in range(tree.bodies):
        placed, solid = scene.placed[i], solids[i]
        placed.force = inertial(solid.mass, tree.gravity * h, state.carried[i].centre, placed.force)
        placed.slow = together(placed.force, placed.arm)
    if any_lane(control.pulled[0] > 0.0):
        for i in range(tree.bodies):
            placed, pull = scene.placed[i], control.pull[i]
            pull_at(placed, pull.force * h, placed.rot @ pull.point)
    for p in range(points):
        point, own = rows.point[p], rows.point_int[p]
        if own.tie == 0:
            impulse = point.frame.T @ point.impulse
            pull_at(scene.placed[own.body_a], impulse, point.arm_a)
            if own.body_b >= 0:
                pull_at(scene.placed[own.body_b], impulse * -1.0, point.arm_b)
    for i in range(tree.bodies - 1, -1, -1):
        placed, above = scene.placed[i], tree.joint[i].parent
        if above >= 0:
            pull_at(scene.placed[above], placed.force, placed.rel - scene.placed[above].rel)
        state.strain[i].virial = placed.slow * (1.0 / h)


@inline
def inertial(mass, fall, now, before):
    """Impulse of gravity and inertia on a body."""
    return (fall - now + before) * mass


@kernel
def pull_at(placed, force, arm):
    """A force on a body, at the end of an arm from its origin."""
    placed.force = placed.force + force
    placed.slow = placed.slow + together(force, arm)


@inline
def together(f, r):
    """sym r fᵀ."""
    return Sym3(
        f.x * r.x, 0.5 * (f.x * r.y + f.y * r.x), 0.5 * (f.x * r.z + f.z * r.x), f.y * r.y,
        0.5 * (f.y * r.z + f.z * r.y), f.z * r.z,
    )  # fmt: skip
