"""Sparse systems with an envelope: which velocities of an island are unknowns, in what order, and A = L U for them.

A row of U reaches from its diagonal to its *end*, the last column that any row before it or the row itself has: nothing
outside fills in (George & Liu 1981, ch. 4).  Trees are numbered level by level from one end of the island, so that
those that touch are near each other (Cuthill & McKee 1969): a stack of n boxes has rows of 12 to 18 numbers, whatever n
is.  L is stored as its transpose, in the same places.

In worlds side by side trees keep their order: it must not depend on who touches whom in a neighbour.  Numbers that are
zero in one world and not in its neighbour change nothing, not by rounding.
"""

from hitogata.lanes import Count, Memory, any_lane, kernel, numbers, one, packed, record, wholes

MARKED, UNSEEN = -1, -1
"""Of a velocity: it is an unknown, without a number yet.  Of a tree: it is of the island, and has no level yet."""

WIDEST = 128
"""Numbers that there is room for in a row of U, on average."""


@record
class SolverCounts:
    """Work so far."""

    swept: int  # sweeps of islands
    iterated: int  # iterations of Newton's method
    unfinished: int  # islands that were left with more to mend than the tolerance


class Envelope(Memory):
    """Scratch; the counts last from step to step."""

    nv, bodies, stride = Count(), Count(), Count()
    widest = Count()  # numbers that there is room for in a row of U, on average: `widest_of(nv)`
    room = nv * (widest + 8) + 8  # numbers in `upper`, and in `lower`
    upper = numbers(room)  # U, row by row
    lower = numbers(room)  # Lᵀ - U, then Lᵀ, row by row
    right = numbers(nv + 8)  # of unknowns
    step = numbers(nv + 8)  # the solution
    motion = numbers(stride * 6 + 8)  # (2 stride, 3): of a point, for each velocity of its chain
    tally = one(SolverCounts)
    chain = wholes(stride * 2)  # the unknowns of a point, ascending
    unknown = wholes(nv)  # number of a velocity
    end = wholes(nv)  # of an unknown: last column of its row
    start = wholes(nv)  # where its column 0 would be
    order = wholes(bodies)  # roots of the trees
    level = wholes(bodies)  # of a root


@kernel
def widest_of(nv):
    """Numbers in a row of U, on average, at the most."""
    return min(nv, WIDEST)


# ------------------------------------------------------- structure


@kernel
def lay_out(scene, rows, n):
    """Number the velocities that the rows of an island move, and lay out U; returns how many, and what an iteration of
    Newton's method costs, in nanoseconds or so.

    0 unknowns if there is no room for U.
    """
    envelope, islands = rows.envelope, rows.islands
    if rows.speed.width > 1:
        for i in range(scene.tree.bodies):
            envelope.level[i] = 0
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        own = rows.point_int[islands.point[k]]
        mark(scene, envelope, own.body_a)
        if own.body_b >= 0:
            mark(scene, envelope, own.body_b)
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        mark(scene, envelope, rows.joint_int[islands.joint[k]].body)
    count = number_velocities(scene, envelope, order_trees(scene, rows, n))
    work = 0
    for i in range(count):
        envelope.end[i] = i
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        own = rows.point_int[islands.point[k]]
        work += 250 + widen(scene, envelope, own.body_a, own.body_b)
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        work += 50 + widen(scene, envelope, rows.joint_int[islands.joint[k]].body, -1)
    at, last = 0, 0
    for i in range(count):
        last = max(last, envelope.end[i])
        envelope.end[i] = last
        envelope.start[i] = at - i
        at += last - i + 1 + 3
        work += (last - i) * (last - i) // 4
    if at + 8 > envelope.room:
        count = 0
    return count, work


@kernel
def mark(scene, envelope, body):
    """The velocities that move a body are unknowns."""
    at, joint = body * scene.chains.stride, scene.tree.joint[body]
    for d in range(joint.depth + joint.count):
        envelope.unknown[scene.chains.velocity[at + d]] = MARKED
    envelope.level[root_of(scene, body)] = UNSEEN


@kernel
def root_of(scene, body):
    """The first body of a tree."""
    while scene.tree.joint[body].parent >= 0:
        body = scene.tree.joint[body].parent
    return body


@kernel
def widen(scene, envelope, body_a, body_b):
    """U must hold what two bodies, or one (body_b < 0), do to each other; returns what it costs to write it there."""
    first, last = reach_of(scene, envelope, body_a)
    length = scene.tree.joint[body_a].depth + scene.tree.joint[body_a].count
    if body_b >= 0:
        low, high = reach_of(scene, envelope, body_b)
        first, last = min(first, low), max(last, high)
        length += scene.tree.joint[body_b].depth + scene.tree.joint[body_b].count
    if first <= last:
        envelope.end[first] = max(envelope.end[first], last)
    return 3 * length * length // 2


