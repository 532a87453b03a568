"""What a region tells about points: kernels for other kernels, and entries for arrays of points.

Kernels take a unit vector (Vec3 of numbers or lanes, in the parent frame) and a view of width X1 that begins at the
region's head; they allocate nothing.  In a figure's flat array of ranges: `tail(lanes(ranges, X1), start)`.
"""

from typing import Any

import numpy as np

from hitogata.lanes import (
    X1,
    X4,
    Floats,
    aligned_zeros,
    atan2,
    entry,
    inline,
    kernel,
    lanes,
    pack,
    records,
    struct,
    unpack,
    where,
)
from hitogata.rom.layout import Head
from hitogata.rom.search import seek
from hitogata.spatial import Vec3, load3, store3


@struct
class Contact:
    """Distance to the boundary (> 0 inside), the nearest boundary point, and the axis that raises the distance."""

    distance: float
    foot: Vec3
    row: Vec3


@kernel
def region_contains(p, region):
    """1 inside, 0 outside."""
    return where(seek(p, region).sin >= -records(region, Head)[0].edge, 1.0, 0.0)


@kernel
def region_distance(p, region):
    """Geodesic distance to the boundary [rad], > 0 inside."""
    hit = seek(p, region)
    return atan2(hit.sin, hit.cos)


@kernel
def region_nearest(p, region):
    """p if it is inside, else the nearest boundary point."""
    hit = seek(p, region)
    return where(hit.sin >= -records(region, Head)[0].edge, p, hit.foot)


@inline
def contact_of(hit):
    """Contact of a search's result."""
    return Contact(atan2(hit.sin, hit.cos), hit.foot, hit.row)


@kernel
def region_contact(p, region):
    """Distance, foot and row."""
    return contact_of(seek(p, region))


# ---------------------------------------------------------------- entries: rows of points


@entry(points=Floats(2), region=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def contains_rows(points, region, out, work, width):
    """out (n, 1) = 1 inside, 0 outside."""
    p, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, points.shape[0], p.width):
        pack(points, first, p)
        r[0] = region_contains(load3(p, 0), lanes(region, X1))
        unpack(r, out, first)


@entry(points=Floats(2), region=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def distance_rows(points, region, out, work, width):
    """out (n, 1) = distance [rad]."""
    p, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, points.shape[0], p.width):
        pack(points, first, p)
        r[0] = region_distance(load3(p, 0), lanes(region, X1))
        unpack(r, out, first)


@entry(points=Floats(2), region=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def nearest_rows(points, region, out, work, width):
    """out (n, 3) = nearest allowed points."""
    p, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, points.shape[0], p.width):
        pack(points, first, p)
        store3(r, 0, region_nearest(load3(p, 0), lanes(region, X1)))
        unpack(r, out, first)


@entry(points=Floats(2), region=Floats(1), out=Floats(2, write=True), work=Floats(2, write=True))
def contact_rows(points, region, out, work, width):
    """out (n, 7) = distance [rad], foot, row."""
    p, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, points.shape[0], p.width):
        pack(points, first, p)
        c = region_contact(load3(p, 0), lanes(region, X1))
        r[0] = c.distance
        store3(r, 1, c.foot)
        store3(r, 4, c.row)
        unpack(r, out, first)


def run(rows_entry: Any, rows: Any, k: int, *tables: Any, width: Any = None) -> Any:
    """Call a rows entry: rows (n, m) -> (n, k), at width 1 for a few rows and 4 for many."""
    if width is None:
        width = X1 if len(rows) < 3 else X4
    out = np.empty((len(rows), k), rows.dtype)
    work = aligned_zeros((2, 24 * width.n), rows.dtype)
    rows_entry(np.ascontiguousarray(rows), *tables, out, work, width)
    return out
