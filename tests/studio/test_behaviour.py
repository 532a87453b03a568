"""Behaviour mode without a page, and in a browser: streams in step, gaze, forces, a recording made and replayed."""

import threading
import time

import numpy as np
import pytest

from hitogata.behaviour import (
    Channel,
    DatagramInlet,
    DatagramSender,
    Samples,
    ShapeTarget,
    Stream,
    StreamKind,
    Target,
    open_recording,
    play,
)
from hitogata.behaviour.recording import recording_of
from hitogata.behaviour.sources import Source
from hitogata.behaviour.watch import LiveWatch
from hitogata.errors import ArgumentError
from hitogata.figure.shapes import Capsule
from hitogata.library import virtual_human
from hitogata.studio.behaviour_plots import sampled
from hitogata.studio.behaviour_take import BehaviourTake
from hitogata.studio.modes.behaviour import Behaving
from hitogata.studio.stage import Stage
from tests.studio.browser import CHROMIUM, FLAGS, Watched

BALLS = (Target("left ball", (3.0, 1.0, 1.5), 0.3), Target("right ball", (3.0, -1.0, 1.5), 0.3))
NAMES = [*(f"origin.{a}" for a in "xyz"), *(f"direction.{a}" for a in "xyz")]


def gaze_source():
    """Eyes that go from one ball to the other and back within two seconds."""
    t = np.arange(240) / 120.0
    way = np.stack([3.0 + 0 * t, np.cos(np.pi * t), 0 * t], axis=1)
    values = np.c_[np.tile([0.0, 0.0, 1.5], (240, 1)), way].astype("<f4")
    return Source(Stream("gaze", StreamKind.GAZE, 120.0, tuple(Channel(n, "m") for n in NAMES), numbered=True), values)


def plate_source():
    """One plate under somebody who shifts to and fro at 2 Hz."""
    t = np.arange(1000) / 500.0
    fz = 700.0 + 50 * np.sin(4 * np.pi * t)
    values = np.stack([0 * t, 0 * t, fz, 0.2 * fz, -0.1 * fz, 0 * t], axis=1).astype("<f4")
    channels = tuple(Channel(n, "N" if n[0] == "f" else "Nm") for n in ("fx", "fy", "fz", "mx", "my", "mz"))
    return Source(Stream("plate", StreamKind.FORCE_PLATE, 500.0, channels, numbered=True), values)


def test_streams_of_a_recording_are_shown_in_step():
    tracks = {}
    for source in (gaze_source(), plate_source()):
        t = 50.0 + np.arange(len(source.values)) / source.stream.rate
        tracks[f"/{source.stream.name}"] = source.stream, Samples(t, t + 1e-3, source.values), []
    take = BehaviourTake(recording_of(tracks, [], [], "r"), targets=BALLS)
    mode = Behaving(Stage(virtual_human()), shown=take)
    seen = []
    for at, name in ((0.0, "left ball"), (0.5, ""), (1.0, "right ball")):
        mode.seek(at)
        gaze = mode.gaze()
        seen.append(gaze.target)
        assert gaze.target == name
        (place, force), = take.forces(mode.cursor)
        assert place == pytest.approx([0.1, 0.2, 0.0], abs=1e-6)
        assert force[2] == pytest.approx(700 + 50 * np.sin(4 * np.pi * at), abs=2.0)
    assert np.linalg.norm(gaze.end - np.array(BALLS[1].centre)) == pytest.approx(0.3, abs=1e-6)
    assert not mode.playing
    mode.play(True)
    mode.speed = 0.5
    mode.advance(0.4)
    assert mode.cursor == pytest.approx(1.2)
    mode.advance(10.0)
    assert mode.cursor == take.span[0]                              # it began again
    grid = np.linspace(-1.0, 3.0, 81)
    (line,) = sampled(*(a if k == 0 else a[:, 2:3] for k, a in enumerate(take.between("/plate", -1.0, 3.0))), grid)
    inside = (grid > 0.05) & (grid < 1.95)
    assert np.isfinite(line[inside]).all()
    assert np.isnan(line[grid < -0.1]).all()
    assert line[inside].max() == pytest.approx(750.0, abs=0.5)      # no peak is lost
    with pytest.raises(ArgumentError, match="a recording or what comes live"):
        BehaviourTake()


