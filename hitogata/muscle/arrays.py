"""Vectors in arrays, for kernels that take arrays as they are.  Rows of tables are told by numbers: slices cost."""

from hitogata.lanes import kernel
from hitogata.spatial import Vec3


@kernel
def get3(array, at):
    """Vector at array[at]."""
    return Vec3(array[at], array[at + 1], array[at + 2])


@kernel
def put3(array, at, a):
    """Put a vector at array[at]."""
    array[at] = a.x
    array[at + 1] = a.y
    array[at + 2] = a.z


@kernel
def row3(table, row, at):
    """Vector at table[row, at]."""
    return Vec3(table[row, at], table[row, at + 1], table[row, at + 2])


@kernel
def put_row3(table, row, at, a):
    """Put a vector at table[row, at]."""
    table[row, at] = a.x
    table[row, at + 1] = a.y
    table[row, at + 2] = a.z
