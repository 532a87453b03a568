"""Undo history, poses in files, the history of physics, edits of a motion in the page, the time line."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from hitogata.dynamics import difference
from hitogata.errors import ArgumentError, FileFormatError
from hitogata.figure import Trajectory
from hitogata.library import human28, virtual_human
from hitogata.motion import Keyframe
from hitogata.studio import StudioOptions
from hitogata.studio.modes.motion import Playing
from hitogata.studio.modes.physics import Physics
from hitogata.studio.modes.pose import Posing
from hitogata.studio.poses import read_pose, write_pose
from hitogata.studio.scenery import Floor, Thing
from hitogata.studio.shortcuts import SHORTCUTS, sheet
from hitogata.studio.stage import Stage
from hitogata.studio.time_line import time_line
from tests.motion.steps import stepping_walk

pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A studio whose clock does not run: the tests take its frames."""
    from hitogata.studio import Studio

    studio = Studio("human28", options=StudioOptions(port=0, folder=tmp_path_factory.mktemp("out")))
    studio.ready = True
    yield studio
    studio.stop()


@pytest.fixture
def studio(opened):
    from hitogata.studio.panels.page import ModeName
    from hitogata.studio.sources import load_figure

    opened.drop_mode()
    opened.load(load_figure("human28"))
    opened.set_mode(ModeName.POSE)
    opened.undo.clear()
    return opened


def drag(studio, name, way, count=40):
    """As the mouse does it."""
    link = studio.stage.figure.link_index(name)
    matrix = studio.stage.poses().matrices[0, link]
    studio.undo._last = ("", -np.inf)  # some seconds later
    studio.undo.note("Dragging")
    studio.mode.grab("me", 0, link, matrix[:, 3])
    studio.mode.lead("me", matrix[:, 3] + way)
    for _ in range(count):
        studio._frame(1 / 60)
    studio.mode.let_go("me")


def settings(studio, panel, control, value):
    """Somebody changes a control, as the page's callback does."""
    name = next(n for n, handle in panel.controls.items() if handle is control)
    studio.undo._last = ("", -np.inf)
    before, control.value = control.value, value
    studio.undo.note("A setting", {name: before})


def test_poses_pins_and_settings_are_undone_and_done_again(studio):
    start = studio.stage.q.copy()
    drag(studio, "forearm_left", [0.2, 0.1, 0.2])
    raised = studio.stage.q.copy()
    assert np.abs(raised - start).max() > 0.1
    head = studio.stage.figure.link_index("head")
    studio.undo.note("Clicking")
    studio.mode.click(0, head, np.zeros(3))
    settings(studio, studio.page.physics, studio.page.physics.stiffness, 500)
    studio.undo.undo()
    assert studio.page.physics.stiffness.value == 2000
    assert (0, head) in studio.mode.pins
    studio.undo.undo()
    assert (0, head) not in studio.mode.pins
    assert len(studio.mode.pins) == 2
    np.testing.assert_allclose(studio.stage.q, raised)
    studio.undo.undo()
    np.testing.assert_array_equal(studio.stage.q, start)
    for _ in range(3):
        studio.undo.redo()
    assert studio.page.physics.stiffness.value == 500
    assert (0, head) in studio.mode.pins
    np.testing.assert_allclose(studio.stage.q, raised)
    said = len(studio.guard.messages)
    studio.undo.redo()  # there is nothing
    assert len(studio.guard.messages) == said + 1
    studio.undo.undo()


def test_figures_grounds_and_ranges_are_undone(studio):
    from hitogata.studio.sources import load_figure

    human = studio.stage.original
    studio.undo.note("The ground")
    studio.set_floor(Floor.SLOPE)
    studio.undo.note("Copies")
    studio.set_count(3)
    studio.load(load_figure("virtual_human"))
    joint = "shoulder_left"
    range_ = studio.stage.edits[joint].range
    studio.undo.note("Ranges")
    studio.stage.set_range(joint, None)
    studio.ranges_changed()
    for check in (
        lambda: studio.stage.edits[joint].range is range_,
        lambda: studio.stage.original is human and studio.stage.count == 3,
        lambda: studio.stage.count == 1 and studio.stage.floor is Floor.SLOPE,
        lambda: studio.stage.floor is Floor.FLAT,
    ):
        studio.undo.undo()
        assert check()
    studio._frame(1 / 60)


