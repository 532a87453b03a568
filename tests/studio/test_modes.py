"""What modes do to a stage, without a page."""

import gc
import math
import weakref

import numpy as np
import pytest

from hitogata.contact import distance
from hitogata.dynamics import centre_of_mass, difference, energy, momentum
from hitogata.errors import ArgumentError
from hitogata.figure import Pose, Sphere, State, Trajectory
from hitogata.library import human28, pendulum, virtual_human
from hitogata.rom import ConeRegion, RangeOfMotion
from hitogata.studio.modes.motion import Playing
from hitogata.studio.modes.physics import MOST_THINGS, Physics
from hitogata.studio.modes.pose import Posing
from hitogata.studio.scenery import Floor, Thing, floor_shapes
from hitogata.studio.stage import Stage

H = 1 / 60


def point_of(stage, copy, link, point):
    matrix = stage.poses().matrices[copy, link]
    return matrix[:, :3] @ point + matrix[:, 3]


def frames(mode, count):
    for _ in range(count):
        mode.advance(H)


@pytest.fixture
def stage():
    return Stage(virtual_human())


# ------------------------------------------------------- stage


def test_copies_stand_apart(stage):
    stage.set_count(7)
    places = stage.poses().position[:, 0, :2]
    gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
    assert gaps[~np.eye(7, dtype=bool)].min() > 0.6
    np.testing.assert_allclose(places[0], 0.0, atol=1e-12)


def test_a_fixed_figure_has_no_copies():
    stage = Stage(pendulum())
    with pytest.raises(ArgumentError, match="fixed to the world"):
        stage.set_count(2)
    assert stage.count == 1


def test_ranges_on_and_off(stage):
    joint = stage.figure.joint_index("shoulder_left")
    assert stage.figure.links[joint].joint.range is stage.original.links[joint].joint.range
    stage.switch_range("shoulder_left", False)
    assert stage.figure.links[joint].joint.range is None
    assert stage.figure.links[stage.figure.joint_index("shoulder_right")].joint.range is not None
    stage.switch_ranges(False)
    assert all(stage.figure.links[stage.figure.joint_index(name)].joint.range is None for name in stage.edits)
    stage.switch_ranges(True)
    stage.switch_range("shoulder_left", True)
    assert stage.figure == stage.original
    with pytest.raises(ArgumentError, match="no ball joint 'elbow_left'"):
        stage.switch_range("elbow_left", False)


@pytest.mark.parametrize("floor", Floor, ids=lambda floor: floor.name)
def test_every_floor_passes_under_the_feet(floor):
    """The origin is on its surface, or free above it."""
    gaps = [distance(Sphere(0.05), Pose((0, 0, 0.06)), shape, Pose()) for shape in floor_shapes(floor)]
    assert min(gaps, default=0.0) > -1e-9
    assert min(gaps, default=0.0) < 0.02


# ------------------------------------------------------- pose


def test_dragged_hand_follows_and_pins_hold(stage):
    mode = Posing(stage)
    feet = dict(mode.pins)
    assert len(feet) == 2  # pinned from the beginning
    hand = stage.figure.link_index("hand_left")
    grabbed = point_of(stage, 0, hand, np.array([0.0, 0.0, -0.1]))
    mode.grab("me", 0, hand, grabbed)
    mode.lead("me", grabbed + [0.3, 0.1, 0.4])
    frames(mode, 120)
    np.testing.assert_allclose(point_of(stage, 0, hand, mode.grips["me"].point), grabbed + [0.3, 0.1, 0.4], atol=0.02)
    for (_, link), pin in feet.items():
        np.testing.assert_allclose(point_of(stage, 0, link, pin.point), pin.place, atol=1e-4)
    mode.let_go("me")
    before = stage.q.copy()
    frames(mode, 120)
    np.testing.assert_allclose(stage.q, before, atol=5e-3)  # it stays where it was left


