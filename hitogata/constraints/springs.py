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

An anchor in the world may move, at w: then the rate is u - w, and it goes on by h w with every substep.

A rope does nothing while slack; beyond its length it is a one-sided row along the line between its ends.  With θ = 1 it
never draws them past each other, however far it was stretched.
"""

from hitogata.constraints.contacts import axes_along, point_motion
from hitogata.constraints.layout import CONTACT, SPRING
from hitogata.lanes import any_lane, inline, kernel, maximum, minimum, record, sqrt, where
from hitogata.spatial import Mat3, Vec3, dot

SAME = 1e-5
"""Ends that differ by so little of their distance were moved by nobody: float32 knows no better."""

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
    drift: Vec3  # spring to the world: velocity of its anchor [m/s]
    impulse: Vec3  # of the last substep, on a, world axes
    give: float  # spring: how its ends came together in the last substep for a unit impulse along it [m/s per N s]
    reach: Vec3  # from b's end to a's, before the last substep [m],
    ahead: Vec3  # and after it
    moved: Vec3  # the one less the other
    rate: Vec3  # at which its ends came apart before it [m/s]
    before: float  # energy in the middle of the substep before [J]
    created: float  # energy that it created in the last substep, see `sim.tie_energy` [J]
    lag: float  # energy that its damper is behind by
    curved: float  # what was created by its ends' curves
    size: float  # of the energies it had to do with
    credit: float  # leader of a group: energy that may come back to its springs and ropes,
    spare: float  # and to the whole group; below 0: what it has too much
    open: float  # 1: something acted on the group that is in no account
    earlier: Vec3  # impulse of the step's earlier substeps, on a, world axes
    earlier_own: Vec3  # the same in the frame of body a
    peak: float  # their greatest force [N]


@record
class TieInts:
    """Between whom."""

    rope: int
    body_a: int
    body_b: int  # -1: the world
    leader: int  # first of the springs and ropes that tie its group of trees
    held: int  # 1: this group hangs on the world
    led: int  # 1: one of its trees is led by someone
    teller: int  # of the group's springs and ropes, one that tells momentum ...
    told: int  # ... of the tree of this root; -1: no more of them


@inline
def damper_of(stiffness, damping, h, theta):
    """C, the damper of a spring that is stable at any step."""
    numeric = h * stiffness
    return maximum(damping + (2.0 * theta - 1.0) * numeric, theta * numeric)


@kernel
def note_tie(tie, rope, reach, rate, h):
    """Note where the ends of a spring or rope are before a substep, and how much energy it had in the middle of the
    last one; where somebody moved them since, as its force foretells, and no less than it has."""
    off = reach - tie.ahead
    known = dot(off, off) <= SAME * SAME * (dot(reach, reach) + SAME)
    there = potential(tie, rope, reach) + maximum(-0.5 * h * dot(force_at(tie, rope, reach), rate), 0.0)
    tie.before = where(known, potential(tie, rope, reach - tie.moved * 0.5), there)
    tie.reach, tie.rate = reach, rate


@kernel
def force_at(tie, rope, reach):
    """Force of a spring or rope at rest whose ends are `reach` apart, on b's end [N]."""
    distance = sqrt(dot(reach, reach))
    if rope == 1:
        return reach * (tie.stiffness * maximum(distance - tie.length, 0.0) / (distance + LEAST))
    return reach * (minimum(tie.stiffness * distance, tie.limit) / (distance + LEAST))


@kernel
def potential(tie, rope, reach):
    """Potential energy of a spring or rope whose ends are `reach` apart [J]; where its limit holds it back, the work
    of the limit."""
    distance = sqrt(dot(reach, reach))
    if rope == 1:
        stretch = maximum(distance - tie.length, 0.0)
        return 0.5 * tie.stiffness * (stretch * stretch)
    force = minimum(tie.stiffness * distance, tie.limit)
    return force * (distance - 0.5 * force / (tie.stiffness + LEAST))


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
    if ints.body_b >= 0:
        apart = apart - point_motion(scene.placed[ints.body_b].motion, arm_b)
    note_tie(tie, ints.rope, reach, apart, law.h)
    theta = law.theta
    if ints.rope == 1:
        theta = 1.0
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
        row.bias = reach * (tie.stiffness / damper) - tie.drift
        return count + 1
    slack = tie.length - sqrt(dot(reach, reach))
    way = law.contact_margin + law.h * (law.h * law.fall + sqrt(dot(apart, apart)))
    if any_lane(slack < way):
        own.kind = CONTACT
        outward = unit_or_up(where(slack > 0.0, reach + apart * law.h, reach))  # a slack rope: where it may become taut
        gap = tie.length - dot(outward, reach)
        row.frame = axes_along(outward * -1.0)
        row.swing = sqrt(dot(reach, reach)) / law.h
        row.impulse = Vec3(0.0, 0.0, where(slack < way, maximum(-dot(outward, tie.impulse) * law.warm, 0.0), 0.0))
        row.bias = Vec3(0.0, 0.0, where(slack < way, where(gap > 0.0, gap / law.h, gap * tie.stiffness / damper), 1e9))
        return count + 1
    tie.impulse = tie.impulse * 0.0
    return count


@inline
def unit_or_up(a):
    """Direction of a; z if it has none."""
    length = sqrt(dot(a, a))
    return where(length > 0.0, a * (1.0 / where(length > 0.0, length, 1.0)), Vec3(0.0, 0.0, 1.0))


@inline
def upright():
    """World axes."""
    return Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
