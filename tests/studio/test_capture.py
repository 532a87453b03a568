"""Capture mode without a page, and in a browser: points, gaps, labels dragged, the body in its markers, live frames."""

import dataclasses

import numpy as np
import pytest

from hitogata.capture import LiveFrame, Scope, spread_markers
from hitogata.capture.camera import Camera
from hitogata.capture.marker_files import write_marker_set
from hitogata.errors import ArgumentError
from hitogata.files import MarkerData, write_c3d
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.studio.capture_trial import CaptureTrial, load_trial, trial_of
from hitogata.studio.gap_line import gap_line
from hitogata.studio.modes.capture import Capturing, LiveFeed
from hitogata.studio.stage import Stage
from tests.studio.browser import CHROMIUM, FLAGS, Watched

WRONG = slice(20, 50)


def recorded(rate=60.0):
    """A walk with gaps; two labels changed places for a while."""
    figure = virtual_human()
    markers, walk = spread_markers(figure, 41), sample_walk(strides=1, rate=rate)
    q = np.concatenate([walk.q[:, :1] - walk.q[:, :1].mean(), walk.q[:, 1:]], axis=1)
    places = markers.positions(figure, q)
    a, b = markers.labels.index("forearm_left_1"), markers.labels.index("hand_left_1")
    places[WRONG, [a]], places[WRONG, [b]] = places[WRONG, [b]], places[WRONG, [a]]
    places[10:15, 3] = np.nan
    data = MarkerData(markers.labels, np.arange(len(q)) / rate, rate, places, name="walk")
    return figure, markers, q, data


def test_a_label_is_moved_and_the_body_follows():
    figure, markers, q, data = recorded()
    stage = Stage(figure)
    mode = Capturing(stage, trial=CaptureTrial(data, markers).posed(figure))
    assert any("sides" not in p for p in mode.trial.problems)
    mode.seek(30)
    assert mode.index == 30
    assert not mode.playing
    mode.chosen = "hand_left_1"
    assert mode.residual() > 0.05
    mode.move_label("hand_left_1", "forearm_left_1")
    assert mode.residual() < 1e-3
    assert mode.trial.angles.rms < 1e-3
    np.testing.assert_allclose(stage.q[0], q[30], atol=5e-3)
    mode.take_label("head_1")
    assert np.isnan(mode.places[mode.labels.index("head_1")]).all()
    assert mode.labels[-1] == "*1"
    mode.play(True)
    mode.advance(0.2)
    assert mode.index == 30 + 12
    mode.advance(10.0)
    assert mode.index == 0                                          # it began again


def test_rays_and_what_is_near_the_pointer():
    figure, markers, _, data = recorded()
    cameras = tuple(Camera.looking_at(f"c{k}", (3 * np.cos(k), 3 * np.sin(k), 1.5), (0, 0, 1)) for k in range(4))
    mode = Capturing(Stage(figure), trial=CaptureTrial(data, markers, cameras=cameras))
    assert mode.pose is None
    assert mode.rays().shape == (0, 2, 3)
    mode.chosen = "chest_1"
    rays = mode.rays()
    np.testing.assert_allclose(rays[:, 1], np.repeat(data.marker("chest_1")[:1], len(rays), axis=0))
    assert len(rays) == 4
    eye, at = np.array([3.0, 0.2, 1.4]), data.marker("hand_left_1")[0]
    way = (at - eye) / np.linalg.norm(at - eye)
    assert mode.nearest(eye, way, 0.05) == "hand_left_1"
    assert mode.nearest(eye, -way, 0.05) is None


def test_the_time_line_shows_gaps():
    _, _, _, data = recorded()
    picture = gap_line(data, 12, "chest_1")
    rows = picture.split("<path")[1:]
    assert len(rows) == 41
    assert [row.split('"')[1].count("M") for row in rows[:5]] == [1, 1, 1, 2, 1]
    assert "&lt;" in gap_line(dataclasses.replace(data, labels=("<b>", *data.labels[1:])), 0)


