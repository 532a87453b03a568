"""Unit quaternions (w, x, y, z), rotation matrices and rotation vectors, without branches.

quat_WB and R_WB turn the components of a vector in B into those in W; the product
quat_WC = quat_WB @ quat_BC reads like that of matrices.  q and -q are the same rotation.
"""

from hitogata.lanes import absolute, arctan_excess, inline, sincos, sqrt, struct, where
from hitogata.spatial.matrices import Mat3
from hitogata.spatial.vectors import Vec3, cross, dot

# Keeps 0 / 0 away: added to a squared angle, its root (1e-15) is lost beside any angle that
# matters.  A normal number in float32 too, but its square is not: use it once.
TINY = 1e-30


@struct
class Quaternion:
    """Unit quaternion; `a @ b` is first b, then a."""

    w: float
    x: float
    y: float
    z: float

    @property
    def v(self):
        """The vector part."""
        return Vec3(self.x, self.y, self.z)

    def __matmul__(self, o):
        a, b = self, o
        return Quaternion(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                          a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w)

    def __add__(self, o):
        return Quaternion(self.w + o.w, self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o):
        return Quaternion(self.w - o.w, self.x - o.x, self.y - o.y, self.z - o.z)

    def __neg__(self):
        return Quaternion(-self.w, -self.x, -self.y, -self.z)

    def __mul__(self, s):
        return Quaternion(self.w * s, self.x * s, self.y * s, self.z * s)

    def __rmul__(self, s):
        return self * s


@inline
def conjugate(q):
    """The rotation back."""
    return Quaternion(q.w, -q.x, -q.y, -q.z)


@inline
def unit(q):
    """q / |q|."""
    return q * (1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))


@inline
def rotate(q, a):
    """The vector a turned by the unit quaternion q."""
    t = cross(q.v, a) * 2.0
    return a + t * q.w + cross(q.v, t)


@inline
def rotation(q):
    """Matrix of a unit quaternion."""
    x2, y2, z2 = q.x + q.x, q.y + q.y, q.z + q.z
    xx, xy, xz, yy, yz, zz = q.x * x2, q.x * y2, q.x * z2, q.y * y2, q.y * z2, q.z * z2
    wx, wy, wz = q.w * x2, q.w * y2, q.w * z2
    return Mat3(1.0 - (yy + zz), xy - wz, xz + wy,
                xy + wz, 1.0 - (xx + zz), yz - wx,
                xz - wy, yz + wx, 1.0 - (xx + yy))


@inline
def quaternion_of(m):
    """Unit quaternion, with w >= 0, of a rotation matrix.

    The rows of 4 q qᵀ are all multiples of q; the one with the greatest diagonal is the best
    known (Shepperd 1978).  Scaling it to one also evens out a slightly warped matrix.
    """
    a, b, c = m.zy - m.yz, m.xz - m.zx, m.yx - m.xy
    d, e, f = m.xy + m.yx, m.xz + m.zx, m.yz + m.zy
    ww, xx = 1.0 + m.xx + m.yy + m.zz, 1.0 + m.xx - m.yy - m.zz
    yy, zz = 1.0 - m.xx + m.yy - m.zz, 1.0 - m.xx - m.yy + m.zz
    first = where(ww > xx, Quaternion(ww, a, b, c), Quaternion(a, xx, d, e))
    second = where(yy > zz, Quaternion(b, d, yy, f), Quaternion(c, e, f, zz))
    q = unit(where(where(ww > xx, ww, xx) > where(yy > zz, yy, zz), first, second))
    return where(q.w < 0.0, -q, q)


@inline
def turn_about(axis, angle):
    """Quaternion of a turn about a unit axis."""
    s, c = sincos(angle * 0.5)
    return Quaternion(c, axis.x * s, axis.y * s, axis.z * s)


@inline
def turn_by(r):
    """Quaternion of a rotation vector (exponential)."""
    angle = sqrt(dot(r, r) + TINY)
    s, c = sincos(angle * 0.5)
    s = s / angle
    return Quaternion(c, r.x * s, r.y * s, r.z * s)


@inline
def rotation_vector(q):
    """Axis times angle (0 to pi) of a unit quaternion (logarithm); the same for q and -q.

    m = axis tan(angle / 4) is smooth, also at zero; halving the angle once more
    brings the tangent below 0.42, where the rational form of atan holds.
    """
    # At a half turn w = 0 and both axes are right: the first other component decides.
    sign = where(q.w != 0.0, q.w, where(q.x != 0.0, q.x, where(q.y != 0.0, q.y, q.z)))
    s = 1.0 / (1.0 + absolute(q.w))
    m = q.v * where(sign < 0.0, -s, s)
    half = 1.0 / (1.0 + sqrt(1.0 + dot(m, m)))
    return m * (8.0 * half * (1.0 + arctan_excess(dot(m, m) * half * half)))


@inline
def between(a, b, t):
    """Rotation a fraction t of the short way from a to b, at an even pace (slerp)."""
    return a @ turn_by(rotation_vector(conjugate(a) @ b) * t)


@inline
def turned_about_z(e, sin, cos):
    """e @ (rotation about z)."""
    return e @ Mat3(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0)
