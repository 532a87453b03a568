"""3 x 3 matrices, general and symmetric."""

from hitogata.lanes import inline, struct
from hitogata.spatial.vectors import Vec3, cross, dot


@struct
class Mat3:
    """3 x 3 matrix, row by row."""

    xx: float
    xy: float
    xz: float
    yx: float
    yy: float
    yz: float
    zx: float
    zy: float
    zz: float

    @property
    def T(self):
        """Transpose."""
        return from_rows(*cols(self))

    def __add__(self, o):
        return from_rows(*[a + b for a, b in zip(rows(self), rows(o), strict=True)])

    def __sub__(self, o):
        return from_rows(*[a - b for a, b in zip(rows(self), rows(o), strict=True)])

    def __neg__(self):
        return from_rows(*[-a for a in rows(self)])

    def __mul__(self, s):
        return from_rows(*[a * s for a in rows(self)])

    def __rmul__(self, s):
        return self * s

    def __matmul__(self, o):
        return _product(self, o)


@struct
class Sym3:
    """Symmetric 3 x 3 matrix."""

    xx: float
    xy: float
    xz: float
    yy: float
    yz: float
    zz: float

    @property
    def T(self):
        """Transpose: itself."""
        return self

    def __add__(self, o):
        return Sym3(self.xx + o.xx, self.xy + o.xy, self.xz + o.xz, self.yy + o.yy, self.yz + o.yz, self.zz + o.zz)

    def __sub__(self, o):
        return Sym3(self.xx - o.xx, self.xy - o.xy, self.xz - o.xz, self.yy - o.yy, self.yz - o.yz, self.zz - o.zz)

    def __neg__(self):
        return Sym3(-self.xx, -self.xy, -self.xz, -self.yy, -self.yz, -self.zz)

    def __mul__(self, s):
        return Sym3(self.xx * s, self.xy * s, self.xz * s, self.yy * s, self.yz * s, self.zz * s)

    def __rmul__(self, s):
        return self * s

    def __matmul__(self, o):
        return _product(self, o)


def _product(m, o):
    if isinstance(o, Vec3):
        return Vec3(*[dot(r, o) for r in rows(m)])
    if isinstance(o, Mat3 | Sym3):
        return from_rows(*[Vec3(*[dot(r, c) for c in cols(o)]) for r in rows(m)])
    return NotImplemented


@inline
def rows(m):
    """Tuple of the three rows."""
    if isinstance(m, Sym3):
        return Vec3(m.xx, m.xy, m.xz), Vec3(m.xy, m.yy, m.yz), Vec3(m.xz, m.yz, m.zz)
    return Vec3(m.xx, m.xy, m.xz), Vec3(m.yx, m.yy, m.yz), Vec3(m.zx, m.zy, m.zz)


@inline
def cols(m):
    """Tuple of the three columns."""
    if isinstance(m, Sym3):
        return rows(m)
    return Vec3(m.xx, m.yx, m.zx), Vec3(m.xy, m.yy, m.zy), Vec3(m.xz, m.yz, m.zz)


@inline
def from_rows(a, b, c):
    """Matrix of three rows."""
    return Mat3(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z)


@inline
def from_cols(a, b, c):
    """Matrix of three columns."""
    return Mat3(a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z)


@inline
def diagonal(d):
    """Symmetric matrix with the vector d on its diagonal."""
    return Sym3(d.x, 0.0, 0.0, d.y, 0.0, d.z)


@inline
def outer(a, b):
    """a bᵀ."""
    return from_rows(b * a.x, b * a.y, b * a.z)


@inline
def symmetric(a, b):
    """a @ b where the product is known to be symmetric."""
    (p, q, r), (x, y, z) = rows(a), cols(b)
    return Sym3(dot(p, x), dot(p, y), dot(p, z), dot(q, y), dot(q, z), dot(r, z))


@inline
def rotated(e, s):
    """e @ s @ e.T for a Sym3 s."""
    return symmetric(e @ s, e.T)


@inline
def cross_cols(r, m):
    """[r] @ m: r cross every column of m."""
    return from_cols(*[cross(r, col) for col in cols(m)])


@inline
def skew(r):
    """[r]: the matrix of r cross."""
    return Mat3(0.0, -r.z, r.y, r.z, 0.0, -r.x, -r.y, r.x, 0.0)


@inline
def determinant(m):
    """Determinant."""
    p, q, r = cols(m)
    return dot(p, cross(q, r))


@inline
def inverse(m):
    """Inverse of a Sym3 (a Sym3) or of a Mat3."""
    if isinstance(m, Sym3):
        a = m.yy * m.zz - m.yz * m.yz
        b = m.xz * m.yz - m.xy * m.zz
        c = m.xy * m.yz - m.xz * m.yy
        d = 1.0 / (m.xx * a + m.xy * b + m.xz * c)
        return Sym3(a * d, b * d, c * d, (m.xx * m.zz - m.xz * m.xz) * d,
                    (m.xy * m.xz - m.xx * m.yz) * d, (m.xx * m.yy - m.xy * m.xy) * d)
    p, q, r = cols(m)
    qr = cross(q, r)
    d = 1.0 / dot(p, qr)
    return from_rows(qr * d, cross(r, p) * d, cross(p, q) * d)


@inline
def solve3(m, b):
    """x with m @ x = b, by Cramer's rule."""
    p, q, r = cols(m)
    qr = cross(q, r)
    d = 1.0 / dot(p, qr)
    return Vec3(dot(b, qr) * d, dot(p, cross(b, r)) * d, dot(p, cross(q, b)) * d)
