"""Spatial vectors [angular; linear] and inertias (Featherstone, Rigid Body Dynamics Algorithms, 2008).

Each link has a frame B in its parent A: x_A = rot @ x_B + pos, with rot = R_AB, pos = p_AB.
Spatial vectors are taken at the origin of the frame they are written in.
"""

from hitogata.lanes import inline, struct
from hitogata.spatial.matrices import Mat3, Sym3, cross_cols, inverse, rotated, skew, symmetric
from hitogata.spatial.vectors import Vec3, cross, dot


@struct
class Motion:
    """Velocity or acceleration: of the frame's turning, and of its origin."""

    ang: Vec3
    lin: Vec3

    def __add__(self, o):
        return Motion(self.ang + o.ang, self.lin + o.lin)

    def __sub__(self, o):
        return Motion(self.ang - o.ang, self.lin - o.lin)

    def __neg__(self):
        return Motion(-self.ang, -self.lin)

    def __mul__(self, s):
        return Motion(self.ang * s, self.lin * s)

    def __rmul__(self, s):
        return self * s


@struct
class Force:
    """Torque about the origin, and force."""

    ang: Vec3
    lin: Vec3

    def __add__(self, o):
        return Force(self.ang + o.ang, self.lin + o.lin)

    def __sub__(self, o):
        return Force(self.ang - o.ang, self.lin - o.lin)

    def __neg__(self):
        return Force(-self.ang, -self.lin)

    def __mul__(self, s):
        return Force(self.ang * s, self.lin * s)

    def __rmul__(self, s):
        return self * s


@struct
class RigidInertia:
    """Mass, mass times centre, and rotational inertia about the origin."""

    mass: float
    moment: Vec3
    rot: Sym3

    def __add__(self, o):
        return RigidInertia(self.mass + o.mass, self.moment + o.moment, self.rot + o.rot)

    def __matmul__(self, v):
        return Force(self.rot @ v.ang + cross(self.moment, v.lin),
                     v.lin * self.mass + cross(v.ang, self.moment))


@struct
class Inertia:
    """Articulated inertia: the symmetric 6 x 6 matrix [[rot, mix], [mix.T, lin]]."""

    rot: Sym3
    mix: Mat3
    lin: Sym3

    def __add__(self, o):
        return Inertia(self.rot + o.rot, self.mix + o.mix, self.lin + o.lin)

    def __sub__(self, o):
        return Inertia(self.rot - o.rot, self.mix - o.mix, self.lin - o.lin)

    def __matmul__(self, a):
        return Force(self.rot @ a.ang + self.mix @ a.lin, self.mix.T @ a.ang + self.lin @ a.lin)


@inline
def power(f, v):
    """What a force does to a motion: f · v."""
    return dot(f.ang, v.ang) + dot(f.lin, v.lin)


@inline
def shift_of(mass, r):
    """mass (|r|² 1 − r rᵀ): what moving the reference by r adds to an inertia about the centre of mass."""
    x, y, z = r.x * mass, r.y * mass, r.z * mass
    return Sym3(y * r.y + z * r.z, -x * r.y, -x * r.z, x * r.x + z * r.z, -y * r.z, x * r.x + y * r.y)


@inline
def rigid_inertia(mass, centre, central):
    """Inertia of a body from its mass, centre, and inertia (Sym3) about the centre."""
    return RigidInertia(mass, centre * mass, central + shift_of(mass, centre))


@inline
def articulated(rigid):
    """A rigid inertia in articulated form."""
    m = rigid.mass
    return Inertia(rigid.rot, skew(rigid.moment), Sym3(m, 0.0, 0.0, m, 0.0, m))


@inline
def cross_motion(v, m):
    """Rate of a motion m fixed in a frame that moves with v."""
    return Motion(cross(v.ang, m.ang), cross(v.ang, m.lin) + cross(v.lin, m.ang))


@inline
def cross_force(v, f):
    """Rate of a force f fixed in a frame that moves with v."""
    return Force(cross(v.ang, f.ang) + cross(v.lin, f.lin), cross(v.ang, f.lin))


@inline
def motion_to_child(rot, pos, m):
    """A motion of the parent's frame A, in B."""
    return Motion(rot.T @ m.ang, rot.T @ (m.lin + cross(m.ang, pos)))


@inline
def motion_to_parent(rot, pos, m):
    """A motion of the link's frame B, in A."""
    ang = rot @ m.ang
    return Motion(ang, rot @ m.lin + cross(pos, ang))


@inline
def force_to_parent(rot, pos, f):
    """A force of the link's frame B, in A."""
    lin = rot @ f.lin
    return Force(rot @ f.ang + cross(pos, lin), lin)


@inline
def force_to_child(rot, pos, f):
    """A force of the parent's frame A, in B."""
    return Force(rot.T @ (f.ang - cross(pos, f.lin)), rot.T @ f.lin)


@inline
def rigid_to_parent(rot, pos, rigid):
    """A rigid inertia of the link's frame B, in A."""
    # About a point moved by p, with h the turned moment: I + 2 (h·p) 1 − h pᵀ − p hᵀ + m (|p|² 1 − p pᵀ).
    h, p, m = rot @ rigid.moment, pos, rigid.mass
    x, y, z = 2.0 * h.x * p.x, 2.0 * h.y * p.y, 2.0 * h.z * p.z
    mixed = Sym3(y + z, -(h.x * p.y + h.y * p.x), -(h.x * p.z + h.z * p.x), x + z, -(h.y * p.z + h.z * p.y), x + y)
    return RigidInertia(m, h + p * m, rotated(rot, rigid.rot) + mixed + shift_of(m, p))


@inline
def moved_inertia(pos, inertia):
    """Move the point of reference: the inertia's own lies at pos, seen from the new one."""
    mix = inertia.mix + cross_cols(pos, inertia.lin)
    a, b = cross_cols(pos, inertia.mix.T), cross_cols(pos, mix.T)
    shift = Sym3(a.xx + b.xx, a.yx + b.xy, a.zx + b.xz, a.yy + b.yy, a.zy + b.yz, a.zz + b.zz)
    return Inertia(inertia.rot + shift, mix, inertia.lin)


@inline
def inertia_to_parent(rot, pos, inertia):
    """Turn by rot, then move the point of reference by pos."""
    turned = Inertia(rotated(rot, inertia.rot), rot @ inertia.mix @ rot.T, rotated(rot, inertia.lin))
    return moved_inertia(pos, turned)


@inline
def solve6(inertia, f):
    """The acceleration that meets force f: a 6 x 6 solve by blocks."""
    inv = inverse(inertia.lin)
    h = inertia.mix @ inv
    ang = inverse(inertia.rot - symmetric(h, inertia.mix.T)) @ (f.ang - h @ f.lin)
    return Motion(ang, inv @ (f.lin - inertia.mix.T @ ang))
