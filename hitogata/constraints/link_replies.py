"""Delassus blocks of link rows: what their impulses do to the block's own speeds, and the inverse of that."""

from hitogata.constraints.links import SIDE
from hitogata.lanes import inline, kernel
from hitogata.spatial import Motion, Vec3, load6, power

FLOOR = 1e-10
"""Share by which the diagonal of a block's matrix is raised, so that rows that say the same do no harm.

Only the size of a sweep's change depends on it, not where the sweeps lead to.
"""


@kernel
def prepare_link(rows, links, k):
    """The inverse of a block's matrix, softness included; of its diagonal alone where rows are bounded."""
    own, matrix, at = links.block[k], links.inverse, k * SIDE * SIDE
    for n in range(own.count):
        row = links.row[own.first + n]
        moved_a, moved_b = replies(rows, own, row.on_a, row.on_b)
        for m in range(own.count):
            other = links.row[own.first + m]
            matrix[at + SIDE * m + n] = power(other.on_a, moved_a) + power(other.on_b, moved_b)
        matrix[at + (SIDE + 1) * n] = matrix[at + (SIDE + 1) * n] * (1.0 + FLOOR) + row.soft
    if own.bounded == 0:
        invert(matrix, at, own.count)
    else:
        for n in range(own.count):
            matrix[at + (SIDE + 1) * n] = 1.0 / matrix[at + (SIDE + 1) * n]


@kernel
def replies(rows, own, on_a, on_b):
    """Velocities of both bodies for a wrench on each."""
    moved_a = reply_to(rows, own.touch_a, own.touch_a, on_a)
    moved_b = moved_a * 0.0
    if own.touch_b >= 0:
        moved_b = reply_to(rows, own.touch_b, own.touch_b, on_b)
        if rows.touch[own.touch_a].first == rows.touch[own.touch_b].first:
            moved_a = moved_a + reply_to(rows, own.touch_a, own.touch_b, on_b)
            moved_b = moved_b + reply_to(rows, own.touch_b, own.touch_a, on_a)
    return moved_a, moved_b


@kernel
def reply_to(rows, a, b, wrench):
    """Velocity of touch a for a wrench on touch b of the same tree."""
    at = rows.touch[b].row * rows.width + rows.touch[a].row - rows.touch[a].first
    return replied(rows.coupling, at, rows.width, wrench)


@inline
def replied(view, at, width, wrench):
    """Six rows of coupling, six numbers of each, times a wrench."""
    t, f = wrench.ang, wrench.lin
    total = Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))
    for k, value in enumerate((t.x, t.y, t.z, f.x, f.y, f.z)):
        total = total + load6(view, at + width * k) * value
    return total


@kernel
def invert(matrix, at, count):
    """Inverse in place of a symmetric positive definite matrix, rows SIDE apart, by Gauss and Jordan."""
    for k in range(count):
        pivot = at + SIDE * k
        scale = 1.0 / matrix[pivot + k]
        matrix[pivot + k] = 1.0
        for m in range(count):
            matrix[pivot + m] = matrix[pivot + m] * scale
        for n in range(count):
            if n != k:
                row = at + SIDE * n
                factor = matrix[row + k]
                matrix[row + k] = 0.0
                for m in range(count):
                    matrix[row + m] = matrix[row + m] - matrix[pivot + m] * factor
