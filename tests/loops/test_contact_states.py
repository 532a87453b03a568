"""Contact by hypothesis and validity: friction, tipping, spinning, bouncing; never more than three passes."""

import copy
import math

import numpy as np
import pytest

from hitogata.dynamics import centre_of_mass, energy, frame_position, integrate
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Box, Capsule, Cylinder, FigureBuilder, Pose, Sphere, State, joint
from hitogata.library import human28, human40
from hitogata.loops import Links, grasp, here, link_rows, pin
from hitogata.loops.contacts import Change, ContactSettings, ContactStage, ContactState, Slip
from hitogata.loops.servo import servo
from tests.loops.test_loops_hanging import mass_acceleration

H, G = 1e-3, 9.81


def thing(*shapes, mass=2.0):
    b = FigureBuilder("thing")
    b.add("thing", None, joint.free(), shapes=shapes, total_mass=mass)
    return b.build()


def at(figure, height, v=(0, 0, 0, 0, 0, 0), quat=(1, 0, 0, 0)):
    q = figure.neutral()
    q[2], q[3:7] = height, quat
    return State(q, np.array(v, float))


def run(stage, state, seconds, **options):
    """Steps one by one; every one is resolved, in three passes at most."""
    seen = []
    for _ in range(round(seconds / H)):
        step = stage.step(state, H, **options)
        assert step.passes <= 3
        assert step.impact_passes <= 3
        assert step.unresolved == 0
        state = step.state
        seen.append(step)
    return state, seen


# ------------------------------------------------------- friction


@pytest.mark.parametrize("degrees", [5.0, 21.0, 22.5, 26.3, 26.8, 35.0])
@pytest.mark.parametrize("speed", [0.0, 0.4])
def test_incline(degrees, speed):
    """μ_D = 0.4 (21.8°), μ_S = 0.5 (26.57°): what rests slides above the second, what slides stops below the first."""
    figure, a = thing(Box((0.1, 0.1, 0.02))), math.radians(degrees)
    stage = ContactStage(figure, friction=0.4, settings=ContactSettings(static_share=1.25))
    gravity = (G * math.sin(a), 0.0, -G * math.cos(a))
    state, seen = run(stage, at(figure, 0.02, (0, 0, 0, speed, 0, 0)), 0.3, gravity=gravity)
    pull = G * (math.sin(a) - 0.4 * math.cos(a))
    if speed == 0.0 and math.tan(a) < 0.5:
        expected = 0.0
    else:
        expected = max(speed + pull * 0.3, 0.0)
    assert state.v[3] == pytest.approx(expected, abs=5e-3 if expected == 0 and speed else 1e-6)
    force = seen[-1].contacts[0].force
    assert force[2] == pytest.approx(2.0 * G * math.cos(a), rel=1e-6)
    if state.v[3] < 1e-6:
        assert seen[-1].contacts[0].slip is Slip.STICK
        assert force[0] == pytest.approx(-2.0 * G * math.sin(a), rel=1e-6)
    else:
        assert seen[-1].contacts[0].slip is Slip.SLIDE
        assert force[0] == pytest.approx(-0.4 * force[2], rel=1e-9)


def puck(radius=0.1, corners=12):
    """A disc that stands on a ring of small spheres."""
    angles = 2 * math.pi * np.arange(corners) / corners
    return thing(*[Sphere(0.01, pose=Pose((radius * math.cos(w), radius * math.sin(w), 0))) for w in angles])


def test_a_spinning_disc_is_stopped_by_friction():
    figure, spin = puck(), 12.0
    stage = ContactStage(figure, friction=0.3)
    state, seen = run(stage, at(figure, 0.01, (0, 0, spin, 0, 0, 0)), 0.2)
    lever = 2 / 3 * 0.1  # of a disc under even pressure
    inertia = figure.links[0].mass.matrix[2, 2]
    slower = 0.3 * 2.0 * G * lever / inertia * 0.2
    assert spin - state.v[2] == pytest.approx(slower, rel=0.05)  # twelve corners are not quite a disc
    assert seen[-1].contacts[0].slip is Slip.PIVOT
    state, seen = run(stage, state, 0.8)
    assert abs(state.v[2]) < 1e-9
    assert seen[-1].contacts[0].slip is Slip.STICK
    assert np.hypot(*state.q[:2]) < 1e-3


