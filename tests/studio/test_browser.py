"""The studio in a real browser: what is done with the mouse is what happens to figures."""

import numpy as np
import pytest
from matplotlib.image import imread

from hitogata.figure import Trajectory
from hitogata.files import bvh_from_trajectory, read_bvh, write_bvh
from hitogata.library import virtual_human
from hitogata.motion import Puppet
from hitogata.rom import BoundaryTwist
from hitogata.studio import StudioOptions
from hitogata.studio.gauges import Gauge
from hitogata.studio.ranges.kinds import to_polar
from tests.studio.browser import CHROMIUM, FLAGS, TIMEOUT, Watched, point

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
    page.frames(2)
    page.settle()
    studio.guard.messages.clear()
    yield page
    page.close()
    assert page.complaints == []
    assert studio.guard.crashes == 0


def studio_figure():
    from hitogata.studio.sources import load_figure

    return load_figure("virtual_human")


def load(name):
    from hitogata.studio.sources import load_figure

    return load_figure(name)


def shoulder(studio):
    return studio.stage.q[0, studio.stage.figure.q_slice("shoulder_left")].copy()


PALM = (0.0, 0.0, -0.06)


def stretch_out(studio):
    """The left hand is led forward and up, in three seconds of the stage's own time; in the clock's thread."""
    mode, hand = studio.mode, studio.stage.figure.link_index("hand_left")
    place = studio.stage.poses().matrices[0, hand] @ np.array([*PALM, 1.0])
    mode.grab("test", 0, hand, place)
    for k in range(180):
        mode.lead("test", place + np.array([0.5, 0.0, 0.55]) * min(1.0, k / 90))
        mode.advance(1 / 60)
    mode.let_go("test")


def moved(studio, link, before):
    """How far a palm is from a place [m]."""
    return np.linalg.norm(point(studio, link, PALM) - before)


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
    watched.drag_link("hand_left", PALM, goal, lambda: moved(studio, "hand_left", before) > 0.25)
    assert moved(studio, "hand_left", before) > 0.2  # it stays when it is let go
    for (_, link), pin in pins.items():
        here = point(studio, studio.stage.figure.link_names[link], pin.point)
        np.testing.assert_allclose(here, pin.place, atol=1e-3)
    watched.until(lambda: studio.mode.grips == {}, "the hand to be let go")


def test_click_pins_a_link(watched, studio):
    head = studio.stage.figure.link_index("head")

    def click():
        watched.page.mouse.click(*watched.at(point(studio, "head", (0.05, 0.02, 0.1))))

    watched.insist(click, lambda: (0, head) in studio.mode.pins, "the pin")
    watched.insist(click, lambda: (0, head) not in studio.mode.pins, "the pin's end")


def test_pushed_and_dragged_in_physics(watched, studio):
    """Away from who looks from the front; the world's time is slow, so that the figure is where it was seen."""
    watched.mode("Physics")
    studio.clock.ask(lambda: studio.mode.change(speed=0.3))
    chest, hand = (0.0, 0.0, 0.1), point(studio, "hand_left", PALM)
    before = point(studio, "chest", chest)
    watched.insist(
        lambda: watched.page.mouse.click(*watched.at(before + [0.08, 0.03, 0.0])),
        lambda: point(studio, "chest", chest)[0] < before[0] - 0.02, "the push",
    )  # fmt: skip
    watched.press("Stand again")
    watched.until(lambda: np.linalg.norm(point(studio, "chest", chest) - before) < 0.02, "it to stand")
    goal = hand + np.array([0.2, 0.2, 0.3])
    watched.drag_link("hand_left", PALM, goal, lambda: point(studio, "hand_left", PALM)[2] > hand[2] + 0.05)
    watched.until(lambda: studio.mode.grips == {}, "the hand to be let go")
    watched.press("Throw a ball")
    watched.until(lambda: len(studio.mode.things) == 1, "the ball")
    studio.clock.ask(lambda: studio.mode.change(speed=1.0))
    steps = studio.mode.steps
    watched.until(lambda: studio.mode.steps > steps + 60, "a second of the world")
    assert studio.clock.ask(lambda: np.isfinite(studio.stage.q).all())
    watched.press("Stand again")
    watched.until(lambda: studio.mode.things == [] and studio.stage.q[0, 2] > 0.88, "it to stand")
    assert list(studio.guard.messages) == []


