"""Iterations: a step of an animation, or a solve to the end."""

from hitogata.dynamics.followers import follow
from hitogata.dynamics.integration import advance
from hitogata.dynamics.joints import speeds
from hitogata.lanes import absolute, all_lanes, clip, inline, kernel, maximum, minimum, sqrt, where
from hitogata.motion.puppet.layout import (
    MAX_ITERATIONS,
    REACHED,
    STALLED,
)
from hitogata.motion.puppet.levels import solve_levels
from hitogata.motion.puppet.rows import measure
from hitogata.motion.puppet.walls import look

PATIENCE, PROGRESS = 30.0, 0.9999
"""A solve has stalled when the sum of its errors has not fallen below this part of its least for so many iterations."""

NARROWER, WIDER = 0.7, 1.5
"""After EAGER iterations steps get shorter while the errors do not fall, and longer while they do."""

WARIEST, CALMING = 63.0, 0.98
"""A second frame in a row that takes back what the last one did raises the brake, to so many times at most; others
lower it by this factor."""

MORE = 1e3
"""How much more an error of level one counts in that sum."""

RESERVE = 0.98
"""Part of a joint's speed limit that is used: sliding along a curved wall adds a little."""


@kernel
def iterate(model, state, goals, bench, law, ramp, most, ends):
    """Iterations, `most` of them or until `ends` are met: a frame, or a solve.

    Characters that are done wait for their neighbours.
    """
    tree, zero = model.tree, state.q[0] * 0.0
    move_goals(model, state, goals, ramp)
    for k in range(tree.nv):
        bench.last[k] = state.v[k]
        state.v[k] = zero
    note_place(model, state, bench)
    status, taken, stalled, best, trust = zero, zero, zero, zero + 1e30, zero + 1.0
    for k in range(most + 1):
        walls = look(model, state, bench, law)
        if model.followers.total > 0:
            follow(tree, model.followers, state.q, 0, tree.bodies)
        note_place(model, state, bench)
        brake = (state.summary.wary + 1.0) * law.error_damping
        if k < ends.eager:
            brake = zero
        first, second = measure(model, state, goals, bench, law, brake)
        left = note_left(goals, zero, ends.eager > 0 or k == most)
        met = (state.summary.points <= ends.point) & (state.summary.angles <= ends.angle)
        status = where((status == MAX_ITERATIONS) & met, REACHED, status)
        status = where((status == MAX_ITERATIONS) & (stalled >= PATIENCE), STALLED, status)
        moving = where(status == MAX_ITERATIONS, 1.0, 0.0)
        if k == most or all_lanes(moving < 0.5):
            break
        if 0 < ends.eager < k:
            better = left < best * PROGRESS
            stalled = where(better, 0.0, stalled + 1.0)
            best = minimum(best, left)
            trust = clip(where(better, trust * WIDER, trust * NARROWER), 1e-4, 1.0)
        solve_levels(model, state, goals, bench, law, walls, first, second)
        shorten(model, state, bench, law, moving, trust)
        stalled = where(state.summary.far < ends.still, PATIENCE, stalled)
        taken = taken + moving
        advance(tree, state.q, bench.change, 1.0, state.q)
        for j in range(tree.nq):
            state.q[j] = where(moving > 0.5, state.q[j], bench.before[j])
        for j in range(tree.nv):
            state.v[j] = state.v[j] + bench.change[j]
    for j in range(tree.nv):
        state.v[j] = state.v[j] * (1.0 / (law.dt * most))
    state.summary.status = status
    state.summary.iterations = taken
    if ends.eager == 0:
        back = turning_back(model, state, bench)
        state.summary.wary = warier(state.summary.wary, back * state.summary.back)
        state.summary.back = back


@kernel
def turning_back(model, state, bench):
    """1 if a frame takes back what the last one did, by half or more."""
    both, now, last = state.q[0] * 0.0, state.q[0] * 0.0, state.q[0] * 0.0
    for k in range(model.tree.nv):
        v, w = state.v[k], bench.last[k]
        both, now, last = both + v * w, now + v * v, last + w * w
    return where((both < 0.0) & (4.0 * both * both > now * last), 1.0, 0.0)


@inline
def warier(wary, again):
    """How much more to brake: at once more where the figure goes to and fro, less and less where it does not."""
    return where(again > 0.5, minimum(2.0 * wary + 1.0, WARIEST), wary * CALMING)


@kernel
def note_left(goals, zero, keep):
    """Sum of all errors, those of level one counting MORE; each is noted as left undone if it is to be kept."""
    total = zero
    for g in range(goals.groups):
        aim = goals.aim[g]
        due = aim.residual * aim.weight * aim.authority_goal
        if g < goals.first:
            due = due * MORE
        total = total + due
        if keep:
            aim.left = aim.residual
    return total


@kernel
def note_place(model, state, bench):
    """Where the joints are before they move."""
    for k in range(model.tree.nq):
        bench.before[k] = state.q[k]


@kernel
def move_goals(model, state, goals, ramp):
    """Authorities, weights, mobilities and pulls go a part of the way to what they are to be.

    Mobilities are shares of the largest of the joints that move a group: damping would else brake those that are small.
    """
    for g in range(goals.groups):
        aim = goals.aim[g]
        aim.authority = nearer(aim.authority, aim.authority_goal, ramp)
        aim.weight = part_way(aim.weight, aim.weight_goal, ramp, 0.0)
    most = state.q[0] * 0.0
    for i in range(model.tree.bodies):
        if (goals.moves[i] != 0 or goals.balance >= 0) and model.tree.joint[i].count > 0:
            most = maximum(most, state.joint[i].mobility_goal)
    per = 1.0 / where(most > 0.0, most, 1.0)
    for i in range(model.tree.bodies):
        s = state.joint[i]
        s.mobility = part_way(s.mobility, s.mobility_goal * per, ramp, 1e-4)
        s.pull = part_way(s.pull, s.pull_goal, ramp, 1e-4)


@inline
def nearer(value, goal, most):
    """At an even pace."""
    return value + clip(goal - value, -most, most)


@inline
def part_way(value, goal, share, small):
    """By a share of what is left; all of it if that is 1 or more, or hardly anything is left."""
    there = (absolute(goal - value) <= 1e-3 * goal + small) | (share >= 1.0)
    return where(there, goal, value + (goal - value) * (share / (1.0 + share)))


@kernel
def shorten(model, state, bench, law, moving, trust):
    """Scale the whole change so that no joint exceeds its speed: what is done stays what was asked for, only slower.

    Args:
        model: the figure.
        state: the character.
        bench: its change.
        law: of the iteration.
        moving: 0 where it is to stay.
        trust: share of the speeds that is allowed.
    """
    tree, worst, far = model.tree, state.q[0] * 0.0, state.q[0] * 0.0
    for i in range(tree.bodies):
        joint, s = tree.joint[i], state.joint[i]
        if joint.count > 0:
            turn, way = speeds(joint, tree.body[i], bench.change)
            turn, way = sqrt(turn), sqrt(way)
            far = maximum(far, maximum(turn, way))
            worst = maximum(worst, maximum(turn / (s.turn_speed * law.dt), way / (s.slide_speed * law.dt)))
    scale = moving * (RESERVE / maximum(worst / trust, RESERVE))
    state.summary.far = far * scale
    for k in range(tree.nv):
        bench.change[k] = bench.change[k] * scale


@kernel
def finite(model, state):
    """Are all coordinates finite?"""
    total = state.q[0] * 0.0
    for k in range(model.tree.nq):
        total = total + state.q[k] * 0.0
    return all_lanes(total == 0.0)
