"""Many shapes: who may touch, sweeping, order, impulses that are carried over, room that runs out."""

import numpy as np
import pytest

from hitogata.contact import ContactFinder, Surface, compile_shapes, joined_bodies, surfaces_of
from hitogata.contact.finder import find_swept
from hitogata.contact.layout import BodyPose, Contact, ContactPoint, Pair, open_shapes
from hitogata.contact.narrowphase import find_contacts, touch, work_size
from hitogata.contact.warm_start import carry_impulses
from hitogata.dynamics import forward_kinematics
from hitogata.dynamics.batches import scratch
from hitogata.dynamics.model import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, Plane, Sphere
from hitogata.lanes import X1, X4, X8, aligned_zeros, entry, lanes, records
from hitogata.library import human28
from tests.contact.cases import rotations

KINDS = [Sphere(0.1), Capsule(0.08, 0.15), Box((0.1, 0.1, 0.15))]


def poses_of(rot, pos) -> np.ndarray:
    return np.concatenate([rot, pos[:, :, None]], axis=2)


def heap(n, rng, spacing=0.3):
    return poses_of(rotations(n, rng), rng.uniform(0, spacing * n ** (1 / 3), (n, 3)))


def surfaces(n):
    return [Surface(KINDS[i % 3], i) for i in range(n)] + [Surface(Plane())]


def test_standing_human_touches_with_eight_corners():
    figure = human28()
    q = figure.neutral()
    poses = forward_kinematics(figure, q).matrices.copy()
    poses[:, 2, 3] -= poses[figure.link_index("foot_left"), 2, 3] - 0.0795
    finder = ContactFinder([*surfaces_of(figure), Surface(Plane())], joined=joined_bodies(figure, grandparents=True))
    found = finder.find(poses)
    assert len(found) == 8
    np.testing.assert_allclose(found.gap, -0.0005, atol=1e-12)
    assert {figure.link_names[b] for b in found.bodies[:, 0]} == {"foot_left", "foot_right"}
    assert (found.bodies[:, 1] == -1).all()


def test_in_bodies_places_shapes_where_links_are():
    figure = human28()
    q = figure.random(np.random.default_rng(2))
    poses = forward_kinematics(figure, q)
    model = model_of(figure)
    bodies = np.zeros((len(model.link_poses), 3, 4))
    for link, body in enumerate(model.body_of_link):
        inverse = model.link_poses[body].inverse()
        bodies[body, :, :3] = poses.rotation[link] @ inverse.rotation
        bodies[body, :, 3] = poses.rotation[link] @ np.array(inverse.position) + poses.position[link]
    results = []
    for in_bodies, where in ((False, poses.matrices), (True, bodies)):
        finder = ContactFinder(
            [*surfaces_of(figure, in_bodies=in_bodies), Surface(Plane())],
            joined=joined_bodies(figure, in_bodies=in_bodies), margin=0.5,
        )  # fmt: skip
        results.append(finder.find(where))
    assert len(results[0]) > 10
    np.testing.assert_array_equal(results[0].shapes, results[1].shapes)
    np.testing.assert_allclose(results[0].position, results[1].position, atol=1e-12)
    np.testing.assert_allclose(results[0].gap, results[1].gap, atol=1e-12)


@pytest.mark.parametrize("n", [1, 5, 40, 150])
def test_sweeping_finds_what_testing_all_pairs_finds(n):
    """While everything moves; and a finder that starts afresh gives the same bits."""
    rng = np.random.default_rng(n)
    swept, every = ContactFinder(surfaces(n), swept=True), ContactFinder(surfaces(n), swept=False)
    poses = heap(n, rng)
    velocity = rng.normal(size=(n, 3)) * 0.05
    for _ in range(20):
        poses[:, :, 3] += velocity
        one, two, three = swept.find(poses), every.find(poses), ContactFinder(surfaces(n), swept=True).find(poses)
        for x, y, z in zip(one, two, three, strict=True):
            np.testing.assert_array_equal(x, y)
            np.testing.assert_array_equal(x, z)
        low, high = one.shapes.min(1), one.shapes.max(1)
        assert (np.diff(low * 1000 + high) >= 0).all()
    assert n < 10 or len(one) > 10


