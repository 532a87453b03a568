"""Between the sweeps over groups: what goes from segment to segment, and from path to path.

Bases outward (products of rotations), merges inward, accelerations and loads outward.  A merge is the `join` of
`elements` at an open body, with rows of 8 numbers so that four columns are one register.
"""

from hitogata.dynamics.articulated import add_wrench, find_free_acceleration, find_turning
from hitogata.dynamics.assembly.elements import TOP
from hitogata.dynamics.assembly.segment_layout import (
    A_AT,
    B_AT,
    C_AT,
    F_AT,
    LOW_AT,
    LOW_P_AT,
    P_AT,
    PIECE,
    ROUND,
    ROW,
    SIDE,
    SOLVED_AT,
    T_AT,
    Flow,
    Hung,
    Strand,
)
from hitogata.lanes import absolute, kernel, packed, record_offsets, tail
from hitogata.spatial import Force, Inertia, Mat3, Sym3, Vec3, articulated

_F, _S = record_offsets(Flow), record_offsets(Strand)
FLOW_ROT, FLOW_ACCELERATION = _F["rot"], _F["acceleration"]
BASE, TURNED, FELT, LEAD, LOAD = _S["base_rot"], _S["turned"], _S["inertia"], _S["lead"], _S["load"]
FELT_SIZE = 27
"""Numbers of an inertia and a force."""
LOWEST = 42
"""Copies that the lowest segment of a path needs: A and p."""


@kernel
def round_part(table, r, part):
    """First group, end of groups, first path, end of paths."""
    return table[table[9] + r * ROUND + part]


# ------------------------------------------------------- outward: bases


@kernel
def turn_root(s, with_wrenches):
    """A free root, before all others."""
    joint, body, root = s.tree.joint[0], s.tree.body[0], s.root[0]
    nq, nv = s.table[6], s.table[7]
    find_turning(joint, body, root, s.root, s.state, tail(s.state, nq))
    if with_wrenches:
        add_wrench(joint, body, root, tail(s.state, nq + 2 * nv))
    root.inertia = articulated(root.own)


@kernel
def find_bases(s, r, n):
    """Rotation and angular velocity of what every segment of a round hangs on."""
    for k in range(round_part(s.table, r, 2), round_part(s.table, r, 3)):
        path = s.path[k]
        first = s.segment[path.first]
        to = (first.group * Strand.SIZE + BASE) * n + first.lane
        if path.slot >= 0:
            copy(s.flows, (path.slot * Flow.SIZE + FLOW_ROT) * n + path.lane, s.strands, to, 12, n)
        elif s.table[5] == 1:
            store_rotation(s.strands, to, n, s.root[0].rot, s.root[0].omega)
        else:
            one, none = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0)
            store_rotation(s.strands, to, n, one, none)
        for j in range(1, path.count):
            above, below = s.segment[path.first + j - 1], s.segment[path.first + j]
            at = above.group * Strand.SIZE * n + above.lane
            rot, omega = load_matrix(s.strands, at + BASE * n, n), load_vector(s.strands, at + (BASE + 9) * n, n)
            turned, spin = load_matrix(s.strands, at + TURNED * n, n), load_vector(s.strands, at + (TURNED + 9) * n, n)
            to = (below.group * Strand.SIZE + BASE) * n + below.lane
            store_rotation(s.strands, to, n, rot @ turned, omega + rot @ spin)


@kernel
def copy(source, at, target, to, count, step):
    """Numbers of one lane to another."""
    for j in range(count):
        target[to + j * step] = source[at + j * step]


@kernel
def load_vector(view, at, n):
    """Three numbers of a lane."""
    return Vec3(view[at], view[at + n], view[at + 2 * n])


@kernel
def load_matrix(view, at, n):
    """Nine numbers of a lane."""
    return Mat3(view[at], view[at + n], view[at + 2 * n], view[at + 3 * n], view[at + 4 * n], view[at + 5 * n],
                view[at + 6 * n], view[at + 7 * n], view[at + 8 * n])  # fmt: skip


@kernel
def store_vector(view, at, n, a):
    """Three numbers of a lane."""
    view[at], view[at + n], view[at + 2 * n] = a.x, a.y, a.z


@kernel
def store_rotation(view, at, n, rot, omega):
    """A rotation and an angular velocity of a lane."""
    store_vector(view, at, n, Vec3(rot.xx, rot.xy, rot.xz))
    store_vector(view, at + 3 * n, n, Vec3(rot.yx, rot.yy, rot.yz))
    store_vector(view, at + 6 * n, n, Vec3(rot.zx, rot.zy, rot.zz))
    store_vector(view, at + 9 * n, n, omega)


