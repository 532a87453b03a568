"""What does a frame of the studio cost its server, while a page watches?"""

import time

from benchmarks.studio_process import FLAGS, StudioProcess, chromium
from benchmarks.timing import table

SECONDS = 10.0
CASES = {
    "virtual_human, physics at 60 Hz, ranges": (1, ""),
    "... and two plots": (1, "plots"),
    "... contact and joint arrows, a range shown": (1, "plots arrows"),
    "50 virtual_human": (50, ""),
    "50 virtual_human, two plots, arrows": (50, "plots arrows"),
}


def measure(studio: StudioProcess, copies: int, extras: str) -> tuple[float, float]:
    """Frames a second, and the server's CPU per frame [ms]."""
    studio.ask("studio.set_mode(ModeName.POSE)")
    studio.ask(f"studio.set_count({copies})")
    studio.ask("studio.set_mode(ModeName.PHYSICS)")
    plots = "Gauge.CONTACT, Gauge.MARGIN" if "plots" in extras else ""
    studio.ask(f"studio.page.plots.choose({plots})")
    for name in ("contacts", "joints"):
        studio.ask(f"setattr(studio.page.plots.{name}, 'value', {'arrows' in extras})")
    studio.ask(f"setattr(studio.page.ranges.shown, 'value', {'arrows' in extras})")
    studio.ask("studio.show.show_range()")
    time.sleep(1.5)
    first, begun = studio.stats(), time.perf_counter()
    time.sleep(SECONDS)
    last, ended = studio.stats(), time.perf_counter()
    frames = last["frames"] - first["frames"]
    return frames / (ended - begun), 1e3 * (last["cpu"] - first["cpu"]) / frames


def main() -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("needs playwright")
        return
    if chromium() is None:
        print("needs a Chromium")
        return
    studio, rows = StudioProcess(), []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 900, "height": 600})
        page.goto(studio.address)
        page.wait_for_timeout(4000)
        for name, (copies, extras) in CASES.items():
            rate, cpu = measure(studio, copies, extras)
            rows.append([name, f"{rate:.1f}", f"{cpu:.2f}"])
        browser.close()
    studio.close()
    table("The studio, one page watching", ["", "frames/s", "server CPU per frame [ms]"], rows)


if __name__ == "__main__":
    main()