def even_disc(v, w, radius):
    """Friction of a disc under even pressure, by summing over it: share of μ N across, share of μ N R turning."""
    r, a = np.meshgrid((np.arange(400) + 0.5) / 400 * radius, (np.arange(400) + 0.5) / 400 * 2 * np.pi)
    x, y = r * np.cos(a), r * np.sin(a)
    vx, vy = v - w * y, w * x
    size = np.hypot(vx, vy)
    weight = r / r.sum()
    return (weight * vx / size).sum(), (weight * (x * vy - y * vx) / size).sum() / radius


@pytest.mark.parametrize("ratio", [0.2, 0.5, 1.0, 2.0, 5.0])
def test_sliding_while_spinning_slows_less_sideways(ratio):
    figure, spin, radius = puck(), 10.0, 0.1
    v = ratio * radius * spin
    slow = {}
    for w in (0.0, spin):
        stage = ContactStage(figure, friction=0.3)
        state, _ = run(stage, at(figure, 0.01, (0, 0, w, v, 0, 0)), 2 * H)
        slow[w] = (v - state.v[3]) / (2 * H * 0.3 * G)
    assert slow[0.0] == pytest.approx(1.0, rel=1e-6)
    assert slow[spin] < slow[0.0]
    across, _ = even_disc(v, spin, radius)
    assert slow[spin] == pytest.approx(across, abs=0.12)


# ------------------------------------------------------- edges and corners


def leaning(figure, angle, half):
    """A box that leans on its lower edge at x = +half."""
    x, z = half
    height = math.sin(angle) * x + math.cos(angle) * z
    return at(figure, height, quat=(math.cos(angle / 2), 0, math.sin(angle / 2), 0))


def test_a_box_tips_over_its_edge_and_falls_flat():
    figure = thing(Box((0.05, 0.1, 0.2)))
    stage = ContactStage(figure, friction=0.8)
    state, seen = run(stage, leaning(figure, 0.3, (0.05, 0.2)), 1.0)
    states = [s.contacts[0].state for s in seen if s.contacts]
    assert states[0] is ContactState.LINE
    first_flat = states.index(ContactState.SURFACE)
    assert all(s is ContactState.LINE for s in states[:first_flat])
    assert all(s is ContactState.SURFACE for s in states[first_flat:])
    assert state.q[2] == pytest.approx(0.05, abs=1e-6)  # on its side
    assert np.abs(state.v).max() < 1e-9
    total = [energy(figure, s.state.q, s.state.v).total for s in seen]
    assert np.diff(total).max() < 2e-3  # only taking back the overlap of the fall lifts it a little
    assert sum(s.impact_steps for s in seen) >= 1


def test_a_pull_rolls_it_onto_an_edge_and_says_why():
    figure = thing(Box((0.05, 0.1, 0.2)))
    stage = ContactStage(figure, friction=0.8)
    push = np.zeros((1, 6))
    push[0, 3] = 2.0 * G * 0.05 / 0.2 * 0.999  # at its middle: just not enough to tip it
    still = stage.step(at(figure, 0.2), H, wrenches=push)
    contact = still.contacts[0]
    assert contact.state is ContactState.SURFACE
    assert contact.pressure[0] == pytest.approx(0.05 * 0.999, abs=1e-6)
    push[0, 3] *= 1.01
    tips = stage.step(at(figure, 0.2), H, wrenches=push)
    contact = tips.contacts[0]
    assert contact.state is ContactState.LINE
    assert contact.change == Change.ROLLED
    assert contact.pressure[0] == pytest.approx(0.05, abs=1e-9)
    assert tips.passes == 2
    push[0, 5] = 50.0
    gone = stage.step(at(figure, 0.2), H, wrenches=push)
    assert gone.contacts[0].state is ContactState.NONE
    assert gone.contacts[0].change & Change.LIFTED
    np.testing.assert_allclose(gone.contacts[0].wrench, 0.0)
    assert gone.state.v[5] > 0


