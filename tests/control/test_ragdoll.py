"""Active ragdolls: balance, falling, getting up, following, switching without a jump."""

import numpy as np
import pytest

from hitogata.control import Body, Mode, Ragdoll, Reference, Transition, solve
from hitogata.control.balance import convex_hull, inside
from hitogata.control.reference import Moment
from hitogata.control.whole_body import Task, led, turn_between
from hitogata.dynamics import difference, forward_dynamics, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.library import bear, virtual_human
from hitogata.library.samples import sample_walk
from hitogata.sim import World
from hitogata.spatial import quat_exp, quat_to_matrix

H = 1 / 120
FIGURE = virtual_human()


@pytest.fixture
def doll() -> Ragdoll:
    world = World()
    world.add_ground()
    return Ragdoll(world, FIGURE, at=(0.5, -0.2), facing=0.4)


def go(doll: Ragdoll, seconds: float) -> list[Mode]:
    modes = []
    for _ in range(round(seconds / H)):
        doll.update(H)
        doll.world.step(H)
        modes.append(doll.mode)
    return modes


def push(doll: Ragdoll, link: str, impulse: float, angle: float, then: float) -> list[Mode]:
    doll.member.pull(link, (10 * impulse * np.cos(angle), 10 * impulse * np.sin(angle), 0.0))
    modes = go(doll, 0.1)
    doll.member.pull(link)
    return modes + go(doll, then)


@pytest.mark.parametrize("angle", [0.0, 2.2, 4.0])
def test_it_withstands_pushes_that_topple_motors_alone(doll, angle):
    """Motors alone fall at 12 N s."""
    go(doll, 0.2)
    modes = push(doll, "pelvis", 30.0, angle, 1.5)
    assert set(modes) == {Mode.BALANCING}
    assert doll.member.q[2] > 0.8
    assert np.abs(doll.member.v[3:6]).max() < 0.3
    np.testing.assert_array_equal(doll.assist, 0.0)  # by its own motors


def test_a_harder_push_takes_a_step(doll):
    go(doll, 0.2)
    modes = push(doll, "pelvis", 50.0, 1.6, 1.5)
    assert set(modes) == {Mode.BALANCING}
    assert doll._balance.steps >= 1


def test_hit_too_hard_it_falls_inside_its_ranges_lies_and_gets_up(doll):
    modes = push(doll, "chest", 150.0, 0.0, 1.5)
    assert Mode.FALLING in modes
    balls = [link.joint for link in FIGURE.links if link.joint.kind.value == "ball"]
    beyond = [ball.range.violation(doll.member.q[FIGURE.q_slice(ball.name)]) for ball in balls]
    assert max(max(v.swing_depth, v.twist_depth) for v in beyond) < np.radians(2.0)
    doll.get_up()
    modes = go(doll, 5.5)
    assert Mode.RISING in modes
    assert doll.mode is Mode.BALANCING
    assert doll.member.q[2] > 0.75


def test_torques_stay_in_their_limits_and_parts_can_be_limp(doll):
    doll.set_strength(0.0, ["shoulder_left", "elbow_left"])
    doll.member.pull("chest", (300.0, 0.0, 0.0))
    for _ in range(30):
        doll.update(H)
        given = doll.member._arrays.controls_of(doll.member).push
        assert (np.abs(given[6:]) <= doll._limits[6:] + 1e-9).all()
        np.testing.assert_array_equal(given[FIGURE.v_slice("elbow_left")], 0.0)
        doll.world.step(H)


def test_no_jump_between_animation_and_physics(doll):
    walk = sample_walk()
    go(doll, 0.1)
    for switch in (lambda: doll.animate(walk), lambda: doll.follow(walk, start=0.3), doll.stand):
        q, v = doll.member.q, doll.member.v
        switch()
        doll.update(H)
        doll.world.step(H)
        moved = difference(FIGURE, q, doll.member.q)
        assert np.abs(moved - H * v).max() < 0.08  # what accelerations of a tick do, no more
    assert np.isfinite(doll.member.q).all()


def test_it_follows_a_pose_with_its_root_motor(doll):
    goal = doll.member.q
    goal[FIGURE.q_slice("shoulder_left")] = quat_exp(np.array([0.0, -1.2, 0.0]))
    still = Trajectory(np.array([0.0, 1.0]), np.tile(goal, (2, 1)), np.zeros((2, FIGURE.nv)))
    doll.follow(still, here=False, blend=0.3)
    go(doll, 1.0)
    off = difference(FIGURE, doll.member.q, goal)
    assert np.abs(off).max() < 0.15
    assert doll.mode is Mode.FOLLOWING


# ------------------------------------------------------- the parts


