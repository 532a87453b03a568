"""One time step of a world: joints exact, springs implicit, limits and contacts by projected Gauss-Seidel.

Unknown is the velocity v at the end of the step.  With mass matrix M, springs K in the joints (e: how far from their
targets) and dampers C >= D, rows J of limits, contacts and springs between bodies, and their impulses p,

    (M + h C) v = momenta carried along + h (gravity + push - K e) + Jᵀ p         (Tazaki & Hasegawa 2007)
    J v + s p + b >= 0,  p >= 0,  one of them zero                                (compliant, for each row)

C = D + h K would be the implicit springs of the paper; `constraints.springs` says what less is enough.  s is a row's
softness [1/kg] or [1/(kg m²)], -b the least speed it may have [m/s], [rad/s]; springs between bodies are
equations, not inequalities.

The matrix is factorised as Lᵀ L along the tree: L has the sparsity of M.  Below, x = L v and y = J L⁻¹ are "whitened":
a row's speed is y · x, and the coupling of two rows y · y.
"""

from typing import Any, NamedTuple

from hitogata.constraints.coupled import find_coupled, owner_of
from hitogata.constraints.delassus import couple, number_rows
from hitogata.constraints.envelope import WIDEST, lay_out
from hitogata.constraints.islands import CHAINED, find_islands
from hitogata.constraints.limits import find_interval, find_range, keep_impulses, solve_joint_row, spread
from hitogata.constraints.newton import FIRST_SHARE, newton
from hitogata.constraints.points import prepare_point, push_point, solve_point
from hitogata.constraints.restitution import bounce
from hitogata.constraints.velocity_pgs import prepare_heap, sweep_heap
from hitogata.dynamics.followers import follow
from hitogata.dynamics.integration import advance
from hitogata.dynamics.joints import is_ball
from hitogata.lanes import any_lane, kernel, maximum, sqrt, where
from hitogata.sim.body_state import place, turn_momenta
from hitogata.sim.free_flight import float_freely
from hitogata.sim.free_motion import free_motion
from hitogata.sim.geometric_stiffness import expect_ties, give_back, note_strain
from hitogata.sim.motor_search import search_motors
from hitogata.sim.motors import note_motors
from hitogata.sim.point_rows import find_points, keep_point_impulses
from hitogata.sim.step_clock import FACTOR, INTEGRATE, ROWS, SWEEPS, Clock
from hitogata.sim.tie_energy import bound_tie_energy, note_start
from hitogata.sim.velocity_update import advance_late, apply, carry, note_spin
from hitogata.spatial import load3, load_quaternion

STUCK = 0.1
"""An island that only sweeps can solve is not left with more than this to mend, if sweeping on helps [m/s], [rad/s]:
jams under great force ..."""

PATIENCE = 4
"""... but never with more than this times the usual work, of all substeps together."""

THOROUGH = 10
"""Where Newton's method is used, the work of all substeps may be up to this times the usual ..."""

STALLS = 8
"""... unless so many of its iterations, one after the other, do not halve what is left to mend."""

FEW = 4
"""Sweeps before Newton's method: two are enough for most steps.  As many in worlds side by side as in a single one, so
that both do the same."""

ASIDE = 8
"""Sweeps that an iteration is taken to cost in worlds side by side."""

INFINITE = 1e300

UNTRIED = -1
"""Of an island: nobody knows yet what Newton's method would cost."""


