"""How long figures have been at rest."""

from hitogata.lanes import X1, entry, kernel, lanes
from hitogata.sim.layout import open_control, open_state, open_world
from hitogata.spatial import dot


@entry
def note_rest(ints, floats, state, control, first, rest, speed, h):
    """After a step of h: count on, or begin anew; returns the longest rest [s].

    first: body where each figure begins, and where the last one ends; rest: of each [s]; speed: what moves slower
    rests [m/s], [rad/s].
    """
    world, starts, times, longest = open_world(ints, floats), lanes(first, X1), lanes(rest, X1), 0.0
    views, targets = open_state(world, state), open_control(world, control)
    for k in range(first.shape[0] - 1):
        times[k] = times[k] + h
        for i in range(starts[k], starts[k + 1]):
            if not still(world.tree.joint[i], views, targets, i, speed * speed):
                times[k] = 0.0
                break
        longest = max(longest, times[k])
    return longest


@kernel
def still(joint, state, control, i, most):
    """Do a joint, its body and its target rest?  most: square of a speed."""
    carried = state.carried[i]
    if dot(carried.centre, carried.centre) > most or dot(carried.spin, carried.spin) > most:
        return False
    for k in range(joint.iv, joint.iv + joint.count):
        if state.mean[k] * state.mean[k] > most or control.rate[k] != 0.0:
            return False
    return True


# ------------------------------------------------------- parts of arrays


@entry
def copy_runs(source, target, runs):
    """target[to : to + count] = source[begin : begin + count] for rows (begin, to, count), shape (n, 3)."""
    for n in range(runs.shape[0]):
        begin, to, count = runs[n, 0], runs[n, 1], runs[n, 2]
        for k in range(count):
            target[to + k] = source[begin + k]


@entry
def same_runs(a, b, runs):
    """Are two arrays the same in a[begin : begin + count], for all rows (begin, to, count)?"""
    for n in range(runs.shape[0]):
        for k in range(runs[n, 0], runs[n, 0] + runs[n, 2]):
            if a[k] != b[k]:
                return False
    return True
