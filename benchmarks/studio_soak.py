"""Is the studio well after minutes of random mouse and GUI input from two pages?

    python -m benchmarks.studio_soak [SECONDS]

It does not run with the other benchmarks: it takes ten minutes.
"""

import random
import sys
import time
from typing import Any

from benchmarks.studio_process import FLAGS, StudioProcess, chromium
from benchmarks.timing import table

TABS = ("Move", "Scene", "Ranges", "Plots", "Output")
BUTTONS = {
    "Move": ("Neutral pose", "Pin the feet", "Let all pins loose", "Stand again", "Hold this pose", "Throw a ball",
             "Throw a box", "Take things away", "Pause", "Mirror", "Delete the keyframe", "Save as BVH"),
    "Scene": (), "Ranges": ("As it was loaded", "Save range (JSON)"), "Plots": (),
    "Output": ("Record", "Stop recording", "Play what was recorded", "HTML replay", "Trajectory (npz)", "Screenshot"),
}  # fmt: skip
SETTLED = 60.0
"""Memory is compared with that at this time [s]."""


class Hand:
    """Does things at random on a page."""

    def __init__(self, browser: Any, address: str, seed: int) -> None:
        self.page = browser.new_page(viewport={"width": 640, "height": 420})
        self.random, self.errors = random.Random(seed), list[str]()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_timeout(4000)

    def act(self) -> None:
        """One thing."""
        others = [self.mode, self.press, self.press, self.control, self.control, self.edit]
        try:
            self.random.choice([self.drag] * 5 + [self.click] * 3 + others)()
        except Exception as error:  # what is not there now cannot be pressed
            if "Timeout" not in str(error) and "not attached" not in str(error):
                self.errors.append(str(error)[:300])

    def place(self) -> tuple[float, float]:
        return self.random.uniform(80, 240), self.random.uniform(60, 380)

    def drag(self) -> None:
        mouse = self.page.mouse
        mouse.move(*self.place())
        mouse.down(button="left" if self.random.random() < 0.9 else "right")
        for _ in range(self.random.randint(2, 8)):
            mouse.move(*self.place())
            self.page.wait_for_timeout(50)
        mouse.up()
        mouse.up(button="right")

    def click(self) -> None:
        self.page.mouse.click(*self.place())

    def mode(self) -> None:
        name = self.random.choice(("Pose", "Physics", "Motion"))
        self.page.get_by_role("button", name=name, exact=True).click(timeout=1500)

    def tab(self) -> str:
        name = self.random.choice(TABS)
        self.page.get_by_role("tab", name=name, exact=True).first.click(timeout=1500)
        return name

    def press(self) -> None:
        labels = BUTTONS[self.tab()]
        if labels:
            self.page.get_by_role("button", name=self.random.choice(labels), exact=True).click(timeout=1500)

    def control(self) -> None:
        self.tab()
        kind = self.random.choice(("slider", "checkbox", "textbox"))
        found = [x for x in self.page.get_by_role(kind).all() if x.is_visible()]
        if not found:
            return
        one = self.random.choice(found)
        if kind == "checkbox":
            one.click(timeout=1500)
        elif kind == "slider":
            one.focus(timeout=1500)
            for _ in range(self.random.randint(1, 6)):
                self.page.keyboard.press(self.random.choice(("ArrowLeft", "ArrowRight", "Home", "End")))
        else:  # a dropdown
            one.click(timeout=1500)
            options = [x for x in self.page.get_by_role("option").all() if x.is_visible()]
            if options:
                self.random.choice(options).click(timeout=1500)

    def edit(self) -> None:
        self.page.get_by_role("tab", name="Ranges", exact=True).click(timeout=1500)
        frame = self.page.frame_locator("iframe[title='polar editor']")
        what = self.random.choice(("[data-point]", "[data-tangent]", "[data-twist]"))
        count = frame.locator(what).count()
        if not count:
            return
        box = frame.locator(what).nth(self.random.randrange(count)).bounding_box(timeout=1500)
        if box is None:
            return
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for _ in range(4):
            self.page.mouse.move(x + self.random.uniform(-30, 30), y + self.random.uniform(-30, 30), steps=2)
            self.page.wait_for_timeout(40)
        self.page.mouse.up()


def main(seconds: float = 600.0) -> None:
    from playwright.sync_api import sync_playwright

    studio = StudioProcess()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        hands = [Hand(browser, studio.address, seed) for seed in (1, 2)]
        begun, acts, settled, due = time.monotonic(), 0, None, 0.0
        while time.monotonic() - begun < seconds:
            for hand in hands:
                hand.act()
                acts += 1
            now = time.monotonic() - begun
            if settled is None and now > min(SETTLED, seconds / 4):
                settled = studio.stats()
            if now >= due:
                found = studio.stats()
                print(f"{now:6.0f} s  {acts:5d} acts  {found['commands']:5d} commands  {found['frames']:6d} frames  "
                      f"{found['rss']:6.1f} MB  {found['crashes']} crashes", flush=True)  # fmt: skip
                due += 30.0
        last = studio.stats()
        errors = [error for hand in hands for error in hand.errors]
        browser.close()
    rows = [
        ["seconds", f"{seconds:.0f}"],
        ["things done on two pages", str(acts)],
        ["commands that came of it", str(last["commands"])],
        ["frames", str(last["frames"])],
        ["crashes of callbacks", str(last["crashes"])],
        ["errors of the pages", str(len(errors))],
        ["memory after a minute [MB]", f"{settled['rss']:.1f}"],
        ["growth since [MB]", f"{last['rss'] - settled['rss']:.1f}"],
    ]
    table("Random input", ["", ""], rows)
    for text in [*dict.fromkeys(errors), *dict.fromkeys(last["messages"])][:20]:
        print("   ", text)
    studio.close()


if __name__ == "__main__":
    main(*(float(x) for x in sys.argv[1:2]))
