"""Rows of patches beside those of virtual links: six for every patch."""

from hitogata.lanes import kernel, open_memory
from hitogata.loops.layout import Links, RowRoom, bench_of
from hitogata.loops.recursion import drift_only
from hitogata.spatial import Force, Vec3, cols, cross, power

NO_TIME = 1e30
"""What makes a row give way without any force."""


@kernel
def open_rows(own, patches, room):
    """A bench for the user's links and six rows per patch, on the bodies of `own`; room: a `PatchRoom`."""
    total, rows = own.links.total + patches, own.links.rows + 6 * patches
    mixed = open_memory(RowRoom, room.mixed, own.tree.nv, rows, rows)
    links = Links(total, rows, rows, mixed.stride, room.link, own.links.number, mixed.row)
    return bench_of(own.tree, own.limb, links, mixed, room.order)


@kernel
def copy_links(own, bench):
    """Rows of the user's links come first; those of compliant ones are unknowns too (see `soften`)."""
    for k in range(own.links.total):
        a, b = own.links.link[k], bench.links.link[k]
        b.body_a = a.body_a
        b.body_b = a.body_b
        b.first = a.first
        b.count = a.count
        b.rigid = 1
    for n in range(own.links.rows):
        a, b = own.links.row[n], bench.links.row[n]
        b.on_a = a.on_a
        b.on_b = a.on_b
        b.value = a.value
        b.rate = a.rate


@kernel
def look_ahead(own, h):
    """Forces of compliant links are those of the end of the step: unknowns, and stable however stiff the links are."""
    for n in range(own.links.held, own.links.rows):
        own.links.row[n].lag = h


@kernel
def soften(own, bench, h, impact):
    """Compliance on the diagonal of B (see `loops.closed_form`); an impact leaves a spring no time to push."""
    links, stride = own.links, bench.links.stride
    for k in range(links.total):
        link, number = links.link[k], links.number[k]
        if link.rigid == 0:
            for n in range(link.first, link.first + link.count):
                at = n * (stride + 1)
                if impact:
                    bench.reply[at] = bench.reply[at] * NO_TIME
                else:
                    bench.reply[at] = bench.reply[at] + number.compliance / (h * (h + number.relaxation))


@kernel
def write_patches(bench, first, floor, patches, held):
    """Six rows for every patch, and their rates."""
    links = bench.links
    for p in range(patches):
        own, patch, link = floor.ints[p], floor.patch[p], links.link[first + p]
        link.body_a = own.body_a
        link.body_b = own.body_b
        link.first = held + 6 * p
        link.count = 6
        link.rigid = 1
        x, y, z = cols(patch.axes)
        write_push(bench, link, 0, patch.place, x)
        write_push(bench, link, 1, patch.place, y)
        write_push(bench, link, 2, patch.place, z)
        write_turn(bench, link, 3, x)
        write_turn(bench, link, 4, y)
        write_turn(bench, link, 5, z)
        for k in range(6):
            row = links.row[link.first + k]
            total = power(row.on_a, body_motion(bench.limb[own.body_a]))
            if own.body_b >= 0:
                total = total + power(row.on_b, body_motion(bench.limb[own.body_b]))
            row.rate = total
            floor.rate[6 * p + k] = total


@kernel
def body_motion(limb):
    """Velocity of a body at its origin."""
    return Force(limb.omega, limb.speed)


@kernel
def write_push(bench, link, n, place, axis):
    """A force along an axis at a place."""
    row = bench.links.row[link.first + n]
    row.on_a = Force(cross(place - bench.limb[link.body_a].pos, axis), axis)
    row.on_b = Force(cross(place, axis), axis) * -1.0
    if link.body_b >= 0:
        row.on_b = Force(cross(place - bench.limb[link.body_b].pos, axis), axis) * -1.0


@kernel
def write_turn(bench, link, n, axis):
    """A torque about an axis."""
    row, none = bench.links.row[link.first + n], Vec3(0.0, 0.0, 0.0)
    row.on_a = Force(axis, none)
    row.on_b = Force(axis * -1.0, none)


@kernel
def idle(bench):
    """What velocities alone bring, to be taken off: held are velocities, whose rows do not turn within the step."""
    limbs, links = bench.limb, bench.links
    drift_only(bench.tree, limbs)
    for k in range(links.total):
        link = links.link[k]
        for n in range(link.first, link.first + link.count):
            row = links.row[n]
            total = power(row.on_a, limbs[link.body_a].acceleration)
            if link.body_b >= 0:
                total = total + power(row.on_b, limbs[link.body_b].acceleration)
            row.swing = -total
