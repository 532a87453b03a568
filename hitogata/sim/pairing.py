"""The list of pairs of shapes that a world tests for contact, as one array of ints.

    header    is it swept, pairs, room for pairs, where rules, order and spare begin
    pairs     all pairs that may touch; with many shapes, those that a sweep finds near each other in each step
    rules, order, spare    of the sweep, see `contact.sweeping`
"""

import numpy as np

from hitogata.contact.shapes import ShapeTable
from hitogata.contact.sweeping import spare_size

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

SWEPT, PAIRS, ROOM, RULES, ORDER, SPACE, HEADER = range(7)
"""Places in the header, and its length."""

MANY = 80
"""From so many shapes on, pairs are found by a sweep."""


def list_pairs(shapes: ShapeTable, room: int) -> IntArray:
    """The array of a world's pairs; `room` for those of a sweep."""
    swept = shapes.count >= MANY
    pairs = np.zeros((room, 2), np.int64) if swept else np.concatenate([shapes.pairs, [[0, 0]]])
    parts: list[IntArray] = [pairs.ravel()]
    if swept:
        parts += [shapes.rules, shapes.new_sweep(), np.zeros(spare_size(shapes.count, room), np.int64)]
    starts = HEADER + np.cumsum([len(part) for part in parts])
    head = [int(swept), 0 if swept else len(shapes.pairs), len(pairs), *(starts[:3] if swept else (0, 0, 0))]
    return np.concatenate([head, *parts]).astype(np.int64)
