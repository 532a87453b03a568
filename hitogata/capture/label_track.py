"""Labels followed from frame to frame, with the body as witness.  Kernels; `labelling` is for people.

Each frame:
1. Labels take the points nearest to where they should be by their velocity; where several compete, the cheapest
   assignment.
2. Labels are checked by their neighbours: a marker's place in the frames of three neighbours.  One that is off in all
   of them has been swapped or has jumped to a ghost, and gives its point back.
3. Labels without a point look where their neighbours say they must be, as they last sat beside them.
4. Labels that stay without one are carried along by their neighbours until they are seen again.
"""

import numpy as np

from hitogata.capture.assignment import assign
from hitogata.figure.values import FloatArray
from hitogata.lanes import Floats, Ints, Number, entry, kernel, record, records, view_or_none
from hitogata.spatial import Vec3, cross, dot

OFF = 4.0
"""Standard deviations from where neighbours say it is, beyond which a label is wrong."""

NEAR = 3.0
"""Standard deviations within which a label that was lost is found again."""

ACCELERATION = 150.0
"""Change of velocity to reckon with [m/s²]."""

NOISE = 0.006
"""Of a place [m]."""

JUMP = 0.02
"""A marker that moves farther than this beside its neighbours in a frame has jumped [m]."""

SPEED = 6.0
"""Of markers whose velocity is not known yet, at most [m/s]."""

STALE = 15.0
"""Frames after which a marker's last place beside its neighbours says no more than the model."""

WITNESSES = 3
"""Frames of neighbours that are asked about a label."""


@record
class LabelState:
    """What is known of a label: place, velocity (per frame), frames since it was seen, its place beside neighbours.

    young is 1 while its velocity is not known.
    """

    pos: Vec3
    vel: Vec3
    missed: float
    triple: float
    local: Vec3
    young: float


STATE = 12
"""Numbers of a `LabelState`."""


def no_state(count: int) -> FloatArray:
    """State of labels of which nothing is known yet, shape (count, STATE)."""
    state = np.zeros((count, STATE))
    state[:, 7] = -1.0  # no seat beside neighbours
    return state


@kernel
def place_in_frame(a, b, c, p):
    """Coordinates of p in the frame of three points (see `marker_model`)."""
    x = b - a
    x = x / np.sqrt(dot(x, x) + 1e-18)
    z = cross(x, c - a)
    z = z / np.sqrt(dot(z, z) + 1e-18)
    d = p - a
    return Vec3(dot(x, d), dot(cross(z, x), d), dot(z, d))


@kernel
def place_from_frame(a, b, c, local):
    """The point with given coordinates in the frame of three points."""
    x = b - a
    x = x / np.sqrt(dot(x, x) + 1e-18)
    z = cross(x, c - a)
    z = z / np.sqrt(dot(z, z) + 1e-18)
    return a + x * local.x + cross(z, x) * local.y + z * local.z


@kernel
def point_of(points, k):
    """A row as a vector."""
    return Vec3(points[k, 0], points[k, 1], points[k, 2])


@kernel
def witness(points, held, triples, m, k):
    """Whether all three neighbours of frame k of marker m are labelled."""
    a, b, c = triples[m, k, 0], triples[m, k, 1], triples[m, k, 2]
    return a >= 0 and held[a] >= 0 and held[b] >= 0 and held[c] >= 0


@kernel
def told_place(points, held, triples, m, k, local):
    """Where frame k of neighbours says marker m is, for its coordinates in that frame."""
    a, b, c = held[triples[m, k, 0]], held[triples[m, k, 1]], held[triples[m, k, 2]]
    return place_from_frame(point_of(points, a), point_of(points, b), point_of(points, c), local)