def test_out_of_reach_pins_hold_or_give_way(stage):
    errors = []
    for firm in (True, False):
        stage.set_count(1)
        mode = Posing(stage, firm=firm)
        hand = stage.figure.link_index("hand_left")
        grabbed = point_of(stage, 0, hand, np.zeros(3))
        mode.grab("me", 0, hand, grabbed)
        mode.lead("me", grabbed + [0.0, 3.0, 0.0])
        frames(mode, 240)
        errors.append(max(np.linalg.norm(point_of(stage, 0, k, p.point) - p.place) for (_, k), p in mode.pins.items()))
    assert errors[0] < 2e-3
    assert errors[1] > 0.5


def test_an_arm_moves_before_the_trunk(stage):
    """Within its reach a hand is raised by the arm; out of it the trunk helps; back again, and it stands as before."""
    mode, figure = Posing(stage), stage.figure
    hand, chest = figure.link_index("hand_left"), figure.link_index("chest")
    place, upright = point_of(stage, 0, hand, np.zeros(3)), stage.poses().rotation[0, chest]
    mode.grab("me", 0, hand, place)

    def lead(way):
        worst = 0.0
        mode.lead("me", place + way)
        for _ in range(240):
            before = stage.q[0].copy()
            mode.advance(H)
            worst = max(worst, np.abs(difference(figure, before, stage.q[0])).max())
        turned = np.trace(upright.T @ stage.poses().rotation[0, chest])
        missed = np.linalg.norm(point_of(stage, 0, hand, np.zeros(3)) - place - way)
        return math.degrees(math.acos(min(1.0, (turned - 1) / 2))), missed, math.degrees(worst)

    for way, least, most in (([0.3, 0.2, 0.6], 0.0, 5.0), ([1.1, 0.1, 0.3], 8.0, 90.0), ([0.3, 0.2, 0.6], 0.0, 5.0)):
        turned, missed, worst = lead(np.array(way))
        assert least <= turned < most
        assert missed < 1e-3
        assert worst < 5.0


def test_hips_follow_a_drag(stage):
    """A link of the trunk that is dragged itself moves readily; feet stay."""
    mode, hips = Posing(stage), 0
    place = point_of(stage, 0, hips, np.zeros(3))
    mode.grab("me", 0, hips, place)
    mode.lead("me", place + [0.05, 0.05, -0.03])
    frames(mode, 90)
    np.testing.assert_allclose(point_of(stage, 0, hips, np.zeros(3)), place + [0.05, 0.05, -0.03], atol=2e-3)
    for (_, link), pin in mode.pins.items():
        np.testing.assert_allclose(point_of(stage, 0, link, pin.point), pin.place, atol=1e-3)


def test_click_pins_and_lets_loose(stage):
    mode = Posing(stage)
    head = stage.figure.link_index("head")
    mode.click(0, head, np.zeros(3))
    assert (0, head) in mode.pins
    assert mode.painted()[0, head] == "pin"
    hand = stage.figure.link_index("hand_right")
    mode.grab("me", 0, hand, point_of(stage, 0, hand, np.zeros(3)))
    mode.lead("me", [0.4, -0.3, 1.2])
    frames(mode, 90)
    pin = mode.pins[0, head]
    np.testing.assert_allclose(point_of(stage, 0, head, pin.point), pin.place, atol=1e-3)
    mode.click(0, head, np.zeros(3))
    assert (0, head) not in mode.pins
    mode.clear_pins()
    assert mode.pins == {} and mode.marks() == []  # noqa: PT018


def test_a_narrower_range_holds_the_pose(stage):
    """A cone that closes takes the arm along."""
    mode = Posing(stage)
    hand = stage.figure.link_index("hand_left")
    mode.grab("me", 0, hand, point_of(stage, 0, hand, np.zeros(3)))
    mode.lead("me", [0.5, 0.3, 1.3])
    frames(mode, 90)
    mode.let_go("me")
    bone = np.array([0.0, 0.0, -1.0])
    for angle in (1.0, 0.6, 0.2):
        range_ = RangeOfMotion(ConeRegion(bone, angle))
        stage.set_range("shoulder_left", range_)
        mode.refigure()
        frames(mode, 45)
        quat = stage.q[0, stage.figure.q_slice("shoulder_left")]
        assert range_.violation(quat).swing_depth < 1e-6
    pointing = range_.swing_twist(quat)[0]
    assert math.acos(pointing @ bone) == pytest.approx(0.2, abs=1e-3)  # it stands at the wall