@kernel
def step(world, scene, rows, around, state, control, law, method, sweeps, old_contacts, passes):
    """One step; returns how many contacts and joint rows there were, and whether motors at their limits were mistaken.

    world, state, control, law: see `layout`; scene, rows: scratch; around: shapes, ties, contacts, see `point_rows`;
    method: how impulses are found, `by_sweeps` or another, and its scratch; sweeps: at the most; old_contacts: how many
    the last step had; passes: how often this step was taken before, see `motors.note_motors`.
    """
    clock = method.clock
    place(scene, world.solid, state)                                     # 1 where is it, what momenta
    if law.keep_energy == 0.0:
        turn_momenta(scene, world.solid, state, law.h)
    expect_ties(scene, around, state, law)
    slowed = free_motion(scene, world.solid, state, control, law, rows.coupling)  # 2, 3 M + h C = Lᵀ L
    clock.note(clock.times, FACTOR)
    joint_rows = find_limits(world, rows, state, control, law)           # 4 rows
    points, contacts = find_points(scene, world.solid, rows, around, old_contacts, law, clock)
    touches, islands = touch_bodies(scene, rows, joint_rows, points, law)
    couple(scene, rows, joint_rows, touches)                             # 5 impulses
    clock.note(clock.times, ROWS)
    bounced = bounce(scene, rows, islands, law)
    state.last[1] = method.solve(scene, rows, islands, around, law, sweeps, method.room)
    clock.note(clock.times, SWEEPS)
    bounding = law.keep_energy > 0.0 and around.tie_count > 0
    if bounding:
        note_start(scene, state, rows.coupling)
    apply(scene, rows, state, joint_rows, touches, points)               # 6 new velocity and place
    keep_impulses(rows, joint_rows, state.limit_impulse)
    keep_point_impulses(rows, points, around, law.h)
    if law.keep_energy > 0.0:
        float_freely(scene, rows, state, control, joint_rows, points, law, rows.coupling)
    remember(world, scene, rows, points, state, control, law, slowed)
    if bounced:
        advance_late(scene, rows, state, touches, points, law.h, rows.coupling)
    else:
        advance(world.tree, state.q, state.mean, law.h, state.q)
        if scene.followers.total > 0:
            follow(world.tree, scene.followers, state.q, 0, world.tree.bodies)
    if bounding:
        bound_tie_energy(scene, world.solid, rows, around, joint_rows, points, state, control, law, rows.coupling)
    mistaken = note_motors(world.tree, scene.drive, scene.x, state, control, law, passes)
    if any_lane(mistaken > 0.0):
        search_motors(scene, state, control, law, passes)
    clock.note(clock.times, INTEGRATE)
    return contacts, joint_rows, mistaken


@kernel
def remember(world, scene, rows, points, state, control, law, slowed):
    """Motions, momenta and strains that the next step begins with."""
    carry(scene, world.solid, state)
    for i in range(scene.tree.bodies):
        if scene.tree.joint[i].parent < 0:
            state.told[i] = state.told[i] * 0.0
    if law.keep_energy > 0.0:
        note_spin(scene, world.solid, state)
        give_back(scene, rows, points, state, slowed)
    if law.slow_taut > 0.0:
        note_strain(scene, world.solid, rows, points, state, control, law.h)


@kernel
def find_limits(world, rows, state, control, law):
    """Rows of all joints near their limits; returns how many."""
    count, tree, coupled = 0, world.tree, 0
    for i in range(tree.bodies):
        joint = tree.joint[i]
        while owner_of(world.coupled, coupled) == i:
            wall, work = control.motor[i], rows.coupling
            count = find_coupled(
                rows, count, coupled, world.chains, joint, world.coupled, state, wall, law, work
            )  # fmt: skip
            coupled += 1
        if is_ball(joint):
            ranges, having = world.ranges, world.ranges.having(world.ranges, i)
            if any_lane(having):
                quat, rate, watch = load_quaternion(state.q, joint.iq), load3(state.mean, joint.iv), state.watch[i]
                impulses, wall = state.limit_impulse, control.motor[i]
                count = find_range(rows, count, i, quat, rate, watch, ranges, having, impulses, wall, law)
        elif joint.count == 1:
            value, rate, wall = state.q[joint.iq], state.mean[joint.iv], control.motor[i]
            count = find_interval(rows, count, i, world.limit[i], value, rate, state.limit_impulse, wall, law)
    return count


@kernel
def touch_bodies(scene, rows, joint_rows, points, law):
    """Number the rows, tell each point row its touches; returns how many bodies are touched, and how many islands."""
    for i in range(scene.tree.bodies):
        rows.touch_of_body[i] = -1
    mark_pointed(rows, points)
    touches, total = number_rows(scene, rows, joint_rows)
    tell_pointed(rows, points)
    return touches, find_islands(scene, rows, joint_rows, touches, points, total, law.islands > 0.0)


@kernel
def mark_pointed(rows, points):
    """Bodies of point rows are touched."""
    for p in range(points):
        own = rows.point_int[p]
        rows.touch_of_body[own.body_a] = 0
        if own.body_b >= 0:
            rows.touch_of_body[own.body_b] = 0


@kernel
def tell_pointed(rows, points):
    """Tell each point row its touches, once they are numbered."""
    for p in range(points):
        own = rows.point_int[p]
        own.touch_a = rows.touch_of_body[own.body_a]
        own.touch_b = -1
        if own.body_b >= 0:
            own.touch_b = rows.touch_of_body[own.body_b]


