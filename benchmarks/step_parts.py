"""Where does the time of a step go?

The step of a standing human28, stopped after each of its parts in turn; the difference to the part before is what the
part costs.  Nothing moves on, so that every run does the same work.
"""

import itertools

from benchmarks.timing import best, table
from benchmarks.world_step import H, standing
from hitogata.constraints.coupling import couple
from hitogata.dynamics.integration import advance
from hitogata.lanes import entry, tail
from hitogata.library import human28
from hitogata.sim import World
from hitogata.sim.free_motion import free_motion
from hitogata.sim.layout import CONTACTS, open_control, open_law, open_rows, open_scene, open_state, open_world
from hitogata.sim.moving import apply
from hitogata.sim.placing import place
from hitogata.sim.running import look_around
from hitogata.sim.step import find_limits, prepare, remember, solve, touch_bodies
from hitogata.sim.touching import find_points

SWEEPS = 20
PARTS = (
    "opening the arrays",
    "1 places, momenta",
    "2, 3 mass matrix, factor, free motion",
    "4 limits",
    "4 contacts",
    "5 coupling of rows",
    "5 sweeps",
    "6 velocities, momenta, moving on",
)


@entry
def take_parts(
    ints, floats, state, control, ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, law, work,
    work_ints, counts, h, sweeps, upto, loops,
):  # fmt: skip
    """The first parts of a step, many times over."""
    world = open_world(ints, floats)
    scene, views, targets = open_scene(world, work), open_state(world, state), open_control(world, control)
    rows, laws = open_rows(world, scene, work_ints), open_law(law, h, h)
    for _ in range(loops):
        spare = tail(rows.reply, world.reply_room)
        around = look_around(ties, tie_ints, shape_ints, shape_floats, pairs, contacts, points, counts, spare)
        if upto < 1:
            continue
        place(scene, world.solid, views, h)
        if upto < 2:
            continue
        slowed = free_motion(scene, world.solid, views, targets, laws, rows.coupling)
        if upto < 3:
            continue
        joint_rows = find_limits(world, rows, views, targets, laws)
        if upto < 4:
            continue
        count, _ = find_points(scene, world.solid, rows, around, counts[CONTACTS], laws)
        if upto < 5:
            continue
        touches = touch_bodies(scene, rows, joint_rows, count)
        couple(scene, rows, joint_rows, touches)
        prepare(rows, joint_rows, count)
        if upto < 6:
            continue
        solve(rows, joint_rows, count, sweeps, 0.0)
        if upto < 7:
            continue
        apply(scene, rows, views, joint_rows, touches, count)
        remember(world, scene, rows, count, views, targets, laws, slowed)
        advance(world.tree, views.q, views.v, 0.0, views.q)


def times(world: World, loops: int = 200, repeats: int = 60) -> list[float]:
    """Seconds per step up to each part."""
    def run(upto: int) -> None:
        x = world.arrays
        take_parts(
            x.forest.ints, x.forest.floats, x.state, x.control, x.ties.numbers, x.ties.ints, x.shapes.ints,
            x.shapes.floats, x.pairs, x.contacts, x.points, x.law, x.work, x.work_ints, x.counts, H, SWEEPS, upto,
            loops,
        )  # fmt: skip

    return [best(lambda upto=upto: run(upto), loops=loops, repeats=repeats) for upto in range(len(PARTS))]


def main() -> None:
    ends = times(standing(human28()))
    costs = [ends[0], *(b - a for a, b in itertools.pairwise(ends))]
    rows = [[name, f"{t * 1e6:.2f}", f"{100 * t / ends[-1]:.0f}"] for name, t in zip(PARTS, costs, strict=True)]
    rows.append(["all", f"{ends[-1] * 1e6:.2f}", "100"])
    table(f"Parts of one step of a standing human28, {SWEEPS} sweeps", ["", "µs", "%"], rows)


if __name__ == "__main__":
    main()