def test_balance(stage):
    mode = Posing(stage)
    mode.set_balance(True)
    mode.unpin(0, stage.figure.link_index("foot_left"))
    frames(mode, 120)
    foot = mode.pins[0, stage.figure.link_index("foot_right")].place
    centre = centre_of_mass(stage.figure, stage.q[0])
    assert np.linalg.norm(centre[:2] - foot[:2]) < 0.03  # over the foot that is left
    mode.set_balance(False)
    mode.clear_pins()
    mode.set_balance(True)
    frames(mode, 10)
    assert np.isfinite(stage.q).all()


@pytest.mark.parametrize("seconds", [1 / 60, 0.05, 0.1])
def test_a_hand_follows_also_when_frames_are_slow(stage, seconds):
    """From an arm that hangs straight, up along it, in one jump of the pointer."""
    mode = Posing(stage)
    hand = stage.figure.link_index("hand_left")
    place = point_of(stage, 0, hand, (0.0, 0.0, -0.06))
    goal = place + [-0.15, 0.05, 0.6]
    mode.grab("me", 0, hand, place)
    mode.lead("me", goal)
    for _ in range(round(2.0 / seconds)):
        mode.advance(seconds)
    np.testing.assert_allclose(point_of(stage, 0, hand, mode.grips["me"].point), goal, atol=0.02)


# ------------------------------------------------------- physics


def test_bounce(stage):
    """A figure that is let fall flies up again if the ground is bouncy, and does not if it is not."""
    highest = {}
    for bounce in (0.0, 0.8):
        mode = Physics(stage, bounce=bounce, stiffness=1e5)
        for member in mode.members:
            lifted = member.q.copy()
            lifted[2] += 0.3
            member.state = State(lifted, np.zeros(stage.figure.nv))
        heights = []
        for _ in range(90):
            mode.advance(H)
            heights.append(stage.q[0, 2])
        landed = int(np.argmin(heights[:30]))
        highest[bounce] = max(heights[landed:]) - heights[landed]
        stage.set_count(1)
    assert highest[0.8] > highest[0.0] + 0.05


def test_it_stands(stage):
    mode = Physics(stage)
    frames(mode, 120)
    assert mode.time == pytest.approx(2.0)
    assert stage.q[0, 2] > 0.85


@pytest.mark.parametrize("step", [1 / 240, 1 / 60, 0.1])
def test_push_gives_its_impulse(stage, step):
    """Without ground and gravity, momentum is what the push gave."""
    stage.floor = Floor.NONE
    mode = Physics(stage, gravity=0.0, step=step, stiffness=200.0)
    mode.push_link(0, stage.figure.link_index("chest"), np.array([3.0, -1.0, 2.0]))
    frames(mode, 30)
    member = mode.members[0]
    linear = momentum(stage.figure, member.q, member.v)[..., 3:]
    np.testing.assert_allclose(linear, [3.0, -1.0, 2.0], rtol=0.02, atol=0.02)


def test_spring_of_the_mouse_pulls(stage):
    mode = Physics(stage)
    hand = stage.figure.link_index("hand_left")
    mode.grab("me", 0, hand, point_of(stage, 0, hand, np.array([0.0, 0.0, -0.1])))
    to = np.array([0.4, 0.4, 1.1])
    mode.lead("me", to)
    frames(mode, 120)
    assert np.linalg.norm(point_of(stage, 0, hand, mode.grips["me"].point) - to) < 0.25
    mode.let_go("me")
    assert mode.world.ties == []
    frames(mode, 60)
    assert np.isfinite(stage.q).all()


def test_all_laws_can_change_while_it_moves(stage):
    mode = Physics(stage)
    frames(mode, 20)
    before = stage.q.copy()
    mode.change(gravity=3.0, friction=0.2, contact_stiffness=1e4, stiffness=0.0, step=0.1, push=5.0, speed=0.9)
    np.testing.assert_array_equal(mode.members[0].q, before[0])
    assert mode.world.gravity == (0.0, 0.0, -3.0)
    frames(mode, 180)  # from balance: the stiller it stood, the later it begins to fall
    assert np.isfinite(stage.q).all()
    assert stage.q[0, 2] < 0.8  # limp: it went down


