"""Coordinates that move several joints, as joints that follow functions have them: part of the interface.

In the tree of screws of such a figure (`figure.expansion`) joint j has the rate θ̇_j = Σ_c G_jc v_c.  A coordinate c is
seen from outside like the top of a piece: given its v̇_c, the force Q_c that it needs is found.  A joint that follows
moves the top by its column s,

    a = a_above + s (Σ_c G_jc v̇_c + (Ġ v)_j)          Q_c += G_jc sᵀ f

and where the last joint of a coordinate has been added, it gives way like the motion of any joint:

    Q_c + armature v̇_c = τ_c - damping v_c            v̇_c = (τ_c - damping v_c - the rest of Q_c)/(K_cc + armature)
"""

from typing import NamedTuple

from hitogata.dynamics.assembly.elements import TOP
from hitogata.lanes import kernel, lanes, tail


class Followers(NamedTuple):
    """What a state says of them."""

    share: lanes  # type: ignore[valid-type]  # G of each joint and coordinate, as the program counts them
    bend: lanes  # type: ignore[valid-type]  # Ġ v of each body's joint
    push: lanes  # type: ignore[valid-type]  # of each coordinate: torque less damping
    armature: lanes  # type: ignore[valid-type]
    rate: lanes  # type: ignore[valid-type]  # out: v̇_c


@kernel
def open_followers(numbers, rates, shares, bodies, coordinates):
    """Views of the numbers of a state."""
    bend = tail(numbers, shares)
    push = tail(bend, bodies)
    return Followers(numbers, bend, push, tail(push, coordinates), rates)


@kernel
def extend(job, step, share):
    """The top of the ready element, at its parent's side, moves by m[0] ... m[5] times what the coordinates say."""
    m, n, at, keep, count, gain = job.m, step.ready_size, step.ready_at, step.columns_at, step.moved, 0.0
    for i in range(n + 1):  # the last: the constant part
        total = 0.0
        for j in range(TOP):
            total = total + (m[at + i * n + j] if i < n else m[at + n * n + j]) * m[j]
        m[keep + i] = total
    for j in range(TOP):
        gain = gain + m[keep + j] * m[j]
    for k in range(count):
        c, own = job.ints[step.moved_at + k], share[step.share_at + k]
        for i in range(n):
            m[at + i * n + c] = m[at + i * n + c] + own * m[keep + i]
            m[at + c * n + i] = m[at + c * n + i] + own * m[keep + i]
        m[at + n * n + c] = m[at + n * n + c] + own * m[keep + n]
    for k in range(count):
        row, own = at + n * job.ints[step.moved_at + k], share[step.share_at + k] * gain
        for other in range(count):
            c = job.ints[step.moved_at + other]
            m[row + c] = m[row + c] + own * share[step.share_at + other]


@kernel
def moved_rate(job, step, share):
    """Σ_c G_jc v̇_c of a joint that follows, when the interface below it is known."""
    total = 0.0
    for k in range(step.moved):
        total = total + share[step.share_at + k] * job.m[step.lower_x + job.ints[step.moved_at + k]]
    return total


@kernel
def free_coordinates(job, step, followers):
    """The coordinates at the end of the joined element give way, the last first; what is left goes to the whole, or
    stays in place for the rows that close next.

    Keeps of each its row of K, 1/D and the push, at m[freed_x ...].
    """
    m, n, at, whole = job.m, step.joined_size, step.joined_at, step.whole_size
    for k in range(step.freed - 1, -1, -1):
        c, number = whole + step.closed + k, job.ints[step.freed_at + k]
        stiff = 1.0 / (m[at + c * n + c] + followers.armature[number])
        push, keep = followers.push[number] - m[at + n * n + c], step.freed_x + k * (n + 2)
        for i in range(c):
            m[keep + i] = m[at + c * n + i]
        m[keep + n], m[keep + n + 1] = stiff, push
        for i in range(c):
            scaled = m[keep + i] * stiff
            for j in range(c):
                m[at + i * n + j] = m[at + i * n + j] - scaled * m[keep + j]
            m[at + n * n + i] = m[at + n * n + i] + scaled * push
    if step.closed > 0:
        return
    for i in range(whole):
        for j in range(whole):
            m[step.whole_at + i * whole + j] = m[at + i * n + j]
        m[step.whole_at + whole * whole + i] = m[at + n * n + i]


@kernel
def hand_back_coordinates(job, step, full, followers):
    """Accelerations of the coordinates that gave way here, at m[full ...] behind the interface of the whole and the
    forces of rows that closed."""
    m, n = job.m, step.joined_size
    for k in range(step.freed):
        keep, c = step.freed_x + k * (n + 2), step.whole_size + step.closed + k
        total = m[keep + n + 1]
        for i in range(c):
            total = total - m[keep + i] * m[full + i]
        m[full + c] = total * m[keep + n]
        followers.rate[job.ints[step.freed_at + k]] = m[full + c]
