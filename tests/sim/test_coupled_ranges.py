"""Ranges over several joints in worlds."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import FigureBuilder, MassProperties, State, joint
from hitogata.library import human28
from hitogata.rom.coupled import Angle, Axis, CoupledRange, Field, Polytope, Position, SwingTwist, box
from hitogata.rom.coupled.distance import distances_from_sign, grid_points, spline_weights
from hitogata.sim import Coordinates, Settings, World, WorldBatch
from tests.sim.test_energy import greatest_gain


def shoulder_and_elbow(kind):
    """A cone and twist that widen as the elbow bends; as a field, and as faces."""
    charts = SwingTwist("shoulder", (0, 0, -1)), Angle("elbow")
    if kind == "faces":
        rows = [[1, 0, 0, 0.3], [-1, 0, 0, 0.3], [0, 1, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, -1, 0], [0, 0, 0, 1],
                [0, 0, 0, -1]]  # fmt: skip
        return CoupledRange(charts, Polytope(rows, [0.8, 0.8, 0.5, 0.5, 0.8, 0.8, -0.05, 2.5]), name=kind)
    axes = [Axis(-2.1, 2.1, 16), Axis(-2.1, 2.1, 16), Axis(-np.pi, np.pi, 24, True), Axis(-3.0, 0.4, 14)]
    a, b, twist, elbow = grid_points(axes).T
    f = np.minimum.reduce([0.7 - 0.25 * elbow - np.hypot(a, b), 0.8 - np.abs(twist), -0.05 - elbow, elbow + 2.5])
    distance = distances_from_sign(axes, f.reshape([axis.count for axis in axes]))
    return CoupledRange(charts, Field(axes, spline_weights(axes, distance)), name=kind)


RANGES = {kind: shoulder_and_elbow(kind) for kind in ("field", "faces")}


def arm(range_, damping=1.0):
    """Upper arm and forearm of human28."""
    human, builder = human28(), FigureBuilder("arm")
    upper, fore = (human.links[human.joint_index(name)] for name in ("shoulder_left", "elbow_left"))
    builder.add("upper", None, replace(upper.joint, range=None, damping=damping, name="shoulder"), upper.mass)
    builder.add("fore", "upper", replace(fore.joint, range=None, damping=damping, name="elbow"), fore.mass)
    return builder.build().with_coupled(range_)


def inside(range_, rng):
    """A pose well within the range."""
    while True:
        q = np.append(rng.normal(size=4) * (3, 1, 1, 1), rng.uniform(-2.4, -0.1))
        q[:4] /= np.linalg.norm(q[:4])
        if range_.room(q) > 0.03:
            return q


@pytest.mark.parametrize("kind", RANGES)
def test_500_newtons_at_the_elbow(kind):
    """At once, held for two seconds at 1/60 s: beyond the wall by 0.1° at the end."""
    range_, held = RANGES[kind], []
    for direction in ((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, -1, 0), (-0.6, 0.3, -0.7)):
        world = World(gravity=(0.0, 0.0, 0.0))
        member = world.add(arm(range_), State(np.array([0.98, 0.14, 0.1414213562373093, 0, -1.0]), np.zeros(4)))
        member.pull("upper", 500.0 * np.array(direction) / np.linalg.norm(direction), at=(0, 0, -0.28))
        world.step(1 / 60, steps=100)
        for _ in range(20):
            world.step(1 / 60)
            assert np.degrees(range_.violation(member.q).depth) < 0.1
        held.append(range_.violation(member.q).depth > 1e-4)
    assert sum(held) >= 3                                    # elsewhere the bone may point along the force


@pytest.mark.parametrize("kind", RANGES)
def test_a_wall_is_one_row_across_joints(kind):
    """What a hard wall does at a joint is along its axis: no work along the wall."""
    range_, rng = RANGES[kind], np.random.default_rng(0)
    figure = arm(range_, 0.0)
    from hitogata.dynamics import mass_matrix

    q = inside(range_, rng)
    axis = np.zeros(4)
    for _ in range(200):
        v = range_.violation(q)
        q, axis = range_.moved(q[None], -v.axis[None] * min(0.02, -v.depth + 1e-12))[0], v.axis
        if v.depth > -1e-6:
            break
    world = World(gravity=(0.0, 0.0, 0.0), settings=Settings(range_stiffness=np.inf))
    speed = -2.0 * axis / (axis @ axis) + rng.normal(size=4) * 0.1
    member = world.add(figure, State(q, speed))
    world.step(1e-5)
    pushed = mass_matrix(figure, q) @ (member.v - speed)
    assert np.linalg.norm(pushed) > 0.1
    off = pushed - axis * (pushed @ axis) / (axis @ axis)
    assert np.linalg.norm(off) < 0.01 * np.linalg.norm(pushed)
    assert axis @ member.v > -1e-2


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize("h", [1 / 240, 1 / 60, 1 / 30])
def test_passive_arms_gain_no_energy(kind, h):
    range_, rng = RANGES[kind], np.random.default_rng(7)
    for _ in range(4):
        world = World()
        world.add(arm(range_, 0.0), State(inside(range_, rng), rng.normal(size=4) * 4.0))
        assert greatest_gain(world, h, 80) < 0.01


def test_worlds_side_by_side_do_what_single_ones_do():
    range_, rng = RANGES["field"], np.random.default_rng(3)
    world = World()
    member = world.add(arm(range_))
    member.state = start = State(inside(range_, rng), rng.normal(size=4))
    batch, forces = WorldBatch(world, 4), rng.normal(size=(4, 3)) * 100.0
    batch.members[0].pull("fore", forces)
    batch.step(1 / 60, steps=40)
    met = False
    for k, force in enumerate(forces):
        member.state = start
        member.pull("fore", force)
        for _ in range(40):
            world.step(1 / 60)
            met = met or range_.violation(member.q).depth > 0.0
        assert np.abs(batch.members[0].q[k] - member.q).max() < 1e-7
    assert met                                               # a wall: else this would say nothing of them


def test_a_body_that_slides_and_turns():
    """A shoulder blade on the ribs: where it may be depends on how it is turned."""
    charts = Position("blade"), SwingTwist("blade", (1, 0, 0))
    rows = np.zeros((4, 6))
    rows[0, [0, 5]], rows[1, 0], rows[2, 1], rows[3, 1] = (1, 0.5), -1, 1, -1
    range_ = CoupledRange(charts, Polytope(rows, [0.2, 0.2, 0.3, 0.3]), length=0.1, name="blade on ribs")
    builder = FigureBuilder("scapula")
    builder.add("blade", None, joint.free(damping=2.0), MassProperties.principal(0.5, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(builder.build().with_coupled(range_))
    member.pull("blade", (500.0, 300.0, 0.0))
    world.step(1 / 60, steps=120)
    assert abs(range_.violation(member.q).depth * range_.length) < 5e-4
    y = range_.coordinates(member.q)[0]
    assert y @ rows[0] == pytest.approx(0.2, abs=0.01)
    assert y[1] == pytest.approx(0.3, abs=0.01)


def test_what_a_figure_refuses():
    range_ = RANGES["faces"]
    builder = FigureBuilder("one")
    builder.add("upper", None, joint.ball(name="shoulder"), MassProperties.principal(1.0, (0, 0, 0), (1, 1, 1)))
    one = builder.build()
    with pytest.raises(FigureError, match="no joint 'elbow'"):
        one.with_coupled(range_)
    with pytest.raises(FigureError, match="not between the root and"):
        human28().with_coupled(CoupledRange((Angle("elbow_left"), Angle("elbow_right")), box((0, 1), (0, 1))))
    with pytest.raises(FigureError, match="which is a hinge joint"):
        arm(range_).with_coupled(CoupledRange((SwingTwist("elbow"),), box((0, 1), None, None)))
    world = World(coordinates=Coordinates.MAXIMAL)
    world.add(arm(range_))
    with pytest.raises(ArgumentError, match="reduced coordinates"):
        world.step(1 / 60)


def test_a_hip_that_depends_on_the_knee():
    """In a whole figure, on the ground, with other ranges: hamstrings let the hip flex less with a straight knee."""
    human = human28()
    charts = SwingTwist("hip_left", (0, 0, -1)), Angle("knee_left")
    frame = charts[0].frame.reshape(3, 3)
    forward = frame[1:] @ np.array([1.0, 0.0, 0.0])
    rows = [[*forward, 0.0, -0.6]]
    range_ = CoupledRange(charts, Polytope(rows, [1.0]), name="hamstrings")
    figure = human.with_coupled(range_)
    world = World(gravity=(0.0, 0.0, 0.0))
    member = world.add(figure)
    at = np.r_[figure.q_slice("hip_left"), figure.q_slice("knee_left")]
    target = figure.neutral()
    target[figure.q_slice("hip_left")] = np.cos(1.0), 0.0, -np.sin(1.0), 0.0
    member.set_motor(400.0, 40.0)
    member.set_target(target)
    hips = []
    for knee in (0.0, 0.9):
        target[figure.q_slice("knee_left")] = knee
        member.set_target(target)
        world.step(1 / 60, steps=120)
        assert abs(range_.violation(member.q[at]).depth) < np.radians(0.3)
        hips.append(2.0 * np.arcsin(-member.q[figure.q_slice("hip_left")][2]))
    assert hips[1] - hips[0] > 0.3