@kernel
def expected_place(points, held, triples, local, labels, m, grow):
    """(place, standard deviation) of a marker by its neighbours, or (last place, -1) if they are not there.

    As it last sat beside them, if those three are labelled now; else as the model has it.
    """
    state = labels[m]
    kept = int(state.triple)
    if kept >= 0 and state.missed < STALE and witness(points, held, triples, m, kept):
        sigma = min(0.5 * local[m, kept, 3] + 0.002 + grow * state.missed, local[m, kept, 3])
        return told_place(points, held, triples, m, kept, state.local), sigma
    for k in range(triples.shape[1]):
        if witness(points, held, triples, m, k):
            at = Vec3(local[m, k, 0], local[m, k, 1], local[m, k, 2])
            return told_place(points, held, triples, m, k, at), local[m, k, 3]
    return state.pos, -1.0


@kernel
def deviation(points, held, triples, local, m):
    """Least deviation of a label from where its neighbours say it is, in standard deviations; -1: nobody to ask."""
    least, asked = 1e9, 0
    for k in range(triples.shape[1]):
        if asked < WITNESSES and witness(points, held, triples, m, k):
            at = Vec3(local[m, k, 0], local[m, k, 1], local[m, k, 2])
            gap = told_place(points, held, triples, m, k, at) - point_of(points, held[m])
            least = min(least, np.sqrt(dot(gap, gap)) / local[m, k, 3])
            asked += 1
    return least if asked else -1.0


@kernel
def by_velocity(points, count, labels, held, owner, step):
    """Give labels the points nearest to where they should be; rivals by the cheapest assignment."""
    nm = held.shape[0]
    cost = np.full((nm, count + nm), 1e3)
    wanted, alone = np.zeros(nm, np.int64), np.zeros(count, np.int64)
    for m in range(nm):
        state = labels[m]
        aim = state.pos + state.vel
        speed = np.sqrt(dot(state.vel, state.vel))
        late = 1.0 + state.missed
        unknown = 0.3 * speed + SPEED * step * state.young
        gate = min(NOISE + unknown + 0.5 * ACCELERATION * step * step * late * late, 0.1)
        for p in range(count):
            gap = point_of(points, p) - aim
            off = dot(gap, gap) / (gate * gate)
            if off < 1.0:
                cost[m, p] = off
                wanted[m] += 1
                alone[p] += 1
        cost[m, count + m] = 1.0
    rows, used = 0, np.empty(nm, np.int64)
    for m in range(nm):
        single = wanted[m] == 1
        for p in range(count):
            if single and cost[m, p] < 1.0 and alone[p] == 1:
                held[m], owner[p] = p, m
        if wanted[m] and held[m] < 0:
            used[rows] = m
            rows += 1
    if rows:
        small, found = np.empty((rows, count + rows)), np.empty(rows, np.int64)
        for r in range(rows):
            for p in range(count):
                small[r, p] = cost[used[r], p] if owner[p] < 0 else 1e3
            for s in range(rows):
                small[r, count + s] = 1.0 if s == r else 1e3
        assign(small, rows, count + rows, found)
        for r in range(rows):
            if found[r] < count and small[r, found[r]] < 1.0:
                held[used[r]], owner[found[r]] = found[r], used[r]


@kernel
def jumped(points, held, triples, labels, m):
    """Whether a label moved beside its neighbours within one frame, or nobody can tell."""
    state = labels[m]
    seat = int(state.triple)
    if seat < 0 or state.missed > 0.0 or not witness(points, held, triples, m, seat):
        return True
    gap = told_place(points, held, triples, m, seat, state.local) - point_of(points, held[m])
    return dot(gap, gap) > JUMP * JUMP


@kernel
def give_back(points, triples, local, labels, held, owner):
    """Take points from labels that all their neighbours find wrong, the worst first; how many.

    A label that keeps its place beside its neighbours from frame to frame stays: the model has not seen this pose.
    """
    given = 0
    for _ in range(held.shape[0]):
        worst, at = OFF, -1
        for m in range(held.shape[0]):
            if held[m] >= 0:
                off = deviation(points, held, triples, local, m)
                if off > worst and (off > 3.0 * OFF or jumped(points, held, triples, labels, m)):
                    worst, at = off, m
        if at < 0:
            break
        owner[held[at]] = -1
        held[at] = -1
        given += 1
    return given


