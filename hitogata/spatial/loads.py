"""Vectors, quaternions and spatial vectors at a place of a flat view (or of a list, or array)."""

from hitogata.lanes import inline
from hitogata.spatial.motion import Motion
from hitogata.spatial.rotations import Quaternion, rotation
from hitogata.spatial.vectors import Vec3


@inline
def load3(view, i):
    """Vector at view[i]."""
    return Vec3(view[i], view[i + 1], view[i + 2])


@inline
def store3(view, i, a):
    """Put a vector at view[i]."""
    view[i] = a.x
    view[i + 1] = a.y
    view[i + 2] = a.z


@inline
def load_down(view, at, stride):
    """A column of three numbers, of a matrix with rows `stride` apart."""
    return Vec3(view[at], view[at + stride], view[at + 2 * stride])


@inline
def load6(view, at):
    """Motion [angular; linear] at view[at]."""
    return Motion(load3(view, at), load3(view, at + 3))


@inline
def store6(view, at, m):
    """Put a Motion or Force [angular; linear] at view[at]."""
    store3(view, at, m.ang)
    store3(view, at + 3, m.lin)


@inline
def load_quaternion(view, i):
    """Quaternion (w, x, y, z) at view[i]."""
    return Quaternion(view[i], view[i + 1], view[i + 2], view[i + 3])


@inline
def store_quaternion(view, i, q):
    """Put a quaternion (w, x, y, z) at view[i]."""
    view[i] = q.w
    view[i + 1] = q.x
    view[i + 2] = q.y
    view[i + 3] = q.z


@inline
def load_rotation(view, i):
    """Rotation matrix of the unit quaternion (w, x, y, z) at view[i]."""
    return rotation(load_quaternion(view, i))
