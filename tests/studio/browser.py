"""A studio and a real browser in one process."""

import contextlib
import shutil
import time

import numpy as np

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # as if there were no internet
]
SIZE = {"width": 1000, "height": 640}

QUIET = (
    *("Detected chrome", "WebGL support", "Connecting to", "Connected!", "THREE.Clock", "GPU stall", "Disconnected"),
    *("Setting DPR", "Attempted to update attributes of non-existent node", "websocket is not connected"),
    "Unable to preventDefault inside passive event listener",  # of the controls' library, while one drags
)
"""What viser's client and the software renderer say when all is well."""


class Watched:
    """A page of a studio; what it complains of is kept in `complaints`."""

    def __init__(self, browser, studio, *, size=SIZE):
        self.studio = studio
        self.page = browser.new_context(viewport=size, accept_downloads=True).new_page()
        self.complaints, self.asked = [], []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        before = set(studio.server.get_clients())
        self.page.goto(studio.address)
        self.until(lambda: set(studio.server.get_clients()) - before, "the page to connect")
        self.client = studio.server.get_clients()[max(set(studio.server.get_clients()) - before)]
        self.until(lambda: studio.ready and studio.mode is not None, "the studio to be ready", seconds=240)
        self.close_notes()
        self.pictures(3)

    def _heard(self, message):
        if not any(words in message.text for words in QUIET):
            self.complaints.append(f"{message.type}: {message.text}")

    def close(self):
        self.page.context.close()

    # ------------------------------------------------------- waiting

    def until(self, ready, what, *, seconds=30):
        """Wait, while the page lives on."""
        end = time.monotonic() + seconds
        while True:
            found = ready()
            if found:
                return found
            assert time.monotonic() < end, f"waited {seconds} s for {what}"
            self.page.wait_for_timeout(30)

    def wait(self, seconds):
        self.page.wait_for_timeout(1000 * seconds)

    def pictures(self, count):
        """Wait until the page drew some pictures."""
        self.page.evaluate(
            "n => new Promise(done => { const f = () => n-- > 0 ? requestAnimationFrame(f) : done(); f(); })", count
        )

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

    def drag(self, start, end, *, moves=14, until=None):
        """Press at one place of the page, move to another, wait until something is so, release.

        The page draws a picture between two moves, however slow it is: it sees all of them.
        """
        mouse = self.page.mouse
        mouse.move(*start)
        self.pictures(3)
        mouse.down()
        self.pictures(2)
        for k in range(1, moves + 1):
            mouse.move(*(np.array(start) + (np.array(end) - start) * k / moves))
            self.pictures(1)
            self.wait(0.05)
        if until is not None:
            self.until(until, "the drag to take effect", seconds=60)
        mouse.up()
        self.pictures(2)
        self.wait(0.1)

    def centre(self, part):
        """Of a part of the page, which is scrolled to [pixels]."""
        part.scroll_into_view_if_needed()
        box = part.bounding_box()
        return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])

    def press(self, label):
        """Press a button of the controls."""
        self.page.get_by_role("button", name=label, exact=True).click()

    def tab(self, label):
        self.page.get_by_role("tab", name=label, exact=True).click()
        self.wait(0.2)

    def mode(self, name):
        """Choose a mode, and wait until it is."""
        self.press(name)
        self.until(lambda: self.studio.mode_name.value == name, f"mode {name}")
        self.wait(0.2)
