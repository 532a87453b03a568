"""Restitution: impacts inside the step, one after the other, before contacts press.

A contact that may bounce is followed within the step.  With gap g, its rate u₀ at the beginning and the acceleration a
by gravity, both along the normal, the gap closes at the time of impact τ, at the speed -u:

    g + u₀ τ + ½ a τ² = 0,      u = u₀ + a τ = -√(u₀² - 2 a g),      Δu = -(1 + e) u            (Newton's law)

Each impact takes the impulse that gives Δu, whatever else the body touches, and friction of no more than μ times it; so
none gains energy, and with e = 1 none loses any (without friction).  Passes go on until no contact closes: an impact
may cause the next one (Newton's cradle; Guendelman, Bridson & Fedkiw 2003).  What they leave is left to the contacts.

Positions feel an impact only for the rest of the step: see `sim.velocity_update.advance_late`.
"""

from hitogata.constraints.islands import CHAINED
from hitogata.constraints.points import prepare_point, push_point, shortened, velocity_of
from hitogata.constraints.velocity_pgs_rows import prepare_along, push_along, velocity_along
from hitogata.lanes import any_lane, inline, kernel, maximum, minimum, sqrt, where
from hitogata.spatial import Vec3

PASSES = 24
"""Impacts that one impact causes are followed for so many passes over the contacts of an island."""

FIRM = 0.01
"""Softness of impacts, by that of the contact and h: where joints leave it no way to open, nothing else bounds its
impulse [1/s]."""

TINY = 1e-30


@kernel
def bounce(scene, rows, islands, law):
    """All impacts of the step; returns whether there were any.  Speeds of rows, or whitened velocities, feel them."""
    found = False
    for n in range(islands):
        if may_bounce(rows, n):
            found = bounce_island(scene, rows, n, law) or found
    return found


@kernel
def may_bounce(rows, n):
    """Does an island have contacts with restitution that may close?"""
    islands = rows.islands
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if rows.point_int[p].tie == 0 and any_lane(rows.point[p].bounce > 0.0):
            return True
    return False


@kernel
def bounce_island(scene, rows, n, law):
    """The impacts of an island."""
    islands, end, found, chained = rows.islands, 0, False, rows.islands.heap[n] == CHAINED
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if chained:
            end = prepare_along(scene, rows, p, end)
        else:
            end = prepare_point(rows, p, end)
    for _ in range(PASSES):
        again = False
        for k in range(islands.point_start[n], islands.point_start[n + 1]):
            p = islands.point[k]
            if rows.point_int[p].tie == 0 and any_lane(rows.point[p].bounce > 0.0):
                again = strike(scene, rows, p, chained, law) or again
        if not again:
            break
        found = True
    return found


@kernel
def speed_of(scene, rows, p, chained):
    """Velocity of a point in its axes, now."""
    if chained:
        return velocity_along(scene, rows, rows.point_int[p])
    return velocity_of(rows, rows.point[p], rows.point_int[p])


@kernel
def strike(scene, rows, p, chained, law):
    """One contact, if it closes within the step; returns whether it does."""
    point, own = rows.point[p], rows.point_int[p]
    a, earliest = scene.placed[own.body_a], point.struck * 0.0
    earliest = maximum(earliest, a.struck)
    if own.body_b >= 0:
        earliest = maximum(earliest, scene.placed[own.body_b].struck)
    u = speed_of(scene, rows, p, chained)
    time, closing, hits = impact(point.gap, u.z, point.acceleration, law.h)
    hits = hits & (point.bounce > 0.0) & (closing > law.bounce_speed)
    if not any_lane(hits):
        return False
    hit = impulse_of(u, closing, point.bounce, point.own, point.across, FIRM * law.h * point.soft, point.friction)
    hit = where(hits, hit, Vec3(0.0, 0.0, 0.0))
    time = minimum(maximum(time, earliest), law.h)
    before = point.hit.z
    point.struck = where(hits, (point.struck * before + time * hit.z) / (before + hit.z + TINY), point.struck)
    point.hit = point.hit + hit
    a.struck = where(hits, time, a.struck)
    if own.body_b >= 0:
        b = scene.placed[own.body_b]
        b.struck = where(hits, time, b.struck)
    if chained:
        push_along(scene, rows, p, hit)
    else:
        push_point(rows, p, hit)
    return True


@inline
def impact(gap, speed, acceleration, h):
    """Time of impact and closing speed of a contact whose rate is `speed` at the end of the step; whether it closes.

    What opens at first comes back, at τ = (u₀ - u)/(-a), whether there is a gap or not: at the beginning of a scene the
    gap of what stands on something is zero, and rounding must not decide.
    """
    start, room = speed - acceleration * h, maximum(gap, 0.0)
    square = start * start - 2.0 * acceleration * room
    closing = sqrt(maximum(square, 0.0))
    back = (start + closing) / maximum(-acceleration, TINY)
    time = where(start < 0.0, 2.0 * room / maximum(closing - start, TINY), back)
    hits = (square > 0.0) & (start + acceleration * time < 0.0) & (time <= h)
    return time, closing, hits


@inline
def impulse_of(u, closing, restitution, own, across, soft, friction):
    """Impulse of an impact: along the normal, then across."""
    up = (1.0 + restitution) * closing / (own.zz + soft)
    x, y = u.x + own.xz * up, u.y + own.yz * up
    return shortened(Vec3(-x * across, -y * across, up), friction * up)
