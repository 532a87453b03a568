"""B: what a unit impulse of each held row does to the speed of every other."""

from hitogata.lanes import inline, kernel, packed
from hitogata.sim.states.layout import MOST_ROWS
from hitogata.spatial import Force, Vec3, dot, load6


@kernel(late=True)
def fill_replies(rows, room, plain, patches, first):
    """The lower and the upper half of B, with softness."""
    for r in range(plain + 6 * patches):
        tree_a, tree_b = write_answer(rows, room, r)
        for s in range(r + 1):
            value = heard(rows, room, s, tree_a, tree_b)
            room.reply[r * MOST_ROWS + s] = value
            room.reply[s * MOST_ROWS + r] = value
        room.reply[r * MOST_ROWS + r] = room.reply[r * MOST_ROWS + r] + room.row[r].soft
    for i in range(patches):
        soften(room, first + i, plain + 6 * i + 2)


@kernel(late=True)
def soften(room, i, at):
    """What the points of a patch give way by."""
    soft = room.bed[i].soft
    add(room.reply, at, at, soft.xx)
    add(room.reply, at + 1, at + 1, soft.yy)
    add(room.reply, at + 2, at + 2, soft.zz)
    for r, s, value in ((0, 1, soft.xy), (0, 2, soft.xz), (1, 2, soft.yz)):
        add(room.reply, at + r, at + s, value)
        add(room.reply, at + s, at + r, value)


@kernel(late=True)
def add(reply, r, s, value):
    """One number more."""
    reply[r * MOST_ROWS + s] = reply[r * MOST_ROWS + s] + value


@kernel(late=True)
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


@kernel(late=True)
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


@kernel(late=True)
def heard(rows, room, s, tree_a, tree_b):
    """Speed of held row s in the answer of another."""
    row, own, total = room.row[s], room.row_int[s], 0.0
    if own.joint >= 0:
        joint = rows.joint_int[own.joint]
        if joint.first == tree_a:
            total = room.answer[joint.row - tree_a]
        elif joint.first == tree_b:
            total = room.answer[rows.width + joint.row - tree_b]
        return total
    total = heard_by(rows, room.answer, own.touch_a, row.on_a, tree_a, tree_b)
    if own.touch_b >= 0:
        total = total + heard_by(rows, room.answer, own.touch_b, row.on_b, tree_a, tree_b)
    return total


@kernel(late=True)
def heard_by(rows, answer, touch, impulse, tree_a, tree_b):
    """The same of one of its bodies."""
    body, at = rows.touch[touch], -1
    if body.first == tree_a:
        at = body.row - tree_a
    elif body.first == tree_b:
        at = rows.width + body.row - tree_b
    if at < 0:
        return 0.0
    u = load6(answer, at)
    return dot(impulse.ang, u.ang) + dot(impulse.lin, u.lin)


@kernel(late=True)
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