def test_keyframes_and_edits_are_undone(studio):
    """Paused drags, edits by the same functions as the command line, contacts: one by one, and back."""
    figure = studio.stage.figure
    motion, _ = stepping_walk(figure, seconds=2.0)
    studio.load_motion(motion)
    mode = studio.mode
    assert isinstance(mode, Playing)
    mode.play(False)
    mode.seek(1.0)
    drag(studio, "forearm_left", [0.1, 0.1, 0.2])
    assert len(mode.keyframes) == 1
    keyed = mode.motion
    panel = studio.page.motion
    panel.refresh()
    assert panel.key.value == "1: 1.000 s"
    panel.stretch.value = (0.5, 1.5)
    studio.undo.note("Cut")
    panel._edit(lambda f, m: __import__("hitogata.motion", fromlist=["cut"]).cut(f, m, *panel._stretch()))()
    assert mode.duration == pytest.approx(1.0)
    contacts = len(mode.feet["left"].contacts), mode.feet["left"].down.sum()
    panel.stretch.value = (0.0, 1.0)
    studio.undo.note("Contact")
    panel._stand(mode, True)
    assert mode.feet["left"].down.all()
    studio.undo.undo()
    assert (len(studio.mode.feet["left"].contacts), studio.mode.feet["left"].down.sum()) == contacts
    studio.undo.undo()
    assert studio.mode.motion is keyed
    assert len(studio.mode.keyframes) == 1
    assert studio.mode.player.time == pytest.approx(1.0)
    studio.undo.undo()
    assert studio.mode.keyframes == ()
    np.testing.assert_allclose(difference(figure, motion.q, studio.mode.motion.q), 0, atol=1e-12)
    studio.undo.redo()
    assert len(studio.mode.keyframes) == 1
    with pytest.raises(ArgumentError, match="left, right expected"):
        studio.mode.set_contact("middle", 0.0, 1.0, True)
    with pytest.raises(ArgumentError, match="no sample lies between"):
        studio.mode.set_contact("left", 5.0, 6.0, True)


def test_edits_of_the_page(studio):
    """All of them on one walk, each a motion that plays on."""
    motion, _ = stepping_walk(studio.stage.figure, seconds=2.4)
    studio.load_motion(motion)
    panel, mode = studio.page.motion, studio.mode
    from hitogata.motion import change_speed, clean_feet, level_feet, make_loop, mirror

    for change in (
        lambda f, m: clean_feet(f, m, panel._feet()).trajectory,
        lambda f, m: level_feet(f, m).trajectory,
        mirror,
        lambda f, m: change_speed(f, m, 2.0),
        lambda f, m: make_loop(f, m).trajectory,
    ):
        before = mode.motion
        panel._edit(change)()
        assert mode.motion is not before
        studio._frame(1 / 60)
    assert mode.duration < 1.0
    with pytest.raises(ArgumentError, match="at least 2"):
        mode.edit(Trajectory(mode.motion.time[:1], mode.motion.q[:1], mode.motion.v[:1]))


def test_edits_while_another_page_drags_over_the_playing_clip(studio):
    """What was dragged so far is kept, the drag ends, a refused edit changes nothing; the page that dragged goes on."""
    figure = studio.stage.figure
    motion, _ = stepping_walk(figure, seconds=2.0)
    studio.load_motion(motion)
    mode, panel = studio.mode, studio.page.motion
    link = figure.link_index("forearm_left")
    start = studio.stage.poses().matrices[0, link, :, 3]
    mode.grab("other page", 0, link, start)
    for _ in range(20):
        mode.lead("other page", start + [0.1, 0.1, 0.3])
        studio._frame(1 / 60)
    assert mode.playing
    assert mode.grips
    dragged = mode.changed()
    with pytest.raises(ArgumentError, match="outside the motion"):
        panel._edit(lambda f, m: __import__("hitogata.motion", fromlist=["cut"]).cut(f, m, 5.0, 6.0))()
    np.testing.assert_array_equal(mode.changed().q, dragged.q)
    panel._edit(lambda f, m: __import__("hitogata.motion", fromlist=["cut"]).cut(f, m, 0.0, 1.5))()
    assert mode.grips == {}
    n = len(mode.motion)
    np.testing.assert_allclose(difference(figure, mode.motion.q, dragged.q[:n]), 0, atol=1e-9)
    mode.lead("other page", start)  # its mouse moves on
    mode.let_go("other page")
    for _ in range(10):
        studio._frame(1 / 60)
    assert mode.duration == pytest.approx(1.5)
    assert studio.guard.crashes == 0