def test_worlds_that_are_over_keep_no_memory(stage):
    """Their arrays go at once, not when Python next looks for circles of references."""
    stage.set_count(3)
    mode = Physics(stage)
    mode.throw(Thing.BALL, np.array([2.0, 0.0, 1.0]), np.zeros(3))
    gc.disable()
    try:
        for end in (lambda: mode.change(gravity=5.0), mode.rest, mode.close):
            frames(mode, 2)
            arrays = weakref.ref(mode.world.arrays)
            end()
            assert arrays() is None
    finally:
        gc.enable()


def test_energy_of_free_fall(stage):
    """What the gauges plot: kinetic energy grows by what potential energy loses."""
    stage.floor = Floor.NONE
    mode = Physics(stage)
    frames(mode, 40)
    found = energy(stage.figure, mode.members[0].q, mode.velocity())
    assert found.kinetic == pytest.approx(0.5 * 73.0 * (9.81 * mode.time) ** 2, rel=0.05)


def test_things_are_thrown_and_go(stage):
    mode = Physics(stage)
    for _ in range(MOST_THINGS + 3):
        mode.throw(Thing.BALL, np.array([1.5, 0.0, 1.2]), np.array([-6.0, 0.0, 1.0]))
        frames(mode, 2)
    assert len(mode.things) == MOST_THINGS
    assert mode.thing_states(Thing.BALL).shape == (MOST_THINGS, 7)
    assert mode.thing_states(Thing.BOX).shape == (0, 7)
    frames(mode, 60)
    assert np.isfinite(mode.thing_states(Thing.BALL)).all()
    mode.clear_things()
    assert len(mode.world.members) == 1


def test_hard_wall_gives_way_less_than_a_soft_one():
    """A cone before the body holds an arm up against its weight; the softer, the deeper it sinks."""
    depths = []
    for stiffness in (5.0, math.inf):
        stage, joint = Stage(virtual_human(fixed_base=True)), "shoulder_left"
        stage.set_range(joint, RangeOfMotion(ConeRegion((1.0, 0.0, 0.0), 0.3), bone=(0.0, 0.0, -1.0)))
        stage.edits[joint].stiffness = stiffness
        mode = Physics(stage)
        mode.members[0].set_motor(0.0, 1.0, [joint])
        frames(mode, 180)
        quat = stage.q[0, stage.figure.q_slice(joint)]
        depths.append(stage.edits[joint].range.violation(quat).swing_depth)
    assert depths[1] < 0.02
    assert depths[0] > depths[1] + 0.05


def test_slope_makes_it_slide(stage):
    stage.floor = Floor.STEEP
    mode = Physics(stage, friction=0.05)
    frames(mode, 60)
    assert stage.q[0, 0] < -0.05  # down the slope, which rises forwards


# ------------------------------------------------------- motion


@pytest.fixture
def walk():
    figure = human28()
    time = np.arange(0.0, 1.0, 1 / 30)
    q = np.tile(figure.neutral(), (len(time), 1))
    q[:, 0] = 0.5 * time
    return figure, Trajectory(time + 3.0, q, np.zeros((len(time), figure.nv)), figure_name="human28")


def test_plays_in_real_time_and_loops(walk):
    figure, motion = walk
    stage = Stage(figure)
    mode = Playing(stage, motion=motion)
    frames(mode, 31)
    assert mode.player.time == pytest.approx(0.5, abs=0.04)
    assert stage.q[0, 0] == pytest.approx(0.25, abs=0.02)
    frames(mode, 60)
    assert mode.player.time < 0.6  # it began again
    mode.loop = False
    frames(mode, 90)
    assert mode.player.done
    assert not mode.playing


def test_scrub(walk):
    figure, motion = walk
    mode = Playing(Stage(figure), motion=motion, playing=False)
    mode.seek(0.7)
    assert mode.stage.q[0, 0] == pytest.approx(0.35)
    frames(mode, 10)
    assert mode.stage.q[0, 0] == pytest.approx(0.35)
    mode.seek(99.0)
    assert mode.player.done


