"""Assembly inward and disassembly outward, in any order of joints that a `Program` tells.

Assembly makes every piece's element (see `elements`), from bare bodies to the whole.  Disassembly goes back: what a
piece is given at its interface is known from the piece it became part of, so the joints inside follow.  Joints
are known by their columns (`dynamics.joints`); how they turn and drift came from `turning`.
"""

from typing import NamedTuple

from hitogata.dynamics.assembly.elements import (
    TOP,
    add_element,
    carry,
    clear,
    close_rows,
    couple,
    release,
    spread,
    transmit,
)
from hitogata.dynamics.assembly.followers import extend, free_coordinates, hand_back_coordinates, moved_rate
from hitogata.dynamics.joints import column
from hitogata.lanes import inline, kernel, lanes, record, records
from hitogata.spatial import Force, Mat3, Motion, RigidInertia, Vec3, articulated, cross, dot, load6, store6

HELD_TOLERANCE = 1e-8
"""Share of a row's mobility below which it counts as depending on the others; `loops` then decides."""

SINGULAR = 3
"""What a sweep returns when rows of loops depend on each other."""

SMALL = 64
"""Numbers of scratch before all else in a sweep's memory: a column, a drift, and a 6x6 matrix."""


@record
class Pieces:
    """A body before assembly: as `turning` and `articulated` leave it."""

    rot: Mat3
    arm: Vec3
    base: Mat3
    omega: Vec3
    drift: Motion
    own: RigidInertia
    force: Force


@record
class Step:
    """One joint is added.  Offsets `..._at` of elements are places in memory, of places in the program's integers."""

    body: int  # whose joint
    lower_at: int  # the assembly below the joint
    lower_size: int
    ready_at: int  # the same with the joint's motions released
    ready_size: int
    upper_at: int  # the assembly above; -1: the world
    upper_size: int
    handle: int  # where its interface has the body above the joint; 0: that is its top
    upper_places_at: int
    lower_places_at: int
    joined_at: int
    joined_size: int
    closed: int  # rows of loops that close here, the last of the joined interface
    rows_at: int  # which
    whole_at: int  # the assembly without these rows
    whole_size: int
    force_at: int  # the map of the force that is passed on (handle > 0)
    columns_at: int  # what `release` keeps
    close_at: int  # what `close_rows` keeps, and the joined interface
    fresh: int  # coordinates of several joints that come to the interface here
    moved: int  # those by which the joint moves
    moved_at: int  # where they stand in the ready interface
    share_at: int  # their shares, first number
    freed: int  # those that give way here: of the joined interface behind the whole
    freed_at: int  # which
    freed_x: int  # what `free_coordinates` keeps
    lower_x: int  # interfaces
    upper_x: int
    whole_x: int


@record
class Leaf:
    """A bare body: its element, and its ends of rows."""

    at: int
    size: int
    x: int
    rows_at: int  # pairs: row, end (0: a, 1: b)


class Job(NamedTuple):
    """Views of a program and what it works on."""

    steps: int
    leaf: records  # type: ignore[valid-type]
    step: records  # type: ignore[valid-type]
    ints: lanes  # type: ignore[valid-type]
    m: lanes  # type: ignore[valid-type]


# ------------------------------------------------------- inward


@kernel
def assemble(job, tree, works, v, tau, row_numbers, followers):
    """All elements, from bare bodies to the whole; GOOD or SINGULAR.

    row_numbers: per row, wrenches of a unit of force on both bodies (12), target, bound of its own reply; see `rows`.
    followers: see there; None: no coordinate moves several joints.
    """
    for i in range(tree.bodies):
        bare(job, i, works[i], row_numbers)
    for k in range(job.steps):
        step = job.step[k]
        joint, body, work = tree.joint[step.body], tree.body[step.body], works[step.body]
        give_way(job, step, joint, body, work, v, tau, followers)
        join(job, step, tree.gravity)
        if followers is not None and step.freed > 0:
            free_coordinates(job, step, followers)
        if step.closed > 0:
            for c in range(step.closed):
                row = 14 * job.ints[step.rows_at + c]
                job.m[step.close_at + c] = row_numbers[row + 12]
                job.m[step.close_at + step.closed + c] = row_numbers[row + 13]
            keep = step.close_at + 2 * step.closed
            least = close_rows(job.m, step.joined_at, step.joined_size, step.whole_size, step.closed, step.whole_at,
                               step.close_at, step.close_at + step.closed, HELD_TOLERANCE, keep)  # fmt: skip
            if least < 0.0:
                return SINGULAR
    return 0