def test_sweeping_with_long_shapes_among_many():
    """Beams that span many strips, and a floor."""
    rng = np.random.default_rng(9)
    n = 160
    long = {3: Box((4.0, 0.05, 0.05)), 70: Capsule(0.05, 3.0), 71: Capsule(0.05, 3.0), 120: Box((5.0, 5.0, 0.1))}
    things = [Surface(long.get(i, KINDS[i % 3]), i) for i in range(n)]
    swept, every = ContactFinder(things, swept=True), ContactFinder(things, swept=False)
    for _ in range(10):
        poses = heap(n, rng)
        one, two = swept.find(poses), every.find(poses)
        assert len(one) > 50
        for x, y in zip(one, two, strict=True):
            np.testing.assert_array_equal(x, y)


def test_poses_that_are_no_numbers_do_not_reach_beyond_the_arrays():
    """A finder refuses them; a kernel inside a simulator that diverges must not crash on them."""
    n = 160
    finder, rng = ContactFinder(surfaces(n), swept=True), np.random.default_rng(4)
    f = finder
    for bad in (np.nan, np.inf, -np.inf, 1e300):
        flat = rng.normal(size=(n, 12))
        flat[rng.random((n, 12)) < 0.3] = bad
        pairs, count = find_swept(
            f.table.ints, f.table.floats, f.table.rules, f._order, flat, f._pairs, f._spare, f.margin, f._work,
            *f._now, 0, *f._last,
        )  # fmt: skip
        assert pairs >= 0
        assert count >= 0
    good = heap(n, rng)
    np.testing.assert_array_equal(finder.find(good).gap, ContactFinder(surfaces(n)).find(good).gap)


@pytest.mark.parametrize("swept", [False, True])
def test_who_may_touch(swept):
    ball = Sphere(1.0)
    poses = np.repeat(poses_of(np.eye(3)[None], np.zeros((1, 3))), 4, 0)

    def touching(surfaces, joined=()):
        found = ContactFinder(surfaces, joined=joined, swept=swept).find(poses)
        return [tuple(sorted(p)) for p in found.shapes.tolist()]

    assert touching([Surface(ball, i) for i in range(3)]) == [(0, 1), (0, 2), (1, 2)]
    assert touching([Surface(ball, i) for i in range(3)], [(1, 0)]) == [(0, 2), (1, 2)]
    assert touching([Surface(ball, 0), Surface(ball, 0), Surface(ball, 1)]) == [(0, 2), (1, 2)]
    assert touching([Surface(ball), Surface(ball), Surface(ball, 1)]) == [(0, 2), (1, 2)]
    assert touching([Surface(ball, 0, group=1, mask=2), Surface(ball, 1, group=2, mask=1)]) == [(0, 1)]
    assert touching([Surface(ball, 0, group=1, mask=2), Surface(ball, 1, group=2, mask=2)]) == []
    assert touching([Surface(Plane()), Surface(Plane(), 1), Surface(ball, 2)]) == [(0, 2), (1, 2)]
    assert touching([]) == []


def test_impulses_are_carried_by_pair_and_feature():
    box = Box((0.2, 0.2, 0.2))
    poses = poses_of(np.eye(3)[None].repeat(2, 0), np.array([[0, 0, 0.1995], [3, 0, 0.1995]]))
    finder = ContactFinder([Surface(box, 0), Surface(Plane()), Surface(box, 1)])
    first = finder.find(poses)
    assert len(first) == 8
    assert not first.impulse.any()
    first.impulse[:] = np.arange(24).reshape(8, 3)
    known = dict(zip(map(tuple, np.c_[first.shapes, first.feature]), first.impulse.copy(), strict=True))
    poses[0, 2, 3] += 0.02  # the first box leaves, the second moves on
    poses[1, 0, 3] += 0.01
    second = finder.find(poses)
    assert len(second) == 4
    for shapes, feature, impulse in zip(second.shapes, second.feature, second.impulse, strict=True):
        np.testing.assert_array_equal(impulse, known[(*shapes, feature)])
    poses[0, 2, 3] -= 0.02
    third = finder.find(poses)
    assert not third.impulse[:4].any()
    np.testing.assert_array_equal(third.impulse[4:], second.impulse)


@pytest.mark.parametrize("swept", [False, True])
def test_room_that_runs_out(swept):
    rng = np.random.default_rng(0)
    poses = heap(60, rng, spacing=0.2)
    finder = ContactFinder(surfaces(60), capacity=7, swept=swept)
    with pytest.raises(ArgumentError, match="room for 7"):
        finder.find(poses)


