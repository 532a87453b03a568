"""The studio in a real browser: what is done with the mouse is what happens to figures."""

import time

import numpy as np
import pytest
from matplotlib.image import imread

from hitogata.figure import Trajectory
from hitogata.files import bvh_from_trajectory, read_bvh, write_bvh
from hitogata.library import virtual_human
from hitogata.motion import Puppet
from hitogata.studio import StudioOptions
from hitogata.studio.ranges.kinds import to_polar
from tests.studio.browser import CHROMIUM, FLAGS, Watched

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """One studio for all tests: each begins by choosing its mode."""
    from hitogata.studio import Studio

    options = StudioOptions(port=0, folder=tmp_path_factory.mktemp("out"), shadows=False, upload_limit=300_000)
    with Studio("virtual_human", options=options) as studio:
        yield studio


@pytest.fixture
def watched(chromium, studio):
    """A page; at the end nothing may have gone wrong that the test did not cause."""
    page = Watched(chromium, studio)
    studio.clock.ask(lambda: studio.load(studio_figure()))
    page.until(lambda: studio.mode_name.value == "Pose", "pose mode")
    page.pictures(2)
    studio.guard.messages.clear()
    yield page
    page.close()
    assert page.complaints == []
    assert studio.guard.crashes == 0


def studio_figure():
    from hitogata.studio.sources import load_figure

    return load_figure("virtual_human")


def point(studio, link, local):
    """Of the first figure, in the world [m]."""

    def read():
        matrix = studio.stage.poses().matrices[0, studio.stage.figure.link_index(link)]
        return matrix[:, :3] @ np.array(local) + matrix[:, 3]

    return studio.clock.ask(read)


def shoulder(studio):
    return studio.stage.q[0, studio.stage.figure.q_slice("shoulder_left")].copy()


PALM = (0.0, 0.0, -0.06)


def near(watched, studio, link, place, *, pixels=45):
    """Whether a link is seen near a place of the page."""
    return lambda: np.linalg.norm(np.array(watched.at(point(studio, link, PALM))) - place) < pixels


def test_page_loads_offline(watched, studio):
    own = (studio.address, f"ws://127.0.0.1:{studio.server.get_port()}", "data:", "blob:", "about:")
    editor = f"http://127.0.0.1:{studio.page.editor.port}/"
    assert [url for url in watched.asked if not url.startswith((*own, editor))] == []
    assert watched.page.get_by_text("Drag", exact=True).first.is_visible()
    assert watched.complaints == []


def test_dragged_hand_moves_and_pins_hold(watched, studio):
    before, pins = point(studio, "hand_left", PALM), dict(studio.mode.pins)
    assert len(pins) == 2
    goal = before + np.array([0.15, 0.1, 0.35])
    under_the_mouse = near(watched, studio, "hand_left", watched.at(goal))
    watched.drag(watched.at(before), watched.at(goal), until=under_the_mouse)
    assert np.linalg.norm(point(studio, "hand_left", PALM) - before) > 0.2
    for (_, link), pin in pins.items():
        here = point(studio, studio.stage.figure.link_names[link], pin.point)
        np.testing.assert_allclose(here, pin.place, atol=1e-3)
    assert studio.mode.grips == {}


def test_click_pins_a_link(watched, studio):
    head = studio.stage.figure.link_index("head")
    watched.page.mouse.click(*watched.at(point(studio, "head", (0.05, 0.02, 0.1))))
    watched.until(lambda: (0, head) in studio.mode.pins, "the pin")
    watched.page.mouse.click(*watched.at(point(studio, "head", (0.05, 0.02, 0.1))))
    watched.until(lambda: (0, head) not in studio.mode.pins, "the pin to go")


def test_pushed_and_dragged_in_physics(watched, studio):
    watched.mode("Physics")
    before = point(studio, "chest", (0.0, 0.0, 0.1))
    watched.page.mouse.click(*watched.at(before + [0.08, 0.03, 0.0]))
    watched.until(lambda: np.linalg.norm(point(studio, "chest", (0, 0, 0.1)) - before) > 0.02, "the push")
    assert point(studio, "chest", (0, 0, 0.1))[0] < before[0]  # away from who looks from the front
    hand = point(studio, "hand_left", PALM)
    watched.drag(watched.at(hand), np.array(watched.at(hand)) + [60, -60], until=lambda: studio.mode.grips)
    watched.press("Throw a ball")
    watched.until(lambda: studio.clock.ask(lambda: len(studio.mode.things)) == 1, "the ball")
    watched.wait(1.0)
    assert studio.clock.ask(lambda: np.isfinite(studio.stage.q).all())
    watched.press("Stand again")
    watched.until(lambda: studio.mode.things == [] and studio.stage.q[0, 2] > 0.88, "it to stand")
    assert list(studio.guard.messages) == []


