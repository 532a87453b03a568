"""Contact events as users read them: which links pushed on each other, from when to when, how hard and where.

Kernels write them (`contact_log`), numbered by shapes.  When arrays are laid out anew, because things come, go, sleep
or wake, the log is emptied into Python objects and goes on in the new arrays.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hitogata.contact.layout import PAIR, Contact, ContactPoint
from hitogata.contact.shapes import shapes_of
from hitogata.figure import Shape
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.contact_log import (
    ENDED,
    HEADER,
    LOST,
    NUMBERS,
    OPEN,
    OPEN_ROOM,
    ROOM,
    THIRD,
    Episode,
    EpisodeInts,
)

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.world_data import Arrays

AT, SIZE, INTS = record_offsets(Episode), record_size(Episode), record_size(EpisodeInts)


@dataclass(frozen=True, eq=False)
class ContactEvent:
    """Two shapes that pushed on each other for a while.

    Attributes:
        a: (figure, link), or None for the ground.
        b: the same.
        shape_a: the shape of a.
        shape_b: the shape of b.
        began: when, begin of the first substep in which they pushed [s]; None: before the last reading.
        ended: when, end of the last substep in which they pushed [s]; None: they still do.
        impulse: on a, world axes, since it began or since the last reading [N s], shape (3,).
        peak: greatest force, mean over one substep [N].
        position: where the push was centred when it was greatest, world [m], shape (3,).
        normal: there, unit, from b to a, shape (3,).
    """

    a: "tuple[Member, str] | None"
    b: "tuple[Member, str] | None"
    shape_a: Shape
    shape_b: Shape
    began: float | None
    ended: float | None
    impulse: FloatArray
    peak: float
    position: FloatArray
    normal: FloatArray

    def involves(self, member: "Member") -> bool:
        """Is one of the two a link of this figure?"""
        return any(end is not None and end[0] is member for end in (self.a, self.b))


@dataclass(frozen=True, eq=False)
class ContactEvents:
    """What `World.contact_events` found, in the order in which it ended; what goes on comes last.

    Attributes:
        events: all of them.
        lost: how many more ended that found no room (`Settings.contact_events`).
    """

    events: tuple[ContactEvent, ...]
    lost: int = 0

    def __iter__(self) -> Iterator[ContactEvent]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __getitem__(self, k: int) -> ContactEvent:
        return self.events[k]


class _Side(NamedTuple):
    """A shape, whichever number it has."""

    member: "Member | None"  # None: fixed to the world
    number: int  # among those of its figure
    link: str
    shape: Shape

    @property
    def key(self) -> "tuple[Member | None, int]":
        return self.member, self.number

    @property
    def end(self) -> "tuple[Member, str] | None":
        return None if self.member is None else (self.member, self.link)


class _Open(NamedTuple):
    """An episode that goes on, outside of kernels."""

    a: _Side
    b: _Side
    numbers: FloatArray  # of an `Episode`


@dataclass(eq=False)
class Log:
    """The contact events of a world that nobody has read yet.

    Attributes:
        ints, numbers: of the kernels, see `contact_log`.
        events: those that ended and are no longer in the former.
        parked: those that go on and are not there, by the keys of their shapes.
        lost: how many found no room in `events`.
    """

    ints: np.ndarray[Any, Any]
    numbers: FloatArray
    events: list[ContactEvent] = field(default_factory=list)
    parked: dict[Any, _Open] = field(default_factory=dict)
    lost: int = 0

    @property
    def room(self) -> int:
        """For ended events."""
        return int(self.ints[ROOM])

    def rows(self, first: int, count: int) -> tuple[np.ndarray[Any, Any], FloatArray]:
        """Whole numbers and numbers of some episodes, views."""
        ints = self.ints[HEADER + first * INTS : HEADER + (first + count) * INTS]
        numbers = self.numbers[NUMBERS + first * SIZE : NUMBERS + (first + count) * SIZE]
        return ints.reshape(-1, INTS), numbers.reshape(-1, SIZE)

    def add(self, event: ContactEvent) -> None:
        """One more that ended."""
        if len(self.events) < self.room:
            self.events.append(event)
        else:
            self.lost += 1


def new_log(room: int, contacts: int) -> Log:
    """An empty log with room for so many events, and for so many pairs in contact; without a room, none is kept."""
    count = room + 3 * contacts if room > 0 else 0
    ints = np.zeros(HEADER + count * INTS, np.int64)
    ints[ROOM], ints[OPEN_ROOM] = room, contacts
    return Log(ints, np.zeros(NUMBERS + count * SIZE))


def read_events(arrays: "Arrays", member: "Member | None") -> ContactEvents:
    """All events that were not read yet, or those of one figure; they are forgotten then."""
    own = _active(arrays)
    log = _emptied(own)
    ended = [event for event in log.events if member is None or event.involves(member)]
    left = [event for event in log.events if not (member is None or event.involves(member))]
    going = []
    for key, episode in log.parked.items():
        event = _event(episode, ended=False)
        if member is None or event.involves(member):
            going.append(event)
            numbers = episode.numbers.copy()
            numbers[AT["began"]], numbers[AT["peak"]] = math.nan, -1.0
            numbers[AT["impulse"] : AT["impulse"] + 3] = 0.0
            log.parked[key] = episode._replace(numbers=numbers)
    result = ContactEvents((*ended, *(event for event in going if event.peak >= 0.0)), log.lost)
    log.events, log.lost = left, 0
    _take_in(own)
    return result


def hand_over(old: "Arrays", new: "Arrays") -> None:
    """Other arrays take the steps from now on: the log goes on there."""
    source = _active(old)
    if source is new or new.log.room == 0:
        return
    theirs, ours = _emptied(source), _emptied(new)
    ours.events, ours.lost, ours.parked = theirs.events, theirs.lost, {}
    for key, episode in theirs.parked.items():
        if any(side.member is not None and not _there(side.member) for side in (episode.a, episode.b)):
            ours.add(_event(episode, ended=True))
        else:
            ours.parked[key] = episode
    theirs.events, theirs.lost, theirs.parked = [], 0, {}
    _take_in(new)


def begin_log(arrays: "Arrays") -> None:
    """The world was put elsewhere: nothing has happened yet, but what pushed in its last step goes on."""
    log = arrays.log
    if log.room == 0:
        return
    _emptied(arrays)
    log.events, log.parked, log.lost = [], {}, 0
    contacts, points = arrays.last_contacts()
    column, at = record_offsets(Contact), record_offsets(ContactPoint)["impulse"]
    numbers = np.zeros(SIZE)
    numbers[AT["began"]], numbers[AT["peak"]] = math.nan, -1.0
    for row, point in zip(contacts, points, strict=True):
        if point[at : at + 3].any():
            episode = _Open(_side(arrays, row[column["a"]]), _side(arrays, row[column["b"]]), numbers)
            log.parked[episode.a.key, episode.b.key] = episode
    _take_in(arrays)


# ------------------------------------------------------- in and out of kernels


def _active(arrays: "Arrays") -> "Arrays":
    """Those that take the steps."""
    return arrays if arrays.awake is None else arrays.awake.own


def _there(member: "Member") -> bool:
    """Is a figure still in its world?"""
    return member in member.world._contents.members


def _emptied(arrays: "Arrays") -> Log:
    """The log, with nothing left inside kernels."""
    log, ended, going = arrays.log, int(arrays.log.ints[ENDED]), int(arrays.log.ints[OPEN])
    first = log.room + int(log.ints[THIRD] * log.ints[OPEN_ROOM])
    for (_, a, b), numbers in zip(*log.rows(0, ended), strict=True):
        log.add(_event(_Open(_side(arrays, a), _side(arrays, b), numbers), ended=True))
    for (_, a, b), numbers in zip(*log.rows(first, going), strict=True):
        episode = _Open(_side(arrays, a), _side(arrays, b), numbers.copy())
        log.parked[episode.a.key, episode.b.key] = episode
    log.lost += int(log.ints[LOST])
    log.ints[ENDED] = log.ints[OPEN] = log.ints[LOST] = 0
    return log


def _take_in(arrays: "Arrays") -> None:
    """Give kernels the episodes that go on between shapes they know."""
    log, found = arrays.log, []
    for key, episode in log.parked.items():
        a, b = (_number(arrays, side) for side in (episode.a, episode.b))
        if a >= 0 and b >= 0:
            found.append((min(a, b) * PAIR + max(a, b), a, b, key))
    found = sorted(found, key=lambda row: row[0])[: int(log.ints[OPEN_ROOM])]
    ints, numbers = log.rows(log.room + int(log.ints[THIRD] * log.ints[OPEN_ROOM]), len(found))
    for k, (pair, a, b, key) in enumerate(found):
        ints[k], numbers[k] = (pair, a, b), log.parked.pop(key).numbers
    log.ints[OPEN] = len(found)


def _side(arrays: "Arrays", shape: int) -> _Side:
    """What a shape is, from its number."""
    figure = int(arrays.shapes.column("figure")[shape])
    if figure < 0:
        return _Side(None, int(shape), "", arrays.contents.fixed[shape].shape)
    member, number = arrays.contents.members[figure], int(shape) - _first_shape(arrays, figure)
    link, own = shapes_of(member.figure)[number]
    return _Side(member, number, member.figure.link_names[link], own)


def _number(arrays: "Arrays", side: _Side) -> int:
    """Number of a shape; -1: it is not there."""
    if side.member is None:
        return side.number
    return -1 if side.member not in arrays.index else _first_shape(arrays, arrays.index[side.member]) + side.number


def _first_shape(arrays: "Arrays", figure: int) -> int:
    """Number of the first shape of a figure; those of figures stand in their order."""
    return int(np.searchsorted(arrays.shapes.column("figure"), figure))


def _event(episode: _Open, *, ended: bool) -> ContactEvent:
    row = episode.numbers
    began = float(row[AT["began"]])
    impulse, place, normal = (row[AT[name] : AT[name] + 3].copy() for name in ("impulse", "place", "normal"))
    return ContactEvent(
        episode.a.end, episode.b.end, episode.a.shape, episode.b.shape, None if math.isnan(began) else began,
        float(row[AT["ended"]]) if ended else None, impulse, float(row[AT["peak"]]), place, normal,
    )  # fmt: skip
