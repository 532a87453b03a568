"""Ranges over the coordinates of several joints."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from hitogata.errors import RangeError
from hitogata.lanes import X1, X4, X8, aligned_zeros
from hitogata.rom.coupled import Angle, Axis, CoupledRange, Field, Polytope, Position, SwingTwist, box, entries, star
from hitogata.rom.coupled.distance import distances_from_sign, grid_points, spline_weights
from hitogata.rom.coupled.fit import fit_coupled
from tests.rom.poses import random_quats, wxyz

ARM = SwingTwist("shoulder", (0.0, 0.6, -0.8)), Angle("elbow")


def arm_sign(y):
    """A cone and twist that widen with the elbow."""
    a, b, twist, elbow = np.moveaxis(y, -1, 0)
    return np.minimum.reduce([0.5 + 0.35 * elbow - np.hypot(a, b), 0.6 + 0.2 * elbow - np.abs(twist - 0.3)])


def field(sign, axes):
    values = distances_from_sign(axes, sign(grid_points(axes)).reshape([a.count for a in axes]))
    return Field(axes, spline_weights(axes, values))


def ranges():
    axes = [Axis(-2.1, 2.1, 15), Axis(-2.1, 2.1, 15), Axis(-np.pi, np.pi, 20, True), Axis(-0.2, 2.6, 9)]
    faces = Polytope([[1, 0, 0, -0.4], [-1, 0.3, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, -1]], [1, 1, 0.8, 2.4, 0])
    mixed = SwingTwist("blade", (0, 0, 1)), Position("blade")
    return {
        "field": CoupledRange(ARM, field(arm_sign, axes), name="arm"),
        "faces": CoupledRange(ARM, faces),
        "box": CoupledRange(ARM, box((-0.7, 0.5), (-0.4, 0.6), None, (0.0, 2.0))),
        "mixed": CoupledRange(mixed, Polytope([[1, 0, 0, 0.5, 0, 0], [0, 0, 1, 0, 0, 1], [0, -1, 0, 0, 1, 0]],
                                              [0.4, 0.5, 0.3]), length=0.1),
        "slider": CoupledRange((Angle("hinge"), Angle("slide", metres=True)), box((-1, 1), (-2, 3)), length=0.05),
    }  # fmt: skip


RANGES = ranges()


def poses(range_, n=400, seed=0):
    rng, parts = np.random.default_rng(seed), []
    for c in range_.charts:
        if c.nq == 4:
            parts.append(random_quats(n, seed))
        else:
            parts.append(rng.uniform(0, 2.4, (n, c.nq)) * (range_.length if c.nq == 3 else 1.0))
    return np.concatenate(parts, 1)


@pytest.mark.parametrize("name", RANGES)
def test_axis_is_the_rate_of_the_room(name):
    """Where the field's slope changes little, the axis is what finite differences say, in direction and length."""
    range_ = RANGES[name]
    q = poses(range_, 800)
    v = range_.violation(q)
    y = range_.coordinates(q)
    near = (np.abs(v.depth) < 0.02) if name == "field" else np.ones(len(q), bool)
    near &= np.hypot(*y[:, :2].T) < 1.8
    far_from_edges = np.ones(len(q), bool)
    assert near.sum() > 5
    h, rate = 1e-6, np.empty((len(q), range_.dofs))
    for k in range(range_.dofs):
        way = np.zeros((1, range_.dofs))
        way[0, k] = h
        rate[:, k] = (range_.violation(range_.moved(q, way)).depth - range_.violation(range_.moved(q, -way)).depth)
    rate /= -2 * h
    # depth is d/|slope|: along the row it grows by the row's square, but for the change of the slope's length
    cos = (rate * v.axis).sum(1) / np.linalg.norm(rate, axis=1) / np.linalg.norm(v.axis, axis=1)
    good = near & far_from_edges & (np.abs(v.depth) < 0.05)
    assert cos[good].min() > 0.99
    scale = np.abs(rate - v.axis)[good].max(0) / np.linalg.norm(v.axis[good], axis=1).max()
    assert scale.max() < 0.25