def test_a_corner_is_a_point_and_friction_can_fail_on_an_edge():
    figure = thing(Box((0.1, 0.1, 0.1)))
    quat = np.array([math.cos(0.4), 0.3, 0.6, 0.1])
    state = at(figure, 1.0, quat=quat / np.linalg.norm(quat))
    stage, seen = ContactStage(figure, friction=0.3), []
    for _ in range(1500):
        seen.append(stage.step(state, H))
        state = seen[-1].state
    assert max(max(s.passes, s.impact_passes) for s in seen) <= 3
    assert sum(s.unresolved for s in seen) == 0
    assert sum(s.swept for s in seen) <= 2  # an impact whose friction turns its sliding round
    states = {s.contacts[0].state for s in seen if s.contacts}
    assert {ContactState.POINT, ContactState.SURFACE} <= states
    assert np.abs(state.v).max() < 1e-6
    assert state.q[2] == pytest.approx(0.1, abs=1e-6)


# ------------------------------------------------------- round things, bouncing


def test_a_ball_rolls_without_slipping_down_an_incline():
    figure, a = thing(Sphere(0.1)), math.radians(15)
    stage = ContactStage(figure, friction=0.5)
    state, seen = run(stage, at(figure, 0.1), 0.5, gravity=(G * math.sin(a), 0, -G * math.cos(a)))
    assert state.v[3] == pytest.approx(5 / 7 * G * math.sin(a) * 0.5, rel=1e-3)
    assert state.v[1] == pytest.approx(state.v[3] / 0.1, rel=1e-6)
    assert seen[-1].contacts[0].state is ContactState.POINT
    assert state.q[2] == pytest.approx(0.1, abs=1e-6)


def test_a_capsule_lies_on_a_line():
    figure = thing(Capsule.between((-0.1, 0, 0), (0.1, 0, 0), 0.05))
    stage = ContactStage(figure, friction=0.5)
    state, seen = run(stage, at(figure, 0.05), 0.2)
    assert seen[-1].contacts[0].state is ContactState.LINE
    assert np.abs(state.v).max() < 1e-9


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_bounces(e):
    figure = thing(Sphere(0.1))
    stage = ContactStage(figure, friction=0.0, restitution=e)
    state = at(figure, 0.3)
    for _ in range(2000):
        before = state
        step = stage.step(state, H)
        state = step.state
        if step.impacts:
            break
    knock = step.impacts[0]
    assert knock.wrench[5] == pytest.approx(2.0 * (1 + e) * -before.v[5], rel=1e-9)
    assert state.v[5] == pytest.approx(-e * before.v[5] - G * H, abs=G * H + 1e-9)
    kinetic = [energy(figure, s.q, s.v).kinetic for s in (before, state)]
    assert kinetic[1] <= kinetic[0] * (1 + 1e-12)


# ------------------------------------------------------- people


def standing():
    figure = human28()
    q = figure.neutral()
    q[2] -= frame_position(figure, q, "sole_left")[2]
    return figure, State(q, np.zeros(figure.nv))


def test_human_stands_with_its_pressure_in_its_soles():
    figure, state = standing()
    target = state.q.copy()
    h = 2e-3
    springs, stage = servo(figure, 2000.0, 30.0, h), ContactStage(figure, friction=0.8)
    push = np.zeros((figure.nlinks, 6))
    for k in range(1500):
        push[figure.link_index("chest"), 3:5] = (15.0, 8.0) if 100 <= k < 400 else (0.0, 0.0)
        before = state
        step = stage.step(state, h, springs.torques(state, target), wrenches=push, figure=springs.body)
        assert step.passes <= 3
        assert step.unresolved == 0
        state = step.state
        assert {c.link for c in step.contacts} == {"foot_left", "foot_right"}
        for c in step.contacts:
            inside = np.abs(c.axes.T @ (c.pressure - c.place))[:2] <= np.abs(c.region).max(axis=0) + 1e-9
            assert inside.all()
        if k % 50 == 0:
            total = sum(c.force for c in step.contacts)
            outside = np.array([*push[:, 3:5].sum(axis=0), -figure.mass * G])
            gained = figure.mass * mass_acceleration(figure, before, step.vdot)
            np.testing.assert_allclose(total + outside, gained, atol=1e-8)
    assert np.abs(state.v).max() < 0.1
    assert centre_of_mass(figure, state.q)[2] > 0.8