def test_range_point_dragged_in_the_polar_editor(watched, studio):
    """The points about the bone are dragged inwards: the range is narrower, and takes the arm along."""
    studio.clock.ask(lambda: stretch_out(studio))
    frame = editor(watched, studio, "[data-point]", 16)
    range_, quat = studio.clock.ask(lambda: (studio.desk.range, shoulder(studio)))
    azimuth, angle = to_polar(range_.swing, range_.swing_twist(quat)[0])
    turn = np.mod(np.array(range_.swing.azimuth) - azimuth + np.pi, 2 * np.pi) - np.pi

    def pull(index):
        """Drag a point of the editor to half of the bone's angle."""
        here = watched.centre(frame.locator(f"[data-point='{index}']"))
        middle = watched.centre(frame.locator("#disc"))
        share = 0.5 * angle / studio.clock.ask(lambda: studio.desk.range).swing.angle[index]
        watched.drag(here, middle + share * (here - middle))

    def pulled(index):
        return abs(studio.clock.ask(lambda: studio.desk.range).swing.angle[index] / (0.5 * angle) - 1) < 0.1

    for index in np.argsort(np.abs(turn))[:3]:
        watched.insist(lambda k=index: pull(k), lambda k=index: pulled(k), f"point {index} of the editor")
        assert frame.locator("#message").inner_text() == ""
    changed = studio.clock.ask(lambda: studio.desk.range)
    assert range_.violation(quat).swing_depth < 0  # where it was, it was allowed,
    assert changed.violation(quat).swing_depth > 0.1  # and is not any more: it is taken along
    watched.until(
        lambda: changed.violation(studio.clock.ask(lambda: shoulder(studio))).swing_depth < 1e-6, "the arm to go along"
    )
    watched.tab("Move")


def editor(watched, studio, what, count):
    """The polar editor with a shoulder in it, when it shows all that is looked for."""
    watched.tab("Ranges")
    studio.clock.ask(lambda: studio.desk.choose("shoulder_left"))
    frame = watched.page.frame_locator("iframe[title='polar editor']")
    watched.until(lambda: frame.locator(what).count() == count, "the editor")
    return frame


def test_twist_and_tangent_in_the_polar_editor(watched, studio):
    frame = editor(watched, studio, "[data-tangent]", 16)
    before = studio.clock.ask(lambda: studio.desk.range)
    limit = before.twist_limits(before.swing.knots)[1][0] - 0.2

    def drag(what, by):
        here = watched.centre(frame.locator(what))
        watched.drag(here, here + by)

    def now():
        return studio.clock.ask(lambda: studio.desk.range)

    def narrower():  # point 1 is selected at first
        return isinstance(now().twist, BoundaryTwist) and now().twist.high[0] < limit

    watched.insist(lambda: drag("[data-twist='1']", (-30, 0)), narrower, "the twist's limit")
    watched.insist(
        lambda: drag("[data-tangent='12']", (3, -8)),
        lambda: now().swing.d_angle[12] != before.swing.d_angle[12], "the tangent",
    )  # fmt: skip
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
    watched.press("Motion")
    upload(watched, "Open a motion (BVH, NPZ)", wave)
    watched.until(lambda: studio.mode_name.value == "Motion", "the motion")
    begun = studio.clock.ask(lambda: studio.mode.player.index)
    watched.until(lambda: studio.clock.ask(lambda: studio.mode.player.index) != begun, "it to play")
    slider, span = watched.page.get_by_role("slider").first, studio.mode.duration
    watched.until(lambda: abs(float(slider.get_attribute("aria-valuemax")) - span) < 2e-3, "the slider's new length")
    watched.insist(
        lambda: slider.press("End"),
        lambda: studio.clock.ask(lambda: studio.mode.player.done and not studio.mode.playing), "the end",
    )  # fmt: skip
    watched.insist(
        lambda: slider.press("Home"), lambda: studio.clock.ask(lambda: studio.mode.player.index) == 0, "the beginning"
    )
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
    shown.wait_for_function("window.replay && replay.time > 0.1", timeout=TIMEOUT)
    assert complaints == []
    shown.close()
    watched.press("Screenshot")
    picture = watched.until(lambda: written(studio, ".png"), "a picture")
    assert imread(picture)[..., :3].std() > 0.05
    watched.tab("Move")


