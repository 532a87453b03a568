"""A world written down: everything it needs to go on, and what tells worlds apart."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.shapes import ShapeTable
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.forest import Forest, IntArray
from hitogata.sim.layout import HEADER


@dataclass(frozen=True)
class Snapshot:
    """Everything a world needs to go on exactly as it would have.

    `contents` tells worlds apart: what figures, shapes, springs and ropes there were, in which order.
    """

    contents: bytes
    time: float
    state: FloatArray
    start: FloatArray  # the state before the last step, or its last piece
    control: FloatArray
    ties: FloatArray
    contacts: np.ndarray[Any, Any]
    points: FloatArray
    counts: np.ndarray[Any, Any]
    unread: frozenset[int]  # figures whose forces of the last step are not known


def fingerprint(forest: Forest, shapes: ShapeTable, ties: FloatArray, tie_ints: IntArray) -> bytes:
    """What is in a world, in its order: figures, shapes, ties; not where they are, nor where ties are anchored."""
    fixed, at = ties.reshape(-1, record_size(Tie)).copy(), record_offsets(Tie)
    anchored = tie_ints.reshape(-1, record_size(TieInts))[:, record_offsets(TieInts)["body_b"]] < 0
    fixed[anchored, at["point_b"] : at["point_b"] + 3] = 0.0
    fixed[:, at["impulse"] :] = 0.0  # what is known of the last step
    parts = forest.ints[HEADER:], forest.floats, shapes.ints, shapes.floats, tie_ints, fixed
    return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=16).digest()
