"""Link rows between any two bodies, of one tree or of two, against the same problem solved directly."""

import numpy as np
import pytest

from hitogata.constraints.delassus import couple, number_rows
from hitogata.constraints.link_replies import prepare_link
from hitogata.constraints.links import (
    SIDE,
    LinkInts,
    LinkRow,
    Links,
    add_link_row,
    begin_block,
    mark_linked,
    solve_link,
    tell_linked,
    warm_link,
)
from hitogata.dynamics import bias, forward_kinematics, jacobian, mass_matrix
from hitogata.dynamics.factor import factorise, whiten
from hitogata.figure import JointKind
from hitogata.lanes import X1, entry, kernel, lanes, records
from hitogata.sim.body_state import place
from hitogata.sim.free_motion import add_gravity, fill
from hitogata.sim.layout import open_rows, open_scene, open_state, open_world
from hitogata.sim.world_model import make_forest
from hitogata.solve import Problem, direct
from hitogata.spatial import Force, load3
from tests.peers.builders import random_figure

H, MOST = 0.01, 16


@kernel
def wrench(view, at):
    return Force(load3(view, at), load3(view, at + 3))


@entry
def solve_links(ints, floats, state, work, work_ints, link_work, inverse, link_ints, slots, blocks, rows, h, sweeps):
    """Blocks (body_a, body_b, first, count, bounded), rows (on_a, on_b, bias, soft, low, high, impulse)."""
    world = open_world(ints, floats)
    scene, views = open_scene(world, work), open_state(world, state)
    solved, numbers = open_rows(world, work, work_ints), lanes(rows, X1)
    block, row = records(link_ints, LinkInts, X1), records(link_work, LinkRow, X1)
    links = Links(block, row, lanes(slots, X1), lanes(inverse, X1))
    place(scene, world.solid, views)
    fill(scene)
    add_gravity(scene, views, h)
    factorise(world.tree, world.chains, scene.mass, 0, world.tree.bodies)
    whiten(world.tree, world.chains, scene.mass, scene.x, 0, world.tree.bodies)
    for k in range(len(blocks)):
        begin_block(links, k, blocks[k, 0], blocks[k, 1], blocks[k, 2], blocks[k, 4])
        for n in range(blocks[k, 2], blocks[k, 2] + blocks[k, 3]):
            at = 17 * n
            add_link_row(
                links, k, wrench(numbers, at), wrench(numbers, at + 6), numbers[at + 12], numbers[at + 13],
                numbers[at + 14], numbers[at + 15], numbers[at + 16], n,
            )  # fmt: skip
    for i in range(world.tree.bodies):
        solved.touch_of_body[i] = -1
    mark_linked(solved, links, len(blocks))
    touches, _ = number_rows(scene, solved, 0)
    tell_linked(solved, links, len(blocks))
    couple(scene, solved, 0, touches)
    for k in range(len(blocks)):
        prepare_link(solved, links, k)
        warm_link(solved, links, k)
    worst = 0.0
    for _ in range(sweeps):
        worst = 0.0
        for k in range(len(blocks)):
            worst = max(worst, solve_link(solved, links, k))
    for n in range(len(rows)):
        rows[n, 16] = links.row[n].impulse
    return worst


def bodies_move(figure, q) -> np.ndarray:
    """Velocities [turning; origin of the joint] of the bodies of all links, per velocity, shape (nlinks, 6, nv)."""
    poses, result = forward_kinematics(figure, q), []
    for k, link in enumerate(figure.links):
        rows = jacobian(figure, q, link.name)
        arm = poses.rotation[k] @ link.joint.child_frame.position
        result.append(np.concatenate([rows[:3], rows[3:] - np.cross(arm, rows[:3], axisb=0, axisc=0)]))
    return np.array(result)


@pytest.mark.parametrize("seed", range(6))
def test_any_rows_between_any_bodies(seed):
    """Loops in one tree, rows between two trees and to the world; equalities, one-sided and boxed; some redundant."""
    rng = np.random.default_rng(seed)
    figures = [random_figure(rng, 12, root=JointKind.FREE), random_figure(rng, 9, root=JointKind.HINGE)]
    forest = make_forest(figures, (0.0, 0.0, -9.81), 64)
    q = [figure.random(rng, spread=0.7) for figure in figures]
    state = forest.state.new_floats()
    state[: forest.nq] = np.concatenate(q)
    mass, free, moves = np.zeros((forest.nv, forest.nv)), np.zeros(forest.nv), {}
    for figure, span, own in zip(figures, forest.spans, q, strict=True):
        rotor = np.concatenate([[link.joint.armature] * link.joint.nv for link in figure.links])
        mass[span.v, span.v] = mass_matrix(figure, own) - np.diag(rotor)  # rotors are not in `fill`
        free[span.v] = -H * bias(figure, own, np.zeros(figure.nv))
        for k, rows in enumerate(bodies_move(figure, own)):
            moves[span.body_of_link[k]] = np.zeros((6, forest.nv))
            moves[span.body_of_link[k]][:, span.v] = rows
    one, other = (list(span.body_of_link) for span in forest.spans)
    ends = [(one[0], one[-1], 6, 0), (one[2], other[-1], 3, 0), (other[1], -1, 2, 1), (one[1], one[3], 3, 1)]
    blocks, rows = [], []
    for a, b, count, bounded in ends:
        blocks.append([a, b, len(rows), count, bounded])
        for n in range(count):
            low, high = (-np.inf, np.inf) if not bounded else [(0.0, np.inf), (-0.05, 0.02), (-np.inf, 0.0)][n]
            soft = 0.0 if n % 2 else rng.uniform(0.01, 0.1)
            rows.append([*rng.normal(size=12), rng.normal(), soft, low, high, np.clip(0.1 * rng.normal(), low, high)])
    rows[7][:14] = np.array(rows[8][:14]) * [*[2.0] * 13, 0.0]  # hard, and the same as another
    rows[8][13] = 0.0
    given = np.array(rows)
    table = np.zeros((len(rows), forest.nv))
    for a, b, first, count, _ in blocks:
        for n in range(first, first + count):
            table[n] = given[n, :6] @ moves[a] + (given[n, 6:12] @ moves[b] if b >= 0 else 0.0)
    reply = np.linalg.solve(mass, table.T)
    problem = Problem(
        table @ reply + np.diag(given[:, 13]), table @ np.linalg.solve(mass, free) + given[:, 12], given[:, 14],
        given[:, 15],
    )  # fmt: skip
    truth = direct(problem)
    assert truth.converged
    solved = given.copy()
    worst = solve_links(
        forest.ints, forest.floats, state, forest.work.new_floats(), forest.work.new_ints(),
        np.zeros(MOST * LinkRow.SIZE), np.zeros(len(blocks) * SIDE * SIDE),
        np.zeros(len(blocks) * LinkInts.SIZE, np.int64), np.zeros(MOST, np.int64), np.array(blocks), solved, H, 20000,
    )  # fmt: skip
    assert worst < 1e-20
    impulse = solved[:, 16]
    np.testing.assert_allclose(reply @ impulse, reply @ truth.lam, atol=1e-9)
    kept = np.setdiff1d(np.arange(len(rows)), [7, 8])  # of two that say the same, only the sum is known
    np.testing.assert_allclose(impulse[kept], truth.lam[kept], atol=1e-9)
    assert np.all((impulse >= given[:, 14]) & (impulse <= given[:, 15]))
    at_bound = (impulse == given[:, 14]) | (impulse == given[:, 15])
    assert 0 < np.count_nonzero(at_bound[9:]) < 5, "bounded rows both rest at a bound and act"