def test_range_point_dragged_in_the_polar_editor(watched, studio):
    """Points on both sides of the bone are dragged inwards: the range is narrower, and takes the arm along."""
    start = point(studio, "hand_left", PALM)
    raised = watched.at(start + [0.45, 0.25, 0.55])
    watched.drag(watched.at(start), raised, until=near(watched, studio, "hand_left", raised))
    watched.tab("Ranges")
    studio.clock.ask(lambda: studio.desk.choose("shoulder_left"))
    frame = watched.page.frame_locator("iframe[title='polar editor']")
    watched.until(lambda: frame.locator("[data-point]").count() == 16, "the editor's points")
    range_, quat = studio.clock.ask(lambda: (studio.desk.range, shoulder(studio)))
    azimuth, angle = to_polar(range_.swing, range_.swing_twist(quat)[0])
    turn = np.mod(np.array(range_.swing.azimuth) - azimuth + np.pi, 2 * np.pi) - np.pi
    for index in np.argsort(np.abs(turn))[:2]:
        middle, here = (watched.centre(frame.locator(what)) for what in ("#disc", f"[data-point='{index}']"))
        share = 0.5 * angle / range_.swing.angle[index]
        watched.drag(here, middle + share * (here - middle))
        changed = studio.clock.ask(lambda: studio.desk.range)
        assert changed.swing.angle[index] == pytest.approx(0.5 * angle, rel=0.1)
        assert frame.locator("#message").inner_text() == ""
    watched.wait(0.5)
    assert range_.violation(quat).swing_depth < 0  # where it was, it was allowed,
    assert changed.violation(quat).swing_depth > 0.1  # and is not any more:
    assert changed.violation(studio.clock.ask(lambda: shoulder(studio))).swing_depth < 1e-6  # it was taken along
    watched.tab("Move")


def test_twist_and_tangent_in_the_polar_editor(watched, studio):
    watched.tab("Ranges")
    frame = watched.page.frame_locator("iframe[title='polar editor']")
    watched.until(lambda: frame.locator("[data-tangent]").count() == 16, "the editor's tangents")
    before = studio.clock.ask(lambda: studio.desk.range)
    for which, by in (("[data-twist='1']", (-30, 0)), ("[data-tangent='12']", (3, -8))):
        here = watched.centre(frame.locator(which))
        watched.drag(here, here + by, moves=6)
    after = studio.clock.ask(lambda: studio.desk.range)
    assert after.twist.high[0] < before.twist_limits(before.swing.knots)[1][0] - 0.2  # point 1 is selected at first
    assert after.swing.d_angle[12] != before.swing.d_angle[12]
    watched.tab("Move")


@pytest.fixture(scope="module")
def wave(tmp_path_factory):
    """A hand led up and down, as a BVH file."""
    figure = virtual_human()
    puppet = Puppet(figure)
    hand = puppet.drag("palm_left")
    rows = []
    for k in range(60):
        puppet.set_target(hand, position=(0.4, 0.3, 1.1 + 0.2 * np.sin(k / 10)))
        puppet.solve(10)
        rows.append(puppet.q)
    motion = Trajectory(np.arange(60) / 30, np.array(rows), np.zeros((60, figure.nv)))
    path = tmp_path_factory.mktemp("motion") / "wave.bvh"
    write_bvh(bvh_from_trajectory(motion, figure), path)
    return path


def written(studio, ending):
    """The last file that was written and handed over, if it has this ending."""
    name = studio.page.output.last.content.partition("`")[2].rstrip("`")
    return studio.folder.path / name if name.endswith(ending) else None


def upload(watched, label, path):
    with watched.page.expect_file_chooser() as chooser:
        watched.press(label)
    chooser.value.set_files(path)


