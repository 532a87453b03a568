"""Films and stills: as many pictures as there should be, and figures in them."""

import numpy as np
import pytest
from matplotlib.image import imread

from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.library import human28
from hitogata.pictures import Actor, Camera, write_film, write_still


@pytest.fixture(scope="module")
def walker():
    figure = human28()
    time = np.linspace(0.0, 1.0, 31)
    q = np.tile(figure.neutral(), (31, 1))
    q[:, 0] = 2.0 * time
    return Actor(figure, Trajectory(time, q, np.zeros((31, figure.nv))), colour="#ff0000")


def red(picture):
    """Pixels of the figure."""
    picture = picture / (255.0 if picture.dtype == np.uint8 else 1.0)
    return (picture[..., 0] > 0.5) & (picture[..., 1] < 0.25) & (picture[..., 2] < 0.25)


def test_still_shows_the_whole_figure(tmp_path, walker):
    write_still(tmp_path / "a.png", walker, time=0.4, size=(200, 300))
    picture = imread(tmp_path / "a.png")
    assert picture.shape[:2] == (300, 200)
    found = red(picture)
    assert 0.05 < found.mean() < 0.5
    rows, columns = np.nonzero(found)
    assert rows.min() > 3
    assert rows.max() < 297
    assert np.ptp(rows) > 200
    assert columns.min() > 3
    assert columns.max() < 197


def test_gif(tmp_path, walker):
    from PIL import Image, ImageSequence

    side = Camera(azimuth=np.radians(-90), elevation=0.1)
    write_film(tmp_path / "a.gif", walker, size=(120, 90), rate=10, camera=side)
    frames = [np.array(f.convert("RGB")) for f in ImageSequence.Iterator(Image.open(tmp_path / "a.gif"))]
    assert len(frames) == 11
    places = [np.nonzero(red(frame))[1].mean() for frame in frames]
    assert np.all(np.diff(places) > 0)  # seen from the right, it walks to the right


def test_mp4(tmp_path, walker):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs imageio-ffmpeg: pip install 'hitogata[film]'")
    shares = []
    write_film(tmp_path / "a.mp4", walker, size=(160, 120), rate=20, follow=True, progress=shares.append)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))
    assert frames == 21
    assert seconds == pytest.approx(1.05, abs=0.1)
    assert shares[-1] == 1.0
    reader = imageio_ffmpeg.read_frames(str(tmp_path / "a.mp4"))
    assert next(reader)["size"] == (160, 120)
    pictures = [np.frombuffer(frame, np.uint8).reshape(120, 160, 3) for frame in reader]
    middles = [np.nonzero(picture[..., 0] > picture[..., 1] + 80)[1].mean() for picture in pictures]
    assert np.ptp(middles) < 6  # the camera goes along


def test_bad_input(tmp_path, walker):
    with pytest.raises(ArgumentError, match=r"\.mp4 or \.gif"):
        write_film(tmp_path / "a.avi", walker)
    with pytest.raises(ArgumentError, match="size"):
        write_film(tmp_path / "a.gif", walker, size=(101, 100))
    with pytest.raises(ArgumentError, match="at least one"):
        write_film(tmp_path / "a.gif", [])
    assert not list(tmp_path.iterdir())