def test_links_that_follow_are_chosen_in_the_table(watched, studio, wave):
    """A row of the table is set to none, and the motion carried over anew: that shoulder rests."""
    studio.clock.ask(lambda: studio.load(load("human28")))
    watched.press("Motion")
    upload(watched, "Open a motion (BVH, NPZ)", wave)
    watched.until(lambda: studio.mode_name.value == "Motion" and studio.carried_now(), "the motion")
    first, figure = studio.motion, studio.stage.figure
    joints = {"upper_arm_left": "shoulder_left", "upper_arm_right": "shoulder_right"}
    link = max(joints, key=lambda name: np.ptp(first.q[:, figure.q_slice(joints[name])], axis=0).max())
    part = figure.q_slice(joints[link])
    assert np.ptp(first.q[:, part], axis=0).max() > 0.01
    folder = watched.page.get_by_text("Links that follow", exact=True)
    name = watched.page.get_by_test_id("floating-panel").get_by_text(link, exact=True).or_(
        watched.page.locator("label").get_by_text(link, exact=True)
    ).first
    watched.insist(folder.click, name.is_visible, "the table")

    def choose():
        name.scroll_into_view_if_needed()
        identity = name.evaluate("label => label.closest('label').htmlFor")
        box = watched.page.locator(f"[id='{identity}']")
        box.click(timeout=20_000)
        watched.page.get_by_role("option", name="–", exact=True).locator("visible=true").first.click(timeout=20_000)

    table = studio.page.motion.pairs
    watched.insist(choose, lambda: table.rows[link].value == "–", "none chosen")
    watched.insist(lambda: watched.press("Carry over again"), lambda: studio.motion is not first, "another motion")
    assert link not in studio.carried_now().pairs
    assert np.ptp(studio.motion.q[:, part], axis=0).max() < 1e-9


def test_number_boxes_refuse_in_place(watched, studio):
    """What does not fit is told, and the box shows the last number again; what fits is taken."""
    watched.mode("Physics")
    label = watched.page.get_by_text("Motor stiffness [N m/rad]", exact=True).first
    box = label.locator("xpath=ancestor::div[.//input][1]").locator("input").first.element_handle()

    def enter(text):
        box.click()
        box.fill(text)
        box.press("Enter")
        watched.page.evaluate("box => box.blur()", box)

    watched.insist(lambda: enter("1500"), lambda: studio.mode.stiffness == 1500.0, "a stiffness")
    enter("99999999")
    watched.frames(10)
    assert 0 <= studio.mode.stiffness <= 30_000
    assert 0 <= float(box.input_value().replace(",", "")) <= 30_000


@pytest.mark.parametrize("width", [900, 1280, 1920])
def test_plots_dock_and_fold_on_narrow_pages(chromium, studio, width):
    """Beside the view; folded away where there is no room; the figure stays in the picture."""
    page = Watched(chromium, studio, size={"width": width, "height": 700})
    page.mode("Physics")
    studio.clock.ask(lambda: studio.page.plots.choose(Gauge.CONTACT, Gauge.MARGIN))
    page.until(lambda: studio.page.plots._folded == (width < 1000), "plots to fold, or not")
    page.settle()
    shown = page.page.get_by_text("contact forces [N]", exact=True).locator("visible=true")
    page.until(lambda: (shown.count() > 0) == (width >= 1000), "plots to be there, or not")
    x, y = page.at(point(studio, "head", (0, 0, 0.1)))
    canvas = page.page.locator("canvas[data-engine]").bounding_box()
    assert canvas["x"] < x < canvas["x"] + canvas["width"]
    assert canvas["y"] < y < canvas["y"] + canvas["height"]
    studio.clock.ask(lambda: studio.page.plots.choose())
    page.close()
    assert page.complaints == []


