"""The steps of worlds with meshes, cylinders, ellipsoids or height fields; compiled only for worlds that have them, and
for those who measure steps."""

from hitogata.contact.field_gaps import gap_of_any
from hitogata.contact.lane_by_lane import gap_of_each, touch_each
from hitogata.contact.narrowphase_all_shapes import touch_any
from hitogata.lanes import entry
from hitogata.sim.blocks import take_steps_of_blocks
from hitogata.sim.step import by_sweeps
from hitogata.sim.step_clock import started
from hitogata.sim.step_entries import no_room, take_reduced_steps
from hitogata.sim.step_maximal import take_apart_steps


@entry
def take_shaped_steps(table, longest, fast_turn, sweeps, h, steps, times):
    """`step_entries.take_steps`; times: ticks of each part, added to, see `step_clock`; or none."""
    return take_reduced_steps(
        touch_any, gap_of_any, by_sweeps, no_room, started(times), table, longest, fast_turn, sweeps, h, steps
    )  # fmt: skip


@entry
def take_shaped_maximal_steps(table, longest, fast_turn, sweeps, h, steps, start, held_start, share):
    """`step_maximal.take_maximal_steps`."""
    places = start, held_start
    return take_apart_steps(touch_any, gap_of_any, table, places, share, sweeps, (h, longest, fast_turn, steps))


@entry
def take_shaped_block_steps(table, rows, timing, sweeps, first, end, width):
    """`blocks.take_block_steps`."""
    return take_steps_of_blocks(touch_each, gap_of_each, table, rows, timing, sweeps, (first, end), width)