def test_whole_body_forces_and_torques_obey_the_equation_of_motion():
    from hitogata.control.poses import standing

    body, rng = Body(FIGURE, ("foot_left", "foot_right")), np.random.default_rng(0)
    q, v = standing(FIGURE), 0.1 * rng.normal(size=FIGURE.nv)
    body.look(q, v)
    eye = np.eye(FIGURE.nv)
    feet = [(0, slice(None)), (1, slice(None))]
    tasks = [Task(eye, rng.normal(size=FIGURE.nv), 0.1), body.com_task(np.array([0.3, 0.0, 0.1]), 10.0)]
    out = solve(body, tasks, feet, 0.6)
    assert (out.force[:, 2] >= 0).all()
    assert (np.abs(out.force[:, :2]) <= 0.6 * out.force[:, 2:] + 1e-9).all()
    wrenches = np.zeros((FIGURE.nlinks, 6))
    for (foot, _), forces in zip(feet, np.split(out.force, 2), strict=True):
        link = body.foot_links[foot]
        arms = body.corners[foot] - body.poses.position[link]
        wrenches[link] = [*np.cross(arms, forces).sum(0), *forces.sum(0)]
    vdot = forward_dynamics(FIGURE, q, v, out.tau, wrenches=wrenches)
    np.testing.assert_allclose(vdot, out.vdot, atol=2e-2 * np.abs(out.vdot).max())  # the root's equation is weighted
    np.testing.assert_allclose(body.inertia[3:6] @ out.vdot / body.mass + body.bias[3:6] / body.mass - [0, 0, 9.81],
                               [0.3, 0.0, 0.1], atol=0.1)  # fmt: skip


def test_the_root_motor_gives_what_feet_cannot_up_to_its_limits():
    body = Body(FIGURE, ("foot_left", "foot_right"))
    body.look(FIGURE.neutral(), np.zeros(FIGURE.nv))
    still = np.zeros(FIGURE.nv)
    vdot, _, motor = led(body, still, [], 0.6, (1e4, 1e4))
    np.testing.assert_allclose(motor[3:], [0, 0, 9.81 * FIGURE.mass], rtol=2e-3)
    np.testing.assert_allclose(vdot, 0.0, atol=1e-9)
    vdot, _, motor = led(body, still, [], 0.6, (300.0, 50.0))
    assert np.linalg.norm(motor[3:]) == pytest.approx(300.0)
    assert vdot[5] < -4.0


def test_references_loop_without_a_jump_and_transitions_begin_where_it_is():
    walk = sample_walk()
    reference = Reference(FIGURE, walk, loop=True)
    before, after = reference.at(reference.length - 1e-6), reference.at(reference.length + 1e-6)
    assert np.abs(difference(FIGURE, before.q, after.q)[3:5]).max() < 0.01
    rng = np.random.default_rng(1)
    moment = reference.at(0.5)
    start = integrate(FIGURE, moment.q, 0.2 * rng.normal(size=FIGURE.nv)), moment.v + rng.normal(size=FIGURE.nv)
    fading = Transition(FIGURE, start, (moment.q, moment.v), 0.4)
    first = fading.apply(moment)
    np.testing.assert_allclose(difference(FIGURE, first.q, start[0]), 0.0, atol=1e-9)
    np.testing.assert_allclose(first.v, start[1], atol=1e-9)
    fading.time, e = 0.2, 1e-5
    still = Moment(moment.q, np.zeros(FIGURE.nv), np.zeros(FIGURE.nv))
    one = fading.apply(still)
    fading.time += e
    two = fading.apply(still)
    off = [difference(FIGURE, still.q, m.q) for m in (one, two)]
    np.testing.assert_allclose((off[1] - off[0]) / e, one.v, atol=1e-3)
    np.testing.assert_allclose((two.v - one.v) / e, one.vdot, atol=1e-2)
    fading.time = 0.5
    assert fading.apply(moment) is moment


def test_nearest_points_of_hulls():
    rng = np.random.default_rng(2)
    for _ in range(50):
        points = rng.normal(size=(8, 2))
        hull, p = convex_hull(points), rng.normal(size=2) * 2
        nearest = inside(points, p, 0.0)
        edges = np.roll(hull, -1, axis=0) - hull
        t = np.clip(((p - hull) * edges).sum(1) / (edges**2).sum(1), 0, 1)
        least = np.linalg.norm(hull + t[:, None] * edges - p, axis=1).min()
        crossed = edges[:, 0] * (p - hull)[:, 1] - edges[:, 1] * (p - hull)[:, 0]
        wanted = 0.0 if (crossed >= 0).all() else least
        assert np.linalg.norm(nearest - p) == pytest.approx(wanted, abs=0.15 * wanted + 1e-9)


def test_turns_between_matrices():
    rng = np.random.default_rng(3)
    for size in (1e-12, 0.3, 3.0):
        axis = rng.normal(size=3)
        turn = size * axis / np.linalg.norm(axis)
        start = quat_to_matrix(quat_exp(rng.normal(size=3)))
        np.testing.assert_allclose(turn_between(start, quat_to_matrix(quat_exp(turn)) @ start), turn, atol=1e-9)


def test_bad_input(doll):
    with pytest.raises(ArgumentError, match="Box"):
        Body(FIGURE, ("hand_left", "head"))
    with pytest.raises(ArgumentError, match="short"):
        doll.follow(Trajectory(np.array([0.0, 0.001]), np.tile(FIGURE.neutral(), (2, 1)), np.zeros((2, FIGURE.nv))))
    with pytest.raises(ArgumentError, match="blend"):
        doll.follow(sample_walk(), blend=0.0)
    with pytest.raises(Exception, match="foot_left"):
        Ragdoll(doll.world, bear())
    with pytest.raises(Exception, match="tail"):
        doll.set_strength(0.5, ["tail"])
    assert doll.mode is Mode.BALANCING
