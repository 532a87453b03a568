"""Where a pose stands to its range: swing and twist depths, and the angular velocities that lessen them.

With e the bone at rest, c = R e the bone now, h = (e + c)/|e + c| and θ the angle between them:

    swing    depth = −distance of c             row = c × ∇distance                  d(depth)/dt = −row · ω
    twist    depth = (ψ − ψ_limit) cos(θ/2)     row = cos(θ/2) (c × ∇ψ_limit) − h    at the upper limit
                                                (signs changed at the lower)

The twist rate is ω · (e + c)/(1 + e·c) = ω · h / cos(θ/2): scaling by cos(θ/2) keeps the row of length about one up
to 180°, where twist has no meaning.  d(depth)/dt = −row · ω holds for the unscaled depth, both sides times cos(θ/2).
Outside the swing region the limits are those where the bone will be held, and are taken to stay still.
"""

from hitogata.lanes import (
    absolute,
    any_lane,
    atan2,
    clip,
    inline,
    kernel,
    maximum,
    records,
    rint,
    sqrt,
    struct,
    tail,
    where,
)
from hitogata.rom.euler_limits import EulerFrame, euler_limits
from hitogata.rom.gaps import GapPrism, gap_limits
from hitogata.rom.layout import Head
from hitogata.rom.mean import Cut, Limits, Prism, blend, closeness, mean_slopes, mean_values, prism_limits, still
from hitogata.rom.range_layout import RANGE, RangeHead
from hitogata.rom.search import seek
from hitogata.spatial import (
    Quaternion,
    Vec3,
    bone_of,
    cross,
    dot,
    from_swing_twist,
    half_vector,
    swing_to,
    turn_about,
    twist_of,
)

TURN = 6.283185307179586


@struct
class Violation:
    """Depths (> 0 outside) and the angular velocities in the parent frame that lessen them."""

    swing_depth: float
    swing_row: Vec3
    twist_depth: float
    twist_row: Vec3


@inline
def wrapped(angle):
    """The same angle within ±π."""
    return angle - TURN * rint(angle * (1.0 / TURN))


@kernel
def boundary_limits(at, twist, view, slopes, known):
    """Limits without the poles' share; gradients if `slopes`; beside the gap, if the twist is known."""
    head = records(view, RangeHead)[0]
    limits = still(at, head.low, head.high)
    if head.kind > 3.5:
        frame = records(tail(view, RANGE), EulerFrame)[0]
        limits = euler_limits(at, head.bone, head.low, head.high, frame.axis, frame.north, frame.side)
    elif head.kind > 2.5:
        gapped = records(tail(view, RANGE), GapPrism)
        limits = gap_limits(at, twist, gapped, int(head.count), head.bone, head.first, head.second, known)
    elif head.kind > 1.5:
        prisms = records(tail(view, RANGE), Prism)
        limits = prism_limits(at, prisms, int(head.count), head.bone, head.first, head.second)
    elif head.kind > 0.5:
        if slopes:
            limits = mean_slopes(at, records(tail(view, RANGE), Cut), int(head.count), head.floor)
        else:
            limits = mean_values(at, records(tail(view, RANGE), Cut), int(head.count), head.floor)
    return limits


@kernel
def limits_at(at, twist, distance, grad, view, slopes, known):
    """Twist limits at a direction of the region.

    Args:
        at: the direction, inside or on the boundary.
        twist: of the pose: where a gap parts the allowed twists (`gaps`), the limits are those of its own run.
        distance: of it to the boundary, ≥ 0.
        grad: gradient of that distance (unit tangent).
        view: view of width X1 that begins at the range's head.
        slopes: whether gradients are wanted.
        known: whether the twist is known; if not, the limits are those without gaps.
    """
    head = records(view, RangeHead)[0]
    limits = boundary_limits(at, twist, view, slopes, known)
    if head.pole + head.antipole > 0.5:
        k0, dk0 = closeness(at, head.bone, distance, grad, head.pole)
        k1, dk1 = closeness(at, -head.bone, distance, grad, head.antipole)
        limits = blend(limits, k0, dk0, k1, dk1, head.pole_low, head.pole_high, head.antipole_low, head.antipole_high)
    return limits


@inline
def twist_violation(c, e, twist, limits, moving):
    """Depth times cos(θ/2), and its row; `moving` 0 holds the limits still."""
    h, cos = half_vector(c, e)
    turn = wrapped(twist - (limits.low + limits.high) * 0.5)
    above = turn > 0.0
    depth = absolute(turn) - (limits.high - limits.low) * 0.5
    slope = where(moving > 0.5, where(above, limits.dhigh, -limits.dlow), c * 0.0)
    return depth * cos, cross(c, slope) * cos - h * where(above, 1.0, -1.0)


