"""Contacts of many shapes, from Python: poses in, points out, impulses kept from call to call."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hitogata.contact.bounds import place_shapes
from hitogata.contact.boxes import SPARE
from hitogata.contact.layout import MOST_POINTS, BodyPose, Contact, ContactPoint, Pair, ShapePlace, open_shapes
from hitogata.contact.narrowphase import find_contacts, touch, touch_pairs
from hitogata.contact.narrowphase_all_shapes import SPARE_ANY, touch_any
from hitogata.contact.shapes import IntArray, Surface, compile_shapes
from hitogata.contact.sweep_and_prune import Swept, spare_size, sweep
from hitogata.contact.warm_start import carry_impulses
from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.lanes import X1, entry, kernel, lanes, records, tail

SWEEP_FROM = 60
"""With more shapes than this, sweeping is faster than testing all pairs (docs/contact.md)."""


class Contacts(NamedTuple):
    """Contact points, sorted by pair.  Views: the next call but one of `find` overwrites them.

    Attributes:
        shapes: indices of shape A and B of each point, shape (n, 2).
        bodies: bodies of A and B, -1 for the world, shape (n, 2).
        position: midway between the surfaces, world, shape (n, 3) [m].
        normal: unit, from B to A, shape (n, 3).
        gap: between the surfaces along the normal, < 0 where they overlap, shape (n,) [m].
        feature: which corner, edge or end, shape (n,).
        impulse: carried over from the last call; write the new ones here, shape (n, 3).
    """

    shapes: IntArray
    bodies: IntArray
    position: FloatArray
    normal: FloatArray
    gap: FloatArray
    feature: FloatArray
    impulse: FloatArray

    def __len__(self) -> int:
        """Number of points."""
        return len(self.gap)


class ContactFinder:
    """Finds the contact points of a set of shapes, again and again.

    Args:
        surfaces: the shapes, from `surfaces_of` or by hand.
        joined: pairs of bodies that never touch, from `joined_bodies` or by hand.
        margin: points nearer than this are reported [m].
        capacity: points there is room for; None: plenty.
        swept: sweep and prune, or test all pairs; None: what is faster for so many shapes.
    """

    def __init__(
        self,
        surfaces: Sequence[Surface],
        *,
        joined: Iterable[tuple[int, int]] = (),
        margin: float = 0.01,
        capacity: int | None = None,
        swept: bool | None = None,
    ) -> None:
        if not isinstance(margin, int | float | np.floating) or not np.isfinite(margin):
            raise ArgumentError(f"margin: expected a finite number, got {margin!r}")
        swept = len(surfaces) > SWEEP_FROM if swept is None else swept
        self.table = table = compile_shapes(surfaces, joined=joined, all_pairs=not swept)
        self.margin = float(margin)
        pairs = 100 + 20 * table.count if swept else len(table.pairs)
        self.capacity = (MOST_POINTS * pairs if capacity is None else int(capacity)) or 1
        self._pairs = np.zeros((pairs, 2), np.int64) if swept else table.pairs
        self._order = table.new_sweep() if swept else None
        total = table.count
        self._spare = np.zeros(spare_size(total, pairs), np.int64)
        self._work = np.zeros(work_numbers(total, table.plain))
        self._now, self._last, self._count = self._room(), self._room(), 0

    def _room(self) -> tuple[IntArray, FloatArray]:
        sizes: Any = (Contact, ContactPoint)
        return np.zeros((self.capacity, sizes[0].SIZE), np.int64), np.zeros((self.capacity, sizes[1].SIZE))

    def find(self, poses: Any) -> Contacts:
        """Contact points at the given poses of the bodies.

        Args:
            poses: [R_WB | p_WB] of each body, shape (bodies, 3, 4), as in `LinkPoses.matrices`.

        Raises:
            ArgumentError: wrong shape, a pose that is not finite, or more pairs or points than there is room for.
        """
        matrices = np.asarray(poses, np.float64)
        if matrices.ndim != 3 or matrices.shape[1:] != (3, 4) or len(matrices) < self.table.bodies:
            raise ArgumentError(f"poses: expected shape ({self.table.bodies}, 3, 4), got {matrices.shape}")
        if not np.isfinite(matrices).all():
            raise ArgumentError(f"poses: body {np.argwhere(~np.isfinite(matrices))[0][0]} is not finite")
        flat = np.concatenate([matrices[:, :, :3].reshape(-1, 9), matrices[:, :, 3]], axis=1)
        old, new, table = self._now, self._last, self.table
        if self._order is None:
            find = find_in_all if table.plain else find_any_in_all
            pairs, count = len(self._pairs), find(
                table.ints, table.floats, flat, self._pairs, self.margin, self._work, *old, self._count, *new
            )  # fmt: skip
        else:
            find = find_swept if table.plain else find_any_swept
            pairs, count = find(
                table.ints, table.floats, table.rules, self._order, flat, self._pairs, self._spare, self.margin,
                self._work, *old, self._count, *new,
            )  # fmt: skip
        for what, many, room in (("pairs", pairs, len(self._pairs)), ("points", count, self.capacity)):
            if many > room:
                raise ArgumentError(f"there are {many} contact {what}, but room for {room}: raise the capacity")
        self._now, self._last, self._count = new, old, count
        ints, points = new[0][:count], new[1][:count]
        return Contacts(ints[:, 1:3], ints[:, 3:5], points[:, :3], points[:, 3:6], points[:, 6], points[:, 7],
                        points[:, 8:11])  # fmt: skip


def work_numbers(total: int, plain: bool) -> int:
    """Scratch of a finder: places, boxes of the sweep, and that of a pair."""
    sizes: Any = (ShapePlace, Swept)
    return total * (sizes[0].SIZE + sizes[1].SIZE) + (SPARE if plain else SPARE_ANY)


@entry
def find_in_all(ints, floats, poses, pairs, margin, work, old_contacts, old_points, old_count, contacts, points):
    """Test all pairs."""
    return in_all(
        touch, ints, floats, poses, pairs, margin, work, old_contacts, old_points, old_count, contacts, points
    )


@entry
def find_any_in_all(ints, floats, poses, pairs, margin, work, old_contacts, old_points, old_count, contacts, points):
    """Test all pairs, of all kinds of shapes."""
    return in_all(
        touch_any, ints, floats, poses, pairs, margin, work, old_contacts, old_points, old_count, contacts, points
    )


@kernel
def in_all(touch, ints, floats, poses, pairs, margin, work, old_contacts, old_points, old_count, contacts, points):
    """`find_in_all` by a kernel for single pairs."""
    shapes, found = open_shapes(ints, floats), records(contacts, Contact, X1)
    out, capacity = records(points, ContactPoint, X1), points.shape[0]
    count = find_contacts(
        touch, shapes, records(poses, BodyPose, X1), records(pairs, Pair, X1), pairs.shape[0], margin, lanes(work, X1),
        found, out, capacity,
    )  # fmt: skip
    carry_impulses(records(old_contacts, Contact, X1), records(old_points, ContactPoint, X1), old_count, found, out,
                   min(count, capacity))  # fmt: skip
    return count


@entry
def find_swept(ints, floats, rules, order, poses, pairs, spare, margin, work, old_contacts, old_points, old_count,
               contacts, points):  # fmt: skip
    """Sweep, then test the pairs found."""
    return swept_pairs(touch, ints, floats, rules, order, poses, pairs, spare, margin, work, old_contacts, old_points,
                       old_count, contacts, points)  # fmt: skip


@entry
def find_any_swept(ints, floats, rules, order, poses, pairs, spare, margin, work, old_contacts, old_points, old_count,
                   contacts, points):  # fmt: skip
    """Sweep, then test the pairs found, of all kinds of shapes."""
    return swept_pairs(touch_any, ints, floats, rules, order, poses, pairs, spare, margin, work, old_contacts,
                       old_points, old_count, contacts, points)  # fmt: skip


@kernel
def swept_pairs(touch, ints, floats, rules, order, poses, pairs, spare, margin, work, old_contacts, old_points,
                old_count, contacts, points):  # fmt: skip
    """`find_swept` by a kernel for single pairs."""
    shapes, found = open_shapes(ints, floats), records(contacts, Contact, X1)
    out, capacity, listed = records(points, ContactPoint, X1), points.shape[0], records(pairs, Pair, X1)
    view = lanes(work, X1)
    places, room = records(view, ShapePlace), pairs.shape[0]
    place_shapes(shapes, records(poses, BodyPose, X1), places, margin)
    behind = tail(view, shapes.total * ShapePlace.SIZE)
    many = sweep(shapes, places, lanes(rules, X1), lanes(order, X1), records(behind, Swept), margin, listed, room,
                 lanes(spare, X1))  # fmt: skip
    count = touch_pairs(touch, shapes, places, listed, min(many, room), tail(behind, shapes.total * Swept.SIZE), found,
                        out, capacity)  # fmt: skip
    carry_impulses(records(old_contacts, Contact, X1), records(old_points, ContactPoint, X1), old_count, found, out,
                   min(count, capacity))  # fmt: skip
    return many, count