def test_bad_uploads_are_told(watched, studio, tmp_path):
    watched.tab("Scene")
    (tmp_path / "bad.bvh").write_text("HIERARCHY nonsense")
    upload(watched, "Open MJCF, URDF or BVH", tmp_path / "bad.bvh")
    watched.told("bad.bvh:")
    (tmp_path / "large.bvh").write_bytes(b"x" * 400_000)
    upload(watched, "Open MJCF, URDF or BVH", tmp_path / "large.bvh")
    watched.told("at most 0.3 MB")
    assert studio.stage.original.name == "virtual_human"
    watched.tab("Move")


def test_a_crash_shows_a_message(watched, studio, capsys):
    studio.post("Something", lambda: [][1])
    watched.told("Something failed")
    assert "IndexError" in capsys.readouterr().err
    studio.guard.crashes = 0
    frames = studio.clock.frames
    watched.until(lambda: studio.clock.frames > frames + 5, "it to live on")


def test_two_pages_share_the_stage(watched, studio, chromium):
    other = Watched(chromium, studio)
    before = point(studio, "hand_right", PALM)
    goal = before + [0.05, -0.15, 0.2]
    other.drag_link("hand_right", PALM, goal, lambda: moved(studio, "hand_right", before) > 0.1)
    shown = [studio.server.get_clients()[k] for k in (watched.client.client_id, other.client.client_id)]
    assert shown[0].camera is not shown[1].camera

    def hold():
        other.page.mouse.up()
        other.settle()
        hand = np.array(other.at(point(studio, "hand_right", PALM)))
        other.page.mouse.move(*hand)
        other.pictures(2)
        other.page.mouse.down()
        other.page.mouse.move(*(hand + [5, -30]), steps=5)

    other.insist(hold, lambda: studio.mode.grips, "the grip")
    other.close()  # with the mouse down
    watched.until(lambda: not studio.mode.grips, "the grip to end")
    assert studio.mode.marks()  # its feet are pinned still, and the other page goes on


def test_figures_and_copies(watched, studio):
    from hitogata.studio.sources import load_figure

    for name in ("bear", "pendulum", "human28"):
        studio.clock.ask(lambda name=name: studio.load(load_figure(name)))
        watched.pictures(2)
    studio.clock.ask(lambda: studio.set_count(6))
    watched.mode("Physics")
    watched.until(lambda: studio.mode.steps > 20, "the world to go on")
    watched.pictures(2)
    assert studio.clock.ask(lambda: studio.stage.q.shape[0]) == 6
    assert list(studio.guard.messages) == []


def test_keys_of_the_keyboard(watched, studio):
    """A paused motion is edited with the mouse; space, arrows and Ctrl-Z do what the sheet says."""
    figure = studio.stage.figure
    q = np.tile(figure.neutral(), (60, 1))
    studio.clock.ask(lambda: studio.load_motion(Trajectory(np.arange(60) / 30, q, np.zeros((60, figure.nv)))))
    watched.frames(2)
    watched.page.locator("canvas[data-engine]").click(position={"x": 30, "y": 300})
    watched.insist(lambda: watched.page.keyboard.press("Space"), lambda: not studio.mode.playing, "a pause")
    studio.clock.ask(lambda: studio.mode.seek(1.0))
    watched.page.keyboard.press("ArrowRight")
    watched.until(lambda: studio.mode.player.index == 31, "a frame on")
    before = point(studio, "hand_left", PALM)
    goal = before + np.array([0.1, 0.1, 0.2])
    watched.drag_link("hand_left", PALM, goal, lambda: moved(studio, "hand_left", before) > 0.1)
    watched.until(lambda: len(studio.mode.keyframes) == 1, "a keyframe")
    watched.page.keyboard.press("Control+z")  # the mode is made anew: for a moment there is none
    watched.until(lambda: studio.mode is not None and studio.mode.keyframes == (), "undo")
    watched.page.keyboard.press("Control+Shift+z")
    watched.until(lambda: studio.mode is not None and len(studio.mode.keyframes) == 1, "redo")
    watched.page.keyboard.press("h")
    watched.page.get_by_text("Keys and mouse").wait_for()
    watched.press("Close")
