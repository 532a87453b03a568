"""Springs, dampers and ropes between points of two bodies, or of a body and the world (Tazaki & Hasegawa 2007).

A spring pulls the points together with K φ + D φ'.  Taken at the end of the step, where φ⁺ = φ + h u, this is
K φ + (D + h K) u: stable for any K, D and h, but h K is more damping than there should be.  Positions move with the
new velocity, so that K φ + C u is stable whenever C >= h K/2, and damps as it should when C = D.  Hence, between

    C = max(D + (2θ - 1) h K, θ h K)        θ = 1: D + h K;  θ = 1/2: D, or h K/2 where that is more

    u + p / (h C) + K φ / C = 0             φ: from b's point to a's, u: its rate, p: impulse

What a step cannot resolve (h² K far above the mass) dies out by (1 - θ)/θ per step.

A spring with a limit F pulls with no more: |p| <= h F, and where that holds it back, p is along K φ + C u.  This is
the least of pᵀ (J M⁻¹ Jᵀ + soft) p/2 + p · (u₀ + bias) over the ball of this radius, u₀ the rate without it: the sweeps
project on it (`points.mend`).

Points move along curves: with a body that turns by φ within the step, a point at r from its middle goes farther than
its velocity says, by (exp(φ) - 1) r - φ × r, and with the curve of the middle itself (`sim.energy_momentum`).  Rows
know velocities only, so this way c, as foreseen, is in the bias: u + c/h is the rate at which the ends come apart.

A rope does nothing while slack; beyond its length it is a one-sided row along the line between its ends.  With θ = 1 it
never draws them past each other, however far it was stretched.  Its energy V = ½ K max(|φ| - length, 0)² is convex, so
that taking its pull where the step ends gains nothing at any step,

    V(φ⁺) - V(φ) <= V'(φ⁺)·(φ⁺ - φ)  =  - (what the pull does to the bodies)

but slows what swings.  So where its line turns little within the step, the pull is along that at the start (what swings
then goes below its tangent, as far as foreseen; SHAKE), and where it turns far, along that foreseen for the end.

What is foreseen may not come: then ends are farther apart than rows know, and K φ would give back more than it got.
So each spring and rope has a store E of energy, an energy tank (Franken et al. 2011): with V its energy by how far it
is stretched, p its impulse in the last substep, u₀ and u its rates there without impulses and with all of them,

    E = min(V, E₋ - ½ p·(u₀ + u))            it pulls with K φ E/V

The sum of ½ p·(u₀ + u) is what the impulses of a step give to the bodies, converged or not, so that the energy of the
bodies and of all stores together never grows by ties.  What one has to spare covers what others lack, for springs of
one hold work for each other.  Where rows are right, E is V and nothing changes.
"""

from hitogata.constraints.contacts import axes_along, point_motion
from hitogata.constraints.layout import CONTACT, SPRING
from hitogata.lanes import any_lane, clip, inline, kernel, maximum, minimum, record, sincos, sqrt, where
from hitogata.spatial import Mat3, Vec3, cross, dot

NEAR, FAR = 0.2, 0.5
"""A rope that turns by less than the former within a step pulls along its line at the start, by more than the latter
at the end [rad]."""

TAME, WILD = 0.8, 1.4
"""The way of a point along its curve is foreseen in full where its body turns by less than the former, and not at all
from the latter on [rad]."""

LEAST = 1e-30
"""A positive number that float32 knows."""


@record
class Tie:
    """A spring or rope."""

    point_a: Vec3  # in the frame of body a
    point_b: Vec3  # in the frame of body b, or in the world
    stiffness: float
    damping: float
    length: float  # of a rope
    limit: float  # spring: its greatest force [N]; infinite: none
    impulse: Vec3  # of the last substep, on a, world axes
    give: float  # spring: how its ends came together in the last substep for a unit impulse along it [m/s per N s]
    store: float  # energy it can give [J]
    full: float  # energy by how far it is stretched [J]
    known: float  # 1: it is known what it can give
    anchor: Vec3  # `point_b` in the last substep
    rate: Vec3  # at which its ends would have come apart in the last substep without impulses [m/s]
    swing: float  # rope: how fast its line turned in the last substep, where it was taut [rad/s]
    earlier: Vec3  # impulse of the step's earlier substeps, on a, world axes
    earlier_own: Vec3  # the same in the frame of body a
    peak: float  # their greatest force [N]


@record
class TieInts:
    """Between whom."""

    rope: int
    body_a: int
    body_b: int  # -1: the world


@inline
def damper_of(stiffness, damping, h, theta):
    """C, the damper of a spring that is stable at any step."""
    numeric = h * stiffness
    return maximum(damping + (2.0 * theta - 1.0) * numeric, theta * numeric)


