"""One time step in maximal coordinates: every link is a loose body, joints are rows (Hanaoka 2010, ch. 1).

Unknown is the velocity V of each body at the end of the step.  With inertia I of a body, rows J of joints, motors,
limits, contacts and springs, and their impulses p,

    I V = momentum carried along + h (gravity, pushes) + Jᵀ p
    J V + s p + b = 0            joints: hard, b pulls in their gap; springs, dampers and rotors: soft
    J V + s p + b >= 0,  p >= 0,  one of them zero                               limits and contacts

It is the problem of `step`, where joint velocities are the unknowns and springs are in the matrix: momenta, limits,
contacts and laws are the same, and where the sweeps come to rest both have the same answer.  Here the coupling of
bodies is left to the sweeps alone, so it takes many more of them.
"""

from hitogata.constraints.delassus import couple, number_rows
from hitogata.constraints.joint_coordinates import read_joints
from hitogata.constraints.joint_places import joint_velocities, place_joints, push_bodies
from hitogata.constraints.joints import find_drives, find_joints, keep_joints, link_limits, push_limited
from hitogata.constraints.limits import keep_impulses
from hitogata.constraints.link_replies import prepare_link
from hitogata.constraints.links import mark_linked, solve_link, tell_linked, warm_link
from hitogata.constraints.points import prepare_point, push_point, solve_point
from hitogata.constraints.restitution import bounce
from hitogata.dynamics.factor import unwhiten
from hitogata.dynamics.integration import advance
from hitogata.lanes import any_lane, kernel, maximum, sqrt
from hitogata.sim.body_state import place, place_body, turn_momenta
from hitogata.sim.free_motion import free_motion
from hitogata.sim.motors import note_motors
from hitogata.sim.point_rows import find_points, keep_point_impulses
from hitogata.sim.step import find_limits, mark_pointed, tell_pointed
from hitogata.sim.step_clock import Clock, silent
from hitogata.sim.velocity_update import carry
from hitogata.spatial import load6, store6


@kernel
def maximal_step(
    figures, bodies, joints, scene, rows, links, around, of_joints, of_bodies, control, outside, law, share, sweeps,
    old_contacts, passes,
):  # fmt: skip
    """One step; returns how many contacts and joint rows there were, and whether motors at their limits were mistaken.

    figures: the world in reduced coordinates, with its state `of_joints` and its `control`.
    bodies: the world of loose bodies, with their state `of_bodies` and what acts on them from `outside`.
    """
    place(scene, bodies.solid, of_bodies)                                # 1 where is it, what momenta
    turn_momenta(scene, bodies.solid, of_bodies, law.h)
    place_joints(joints, scene.placed)
    push_limited(joints, of_joints, control)
    push_bodies(joints, scene.placed, control, outside.push)
    free_motion(scene, bodies.solid, of_bodies, outside, law, rows.coupling)  # 2, 3 inertias, free motion
    limits = find_limits(figures, rows, of_joints, control, law)         # 4 rows
    held, count = find_joints(joints, links, of_joints, control, law, share)
    blocks = link_limits(joints, rows, links, limits, held, count)
    points, contacts = find_points(scene, bodies.solid, rows, around, old_contacts, law, Clock(silent, 0))
    touches = touch_linked_bodies(scene, rows, links, blocks, points)
    couple(scene, rows, 0, touches)                                      # 5 impulses
    bounce_all(scene, rows, points, law)
    prepare(rows, points)
    for k in range(blocks):
        prepare_link(rows, links, k)
        warm_link(rows, links, k)
    of_joints.last[1] = solve(rows, links, blocks, points, sweeps, law.tolerance)
    take_speeds(scene, rows, of_bodies, touches)                         # 6 new velocity and place
    keep_joints(joints, rows, links, held, blocks, law.h)
    keep_impulses(rows, limits, of_joints.limit_impulse)
    keep_point_impulses(rows, points, around, law.h)
    carry(scene, bodies.solid, of_bodies)
    joint_velocities(joints, scene.placed, of_joints.mean)
    find_drives(joints.tree, of_joints, control, law, scene.drive)
    mistaken = note_motors(joints.tree, scene.drive, scene.x, of_joints, control, law, passes)
    advance(bodies.tree, of_bodies.q, of_bodies.mean, law.h, of_bodies.q)
    for i in range(bodies.tree.bodies):
        place_body(bodies.tree.joint[i], bodies.tree.body[i], scene.placed[i], scene.placed, of_bodies.q)
    read_joints(joints, scene.placed, of_joints.q, of_joints.mean, law.h)
    for k in range(figures.tree.nv):
        of_joints.v[k] = of_joints.mean[k]
    return contacts, limits, mistaken


@kernel
def touch_linked_bodies(scene, rows, links, blocks, points):
    """Number the rows, and tell link and point rows their touches; returns how many bodies are touched."""
    for i in range(scene.tree.bodies):
        rows.touch_of_body[i] = -1
    mark_linked(rows, links, blocks)
    mark_pointed(rows, points)
    touches, _ = number_rows(scene, rows, 0)
    tell_linked(rows, links, blocks)
    tell_pointed(rows, points)
    return touches


@kernel
def bounce_all(scene, rows, points, law):
    """Impacts of all contacts, taken for one island."""
    islands = rows.islands
    islands.point_start[0], islands.point_start[1], islands.heap[0] = 0, points, 0
    for p in range(points):
        islands.point[p] = p
    bounce(scene, rows, 1, law)


@kernel
def prepare(rows, points):
    """Replies of points, and the impulses of the last step to begin with."""
    end = 0
    for p in range(points):
        end = prepare_point(rows, p, end)
    for p in range(points):
        push_point(rows, p, rows.point[p].impulse)


@kernel
def solve(rows, links, blocks, points, sweeps, tolerance):
    """Sweep until nothing is left to mend; returns the greatest speed that the last sweep mended."""
    worst = 0.0
    for _ in range(sweeps):
        worst = sweep(rows, links, blocks, points)
        if not any_lane(worst > tolerance * tolerance):
            break
    return sqrt(worst)


@kernel
def sweep(rows, links, blocks, points):
    """Projected Gauss-Seidel: each block and row in turn takes the impulse that mends its speed; returns the worst,
    squared.

    From the outside inwards, and joints last: what the sweeps leave undone is then least in the joints.
    """
    worst = 0.0
    for p in range(points):
        worst = maximum(worst, solve_point(rows, p, True))
    for k in range(blocks - 1, -1, -1):
        worst = maximum(worst, solve_link(rows, links, k))
    return worst


@kernel
def take_speeds(scene, rows, state, touches):
    """New velocities: of a touched body they stand in the solver."""
    unwhiten(scene.tree, scene.chains, scene.mass, scene.x, state.mean)
    for a in range(touches):
        touch = rows.touch[a]
        store6(state.mean, scene.tree.joint[touch.body].iv, load6(rows.speed, touch.row))