def test_time_line(studio):
    """Contacts as bars, keyframes with their reach, the time of now; well-formed, whatever the names are."""
    motion, _ = stepping_walk(studio.stage.figure, seconds=2.0)
    mode = Playing(Stage(human28()), motion=motion)
    keys = (Keyframe(0.5, np.zeros(34), 0.2), Keyframe(1.5, np.zeros(34)))
    picture = ET.fromstring(time_line(2.0, 1.0, {**mode.feet, "<other & foot>": mode.feet["left"]}, keys, (0.0, 2.0)))
    bars = sum(len(foot.contacts) for foot in mode.feet.values()) + len(mode.feet["left"].contacts)
    assert len(picture.findall("rect")) == bars + 1
    assert len(picture.findall("path")) == 2


def test_poses_in_files(tmp_path):
    figure, path = virtual_human(), tmp_path / "pose.json"
    q = figure.random(np.random.default_rng(1), spread=0.5)
    write_pose(path, figure, q)
    np.testing.assert_allclose(read_pose(path, figure), figure.normalised(q), atol=1e-12)
    held = json.loads(path.read_text())
    for change, words in (
        ({"joints": {"tail": [0.0]}}, "no joint 'tail'"),
        ({"joints": {"elbow_left": [0.0, 1.0]}}, "needs 1 numbers"),
        ({"joints": {"shoulder_left": [2.0, 0, 0, 0]}}, "norm 1"),
        ({"joints": 3}, "no pose"),
    ):
        path.write_text(json.dumps({**held, **change}))
        with pytest.raises(FileFormatError, match=words):
            read_pose(path, figure)
    with pytest.raises(FileFormatError, match="no pose"):
        read_pose(tmp_path / "absent.json", figure)


def test_a_pose_from_a_file_is_taken(studio):
    q = studio.stage.figure.neutral()
    q[studio.stage.figure.q_slice("elbow_left")] = -1.0
    studio.take_pose(q)
    studio._frame(1 / 60)
    assert isinstance(studio.mode, Posing)
    assert studio.stage.q[0, studio.stage.figure.q_slice("elbow_left")] == pytest.approx(-1.0, abs=1e-6)
    studio.undo.undo()
    assert studio.stage.q[0, studio.stage.figure.q_slice("elbow_left")] == pytest.approx(0.0, abs=1e-6)


def test_shortcuts():
    """No key twice, all on the sheet."""
    keys = [(shortcut.key, shortcut.modifier) for shortcut in SHORTCUTS]
    assert len(set(keys)) == len(keys)
    for words in ("Space", "Ctrl Z", "Ctrl Shift Z", "←", "Frame the figure"):
        assert words in sheet()


def test_numbers_are_refused_in_place(studio):
    """A number that cannot be meant leaves the one before; stiffness reads as what it is."""
    panel, tried = studio.page.physics, []
    assert panel.stiffness.value == 2000
    box = panel.number("Test [m]", 1.0, 5.0, 2.0, tried.append)
    callback = box._impl.update_cb[0]
    event = type("Event", (), {"client": object()})()
    for value in (7.0, 3.0, float("nan")):
        box._impl.value = value
        import asyncio

        asyncio.run(callback(event))
        for _ in range(len(studio.clock._commands)):
            studio.clock._commands.popleft()[1]()
    assert tried == [3.0]
    assert box.value == 3.0
    box.remove()
    panel.controls.pop("PhysicsPanel: Test [m]")


# ------------------------------------------------------- the history of physics


def frames(mode, count):
    for _ in range(count):
        mode.advance(1 / 60)


