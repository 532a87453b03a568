"""Impact of given contact regions: the passes of a step on impulses (Nakamura & Yamane 2000, §2.4, 4.6).

An impulse over a unit of time passes the same conditions as a force: it presses, its balance point is in the region,
and friction is not too great; otherwise the hypothesis changes (see `passes`).  If friction and restitution together
would gain energy (Kane & Levinson 1985), nothing bounces.
"""

import numpy as np

from hitogata.dynamics.batches import scratch, status_of
from hitogata.dynamics.layout import open_tree
from hitogata.lanes import (
    X1,
    Count,
    Given,
    Memory,
    absolute,
    entry,
    kernel,
    lanes,
    memory_sizes,
    minimum,
    number,
    numbers,
    open_memory,
    part,
    record,
    records,
    tail,
)
from hitogata.loops.closed_form import meet
from hitogata.loops.contacts.hypotheses import from_motion
from hitogata.loops.contacts.layout import CORNERS, PatchReport, PatchRoom
from hitogata.loops.contacts.passes import find_forces
from hitogata.loops.contacts.patch_rows import copy_links, look_ahead, open_rows, soften, write_patches
from hitogata.loops.contacts.patches import finish, start
from hitogata.loops.contacts.report_output import write_report
from hitogata.loops.contacts.step import gain
from hitogata.loops.delassus import multiply, spread
from hitogata.loops.layout import LinkMemory, bench_in
from hitogata.loops.recursion import give_way
from hitogata.loops.rows import wrench_in_frame
from hitogata.loops.whitening import whiten_link
from hitogata.spatial import Mat3, Vec3, store6

STILL, BLEND = 1e-3, 1.4
"""As in `ContactSettings`."""

ROUNDING = 1e-9
"""Of energy, as a share of the work."""


@record
class Region:
    """A contact region, as it is given; its corners follow elsewhere."""

    body_a: float
    body_b: float
    corners: float
    friction: float
    bounce: float
    place: Vec3
    axes: Mat3


class ImpactMemory(Memory):
    """Scratch."""

    tree = Given()
    links, rows = Count(), Count()
    patches = part(PatchRoom, tree=tree, links=links, rows=rows)
    corner = numbers(CORNERS, 3)


class ImpactResult(Memory):
    """What an impact did."""

    nv, rows, links = Count(), Count(), Count()
    v = numbers(nv)  # after
    impulse = numbers(rows)  # of the links' rows
    wrench = numbers(links, 6)
    passes = number()
    valid = number()  # 1: by hypotheses, 2: by sweeps, 0: not settled


@entry
def strike_regions(ints, floats, link_ints, link_floats, q, v, bounces, regions, corners, tolerance, out, report):
    """One state.

    Args:
        ints: the figure, likewise `floats`.
        link_ints: virtual links that hold both ways, likewise `link_floats`.
        q: coordinates.
        v: velocities before.
        bounces: restitution of every row of the links.
        regions: numbers of `Region`, one after the other.
        corners: of all regions, CORNERS x 2 numbers each.
        tolerance: of dependent rows.
        out: an `ImpactResult`.
        report: a `PatchReport` of each region.
    """
    tree, held = open_tree(ints, floats), open_memory(LinkMemory, link_floats, link_ints)
    many_floats, many_ints = memory_sizes(ImpactMemory, tree, held.total, held.rows)
    memory, whole = scratch(many_floats, out, X1), np.zeros(many_ints, np.int64)
    for n in range(memory.size):
        memory[n] = 0.0
    room = open_memory(ImpactMemory, lanes(memory, X1), whole, tree, held.total, held.rows)
    own, floor = bench_in(room.patches.bench, held), room.patches.floor
    count = regions.size // Region.SIZE
    floor.rules.still, floor.rules.blend, floor.rules.tolerance = STILL, BLEND, tolerance
    result = open_memory(ImpactResult, lanes(out, X1), tree.nv, held.rows, held.total)
    strike(own, room, lanes(q, X1), lanes(v, X1), lanes(bounces, X1), records(lanes(regions, X1), Region),
           lanes(corners, X1), count, result)  # fmt: skip
    write_report(floor, held.rows, count, records(lanes(report, X1), PatchReport))
    return status_of(tree, lanes(q, X1), lanes(v, X1), None, None, result.v, tree.nv + held.rows)


