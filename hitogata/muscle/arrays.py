"""Vectors in arrays, for kernels that take arrays as they are."""

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