@inline
def inside_or_foot(hit, c):
    """c if it is inside, else where it will be held."""
    return where(hit.sin > 0.0, c, hit.foot)


@inline
def inside_distance(hit):
    """Distance, 0 outside."""
    return maximum(atan2(hit.sin, hit.cos), 0.0)


@kernel
def range_violation(q, view):
    """Violation of a pose.

    Args:
        q: unit Quaternion of the joint (child in parent; identity at rest), of numbers or lanes.
        view: view of width X1 that begins at the range's head.
    """
    head = records(view, RangeHead)[0]
    e = head.bone
    c = bone_of(q, e)
    hit = seek(c, tail(view, int(head.region)))
    distance = atan2(hit.sin, hit.cos)
    at, within, grad = inside_or_foot(hit, c), maximum(distance, 0.0), cross(hit.row, c)
    twist = twist_of(q, e)
    depth, row = twist_violation(c, e, twist, limits_at(at, twist, within, grad, view, False, True), 0.0)
    if head.kind > 0.5 and any_lane(depth > 0.0):                      # only then are gradients worth their price
        moving = where(depth > 0.0, where(distance > 0.0, 1.0, 0.0), 0.0)
        limits = limits_at(at, twist, within, grad, view, True, True)
        _, sloped = twist_violation(c, e, twist, limits, moving)
        row = where(depth > 0.0, sloped, row)
    return Violation(-distance, hit.row, depth, row)


@kernel
def range_contains(q, view):
    """1 if swing and twist are within their limits, else 0."""
    head = records(view, RangeHead)[0]
    region = tail(view, int(head.region))
    c = bone_of(q, head.bone)
    hit = seek(c, region)
    twist = twist_of(q, head.bone)
    limits = limits_at(inside_or_foot(hit, c), twist, inside_distance(hit), cross(hit.row, c), view, False, True)
    return pose_inside(hit.sin, records(region, Head)[0].edge, twist, limits, head.edge)


@inline
def pose_inside(sin, edge, twist, limits, twist_edge):
    """1 if within both limits, else 0."""
    turn = wrapped(twist - (limits.low + limits.high) * 0.5)
    room = (limits.high - limits.low) * 0.5 - absolute(turn) + twist_edge
    return where(sin >= -edge, where(room >= 0.0, 1.0, 0.0), 0.0)


@inline
def held_twist(twist, limits):
    """The allowed twist nearest to this one."""
    middle, half = (limits.low + limits.high) * 0.5, (limits.high - limits.low) * 0.5
    return middle + clip(wrapped(twist - middle), -half, half)


@inline
def same_side(q, other):
    """q or −q, whichever is nearer to the other."""
    near = q.w * other.w + q.x * other.x + q.y * other.y + q.z * other.z
    sign = where(near < 0.0, -1.0, 1.0)
    return Quaternion(q.w * sign, q.x * sign, q.y * sign, q.z * sign)


@inline
def unit_quaternion(q):
    """q to length one."""
    per = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)
    return Quaternion(q.w * per, q.x * per, q.y * per, q.z * per)


@inline
def pose_at(q, c, at, e, turn, swung):
    """The pose with its bone at `at` and its twist changed by `turn`; by the least turn where twist has no meaning."""
    kept = q @ turn_about(e, turn)
    back = dot(at, e) < -1.0 + 1e-12
    moved = where(back, swing_to(at, c) @ q, from_swing_twist(at, twist_of(q, e) + turn, e))
    return same_side(unit_quaternion(where(swung, moved, kept)), q)


@kernel
def range_clamp(q, view):
    """The allowed pose nearest in swing, its twist kept or brought to its limit (Yamaguchi 2009, eq. 36, 46)."""
    head = records(view, RangeHead)[0]
    region = tail(view, int(head.region))
    e = head.bone
    c = bone_of(q, e)
    hit = seek(c, region)
    edge = records(region, Head)[0].edge
    at = inside_or_foot(hit, c)
    twist = twist_of(q, e)
    limits = limits_at(at, twist, inside_distance(hit), cross(hit.row, c), view, False, True)
    pose = pose_at(q, c, at, e, held_twist(twist, limits) - twist, hit.sin < -edge)
    return where(pose_inside(hit.sin, edge, twist, limits, head.edge) > 0.5, q, pose)


@kernel
def range_limits(c, view):
    """Twist limits (low, high) at a direction, or where it would be held if it is outside; without gaps."""
    hit = seek(c, tail(view, int(records(view, RangeHead)[0].region)))
    return limits_at(inside_or_foot(hit, c), c.x * 0.0, inside_distance(hit), cross(hit.row, c), view, True, False)


__all__ = ["Limits", "Violation", "limits_at", "range_clamp", "range_contains", "range_limits", "range_violation"]
