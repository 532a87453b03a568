"""All sweeps over the segments of a figure, on one thread or shared with others that stay awake.

Groups of a phase are claimed one by one: the word CLAIM holds the phase's number, how many groups it has, and the next
one.  Whoever moves it on has the group.  So a helper that sleeps, or is late, costs nothing: the caller does its share.
Which thread does a group changes nothing in the numbers.
"""

from hitogata.dynamics.assembly.segment_groups import gather_in, prepare, spread_out, turn
from hitogata.dynamics.assembly.segment_layout import open_segments
from hitogata.dynamics.assembly.segment_paths import (
    find_bases,
    find_leads,
    merge_paths,
    move_root,
    round_part,
    turn_root,
)
from hitogata.dynamics.assembly.segment_steps import unit_strand
from hitogata.dynamics.batches import BAD_SIZE, BAD_VALUE, GOOD, off_finite
from hitogata.dynamics.joints import off_coordinates
from hitogata.lanes import Floats, all_lanes, cycles, entry, kernel, tail
from hitogata.lanes.atomics import compare_exchange, fetch_add, load_acquire, pause, store_release

CLAIM, DONE, PHASE, FIRST, PUSHED, AWAKE, STOP = 0, 8, 16, 17, 18, 24, 32
"""Words of `control`; those that different threads write lie on different cache lines."""
CONTROL = 40
BITS = 24
MASK = (1 << BITS) - 1
PREPARE, TURN, TURN_AND_IN, IN, OUT = 0, 1, 2, 3, 4


@kernel
def run_group(s, phase, g, width, pushed):
    """One phase of one group."""
    group, strand = s.group[g], s.strand[g]
    if phase == PREPARE:
        prepare(s, group, strand, width, pushed)
        if group.hung == 1:
            for k in range(group.first, group.first + group.length):
                hung = s.hung[k]
                hung.inertia, hung.weight, _, _, _ = unit_strand()
    if phase in (TURN, TURN_AND_IN):
        turn(s, group, strand, pushed)
    if phase in (IN, TURN_AND_IN):
        gather_in(s, group, strand)
    if phase == OUT:
        spread_out(s, group, strand, width)


@kernel
def run_phase(s, control, phase, first, end, width, pushed):
    """All groups of a phase, with the help of whoever is awake."""
    count = end - first
    if count < 2 or load_acquire(control, AWAKE) == 0:
        for g in range(first, end):
            run_group(s, phase, g, width, pushed)
        return
    control[PHASE], control[FIRST], control[PUSHED], control[DONE] = phase, first, pushed, 0
    number = ((control[CLAIM] >> 2 * BITS) + 1) & 0x7FFF
    store_release(control, CLAIM, (number << 2 * BITS) | (count << BITS))
    while claim_and_run(s, control, width):
        pass
    while load_acquire(control, DONE) < count:
        pause()


@kernel
def claim_and_run(s, control, width):
    """Claim a group and run it; False if there is none to claim."""
    word = load_acquire(control, CLAIM)
    at = word & MASK
    if at >= (word >> BITS) & MASK:
        return False
    if compare_exchange(control, CLAIM, word, word + 1):
        run_group(s, control[PHASE], control[FIRST] + at, width, control[PUSHED])
        fetch_add(control, DONE, 1)
    return True


@kernel
def sweep(s, control, width, pushed):
    """Accelerations of one figure; its state is in `s.state`."""
    table, n = s.table, width.n
    rounds = table[4]
    run_phase(s, control, PREPARE, 0, table[0], width, pushed)
    if table[5] == 1:
        turn_root(s, pushed)
    for r in range(rounds):
        find_bases(s, r, n)
        phase = TURN_AND_IN if r == rounds - 1 else TURN
        run_phase(s, control, phase, round_part(table, r, 0), round_part(table, r, 1), width, pushed)
    for r in range(rounds - 1, -1, -1):
        if r < rounds - 1:
            run_phase(s, control, IN, round_part(table, r, 0), round_part(table, r, 1), width, pushed)
        merge_paths(s, r, n)
    if table[5] == 1:
        move_root(s)
    for r in range(rounds):
        find_leads(s, r, n)
        run_phase(s, control, OUT, round_part(table, r, 0), round_part(table, r, 1), width, pushed)


@entry(q=Floats(1), v=Floats(1), tau=Floats(1), wrenches=Floats(1), out=Floats(1, write=True))
def segments_one(arrays, control, q, v, tau, wrenches, out, width):
    """One state; wrenches may be empty."""
    s = open_segments(arrays, width)
    nq, nv, links = s.table[6], s.table[7], s.table[8]
    if q.size != nq or v.size != nv or tau.size != nv or (wrenches.size != 0 and wrenches.size != 6 * links):
        return BAD_SIZE
    for i in range(nq):
        s.state[i] = q[i]
    for i in range(nv):
        s.state[nq + i] = v[i]
        s.state[nq + nv + i] = tau[i]
    for i in range(wrenches.size):
        s.state[nq + 2 * nv + i] = wrenches[i]
    sweep(s, control, width, 1 if wrenches.size > 0 else 0)
    for i in range(nv):
        out[i] = s.out[i]
    return status_of_groups(s, wrenches.size)


@kernel
def status_of_groups(s, pushes):
    """As `batches.status_of`; joints and their accelerations were looked at in their groups."""
    for g in range(s.table[0]):
        if not all_lanes(s.strand[g].wrong == 0.0):
            return BAD_VALUE
    wrong, speeds, torques = 0.0, tail(s.state, s.table[6]), tail(s.state, s.table[6] + s.table[7])
    if s.table[5] == 1:
        count = s.tree.joint[0].count
        wrong = off_coordinates(s.tree.joint[0], s.state) + off_finite(s.out, count)
        wrong = wrong + off_finite(speeds, count) + off_finite(torques, count)
    if pushes > 0:
        wrong = wrong + off_finite(tail(torques, s.table[7]), pushes)
    return GOOD if wrong == 0.0 else BAD_VALUE


@entry
def help_out(arrays, control, patience, width):
    """A helping thread: groups as they come, until there were none for `patience` ticks of the processor's clock."""
    s = open_segments(arrays, width)
    fetch_add(control, AWAKE, 1)
    since = cycles()
    while load_acquire(control, STOP) == 0:
        if claim_and_run(s, control, width):
            since = cycles()
        else:
            pause()
            if cycles() - since > patience:
                break
    fetch_add(control, AWAKE, -1)
    return 0
