"""Rows of wrenches on their way from their bodies to the root: whitened, or as rows of a Jacobian.  See `recursion`."""

from hitogata.dynamics.joints import BALL, FREE, HINGE, SCREW, add_felt, axis_of
from hitogata.lanes import absolute, inline, kernel, packed, sqrt, where
from hitogata.loops.layout import SIDE
from hitogata.spatial import Force, Vec3, cross, dot, length

CANCELLED = 1e-24
"""Square of the part of two opposite wrenches that may be left by rounding."""


@kernel
def whiten_link(bench, k):
    """Write a virtual link's rows, whitened, into their columns of bench.white; columns of later links are lost."""
    own = bench.links.link[k]
    store_pushes(bench, own)
    walk_to_root(bench, own, own.count)


@kernel
def whiten_with_reach(bench, k):
    """The same; and into `reach` of its rows the mobility of the directions that it does not hold.

    With those that it holds, a point has three directions, and so has turning.  The sum of their replies does not hang
    on the axes of P: a row that replies to its own force by far less is one that nothing moves.
    """
    own = bench.links.link[k]
    held = 1
    if own.rod == 0:
        held = own.hold_x + own.hold_y + own.hold_z
    store_pushes(bench, own)
    columns = complete_place(bench, k, held, own.count)
    middle = columns
    columns = complete_turning(bench, k, held, columns)
    walk_to_root(bench, own, columns)
    place = column_squares(bench, own.first, own.count, middle)
    turning = column_squares(bench, own.first, middle, columns)
    for n in range(own.count):
        row = bench.links.row[own.first + n]
        row.reach = place
        if n >= held:
            row.reach = turning


@kernel
def store_pushes(bench, own):
    """The wrenches of a link's rows, where their way begins; nothing in the other columns."""
    links, push = bench.links, bench.push
    for n in range(own.count):
        row = links.row[own.first + n]
        store_apart(push, n, row.on_a)
        store_apart(push, 6 * SIDE + n, row.on_b)
    for c in range(own.count, SIDE):
        for m in range(12):
            push[m * SIDE + c] = 0.0
    for c in range(SIDE):
        push[12 * SIDE + c] = 0.0


@kernel
def complete_place(bench, k, held, column):
    """Forces at the link's point along the directions that are not held, from a column on; returns the next column."""
    links, own = bench.links, bench.links.link[k]
    if held == 0 or held == 3:
        return column
    a, rows = bench.limb[own.body_a], links.row
    arm_a = a.rot @ links.number[k].pos_a
    arm_b = a.pos + arm_a
    if own.body_b >= 0:
        arm_b = arm_b - bench.limb[own.body_b].pos
    x = rows[own.first].on_a.lin
    y = beside(x)
    if held == 2:
        y = rows[own.first + 1].on_a.lin
    z = cross(x, y)
    store_force(bench.push, column, arm_a, arm_b, z)
    if held == 2:
        return column + 1
    store_force(bench.push, column + 1, arm_a, arm_b, y)
    return column + 2


@kernel
def complete_turning(bench, k, held, column):
    """Torques about the directions that are not held."""
    own, rows, push = bench.links.link[k], bench.links.row, bench.push
    turns = own.count - held
    if turns == 0 or turns == 3:
        return column
    x = rows[own.first + held].on_a.ang
    y = beside(x)
    if turns == 2:
        y = rows[own.first + held + 1].on_a.ang
    z = cross(x, y)
    store_torque(push, column, z)
    if turns == 2:
        return column + 1
    store_torque(push, column + 1, y)
    return column + 2


@inline
def beside(x):
    """A direction across another, as long as it is."""
    a = cross(x, where(absolute(x.x) < 0.6 * length(x), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)))
    return a * (length(x) / (length(a) + 1e-300))


@inline
def store_force(push, column, arm_a, arm_b, n):
    """A force on body a at the end of an arm, and its opposite on body b."""
    store_apart(push, column, Force(cross(arm_a, n), n))
    store_apart(push, 6 * SIDE + column, Force(cross(arm_b, n), n) * -1.0)


@inline
def store_torque(push, column, n):
    """A torque on body a, and its opposite on body b."""
    none = Vec3(0.0, 0.0, 0.0)
    store_apart(push, column, Force(n, none))
    store_apart(push, 6 * SIDE + column, Force(n * -1.0, none))


@kernel
def column_squares(bench, first, begin, end):
    """Sum of the squares of some columns, which is the sum of their replies."""
    total, stride = 0.0, bench.links.stride
    for c in range(first + begin, first + end):
        for n in range(bench.tree.nv):
            total = total + bench.white[n * stride + c] * bench.white[n * stride + c]
    return total


