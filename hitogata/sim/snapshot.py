"""A world written down: everything it needs to go on, and what tells worlds apart."""

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.springs import Tie, TieInts
from hitogata.contact.shapes import ShapeTable
from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.coordinates import Coordinates
from hitogata.sim.events import begin_log
from hitogata.sim.layout import CAPACITY, CONTACTS, EARLIER, WorldModel
from hitogata.sim.sleep_state import Nap, SavedSleep, Sleep
from hitogata.sim.world_model import Forest, IntArray

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.world_data import Arrays


@dataclass(frozen=True)
class Snapshot:
    """Everything a world needs to go on exactly as it would have.

    `contents` tells worlds apart: what figures, shapes, springs and ropes there were, in which order.
    """

    contents: bytes
    time: float  # [s]
    state: FloatArray
    start: FloatArray  # the state before the last step, or its last piece
    control: FloatArray
    ties: FloatArray
    contacts: np.ndarray[Any, Any]
    points: FloatArray
    counts: np.ndarray[Any, Any]
    sums: FloatArray  # what the earlier substeps of the last step did, see `substeps`
    earlier: np.ndarray[Any, Any]
    earlier_points: FloatArray
    unread: frozenset[int]  # figures whose forces of the last step are not known
    sleep: SavedSleep | None = None  # None: of a world without sleep


def written_down(arrays: "Arrays", time: float) -> Snapshot:
    """A snapshot of a world at a time [s]."""
    contacts, points = arrays.last_contacts()
    counts = arrays.counts.copy()
    earlier = arrays.earlier_contacts()
    counts[CONTACTS], counts[EARLIER] = len(contacts), len(earlier[0])
    return Snapshot(
        arrays.fingerprint(), time, arrays.state.copy(), arrays.start.copy(), arrays.control.copy(),
        arrays.ties.numbers.copy(), contacts.copy(), points.copy(), counts, arrays.sums.copy(), earlier[0].copy(),
        earlier[1].copy(),
        frozenset(arrays.index[member] for member in arrays.unread),
        None if arrays.sleep is None else arrays.sleep.saved(arrays.index, arrays.last_patches()),
    )  # fmt: skip


def check_snapshot(snapshot: Any, arrays: "Arrays") -> None:
    """Raise ArgumentError unless this is a snapshot of a world with these arrays."""
    if not isinstance(snapshot, Snapshot):
        raise ArgumentError(f"snapshot: expected what `World.save` returned, got {snapshot!r}")
    if snapshot.contents != arrays.fingerprint():
        raise ArgumentError(
            "snapshot: it is of a world with other figures, shapes, springs or ropes, or in other coordinates"
        )
    ours = written_down(arrays, 0.0)
    counted = {"contacts": CONTACTS, "points": CONTACTS, "earlier": EARLIER, "earlier_points": EARLIER}
    for name in ("state", "start", "control", "ties", "counts", "sums", *counted):
        value, like = getattr(snapshot, name), getattr(ours, name)
        count = (snapshot.counts[counted[name]],) if name in counted else like.shape[:1]
        if not isinstance(value, np.ndarray) or (value.shape, value.dtype) != (count + like.shape[1:], like.dtype):
            raise ArgumentError(f"snapshot: its {name} are not as `World.save` made them")
    if not np.isfinite(snapshot.state[: arrays.forest.nq + arrays.forest.nv]).all():
        raise ArgumentError("snapshot: its coordinates and velocities must be finite")
    if not isinstance(snapshot.time, float) or not math.isfinite(snapshot.time):
        raise ArgumentError(f"snapshot: its time must be a finite number, got {snapshot.time!r}")
    if not isinstance(snapshot.unread, frozenset) or not snapshot.unread <= set(range(len(arrays.index))):
        raise ArgumentError(f"snapshot: unread must be numbers of figures, got {snapshot.unread!r}")
    if snapshot.sleep is not None and ours.sleep is not None and not _fits(snapshot.sleep, ours.sleep, arrays):
        raise ArgumentError("snapshot: its sleep is not as `World.save` made it")


def _fits(sleep: Any, like: SavedSleep, arrays: "Arrays") -> bool:
    """Are these rest and naps of figures like ours?"""
    if not isinstance(sleep, SavedSleep) or any(
        not isinstance(getattr(sleep, name), np.ndarray) or getattr(sleep, name).shape != getattr(like, name).shape
        for name in ("rest", "told")
    ):
        return False
    members = arrays.contents.members
    return all(
        isinstance(nap, Nap) and 0 <= k < len(members) and nap.end.shape == (_numbers_of(arrays, members[k]),)
        for k, nap in sleep.naps
    )


def _numbers_of(arrays: "Arrays", member: "Member") -> int:
    """How many numbers of the state belong to a figure."""
    return sum(part.stop - part.start for part in arrays.state_parts_of(member))


def put_back(snapshot: Snapshot, arrays: "Arrays") -> None:
    """Write a snapshot back; there must be room for its contacts."""
    pairs = (arrays.state, snapshot.state), (arrays.before, snapshot.start), (arrays.piece, snapshot.start)
    for array, values in (*pairs, (arrays.control, snapshot.control), (arrays.ties.numbers, snapshot.ties)):
        np.copyto(array, values)
    np.copyto(arrays.counts, snapshot.counts)
    arrays.counts[CAPACITY] = arrays.contact_room
    arrays.put_contacts(snapshot.contacts, snapshot.points)
    np.copyto(arrays.sums, snapshot.sums)
    arrays.put_earlier(snapshot.earlier, snapshot.earlier_points)
    begin_log(arrays)
    arrays.unread = {arrays.contents.members[k] for k in snapshot.unread}
    if arrays.sleep is not None:  # in a world without sleep, all are awake
        arrays.sleep = Sleep.none(len(arrays.index), arrays.control)
        if snapshot.sleep is not None:
            arrays.sleep = snapshot.sleep.opened(arrays.contents.members)
            arrays.put_patches(snapshot.sleep.patches)


def fingerprint(
    coordinates: Coordinates, forest: Forest, shapes: ShapeTable, ties: FloatArray, tie_ints: IntArray
) -> bytes:
    """What is in a world, in its order: figures, shapes, ties; not where they are, nor where ties are anchored."""
    fixed, at = ties.reshape(-1, record_size(Tie)).copy(), record_offsets(Tie)
    anchored = tie_ints.reshape(-1, record_size(TieInts))[:, record_offsets(TieInts)["body_b"]] < 0
    for name in ("point_b", "drift"):
        fixed[anchored, at[name] : at[name] + 3] = 0.0
    fixed[:, at["impulse"] :] = 0.0  # what is known of the last step
    parts = forest.ints[len(WorldModel.STORED) :], forest.floats, shapes.ints, shapes.floats, tie_ints, fixed
    whole = coordinates.value.encode() + b"".join(part.tobytes() for part in parts)
    return hashlib.blake2b(whole, digest_size=16).digest()
