"""Sine, cosine and arc tangent, branch-free: the same arithmetic at every width."""

from hitogata.lanes.numbers import absolute, rint, where
from hitogata.lanes.tracing import inline


@inline
def sincos(x):
    """(sin x, cos x) to 3e-16 (float32: 1e-7), same arithmetic at every width; for |x| up to some 1e6.

    The rest beyond whole quarter turns goes into the polynomials of fdlibm (Sun 1993, k_sin.c, k_cos.c).
    """
    k = rint(x * 0.6366197723675814)                          # quarter turns
    # pi/2 in three parts, the first two so short that k times them is exact, in float32 too (Cody and Waite).
    r = x - k * 1.5703125 - k * 4.837512969970703125e-4 - k * 7.549789954891882e-08
    z = r * r
    s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03
        + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
        + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))))
    c = 1.0 - 0.5 * z + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
        + z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07
        + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))))
    quarter = k - 4.0 * rint(k * 0.25)                        # -2 ... 2
    odd = absolute(quarter) == 1.0
    s, c = where(odd, c, s), where(odd, s, c)
    return where(absolute(quarter - 0.5) > 1.0, -s, s), where(absolute(quarter + 0.5) > 1.0, -c, c)


@inline
def arctan_excess(z):
    """atan(t) / t - 1 for z = t^2 and |t| up to tan(pi/8): the rational form of Cephes (Moshier, atan.c)."""
    p = (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z
         - 1.228866684490136173410e2) * z - 6.485021904942025371773e1
    q = ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z
         + 4.853903996359136964868e2) * z + 1.945506571482613964425e2
    return z * p / q


@inline
def atan2(y, x):
    """Angle of (x, y), same arithmetic at every width, to some 2e-16; 0 for x = y = 0."""
    ay, ax = absolute(y), absolute(x)
    swap = ay > ax
    low, high = where(swap, ax, ay), where(swap, ay, ax)
    bend = low > 0.41421356237309503 * high                    # beyond pi/8: turn by pi/4
    a, b = where(bend, low - high, low), where(bend, low + high, high)
    t = a / where(b > 0.0, b, 1.0)
    angle = t + t * arctan_excess(t * t)
    angle = where(bend, angle + 0.7853981633974483, angle)
    angle = where(swap, 1.5707963267948966 - angle, angle)
    angle = where(x < 0.0, 3.141592653589793 - angle, angle)
    return where(y < 0.0, -angle, angle)