@pytest.mark.parametrize("name", RANGES)
def test_all_widths_agree(name):
    range_ = RANGES[name]
    q, outs = poses(range_, 64), []
    for width, dtype in ((X1, np.float64), (X4, np.float64), (X8, np.float32)):
        out, work = np.empty((64, 1 + range_.dofs), dtype), aligned_zeros((4, 96 * width.n), dtype)
        entries.room_rows(np.ascontiguousarray(q, dtype), range_.flat.astype(dtype), out, work, width)
        outs.append(out)
    assert np.abs(outs[0] - outs[1]).max() < 1e-12
    near = np.abs(outs[0][:, 0]) < 0.5
    assert np.abs(outs[0] - outs[2])[near].max() < 2e-4


@pytest.mark.parametrize("name", RANGES)
def test_nearest_is_allowed_and_near(name):
    range_ = RANGES[name]
    q = poses(range_, 300, 1)
    inside, held = range_.contains(q), range_.nearest(q)
    assert range_.contains(held).all()
    assert (held[inside] == q[inside]).all()
    assert (range_.nearest(held) == held).all()


def test_room_of_a_box_of_plain_coordinates():
    """Signed distance to the nearest face, lengths in units of `length`."""
    range_ = RANGES["slider"]
    q = np.random.default_rng(0).uniform((-2, -0.2), (2, 0.3), (500, 2))
    y = q / (1.0, 0.05)
    room = np.minimum.reduce([y[:, 0] + 1, 1 - y[:, 0], y[:, 1] + 2, 3 - y[:, 1]])
    assert np.abs(range_.room(q) - room).max() < 1e-12
    assert np.abs(range_.coordinates(q) - y).max() < 1e-12
    one = range_.violation(q[0])
    assert one.depth == -room[0]


def test_nearest_on_a_field_is_about_the_nearest():
    """Beside a general optimiser, from poses a little outside."""
    range_ = RANGES["field"]
    q = poses(range_, 400, 2)
    depth = range_.violation(q).depth
    for pose in q[(depth > 0.02) & (depth < 0.15)][:5]:
        held = range_.nearest(pose)
        went = np.linalg.norm(range_._between(pose[None], held[None]))
        found = minimize(
            lambda m: m @ m, range_._between(pose[None], held[None])[0], method="SLSQP",
            constraints={"type": "ineq", "fun": lambda m, pose=pose: range_.room(range_.moved(pose[None], m[None]))[0]},
        )  # fmt: skip
        assert went < 1.15 * np.sqrt(found.fun) + 1e-3


def test_charts_and_back():
    chart = ARM[0]
    q = random_quats(500, 4)
    y = chart.coordinates(q, 1.0)
    back = chart.poses(y, 1.0)
    assert np.abs(np.abs((back * q).sum(1)) - 1).max() < 1e-12
    bone = Rotation.from_quat(q[:, [1, 2, 3, 0]]).apply(chart.bone)
    angle = np.arccos(np.clip(bone @ np.array(chart.bone), -1, 1))
    assert np.abs(np.hypot(y[:, 0], y[:, 1]) - 2 * np.sin(angle / 2)).max() < 1e-7


def test_memory_holds_where_the_way_leaves():
    """A thin wall: the pose beyond is allowed, and held before it."""
    axes = [Axis(-1.0, 1.0, 81), Axis(-1.0, 1.0, 21)]
    wall = CoupledRange(
        (Angle("a"), Angle("b")), field(lambda y: np.abs(y[:, 0] - 0.3 * y[:, 1]) - 0.05, axes), name="thin wall"
    )
    last, now = np.array([-0.4, 0.0]), np.array([0.5, 0.2])
    assert wall.contains(now)
    v = wall.violation_from(last, now)
    assert v.passed
    assert abs(v.held[0] - 0.3 * v.held[1] + 0.05) < 5e-3
    assert v.depth == pytest.approx(np.linalg.norm(now - v.held))
    assert v.axis @ (v.held - now) > 0.999 * v.depth
    free = wall.violation_from(last, [-0.3, 0.4])
    assert not free.passed
    assert (free.held == [-0.3, 0.4]).all()
    beyond = wall.violation_from(last, [-0.02, 0.0])
    assert not beyond.passed
    assert wall.contains(beyond.held)
    assert beyond.held[0] < -0.04


