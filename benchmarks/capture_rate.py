"""Detection, reconstruction and labelling of eight 512² cameras with 41 markers: frames per second, live and in turn.

`--cameras 10 --size 1024 --rate 50` for others; `--no-live` without processes.  The film is of a figure that swings its
limbs.  In turn, times are of the processor.  Beside ours, OpenCV's connected components on the same images.
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

FRAMES, TIMES = 60, 12


def rig(count: int, size: int) -> list[Camera]:
    angles = 2 * np.pi * np.arange(count) / count + 0.2
    return [Camera.looking_at(f"c{k}", (3.5 * np.cos(a), 3.5 * np.sin(a), 2.2 + 0.3 * (k % 2)), (0, 0, 0.9),
                              size=(size, size), distortion=(-0.12, 0.03, 0, 0, 0))
            for k, a in enumerate(angles)]  # fmt: skip


def swing(human, count: int, rate: float) -> np.ndarray:
    rng, t = np.random.default_rng(0), np.arange(count) / rate
    way = rng.normal(0, 0.4, human.nv)
    way[:6] = 0
    return np.array(integrate(human, np.repeat(human.neutral()[None], count, axis=0), np.sin(6 * t)[:, None] * way))


def images(path: str, camera: int):
    film = np.array(np.load(path, mmap_mode="r")[:, camera])
    last = 2 * len(film) - 2
    for k in range(len(film) * TIMES):  # forwards and backwards, so that nothing jumps
        j = k % last
        yield film[j if j < len(film) else last - j]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cameras", type=int, default=8)
    options.add_argument("--size", type=int, default=512)
    options.add_argument("--rate", type=float, default=252.0)
    options.add_argument("--frames", type=int, default=FRAMES)
    options.add_argument("--no-live", action="store_true")
    asked, _ = options.parse_known_args()
    count, rate, human = asked.cameras, asked.rate, virtual_human()
    markers, cameras = spread_markers(human, 41, radius=0.0095), rig(count, asked.size)
    q = swing(human, asked.frames, rate)
    model = learn_markers(markers.positions(human, q), markers.labels)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "film.npy")
        np.save(path, np.array(list(film_figure(cameras, human, q, markers))))
        film = np.load(path)
        finder, matcher, tracker, labeller = BlobFinder(), Matcher(cameras), Tracker(rate), Labeller(model, rate)
        spent = []
        for images_now in (*film, *film[-2::-1]):
            start = time.process_time()
            blobs = [finder(image) for image in images_now]
            middle = time.process_time()
            place, gate = tracker.predict()
            points = matcher(blobs, expected=place, gates=gate)
            tracker.update(points)
            late = time.process_time()
            labels, _ = labeller(points.positions)
            spent.append(np.diff([start, middle, late, time.process_time()]))
        names = (f"blobs, {count} images", "matching, tracking", "labels")
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
            print(f"{'OpenCV components':<22} {count * 1e3 * best:7.3f} ms for all images, without sub-pixel centres")
        if asked.no_live:
            return
        with CameraProcesses([functools.partial(images, path, k) for k in range(count)]) as live:
            seen, tracker, labeller = 0, Tracker(rate), Labeller(model, rate)
            for blobs in live:
                if seen == 30:
                    start = time.perf_counter()
                place, gate = tracker.predict()
                points = matcher(blobs, expected=place, gates=gate)
                tracker.update(points)
                labeller(points.positions)
                seen += 1
            pace = (seen - 30) / (time.perf_counter() - start)
        print(f"{'live, processes':<22} {pace:7.0f} frames/s over {seen} frames")


if __name__ == "__main__":
    main()