@kernel
def strike(own, room, q, v, bounces, regions, corners, patches, result):
    """Impulses by hypothesis and validity, and velocities after them."""
    tree, links, held, floor, out = own.tree, own.links, own.links.rows, room.patches.floor, result.v
    look_ahead(own, 1.0)
    meet(own, q, v, v, False)
    for p in range(patches):
        write_region(floor, p, regions[p], tail(corners, 2 * CORNERS * p), room.corner)
    bench = open_rows(own, patches, room.patches)
    copy_links(own, bench)
    write_patches(bench, links.total, floor, patches, held)
    for k in range(tree.nv):
        out[k] = 0.0
    give_way(tree, own.limb, v, out)
    for k in range(bench.links.total):
        whiten_link(bench, k)
    multiply(bench, bench.links.held)
    soften(own, bench, 1.0, True)
    passes, valid = find_impulses(own, bench, floor, patches, bounces, 1.0)
    if gain(bench, floor, patches, held) > ROUNDING * work_of(bench, floor, patches, held):
        more, valid = find_impulses(own, bench, floor, patches, bounces, 0.0)
        passes = passes + more
    spread(bench, floor.force, bench.links.held)
    change = tail(bench.change, tree.nv)
    for k in range(tree.nv):
        out[k] = v[k] + change[k]
    for n in range(held):
        result.impulse[n] = floor.force[n]
        links.row[n].force = floor.force[n]
    for k in range(links.total):
        store6(result.wrench, 6 * k, wrench_in_frame(own.limb, links.link[k], links.number[k], links.row))
    result.passes, result.valid = passes, valid


@kernel
def find_impulses(own, bench, floor, patches, bounces, share):
    """Impulses with a share of all restitutions; returns passes, and whether they are valid, as `find_forces`."""
    for p in range(patches):
        patch, u = floor.patch[p], tail(floor.rate, 6 * p)
        start(patch, floor.ints[p])
        patch.closing = slowest_corner(floor, p, u)
        from_motion(patch, floor.ints[p], u, STILL, BLEND)
    send_back(own, bench, floor, patches, bounces, share)
    held = own.links.rows
    passes, valid, _ = find_forces(bench, floor, patches, held, floor.need, 1.0, True, floor.force)
    return passes, valid


@kernel
def work_of(bench, floor, patches, held):
    """Size of the work that the impulses do."""
    total = 0.0
    for n in range(held):
        total = total + absolute(floor.force[n] * bench.links.row[n].rate)
    for n in range(6 * patches):
        total = total + absolute(floor.force[held + n] * floor.rate[n])
    return total


@kernel
def write_region(floor, p, region, corners, spare):
    """A patch from a region; `spare`: room for its corners."""
    own, patch = floor.ints[p], floor.patch[p]
    own.body_a, own.body_b, own.known = int(region.body_a), int(region.body_b), 0
    own.points = int(region.corners)
    patch.place, patch.axes = region.place, region.axes
    patch.static, patch.kinetic, patch.bounce = region.friction, region.friction, region.bounce
    for c in range(own.points):
        spare[3 * c], spare[3 * c + 1], spare[3 * c + 2] = corners[2 * c], corners[2 * c + 1], 0.0
    finish(floor, p, spare, own.points)


@kernel
def slowest_corner(floor, p, u):
    """Least normal speed of a patch's corners; < 0: it closes."""
    least = 1e30
    for c in range(floor.ints[p].corners):
        at = 3 * (CORNERS * p + c)
        least = minimum(least, u[2] + floor.corner[at + 1] * u[3] - floor.corner[at] * u[4])
    return least


@kernel
def send_back(own, bench, floor, patches, bounces, share):
    """Changes of rates: what closes stops, or is sent back by a share of its restitution."""
    held = own.links.rows
    for n in range(held):
        floor.need[n] = 0.0
        if n < own.links.held:
            floor.need[n] = -(1.0 + share * bounces[n]) * bench.links.row[n].rate
    for p in range(patches):
        patch, u = floor.patch[p], tail(floor.rate, 6 * p)
        back = 0.0
        if patch.closing < 0.0:
            back = share * patch.bounce
        for k in range(6):
            more = 1.0
            if 2 <= k < 5:
                more = 1.0 + back
            floor.goal[6 * p + k] = -more * u[k]
            floor.need[held + 6 * p + k] = -more * u[k]