@kernel
def bare(job, i, work, row_numbers):
    """The element of one body."""
    leaf, m = job.leaf[i], job.m
    n, at = leaf.size, leaf.at
    clear(m, at, n * n + n)
    own = articulated(work.own)
    store_rows(m, at, n, own)
    store6(m, at + n * n, work.force)
    for r in range(TOP, n):
        pair = leaf.rows_at + 2 * (r - TOP)
        wrench = 14 * job.ints[pair] + 6 * job.ints[pair + 1]
        for j in range(TOP):
            m[at + j * n + r] = -row_numbers[wrench + j]
            m[at + r * n + j] = -row_numbers[wrench + j]


@inline
def store_rows(m, at, n, i):
    """A 6x6 inertia as the first part of an element."""
    rot, mix, lin = i.rot, i.mix, i.lin
    rows = (
        (rot.xx, rot.xy, rot.xz, mix.xx, mix.xy, mix.xz),
        (rot.xy, rot.yy, rot.yz, mix.yx, mix.yy, mix.yz),
        (rot.xz, rot.yz, rot.zz, mix.zx, mix.zy, mix.zz),
        (mix.xx, mix.yx, mix.zx, lin.xx, lin.xy, lin.xz),
        (mix.xy, mix.yy, mix.zy, lin.xy, lin.yy, lin.yz),
        (mix.xz, mix.yz, mix.zz, lin.xz, lin.yz, lin.zz),
    )
    for a in range(6):
        for b in range(6):
            m[at + n * a + b] = rows[a][b]


@kernel
def give_way(job, step, joint, body, work, v, tau, followers):
    """The assembly below a joint as seen from above it."""
    m, at, n, drift = job.m, step.ready_at, step.ready_size, work.drift
    spread(m, step.lower_at, step.lower_size, at, n, step.fresh)
    if followers is not None and step.moved > 0:
        s = column(joint, body, work, 0)
        store6(m, 0, s)
        extend(job, step, followers.share)
        drift = drift + s * followers.bend[step.body]
    else:
        for c in range(joint.count):
            store6(m, 0, column(joint, body, work, c))
            push = tau[joint.iv + c] - v[joint.iv + c] * body.damping
            release(m, at, n, 0, body.armature, push, step.columns_at + c * (n + 2))
    store6(m, TOP, drift)
    carry(m, at, n, work.arm, TOP)


@kernel
def join(job, step, gravity):
    """Add the assembly below a joint to the one above, or to the world."""
    m, size, dst = job.m, step.joined_size, step.joined_at
    clear(m, dst, size * size + size)
    low, n = step.ready_at, step.ready_size
    if step.upper_at < 0:
        stand(job, step, low, n, dst, size, gravity)
        return
    add_element(m, step.upper_at, step.upper_size, dst, size, job.ints, step.upper_places_at)
    if step.handle == 0:
        add_element(m, low, n, dst, size, job.ints, step.lower_places_at)
    else:
        transmit(m, step.upper_at, step.upper_size, step.handle, low, n, step.force_at, 2 * TOP)
        couple(m, step.upper_at, step.upper_size, step.handle, low, n, step.force_at, dst, size, job.ints,
               step.upper_places_at, step.lower_places_at)  # fmt: skip


@kernel
def stand(job, step, low, n, dst, size, gravity):
    """The world above: its acceleration is known (standing in gravity feels like accelerating against it)."""
    m, places = job.m, step.lower_places_at + TOP
    for i in range(size):
        row, at = low + (TOP + i) * n, job.ints[places + i]
        for j in range(size):
            m[dst + at * size + job.ints[places + j]] = m[row + TOP + j]
        pull = m[row + 3] * gravity.x + m[row + 4] * gravity.y + m[row + 5] * gravity.z
        m[dst + size * size + at] = m[low + n * n + TOP + i] - pull


# ------------------------------------------------------- outward


@kernel
def disassemble(job, tree, works, out, forces, reactions, followers):
    """Joint accelerations into `out`, forces of rows into `forces`, what joints transmit into `reactions`, or None."""
    m = job.m
    for k in range(job.steps - 1, -1, -1):
        step = job.step[k]
        joint, body, work = tree.joint[step.body], tree.body[step.body], works[step.body]
        hand_back_rows(job, step, forces)
        if followers is not None:
            hand_back_coordinates(job, step, full_at(step), followers)
        below = step.lower_x
        if step.upper_at < 0:
            for i in range(step.ready_size - TOP):
                m[below + TOP + i] = m[full_at(step) + job.ints[step.lower_places_at + TOP + i]]
            store6(m, below, Motion(Vec3(0.0, 0.0, 0.0), tree.gravity * -1.0))
        else:
            hand_back(job, step)
        if reactions is not None:
            keep_reaction(job, step, work, reactions)
        swing(job, step, joint, body, work, out, followers)