def test_hands_on_a_bar_and_feet_on_the_ground():
    """Virtual links and contacts in one solve; then the hands let go."""
    figure = human40()
    q = figure.neutral()
    q[2] -= frame_position(figure, q, "sole_left")[2]
    links, left = Links(figure).add(here(figure, q, grasp("palm_left", bar=(1, 0, 0))))
    links = links.add_all(here(figure, q, pin("palm_right")))
    stage, springs = ContactStage(links), servo(figure, 1000.0, 20.0, H)
    state = State(q, np.zeros(figure.nv))
    for k in range(400):
        if k == 200:
            links = links.remove(left)
            stage.hold(links)
        step = stage.step(state, H, springs.torques(state, q), figure=springs.body)
        state = step.state
        assert step.unresolved == 0
        rows = link_rows(links, state.q, state.v)
        assert np.abs(rows.value).max() < 1e-5
    assert len(state.q) == figure.nq
    assert {c.link for c in step.contacts} == {"foot_left", "foot_right"}


def test_what_no_hypothesis_explains_gains_no_energy():
    """Rods thrown onto a rough floor, tip first: friction turns their sliding round within impacts, or jams."""
    figure, swept = thing(Box((0.3, 0.02, 0.02))), 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        quat = rng.normal(size=4)
        v = rng.normal(size=6) * [4, 4, 4, 2, 2, 1] - [0, 0, 0, 0, 0, 3]
        state = at(figure, 0.5, v, quat / np.linalg.norm(quat))
        stage, before = ContactStage(figure, friction=1.2), 0.0
        for _ in range(600):
            step = stage.step(state, H)
            kinetic, fall = energy(figure, step.state.q, step.state.v).kinetic, 2.0 * G * H * abs(state.v[5])
            if step.swept:
                assert kinetic < 1.001 * before + fall + 1e-6
            assert step.unresolved == 0
            state, swept, before = step.state, swept + step.swept, kinetic
    assert swept > 0


def test_more_contacts_than_there_is_room_for_are_an_error():
    grid = [(0.05 * i, 0.05 * j, 0.0) for i in range(17) for j in range(17)]
    many = thing(*[Sphere(0.02, pose=Pose(place)) for place in grid])
    b = FigureBuilder("centipede")
    b.add("trunk", None, joint.free(), shapes=[Sphere(0.01, pose=Pose((0, 0, 0.5)))], total_mass=1.0)
    for k in range(26):
        leg = joint.hinge(axis=(0, 1, 0), parent_frame=Pose((0.2 * k, 0, 0)), name=f"hip{k}")
        b.add(f"leg{k}", "trunk", leg, shapes=[Sphere(0.02)], total_mass=0.1)
    for figure in (many, b.build()):
        state = at(figure, 0.02, np.zeros(figure.nv))
        stage = ContactStage(figure)
        with pytest.raises(ArgumentError, match="room"):
            stage.step(state, H)
        q = state.q.copy()
        q[2] = 5.0
        assert stage.step(State(q, state.v), H).contacts == ()  # the stage is as usable as before


def test_shapes_it_does_not_know_are_refused():
    with pytest.raises(ArgumentError, match="World"):
        ContactStage(thing(Cylinder(0.1, 0.2)))


def test_a_human_falls_down_in_a_heap():
    """Many contacts at once; what three passes do not resolve is found by sweeps."""
    figure, state = standing()
    springs, stage = servo(figure, 0.0, 3.0, 2e-3), ContactStage(figure, friction=0.6)
    state = State(state.q, 0.1 * np.random.default_rng(1).normal(size=figure.nv))
    swept, unresolved = 0, 0
    for _ in range(1000):
        step = stage.step(state, 2e-3, springs.torques(state, state.q), figure=springs.body)
        state, swept, unresolved = step.state, swept + step.swept, unresolved + step.unresolved
        assert step.passes <= 3
        for c in step.contacts:
            f = c.wrench[3:]
            assert f[2] >= 0
            assert math.hypot(f[0], f[1]) <= 0.6 * f[2] * (1 + 1e-6) + 1e-9
    assert np.isfinite(state.q).all()
    assert centre_of_mass(figure, state.q)[2] < 0.5
    assert swept < 300
    assert unresolved < 300