@pytest.fixture
def devices():
    """Two devices that send, and a watch of them."""
    sources = [gaze_source(), plate_source()]
    senders = [DatagramSender(s.stream) for s in sources]
    for source, sender in zip(sources, senders, strict=True):
        threading.Thread(target=play, args=(source, lambda sender=sender: sender), daemon=True).start()
    return LiveWatch(inlets=[DatagramInlet("127.0.0.1", s.port) for s in senders])


@pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium: apt-get install chromium")
def test_devices_are_watched_recorded_and_replayed(devices, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")
    from hitogata.studio import Studio, StudioOptions

    options = StudioOptions(port=0, folder=tmp_path / "out", shadows=False)
    with Studio(options=options) as studio, playwright.sync_playwright() as driver:
        page = Watched(driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS), studio)
        post = ShapeTarget("post", Capsule(0.1, 0.5), (3.0, 0.0, 0.6))
        take = BehaviourTake(watch=devices, targets=(*BALLS, post))
        studio.clock.ask(lambda: studio.show_behaviour(take))
        page.until(lambda: len(devices.logs) == 2, "two devices")
        view, panel = studio.show.behaviour, studio.page.behaviour
        ends, names, steps = [], set(), []
        end = time.monotonic() + 6.0
        while time.monotonic() < end and len(names) < 3:
            ends.append(np.array(view._gaze.points[0, 1]))
            gaze = studio.clock.ask(lambda: studio.mode.gaze())
            names.add("" if gaze is None else gaze.target)
            steps.append([plot.data[0][-1] - plot.data[0][0] for _, plot in panel.plots._plots.values()])
            page.page.wait_for_timeout(40)
        assert {"left ball", "right ball"} <= names                 # the ray moves over both
        assert set(view._targets) == {"left ball", "right ball", "post"}
        assert np.ptp(np.array(ends)[:, 1]) > 1.0
        page.until(lambda: len(panel.plots._plots) == 2, "plots")
        page.frames(12)
        first, second = (plot.data for _, plot in panel.plots._plots.values())
        assert (first[0] == second[0]).all()                        # in step: the same times
        assert np.ptp(first[1]) > 10.0
        assert np.isfinite(np.stack(second)).all()
        page.press("Record streams")
        page.until(lambda: devices.recorder is not None or studio.guard.messages, "the recording", seconds=30)
        assert not studio.guard.messages
        began = time.monotonic()
        page.page.wait_for_timeout(1500)
        shown = {key: log.between(began + 0.2, began + 1.2) for key, log in devices.logs.items()}
        page.page.screenshot(path=str(tmp_path / "live.png"))
        page.press("Stop and replay")
        page.until(lambda: studio.take.recording is not None or studio.guard.messages, "the replay", seconds=60)
        assert not studio.guard.messages
        page.until(lambda: studio.mode is not None and not studio.mode.live, "the mode")
        (path,) = (tmp_path / "out").glob("recording*.mcap")
        assert len(open_recording(str(path)).tracks) == 2
        for key, (_, values) in shown.items():                      # what was seen is what is replayed, to the bit
            track = studio.take.recording.track(key.split()[0])
            whole = np.asarray(track.values, np.float64)
            starts = [i for i in range(len(whole) - len(values) + 1) if (whole[i : i + len(values)] == values).all()]
            assert len(values) > 100
            assert starts
        studio.clock.ask(lambda: studio.mode.seek(studio.take.span[0] + 0.5))
        page.frames(8)
        page.until(lambda: abs(panel.at.value - 0.5) < 0.01, "the slider")
        with page.page.expect_download() as download:
            page.press("Export the cut")
        assert download.value.suggested_filename.endswith(".mcap")
        assert len(open_recording(str(download.value.path().rename(tmp_path / "cut.mcap"))).tracks) == 2
        page.page.screenshot(path=str(tmp_path / "replay.png"))
        assert not studio.guard.messages
        assert not page.complaints