@kernel
def full_at(step):
    """Where `hand_back_rows` puts the interface of the joined assembly."""
    return step.close_at + 2 * step.closed + (step.whole_size + 1) * step.closed


@kernel
def hand_back_rows(job, step, forces):
    """The interface of the joined assembly, with the forces of rows that closed here; at m[close_at + ...]."""
    m, width, full = job.m, step.whole_size + 1, full_at(step)
    for i in range(step.whole_size):
        m[full + i] = m[step.whole_x + i]
    for c in range(step.closed):
        row = step.close_at + 2 * step.closed + c * width
        total = m[row + step.whole_size]
        for j in range(step.whole_size):
            total = total + m[row + j] * m[step.whole_x + j]
        m[full + step.whole_size + c] = total
        forces[job.ints[step.rows_at + c]] = total


@kernel
def hand_back(job, step):
    """Interfaces of two assemblies from that of the joined one; the lower one's top still at the parent's origin."""
    m, nu, n = job.m, step.upper_size, step.ready_size
    full = full_at(step)
    up, below, width = step.upper_x, step.lower_x, nu + n - TOP + 1
    for i in range(nu):
        place = job.ints[step.upper_places_at + i]
        m[up + i] = m[full + place] if place >= 0 else 0.0
    for i in range(TOP, n):
        place = job.ints[step.lower_places_at + i]
        m[below + i] = m[full + place] if place >= 0 else 0.0
    if step.handle == 0:
        for i in range(TOP):
            m[below + i] = m[up + i]
        return
    for h in range(TOP):
        row = step.force_at + h * width
        total = m[row + width - 1]
        for j in range(nu):
            total = total + m[row + j] * m[up + j]
        for j in range(TOP, n):
            total = total + m[row + nu + j - TOP] * m[below + j]
        m[h] = total
    for h in range(TOP):
        m[up + step.handle + h] = m[up + step.handle + h] + m[h]
    for h in range(TOP):
        row = step.upper_at + (step.handle + h) * nu
        total = m[step.upper_at + nu * nu + step.handle + h]
        for j in range(nu):
            total = total + m[row + j] * m[up + j]
        m[below + h] = total


@kernel
def keep_reaction(job, step, work, reactions):
    """What the joint transmits, about the body's origin: the released element at its interface, moved back."""
    m, n, at = job.m, step.ready_size, step.ready_at
    for h in range(TOP):
        total = m[at + n * n + h]
        for j in range(n):
            total = total + m[at + h * n + j] * m[step.lower_x + j]
        m[h] = total
    felt = load6(m, 0)
    store6(reactions, TOP * step.body, Force(felt.ang - cross(work.arm, felt.lin), felt.lin))


@kernel
def swing(job, step, joint, body, work, out, followers):
    """The joint's own accelerations, last column first, and its body's."""
    m, n, x = job.m, step.ready_size, step.lower_x
    u = load6(m, x)
    a = Motion(u.ang + work.drift.ang, u.lin + cross(u.ang, work.arm) + work.drift.lin)
    if followers is not None and step.moved > 0:
        out[joint.iv] = followers.bend[step.body] + moved_rate(job, step, followers.share)
        store6(m, x, a + column(joint, body, work, 0) * out[joint.iv])
        return
    for c in range(joint.count - 1, -1, -1):
        store6(m, x, a)
        keep = step.columns_at + c * (n + 2)
        total = m[keep + n + 1]
        for i in range(n):
            total = total - m[keep + i] * m[x + i]
        rate = total * m[keep + n]
        out[joint.iv + c] = rate
        a = a + column(joint, body, work, c) * rate
    store6(m, x, a)


# ------------------------------------------------------- rows of loops


@inline
def mobility(own, wrench):
    """Scale of what a wrench does to a free body: |force|²/m + |torque about the centre|²/mean moment of inertia."""
    centre = own.moment * (1.0 / own.mass)
    torque = wrench.ang - cross(centre, wrench.lin)
    spread = own.rot.xx + own.rot.yy + own.rot.zz - 2.0 * own.mass * dot(centre, centre)
    return dot(wrench.lin, wrench.lin) / own.mass + dot(torque, torque) * 3.0 / (spread + 1e-6 * own.mass)
