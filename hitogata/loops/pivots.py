"""Positive semi-definite systems B x = r by Cholesky with pivots: rank, and the least solution if B is singular.

Rows are scaled, to a unit diagonal or by a given measure s, so that newtons and newton metres weigh alike; pivots are
taken by size until what is left of every row is below `tolerance`: those rows depend on the others.  Then B = L Lᵀ with
L of `rank` columns, and

    x = L (LᵀL)⁻¹ (LᵀL)⁻¹ Lᵀ r          least |B x - r|, then least Σ x_i²/s_i²
"""

from hitogata.lanes import absolute, inline, kernel, maximum, packed, sqrt, tail, where

TOLERANCE = 1e-10
"""Share of a row's own reply below which it counts as a consequence of the others."""


@kernel
def factorise(matrix, factor, order, scale, left, count, stride, tolerance):
    """Lᵀ of the matrix, its rows scaled to a unit diagonal; see `factorise_scaled`."""
    for i in range(count):
        d = matrix[i * stride + i]
        scale[i] = 0.0
        left[i] = 0.0
        if d > 0.0:
            scale[i] = 1.0 / sqrt(d)
            left[i] = 1.0
    return factorise_scaled(matrix, factor, order, scale, left, count, stride, tolerance)


@kernel
def factorise_scaled(matrix, factor, order, scale, left, count, stride, tolerance):
    """Lᵀ of the scaled matrix: a row for each pivot, columns in place; returns the rank.

    Of a row, several columns are found at once; those beyond `count` are never read.  `scale` and the scaled diagonal
    `left` are given.  `left` ends with what is left of each row; of one that was a pivot, with the reciprocal of its
    element of L, negative.
    """
    for i in range(count):
        order[i] = -1
    rows, out, scales, rest = packed(matrix), packed(factor), packed(scale), packed(left)
    for k in range(count):
        best, pivot = tolerance, -1
        for i in range(count):
            pivot = i if left[i] > best else pivot  # not by branches: which it is, no processor could guess
            best = maximum(left[i], best)
        if pivot < 0:
            return k
        order[k] = pivot
        root = 1.0 / sqrt(best)
        for i in range(0, count, out.step):
            value = rows[pivot * stride + i] * scales[i] * scale[pivot]
            for j in range(k):
                value = value - out[j * stride + i] * factor[j * stride + pivot]
            out[k * stride + i], rest[i] = unless_taken(value * root, rest[i])
        left[pivot] = -root
    return count


@inline
def unless_taken(value, left):
    """An element of L and what it leaves of its row; nothing changes in rows that were pivots."""
    waiting = left >= 0.0
    return where(waiting, value, value * 0.0), where(waiting, maximum(left - value * value, 0.0), left)


@kernel
def solve(factor, order, scale, left, small, work, right, out, count, rank, stride):
    """x with B x = right; `right` is kept.  `work`: 2 stride numbers."""
    if rank == count:
        solve_regular(factor, order, scale, left, work, right, out, count, stride)
    else:
        solve_dependent(factor, scale, small, work, right, out, count, rank, stride)


@kernel
def solve_regular(factor, order, scale, left, work, right, out, count, stride):
    """Forward and back."""
    rest, rows, many = tail(work, stride), packed(factor), packed(tail(work, stride))
    for i in range(count):
        rest[i] = right[i] * scale[i]
        out[i] = 0.0
    for k in range(count):
        value = -rest[order[k]] * left[order[k]]
        work[k] = value
        for i in range(0, count, rows.step):
            many[i] = many[i] - rows[k * stride + i] * value
    for k in range(count - 1, -1, -1):
        p = order[k]
        out[p] = (product(factor, k * stride, out, count) - work[k]) * left[p]
    for i in range(count):
        out[i] = out[i] * scale[i]


@kernel
def product(row, at, column, count):
    """Σ row[at + n] column[n], in four sums that do not wait for each other."""
    a, b, c, d, whole = 0.0, 0.0, 0.0, 0.0, count // 4 * 4
    for n in range(0, whole, 4):
        a = a + row[at + n] * column[n]
        b = b + row[at + n + 1] * column[n + 1]
        c = c + row[at + n + 2] * column[n + 2]
        d = d + row[at + n + 3] * column[n + 3]
    for n in range(whole, count):
        a = a + row[at + n] * column[n]
    return a + b + (c + d)


@kernel
def solve_dependent(factor, scale, small, work, right, out, count, rank, stride):
    """Least squares, least solution: twice through LᵀL."""
    for j in range(rank):
        total = 0.0
        for i in range(count):
            total = total + factor[j * stride + i] * right[i] * scale[i]
        work[j] = total
        for m in range(j + 1):
            total = 0.0
            for i in range(count):
                total = total + factor[j * stride + i] * factor[m * stride + i]
            small[j * stride + m] = total
    for j in range(rank):
        for m in range(j + 1):
            total = small[j * stride + m] - dot_work(small, j * stride, tail(small, m * stride), m)
            if m == j:
                small[j * stride + j] = sqrt(maximum(total, 1e-300))
            else:
                small[j * stride + m] = total / small[m * stride + m]
    for _ in range(2):
        for j in range(rank):
            work[j] = (work[j] - dot_work(small, j * stride, work, j)) / small[j * stride + j]
        for j in range(rank - 1, -1, -1):
            total = work[j]
            for m in range(j + 1, rank):
                total = total - small[m * stride + j] * work[m]
            work[j] = total / small[j * stride + j]
    for i in range(count):
        total = 0.0
        for j in range(rank):
            total = total + factor[j * stride + i] * work[j]
        out[i] = total * scale[i]


@kernel
def dot_work(view, a, work, count):
    """Product of a row and a vector."""
    total = 0.0
    for k in range(count):
        total = total + view[a + k] * work[k]
    return total


@kernel
def residual(matrix, right, x, count, stride):
    """Greatest |B x - right|."""
    worst = 0.0
    for i in range(count):
        total = -right[i]
        for j in range(count):
            total = total + matrix[i * stride + j] * x[j]
        worst = maximum(worst, absolute(total))
    return worst
