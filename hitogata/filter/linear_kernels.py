"""The weighted pseudo-inverse: systems of a few rows in many unknowns, for kernels."""

from hitogata.lanes import kernel, maximum, minimum, sqrt

MOST = 800.0
"""No joint deviates from the wanted acceleration by more than this [rad/s²]; stretched legs would ask for it."""
FASTEST = 40.0
"""No joint moves faster than this [rad/s], [m/s]."""
TINY = 1e-14
"""Pivots below this share of their diagonal belong to rows that repeat others: these are left out."""


@kernel
def fill_gram(rows, ease, count, n, matrix, kept):
    """matrix = H W⁻¹ Hᵀ + kept matrix, lower triangle, of `count` rows H in n unknowns with W⁻¹ = diag(ease)."""
    for i in range(count):
        for j in range(i + 1):
            matrix[i * count + j] = kept * matrix[i * count + j] if kept != 0.0 else 0.0
        for k in range(n):
            x = rows[i * n + k] * ease[k]
            if x != 0.0:  # a sole's rows are of its leg alone
                for j in range(i + 1):
                    matrix[i * count + j] += x * rows[j * n + k]


@kernel
def solve_cholesky(matrix, right, count):
    """Solve in place with a symmetric positive matrix, of which the lower triangle is given (and destroyed)."""
    for i in range(count):
        own = matrix[i * count + i]
        for j in range(i):
            t = matrix[i * count + j]
            for l in range(j):
                t -= matrix[i * count + l] * matrix[j * count + l]
            matrix[i * count + j] = t * matrix[j * count + j]
        t = own
        for l in range(i):
            t -= matrix[i * count + l] * matrix[i * count + l]
        matrix[i * count + i] = 1.0 / sqrt(t) if t > TINY * own else 0.0
    for i in range(count):
        t = right[i]
        for l in range(i):
            t -= matrix[i * count + l] * right[l]
        right[i] = t * matrix[i * count + i]
    for i in range(count - 1, -1, -1):
        t = right[i]
        for l in range(i + 1, count):
            t -= matrix[l * count + i] * right[l]
        right[i] = t * matrix[i * count + i]


@kernel
def put_back(rows, ease, right, count, n, change):
    """change = W⁻¹ Hᵀ right."""
    for k in range(n):
        change[k] = 0.0
    for i in range(count):
        x = right[i]
        for k in range(n):
            change[k] += rows[i * n + k] * x
    for k in range(n):
        change[k] *= ease[k]


@kernel
def take_change(work, h, nv):
    """Velocities after a step of v̇_d and its change, neither too fast nor jumping."""
    for j in range(nv):
        vdot = work.wanted[j] + maximum(minimum(work.change[j], MOST), -MOST)
        work.after[j] = maximum(minimum(work.v[j] + h * vdot, FASTEST), -FASTEST)


@kernel
def find_change(work, count, nv):
    """H# (h - H v̇_d), into work.change."""
    fill_gram(work.rows, work.ease, count, nv, work.matrix, 0.0)
    for i in range(count):
        t = work.right[i]
        for j in range(nv):
            t -= work.rows[i * nv + j] * work.wanted[j]
        work.reply[i] = t
        work.matrix[i * count + i] += work.eps[i]
    solve_cholesky(work.matrix, work.reply, count)
    put_back(work.rows, work.ease, work.reply, count, nv, work.change)
