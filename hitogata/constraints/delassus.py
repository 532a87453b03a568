"""How rows feel each other: whitening, and the coupling (Delassus) matrix J M⁻¹ Jᵀ of joint rows and touched bodies."""

from hitogata.constraints.limits import softness
from hitogata.dynamics.factor import shared_depth
from hitogata.dynamics.joints import column, moved_column
from hitogata.lanes import inline, kernel
from hitogata.spatial import load6, store3, store6


@kernel
def number_rows(scene, rows, joint_rows):
    """Give every joint row and every touched body its place; returns how many touches and rows there are.

    `rows.touch_of_body` holds 0 for a touched body, and -1 for the others; afterwards, the index of the touch.
    The rows of a tree are filled up to a multiple of 8, so that loops over neighbours may run a little too far.
    """
    tree, row, touches, j, root = scene.tree, 0, 0, 0, 0
    while root < tree.bodies:
        end, first, first_j, first_touch = tree.joint[root].end, row, j, touches
        while j < joint_rows and rows.joint_int[j].body < end:
            rows.joint_int[j].row = row
            row += 1
            j += 1
        for i in range(root, end):
            if rows.touch_of_body[i] >= 0:
                rows.touch_of_body[i] = touches
                touch = rows.touch[touches]
                touch.body = i
                touch.row = row
                row += 6
                touches += 1
        for k in range(first_j, j):
            rows.joint_int[k].first = first
            rows.joint_int[k].last = row
            rows.joint_int[k].chained = 0
        for k in range(first_touch, touches):
            rows.touch[k].first = first
            rows.touch[k].last = row
            rows.touch[k].chained = 0
        row = (row + 7) // 8 * 8
        root = end
    return touches, row


@kernel
def couple(scene, rows, joint_rows, touches):
    """Whiten all rows; then their speeds, and the coupling of each to each of the same tree.

    Rows that are solved along chains (see `velocity_pgs_rows`) are whitened only.
    """
    for a in range(joint_rows):
        couple_joint_row(scene, rows, a)
    first = 0
    for a in range(touches):
        while first < joint_rows and rows.joint_int[first].first < rows.touch[a].first:
            first += 1  # to the joint rows of the same tree
        couple_touch(scene, rows, a, first, joint_rows)


# ------------------------------------------------------- joint rows


@kernel
def couple_joint_row(scene, rows, a):
    """Whiten a joint row; its speed, and its coupling with the joint rows up to it."""
    stride, own, row, y = scene.chains.stride, rows.joint_int[a], rows.joint[a], rows.joint_y
    joint, at = scene.tree.joint[own.body], a * stride
    if own.several == 0:
        for d in range(joint.depth):
            y[at + d] = 0.0
        if joint.count == 1:
            y[at + joint.depth] = row.direction.x
        else:
            store3(y, at + joint.depth, row.direction)
    rows.speed[own.row] = row.bias + whiten_joint_row(scene, own.body, y, at)
    if own.chained == 1:
        note_reply(row, square_along(y, at, joint.depth + joint.count))
        return
    b = a
    while b >= 0 and rows.joint_int[b].row >= own.first:
        other = rows.joint_int[b]
        value = y[at] * 0.0
        for d in range(shared_depth(scene.tree, own.body, other.body)):
            value = value + y[at + d] * y[b * stride + d]
        rows.coupling[own.row * rows.width + other.row - own.first] = value
        rows.coupling[other.row * rows.width + own.row - own.first] = value
        b -= 1
    note_reply(row, rows.coupling[own.row * rows.width + own.row - own.first])


@kernel
def note_reply(row, reply):
    """What the law of a joint row needs of its own reply."""
    row.soft = softness(row.soft, reply)
    row.inverse = 1.0 / (reply + row.soft)


@kernel
def square_along(y, at, count):
    """y · y."""
    total = y[at] * 0.0
    for d in range(count):
        total = total + y[at + d] * y[at + d]
    return total


@kernel
def whiten_joint_row(scene, i, y, at):
    """y = y L⁻¹; returns y · x."""
    chains, mass, stride = scene.chains, scene.mass, scene.chains.stride
    joint, speed = scene.tree.joint[i], y[at] * 0.0
    for d in range(joint.depth + joint.count - 1, -1, -1):
        k = chains.velocity[i * stride + d]
        value = y[at + d] * mass[k * stride + d]
        y[at + d] = value
        speed = speed + value * scene.x[k]
        for j in range(d):
            y[at + j] = y[at + j] - mass[k * stride + j] * value
    return speed


# ------------------------------------------------------- touched bodies, six rows each


@kernel
def couple_touch(scene, rows, a, first, joint_rows):
    """Whiten the six rows of a touched body; their speeds, and their coupling with all rows before them.

    first: the first joint row of its tree, or of a later one.
    """
    stride, own, width, coupling, y = scene.chains.stride, rows.touch[a], rows.width, rows.coupling, rows.touch_y
    at = 6 * a * stride
    fill_touch(scene, y, own.body, at)
    store6(rows.speed, own.row, whiten_touch(scene, own.body, y, at))
    if own.chained == 1:
        return
    b = first
    while b < joint_rows and rows.joint_int[b].first == own.first:
        other = rows.joint_int[b]
        z, total = b * stride, load6(y, at) * 0.0
        for d in range(shared_depth(scene.tree, own.body, other.body)):
            total = total + load6(y, at + 6 * d) * rows.joint_y[z + d]
        store6(coupling, other.row * width + own.row - own.first, total)
        store6_down(coupling, own.row * width + other.row - own.first, width, total)
        b += 1
    b = a
    while b >= 0 and rows.touch[b].first == own.first:
        other, z = rows.touch[b], 6 * b * stride
        shared = shared_depth(scene.tree, own.body, other.body)
        for k in range(6):
            total = load6(y, z) * 0.0
            for d in range(shared):
                total = total + load6(y, z + 6 * d) * y[at + 6 * d + k]
            store6(coupling, (own.row + k) * width + other.row - own.first, total)
            store6_down(coupling, other.row * width + own.row + k - own.first, width, total)
        b -= 1


@kernel
def fill_touch(scene, y, body, at):
    """How each velocity of a body's chain moves it: its turning, and its origin."""
    tree, pos, i = scene.tree, scene.placed[body].rel, body
    while i >= 0:
        joint, placed = tree.joint[i], scene.placed[i]
        start, arm = at + 6 * joint.depth, pos - placed.rel
        for k in range(joint.count):
            store6(y, start + 6 * k, moved_column(column(joint, tree.body[i], placed, k), arm))
        i = joint.parent


@kernel
def whiten_touch(scene, i, y, at):
    """y = y L⁻¹ for six rows at once; returns y · x."""
    chains, mass, stride = scene.chains, scene.mass, scene.chains.stride
    joint, speed = scene.tree.joint[i], load6(y, at) * 0.0
    for d in range(joint.depth + joint.count - 1, -1, -1):
        k = chains.velocity[i * stride + d]
        value = load6(y, at + 6 * d) * mass[k * stride + d]
        store6(y, at + 6 * d, value)
        speed = speed + value * scene.x[k]
        for j in range(d):
            store6(y, at + 6 * j, load6(y, at + 6 * j) - value * mass[k * stride + j])
    return speed


@inline
def store6_down(view, at, stride, m):
    """Six numbers, `stride` apart."""
    for k, value in enumerate((m.ang.x, m.ang.y, m.ang.z, m.lin.x, m.lin.y, m.lin.z)):
        view[at + stride * k] = value
