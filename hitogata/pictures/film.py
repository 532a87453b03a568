"""Motions as pictures, without a browser: stills (.png), films (.mp4) and moving pictures (.gif)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError, MissingDependencyError
from hitogata.figure import Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.pictures.actor import Actor
from hitogata.pictures.camera import Camera
from hitogata.pictures.overlays import Spindles, positive
from hitogata.pictures.replay import COLOURS
from hitogata.pictures.replay_shapes import world_boxes
from hitogata.pictures.shading import Frame, draw_solids
from hitogata.pictures.spindles import draw_spindles

Picture = npt.NDArray[np.uint8]
"""Shape (height, width, 3)."""

SKY, GROUND, LINES = "#eef2f7", "#dde2e9", "#cbd2dc"
_DPI = 100


def write_still(
    path: str | Path, actors: Actor | Sequence[Actor], *, time: float = 0.0, camera: Camera | None = None,
    size: tuple[int, int] = (960, 720),
) -> None:  # fmt: skip
    """Write figures at one time as a picture.

    Args:
        path: the file; .png or another that matplotlib's canvas can write.
        actors: one or several figures with their motions, on one clock.
        time: which [s]; the sample nearest before is drawn.
        camera: where to look from; None: from the front left.
        size: width and height [pixels].
    """
    from matplotlib.image import imsave

    cast = [actors] if isinstance(actors, Actor) else list(actors)
    stage = _Stage([_at(actor, time) for actor in cast], camera, size, follow=False)
    imsave(Path(path), stage.picture(time))


def draw_picture(
    actors: Actor | Sequence[Actor], *, time: float = 0.0, camera: Camera | None = None,
    size: tuple[int, int] = (960, 720),
) -> Picture:  # fmt: skip
    """Figures at one time as pixels, shape (height, width, 3); arguments as of `write_still`."""
    cast = [actors] if isinstance(actors, Actor) else list(actors)
    return _Stage([_at(actor, time) for actor in cast], camera, size, follow=False).picture(time)


def _at(actor: Actor, time: float) -> Actor:
    """An actor whose motion is one sample; of overlays it keeps spindles."""
    motion = actor.trajectory
    row = max(0, int(np.searchsorted(motion.time, time + 1e-9, side="right")) - 1)
    one = Trajectory(motion.time[row : row + 1], motion.q[row : row + 1], motion.v[row : row + 1])
    kept = [
        replace(each, at=each.at[row : row + 1], values=each.values[row : row + 1])
        for each in actor.overlays
        if isinstance(each, Spindles)
    ]
    return replace(actor, trajectory=one, overlays=tuple(kept))


def write_film(
    path: str | Path, actors: Actor | Sequence[Actor], *, camera: Camera | None = None,
    size: tuple[int, int] = (960, 720), rate: float | None = None, follow: bool | None = None,
    progress: Callable[[float], None] | None = None,
) -> None:  # fmt: skip
    """Write figures in motion as .mp4 (needs imageio-ffmpeg) or .gif.

    Args:
        path: the file; its ending decides.
        actors: one or several figures with their motions, on one clock.
        camera: where to look from; None: from the front left.
        size: width and height [pixels], both even.
        rate: pictures a second; None: 30, or 20 for .gif.
        follow: whether the camera goes along with the figures; None: if they travel.
        progress: called with the share that is done, 0 ... 1.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".mp4", ".gif"):
        raise ArgumentError(f"{path}: .mp4 or .gif expected, got {kind or 'no ending'}")
    if any(side < 16 or side % 2 for side in size):
        raise ArgumentError(f"size: even numbers from 16 on expected, got {size}")
    rate = (20.0 if kind == ".gif" else 30.0) if rate is None else rate
    positive(rate, "rate")
    stage = _Stage(actors, camera, size, follow=follow)
    times = stage.first + np.arange(max(1, round((stage.last - stage.first) * rate) + 1)) / rate

    def pictures() -> Iterator[Picture]:
        for k, time in enumerate(times):
            yield stage.picture(float(time))
            if progress is not None:
                progress((k + 1) / len(times))

    (_write_gif if kind == ".gif" else _write_mp4)(path, pictures(), size, rate)


def _write_mp4(path: Path, pictures: Iterator[Picture], size: tuple[int, int], rate: float) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingDependencyError("films need imageio-ffmpeg: pip install 'hitogata[film]'") from None
    options = {"quality": 8, "macro_block_size": 2, "ffmpeg_log_level": "error"}
    writer = imageio_ffmpeg.write_frames(str(path), size, fps=rate, **options)
    writer.send(None)
    try:
        for picture in pictures:
            writer.send(np.ascontiguousarray(picture))
    finally:
        writer.close()


def _write_gif(path: Path, pictures: Iterator[Picture], size: tuple[int, int], rate: float) -> None:
    from PIL import Image

    frames = [Image.fromarray(p).quantize(64, dither=Image.Dither.NONE) for p in pictures]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=1000 / rate, loop=0)


