"""B: what a unit impulse of each held row does to the speed of every other."""

from hitogata.constraints.contacts import point_motion
from hitogata.lanes import inline, kernel, packed, tail
from hitogata.sim.states.layout import MOST_ROWS
from hitogata.spatial import Force, Vec3, cross, dot, load6, store3


@kernel
def fill_replies(rows, room, plain, patches, first):
    """B, with softness: of every row what stands not after it, and that once more where the two change places."""
    reply = room.reply
    for r in range(plain):
        tree_a, tree_b = write_answer(rows, room, r)
        for s in range(r + 1):
            reply[r * MOST_ROWS + s] = heard(rows, room.answer, room, s, tree_a, tree_b)
        mirror(reply, r)
        reply[r * MOST_ROWS + r] = reply[r * MOST_ROWS + r] + room.row[r].soft
    for j in range(patches):
        begin = plain + 6 * j
        tree_a, tree_b = answer_patch(rows, room, first + j, begin)
        for k in range(6):
            answer, out = tail(room.answer, 2 * rows.width * k), tail(reply, (begin + k) * MOST_ROWS)
            for s in range(plain):
                out[s] = heard(rows, answer, room, s, tree_a, tree_b)
            for i in range(j + 1):
                hear_patch(rows, answer, room, first + i, plain + 6 * i, tree_a, tree_b, out)
            mirror(reply, begin + k)
    for i in range(patches):
        soften(room, first + i, plain + 6 * i + 2)


@kernel
def mirror(reply, r):
    """B is symmetric."""
    for s in range(r):
        reply[s * MOST_ROWS + r] = reply[r * MOST_ROWS + s]


@kernel
def soften(room, i, at):
    """What the points of a patch give way by."""
    soft = room.bed[i].soft
    add(room.reply, at, at, soft.xx)
    add(room.reply, at + 1, at + 1, soft.yy)
    add(room.reply, at + 2, at + 2, soft.zz)
    for r, s, value in ((0, 1, soft.xy), (0, 2, soft.xz), (1, 2, soft.yz)):
        add(room.reply, at + r, at + s, value)
        add(room.reply, at + s, at + r, value)


@kernel
def add(reply, r, s, value):
    """One number more."""
    reply[r * MOST_ROWS + s] = reply[r * MOST_ROWS + s] + value


@kernel
def write_answer(rows, room, r):
    """Speeds of all rows of a tree for a unit impulse of held row r, into answer; returns where these trees begin.

    The second half is for the tree of body b, if it is another; -1 if there is none.
    """
    row, own = room.row[r], room.row_int[r]
    if own.joint >= 0:
        joint = rows.joint_int[own.joint]
        for k in range(joint.last - joint.first):
            room.answer[k] = rows.coupling[joint.row * rows.width + k]
        return joint.first, -1
    a = rows.touch[own.touch_a]
    tree_a, tree_b = a.first, -1
    answer_touch(rows, room.answer, 0, a, row.on_a, False)
    if own.touch_b >= 0:
        b = rows.touch[own.touch_b]
        if b.first == tree_a:
            answer_touch(rows, room.answer, 0, b, row.on_b, True)
        else:
            tree_b = b.first
            answer_touch(rows, room.answer, rows.width, b, row.on_b, False)
    return tree_a, tree_b


@kernel
def answer_touch(rows, answer, at, touch, impulse, more):
    """What an impulse on a touched body does to the rows of its tree; added to what is there if there is more."""
    coupling, out, width, row = packed(rows.coupling), packed(answer), rows.width, touch.row * rows.width
    x, y, z, u, v, w = impulse.ang.x, impulse.ang.y, impulse.ang.z, impulse.lin.x, impulse.lin.y, impulse.lin.z
    for k in range(0, touch.last - touch.first, out.step):
        value = (coupling[row + k] * x + coupling[row + width + k] * y + coupling[row + 2 * width + k] * z
                 + coupling[row + 3 * width + k] * u + coupling[row + 4 * width + k] * v
                 + coupling[row + 5 * width + k] * w)  # fmt: skip
        if more:
            value = value + out[at + k]
        out[at + k] = value


