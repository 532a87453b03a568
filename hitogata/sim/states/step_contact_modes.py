"""The steps of worlds whose contacts are solved by states."""

from hitogata.contact.conservative_advancement import gap_of
from hitogata.contact.field_gaps import gap_of_any
from hitogata.contact.narrowphase import touch
from hitogata.contact.narrowphase_all_shapes import touch_any
from hitogata.lanes import entry, kernel, maximum, open_memory, sqrt
from hitogata.loops.contacts.report_output import write_report
from hitogata.sim.states.layout import Room
from hitogata.sim.states.passes import solve_by_states
from hitogata.sim.states.report_output import report_swept
from hitogata.sim.step import sweep_island
from hitogata.sim.step_clock import Clock, silent, started
from hitogata.sim.step_entries import take_reduced_steps


@entry
def take_stated_steps(table, longest, fast_turn, sweeps, h, steps):
    """`step_entries.take_steps`."""
    clock = Clock(silent, 0)
    return take_reduced_steps(
        touch, gap_of, by_states, states_room, clock, table, longest, fast_turn, sweeps, h, steps
    )  # fmt: skip


@entry
def take_shaped_stated_steps(table, longest, fast_turn, sweeps, h, steps, times):
    """The same with meshes, cylinders, ellipsoids or height fields; times: see `step_all_shapes.take_shaped_steps`."""
    return take_reduced_steps(
        touch_any, gap_of_any, by_states, states_room, started(times), table, longest, fast_turn, sweeps, h, steps
    )  # fmt: skip


@kernel
def states_room(world, arrays):
    """Scratch of the method."""
    return open_memory(Room, arrays.states, arrays.states_ints, world.points, world.width)


@kernel
def by_states(scene, rows, islands, around, law, sweeps, room):
    """Every island by hypothesis and validity, or else by sweeps; returns the greatest speed that was left to mend."""
    worst, patches = 0.0, 0
    for n in range(islands):
        if rows.islands.joint_start[n + 1] + rows.islands.point_start[n + 1] > (
            rows.islands.joint_start[n] + rows.islands.point_start[n]
        ):
            own, left = solve_by_states(scene, rows, n, around, room, law, patches)
            if left < 0.0:
                left = sqrt(sweep_island(scene, rows, n, sweeps, law.part, law.tolerance))
                report_swept(scene, rows, n, room, patches, own)
            worst = maximum(worst, left)
            patches += own
    room.tally.steps += 1.0
    room.patches = patches
    write_report(room, 0, patches, room.report)
    return worst