def test_a_star_shape():
    axes, turn = [Axis(-1.6, 1.6, 41), Axis(-1.6, 1.6, 41)], np.linspace(0, 2 * np.pi, 24, endpoint=False)
    region = star(axes, (0.1, 0.0), np.stack([np.cos(turn), np.sin(turn)], 1), 1.0 + 0.3 * np.cos(2 * turn))
    range_ = CoupledRange((Angle("a"), Angle("b")), region)
    for w, far in zip(turn, 1.0 + 0.3 * np.cos(2 * turn), strict=True):
        way = np.array([np.cos(w), np.sin(w)])
        assert range_.contains(np.array([0.1, 0]) + way * (far - 0.05))
        assert not range_.contains(np.array([0.1, 0]) + way * (far + 0.05))


@pytest.mark.parametrize("name", RANGES)
def test_files(name, tmp_path):
    range_ = RANGES[name]
    range_.save(tmp_path / "range.json")
    again = CoupledRange.load(tmp_path / "range.json")
    assert again.to_dict() == range_.to_dict()
    assert (again.flat == range_.flat).all()


def labelled(n, seed):
    rng = np.random.default_rng(seed)
    swing = Rotation.from_rotvec(rng.normal(size=(n, 3)) * 0.8)
    return np.column_stack([wxyz(swing), rng.uniform(0.0, 2.4, n)])


def test_fit_to_reached_and_forbidden_poses():
    truth = CoupledRange(ARM, box(*[(-1, 1)] * 4))
    q, unseen = labelled(6000, 0), labelled(4000, 1)
    good, real = (arm_sign(truth.coordinates(p)) > 0 for p in (q, unseen))
    fit = fit_coupled(ARM, q[good], q[~good], spacing=0.35)
    told = fit.range.contains(unseen)
    assert (told & real).sum() / (told | real).sum() > 0.85
    assert not fit.ignored
    assert fit.error < 0.08


def test_fit_finds_that_a_joint_does_not_matter():
    charts = Angle("a"), Angle("b"), Angle("c")
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (3000, 3))
    good = np.hypot(q[:, 0], q[:, 2] + 0.2 * q[:, 0]) < 0.7
    fit = fit_coupled(charts, q[good], q[~good], spacing=0.15)
    assert fit.ignored == ("b",)


def test_fit_to_reached_poses_only():
    charts = Angle("a"), Angle("b")
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (4000, 2))
    reached = q[np.abs(q[:, 1] - q[:, 0] ** 2) < 0.3]
    fit = fit_coupled(charts, reached, spacing=0.05)
    unseen = rng.uniform(-1.5, 1.5, (4000, 2))
    real = (np.abs(unseen[:, 1] - unseen[:, 0] ** 2) < 0.3) & (np.abs(unseen) < 1).all(1)
    told = fit.range.contains(unseen)
    assert (told & real).sum() / (told | real).sum() > 0.8
    assert 0.01 < fit.gap < 0.3


@pytest.mark.parametrize(("make", "message"), [
    (lambda: CoupledRange(ARM, box((0, 1))), "charts have 4 coordinates .1 to 6., the region 1"),
    (lambda: CoupledRange((Angle("a"), Angle("a")), box((0, 1), (0, 1))), "joint 'a' twice"),
    (lambda: CoupledRange(Angle("a"), box((0, 1)), length=0.0), "length = 0.0"),
    (lambda: Polytope([[1, 0], [-1, 0]], [0, -1]), "nothing fulfils"),
    (lambda: Polytope([[0, 0]], [1]), "normal 0 is zero"),
    (lambda: Polytope([[np.nan]], [1]), "shape"),
    (lambda: Axis(0, 1, 2), "at least 3"),
    (lambda: Axis(0, 1, 9, True), "no whole turn"),
    (lambda: Field([Axis(0, 1, 3)], [0, np.inf, 1]), "finite"),
    (lambda: Angle("a", index=6), "index 0 to 5"),
    (lambda: Angle("a", index=-1), "index 0 to 5"),
    (lambda: SwingTwist("a", (0, 0, 2)), "length 2"),
    (lambda: RANGES["box"].room([1.0, 0, 0, 0]), "shape"),
    (lambda: RANGES["box"].room([2.0, 0, 0, 0, 0]), "not of length 1"),
    (lambda: CoupledRange.from_dict({"charts": []}), "fields"),
    (lambda: CoupledRange.from_dict({"charts": [{"kind": "Spin"}], "region": {}}), "unknown chart"),
    (lambda: fit_coupled((Angle("a"),), np.zeros((9, 1))), "at least 100 poses"),
])  # fmt: skip
def test_bad_input(make, message):
    with pytest.raises(RangeError, match=message):
        make()