class Method(NamedTuple):
    """How the impulses of a step are found, and what it costs is measured."""

    solve: Any
    room: Any
    clock: Clock


@kernel
def by_sweeps(scene, rows, islands, around, law, sweeps, room):
    """Projected Gauss-Seidel for every island; returns the greatest speed that a last sweep mended."""
    worst = 0.0
    for n in range(islands):
        worst = maximum(worst, sweep_island(scene, rows, n, sweeps, law.part, law.tolerance))
    return sqrt(worst)


@kernel
def sweep_island(scene, rows, n, sweeps, part, tolerance):
    """Sweep, and take steps of Newton's method, until nothing is left to mend or the work there may be is done; returns
    the square of the greatest speed that the last sweep mended."""
    heap, tally = rows.islands.heap[n] > 0, rows.envelope.tally
    if heap:
        prepare_heap(scene, rows, n)
    else:
        prepare(rows, n)
    worst, asking, share, unknowns, price, spent, k = 0.0, True, FIRST_SHARE, UNTRIED, 0, 0.0, 0
    best, stalls, trying, most, fine = INFINITE, 0.0, False, sweeps, tolerance * tolerance
    if tolerance > 0.0:
        most = maximum(1.0, PATIENCE * part) * sweeps  # all substeps together do little more
    while any_lane(asking):
        if heap:
            worst = where(asking, sweep_heap(scene, rows, n, k, tolerance, asking), worst)
        else:
            worst = where(asking, sweep(rows, n, asking), worst)
        k += 1
        spent = spent + 1.0
        enough = where(trying | (spent < sweeps), fine, maximum(STUCK * STUCK, fine))
        asking = asking & (worst > enough) & (spent < most)  # figures that are done stay as they are
        if not any_lane(asking):
            break
        if unknowns == UNTRIED and k >= FEW:
            unknowns, price = price_of_newton(scene, rows, n, sweeps, tolerance)
            if unknowns > 0:
                most = maximum(1.0, THOROUGH * part) * sweeps
        if unknowns > 0:
            halved = worst < 0.25 * best
            best, stalls = where(halved, worst, best), where(halved, 0.0, stalls + 1.0)
            trying = asking & (stalls < STALLS)
            if any_lane(trying):
                share, taken = newton(scene, rows, n, unknowns, share, trying)
                spent = spent + price * taken
                tally.iterated += 1
    tally.swept += k
    if any_lane(worst > fine):
        tally.unfinished += 1
    return worst


@kernel
def price_of_newton(scene, rows, n, sweeps, tolerance):
    """Unknowns of Newton's method for an island, and how many sweeps one of its iterations costs; 0 unknowns if it is
    not worth while.

    Worlds side by side have the same islands, whoever touches in them: what they do must not depend on their rows.
    """
    unknowns, price = 0, ASIDE
    if tolerance > 0.0 and rows.islands.heap[n] != CHAINED:
        if rows.speed.width == 1:
            unknowns, work = lay_out(scene, rows, n)
            price = 1 + work // sweep_work(rows, n)
            if price > sweeps:
                unknowns = 0
        elif scene.tree.nv <= WIDEST:
            unknowns, _ = lay_out(scene, rows, n)
    return unknowns, price


@kernel
def sweep_work(rows, n):
    """What a sweep of an island costs, in the unit of `lay_out`."""
    islands, work = rows.islands, 1
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        own = rows.joint_int[islands.joint[k]]
        work += 10 + (own.last - own.first) // 4
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        own = rows.point_int[islands.point[k]]
        work += 45 + (own.count_a + own.count_b) // 2
    return work


@kernel
def prepare(rows, n):
    """Replies of an island's points, and the impulses of the last step to begin with."""
    islands, end = rows.islands, 0
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        end = prepare_point(rows, islands.point[k], end)
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        a = islands.joint[k]
        spread(rows, rows.joint_int[a], rows.joint[a].impulse)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        push_point(rows, p, rows.point[p].impulse)


@kernel
def sweep(rows, n, asking):
    """Projected Gauss-Seidel: each row in turn takes the impulse that mends its speed; returns the worst, squared."""
    worst, islands = 0.0, rows.islands
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        worst = maximum(worst, solve_joint_row(rows, islands.joint[k], asking))
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        worst = maximum(worst, solve_point(rows, islands.point[k], asking))
    return worst