def test_bad_poses():
    finder = ContactFinder(surfaces(3))
    with pytest.raises(ArgumentError, match="shape"):
        finder.find(np.zeros((2, 3, 4)))
    bad = heap(3, np.random.default_rng(0))
    bad[1, 0, 0] = np.nan
    with pytest.raises(ArgumentError, match="body 1"):
        finder.find(bad)
    with pytest.raises(ArgumentError, match="margin"):
        ContactFinder(surfaces(3), margin=np.nan)
    with pytest.raises(ArgumentError, match="body"):
        compile_shapes([Surface(Sphere(1.0), -2)])


# ------------------------------------------------------- worlds side by side


@entry
def find_rows(ints, floats, poses, pairs, margin, old_ints, old, old_count, contacts, points, capacity, width):
    shapes = open_shapes(ints, floats)
    work = scratch(work_size(shapes.total), points, width)
    count = find_contacts(
        touch, shapes, records(poses, BodyPose, width), records(pairs, Pair, X1), pairs.shape[0], margin,
        lanes(work, width), records(contacts, Contact, X1), records(points, ContactPoint, width), capacity,
    )  # fmt: skip
    carry_impulses(
        records(old_ints, Contact, X1), records(old, ContactPoint, width), old_count, records(contacts, Contact, X1),
        records(points, ContactPoint, width), min(count, capacity),
    )  # fmt: skip
    return count + 0 * work.size


@pytest.mark.parametrize(("width", "dtype"), [(X4, np.float64), (X8, np.float64), (X8, np.float32)])
def test_worlds_side_by_side(width, dtype):
    """Each lane finds its own world's points, and carries its own impulses."""
    n, w, margin = 30, width.n, 0.01
    rng = np.random.default_rng(5)
    table = compile_shapes(surfaces(n))
    worlds = [heap(n, rng) for _ in range(w)]
    flat = np.stack([np.concatenate([p[:, :, :3].reshape(n, 9), p[:, :, 3]], 1).ravel() for p in worlds], 1)
    poses = aligned_zeros((n * 12, w), dtype)
    poses[:] = flat
    capacity = 400
    ints, old_ints = (np.zeros((capacity + 1, Contact.SIZE), np.int64) for _ in range(2))
    points, old = (aligned_zeros((capacity + 1, ContactPoint.SIZE, w), dtype) for _ in range(2))
    floats = table.floats_for(dtype)
    count = find_rows(table.ints, floats, poses, table.pairs, margin, old_ints, old, 0, ints, points, capacity, width)
    assert 0 < count < capacity
    points[:count, 8:] = rng.normal(size=(count, 3, w)) * (points[:count, 6:7] < margin)
    again_ints, again = np.zeros_like(ints), aligned_zeros(points.shape, dtype)
    assert count == find_rows(
        table.ints, floats, poses, table.pairs, margin, ints, points, count, again_ints, again, capacity, width
    )
    np.testing.assert_array_equal(again_ints, ints)
    for lane, world in enumerate(worlds):
        single = ContactFinder(surfaces(n), margin=margin).find(world)
        mine = points[:count, 6, lane] < margin
        if dtype is np.float32 and mine.sum() != len(single):
            continue  # on the border of the margin, or of two features
        np.testing.assert_array_equal(ints[:count][mine][:, 1:3], single.shapes)
        np.testing.assert_allclose(points[:count, :7, lane][mine], np.c_[single.position, single.normal, single.gap],
                                   rtol=0, atol=1e-12 if dtype is np.float64 else 1e-4)  # fmt: skip
        np.testing.assert_array_equal(again[:count, 8:, lane][mine], points[:count, 8:, lane][mine])


def test_nothing_is_written_beyond_the_capacity():
    table = compile_shapes(surfaces(30))
    poses = heap(30, np.random.default_rng(5))
    flat = np.concatenate([poses[:, :, :3].reshape(-1, 9), poses[:, :, 3]], 1)
    ints, points = np.full((40, Contact.SIZE), -7, np.int64), np.full((40, ContactPoint.SIZE), -7.0)
    count = find_rows(table.ints, table.floats, flat, table.pairs, 0.01, ints, points, 0, ints, points, 11, X1)
    assert count > 11
    assert (ints[11:] == -7).all()
    assert (points[11:] == -7).all()
    assert (ints[:11] != -7).all()