@kernel
def add_tie(scene, rows, count, tie, ints, law, slot):
    """Write the row of a spring, or of a rope that is taut or nearly so; returns how many point rows there are now."""
    a = scene.placed[ints.body_a]
    arm_a = a.rot @ tie.point_a
    end_a, end_b, arm_b = a.pos + arm_a, tie.point_b, arm_a * 0.0
    if ints.body_b >= 0:
        b = scene.placed[ints.body_b]
        arm_b = b.rot @ tie.point_b
        end_b = b.pos + arm_b
    reach, apart = end_a - end_b, point_motion(a.motion, arm_a)
    curve = curved_way(a.motion.ang, a.bend, arm_a - a.arm, law.h)
    if ints.body_b >= 0:
        b = scene.placed[ints.body_b]
        apart = apart - point_motion(b.motion, arm_b)
        curve = curve - curved_way(b.motion.ang, b.bend, arm_b - b.arm, law.h)
    theta, distance = law.theta, sqrt(dot(reach, reach))
    if ints.rope == 1:
        theta = 1.0
    share = where(tie.store < tie.full, tie.store / maximum(tie.full, LEAST), 1.0)
    damper = damper_of(tie.stiffness, tie.damping, law.h, theta)
    own, row = rows.point_int[count], rows.point[count]
    own.body_a = ints.body_a
    own.body_b = ints.body_b
    own.tie = 1
    own.slot = slot
    row.arm_a = arm_a
    row.arm_b = arm_b
    row.friction = 0.0
    row.bounce = 0.0
    row.hit = Vec3(0.0, 0.0, 0.0)
    row.core_bias = 1e9
    row.core_soft = 1.0 / (law.h * damper)
    row.soft = 1.0 / (law.h * damper)
    if ints.rope == 0:
        own.kind = SPRING
        row.friction = law.h * tie.limit
        row.frame = upright()
        row.impulse = tie.impulse * law.warm
        row.bias = reach * (share * tie.stiffness / damper) + curve * (1.0 / law.h)
        return count + 1
    slack = tie.length - distance
    way = law.contact_margin + law.h * (law.h * law.fall + sqrt(dot(apart, apart)))
    if any_lane(slack < way):
        own.kind = CONTACT
        outward, below = line_of_pull(reach, reach + apart * law.h + curve, distance, slack, tie.length)
        gap, rest = tie.length - dot(outward, reach), (below + dot(outward, curve)) / law.h
        row.frame = axes_along(outward * -1.0)
        row.swing = distance / law.h
        row.impulse = Vec3(0.0, 0.0, where(slack < way, maximum(-dot(outward, tie.impulse) * law.warm, 0.0), 0.0))
        bias = where(gap > 0.0, gap / law.h, gap * (share * tie.stiffness / damper)) - rest
        row.bias = Vec3(0.0, 0.0, where(slack < way, bias, 1e9))
        return count + 1
    tie.impulse, tie.swing = tie.impulse * 0.0, tie.swing * 0.0
    return count


@kernel
def draw_stores(scene, ties, ints, count):
    """Take stock before a substep: what each spring and rope is stretched by, and can give."""
    need, have = 0.0, 0.0
    for t in range(count):
        tie = ties[t]
        stretch = maximum(distance_of(scene, tie, ints[t]) - tie.length, 0.0)
        tie.full, moved = 0.5 * tie.stiffness * stretch * stretch, tie.anchor - tie.point_b
        tie.store = where((tie.known > 0.0) & (dot(moved, moved) == 0.0), tie.store, tie.full)
        tie.known, tie.anchor = tie.known * 0.0 + 1.0, tie.point_b
        need, have = need + maximum(tie.full - tie.store, 0.0), have + maximum(tie.store - tie.full, 0.0)
    cover = minimum(have / maximum(need, LEAST), 1.0)  # springs of one hold work for each other
    for t in range(count):
        tie = ties[t]
        lent = maximum(tie.store + (tie.full - tie.store) * cover, 0.0)
        tie.store = where(tie.store < tie.full, minimum(lent, tie.full), tie.full)


@kernel
def distance_of(scene, tie, ints):
    """Of the ends of a spring or rope [m]."""
    a = scene.placed[ints.body_a]
    reach = a.pos + a.rot @ tie.point_a - tie.point_b
    if ints.body_b >= 0:
        b = scene.placed[ints.body_b]
        reach = reach + tie.point_b - b.pos - b.rot @ tie.point_b
    return sqrt(dot(reach, reach))


@inline
def curved_way(spin, bend, lever, h):
    """How far a point of a body, at a lever from its centre, will go within h beyond h times its velocity [m].

    bend: how the body's mean motion differs from its velocity, see `sim.energy_momentum`.
    """
    turn = spin * h
    square = dot(turn, turn)
    angle = sqrt(square) + LEAST
    sin, _ = sincos(angle)
    half, _ = sincos(0.5 * angle)
    across = cross(turn, lever)
    chord = cross(turn, across) * (2.0 * half * half / (square + LEAST)) - across * (1.0 - sin / angle)
    share = clip((WILD - angle) * (1.0 / (WILD - TAME)), 0.0, 1.0)
    return (bend.lin + cross(bend.ang, lever)) * h + chord * share


@inline
def line_of_pull(reach, ahead, distance, slack, length):
    """Direction of a rope's pull outwards, and how far what swings will be below the tangent then [m].

    reach, ahead: from end to end, at the start of the step and as foreseen for its end.
    """
    start = unit_or_up(reach)
    across = ahead - start * dot(start, ahead)
    way = sqrt(dot(across, across)) + LEAST
    along = maximum(minimum(dot(start, ahead), distance), LEAST)
    late = clip((way / along - NEAR) * (1.0 / (FAR - NEAR)), 0.0, 1.0)
    late = maximum(late, clip(2.0 * slack / way, 0.0, 1.0))  # a slack one: where it may become taut
    outward = unit_or_up(reach + (ahead - reach) * late)
    aside = ahead - outward * dot(outward, ahead)
    radius = maximum(length, distance)
    return outward, radius - sqrt(maximum(radius * radius - dot(aside, aside), 0.0))


@inline
def unit_or_up(a):
    """Direction of a; z if it has none."""
    length = sqrt(dot(a, a))
    return where(length > 0.0, a * (1.0 / where(length > 0.0, length, 1.0)), Vec3(0.0, 0.0, 1.0))


@inline
def upright():
    """World axes."""
    return Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
