"""Two boxes: the separating axis test (Gottschalk, Lin & Manocha 1996; Ericson 2005, 4.4.1).

The points of box A minus box B form a polytope whose faces have the normals of A's faces, of B's faces, or of an edge
of each, a_i × b_j.  Along a unit axis n, with d between the centres,

    separation = n·d - Σ h_i |n·a_i| - Σ k_j |n·b_j|

The greatest of the 15 is minus the depth when the boxes overlap, exactly; when they do not, it is a lower bound of the
distance, reached when the nearest points lie on a face or on two edges.
"""

from hitogata.lanes import absolute, copysign, inline, sqrt, where
from hitogata.spatial import Vec3, cols, dot, from_rows, rows


@inline
def seen_from_a(ax, ay, az, bx, by, bz, between):
    """(R, d): B's axes as columns, and the way from B's centre to A's, in A's axes."""
    rot = from_rows(*[Vec3(dot(a, bx), dot(a, by), dot(a, bz)) for a in (ax, ay, az)])
    return rot, Vec3(dot(ax, between), dot(ay, between), dot(az, between))


@inline
def best_face(rot, d, half_a, half_b):
    """(n in A's axes, separation) over the six normals of faces; the first of equals."""
    a_axes, best, n = _units(), None, None
    for axis, row, h, along in zip(a_axes, rows(rot), _three(half_a), _three(d), strict=True):
        best, n = _better(best, n, axis, along, h + reach(row, half_b))
    for axis, h in zip(cols(rot), _three(half_b), strict=True):
        best, n = _better(best, n, axis, dot(axis, d), h + reach(axis, half_a))
    return n, best


@inline
def best_edges(rot, d, half_a, half_b, n, best, eps):
    """The same with the nine pairs of edges, unless they are parallel."""
    r, h, k, delta = [_three(row) for row in rows(rot)], _three(half_a), _three(half_b), _three(d)
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            square = r[i1][j] * r[i1][j] + r[i2][j] * r[i2][j]  # 1 - R_ij², without cancellation
            good = square > eps
            inverse = 1.0 / sqrt(where(good, square, 1.0))
            along = (delta[i2] * r[i1][j] - delta[i1] * r[i2][j]) * inverse
            arms = h[i1] * absolute(r[i2][j]) + h[i2] * absolute(r[i1][j])
            arms = arms + k[j1] * absolute(r[i][j2]) + k[j2] * absolute(r[i][j1])
            separation = absolute(along) - arms * inverse
            better = good & (separation > best)
            parts = [0.0, 0.0, 0.0]
            parts[i1], parts[i2] = -r[i2][j] * inverse, r[i1][j] * inverse
            n = where(better, Vec3(*parts) * copysign(1.0, along), n)
            best = where(better, separation, best)
    return n, best


@inline
def reach(axis, half):
    """How far a box reaches along an axis given in the box's own axes."""
    return absolute(axis.x) * half.x + absolute(axis.y) * half.y + absolute(axis.z) * half.z


def _better(best, n, axis, along, arms):
    separation = absolute(along) - arms
    signed = axis * copysign(1.0, along)
    if best is None:
        return separation, signed
    better = separation > best
    return where(better, separation, best), where(better, signed, n)


def _units():
    return Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


def _three(a):
    return a.x, a.y, a.z
