"""Many short runs of one figure in contact, each led by its own targets of implicit springs, in one call."""

from hitogata.dynamics.integration import advance, subtract
from hitogata.lanes import X1, absolute, clip, entry, inline, is_finite, kernel, lanes, maximum, tail
from hitogata.loops.contacts.layout import MEMORY, MOST_PATCHES
from hitogata.loops.contacts.memory import on_world
from hitogata.loops.contacts.reporting import REPORT
from hitogata.loops.contacts.running import open_stage
from hitogata.loops.contacts.step import step

TOLD = 5
"""Numbers told of a run: mean of Σ (τ/limit)², largest |τ|/limit, steps whose forces did not settle, share of the
steps in which nothing pressed on the world, 1 if all is finite and there was room for all contacts."""


@entry
def rollout_sizes(nq, nv):
    """Numbers of a state with what its contacts remember, of a result, and of spare room for one run."""
    kept = nq + nv + MEMORY
    return kept, kept + TOLD, nq + 4 * nv + MOST_PATCHES * REPORT


@entry
def run_targets(ints, floats, link_ints, link_floats, shape_ints, shape_floats, pairs, springs, goals, starts, offsets,
                scratch, whole, spare, steps, out, first, end):  # fmt: skip
    """Runs `first` to `end`, each from a start of its own with the targets goal ⊞ offset.

    Args:
        ints: as for `run_steps`, likewise floats to pairs; the figure has the springs' armature.
        springs: stiffness, damping, largest torque, and armature that the springs add, shape (4, nv).
        goals: coordinates and velocities of the goal at the end of each step, shape (steps, nq + nv).
        starts: coordinates, velocities and memory of contacts, shape (n, nq + nv + MEMORY).
        offsets: of the target where a run begins and ends, `eased` in between, shape (n, 2 nv).
        scratch: of the stage, with its rules.
        whole: likewise.
        spare: room of one run.
        steps: how many.
        out: a row for each run, [q | v | memory | told].
        first: run.
        end: run after the last.
    """
    own, rest, order, floor, around = open_stage(ints, floats, link_ints, link_floats, shape_ints, shape_floats, pairs,
                                                 scratch, whole)  # fmt: skip
    tree = own.tree
    size = tree.nq + tree.nv
    for n in range(first, end):
        start, result = lanes(starts, X1, n), lanes(out, X1, n)
        for k in range(size + MEMORY):
            result[k] = start[k]
        for k in range(MEMORY):
            floor.memory[k] = start[size + k]
        run_one(own, rest, order, floor, around, lanes(springs, X1), lanes(goals, X1), lanes(offsets, X1, n), steps,
                lanes(spare, X1), result)  # fmt: skip
        for k in range(MEMORY):
            result[size + k] = floor.memory[k]
    return 0


@inline
def eased(part):
    """How far a change has come after a part of its time, and its rate then: without a jump of velocity at its ends."""
    return part * part * (3.0 - 2.0 * part), 6.0 * part * (1.0 - part)


@kernel
def run_one(own, rest, order, floor, around, springs, goals, offset, steps, spare, result):
    """One run; result begins with its start, which is moved on."""
    tree = own.tree
    nq, nv, h = tree.nq, tree.nv, floor.rules[0].h
    v, told = tail(result, nq), tail(result, nq + nv + MEMORY)
    target, move, tau, vdot = spare, tail(spare, nq), tail(spare, nq + nv), tail(spare, nq + 2 * nv)
    error, knock = tail(spare, nq + 3 * nv), tail(spare, nq + 4 * nv)
    stiff, damp, limit, added = springs, tail(springs, nv), tail(springs, 2 * nv), tail(springs, 3 * nv)
    effort, peak, invalid, aloft = 0.0, 0.0, 0, 0.0
    for s in range(steps):
        goal = tail(goals, s * (nq + nv))
        part, pace = eased((s + 1.0) / steps)
        pace = pace / (steps * h)
        for k in range(nv):
            move[k] = offset[k] + part * (offset[nv + k] - offset[k])
        advance(tree, goal, move, 1.0, target)
        subtract(tree, result, target, error)
        for k in range(nv):
            lag = goal[nq + k] + pace * (offset[nv + k] - offset[k]) - v[k]
            tau[k] = clip(stiff[k] * (error[k] + h * lag) + damp[k] * lag, -limit[k], limit[k])
        _, _, _, _, valid = step(own, rest, order, floor, around, result, v, tau, tau, False, vdot, knock)
        for k in range(nv):
            if limit[k] > 0.0:
                share = (tau[k] - added[k] * vdot[k]) / limit[k]
                effort = effort + share * share / steps
                peak = maximum(peak, absolute(share))
        if valid == 0:
            invalid += 1
        if on_world(floor.memory) == 0:
            aloft = aloft + 1.0 / steps
    fine = 1.0 - floor.rules[0].crowded
    floor.rules[0].crowded = 0.0
    for k in range(nq + nv):
        if not is_finite(result[k]):
            fine = 0.0
    told[0] = effort
    told[1] = peak
    told[2] = invalid
    told[3] = aloft
    told[4] = fine