def test_live_frames_are_shown_and_become_a_trial():
    figure, markers, q, data = recorded()
    frames = []
    for k in range(20):
        order = np.random.default_rng(k).permutation(41)
        points = np.concatenate([data.positions[k][order], [[0, 0, 2.5]]])
        labels = np.argsort(order)
        labels[5] = -1
        frames.append(LiveFrame(k / 60, points, labels, np.ones(41), np.ones((42, 2), bool), q[k]))
    feed = LiveFeed(markers.labels, 60.0, figure, markers)
    stage = Stage(figure)
    mode = Capturing(stage, feed=feed)
    assert np.isnan(mode.places).all()
    feed.take(iter(frames))
    mode.advance(0.1)
    np.testing.assert_allclose(stage.q[0], q[19])
    assert len(mode.labels) == 43                                   # a ghost, and the point without its label
    with pytest.raises(ArgumentError, match="stop what comes live"):
        mode.move_label("chest_1", "chest_2")
    trial = feed.trial()
    assert trial.markers.nframes == 20
    assert trial.angles is not None
    assert np.isnan(trial.markers.marker(markers.labels[5])).all()
    assert feed.ended == "the source has ended"

    def breaks():
        yield frames[0]
        raise OSError("camera 3 is gone")

    feed.ended = None
    feed.take(breaks())
    assert "camera 3 is gone" in feed.ended


def test_files(tmp_path):
    figure, _, _, data = recorded()
    write_c3d(data, tmp_path / "walk.c3d")
    trial, _ = load_trial(tmp_path / "walk.c3d")
    with pytest.raises(ArgumentError, match="open a marker set"):
        trial.posed(figure)
    again, _ = load_trial(_written(tmp_path, trial))
    np.testing.assert_array_equal(again.markers.seen, trial.markers.seen)
    with pytest.raises(ArgumentError, match="no frames"):
        CaptureTrial(MarkerData((), np.zeros(0), 60.0, np.zeros((0, 0, 3))))
    assert trial_of([LiveFrame(0.0, np.zeros((0, 3)), np.full(41, -1), np.zeros(41), np.zeros((0, 1), bool), None)],
                    data.labels, 60.0).markers.nframes == 1  # fmt: skip


def _written(folder, trial):
    path = folder / "again.c3d"
    path.write_bytes(trial.written())
    return path


@pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium: apt-get install chromium")
def test_a_wrong_label_is_dragged_to_its_point(tmp_path):
    """In the browser: a trial is opened and fitted, a label dragged, undone, written."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")
    from hitogata.studio import Studio, StudioOptions

    figure, markers, _, data = recorded()
    write_c3d(data, tmp_path / "walk.c3d")
    write_marker_set(figure, markers, tmp_path / "set.toml")
    options = StudioOptions(port=0, folder=tmp_path / "out")
    with Studio(options=options) as studio, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = Watched(browser, studio)
        page.press("Capture")
        _upload(page, "Open a trial (C3D, TRC)", tmp_path / "walk.c3d")
        page.until(lambda: studio.trial is not None and studio.mode_name.value == "Capture", "the trial")
        assert studio.mode.pose is None
        _upload(page, "Open a marker set", tmp_path / "set.toml")
        page.until(lambda: studio.trial_now().marker_set is not None, "the marker set")
        page.press("Joint angles only")
        page.until(lambda: studio.trial_now().angles is not None, "joint angles")
        studio.clock.ask(lambda: studio.mode.seek(30))
        label = data.labels.index
        start, end = data.positions[30, label("hand_left_1")], data.positions[30, label("forearm_left_1")]
        page.frames(3)
        for _ in range(4):
            page.settle()
            if page.drag(page.at(start), page.at(end), until=lambda: bool(studio.show.capture._held)):
                break
        page.until(lambda: studio.trial_now().angles.rms < 1e-3, "the label to be moved")
        assert studio.clock.ask(lambda: studio.mode.chosen) == "hand_left_1"
        assert studio.clock.ask(lambda: studio.mode.scope) is Scope.STRETCH
        page.press("Undo")
        page.until(lambda: studio.trial_now().angles.rms > 1e-3, "undo")
        page.until(lambda: studio.mode is not None and studio.mode.index == 30, "the frame of before")
        assert not studio.guard.messages
        assert not page.complaints
        page.close()
        browser.close()


def _upload(page, label, path):
    """Press a button for files, and choose one."""
    with page.page.expect_file_chooser() as chooser:
        page.press(label)
    chooser.value.set_files(path)
