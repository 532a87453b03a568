"""The source of images: films markers on a moving figure through calibrated cameras, pixel by pixel.

Retro-reflective balls shine back the camera's own ring light: bright discs, a little darker at the rim.  Every pixel is
the mean over a grid of rays inside it; rays stop at the nearest ball, or earlier at the body, so blobs merge and are
cut off as in a laboratory.  Then come the lens's blur, the noise of photons and electronics, and rounding to 8 bits.
Whoever reads the images sees nothing else.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.capture.camera import Camera, project, undistort
from hitogata.capture.marker_set import MarkerSet
from hitogata.capture.occluders import Occluder, hides, occluders_of
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.lanes import Floats, Ints, Number, entry, kernel, records, view_or_none
from hitogata.spatial import Vec3, dot

Image = np.ndarray[tuple[int, int], np.dtype[np.uint8]]


@dataclass(frozen=True, kw_only=True)
class FilmSettings:
    """How cameras see.  Grey levels are of 255.

    Attributes:
        brightness: of a marker.
        background: of everything else.
        body: how much brighter the body is than the background.
        blur: standard deviation of the lens's point spread [px].
        read_noise: standard deviation of the electronics' noise [grey levels].
        shot_noise: variance of the photons' noise per grey level.
        samples: rays across a pixel, in each direction.
        seed: of the noise, which is another one for each camera and frame.
    """

    brightness: float = 220.0
    background: float = 8.0
    body: float = 10.0
    blur: float = 0.6
    read_noise: float = 1.5
    shot_noise: float = 0.05
    samples: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("brightness", "background", "body", "blur", "read_noise", "shot_noise"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ArgumentError(f"film: {name} must be finite and not negative, got {value}")
        if not 1 <= self.samples <= 32:
            raise ArgumentError(f"film: samples across a pixel must be from 1 to 32, got {self.samples}")


class Filming:
    """One camera that films.

    Attributes:
        rays: normalised coordinates (x, y) through the corners of its pixels, shape (height + 1, width + 1, 2).
    """

    def __init__(self, camera: Camera, settings: FilmSettings | None = None, *, number: int = 0) -> None:
        """A camera that films.

        Args:
            camera: with its true lens.
            settings: how it sees.
            number: of the camera, so that each has noise of its own.
        """
        self.camera, self.settings, self.number = camera, settings or FilmSettings(), number
        width, height = camera.size
        u, v = np.meshgrid(np.arange(width + 1) - 0.5, np.arange(height + 1) - 0.5)
        self.rays = np.ascontiguousarray(undistort(camera, np.stack([u, v], axis=-1)))
        blur = self.settings.blur
        reach = max(1, math.ceil(3.5 * blur))
        taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / blur) ** 2) if blur > 0 else np.ones(1)
        self._taps = taps / taps.sum()

    def image(self, markers: Any, radius: float, *, occluders: FloatArray | None = None, frame: int = 0) -> Image:
        """An image, shape (height, width).

        Args:
            markers: places in the world [m], shape (n, 3); NaN ones are not there.
            radius: of the markers [m].
            occluders: shapes that hide markers, from `Occluders.rows`.
            frame: number of the frame, for the noise.
        """
        s, camera = self.settings, self.camera
        width, height = camera.size
        given = np.asarray(markers, dtype=np.float64).reshape(-1, 3)
        local = np.ascontiguousarray((given - np.array(camera.pose.position)) @ camera.pose.rotation)
        pixels = project(camera, given)
        with np.errstate(invalid="ignore"):
            spread = max(camera.focal) * radius / local[:, 2] * 1.5 + 2.0
            seen = (local[:, 2] > 2 * radius) & (pixels > -spread[:, None]).all(axis=1)
            seen &= (pixels < np.array([width, height]) + spread[:, None]).all(axis=1)
        local = local[seen]
        boxes = np.concatenate([pixels[seen] - spread[seen, None], pixels[seen] + spread[seen, None] + 1], axis=1)
        edges = np.array([width, height, width, height], dtype=np.float64)
        boxes = np.clip(boxes, 0, edges).astype(np.int64)
        light = np.zeros((height, width))
        shapes = np.zeros((0, 17)) if occluders is None else occluders
        if len(shapes) and s.body > 0:
            shade_body(light, self.rays, shapes, _shape_boxes(camera, shapes), s.body)
        shine(light, self.rays, local, boxes, shapes, radius, s.brightness, float(s.samples))
        return self.developed(light, frame)

    def developed(self, light: FloatArray, frame: int) -> Image:
        """The image of light, shape (height, width) of grey levels: blurred, with noise.  Light is used up."""
        s = self.settings
        work = np.empty_like(light)
        if len(self._taps) > 1:
            blur(light, work, self._taps)
        rng = np.random.default_rng([s.seed, self.number, frame])
        noise = rng.standard_normal(light.shape, dtype=np.float32)
        image: Image = np.empty((light.shape[0], light.shape[1]), dtype=np.uint8)
        levels = np.array([s.background, s.read_noise**2, s.shot_noise], dtype=np.float64)
        develop(light, noise, image, levels)
        return image


def film_figure(
    cameras: Sequence[Camera], figure: Figure, q: Any, markers: MarkerSet, *, settings: FilmSettings | None = None
) -> Iterator[list[Image]]:
    """Images of every camera, frame by frame.

    Args:
        cameras: with their true lenses.
        figure: that moves, and hides its own markers.
        q: its coordinates, shape (nt, nq).
        markers: on the figure.
        settings: how the cameras see.
    """
    filming = [Filming(camera, settings, number=k) for k, camera in enumerate(cameras)]
    body = occluders_of(figure)
    places = markers.positions(figure, q)
    for frame, (pose, at) in enumerate(zip(q, places, strict=True)):
        links = forward_kinematics(figure, pose)
        rows = (body.rows(links, camera.pose) for camera in cameras)
        yield [f.image(at, markers.radius, occluders=row, frame=frame) for f, row in zip(filming, rows, strict=True)]


def film_points(
    cameras: Sequence[Camera], points: Any, *, radius: float, settings: FilmSettings | None = None
) -> Iterator[list[Image]]:
    """Images of loose markers (a wand, an L-frame): points in the world [m], shape (nt, n, 3)."""
    filming = [Filming(camera, settings, number=k) for k, camera in enumerate(cameras)]
    for frame, at in enumerate(points):
        yield [each.image(at, radius, frame=frame) for each in filming]


def _shape_boxes(camera: Camera, shapes: FloatArray) -> Any:
    """Pixels within which each shape lies: of the ball around it, shape (ns, 4)."""
    at, reach, (width, height) = shapes[:, 9:12], shapes[:, 16], camera.size
    boxes = np.zeros((len(shapes), 4), dtype=np.int64)
    near = at[:, 2] > 1.5 * reach
    world = at[near] @ camera.pose.rotation.T + np.array(camera.pose.position)
    pixels = np.nan_to_num(project(camera, world), nan=-1e6)
    size = (max(camera.focal) * reach[near] / (at[near, 2] - reach[near]) * 1.3 + 2.0)[:, None]
    edges = np.array([width, height, width, height], dtype=np.float64)
    boxes[near] = np.clip(np.concatenate([pixels - size, pixels + size + 1], axis=1), 0, edges).astype(np.int64)
    return boxes


# ------------------------------------------------------- kernels


@kernel
def ray_at(rays, row, column, across, down):
    """Direction (x, y, 1) through a place inside a pixel, between the rays of its four corners."""
    p, q = (1.0 - across) * (1.0 - down), across * (1.0 - down)
    r, s = (1.0 - across) * down, across * down
    x = p * rays[row, column, 0] + q * rays[row, column + 1, 0]
    x += r * rays[row + 1, column, 0] + s * rays[row + 1, column + 1, 0]
    y = p * rays[row, column, 1] + q * rays[row, column + 1, 1]
    y += r * rays[row + 1, column, 1] + s * rays[row + 1, column + 1, 1]
    return Vec3(x, y, 1.0)


@kernel
def reached(ray, x, y, z, radius):
    """(t of the nearest point of a ball on a ray, cosine at which it is met); t < 0: missed."""
    centre = Vec3(x, y, z)
    b, dd = dot(ray, centre), dot(ray, ray)
    free = b * b - dd * (dot(centre, centre) - radius * radius)
    if free <= 0.0:
        return -1.0, 0.0
    root = math.sqrt(free)
    return (b - root) / dd, root / (radius * math.sqrt(dd))


@entry(light=Floats(2, write=True), rays=Floats(3), balls=Floats(2), boxes=Ints(2), shapes=Floats(2),
       radius=Number(), brightness=Number(), samples=Number())  # fmt: skip
def shine(light, rays, balls, boxes, shapes, radius, brightness, samples):
    """Add the light of all balls that reach the camera."""
    body = records(view_or_none(shapes), Occluder)
    near_shapes = np.empty(shapes.shape[0], np.int64)
    near_balls = np.empty(balls.shape[0], np.int64)
    across = int(samples)
    for i in range(balls.shape[0]):
        end = Vec3(balls[i, 0], balls[i, 1], balls[i, 2])
        hiding = 0
        for k in range(shapes.shape[0]):
            if hides(body[k], end, 1.2 * radius):
                near_shapes[hiding] = k
                hiding += 1
        rivals = 0
        for j in range(balls.shape[0]):
            apart_x = boxes[i, 0] < boxes[j, 2] and boxes[j, 0] < boxes[i, 2]
            if j != i and apart_x and boxes[i, 1] < boxes[j, 3] and boxes[j, 1] < boxes[i, 3]:
                near_balls[rivals] = j
                rivals += 1
        for row in range(boxes[i, 1], boxes[i, 3]):
            for column in range(boxes[i, 0], boxes[i, 2]):
                total = 0.0
                for k in range(across * across):
                    ray = ray_at(rays, row, column, (k % across + 0.5) / across, (k // across + 0.5) / across)
                    t, cosine = reached(ray, end.x, end.y, end.z, radius)
                    if not t > 0.0:
                        continue
                    first = True
                    for m in range(rivals):
                        j = near_balls[m]
                        other, _ = reached(ray, balls[j, 0], balls[j, 1], balls[j, 2], radius)
                        first = first and not 0.0 < other < t
                    for m in range(hiding):
                        first = first and not hides(body[near_shapes[m]], ray * t, 0.0)
                    if first:
                        total += 0.6 + 0.4 * cosine
                light[row, column] += total * brightness / (across * across)
    return 0


@entry(light=Floats(2, write=True), rays=Floats(3), shapes=Floats(2), boxes=Ints(2), grey=Number())
def shade_body(light, rays, shapes, boxes, grey):
    """Give the pixels that show the body its grey."""
    body = records(view_or_none(shapes), Occluder)
    for k in range(shapes.shape[0]):
        far = 2.0 * body[k].pos.z + 1.0
        for row in range(boxes[k, 1], boxes[k, 3]):
            for column in range(boxes[k, 0], boxes[k, 2]):
                if light[row, column] == 0.0 and hides(body[k], ray_at(rays, row, column, 0.5, 0.5) * far, 0.0):
                    light[row, column] = grey
    return 0


@entry(light=Floats(2, write=True), work=Floats(2, write=True), taps=Floats(1))
def blur(light, work, taps):
    """Convolve with a kernel along rows and columns; light from outside the image is none."""
    height, width, reach = light.shape[0], light.shape[1], taps.shape[0] // 2
    lit = np.zeros(height, np.int64)  # rows without light stay as they are
    for row in range(height):
        first, last = width, -1
        for column in range(width):
            if light[row, column] != 0.0:
                first, last = min(first, column), column
        for column in range(width):
            work[row, column] = 0.0
        if last < 0:
            continue
        lit[row] = 1
        for column in range(max(first - reach, 0), min(last + reach + 1, width)):
            total = 0.0
            for k in range(max(-reach, -column), min(reach, width - 1 - column) + 1):
                total += taps[k + reach] * light[row, column + k]
            work[row, column] = total
    for row in range(height):
        for column in range(width):
            light[row, column] = 0.0
        for k in range(max(-reach, -row), min(reach, height - 1 - row) + 1):
            if lit[row + k]:
                for column in range(width):
                    light[row, column] += taps[k + reach] * work[row + k, column]
    return 0


@entry(light=Floats(2), levels=Floats(1))
def develop(light, noise, image, levels):
    """Light and noise of unit variance to grey levels."""
    dark = math.sqrt(levels[1])
    for row in range(light.shape[0]):
        for column in range(light.shape[1]):
            signal = light[row, column]
            spread = dark if signal == 0.0 else math.sqrt(levels[1] + levels[2] * signal)
            value = levels[0] + signal + spread * noise[row, column]
            image[row, column] = np.uint8(min(max(value + 0.5, 0.0), 255.0))
    return 0
