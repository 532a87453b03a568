"""A studio and a real browser in one process."""

import contextlib
import itertools
import shutil
import time

import numpy as np

try:
    from playwright.sync_api import Error
except ImportError:
    Error = RuntimeError  # the tests are skipped

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # as if there were no internet
]
SIZE = {"width": 1000, "height": 640}

_NUMBERS = itertools.count(1)

QUIET = (
    *("Detected chrome", "WebGL support", "Connecting to", "Connected!", "THREE.Clock", "GPU stall", "Disconnected"),
    *("Setting DPR", "Attempted to update attributes of non-existent node", "websocket is not connected"),
    "Tried to update non-existent component",  # of a plot taken away while its last numbers were on their way
    "Unable to preventDefault inside passive event listener",  # of the controls' library, while one drags
)
"""What viser's client and the software renderer say when all is well."""

TIMEOUT = 180_000
"""Longest wait for anything on a page [ms]: longer than a busy machine takes."""

KEEP_NOTES = """window.notes = [];
new MutationObserver(() => {
  for (const note of document.querySelectorAll(".mantine-Notification-root"))
    if (!window.notes.includes(note.innerText)) window.notes.push(note.innerText);
}).observe(document, { childList: true, subtree: true, characterData: true });"""
"""Notifications go by themselves after some seconds; the page keeps what they said."""


