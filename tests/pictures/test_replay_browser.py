"""Replays in a real browser, opened from disk."""

import base64
import io
import shutil

import numpy as np
import pytest

from hitogata.dynamics import integrate
from hitogata.figure import Box, Capsule, ConvexMesh, FigureBuilder, Plane, Pose, Sphere, Trajectory, joint
from hitogata.library import human28
from hitogata.pictures import (
    Actor,
    Arrows,
    Camera,
    Caption,
    JointRange,
    Line,
    Marker,
    Replay,
    Section,
    Trail,
    write_replay,
    write_report,
)
from hitogata.rom import ConeRegion, RangeOfMotion
from hitogata.rom.human import human_ranges

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium: apt-get install chromium")

FLAGS = [
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--no-first-run", "--disable-background-networking", "--disable-component-update"),
]
SIZE = {"width": 480, "height": 480}


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """Opens a file in a new page; at the end, nothing may have been said, failed or asked for."""
    pages, complaints = [], []

    def open_(path, *, size=SIZE, **options):
        page = chromium.new_context(viewport=size, **options).new_page()
        page.set_default_timeout(180_000)  # longer than a busy machine takes
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or complaints.append(r.url))
        page.goto(f"file://{path}")
        return page

    yield open_
    for page in pages:
        page.context.close()
    assert complaints == []


def picture(page):
    """What the canvas shows now, RGBA in 0...1, shape (height, width, 4)."""
    from matplotlib.image import imread

    url = page.evaluate("() => { replay.picture(); return replay.canvas.toDataURL(); }")
    assert page.evaluate("replay.renderer.gl.getError()") == 0
    return imread(io.BytesIO(base64.b64decode(url.partition(",")[2])))


def clock(page):
    return page.evaluate("replay.time")


def everything():
    """A human with all overlays, beside a ghost and all other shapes."""
    human = human28()
    time = np.arange(61) / 30
    change = 0.3 * np.random.default_rng(2).normal(size=human.nv)
    q = integrate(human, np.tile(human.neutral(), (61, 1)), np.outer(np.sin(3 * time), change))
    motion = Trajectory(time, q, np.zeros((61, human.nv)))
    pointer = np.stack([0.5 + 0 * time, np.sin(3 * time), 1 + 0 * time], 1)
    feet = np.tile([[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]], (61, 1, 1))
    overlays = [
        Marker("pointer", pointer, tied_to="grip_right"),
        Trail("way of the hand", "grip_right", seconds=1.0),
        Line("path", pointer),
        Arrows("forces", feet, feet * 0 + [0, 0, 300.0]),
        JointRange("range", "shoulder_right", range=human_ranges()["shoulder_right"].range),
    ]
    ghost = Actor(human, motion, label="ghost", offset=(0, 1.2, 0), opacity=0.4)
    return [Actor(human, motion, label="human", overlays=overlays), ghost]


@pytest.fixture(scope="module")
def replay(tmp_path_factory):
    path = tmp_path_factory.mktemp("replay") / "replay.html"
    corners = np.random.default_rng(0).normal(size=(20, 3)) * 0.2
    scenery = [
        Box((0.2, 0.2, 0.2), pose=Pose((1, 1, 0.2))),
        ConvexMesh(corners, pose=Pose((1, -1, 0.5))),
        Plane(pose=Pose((3, 0, 0), (np.cos(0.1), 0, -np.sin(0.1), 0))),
    ]
    captions = [Caption(0.5, 1.0, "half a second")]
    write_replay(path, everything(), title="All there is", text="A test", captions=captions, scenery=scenery)
    return path


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    """A red ball of 0.2 m that goes from the origin 1 m along y in 1 s; the camera looks along -x."""
    builder = FigureBuilder("ball")
    builder.add("ball", None, joint.free(), shapes=[Sphere(0.2)])
    figure = builder.build()
    time = np.linspace(0, 1, 11)
    q = np.tile(figure.neutral(), (11, 1))
    q[:, 1] = time
    path = tmp_path_factory.mktemp("ball") / "ball.html"
    actor = Actor(figure, Trajectory(time, q, np.zeros((11, 6))), colour="#ff0000")
    write_replay(path, actor, ground=False, camera=Camera(0.0, 0.0), follow=False)
    return path


def red(page):
    """Middle of the red pixels (right, up from the middle of the picture) and their number."""
    image = picture(page)
    rows, columns = np.nonzero((image[..., 3] > 0.5) & (image[..., 0] > 2 * image[..., 1]))
    height, width = image.shape[:2]
    return columns.mean() + 0.5 - width / 2, height / 2 - rows.mean() - 0.5, len(rows)