def test_physics_is_scrubbed_back_and_taken_up_again():
    """From any moment it goes on bit for bit as it did; what came after is gone."""
    mode = Physics(Stage(human28()), stiffness=0.0)
    mode.push_link(0, 1, np.array([60.0, 20.0, 0.0]))
    frames(mode, 60)
    end, half = mode.stage.q.copy(), mode.past.span[1] / 2
    mode.seek(half)
    assert mode.paused
    shown = mode.stage.q.copy()
    assert np.abs(shown - end).max() > 0.05
    frames(mode, 5)
    np.testing.assert_array_equal(mode.stage.q, shown)  # time stands still
    mode.single_step(-1)
    assert mode.time < half
    mode.single_step(1)
    np.testing.assert_array_equal(mode.stage.q, shown)
    steps = 60 - round(mode.time * 60)
    mode.pause(False)
    assert mode.past.span[1] == pytest.approx(half, abs=0.02)
    frames(mode, steps)
    np.testing.assert_array_equal(mode.stage.q, end)
    mode.single_step(1)  # at the end of the history: a step of the world
    assert np.abs(mode.stage.q - end).max() > 0
    mode.close()


def test_history_beyond_a_throw_and_its_limits(monkeypatch):
    """A moment before a ball was thrown has no ball; the oldest moments go."""
    from hitogata.studio.modes import past

    mode = Physics(Stage(human28()))
    frames(mode, 20)
    before = mode.time
    mode.throw(Thing.BALL, np.array([2.0, 0.0, 1.0]), np.array([-5.0, 0.0, 0.0]))
    frames(mode, 20)
    mode.seek(before)
    mode.pause(False)
    assert mode.things == []
    frames(mode, 5)
    assert np.isfinite(mode.stage.q).all()
    monkeypatch.setattr(past, "LONGEST", 0.2)
    frames(mode, 30)
    assert len(mode.past) <= 14
    mode.close()


# ------------------------------------------------------- readings and cameras


def test_readings(studio):
    """Place, speed and joint of a link, as dynamics says."""
    from hitogata.studio.readings import reading

    figure = virtual_human()
    q, v = figure.neutral(), np.zeros(figure.nv)
    q[figure.q_slice("elbow_left")] = -0.5
    v[3:6] = (3.0, 4.0, 0.0)
    words = reading(figure, q, v, figure.link_index("forearm_left"))
    assert "5.00 m/s" in words
    assert "elbow_left: -28.6° of " in words
    assert "inside its range" in reading(figure, q, v, figure.link_index("upper_arm_left"))
    studio.chosen = (0, 2)
    studio.page._read()
    assert "**head**" in studio.page.reading.content
    studio.chosen = (7, 99)  # it is not there any more
    studio.page._read()
    assert studio.page.reading.content == ""


def test_a_page_frames_all_figures(studio):
    """From the side it is on, far enough for a crowd."""
    import contextlib

    class Camera:
        position, look_at = np.array([0.0, -2.0, 1.0]), np.array([0.0, 0.0, 1.0])

    class Client:
        camera = Camera()
        atomic = staticmethod(contextlib.nullcontext)

    client, far = Client(), []
    for count in (1, 9):
        studio.set_count(count)
        studio.frame_figure(client)
        way = client.camera.position - client.camera.look_at
        far.append(np.linalg.norm(way))
        assert way[1] < 0
        assert abs(way[0]) < 1e-9
    assert far[1] > 1.5 * far[0]
    assert studio.camera.follow


def test_cameras_follow_although_pages_are_slow():
    """A page that tells its camera of half a second ago, again and again, keeps the figure in its picture."""
    import contextlib
    from types import SimpleNamespace

    from hitogata.studio.camera import Cameras

    camera = SimpleNamespace(position=np.array([2.0, 0.0, 1.0]), look_at=np.array([0.0, 0.0, 1.0]))
    client = SimpleNamespace(camera=camera, atomic=contextlib.nullcontext)
    server = SimpleNamespace(initial_camera=SimpleNamespace(), get_clients=lambda: {0: client})
    cameras, told = Cameras(server), []
    cameras.home(np.array([0.0, 0.0, 1.0]), 1.7)
    for k in range(300):
        root = np.array([0.02 * k, 0.0, 0.9])
        cameras.advance(root)
        told.append((camera.position, camera.look_at))
        if k % 10 == 9:
            camera.position, camera.look_at = told[max(0, k - 30)]
    cameras.advance(root + [0.03, 0, 0])
    assert np.linalg.norm((camera.look_at - root)[:2]) < 1.1
    np.testing.assert_allclose(camera.position - camera.look_at, [2.0, 0.0, 0.0], atol=1e-9)