class Watched:
    """A page of a studio; what it complains of is kept in `complaints`."""

    def __init__(self, browser, studio, *, size=SIZE):
        self.studio = studio
        self.page = browser.new_context(viewport=size, accept_downloads=True).new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.page.add_init_script(KEEP_NOTES)
        self.complaints, self.asked = [], []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        before = set(studio.server.get_clients())
        self.page.goto(studio.address)
        self.until(lambda: set(studio.server.get_clients()) - before, "the page to connect")
        self.client = studio.server.get_clients()[max(set(studio.server.get_clients()) - before)]
        self.until(lambda: studio.ready and studio.mode is not None, "the studio to be ready", seconds=600)
        self.close_notes()
        self.settle()

    def _heard(self, message):
        if not any(words in message.text for words in QUIET):
            self.complaints.append(f"{message.type}: {message.text}")

    def close(self):
        self.page.context.close()

    # ------------------------------------------------------- waiting

    def until(self, ready, what, *, seconds=180):
        """Wait for a state, however slow the machine is, while the page lives on."""
        end = time.monotonic() + seconds
        while True:
            found = ready()
            if found:
                return found
            assert time.monotonic() < end, f"waited {seconds} s for {what}"
            self.page.wait_for_timeout(30)

    def insist(self, act, ready, what, *, times=4, seconds=20):
        """Do something until it has its effect, as people do whose machine is busy; it looks anew where things are."""
        for attempt in range(1, times + 1):
            act()
            end = time.monotonic() + seconds * attempt
            while time.monotonic() < end:
                found = ready()
                if found:
                    return found
                self.page.wait_for_timeout(30)
        raise AssertionError(f"{what}: not after {times} times")

    def frames(self, count):
        """Wait until the studio took some frames, commands before them included."""
        begun = self.studio.clock.ask(lambda: self.studio.clock.frames)
        self.until(lambda: self.studio.clock.frames >= begun + count, f"{count} frames")

    def settle(self):
        """Wait until the page shows what Python has sent, and Python knows the camera that the page has."""
        label = f"hitogata studio {next(_NUMBERS)}"
        self.studio.server.gui.set_panel_label(label)  # it comes after all that was sent before
        self.page.get_by_text(label, exact=True).first.wait_for()
        self.studio.server.gui.set_panel_label("hitogata studio")
        self.until(self._steady, "the camera to rest")

    def _steady(self):
        before = self._camera()
        self.pictures(2)
        box = self.page.locator("canvas[data-engine]").bounding_box()
        wide = box is not None and abs(before[0] * box["height"] / box["width"] - 1) < 0.01  # controls have docked
        return wide and np.array_equal(before, self._camera())

    def _camera(self):
        camera = self.client.camera
        return np.array([camera.aspect, *camera.position, *camera.wxyz])

    def pictures(self, count):
        """Wait until the page drew some pictures."""
        self.page.evaluate(
            "n => new Promise(done => { const f = () => n-- > 0 ? requestAnimationFrame(f) : done(); f(); })", count
        )

    def told(self, text):
        """Wait until the page has shown a notification with this text."""
        self.page.wait_for_function("text => notes.some(note => note.includes(text))", arg=text)

    def close_notes(self):
        """Close notifications, such as that of the software renderer."""
        for note in self.page.locator(".mantine-Notification-closeButton").all():
            with contextlib.suppress(Exception):  # it may go by itself
                note.click(timeout=1000)

    # ------------------------------------------------------- the mouse

    def at(self, place):
        """Where a place of the world [m] is on the page [pixels]."""
        camera = self.client.camera
        box = self.page.locator("canvas[data-engine]").bounding_box()
        w, x, y, z = camera.wxyz
        turn = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ])  # fmt: skip
        seen = turn.T @ (np.asarray(place, float) - camera.position)
        assert seen[2] > 0, f"{place} is behind the camera"
        scale = box["height"] / 2 / np.tan(camera.fov / 2) / seen[2]
        return box["x"] + box["width"] / 2 + seen[0] * scale, box["y"] + box["height"] / 2 + seen[1] * scale

    def drag(self, start, end, *, moves=8, until=None):
        """Press at one place of the page, move to another, wait until something is so, release; False: it never was.

        The page draws a picture between two moves, however slow it is: it sees all of them.
        """
        start, end, mouse = np.array(start), np.array(end), self.page.mouse
        mouse.move(*start)
        self.pictures(2)
        mouse.down()
        self.pictures(1)
        for k in range(1, moves + 1):
            mouse.move(*(start + (end - start) * k / moves))
            self.pictures(1)
        found = True
        if until is not None:
            try:
                self.until(until, "the drag", seconds=20)
            except AssertionError:
                found = False
        mouse.up()
        self.pictures(1)
        return found

    def drag_link(self, link, local, goal, until):
        """Drag a point of the first figure's link to where a place of the world is seen; looks anew if it was missed.

        Until something is so, with the mouse still down.
        """
        for _ in range(4):
            self.settle()
            if self.drag(self.at(point(self.studio, link, local)), self.at(goal), until=until):
                return
        raise AssertionError(f"{link} was dragged four times, in vain")

    def centre(self, part):
        """Of a part of the page, which is scrolled to, when it has come to rest [pixels]."""
        before, found = None, []

        def rests():
            nonlocal before
            box = None
            with contextlib.suppress(Error):  # it may be drawn anew just now
                part.scroll_into_view_if_needed()
                box = part.bounding_box()
            here = None if box is None else np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
            if here is not None and before is not None and np.abs(here - before).max() < 0.5:
                found.append(here)
            before = here
            self.pictures(1)
            return bool(found)

        self.until(rests, "a part of the page to rest")
        return found[0]

    def press(self, label):
        """Press a button of the controls."""
        self.page.get_by_role("button", name=label, exact=True).click()

    def tab(self, label):
        tab = self.page.get_by_role("tab", name=label, exact=True)
        self.insist(tab.click, lambda: tab.get_attribute("aria-selected") == "true", f"tab {label}")

    def mode(self, name):
        """Choose a mode, and wait until it is."""
        if self.studio.mode_name.value != name:
            self.press(name)
        self.until(lambda: self.studio.mode_name.value == name, f"mode {name}")
        self.frames(2)


def point(studio, link, local):
    """A point of a link of the first figure, in the world [m]."""

    def read():
        matrix = studio.stage.poses().matrices[0, studio.stage.figure.link_index(link)]
        return matrix[:, :3] @ np.array(local) + matrix[:, 3]

    return studio.clock.ask(read)
