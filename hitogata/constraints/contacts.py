"""Contacts as point rows: one-sided along the normal, Coulomb friction across.

A spring k and a damper d act along the normal while the points overlap.  Over a step that begins with an overlap -gap,
and ends with -gap - h u, their impulse is h k (-gap - h u) - h d u; over one in which they come to overlap, that of the
damper is d (-gap - h u).  So

    u + s p + b >= 0,   p >= 0,   one of them zero            s = 1/(h (d + h k))
    b = gap / h                where they do not overlap yet: they may use up the gap, and no more
    b = k gap / (d + h k)      where they do

What overlaps deeply is pushed out at no more than a set speed: d is taken as large as that needs, so that the force, k
times the overlap, is there all the same.  What closes fast meets a firmer contact, or it would come to overlap by far
more than what lies there, and be pushed out again, or pass if it is thin: s <= o / (h |u| m), m the mass of the lighter
figure, o the less of DEEPEST and an eighth of the inradius of the thinner shape.

Contacts with restitution: see `restitution`.

A limb of a figure may be driven in between another and the walls of its joints, and friction would hold it there: see
`grip`.
"""

from hitogata.constraints.layout import CONTACT
from hitogata.dynamics.joints import is_floating
from hitogata.lanes import absolute, any_lane, clip, inline, kernel, maximum, minimum, negated, sqrt, where
from hitogata.spatial import Mat3, Vec3, cross, dot

FAR = 1e9
"""Bias of a row that must not act [m/s]."""

DEEPEST, SLOWEST = 1e-3, 0.1
"""What closes fast overlaps by about this at the most [m]: its contact is as much firmer than set.  Slower, it is as
set [m/s]."""

HARD = 1e-4
"""Share of its softness that a contact keeps."""

NOWHERE = 0.5e9
"""Points farther than this are no points [m]; see `contact.layout.FAR`."""

TINY = 1e-30

SOFT_SHARE = 0.1
"""Stiffness of deep contacts, by that of slight ones."""

DEEP = 100.0
"""Contacts are deep that overlap by this many `Settings.contact_depth` ..."""

OWN_DEEP = 50.0
"""... or, between links of one figure, by this many, up to which they are springs."""

JAMMED, LOOSE = 40.0, 50.0
"""Links of one figure that press on each other as if it accelerated at more than this at a single point lose their
friction, from the former on, and have none from the latter on [m/s²]: 4 and 5 mm of overlap, unless contacts are set
otherwise."""


@kernel
def add_contact(scene, rows, count, contact, point, friction, restitution, mass, depth, deep, thin, law, slot):
    """Write the row of a contact point, if it may close within the step; returns how many point rows there are now.

    mass: of the lighter figure; thin: the lesser inradius; depth, deep: see `hardened`.
    """
    body_a, body_b, sign = contact.body_a, contact.body_b, 1.0
    if body_a < 0:
        body_a, body_b, sign = contact.body_b, contact.body_a, -1.0
    own, row = rows.point_int[count], rows.point[count]
    own.kind = CONTACT
    own.body_a = body_a
    own.body_b = body_b
    own.tie = 0
    own.slot = slot
    firm = firmness(mass, law.contact_mass)
    more, gap = hardened(point.gap, depth, deep)
    stiffness = law.contact_stiffness * (firm * more)
    stiff = law.contact_damping * (firm * more) + law.h * stiffness
    a, normal = scene.placed[body_a], point.normal * sign
    arm_a, arm_b = point.pos - a.pos, point.pos * 0.0
    closing = dot(normal, point_motion(a.motion, arm_a))
    if body_b >= 0:
        b = scene.placed[body_b]
        arm_b = point.pos - b.pos
        closing = closing - dot(normal, point_motion(b.motion, arm_b))
    reach = law.contact_margin + law.h * maximum(law.h * law.fall - closing, 0.0)
    near = (point.gap < reach) & (point.gap < NOWHERE)
    if not any_lane(near):
        point.impulse = Vec3(0.0, 0.0, 0.0)
        return count
    row.frame = axes_along(where(near, normal, Vec3(0.0, 0.0, 1.0)))  # whatever stands there in lanes without a point
    row.arm_a = where(near, arm_a, Vec3(0.0, 0.0, 0.0))
    row.arm_b = where(near, arm_b, Vec3(0.0, 0.0, 0.0))
    stiff = maximum(stiff, -gap * stiffness / law.push_out_speed)
    soft = 1.0 / (law.h * stiff)
    give = minimum(DEEPEST, 0.125 * thin) / (law.h * maximum(-closing, SLOWEST))
    firmer = clip(give / (mass * soft), HARD, 1.0)
    bias = where(gap > 0.0, gap / law.h, gap * stiffness / stiff * firmer)
    row.bias = normal_bias(where(near, bias, FAR))
    row.bounce = where(near, restitution, 0.0)
    row.gap, row.struck, row.hit = point.gap, closing * 0.0, Vec3(0.0, 0.0, 0.0)
    row.acceleration = closing * 0.0
    if any_lane(restitution > 0.0):
        row.acceleration = dot(normal, fall_of(scene.tree, body_a) - fall_of(scene.tree, body_b))
    row.soft = soft * firmer
    firmer, core = core_of(point.gap, depth, deep)
    stiffness = law.contact_stiffness * (firm * firmer)
    stiff = law.contact_damping * (firm * firmer) + law.h * stiffness
    bias = where(core > 0.0, core / law.h, maximum(core * stiffness / stiff, -law.push_out_speed))
    row.core_bias = where(near, bias, FAR)
    row.core_soft = 1.0 / (law.h * stiff)
    row.friction = friction
    rests = near & ((restitution == 0.0) | (absolute(closing) < law.bounce_speed))  # else it may have been an impact
    row.impulse = where(rests, point.impulse * law.warm, Vec3(0.0, 0.0, 0.0))
    return count + 1