def test_a_pass_changes_the_motion_and_can_be_undone(walk):
    figure, motion = walk
    stage = Stage(figure)
    mode = Playing(stage, motion=motion)
    hand = figure.link_index("forearm_left")
    frames(mode, 6)
    mode.grab("me", 0, hand, point_of(stage, 0, hand, np.zeros(3)))
    mode.lead("me", point_of(stage, 0, hand, np.zeros(3)) + [0.2, 0.2, 0.3])
    frames(mode, 30)
    mode.let_go("me")
    frames(mode, 60)  # round the corner: the pass is kept
    assert len(mode.passes) == 1
    changed = mode.changed()
    assert np.abs(changed.q - motion.q).max() > 0.1
    mode.undo()
    np.testing.assert_array_equal(mode.changed().q, motion.q)


def drag_paused(mode, link, way):
    """Drag a link of a paused motion by a way [m]."""
    place = point_of(mode.stage, 0, link, np.zeros(3))
    mode.grab("me", 0, link, place)
    mode.lead("me", place + way)
    frames(mode, 60)
    mode.let_go("me")


def test_paused_is_editable(walk):
    """A hand dragged on a paused frame stays there; around it the change falls off; feet stand; keys move and go."""
    figure, motion = walk
    mode = Playing(Stage(figure), motion=motion, playing=False, fall_off=0.2)
    mode.seek(0.5)
    hand = figure.link_index("forearm_left")
    place = point_of(mode.stage, 0, hand, np.zeros(3))
    drag_paused(mode, hand, np.array([0.15, 0.1, 0.15]))
    np.testing.assert_allclose(point_of(mode.stage, 0, hand, np.zeros(3)), place + [0.15, 0.1, 0.15], atol=2e-3)
    assert [key.time for key in mode.keyframes] == [mode.player.time]
    changed = np.abs(difference(figure, motion.q, mode.motion.q)).max(axis=1)
    assert changed[mode.player.index] > 0.2
    np.testing.assert_allclose(changed[np.abs(mode.motion.time - mode.player.time) > 0.21], 0, atol=1e-9)
    assert 0.01 < changed[mode.player.index + 2] < changed[mode.player.index]
    drag_paused(mode, hand, np.array([0.0, 0.0, 0.05]))  # the same keyframe again
    assert len(mode.keyframes) == 1
    mode.move_keyframe(0, 0.8)
    assert mode.keyframes[0].time == pytest.approx(0.8, abs=0.02)
    mode.spread_keyframe(0, 0.1)
    assert (np.abs(difference(figure, motion.q, mode.motion.q)).max(axis=1) > 1e-9).sum() < 8
    mode.delete_keyframe(0)
    np.testing.assert_allclose(difference(figure, motion.q, mode.motion.q), 0, atol=1e-12)
    for _ in range(5):
        mode.undo()
    np.testing.assert_array_equal(mode.motion.q, motion.q)
    with pytest.raises(IndexError):
        mode.move_keyframe(3, 0.1)


def test_a_clicked_link_stays_in_the_world(walk):
    figure, motion = walk
    stage = Stage(figure)
    mode = Playing(stage, motion=motion)
    frames(mode, 10)
    hand = figure.link_index("forearm_right")
    mode.click(0, hand, np.zeros(3))
    fixed = mode.fixed[hand]
    frames(mode, 20)
    np.testing.assert_allclose(point_of(stage, 0, hand, fixed.point), fixed.place, atol=2e-3)
    mode.click(0, hand, np.zeros(3))
    assert mode.fixed == {}


def test_motion_must_fit(walk):
    _, motion = walk
    with pytest.raises(ArgumentError, match="needs"):
        Playing(Stage(virtual_human()), motion=motion)


def test_states_are_not_shared_between_modes(stage):
    mode = Physics(stage)
    frames(mode, 5)
    Posing(stage)
    assert State(stage.q[0], np.zeros(stage.figure.nv)).q is not mode.members[0].q
