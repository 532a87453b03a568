"""The steps of a world with a clock beside them; compiled only for those who measure.  The motion is the same."""

from hitogata.contact.field_gaps import gap_of_any
from hitogata.contact.narrowphase_all_shapes import touch_any
from hitogata.lanes import cycles, entry
from hitogata.sim.states.step_contact_modes import by_states, states_room
from hitogata.sim.step import by_sweeps
from hitogata.sim.step_clock import LAST, Clock, ticking
from hitogata.sim.step_entries import no_room, take_reduced_steps


@entry
def take_clocked_steps(table, longest, fast_turn, sweeps, h, steps, times):
    """`step_entries.take_steps`, for all shapes; times: ticks of each part, added to; see `step_clock`."""
    clock = Clock(ticking, times)
    times[LAST] = cycles()
    return take_reduced_steps(
        touch_any, gap_of_any, by_sweeps, no_room, clock, table, longest, fast_turn, sweeps, h, steps
    )  # fmt: skip


@entry
def take_clocked_stated_steps(table, longest, fast_turn, sweeps, h, steps, times):
    """The same by states."""
    clock = Clock(ticking, times)
    times[LAST] = cycles()
    return take_reduced_steps(
        touch_any, gap_of_any, by_states, states_room, clock, table, longest, fast_turn, sweeps, h, steps
    )  # fmt: skip
