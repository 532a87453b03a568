"""Tables of a muscle set for the kernels: bodies, points, surfaces and wires as flat arrays."""

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

SPHERE, CYLINDER, ELLIPSOID, TORUS, SITED_SPHERE, SITED_CYLINDER = range(6)
"""Kinds of surfaces; the last two wrap past side sites."""


class PathTables(NamedTuple):
    """What does not change with the pose.

    Attributes:
        tree: (nb, 3) parent (-1: the world), first column, end of columns; row nb is the world.
        targets: (nc,) velocity that each column belongs to.
        wires: (nm, 6) first and end of its points, wraps and lines in `chains`.
        chains: bodies between which a wire's forces act, the outermost first.
        points: (np, 3) body, row of `active` or -1, row of `moving` or -1.
        places: (np, 3) in the body's frame [m].
        movers: (nv, 3) coordinate that moves x, y, z of a moving point.
        wraps: (nw, 3) surface, first and last point of the wire between which it counts.
        surfaces: (ns, 4) kind, body, axis of the side, whether it has a site.
        shapes: (ns, 19) pose [R | p] in the body, row by row, sizes (3), sign of the side, site (3).
    """

    tree: Array
    targets: Array
    wires: Array
    chains: Array
    points: Array
    places: Array
    movers: Array
    wraps: Array
    surfaces: Array
    shapes: Array


class PathFrames(NamedTuple):
    """What changes with the pose, for n frames.

    Attributes:
        poses: (n, nb + 1, 12) [R | p] of bodies, row by row; the world last.
        columns: (n, nc, 6) motion of the moved bodies by each coordinate, [ω; v] at the world's origin.
        moving: (n, nv, 6) places of moving points, and their derivatives by their coordinates.
        active: (n, na) 1.0 where a conditional point counts.
    """

    poses: Array
    columns: Array
    moving: Array
    active: Array


class PathResults(NamedTuple):
    """Room for what is found; `stations` may have no rows.

    Attributes:
        lengths: (n, nm) [m].
        jacobian: (n, nm, nc).
        stations: (n or 0, nm, most, 4) points of the path in the world, and the surface on which the path goes on
            to the next (-1: straight on, -2: no more points).
    """

    lengths: Array
    jacobian: Array
    stations: Array


class PathScratch(NamedTuple):
    """Room for one wire.

    Attributes:
        stations: (k, 4) place in the world, and behind a first contact the length to the last.
        marks: (k, 3) body, wrap (-1: a point of the wire), number of the point or 0, 1 of the contact.
        kept: (w + 2, SIZE) results of wraps, of the segment on trial, and of the best so far.
        order: (w, 2) wraps as they are taken, and what became of each.
        wrenches: (nb + 1, 6) zeros between wires.
    """

    stations: Array
    marks: Array
    kept: Array
    order: Array
    wrenches: Array