def test_motion_plays_scrubs_and_is_saved(watched, studio, wave, chromium):
    studio.clock.ask(lambda: studio.page.show_mode(type(studio.mode_name).MOTION))
    upload(watched, "Open a motion (BVH, NPZ)", wave)
    watched.until(lambda: studio.mode_name.value == "Motion", "the motion", seconds=60)
    begun = studio.clock.ask(lambda: studio.mode.player.index)
    watched.until(lambda: studio.clock.ask(lambda: studio.mode.player.index) != begun, "it to play")
    slider = watched.page.get_by_role("slider").first
    slider.focus()
    watched.page.keyboard.press("End")
    watched.until(lambda: studio.clock.ask(lambda: studio.mode.player.done and not studio.mode.playing), "the end")
    watched.page.keyboard.press("Home")
    watched.until(lambda: studio.clock.ask(lambda: studio.mode.player.index) == 0, "the beginning")
    watched.press("Save as BVH")
    saved = watched.until(lambda: written(studio, ".bvh"), "the file")
    assert read_bvh(saved).nframes == 60
    watched.tab("Output")
    watched.press("HTML replay")
    page = watched.until(lambda: written(studio, ".html"), "a page")
    shown = chromium.new_page()
    complaints = []
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("request", lambda r: r.url.startswith(("file:", "data:")) or complaints.append(r.url))
    shown.goto(f"file://{page}")
    shown.wait_for_function("window.replay && replay.time > 0.1", timeout=20_000)
    assert complaints == []
    shown.close()
    watched.press("Screenshot")
    picture = watched.until(lambda: written(studio, ".png"), "a picture", seconds=90)
    assert imread(picture)[..., :3].std() > 0.05
    watched.tab("Move")


def test_bad_uploads_are_told(watched, studio, tmp_path):
    watched.tab("Scene")
    (tmp_path / "bad.bvh").write_text("HIERARCHY nonsense")
    upload(watched, "Open MJCF, URDF or BVH", tmp_path / "bad.bvh")
    watched.until(lambda: any("bad.bvh" in text for text in studio.guard.messages), "the message")
    watched.page.get_by_text("bad.bvh:", exact=False).first.wait_for()
    (tmp_path / "large.bvh").write_bytes(b"x" * 400_000)
    upload(watched, "Open MJCF, URDF or BVH", tmp_path / "large.bvh")
    watched.until(lambda: any("at most 0.3 MB" in text for text in studio.guard.messages), "the message")
    assert studio.stage.original.name == "virtual_human"
    watched.tab("Move")


def test_a_crash_shows_a_message(watched, studio, capsys):
    studio.post("Something", lambda: [][1])
    watched.page.get_by_text("Something failed").first.wait_for()
    assert "IndexError" in capsys.readouterr().err
    studio.guard.crashes = 0
    frames = studio.clock.frames
    watched.until(lambda: studio.clock.frames > frames + 5, "it to live on")


def test_two_pages_share_the_stage(watched, studio, chromium):
    other = Watched(chromium, studio)
    before = point(studio, "hand_right", PALM)
    goal = np.array(other.at(before)) + [-40, -60]
    other.drag(other.at(before), goal, until=near(other, studio, "hand_right", goal))
    assert np.linalg.norm(point(studio, "hand_right", PALM) - before) > 0.05
    shown = [studio.server.get_clients()[k] for k in (watched.client.client_id, other.client.client_id)]
    assert shown[0].camera is not shown[1].camera
    hand = point(studio, "hand_right", PALM)
    other.page.mouse.move(*other.at(hand))
    other.page.mouse.down()
    other.page.mouse.move(*(np.array(other.at(hand)) + [5, -30]), steps=5)
    other.until(lambda: studio.mode.grips, "the grip")
    other.close()  # with the mouse down
    watched.until(lambda: not studio.mode.grips, "the grip to end")


def test_figures_and_copies(watched, studio):
    from hitogata.studio.sources import load_figure

    for name in ("bear", "pendulum", "human28"):
        studio.clock.ask(lambda name=name: studio.load(load_figure(name)))
        watched.pictures(2)
    studio.clock.ask(lambda: studio.set_count(6))
    watched.mode("Physics")
    time.sleep(0.5)
    watched.pictures(2)
    assert studio.clock.ask(lambda: studio.stage.q.shape[0]) == 6
    assert list(studio.guard.messages) == []
