"""Room to the walls of a coupled range, and their rows: by how much each velocity raises the room.

A region gives a signed distance d(y) of the chart's coordinates y and its slope.  With y' = S v (v counts lengths in
units of the range's `length`), the distance in terms of motion is d/|Sᵀ∇d| to first order, and its row Sᵀ∇d/|Sᵀ∇d|:
near a wall an angle [rad], whatever the chart.  Of a swing and twist, with c the bone now and x = c·e:

    ∇a = k (c × f) − a/(2 (1 + x)) (c × e),   likewise b with g;   ∇twist = (e + c)/(1 + x)
"""

from hitogata.lanes import (
    absolute,
    any_lane,
    clip,
    floor,
    gather,
    inline,
    kernel,
    maximum,
    records,
    rint,
    sqrt,
    tail,
    where,
)
from hitogata.rom.coupled.layout import AXIS, COORDINATE, HEAD, SLOPE, TAPS, ChartRow, CoupledHead, FieldAxis
from hitogata.rom.violation import unit_quaternion, wrapped
from hitogata.spatial import (
    Vec3,
    bone_of,
    cross,
    dot,
    load3,
    load_quaternion,
    store3,
    store_quaternion,
    turn_by,
    twist_of,
)

BACK = 1e-9
"""1 + x is not taken below this: at the rim of the disc directions have no chart."""

FLAT = 0.25
"""Slopes below this count as this: where no wall is near a field is flat, and its distance stands as it is."""

HELD = 1e-9
"""Beyond a wall by less counts as within [rad]."""


@kernel
def read_charts(q, view, work):
    """Coordinates of a pose, into work."""
    head, charts = records(view, CoupledHead)[0], records(tail(view, HEAD), ChartRow)
    at = COORDINATE
    for k in range(int(head.charts)):
        chart = charts[k]
        iq = int(chart.iq)
        if chart.kind == 1.0:
            quat = load_quaternion(q, iq)
            store3(work, at, swing_twist_at(quat, chart.e, chart.f, chart.g))
            at += 3
        elif chart.kind == 2.0:
            store3(work, at, load3(q, iq) * chart.scale)
            at += 3
        else:
            work[at] = q[iq] * chart.scale
            at += 1


@inline
def swing_twist_at(q, e, f, g):
    """a, b and twist."""
    c = bone_of(q, e)
    k = sqrt(2.0 / maximum(1.0 + dot(c, e), BACK))
    return Vec3(dot(c, f) * k, dot(c, g) * k, wrapped(twist_of(q, e)))


@inline
def swing_twist_row(q, e, f, g, slope):
    """Slope along angular velocities of the child in the parent, from that along a, b and twist."""
    c = bone_of(q, e)
    back = 1.0 / maximum(1.0 + dot(c, e), BACK)
    k = sqrt(2.0 * back)
    a, b = dot(c, f) * k, dot(c, g) * k
    over = cross(c, f * slope.x + g * slope.y) * k - cross(c, e) * (0.5 * back * (a * slope.x + b * slope.y))
    return over + (c + e) * (back * slope.z)


@kernel
def write_row(q, view, work, row, at, distance):
    """Row of a wall from its slope, into row at `at` and on; returns the room."""
    head, charts = records(view, CoupledHead)[0], records(tail(view, HEAD), ChartRow)
    size, take = distance * 0.0, SLOPE
    for k in range(int(head.charts)):
        chart = charts[k]
        place = at + int(chart.place)
        if chart.kind == 1.0:
            part = swing_twist_row(load_quaternion(q, int(chart.iq)), chart.e, chart.f, chart.g, load3(work, take))
            store3(row, place, part)
            size = size + dot(part, part)
            take += 3
        elif chart.kind == 2.0:
            part = load3(work, take)
            store3(row, place, part * chart.scale)
            size = size + dot(part, part)
            take += 3
        else:
            row[place] = work[take] * chart.scale
            size = size + work[take] * work[take]
            take += 1
    per = 1.0 / maximum(sqrt(size), FLAT)
    for k in range(int(head.charts)):
        chart = charts[k]
        place = at + int(chart.place)
        if chart.kind == 0.0:
            row[place] = row[place] * per
        else:
            store3(row, place, load3(row, place) * per)
    return distance * per


@kernel
def coupled_room(q, view, wall, work, row, at):
    """Room to a wall (> 0 inside) and its row, after `read_charts`.

    Args:
        q: view of the coordinates that the charts' places refer to.
        view: view of width X1 that begins at the range's head.
        wall: number of a face; 0 for a field.
        work: scratch of SCRATCH numbers.
        row, at: where the row goes; places of other velocities are left as they are.
    """
    head = records(view, CoupledHead)[0]
    region = tail(view, int(head.region))
    if head.kind > 0.5:
        distance = field_distance(region, int(head.size), work)
    else:
        distance = face_distance(region, int(head.size), wall, work)
    return write_row(q, view, work, row, at, distance)


