"""The steps of worlds with meshes, cylinders, ellipsoids or height fields; compiled only for worlds that have them."""

from hitogata.contact.touching import touch_any
from hitogata.lanes import entry
from hitogata.sim.clocking import Clock, silent
from hitogata.sim.maximal_running import take_apart_steps
from hitogata.sim.running import no_room, take_reduced_steps
from hitogata.sim.step import by_sweeps


@entry
def take_shaped_steps(arrays, longest, fast_turn, sweeps, h, steps):
    """`running.take_steps`."""
    clock = Clock(silent, 0)
    return take_reduced_steps(touch_any, by_sweeps, no_room, clock, arrays, longest, fast_turn, sweeps, h, steps)


@entry
def take_shaped_maximal_steps(
    ints, floats, loose_ints, loose_floats, state, start, held_start, control, outside, ties, tie_ints, shape_ints,
    shape_floats, pairs, contacts, points, law, share, work, work_ints, link_work, link_ints, counts, before,
    old_ties, piece_before, piece_ties, told, h, longest, fast_turn, sweeps, steps,
):  # fmt: skip
    """`maximal_running.take_maximal_steps`."""
    return take_apart_steps(
        touch_any, (ints, floats, loose_ints, loose_floats), (state, start, held_start, control, outside),
        (ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, law, counts),
        (work, work_ints, link_work, link_ints), (before, old_ties, piece_before, piece_ties, told), share, h, longest,
        fast_turn, sweeps, steps,
    )  # fmt: skip