@kernel
def mend_swaps(points, triples, local, held, owner):
    """Exchange the points of two labels where that makes a wrong one right and neither wrong."""
    for m in range(held.shape[0]):
        if held[m] < 0:
            continue
        before = deviation(points, held, triples, local, m)
        if before < OFF:
            continue
        best, other = 0.5 * before, -1
        for n in range(held.shape[0]):
            if n == m or held[n] < 0:
                continue
            was = deviation(points, held, triples, local, n)
            held[m], held[n] = held[n], held[m]
            worse = max(deviation(points, held, triples, local, m), deviation(points, held, triples, local, n))
            held[m], held[n] = held[n], held[m]
            if worse < best and worse < 0.5 * max(was, before):
                best, other = worse, n
        if other >= 0:
            held[m], held[other] = held[other], held[m]
            owner[held[m]], owner[held[other]] = m, other


@kernel
def find_again(points, count, triples, local, labels, held, owner):
    """Labels without a point take the free one that is nearest to where neighbours say they are, best fit first."""
    for _ in range(held.shape[0]):
        best, label, point = NEAR, -1, -1
        for m in range(held.shape[0]):
            if held[m] >= 0:
                continue
            at, sigma = expected_place(points, held, triples, local, labels, m, 0.001)
            if sigma < 0.0:
                continue
            for p in range(count):
                if owner[p] < 0:
                    gap = point_of(points, p) - at
                    off = np.sqrt(dot(gap, gap)) / sigma
                    if off < best:
                        best, label, point = off, m, p
        if label < 0:
            break
        held[label], owner[point] = point, label


@kernel
def renew(points, triples, local, labels, held, sure, fresh):
    """Places, velocities and seats of all labels after a frame; how sure each label is."""
    for m in range(held.shape[0]):
        state = labels[m]
        sure[m] = 0.0
        if held[m] < 0:
            at, sigma = expected_place(points, held, triples, local, labels, m, 0.0)
            state.pos = at if sigma >= 0.0 else state.pos + state.vel
            state.vel = state.vel * 0.7
            state.missed = state.missed + 1.0
            continue
        here = point_of(points, held[m])
        if not fresh:
            state.vel = (here - state.pos) if state.missed == 0.0 else state.vel * 0.5
        state.pos = here
        state.missed = 0.0
        state.young = 1.0 if fresh else 0.0
        off = deviation(points, held, triples, local, m)
        sure[m] = 0.5 if off < 0.0 else np.exp(-0.5 * (off / 2.0) ** 2)
        state.triple = -1.0
        for k in range(triples.shape[1]):
            if witness(points, held, triples, m, k):
                a, b, c = held[triples[m, k, 0]], held[triples[m, k, 1]], held[triples[m, k, 2]]
                state.local = place_in_frame(point_of(points, a), point_of(points, b), point_of(points, c), here)
                state.triple = float(k)
                break


@entry(points=Floats(3), counts=Ints(1), triples=Ints(3), local=Floats(3), state=Floats(2, write=True),
       labels=Ints(2, write=True), sure=Floats(2, write=True), step=Number())  # fmt: skip
def follow_labels(points, counts, triples, local, state, labels, sure, step):
    """Label frames.  If labels of the first are given already (not all -1), they are taken as they are: a start."""
    known = records(view_or_none(state), LabelState)
    nm = labels.shape[1]
    owner = np.empty(points.shape[1], np.int64)
    for t in range(points.shape[0]):
        held, count = labels[t], counts[t]
        fresh = False
        if t == 0:
            for m in range(nm):
                fresh = fresh or held[m] >= 0
        if not fresh:
            for p in range(count):
                owner[p] = -1
            by_velocity(points[t], count, known, held, owner, step)
            mend_swaps(points[t], triples, local, held, owner)
            give_back(points[t], triples, local, known, held, owner)
            find_again(points[t], count, triples, local, known, held, owner)
        renew(points[t], triples, local, known, held, sure[t], fresh)
    return 0