@pytest.mark.parametrize("time", [0.0, 0.25, 1.0])
def test_ball_is_drawn_where_it_is_and_as_large_as_it_is(opened, ball, time):
    page = opened(f"{ball}#t={time}")
    focal = 240 / np.tan(0.6 / 2)  # pixels, for the view's angle of 0.6 rad
    distance, target = page.evaluate("[replay.view.distance, replay.view.target]")
    right, up, count = red(page)
    np.testing.assert_allclose(target, [0, 0.5, 0], atol=1e-6)
    assert right == pytest.approx((time - 0.5) / distance * focal, abs=1.0)
    assert up == pytest.approx(0.0, abs=1.0)
    # the outline of a ball seen from d is that of a disc of radius r / sqrt(d² - r²) at distance 1
    radius = 0.2 / np.sqrt(distance**2 - 0.2**2) * focal
    assert count == pytest.approx(np.pi * radius**2, rel=0.06)


@pytest.mark.parametrize("time", [0.0, 0.3, 1.15])  # the last two between states
def test_links_and_their_shapes_are_turned(opened, tmp_path, time):
    """A red capsule along y, 0.5 m beside a hinge along x that turns 1 rad in a second; seen from the front."""
    builder = FigureBuilder("arm")
    builder.add("base", None, joint.fixed(), Sphere(0.1).mass_properties(), shapes=[Sphere(0.05)])
    capsule = Capsule(0.05, 0.2, pose=Pose((0, 0.5, 0), (np.sqrt(0.5), np.sqrt(0.5), 0, 0)))  # its z along -y
    builder.add("arm", "base", joint.hinge(axis=(1, 0, 0)), shapes=[capsule])
    states = np.linspace(0, 1.2, 13)
    motion = Trajectory(states, states[:, None], np.ones((13, 1)))
    actor = Actor(builder.build(), motion, colour="#8888ff", link_colours={"arm": "#ff0000"})
    write_replay(tmp_path / "arm.html", actor, ground=False, camera=Camera(0.0, 0.0), follow=False)
    page = opened(f"{tmp_path}/arm.html#t={time}")
    distance, target = page.evaluate("[replay.view.distance, replay.view.target]")
    scale = 240 / np.tan(0.6 / 2) / distance
    right, up, _ = red(page)
    place = (0.5 * np.cos(time) - target[1], 0.5 * np.sin(time) - target[2])
    assert (right / scale, up / scale) == pytest.approx(place, abs=0.01)
    image = picture(page)
    rows, columns = np.nonzero((image[..., 3] > 0.5) & (image[..., 0] > 2 * image[..., 1]))
    spread, axes = np.linalg.eigh(np.cov(columns, -rows))
    assert np.sqrt(spread[1] / spread[0]) > 3
    assert abs(axes[:, 1] @ [np.cos(time), np.sin(time)]) == pytest.approx(1.0, abs=1e-3)