@kernel
def answer_patch(rows, room, i, at):
    """The same for unit impulses of all six rows of a patch, one answer after the other: (6, 2, width)."""
    own, bed, axes = room.row_int[at], room.bed[i], room.patch[i].axes
    a = rows.touch[own.touch_a]
    tree_a, tree_b = a.first, -1
    answer_six(rows, room.answer, a, axes, bed.arm_a, 1.0, False)
    if own.touch_b >= 0:
        b = rows.touch[own.touch_b]
        if b.first == tree_a:
            answer_six(rows, room.answer, b, axes, bed.arm_b, -1.0, True)
        else:
            tree_b = b.first
            answer_six(rows, tail(room.answer, rows.width), b, axes, bed.arm_b, -1.0, False)
    return tree_a, tree_b


@kernel
def answer_six(rows, answer, touch, axes, arm, sign, more):
    """`answer_touch` for impulses along three axes at the end of an arm, and for turns about them, times a sign."""
    coupling, out, width, row = packed(rows.coupling), packed(answer), rows.width, touch.row * rows.width
    for k in range(0, touch.last - touch.first, out.step):
        at = row + k
        ang = Vec3(coupling[at], coupling[at + width], coupling[at + 2 * width])
        lin = Vec3(coupling[at + 3 * width], coupling[at + 4 * width], coupling[at + 5 * width])
        slide, turn = (axes.T @ (lin + cross(ang, arm))) * sign, (axes.T @ ang) * sign
        if more:
            slide, turn = slide + load_far(out, k, 2 * width), turn + load_far(out, k + 6 * width, 2 * width)
        store_far(out, k, 2 * width, slide)
        store_far(out, k + 6 * width, 2 * width, turn)


@inline
def load_far(view, at, apart):
    """Three numbers, so far apart."""
    return Vec3(view[at], view[at + apart], view[at + 2 * apart])


@inline
def store_far(view, at, apart, a):
    """The same back."""
    view[at] = a.x
    view[at + apart] = a.y
    view[at + 2 * apart] = a.z


@kernel
def heard(rows, answer, room, s, tree_a, tree_b):
    """Speed of held row s in the answer of another."""
    row, own, total = room.row[s], room.row_int[s], 0.0
    if own.joint >= 0:
        joint = rows.joint_int[own.joint]
        if joint.first == tree_a:
            total = answer[joint.row - tree_a]
        elif joint.first == tree_b:
            total = answer[rows.width + joint.row - tree_b]
        return total
    total = heard_by(rows, answer, own.touch_a, row.on_a, tree_a, tree_b)
    if own.touch_b >= 0:
        total = total + heard_by(rows, answer, own.touch_b, row.on_b, tree_a, tree_b)
    return total


@kernel
def heard_by(rows, answer, touch, impulse, tree_a, tree_b):
    """The same of one of its bodies."""
    at = place_of(rows, touch, tree_a, tree_b)
    if at < 0:
        return 0.0
    u = load6(answer, at)
    return dot(impulse.ang, u.ang) + dot(impulse.lin, u.lin)


@kernel
def place_of(rows, touch, tree_a, tree_b):
    """Where the motion of a touched body is in an answer; -1: it does not move."""
    body, at = rows.touch[touch], -1
    if body.first == tree_a:
        at = body.row - tree_a
    elif body.first == tree_b:
        at = rows.width + body.row - tree_b
    return at


@kernel
def hear_patch(rows, answer, room, i, row, tree_a, tree_b, out):
    """Speeds of the six rows of a patch in the answer of another row, into their places in out."""
    own, bed, turn, slide = room.row_int[row], room.bed[i], Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    at = place_of(rows, own.touch_a, tree_a, tree_b)
    if at >= 0:
        u = load6(answer, at)
        turn, slide = turn + u.ang, slide + point_motion(u, bed.arm_a)
    if own.touch_b >= 0:
        at = place_of(rows, own.touch_b, tree_a, tree_b)
        if at >= 0:
            u = load6(answer, at)
            turn, slide = turn - u.ang, slide - point_motion(u, bed.arm_b)
    axes = room.patch[i].axes
    store3(out, row, axes.T @ slide)
    store3(out, row + 3, axes.T @ turn)


@kernel
def push_bodies(rows, touch_a, touch_b, on_a, on_b):
    """Impulses on two touched bodies, or one."""
    a = rows.touch[touch_a]
    answer_touch(rows, rows.speed, a.first, a, on_a, True)
    if touch_b >= 0:
        b = rows.touch[touch_b]
        answer_touch(rows, rows.speed, b.first, b, on_b, True)


@inline
def nothing():
    """No impulse."""
    return Force(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))