def test_grips_carry_then_break_in_a_stage():
    """As in `test_loops_hanging`, with the contact method's step."""
    figure = human40()
    q = figure.neutral()
    q[2] += 1.0
    for side in ("left", "right"):
        q[figure.q_slice(f"shoulder_{side}")] = (0, 0, 1, 0)
    links, left = Links(figure).add(here(figure, q, grasp("palm_left", bar=(0, 1, 0))))
    links, right = links.add(here(figure, q, grasp("palm_right", bar=(0, 1, 0), force_limit=500.0)))
    stage, springs, state = ContactStage(links), servo(figure, 200.0, 10.0, H), State(q, np.zeros(figure.nv))
    for _ in range(300):
        before, step = state, stage.step(state, H, springs.torques(state, q), figure=springs.body)
        state = step.state
    assert not step.broken
    pull = sum(links[h].parent_pose.rotation @ step.wrench(h)[3:] for h in (left, right))
    gained = figure.mass * (mass_acceleration(figure, before, step.vdot) + (0, 0, G))
    np.testing.assert_allclose(pull, gained, atol=1e-8)
    stage.hold(stage.links.remove(left))
    broken = ()
    for _ in range(600):
        step = stage.step(state, H, springs.torques(state, q), figure=springs.body)
        state, broken = step.state, broken + step.broken
    assert [handle for handle, _ in broken] == [right]
    assert len(stage.links) == 0


# ------------------------------------------------------- springs of the stage


def swaying(figure, state, step):
    """A target that sways, of step n: coordinates and velocities."""
    move = 0.05 * np.sin(np.arange(figure.nv) + 0.05 * step)
    move[:6] = 0.0
    return integrate(figure, state.q, move), 2.5 * np.cos(np.arange(figure.nv) + 0.05 * step)


def test_springs_of_the_stage_are_those_of_the_servo():
    """Torques found within the steps are those that `Servo.torques` gives, beside other torques and wrenches."""
    figure, start = standing()
    springs, tau = servo(figure, 800.0, 20.0, H), np.linspace(-3.0, 3.0, figure.nv)
    tau[:6] = 0.0
    push = np.zeros((figure.nlinks, 6))
    push[figure.link_index("chest"), 4] = 20.0
    own, given = ContactStage(figure), ContactStage(figure)
    a = b = start
    for k in range(60):
        goal, pace = swaying(figure, start, k)
        pushed = {"wrenches": push} if k % 2 else {}
        a = own.step(a, H, tau, springs=springs, target=goal, velocity=pace, **pushed).state
        torques = springs.torques(b, goal, pace) + tau
        b = given.step(b, H, torques, figure=springs.body, **pushed).state
        np.testing.assert_allclose(a.q, b.q, atol=1e-10)
        np.testing.assert_allclose(a.v, b.v, atol=1e-8)
    assert np.abs(a.q - start.q).max() > 0.01


def test_springs_pull_anew_in_every_step_of_a_call():
    figure, start = standing()
    goal, _ = swaying(figure, start, 7)
    springs, many, single = servo(figure, 800.0, 20.0, H), ContactStage(figure), ContactStage(figure)
    last, state = many.step(start, H, steps=50, springs=springs, target=list(goal)), start
    for _ in range(50):
        state = single.step(state, H, springs=springs, target=goal).state
    assert last.steps == 50
    np.testing.assert_array_equal(last.state.q, state.q)
    np.testing.assert_array_equal(last.state.v, state.v)