@kernel
def reach_of(scene, envelope, body):
    """First and last unknown that moves a body; the last is -1 if it cannot move."""
    at, joint = body * scene.chains.stride, scene.tree.joint[body]
    last = joint.depth + joint.count - 1
    if last < 0:
        return scene.tree.nv, -1
    return envelope.unknown[scene.chains.velocity[at]], envelope.unknown[scene.chains.velocity[at + last]]


@kernel
def order_trees(scene, rows, n):
    """Roots of the trees of an island, in the order in which they are numbered; returns how many."""
    envelope, islands, level, count = rows.envelope, rows.islands, rows.envelope.level, 0
    if rows.speed.width > 1:
        for i in range(scene.tree.bodies):
            if level[i] == UNSEEN:
                envelope.order[count] = i
                level[i] = 0
                count += 1
        return count
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        seed, first = root_of(scene, rows.point_int[islands.point[k]].body_a), count
        if level[seed] == UNSEEN:
            count = go_through(scene, rows, n, seed, first)
            for t in range(first, count):
                level[envelope.order[t]] = UNSEEN
            count = go_through(scene, rows, n, envelope.order[count - 1], first)  # once more, from the far end
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        root = root_of(scene, rows.joint_int[islands.joint[k]].body)
        if level[root] == UNSEEN:
            envelope.order[count] = root
            level[root] = 0
            count += 1
    return count


@kernel
def go_through(scene, rows, n, seed, count):
    """Breadth first through trees that touch, level by level, from one of them; returns how many there are now."""
    islands, level, order = rows.islands, rows.envelope.level, rows.envelope.order
    order[count] = seed
    level[seed] = 0
    count, before, depth = count + 1, count, 0
    while count > before:
        before = count
        for k in range(islands.point_start[n], islands.point_start[n + 1]):
            own = rows.point_int[islands.point[k]]
            if own.body_b >= 0:
                a, b = root_of(scene, own.body_a), root_of(scene, own.body_b)
                if level[a] == depth and level[b] == UNSEEN:
                    level[b] = depth + 1
                    order[count] = b
                    count += 1
                elif level[b] == depth and level[a] == UNSEEN:
                    level[a] = depth + 1
                    order[count] = a
                    count += 1
        depth += 1
    return count


@kernel
def number_velocities(scene, envelope, trees):
    """Number the marked velocities, tree by tree; returns how many."""
    count, tree = 0, scene.tree
    for t in range(trees):
        root = envelope.order[t]
        for i in range(root, tree.joint[root].end):
            for k in range(tree.joint[i].iv, tree.joint[i].iv + tree.joint[i].count):
                if envelope.unknown[k] == MARKED:
                    envelope.unknown[k] = count
                    count += 1
    return count


# ------------------------------------------------------- solving


@kernel
def clear(envelope, count):
    """A = 1, right = 0."""
    used = envelope.start[count - 1] + envelope.end[count - 1] + 4
    upper, lower = packed(envelope.upper), packed(envelope.lower)
    for m in range(0, used, upper.step):
        upper[m] = 0.0
        lower[m] = 0.0
    for i in range(count):
        envelope.upper[envelope.start[i] + i] = 1.0
        envelope.right[i] = 0.0


@kernel
def eliminate(envelope, count, lopsided):
    """Solve A step = right; both, and A, are overwritten.  A is symmetric unless lopsided: then `lower` holds by how
    much its lower half differs from the upper one."""
    upper, lower, right, start = envelope.upper, envelope.lower, envelope.right, envelope.start
    many, low = packed(upper), packed(lower)
    if lopsided:
        for m in range(0, start[count - 1] + envelope.end[count - 1] + 4, many.step):
            low[m] = low[m] + many[m]
    for k in range(count):
        row, end = start[k], envelope.end[k]
        scale = 1.0 / upper[row + k]
        upper[row + k] = scale
        for i in range(k + 1, end + 1):
            above = upper[row + i] * scale
            below = above
            if lopsided:
                below = lower[row + i] * scale
            if any_lane((above != 0.0) | (below != 0.0)):
                own = start[i]
                for m in range(i, end + 1, many.step):
                    many[own + m] = many[own + m] - many[row + m] * below
                if lopsided:
                    for m in range(i, end + 1, many.step):
                        low[own + m] = low[own + m] - low[row + m] * above
                right[i] = right[i] - right[k] * below
    step = envelope.step
    for k in range(count - 1, -1, -1):
        row, total = start[k], right[k]
        for m in range(k + 1, envelope.end[k] + 1):
            total = total - upper[row + m] * step[m]
        step[k] = total * upper[row + k]
