"""Islands: rows that feel each other, and none outside.

Trees that touch, or hang on each other by springs and ropes, are one island; the ground joins nobody.  Each island is
solved on its own: those at rest are done after a sweep or two, however long another takes.

Islands of many touched bodies are heaps, see `velocity_pgs`, and may be solved along chains, see `velocity_pgs_rows`.
"""

from hitogata.lanes import Count, Memory, kernel, wholes

ALIGNED = 8
"""The rows of a tree begin at a multiple of this: see `delassus.number_rows`."""


HEAP, CHAINED = 1, 2
"""Kinds of islands of many touched bodies: solved by replies, as others, or along chains."""

MANY = 60
"""An island with so many touched bodies is a heap."""

CHEAPER = 4
"""A heap is solved along chains if these are shorter than the rows of a tree by this factor, on average: rows are
neighbours in memory and taken several at once, the velocities of a chain are not."""


class Islands(Memory):
    """Rows in the order of their islands.  A tree is known by the block of 8 rows that it begins with."""

    blocks, joint_rows, points = Count(), Count(), Count()
    above = wholes(blocks + 2)  # another tree of the same island, or itself; see `velocity_pgs`
    number = wholes(blocks + 2)  # which island
    joint_start = wholes(blocks + 2)  # of an island: where in `joint` it begins
    point_start = wholes(blocks + 2)
    heap = wholes(blocks + 2)  # of an island: 0, HEAP or CHAINED
    joint = wholes(joint_rows)  # joint rows, island by island
    point = wholes(points)
    key = wholes(joint_rows + points)  # scratch


@kernel
def find_islands(scene, rows, joint_rows, touches, points, total, apart):
    """Sort all rows by island, those of an island as they were; returns how many islands there are.

    total: rows of all trees, as `delassus.number_rows` returns it; apart: if not, all are taken for one island.
    """
    islands, blocks = rows.islands, total // ALIGNED
    for t in range(blocks):
        islands.above[t] = 0
        if apart:
            islands.above[t] = t
    for p in range(points):
        own = rows.point_int[p]
        if own.touch_b >= 0:
            join(islands.above, tree_of(rows, own.touch_a), tree_of(rows, own.touch_b))
    count = number_islands(islands, blocks)
    for a in range(joint_rows):
        islands.key[a] = islands.number[rows.joint_int[a].first // ALIGNED]
    sort(islands.key, joint_rows, islands.joint_start, count, islands.joint)
    for p in range(points):
        islands.key[p] = islands.number[tree_of(rows, rows.point_int[p].touch_a)]
    sort(islands.key, points, islands.point_start, count, islands.point)
    mark_heaps(scene, rows, joint_rows, touches, count)
    return count


@kernel
def mark_heaps(scene, rows, joint_rows, touches, count):
    """Which islands are heaps; touches and joint rows are told whether they are solved along chains."""
    islands, worth = rows.islands, rows.islands.above  # what stood there is not needed any more
    for n in range(count):
        islands.heap[n] = 0
        worth[n] = 0
    for a in range(touches):
        n, touch = islands.number[tree_of(rows, a)], rows.touch[a]
        joint = scene.tree.joint[touch.body]
        islands.heap[n] += 1
        worth[n] += touch.last - touch.first - CHEAPER * (joint.depth + joint.count)
    alone = rows.speed.width == 1  # worlds side by side share islands, but must not feel each other, not by rounding
    for n in range(count):
        kind = 0
        if islands.heap[n] >= MANY and alone:
            kind = CHAINED if worth[n] > 0 else HEAP
        islands.heap[n] = kind
    for a in range(touches):
        kind = islands.heap[islands.number[tree_of(rows, a)]]
        rows.touch[a].chained = 1 if kind == CHAINED else 0
    for a in range(joint_rows):
        kind = islands.heap[islands.number[rows.joint_int[a].first // ALIGNED]]
        rows.joint_int[a].chained = 1 if kind == CHAINED else 0


@kernel
def tree_of(rows, touch):
    """The tree of a touched body."""
    return rows.touch[touch].first // ALIGNED


@kernel
def root_of(above, t):
    """The tree that stands for an island."""
    while above[t] != t:
        above[t] = above[above[t]]
        t = above[t]
    return t


@kernel
def join(above, a, b):
    """Two trees are of one island; the first of its trees stands for it."""
    a, b = root_of(above, a), root_of(above, b)
    above[max(a, b)] = min(a, b)


@kernel
def number_islands(islands, blocks):
    """In the order of their first trees; returns how many.  Further blocks of a tree count as islands without rows."""
    count = 0
    for t in range(blocks):
        root = root_of(islands.above, t)
        if root == t:
            islands.number[t] = count
            count += 1
        else:
            islands.number[t] = islands.number[root]
    return count


@kernel
def sort(key, items, start, keys, order):
    """Items 0, 1, 2 ... by their keys, into `order`; those of key k begin at start[k], and end at start[k + 1]."""
    for k in range(keys + 2):
        start[k] = 0
    for i in range(items):
        start[key[i] + 2] += 1
    for k in range(keys):
        start[k + 2] += start[k + 1]
    for i in range(items):
        k = key[i] + 1
        order[start[k]] = i
        start[k] += 1