@kernel
def walk_to_root(bench, own, columns):
    """Whiten the wrenches in so many columns of bench.push."""
    tree, links, push = bench.tree, bench.links, bench.push
    white, stride = packed(bench.white), bench.links.stride
    for n in range(tree.nv):
        for c in range(own.first, own.first + columns, white.step):
            white[n * stride + c] = 0.0
    a, b = own.body_a, own.body_b
    while a >= 0 or b >= 0:
        if a == b:
            for n in range(columns):
                store_apart(push, n, joined(load_apart(push, n), load_apart(push, 6 * SIDE + n)))
            b = -1
        if a > b:
            walk(bench, a, 0, own.first, columns)
            a = tree.joint[a].parent
        else:
            walk(bench, b, 6 * SIDE, own.first, columns)
            b = tree.joint[b].parent
    for n in range(own.count):
        links.row[own.first + n].bound = push[12 * SIDE + n]


@inline
def joined(p, q):
    """Two wrenches where their ways meet; what is only rounding of opposite ones is nothing."""
    return Force(joined3(p.ang, q.ang), joined3(p.lin, q.lin))


@inline
def joined3(a, b):
    """a + b, or nothing where they cancel."""
    total, size = a + b, CANCELLED * (dot(a, a) + dot(b, b))
    return where(dot(total, total) > size, total, Vec3(0.0, 0.0, 0.0))


@inline
def store_apart(view, at, f):
    """A wrench, its numbers SIDE apart."""
    for k, value in enumerate((f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z)):
        view[at + SIDE * k] = value


@inline
def load_apart(view, at):
    """The same back."""
    return Force(
        Vec3(view[at], view[at + SIDE], view[at + 2 * SIDE]),
        Vec3(view[at + 3 * SIDE], view[at + 4 * SIDE], view[at + 5 * SIDE]),
    )


@kernel
def walk(bench, i, at, first, count):
    """Take the wrenches at `at` through the joint of body i: whitened pushes to it, the rest to the parent.

    Also sums up what they would do to joints of one motion if these had any axis: what is far below is rounding.
    """
    joint, body, limb, stride = bench.tree.joint[i], bench.tree.body[i], bench.limb[i], bench.links.stride
    many, out, row = packed(bench.push), packed(bench.white), joint.iv * stride + first
    root, bound = sqrt(limb.stiff), 12 * SIDE
    for c in range(0, count, many.step):
        p = load_apart(many, at + c)
        if joint.kind == HINGE:
            push = dot(axis_of(limb.rot), p.ang)
            out[row + c] = push * root
            many[bound + c] = many[bound + c] + dot(p.ang, p.ang) * limb.stiff
            p = less(p, limb.gain, push * limb.stiff)
        elif joint.kind == BALL:
            store_down(out, row + c, stride, limb.white @ p.ang)
            rest = p.lin - limb.ball_gain.T @ p.ang
            if joint.geared == 1:
                p = Force(limb.ball_slip @ p.ang, rest)
            else:
                p = Force(p.ang * 0.0, rest)
        elif joint.kind == SCREW:
            along = p.ang * body.turn + p.lin * body.slide
            push = dot(axis_of(limb.rot), along)
            out[row + c] = push * root
            many[bound + c] = many[bound + c] + dot(along, along) * limb.stiff
            p = less(p, limb.gain, push * limb.stiff)
        elif joint.kind == FREE:
            store_down(out, row + c, stride, limb.white @ (p.ang - limb.lever @ p.lin))
            store_down(out, row + 3 * stride + c, stride, limb.white_lin @ p.lin)
        store_apart(many, at + c, moved(p, limb.arm))


@inline
def less(p, gain, push):
    """A wrench, less what a joint of one motion takes up."""
    return Force(p.ang - gain.ang * push, p.lin - gain.lin * push)


@inline
def moved(p, arm):
    """A wrench about the parent's origin."""
    return Force(p.ang + cross(arm, p.lin), p.lin)


@inline
def store_down(view, at, stride, a):
    """Three numbers, `stride` apart."""
    view[at] = a.x
    view[at + stride] = a.y
    view[at + 2 * stride] = a.z


@kernel
def project_row(tree, limbs, a, b, on_a, on_b, at, out):
    """A row of J: what its wrenches mean to each joint."""
    for n in range(tree.nv):
        out[at + n] = 0.0
    project_wrench(tree, limbs, a, on_a, at, out)
    if b >= 0:
        project_wrench(tree, limbs, b, on_b, at, out)


@kernel
def project_wrench(tree, limbs, i, force, at, out):
    """The part of one body."""
    while i >= 0:
        joint, limb = tree.joint[i], limbs[i]
        add_felt(joint, tree.body[i], limb, force, out, at + joint.iv)
        force = moved(force, limb.arm)
        i = joint.parent
