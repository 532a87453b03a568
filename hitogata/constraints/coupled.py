"""Rows of ranges over several joints (`hitogata.rom.coupled`), which are the same in all worlds side by side.

The joints of a range lie on one way from the root to a body, its owner.  So the row is one of the owner's, with numbers
also at the joints before it: it is written to `joint_y` when it is found, and whitened there like the others.  It
begins without an impulse: nothing is kept of it from step to step.
"""

from typing import NamedTuple

from hitogata.constraints.limits import FAR, add_row, reach_of, wall_law
from hitogata.lanes import absolute, any_lane, kernel, lanes, records, tail, where
from hitogata.rom.coupled.layout import CoupledHead
from hitogata.rom.coupled.rows import coupled_room, read_charts
from hitogata.spatial import Vec3


class Coupled(NamedTuple):
    """Ranges over several joints."""

    listed: lanes  # type: ignore[valid-type]  # int: how many; of each its owner, where it begins, and its tree's first q
    numbers: lanes  # type: ignore[valid-type]  # flat ranges, width X1


@kernel
def owner_of(coupled, k):
    """Body of the k-th range; no body's after the last."""
    if k < coupled.listed[0]:
        return coupled.listed[1 + 3 * k]
    return -1


@kernel
def find_coupled(rows, count, k, chains, joint, coupled, state, wall, law, work):
    """Rows of the k-th range for its walls that are near; returns how many there are now.

    joint: of its owner; work: scratch.
    """
    body, start = coupled.listed[1 + 3 * k], coupled.listed[2 + 3 * k]
    view, q, y = tail(coupled.numbers, start), tail(state.q, coupled.listed[3 + 3 * k]), rows.joint_y
    head = records(view, CoupledHead)[0]
    read_charts(q, view, work)
    for face in range(int(head.walls)):
        at, rate = count * chains.stride, work[0] * 0.0
        for d in range(joint.depth + joint.count):
            y[at + d] = work[0] * 0.0
        room = coupled_room(q, view, face, work, y, at)
        for d in range(joint.depth + joint.count):
            rate = rate + y[at + d] * state.mean[chains.velocity[body * chains.stride + d]]
        margin = reach_of(absolute(rate), law.range_margin, law.h)
        if any_lane(room < margin):
            nothing = Vec3(rate * 0.0, rate * 0.0, rate * 0.0)
            add_row(rows, count, body, 0, nothing, room, margin, rate * 0.0, wall, law)
            rows.joint_int[count].several = 1
            row, many = rows.joint[count], head.charts  # each joint brings its wall's spring and damper
            stiffness, damping = wall.wall_stiffness * many, wall.wall_damping * many
            row.soft, bias = wall_law(room, stiffness, damping, law.h, law.hard_wall)
            row.bias = where(room < margin, bias, FAR)
            count += 1
    return count
