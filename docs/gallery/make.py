"""Makes the gallery's pictures: a studio, a real browser, and somebody who drags.

    python docs/gallery/make.py [NAME ...]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from hitogata.figure import Trajectory  # noqa: E402
from hitogata.motion import Hold, Puppet  # noqa: E402
from hitogata.motion.reach import ease_limbs  # noqa: E402
from hitogata.studio import Studio, StudioOptions  # noqa: E402
from hitogata.studio.gauges import Gauge  # noqa: E402
from hitogata.studio.panels.page import ModeName  # noqa: E402
from hitogata.studio.scenery import Floor, Thing  # noqa: E402
from tests.studio.browser import CHROMIUM, FLAGS, Watched  # noqa: E402

SIZE = {"width": 1280, "height": 800}


class Scene:
    """A studio and its page."""

    def __init__(self, browser, folder):
        self.studio = Studio("virtual_human", options=StudioOptions(port=0, folder=folder)).start()
        self.page = Watched(browser, self.studio, size=SIZE)
        self.do = self.studio.clock.ask
        self.page.page.add_style_tag(content=".mantine-Notification-root { display: none }")  # "drawn in software"

    def wait(self, seconds):
        self.page.page.wait_for_timeout(1000 * seconds)

    def look(self, eye, at):
        camera = self.page.client.camera
        camera.position, camera.look_at = eye, at
        self.wait(1.0)

    def place(self, link, point=(0.0, 0.0, -0.06)):
        stage = self.studio.stage
        matrix = self.do(lambda: stage.poses().matrices[0, stage.figure.link_index(link)].copy())
        return matrix[:, :3] @ np.array(point) + matrix[:, 3]

    def grab(self, link, goal, *, moves=20):
        """Press on a link, and lead it to a place; the button stays down."""
        mouse, start = self.page.page.mouse, np.array(self.page.at(self.place(link)))
        mouse.move(*start)
        self.wait(0.3)
        mouse.down()
        end = np.array(self.page.at(goal))
        for k in range(1, moves + 1):
            mouse.move(*(start + (end - start) * k / moves))
            self.wait(0.08)
        self.wait(1.0)

    def drop(self):
        self.page.page.mouse.up()
        self.wait(0.3)

    def picture(self, name):
        self.page.settle()
        self.page.page.screenshot(path=HERE / f"{name}.png")
        print(f"{name}.png", list(self.studio.guard.messages))


def pose(scene):
    scene.look((2.0, 0.75, 1.25), (0.0, 0.05, 0.95))
    scene.grab("hand_right", np.array([0.3, -0.25, 1.12]))
    scene.drop()
    scene.page.page.mouse.click(*scene.page.at(scene.place("hand_right")))
    scene.wait(0.5)
    scene.grab("hand_left", np.array([0.15, 0.55, 1.6]), moves=30)
    scene.wait(1.5)
    scene.picture("pose")
    scene.drop()


def frames(scene, count):
    """As many frames, however slow the page is; in the clock's thread."""
    studio = scene.studio
    for _ in range(count):
        studio.mode.advance(1 / 60)
        studio.show.draw()


def ranges(scene):
    scene.do(scene.studio.mode.rest)
    scene.page.tab("Ranges")
    scene.do(lambda: setattr(scene.studio.page.ranges.shown, "value", True))
    scene.do(lambda: scene.studio.desk.choose("shoulder_left"))
    scene.look((1.35, 1.0, 1.65), (0.0, 0.12, 1.25))
    figure = scene.studio.stage.figure
    for link in ("chest", "pelvis"):
        scene.do(lambda link=link: scene.studio.mode.pin(0, figure.link_index(link), hold=Hold.POSE))
    hand = figure.link_index("hand_left")
    here = scene.place("hand_left")
    scene.do(lambda: scene.studio.mode.grab("gallery", 0, hand, here))
    way = np.array([here, (0.45, 0.25, 1.05), (0.5, 0.2, 1.45), (0.3, 0.35, 1.85), (0.05, 0.7, 1.6)])
    for share in np.linspace(0, 4, 120):
        k = min(int(share), 3)
        goal = way[k] + (way[k + 1] - way[k]) * (share - k)
        scene.do(lambda goal=goal: scene.studio.mode.lead("gallery", goal))
        scene.do(lambda: frames(scene, 2))
    scene.do(lambda: scene.studio.mode.let_go("gallery"))
    scene.picture("ranges")
    scene.do(lambda: setattr(scene.studio.page.ranges.shown, "value", False))
    scene.do(scene.studio.show.show_range)


