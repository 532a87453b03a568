"""Swing and twist of a rotation, and the rows (angular velocity directions) that limit them.

R turns the rest pose into the pose (parent frame); e is the bone at rest, c = R e the bone now.
R = swing · twist: twist turns about e, swing takes e to c the short way.

    twist rate   d(twist)/dt = omega · (e + c) / (1 + e·c)        omega in the parent frame
    swing rate   d(distance)/dt = omega · (c × grad)              grad: unit tangent at c that leads inward

(e + c)/(1 + e·c) is h / cos(angle/2), h the half vector: e at rest, and unbounded at 180 degrees, where twist
has no meaning.  The row of a simulator is better taken times cos(angle/2): unit axis h, depth in the same scale.
"""

from hitogata.lanes import absolute, atan2, inline, sqrt, where
from hitogata.spatial.rotations import TINY, Quaternion, conjugate, rotate, turn_about
from hitogata.spatial.vectors import cross, dot


@inline
def bone_of(q, e):
    """The bone e turned by the unit quaternion q."""
    return rotate(q, e)


@inline
def twist_of(q, e):
    """Twist angle in [-pi, pi], the same for q and -q; 0 where it has no meaning."""
    a = dot(q.v, e)
    return 2.0 * atan2(where(q.w < 0.0, -a, a), absolute(q.w))


@inline
def swing_twist(q, e):
    """(swing, twist) with q = swing @ twist, both unit quaternions; w of twist >= 0.

    Where the bone points backwards (swing of 180 degrees) the twist has no meaning: it is none.
    """
    a = dot(q.v, e)
    size = q.w * q.w + a * a
    known = size > TINY
    scale = 1.0 / sqrt(where(known, size, 1.0))
    scale = where(q.w < 0.0, -scale, scale)
    w, a = where(known, q.w * scale, 1.0), where(known, a * scale, 0.0)
    twist = Quaternion(w, e.x * a, e.y * a, e.z * a)
    return q @ conjugate(twist), twist


@inline
def swing_to(c, e):
    """Swing quaternion that takes e to c, both of length one, the short way.

    Where c = -e every axis across e is as short: the result is then not a rotation (zero).
    """
    h, cos = half_vector(c, e)
    s = cross(e, h)
    return Quaternion(cos, s.x, s.y, s.z)


@inline
def from_swing_twist(c, twist, e):
    """Rotation whose bone points along c, with the given twist angle."""
    return swing_to(c, e) @ turn_about(e, twist)


@inline
def half_vector(c, e):
    """Unit h halfway between e and c, and cos(angle/2)."""
    s = c + e
    length = sqrt(dot(s, s))
    return s * (1.0 / where(length > 0.0, length, 1.0)), length * 0.5


@inline
def twist_row(c, e):
    """d(twist)/d(omega); times cos(angle/2) it is the unit vector h."""
    h, cos = half_vector(c, e)
    return h * (1.0 / cos)
