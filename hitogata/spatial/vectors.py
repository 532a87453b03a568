"""Vectors of three numbers."""

from hitogata.lanes import inline, sqrt, struct


@struct
class Vec3:
    """Three numbers: a direction, place, velocity ..."""

    x: float
    y: float
    z: float

    def __add__(self, o):
        return Vec3(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o):
        return Vec3(self.x - o.x, self.y - o.y, self.z - o.z)

    def __neg__(self):
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, s):
        return Vec3(self.x * s, self.y * s, self.z * s)

    def __rmul__(self, s):
        return self * s

    def __truediv__(self, s):
        return self * (1.0 / s)


@inline
def dot(a, b):
    """a · b."""
    return a.x * b.x + a.y * b.y + a.z * b.z


@inline
def cross(a, b):
    """a × b."""
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@inline
def length(a):
    """|a|."""
    return sqrt(dot(a, a))


@inline
def scaled(a, b):
    """Number by number: (a.x b.x, a.y b.y, a.z b.z)."""
    return Vec3(a.x * b.x, a.y * b.y, a.z * b.z)
