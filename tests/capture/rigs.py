"""A laboratory for tests: eight cameras around a room, a waved wand."""

import numpy as np

from hitogata.capture.camera import Camera, project
from hitogata.capture.wand import LFrame, Wand

WAND, FRAME = Wand(), LFrame()


def cameras(count: int = 8, *, seed: int = 0) -> list[Camera]:
    """Cameras in a ring, each with a lens of its own."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(count):
        angle = 2 * np.pi * k / count + 0.2
        at = (3.5 * np.cos(angle), 3.5 * np.sin(angle), 2.2 + 0.3 * (k % 2))
        camera = Camera.looking_at(f"c{k}", at, (0, 0, 0.9), angle=0.9, distortion=(-0.12, 0.03, 5e-4, -7e-4, 0))
        off = np.array([*[rng.normal(0, 12)] * 2, *rng.normal(0, 4, 2), *rng.normal(0, 0.01, 2), 0, 0, 0])
        found.append(camera.with_intrinsics(camera.intrinsics + off, camera.pose))
    return found


def guesses(true: list[Camera]) -> list[Camera]:
    """What a data sheet says of them."""
    return [Camera(c.name, c.size, (530, 530), (255.5, 255.5)) for c in true]


def waved(count: int = 150, *, flat: bool = False) -> np.ndarray:
    """Places of the wand's markers, shape (nt, 3, 3)."""
    t = np.linspace(0, 1, count)
    middle = np.stack([np.sin(22 * t), np.cos(16 * t + 0.5), 1 + 0.8 * np.sin(35 * t)], axis=1)
    way = np.stack([np.cos(27 * t) * np.cos(12 * t), np.sin(27 * t) * np.cos(12 * t), np.sin(12 * t)], axis=1)
    if flat:
        middle[:, 2], way[:, 2] = 1.0, 0.0
        way /= np.linalg.norm(way, axis=1)[:, None]
    return middle[:, None] + np.array(WAND.marks)[None, :, None] * way[:, None]


def sightings(true: list[Camera], points: np.ndarray, *, noise: float = 0.03, seed: int = 1) -> np.ndarray:
    """Pixels of points, shape (nt, nc, n, 2), with noise; NaN outside the images."""
    pixels = np.stack([project(camera, points) for camera in true], axis=1)
    pixels += np.random.default_rng(seed).normal(0, noise, pixels.shape)
    outside = (pixels < 0) | (pixels > 511)
    pixels[outside.any(axis=(2, 3))] = np.nan
    return pixels
