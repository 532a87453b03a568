"""Many short runs of one figure in contact, each led by its own targets of implicit springs, in one call."""

from hitogata.dynamics.integration import advance, subtract
from hitogata.lanes import (
    X1,
    Count,
    Memory,
    absolute,
    clip,
    entry,
    inline,
    is_finite,
    kernel,
    lanes,
    many,
    maximum,
    number,
    numbers,
    open_memory,
    open_table,
    tail,
)
from hitogata.loops.contacts.entries import copy, open_stage
from hitogata.loops.contacts.layout import MEMORY, MOST_PATCHES, PatchReport, StageTable
from hitogata.loops.contacts.memory import on_world
from hitogata.loops.contacts.step import step


class RunStart(Memory):
    """Where a run begins: a state, and what its contacts remember."""

    nq, nv = Count(), Count()
    q = numbers(nq)
    v = numbers(nv)
    memory = numbers(MEMORY)


class RunResult(Memory):
    """Where it ends, and how it went."""

    nq, nv = Count(), Count()
    q = numbers(nq)
    v = numbers(nv)
    memory = numbers(MEMORY)
    effort = number()  # mean of Σ (τ/limit)²
    peak = number()  # largest |τ|/limit
    unresolved = number()  # steps whose forces did not settle
    aloft = number()  # share of the steps in which nothing pressed on the world
    fine = number()  # 1: all is finite, and there was room for all contacts


class RunRoom(Memory):
    """Spare room of one run."""

    nq, nv = Count(), Count()
    target = numbers(nq)
    move = numbers(nv)
    tau = numbers(nv)
    vdot = numbers(nv)
    error = numbers(nv)
    knock = many(PatchReport, MOST_PATCHES)


class Gains(Memory):
    """Springs of a run."""

    nv = Count()
    stiffness = numbers(nv)
    damping = numbers(nv)
    limit = numbers(nv)  # largest torque
    added = numbers(nv)  # armature that the springs add


@entry
def run_targets(table, springs, goals, starts, offsets, spare, steps, out, first, end):
    """Runs `first` to `end`, each from a start of its own with the targets goal ⊞ offset.

    Args:
        table: a `StageTable`; the figure has the springs' armature.
        springs: `Gains`.
        goals: coordinates and velocities of the goal at the end of each step, shape (steps, nq + nv).
        starts: rows of `RunStart`.
        offsets: of the target where a run begins and ends, `eased` in between, shape (n, 2 nv).
        spare: a `RunRoom`.
        steps: how many.
        out: rows of `RunResult`.
        first: run.
        end: run after the last.
    """
    stage = open_stage(open_table(StageTable, table))
    tree, floor = stage.own.tree, stage.room.patches.floor
    room = open_memory(RunRoom, spare, tree.nq, tree.nv)
    gains = open_memory(Gains, springs, tree.nv)
    for n in range(first, end):
        start = open_memory(RunStart, lanes(starts, X1, n), tree.nq, tree.nv)
        result = open_memory(RunResult, lanes(out, X1, n), tree.nq, tree.nv)
        copy(start.q, result.q, tree.nq)
        copy(start.v, result.v, tree.nv)
        copy(start.memory, floor.memory, MEMORY)
        run_one(stage, gains, lanes(goals, X1), lanes(offsets, X1, n), steps, room, result)
        copy(floor.memory, result.memory, MEMORY)
    return 0


@inline
def eased(part):
    """How far a change has come after a part of its time, and its rate then: without a jump of velocity at its ends."""
    return part * part * (3.0 - 2.0 * part), 6.0 * part * (1.0 - part)


@kernel
def run_one(stage, gains, goals, offset, steps, room, result):
    """One run; result begins with its start, which is moved on."""
    tree, floor = stage.own.tree, stage.room.patches.floor
    nq, nv, h = tree.nq, tree.nv, floor.rules.h
    q, v, target, tau, vdot = result.q, result.v, room.target, room.tau, room.vdot
    limit, effort, peak, invalid, aloft = gains.limit, 0.0, 0.0, 0, 0.0
    for s in range(steps):
        goal = tail(goals, s * (nq + nv))
        speed = tail(goal, nq)
        part, pace = eased((s + 1.0) / steps)
        pace = pace / (steps * h)
        for k in range(nv):
            room.move[k] = offset[k] + part * (offset[nv + k] - offset[k])
        advance(tree, goal, room.move, 1.0, target)
        subtract(tree, q, target, room.error)
        for k in range(nv):
            lag = speed[k] + pace * (offset[nv + k] - offset[k]) - v[k]
            pull = gains.stiffness[k] * (room.error[k] + h * lag) + gains.damping[k] * lag
            tau[k] = clip(pull, -limit[k], limit[k])
        _, _, _, _, valid = step(stage, q, v, tau, tau, False, vdot, room.knock)
        for k in range(nv):
            if limit[k] > 0.0:
                share = (tau[k] - gains.added[k] * vdot[k]) / limit[k]
                effort = effort + share * share / steps
                peak = maximum(peak, absolute(share))
        if valid == 0:
            invalid += 1
        if on_world(floor.memory) == 0:
            aloft = aloft + 1.0 / steps
    fine = 1.0 - floor.rules.crowded
    floor.rules.crowded = 0.0
    fine = fine * finite(q, nq) * finite(v, nv)
    result.effort, result.peak, result.unresolved = effort, peak, invalid
    result.aloft, result.fine = aloft, fine


@kernel
def finite(view, count):
    """1 if all numbers are finite, else 0."""
    fine = 1.0
    for k in range(count):
        if not is_finite(view[k]):
            fine = 0.0
    return fine
