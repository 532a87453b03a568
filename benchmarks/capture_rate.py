"""Detection, reconstruction and labelling of eight 512² cameras with 41 markers: frames per second, live and in turn.

The film is of a figure that swings its limbs.  Beside ours, OpenCV's connected components on the same images.
"""

import argparse
import functools
import tempfile
import time
from pathlib import Path

import numpy as np

from hitogata.capture import BlobFinder, Camera, CameraProcesses, Labeller, Matcher, Tracker, learn_markers
from hitogata.capture.film import film_figure
from hitogata.capture.marker_set import spread_markers
from hitogata.dynamics import integrate
from hitogata.library import virtual_human

FRAMES, TIMES, RATE = 60, 12, 252.0


def rig() -> list[Camera]:
    angles = 2 * np.pi * np.arange(8) / 8 + 0.2
    return [Camera.looking_at(f"c{k}", (3.5 * np.cos(a), 3.5 * np.sin(a), 2.2 + 0.3 * (k % 2)), (0, 0, 0.9),
                              distortion=(-0.12, 0.03, 0, 0, 0)) for k, a in enumerate(angles)]  # fmt: skip


def swing(human, count: int) -> np.ndarray:
    rng, t = np.random.default_rng(0), np.arange(count) / RATE
    way = rng.normal(0, 0.4, human.nv)
    way[:6] = 0
    return np.array(integrate(human, np.repeat(human.neutral()[None], count, axis=0), np.sin(6 * t)[:, None] * way))


def images(path: str, camera: int):
    film = np.array(np.load(path, mmap_mode="r")[:, camera])
    for k in range(FRAMES * TIMES):  # forwards and backwards, so that nothing jumps
        j = k % (2 * FRAMES - 2)
        yield film[j if j < FRAMES else 2 * FRAMES - 2 - j]


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_known_args()
    human = virtual_human()
    markers, q, cameras = spread_markers(human, 41, radius=0.0095), swing(human, FRAMES), rig()
    model = learn_markers(markers.positions(human, q), markers.labels)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "film.npy")
        np.save(path, np.array(list(film_figure(cameras, human, q, markers))))
        film = np.load(path)
        finder, matcher, tracker, labeller = BlobFinder(), Matcher(cameras), Tracker(RATE), Labeller(model, RATE)
        spent = []
        for images_now in (*film, *film[-2::-1]):
            start = time.perf_counter()
            blobs = [finder(image) for image in images_now]
            middle = time.perf_counter()
            place, gate = tracker.predict()
            points = matcher(blobs, expected=place, gates=gate)
            tracker.update(points)
            late = time.perf_counter()
            labels, _ = labeller(points.positions)
            spent.append(np.diff([start, middle, late, time.perf_counter()]))
        names = ("blobs, 8 images", "matching, tracking", "labels")
        best, usual = np.min(spent, axis=0), np.median(spent, axis=0)
        for name, least, middle in zip(names, 1e3 * best, 1e3 * usual, strict=True):
            print(f"{name:<22} {least:7.3f} ms at best, {middle:7.3f} ms as a rule")
        last = f"{len(points)} points, {(labels >= 0).sum()} labels in the last frame"
        print(f"{'in turn':<22} {1 / usual.sum():7.0f} frames/s; {last}")
        try:
            import cv2
        except ImportError:
            pass
        else:
            best = 1e9
            for image in film[:20, 0]:
                start = time.perf_counter()
                cv2.connectedComponentsWithStats((image > 40).astype(np.uint8), connectivity=8)
                best = min(best, time.perf_counter() - start)
            print(f"{'OpenCV components':<22} {8e3 * best:7.3f} ms for 8 images, without sub-pixel centres")
        with CameraProcesses([functools.partial(images, path, k) for k in range(8)]) as live:
            seen, tracker, labeller = 0, Tracker(RATE), Labeller(model, RATE)
            for blobs in live:
                if seen == 30:
                    start = time.perf_counter()
                place, gate = tracker.predict()
                points = matcher(blobs, expected=place, gates=gate)
                tracker.update(points)
                labeller(points.positions)
                seen += 1
            rate = (seen - 30) / (time.perf_counter() - start)
        print(f"{'live, 8 processes':<22} {rate:7.0f} frames/s over {seen} frames")


if __name__ == "__main__":
    main()
