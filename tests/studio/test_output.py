"""Files that the studio writes: what was recorded is in them."""

import time

import numpy as np
import pytest
from PIL import Image

from hitogata.figure import Trajectory
from hitogata.files import read_bvh
from hitogata.rom import RangeOfMotion
from hitogata.spatial import quat_exp
from hitogata.studio import StudioOptions

pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")


class Camera:
    position, look_at = np.array([2.0, 1.0, 1.3]), np.array([0.0, 0.0, 0.9])


class Note:
    body = ""

    def remove(self):
        """Nothing is shown."""


class Client:
    """Somebody who looks from somewhere and is handed files."""

    camera = Camera()

    def __init__(self):
        self.files = {}

    def add_notification(self, *_, **__):
        return Note()

    def send_file_download(self, name, content, **_):
        self.files[name] = content


pytestmark = pytest.mark.filterwarnings("ignore:.*look like radians")  # it hardly moves in half a second


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """It has recorded half a second of a human that is pushed."""
    from hitogata.studio import Studio
    from hitogata.studio.panels.page import ModeName

    with Studio("virtual_human", options=StudioOptions(port=0, folder=tmp_path_factory.mktemp("out"))) as studio:
        wait(lambda: studio.ready)
        studio.clock.ask(lambda: studio.set_mode(ModeName.PHYSICS))
        studio.clock.ask(studio.recorder.start)
        studio.clock.ask(lambda: studio.mode.push_link(0, 2, np.array([10.0, 3.0, 0.0])))
        wait(lambda: studio.recorder.seconds > 0.5)
        studio.clock.ask(studio.recorder.stop)
        yield studio


def wait(ready):
    end = time.monotonic() + 600
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.05)


def handed_over(studio, write):
    """The file that a client is handed, which also lies in the folder."""
    client = Client()
    path = write(client)
    assert path.parent == studio.folder.path
    assert client.files == {path.name: path.read_bytes()}
    return path


def test_trajectory_and_bvh(studio):
    recorded = studio.recorder.trajectories()[0]
    motion = Trajectory.load(handed_over(studio, studio.output.trajectory))
    np.testing.assert_allclose(motion.q, recorded.q, atol=1e-12)
    np.testing.assert_allclose(motion.time, recorded.time, atol=1e-12)
    bvh = read_bvh(handed_over(studio, studio.output.bvh))
    assert bvh.frame_time * (bvh.nframes - 1) == pytest.approx(motion.time[-1], abs=1 / 50)


def test_replay_and_film(studio):
    page = handed_over(studio, studio.output.replay).read_text()
    assert "http://" not in page.replace("http://www.w3.org", "")
    with Image.open(handed_over(studio, lambda client: studio.output.film(client, ".gif"))) as film:
        assert film.n_frames > 5
        assert film.size == (480, 360)


def test_ranges_to_files_and_back(studio):
    desk = studio.desk
    path = studio.clock.ask(desk.save)
    before = studio.clock.ask(lambda: desk.range)
    assert RangeOfMotion.load(path) == before
    studio.clock.ask(lambda: desk.put(None))
    studio.page.ranges._open("../../odd name.json", path.read_bytes())
    wait(lambda: studio.clock.ask(lambda: desk.range) == before)
    assert list(studio.guard.messages) == []


def test_range_from_a_motion(studio):
    """It holds every pose of the motion."""
    figure = studio.stage.figure
    way, nothing = np.linspace(0, 2 * np.pi, 40), np.zeros(40)
    q, part = np.tile(figure.neutral(), (40, 1)), figure.q_slice("shoulder_left")
    q[:, part] = np.asarray(quat_exp(0.4 * np.stack([np.cos(way), np.sin(way), nothing], 1)))
    before = studio.clock.ask(lambda: studio.desk.range)
    studio.desk.fit(Trajectory(np.arange(40) / 30, q, np.zeros((40, figure.nv))))
    wait(lambda: studio.clock.ask(lambda: studio.desk.range) is not before)
    assert studio.desk.range.contains(q[:, part]).all()
    studio.clock.ask(studio.desk.reset)