class _Stage:
    """Draws all actors at any time."""

    _empty: tuple[FloatArray, Picture] | None

    def __init__(
        self, actors: Actor | Sequence[Actor], camera: Camera | None, size: tuple[int, int], *, follow: bool | None
    ) -> None:
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure as Canvas
        except ImportError:
            raise MissingDependencyError("pictures need matplotlib: pip install 'hitogata[plot]'") from None
        self.actors = [actors] if isinstance(actors, Actor) else list(actors)
        if not self.actors:
            raise ArgumentError("actors: a picture needs at least one")
        self.camera = camera or Camera(azimuth=np.radians(35.0), elevation=np.radians(12.0))
        self.first = min(float(actor.trajectory.time[0]) for actor in self.actors)
        self.last = max(float(actor.trajectory.time[-1]) for actor in self.actors)
        self._canvas = FigureCanvasAgg(Canvas(figsize=(size[0] / _DPI, size[1] / _DPI), dpi=_DPI))
        self._aspect, self._empty = size[0] / size[1], None
        boxes = [self._boxes(actor) for actor in self.actors]
        low, high = np.min([b[0].min(0) for b in boxes], axis=0), np.max([b[1].max(0) for b in boxes], axis=0)
        one = max(float(np.linalg.norm(b[1] - b[0], axis=1).max()) for b in boxes)
        travels = float(np.linalg.norm(high - low)) > 2 * one
        self._follow = travels if follow is None else follow
        self._middle = (low + high) / 2
        self._half = 0.56 * (one if self._follow else max(self._extent(low, high), 0.6))

    def _boxes(self, actor: Actor) -> tuple[FloatArray, FloatArray]:
        low, high = world_boxes(actor.figure, forward_kinematics(actor.figure, actor.trajectory.q.astype(np.float64)))
        return low + np.array(actor.offset), high + np.array(actor.offset)

    def _extent(self, low: FloatArray, high: FloatArray) -> float:
        """Height that the picture must have to hold a box [m]."""
        corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        wide, tall = np.ptp(self.camera.project(corners)[:, :2], axis=0)
        return float(max(tall, wide / self._aspect))

    def picture(self, time: float) -> Picture:
        """All actors at a time [s]."""
        rows = [int(np.searchsorted(a.trajectory.time, time + 1e-9, side="right")) - 1 for a in self.actors]
        states = [a.trajectory.q[max(row, 0)] for a, row in zip(self.actors, rows, strict=True)]
        middle = self._middle.copy()
        if self._follow:
            roots = [forward_kinematics(a.figure, q).position[0] for a, q in zip(self.actors, states, strict=True)]
            middle[:2] = np.mean(roots, axis=0)[:2]
        x, y = self.camera.project(middle)[:2]
        picture = self._ground(middle)
        height, width = picture.shape[:2]
        frame = Frame(self.camera, (float(x), float(y)), height / (2 * self._half), (width, height))
        draw_solids(picture, frame, [
            (a.figure, q, a.offset, a.colour or COLOURS[k % len(COLOURS)], dict(a.link_colours), a.opacity)
            for k, (a, q) in enumerate(zip(self.actors, states, strict=True))
        ])  # fmt: skip
        strings = [
            (overlay, max(row, 0), np.array(a.offset))
            for a, row in zip(self.actors, rows, strict=True)
            for overlay in a.overlays
            if isinstance(overlay, Spindles)
        ]
        if strings:
            draw_spindles(picture, frame, strings)
        return picture

    def _ground(self, middle: FloatArray) -> Picture:
        """The ground about a place, without figures; kept while it stays the same."""
        if self._empty is None or not np.array_equal(self._empty[0], middle):
            figure, half = self._canvas.figure, self._half
            x, y = self.camera.project(middle)[:2]
            figure.clear()
            axes = figure.add_axes((0, 0, 1, 1))
            axes.axis("off")
            axes.set_xlim(x - half * self._aspect, x + half * self._aspect)
            axes.set_ylim(y - half, y + half)
            figure.set_facecolor(SKY)
            self._draw_ground(axes, middle)
            self._canvas.draw()
            self._empty = middle.copy(), np.asarray(self._canvas.buffer_rgba())[..., :3].copy()
        return self._empty[1].copy()

    def _draw_ground(self, axes: Any, middle: FloatArray) -> None:
        """The plane z = 0 as a grid of half metres about the figures."""
        from matplotlib.collections import LineCollection
        from matplotlib.patches import Polygon

        centre = np.round(middle[:2] * 2) / 2
        reach = max(2.0, float(np.ceil(2.5 * self._half * self._aspect)))
        steps = np.arange(-reach, reach + 0.25, 0.5)
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * reach + centre
        flat = self.camera.project(np.column_stack([corners, np.zeros(4)]))[:, :2]
        axes.add_patch(Polygon(flat, closed=True, facecolor=GROUND, edgecolor="none", zorder=0))
        ends = [[(centre[0] + s, centre[1] - reach, 0), (centre[0] + s, centre[1] + reach, 0)] for s in steps]
        ends += [[(centre[0] - reach, centre[1] + s, 0), (centre[0] + reach, centre[1] + s, 0)] for s in steps]
        lines = list(self.camera.project(np.array(ends))[..., :2])
        axes.add_collection(LineCollection(lines, colors=LINES, linewidths=0.8, zorder=0.5), autolim=False)
