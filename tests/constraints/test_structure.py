"""Islands and envelopes, against graphs and dense systems; rows of intervals; friction shared anew."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from hitogata.constraints import envelope, islands, limits, manifolds
from hitogata.spatial import Vec3
from tests.constraints.plain import Flat, plain

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("seed", range(8))
def test_islands_are_the_connected_parts_in_order(seed):
    rng = np.random.default_rng(seed)
    blocks, joint_rows, points = (int(n) for n in rng.integers(1, 40, 3))
    ends = rng.integers(0, blocks, (points, 2))
    to_world = rng.random(points) < 0.3
    touches = [SimpleNamespace(first=8 * b, last=8 * b + 8, body=0, chained=0) for b in range(blocks)]
    layout = islands.Islands.layout(blocks=blocks, joint_rows=joint_rows, points=points)
    own = layout.open(ints=layout.new_ints())
    rows = SimpleNamespace(
        islands=own, touch=touches, speed=SimpleNamespace(width=1),
        joint_int=[SimpleNamespace(first=8 * int(b), chained=0) for b in rng.integers(0, blocks, joint_rows)],
        point_int=[SimpleNamespace(touch_a=int(a), touch_b=-1 if w else int(b))
                   for (a, b), w in zip(ends, to_world, strict=True)],
    )  # fmt: skip
    scene = SimpleNamespace(tree=SimpleNamespace(joint=[SimpleNamespace(depth=3, count=3)]))
    count = plain(islands.find_islands)(scene, rows, joint_rows, blocks, points, 8 * blocks, True)
    a, b = ends[~to_world].T if points else ([], [])
    expected, label = connected_components(coo_matrix((np.ones(len(a)), (a, b)), (blocks, blocks)), directed=False)
    assert count == expected
    number = own.number[:blocks]
    assert len({*zip(number.tolist(), label.tolist(), strict=True)}) == count
    first_tree = [number.tolist().index(n) for n in range(count)]
    assert first_tree == sorted(first_tree)
    for k, (start, order, tree_of) in enumerate((
        (own.joint_start, own.joint, [r.first // 8 for r in rows.joint_int]),
        (own.point_start, own.point, [r.touch_a for r in rows.point_int]),
    )):  # fmt: skip
        found = [order[i] for n in range(count) for i in range(start[n], start[n + 1])]
        assert sorted(found) == list(range((joint_rows, points)[k]))
        for n in range(count):
            part = [order[i] for i in range(start[n], start[n + 1])]
            assert part == sorted(part)
            assert {int(number[tree_of[i]]) for i in part} <= {n}
    assert plain(islands.find_islands)(scene, rows, joint_rows, blocks, points, 8 * blocks, False) == 1


def test_islands_of_many_touched_bodies_are_heaps():
    n = islands.MANY
    for depth, kind in ((1, islands.CHAINED), (20, islands.HEAP)):
        touches = [SimpleNamespace(first=0, last=36, body=0, chained=-1) for _ in range(n)]
        layout = islands.Islands.layout(blocks=1, joint_rows=0, points=0)
        own = layout.open(ints=layout.new_ints())
        rows = SimpleNamespace(islands=own, touch=touches, speed=SimpleNamespace(width=1), joint_int=[], point_int=[])
        scene = SimpleNamespace(tree=SimpleNamespace(joint=[SimpleNamespace(depth=depth, count=1)]))
        plain(islands.find_islands)(scene, rows, 0, n, 0, 8, True)
        assert own.heap[0] == kind
        assert {t.chained for t in touches} == {int(kind == islands.CHAINED)}
        rows.speed.width = 8
        plain(islands.find_islands)(scene, rows, 0, n, 0, 8, True)
        assert own.heap[0] == 0, "side by side none is"


@pytest.mark.parametrize("lopsided", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_elimination_within_an_envelope_is_a_dense_solve(n, lopsided):
    end = np.maximum.accumulate(np.minimum(np.arange(n) + RNG.integers(0, 6, n), n - 1))
    start, at = np.zeros(n, int), 0
    for i in range(n):
        start[i], at = at - i, at + end[i] - i + 1 + 3
    dense, room = np.zeros((n, n)), at + 8
    own = SimpleNamespace(
        upper=Flat(np.full(room, 7.0)), lower=Flat(np.full(room, 7.0)), right=Flat(np.ones(n)), step=Flat(np.zeros(n)),
        start=Flat(start), end=Flat(end),
    )  # fmt: skip
    plain(envelope.clear)(own, n)
    assert own.right.numbers.max() == 0.0
    for i in range(n):
        for j in range(i, end[i] + 1):
            up = RNG.normal() + (12.0 if i == j else 0.0)
            more = RNG.normal() if lopsided and i != j else 0.0
            own.upper[start[i] + j] = up
            own.lower[start[i] + j] = more  # by how much the lower half differs
            dense[i, j], dense[j, i] = up, up + more
    own.right.numbers[:] = right = RNG.normal(size=n)
    plain(envelope.eliminate)(own, n, lopsided)
    np.testing.assert_allclose(own.step.numbers, np.linalg.solve(dense, right), rtol=1e-9, atol=1e-12)


def test_rows_of_an_interval_are_those_that_are_near():
    law = SimpleNamespace(h=0.01, range_margin=0.05, hard_wall=0.2, warm=0.9)
    wall = SimpleNamespace(wall_stiffness=1e3, wall_damping=1.0, soft=SimpleNamespace(mobility=0.0))
    limit = SimpleNamespace(low=-0.5, high=0.4)
    near = (0.0, 0.0, []), (-0.48, 0.0, [6]), (0.37, 0.0, [7]), (0.5, 0.0, [7]), (0.0, 30.0, [6, 7])
    for value, rate, slots in near:
        rows = SimpleNamespace(joint=[SimpleNamespace() for _ in range(3)],
                               joint_int=[SimpleNamespace() for _ in range(3)])  # fmt: skip
        impulses = Flat(np.arange(10.0))
        count = plain(limits.find_interval)(rows, 0, 3, limit, value, rate, impulses, wall, law)
        assert [rows.joint_int[k].slot for k in range(count)] == slots
        assert impulses[6] == impulses[7] == 0.0
        for k in range(count):
            sign = 1.0 if rows.joint_int[k].slot == 6 else -1.0
            assert rows.joint[k].direction.x == sign
            assert rows.joint[k].impulse == pytest.approx(0.9 * rows.joint_int[k].slot)  # begun with the last step's
            gap = value - limit.low if sign > 0 else limit.high - value
            assert rows.joint[k].bias == pytest.approx(limits.wall_law(gap, 1e3, 1.0, 0.01, 0.2)[1])


def test_sharing_friction_keeps_force_and_torque_and_takes_self_stress_away():
    points, pressure = RNG.normal(size=(5, 3)) * [0.1, 0.1, 0.0], RNG.uniform(0.5, 2.0, 5)
    tangents = RNG.normal(size=(5, 2)) * 0.1
    given = [SimpleNamespace(normal=Vec3(0.0, 0.0, 1.0), pos=Vec3(*p), impulse=Vec3(*t, n))
             for p, t, n in zip(points, tangents, pressure, strict=True)]  # fmt: skip
    contacts = [SimpleNamespace(pair=1, body_a=0)] * 5

    def sums():
        f = np.array([[c.impulse.x, c.impulse.y, c.impulse.z] for c in given])
        return np.concatenate([f.sum(axis=0), np.cross(points, f).sum(axis=0)]), f

    before, old = sums()
    plain(manifolds.share_friction)(contacts, given, 5)
    after, new = sums()
    # axes of normal z are x and y, so impulses are world vectors here
    np.testing.assert_allclose(after, before, atol=1e-12)
    np.testing.assert_array_equal(new[:, 2], old[:, 2])
    assert np.abs(new - old).max() > 1e-3
    once = new.copy()
    plain(manifolds.share_friction)(contacts, given, 5)
    np.testing.assert_allclose(sums()[1], once, atol=1e-12)