@kernel
def fall_of(tree, i):
    """Acceleration by gravity of a body whose tree is free; of others, and of the world, none."""
    if i >= 0:
        while tree.joint[i].parent >= 0:
            i = tree.joint[i].parent
        if is_floating(tree.joint[i]):
            return tree.gravity
    return tree.gravity * 0.0


@inline
def point_motion(motion, arm):
    """Velocity of the end of an arm."""
    return motion.lin + cross(motion.ang, arm)


@inline
def normal_bias(bias):
    """Bias along the normal only."""
    return Vec3(0.0, 0.0, bias)


@inline
def axes_along(n):
    """Rows: two directions across n, and n; without branches (Duff et al. 2017)."""
    sign = where(n.z >= 0.0, 1.0, -1.0)
    a = -1.0 / (sign + n.z)
    b = n.x * n.y * a
    return Mat3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x, b, sign + n.y * n.y * a, -n.y, n.x, n.y, n.z)


@inline
def firmness(lighter, mass):
    """How much stiffer than set contacts are: in proportion to the mass of the lighter of two figures.

    So a human does not stand on cushions, and a stack of heavy boxes is to the solver what one of light boxes is.
    Infinite mass: all are as set.
    """
    return where(mass < FAR, lighter / mass, 1.0)


@inline
def hardened(gap, depth, deep):
    """How much stiffer a contact is by its overlap, and the overlap of a spring so stiff that has the same force.

    With k the stiffness of a slight overlap o, x = o/depth:

        o <= depth   F = k o
        o <= deep    F = k depth (x² + 1)/2     F' = k x
        deeper       F falls to that of soft springs, k/10 and a little, and grows with these

    So what lies under a heap, or under something much heavier, does not sink in by more than it is thick; and what was
    put into each other is parted by forces that do not tear it to pieces.
    """
    over = maximum(-gap, TINY)
    x, top = over / depth, deep / depth
    fallen = 0.5 * depth * (top * top + 1.0) * (2.0 - over / deep)
    soft = maximum(fallen, SOFT_SHARE * over + (1.0 - SOFT_SHARE) * deep) / over
    bent, sunk = x > 1.0, over > deep
    return where(sunk, soft, maximum(x, 1.0)), where(bent & negated(sunk), 0.5 * (gap - depth / x), gap)


@inline
def core_of(gap, depth, deep):
    """The same of the core of a contact: the tangent of its force at the deepest overlap of `hardened`, so that it is
    not passed within a step.  No core where it was passed, or where contacts do not harden: a gap of FAR."""
    top = deep / depth
    return where((top > 1.0) & (-gap < deep), top, 1.0), where(
        (top > 1.0) & (-gap < deep), gap + 0.5 * (deep - depth / top), FAR
    )


@inline
def mixed_friction(a, b):
    """Friction of two surfaces: the geometric mean."""
    return sqrt(a * b)


@inline
def grip(gap, stiffness, mass):
    """Share of its friction that a contact between links of one figure has, by how hard it is pressed.

    What presses so hard is not carried but jammed: weights of a whole heap stay below it.  stiffness: of contacts of
    figures of this mass.
    """
    return clip((LOOSE + gap * stiffness / mass) / (LOOSE - JAMMED), 0.0, 1.0)
