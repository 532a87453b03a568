"""Entries: rows of poses through the kernels of `violation`."""

from hitogata.lanes import X1, Floats, entry, lanes, pack, unpack
from hitogata.rom.violation import range_clamp, range_contains, range_limits, range_violation
from hitogata.spatial import load3, load_quaternion, store3, store_quaternion


@entry(quats=Floats(2), table=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def violation_rows(quats, table, out, work, width):
    """out (n, 8) = swing depth and row, twist depth and row, of quaternions wxyz (n, 4)."""
    q, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, quats.shape[0], q.width):
        pack(quats, first, q)
        v = range_violation(load_quaternion(q, 0), lanes(table, X1))
        r[0] = v.swing_depth
        store3(r, 1, v.swing_row)
        r[4] = v.twist_depth
        store3(r, 5, v.twist_row)
        unpack(r, out, first)


@entry(quats=Floats(2), table=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def inside_rows(quats, table, out, work, width):
    """out (n, 1) = 1 for poses within the range."""
    q, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, quats.shape[0], q.width):
        pack(quats, first, q)
        r[0] = range_contains(load_quaternion(q, 0), lanes(table, X1))
        unpack(r, out, first)


@entry(quats=Floats(2), table=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def clamp_rows(quats, table, out, work, width):
    """out (n, 4) = allowed poses."""
    q, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, quats.shape[0], q.width):
        pack(quats, first, q)
        store_quaternion(r, 0, range_clamp(load_quaternion(q, 0), lanes(table, X1)))
        unpack(r, out, first)


@entry(points=Floats(2), table=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def limit_rows(points, table, out, work, width):
    """out (n, 8) = low, high and their gradients at directions (n, 3)."""
    p, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, points.shape[0], p.width):
        pack(points, first, p)
        limits = range_limits(load3(p, 0), lanes(table, X1))
        r[0] = limits.low
        r[1] = limits.high
        store3(r, 2, limits.dlow)
        store3(r, 5, limits.dhigh)
        unpack(r, out, first)
