"""Linear systems that need not be symmetric: elimination with complete pivoting; dependent unknowns become zero."""

from hitogata.lanes import kernel


@kernel
def eliminate(matrix, right, x, order, count, stride, tolerance):
    """x with matrix x = right; both are overwritten.  Returns the rank."""
    for k in range(count):
        order[k] = k
    rank, largest = count, 0.0
    for k in range(count):
        best, row, column = 0.0, k, k
        for i in range(k, count):
            for j in range(k, count):
                size = abs(matrix[i * stride + j])
                if size > best:
                    best, row, column = size, i, j
        if k == 0:
            largest = best
        if not best > tolerance * largest:
            rank = k
            break
        if row != k:
            for j in range(count):
                matrix[k * stride + j], matrix[row * stride + j] = matrix[row * stride + j], matrix[k * stride + j]
            right[k], right[row] = right[row], right[k]
        if column != k:
            for i in range(count):
                matrix[i * stride + k], matrix[i * stride + column] = (
                    matrix[i * stride + column],
                    matrix[i * stride + k],
                )
            order[k], order[column] = order[column], order[k]
        for i in range(k + 1, count):
            factor = matrix[i * stride + k] / matrix[k * stride + k]
            if factor != 0.0:
                for j in range(k + 1, count):
                    matrix[i * stride + j] = matrix[i * stride + j] - factor * matrix[k * stride + j]
                right[i] = right[i] - factor * right[k]
    for k in range(count):
        x[order[k]] = 0.0
    for k in range(rank - 1, -1, -1):
        total = right[k]
        for j in range(k + 1, rank):
            total = total - matrix[k * stride + j] * x[order[j]]
        x[order[k]] = total / matrix[k * stride + k]
    return rank
