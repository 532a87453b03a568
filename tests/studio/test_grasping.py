"""Hands on a bar, and contact by states, without a page; and their controls."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.library import bear, human28, human40, virtual_human
from hitogata.sim import ContactMethod, Settings, World
from hitogata.studio import StudioOptions
from hitogata.studio.contact_words import contact_table, hand_line, tally_line
from hitogata.studio.modes.hands import hand_frames
from hitogata.studio.modes.physics import Physics
from hitogata.studio.modes.pose import Posing
from hitogata.studio.scenery import bar_at
from hitogata.studio.stage import Stage

H = 1 / 60
SIDES = {"left": 0.25, "right": -0.25}


def frames(mode, count):
    for _ in range(count):
        mode.advance(H)


def palm(stage, side):
    """Link of a hand, and where its palm is [m]."""
    link, pose = stage.figure.frame(f"palm_{side}")
    matrix = stage.poses().matrices[0, link]
    return link, matrix[:, :3] @ pose.position + matrix[:, 3]


@pytest.fixture(scope="module")
def raised():
    """Coordinates of a human who stands with raised arms, posed as by two mice."""
    stage = Stage(virtual_human())
    mode = Posing(stage)
    start = {side: palm(stage, side) for side in SIDES}
    for side, (link, place) in start.items():
        mode.grab(side, 0, link, place)
    for share in np.clip(np.arange(150) / 120, 0.0, 1.0):
        for side, (_, place) in start.items():
            goal = np.array([0.05, SIDES[side], 2.0])
            mode.lead(side, place + (goal - place) * share + [0.5 * np.sin(np.pi * share), 0.0, 0.0])
        mode.advance(H)
    return stage.q.copy()


@pytest.fixture
def stage(raised):
    stage = Stage(virtual_human())
    stage.q[:] = raised
    stage.bar = bar_at(2.1)
    return stage


def reach_up(mode, *, height=2.15, sides=SIDES, count=90):
    """Both hands are dragged against the bar from below, and are still held by the mouse."""
    for side in sides:
        link, place = palm(mode.stage, side)
        mode.grab(side, 0, link, place)
        mode.lead(side, [0.0, SIDES[side], height])
    frames(mode, count)


def let_go(mode, sides=SIDES):
    for side in sides:
        mode.let_go(side)


def test_which_links_are_hands():
    assert set(hand_frames(human28()).values()) == {"grip_left", "grip_right"}
    assert set(hand_frames(human40()).values()) == {"palm_left", "palm_right"}
    for figure in (human28(), human40(), virtual_human(), bear()):
        names = [figure.link_names[k] for k in hand_frames(figure)]
        assert not any(word in name for name in names for word in ("foot", "head", "thigh"))


def test_hands_hang_by_the_mouse_and_let_go(stage):
    """Lifted by both hands to a bar out of reach; hanging, they carry all; a click opens a hand."""
    stage.bar = bar_at(2.3)
    mode = Physics(stage, stiffness=300.0)
    reach_up(mode, height=2.5, count=180)
    hands = [palm(stage, side)[0] for side in SIDES]
    assert mode.painted() == {(0, link): "near" for link in hands}
    let_go(mode)
    assert set(mode.hands.grasps) == {(0, link) for link in hands}
    assert mode.painted() == {(0, link): "grasp" for link in hands}
    assert mode.world.ties == [tie for held in mode.hands.grasps.values() for tie in held.ties]  # no spring of a mouse
    up = []
    for _ in range(300):
        mode.advance(H)
        up.append(sum(held.force[2] for held in mode.hands.grasps.values()))
    assert np.mean(up[-120:]) == pytest.approx(9.81 * stage.figure.mass, rel=0.03)  # it swings a little
    assert mode.news == []
    feet = forward_kinematics(stage.figure, stage.q[0]).position[[stage.figure.link_index("foot_left")]]
    assert feet[0, 2] > 0.15
    assert "hand_left" in hand_line(mode.hands.grasps.values())
    place = palm(stage, "left")[1]
    mode.change(gravity=12.0, friction=0.5)  # another world: hands hold still
    assert len(mode.hands.grasps) == 2
    frames(mode, 30)
    np.testing.assert_allclose(palm(stage, "left")[1], place, atol=0.03)
    mode.click(0, hands[0], np.array([0.0, 0.0, 0.0]))
    assert list(mode.hands.grasps) == [(0, hands[1])]
    frames(mode, 30)
    assert mode.hands.grasps[0, hands[1]].force[2] > 300.0
    mode.hands.open_all()
    height = stage.q[0, 2]
    frames(mode, 20)
    assert stage.q[0, 2] < height - 0.1
    assert mode.world.ties == []


def test_a_weak_hand_slips_and_says_so(stage):
    stage.bar = bar_at(2.3)
    mode = Physics(stage, stiffness=300.0)
    reach_up(mode, height=2.5, count=180)
    let_go(mode)
    assert len(mode.hands.grasps) == 2
    frames(mode, 60)
    assert len(mode.hands.grasps) == 2
    mode.change(strength=200.0)
    frames(mode, 60)
    assert mode.hands.grasps == {}
    titles = [title for title, _ in mode.news]
    assert titles == ["A hand slipped off the bar"] * 2
    assert "it can hold 200 N" in mode.news[0][1]


def test_what_does_not_grasp(stage):
    mode = Physics(stage, grasping=False)
    reach_up(mode)
    assert "near" not in mode.painted().values()
    let_go(mode)
    assert mode.hands.grasps == {}
    mode.change(grasping=True)
    reach_up(mode)
    mode.refigure()  # the mouse loses it: nobody let go at the bar
    assert mode.hands.grasps == {}
    head = stage.figure.link_index("head")
    stage.bar = bar_at(float(stage.poses().position[0, head, 2]) + 0.1)  # through the head, which is no hand
    mode.refigure()
    mode.grab("me", 0, head, stage.poses().position[0, head])
    mode.let_go("me")
    assert mode.hands.grasps == {}
    stage.bar = None
    mode.refigure()
    reach_up(mode)
    let_go(mode)
    assert mode.hands.grasps == {}


def test_a_hand_at_the_bar_closes_by_a_click(stage):
    mode = Physics(stage, grasping=False)
    reach_up(mode, sides=["left"])
    let_go(mode, ["left"])
    mode.change(grasping=True)
    link = palm(stage, "left")[0]
    mode.click(0, link, np.array([1.0, 0.0, 0.0]))
    assert list(mode.hands.grasps) == [(0, link)]
    assert mode._pushes == []
    mode.click(0, stage.figure.link_index("chest"), np.array([1.0, 0.0, 0.0]))
    assert len(mode._pushes) == 1  # all others are pushed


@pytest.mark.parametrize("end", ["rest", "other bar", "no bar", "copies"])
def test_hands_let_go_when_what_they_hold_is_gone(stage, end):
    mode = Physics(stage)
    reach_up(mode)
    let_go(mode)
    assert len(mode.hands.grasps) == 2
    if end == "rest":
        mode.rest()
    elif end == "copies":
        stage.set_count(2)
        mode.refigure()
    else:
        stage.bar = None if end == "no bar" else bar_at(1.9)
        mode.refigure()
    assert mode.hands.grasps == {}
    assert mode.world.ties == []
    frames(mode, 5)


# ------------------------------------------------------- contact by states


def test_contacts_by_states_from_where_it_is():
    stage = Stage(virtual_human())
    mode = Physics(stage)
    frames(mode, 30)
    before = mode.members[0].state
    mode.change(contacts=ContactMethod.STATES)
    np.testing.assert_allclose(mode.members[0].state.q, before.q, rtol=0, atol=1e-15)  # quaternions: unit again
    np.testing.assert_array_equal(mode.members[0].state.v, before.v)
    assert contact_table(mode.world.contact_patches(), mode.members[0]) == "Nothing touches."  # no step yet
    assert tally_line(mode.world.contact_tally) == "No contacts so far."
    frames(mode, 60)
    table = contact_table(mode.world.contact_patches(), mode.members[0]).splitlines()
    feet = [row for row in table if "foot_left – ground" in row or "foot_right – ground" in row]
    assert len(feet) == 2
    assert all("| surface | stick |" in row for row in feet)
    pressed = sum(float(row.split("|")[4]) for row in feet)
    assert pressed == pytest.approx(9.81 * stage.figure.mass, rel=0.05)
    tally = mode.world.contact_tally
    assert f"of {tally.islands}" in tally_line(tally)
    assert sum(tally.passes) + tally.swept + tally.too_large == tally.islands > 50
    mode.change(contacts=ContactMethod.SWEEPS)
    frames(mode, 10)
    assert stage.q[0, 2] > 0.85


def test_table_is_of_one_figure_and_short():
    """Two humans on the ground: each has its own contacts; those of the other are not listed."""
    world = World(settings=Settings(contacts=ContactMethod.STATES))
    world.add_ground()
    figure = human28()
    first, second = world.add(figure), world.add(figure)
    state = second.state
    state.q[1] += 1.5
    second.state = state
    world.step(H, steps=3)
    patches = world.contact_patches()
    assert len(patches) == 4
    for member in (first, second):
        table = contact_table(patches, member)
        assert table.count("ground") == 2
    many = contact_table(patches * 5, first)
    assert many.count("ground") == 8
    assert many.endswith("... and 2 more")


# ------------------------------------------------------- controls


def test_controls_of_bar_and_contacts(tmp_path):
    pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")
    from hitogata.studio import Studio
    from hitogata.studio.panels.page import ModeName

    studio = Studio("virtual_human", options=StudioOptions(port=0, folder=tmp_path, shadows=False))
    try:
        studio.ready = True
        studio.set_mode(ModeName.PHYSICS)
        panel = studio.page.physics
        panel.bar.value = True
        panel._set_bar(True)
        assert studio.stage.bar == bar_at(2.1)
        studio._frame(H)
        panel.strength.value, panel.grasping.value = 320.0, False
        panel._apply("")
        assert (studio.mode.strength, studio.mode.hands.strength, studio.mode.grasping) == (320.0, 320.0, False)
        world = studio.mode.world
        panel._apply("")
        assert studio.mode.world is world  # nothing changed, nothing is built anew
        panel.contacts.value = "states"
        studio.set_contacts(ContactMethod.STATES)
        for _ in range(10):
            studio._frame(H)
        panel.tick()
        assert panel.words.visible
        assert "foot_left" in panel.words.content
        assert "left to the sweeps" in panel.words.content
        studio.set_mode(ModeName.POSE)
        panel.tick()
        assert not panel.words.visible
        studio.set_mode(ModeName.PHYSICS)
        assert studio.mode.contacts is ContactMethod.STATES
        studio.mode.news.append(("A hand slipped off the bar", "hand_left"))
        studio._frame(H)
        assert studio.guard.messages[-1] == "A hand slipped off the bar: hand_left"
        assert studio.mode.news == []
        panel.bar.value = False
        panel._set_bar(False)
        assert studio.stage.bar is None
    finally:
        studio.stop()