def test_a_step_stays_what_it_was_when_others_follow():
    """Neither its state nor its reports are room that the next step writes to; nor has a copied stage the same room."""
    figure, start = standing()
    stage, springs = ContactStage(figure), servo(figure, 800.0, 20.0, H)
    goal, _ = swaying(figure, start, 7)
    step = stage.step(start, H, springs=springs, target=goal, steps=5)
    q, vdot, force = step.state.q.copy(), step.vdot.copy(), [c.force for c in step.contacts]
    twin, likewise = copy.deepcopy((stage, springs))
    next_ = stage.step(step.state, H, springs=springs, target=goal)
    np.testing.assert_array_equal(step.state.q, q)
    np.testing.assert_array_equal(step.vdot, vdot)
    np.testing.assert_array_equal([c.force for c in step.contacts], force)
    other = twin.step(step.state, H, springs=likewise, target=goal)
    np.testing.assert_array_equal(next_.state.q, other.state.q)
    assert not np.array_equal(next_.state.q, q)


def test_a_grip_that_breaks_before_something_goes_wrong_is_held_again():
    """A link breaks in the first of many steps, numbers overflow in a later one: the stage is as it was before."""
    figure, state = standing()
    links, grip = Links(figure).add(here(figure, state.q, pin("grip_left", force_limit=1e-3)))
    stage = ContactStage(links)
    tau = np.zeros(figure.nv)
    tau[figure.v_slice("elbow_left")] = -5.0
    fatal = tau.copy()
    fatal[figure.v_slice("elbow_right")] = 1e200
    with pytest.raises(HitogataError):
        stage.step(state, H, fatal, steps=50)
    assert stage.links is links
    step = stage.step(state, H, tau, steps=3)
    assert [handle for handle, _ in step.broken] == [grip]
    assert step.steps == 3


# ------------------------------------------------------- bad input


def test_bad_springs_are_named_and_change_nothing():
    figure, state = standing()
    springs, stage = servo(figure, 800.0, 20.0, H), ContactStage(figure)
    first = stage.step(state, H, springs=springs, target=state.q)
    bad, long = state.q.copy(), state.q.copy()
    bad[0] = np.nan
    long[3:7] *= 2.0
    for target, velocity, said in (
        (bad, None, r"target\[0\]"),
        (long, None, r"target.*norm 2"),
        (state.q[:-1], None, "target: expected shape"),
        (state.q, np.full(figure.nv, np.inf), r"velocity\[0\]"),
        (state.q, np.zeros(3), "velocity: expected shape"),
        (None, None, "give both"),
    ):
        with pytest.raises(ArgumentError, match=said):
            stage.step(state, H, springs=springs, target=target, velocity=velocity)
    with pytest.raises(ArgumentError, match=r"steps of 0\.001 s"):
        stage.step(state, 2 * H, springs=springs, target=state.q)
    with pytest.raises(ArgumentError, match="own figure"):
        stage.step(state, H, springs=servo(human40(), 800.0, 20.0, H), target=state.q)
    with pytest.raises(ArgumentError, match="not both"):
        stage.step(state, H, springs=springs, target=state.q, figure=springs.body)
    with pytest.raises(ArgumentError, match="batch"):
        stage.step(state, H, np.zeros((2, figure.nv)))
    again = stage.step(state, H, springs=springs, target=state.q)
    np.testing.assert_array_equal(first.state.q, again.state.q)


def test_bad_input_leaves_the_stage_as_it_was():
    figure, state = standing()
    stage = ContactStage(figure)
    first = stage.step(state, H)
    bad = state.q.copy()
    bad[2] = np.nan
    with pytest.raises(ArgumentError, match=r"q\[.*2\]"):
        stage.step(State(bad, state.v), H)
    with pytest.raises(ArgumentError, match="tau"):
        stage.step(state, H, np.full(figure.nv, np.inf))
    with pytest.raises(ArgumentError, match="h: must"):
        stage.step(state, 0.0)
    with pytest.raises(ArgumentError, match="steps"):
        stage.step(state, H, steps=0)
    with pytest.raises(ArgumentError, match="restitution"):
        ContactStage(figure, restitution=2.0)
    with pytest.raises(ArgumentError, match="static_share"):
        ContactSettings(static_share=0.5)
    with pytest.raises(ArgumentError, match="another figure"):
        stage.hold(Links(human40()))
    with pytest.raises(ArgumentError, match="no motor"):
        servo(figure, {"base": 10.0}, 1.0, H)
    again = stage.step(state, H)
    np.testing.assert_array_equal(first.state.q, again.state.q)
    np.testing.assert_array_equal(first.state.v, again.state.v)