def forces(scene):
    scene.do(scene.studio.mode.rest)
    scene.page.tab("Move")
    scene.page.mode("Physics")
    scene.page.tab("Plots")
    plots = scene.studio.page.plots
    scene.do(lambda: plots.choose(Gauge.CONTACT, Gauge.PRESSURE))
    plots.contacts.value = plots.joints.value = True
    scene.look((2.3, 0.5, 1.1), (0.0, -0.3, 0.9))
    scene.wait(2.0)
    scene.do(lambda: scene.studio.mode.push_link(0, 2, np.array([5.0, 2.0, 0.0])))
    scene.wait(1.6)
    scene.picture("forces")
    scene.do(plots.choose)
    plots.contacts.value = plots.joints.value = False


def steps(scene, count):
    """Let the world go on by some frames, however slow the page is."""
    mode = scene.studio.mode

    def run():
        mode.change(speed=1.0)
        for _ in range(count):
            mode.advance(1 / 60)
        mode.change(speed=0.0)

    scene.do(run)


def physics(scene):
    scene.page.mode("Physics")
    scene.do(scene.studio.mode.rest)
    scene.do(lambda: scene.studio.mode.change(stiffness=250.0, speed=0.0))
    scene.look((2.4, 1.5, 1.35), (0.0, 0.1, 0.8))
    mode, rng = scene.studio.mode, np.random.default_rng(4)
    for k in range(8):
        kind = (Thing.BALL, Thing.BOX)[k % 2]
        start = np.array([0.9, 1.3, 1.5]) + rng.normal(size=3) * [0.1, 0.1, 0.15]
        aim = np.array([0.0, 0.0, 1.15]) + rng.normal(size=3) * 0.15
        scene.do(lambda kind=kind, start=start, aim=aim: mode.throw(kind, start, (aim - start) * 3.2))
        steps(scene, 7)
    scene.wait(1.5)
    scene.picture("physics")


def bar(scene):
    """Arms raised in pose mode; both hands dragged to a bar out of reach, and let go."""
    studio = scene.studio
    hands = {side: studio.stage.figure.link_index(f"hand_{side}") for side in ("left", "right")}

    def lead(goal, count, bow):
        """Both hands go to (x, ±y, z), bowed forwards, and stay a while."""
        start = {side: scene.studio.stage.poses().position[0, link].copy() for side, link in hands.items()}
        for side, link in hands.items():
            studio.mode.grab(side, 0, link, start[side])
        for share in np.clip(np.arange(count) / (0.7 * count), 0.0, 1.0):
            for side, sign in (("left", 1.0), ("right", -1.0)):
                way = np.array([goal[0], sign * goal[1], goal[2]]) - start[side]
                studio.mode.lead(side, start[side] + way * share + [bow * np.sin(np.pi * share), 0.0, 0.0])
            studio.mode.advance(1 / 60)
        for side in hands:
            studio.mode.let_go(side)

    scene.do(lambda: lead((0.05, 0.25, 1.95), 180, 0.5))
    scene.page.mode("Physics")
    scene.do(lambda: studio.set_bar(2.3))
    scene.do(lambda: studio.mode.change(stiffness=300.0, speed=1.0))
    studio.page.physics.bar.value, studio.page.physics.bar_height.value = True, 2.3
    scene.do(lambda: lead((0.0, 0.25, 2.45), 180, 0.0))
    scene.look((2.9, 1.2, 1.6), (0.0, -0.1, 1.3))
    steps(scene, 120)
    scene.wait(1.0)
    scene.picture("bar")


