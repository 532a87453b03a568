"""Positive semi-definite systems B x = r by Cholesky with pivots: rank, and the least solution if B is singular.

Rows are scaled to a unit diagonal, so that newtons and newton metres weigh alike; pivots are taken by size until what
is left of every row is below `tolerance`: those rows depend on the others.  Then B = L Lᵀ with L of `rank` columns, and

    x = L (LᵀL)⁻¹ (LᵀL)⁻¹ Lᵀ r          least |B x - r|, then least Σ B_ii x_i²
"""

from hitogata.lanes import absolute, kernel, maximum, packed, sqrt

TOLERANCE = 1e-10
"""Share of a row's own reply below which it counts as a consequence of the others."""


@kernel
def factorise(matrix, factor, order, scale, left, count, stride, tolerance):
    """L of the scaled matrix, rows in place, columns in the order of the pivots; returns the rank."""
    for i in range(count):
        d = matrix[i * stride + i]
        scale[i] = 0.0
        left[i] = 0.0
        order[i] = -1
        if d > 0.0:
            scale[i] = 1.0 / sqrt(d)
            left[i] = 1.0
    taken = tolerance * 0.0 - 1.0
    for k in range(count):
        best, pivot = tolerance, -1
        for i in range(count):
            if left[i] > best:
                best, pivot = left[i], i
        if pivot < 0:
            return k
        order[k] = pivot
        root = 1.0 / sqrt(best)
        for i in range(count):
            if left[i] > taken:
                value = matrix[pivot * stride + i] * scale[i] * scale[pivot]
                value = (value - dot_rows(factor, i * stride, pivot * stride, k)) * root
                factor[i * stride + k] = value
                left[i] = maximum(left[i] - value * value, 0.0)
            else:
                factor[i * stride + k] = 0.0
        left[pivot] = -2.0
    return count


@kernel
def dot_rows(view, a, b, count):
    """Product of two rows."""
    total = 0.0
    for k in range(count):
        total = total + view[a + k] * view[b + k]
    return total


@kernel
def solve(factor, order, scale, small, work, right, out, count, rank, stride):
    """x with B x = right; `right` is kept.  `work`: 2 count numbers."""
    if rank == count:
        solve_regular(factor, order, scale, work, right, out, count, stride)
    else:
        solve_dependent(factor, scale, small, work, right, out, count, rank, stride)


@kernel
def solve_regular(factor, order, scale, work, right, out, count, stride):
    """Forward and back."""
    for k in range(count):
        p = order[k]
        total = right[p] * scale[p]
        for j in range(k):
            total = total - factor[p * stride + j] * work[j]
        work[k] = total / factor[p * stride + k]
    for k in range(count - 1, -1, -1):
        p = order[k]
        value = work[k] / factor[p * stride + k]
        out[p] = value * scale[p]
        for j in range(k):
            work[j] = work[j] - factor[p * stride + j] * value


@kernel
def solve_dependent(factor, scale, small, work, right, out, count, rank, stride):
    """Least squares, least solution: twice through LᵀL."""
    for j in range(rank):
        total = 0.0
        for i in range(count):
            total = total + factor[i * stride + j] * right[i] * scale[i]
        work[j] = total
        for m in range(j + 1):
            total = 0.0
            for i in range(count):
                total = total + factor[i * stride + j] * factor[i * stride + m]
            small[j * stride + m] = total
    for j in range(rank):
        for m in range(j + 1):
            total = small[j * stride + m] - dot_rows(small, j * stride, m * stride, m)
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
            total = total + factor[i * stride + j] * work[j]
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


@kernel
def multiply(white, matrix, nv, count, stride):
    """B = Y Yᵀ, from the columns of Yᵀ."""
    many, out = packed(white), packed(matrix)
    for i in range(count):
        for j in range(0, i + 1, many.step):
            total = many[j] * 0.0
            for k in range(nv):
                total = total + many[k * stride + j] * white[k * stride + i]
            out[i * stride + j] = total
    for i in range(count):
        for j in range(i + 1, count):
            matrix[i * stride + j] = matrix[j * stride + i]