def test_range_is_drawn_about_its_joint(opened, tmp_path):
    """A cone of 0.5 rad about x, the way to the camera, on a sphere of 0.4 m: its edge is a circle."""
    builder = FigureBuilder("two")
    builder.add("base", None, joint.fixed(), shapes=[Sphere(0.5)])
    cone = RangeOfMotion(ConeRegion((1, 0, 0), 0.5))
    builder.add("ball", "base", joint.ball(range=cone, parent_frame=Pose((0.5, 0.3, 0.2))), shapes=[Sphere(0.02)])
    figure = builder.build()
    still = Trajectory([0.0, 1.0], np.tile(figure.neutral(), (2, 1)), np.zeros((2, 3)))
    shown = JointRange("range", "ball", radius=0.4, colour="#ff0000")
    actor = Actor(figure, still, colour="#8888ff", overlays=[shown])
    write_replay(tmp_path / "range.html", actor, ground=False, camera=Camera(0.0, 0.0))
    page = opened(f"{tmp_path}/range.html#t=0")
    distance, target = page.evaluate("[replay.view.distance, replay.view.target]")
    image = picture(page)
    rows, columns = np.nonzero((image[..., 3] > 0.5) & (image[..., 0] > 3 * image[..., 1]))
    scale = 240 / np.tan(0.6 / 2) / (distance + target[0] - 0.5 - 0.4 * np.cos(0.5))  # at the circle
    left, right, low, high = columns.min() - 240, columns.max() - 239, 239 - rows.max(), 240 - rows.min()
    assert right - left == pytest.approx(2 * 0.4 * np.sin(0.5) * scale, abs=4)  # the line is 2.5 wide
    assert high - low == pytest.approx(2 * 0.4 * np.sin(0.5) * scale, abs=4)
    assert ((left + right) / 2, (low + high) / 2) == pytest.approx((0.3 * scale, 0.2 * scale), abs=1.5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_is_drawn_without_complaint(opened, replay, scheme):
    page = opened(f"{replay}#t=0.7", color_scheme=scheme)
    image = picture(page)
    assert (image[..., 3] > 0.5).mean() > 0.2
    assert len(np.unique((image * 255).astype(int).reshape(-1, 4), axis=0)) > 1000
    assert page.title() == "All there is"
    assert page.locator("#title").inner_text() == "All there is"
    assert page.locator("#caption").inner_text() == "half a second"
    assert page.locator("#labels span:visible").all_inner_texts() == ["human", "ghost"]


def test_scrubbing_changes_the_picture(opened, replay):
    page = opened(f"{replay}#t=0")
    before = picture(page)
    slider = page.locator("#slider")
    slider.click(position={"x": slider.bounding_box()["width"] / 2, "y": 10})
    assert clock(page) == pytest.approx(1.0, abs=0.1)
    assert np.abs(picture(page) - before).max() > 0.2


def test_playing_advances_and_space_holds(opened, replay):
    page = opened(replay)
    page.wait_for_function("replay.time > 0.3")
    page.keyboard.press("Space")
    held = clock(page)
    page.wait_for_timeout(300)
    assert clock(page) == held
    page.locator("#play").click()
    page.wait_for_function(f"replay.time > {held}")


def test_it_repeats_unless_told_not_to(opened, ball):
    page = opened(ball)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("replay.speed") == 4
    page.evaluate("() => { window.last = 0; window.turns = 0; }")
    page.wait_for_function("() => { if (replay.time < last) turns++; last = replay.time; return turns > 1; }")
    page.keyboard.press("l")
    page.wait_for_function("!replay.playing && replay.time === replay.end")


def test_keys_step_through_the_states(opened, ball):
    page = opened(f"{ball}#t=0.33")
    for key, expected in (("ArrowRight", 0.4), ("ArrowRight", 0.5), ("ArrowLeft", 0.4), ("End", 1.0), ("Home", 0.0)):
        page.keyboard.press(key)
        assert clock(page) == pytest.approx(expected, abs=1e-6)


def test_mouse_turns_moves_and_zooms(opened, ball):
    page = opened(f"{ball}#t=0.5")
    azimuth, distance = page.evaluate("[replay.view.azimuth, replay.view.distance]")
    size = red(page)[2]
    page.mouse.move(240, 200)
    page.mouse.down()
    page.mouse.move(290, 200, steps=5)
    page.mouse.up()
    assert page.evaluate("replay.view.azimuth") == pytest.approx(azimuth - 0.006 * 50)
    page.mouse.down(button="right")
    page.mouse.move(250, 160, steps=5)
    page.mouse.up(button="right")
    right, up, _ = red(page)
    assert (right, up) == pytest.approx((-40, 40), abs=2)  # what is under the hand goes along
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"replay.view.distance < {distance}")
    assert red(page)[2] > 1.5 * size
    page.keyboard.press("r")
    assert page.evaluate("[replay.view.azimuth, replay.view.distance]") == [azimuth, distance]


def test_two_fingers_zoom(opened, ball):
    page = opened(f"{ball}#t=0.5", has_touch=True)
    distance = page.evaluate("replay.view.distance")
    touch = page.context.new_cdp_session(page)

    def fingers(kind, *places):
        points = [{"x": x, "y": 200, "id": k} for k, x in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 200, 280)
    fingers("touchMove", 160, 320)
    page.wait_for_function(f"Math.abs(replay.view.distance / {distance} - 0.5) < 0.01")
    fingers("touchEnd")
    assert red(page)[:2] == pytest.approx((0, -40), abs=2)  # 40 pixels below the fingers, then 80


def test_camera_follows(opened, ball):
    page = opened(f"{ball}#t=0.5")
    right, _, _ = red(page)
    page.keyboard.press("f")
    assert red(page)[0] == pytest.approx(right, abs=1.0)  # it does not jump when it starts to follow
    page.evaluate("replay.seek(0.6)")
    assert red(page)[0] == pytest.approx(right, abs=2.0)
    page.keyboard.press("f")
    page.evaluate("replay.seek(0.9)")
    assert red(page)[0] > right + 30


def test_legend_switches_overlays_and_actors(opened, replay):
    page = opened(f"{replay}#t=0.7", size={"width": 900, "height": 480})
    names = ["human", "ghost", "pointer", "way of the hand", "path", "forces", "range"]
    assert page.locator("#legend label").all_inner_texts() == names
    before = picture(page)
    for name in names:
        label = page.locator("#legend label", has_text=name).first
        label.click()
        assert np.abs(picture(page) - before).max() > 0.1, f"{name} is not drawn"
        label.click()
        assert np.array_equal(picture(page), before)


def test_replay_within_a_report(opened, replay, tmp_path):
    index = write_report(tmp_path / "report", "Report", [Section("Motion", [Replay(replay, "It moves")])])
    page = opened(index, size={"width": 900, "height": 800})
    frame = page.frames[1]
    frame.wait_for_function("replay.time > 0.2")
    assert frame.url == f"file://{index.parent}/replay.html"


def test_page_says_when_there_is_no_webgl(ball, chromium):
    page = chromium.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(f"file://{ball}")
    assert "needs WebGL 2" in page.locator("body").inner_text()
    page.close()