def dance(figure):
    """Both hands swing, knees bend, head follows."""
    puppet = Puppet(figure)
    ease_limbs(puppet)
    for foot in ("sole_left", "sole_right"):
        puppet.pin(foot, hold=Hold.POSE)
    left, right, hips = puppet.drag("palm_left"), puppet.drag("palm_right"), puppet.drag("pelvis")
    rows = []
    for k in range(180):
        a = 2 * np.pi * k / 90
        puppet.set_target(left, position=(0.35, 0.45, 1.35 + 0.35 * np.sin(a)))
        puppet.set_target(right, position=(0.35, -0.45, 1.35 - 0.35 * np.sin(a)))
        puppet.set_target(hips, position=(0.0, 0.08 * np.sin(a), 0.82 + 0.03 * np.cos(2 * a)))
        puppet.solve(20)
        rows.append(puppet.q)
    return Trajectory(np.arange(180) / 60, np.array(rows), np.zeros((180, figure.nv)))


def motion(scene):
    scene.page.tab("Move")
    figure = scene.studio.stage.figure
    scene.do(lambda: scene.studio.load_motion(dance(figure)))
    scene.look((2.4, 0.8, 1.35), (0.0, 0.0, 0.92))

    def play():
        mode = scene.studio.mode
        mode.seek(0.4)
        mode.click(0, figure.link_index("hand_right"), np.zeros(3))
        mode.playing = True
        frames(scene, 40)
        scene.studio.page.tick(0)
        mode.playing = False

    scene.do(play)
    scene.wait(0.5)
    scene.picture("motion")


def crowd(scene):
    scene.do(lambda: scene.studio.set_count(50))
    scene.do(lambda: scene.studio.set_mode(ModeName.PHYSICS))
    scene.do(lambda: scene.studio.mode.change(speed=0.0))
    scene.look((3.0, 2.3, 2.1), (-2.6, -0.1, 0.6))
    rng = np.random.default_rng(1)
    for copy in range(50):
        scene.do(lambda copy=copy: scene.studio.mode.push_link(copy, 2, rng.normal(size=3) * [16.0, 16.0, 2.0]))
    steps(scene, 70)
    scene.page.tab("Scene")
    scene.wait(4.0)
    scene.picture("crowd")


def hills(scene):
    scene.do(lambda: scene.studio.set_mode(ModeName.PHYSICS))
    scene.studio.clock.ask(lambda: scene.studio.set_floor(Floor.HILLS), timeout=600)  # it may compile
    scene.do(lambda: scene.studio.set_count(9))
    scene.do(lambda: scene.studio.mode.change(speed=0.0))
    scene.look((3.6, 2.3, 1.9), (-0.9, -0.2, 0.45))
    mode, rng = scene.studio.mode, np.random.default_rng(2)
    for k in range(10):
        start = np.array([2.0, 0.9, 1.4]) + rng.normal(size=3) * 0.3
        way = np.array([-4.5, -1.5, 1.0]) + rng.normal(size=3)
        scene.do(lambda k=k, start=start, way=way: mode.throw((Thing.BALL, Thing.BOX)[k % 2], start, way))
        steps(scene, 9)
    scene.page.tab("Scene")
    scene.wait(3.0)
    scene.picture("hills")


SHOTS = {shot.__name__: shot for shot in (pose, ranges, forces, physics, bar, motion, crowd, hills)}


def main():
    wanted = sys.argv[1:] or list(SHOTS)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name in wanted:
            scene = Scene(browser, folder)
            SHOTS[name](scene)
            scene.page.close()
            scene.studio.stop()
        browser.close()


if __name__ == "__main__":
    main()