@kernel
def face_distance(region, size, wall, work):
    """Distance to a polytope's face; its slope into work."""
    first = wall * (size + 1)
    distance = work[COORDINATE] * 0.0 + region[first]
    for j in range(size):
        distance = distance - work[COORDINATE + j] * region[first + 1 + j]
        work[SLOPE + j] = work[COORDINATE] * 0.0 - region[first + 1 + j]
    return distance


@inline
def column_of(y, low, per_step, count, shift, last):
    """Nearest column with neighbours, how far on from it, and by how much y is beyond the ends (< 0: the low one)."""
    u = (y - low) * per_step
    u = where(count > 0.5, u - count * floor(u / where(count > 0.5, count, 1.0)), u) + shift
    kept = clip(u, 0.5, last + 0.5)
    i = clip(rint(kept), 1.0, last)
    return i, kept - i, (u - kept) / per_step


@kernel
def field_distance(region, size, work):
    """Value of a field, a quadratic B-spline; its slope into work.  Beyond the ends it falls as fast as y goes."""
    axes, first, beyond = records(region, FieldAxis), work[COORDINATE] * 0.0, work[COORDINATE] * 0.0
    values = tail(region, size * AXIS)
    for j in range(size):
        axis = axes[j]
        i, t, over = column_of(work[COORDINATE + j], axis.low, axis.per_step, axis.count, axis.shift, axis.last)
        first = first + (i - 1.0) * axis.stride
        at, per = TAPS + 7 * j, where(over == 0.0, axis.per_step, over * 0.0)
        beyond = beyond + absolute(over)
        work[at] = 0.5 * (0.5 - t) * (0.5 - t)
        work[at + 1] = 0.75 - t * t
        work[at + 2] = 0.5 * (0.5 + t) * (0.5 + t)
        work[at + 3] = (t - 0.5) * per
        work[at + 4] = t * (-2.0) * per
        work[at + 5] = (t + 0.5) * per
        work[SLOPE + j] = where(over == 0.0, over * 0.0, where(over > 0.0, -1.0, 1.0))
    total, rows, last = work[COORDINATE] * 0.0, 1, TAPS + 7 * (size - 1)
    for _ in range(size - 1):
        rows *= 3
    for row in range(rows):
        start, weight, left = 0, 1.0 + total * 0.0, row
        for j in range(size - 1):
            digit = left % 3
            left = left // 3
            start += digit * int(axes[j].stride)
            weight = weight * work[TAPS + 7 * j + digit]
        a, b, c = gather(values, first + float(start), 3)
        value = a * work[last] + b * work[last + 1] + c * work[last + 2]
        slope = a * work[last + 3] + b * work[last + 4] + c * work[last + 5]
        total = total + weight * value
        work[SLOPE + size - 1] = work[SLOPE + size - 1] + weight * slope
        for j in range(size - 1):
            part, left = value, row
            for m in range(size - 1):
                digit = left % 3
                left = left // 3
                part = part * work[TAPS + 7 * m + digit + (3 if m == j else 0)]
            work[SLOPE + j] = work[SLOPE + j] + part
    return total - beyond




@kernel
def move_along(q, view, row, at, amount, moving):
    """Move the joints along a row by an amount (of motion, lengths in units of `length`), in lanes that do."""
    head, charts = records(view, CoupledHead)[0], records(tail(view, HEAD), ChartRow)
    for k in range(int(head.charts)):
        chart = charts[k]
        iq, place, per = int(chart.iq), at + int(chart.place), amount / (chart.scale * chart.scale)
        if chart.kind == 1.0:
            quat = load_quaternion(q, iq)
            turned = unit_quaternion(turn_by(load3(row, place) * per) @ quat)
            store_quaternion(q, iq, where(moving, turned, quat))
        elif chart.kind == 2.0:
            origin = load3(q, iq)
            store3(q, iq, where(moving, origin + load3(row, place) * per, origin))
        else:
            q[iq] = where(moving, q[iq] + row[place] * per, q[iq])


@kernel
def hold_within(q, view, work, row, at, rounds):
    """Bring joints that are beyond their walls back to them, wall by wall, in so many rounds at the most."""
    head, charts = records(view, CoupledHead)[0], records(tail(view, HEAD), ChartRow)
    for _ in range(rounds):
        lacking = False
        for wall in range(int(head.walls)):
            read_charts(q, view, work)
            room = coupled_room(q, view, wall, work, row, at)
            beyond = room < -HELD
            if any_lane(beyond):
                lacking = True
                square = room * 0.0
                for k in range(int(head.charts)):
                    chart = charts[k]
                    per, place = 1.0 / (chart.scale * chart.scale), at + int(chart.place)
                    square = square + row[place] * row[place] * per
                    if chart.kind != 0.0:
                        square = square + (row[place + 1] * row[place + 1] + row[place + 2] * row[place + 2]) * per
                amount = where(beyond, -room / maximum(square, FLAT * FLAT), 0.0)
                move_along(q, view, row, at, amount, beyond)
        if not lacking:
            break