# ------------------------------------------------------- inward: merges


@kernel
def merge_paths(s, r, n):
    """Every path of a round becomes one element, and is put on the body it hangs on."""
    for k in range(round_part(s.table, r, 2), round_part(s.table, r, 3)):
        path = s.path[k]
        last = s.segment[path.first + path.count - 1]
        if path.count == 1:
            hang(s, path, s.strands, (last.group * Strand.SIZE + FELT) * n + last.lane, n, n)
        else:
            low = s.piece
            for j in range(path.count - 1, -1, -1):
                part, piece = s.segment[path.first + j], tail(s.piece, (path.first + j) * PIECE)
                at = part.group * Strand.SIZE * n + part.lane
                if j == path.count - 1:
                    take_piece(s, piece, at, n, LOWEST)
                    low = piece
                else:
                    take_piece(s, piece, at, n, s.copies[0])
                    for i in range(SIDE * TOP):
                        piece[LOW_AT + i] = low[A_AT + i]
                    for i in range(TOP):
                        piece[LOW_P_AT + i] = low[P_AT + i]
                    merge(piece)
                    low = piece
            flatten(low)
            hang(s, path, low, LOW_AT, 1, n)


@kernel
def take_piece(s, piece, at, n, count):
    """An element out of its lane."""
    for i in range(count):
        piece[s.copies[1 + 2 * i]] = s.strands[at + s.copies[2 + 2 * i] * n]


@kernel
def merge(piece):
    """A and p of a segment and all below it (A', p'): A += F E A' Fᵀ, p += F E (A' b + p'), E = (1 + A' C)⁻¹."""
    many = packed(piece)
    for i in range(TOP):
        row = SOLVED_AT + i * ROW
        for j in range(0, SIDE, many.step):
            total = many[C_AT + j] * piece[LOW_AT + i * SIDE]
            for h in range(1, TOP):
                total = total + many[C_AT + h * SIDE + j] * piece[LOW_AT + i * SIDE + h]
            many[row + j] = total
            many[row + SIDE + j] = many[LOW_AT + i * SIDE + j]
        piece[row + i] = piece[row + i] + 1.0
        total = piece[LOW_P_AT + i]
        for h in range(TOP):
            total = total + piece[LOW_AT + i * SIDE + h] * piece[B_AT + h]
        piece[row + SIDE + TOP] = total
    solve_rows(piece, many)
    for i in range(TOP):  # F times the solved rows, over the matrix part, which is not needed any more
        row = SOLVED_AT + i * ROW
        for j in range(0, SIDE, many.step):
            total = many[SOLVED_AT + SIDE + j] * piece[F_AT + i * SIDE]
            for h in range(1, TOP):
                total = total + many[SOLVED_AT + h * ROW + SIDE + j] * piece[F_AT + i * SIDE + h]
            many[row + j] = total
    for i in range(TOP):
        row = SOLVED_AT + i * ROW
        for j in range(0, SIDE, many.step):
            total = many[A_AT + i * SIDE + j]
            for h in range(TOP):
                total = total + many[T_AT + h * SIDE + j] * piece[row + h]
            many[A_AT + i * SIDE + j] = total
        piece[P_AT + i] = piece[P_AT + i] + piece[row + TOP]


@kernel
def solve_rows(piece, many):
    """Gauss with row pivots on six rows of 16: the first six numbers the matrix, the last eight what is solved."""
    for c in range(TOP):
        pivot, size = c, absolute(piece[SOLVED_AT + c * ROW + c])
        for i in range(c + 1, TOP):
            other = absolute(piece[SOLVED_AT + i * ROW + c])
            if other > size:
                pivot, size = i, other
        own = SOLVED_AT + c * ROW
        if pivot != c:
            other_row = SOLVED_AT + pivot * ROW
            for j in range(0, ROW, many.step):
                kept = many[own + j]
                many[own + j] = many[other_row + j]
                many[other_row + j] = kept
        inv = 1.0 / piece[own + c]
        for j in range(0, ROW, many.step):
            many[own + j] = many[own + j] * inv
        for i in range(TOP):
            if i != c:
                row = SOLVED_AT + i * ROW
                factor = piece[row + c]
                for j in range(0, ROW, many.step):
                    many[row + j] = many[row + j] - many[own + j] * factor


