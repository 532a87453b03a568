"""The dynamics filter in motion mode: before and after, forces, what is missing, and live while one drags."""

import numpy as np
import pytest

pytest.importorskip("viser")

from hitogata.dynamics import inverse_dynamics
from hitogata.filter import FrameStatus, Slope
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.motion import resample
from hitogata.studio import Studio
from hitogata.studio.filtering import foot_forces, footing
from hitogata.studio.gauges import Gauge
from hitogata.studio.modes.live_filter import LiveFilter
from hitogata.studio.modes.motion import Playing
from hitogata.studio.options import StudioOptions
from hitogata.studio.scenery import Floor, floor_heights
from hitogata.studio.stage import Stage

H = 1 / 60


@pytest.fixture(scope="module")
def walk():
    human = virtual_human()
    return human, resample(human, sample_walk(strides=1), 60.0)


@pytest.fixture
def studio(walk, tmp_path):
    """A studio whose frames the test takes itself."""
    human, motion = walk
    studio = Studio(human, motion=motion, options=StudioOptions(port=0, folder=tmp_path, shadows=False))
    studio.clock.ask = lambda task, **_: task()
    studio.clock.post = lambda what, task: studio.guard.run(what, task)
    studio.ready = True
    studio.load_motion(motion)
    yield studio
    studio.stop()


def frames(studio, count):
    for _ in range(count):
        studio._frame(H)
        studio.clock.frames += 1


@pytest.mark.parametrize("floor", [floor for floor in Floor if floor is not Floor.NONE], ids=lambda floor: floor.name)
def test_the_filter_walks_on_the_ground_that_is_drawn(floor):
    places = np.array([[0.0, 0.0], [0.3, 0.2]])  # before the first step: beyond it heights are of boxes
    found = footing(floor).height(places)
    flat = floor is Floor.HILLS  # `floor_heights` takes the highest corner about
    np.testing.assert_allclose(found, 0.0 if flat else floor_heights(floor, places), atol=1e-12)


def test_pressure_centres_of_feet():
    corners = np.arange(24.0).reshape(8, 3)
    forces = np.zeros((8, 3))
    forces[0, 2], forces[3, 2] = 100.0, 300.0
    found = foot_forces(corners, forces, np.arange(8) < 4)
    np.testing.assert_allclose(found.centres, [0.25 * corners[0] + 0.75 * corners[3]])
    np.testing.assert_allclose(found.sums, [[0, 0, 400.0]])
    assert found.forces.shape == (4, 3)


def test_before_and_after(studio):
    before = studio.mode.motion
    panel = studio.page.motion.filter
    panel.floor.value = Floor.DOWNHILL.value
    studio.set_floor(Floor.DOWNHILL)
    panel.run()
    filtering, mode = studio.filtering, studio.mode
    applied = filtering.now()
    assert applied.filtered.measures.fallen_at is None
    assert mode.motion is applied.motion
    assert studio.page.plots.chosen == [Gauge.RESIDUAL]
    frames(studio, 40)
    shown, lifted = studio.stage.q[0], filtering.unfiltered()
    k = mode.player.index
    np.testing.assert_allclose(shown, applied.filtered.trajectory.q[k], atol=1e-12)
    floor = Slope(np.radians(-5))
    assert lifted[2] - applied.filtered.wanted.q[k][2] == pytest.approx(float(floor.height(lifted[:2])), abs=1e-12)
    found = filtering.forces()
    assert found.sums[:, 2].sum() > 0.5 * 9.81 * studio.stage.figure.mass
    np.testing.assert_allclose(floor.height(found.centres[:, :2]), found.centres[:, 2], atol=2e-3)
    _, lines = studio.gauges.lines(Gauge.RESIDUAL)
    assert np.nanmax(lines[:, 0]) > 20.0  # before
    assert np.nanmax(lines[:, 1]) < 1e-6
    assert "preview" in panel.about.content
    assert studio.show.filtered._ghost is not None
    panel.set_live(True)  # not laid on the slope twice
    assert mode.motion.q[k][2] == applied.filtered.wanted.q[k][2]
    studio.undo.undo()
    assert studio.mode.motion is applied.motion
    studio.undo.undo()
    frames(studio, 2)
    assert studio.mode.motion is before
    assert filtering.forces() is None
    assert studio.show.filtered._ghost is None
    assert studio.guard.crashes == 0


def test_a_live_drag_stays_possible(studio):
    """What is shown while a hand is dragged needs nothing at the root but what the soles give."""
    panel = studio.page.motion.filter
    panel.set_live(True)
    mode, human = studio.mode, studio.stage.figure
    assert panel.live.value
    frames(studio, 15)
    hand = human.link_index("hand_left")
    poses = studio.stage.poses()
    place = poses.position[0, hand]
    mode.grab("me", 0, hand, place)
    worst, apart = 0.0, 0.0
    for k in range(25):
        mode.lead("me", place + [0.02 * k, 0.0, 0.01 * k])
        frames(studio, 1)
        frame = mode.live.frame
        np.testing.assert_array_equal(studio.stage.q[0], frame.q)
        found = studio.filtering.forces()
        given = np.concatenate([np.cross(found.corners - frame.q[:3], found.forces), found.forces], axis=1).sum(axis=0)
        needed = inverse_dynamics(human, frame.q, frame.v, frame.vdot)[:6]
        worst = max(worst, float(np.abs(needed - given).max()))
        apart = max(apart, float(np.linalg.norm(mode.player.q - frame.q)))
    assert worst < 1e-6 * 9.81 * human.mass
    assert apart > 0.01  # the puppet alone would go elsewhere
    assert frame.status not in (FrameStatus.FAR, FrameStatus.RESTARTED)
    mode.let_go("me")
    panel.set_live(False)
    frames(studio, 2)
    np.testing.assert_array_equal(studio.stage.q[0], mode.player.q)
    assert studio.guard.crashes == 0


def test_loops_and_scrubs_begin_the_live_filter_anew(walk):
    human, motion = walk
    mode = Playing(Stage(human), motion=motion)
    mode.set_live(LiveFilter(Slope()))
    for _ in range(30):
        mode.advance(H)
    assert mode.live.frame is not None
    mode.seek(0.3)
    assert mode.live.frame is None
    for _ in range(len(motion) + 5):
        mode.advance(H)
    assert np.isfinite(mode.stage.q).all()