@kernel
def flatten(piece):
    """A and p as an `Inertia` and a `Force`, at LOW_AT."""
    to = LOW_AT
    for i in range(3):
        for j in range(i, 3):
            piece[to] = piece[A_AT + i * SIDE + j]
            to += 1
    for i in range(3):
        for j in range(3, TOP):
            piece[to] = piece[A_AT + i * SIDE + j]
            to += 1
    for i in range(3, TOP):
        for j in range(i, TOP):
            piece[to] = piece[A_AT + i * SIDE + j]
            to += 1
    for i in range(TOP):
        piece[to + i] = piece[P_AT + i]


@kernel
def hang(s, path, source, at, step, n):
    """Inertia and force of a path, 27 numbers, added to the body it hangs on."""
    if path.slot >= 0:
        to = path.slot * Hung.SIZE * n + path.lane
        for j in range(FELT_SIZE):
            s.hungs[to + j * n] = s.hungs[to + j * n] + source[at + j * step]
    elif s.table[5] == 1:
        root = s.root[0]
        root.inertia = root.inertia + load_inertia(source, at, step)
        felt = load_vector(source, at + 21 * step, step), load_vector(source, at + 24 * step, step)
        root.force = root.force + Force(felt[0], felt[1])


@kernel
def load_inertia(view, at, n):
    """21 numbers of a lane."""
    rot = Sym3(view[at], view[at + n], view[at + 2 * n], view[at + 3 * n], view[at + 4 * n], view[at + 5 * n])
    low = at + 15 * n
    lin = Sym3(view[low], view[low + n], view[low + 2 * n], view[low + 3 * n], view[low + 4 * n], view[low + 5 * n])
    return Inertia(rot, load_matrix(view, at + 6 * n, n), lin)


# ------------------------------------------------------- outward: accelerations


@kernel
def move_root(s):
    """Acceleration of a free root."""
    speed = tail(s.state, s.table[6])
    find_free_acceleration(
        s.tree.joint[0], s.tree.body[0], s.root[0], speed, tail(speed, s.table[7]), s.out, s.tree.gravity
    )


@kernel
def find_leads(s, r, n):
    """Acceleration that every segment of a round follows, and the load at its lower end."""
    for k in range(round_part(s.table, r, 2), round_part(s.table, r, 3)):
        path = s.path[k]
        first = s.segment[path.first]
        to = (first.group * Strand.SIZE + LEAD) * n + first.lane
        if path.slot >= 0:
            copy(s.flows, (path.slot * Flow.SIZE + FLOW_ACCELERATION) * n + path.lane, s.strands, to, TOP, n)
        elif s.table[5] == 1:
            a = s.root[0].acceleration
            store_vector(s.strands, to, n, a.ang)
            store_vector(s.strands, to + 3 * n, n, a.lin)
        else:
            store_vector(s.strands, to, n, Vec3(0.0, 0.0, 0.0))
            store_vector(s.strands, to + 3 * n, n, s.tree.gravity * -1.0)
        for j in range(path.count):
            part = s.segment[path.first + j]
            lane = part.group * Strand.SIZE * n + part.lane
            if j + 1 == path.count:
                for i in range(TOP):
                    s.strands[lane + (LOAD + i) * n] = 0.0
            else:
                below = s.segment[path.first + j + 1]
                follow(s, tail(s.piece, (path.first + j) * PIECE), lane, below.group * Strand.SIZE * n + below.lane, n)


@kernel
def follow(s, piece, lane, below, n):
    """Load at the lower end of a segment, and the acceleration there: u = Fᵀ a; f = E A u + f0; u + b - C f."""
    for i in range(TOP):
        total = 0.0
        for h in range(TOP):
            total = total + piece[T_AT + i * SIDE + h] * s.strands[lane + (LEAD + h) * n]
        piece[LOW_P_AT + i] = total
    for i in range(TOP):
        row = SOLVED_AT + i * ROW + SIDE
        total = piece[row + TOP]
        for h in range(TOP):
            total = total + piece[row + h] * piece[LOW_P_AT + h]
        s.strands[lane + (LOAD + i) * n] = total
    for i in range(TOP):
        total = piece[LOW_P_AT + i] + piece[B_AT + i]
        for h in range(TOP):
            total = total - piece[C_AT + i * SIDE + h] * s.strands[lane + (LOAD + h) * n]
        s.strands[below + (LEAD + i) * n] = total
